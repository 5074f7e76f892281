"""Bradley–Terry ratings against published and hand-worked values, and where the results do not determine them."""

import math
from dataclasses import replace

import pytest

pytest.importorskip("scipy", reason="needs the extra [experiments]")

from debate_cli.statistics.ratings import ELO_SCALE, PairResult, Ratings, rate

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
HOME_WINS_AND_LOSSES = (
    ((4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)),
    ((3, 3), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)),
    ((2, 5), (4, 3), (2, 4), (4, 3), (4, 2), (6, 0)),
    ((3, 3), (5, 1), (2, 5), (4, 3), (4, 2), (6, 1)),
    ((5, 1), (2, 5), (3, 3), (4, 2), (5, 2), (6, 0)),
    ((2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (2, 4)),
    ((2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4)),
)
"""Games of the American League's East in 1987: A. Agresti, Categorical Data Analysis (2002), section 10.6."""


def _strengths(ratings: Ratings) -> dict[str, float]:
    return {rating.name: rating.strength.value or 0.0 for rating in ratings.ratings}


def _games(left: str, right: str, *scores: float, cluster: str = "") -> list[PairResult]:
    return [PairResult(left, right, score, cluster=cluster) for score in scores]


def test_published_strengths_and_home_advantage() -> None:
    """Agresti's baseball table gives his home advantage of 0.302 and his order of teams."""
    results: list[PairResult] = []
    for home, row in zip(TEAMS, HOME_WINS_AND_LOSSES, strict=True):
        for away, (wins, losses) in zip([team for team in TEAMS if team != home], row, strict=True):
            results += [PairResult(home, away, 1, weight=wins), PairResult(home, away, 0, weight=losses)]
    ratings = rate(results, resamples=0)
    assert ratings.side.value == pytest.approx(0.302, abs=0.0005)
    assert [rating.name for rating in ratings.ratings] == list(TEAMS)


def test_hand_worked_strength_and_side() -> None:
    """The strength difference and the side term equal ln 3 / 2, as worked out by hand."""
    ratings = rate(_games("A", "B", 1, 1, 1, 0) + _games("B", "A", 1, 1, 0, 0), resamples=0)
    strengths = _strengths(ratings)
    assert strengths["A"] - strengths["B"] == pytest.approx(math.log(3) / 2)
    assert ratings.side.value == pytest.approx(math.log(3) / 2)
    assert ratings.ratings[0].elo.value == pytest.approx(1500 + ELO_SCALE * math.log(3) / 4)


def test_a_draw_counts_as_half_a_win() -> None:
    """Two draws give the same strengths as a win and a loss."""
    draws = rate(_games("A", "B", 0.5, 0.5, 1, 0.5) + _games("B", "A", 0.5, 1, 0), resamples=0)
    decided = rate(_games("A", "B", 1, 0, 1, 0.5) + _games("B", "A", 1, 0, 0.5), resamples=0)
    assert _strengths(draws) == pytest.approx(_strengths(decided))


def test_one_order_only_has_no_side_term() -> None:
    """If one player is always on the left, there is no side term, and a note says so."""
    ratings = rate(_games("A", "B", 1, 1, 1, 0), resamples=0)
    strengths = _strengths(ratings)
    assert ratings.side.value is None
    assert strengths["A"] - strengths["B"] == pytest.approx(math.log(3))
    assert "the same player was always on the left" in ratings.notes[0]


def test_a_player_who_won_everything_gets_a_finite_strength_and_a_note() -> None:
    """A player who won everything has a finite strength, and a note names the artificial draw."""
    ratings = rate(_games("A", "B", 1, 1, 1) + _games("B", "A", 0, 0, 0), resamples=0)
    assert (ratings.separable, ratings.side_separable) == (True, False)
    assert ratings.prior == 1
    assert 1 < _strengths(ratings)["A"] < 4
    assert any("artificial draw" in note for note in ratings.notes)


