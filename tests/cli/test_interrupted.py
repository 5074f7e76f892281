"""Processes that are killed, stopped or doubled: what is on the disk resumes to the debate that nothing had disturbed."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS, RunningProcess, debate, start_process, wait_until

SLOW = ["run", str(CONFIGS / "mock.yaml"), "--id", "one", "--set", "models.default.latency_s=0.1",
        "--set", "models.judge.latency_s=0.1"]  # fmt: skip
"""A debate that takes half a second, most of which it waits."""
ENDLESS = [*SLOW, "--set", "models.default.latency_s=3600"]
"""One whose first answers never come."""
TIMES = frozenset({"started_at", "finished_at"})


def without_times(path: Path) -> dict[str, Any]:
    """A transcript, times aside."""
    return {key: value for key, value in json.loads(path.read_text()).items() if key not in TIMES}


def files(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The transcript of the slow debate, run in peace."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert debate(*SLOW, "-q", cwd=folder).code == 0
    return without_times(folder / "transcripts/one.json")


@pytest.fixture
def journal(here: Path) -> Path:
    """Where the journal of the debate is to be."""
    return here / "transcripts/one.jsonl"


@pytest.fixture
def transcript(here: Path) -> Path:
    """Where its transcript is to be."""
    return here / "transcripts/one.json"


def has_lines(journal: Path, count: int) -> Callable[[], bool]:
    """Whether so many events are in the journal."""
    return lambda: journal.exists() and journal.read_bytes().count(b"\n") >= count


def answered(journal: Path) -> int:
    """Answers in a journal."""
    events = [json.loads(line)["type"] for line in journal.read_bytes().splitlines()]
    return sum(event in {"turned", "assessed"} for event in events)


@contextmanager
def under_way(here: Path, journal: Path, command: list[str], lines: int = 3) -> Generator[RunningProcess]:
    """The debate, as far as `lines` events (with 3, both openings have been asked for)."""
    with start_process(*command, cwd=here) as running:
        wait_until(has_lines(journal, lines), f"{lines} events")
        yield running


@pytest.mark.parametrize("lines", [1, 4, 9, 14, 18])
def test_a_killed_debate_resumes_to_the_same_transcript(
    here: Path, journal: Path, transcript: Path, undisturbed: dict[str, Any], lines: int
) -> None:
    """SIGKILL after so many events; nothing differs but the times, and no journal or lock is left."""
    with under_way(here, journal, SLOW, lines) as running:
        running.signal(signal.SIGKILL)
        assert running.wait().code == 128 + signal.SIGKILL
    assert not transcript.exists()
    done = debate("run", "--resume", "one", "-q", cwd=here)
    assert done.code == 0, done.err
    assert without_times(transcript) == undisturbed
    assert files(transcript.parent) == ["one.json"]


def test_what_was_answered_is_not_asked_again(here: Path, journal: Path) -> None:
    """The cassette that both parts record holds every exchange once, those in flight at the kill aside."""
    tape = here / "tape"
    with under_way(here, journal, [*SLOW, "--record", str(tape)], 9) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    before = answered(journal)
    recorded = tape.read_bytes().count(b"\n") - 1
    assert debate("run", "--resume", "one", "--record", tape, "-q", cwd=here).code == 0
    assert tape.read_bytes().count(b"\n") - 1 - recorded == 11 - before


def test_killed_again_and_again_it_still_ends_the_same(
    here: Path, journal: Path, transcript: Path, undisturbed: dict[str, Any]
) -> None:
    """A resumed debate can be killed and resumed like the first."""
    with under_way(here, journal, SLOW, 3) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    for lines in (8, 16):
        with under_way(here, journal, ["run", "--resume", "one"], lines) as running:
            running.signal(signal.SIGKILL)
            running.wait()
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    assert without_times(transcript) == undisturbed


def test_a_kill_while_the_transcript_is_written_loses_nothing(
    here: Path, journal: Path, transcript: Path, undisturbed: dict[str, Any]
) -> None:
    """When both files are there, or the transcript alone, resuming finds the debate whole and asks nothing."""
    with start_process(*SLOW, cwd=here) as running:
        wait_until(transcript.exists, "the transcript")
        running.signal(signal.SIGKILL)
        running.wait()
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    assert without_times(transcript) == undisturbed
    assert not journal.exists()


def test_what_was_in_flight_is_told(here: Path, journal: Path) -> None:
    """A call without an answer may have been billed: resuming says whom it was made to, and for what."""
    with under_way(here, journal, SLOW, 3) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    out = debate("run", "--resume", "one", cwd=here).out
    assert "calls to Pro (opening, round 1) and Con (opening, round 1) were in flight" in out
    assert "turn/" not in out


def test_what_was_given_up_at_a_second_ctrl_c_is_told(here: Path, journal: Path, transcript: Path) -> None:
    """As after a crash, though the transcript alone is left."""
    with under_way(here, journal, ENDLESS, 3) as running:
        running.signal(signal.SIGINT)
        wait_until(lambda: "Stopping" in running.out.read_text() + running.err.read_text(), "the note")
        running.signal(signal.SIGINT)
        running.wait()
    assert json.loads(transcript.read_text())["unanswered"] == ["turn/0", "turn/1"]
    with start_process("run", "--resume", "one", cwd=here) as resumed:
        told = "calls to Pro (opening, round 1) and Con (opening, round 1) were in flight"
        wait_until(lambda: told in resumed.out.read_text(), "the note on the openings")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_stopped_debate_keeps_what_is_in(
    here: Path, journal: Path, transcript: Path, undisturbed: dict[str, Any], number: signal.Signals
) -> None:
    """Exit 130 and the command to go on with; the transcript is closed as interrupted; that command completes it."""
    with under_way(here, journal, SLOW, 6) as running:
        running.signal(number)
        done = running.wait()
    stopped = json.loads(transcript.read_text())
    assert (done.code, stopped["closed"], stopped["status"]) == (130, "interrupted", "incomplete")
    assert done.lines[-2].endswith("go on with:")
    assert done.lines[-1] == "debate run --resume transcripts/one.json", "alone on its line, to be copied whole"
    assert files(transcript.parent) == ["one.json"]
    assert len(stopped["turns"]) >= 1
    assert debate("score", "transcripts/one.json", "--check", cwd=here).code == 0
    assert debate("run", "--resume", "transcripts/one.json", "-q", cwd=here).code == 0
    assert without_times(transcript) == undisturbed


def test_answers_in_flight_are_waited_for(here: Path, journal: Path, transcript: Path) -> None:
    """One Ctrl-C: both openings, asked for at once, still come in, and nothing new is asked."""
    with under_way(here, journal, SLOW, 3) as running:
        running.signal(signal.SIGINT)
        running.wait()
    stopped = json.loads(transcript.read_text())
    assert [turn["phase"] for turn in stopped["turns"]] == ["opening", "opening"]
    assert stopped["usage"]["calls"] == 2


def test_a_second_ctrl_c_does_not_wait(here: Path, journal: Path, transcript: Path) -> None:
    """Answers that never come are given up; the transcript is readable and the debate resumable."""
    with under_way(here, journal, ENDLESS, 3) as running:
        running.signal(signal.SIGINT)
        wait_until(lambda: "Stopping" in running.out.read_text() + running.err.read_text(), "the note")
        running.signal(signal.SIGINT)
        done = running.wait()
    stopped = json.loads(transcript.read_text())
    assert (done.code, stopped["closed"], stopped["turns"]) == (130, "interrupted", [])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, 137)], ids=["stopped", "killed"])
def test_a_judging_cut_short_is_completed_by_resuming(saved: Path, number: signal.Signals, code: int) -> None:
    """Stopped, it keeps what came in; killed, the transcript is byte for byte as before. The debate itself stays whole."""
    here, before = saved.parent.parent, saved.read_bytes()
    config = here / "slow.yaml"
    config.write_text(
        "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
        "models: {judge: {model: mock/judge, latency_s: 0.2}, default: {model: mock/judge}}\n"
        "judging: {systems: [{kind: live}]}\n"
    )
    with start_process("judge", saved, "--config", config, cwd=here) as running:
        wait_until(lambda: saved.with_suffix(".jsonl").exists(), "the judging to begin")
        running.signal(number)
        assert running.wait().code == code
    own, cut = json.loads(before), json.loads(saved.read_text())
    assert [cut[key] for key in ("turns", "status", "closed")] == [own[key] for key in ("turns", "status", "closed")]
    assert number is signal.SIGINT or saved.read_bytes() == before
    assert debate("run", "--resume", saved, "-q", cwd=here).code == 0
    verdicts = {(verdict["run"], verdict["system"]): verdict for verdict in json.loads(saved.read_text())["verdicts"]}
    assert verdicts["r2", "live"]["victory"] != "undetermined"
    assert debate("score", saved, "--check", cwd=here).code == 0
    assert files(saved.parent) == ["saved.json"]


@pytest.mark.parametrize(
    "second", [["run", "--resume", "one"], ["judge", "transcripts/one.jsonl", "--system", "panel", "--mock"], [*SLOW, "--force"]],
    ids=["resume", "judge", "run"],
)  # fmt: skip
def test_a_second_process_on_the_same_debate_is_refused(
    here: Path, journal: Path, transcript: Path, undisturbed: dict[str, Any], second: list[str]
) -> None:
    """Exit 1 naming the process at work; the first one is not disturbed."""
    with under_way(here, journal, SLOW) as running:
        done = debate(*second, cwd=here)
        assert (done.code, f"process {running.pid} is at work" in done.err) == (1, True), done.err
        assert running.wait().code == 0
    assert without_times(transcript) == undisturbed


def test_a_torn_last_line_is_cut_off_and_told(
    here: Path, journal: Path, transcript: Path, undisturbed: dict[str, Any]
) -> None:
    """What the line told is asked again."""
    with under_way(here, journal, SLOW, 6) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    with journal.open("ab") as file:
        file.write(b'{"type":"turned","at":"2026-')
    done = debate("run", "--resume", "one", cwd=here)
    assert (done.code, "torn" in done.out) == (0, True)
    assert without_times(transcript) == undisturbed


def test_a_damaged_line_in_the_middle_is_an_error(here: Path, journal: Path) -> None:
    """Exit 2 naming file and line; not a byte is changed."""
    with under_way(here, journal, SLOW, 6) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], b'{"type":"turned"\n', *lines[1:]]))
    before = journal.read_bytes()
    done = debate("run", "--resume", "one", cwd=here)
    assert (done.code, len(done.lines), "transcripts/one.jsonl:2:" in done.err) == (2, 1, True), done.err
    assert journal.read_bytes() == before


@pytest.mark.parametrize("command", [["score"], ["replay", "--only", "turns"]], ids=" ".join)
def test_an_unfinished_debate_can_be_read(here: Path, journal: Path, command: list[str]) -> None:
    """While it runs, and after a crash: reading needs no lock and changes nothing."""
    with under_way(here, journal, SLOW, 6) as running:
        assert debate(*command, "transcripts/one.jsonl", cwd=here).code == 0
        running.signal(signal.SIGKILL)
        running.wait()
    before = journal.read_bytes()
    assert debate(*command, "transcripts/one.jsonl", cwd=here).code == 0
    assert journal.read_bytes() == before


def test_resuming_under_another_configuration_lists_the_differences(here: Path, journal: Path) -> None:
    """Exit 2 with a line per setting; nothing is asked, and the journal is as it was."""
    with under_way(here, journal, SLOW) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    before = journal.read_bytes()
    done = debate(*SLOW[:2], "--resume", "one", "--set", "format.arguments=2", "--seed", "8", cwd=here)
    assert done.code == 2
    assert {line.strip().split(":")[0] for line in done.lines[1:]} == {
        "format.arguments", "seed", "models.default.latency_s", "models.judge.latency_s",
    }  # fmt: skip
    assert journal.read_bytes() == before


def test_resuming_under_the_same_configuration_is_fine(here: Path, journal: Path, transcript: Path) -> None:
    """CONFIG may be named again, as long as it says the same."""
    with under_way(here, journal, SLOW) as running:
        running.signal(signal.SIGKILL)
        running.wait()
    assert debate(*SLOW[:2], *SLOW[4:], "--resume", "one", "-q", cwd=here).code == 0
    assert json.loads(transcript.read_text())["status"] == "complete"


def test_a_debate_whose_journal_vanishes_is_printed(here: Path, journal: Path) -> None:
    """Exit 1, one sentence, and on stdout the debate so far as JSON."""
    with under_way(here, journal, [*SLOW, "--json"], 4) as running:
        journal.unlink()
        done = running.wait()
    assert (done.code, len(done.lines)) == (1, 1), done.err
    assert "one.jsonl" in done.err
    assert (done.json["id"], len(done.json["turns"]) >= 1) == ("one", True)
