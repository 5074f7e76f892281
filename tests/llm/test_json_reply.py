"""Parsing a model's text to a form: one object is found or repaired, and nothing is guessed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llm_support import GOOD, OPINION, TOO_HIGH, Opinion

from debate_cli.llm.form import Form, FormModel, find_violations
from debate_cli.llm.json_reply import MAX_FAULT_CHARS, MAX_FAULTS, parse_reply, strip_thinking

OTHER = '{"reason": "weak", "score": 2}'
SOUND = Opinion(reason="sound", score=7)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here it is: {GOOD} I hope that helps.",
        f"<think>Perhaps {OTHER}?</think>{GOOD}",
        f"Perhaps {OTHER}?</think>\n{GOOD}",
        f"{GOOD}\n<think>and then",
        f"{GOOD}\nAgain: {GOOD}",
        f"Not {{this}} nor {{}} but {GOOD}",
        f'{{"answer": {GOOD}}}',
        f'{{"a": {{"b": {GOOD}}}}}',
        f"[{GOOD}]",
        f'{{"thought": 1}} {GOOD}',
        f"{TOO_HIGH} no: {GOOD}",
        f"{{'reason': 'broken', score}} {GOOD}",
        '{"score": 7, "reason": "sound"}',
        '{"score": 7.0, "reason": "sound"}',
        '{"score": 0.7e1, "reason": "sound"}',
    ],
)
def test_one_valid_object_is_found(text: str) -> None:
    """Fences, prose, thinking, a wrapper and other JSON around it are ignored."""
    parsed = parse_reply(text, OPINION)
    assert (parsed.outcome, parsed.form, parsed.repaired) == ("valid", SOUND, False)


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "sound", "score": 7,}',
        '```json\n{"reason": "sound", "score": 7\n```',
        "Sure: {'reason': 'sound', 'score': 7}",
        '{reason: "sound", score: 7}',
        '{"reason": "sound" "score": 7}',
        '{"answer": {"reason": "sound", "score": 7,}}',
        '{/* reason: why */ "reason": "sound", "score": 7}',
        "{'reason': 'sound', 'score': 7, /* it's why: this. It's why: that. */}",
    ],
)
def test_one_broken_object_is_repaired(text: str) -> None:
    """Broken JSON is repaired and marked as repaired."""
    parsed = parse_reply(text, OPINION)
    assert (parsed.outcome, parsed.form, parsed.repaired) == ("valid", SOUND, True)


@pytest.mark.parametrize(
    ("text", "outcome", "fault"),
    [
        (f"{GOOD} or {OTHER}", "no_object", "several different objects: give exactly one"),
        ("I would say seven.", "no_object", "there is no JSON object in the answer"),
        ("", "no_object", "there is no JSON object in the answer"),
        (f"<think>{GOOD}", "no_object", "there is no JSON object in the answer"),
        (
            "{'reason': 'a', 'score': 7,} {'reason': 'a', 'score': 7,}",
            "no_object",
            "there is no JSON object in the answer",
        ),
        (f'{{"draft": {OTHER}, "final": {GOOD[:-1]}', "no_object", "there is no JSON object in the answer"),
        (f"{{'reason': \"broken {GOOD}", "no_object", "there is no JSON object in the answer"),
        ('{"reason": "sound", "score": "7"}', "invalid", "score: must be integer, not string"),
        ('{"reason": "sound", "score": 7.5}', "invalid", "score: must be integer, not number"),
        ('{"reason": "sound", "score": NaN}', "invalid", "NaN is not a finite number"),
        ('So: {"reason": "sound", "score": Infinity}', "invalid", "Infinity is not a finite number"),
        ('{"reason": "sound", "score": 3, "score": 9}', "invalid", "the key 'score' occurs twice in one object"),
        *(
            (text, "invalid", "the key 'score' occurs twice in one object")
            for text in (
                '{"reason": "sound", "score": 3, "score": 9,}',
                '{"reason": "sound", "score": 3, "score": 9',
                "{'reason': 'sound', 'score': 3, 'score': 9}",
                '{reason: "sound", score: 3, score: 9}',
                '{"reason": "sound", "score": 3, “score”: 9}',
                '{"wrapper": [{"reason": "sound", "score": 3, "more": {}, "score": 9,}]}',
            )
        ),
        ('{"reason": "sound", "score": 1e999}', "invalid", "1e999 is not a finite number"),
        ('{"reason": "sound"}', "invalid", "the object: lacks score"),
        ('{"reason": "sound", "score": 7, "total": 9}', "invalid", 'the object: must not have "total"'),
    ],
)
def test_any_other_text_is_rejected(text: str, outcome: str, fault: str) -> None:
    """The fault is named and nothing is guessed."""
    parsed = parse_reply(text, OPINION)
    assert (parsed.outcome, parsed.form, parsed.faults) == (outcome, None, (fault,))


def test_a_value_that_only_the_model_accepts_has_form_and_faults() -> None:
    """A value that fits the model but not the schema has the outcome `off_schema`."""
    parsed = parse_reply(TOO_HIGH, OPINION)
    assert parsed.outcome == "off_schema"
    assert parsed.form == Opinion(reason="sound", score=70)
    assert parsed.faults == ("score: must be at most 10, not 70",)


@pytest.mark.parametrize(
    "text", ['{"reason": "sound", "score": 7', f"Draft: {OTHER} Final: {GOOD[:20]}", f"{GOOD} and"]
)
def test_a_truncated_text_is_neither_repaired_nor_searched(text: str) -> None:
    """The missing part of a truncated text could be another answer."""
    assert parse_reply(text, OPINION, truncated=True).outcome == "no_object"


def test_a_truncated_text_with_a_complete_object_is_valid() -> None:
    """Grammars let models add white space until the limit is reached."""
    assert parse_reply(f"{GOOD}\n \n ", OPINION, truncated=True).form == SOUND


def test_thinking_in_a_string_is_part_of_the_answer() -> None:
    """A text that is one object is parsed as a whole."""
    assert parse_reply('{"reason": "the <think>tag</think>", "score": 1}', OPINION).form == Opinion(
        reason="the <think>tag</think>", score=1
    )


class Loose(FormModel):
    """A form with a schema that accepts anything."""

    scores: list[int]


def test_faults_of_the_pydantic_model_are_named() -> None:
    """If a value fits the schema but not the model, the model's faults are named."""
    parsed = parse_reply('{"scores": [1, "x"]}', Form("loose", Loose, {"type": "object"}))
    assert parsed.faults == ("scores.1: Input should be a valid integer",)


