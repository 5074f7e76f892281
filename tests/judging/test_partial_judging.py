"""A run that judged an unfinished debate: once the debate is complete, a run that judged all turns takes precedence."""

from pathlib import Path

import pytest
from formats_support import NOON, config, new_debate, play_debate
from judging_support import judge_later, settle_all

from debate_cli.app.gates import Gates
from debate_cli.app.transcript_index import IndexEntry, load_index_entry
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import DebateClosed, DebateResumed, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.storage.transcript import (
    to_transcript,
    transcript_to_debate,
    transcript_to_events,
    transcript_to_json,
    write_transcript,
)
from debate_cli.systems.aggregation import newest_run
from debate_cli.systems.rubric import Rubric
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.settings import StructuredSettings, StructuredWeights


def judged_part() -> Debate:
    """A debate that the budget stopped after both openings, judged by a later run."""
    stopped = play_debate(new_debate(config()), waves=1).apply(DebateClosed(at=NOON, reason="budget"))
    return settle_all(judge_later(stopped, "structured"))


@pytest.fixture(scope="module")
def finished() -> Debate:
    """That debate, stored, read back, resumed and judged to its end."""
    stored = fold(transcript_to_events(to_transcript(judged_part())))
    resumed = play_debate(stored.apply(DebateResumed(at=NOON)))
    return settle_all(resumed).apply(DebateClosed(at=NOON, reason="complete"))


def test_while_the_debate_is_stopped_the_run_judged_all_turns() -> None:
    """Its verdict counts, and nothing is missing."""
    debate = judged_part()
    (verdict,) = score(debate)
    assert (verdict.run, verdict.notes["missing"]) == ("r2", [])
    assert "heard" not in transcript_to_json(to_transcript(debate))["runs"][0]


def test_a_run_that_judged_all_turns_takes_precedence(finished: Debate) -> None:
    """A complete run goes before a newer partial one, in verdicts and in the trace table."""
    assert [verdict.run for verdict in score(finished)] == ["r1"]
    assert score(finished, runs="all")[0].run == "r1"
    newest = newest_run(finished, "structured")
    assert newest is not None
    assert newest.id == "r1"
    (partial,) = score(finished, runs="r2")
    assert partial.notes["missing"] == ["The judging run r2 covers only the first 2 of 6 speeches."]


def test_a_verdict_on_a_part_of_the_debate_fails_the_gate_on_missing_judgements(finished: Debate) -> None:
    """The gate fails unless another run of the system judged all turns."""
    gates = Gates(fail_on=("missing",))
    assert gates.failure_messages(finished, score(finished, runs="all")) == []
    (problem,) = gates.failure_messages(finished, score(finished, runs="r2"))
    assert "in the judging run r2, structured judged only 2 of the 6 speeches" in problem


def test_a_run_after_the_end_takes_precedence(finished: Debate) -> None:
    """It is the newest one that judged all turns."""
    judged = settle_all(judge_later(finished, "structured"))
    later = judged.model_copy(update={"runs": (*finished.runs, judged.runs[-1].model_copy(update={"id": "r3"}))})
    moved = [item.model_copy(update={"run": "r3"}) for item in finished.assessments_of_system("structured", "r1")]
    assert [item.run for item in score(later.with_assessments([*finished.assessments, *moved]))] == ["r3"]


def test_decides_of_a_partial_run_is_ignored() -> None:
    """`decides` of the run that judged all turns applies."""
    settings = config(None, ["structured", {"kind": "moderator", "guidance": False}])
    judging = settings.judging.model_copy(update={"decides": "structured"})
    stopped = play_debate(new_debate(settings.model_copy(update={"judging": judging})), waves=1).apply(
        DebateClosed(at=NOON, reason="budget")
    )
    later = JudgingConfig.model_validate({"systems": ["moderator"], "decides": "moderator"})
    judged = settle_all(stopped.apply(JudgingOpened(at=NOON, run="r2", judging=later)))
    whole = settle_all(play_debate(judged.apply(DebateResumed(at=NOON))))
    assert [verdict.system for verdict in score(judged) if verdict.decides] == ["moderator"]
    assert [(verdict.system, verdict.run) for verdict in score(whole) if verdict.decides] == [("structured", "r1")]


def test_a_run_that_judges_each_turn_judges_later_turns_too() -> None:
    """Persuasion is asked about turns made since, so its run judged all turns."""
    stopped = play_debate(new_debate(config(None, ["persuasion"])), waves=1).apply(
        DebateClosed(at=NOON, reason="budget")
    )
    whole = settle_all(play_debate(settle_all(judge_later(stopped, "persuasion")).apply(DebateResumed(at=NOON))))
    (verdict,) = score(whole)
    assert (verdict.run, verdict.notes["missing"]) == ("r2", [])


def test_a_rubric_changes_the_settings_of_the_run_that_counts(finished: Debate) -> None:
    """A rubric changes the settings of the complete run, not those of the partial one."""
    other = StructuredSettings(weights=StructuredWeights(logic=1, evidence=0, responsiveness=0, honesty=0))
    first, later = finished.runs
    judging = later.judging.model_copy(update={"systems": (other,)})
    debate = finished.model_copy(update={"runs": (first, later.model_copy(update={"judging": judging}))})
    laid = Rubric({"structured": {"fallacy_penalty": 0.25}}).settings(debate)["structured"]
    assert isinstance(laid, StructuredSettings)
    assert laid.weights == StructuredSettings().weights


def test_the_number_of_judged_turns_is_stored(finished: Debate) -> None:
    """The transcript stores under `heard` how many turns a partial run judged."""
    transcript = to_transcript(finished, score(finished, runs="all"))
    assert transcript_to_json(transcript)["runs"][0]["heard"] == 2
    assert transcript_to_debate(transcript) == finished
    assert fold(transcript_to_events(transcript)).runs == finished.runs


def test_the_index_counts_the_run_that_judged_all_turns(finished: Debate, tmp_path: Path) -> None:
    """A newer, partial run does not replace it."""
    path = tmp_path / "d.json"
    write_transcript(path, to_transcript(finished, score(finished, runs="all")), str)
    entry = load_index_entry(path)
    assert isinstance(entry, IndexEntry)
    assert [item.run for item in entry.conclusions] == ["r1"]
