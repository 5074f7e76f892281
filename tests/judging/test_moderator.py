"""The moderator's rounds and final evaluation."""

from typing import Any

import pytest
from formats_support import TRIO
from judging_support import FillingModel, assess, assess_filled, debate_with_speeches, play_and_judge
from scoring_support import CON, PRO, THIRD, THREE, build_debate, opening_event, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.moderator.findings import Clash, DebateSummary, NonEngagement, Summary
from debate_cli.systems.moderator.settings import ModeratorSettings

ROUND = Brief(run="r1", system="moderator", assessor="judge", subject=Subject(moment="round", round=1))


def briefs(debate: Debate) -> tuple[Brief, Brief]:
    """The first owed brief (round 1) and the last (the final evaluation)."""
    first, *_, last = owed_briefs(debate)
    return first, last


def test_a_round_has_three_marks_and_a_claimed_total() -> None:
    """Three criteria out of 10 with reasons; the claimed total out of 30."""
    debate = debate_with_speeches("moderator")
    marks = assess_filled(briefs(debate)[0], debate).marks[:4]
    assert [(mark.criterion, mark.out_of) for mark in marks] == [
        ("argument_quality", 10),
        ("rebuttal_effectiveness", 10),
        ("strategic_positioning", 10),
        ("claimed_total", 30),
    ]
    assert [mark.reason for mark in marks] == ["a short text"] * 3 + [None]


def test_the_evaluation_has_thirteen_marks_and_a_claimed_total() -> None:
    """Their scales sum to 100; the claimed total is out of 100."""
    debate = debate_with_speeches("moderator")
    assessment = assess_filled(briefs(debate)[1], debate)
    marks = [mark for mark in assessment.marks if mark.participant == "Pro"]
    assert sum(mark.out_of for mark in marks[:-1]) == 100
    assert (len(marks), marks[-1].criterion, marks[-1].out_of) == (14, "claimed_total", 100)
    assert assessment.rationale == "a short text"


@pytest.mark.parametrize(("claimed", "flagged"), [(15, False), (15.5, False), (15.6, True), (30, True)])
def test_a_wrong_claimed_total_gives_a_warning(claimed: float, flagged: bool) -> None:
    """The marks sum to 15; a difference above 0.5 is wrong. The claimed total is kept."""

    def change(form: dict[str, Any]) -> None:
        form["scores"][0]["total"] = claimed
        form["scores"][1]["total"] = 15

    debate = debate_with_speeches("moderator")
    assessment = assess_filled(briefs(debate)[0], debate, change)
    assert [warning.split(":")[0] for warning in assessment.warnings] == ["claimed_total"] * flagged
    assert assessment.marks[3].value == claimed


@pytest.mark.parametrize("guidance", [True, False])
def test_guidance_is_always_requested_and_stored(guidance: bool) -> None:
    """`guidance: false` keeps the guidance from debaters, not from readers."""
    debate = play_and_judge({"kind": "moderator", "guidance": guidance})
    model = FillingModel(lambda form: form.update(guidance="Back to the motion."))
    (summary,) = (item for item in getattr(assess(ROUND, debate, model), "findings", ()) if isinstance(item, Summary))
    assert summary.guidance == "Back to the motion."
    assert "Lead anyone who strayed gently back" in model.requests[0].messages[0].content


@pytest.mark.parametrize("kind", ["structured", "free_flowing"])
def test_guidance_in_free_flowing_debates_invites_those_who_spoke_least(kind: str) -> None:
    """The prompt has the words that each debater spoke up to the round."""
    debate = debate_with_speeches("moderator", form={"kind": kind})
    model = FillingModel()
    assess(ROUND, debate, model)
    words = {turn.speaker: len(turn.text.split()) for turn in debate.select_turns(round_number=1)}
    spoken = f"Invite those who spoke least to speak up; words spoken so far: {to_prompt_json(words)}."
    assert (spoken in model.requests[0].messages[0].content) == (kind == "free_flowing")


def test_each_group_of_the_evaluation_has_a_reason() -> None:
    """The marks of a group share one reason, which the notes list once."""
    debate = debate_with_speeches("moderator")

    def change(form: dict[str, Any]) -> None:
        form["scores"][1]["intellectual_integrity_reason"] = "Concedes nothing."

    marks = assess_filled(briefs(debate)[1], debate, change).marks
    assert [(mark.participant, mark.criterion) for mark in marks if mark.reason == "Concedes nothing."] == [
        ("Con", "concession_when_appropriate"),
        ("Con", "accuracy"),
    ]


