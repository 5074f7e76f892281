"""The panel: blind votes, deliberation, late judges, personas, documents."""

from typing import Any

import pytest
from judging_support import (
    FillingModel,
    SilentModel,
    assess,
    assess_filled,
    debate_with_speeches,
    keys,
    settle,
)

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.panel.votes import Vote
from debate_cli.systems.registry import get_system

PANEL: dict[str, Any] = {"kind": "panel", "personas": ["technical_architect", "qa_evaluator"], "max_rounds": 2}


def vote_of(assessment: Assessment | Failure) -> Vote:
    """The vote in an assessment."""
    assert isinstance(assessment, Assessment)
    return next(finding for finding in assessment.findings if isinstance(finding, Vote))


def voting(option: str, **fields: Any) -> FillingModel:
    """A model that votes `option`."""
    return FillingModel(lambda form: form.update(option=option, **fields))


def divided(debate: Debate | None = None) -> Debate:
    """A debate, or a document, whose two judges voted PASS and FAIL."""
    debate = debate or debate_with_speeches(PANEL)
    first, second = owed_briefs(debate)
    debate = settle(debate, [first], voting("PASS", reasoning="R" * 400, critical_findings=["the logic holds"]))
    return settle(debate, [second], voting("FAIL", reasoning="Not shown."))


def test_a_vote_has_a_mark_per_dimension() -> None:
    """Each dimension has a mark out of 3 for the debate as a whole."""
    debate = debate_with_speeches(PANEL)
    assessment = assess_filled(owed_briefs(debate)[0], debate)
    assert [(mark.participant, mark.criterion, mark.out_of) for mark in assessment.marks] == [
        (None, name, 3) for name in ("logic", "evidence", "rebuttal", "risk")
    ]
    assert vote_of(assessment).option == "PASS"


def test_the_first_vote_is_blind() -> None:
    """A first vote's request holds no other vote."""
    debate = debate_with_speeches(PANEL)
    first, second = owed_briefs(debate)
    debate = settle(debate, [first], voting("PASS", reasoning="a unique reason"))
    model = voting("FAIL")
    assess(second, debate, model)
    assert "a unique reason" not in model.requests[0].messages[0].content


def test_a_divided_panel_votes_again() -> None:
    """Revision 1 is owed by all judges after revision 0; an agreed panel owes nothing."""
    assert keys(divided()) == ["r1/panel/technical_architect/debate/all/1", "r1/panel/qa_evaluator/debate/all/1"]
    agreed = debate_with_speeches(PANEL)
    assert keys(settle(agreed, owed_briefs(agreed))) == []


def test_deliberation_ends_after_max_rounds() -> None:
    """A panel that never agrees votes once and then `max_rounds` times."""
    debate = divided()
    for _ in range(2):
        first, second = owed_briefs(debate)
        debate = settle(settle(debate, [first], voting("PASS")), [second], voting("FAIL"))
    assert keys(debate) == []
    assert max(item.revision for item in debate.assessments) == 2


def test_the_next_vote_waits_for_all_judges() -> None:
    """Revision 1 is not owed while a vote of revision 0 is missing."""
    debate = debate_with_speeches(PANEL)
    debate = settle(debate, owed_briefs(debate)[:1], voting("PASS"))
    assert keys(debate) == ["r1/panel/qa_evaluator/debate/all/0"]


def test_a_judge_without_a_vote_does_not_deliberate() -> None:
    """Only judges with a vote are asked again."""
    settings = {**PANEL, "personas": ["technical_architect", "qa_evaluator", "domain_expert"]}
    debate = debate_with_speeches(settings)
    first, second, third = owed_briefs(debate)
    debate = settle(settle(debate, [first], voting("PASS")), [second], voting("FAIL"))
    debate = settle(debate, [third], FillingModel(says="no"))
    assert [brief.assessor for brief in owed_briefs(debate)] == ["technical_architect", "qa_evaluator"]


