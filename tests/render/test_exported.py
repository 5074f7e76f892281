"""The terminal's view as SVG and as HTML: self-contained, well-formed, and all of it words."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.dom import minidom

import pytest
from render_support import HOSTILE, debate

from debate_cli.domain.debate import Debate
from debate_cli.render.html.templating import csp_hash
from debate_cli.render.svg import TerminalExport, export_svg, export_terminal_html
from debate_cli.systems.scoring import score

ATTACK = '</text><script>alert(1)</script><img src=x onerror=alert(1)> {stylesheet} {0} %s & "quoted" \ufffe'


def scene(told: Debate) -> TerminalExport:
    """All of a debate."""
    return TerminalExport(told, score(told))


def hostile() -> Debate:
    """The debate with attacks in motion, background and claims."""
    told = debate(topic=f"{ATTACK} {HOSTILE}", background=ATTACK)
    arguments = tuple(
        item.model_copy(update={"claim": ATTACK, "reasoning": HOSTILE}) for item in told.turns[0].arguments or ()
    )
    first = told.turns[0].model_copy(update={"arguments": arguments, "warnings": (ATTACK,)})
    return Debate.model_validate({**told.model_dump(), "turns": [first, *told.turns[1:]]})


class Tags(HTMLParser):
    """Which elements a page has, and its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it."""
        assert not any(name.startswith("on") for name, _ in attrs)
        self.found.add(tag)

    def handle_data(self, data: str) -> None:
        """Note them."""
        self.words += data


@pytest.mark.parametrize("told", [debate(), hostile()], ids=["plain", "hostile"])
def test_the_svg_is_well_formed_and_holds_no_script(told: Debate) -> None:
    """Whatever is said: it can be parsed, and is made of text and shapes."""
    drawn = minidom.parseString(export_svg(scene(told)).encode())
    names = {element.tagName for element in drawn.getElementsByTagName("*")}
    assert names <= {"svg", "title", "style", "defs", "clipPath", "rect", "text", "g", "circle"}


@pytest.mark.parametrize("told", [debate(), hostile()], ids=["plain", "hostile"])
def test_the_page_holds_no_element_of_a_debater(told: Debate) -> None:
    """Attacks are words of the page."""
    page = Tags(export_terminal_html(scene(told)))
    assert page.found <= {"html", "head", "meta", "title", "style", "body", "pre", "code", "span"}


def test_an_attack_is_shown_as_its_own_words() -> None:
    """Braces and percent signs fill in nothing."""
    assert "onerror=alert(1)>" in Tags(export_terminal_html(scene(hostile()))).words
    assert "{stylesheet} {0} %s" in export_terminal_html(scene(hostile()))


@pytest.mark.parametrize("export", [export_svg, export_terminal_html])
def test_nothing_is_loaded(export: object) -> None:
    """No font, no style sheet, no picture from anywhere."""
    assert callable(export)
    document = str(export(scene(debate())))
    assert not any(word in document for word in ("@font-face", "url(http", "<link", "src=", "@import", "cdnjs"))


def test_the_same_debate_gives_the_same_picture() -> None:
    """So that a committed picture changes only when the debate or the look does."""
    assert export_svg(scene(debate())) == export_svg(scene(debate()))


@pytest.mark.parametrize(
    ("part", "there", "absent"),
    [
        (TerminalExport(debate(), score(debate()), only="verdict"), "wins", "PRO-2"),
        (TerminalExport(debate(), score(debate()), round_number=2), "challenges", "wins"),
        (TerminalExport(debate(), score(debate()), only="turns"), "strengthened", "wins"),
    ],
    ids=["verdict", "round", "turns"],
)
def test_a_part_alone(part: TerminalExport, there: str, absent: str) -> None:
    """As a replay shows it."""
    words = Tags(export_terminal_html(part)).words
    assert there in words
    assert absent not in words


def test_a_round_alone_knows_what_was_said_before() -> None:
    """The claims that are answered stand above the answers."""
    assert (
        "Eight engineers cannot operate"
        in Tags(export_terminal_html(TerminalExport(debate(), (), round_number=2))).words
    )


@pytest.mark.parametrize(
    "told", [debate(), debate(topic="HASH </style> <style>*{color:red}</style>")], ids=["plain", "hostile"]
)
def test_the_page_allows_its_own_style_sheet_alone(told: Debate) -> None:
    """By its hash in the Content-Security-Policy; no element brings a style of its own."""
    page = export_terminal_html(scene(told))
    (sheet,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert f"default-src 'none'; style-src '{csp_hash(sheet)}'; base-uri 'none'" in page
    assert "unsafe-inline" not in page
    assert "style=" not in page
