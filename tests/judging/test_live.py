"""The live judge: turns, pairs of turns, and the narrative of the debate."""

from collections.abc import Callable
from typing import Any

import pytest
from judging_support import (
    FillingModel,
    assess,
    assess_filled,
    debate_with_speeches,
    judge_later,
    keys,
    play_and_judge,
    settle,
    settle_all,
)
from scoring_support import CON, PRO, THIRD, THREE, build_debate, opening_event, speech

from debate_cli.domain.assessment import Assessment, Contradiction, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.live.findings import (
    CausalChain,
    LogicGap,
    Narrative,
    PairComparison,
    Pressure,
    RegisterDecision,
    Resolution,
    SuspectClaim,
)
from debate_cli.systems.live.register import list_entries
from debate_cli.systems.live.settings import LiveSettings

LIVE: dict[str, Any] = {"kind": "live", "feedback": False}
FREE = {"kind": "free_flowing", "turns": 2}
PAIR = Brief(run="r1", system="live", assessor="judge", subject=Subject(moment="pair", turns=(0, 1)))


def brief_of(debate: Debate, where: str) -> Brief:
    """Return the owed brief whose key ends with `where`."""
    return next(brief for brief in owed_briefs(debate) if brief.key.endswith(where))


def of_kind(findings: tuple[Finding, ...], kind: type[Finding]) -> list[Finding]:
    """Return the findings of one kind."""
    return [finding for finding in findings if isinstance(finding, kind)]


def test_a_title_says_which_turn_of_the_prompt_is_meant() -> None:
    """People count turns from 1, prompts and forms from 0. A person who judges reads both on one page."""
    model = FillingModel()
    settle_all(debate_with_speeches(LIVE, form=FREE), model)
    titles = [request.origin.title for request in model.requests if request.origin is not None]
    assert titles[0] == "live judge: turn 1 (numbered 0 below)"
    assert "live judge: turns 1 and 2 (numbered 0 and 1 below)" in titles
    assert titles[-1] == "live judge: register review"


def test_a_turn_has_five_marks() -> None:
    """A turn has marks for logic of 40, rhetoric and tactics of 30, frame control and credibility of 10."""
    debate = debate_with_speeches(LIVE)
    marks = {mark.criterion: mark for mark in assess_filled(brief_of(debate, "turn/0/0"), debate).marks}
    assert {name: marks[name].out_of for name in ("logic", "rhetoric", "tactics")} == {
        "logic": 40,
        "rhetoric": 30,
        "tactics": 30,
    }
    assert {marks[name].out_of for name in ("frame_control", "credibility")} == {10}
    assert {mark.participant for mark in marks.values()} == {"Pro"}


@pytest.mark.parametrize(
    ("framing", "delivery", "rhetoric", "is_capped"),
    [(5, 3, 15, False), (5, 7, 19, False), (4, 4, 15, False), (4, 7, 15, True), (0, 7, 7, True)],
)
def test_weak_framing_limits_delivery(framing: int, delivery: int, rhetoric: int, is_capped: bool) -> None:
    """Delivery counts at most as much as framing if framing is below 5."""
    change = {"framing": framing, "delivery": delivery}
    debate = debate_with_speeches(LIVE)
    assessment = assess_filled(brief_of(debate, "turn/0/0"), debate, lambda form: form.update(change))
    value = next(mark.value for mark in assessment.marks if mark.criterion == "rhetoric")
    assert (value, any(warning.startswith("capped") for warning in assessment.warnings)) == (rhetoric, is_capped)


@pytest.mark.parametrize(
    ("order", "turn", "asked"),
    [
        ("simultaneous", 2, True),
        ("sequential", 0, False),
        ("simultaneous", 1, False),
        ("sequential", 1, True),
    ],
)
def test_the_weakest_premise_is_asked_of_those_who_heard_the_opponent(order: str, turn: int, asked: bool) -> None:
    """Only a speaker who has heard the opponent is asked to address the weakest premise."""
    debate = debate_with_speeches(LIVE, form={"order": order})
    change = {"missing": ["process", "weakest_premise"]}
    model = FillingModel(lambda form: form.update(change))
    answer = assess(brief_of(debate, f"turn/{turn}/0"), debate, model)
    assert isinstance(answer, Assessment)
    (chain,) = of_kind(answer.findings, CausalChain)
    assert isinstance(chain, CausalChain)
    assert chain.missing == ("process", "weakest_premise")[: 1 + asked]
    assert ("Add weakest_premise" in model.requests[0].messages[-1].content) is asked


