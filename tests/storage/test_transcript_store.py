"""Finding debates, and which of journal and transcript is read."""

import os
from pathlib import Path

import pytest
from storage_support import AT, opening_event, small_debate, turn

from debate_cli.domain.debate import fold
from debate_cli.domain.events import DebateClosed, DebateResumed, Event, JudgingOpened, TurnCompleted
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.errors import TranscriptError, UsageError
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.journal import Journal
from debate_cli.storage.transcript import to_transcript, write_transcript
from debate_cli.storage.transcript_store import expand_references, find_debate, open_debate, transcript_dirs

WHOLE = small_debate()
HALF: list[Event] = [opening_event(), TurnCompleted(at=AT, turn=turn(0)), DebateClosed(at=AT, reason="interrupted")]
RESUMED: list[Event] = [*HALF, DebateResumed(at=AT), TurnCompleted(at=AT, turn=turn(1))]
JUDGED: list[Event] = [
    *WHOLE,
    JudgingOpened(at=AT, run="r2", judging=JudgingConfig()),
    DebateClosed(at=AT, reason="complete"),
]


def journalled(path: Path, events: list[Event]) -> Path:
    """A journal of these events."""
    Journal.create(path, events, Redactor()).close()
    return path


def transcribed(path: Path, events: list[Event]) -> Path:
    """A transcript of the debate of these events."""
    write_transcript(path, to_transcript(fold(events)), Redactor())
    return path


@pytest.mark.parametrize(
    ("whole", "journal", "counts"),
    [
        (WHOLE, WHOLE, ".json"),
        (HALF, HALF, ".json"),
        (HALF, RESUMED, ".jsonl"),
        (HALF, WHOLE, ".jsonl"),
        (WHOLE, WHOLE[:-1], ".jsonl"),
        (WHOLE, JUDGED, ".jsonl"),
        (JUDGED, JUDGED, ".json"),
    ],
)
def test_the_newer_of_transcript_and_journal_is_read(
    tmp_path: Path, whole: list[Event], journal: list[Event], counts: str
) -> None:
    """The transcript is read if it covers the closed journal, else the journal."""
    paths = transcribed(tmp_path / "a.json", whole), journalled(tmp_path / "a.jsonl", journal)
    found = {open_debate(path).path.suffix for path in paths}
    assert found == {counts}


def test_a_broken_transcript_is_an_error_without_a_journal(tmp_path: Path) -> None:
    """A broken transcript is an error unless a journal can be read in its place."""
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(TranscriptError, match="is cut off"):
        open_debate(tmp_path / "a.json")
    journalled(tmp_path / "a.jsonl", WHOLE)
    assert open_debate(tmp_path / "a.json").from_journal


@pytest.mark.parametrize("reference", ["a-debate", "{folder}/a-debate.jsonl", "{folder}/a-debate.json"])
def test_a_debate_is_found_by_id_and_by_path(tmp_path: Path, reference: str) -> None:
    """A debate with only a journal is found by the path of its future transcript too."""
    journalled(tmp_path / "a-debate.jsonl", HALF)
    found = find_debate(reference.format(folder=tmp_path), [tmp_path])
    assert open_debate(found).debate == fold(HALF)


