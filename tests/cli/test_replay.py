"""`debate replay` in every format."""

import json
from pathlib import Path

import pytest
from cli_support import CONFIGS, CommandResult, debate, run_on_terminal

from debate_cli.storage.lock import lock_debate


def replay(saved: Path, *options: str | Path) -> CommandResult:
    """`debate replay` in the folder of the saved debate."""
    return debate("replay", *options, cwd=saved.parent.parent)


def test_a_pipe_gets_the_lines_of_run(here: Path) -> None:
    """A replay prints the lines of the run, in any order; only the run plans calls."""
    ran = debate("run", CONFIGS / "mock.yaml", "--id", "one", "--details", cwd=here)
    shown = debate("replay", "one", cwd=here)
    assert sorted(shown.out.splitlines()) == sorted(
        ran.out.replace("Planned: at least 11 calls, $0.00\n", "", 1).splitlines()
    )
    assert (shown.code, shown.err) == (0, "judge again: debate judge transcripts/one.json --system panel\n")


def test_the_judges_words_are_shown_once(saved: Path) -> None:
    """The course of the debate has the judges' reports. Only where it is not shown do the tables repeat them."""
    assessments = json.loads(saved.read_text())["assessments"]
    final = next(
        item for item in assessments if item["system"] == "moderator" and item["subject"]["moment"] == "debate"
    )
    (summary,) = (finding["text"] for finding in final["findings"] if finding["kind"] == "debate_summary")
    whole, scores = replay(saved, "saved").out, replay(saved, "saved", "--only", "scores").out
    assert [shown.count(words) for shown in (whole, scores) for words in (summary, final["rationale"])] == [1] * 4
    tables = ("== Moderator: reports ==", "== Moderator: reasons for the rounds ==")
    assert [title in shown for shown in (whole, scores) for title in tables] == [False, False, True, True]


def test_a_verdict_of_older_rules_is_announced(saved: Path) -> None:
    """A note says that the shown verdict is recomputed, but only if rules and results differ from the stored ones."""
    note = (
        "note: the verdict of structured was stored under other scoring rules; it is shown as today's rules compute it"
    )
    document = json.loads(saved.read_text())
    (stored, _), found = document["verdicts"], list[bool]()
    for changes in ({"rules": 99}, {"margin": 9.9}, {"rules": 99, "margin": 9.9}):
        document["verdicts"][0] = {**stored, **changes}
        saved.write_text(json.dumps(document))
        found.append(note in replay(saved, "saved").err)
    assert found == [False, False, True]
    parts = (("--only", "turns"), ("--round", "1"), ("--only", "scores"))
    assert [note in replay(saved, "saved", *part).err for part in parts] == [False, False, True]


def test_a_resumed_run_shows_earlier_reports_as_tables(here: Path) -> None:
    """It does not print the reports from before the interruption, so its tables must not leave them out."""
    config = CONFIGS / "mock.yaml"
    assert debate("run", config, "--id", "one", "--max-tokens", "16000", cwd=here).code == 4
    done = debate("run", "--resume", "one", "--max-tokens", "1000000", "--details", cwd=here)
    assert (done.code, "== Moderator: reports ==" in done.out) == (0, True)


@pytest.mark.parametrize("reference", ["saved", "transcripts/saved.json", "transcripts/saved.jsonl"])
def test_a_debate_is_found_by_id_and_by_either_file(saved: Path, reference: str) -> None:
    """An id, the transcript's path and the journal's path mean one debate."""
    assert "== Verdict, structured" in replay(saved, reference, "--only", "verdict").out


@pytest.mark.parametrize(
    ("only", "there", "absent"),
    [
        ("turns", "Pro: [PRO-1]", "== Verdict"),
        ("scores", "== Structured: scores (", "== Trace =="),
        ("trace", "== Trace ==", "== Scores"),
        ("verdict", "== Verdict, structured, decides ==", "== Scores"),
        ("briefing", "Key insight", "== Verdict"),
    ],
)
def test_only_shows_one_part(saved: Path, only: str, there: str, absent: str) -> None:
    """`--only` shows the named part and no other part."""
    out = replay(saved, saved, "--only", only).out
    assert (there in out, absent in out) == (True, False)


