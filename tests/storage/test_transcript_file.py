"""Transcript files: older versions are upgraded, and every invalid file gives one line."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from storage_support import small_debate

from debate_cli.domain.debate import fold
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import TranscriptError
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.transcript import (
    dump_transcript,
    load_transcript_file,
    parse_transcript,
    to_transcript,
    write_transcript,
)

VERDICT = Verdict(
    system="structured", run="r1", winner=None, victory="draw", margin=0.5, scores={"Pro": 5.5}, notes={"x": 7.25}
)
TRANSCRIPT = to_transcript(fold(small_debate()), [VERDICT])
TEXT = dump_transcript(TRANSCRIPT, str)


def refusal(data: bytes) -> str:
    """Return the message of the error for these bytes."""
    with pytest.raises(TranscriptError) as caught:
        parse_transcript(data, "a.json")
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty; restore"),
        (b" \n", "is empty; restore"),
        (b"Dear diary,", "is not valid JSON (expected value at line 1 column 1)"),
        (b"[]", "is not a transcript of debate-cli"),
        (b"{}", "is not a transcript of debate-cli"),
        (b'{"schema_version": "1"}', "is not a transcript of debate-cli"),
        (b'{"schema_version": true}', "is not a transcript of debate-cli"),
        (b'{"schema_version": 0}', "is not a transcript of debate-cli"),
        (
            b'{"schema_version": 3}',
            "newer version (schema_version 3; the installed debate-cli reads up to 2); upgrade debate-cli",
        ),
        (b'{"schema_version": 1}', "generator: is missing; restore"),
        (b'{"schema_version": 1, "a": "\xff"}', "invalid unicode code point"),
        (b'{"schema_version": 1, "a": ' + b"[" * 10_000_000, "recursion limit exceeded"),
        (TEXT.replace('"margin": 0.5', '"margin": NaN').encode(), "is not valid JSON"),
        (TEXT.replace('"x": 7.25', '"x": -Infinity').encode(), "is not valid JSON"),
        (TEXT.replace('"value": 2.5', '"value": "high"').encode(), "assessments.0.marks.0.value: "),
        (TEXT.replace('"victory": "draw"', '"victory": "landslide"').encode(), "verdicts.0.victory: "),
        (TEXT.replace('"generator": {', '"extra": 1, "generator": {', 1).encode(), "extra: unknown key; restore"),
        (TEXT.replace('"victory": "draw"', '"victory": 3').encode(), "verdicts.0.victory: must be "),
        (TEXT.encode("utf-16"), "is not valid JSON"),
    ],
    ids=lambda value: repr(value)[:30] if isinstance(value, str) else "",
)
def test_an_invalid_transcript_is_one_line(data: bytes, words: str) -> None:
    """The line names the file, what is wrong and what to do."""
    said = refusal(data)
    assert said.startswith("a.json: ")
    assert words in said
    assert "\n" not in said


def test_a_truncated_transcript_is_recognised() -> None:
    """Every prefix of a transcript is called cut off."""
    data = dump_transcript(TRANSCRIPT.model_copy(update={"topic": "Grün 🙂?"}), str).encode()
    said = {refusal(data[:length]).partition(" (")[0].partition(";")[0] for length in (*range(1, 300), 2000, 6000)}
    assert said == {"a.json: is cut off"}


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("name", "words"), [("", "this is a folder"), ("gone.json", "no such file"), ("\0", "not a file name")]
)
def test_an_unreadable_file_is_an_error(tmp_path: Path, name: str, words: str) -> None:
    """A folder, a missing file and an invalid name each give an error."""
    with pytest.raises(TranscriptError, match=words):
        load_transcript_file(tmp_path / name)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text('ab\\"\n\t/🙂é', min_size=6, max_size=12))
def test_a_secret_never_reaches_the_file(tmp_path: Path, secret: str) -> None:
    """A secret is redacted in any JSON spelling, and the file stays valid."""
    path = tmp_path / "a.json"
    said = TRANSCRIPT.model_copy(update={"topic": f"Is it {secret}?"})
    write_transcript(path, said, Redactor([secret]), overwrite=True)
    assert load_transcript_file(path).topic == "Is it [redacted]?"


def _with(*path: str | int, value: Any) -> bytes:
    """The document with another value at that place; one past the end of a list is added to it."""
    data = json.loads(TEXT)
    part = data
    for key in path[:-1]:
        part = part[key]
    if path[-1] == -1:
        part.append(value)
    else:
        part[path[-1]] = value
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_with("assessments", 0, "marks", 0, "value", value="2.5"), "assessments.0.marks.0.value: "),
        (_with("assessments", 0, "marks", 0, "value", value=True), "assessments.0.marks.0.value: "),
        (_with("turns", 1, "speaker", value="No\x1bbody"), "turns.1.speaker: `No body` is not a participant"),
        (_with("turns", 1, "index", value=0), "turns.1.index: 0 is listed twice"),
        (_with("participants", -1, value=json.loads(TEXT)["participants"][0]), "participants: `Pro` is listed twice"),
        (_with("participants", value=[]), "turns.0.speaker: `Pro` is not a participant"),
        (_with("config", "debaters", 0, "name", value="Ann"), "config.debaters: `Ann` is not in participants"),
        (
            TEXT.replace('"x": 7.25', '"x": 1e999').replace('"system": "structured"', '"system": "absent"').encode(),
            "verdicts.0.notes: must contain finite numbers only",
        ),
        (_with("config", "debaters", 0, "name", value="Zoe"), "participants: `Pro` is not in config.debaters"),
        (
            _with("participants", 1, "side", value="for"),
            "participants.1.side: must be `against`, as in `config`",
        ),
        (_with("participants", 0, "model", value="openai/gpt-5"), "participants.0.model: must be `"),
        (_with("config", "debaters", 0, "prefix", value="YES"), "participants.0.prefix: must be `YES`"),
        (TEXT.replace('"topic"', '"topic": "", "topic"', 1).encode(), 'Detected duplicate key "topic"'),
        (TEXT.replace('"margin"', '"margin": 9.0, "margin"', 1).encode(), 'Detected duplicate key "margin"'),
    ],
    ids=[
        "mark of text",
        "mark of truth",
        "unknown speaker",
        "turn twice",
        "participant twice",
        "no participants",
        "unknown debater",
        "infinite number",
        "unknown participant",
        "another side",
        "another model",
        "another prefix",
        "repeated key",
        "repeated key in a verdict",
    ],
)
def test_a_contradiction_is_one_line(data: bytes, words: str) -> None:
    """The line names the key."""
    assert words in refusal(data)


def test_a_byte_order_mark_is_ignored() -> None:
    """A transcript may begin with a byte order mark."""
    assert parse_transcript(b"\xef\xbb\xbf" + TEXT.encode(), "a.json") == TRANSCRIPT


def test_a_judged_text_has_no_participants_and_no_turns() -> None:
    """A transcript without participants and turns is no contradiction."""
    data: dict[str, Any] = {**json.loads(TEXT), "participants": [], "turns": []}
    assert parse_transcript(json.dumps(data).encode(), "a.json").participants == ()


def test_a_mark_below_its_scale_can_be_read() -> None:
    """A stored mark outside its scale can be read; scoring clamps it."""
    data = _with("assessments", 0, "marks", 0, "value", value=-3)
    assert parse_transcript(data, "a.json").assessments[0].marks[0].value == -3
