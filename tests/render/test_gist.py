"""The gist: who won, why in numbers, and how to have it judged again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from poisoned_support import plain
from render_support import START, debate, unscored

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.verdict import Verdict
from debate_cli.render.report import DebateReport
from debate_cli.render.summary import suggest_judge_command, summarize_verdicts
from debate_cli.systems.moderator.score import FINAL_CATEGORIES, ModeratorNotes
from debate_cli.systems.moderator.tables import CATEGORY_GROUPS
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.score import CRITERIA


def of(told: Debate, system: str) -> Verdict:
    """The verdict of one system."""
    return next(verdict for verdict in score(told) if verdict.system == system)


@pytest.mark.parametrize(
    ("told", "system", "reason"),
    [
        (debate, "structured", "Bo 7.45 to Ada 6.35 of 10, 1.1 apart. The largest difference is evidence, 40% of the score: Bo 70%, Ada 55% of the maximum."),
        (debate, "moderator", "Bo 65.33 to Ada 49.67 of 82.5, 15.67 apart"),
        (plain, "panel", "of the panel's weight voted"),
        (plain, "live", "of 100"),
        (plain, "persuasion", "No debater surrendered."),
    ],
)  # fmt: skip
def test_the_reason_is_made_of_numbers(told: Callable[[], Debate], system: str, reason: str) -> None:
    """Each system says what its score is and where the debaters are furthest apart."""
    assert reason in summarize_verdicts(told(), [of(told(), system)]).reason


def weighed(*weights: float) -> str:
    """The reason of the structured verdict under other weights of logic, evidence, responsiveness, honesty."""
    verdict = of(debate(), "structured")
    named = dict(zip(CRITERIA, weights, strict=True))
    return summarize_verdicts(
        debate(), [verdict.model_copy(update={"notes": {**verdict.notes, "weights": named}})]
    ).reason


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ((1.0, 0.0, 0.0, 0.0), "difference is logic, 100% of the score: Bo 80%, Ada 70%"),
        ((0.8, 0.1, 0.1, 0.0), "difference is logic, 80% of the score"),
        ((0.5, 0.5, 0.0, 0.0), "difference is evidence, 50% of the score"),
    ],
    ids=["what counts nothing", "a wide gap that weighs little", "equal weights"],
)
def test_the_reason_names_what_weighs_most(weights: tuple[float, ...], told: str) -> None:
    """The gap of a criterion counts by its weight, and the sentence says that weight."""
    assert told in weighed(*weights)


def test_a_group_of_the_moderator_counts_by_its_points() -> None:
    """A whole gap in the smallest group is less than half a gap in the largest."""
    verdict = of(debate(), "moderator")
    notes = ModeratorNotes.model_validate(verdict.notes)
    small, large = CATEGORY_GROUPS[-1][1], CATEGORY_GROUPS[0][1]
    gained = {
        "Ada": {item: FINAL_CATEGORIES[item] for item in small},
        "Bo": {item: FINAL_CATEGORIES[item] / 2 for item in large},
    }
    final = tuple(
        row.model_copy(update={"categories": {**dict.fromkeys(FINAL_CATEGORIES, 0.0), **gained[row.participant]}})
        for row in notes.final
    )
    changed = notes.model_copy(update={"final": final}).model_dump(mode="json")
    told = summarize_verdicts(debate(), [verdict.model_copy(update={"notes": changed})]).reason
    assert "difference is argument quality, 30% of the final evaluation: Bo 50%, Ada 0% of the maximum." in told


def test_debaters_level_in_all_that_counts_are_called_level() -> None:
    """A gap in what counts nothing is none."""
    verdict = of(debate(), "structured")
    means = {"Ada": dict.fromkeys(CRITERIA, 7.0), "Bo": {**dict.fromkeys(CRITERIA, 7.0), "honesty": 9.0}}
    weights = dict(zip(CRITERIA, (0.4, 0.3, 0.3, 0.0), strict=True))
    notes = {**verdict.notes, "weights": weights, "means": means}
    told = summarize_verdicts(debate(), [verdict.model_copy(update={"notes": notes})]).reason
    assert told.endswith("They are level in every criterion that counts.")


def test_the_deciding_verdict_is_told() -> None:
    """Whatever the order in which they are given."""
    verdicts = score(debate())
    assert summarize_verdicts(debate(), verdicts[::-1]).outcome == summarize_verdicts(debate(), verdicts).outcome


def test_what_is_undetermined_says_what_is_missing() -> None:
    """The first thing that was not assessed is the reason."""
    verdicts = score(unscored())
    assert [summarize_verdicts(unscored(), verdicts).reason] == DebateReport.missing(verdicts[0])[:1]


def test_nobody_judged() -> None:
    """Without a verdict there is nothing to give a reason for."""
    told = summarize_verdicts(debate(), ())
    assert (told.outcome, told.reason) == ("This debate has not been judged.", "")


def judged_too(told: Debate, *systems: str) -> Debate:
    """The debate after a further judging by these systems."""
    judging = JudgingConfig.model_validate({"systems": systems})
    return told.apply(JudgingOpened(at=START, run="r2", judging=judging))


@pytest.mark.parametrize(
    ("told", "proposed"),
    [
        (debate(), "panel"),
        (debate(judging={"systems": ["panel"]}), "structured"),
        (judged_too(debate(), "panel"), "live"),
        (judged_too(debate(), "panel", "live"), "persuasion"),
        (judged_too(debate(), "panel", "live", "persuasion"), "structured --repeat 3"),
        (debate(judging={"systems": ["panel"]}).without_turns(), "panel --repeat 3"),
    ],
    ids=["two have", "only the panel has", "a later run counts", "one is left", "all have", "without speeches"],
)
def test_who_has_not_judged_yet_is_proposed(told: Debate, proposed: str) -> None:
    """A system that can judge this debate and has not; where there is none, the same judges, asked three times."""
    assert suggest_judge_command(told, "x.json") == f"debate judge x.json --system {proposed}"


def test_the_command_is_safe_to_copy() -> None:
    """An id that a foreign file brings along stays one word of the command."""
    told = debate().model_copy(update={"id": "x; rm -rf ~\n`id`"})
    assert summarize_verdicts(told, ()).judge_again == "debate judge 'x; rm -rf ~ `id`' --system panel"
