"""The moderator's rounds and final evaluation."""

from __future__ import annotations

from typing import Any

import pytest
from formats_support import TRIO
from judging_support import FillingModel, assess, assessed, debated, played
from scoring_support import CON, PRO, THIRD, THREE, begun, judged, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.moderator.findings import Clash, Summary
from debate_cli.systems.moderator.settings import ModeratorSettings

ROUND = Brief(run="r1", system="moderator", assessor="judge", subject=Subject(moment="round", round=1))


def briefs(debate: Debate) -> tuple[Brief, Brief]:
    """The first round's and the final one."""
    first, *_, last = owed_briefs(debate)
    return first, last


def test_a_round_has_three_marks_with_reasons_and_a_claimed_total() -> None:
    """Three criteria out of 10 carry a reason; the claimed total stands beside them, out of 30."""
    debate = debated("moderator")
    marks = assessed(briefs(debate)[0], debate).marks[:4]
    assert [(mark.criterion, mark.out_of) for mark in marks] == [
        ("argument_quality", 10),
        ("rebuttal_effectiveness", 10),
        ("strategic_positioning", 10),
        ("claimed_total", 30),
    ]
    assert [mark.reason for mark in marks] == ["a short text"] * 3 + [None]


def test_the_final_evaluation_has_thirteen_marks_out_of_a_hundred() -> None:
    """The scales of the categories add up to 100, and the claimed total is out of 100."""
    debate = debated("moderator")
    assessment = assessed(briefs(debate)[1], debate)
    marks = [mark for mark in assessment.marks if mark.participant == "Pro"]
    assert sum(mark.out_of for mark in marks[:-1]) == 100
    assert (len(marks), marks[-1].criterion, marks[-1].out_of) == (14, "claimed_total", 100)
    assert assessment.rationale == "a short text"


@pytest.mark.parametrize(("claimed", "flagged"), [(15, False), (15.5, False), (15.6, True), (30, True)])
def test_a_claimed_total_off_by_more_than_half_a_point_is_flagged(claimed: float, flagged: bool) -> None:
    """The marks add up to 15; what the judge claims is kept and, where it is off, warned of."""

    def change(form: dict[str, Any]) -> None:
        form["scores"][0]["total"] = claimed
        form["scores"][1]["total"] = 15

    debate = debated("moderator")
    assessment = assessed(briefs(debate)[0], debate, change)
    assert [warning.split(":")[0] for warning in assessment.warnings] == ["claimed_total"] * flagged
    assert assessment.marks[3].value == claimed


@pytest.mark.parametrize("guidance", [True, False])
def test_guidance_is_asked_for_and_kept_only_where_it_is_wanted(guidance: bool) -> None:
    """Without `guidance: true` neither the form nor the prompt mentions it, and what comes anyway is dropped."""
    debate = played({"kind": "moderator", "guidance": guidance})
    model = FillingModel(lambda form: form.update(guidance="Back to the motion."))
    assessment = assess(ROUND, debate, model)
    assert "Back to the motion." * guidance == next(
        finding.guidance for finding in getattr(assessment, "findings", ()) if isinstance(finding, Summary)
    )
    (request,) = model.requests
    assert ("guidance" in request.messages[0].content) == guidance
    assert request.schema is not None
    assert ("guidance" in request.schema.json["properties"]) == guidance


def with_strangers() -> Assessment:
    """An assessment whose form names somebody who took no part, in a clash and in the momentum."""

    def change(form: dict[str, Any]) -> None:
        form["clashes"] = [{"about": "cost", "participants": ["Pro", "Nemo"], "engaged": False}]
        form["momentum_toward"] = "Nemo"

    debate = debated("moderator")
    return assessed(briefs(debate)[0], debate, change)


def test_a_stranger_in_a_clash_is_dropped() -> None:
    """Only debaters can meet in one."""
    (clash,) = (finding for finding in with_strangers().findings if isinstance(finding, Clash))
    assert clash.participants == ("Pro",)


def test_the_debate_does_not_move_towards_a_stranger() -> None:
    """Only towards a debater."""
    (summary,) = (finding for finding in with_strangers().findings if isinstance(finding, Summary))
    assert summary.momentum is not None
    assert summary.momentum.toward is None


def test_a_dropped_stranger_is_warned_of() -> None:
    """The assessment says that a name was unknown."""
    assert any(warning.startswith("unknown") for warning in with_strangers().warnings)


def form_of_round(number: int) -> Any:
    """The properties of the form on a round in which two of three debaters spoke (1), or one (2)."""
    debate = judged(begun(ModeratorSettings(), debaters=THREE), [speech(0, PRO), speech(1, CON), speech(2, PRO)])
    model = FillingModel()
    assess(ROUND.model_copy(update={"subject": Subject(moment="round", round=number)}), debate, model)
    schema: Any = model.requests[0].schema
    return schema.json["properties"]


def test_who_said_nothing_in_a_round_clashes_with_nobody_in_it() -> None:
    """Only those who spoke can clash, and only towards them can the debate move."""
    properties = form_of_round(1)
    assert properties["clashes"]["items"]["properties"]["participants"]["items"]["enum"] == [PRO, CON]
    assert properties["momentum_toward"]["enum"] == [PRO, CON, "nobody"]


def test_who_spoke_alone_in_a_round_clashed_with_nobody() -> None:
    """The form does not ask for clashes, and an answer without them is good."""
    assert "clashes" not in form_of_round(2)


@pytest.mark.parametrize(
    ("kind", "word"),
    [("structured", "point-by-point"), ("semi_structured", "follow-up"), ("free_flowing", "substance")],
)
def test_the_format_changes_the_stress(kind: str, word: str) -> None:
    """Each format has its own line in what the chair is asked."""
    debate = debated("moderator", form={"kind": kind})
    model = FillingModel()
    assess(briefs(debate)[1], debate, model)
    assert word in model.requests[0].messages[0].content


@pytest.mark.parametrize(("debaters", "by"), [(2, "participant"), (3, "subtopic")])
def test_summaries_of_three_debaters_go_by_subtopic(debaters: int, by: str) -> None:
    """With two debaters headings are their names, with three whatever the subtopics are."""
    debate = debated("moderator", debaters=TRIO[:debaters])
    model = FillingModel()
    assess(briefs(debate)[0], debate, model)
    assert f"the points made, by {by}" in model.requests[0].messages[0].content
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
def test_nobody_is_marked_for_silence(brief: Brief, marked: set[str]) -> None:
    """One who did not speak in a round, having surrendered say, is not asked about; in the end, one who never spoke."""
    debate = judged(begun(ModeratorSettings(), debaters=THREE), [speech(0, PRO), speech(1, CON), speech(2, PRO)])
    model = FillingModel()
    result = assess(brief, debate, model)
    assert isinstance(result, Assessment)
    assert {mark.participant for mark in result.marks} == marked
    asked = model.requests[0].messages[0].content.partition("Participants: ")[2].partition("]")[0]
    assert [name for name in (PRO, CON, THIRD) if name in asked] == sorted(marked)
