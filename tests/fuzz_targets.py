"""The targets of fuzzing: each takes any bytes, and raises only if the program breaks a promise.

The promises: the result is a value, or one of our errors with short, single, printable lines that name the file; the file
is unchanged.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from llm_support import OPINION, request

from debate_cli.debaters.forms import OpeningForm
from debate_cli.errors import ConfigError, TranscriptError
from debate_cli.evidence.documents import SourceFile, read_sections
from debate_cli.evidence.sections import UnreadableSourceError
from debate_cli.llm.form import Form, FormModel, find_violations
from debate_cli.llm.json_reply import MAX_FAULT_CHARS, MAX_FAULTS, parse_reply, strip_thinking
from debate_cli.llm.structured_output import build_reask
from debate_cli.storage.config_errors import MAX_PROBLEMS
from debate_cli.storage.config_file import read_config_file
from debate_cli.storage.transcript import dump_transcript, parse_transcript, to_transcript, transcript_to_debate
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.scoring import score

LONGEST_LINE = 1500
"""Characters of one line of an error, including the path of the file."""
_ARGUMENT: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("claim", "reasoning", "evidence")}
    | {"id": {"enum": ["PRO-1", "PRO-2"]}},
    "required": ["id", "claim", "reasoning", "evidence"],
    "additionalProperties": False,
}
OPENING = Form(
    "opening",
    OpeningForm,
    {
        "type": "object",
        "properties": {"arguments": {"type": "array", "prefixItems": [_ARGUMENT, _ARGUMENT], "items": False}},
        "required": ["arguments"],
        "additionalProperties": False,
    },
    lenient=True,
)
FORMS: tuple[Form[Any], ...] = (OPINION, OPENING)


def config(data: bytes) -> bool:
    """The configuration loader, from a file and from standard input."""
    with _Written(data, "debate.yaml") as path:
        taken = _loads(lambda: read_config_file(path, env={}), str(path))
    assert _loads(lambda: read_config_file(None, text=data.decode(errors="surrogateescape"), env={}), "stdin") in {
        taken,
        False,
    }
    return taken


def transcript(data: bytes) -> bool:
    """The transcript loader; a transcript that it accepts can be scored, and survives writing and reading."""
    with _Written(data, "debate.json") as path:
        try:
            opened = open_debate(path)
        except TranscriptError as error:
            assert_plain_error([str(error)], str(path))
            return False
        score(opened.debate, runs="all")
        text = dump_transcript(to_transcript(opened.debate, opened.verdicts), str)
        assert transcript_to_debate(parse_transcript(text.encode(), "written")) == opened.debate
    return True


def journal(data: bytes) -> bool:
    """The journal loader; a journal that it accepts can be scored."""
    with _Written(data, "debate.jsonl") as path:
        try:
            score(open_debate(path).debate, runs="all")
        except TranscriptError as error:
            assert_plain_error([str(error)], str(path))
            return False
    return True


def reply(data: bytes) -> bool:
    """The reply parser; a form that it returns is valid, and its errors fit into the next question."""
    text = data.decode(errors="replace")
    strip_thinking(text)
    return True in [_reads(text, form, truncated) for form in FORMS for truncated in (False, True)]


def source(data: bytes) -> bool:
    """The readers of sources: a page, Markdown, a table or JSON."""
    return True in [_is_readable(Path(f"a{suffix}"), data) for suffix in (".html", ".md", ".csv", ".json")]


TARGETS: dict[str, Callable[[bytes], bool]] = {
    target.__name__: target for target in (config, transcript, journal, reply, source)
}
"""Name -> target, which returns whether it accepted the bytes."""


def _loads(load: Callable[[], object], name: str) -> bool:
    """Whether a configuration is accepted."""
    try:
        load()
    except ConfigError as error:
        assert_plain_error(error.problems, name)
        return False
    return True


def _reads(text: str, form: Form[Any], truncated: bool) -> bool:
    """Whether a reply is accepted as a form."""
    parsed = parse_reply(text, form, truncated=truncated)
    filled: FormModel | None = parsed.form
    assert (filled is None) == (parsed.outcome in {"invalid", "no_object"})
    assert (parsed.outcome == "valid") == (not parsed.faults)
    assert len(parsed.faults) <= MAX_FAULTS + 1
    assert all("\n" not in fault and len(fault) <= MAX_FAULT_CHARS for fault in parsed.faults)
    build_reask(request(), text[:2000], parsed)
    if filled is None:
        return False
    assert type(filled).model_validate_json(filled.model_dump_json()) == filled
    if parsed.outcome == "valid":
        assert not list(find_violations(json.loads(filled.model_dump_json(exclude_unset=True)), form.schema))
    return True


def _is_readable(path: Path, data: bytes) -> bool:
    """Whether a source can be read."""
    try:
        _, sections = read_sections(SourceFile(path, path.name), data)
    except UnreadableSourceError as error:
        assert_plain_error([f"{path}: {error}"], path.name)
        return False
    assert all(section.text.strip() for section in sections)
    return True


def assert_plain_error(lines: Iterable[str], name: str) -> None:
    """Assert that an error has a bounded number of short printable lines that name the file."""
    shown = list(lines)
    assert 0 < len(shown) <= MAX_PROBLEMS + 1
    for line in shown:
        assert line.isprintable(), ascii(line[:500])
        assert len(line) <= LONGEST_LINE, ascii(line[:500])
        assert name in line, ascii(line[:500])


class _Written:
    """A file with `data` in its own folder; asserts at the end that it is unchanged."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        self.path = self._folder / name

    def __enter__(self) -> Path:
        self.path.write_bytes(self._data)
        return self.path

    def __exit__(self, *_error: object) -> None:
        untouched = self.path.read_bytes() == self._data and list(self._folder.iterdir()) == [self.path]
        shutil.rmtree(self._folder)
        assert untouched
