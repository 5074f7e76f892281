"""Which verdicts `score` returns, and which of them decides."""

from typing import Any

import pytest
from scoring_support import (
    CON,
    PRO,
    argument_marks,
    assessment,
    build_debate,
    opening,
    opening_event,
    speech,
    with_judging_run,
)

from debate_cli.domain.debate import Debate, initial_debate
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.panel.settings import PanelSettings
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.scoring import combine_runs, deciding_verdicts, score
from debate_cli.systems.structured.settings import StructuredSettings, StructuredWeights


def scored(debate: Debate, **arguments: Any) -> list[tuple[str, str, bool]]:
    """System, run and `decides` of every verdict, in order."""
    return [(verdict.system, verdict.run, verdict.decides) for verdict in score(debate, **arguments)]


TWICE = with_judging_run(
    build_debate(opening_event(StructuredSettings(), ModeratorSettings())), "r2", PanelSettings(), StructuredSettings()
)
"""Structured in both runs, moderator in the first, panel in the second."""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [("structured", "r2", True), ("moderator", "r1", False), ("panel", "r2", False)]),
        ({"runs": "r1"}, [("structured", "r1", True), ("moderator", "r1", False)]),
        ({"runs": "r2"}, [("panel", "r2", True), ("structured", "r2", False)]),
        (
            {"runs": "all"},
            [
                ("structured", "r2", True),
                ("structured", "r1", False),
                ("moderator", "r1", False),
                ("panel", "r2", False),
            ],
        ),
        ({"systems": ("moderator", "panel")}, [("moderator", "r1", True), ("panel", "r2", False)]),
        ({"runs": "r9"}, []),
        ({"systems": ()}, []),
    ],
)
def test_runs_and_systems_can_be_selected(arguments: dict[str, Any], expected: list[tuple[str, str, bool]]) -> None:
    """The default is the newest run of each system; the deciding verdict comes first."""
    assert scored(TWICE, **arguments) == expected