def test_an_unlimited_side_term_has_a_note_of_its_own() -> None:
    """If the left player won every comparison, the advantage is unlimited, and no player's strength is."""
    ratings = rate(
        [
            PairResult("ann", "bob", 1),
            PairResult("bob", "ann", 1),
            PairResult("ann", "cid", 1),
            PairResult("cid", "ann", 1),
        ]
    )
    assert (ratings.side_separable, ratings.separable, ratings.prior) == (True, False, 1)
    notes = " ".join(ratings.notes)
    assert "would make the advantage of the left player" in notes
    assert "This advantage was therefore estimated with 1 artificial draw" in notes
    assert "make a player's strength infinite" not in notes


def _last_player_loses_everything() -> list[PairResult]:
    """The left player wins 3 of 4 games between A and B, in both orders. C loses both orders against both."""
    even = _games("A", "B", 1, 1, 1, 0) + _games("B", "A", 1, 1, 1, 0)
    return even + [game for name in "AB" for game in _games(name, "C", 1) + _games("C", name, 0)]


def test_a_finite_side_term_gets_no_artificial_draw() -> None:
    """If only a player's strength is infinite, the draws are the players', and no note names the left player."""
    ratings = rate(_last_player_loses_everything(), resamples=0)
    assert (ratings.separable, ratings.side_separable, ratings.prior) == (True, False, 1)
    assert ratings.side.value == pytest.approx(0.93, abs=0.005)
    assert "left player" not in " ".join(ratings.notes)


def test_a_resample_whose_side_term_is_infinite_gets_an_artificial_draw() -> None:
    """If the left player wins everything in some resamples, their side terms are finite, and a note says so."""
    results = [
        replace(game, cluster=str(number % 4)) for number, game in enumerate(_last_player_loses_everything()[:8])
    ]
    results += [PairResult("A", "C", 1, cluster=str(number)) for number in range(4)]
    ratings = rate(results, resamples=200)
    assert ratings.side.high is not None
    assert ratings.side.high < 6
    assert 0 < ratings.resamples_with_prior < 1
    assert any("could be estimated only with an artificial draw" in note for note in ratings.notes)


def test_a_strength_that_no_resample_changes_has_no_interval() -> None:
    """Three equal wins say nothing about the uncertainty of a strength, so a note takes the place of an interval."""
    ratings = rate([PairResult("A", "B", 1, cluster=str(number)) for number in range(3)])
    best = ratings.ratings[0]
    assert (best.strength.low, best.strength.high, best.elo.low, best.elo.high) == (None, None, None, None)
    assert any("Values without an interval" in note for note in ratings.notes)


def test_a_side_term_that_no_resample_changes_has_no_interval() -> None:
    """If the left player wins every comparison of every motion, the advantage has no interval."""
    results = [
        result for name in "xyz" for result in _games("A", "B", 1, cluster=name) + _games("B", "A", 1, cluster=name)
    ]
    ratings = rate(results)
    assert ratings.side.value is not None
    assert (ratings.side.low, ratings.side.high, ratings.has_constant_values) == (None, None, True)


def test_a_strength_and_the_side_term_can_both_be_unlimited() -> None:
    """Ann wins on the left and draws on the right: strength and advantage can only grow together."""
    ratings = rate([PairResult("ann", "bob", 1), PairResult("bob", "ann", 0.5)])
    assert (ratings.side_separable, ratings.separable) == (True, True)


def test_players_who_never_met_are_in_different_groups() -> None:
    """Two pairs without a common opponent are two groups, which a note names."""
    ratings = rate(_games("A", "B", 1, 0) + _games("C", "D", 1, 0), resamples=0)
    assert ratings.groups == 2
    assert "never met" in " ".join(ratings.notes)


def test_interval_follows_the_clusters_and_not_the_rows() -> None:
    """Ten copies of each result leave the interval as wide as one copy does."""
    motions = [(f"m{number}", [1, 1, 0, 0.5][number % 4], [0, 1, 1][number % 3]) for number in range(12)]
    single = [
        result
        for name, first, second in motions
        for result in (PairResult("A", "B", first, cluster=name), PairResult("B", "A", second, cluster=name))
    ]
    repeated = rate(single * 10, resamples=200)
    alone = rate(single, resamples=200)
    assert repeated.ratings[0].strength.low == pytest.approx(alone.ratings[0].strength.low)
    assert repeated.clusters == alone.clusters == 12
