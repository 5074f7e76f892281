"""Who won, why, and what is the weakest argument; and what of a debate that stopped is worth telling."""

from __future__ import annotations

import re

import pytest
from poisoned_support import plain
from render_support import (
    HOSTILE,
    ROUND_MARKS,
    START,
    debate,
    events,
    final_assessment,
    round_assessment,
    shown,
    structured_assessment,
    unscored,
)

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, CloseReason, DebateClosed
from debate_cli.domain.verdict import Verdict
from debate_cli.render.html.page import render_html
from debate_cli.render.markdown import escape_markdown, format_markdown
from debate_cli.render.plain import details_lines
from debate_cli.render.summary import (
    JudgeQuote,
    describe_omitted_verdicts,
    is_trace_useful,
    quote_judge,
    reportable_verdicts,
)
from debate_cli.render.terminal_summary import details
from debate_cli.render.theme import shorten
from debate_cli.systems.live.findings import Narrative
from debate_cli.systems.scoring import score


def boxes(told: Debate, width: int = 100) -> str:
    """The verdicts on a terminal, on one line, without frames."""
    drawn = "\n".join(shown(part, width) for part in details(told, score(told), only="verdict"))
    return " ".join(drawn.replace("┃", " ").replace("│", " ").split())


def verdict(told: Debate, system: str) -> Verdict:
    """The verdict of that system."""
    return next(item for item in score(told) if item.system == system)


def stopped(reason: CloseReason) -> Debate:
    """The debate as it is when it stops after the first speech of round 2."""
    return fold([*events()[:4], DebateClosed(at=START, reason=reason)])


@pytest.mark.parametrize(("system", "words"), [("structured", "Fixed."), ("moderator", "Bo kept to what was asked.")])
def test_a_judge_says_why(system: str, words: str) -> None:
    """In its own words."""
    assert quote_judge(debate(), verdict(debate(), system)) == JudgeQuote(words)


def storied(winner: str | None) -> Debate:
    """A debate on the mock, its live narrative won by `winner`."""

    def retold(given: Assessment) -> Assessment:
        findings = tuple(
            item.model_copy(update={"winner": winner}) if isinstance(item, Narrative) else item
            for item in given.findings
        )
        return given.model_copy(update={"findings": findings})

    return plain().with_assessments(retold(item) for item in plain().assessments)


def test_a_story_that_sees_the_same_winner_says_why() -> None:
    """Its reasoning stands beside the scorecard's numbers."""
    told = storied(verdict(plain(), "live").winner)
    said = quote_judge(told, verdict(told, "live"))
    assert said is not None
    assert said.words


@pytest.mark.parametrize("others", [True, False], ids=["the other debater", "nobody"])
def test_a_story_that_sees_another_winner_does_not_say_why(*, others: bool) -> None:
    """Its words argue for somebody else than the one that the scorecard says won."""
    won = verdict(plain(), "live").winner
    assert won is not None
    told = storied(next(person.name for person in plain().participants if person.name != won) if others else None)
    assert quote_judge(told, verdict(told, "live")) is None


def divided() -> Debate:
    """The debate under two structured judges: the first sees Ada far ahead, the second Bo still further."""
    two = debate(judging={"systems": [{"kind": "structured", "judges": 2}]})

    def says(judge: str, words: str, ahead: str, behind: float) -> Assessment:
        given = structured_assessment()
        marks = tuple(
            mark.model_copy(update={"value": 9.0 if mark.participant == ahead else behind}) for mark in given.marks
        )
        return given.model_copy(update={"assessor": judge, "rationale": words, "marks": marks})

    return two.with_assessments([says("judge-1", "Ada was better.", "Ada", 6), says("judge-2", "Bo was.", "Bo", 2)])


def test_of_several_judges_one_who_sees_the_same_winner_is_quoted() -> None:
    """Not the first, whose own marks put the other debater ahead."""
    assert verdict(divided(), "structured").winner == "Bo"
    assert quote_judge(divided(), verdict(divided(), "structured")) == JudgeQuote("Bo was.")


def split_moderators() -> Debate:
    """The debate under two moderators: the first sees Ada a little ahead, the second Bo far."""
    two = debate(judging={"systems": [{"kind": "moderator", "judges": 2}]})

    def says(judge: str, words: str, shares: dict[str, float]) -> list[Assessment]:
        found: list[Assessment] = []
        for given in (*(round_assessment(number) for number in ROUND_MARKS), final_assessment()):
            marks = tuple(
                mark.model_copy(update={"value": mark.out_of * shares[mark.participant or ""]}) for mark in given.marks
            )
            found.append(given.model_copy(update={"assessor": judge, "rationale": words, "marks": marks}))
        return found

    first = says("judge-1", "Ada was better.", {"Ada": 0.8, "Bo": 0.6})
    return two.with_assessments([*first, *says("judge-2", "Bo was.", {"Ada": 0.2, "Bo": 0.9})])


def test_of_several_moderators_one_who_sees_the_same_winner_is_quoted() -> None:
    """By its own marks over rounds and debate."""
    assert verdict(split_moderators(), "moderator").winner == "Bo"
    assert quote_judge(split_moderators(), verdict(split_moderators(), "moderator")) == JudgeQuote("Bo was.")