def test_a_contradiction_names_an_earlier_turn_of_the_speaker() -> None:
    """A contradiction to a turn of another speaker is dropped with a warning."""

    def change(form: dict[str, Any]) -> None:
        form["contradictions"] = [{"earlier": index, "explanation": "says the opposite"} for index in (0, 1)]

    debate = debate_with_speeches(LIVE, form=FREE)
    assessment = assess_filled(brief_of(debate, "turn/2/0"), debate, change)
    (found,) = of_kind(assessment.findings, Contradiction)
    assert isinstance(found, Contradiction)
    assert (found.participant, found.earlier, found.later) == ("Pro", 0, 2)
    assert len(assessment.warnings) == 1


@pytest.mark.parametrize(
    ("quote", "turns"),
    [("Claim of round 1", [0]), ("claim of   Round 1.", [0]), ("Claim of round 2", [2]), ("never said", [])],
)
def test_a_suspect_claim_belongs_to_the_turn_that_made_it(quote: str, turns: list[int]) -> None:
    """A suspect claim is about the turn that contains its quote; a quote in no turn is dropped with a warning."""

    def change(form: dict[str, Any]) -> None:
        form["suspect_claims"] = [{"quote": quote, "fault": "fabricated"}]

    debate = debate_with_speeches(LIVE, form=FREE)
    assessment = assess_filled(brief_of(debate, "turn/2/0"), debate, change)
    found = of_kind(assessment.findings, SuspectClaim)
    assert [item.turn for item in found if isinstance(item, SuspectClaim)] == turns
    assert len(assessment.warnings) == (not turns)


@pytest.mark.parametrize(
    ("where", "quote", "turns"),
    [
        ("pair/1-2/0", "Claim of round 1", [0]),
        ("pair/1-2/0", "Claim of round 2", []),
        ("turn/3/0", "Claim of round 2", [2]),
    ],
)
def test_a_logic_gap_belongs_to_the_earlier_turn_that_it_quotes(where: str, quote: str, turns: list[int]) -> None:
    """A logic gap is about an earlier turn, with points from 1 to 10; any other quote is dropped with a warning."""

    def change(form: dict[str, Any]) -> None:
        form["logic_gap"] = [{"quote": quote, "reason": "no process", "points": 40}]

    debate = debate_with_speeches(LIVE, form=FREE)
    answer = assess_filled(brief_of(debate, where), debate, change)
    found = [item for item in answer.findings if isinstance(item, LogicGap)]
    assert [(gap.turn, gap.points) for gap in found] == [(turn, 10) for turn in turns]
    assert len(answer.warnings) == (not turns)


def test_a_comparison_names_a_speaker_or_draw() -> None:
    """An unknown winner of a dimension counts as a draw, with a warning."""
    debate = debate_with_speeches(LIVE)
    change = {"logic": "Con", "rhetoric": "Nemo", "tactics": "draw"}
    assessment = assess_filled(brief_of(debate, "pair/0-1/0"), debate, lambda form: form.update(change))
    assert assessment.findings == (PairComparison(logic="Con", rhetoric="draw", tactics="draw"),)
    assert len(assessment.warnings) == 1


@pytest.mark.parametrize(
    ("won", "loser"), [(("Con", "Con", "Pro"), "Pro"), (("Pro", "draw", "draw"), "Con"), (("Pro", "Con", "draw"), None)]
)
def test_pressure_is_on_the_loser_of_the_pair(won: tuple[str, str, str], loser: str | None) -> None:
    """Pressure is on the speaker who won fewer dimensions, and on neither if both won as many."""
    debate = play_and_judge("live")
    change = dict(zip(("logic", "rhetoric", "tactics"), won, strict=True))
    assessment = assess_filled(PAIR, debate, lambda form: form.update(**change))
    assert [item.participant for item in assessment.findings if isinstance(item, Pressure)] == [loser] * (
        loser is not None
    )


@pytest.mark.parametrize(("feedback", "run", "asked"), [(True, "r1", True), (False, "r1", False), (True, "r2", False)])
def test_pressure_is_requested_with_feedback_only(feedback: bool, run: str, asked: bool) -> None:
    """The form asks for pressure only with feedback and in the debate's own judging run."""
    settings = {"kind": "live", "feedback": feedback}
    debate = judge_later(play_and_judge(settings), settings)
    model = FillingModel()
    assess(PAIR.model_copy(update={"run": run}), debate, model)
    schema: Any = model.requests[0].schema
    assert ("pressure" in schema.json["properties"]) == asked


