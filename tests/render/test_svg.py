"""The terminal output as SVG and HTML is self-contained and well-formed."""

from collections.abc import Callable
from typing import Any
from xml.dom import minidom

import pytest
from html_support import ParsedPage, policy_allows
from render_support import HOSTILE, debate, with_arguments
from rich.console import Console

from debate_cli.domain.debate import Debate
from debate_cli.render.terminal_export import export_svg, export_terminal_html, print_debate
from debate_cli.systems.scoring import score

ATTACK = '</text><script>alert(1)</script><img src=x onerror=alert(1)> {stylesheet} {0} %s & "quoted" \ufffe'
ATTACKED = with_arguments(
    debate(topic=f"{ATTACK} {HOSTILE}", background=ATTACK), (ATTACK,), claim=ATTACK, reasoning=HOSTILE
)


def show(shown: Debate, *part: Any) -> Callable[[Console], None]:
    """A function that prints a debate or a part of it."""
    return lambda console: print_debate(console, shown, score(shown), *part)


def svg(shown: Debate, *part: Any) -> str:
    """A debate or a part of it as SVG."""
    return export_svg(show(shown, *part), title=shown.topic)


def page(shown: Debate, *part: Any) -> str:
    """A debate or a part of it as HTML."""
    return export_terminal_html(show(shown, *part), title=shown.topic)


@pytest.mark.parametrize("shown", [debate(), ATTACKED], ids=["plain", "attacked"])
def test_untrusted_text_makes_no_element(shown: Debate) -> None:
    """Both forms parse and hold only text and shapes; HTML allows its own style sheet only."""
    drawn = minidom.parseString(svg(shown).encode())
    names = {element.tagName for element in drawn.getElementsByTagName("*")}
    assert names <= {"svg", "title", "style", "defs", "clipPath", "rect", "text", "g", "circle"}
    source = page(shown)
    parsed = ParsedPage(source)
    assert set(parsed.tags) <= {"html", "head", "meta", "title", "style", "body", "pre", "code", "span"}
    assert parsed.event_attributes() == set()
    assert policy_allows(source, "style")


def test_placeholders_in_untrusted_text_are_not_filled() -> None:
    """Braces and percent signs are text."""
    assert "onerror=alert(1)>" in ParsedPage(page(ATTACKED)).text
    assert "{stylesheet} {0} %s" in page(ATTACKED)


@pytest.mark.parametrize("draw", [svg, page], ids=["svg", "page"])
def test_an_export_loads_nothing_and_is_reproducible(draw: Callable[[Debate], str]) -> None:
    """It has no external font, style sheet or image; the same debate gives the same file."""
    document = draw(debate())
    assert not any(text in document for text in ("@font-face", "url(http", "<link", "src=", "@import", "cdnjs"))
    assert document == draw(debate())


@pytest.mark.parametrize(
    ("part", "present", "absent"),
    [
        (("verdict",), "wins", "PRO-2"),
        ((None, 2), "Eight engineers cannot operate", "wins"),
        (("turns",), "strengthened", "wins"),
    ],
    ids=["verdict", "round with the claims that it answers", "turns"],
)
def test_a_part_is_exported_alone(part: tuple[Any, ...], present: str, absent: str) -> None:
    """Other parts are left out."""
    text = minidom.parseString(svg(debate(), *part).encode()).toxml().replace("\xa0", " ")
    assert (present in text, absent in text) == (True, False)