def judged_side_by_side(*judged: str) -> Debate:
    """A debate with the runs r2 and r3 side by side, of which these gave marks."""
    turns = [opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1")]
    debate = build_debate(opening_event(StructuredSettings()), turns)
    debate = with_judging_run(debate, "r2", StructuredSettings())
    debate = with_judging_run(debate, "r3", StructuredSettings(), beside="r2")
    marks = [*argument_marks(PRO, "PRO-1", 8, 8, 8, 8), *argument_marks(CON, "CON-1", 5, 5, 5, 5)]
    return debate.with_assessments(assessment("structured", marks, run=run) for run in judged)


@pytest.mark.parametrize(
    ("judged", "runs", "expected"),
    [
        (("r2", "r3"), "latest", [("r2", False), ("r3", False)]),
        (("r1", "r2", "r3"), "all", [("r2", False), ("r3", False), ("r1", False)]),
        (("r2", "r3"), "r2", [("r2", True)]),
        (("r2",), "latest", [("r2", True)]),
        (("r1", "r2"), "all", [("r2", True), ("r1", False), ("r3", False)]),
    ],
)
def test_of_runs_side_by_side_none_decides(
    judged: tuple[str, ...], runs: str, expected: list[tuple[str, bool]]
) -> None:
    """Unless only one of them judged, or one is asked for. They come first, in the order of their numbers."""
    found = [(run, decides) for _, run, decides in scored(judged_side_by_side(*judged), runs=runs)]
    assert found == expected


def test_verdicts_of_runs_side_by_side_are_equal() -> None:
    """Those that decide together: both of the pair, and one alone otherwise."""
    debate = judged_side_by_side("r1", "r2", "r3")
    verdicts = score(debate, runs="all")
    assert [item.run for item in deciding_verdicts(debate, verdicts)] == ["r2", "r3"]
    combined = combine_runs(debate, verdicts, ["r2", "r3"])
    assert [(item.run, item.decides) for item in combined] == [("r2", False), ("r3", False)]
    assert [item.decides for item in combine_runs(debate, verdicts, ["r1"])] == [True]


REPEATED = with_judging_run(
    build_debate(opening_event(StructuredSettings(), ModeratorSettings())),
    "r2",
    StructuredSettings(),
    ModeratorSettings(),
)


@pytest.mark.parametrize("debate", [REPEATED, judged_side_by_side("r1", "r2", "r3")], ids=["repeated", "side-by-side"])
def test_verdicts_of_all_runs_have_one_order(debate: Debate) -> None:
    """After judging, the verdicts have the order of `score`: the deciding one first and alone, then run by run."""
    verdicts = score(debate, runs="all")
    assert combine_runs(debate, verdicts, [run.id for run in debate.runs]) == verdicts
    assert sum(verdict.decides for verdict in verdicts) == (debate is REPEATED)


def test_the_configured_system_decides() -> None:
    """`decides` names the second of two systems: it comes first."""
    debate = build_debate(opening_event(StructuredSettings(), LiveSettings(), decides="live"))
    assert scored(debate) == [("live", "r1", True), ("structured", "r1", False)]


def test_a_later_run_with_decides_overrides_the_debate() -> None:
    """A later run without `decides` does not."""
    debate = build_debate(opening_event(StructuredSettings()))
    assert scored(with_judging_run(debate, "r2", PanelSettings(), decides="panel"))[0] == ("panel", "r2", True)
    assert scored(with_judging_run(debate, "r2", PanelSettings()))[0] == ("structured", "r1", True)


def test_a_run_without_assessments_does_not_decide() -> None:
    """The verdict of the run before it decides, among all runs and among the newest."""
    turns = [opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1")]
    given = [*argument_marks(PRO, "PRO-1", 9, 9, 9, 9), *argument_marks(CON, "CON-1", 1, 1, 1, 1)]
    debate = with_judging_run(
        build_debate(opening_event(StructuredSettings()), turns, [assessment("structured", given)]),
        "r2",
        StructuredSettings(),
    )
    assert scored(debate, runs="all") == [("structured", "r1", True), ("structured", "r2", False)]
    assert scored(debate) == [("structured", "r1", True)]


def test_replaced_systems_have_no_verdict() -> None:
    """A later run with `replaces` removes the verdicts of its systems in earlier runs."""
    debate = with_judging_run(
        build_debate(opening_event(StructuredSettings(), LiveSettings())), "r2", StructuredSettings(), replaces=True
    )
    assert scored(debate, runs="all") == [("structured", "r2", True), ("live", "r1", False)]


@pytest.mark.parametrize("runs", ["latest", "all", "r1"])
def test_without_judging_systems_there_is_no_verdict(runs: str) -> None:
    """The verdict of a later run decides."""
    debate = build_debate(opening_event(StructuredSettings()))
    config = debate.config.model_copy(update={"judging": debate.config.judging.model_copy(update={"systems": ()})})
    bare = initial_debate(opening_event(StructuredSettings()).model_copy(update={"config": config}))
    assert score(bare, runs=runs) == ()
    assert [item.decides for item in score(with_judging_run(bare, "r2", PanelSettings()))] == [True]


def test_given_settings_replace_stored_ones() -> None:
    """With all weight on evidence, the other debater wins."""
    turns = [opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1")]
    given = [*argument_marks(PRO, "PRO-1", 10, 4, 10, 10), *argument_marks(CON, "CON-1", 1, 9, 1, 1)]
    debate = build_debate(opening_event(StructuredSettings()), turns, [assessment("structured", given)])
    weights = StructuredWeights(logic=0, evidence=1, responsiveness=0, honesty=0)
    (first,), (second,) = score(debate), score(debate, settings={"structured": StructuredSettings(weights=weights)})
    assert (first.winner, second.winner, second.scores) == (PRO, CON, {PRO: 4.0, CON: 9.0})


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_an_unjudged_debate_is_undetermined(turns: int) -> None:
    """No system invents a score, and each names what is missing."""
    systems = (
        StructuredSettings(),
        ModeratorSettings(),
        PanelSettings(),
        LiveSettings(),
        PersuasionSettings(effects="judge"),
    )
    debate = build_debate(opening_event(*systems), [speech(index, (PRO, CON)[index % 2]) for index in range(turns)])
    found = score(debate)
    assert [verdict.victory for verdict in found] == ["undetermined"] * 5
    assert all(verdict.notes["missing"] for verdict in found)
