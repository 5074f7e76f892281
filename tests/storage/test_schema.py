"""The JSON Schemas: the committed copies are current, and accept what the code accepts."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from storage_support import SMALLEST, event_lists

from debate_cli.domain.debate import fold
from debate_cli.experiments.settings import experiment_schema
from debate_cli.storage.schema import config_schema, format_schema, transcript_schema
from debate_cli.storage.transcript import to_transcript, transcript_to_json

ROOT = Path(__file__).parent.parent.parent


@cache
def validator(build_schema: Callable[[], dict[str, Any]]) -> Draft202012Validator:
    """The validator of one of the schemas."""
    return Draft202012Validator(build_schema())


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        ("configs/debate.schema.json", config_schema()),
        ("transcripts/transcript.schema.json", transcript_schema()),
        ("configs/experiment/experiment.schema.json", experiment_schema()),
    ],
)
def test_the_committed_copy_is_up_to_date(path: str, schema: dict[str, Any]) -> None:
    """The committed schemas are those that `make schemas` writes."""
    assert (ROOT / path).read_text(encoding="utf-8") == format_schema(schema)


def test_the_docstring_of_a_field_is_its_description() -> None:
    """The schema describes a field by its docstring."""
    described = config_schema()["$defs"]["Limits"]["properties"]["timeout_s"]["description"]
    assert described == "Maximum seconds without a byte from the server."


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"judging": {"systems": ["structured", {"kind": "live", "feedback": False}]}},
        {"format": {"rounds": ["opening", "cross_examination", "closing"]}},
        {"format": {"rounds": 4}},
        {"seed": "${SEED:-7}", "limits": {"max_cost_usd": "${MOST}"}},
        {"judging": {"systems": [{"kind": "live", "thresholds": {"clear": 11}}]}},
        {"format": None, "limits": None, "judging": {"systems": None}},
    ],
)
def test_short_forms_and_variables_are_valid(changes: dict[str, Any]) -> None:
    """The schema accepts the short forms and variables that the loader accepts."""
    assert not list(validator(config_schema).iter_errors({**SMALLEST, **changes}))  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize(
    "changes",
    [
        {"sed": 1},
        {"format": {"kind": "fre"}},
        {"judging": {"systems": ["modrator"]}},
        {"seed": "x"},
        {"topic": "  "},
        {"debaters": SMALLEST["debaters"][:1]},
        {"format": {"phases": ["opening", "speech", "closing"]}},
        {"format": {"rounds": ["opening", "answers", "closing"]}},
        {"format": {"rounds": 0}},
        {"format": {"arguments": None}},
    ],
)
def test_errors_are_not_valid(changes: dict[str, Any]) -> None:
    """The schema refuses unknown keys, unknown words, and texts in place of numbers."""
    assert list(validator(config_schema).iter_errors({**SMALLEST, **changes}))  # pyright: ignore[reportUnknownMemberType]


@given(event_lists())
def test_every_transcript_is_valid(events: list[Any]) -> None:
    """The transcript of any events fits the schema."""
    assert not list(validator(transcript_schema).iter_errors(transcript_to_json(to_transcript(fold(events)))))  # pyright: ignore[reportUnknownMemberType]
