"""The persuasion scorer against a second, naive implementation of its rules, on debates with random ratings."""

from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_support import CON, NOON, PRO, THIRD, THREE, assessment, build_debate, marks, opening_event, speech

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateClosed
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.persuasion.score import PersuasionNotes, score_run
from debate_cli.systems.persuasion.settings import PersuasionSettings

SCALE = {"persuasion": 1.0, "attack": 1.0, "evidence": 1.0}
NAMES = (PRO, CON, THIRD)
Ratings = list[dict[str, tuple[float, float]]]
"""Per turn: target -> persuasion and attack; empty if no judge rated the turn."""
HUNDREDTHS = st.integers(0, 100).map(lambda value: value / 100)


@st.composite
def rated_debates(draw: st.DrawFn) -> tuple[Debate, PersuasionSettings, Ratings]:
    """Draw a debate of three debaters with up to five rounds; some turns are not rated, and some debates are closed."""
    debaters = [
        {**THREE[number], "stance": draw(HUNDREDTHS) * side, "conviction": draw(HUNDREDTHS)}
        for number, side in enumerate((1, -1, draw(st.sampled_from((1, -1)))))
    ]
    settings_ = PersuasionSettings(effects="judge", bystander_effect=draw(st.sampled_from((0.0, 0.5))))
    ratings: Ratings = [
        {name: (draw(HUNDREDTHS), draw(HUNDREDTHS)) for name in NAMES if is_rated and name != NAMES[index % 3]}
        for index, is_rated in enumerate(
            draw(st.lists(st.sampled_from((True, True, True, False)), min_size=1, max_size=15))
        )
    ]
    turns = [
        speech(index, NAMES[index % 3]).model_copy(update={"round": index // 3 + 1}) for index in range(len(ratings))
    ]
    given_ = [
        assessment(
            "persuasion",
            [mark for name, (p, a) in of.items() for mark in marks(name, SCALE, (p, a, 0.5))],
            moment="turn",
            turns=(index,),
        )
        for index, of in enumerate(ratings)
        if of
    ]
    debate = build_debate(opening_event(settings_, debaters=debaters), turns, given_)
    closed = draw(st.booleans())
    return (debate.apply(DebateClosed(at=NOON, reason="complete")) if closed else debate), settings_, ratings


def play(debate: Debate, bystander_effect: float, ratings: Ratings) -> dict[str, dict[str, Any]]:
    """Return the final states by the rules, computed turn by turn."""
    people: dict[str, dict[str, Any]] = {
        item.name: {
            "s0": item.stance,
            "s": item.stance,
            "c": item.conviction,
            "p": [],
            "a": [],
            "peaks": {},
            "out": False,
        }
        for item in debate.participants
    }
    for index, of in enumerate(ratings):
        number = index // 3 + 1
        for name, (p, a) in of.items():
            if not people[name]["out"]:
                receive(people[name], number, p, a)
        spoke = {NAMES[other % 3] for other in range(index + 1) if other // 3 + 1 == number}
        is_last = index + 1 == len(ratings)
        standing = {name for name, one in people.items() if not one["out"]}
        over = (index + 1) // 3 + 1 > number if not is_last else debate.closed is not None or standing <= spoke
        if over:
            end_round(people, bystander_effect)
    return people


def receive(one: dict[str, Any], number: int, p: float, a: float) -> None:
    """Apply one speech to a debater."""
    c = one["c"]
    if p > 0.6:
        one["s"] *= 1 - p * (1 - c) * 0.3
        one["c"] *= 0.85
    e = max(0, a - 0.8 * c)
    if round(e, 9) > 0.3:
        one["s"] = max(-1, min(1, one["s"] * (1 + 0.2 * e)))
        one["c"] = min(1, 1.1 * one["c"])
    one["p"] = [*one["p"], p][-10:]
    one["a"] = [*one["a"], a][-10:]
    one["peaks"][number] = max(one["peaks"].get(number, 0), p)


def end_round(people: dict[str, dict[str, Any]], bystander_effect: float) -> None:
    """Apply the surrenders of a round, then the bystander effect."""
    lost = [one for one in people.values() if not one["out"] and gives_up(one)]
    sides = {one["s"] > 0 for one in lost if one["s"] != 0}
    for one in lost:
        one["out"] = True
    for one in people.values():
        if not one["out"] and one["s"] != 0 and (one["s"] > 0) in sides:
            one["s"] *= 1 - bystander_effect


def gives_up(one: dict[str, Any]) -> bool:
    """Return whether one of the three conditions of surrender holds."""
    peaks, last = list(one["peaks"].values())[-3:], list(one["peaks"])[-3:]
    conviction = round(one["c"], 9)
    persuaded = bool(peaks) and round(fmean(peaks), 9) > 0.6 and conviction < 0.4
    neutral = abs(round(one["s"], 9)) < 0.2 and conviction < 0.5 and abs(one["s0"]) >= 0.2
    return persuaded or neutral or (len(peaks) == 3 and last[2] - last[0] == 2 and min(peaks) > 0.5)


def points(name: str, people: dict[str, dict[str, Any]]) -> float:
    """Return a debater's score."""
    one = people[name]
    total = abs(one["s"]) * one["c"] * 30 - (50 if one["out"] else 0)
    for other, state in people.items():
        if other != name:
            total += (20 if state["out"] else 0) + (10 * fmean(state["p"]) if state["p"] else 0)
    return total + ((1 - fmean(one["a"])) * one["c"] * 20 if one["a"] else 0)


def notes_of(verdict: Verdict) -> PersuasionNotes:
    """Return the typed notes of a verdict."""
    assert isinstance(verdict.notes, PersuasionNotes)
    return verdict.notes


@given(rated_debates())
def test_the_scorer_equals_a_naive_implementation(drawn: tuple[Debate, PersuasionSettings, Ratings]) -> None:
    """Stances, convictions, surrenders and scores equal those of a naive implementation of the rules."""
    debate, settings_, ratings = drawn
    verdict = score_run(debate, "r1", settings_)
    expected = play(debate, settings_.bystander_effect, ratings)
    assert verdict.scores == pytest.approx({name: points(name, expected) for name in NAMES}, abs=1e-6)
    found = {item.name: (item.stance, item.conviction, item.surrendered) for item in notes_of(verdict).states}
    for name, one in expected.items():
        assert found[name] == (pytest.approx(one["s"]), pytest.approx(one["c"]), one["out"])
    assert {of.name: of.total for of in notes_of(verdict).parts} == pytest.approx(verdict.scores, abs=1e-6)
