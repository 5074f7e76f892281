"""Pipes that close, devices that are full, disks without room, folders that are read-only: nothing is lost silently."""

import json
import os
from pathlib import Path

import pytest
from cli_support import CONFIGS, CommandResult, debate, files_limited_to, run_in_shell, start_process

MOCK = CONFIGS / "mock.yaml"
PIPE_CLOSED = 141


@pytest.fixture(scope="session")
def size(saved_once: Path) -> int:
    """Bytes of the transcript of `MOCK`."""
    return saved_once.stat().st_size


def run_without_reader(command: str, cwd: Path) -> CommandResult:
    """Run `debate COMMAND` with stdout in a pipe whose reader leaves at once."""
    pipe = cwd / "pipe"
    os.mkfifo(pipe)
    with start_process(*command.split(), cwd=cwd, stdout=pipe) as process:
        os.close(os.open(pipe, os.O_RDONLY))
        return process.wait()


@pytest.mark.parametrize("redirection", ["", "2>&1"], ids=["stdout", "both"])
def test_a_run_whose_reader_leaves_stops_and_can_be_resumed(here: Path, redirection: str) -> None:
    """Exit 141; stderr, if it is still read, says how to resume."""
    command = f"debate run {MOCK} --id one --set models.default.latency_s=0.3 {redirection}"
    done = run_in_shell(f"{command} | head -n 1; exit ${{PIPESTATUS[0]}}", here)
    stopped = json.loads((here / "transcripts/one.json").read_text())
    assert (done.code, stopped["closed"], stopped["status"]) == (PIPE_CLOSED, "interrupted", "incomplete")
    assert done.lines[2:] == ([] if redirection else ["debate run --resume transcripts/one.json"])
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0


def test_an_import_whose_reader_leaves_is_saved(here: Path) -> None:
    """`import` writes the transcript even if the pipe of its output is closed."""
    text = "Ada: We should.\n\nBo: We should not.\n\n"
    (here / "talk.txt").write_text(text * 400)
    done = run_without_reader("import talk.txt -o talk.json", here)
    assert (done.code, (here / "talk.json").exists()) == (0, True), done.err


def test_help_whose_reader_leaves_is_a_closed_pipe(here: Path) -> None:
    """Exit 141, as for any output; nothing on stderr."""
    done = run_in_shell("debate run --help | true; exit ${PIPESTATUS[0]}", here)
    assert (done.code, done.err) == (PIPE_CLOSED, "")


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        pytest.param("replay saved", {0, PIPE_CLOSED}, marks=pytest.mark.soak),
        pytest.param("score saved --json", {0, PIPE_CLOSED}, marks=pytest.mark.soak),
        ("score saved --fail-under 10", {5, PIPE_CLOSED}),
        ("run --resume saved --json", {PIPE_CLOSED}),
    ],
)
def test_commands_end_quietly_without_a_reader(saved: Path, command: str, codes: set[int]) -> None:
    """The exit code that the command chose counts; stderr holds no traceback."""
    done = run_without_reader(command, saved.parent.parent)
    assert done.code in codes
    assert not any(words in done.err for words in ("Traceback", "BrokenPipe", "Errno", "unexpected", "Exception"))


@pytest.mark.parametrize(
    "command",
    [
        f"run {MOCK} --no-save --json",
        pytest.param(f"run {MOCK} --no-save -q", marks=pytest.mark.soak),
        "judge saved --mock --no-save --json",
        pytest.param("judge saved --mock --no-save -q", marks=pytest.mark.soak),
    ],
)
def test_a_result_that_is_nowhere_is_not_silent(saved: Path, command: str) -> None:
    """Without a file and a reader, the exit code is 141, and stderr says that nothing is saved."""
    done = run_without_reader(command, saved.parent.parent)
    assert (done.code, "nothing is saved (--no-save)" in done.lines[-1]) == (PIPE_CLOSED, True), done.err


