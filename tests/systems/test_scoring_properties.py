"""Properties of every judged debate: order, ranges, subsets, missing assessments, JSON."""

from collections.abc import Mapping

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scoring_support import (
    CON,
    PRO,
    THREE,
    TWO,
    argument_marks,
    assessment,
    ballot,
    build_debate,
    cross_examination,
    drop_assessment,
    marks,
    opening,
    opening_event,
    reorder_assessments,
    speech,
)

from debate_cli.domain.assessment import Assessment, Finding, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.turn import Response, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.briefing import build_briefing
from debate_cli.systems.explanation import describe_agreement
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, DRAWN_COMPARISON, SUPPLEMENTARY_MAXIMA
from debate_cli.systems.live.findings import Convergence, LogicGap, Narrative, PairComparison, Resolution, SuspectClaim
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.moderator.criteria import FINAL, ROUND
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.panel.settings import PanelJudge, PanelSettings
from debate_cli.systems.panel.votes import VoteOption
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.registry import get_system
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.findings import Fallacy, Trace
from debate_cli.systems.structured.settings import StructuredSettings
from debate_cli.systems.trace import build_trace_table

BENCH = ("a", "b", "c")
SYSTEMS: tuple[SystemSettings, ...] = (
    StructuredSettings(judges=2, fallacy_penalty=0.7),
    ModeratorSettings(),
    PanelSettings(
        judges=tuple(
            PanelJudge(id=name, persona=name, weight=weight)
            for name, weight in zip(BENCH, (0.1, 0.2, 0.3), strict=True)
        )
    ),
    LiveSettings(feedback=False),
    PersuasionSettings(effects="judge"),
)
RANGES: Mapping[str, tuple[float, float]] = {
    "structured": (1, 10),
    "moderator": (0, 82.5),
    "panel": (0, 1),
    "live": (0, 100),
    "persuasion": (-50, 30 + 2 * 30 + 20),
}
WORDS = ("however", "consider", "but", "wrong", "flawed", "mistaken", "data", "research", "so", "it", "is")
OPTIONS: tuple[VoteOption, ...] = ("PASS", "FAIL", "CONDITIONAL")
tenths = st.integers(0, 10)


@st.composite
def speeches(draw: st.DrawFn) -> list[Turn]:
    """Two openings, a cross-examination and two free speeches of two debaters."""
    words = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
    return [
        opening(0, PRO, "PRO-1", "PRO-2"),
        opening(1, CON, "CON-1"),
        cross_examination(2, PRO, Response(target="CON-1", type="refute", reasoning="No.")),
        speech(3, CON, draw(words)),
        speech(4, PRO, draw(words)),
    ]


def drawn_marks(draw: st.DrawFn, participant: str | None, out_of: Mapping[str, float]) -> list[Mark]:
    """Marks within a scale, and sometimes one above it."""
    return marks(participant, out_of, [draw(st.integers(0, int(highest) + 1)) for highest in out_of.values()])


def structured_assessments(draw: st.DrawFn) -> list[Assessment]:
    """Two judges on three arguments."""
    items = ((PRO, "PRO-1"), (PRO, "PRO-2"), (CON, "CON-1"))
    found: list[Assessment] = []
    for judge in ("judge-1", "judge-2"):
        given = [mark for name, item in items for mark in argument_marks(name, item, *(draw(tenths) for _ in range(4)))]
        said: list[Finding] = [
            Trace(participant=name, item=item, claim="c", standing=draw(st.sampled_from(["UPHELD", "REFUTED"])))
            for name, item in items
        ]
        said += [Fallacy(participant=PRO, item="PRO-1", name="x")] * draw(st.integers(0, 2))
        found.append(assessment("structured", given, *said, assessor=judge))
    return found


def moderator_assessments(draw: st.DrawFn) -> list[Assessment]:
    """Three rounds and the evaluation."""
    found = [
        assessment(
            "moderator",
            [mark for name in (PRO, CON) for mark in drawn_marks(draw, name, ROUND.maxima)],
            moment="round",
            round=number,
        )
        for number in (1, 2, 3)
    ]
    final = [mark for name in (PRO, CON) for mark in drawn_marks(draw, name, FINAL.maxima)]
    return [*found, assessment("moderator", final)]


def ballots(draw: st.DrawFn) -> list[Assessment]:
    """Two rounds of three judges."""
    return [
        ballot(judge, draw(st.sampled_from(OPTIONS)), *(draw(st.integers(0, 4)) for _ in range(4)), revision=revision)
        for revision in (0, 1)
        for judge in BENCH
    ]


def live_assessments(draw: st.DrawFn) -> list[Assessment]:
    """Five turns, four pairs, penalties, a narrative with its resolution."""
    winner = st.sampled_from([PRO, CON, DRAWN_COMPARISON])
    speakers = (PRO, CON, PRO, CON, PRO)
    found = [
        assessment(
            "live",
            [*drawn_marks(draw, name, DIMENSION_MAXIMA), *drawn_marks(draw, name, SUPPLEMENTARY_MAXIMA)],
            SuspectClaim(
                turn=draw(st.integers(0, 6)),
                quote=draw(st.sampled_from("xy")),
                fault=draw(st.sampled_from(["hollow", "inverted"])),
            ),
            LogicGap(turn=draw(st.integers(0, 4)), points=draw(st.integers(1, 10)), reason="r"),
            moment="turn",
            turns=(index,),
        )
        for index, name in enumerate(speakers)
    ]
    found += [
        assessment(
            "live",
            (),
            PairComparison(logic=draw(winner), rhetoric=draw(winner), tactics=draw(winner)),
            moment="pair",
            turns=(index - 1, index),
        )
        for index in (1, 2, 3, 4)
    ]
    narrative = Narrative(winner=draw(st.sampled_from([PRO, CON, None])), reasoning="r", pattern="none")
    return [
        *found,
        assessment("live", (), narrative),
        assessment("live", (), Resolution(explanation="e"), revision=1),
        assessment("live", (), Convergence(outcome="genuine_agreement", early="a", late="b"), turns=(0, 1, 3, 4)),
    ]


