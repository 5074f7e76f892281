"""The HTML report in a browser: no errors, no requests, accessible, usable at every width and by keyboard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_support import script, violations
from browser_support import Chromium
from hostile_corpus import corpus
from poisoned_support import plain_debate, poisoned_debate
from rehearsal_support import config_of, run_debate
from render_support import debate, unjudged

from debate_cli.domain.debate import Debate
from debate_cli.render.html.page import render_html
from debate_cli.systems.scoring import score

ATTACK = '<img src=x onerror="document.title=1"></script><script>document.title="run"</script>'
TABLE = "document.querySelector('table.trace')"
CELLS = f"[...{TABLE}.tBodies[0].rows].map(row => row.cells[0].innerText)"
UNFOLD = "document.querySelectorAll('details').forEach(part => { part.open = true; })"


SHORT = {"arguments": 1, "phases": ["opening", "rebuttal"]}


def three_sides() -> Debate:
    """Three debaters under all five systems."""
    sides = ("monolith", "modular monolith", "microservices")
    debaters = [{"name": f"Architect {number}", "side": side} for number, side in enumerate(sides, start=1)]
    systems = ["structured", "moderator", "panel", "live", "persuasion"]
    return run_debate(config_of(judging={"systems": systems}, debaters=debaters, format=SHORT))


def long_names() -> Debate:
    """Debaters with a name of several words and a name of one long word, under all five systems."""
    names = ("Federal Representative for Transport", "Donaudampfschifffahrtsgesellschaft")
    debaters = [{"name": name, "side": side} for name, side in zip(names, ("for", "against"), strict=True)]
    systems = ["structured", "moderator", "panel", "live", "persuasion"]
    return run_debate(config_of(judging={"systems": systems}, debaters=debaters))


LONG_CLAIM = " ".join(f"Claim {number} of a debater who likes to talk." for number in range(12))
LONG_REASON = " ".join(f"Reason {number} of a judge who likes to write." for number in range(20))


def long_lowest_score() -> Debate:
    """The argument with the lowest score has a long claim, and the judge gives a long reason."""
    shown_debate = debate().model_dump(mode="json")
    claims = [item for turn in shown_debate["turns"] for item in turn["arguments"] or ()]
    found = [item for given in shown_debate["assessments"] for item in given["findings"] if item["kind"] == "trace"]
    next(item for item in claims if item["id"] == "PRO-1")["claim"] = LONG_CLAIM
    next(item for item in found if item["item"] == "PRO-1")["reason"] = LONG_REASON
    return Debate.model_validate(shown_debate)


PAGES: dict[str, Callable[[], Debate]] = {
    "two systems": debate,
    "five systems": plain_debate,
    "hostile": lambda: poisoned_debate(ATTACK),
    "unjudged": unjudged,
    "three sides": three_sides,
    "long names": long_names,
    "long lowest score": long_lowest_score,
}

ALL_KINDS_OF_PARTS = {"three sides", "unjudged"}
"""The other pages have the same parts with other texts, which are checked in `make soak`."""
ROWS = [
    pytest.param(name, marks=[] if name in {*ALL_KINDS_OF_PARTS, "hostile"} else pytest.mark.soak) for name in PAGES
]


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Write a page of PAGES; return its path."""
    folder = tmp_path_factory.mktemp("pages")

    def written(name: str) -> Path:
        place = folder / f"{name}.html"
        if not place.exists():
            shown_debate = PAGES[name]()
            place.write_text(render_html(shown_debate, score(shown_debate)), encoding="utf-8")
        return place

    return written


@pytest.mark.parametrize("name", ROWS)
def test_a_page_has_no_errors_and_no_requests(browser: Chromium, page: Callable[[str], Path], name: str) -> None:
    """The policy blocks nothing, no exception is thrown, and only the file itself is read."""
    place = page(name)
    browser.open(place)
    assert browser.complaints() == []
    assert browser.addresses() == [place.as_uri()]


