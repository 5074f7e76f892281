"""A debate that was judged while it was unfinished, and gone on with afterwards: who judged a part decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from formats_support import NOON, begun, config, spoken
from judging_support import judged_later, settle_all

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
from debate_cli.storage.transcript_index import IndexEntry, load_index_entry
from debate_cli.systems.rubric import Rubric
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.settings import StructuredSettings, StructuredWeights
from debate_cli.systems.structured.trace import newest_run


def stopped_and_judged() -> Debate:
    """Both openings were given, the budget was reached, and a later run judged what was there."""
    stopped = spoken(begun(config()), waves=1).apply(DebateClosed(at=NOON, reason="budget"))
    return settle_all(judged_later(stopped, "structured"))


@pytest.fixture(scope="module")
def finished() -> Debate:
    """The same debate, resumed and judged to its end; read from its file in between."""
    stored = fold(transcript_to_events(to_transcript(stopped_and_judged())))
    resumed = spoken(stored.apply(DebateResumed(at=NOON)))
    return settle_all(resumed).apply(DebateClosed(at=NOON, reason="complete"))


def test_while_the_debate_stands_still_the_run_heard_all() -> None:
    """Nothing is said of a part, and the run has the word."""
    debate = stopped_and_judged()
    (verdict,) = score(debate)
    assert (verdict.run, verdict.notes["missing"]) == ("r2", [])
    assert "heard" not in transcript_to_json(to_transcript(debate))["runs"][0]


def test_the_run_that_heard_all_has_the_word(finished: Debate) -> None:
    """The debate's own, although the other one is newer; in the trace of claims, too."""
    assert [verdict.run for verdict in score(finished)] == ["r1"]
    assert score(finished, runs="all")[0].run == "r1"
    newest = newest_run(finished, "structured")
    assert newest is not None
    assert newest.id == "r1"


def test_a_verdict_on_a_part_says_so(finished: Debate) -> None:
    """With the number of speeches that its judges were shown."""
    (verdict,) = score(finished, runs="r2")
    assert verdict.notes["missing"] == ["r2 judged the debate when 2 of its 6 speeches had been made."]


def test_a_judging_after_the_end_has_the_word_again(finished: Debate) -> None:
    """It is the newest that heard all."""
    judged = settle_all(judged_later(finished, "structured"))
    later = judged.model_copy(update={"runs": (*finished.runs, judged.runs[-1].model_copy(update={"id": "r3"}))})
    moved = [item.model_copy(update={"run": "r3"}) for item in finished.assessments_of_system("structured", "r1")]
    assert [item.run for item in score(later.with_assessments([*finished.assessments, *moved]))] == ["r3"]


def test_its_word_on_who_decides_counts_no_more() -> None:
    """Of two explicit words on it that of the run that heard all is taken."""
    settings = config(None, ["structured", {"kind": "moderator", "guidance": False}])
    judging = settings.judging.model_copy(update={"decides": "structured"})
    stopped = spoken(begun(settings.model_copy(update={"judging": judging})), waves=1).apply(
        DebateClosed(at=NOON, reason="budget")
    )
    later = JudgingConfig.model_validate({"systems": ["moderator"], "decides": "moderator"})
    judged = settle_all(stopped.apply(JudgingOpened(at=NOON, run="r2", judging=later)))
    whole = settle_all(spoken(judged.apply(DebateResumed(at=NOON))))
    assert [verdict.system for verdict in score(judged) if verdict.decides] == ["moderator"]
    assert [(verdict.system, verdict.run) for verdict in score(whole) if verdict.decides] == [("structured", "r1")]


def test_who_judges_turn_by_turn_has_heard_all() -> None:
    """Persuasion is asked about the turns made since: nothing is said of a part, and the newest has the word."""
    stopped = spoken(begun(config(None, ["persuasion"])), waves=1).apply(DebateClosed(at=NOON, reason="budget"))
    whole = settle_all(spoken(settle_all(judged_later(stopped, "persuasion")).apply(DebateResumed(at=NOON))))
    (verdict,) = score(whole)
    assert (verdict.run, verdict.notes["missing"]) == ("r2", [])


def test_a_rubric_is_laid_over_the_settings_of_the_run_that_has_the_word(finished: Debate) -> None:
    """And not over those of the one that judged a part."""
    other = StructuredSettings(weights=StructuredWeights(logic=1, evidence=0, responsiveness=0, honesty=0))
    first, later = finished.runs
    judging = later.judging.model_copy(update={"systems": (other,)})
    debate = finished.model_copy(update={"runs": (first, later.model_copy(update={"judging": judging}))})
    laid = Rubric({"structured": {"fallacy_penalty": 0.25}}).settings(debate)["structured"]
    assert isinstance(laid, StructuredSettings)
    assert laid.weights == StructuredSettings().weights


def test_what_a_run_heard_is_kept(finished: Debate) -> None:
    """In the transcript; read back either way the debate is the same."""
    transcript = to_transcript(finished, score(finished, runs="all"))
    assert transcript_to_json(transcript)["runs"][0]["heard"] == 2
    assert transcript_to_debate(transcript) == finished
    assert fold(transcript_to_events(transcript)).runs == finished.runs


def test_the_index_counts_the_run_that_judged_all_turns(finished: Debate, tmp_path: Path) -> None:
    """A newer run that judged a part of the debate does not replace it."""
    path = tmp_path / "d.json"
    write_transcript(path, to_transcript(finished, score(finished, runs="all")), str)
    entry = load_index_entry(path)
    assert isinstance(entry, IndexEntry)
    assert [item.run for item in entry.conclusions] == ["r1"]
