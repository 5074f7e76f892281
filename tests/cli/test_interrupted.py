"""Debates that are killed or stopped: what is on disk resumes to the debate that an undisturbed run produces."""

import json
import shutil
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_support import (
    CONFIGS,
    RunningProcess,
    debate,
    run_in_shell,
    run_on_terminal,
    start_process,
    wait_until,
    write_config,
)
from model_server import model_server
from saved_support import without_times

MOCK = str(CONFIGS / "mock.yaml")
SLOW = ["run", MOCK, "--id", "one", "--set", "models.default.latency_s=0.1", "--set", "models.judge.latency_s=0.1"]
"""A debate that takes half a second, most of it waiting."""
ENDLESS = ["run", MOCK, "--id", "one", "--set", "models.default.latency_s=3600"]
"""A debate whose first answers never come."""
BOTH_OPENINGS_ASKED = 3
"""Lines of the journal once both openings are in flight."""
JUDGE_ASKED = 6
"""Lines of the journal once both openings are given and a judge of the debate is asked."""


def has_lines(journal: Path, count: int) -> Callable[[], bool]:
    """A condition: the journal holds at least `count` events."""
    return lambda: journal.exists() and journal.read_bytes().count(b"\n") >= count


@contextmanager
def start_debate(here: Path, command: list[str], lines: int = BOTH_OPENINGS_ASKED) -> Generator[RunningProcess]:
    """Start a command; enter the block once the journal holds `lines` events."""
    with start_process(*command, cwd=here) as running:
        wait_until(has_lines(here / "transcripts/one.jsonl", lines), f"{lines} events")
        yield running


def kill_debate(here: Path, command: list[str], lines: int = BOTH_OPENINGS_ASKED) -> None:
    """Start a command and kill it once the journal holds `lines` events."""
    with start_debate(here, command, lines) as running:
        running.signal(signal.SIGKILL)
        assert running.wait().code == 128 + signal.SIGKILL


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The transcript of the slow debate, run without disturbance."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert debate(*SLOW, "-q", cwd=folder).code == 0
    return without_times(folder / "transcripts/one.json")