def test_a_wrong_setting_in_the_environment_hides_no_debate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saved debates are searched although a variable for `run` has an error."""
    monkeypatch.setenv("DEBATE__FORMAT", "{")
    monkeypatch.setenv("DEBATE_OUT", "there")
    assert Path("there") in transcript_dirs()


@pytest.mark.parametrize("reference", ["nothing", "nothing.json", "no/thing", "../no-such-debate", "A b", ""])
def test_a_missing_debate_is_a_usage_error(tmp_path: Path, reference: str) -> None:
    """An unknown id, a missing path and an invalid id are usage errors."""
    with pytest.raises(UsageError):
        find_debate(reference, [tmp_path])


def test_the_beginning_of_an_id_suggests_the_newest_debate(tmp_path: Path) -> None:
    """Generated ids of one topic differ in their dates."""
    for day in (21, 22):
        journalled(tmp_path / f"should-a-startup-adopt-microservices-202611{day}-120000.jsonl", HALF)
    with pytest.raises(UsageError, match=r"did you mean `should-a-startup-adopt-microservices-20261122-120000`"):
        find_debate("should", [tmp_path])


def test_a_folder_stands_for_its_debates(tmp_path: Path) -> None:
    """A folder stands for its transcripts, and for journals without a transcript."""
    for name in ("b.json", "a.json", "a.jsonl", "c.jsonl", "transcript.schema.json", ".d.json", "e.lock", "notes.md"):
        (tmp_path / name).write_text("")
    assert [path.name for path in expand_references([str(tmp_path)])] == ["a.json", "b.json", "c.jsonl"]


def test_one_file_under_two_names_is_returned_once(tmp_path: Path) -> None:
    """The first spelling is kept, but not that of a link. Another spelling, a link, and its folder add nothing."""
    (tmp_path / "a").mkdir()
    one, two = (transcribed(tmp_path / "a" / f"{name}.json", WHOLE) for name in ("one", "two"))
    (tmp_path / "link.json").symlink_to(one)
    (tmp_path / "folder").symlink_to(one.parent)
    first = tmp_path / "a" / ".." / "a" / "one.json"
    references = [first, one, tmp_path / "link.json", tmp_path / "folder", one.parent]
    assert expand_references(map(str, references)) == [first, tmp_path / "folder" / two.name]
    (tmp_path / "a" / "link.json").symlink_to(one)
    assert expand_references([str(one.parent)]) == [one, two]


def test_a_transcript_with_the_longest_name_is_read(tmp_path: Path) -> None:
    """A transcript is read although the name of its journal would be too long."""
    path = transcribed(tmp_path / "a.json", WHOLE).rename(tmp_path / f"{'n' * 250}.json")
    assert open_debate(find_debate(str(path), [])).path == path


def test_a_name_that_is_too_long_is_an_error_of_the_file(tmp_path: Path) -> None:
    """It is not taken for a missing file or an id: opening the file reports the reason, with the start of the name."""
    path = Path("n" * 300 + ".json")
    assert (expand_references([str(path)], [tmp_path]), find_debate(str(path), [tmp_path])) == ([path], path)
    with pytest.raises(
        TranscriptError, match=r"^n{200}…: cannot be read \(File name too long\); give the path of a transcript$"
    ):
        open_debate(path)


@pytest.mark.parametrize("reference", ["{folder}", "{folder}/*.json"])
def test_an_empty_folder_or_glob_is_an_error(tmp_path: Path, reference: str) -> None:
    """The error says that no transcript was found."""
    with pytest.raises(UsageError, match="contains no transcripts"):
        expand_references([reference.format(folder=tmp_path)])


@pytest.mark.parametrize("name", ["deeper", "saved.json", "Saved Ones"])
def test_a_folder_is_not_a_debate(tmp_path: Path, name: str) -> None:
    """The error names the command that lists its debates."""
    (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match=r"is a folder; choose one of its debates, which `debate list .*` shows"):
        find_debate(str(tmp_path / name), [tmp_path / "elsewhere"])


def test_a_debate_beside_a_folder_of_the_same_name_is_found(tmp_path: Path) -> None:
    """A debate is found although a folder has its name."""
    (tmp_path / "a-debate").mkdir()
    whole = transcribed(tmp_path / "a-debate.json", WHOLE)
    assert open_debate(find_debate(str(tmp_path / "a-debate"), [])).path == whole


@pytest.mark.parametrize("reference", ["{folder}", "{folder}/*"])
def test_what_is_no_regular_file_is_not_left_out(tmp_path: Path, reference: str) -> None:
    """A folder or glob also stands for FIFOs, folders and broken links with the name of a transcript, except hidden ones."""
    whole = transcribed(tmp_path / "a.json", WHOLE)
    loop, pipe, folder = (tmp_path / f"{name}.json" for name in ("loop", "pipe", "folder"))
    loop.symlink_to(loop)
    os.mkfifo(pipe)
    folder.mkdir()
    os.mkfifo(tmp_path / ".hidden.json")
    (tmp_path / "deeper").mkdir()
    assert expand_references([reference.format(folder=tmp_path)]) == [whole, folder, loop, pipe]
    assert expand_references([str(folder), str(whole)]) == [folder, whole]


@pytest.mark.parametrize("reference", ["{folder}", "{folder}/*", "{folder}/**/*.json"])
def test_a_folder_of_debates_with_the_name_of_a_transcript_is_no_bad_file(tmp_path: Path, reference: str) -> None:
    """`import --out all.json` may make such a folder. Its debates count only if the reference names them."""
    whole = transcribed(tmp_path / "a.json", WHOLE)
    (tmp_path / "all.json").mkdir()
    inner = transcribed(tmp_path / "all.json" / "b.json", WHOLE)
    assert expand_references([reference.format(folder=tmp_path)]) == ([whole, inner] if "**" in reference else [whole])


def test_a_journal_is_found_beside_a_folder_with_the_name_of_its_transcript(tmp_path: Path) -> None:
    """A folder stands for the journal of a debate whose transcript is no file."""
    (tmp_path / "a.json").mkdir()
    journal = journalled(tmp_path / "a.jsonl", HALF)
    assert expand_references([str(tmp_path)]) == [journal]
