"""The terminal output as SVG is self-contained and well-formed."""

from typing import Any
from xml.dom import minidom

import pytest
from render_support import HOSTILE, debate, with_arguments

from debate_cli.domain.debate import Debate
from debate_cli.render.terminal_export import export_svg, print_debate
from debate_cli.systems.scoring import score

ATTACK = '</text><script>alert(1)</script><img src=x onerror=alert(1)> {stylesheet} {0} %s & "quoted" \ufffe'
ATTACKED = with_arguments(
    debate(topic=f"{ATTACK} {HOSTILE}", background=ATTACK), (ATTACK,), claim=ATTACK, reasoning=HOSTILE
)


def svg(shown: Debate, *part: Any) -> str:
    """A debate or a part of it as SVG."""
    return export_svg(lambda console: print_debate(console, shown, score(shown), *part), title=shown.topic)


@pytest.mark.parametrize("shown", [debate(), ATTACKED], ids=["plain", "attacked"])
def test_untrusted_text_makes_no_element(shown: Debate) -> None:
    """The image parses and holds only text and shapes."""
    drawn = minidom.parseString(svg(shown).encode())
    names = {element.tagName for element in drawn.getElementsByTagName("*")}
    assert names <= {"svg", "title", "style", "defs", "clipPath", "rect", "text", "g", "circle"}


def test_an_export_loads_nothing_and_is_reproducible() -> None:
    """It has no external font, style sheet or image; the same debate gives the same file."""
    document = svg(debate())
    assert not any(text in document for text in ("@font-face", "url(http", "<link", "src=", "@import", "cdnjs"))
    assert document == svg(debate())


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
