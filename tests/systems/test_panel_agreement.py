"""Agreement and verdict of a panel against a second implementation of the rules, and as public functions."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import debate_cli
from debate_cli.errors import ConfigError
from debate_cli.systems.panel.score import tally_votes
from debate_cli.systems.panel.votes import Ballot, DimensionMarks, Vote, VoteOption, Votes, agreement_of_ballots

OPTIONS: tuple[VoteOption, ...] = ("PASS", "FAIL", "CONDITIONAL")


def make_ballot(option: VoteOption, weight: int, marks: dict[str, float]) -> Ballot:
    """A ballot; `weight` is in tenths."""
    vote = Vote(option=option, confidence=0.5)
    return Ballot(judge="a", weight=weight / 10, vote=vote, dimensions=marks, rationale="")


MARKS = st.dictionaries(st.sampled_from(["logic", "risk", "evidence"]), st.sampled_from([1.0, 2.0, 3.0]))
BALLOTS = st.lists(st.builds(make_ballot, st.sampled_from(OPTIONS), st.integers(1, 9), MARKS), max_size=6)


def expected_agreement(ballots: Sequence[Ballot]) -> Fraction:
    """The formula, in exact numbers."""
    if len(ballots) < 2:
        return Fraction(1)
    share = Fraction(max(sum(ballot.option == option for ballot in ballots) for option in OPTIONS), len(ballots))
    shared: list[Fraction] = []
    for name in {name for ballot in ballots for name in ballot.dimensions}:
        marks = [Fraction(ballot.dimensions[name]) for ballot in ballots if name in ballot.dimensions]
        if len(marks) > 1:
            shared.append(max(Fraction(0), 1 - (max(marks) - min(marks)) / 2))
    return Fraction(6, 10) * share + Fraction(4, 10) * (sum(shared, Fraction(0)) / len(shared) if shared else 1)


@given(BALLOTS)
def test_the_agreement_is_that_of_the_formula(ballots: list[Ballot]) -> None:
    """The scorer and the public function agree with a second implementation for any votes and marks."""
    expected = float(expected_agreement(ballots))
    marks: dict[str, dict[str, float]] = {}
    for number, ballot in enumerate(ballots):
        for name, value in ballot.dimensions.items():
            marks.setdefault(name, {})[str(number)] = value
    assert 0 <= expected <= 1
    assert agreement_of_ballots(ballots) == pytest.approx(expected, abs=1e-9)
    assert debate_cli.agreement([ballot.option for ballot in ballots], marks) == pytest.approx(expected, abs=1e-9)


@given(BALLOTS)
def test_the_option_with_the_largest_weight_wins(ballots: list[Ballot]) -> None:
    """The heaviest option wins, a tie is CONDITIONAL, and the shares sum to 1."""
    counted = tally_votes(ballots)
    if counted is None:
        assert not ballots
        return
    weights = {o: sum(round(10 * ballot.weight) for ballot in ballots if ballot.option == o) for o in OPTIONS}
    largest = [option for option in OPTIONS if weights[option] == max(weights.values())]
    assert counted.option == (largest[0] if len(largest) == 1 else "CONDITIONAL")
    assert sum(counted.weights.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("votes", "dimensions", "threshold", "expected"),
    [
        (["PASS", "FAIL"], {}, 0.8, True),
        (["PASS", "FAIL"], {}, 0.7, False),
        ({"a": "PASS", "b": "PASS"}, {"risk": {"a": 1, "b": 3}}, 0.8, True),
        # 0.6 + 0.4*0.5 is below 0.9, but a range of 1 is no disagreement
        (["PASS", "PASS"], {"risk": [2, 3]}, 0.9, False),
        (["PASS"], {"risk": [1, 3]}, 0.8, False),
        ([], {}, 0.8, False),
    ],
)
def test_when_a_panel_needs_to_deliberate(
    votes: Votes, dimensions: DimensionMarks, threshold: float, expected: bool
) -> None:
    """A panel votes again below the threshold, if votes differ or a dimension has a range of 1.5."""
    assert debate_cli.needs_deliberation(votes, dimensions, threshold) is expected


@pytest.mark.parametrize(("votes", "dimensions"), [(["pass"], {}), (["PASS"], {"risk": [4]})])
def test_unknown_votes_and_marks_are_refused(votes: list[VoteOption], dimensions: dict[str, list[float]]) -> None:
    """The error names the wrong value and the allowed ones."""
    with pytest.raises(ConfigError, match="use"):
        debate_cli.agreement(votes, dimensions)
