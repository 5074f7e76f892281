"""Messages on stderr in narrow windows."""

from pathlib import Path

import pytest
from cli_support import debate, run_on_terminal
from rich.text import Text
from saved_support import first_debate, write_transcript_file

WRONG = "topic: Ought we?\nformatt: {}\ndebaters:\n  - {name: Ada, model: openai/gpt-4.1}\n"


@pytest.mark.parametrize("columns", [40, 60])
def test_errors_wrap_between_words(here: Path, columns: int) -> None:
    """The wrapped lines of an error, joined again, equal the message in a pipe."""
    (here / "wrong.yaml").write_text(WRONG)
    code, drawn = run_on_terminal("run", "wrong.yaml", cwd=here, columns=columns)
    rows = drawn.splitlines()
    assert (code, max(map(len, rows)) <= columns) == (2, True), drawn
    assert " ".join(drawn.split()) == " ".join(debate("run", "wrong.yaml", cwd=here).err.split())


def test_a_pipe_gets_errors_unwrapped(here: Path) -> None:
    """In a pipe each error is one line, so that it can be searched."""
    (here / "wrong.yaml").write_text(WRONG)
    done = debate("run", "wrong.yaml", cwd=here, env={"COLUMNS": "40"})
    assert all(line.startswith("wrong.yaml:") for line in done.lines)


def test_a_command_that_does_not_fit_begins_a_line(here: Path) -> None:
    """A long command begins a line and is not wrapped, so that it can be copied."""
    debate("run", "--mock", "--topic", "Ought we?", "--id", "one", "-q", cwd=here)
    _, drawn = run_on_terminal("replay", "one", "--plain", cwd=here, columns=40)
    assert "judge again:\n  debate judge transcripts/one.json --" in drawn.replace("\r", "")


def test_a_command_in_a_sentence_that_does_not_fit_begins_a_line(here: Path) -> None:
    """The command that resumes an unfinished debate is whole, below the sentence that names it."""
    debate("run", "--mock", "--topic", "Ought we?", "--id", "one", "--max-tokens", "2000", "-q", cwd=here)
    _, drawn = run_on_terminal("replay", "one", "--plain", cwd=here, columns=60)
    words, command = drawn.replace("\r", "").rpartition("with:")[::2]
    assert command.startswith("\n  debate run --resume transcripts/one.json"), drawn
    assert "\nthe debate is unfinished, after " in words


def test_prose_wraps_around_a_command_in_backticks(saved: Path) -> None:
    """The line fits the window, and the command can be copied."""
    _, drawn = run_on_terminal(
        *("judge", saved, "--system", "structured", "--repeat", "2", "--mock", "-q"),
        cwd=saved.parent.parent,
        columns=50,
    )
    note = drawn.replace("\r", "").partition("note: the newest judging")[2].splitlines()
    assert max(map(len, note)) <= 50
    assert any("`debate score --runs all`" in line for line in note), drawn


@pytest.mark.parametrize(
    "command",
    ["explain", "evidence search monitoring --evidence notes.md", "import talk.txt other.txt --dry-run"],
)
def test_lines_on_stdout_break_between_words(here: Path, command: str) -> None:
    """Plain lines of data keep their words whole in a narrow window."""
    (here / "notes.md").write_text("The bill for monitoring rose from 120 to 610 euros a month after the split.")
    for name in ("talk.txt", "other.txt"):
        (here / name).write_text("Ada: The centre should be closed to private cars from spring on.\nBo: Not yet.\n")
    _, drawn = run_on_terminal(*command.split(), cwd=here, columns=60)
    printed = debate(*command.split(), cwd=here)
    assert set(printed.out.split()) <= set(drawn.split())


def test_the_plan_of_a_run_fits_a_narrow_window(here: Path) -> None:
    """A terminal shows the plan as a table, or as a list where a table does not fit."""
    for columns in (60, 100):
        _, drawn = run_on_terminal("run", "--mock", "--topic", "Ought we?", "--dry-run", cwd=here, columns=columns)
        plan = Text.from_ansi(drawn.replace("\r", "")).plain.partition("planned: 6 speeches")[2]
        assert max(map(len, plan.splitlines())) <= columns
        assert {"worst", "208,896"} <= set(plan.split())


@pytest.mark.parametrize(("columns", "gap"), [(60, "\n  "), (200, " ")])
def test_the_list_of_debates_breaks_no_command(here: Path, columns: int, gap: str) -> None:
    """A command that does not fit beside its label has its own line; the terminal wraps a command that is too long."""
    name = "should-a-startup-of-under-ten-people-adopt-microservices-20261128-224352-rveu"
    saved = here / "transcripts" / f"{name}.json"
    saved.parent.mkdir()
    write_transcript_file(saved, first_debate(), closed="interrupted", status="incomplete")
    _, drawn = run_on_terminal("list", cwd=here, columns=columns, env={"TERM": "xterm-256color"})
    plain = Text.from_ansi(drawn.replace("\r", "")).plain
    assert f"  resume:{gap}debate run --resume transcripts/{name}.json\n" in plain, plain


def test_check_breaks_a_long_path_after_a_slash(here: Path) -> None:
    """Other words stay whole, as the name of the mock."""
    folder = here / "a-rather-long-folder-name" / "another-rather-long-folder-name"
    folder.mkdir(parents=True)
    debaters = "debaters: [{name: Ada, side: for}, {name: Bo, side: against}]\n"
    models = "models: {default: {model: mock/debater}}\n"
    (folder / "debate.yaml").write_text(f"topic: Ought we?\n{models}{debaters}")
    _, drawn = run_on_terminal("check", str(folder / "debate.yaml").removeprefix(f"{here}/"), cwd=here, columns=40)
    rows = drawn.replace("\r", "").splitlines()
    assert rows[:2] == ["a-rather-long-folder-name/", "    another-rather-long-folder-name/"]
    assert "mock/debater" in drawn.split()
    assert max(map(len, rows)) <= 40


def test_lines_of_a_folder_import_break_between_fields(here: Path) -> None:
    """No field of a file is on two lines of a narrow window; in a pipe the fields have tabs between them."""
    for name in ("a_talk_with_a_long_name.txt", "other.txt"):
        (here / name).write_text("Ada: The centre should be closed to private cars from spring on.\nBo: Not yet.\n")
    command = ("import", "a_talk_with_a_long_name.txt", "other.txt", "--dry-run")
    _, drawn = run_on_terminal(*command, cwd=here, columns=60)
    fields = [field for line in debate(*command, cwd=here).out.splitlines() for field in line.split("\t")]
    rows = [part for row in drawn.splitlines() for part in row.strip().split("  ")]
    assert set(fields) <= set(rows), drawn


def test_code_on_an_error_page_can_be_copied(here: Path) -> None:
    """The terminal wraps long commands. Links to other pages are drawn as their text."""
    _, drawn = run_on_terminal("explain", "missing-key", cwd=here, columns=60, env={"TERM": "xterm-256color"})
    assert "models.default.model=ollama/qwen3:8b --set models.judge.model=ollama/qwen3:8b" in drawn
    _, drawn = run_on_terminal("explain", "bad-config", cwd=here, columns=60, env={"TERM": "xterm-256color"})
    assert ("in the reference" in drawn, "../" in drawn) == (True, False)
