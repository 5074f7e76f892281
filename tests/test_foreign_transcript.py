"""A file that another program writes where a debate keeps its transcript: the debate never replaces it unasked."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rehearsal_support import config_of

from debate_cli.app.context import RunContext
from debate_cli.app.session import Outcome, Session
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Event, JudgingOpened, TurnCompleted
from debate_cli.errors import StorageError, UsageError
from debate_cli.observer import NullObserver
from debate_cli.storage.journal import Journal, read_journal
from debate_cli.storage.transcript import to_transcript, transcript_to_events
from debate_cli.storage.transcript_store import open_debate

FOREIGN = '{"not": "ours"}'


class Intruder(NullObserver):
    """Runs `act` at the first event of a kind."""

    def __init__(self, kind: type[Event], act: Callable[[], object]) -> None:
        self._kind = kind
        self._act = act
        self._done = False

    def event(self, event: Event, debate: Debate) -> None:
        """See `Observer`."""
        if isinstance(event, self._kind) and not self._done:
            self._done = True
            self._act()


def session(observer: NullObserver | None = None) -> Session:
    """A session on the mock."""
    return Session(RunContext(config_of(), observer=observer or NullObserver()))


def interrupted_run(path: Path) -> None:
    """Begin a debate at `path` while another program writes the same file."""
    intruder = Intruder(TurnCompleted, lambda: path.write_text(FOREIGN))
    with pytest.raises(StorageError) as caught:
        asyncio.run(session(intruder).begin("one", path.parent))
    assert str(caught.value) == (
        f"{path}: another program wrote this file during the run, so it was not replaced; move it away; the debate so "
        f"far is in {path.with_suffix('.jsonl')}; resume it with: debate run --resume {path}"
    )


def resume(path: Path, *, force: bool = False) -> Outcome:
    """Resume the debate whose journal is beside `path`."""
    return asyncio.run(session().resume(open_debate(path), force=force))


def test_a_file_that_appears_during_a_run_is_not_replaced(tmp_path: Path) -> None:
    """The whole debate is in its journal. The advice is true: once the file is moved away, resuming saves the debate."""
    path = tmp_path / "one.json"
    interrupted_run(path)
    assert path.read_text() == FOREIGN
    path.rename(tmp_path / "theirs.json")
    outcome = resume(path)
    assert (outcome.debate.status, json.loads(path.read_text())["status"]) == ("complete", "complete")
    assert not path.with_suffix(".jsonl").exists()


@pytest.mark.parametrize("is_readable", [True, False])
def test_a_resumed_debate_refuses_a_file_that_is_not_its_own(tmp_path: Path, *, is_readable: bool) -> None:
    """Before anything is asked. The message does not call an unreadable file another debate. `--force` replaces it."""
    path = tmp_path / "one.json"
    interrupted_run(path)
    if is_readable:
        asyncio.run(session().begin("other", tmp_path))
        (tmp_path / "other.json").replace(path)
    before, journal = path.read_bytes(), path.with_suffix(".jsonl").read_bytes()
    problem = "is not" if is_readable else "cannot be read as"
    with pytest.raises(
        UsageError, match=f"one.json: {problem} the transcript of the debate in one.jsonl; move it away"
    ):
        resume(path)
    assert (path.read_bytes(), path.with_suffix(".jsonl").read_bytes()) == (before, journal)
    resume(path, force=True)
    assert open_debate(path).debate.status == "complete"


def test_a_file_that_was_there_before_is_replaced_with_force(tmp_path: Path) -> None:
    """Also if it has changed meanwhile."""
    path = tmp_path / "one.json"
    path.write_text("old")
    intruder = Intruder(TurnCompleted, lambda: path.write_text(FOREIGN))
    asyncio.run(session(intruder).begin("one", tmp_path, force=True))
    assert open_debate(path).debate.status == "complete"


def test_a_resumed_debate_replaces_its_own_older_transcript(tmp_path: Path) -> None:
    """The transcript of a stopped run, with and without a journal that is newer."""
    path = tmp_path / "one.json"
    asyncio.run(session().begin("one", tmp_path))
    whole = open_debate(path).debate
    stopped = whole.model_copy(update={"closed": "interrupted", "turns": whole.turns[:2], "assessments": ()})
    events = transcript_to_events(to_transcript(stopped))
    for has_journal in (True, False):
        path.write_text(to_transcript(stopped).model_dump_json(exclude_none=False))
        if has_journal:
            Journal.create(path.with_suffix(".jsonl"), events[:-1], str).close()
        assert open_debate(path).from_journal is has_journal
        assert resume(path).debate.status == "complete"
        assert open_debate(path).debate.status == "complete"


def test_a_transcript_that_changes_while_it_is_judged_is_kept(tmp_path: Path) -> None:
    """The judgements are in the journal."""
    path = tmp_path / "one.json"
    asyncio.run(session().begin("one", tmp_path))
    whole = open_debate(path).debate
    opening = JudgingOpened(at=whole.started_at, run="r2", judging=whole.config.judging)
    intruder = Intruder(JudgingOpened, lambda: path.write_text(FOREIGN))
    judging = session(intruder).judge(transcript_to_events(to_transcript(whole)), [opening], path)
    with pytest.raises(StorageError, match="another program wrote this file"):
        asyncio.run(judging)
    assert path.read_text() == FOREIGN
    assert any(isinstance(event, JudgingOpened) for event in read_journal(path.with_suffix(".jsonl")).events)


def test_a_debate_without_its_journal_does_not_replace_a_foreign_file(tmp_path: Path) -> None:
    """Another program removes the journal and writes the transcript's file: the debate is printed instead."""
    path = tmp_path / "one.json"

    def intrude() -> None:
        path.with_suffix(".jsonl").unlink()
        path.write_text(FOREIGN)

    with pytest.raises(StorageError, match="the journal was removed"):
        asyncio.run(session(Intruder(TurnCompleted, intrude)).begin("one", tmp_path))
    assert path.read_text() == FOREIGN
