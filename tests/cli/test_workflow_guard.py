"""Under GitHub Actions no output contains a workflow command of somebody else; file names are shown on one line."""

import io
import json
import re
from pathlib import Path

import pytest
from cli_support import debate
from hypothesis import given
from hypothesis import strategies as st
from render_support import debate as attacked_debate
from saved_support import write_transcript_file

from debate_cli.cli.console import WorkflowGuard

ATTACK = "Tea?\n::error file=a::x\n  ::add-mask::x\r::stop##[set-output name=x]y##[group]"
NEWLINE = "\n"
COMMAND = re.compile(r"##\[|^\s*::", re.MULTILINE)
CI = {"GITHUB_ACTIONS": "true", "CI": "true"}
PIECES = st.lists(st.sampled_from(["::", ":", " ", "\n", "\r", "#", "##", "[", "a", "##[x", "\t::error"]), max_size=12)


def attacked(folder: Path) -> Path:
    """A saved debate whose texts hold workflow commands."""
    return write_transcript_file(
        folder / "transcripts" / "one.json", attacked_debate(topic=ATTACK).model_copy(update={"id": "one"})
    )


@given(PIECES)
def test_no_way_of_writing_makes_a_command(pieces: list[str]) -> None:
    """No text becomes a workflow command, however it is cut into pieces."""
    stream = io.StringIO(newline="")
    guard = WorkflowGuard(stream)
    for piece in pieces:
        guard.write(piece)
    written, text = stream.getvalue().replace("\r", "\n"), "".join(pieces).replace("\r", "\n")
    assert not COMMAND.search(written)
    assert written.replace(" ", "") == text.replace(" ", "")
    assert COMMAND.search(text) or written == text


def test_own_commands_are_written_on_lines_of_their_own() -> None:
    """Our workflow commands begin a line, even after an unfinished line."""
    stream = io.StringIO()
    guard = WorkflowGuard(stream)
    guard.write("a")
    guard.write_command("::notice::b")
    guard.write(":")
    guard.write(":c")
    assert stream.getvalue() == "a\n::notice::b\n: :c"


@pytest.mark.parametrize(
    "command",
    [
        ("replay", "one"),
        ("replay", "one", "--details"),
        ("replay", "one", "--format", "md"),
        ("replay", "one", "--format", "html"),
        ("score", "transcripts"),
        ("score", "transcripts", "--format", "csv"),
        ("score", "transcripts", "--format", "junit"),
        ("list",),
        ("judge", "one", "--mock", "--system", "moderator"),
        ("run", "--mock", "--topic", ATTACK),
        ("run", "--mock", "--topic", ATTACK, "--dry-run"),
        ("score", "##[error].json", "::error.json"),
        ("::error",),
    ],
)
def test_no_command_line_prints_a_foreign_command(here: Path, command: tuple[str, ...]) -> None:
    """No format and no stream prints a workflow command from a text, an argument or a file's name."""
    attacked(here)
    done = debate(*command, cwd=here, env=CI)
    assert done.out + done.err
    assert not COMMAND.search(done.out)
    assert not COMMAND.search(done.err)


@pytest.mark.parametrize("command", [("replay", "one", "--format", "json"), ("score", "transcripts", "--json")])
def test_json_keeps_its_meaning(here: Path, command: tuple[str, ...]) -> None:
    """In JSON, workflow commands are escaped without a change of meaning."""
    attacked(here)
    done = debate(*command, cwd=here, env=CI)
    assert not COMMAND.search(done.out)
    assert json.loads(done.out) == debate(*command, cwd=here).json


def test_own_annotations_stay_commands(here: Path) -> None:
    """The annotations of `--format github` stay workflow commands."""
    attacked(here)
    lines = debate("score", "transcripts", "--format", "github", cwd=here, env=CI).out.splitlines()
    assert lines
    assert all(line.startswith("::notice ") and "##[" not in line for line in lines)


@pytest.mark.parametrize(
    ("command", "sign"),
    [
        *((command, "\x1b]0;pwned\x07") for command in ("run", "check", "judge", "score", "replay")),
        *(("score", sign) for sign in ("\u202e", "\u200b", NEWLINE)),
    ],
)
def test_a_file_name_is_shown_on_one_line(here: Path, command: str, sign: str) -> None:
    """Control, bidi and invisible characters of its name are replaced."""
    (here / f"evil{sign}name.json").write_text("{")
    done = debate(command, f"evil{sign}name.json", cwd=here)
    assert done.code == 2
    shown = f"evil{' ' if sign == NEWLINE else ''}"
    assert shown in done.err
    assert sign == NEWLINE or not set(sign) - set("]0;pwned") & set(done.err)
    assert not any(line.startswith("name") for line in done.lines)
