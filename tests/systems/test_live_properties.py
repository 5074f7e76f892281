"""Properties of the live scorecard for any marks, comparisons, register and settings."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st
from live_scoring_support import turn_marks
from scoring_support import CON, PRO, THIRD, THREE, assessment, build_debate, opening_event, speech

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.text_normalization import normalize_quote
from debate_cli.systems.live.calibration import DIMENSION_MAXIMA, Scorecard, build_scorecard
from debate_cli.systems.live.findings import CausalChain, LogicGap, PairComparison, RegisterDecision, SuspectClaim
from debate_cli.systems.live.settings import LiveSettings

FAULTS = ("hollow", "fabricated", "inverted", "backwards")
BANDS = {"logic": 22, "rhetoric": 17, "tactics": 17}
turns = st.integers(0, 6)
quotes = st.sampled_from(["Costs fall.", "COSTS fall", "It is fast", "it is  fast!", "Nobody pays"])
gap_points = st.integers(1, 10)
claims = st.builds(SuspectClaim, turn=turns, quote=quotes, fault=st.sampled_from(FAULTS))
gaps = st.builds(LogicGap, turn=turns, quote=st.one_of(quotes, st.just("")), points=gap_points, reason=st.just("r"))
decisions = st.builds(
    RegisterDecision,
    turn=turns,
    quote=quotes,
    fault=st.sampled_from((*FAULTS, "gap")),
    points=st.one_of(st.none(), gap_points),
    status=st.sampled_from(["confirmed", "withdrawn"]),
)
chains = st.builds(
    CausalChain,
    cause=st.just("a"),
    process=st.just("b"),
    consequence=st.just("c"),
    missing=st.lists(st.sampled_from(["process", "weakest_premise"]), max_size=2).map(tuple),
)
winners = st.sampled_from([PRO, CON, THIRD, "draw", "Zoe"])


@st.composite
def debates(draw: st.DrawFn) -> Debate:
    """Draw up to six turns of three debaters, some without marks or comparison, and a register review."""
    speakers = draw(st.lists(st.sampled_from([PRO, CON, THIRD]), min_size=1, max_size=6))
    made = [speech(index, name) for index, name in enumerate(speakers)]
    said: list[Assessment] = []
    for index, name in enumerate(speakers):
        if draw(st.integers(0, 5)):
            row = draw(st.tuples(st.integers(0, 40), st.integers(0, 30), st.integers(0, 30)))
            said.append(turn_marks(index, row, draw(chains), *draw(st.lists(claims, max_size=2)), speaker=name))
        if index and draw(st.integers(0, 5)):
            won = PairComparison(logic=draw(winners), rhetoric=draw(winners), tactics=draw(winners))
            exposed: list[Finding] = draw(st.lists(st.one_of(claims, gaps), max_size=2))
            said.append(assessment("live", (), won, *exposed, moment="pair", turns=(index - 1, index)))
    said.append(assessment("live", (), *draw(st.lists(decisions, max_size=4)), revision=2))
    return build_debate(opening_event(LiveSettings(), debaters=THREE), made, said)


def card(debate: Debate, *, withdrawals: bool = True) -> Scorecard:
    """Return the scorecard of run r1."""
    given_ = debate.assessments_of_system("live", "r1")
    return build_scorecard(debate, given_, LiveSettings(withdrawals=withdrawals))


def results(debate: Debate, found: Scorecard) -> dict[tuple[int, str], set[str]]:
    """Map (turn, dimension) to `won` and `lost`, by the comparisons of exchanges with both marks."""
    outcome: dict[tuple[int, str], set[str]] = defaultdict(set)
    for item in debate.assessments:
        for comparison in item.findings:
            if not isinstance(comparison, PairComparison):
                continue
            pair = [debate.turns_by_index[index] for index in item.subject.turns]
            for dimension in DIMENSION_MAXIMA:
                winner = getattr(comparison, dimension)
                marked = all(dimension in found.raw.get(turn.index, {}) for turn in pair)
                if pair[0].speaker != pair[1].speaker and marked and winner in {turn.speaker for turn in pair}:
                    for turn in pair:
                        outcome[turn.index, dimension].add("won" if turn.speaker == winner else "lost")
    return outcome


@given(debates())
def test_every_score_is_in_its_band(debate: Debate) -> None:
    """Winners of an exchange have at least B, losers without a win less than B, and all other scores stay."""
    found = card(debate)
    outcome = results(debate, found)
    limited = {item.turn: item.after for item in found.chain_limits}
    for turn, scores in found.calibrated.items():
        for dimension, score in scores.items():
            marked = found.raw[turn][dimension]
            if dimension == "logic":
                marked = limited.get(turn, marked)
            if "won" in outcome[turn, dimension]:
                expected = max(marked, BANDS[dimension])
            elif "lost" in outcome[turn, dimension]:
                expected = min(marked, BANDS[dimension] - 1)
            else:
                expected = marked
            assert score == expected
            assert (dimension in found.mixed.get(turn, ())) == (outcome[turn, dimension] == {"won", "lost"})


@given(debates())
def test_the_listed_changes_explain_every_score(debate: Debate) -> None:
    """Marks, changed as the lists of changes say, are the final scores."""
    found = card(debate)
    scores = {turn: dict(of) for turn, of in found.raw.items()}
    for item in (*found.chain_limits, *found.calibrations):
        assert scores[item.turn][item.dimension] == item.before
        scores[item.turn][item.dimension] = item.after
    for turn, of in scores.items():
        of["logic"] = max(0, of["logic"] - sum(item.points for item in found.penalties if item.turn == turn))
    assert scores == found.penalised


@given(debates())
def test_the_same_words_cost_once(debate: Debate) -> None:
    """At most one of several entries with the same words is charged, on the turn of an entry or earlier."""
    charged = [row for row in card(debate).register if row.charged_to is not None and row.quote]
    words = [normalize_quote(row.quote) for row in charged]
    assert len(words) == len(set(words))
    assert all(row.charged_to is not None and row.charged_to <= row.turn for row in charged)
    assert not [row for row in charged if row.status == "withdrawn"]


@given(debates())
def test_a_withdrawal_never_adds_points(debate: Debate) -> None:
    """All penalties together are at most those with `withdrawals: false`."""
    kept, charged = card(debate), card(debate, withdrawals=False)
    assert sum(item.points for item in kept.penalties) <= sum(item.points for item in charged.penalties)
    assert {row.status for row in charged.register} <= {"open", "confirmed", "doubted"}
