"""The HTML report: self-contained, without script, nothing in it made by the debaters but words."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser

from render_support import HOSTILE, debate, unscored

from debate_cli.domain.debate import Debate
from debate_cli.render.html import html
from debate_cli.scoring import score

ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>{{ 7*7 }}'
VOID = {"meta", "rect", "br", "img", "link", "input"}


class Page(HTMLParser):
    """Which tags and attributes a page has, and whether its tags are balanced."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        if tag not in VOID:
            assert self.open.pop() == tag


def page(told: Debate) -> str:
    """The page with its verdicts."""
    return html(told, score(told))


def hostile() -> Debate:
    """The debate with an attack in every place that a debater, a judge or a user fills."""
    told = debate(topic=ATTACK, background=ATTACK)
    update = {"claim": ATTACK, "reasoning": HOSTILE, "evidence": ATTACK}
    arguments = tuple(item.model_copy(update=update) for item in told.turns[0].arguments or ())
    first = told.turns[0].model_copy(update={"arguments": arguments, "warnings": (ATTACK,)})
    return Debate.model_validate({**told.model_dump(), "turns": [first, *told.turns[1:]]})


def test_the_whole_debate(golden: Callable[[str, str], None]) -> None:
    """The page of the fixed debate."""
    golden("debate.html", page(debate()))


def test_nothing_is_loaded_and_nothing_runs() -> None:
    """No script, no link, no image, no frame; no style or event attribute."""
    found = Page(page(hostile()))
    assert not found.tags & {"script", "link", "img", "iframe", "object", "embed", "form", "a", "base"}
    assert not {name for name in found.attributes if name.startswith("on") or name in {"style", "href", "src"}}


def test_all_tags_are_balanced() -> None:
    """No text opens or closes an element."""
    assert Page(page(hostile())).open == []


def test_the_policy_allows_the_one_style_sheet_only() -> None:
    """The hash in the Content-Security-Policy is that of the style sheet as it stands in the page."""
    source = page(debate())
    style = re.search(r"<style>(.*?)</style>", source, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in source


def test_text_is_no_template() -> None:
    """A speech that looks like a template is not evaluated."""
    assert "{{ 7*7 }}" in page(hostile())


def test_controls_do_not_reach_the_page() -> None:
    """Control sequences are stripped as everywhere."""
    assert not any(sign in page(hostile()) for sign in ("\x1b", "\x9b", "\x07", "\u202e"))


def test_verdict_and_briefing_come_before_the_speeches() -> None:
    """The page begins with what a reader came for."""
    source = page(debate())
    assert source.index(">verdict") < source.index(">briefing<") < source.index(">trace<") < source.index("round 1")


def test_hidden_directives_are_shown_on_demand_only() -> None:
    """A directive is secret unless asked for."""
    told = debate()
    first = told.turns[0].model_copy(update={"directive": "be precise"})
    told = Debate.model_validate({**told.model_dump(), "turns": [first, *told.turns[1:]]})
    assert "be precise" not in html(told, score(told))
    assert "be precise" in html(told, score(told), show_hidden=True)


def test_an_unjudged_debate_has_a_page() -> None:
    """Without assessments the page says that the verdict is undetermined."""
    assert "Undetermined" in page(unscored())