@pytest.mark.parametrize(
    ("name", "dark"),
    [
        ("three sides", True),
        pytest.param("five systems", True, marks=pytest.mark.soak),
        *(pytest.param(name, False, marks=[] if name in ALL_KINDS_OF_PARTS else pytest.mark.soak) for name in PAGES),
    ],
)
def test_a_page_is_accessible(browser: Chromium, page: Callable[[str], Path], name: str, *, dark: bool) -> None:
    """Axe finds no violation with everything expanded, and dark colours, which alone differ, have enough contrast."""
    if script() is None:
        pytest.skip("no axe-core: `make` installs it with axe-playwright-python")
    browser.open(page(name), dark=dark)
    browser.evaluate(UNFOLD)
    assert violations(browser, "color-contrast" if dark else "") == []


@pytest.mark.parametrize(
    ("name", "width"),
    [
        *(("five systems", width) for width in (320, 400, 900, 1600)),
        ("hostile", 320),
        *(pytest.param("hostile", width, marks=pytest.mark.soak) for width in (400, 900, 1600)),
    ],
)
def test_a_page_fits_the_window(browser: Chromium, page: Callable[[str], Path], name: str, width: int) -> None:
    """Only tables of numbers and long charts scroll sideways, each in its own box."""
    browser.open(page(name), width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


WINNER = (".outcome", ".reason")


@pytest.mark.parametrize(
    ("width", "height", "parts"),
    [
        (400, 800, (*WINNER, ".others")),
        (900, 900, (*WINNER, ".others", ".lowest a.id", ".command")),
        (1600, 900, (*WINNER, ".others", ".lowest a.id", ".command")),
    ],
)
def test_the_verdict_is_on_the_first_screen(
    browser: Chromium, page: Callable[[str], Path], width: int, height: int, parts: tuple[str, ...]
) -> None:
    """Winner, reason and the other verdicts need no scrolling; in a wide window, the next steps neither."""
    browser.open(page("five systems"), width=width, height=height)
    for what in parts:
        assert 0 < browser.evaluate(f"document.querySelector('{what}').getBoundingClientRect().bottom") <= height, what


@pytest.mark.parametrize("width", [400, 1400])
def test_no_bar_cuts_a_number(browser: Chromium, page: Callable[[str], Path], width: int) -> None:
    """The digits beside a bar are no higher and no lower than their bar, and are drawn after all bars."""
    browser.open(page("five systems"), width=width)
    digits = """[...document.querySelectorAll('svg.chart')].flatMap(chart => {
        const bars = [...chart.querySelectorAll('rect.rect')];
        return [...chart.querySelectorAll('text.value')].map(text => {
            const foot = text.y.baseVal[0].value, top = foot - 0.73 * parseFloat(getComputedStyle(text).fontSize);
            const isCovered = bars.at(-1).compareDocumentPosition(text) !== Node.DOCUMENT_POSITION_FOLLOWING;
            const boxes = bars.map(bar => bar.getBBox());
            return !isCovered && boxes.some(box => box.y <= top && foot <= box.y + box.height);
        });
    })"""
    shown = browser.evaluate(digits)
    assert shown
    assert all(shown)


def test_a_table_that_scrolls_sideways_has_shadows_at_its_edges(browser: Chromium, page: Callable[[str], Path]) -> None:
    """The shadows stay at the edges of the window, and their covers move with the table. Paper has none of them."""
    browser.open(page("five systems"), width=400)
    wide = "[...document.querySelectorAll('.scroll')].filter(part => part.scrollWidth > part.clientWidth)"
    behaviour = f"{wide}.map(part => getComputedStyle(part).backgroundAttachment)"
    assert set(browser.evaluate(behaviour)) == {"local, local, scroll, scroll"}
    browser.call("Emulation.setEmulatedMedia", media="print")
    images = "[...document.querySelectorAll('.scroll')].map(part => getComputedStyle(part).backgroundImage)"
    assert set(browser.evaluate(images)) == {"none"}


@pytest.mark.parametrize("width", [420, 900, 1200])
def test_the_lowest_score_is_not_cut(browser: Chromium, page: Callable[[str], Path], width: int) -> None:
    """A long claim and a long reason are shown in full."""
    browser.open(page("long lowest score"), width=width)
    text = " ".join(browser.evaluate("document.querySelector('.lowest').innerText").split())
    assert f"{LONG_CLAIM} " in f"{text} "
    assert text.endswith(LONG_REASON)
    cut = "[...document.querySelectorAll('.lowest, .lowest *')].filter(one => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflow == 'hidden')"
    assert browser.evaluate(f"{cut}.length") == 0


@pytest.mark.parametrize("width", [400, 1200])
def test_names_in_tables_and_cards_are_not_cut(browser: Chromium, page: Callable[[str], Path], width: int) -> None:
    """A long name is wrapped; its symbol stays on the first line."""
    browser.open(page("long names"), width=width)
    browser.evaluate(UNFOLD)
    cut = "[...document.querySelectorAll('.who')].filter(name => name.scrollWidth > name.clientWidth)"
    assert browser.evaluate(f"{cut}.map(name => name.innerText)") == []
    names = "[...document.querySelectorAll('td .who.long')].map(name => name.innerText)"
    assert all(name[:2] in {"●\u00a0", "◆\u00a0"} for name in browser.evaluate(names))


@pytest.mark.parametrize("width", [400, 1200])
def test_short_table_cells_are_not_wrapped(browser: Chromium, page: Callable[[str], Path], width: int) -> None:
    """Columns of long text are at least 220 pixels wide."""
    browser.open(page("five systems"), width=width)
    browser.evaluate(UNFOLD)
    cells = browser.evaluate("[...document.querySelectorAll('.sheet td.brief, .sheet td.words')].length")
    brief = "[...document.querySelectorAll('.sheet td.brief')].filter(cell => !cell.firstElementChild)"
    rows = "(range => (range.selectNodeContents(cell), range.getClientRects().length))(document.createRange())"
    assert browser.evaluate(f"{brief}.map(cell => [cell.innerText, {rows}]).filter(found => found[1] > 1)") == []
    narrow = "[...document.querySelectorAll('.sheet td.words')].filter(cell => cell.clientWidth < 220)"
    assert browser.evaluate(f"{narrow}.map(cell => cell.innerText)") == []
    assert cells > 0


@pytest.mark.parametrize("width", [400, 700, 900, 1600])
def test_chart_labels_have_the_size_of_text(browser: Chromium, page: Callable[[str], Path], width: int) -> None:
    """Labels are between 8 and 17 pixels high at every width."""
    browser.open(page("five systems"), width=width)
    drawn = "[...document.querySelectorAll('figure svg.chart:not(.key)')]"
    scaled = (
        "parseFloat(getComputedStyle(one).fontSize) * one.getBoundingClientRect().width / one.viewBox.baseVal.width"
    )
    sizes = browser.evaluate(f"{drawn}.filter(one => one.getBoundingClientRect().width).map(one => {scaled})")
    assert 8 < min(sizes) <= max(sizes) <= 17


def test_four_threads_are_in_rows_of_two(browser: Chromium, page: Callable[[str], Path]) -> None:
    """A wide window has room for three, which would leave the fourth alone in its row."""
    browser.open(page("two systems"), width=1400)
    tops = "[...document.querySelector('.threads').children].map(one => one.getBoundingClientRect().top)"
    first, second, third, fourth = browser.evaluate(tops)
    assert first == second < third == fourth


@pytest.mark.parametrize("width", [400, 1400])
def test_the_name_of_a_model_is_not_broken(browser: Chromium, page: Callable[[str], Path], width: int) -> None:
    """If it does not fit beside the participant, it is on the next line."""
    browser.open(page("five systems"), width=width)
    line = "parseFloat(getComputedStyle(one).lineHeight)"
    rows = f"[...document.querySelectorAll('.cast .small')].map(one => one.getBoundingClientRect().height / {line})"
    found = browser.evaluate(rows)
    assert found == [pytest.approx(1, abs=0.1)] * len(found) != []


def test_text_stands_beside_a_chart_that_is_alone(browser: Chromium, page: Callable[[str], Path]) -> None:
    """Below several charts it has the whole width."""
    browser.open(page("five systems"), width=1400)
    beside = """[...document.querySelectorAll('.figures:has(.remarks)')].map(part => [
        part.querySelectorAll('figure').length,
        part.querySelector('.remarks').offsetTop < part.querySelector('figure').offsetTop + part.querySelector('figure').offsetHeight,
    ])"""
    found = browser.evaluate(beside)
    assert {count == 1 for count, _ in found} == {True, False}
    assert all(is_beside is (count == 1) for count, is_beside in found)


def test_a_click_on_the_map_shows_the_text(browser: Chromium, page: Callable[[str], Path]) -> None:
    """Claims and responses link to their text."""
    browser.open(page("two systems"))
    browser.evaluate("document.querySelector('.map .claim-row > a.box').click()")
    assert "Independent deployment keeps" in browser.evaluate("document.querySelector(':target').innerText")
    browser.evaluate("document.querySelector('.map .answers a.box').click()")
    assert "correlation among large firms" in browser.evaluate("document.querySelector(':target').innerText")


def test_the_trace_is_sorted_by_click(browser: Chromium, page: Callable[[str], Path]) -> None:
    """The first click sorts ascending, the second descending; `aria-sort` follows."""
    browser.open(page("two systems"))
    head = f"{TABLE}.tHead.rows[0].cells[0]"
    orders: list[tuple[str, list[str]]] = []
    for _ in range(2):
        browser.evaluate(f"{head}.querySelector('button').click()")
        orders.append((browser.evaluate(f"{head}.getAttribute('aria-sort')"), browser.evaluate(CELLS)))
    assert orders == [
        ("ascending", ["CON-1", "CON-2", "PRO-1", "PRO-2"]),
        ("descending", ["PRO-2", "PRO-1", "CON-2", "CON-1"]),
    ]


def test_untrusted_text_makes_no_element(browser: Chromium, page: Callable[[str], Path]) -> None:
    """The page shows it as written."""
    browser.open(page("hostile"))
    assert ATTACK in browser.evaluate("document.querySelector('main').innerText")
    assert browser.evaluate("document.images.length + document.querySelectorAll('[onerror]').length") == 0
    assert browser.evaluate("document.scripts.length") == 1


def test_attacks_of_the_corpus_cause_no_error_and_no_request(browser: Chromium, tmp_path: Path) -> None:
    """Attacks on judges do not affect the page."""
    shown_debate = debate(background="\n".join(passage.text for passage in corpus().attacks))
    place = tmp_path / "attacks.html"
    place.write_text(render_html(shown_debate, score(shown_debate)), encoding="utf-8")
    browser.open(place)
    assert browser.complaints() == []
    assert browser.addresses() == [place.as_uri()]


def test_the_policy_blocks_injected_elements(browser: Chromium, page: Callable[[str], Path]) -> None:
    """An injected image is not loaded, and its event handler does not run."""
    browser.open(page("two systems"))
    browser.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x.png onerror=\"document.title=1\">')")
    said = " ".join(browser.complaints())
    assert "img-src" in said
    assert "inline event handler" in said
    assert browser.evaluate("document.title") != "1"