def test_a_saved_debate_is_judged_in_three_steps() -> None:
    """Turns and exchanges are asked at once, then narrative and register review, then the resolution."""
    debate = debate_with_speeches(LIVE, form=FREE)
    model = FillingModel(lambda form: form.update(winner="Con") if "arcs" in form else even(form))
    steps: list[list[str]] = []
    while owed := keys(debate):
        steps.append(owed)
        debate = settle(debate, owed_briefs(debate), model)
    assert steps == [
        [
            *(f"r1/live/judge/turn/{index}/0" for index in range(4)),
            *(f"r1/live/judge/pair/{index}-{index + 1}/0" for index in range(3)),
        ],
        ["r1/live/judge/debate/all/0", "r1/live/judge/debate/all/2"],
        ["r1/live/judge/debate/all/1"],
    ]


@pytest.mark.parametrize(("winner", "resolved"), [("Pro", True), ("even", False)])
def test_a_conflicting_narrative_needs_a_resolution(winner: str, resolved: bool) -> None:
    """A resolution is asked for only if the narrative names a winner of a drawn scorecard."""
    change = {"winner": winner}
    model = FillingModel(lambda form: form.update(change) if "arcs" in form else even(form))
    done = settle_all(debate_with_speeches(LIVE, form=FREE), model)
    assert len([item for one in done.assessments for item in one.findings if isinstance(item, Resolution)]) == resolved


def even(form: dict[str, Any]) -> None:
    """Change the form of a comparison to a draw in every dimension."""
    if "logic_gap" in form and "cause" not in form:
        form.update(logic="draw", rhetoric="draw", tactics="draw")


@pytest.mark.parametrize(("turns", "expected"), [(4, []), (5, ["r1/live/judge/debate/0-1-8-9/0"])])
def test_convergence_is_judged_from_ten_turns_on(turns: int, expected: list[str]) -> None:
    """Convergence is asked for in a debate of ten turns, but not of eight."""
    debate = debate_with_speeches(LIVE, form={"kind": "free_flowing", "turns": turns})
    assert [key for key in keys(debate) if "debate/0" in key] == expected


def test_the_winner_of_a_narrative_has_spoken() -> None:
    """A narrative's winner without a turn counts as no winner, with a warning."""
    debate = build_debate(opening_event(LiveSettings(), debaters=THREE), [speech(0, PRO), speech(1, CON)])
    whole = Brief(run="r1", system="live", assessor="judge", subject=Subject(moment="debate"))
    assessment = assess_filled(whole, debate, lambda form: form.update(winner=THIRD))
    (narrative,) = of_kind(assessment.findings, Narrative)
    assert isinstance(narrative, Narrative)
    assert ([arc.participant for arc in narrative.arcs], narrative.winner) == ([PRO, CON], None)
    assert len(assessment.warnings) == 1


def review(debate: Debate, change: Callable[[dict[str, Any]], None] | None = None) -> tuple[Assessment, str]:
    """Return the register review of a debate, and its prompt."""
    model = FillingModel(change)
    answer = assess(brief_of(debate, "debate/all/2"), debate, model)
    assert isinstance(answer, Assessment)
    return answer, model.requests[0].messages[-1].content


def debate_with_entries() -> Debate:
    """Return a judged debate without its review: turn 0 has a gap of 4 points, turn 2 a hollow claim."""

    def change(form: dict[str, Any]) -> None:
        if "cause" in form and "logic_gap" in form:
            form["suspect_claims"] = [{"quote": "Claim of round 2", "reason": "no process", "fault": "hollow"}]
            form["logic_gap"] = [{"quote": "Claim of round 1", "reason": "no step", "points": 4}]

    debate = debate_with_speeches(LIVE, form=FREE)
    return settle(debate, owed_briefs(debate), FillingModel(change))