def test_faults_are_few_and_short() -> None:
    """The number and the length of faults are limited."""
    schema = {"properties": {"scores": {"items": {"const": "y" * 50}}}}
    text = json.dumps({"scores": ["x" * 500] * 100, "z" * 1000: 1})
    faults = parse_reply(text, Form("loose", Loose, schema)).faults
    assert len(faults) == MAX_FAULTS + 1
    assert all(len(fault) <= MAX_FAULT_CHARS for fault in faults)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("<think>a</think> b <thinking>c</thinking> d", "b  d"),
        ("a</think>b", "b"),
        ("a <think>b", "a"),
        ("<THINK>a</THINK>b", "b"),
        ("<think>a<think>b</think>c", "c"),
        ("a<think>b</think>c</think>d", "d"),
        ("a</think>b<think>c</think>d<think>e", "bd"),
        ("<think>" * 9 + "a", ""),
    ],
)
def test_thinking_is_removed(text: str, expected: str) -> None:
    """Thinking is removed, also if it is nested or if one of its tags is missing."""
    assert strip_thinking(text) == expected


FRAGMENTS = [
    *('{}"[]:,\\\n'),
    *("<think>", "</think>", "```json\n", "NaN", "{'a': ", '{"reason": "'),
    *(GOOD, OTHER, TOO_HIGH, '"score": 7', "prose", "\ud800", '{"a":' * 30, "1e999", "\\u0000", "9" * 5000),
]
NOISE = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=12).map("".join)


@given(NOISE, st.booleans())
def test_the_parser_never_raises_and_valid_means_valid(text: str, truncated: bool) -> None:
    """For any text, a `valid` form satisfies the schema."""
    parsed = parse_reply(text, OPINION, truncated=truncated)
    if parsed.form is None:
        assert parsed.outcome in {"invalid", "no_object"}
        assert parsed.faults
    else:
        assert (parsed.outcome == "valid") is not any(
            find_violations(parsed.form.model_dump(mode="json"), OPINION.schema)
        )


PROSE = st.text(st.characters(exclude_characters="{}<>\"'`", exclude_categories=["Cs"]), max_size=40)
OPINIONS = st.builds(
    Opinion, reason=st.text(st.characters(exclude_categories=["Cs"]), max_size=40), score=st.integers(1, 10)
)


@given(OPINIONS, PROSE, PROSE, st.booleans(), st.sampled_from([None, 1, 4]), st.booleans())
def test_a_written_object_is_found(
    form: Opinion, before: str, after: str, fence: bool, indent: int | None, escape: bool
) -> None:
    """An object with any strings is found in prose."""
    written: dict[str, Any] = form.model_dump(mode="json")
    text = json.dumps(written, indent=indent, ensure_ascii=escape)
    if "<think" in text or "</think" in text:
        return
    text = f"```json\n{text}\n```" if fence else text
    parsed = parse_reply(f"{before}{text}{after}", OPINION)
    assert (parsed.outcome, parsed.form, parsed.repaired) == ("valid", form, False)


@given(OPINIONS, OPINIONS, PROSE)
def test_two_objects_are_accepted_only_if_they_are_equal(first: Opinion, second: Opinion, between: str) -> None:
    """Several different objects are an error; the last one is not taken."""
    parsed = parse_reply(f"{first.model_dump_json()}{between}{second.model_dump_json()}", OPINION)
    assert (parsed.form is not None) is (first == second)