def test_a_printed_page_is_not_cut(browser: Chromium, page: Callable[[str], Path]) -> None:
    """Scrollable parts fit; the navigation is hidden."""
    browser.open(page("five systems"), width=720)
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    cut = "[...document.querySelectorAll('.map, .scroll')].filter(part => part.scrollWidth > part.clientWidth + 1)"
    assert browser.evaluate(f"{cut}.map(part => part.getAttribute('aria-label') || part.className)") == []


def test_a_printed_verdict_is_complete(browser: Chromium, page: Callable[[str], Path]) -> None:
    """The quote and the other verdicts are shown."""
    browser.open(page("long lowest score"), width=720)
    browser.call("Emulation.setEmulatedMedia", media="print")
    parts = "[...document.querySelectorAll('.hero blockquote, .hero .others')]"
    assert browser.evaluate(f"{parts}.length") == 2
    assert browser.evaluate(f"{parts}.filter(one => !one.getClientRects().length).map(one => one.innerText)") == []


@pytest.mark.parametrize("width", [320, 400])
def test_a_narrow_window_hides_nothing(browser: Chromium, page: Callable[[str], Path], width: int) -> None:
    """Navigation, quote, trace table and map need no horizontal scrolling."""
    browser.open(page("five systems"), width=width)
    parts = "[...document.querySelectorAll('nav a, .map, .map a, .trace, .trace td, .hero blockquote')]"
    assert browser.evaluate(f"{parts}.filter(one => one.getBoundingClientRect().right > {width}).length") == 0
    browser.open(page("long lowest score"), width=width)
    assert browser.evaluate("document.querySelector('.hero blockquote').getClientRects().length") > 0
