"""The HTML index of many debates in a browser."""

from pathlib import Path

import pytest
from axe_support import script, violations
from browser_support import Chromium
from render_support import debate, unjudged

from debate_cli.app.gates import GateResult
from debate_cli.app.score import CheckedFile, ScoredFile, UnusableFile, collect_debate_facts
from debate_cli.domain.debate import Debate
from debate_cli.render.html.index import render_index
from debate_cli.render.html.page import render_html
from debate_cli.systems.scoring import score

ATTACK = '"><img src=x onerror="document.title=1"><script>document.title="run"</script>'
TOPICS = "[...document.querySelector('.sortable').tBodies[0].rows].map(row => row.cells[0].dataset.sort)"


def scored(judged: Debate, topic: str) -> ScoredFile:
    """A scored file with this topic."""
    return ScoredFile(f"{topic}.json", judged.id, topic, judged.status, score(judged))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three debates, one of which has a page."""
    folder = tmp_path_factory.mktemp("index")
    (folder / "two words.html").write_text(render_html(debate(), score(debate())), encoding="utf-8")
    files = [
        CheckedFile(
            scored(debate(), "Trams"),
            (GateResult("--fail-under", None),),
            "two words.html",
            facts=collect_debate_facts(debate()),
        ),
        CheckedFile(scored(unjudged(), ATTACK), (GateResult("--fail-under", f"not met: {ATTACK}"),)),
        CheckedFile(
            scored(debate(), "Bees"),
            facts=collect_debate_facts(debate())._replace(cost_usd=None, debaters=("a/" + "long-" * 20,)),
        ),
    ]
    place = folder / "index.html"
    place.write_text(render_index(files, [UnusableFile("x.json", f"{ATTACK}: no transcript")]), encoding="utf-8")
    return place


def test_the_index_has_no_errors_and_no_requests(browser: Chromium, page: Path) -> None:
    """Untrusted text makes no element."""
    browser.open(page)
    assert browser.complaints() == []
    assert browser.addresses() == [page.as_uri()]
    assert browser.evaluate("document.images.length") == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_index_is_accessible(browser: Chromium, page: Path, *, dark: bool) -> None:
    """Axe finds no violation, and dark colours, which alone differ, have enough contrast."""
    if script() is None:
        pytest.skip("no axe-core: `make` installs it with axe-playwright-python")
    browser.open(page, dark=dark)
    assert violations(browser, "color-contrast" if dark else "") == []


@pytest.mark.parametrize("width", [320, 400, 900, 1120, 1600])
def test_the_index_fits_the_window(browser: Chromium, page: Path, width: int) -> None:
    """Only tables scroll horizontally."""
    browser.open(page, width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [320, 400, 900])
def test_a_narrow_window_hides_no_cell_of_a_debate(browser: Chromium, page: Path, width: int) -> None:
    """Rows become cards; no cell is beyond the right edge."""
    browser.open(page, width=width)
    edges = (
        "Math.max(...[...document.querySelectorAll('.sortable td')].map(cell => cell.getBoundingClientRect().right))"
    )
    assert browser.evaluate(edges) <= width


def test_the_index_is_sorted_by_keyboard(browser: Chromium, page: Path) -> None:
    """Enter on a header sorts; the second time it reverses the order."""
    browser.open(page)
    browser.evaluate("document.querySelector('.sortable button').focus()")
    orders: list[list[str]] = []
    for _ in range(2):
        browser.press("Enter", 13, "\r")
        orders.append(browser.evaluate(TOPICS))
    assert [topic for topic in orders[0] if topic != ATTACK] == ["Bees", "Trams"]
    assert orders[1] == orders[0][::-1]


def test_a_link_opens_the_debate(browser: Chromium, page: Path) -> None:
    """A file name with a space works."""
    browser.open(page)
    browser.events.clear()
    browser.evaluate("document.querySelector('.sortable a').click()")
    browser.wait_for("Page.loadEventFired")
    assert browser.evaluate("document.querySelector('h1').innerText") == debate().topic
