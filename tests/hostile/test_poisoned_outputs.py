"""A debate in which every text is an attack, in every form that it can be shown in: no attack takes effect anywhere."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from cli_support import CommandResult, debate, run_on_terminal
from poisoned_support import poisoned
from saved_support import save

ATTACK = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[2J\x9b31m\u202edetrevni\u200b\r\n::error::pwned\n=cmd()\n"
    "<script>alert('owned')</script><img src=x onerror=alert(1)><!-- ]]> &amp; [bold]loud[/bold] "
    "[a](javascript:alert(1)) ![i](http://192.0.2.1/i) \n# heading\n| a | b |\n`x`"
)
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]")
"""What no output may hold but where we draw ourselves."""
EFFECTS = ("\x1b]0;", "\x07", "\x1b[31mred", "\x1b[2Jred", "\x9b", "\u202edetrevni")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two transcripts of it, `transcripts/one.json` and `transcripts/two.json`."""
    folder = tmp_path_factory.mktemp("poisoned") / "here"
    folder.mkdir()
    told = poisoned(ATTACK)
    for name in ("two", "one"):
        path = save(folder / "transcripts" / f"{name}.json", told.model_copy(update={"id": name}))
    return path


def shown(saved: Path, *command: str) -> CommandResult:
    """What a command prints."""
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
def test_plain_lines_hold_no_control_characters(saved: Path, command: tuple[str, ...]) -> None:
    """And no text begins a line of its own: an attack's `::error::` never stands first."""
    out = shown(saved, *command).out
    assert not CONTROLS.search(out)
    assert not [line for line in out.splitlines() if line.startswith(("::", "=cmd"))]


@pytest.mark.parametrize(
    "command",
    [("replay", "one", "--show-hidden"), ("score", "one", "two"), ("list",), ("diff", "one", "two")],
    ids=" ".join,
)
def test_a_terminal_obeys_nothing_in_a_text(saved: Path, command: tuple[str, ...]) -> None:
    """No title is set, no colour changed, nothing cleared or reversed; markup is shown as it was written."""
    env = {"TERM": "xterm-256color", "COLUMNS": "200", "NO_COLOR": ""}
    code, drawn = run_on_terminal(*command, cwd=saved.parent.parent, env=env)
    assert code == 0
    assert not [effect for effect in EFFECTS if effect in drawn]
    assert "[bold]loud" in drawn or "loud" not in drawn


def test_markdown_holds_no_markup_of_others(saved: Path) -> None:
    """No tag, no link, no picture, no heading out of a text."""
    out = shown(saved, "replay", "one", "--format", "markdown", "--show-hidden").out
    assert not CONTROLS.search(out)
    assert not re.search(r"(?<!\\)<(?:script|img|!--)", out)
    assert not re.search(r"(?<!\\)\]\((?:javascript:|http://192)", out)
    assert not re.search(r"^# heading", out, re.MULTILINE)


class Elements(HTMLParser):
    """Every start tag with its attributes, and where scripts stand."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize(
    "command", [("replay", "one", "--format", "html"), ("score", "one", "two", "--format", "html")], ids=" ".join
)
def test_a_page_holds_no_element_of_others(saved: Path, command: tuple[str, ...]) -> None:
    """No picture or handler out of a text, no address that runs or leads to others; the attack stands there as text."""
    out = shown(saved, *command).out
    parser = Elements()
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
def test_json_is_one_document_without_raw_controls(saved: Path, command: tuple[str, ...]) -> None:
    """Escapes are escaped."""
    out = shown(saved, *command).out
    assert json.loads(out)
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", out)


def test_every_line_of_json_lines_is_a_document(saved: Path) -> None:
    """No text breaks a line."""
    out = shown(saved, "score", "one", "two", "--format", "jsonl").out
    assert {json.loads(line)["id"] for line in out.split("\n") if line} == {"one", "two"}


def test_junit_is_xml_whose_text_is_text(saved: Path) -> None:
    """Well-formed, and no element comes of an attack."""
    out = shown(saved, "score", "one", "two", "--format", "junit", "--fail-under", "1").out
    assert {element.tag for element in ET.fromstring(out).iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "properties", "property", "system-out", "error", "skipped",
    }  # fmt: skip
    assert not CONTROLS.search(out)


def test_github_is_told_nothing_by_a_text(saved: Path) -> None:
    """Every command on stdout is one of ours, whole on its line."""
    out = shown(saved, "score", "one", "two", "--format", "github", "--max-warnings", "0").out
    ours = re.compile(r"::(?:notice|warning) file=transcripts/(?:one|two)\.json,title=verdict of [a-z]+::\S.*")
    assert "::error::pwn" in out
    assert not CONTROLS.search(out)
    assert [line for line in out.splitlines() if ours.fullmatch(line) is None] == []


def test_a_spreadsheet_computes_nothing(saved: Path) -> None:
    """No cell of the CSV begins as a formula does."""
    out = shown(saved, "score", "one", "two", "--format", "csv").out
    rows = list(csv.reader(io.StringIO(out)))
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "@", "\t", "\r")) or re.match(r"[+-](?![\d.])", cell)]
