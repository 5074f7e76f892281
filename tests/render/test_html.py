"""The HTML report is self-contained, and untrusted text in it is only text."""

import re
from collections.abc import Callable

import pytest
from html_support import ParsedPage, policy_allows, script_of
from poisoned_support import plain_debate, poisoned_debate
from render_support import (
    HOSTILE,
    debate,
    opened_debate,
    round_assessment,
    unjudged,
    with_arguments,
    with_first_turn,
    with_second_judging,
)

from debate_cli.domain.debate import Debate
from debate_cli.render.html.page import render_html
from debate_cli.systems.scoring import score

ATTACK = '"><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>{{ 7*7 }}'


def page(shown: Debate) -> str:
    """The page of a debate with its verdicts."""
    return render_html(shown, score(shown))


def attacked() -> Debate:
    """The debate with an attack in its topic, background, arguments and warnings."""
    attacked = debate(topic=ATTACK, background=ATTACK)
    return with_arguments(attacked, (ATTACK,), claim=ATTACK, reasoning=HOSTILE, evidence=ATTACK)


PAGES: dict[str, Callable[[], Debate]] = {
    "attacked": attacked, "five systems, attacked": lambda: poisoned_debate(ATTACK), "two systems": debate, "five systems": plain_debate,
}  # fmt: skip


def test_the_page_of_the_fixed_debate(golden: Callable[[str, str], None]) -> None:
    """Verdict, lowest score, command and briefing precede the details, and each verdict has its scale.

    Style, script and charts are left out.
    """
    source = re.sub(r"(<(style|script)>).*?(</\2>)", r"\1\3", page(debate()), flags=re.DOTALL)
    source = re.sub(r'(<svg class="chart [^>]*>).*?(</svg>)', r"\1\2", source, flags=re.DOTALL)
    golden("debate.html", re.sub(r"sha256-[\w+/=]+", "sha256-…", source))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_nothing_and_runs_one_script(name: str) -> None:
    """There are no event handlers; tags are balanced; every link leads to one id on the page."""
    source = page(PAGES[name]())
    found = ParsedPage(source)
    assert not set(found.tags) & {"link", "img", "iframe", "object", "embed", "form", "base", "image", "use"}
    assert (found.tags.count("script"), found.event_attributes(), found.unclosed) == (1, set(), [])
    assert {f"#{name}" for name in found.ids} >= set(found.links)
    assert len(set(found.ids)) == len(found.ids)
    assert not any(sign in source for sign in ("\x1b", "\x9b", "\x07", "\u202e"))


def test_a_path_in_the_title_breaks_after_a_slash() -> None:
    """A narrow window breaks no file name."""
    assert "<h1>plans/<wbr>old &amp; new/<wbr>PLAN.md</h1>" in page(debate(topic="plans/old & new/PLAN.md"))


@pytest.mark.parametrize("element", ["style", "script"])
def test_the_policy_allows_only_the_style_sheet_and_the_script(element: str) -> None:
    """The Content-Security-Policy has their hashes."""
    assert policy_allows(page(debate()), element)


def test_untrusted_text_reaches_neither_script_nor_template() -> None:
    """The script is constant, and a template expression in a turn is not evaluated."""
    assert script_of(page(debate())) == script_of(page(attacked()))
    assert "{{ 7*7 }}" in page(attacked())


def test_hidden_directives_are_shown_on_request_only() -> None:
    """The default page omits them."""
    directed = with_first_turn(debate(), directive="be precise")
    assert "be precise" not in page(directed)
    assert "be precise" in render_html(directed, score(directed), show_hidden=True)


def test_reasons_in_the_transcript_name_their_run_where_there_are_several() -> None:
    """With one run they name the system only."""
    transcript = page(with_second_judging("moderator", round_assessment(1))).partition('id="transcript"')[2]
    found = re.findall(r"Judges on round 1 \(2\).*?</details>", transcript.partition('id="judges"')[0], re.DOTALL)
    assert [re.findall(r"moderator (r\d), round 1</strong>", part) for part in found] == [["r1", "r2"]]
    assert "moderator r1" not in page(debate())


def test_the_map_names_who_answers_before_the_answer() -> None:
    """An answer on the map reads as a sentence: who, how, and whether with a question."""
    answers = page(debate()).partition('id="map"')[2].partition("</section>")[0].split('<ul class="answers">')[1:]
    first = " ".join(re.sub(r"<[^>]+>", " ", answers[0].partition("</ul>")[0]).split())
    assert first == "◆ Bo ✗ refutes and asks"


def test_without_marks_of_arguments_no_argument_has_the_lowest_score() -> None:
    """The moderator alone does not mark arguments: the page has no such card."""
    moderated = debate().with_assessments([item for item in debate().assessments if item.system == "moderator"])
    source = page(moderated)
    assert "Bo wins" in source
    assert "lowest score" not in source.partition("<body>")[2].casefold()


def test_a_debate_without_assessments_has_a_page() -> None:
    """The verdict is undetermined."""
    assert "Undetermined" in page(unjudged())


def test_a_debate_without_turns_has_a_page() -> None:
    """There is no map, and sentences replace verdict and transcript."""
    source = render_html(opened_debate(), ())
    assert "This debate has not been judged." in source
    assert "There are no speeches yet." in source
    assert 'id="map"' not in source