def test_of_a_panel_the_judge_is_named_beside_its_words() -> None:
    """The name is none of the words, on no form: it stands before the quotation marks."""
    said = quote_judge(plain(), verdict(plain(), "panel"))
    assert said is not None
    assert said.judge
    assert said.judge not in said.words
    panel = (verdict(plain(), "panel"),)
    lines = details_lines(plain(), panel, only="verdict")
    assert any(line.startswith(f"  {said.judge} says: “{said.words}”") for line in lines)
    drawn = " ".join("".join(shown(part, 600) for part in details(plain(), panel, only="verdict")).split())
    assert f"{said.judge}: “{said.words[:20]}" in drawn
    written = format_markdown(plain(), panel)
    assert f"\n{escape_markdown(said.judge)}:\n\n> {escape_markdown(said.words)[:20]}" in written
    page = re.sub(r"<[^>]+>", "|", render_html(plain(), panel))
    assert re.search(rf"{said.judge}:\|+\s*\|*{re.escape(said.words[:20])}", page)


def test_without_a_rationale_the_insight_says_why() -> None:
    """The structured judge's."""
    silent = structured_assessment().model_copy(update={"rationale": " "})
    told = fold(
        [event for event in events() if not isinstance(event, AssessmentCompleted)]
        + [AssessmentCompleted(at=START, assessment=silent)]
    )
    said = quote_judge(told, verdict(told, "structured"))
    assert said is not None
    assert said.words.startswith("Both sides want early boundaries;")


def test_what_was_not_determined_has_no_reason() -> None:
    """Nobody said why."""
    assert quote_judge(unscored(), verdict(unscored(), "structured")) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Short.", "Short."),
        ("One sentence here. Another one that is cut", "One sentence here."),
        ("words without any end to them at all", "words without any end to…"),
        ("a" * 40, "a" * 25 + "…"),
        ("line\nbreaks", "line breaks"),
    ],
)
def test_a_long_reason_is_shortened(text: str, left: str) -> None:
    """To whole sentences where one fits, else to whole words."""
    assert shorten(text, 25) == left


def test_the_box_names_winner_reason_and_weakest_argument() -> None:
    """All that one looks for first."""
    told = boxes(debate())
    assert "◆ Bo wins narrowly, by 1.1 of 10 points." in told
    assert "why Bo 7.45 to Ada 6.35 of 10" in told
    assert "“Fixed.”" in told
    assert "weakest PRO-1 by ● Ada, ✗ refuted, 5.7 of 10 Independent deployment" in told


def test_the_weakest_argument_is_named_once() -> None:
    """In the box that decides."""
    assert boxes(debate()).count("weakest") == 1


def test_plain_lines_say_the_same() -> None:
    """Winner, reason, weakest argument."""
    told = details_lines(debate(), score(debate()), only="verdict")
    assert any(
        line.startswith("Verdict (structured, decides): Bo wins narrowly, by 1.1 of 10 points.") for line in told
    )
    why = next(place for place, line in enumerate(told) if line.startswith("Why (structured): Bo 7.45 to Ada 6.35"))
    assert told[why + 1] == "  The judge says: “Fixed.”"
    assert any(line.startswith("Weakest argument: [PRO-1] by Ada, refuted, 5.7 of 10: Independent") for line in told)


def test_hostile_reasons_are_not_obeyed() -> None:
    """What a judge or a debater says stays words."""
    hostile = structured_assessment().model_copy(update={"rationale": HOSTILE})
    told = fold(
        [event for event in events() if not isinstance(event, AssessmentCompleted)]
        + [AssessmentCompleted(at=START, assessment=hostile)]
    )
    drawn = boxes(told)
    lines = "".join(details_lines(told, score(told)))
    assert "[bold red]markup[/]" in drawn
    assert all(sign.isprintable() for sign in drawn + lines)


@pytest.mark.parametrize("reason", ["budget", "interrupted", "failed"])
def test_a_debate_that_stopped_shows_no_empty_boxes(reason: CloseReason) -> None:
    """One sentence says that nothing was judged; no trace in which nothing stands."""
    told = stopped(reason)
    lines = details_lines(told, score(told))
    assert [line for line in lines if line.startswith(("Verdict", "Missing"))] == []
    assert "No verdict yet of structured, moderator: the debate stopped before it was judged." in lines
    drawn = "".join(shown(part) for part in details(told, score(told)))
    assert "No verdict yet" in drawn
    assert not any(word in drawn for word in ("Undetermined", "trace", "not judged"))


def test_a_trace_that_is_asked_for_is_shown() -> None:
    """Even of a debate that stopped."""
    told = stopped("interrupted")
    assert "PRO-1" in "".join(shown(part) for part in details(told, score(told), only="trace"))
    assert not is_trace_useful(told)


def test_what_was_judged_before_the_stop_is_told() -> None:
    """A verdict with a score stays; the others are named."""
    told = debate().apply(DebateClosed(at=START, reason="interrupted"))
    verdicts = (verdict(told, "structured"), verdict(unscored(), "moderator"))
    assert reportable_verdicts(told, verdicts) == verdicts[:1]
    assert describe_omitted_verdicts(told, verdicts).startswith("No verdict yet of moderator:")
