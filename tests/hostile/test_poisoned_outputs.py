"""A debate in which every text is an attack, in every output format: no attack takes effect."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cli_support import CommandResult, debate, run_on_terminal
from poisoned_support import poisoned_debate
from saved_support import write_transcript_file

ATTACK = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[2J\x9b31m\u202edetrevni\u200b\r\n::error::pwned\n=cmd()\n"
    "<script>alert('owned')</script><img src=x onerror=alert(1)><!-- ]]> &amp; [bold]loud[/bold] "
    "[a](javascript:alert(1)) ![i](http://192.0.2.1/i) \n# heading\n| a | b |\n`x`"
)
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]")
"""Characters that no plain output may contain."""
EFFECTS = ("\x1b]0;", "\x07", "\x1b[31mred", "\x1b[2Jred", "\x9b", "\u202edetrevni")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder's transcripts `one.json` and `two.json` of the attacked debate; the path of the first."""
    folder = tmp_path_factory.mktemp("poisoned") / "here"
    folder.mkdir()
    debate = poisoned_debate(ATTACK)
    for name in ("two", "one"):
        path = write_transcript_file(folder / "transcripts" / f"{name}.json", debate.model_copy(update={"id": name}))
    return path


def run_command(saved: Path, *command: str) -> CommandResult:
    """Run a command and check that it prints something, without a traceback."""
    done = debate(*command, cwd=saved.parent.parent)
    assert "Traceback" not in done.err
    assert not CONTROLS.search(done.err)
    assert done.out
    return done


PLAIN = (
    ("replay", "one", "--plain", "--show-hidden"),
    ("replay", "one", "--only", "scores"),
    ("replay", "one", "--only", "trace"),
    ("replay", "one", "--only", "verdict"),
    ("replay", "one", "--only", "briefing"),
    ("score", "one", "two"),
    ("list", "--plain"),
    ("diff", "one", "two"),
)


@pytest.mark.parametrize("command", PLAIN, ids=" ".join)
def test_plain_output_has_no_control_characters(saved: Path, command: tuple[str, ...]) -> None:
    """No line of plain output begins with a text, so that `::error::` is never first."""
    out = run_command(saved, *command).out
    assert not CONTROLS.search(out)
    assert not [line for line in out.splitlines() if line.startswith(("::", "=cmd"))]


@pytest.mark.parametrize(
    "command",
    [("replay", "one", "--show-hidden"), ("score", "one", "two"), ("list",), ("diff", "one", "two")],
    ids=" ".join,
)
def test_a_text_does_not_control_the_terminal(saved: Path, command: tuple[str, ...]) -> None:
    """It sets no title, changes no colour, clears and reverses nothing; markup is shown as written."""
    env = {"TERM": "xterm-256color", "COLUMNS": "200", "NO_COLOR": ""}
    code, drawn = run_on_terminal(*command, cwd=saved.parent.parent, env=env)
    assert code == 0
    assert not [effect for effect in EFFECTS if effect in drawn]
    assert "[bold]loud" in drawn or "loud" not in drawn


def test_markdown_has_no_markup_from_texts(saved: Path) -> None:
    """A text adds no tag, link, image or heading to Markdown."""
    out = run_command(saved, "replay", "one", "--format", "markdown", "--show-hidden").out
    assert not CONTROLS.search(out)
    assert not re.search(r"(?<!\\)<(?:script|img|!--)", out)
    assert not re.search(r"(?<!\\)\]\((?:javascript:|http://192)", out)
    assert not re.search(r"^# heading", out, re.MULTILINE)


class StartTags(HTMLParser):
    """Collects every start tag with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the tag."""
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize(
    "command", [("replay", "one", "--format", "html"), ("score", "one", "two", "--format", "html")], ids=" ".join
)
def test_a_page_has_no_elements_from_texts(saved: Path, command: tuple[str, ...]) -> None:
    """No image, event handler or foreign address; the attack is shown as text."""
    out = run_command(saved, *command).out
    parser = StartTags()
    parser.feed(out)
    assert "Content-Security-Policy" in out
    assert "<script>alert" not in out
    assert not [tag for tag, attrs in parser.found if tag == "img" or any(name.startswith("on") for name in attrs)]
    addresses = [value or "" for _, attrs in parser.found for name, value in attrs.items() if name in {"href", "src"}]
    assert not [value for value in addresses if value.lower().startswith(("javascript:", "http://192"))]
    assert not re.search(r"[\x1b\x07\x9b\u202e]", out)


@pytest.mark.parametrize(
    "command",
    [
        ("replay", "one", "--format", "json"),
        ("score", "one", "two", "--json"),
        ("list", "--json"),
        ("diff", "one", "two", "--json"),
    ],
    ids=" ".join,
)
def test_json_has_no_raw_control_characters(saved: Path, command: tuple[str, ...]) -> None:
    """Control characters are escaped in JSON."""
    out = run_command(saved, *command).out
    assert json.loads(out)
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", out)


def test_every_line_of_json_lines_is_a_document(saved: Path) -> None:
    """No text breaks a line."""
    out = run_command(saved, "score", "one", "two", "--format", "jsonl").out
    assert {json.loads(line)["id"] for line in out.split("\n") if line} == {"one", "two"}


def test_junit_is_valid_xml(saved: Path) -> None:
    """No element comes from a text."""
    out = run_command(saved, "score", "one", "two", "--format", "junit", "--fail-under", "1").out
    assert {element.tag for element in ET.fromstring(out).iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "properties", "property", "system-out", "error", "skipped",
    }  # fmt: skip
    assert not CONTROLS.search(out)


def test_github_output_has_no_commands_from_texts(saved: Path) -> None:
    """Every line is one of our commands."""
    out = run_command(saved, "score", "one", "two", "--format", "github", "--max-warnings", "0").out
    ours = re.compile(r"::(?:notice|warning) file=transcripts/(?:one|two)\.json,title=verdict of [a-z]+::\S.*")
    assert "::error::pwn" in out
    assert not CONTROLS.search(out)
    assert [line for line in out.splitlines() if ours.fullmatch(line) is None] == []


def test_csv_has_no_formulas(saved: Path) -> None:
    """No cell begins like a formula."""
    out = run_command(saved, "score", "one", "two", "--format", "csv").out
    rows = list(csv.reader(io.StringIO(out)))
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "@", "\t", "\r")) or re.match(r"[+-](?![\d.])", cell)]
