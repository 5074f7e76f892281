"""The HTML report: self-contained, one script that no words reach, nothing in it made by the debaters but words."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from poisoned_support import plain, poisoned
from render_support import HOSTILE, START, debate, events, round_assessment, unscored

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, JudgingOpened
from debate_cli.render.html.page import render_html
from debate_cli.systems.scoring import score

ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>{{ 7*7 }}'
VOID = {"meta", "br", "img", "link", "input"}


class Page(HTMLParser):
    """Which tags and attributes a page has, and whether its tags are balanced."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: set[str] = set()
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag."""
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.addresses |= {value or "" for name, value in attrs if name in {"href", "src"}}

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        if tag not in VOID:
            assert self.open.pop() == tag


def page(told: Debate) -> str:
    """The page with its verdicts."""
    return render_html(told, score(told))


def hostile() -> Debate:
    """The debate with an attack in every place that a debater, a judge or a user fills."""
    told = debate(topic=ATTACK, background=ATTACK)
    update = {"claim": ATTACK, "reasoning": HOSTILE, "evidence": ATTACK}
    arguments = tuple(item.model_copy(update=update) for item in told.turns[0].arguments or ())
    first = told.turns[0].model_copy(update={"arguments": arguments, "warnings": (ATTACK,)})
    return Debate.model_validate({**told.model_dump(), "turns": [first, *told.turns[1:]]})


PAGES = [pytest.param(hostile, id="by hand"), pytest.param(lambda: poisoned(ATTACK), id="all five systems")]


def test_the_whole_debate(golden: Callable[[str, str], None]) -> None:
    """The page of the fixed debate, without style, script and charts."""
    source = re.sub(r"(<(style|script)>).*?(</\2>)", r"\1\3", page(debate()), flags=re.DOTALL)
    source = re.sub(r'(<svg class="chart [^>]*>).*?(</svg>)', r"\1\2", source, flags=re.DOTALL)
    golden("debate.html", re.sub(r"sha256-[\w+/=]+", "sha256-…", source))


@pytest.mark.parametrize("told", PAGES)
def test_nothing_is_loaded_and_no_words_run(told: Callable[[], Debate]) -> None:
    """One script, no image, no frame; no style or event attribute, and links within the page only."""
    found = Page(page(told()))
    assert not set(found.tags) & {"link", "img", "iframe", "object", "embed", "form", "base", "image", "use"}
    assert found.tags.count("script") == 1
    assert not {name for name in found.attributes if name.startswith("on") or name in {"style", "src", "xlink:href"}}
    assert all(address.startswith("#") for address in found.addresses)


@pytest.mark.parametrize("told", PAGES)
def test_all_tags_are_balanced(told: Callable[[], Debate]) -> None:
    """No text opens or closes an element."""
    assert Page(page(told())).open == []


@pytest.mark.parametrize("told", [*PAGES, pytest.param(debate, id="harmless"), pytest.param(plain, id="mock")])
def test_every_link_leads_to_one_place(told: Callable[[], Debate]) -> None:
    """Whatever is linked is on the page, and no name is given twice."""
    found = Page(page(told()))
    assert {f"#{name}" for name in found.ids} >= found.addresses
    assert len(set(found.ids)) == len(found.ids)


@pytest.mark.parametrize("element", ["style", "script"])
def test_the_policy_allows_what_stands_in_the_page_only(element: str) -> None:
    """The hashes in the Content-Security-Policy are those of the one style sheet and the one script."""
    source = page(debate())
    (text,) = re.findall(rf"<{element}>(.*?)</{element}>", source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"{element}-src 'sha256-{digest}'" in source
    assert "default-src 'none'" in source


def test_no_text_reaches_the_script() -> None:
    """It is the same, whatever is shown."""
    scripts = {re.findall(r"<script>.*?</script>", page(told), re.DOTALL)[-1] for told in (debate(), hostile())}
    assert len(scripts) == 1


def test_a_bar_of_an_argument_says_its_score() -> None:
    """Nobody has to measure it against the axis."""
    labels = re.findall(r">((?:PRO|CON)-\d+ · [\d.]+)<", page(debate()))
    assert [label.split() for label in labels if label.startswith("PRO-1")] == [["PRO-1", "·", "5.7"]]


def test_text_is_no_template() -> None:
    """A speech that looks like a template is not evaluated."""
    assert "{{ 7*7 }}" in page(hostile())


def test_controls_do_not_reach_the_page() -> None:
    """Control sequences are stripped as everywhere."""
    assert not any(sign in page(hostile()) for sign in ("\x1b", "\x9b", "\x07", "\u202e"))


def test_what_a_reader_came_for_comes_first() -> None:
    """Verdict, weakest argument, command and briefing, then the scores, the trace, the speeches."""
    source = page(debate()).partition("</nav>")[2]
    parts = ("Bo wins", "Weakest argument", "debate judge", ">Briefing<", ">Scores<", ">Trace table<", "Round 1")
    places = [source.index(part) for part in parts]
    assert places == sorted(places)


def test_hidden_directives_are_shown_on_demand_only() -> None:
    """A directive is secret unless asked for."""
    told = debate()
    first = told.turns[0].model_copy(update={"directive": "be precise"})
    told = Debate.model_validate({**told.model_dump(), "turns": [first, *told.turns[1:]]})
    assert "be precise" not in render_html(told, score(told))
    assert "be precise" in render_html(told, score(told), show_hidden=True)


def judged_again() -> Debate:
    """The debate under two judging runs, each with its own words on round 1."""
    told = debate().apply(JudgingOpened(at=START, run="r2", judging=debate().config.judging))
    return told.apply(AssessmentCompleted(at=START, assessment=round_assessment(1).model_copy(update={"run": "r2"})))


def test_reasons_in_the_transcript_say_which_run_they_are_of() -> None:
    """Where there are several runs; with one there is nothing to tell apart."""
    transcript = page(judged_again()).partition('id="transcript"')[2].partition('id="judges"')[0]
    found = re.findall(r"Judges on round 1 \(2\).*?</details>", transcript, re.DOTALL)
    assert [re.findall(r"moderator (r\d), round 1</strong>", part) for part in found] == [["r1", "r2"]]
    assert "moderator r1" not in page(debate())


def test_where_nothing_tells_the_arguments_apart_none_is_the_weakest() -> None:
    """The moderator alone says nothing on single arguments: no card and no heading."""
    alone = [
        event
        for event in events()
        if not isinstance(event, AssessmentCompleted) or event.assessment.system == "moderator"
    ]
    source = page(fold(alone))
    assert "Bo wins" in source
    assert "weakest" not in source.partition("<body>")[2].casefold()


def test_an_unjudged_debate_has_a_page() -> None:
    """Without assessments the page says that the verdict is undetermined."""
    assert "Undetermined" in page(unscored())


def test_a_debate_that_nobody_opened_has_a_page() -> None:
    """Without speeches and verdicts there is no map and no trace, and the page says so."""
    source = render_html(debate().without_turns(), ())
    assert "This debate has not been judged." in source
    assert "There are no speeches yet." in source
    assert 'id="map"' not in source