def test_the_evaluation_has_a_summary_of_the_debate() -> None:
    """The summary names outperformed debaters, and unknown names are dropped with a warning."""
    debate = debate_with_speeches("moderator")
    found = assess_filled(briefs(debate)[1], debate, lambda form: form.update(consistently_outperformed=["Con", "Zoe"]))
    assert found.findings == (DebateSummary(text="a short text", consistently_outperformed=("Con",)),)
    assert any(warning.startswith("unknown") for warning in found.warnings)


def test_unknown_names_in_a_form_are_dropped() -> None:
    """They are dropped with a warning from clashes, from unanswered points, and from the direction of momentum."""

    def change(form: dict[str, Any]) -> None:
        form["clashes"] = [{"about": "cost", "participants": ["Pro", "Zoe"], "engaged": False}]
        form["non_engagement"] = [{"debater": name, "about": "cost"} for name in ("Con", "Zoe")]
        form["momentum_toward"] = "Zoe"

    debate = debate_with_speeches("moderator")
    found = assess_filled(briefs(debate)[0], debate, change)
    summary, *others = found.findings
    assert isinstance(summary, Summary)
    assert summary.momentum is not None
    assert summary.momentum.toward is None
    assert others == [
        Clash(participants=("Pro",), about="cost", engaged=False),
        NonEngagement(participant="Con", about="cost"),
    ]
    assert [warning.split(":")[0] for warning in found.warnings] == ["unknown", "unknown"]


def form_of_round(number: int) -> Any:
    """The properties of the form on a round in which two of three debaters spoke (1), or one (2)."""
    debate = build_debate(
        opening_event(ModeratorSettings(), debaters=THREE), [speech(0, PRO), speech(1, CON), speech(2, PRO)]
    )
    model = FillingModel()
    assess(ROUND.model_copy(update={"subject": Subject(moment="round", round=number)}), debate, model)
    schema: Any = model.requests[0].schema
    return schema.json["properties"]


def test_clashes_are_between_speakers_of_the_round() -> None:
    """A round with one speaker has none, and its form does not ask for them."""
    properties = form_of_round(1)
    assert properties["clashes"]["items"]["properties"]["participants"]["items"]["enum"] == [PRO, CON]
    assert properties["momentum_toward"]["enum"] == [PRO, CON, "even"]
    assert "clashes" not in form_of_round(2)


@pytest.mark.parametrize(
    ("kind", "word"),
    [("structured", "point-by-point"), ("semi_structured", "follow-up"), ("free_flowing", "substance")],
)
def test_each_format_has_its_own_instruction(kind: str, word: str) -> None:
    """The prompt of the final evaluation has the instruction of the format."""
    debate = debate_with_speeches("moderator", form={"kind": kind})
    model = FillingModel()
    assess(briefs(debate)[1], debate, model)
    assert word in model.requests[0].messages[0].content


@pytest.mark.parametrize(("debaters", "by"), [(2, "participant"), (3, "subtopic")])
def test_the_headings_of_a_summary(debaters: int, by: str) -> None:
    """The names of two debaters; subtopics for three, whose engagement among all is judged."""
    debate = debate_with_speeches("moderator", debaters=TRIO[:debaters])
    model = FillingModel()
    assess(briefs(debate)[0], debate, model)
    prompt = model.requests[0].messages[0].content
    assert f"the points made, by {by}" in prompt
    assert ("not only with the first speaker" in prompt) == (debaters > 2)
    schema: Any = model.requests[0].schema
    heading = schema.json["properties"]["summary"]["items"]["properties"]["heading"]
    assert ("enum" in heading) == (debaters == 2)


@pytest.mark.parametrize(
    ("brief", "marked"),
    [
        (ROUND, {PRO, CON}),
        (ROUND.model_copy(update={"subject": Subject(moment="round", round=2)}), {PRO}),
        (ROUND.model_copy(update={"subject": Subject(moment="debate")}), {PRO, CON}),
    ],
)
def test_only_speakers_are_marked(brief: Brief, marked: set[str]) -> None:
    """A debater without a turn in a round, for example after surrender, is not in its form."""
    debate = build_debate(
        opening_event(ModeratorSettings(), debaters=THREE), [speech(0, PRO), speech(1, CON), speech(2, PRO)]
    )
    model = FillingModel()
    result = assess(brief, debate, model)
    assert isinstance(result, Assessment)
    assert {mark.participant for mark in result.marks} == marked
    asked = model.requests[0].messages[0].content.partition("Participants: ")[2].partition("]")[0]
    assert [name for name in (PRO, CON, THIRD) if name in asked] == sorted(marked)