def test_deliberation_shows_votes_with_short_reasons() -> None:
    """The own vote first, then the others with 300 characters of their reasons."""
    model = voting("FAIL")
    debate = divided()
    assess(owed_briefs(debate)[1], debate, model)
    asked = model.requests[0].messages[0].content
    assert '"vote":"PASS"' in asked
    assert "R" * 300 in asked
    assert "R" * 301 not in asked
    assert asked.index("Not shown.") < asked.index("R" * 300)


@pytest.mark.parametrize(
    ("debate", "words"),
    [
        pytest.param(debate_with_speeches(PANEL), 'name the turn, as in "turn 3', id="debate"),
        pytest.param(
            debate_with_speeches(PANEL, debaters=(), background="The plan."), "name the passage", id="document"
        ),
    ],
)
def test_deliberation_asks_what_changed_a_vote(debate: Debate, words: str) -> None:
    """A changed vote must name a turn of a debate, or a passage of a document."""
    model = voting("PASS")
    debate = divided(debate)
    assess(owed_briefs(debate)[0], debate, model)
    assert words in model.requests[0].messages[0].content


@pytest.mark.parametrize(
    ("because", "explained"),
    [("turn 1 concedes it", True), ("PRO-1 was never answered", True), ("the others convinced me", False), ("", False)],
)
def test_a_changed_vote_must_name_a_turn(because: str, explained: bool) -> None:
    """A changed vote without a turn has a warning."""
    debate = divided()
    assessment = assess(owed_briefs(debate)[1], debate, voting("PASS", changed_because=because))
    assert isinstance(assessment, Assessment)
    assert [warning.split(":")[0] for warning in assessment.warnings] == ["unexplained_change"] * (not explained)


def test_a_late_judge_keeps_its_last_vote() -> None:
    """After the timeout the last vote is repeated, marked as late; the unanswered call counts as an attempt."""
    debate = divided(debate_with_speeches({**PANEL, "timeout_s": 0.01}))
    assessment = assess(owed_briefs(debate)[1], debate, SilentModel())
    assert isinstance(assessment, Assessment)
    assert (vote_of(assessment).option, vote_of(assessment).late) == ("FAIL", True)
    assert (assessment.revision, assessment.exchange.attempts) == (1, 1)
    assert assessment.marks == debate.assessments[1].marks


def test_a_judge_late_for_the_first_vote_fails() -> None:
    """The failure is final."""
    debate = debate_with_speeches({**PANEL, "timeout_s": 0.01})
    result = assess(owed_briefs(debate)[0], debate, SilentModel())
    assert isinstance(result, Failure)
    assert (result.cause, result.final) == ("late", True)
    assert result.exchange is not None
    assert result.exchange.attempts == 1


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        ({"id": "a", "persona": "security_analyst"}, "security analyst"),
        ({"id": "a", "persona": "my_own", "description": "You are a gardener."}, "You are a gardener."),
        ({"id": "a", "persona": "night_watch"}, "night watch"),
    ],
)
def test_a_persona_is_shipped_or_described(judge: dict[str, Any], words: str) -> None:
    """A judge reads the shipped text, the configured description, or the name of its persona."""
    debate = debate_with_speeches({"kind": "panel", "judges": [judge]})
    model = voting("PASS")
    assess(owed_briefs(debate)[0], debate, model)
    assert words in model.requests[0].messages[0].content


@pytest.mark.parametrize(("personas", "follow_ups"), [(["qa_evaluator"], 0), (["qa_evaluator", "domain_expert"], 3)])
def test_a_panel_of_one_judge_plans_no_deliberation(personas: list[str], follow_ups: int) -> None:
    """So its cost at worst is that of one question."""
    settings = PanelSettings(personas=tuple(personas))
    assert get_system("panel").planned_calls(settings, 0, 0).follow_ups == follow_ups