@pytest.fixture(scope="session")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of the slow debate, killed after both openings were asked; not to be changed."""
    folder = tmp_path_factory.mktemp("killed")
    kill_debate(folder, SLOW)
    return folder / "transcripts/one.jsonl"


@pytest.fixture
def journal(killed_once: Path, here: Path) -> Path:
    """A copy of that journal, `transcripts/one.jsonl` in `here`."""
    path = here / "transcripts/one.jsonl"
    path.parent.mkdir()
    shutil.copy(killed_once, path)
    return path


@pytest.mark.parametrize(
    "lines", [pytest.param(1, marks=pytest.mark.soak), 9, pytest.param(14, marks=pytest.mark.soak)]
)
def test_a_killed_debate_resumes_to_the_same_transcript(here: Path, undisturbed: dict[str, Any], lines: int) -> None:
    """SIGKILL, also of the resumed run: only times differ, no answered call is repeated, no journal or lock is left."""
    tape, transcript, journal = here / "tape", here / "transcripts/one.json", here / "transcripts/one.jsonl"
    kill_debate(here, SLOW, lines)
    kill_debate(here, ["run", "--resume", "one", "--record", str(tape)], journal.read_bytes().count(b"\n") + 1)
    assert not transcript.exists()
    events = [json.loads(line)["type"] for line in journal.read_bytes().splitlines()]
    answered = sum(event in {"turned", "assessed"} for event in events)
    recorded = tape.read_bytes().count(b"\n") if tape.exists() else 1  # the header, which comes with the first call
    assert debate("run", "--resume", "one", "--record", tape, "-q", cwd=here).code == 0
    assert without_times(transcript) == undisturbed
    assert tape.read_bytes().count(b"\n") - recorded == 11 - answered
    assert list(transcript.parent.iterdir()) == [transcript]


def test_a_kill_while_the_transcript_is_written_loses_nothing(here: Path, undisturbed: dict[str, Any]) -> None:
    """The transcript may exist with or without the journal; resuming asks nothing."""
    transcript = here / "transcripts/one.json"
    with start_process(*SLOW, cwd=here) as running:
        wait_until(transcript.exists, "the transcript")
        running.signal(signal.SIGKILL)
        running.wait()
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    assert without_times(transcript) == undisturbed
    assert [path for path in transcript.parent.iterdir() if path.suffix != ".lock"] == [transcript]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_one_signal_waits_for_calls_in_flight(here: Path, undisturbed: dict[str, Any], number: signal.Signals) -> None:
    """Exit 130 with the command that resumes; both openings, in flight, are kept, and nothing new is asked."""
    transcript = here / "transcripts/one.json"
    with start_debate(here, SLOW) as running:
        running.signal(number)
        done = running.wait()
    stopped = json.loads(transcript.read_text())
    assert (done.code, stopped["closed"], stopped["status"]) == (130, "interrupted", "incomplete")
    assert ([turn["phase"] for turn in stopped["turns"]], stopped["usage"]["calls"]) == (["opening", "opening"], 2)
    cause = "the user" if number is signal.SIGINT else number.name
    assert done.lines[-2] == f"debate: stopped by {cause} (debate explain interrupted); resume with:"
    assert done.lines[-1] == "debate run --resume transcripts/one.json", "alone on its line, to be copied"
    assert debate("score", "one", "--check", cwd=here).code == 0
    assert debate("run", "--resume", "transcripts/one.json", "-q", cwd=here).code == 0
    assert without_times(transcript) == undisturbed


@pytest.mark.parametrize(("number", "cause"), [(signal.SIGINT, "the user"), (signal.SIGTERM, "SIGTERM")])
def test_a_stop_during_the_last_call_completes_the_debate(here: Path, number: signal.Signals, cause: str) -> None:
    """Exit 130. The debate is closed as complete, so no command to resume it is printed, and a resume asks nothing."""
    write_config(
        here,
        "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\nformat: {phases: [opening]}\n"
        "models: {default: {model: mock/a, latency_s: 0.5}}\njudging: {systems: [structured]}\n",
    )
    with start_debate(here, ["run", "debate.yaml", "--id", "one"], JUDGE_ASKED) as running:
        running.signal(number)
        done = running.wait()
    stopped = json.loads((here / "transcripts/one.json").read_text())
    assert (done.code, stopped["closed"], stopped["status"]) == (130, "complete", "complete")
    assert [verdict["victory"] != "undetermined" for verdict in stopped["verdicts"]] == [True]
    assert done.lines[-2:] == [
        "saved: transcripts/one.json",
        f"debate: stopped by {cause} after the last answer (debate explain interrupted); the debate is complete",
    ]
    assert "no model was asked" in debate("run", "--resume", "one", cwd=here).out


@pytest.mark.parametrize("options", [["-q"], ["--json"]], ids=" ".join)
def test_a_second_ctrl_c_does_not_wait(here: Path, options: list[str]) -> None:
    """The first is answered by one line on stderr; after the second the calls are given up and named on resuming."""
    with start_debate(here, [*ENDLESS, *options]) as running:
        running.signal(signal.SIGINT)
        wait_until(lambda: running.err.read_text().endswith("\n"), "the note")
        note, data = running.err.read_text(), running.out.read_text()
        running.signal(signal.SIGINT)
        assert running.wait().code == 130
    assert ("Stopping" in note, note.count("\n"), data) == (True, 1, "")
    stopped = json.loads((here / "transcripts/one.json").read_text())
    assert (stopped["closed"], stopped["turns"], stopped["unanswered"]) == ("interrupted", [], ["turn/0", "turn/1"])


@pytest.mark.parametrize(("key", "code", "pauses"), [("\x1c", 131, 1), ("\x1a", 130, 2)], ids=["quit", "suspend"])
def test_the_terminal_gets_its_cursor_back(here: Path, key: str, code: int, pauses: int) -> None:
    r"""Ctrl-\ ends the process; Ctrl-Z suspends it (which a process without a shell ignores), and Ctrl-C stops it then."""
    slow = ["--set", "models.default.tokens_per_second=150"]
    command = ["run", MOCK, "--no-save", *slow]
    ended, drawn = run_on_terminal(
        *command, cwd=here, keys=f"{key}\x03", after="turn 2", env={"TERM": "xterm"}, columns=80
    )
    assert (ended, drawn.count("\x1b[?25h")) == (code, pauses)
    assert drawn.rfind("\x1b[?25h") > drawn.rfind("\x1b[?25l")


def test_a_signal_that_the_parent_ignores_stays_ignored(here: Path) -> None:
    """SIGHUP does not stop a run whose parent ignores it, as `nohup` does."""
    started = "until [ -e transcripts/one.jsonl ]; do sleep 0.02; done"
    script = f"trap '' HUP; debate {' '.join(SLOW)} -q & {started}; kill -HUP $!; wait $!"
    assert run_in_shell(script, here).code == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=lambda number: number.name)
def test_a_request_whose_answer_never_came_counts(here: Path, number: signal.Signals) -> None:
    """A request without an answer counts against the budget with its prompt and its output limit."""
    with model_server(latency_s=3600) as server:
        write_config(
            here,
            "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
            f"providers: {{vllm: {{base_url: '{server.base_url}', api_key_env: null}}}}\n"
            "models: {default: {model: vllm/m, max_output_tokens: 1000}}\nlimits: {max_tokens: 90000}\n",
        )
        with start_process("run", "debate.yaml", "--id", "one", "-q", cwd=here) as running:
            wait_until(lambda: len(server.bodies) == 2, "both requests")
            running.signal(number)
            if number is signal.SIGINT:
                wait_until(lambda: "Stopping" in running.err.read_text(), "the note")
                running.signal(number)
            running.wait()
        server.latency_s = 0.0
        assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
        stored = json.loads((here / "transcripts/one.json").read_text())
        lost = [item["exchange"]["usage"] for item in stored["failures"] if item["cause"] == "interrupted"]
        assert [usage["output_tokens"] for usage in lost] == [1000, 1000]
        assert all(usage["estimated"] for usage in lost)
        written = sum(usage.input_tokens + usage.output_tokens for usage in server.counted)
        assert stored["usage"]["input_tokens"] + stored["usage"]["output_tokens"] >= written


def test_an_invalid_answer_counts_after_a_kill_during_the_second_question(here: Path) -> None:
    """The task starts again, and the usage of both questions stays counted."""
    with model_server() as server:
        write_config(
            here,
            "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\nformat: {phases: [opening]}\n"
            f"providers: {{vllm: {{base_url: '{server.base_url}', api_key_env: null}}}}\n"
            "models: {default: {model: vllm/m}, judge: {model: vllm/j}}\njudging: {systems: [structured]}\n",
        )
        server.needed_tokens["j"], server.slow_after = 9000, 3
        with start_process("run", "debate.yaml", "--id", "one", "-q", cwd=here) as running:
            wait_until(lambda: len(server.bodies) == 4, "the judge to be asked twice")
            running.signal(signal.SIGKILL)
            running.wait()
        server.needed_tokens.clear()
        server.slow_after = None
        assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    stored = json.loads((here / "transcripts/one.json").read_text())
    (lost,) = stored["failures"]
    cut_off, answered = server.counted[2], server.counted[3]
    assert (lost["cause"], lost["exchange"]["attempts"]) == ("interrupted", 2)
    assert lost["exchange"]["usage"]["output_tokens"] == 4096
    assert lost["exchange"]["usage"]["input_tokens"] > 2 * cut_off.input_tokens
    assert stored["assessments"][0]["exchange"]["usage"]["output_tokens"] == answered.output_tokens


def test_calls_in_flight_at_a_kill_are_named(here: Path, journal: Path) -> None:
    """They may have been billed: resuming says for whom and for what they were made."""
    assert journal.exists()
    out = debate("run", "--resume", "one", cwd=here).out
    assert "made again: Pro (opening, round 1), Con (opening, round 1)" in " ".join(out.split())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, 137)], ids=["stopped", "killed"])
def test_an_interrupted_judging_is_completed_by_resuming(saved: Path, number: signal.Signals, code: int) -> None:
    """Stopped, it keeps what arrived; killed, the transcript is unchanged. The debate stays complete."""
    here, before = saved.parent.parent, saved.read_bytes()
    (here / "slow.yaml").write_text(
        "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
        "models: {judge: {model: mock/judge, latency_s: 0.2}, default: {model: mock/judge}}\n"
        "judging: {systems: [{kind: live}]}\n"
    )
    with start_process("judge", saved, "--config", "slow.yaml", cwd=here) as running:
        wait_until(lambda: saved.with_suffix(".jsonl").exists(), "the judging to begin")
        running.signal(number)
        assert running.wait().code == code
    own, cut = json.loads(before), json.loads(saved.read_text())
    assert [cut[key] for key in ("turns", "status", "closed")] == [own[key] for key in ("turns", "status", "closed")]
    assert number is signal.SIGINT or saved.read_bytes() == before
    assert debate("score", saved, "--check", cwd=here).code == 0
    assert debate("run", "--resume", saved, "-q", cwd=here).code == 0
    verdicts = {(verdict["run"], verdict["system"]): verdict for verdict in json.loads(saved.read_text())["verdicts"]}
    assert verdicts["r2", "live"]["victory"] != "undetermined"
    assert list(saved.parent.iterdir()) == [saved]


def test_a_debate_in_progress_can_be_read_but_not_written(here: Path) -> None:
    """`score` and `replay` need no lock; every command that writes ends with exit 1 and names the process."""
    with start_debate(here, ENDLESS) as running:
        for command in ("score", "replay"):
            assert debate(command, "one", cwd=here).code == 0
        checked = debate("score", "transcripts", "--check", cwd=here)
        assert (checked.code, f"process {running.pid}" in checked.err) == (0, True)
        for second in (
            ["run", "--resume", "one"],
            ["judge", "transcripts/one.jsonl", "--system", "panel", "--mock"],
            [*ENDLESS, "--force"],
        ):
            done = debate(*second, cwd=here)
            assert (done.code, f"process {running.pid}" in done.err) == (1, True), done.err


def test_a_killed_debate_can_be_read(here: Path, journal: Path) -> None:
    """Reading a killed debate changes nothing, and `--check` finds no stored verdict to compare."""
    before = journal.read_bytes()
    for command in (["score", "one"], ["score", "one", "--check"], ["replay", "one", "--only", "turns"]):
        assert debate(*command, cwd=here).code == 0
    assert journal.read_bytes() == before


def test_a_torn_last_line_is_dropped_and_reported(here: Path, journal: Path, undisturbed: dict[str, Any]) -> None:
    """An incomplete last line of a journal is reported, and its event is asked for again."""
    with journal.open("ab") as file:
        file.write(b'{"type":"turned","at":"2026-')
    done = debate("run", "--resume", "one", cwd=here)
    assert (done.code, "the last line is incomplete" in done.out) == (0, True)
    assert without_times(here / "transcripts/one.json") == undisturbed


def test_a_damaged_journal_resumes_from_before_the_damage(
    here: Path, journal: Path, undisturbed: dict[str, Any]
) -> None:
    """Without --up-to-damage: exit 2 with file, line and command, and an unchanged journal. With it, a copy is kept."""
    journal.write_bytes(damaged := journal.read_bytes().replace(b"asked", b"asket", 1))
    done = debate("run", "--resume", "one", cwd=here)
    assert (done.code, len(done.lines), "transcripts/one.jsonl:2:" in done.err) == (2, 1, True), done.err
    assert done.err.endswith("debate run --resume transcripts/one.jsonl --up-to-damage\n")
    assert journal.read_bytes() == damaged
    assert debate("run", "--resume", "one", "--up-to-damage", "-q", cwd=here).code == 0
    assert without_times(here / "transcripts/one.json") == undisturbed
    assert (here / "transcripts/one.jsonl.damaged").read_bytes() == damaged


def test_a_budget_knows_what_the_lines_after_the_damage_cost(here: Path) -> None:
    """Killed, damaged at its second speech, resumed: the transcript counts at least what the server has counted."""
    journal = here / "transcripts/one.jsonl"
    with model_server(latency_s=0.05) as server:
        write_config(
            here,
            "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
            f"providers: {{vllm: {{base_url: '{server.base_url}', api_key_env: null}}}}\n"
            "models: {default: {model: vllm/m, max_output_tokens: 1000}}\nlimits: {max_tokens: 30000}\n",
        )
        with start_process("run", "debate.yaml", "--id", "one", "-q", cwd=here) as running:
            wait_until(lambda: journal.exists() and journal.read_bytes().count(b'"turned"') >= 5, "five speeches")
            running.signal(signal.SIGKILL)
            running.wait()
        lines = journal.read_bytes().splitlines(keepends=True)
        second = [place for place, line in enumerate(lines) if b'"type":"turned"' in line][1]
        lines[second] = b"damaged\n"
        journal.write_bytes(b"".join(lines))
        debate("run", "--resume", "one", "--up-to-damage", "-q", cwd=here)
        usage = json.loads((here / "transcripts/one.json").read_text())["usage"]
        counted = sum(each.input_tokens + each.output_tokens for each in server.counted)
        assert counted <= usage["input_tokens"] + usage["output_tokens"] <= 30000


def test_resuming_under_another_configuration_lists_the_differences(here: Path, journal: Path) -> None:
    """Exit 2 with a line per setting that cannot change, and an unchanged journal; the same configuration may be named again."""
    before = journal.read_bytes()
    done = debate("run", MOCK, "--resume", "one", "--set", "format.arguments=2", "--seed", "8", cwd=here)
    assert done.code == 2
    assert {line.strip().split(":")[0] for line in done.lines[1:]} == {"format.arguments", "seed"}
    assert journal.read_bytes() == before
    assert debate("run", MOCK, *SLOW[4:], "--resume", "one", "-q", cwd=here).code == 0


def test_a_debate_whose_journal_vanishes_is_saved(here: Path) -> None:
    """Exit 1, one sentence, and the debate so far in a transcript that can be resumed."""
    with start_debate(here, SLOW, 4) as running:
        (here / "transcripts/one.jsonl").unlink()
        done = running.wait()
    assert (done.code, "one.jsonl: the journal was removed" in done.lines[-1]) == (1, True), done.err
    assert done.lines[-1].endswith("in transcripts/one.json; resume it with: debate run --resume transcripts/one.json")
    stored = json.loads((here / "transcripts/one.json").read_text())
    assert (stored["closed"], len(stored["turns"]) >= 1) == ("failed", True)
    assert debate("run", "--resume", "one", "-q", cwd=here).code == 0


@pytest.mark.parametrize(("typed", "is_kept"), [("Half a claim", True), ("", False)])
@pytest.mark.parametrize("command", ["run", "review"])
def test_a_form_that_is_left_says_that_its_draft_is_saved(command: str, typed: str, is_kept: bool, here: Path) -> None:
    """After Ctrl-C in the form of a debater or a reviewer, the end names the draft, only if there is one."""
    arguments = ["run", str(CONFIGS / "human.yaml"), "--mock", "--id", "one"]
    if command == "run":
        arguments[2:3] = ["--set", "models.default.model=mock/opponent"]
    else:
        assert debate(*arguments, "-q", cwd=here).code == 0
        arguments = ["review", "one", "--name", "ann"]
    _, drawn = run_on_terminal(
        *arguments, cwd=here, keys=f"{typed}\x03", after="required fields", env={"TERM": "xterm"}, columns=80
    )
    assert ("the draft is saved; " in drawn) == is_kept
    assert bool(list((here / "transcripts").glob("one.*.draft"))) == is_kept


def test_a_copy_with_another_suffix_is_not_resumed(here: Path) -> None:
    """`one.bak` would be saved as `one.json`, which is another file; both files stay as they are."""
    debate("run", CONFIGS / "mock.yaml", "--id", "one", "-q", "--out", ".", cwd=here)
    shutil.copy(here / "one.json", here / "one.bak")
    (here / "one.json").write_text("another file")
    for options in ([], ["--close"], ["--force"]):
        done = debate("run", "--resume", "one.bak", "-q", *options, cwd=here)
        expected = "debate: one.bak: the file of a saved debate must end in .json or .jsonl; rename this file, for example to one.json"
        assert (done.code, done.lines) == (2, [expected])
    assert (here / "one.json").read_text() == "another file"


@pytest.mark.parametrize("option", [("--expect-winner", "Zoe"), ("--set", "topic=other")], ids=str)
def test_a_refused_resume_cuts_no_journal(here: Path, journal: Path, option: tuple[str, str]) -> None:
    """--up-to-damage changes the journal only after all options were checked."""
    journal.write_bytes(damaged := journal.read_bytes().replace(b"asked", b"asket", 1))
    done = debate("run", "--resume", "one", "--up-to-damage", "-q", *option, cwd=here)
    assert (done.code, "cut off" in done.err) == (2, False), done.err
    assert (journal.read_bytes(), [path.name for path in journal.parent.iterdir()]) == (damaged, ["one.jsonl"])