def test_round_shows_one_round(saved: Path) -> None:
    """`--round` shows the speeches of one round, without a verdict."""
    out = replay(saved, saved, "--round", "2").out
    assert "== Round 2: cross-examination ==" in out
    assert not any(part in out for part in ("== Round 1", "== Round 3", "== Verdict"))


def test_json_is_the_transcript(saved: Path) -> None:
    """`--format json` prints the transcript byte for byte."""
    assert replay(saved, saved, "--format", "json").out == saved.read_text()


def test_json_has_hidden_directives_on_demand_only(here: Path) -> None:
    """Without `--show-hidden`, JSON has no directive, not even in the prompts that `output.raw` stores."""
    debate("run", CONFIGS / "live.yaml", "--mock", "--set", "output.raw=true", "--id", "one", cwd=here)
    hidden, shown = (
        json.loads(debate("replay", "one", "--json", *more, cwd=here).out) for more in ([], ["--show-hidden"])
    )
    directives = [turn["directive"] for turn in shown["turns"] if "directive" in turn]
    assert directives
    assert not [words for words in directives for turn in hidden["turns"] if words in str(turn)]
    assert all(turn["raw"]["system"] for turn in hidden["turns"])


@pytest.mark.parametrize(
    ("format_", "begins"), [("markdown", "**rehearsal"), ("html", "<!doctype html>"), ("json", "{")]
)
def test_output_goes_to_a_file_that_is_not_overwritten(saved: Path, format_: str, begins: str) -> None:
    """`-o` writes the output of stdout; a second time needs `--force`."""
    report = saved.parent.parent / "report"
    shown = replay(saved, saved, "--format", format_).out
    wrote = replay(saved, saved, "--format", format_, "-o", report)
    assert (wrote.code, wrote.out) == (0, "")
    assert report.read_text() == shown
    assert shown.lower().startswith(begins)
    report.write_text("precious")
    refused = replay(saved, saved, "--format", format_, "-o", report)
    assert (refused.code != 0, report.read_text(), "--force" in refused.err) == (True, "precious", True)
    assert replay(saved, saved, "--format", format_, "-o", report, "--force").code == 0
    assert report.read_text() == shown


def test_o_needs_a_format(saved: Path) -> None:
    """`-o` without --format ends with exit code 2 and one line."""
    done = replay(saved, saved, "-o", "report.txt")
    assert (done.code, len(done.lines), "--format" in done.err) == (2, 1, True)


def test_untrusted_text_is_sanitized(saved: Path) -> None:
    """Plain lines have no escapes of a speech, and HTML has none of its markup."""
    document = json.loads(saved.read_text())
    document["turns"][0]["arguments"][0]["claim"] = "\x1b]0;owned\x07 \x1b[31m<script>alert(1)</script> [bold]x[/bold]"
    saved.write_text(json.dumps(document))
    plain = replay(saved, saved).out
    page = replay(saved, saved, "--format", "html").out
    assert ("\x1b" in plain, "\x07" in plain) == (False, False)
    assert "[bold]x[/bold]" in plain
    assert "<script>alert" not in page


def test_a_terminal_shows_tables(saved: Path) -> None:
    """A terminal gets a coloured drawing of the debate."""
    code, drawn = run_on_terminal(
        "replay", saved, cwd=saved.parent.parent, env={"TERM": "xterm-256color", "NO_COLOR": "", "COLUMNS": "100"}
    )
    assert (code, "\x1b[" in drawn, "PRO-1" in drawn) == (0, True, True)


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"TERM": "xterm", "CI": "true"}], ids=str)
def test_a_dumb_terminal_gets_plain_lines(saved: Path, env: dict[str, str]) -> None:
    """With TERM=dumb or CI, a terminal gets plain lines."""
    code, drawn = run_on_terminal("replay", saved, cwd=saved.parent.parent, env=env)
    assert (code, "\x1b" in drawn, "Pro: [PRO-1]" in drawn) == (0, False, True)