def test_the_review_decides_each_entry() -> None:
    """A decision has turn, words and fault of its register entry, and points only for a gap."""

    def change(form: dict[str, Any]) -> None:
        decisions = (("E1", "confirmed", 7), ("E2", "withdrawn", 7), ("E9", "confirmed", 1))
        form["entries"] = [
            {"entry": entry, "reason": "so", "status": status, "points": points} for entry, status, points in decisions
        ]

    answer, prompt = review(debate_with_entries(), change)
    assert answer.findings == (
        RegisterDecision(turn=0, quote="Claim of round 1", fault="gap", points=7, status="confirmed", exposed_by=1, reason="so"),
        RegisterDecision(turn=2, quote="Claim of round 2", fault="hollow", status="withdrawn", reason="so"),
    )  # fmt: skip
    assert len(answer.warnings) == 1
    assert '{"entry":"E1","turn":0,"quote":"Claim of round 1","fault":"gap","points":4.0,"exposed_by":1' in prompt


@pytest.mark.parametrize(
    ("quote", "exposed_by", "expected"),
    [("Claim of round 1", 3, [(0, 3)]), ("Claim of round 2", 2, [(2, None)]), ("never said", 3, [])],
)
def test_the_review_may_add_entries_on_any_turn(
    quote: str, exposed_by: int, expected: list[tuple[int, int | None]]
) -> None:
    """The review may add an entry about any turn; a quote in no turn is dropped with a warning."""

    def change(form: dict[str, Any]) -> None:
        entry = {"quote": quote, "reason": "so", "fault": "inverted", "points": 0, "exposed_by": exposed_by}
        form["added"] = [entry]

    debate = debate_with_speeches(LIVE, form=FREE)
    answer, _ = review(settle(debate, owed_briefs(debate)), change)
    found = [item for item in answer.findings if isinstance(item, RegisterDecision)]
    assert [(item.turn, item.exposed_by) for item in found] == expected
    assert len(answer.warnings) == (not expected)


def test_the_review_lists_every_entry_and_a_turn_the_costliest() -> None:
    """Of 30 entries the review lists all. A question about a turn lists 24, among them all gaps with more than 2 points."""
    debate = debate_with_speeches(LIVE, form=FREE)
    debate = settle(debate, owed_briefs(debate))
    gaps = [LogicGap(turn=0, quote=f"words {number:02}", points=1 + number % 10, reason="r") for number in range(30)]
    opened = next(item for item in debate.assessments if item.subject.moment == "pair")
    crowded = opened.model_copy(update={"findings": (*opened.findings, *gaps)})
    others = [item for item in debate.assessments if item is not opened]
    debate = debate.with_assessments([*others, crowded])
    _, prompt = review(debate)
    assert all(f'"quote":"{gap.quote}"' in prompt for gap in gaps)
    listed = [row.quote for row in list_entries(debate, "r1", before=len(debate.turns)).values()]
    assert len(listed) == 24
    assert {gap.quote for gap in gaps if gap.points > 2} <= set(listed)


def test_narrative_and_resolution_see_inconsistencies() -> None:
    """Both prompts show contradictions and dropped premises; the resolution also shows each side's marks as percentages."""

    def change(form: dict[str, Any]) -> None:
        if "contradictions" in form:
            form["contradictions"] = [{"earlier": 0, "explanation": "said the opposite"}]
            form["dropped_premises"] = [{"earlier": 0, "premise": "that it is cheap"}]
        elif "arcs" in form:
            form.update(winner="Con")
        else:
            even(form)

    model = FillingModel(change)
    settle_all(debate_with_speeches(LIVE, form=FREE), model)
    prompts = {request.purpose: request.messages[-1].content for request in model.requests}
    for purpose in ("judge.live.narrative", "judge.live.resolution"):
        assert "said the opposite" in prompts[purpose]
        assert "that it is cheap" in prompts[purpose]
    assert '"percent_of_maximum":{"Pro":{"logic":50,"rhetoric":47,"tactics":50}' in prompts["judge.live.resolution"]


@pytest.mark.parametrize(("feedback", "shown"), [(True, [False, False, True, True]), (False, [False] * 4)])
def test_with_feedback_a_turn_sees_the_register_so_far(feedback: bool, shown: list[bool]) -> None:
    """With feedback, the prompt of a turn lists the entries that earlier answers opened."""

    def change(form: dict[str, Any]) -> None:
        if "cause" in form and "logic_gap" in form:
            form["logic_gap"] = [{"quote": "Claim of round 1", "reason": "no step", "points": 4}]

    model = FillingModel(change)
    play_and_judge({"kind": "live", "feedback": feedback}, model=model, form=FREE)
    prompts = [item.messages[-1].content for item in model.requests if item.purpose == "judge.live.turn"]
    assert ["The register of passages that were doubted so far" in prompt for prompt in prompts] == shown