def persuasion_ratings(draw: st.DrawFn) -> list[Assessment]:
    """Five turns."""
    rated = {"persuasion": 1.0, "attack": 1.0, "evidence": 1.0}
    targets = (CON, PRO, CON, PRO, CON)
    return [
        assessment(
            "persuasion", marks(target, rated, [draw(tenths) / 10 for _ in rated]), moment="turn", turns=(index,)
        )
        for index, target in enumerate(targets)
    ]


@st.composite
def assessments(draw: st.DrawFn) -> list[Assessment]:
    """Assessments of all five systems."""
    return [
        *structured_assessments(draw),
        *moderator_assessments(draw),
        *ballots(draw),
        *live_assessments(draw),
        *persuasion_ratings(draw),
    ]


@st.composite
def debates(draw: st.DrawFn) -> Debate:
    """A debate with all assessments of five systems."""
    return build_debate(opening_event(*SYSTEMS), draw(speeches()), draw(assessments()))


large_data = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@large_data
@given(debates(), st.data())
def test_the_order_of_assessments_does_not_matter(debate: Debate, data: st.DataObject) -> None:
    """Verdicts, trace table and briefing are the same for any order of arrival."""
    order = data.draw(st.permutations(range(len(debate.assessments))))
    other = reorder_assessments(debate, order)
    assert score(other) == score(debate)
    assert build_trace_table(other) == build_trace_table(debate)
    assert build_briefing(other) == build_briefing(debate)


@large_data
@given(debates())
def test_scores_stay_on_their_scale(debate: Debate) -> None:
    """For any marks; the scale is the one that the system declares, and margins are not negative."""
    for verdict in score(debate):
        low, high = RANGES[verdict.system]
        system = get_system(verdict.system)
        highest = system.max_score(verdict)
        assert highest is not None
        assert (system.min_score(verdict), highest <= high) == (low, True)
        assert all(low <= value <= highest for value in verdict.scores.values())
        assert verdict.margin is not None
        assert verdict.margin >= 0


@large_data
@given(debates())
def test_the_winner_has_the_highest_score(debate: Debate) -> None:
    """The margin is the difference between first and second."""
    for verdict in score(debate, systems=("structured", "moderator", "live", "persuasion")):
        ranked = sorted(verdict.scores.values(), reverse=True)
        assert verdict.winner is None or verdict.scores[verdict.winner] == ranked[0]
        assert verdict.margin is not None
        assert abs(verdict.margin - (ranked[0] - ranked[1])) < 1e-8


@large_data
@given(speeches(), assessments(), st.data())
def test_any_subset_can_be_scored(turns: list[Turn], said: list[Assessment], data: st.DataObject) -> None:
    """Any subset of turns and assessments gives verdicts, trace table and briefing without an error."""
    some_turns = data.draw(st.lists(st.sampled_from(turns), unique_by=lambda turn: turn.index))
    places = data.draw(st.sets(st.integers(0, len(said) - 1)))
    debaters = data.draw(st.sampled_from([TWO, THREE, TWO[:1], ()]))
    debate = build_debate(
        opening_event(*SYSTEMS, debaters=debaters), some_turns, [said[place] for place in sorted(places)]
    )
    verdicts = score(debate)
    assert len(verdicts) == len(SYSTEMS)
    describe_agreement(verdicts)
    build_trace_table(debate)
    build_briefing(debate)


def missing(verdict: Verdict) -> list[str]:
    """What a verdict says is missing."""
    sentences = verdict.notes["missing"]
    assert isinstance(sentences, list)
    return [str(sentence) for sentence in sentences]


def is_required(item: Assessment) -> bool:
    """Whether an assessment is always required: a resolution only in conflict, convergence only from ten turns on."""
    return not any(isinstance(finding, Resolution | Convergence) for finding in item.findings)


@large_data
@given(debates(), st.data())
def test_a_missing_assessment_is_named(debate: Debate, data: st.DataObject) -> None:
    """Without it there is a sentence that was not there before."""
    place = data.draw(st.sampled_from([n for n, item in enumerate(debate.assessments) if is_required(item)]))
    system = debate.assessments[place].system
    (before,), (after,) = (score(item, systems=(system,)) for item in (debate, drop_assessment(debate, place)))
    assert set(missing(after)) - set(missing(before))


@large_data
@given(debates())
def test_a_verdict_can_be_stored(debate: Debate) -> None:
    """Read back from JSON and written again, it is the same JSON."""
    for verdict in score(debate):
        stored = verdict.model_dump_json()
        assert Verdict.model_validate_json(stored).model_dump_json() == stored