@pytest.mark.parametrize(
    ("command", "state"),
    [
        ("score saved --json", ""),
        ("replay saved", ""),
        (f"run {MOCK} --id one", "transcripts/one.jsonl"),
        (f"run {MOCK} --id one --json", "transcripts/one.json"),
        ("judge saved --mock --json", "transcripts/saved.json"),
    ],
)
def test_a_full_device_is_one_sentence(saved: Path, command: str, state: str) -> None:
    """Exit 1; the sentence says where the debate is saved."""
    with start_process(*command.split(), cwd=saved.parent.parent, stdout=Path("/dev/full")) as process:
        done = process.wait()
    assert (done.code, len(done.lines)) == (1, 1), done.err
    assert "standard output cannot be written (No space left on device)" in done.err
    assert state in done.err


def test_judging_a_folder_goes_on_without_a_reader(saved: Path) -> None:
    """Each file is judged and saved, even if stdout is closed."""
    here, folder = saved.parent.parent, saved.parent
    for name in ("a", "b"):
        (folder / f"{name}.json").write_text(saved.read_text())
    done = run_without_reader("judge transcripts --system live --mock --concurrency 1", here)
    assert (done.code in {0, PIPE_CLOSED}, done.err.count("saved: ")) == (True, 3), done.err
    assert {len(json.loads(path.read_text())["runs"]) for path in folder.glob("*.json")} == {1}


def test_a_disk_that_fills_up_leaves_the_debate_so_far(here: Path, size: int) -> None:
    """It is in the journal, which the command on stderr resumes when there is room; stdout is empty."""
    with files_limited_to(size // 2):
        done = debate("run", MOCK, "--id", "one", "-q", cwd=here)
    assert (done.code, len(done.lines), "free some space" in done.err) == (1, 1, True)
    assert done.out == ""
    assert done.err.endswith("transcripts/one.jsonl; resume it with: debate run --resume transcripts/one.json\n")
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    assert [path.name for path in (here / "transcripts").iterdir()] == ["one.json"]


def test_a_transcript_without_room_keeps_the_journal(here: Path, size: int) -> None:
    """The debate is complete; resuming writes it and asks nothing."""
    with files_limited_to(size - 1024):
        done = debate("run", MOCK, "--id", "one", "-q", cwd=here)
    assert (done.code, done.out, "resume it with: debate run --resume transcripts/one.json" in done.err) == (
        1,
        "",
        True,
    )
    assert [path.name for path in (here / "transcripts").iterdir()] == ["one.jsonl"]
    tape = here / "tape"
    assert debate("run", "--resume", "one", "-q", "--record", tape, cwd=here).code == 0
    assert not tape.exists() or tape.read_bytes().count(b"\n") <= 1
    assert len(json.loads((here / "transcripts/one.json").read_text())["turns"]) == 6


def test_judging_on_a_full_disk_leaves_the_transcript_unchanged(saved: Path, size: int) -> None:
    """On a full disk judging ends with exit code 1, and the transcript is unchanged."""
    before = saved.read_bytes()
    with files_limited_to(size // 2):
        done = debate("judge", "saved", "--mock", "--system", "live", cwd=saved.parent.parent)
    assert (done.code, saved.read_bytes()) == (1, before)


@pytest.mark.parametrize("command", [f"run {MOCK} --id one", "judge saved --mock"])
def test_nothing_is_asked_if_no_folder_can_be_made(saved: Path, command: str) -> None:
    """Exit 1 and one line, before any call."""
    done = debate(*command.split(), "--out", "/proc/debates", cwd=saved.parent.parent)
    assert (done.code, done.out, len(done.lines), "/proc/debates" in done.err) == (1, "", 1, True), done.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("command", [f"run {MOCK} --id one", "judge saved --mock", "score saved --write"])
def test_a_read_only_folder_stays_unchanged(saved: Path, command: str) -> None:
    """Exit 1 and one line that names what cannot be written."""
    before = saved.read_bytes()
    saved.parent.chmod(0o555)
    try:
        done = debate(*command.split(), cwd=saved.parent.parent)
        assert (done.code, len(done.lines), "transcripts" in done.err) == (1, 1, True), done.err
        assert (saved.read_bytes(), list(saved.parent.iterdir())) == (before, [saved])
    finally:
        saved.parent.chmod(0o755)
