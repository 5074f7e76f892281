"""The index of many debates as a browser shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_support import script, violations
from browser_support import Chromium
from render_support import debate, unjudged

from debate_cli.app.gates import GateResult
from debate_cli.app.score import CheckedFile, ScoredFile, UnusableFile, collect_debate_facts
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render.html.index import render_index
from debate_cli.render.html.page import render_html
from debate_cli.systems.scoring import score

ATTACK = '"><img src=x onerror="document.title=1"><script>document.title="run"</script>'
TOPICS = "[...document.querySelector('.sortable').tBodies[0].rows].map(row => row.cells[0].dataset.sort)"


def scored(told: Debate, topic: str) -> ScoredFile:
    """A file with its verdicts, under another topic."""
    return ScoredFile(f"{topic}.json", told.id, topic, told.status, score(told))


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
            held=collect_debate_facts(debate()),
        ),
        CheckedFile(scored(unjudged(), ATTACK), (GateResult("--fail-under", f"not met: {ATTACK}"),)),
        CheckedFile(
            scored(debate(), "Bees"),
            held=collect_debate_facts(debate())._replace(cost_usd=None, debaters=("a/" + "long-" * 20,)),
        ),
    ]
    place = folder / "index.html"
    place.write_text(render_index(files, [UnusableFile("x.json", f"{ATTACK}: no transcript")]), encoding="utf-8")
    return place


def test_it_is_quiet_and_closed(browser: Chromium, page: Path) -> None:
    """Nothing is complained of, nothing else is read, no text is an element."""
    browser.open(page)
    assert browser.complaints() == []
    assert browser.addresses() == [page.as_uri()]
    assert browser.evaluate("document.images.length") == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_is_accessible(browser: Chromium, page: Path, *, dark: bool) -> None:
    """Axe finds nothing."""
    if script() is None:
        pytest.skip("no axe-core: `make` installs it with axe-playwright-python")
    browser.open(page, dark=dark)
    assert violations(browser) == []


@pytest.mark.parametrize("width", [320, 400, 900, 1120, 1600])
def test_it_fits_the_window(browser: Chromium, page: Path, width: int) -> None:
    """Only the tables scroll sideways."""
    browser.open(page, width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [320, 400, 900])
def test_a_narrow_window_hides_no_cell_of_a_debate(browser: Chromium, page: Path, width: int) -> None:
    """A row is a card there: nothing lies beyond the right edge."""
    browser.open(page, width=width)
    edges = (
        "Math.max(...[...document.querySelectorAll('.sortable td')].map(cell => cell.getBoundingClientRect().right))"
    )
    assert browser.evaluate(edges) <= width


@pytest.mark.parametrize("width", [320, 900])
def test_a_card_says_who_won_before_what_it_cost(browser: Chromium, page: Path, width: int) -> None:
    """In a narrow window winner and scores stand above date, models and cost."""
    browser.open(page, width=width)
    tops = [
        browser.evaluate(f"document.querySelector('td[data-head={head}]').getBoundingClientRect().top")
        for head in ("winner", "scores", "date", "cost")
    ]
    assert max(tops[:2]) < min(tops[2:])


def test_it_is_sorted_by_keyboard(browser: Chromium, page: Path) -> None:
    """Enter on a head sorts, once more sorts the other way."""
    browser.open(page)
    browser.evaluate("document.querySelector('.sortable button').focus()")
    orders: list[list[str]] = []
    for _ in range(2):
        browser.press("Enter", 13, "\r")
        orders.append(browser.evaluate(TOPICS))
    assert [topic for topic in orders[0] if topic != ATTACK] == ["Bees", "Trams"]
    assert orders[1] == orders[0][::-1]


def test_a_link_opens_the_debate(browser: Chromium, page: Path) -> None:
    """A topic leads to its own page, whatever the file is called."""
    browser.open(page)
    browser.events.clear()
    browser.evaluate("document.querySelector('.sortable a').click()")
    browser.wait_for("Page.loadEventFired")
    assert browser.evaluate("document.querySelector('h1').innerText") == debate().topic


@pytest.mark.parametrize("width", [320, 620, 900, 1200, 1600])
def test_what_a_panel_decided_is_not_cut_within_a_word(browser: Chromium, tmp_path: Path, width: int) -> None:
    """Its longest option stands on one line, sign and all, and so does the option's share."""
    verdict = Verdict(
        system="panel", run="r1", winner=None, victory="conditional", margin=1.0, scores={}, decides=True,
        notes={"option": "CONDITIONAL", "weights": {"CONDITIONAL": 1.0}},
    )  # fmt: skip
    place = tmp_path / "index.html"
    file = ScoredFile("PLAN.json", "plan", "PLAN.md", "complete", (verdict,), "PLAN.md")
    place.write_text(render_index([CheckedFile(file, held=collect_debate_facts(debate()))]), encoding="utf-8")
    browser.open(place, width=width)
    parts = ("td[data-head=winner] strong", "td[data-head=scores] div")
    lines = [f"document.querySelector('{part}').getBoundingClientRect().height" for part in parts]
    line = "parseFloat(getComputedStyle(document.querySelector('td[data-head=victory]')).lineHeight)"
    assert [browser.evaluate(f"{height} < 1.5 * {line}") for height in lines] == [True, True]
