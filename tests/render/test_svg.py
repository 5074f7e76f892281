"""The terminal output as SVG and HTML is self-contained and well-formed."""

from collections.abc import Callable
from xml.dom import minidom

import pytest
from html_support import ParsedPage, policy_allows
from render_support import HOSTILE, debate, with_arguments

from debate_cli.domain.debate import Debate
from debate_cli.render.terminal_export import TerminalExport, export_svg, export_terminal_html
from debate_cli.systems.scoring import score

ATTACK = '</text><script>alert(1)</script><img src=x onerror=alert(1)> {stylesheet} {0} %s & "quoted" \ufffe'
ATTACKED = with_arguments(
    debate(topic=f"{ATTACK} {HOSTILE}", background=ATTACK), (ATTACK,), claim=ATTACK, reasoning=HOSTILE
)


def whole(shown: Debate) -> TerminalExport:
    """An export of the whole debate."""
    return TerminalExport(shown, score(shown))


def svg(export: TerminalExport) -> str:
    """The export as SVG."""
    return export_svg(export.print_to, title=export.debate.topic)


@pytest.mark.parametrize("shown", [debate(), ATTACKED], ids=["plain", "attacked"])
def test_untrusted_text_makes_no_element(shown: Debate) -> None:
    """Both forms parse and hold only text and shapes; HTML allows its own style sheet only."""
    drawn = minidom.parseString(svg(whole(shown)).encode())
    names = {element.tagName for element in drawn.getElementsByTagName("*")}
    assert names <= {"svg", "title", "style", "defs", "clipPath", "rect", "text", "g", "circle"}
    source = export_terminal_html(whole(shown))
    page = ParsedPage(source)
    assert set(page.tags) <= {"html", "head", "meta", "title", "style", "body", "pre", "code", "span"}
    assert page.event_attributes() == set()
    assert policy_allows(source, "style")


def test_the_judges_words_are_exported_once() -> None:
    """The tables of the whole export do not repeat the judges' reports above; the tables alone contain them."""
    words = "Both ask what a service costs to run."
    for export in (whole(debate()), TerminalExport(debate(), score(debate()), "scores")):
        assert ParsedPage(export_terminal_html(export)).text.count(words) == 1


def test_placeholders_in_untrusted_text_are_not_filled() -> None:
    """Braces and percent signs are text."""
    assert "onerror=alert(1)>" in ParsedPage(export_terminal_html(whole(ATTACKED))).text
    assert "{stylesheet} {0} %s" in export_terminal_html(whole(ATTACKED))


@pytest.mark.parametrize("export", [svg, export_terminal_html])
def test_an_export_loads_nothing_and_is_reproducible(export: Callable[[TerminalExport], str]) -> None:
    """It has no external font, style sheet or image; the same debate gives the same file."""
    document = export(whole(debate()))
    assert not any(text in document for text in ("@font-face", "url(http", "<link", "src=", "@import", "cdnjs"))
    assert document == export(whole(debate()))


@pytest.mark.parametrize(
    ("part", "present", "absent"),
    [
        (TerminalExport(debate(), score(debate()), only="verdict"), "wins", "PRO-2"),
        (TerminalExport(debate(), score(debate()), round_number=2), "Eight engineers cannot operate", "wins"),
        (TerminalExport(debate(), score(debate()), only="turns"), "strengthened", "wins"),
    ],
    ids=["verdict", "round with the claims that it answers", "turns"],
)
def test_a_part_is_exported_alone(part: TerminalExport, present: str, absent: str) -> None:
    """Other parts are left out."""
    text = ParsedPage(export_terminal_html(part)).text
    assert (present in text, absent in text) == (True, False)