STEPPING = {"TERM": "xterm-256color", "NO_COLOR": "", "COLUMNS": "100"}


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_key_shows_the_next_speech_and_q_stops(saved: Path, columns: str) -> None:
    """Two keys and a q: three whole speeches, no verdict; the keys are named."""
    env = STEPPING | {"COLUMNS": columns, "LINES": "24"}
    code, drawn = run_on_terminal(
        "replay", saved, "--step", cwd=saved.parent.parent, after="any key", keys="  q", env=env
    )
    shown = [f"turn {index + 1} ·" in drawn for index in range(4)]
    assert (code, shown, "any key: next turn · q: stop" in drawn) == (0, [True, True, True, False], True)
    assert [words for words in ("thinking", "⋯", "Verdict") if words in drawn] == []


def test_an_arrow_is_one_key(saved: Path) -> None:
    """An arrow key, which sends three bytes, shows one speech."""
    _, drawn = run_on_terminal(
        "replay", saved, "--step", cwd=saved.parent.parent, after="any key", keys="\x1b[Bq", env=STEPPING
    )
    assert [f"turn {index + 1} ·" in drawn for index in range(3)] == [True, True, False]


@pytest.mark.parametrize("plain", [(), ("--plain",)], ids=["drawn", "plain"])
def test_ctrl_c_ends_step(saved: Path, plain: tuple[str, ...]) -> None:
    """Exit 130, no traceback, nothing more is shown, the cursor is visible."""
    command = ("replay", saved, "--step", *plain)
    code, drawn = run_on_terminal(
        *command, cwd=saved.parent.parent, keys="\x03", after="(turn 1" if plain else "turn 1 ·", env=STEPPING
    )
    assert (code, "Traceback" in drawn, "turn 2" in drawn, "Verdict" in drawn) == (130, False, False, False)
    assert drawn.rfind("\x1b[?25h") >= drawn.rfind("\x1b[?25l")


def test_json_is_a_short_form(saved: Path) -> None:
    """`--json` means `--format json`; beside another format it is refused."""
    short, long = (replay(saved, saved, *options) for options in (("--json",), ("--format", "json")))
    assert (short.code, short.err, short.out) == (0, "", long.out)
    assert replay(saved, saved, "--json", "--format", "html").lines == [
        "debate: --json and --format html cannot be combined; give one of them"
    ]


@pytest.mark.parametrize("options", [(), ("--only", "turns"), ("--round", "1"), ("--format", "markdown")], ids=str)
def test_an_unfinished_debate_ends_with_the_command_that_resumes(saved: Path, options: tuple[str, ...]) -> None:
    """Every replay and the score of an unfinished debate say so on stderr, with the command that resumes the debate."""
    cut = json.loads(saved.read_text()) | {"status": "incomplete", "closed": "interrupted"}
    saved.write_text(json.dumps(cut))
    line = "the debate is unfinished, after 6 speeches; resume with: debate run --resume transcripts/saved.json"
    assert replay(saved, "saved", *options).lines == [line]
    assert debate("score", "saved", cwd=saved.parent.parent).lines[-1] == line


def test_a_running_debate_is_not_offered_for_resuming(saved: Path) -> None:
    """The replay of a debate on which a process works says that it is running."""
    cut = json.loads(saved.read_text()) | {"status": "incomplete", "closed": None}
    saved.write_text(json.dumps(cut))
    with lock_debate(saved):
        line = "the debate is still running, after 6 speeches"
        assert replay(saved, "saved").lines == [line]
        assert debate("score", "saved", cwd=saved.parent.parent).lines[-1] == line


@pytest.mark.parametrize(
    "options",
    [
        ("--speed", "2", "--format", "markdown"),
        ("--step", "--format", "json"),
        ("--step", "--json"),
        ("--speed", "2", "--only", "verdict"),
        ("--speed", "2", "--plain"),
        ("--only", "turns", "--only", "trace"),
    ],
    ids=str,
)
def test_an_option_that_would_be_ignored_is_refused(saved: Path, options: tuple[str, ...]) -> None:
    """A way of playing that the output does not have, and a value that replaces another, are refused in one sentence."""
    done = replay(saved, "saved", *options)
    assert (done.code, done.out, len(done.lines)) == (2, "", 1), done.err
    assert options[0] in done.err


def test_a_dash_means_stdout(saved: Path) -> None:
    """`-o -` writes to stdout, and no file is named `-`."""
    done = replay(saved, "saved", "--format", "html", "-o", "-")
    assert (done.code, done.out[:15].lower()) == (0, "<!doctype html>")
    assert not (saved.parent.parent / "-").exists()
