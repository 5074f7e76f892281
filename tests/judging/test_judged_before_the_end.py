"""A debate that was judged while it was unfinished, and gone on with afterwards: who judged a part decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from formats_support import NOON, begun, config, spoken
from judging_support import judged_later, settle_all

from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import Closed, Resumed
from debate_cli.scoring import score
from debate_cli.scoring.trace import newest_run
from debate_cli.storage.catalogue import glance, opened
from debate_cli.storage.transcript import debate_of, events_of, json_data, to_transcript
from debate_cli.storage.transcript_file import write


def stopped_and_judged() -> Debate:
    """Both openings were given, the budget was reached, and a later run judged what was there."""
    stopped = spoken(begun(config()), waves=1).apply(Closed(at=NOON, reason="budget"))
    return settle_all(judged_later(stopped, "structured"))


@pytest.fixture(scope="module")
def finished() -> Debate:
    """The same debate, resumed and judged to its end; read from its file in between."""
    stored = fold(events_of(to_transcript(stopped_and_judged())))
    resumed = spoken(stored.apply(Resumed(at=NOON)))
    return settle_all(resumed).apply(Closed(at=NOON, reason="complete"))


def test_while_the_debate_stands_still_the_run_heard_all() -> None:
    """Nothing is said of a part, and the run has the word."""
    debate = stopped_and_judged()
    (verdict,) = score(debate)
    assert (verdict.run, verdict.notes["missing"]) == ("r2", [])
    assert "heard" not in json_data(to_transcript(debate))["runs"][0]


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
    moved = [item.model_copy(update={"run": "r3"}) for item in finished.of_system("structured", "r1")]
    assert [item.run for item in score(later.with_assessments([*finished.assessments, *moved]))] == ["r3"]


def test_what_a_run_heard_is_kept(finished: Debate) -> None:
    """In the transcript; read back either way the debate is the same."""
    transcript = to_transcript(finished, score(finished, runs="all"))
    assert json_data(transcript)["runs"][0]["heard"] == 2
    assert debate_of(transcript) == finished
    assert fold(events_of(transcript)).runs == finished.runs


def test_the_list_goes_by_the_same_word(finished: Debate, tmp_path: Path) -> None:
    """Looked into as plain JSON, and opened."""
    path = tmp_path / "d.json"
    write(path, to_transcript(finished, score(finished, runs="all")), str)
    glanced, read = glance(path), opened(path)
    assert glanced == read
    assert glanced is not None
    assert [item.run for item in glanced.conclusions] == ["r1"]
