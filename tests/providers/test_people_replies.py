"""The answer of a person is read as YAML, JSON or plain words."""

import json
from typing import Any

import pytest
from pydantic import Field

from debate_cli.llm.form import Form, FormModel, derive_schema, each_of, items, one_of, text
from debate_cli.providers.people.replies import NOT_FILLED_IN, UNREADABLE_JSON, PersonAnswer, read_reply
from debate_cli.providers.people.yaml_form import form_lines


class PartForm(FormModel):
    """One answer."""

    target: str
    type: str
    reasoning: str = text(300)
    note: str = text(80, least=0, default="")


class AnswerForm(FormModel):
    """All answers."""

    responses: list[PartForm]
    confidence: float
    open: bool
    ids: list[str] = items(3, default=[])
    asks: list[str] = items(3, default=[])
    total: float | None = Field(default=None, alias="sum")
    advice: str = text(80, default="")


FORM = Form(
    "answer",
    AnswerForm,
    derive_schema(
        AnswerForm,
        responses=each_of("target", ["A-1", "A-2"]),
        type=one_of(["refute", "concede"]),
        ids={"items": one_of(["A-1", "A-2"])},
    ),
    lenient=True,
)
STRICT = Form("answer", AnswerForm, FORM.schema)
WHOLE: dict[str, Any] = {
    "responses": [
        {"target": "A-1", "type": "refute", "reasoning": "Two words: 50 % off 😀.", "note": ""},
        {"target": "A-2", "type": "concede", "reasoning": "It is so.\n\nEven twice.", "note": ""},
    ],
    "confidence": 0.5,
    "open": True,
    "ids": ["A-1", "A-2"],
    "asks": ["What does it cost, and who pays?"],
    "sum": 3,
}
YAML = """\
responses:
- target: A-1
  type: refute
  reasoning: |
    Two words: 50 % off 😀.
- target: A-2
  type: concede
  reasoning: |
    It is so.

    Even twice.
  note: ""
confidence: 0.5
open: yes
ids: A-1, A-2
asks: What does it cost, and who pays?
sum: 3.0
advice:
"""


def _read(words: str) -> PersonAnswer:
    return read_reply(words, FORM, accepts_text=True)


@pytest.mark.parametrize(
    "words",
    [
        YAML,
        f"Here you are:\n\n```yaml\n# answer to prompt 0123456789abcdef\n{YAML}```\nBest wishes",
        json.dumps(WHOLE),
        json.dumps(WHOLE, indent=1),
        f"Here you are: {json.dumps(WHOLE)} Best wishes",
    ],
    ids=["yaml", "yaml in a code block", "json", "json on several lines", "json in a sentence"],
)
def test_the_same_form_in_each_notation(words: str) -> None:
    """YAML and JSON, alone or with words around them, are the same form.

    `yes` is true, a number stays one, and a line of prose is one item of a list, also if it has a comma.
    """
    found = _read(words.replace('  note: ""\n', "  note:\n"))
    value = json.loads(found.text)
    assert found.is_usable
    assert not found.is_final
    assert [item["reasoning"] for item in value["responses"]] == [item["reasoning"] for item in WHOLE["responses"]]
    assert {name: value[name] for name in ("confidence", "open", "ids", "asks", "sum")} == {
        name: WHOLE[name] for name in ("confidence", "open", "ids", "asks", "sum")
    }


def test_an_optional_field_may_stay_empty() -> None:
    """An empty number or text takes its default, and the answer has no problem."""
    found = _read(YAML.replace("sum: 3.0", "sum:"))
    assert (found.problems, found.is_usable) == ((), True)
    assert not {"sum", "advice"} & json.loads(found.text).keys()


def test_an_option_alone_is_an_answer_with_empty_fields() -> None:
    """Only a form in which nothing is chosen or written is not filled in."""
    found = _read("responses: [{target: A-1, type: refute, reasoning: }]")
    assert "responses.0.reasoning: is empty; write text" in found.problems
    assert NOT_FILLED_IN not in found.problems


def test_plain_words_are_an_answer_where_they_are_accepted() -> None:
    """A speech in plain words is used as it is; a judge's answer needs the form."""
    words = "I disagree: five people cannot run nine services.\n\nNot at night either."
    assert _read(words) == PersonAnswer(words, is_final=True)
    quoting = 'I said "look at {" and left.'
    assert _read(quoting) == PersonAnswer(quoting, is_final=True)
    assert _read(f'{json.dumps(WHOLE)}\n\nPS: forms start with {{"').is_usable
    found = read_reply(words, FORM)
    assert not found.is_usable
    assert "responses" in found.problems[0]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", NOT_FILLED_IN),
        ("\n".join(form_lines(FORM.schema)), NOT_FILLED_IN),
        (YAML.replace("It is so.\n\n    Even twice.", ""), "responses.1.reasoning: is empty; write text"),
        (YAML.replace("reasoning: |\n    It is", "reasoning: it is: *so"), "line 8"),
        (YAML.replace("A-2", "&x A-2"), "needs quotes"),
        ("responses: " + "[" * 50 + "]" * 50, "nested more than 40 levels deep"),
        (YAML + "open: no\n", "line 19, column 1: open: duplicate key"),
        (json.dumps(WHOLE)[:12], UNREADABLE_JSON),
        (json.dumps(WHOLE)[:-1], UNREADABLE_JSON),
        (f"```json\n{json.dumps(WHOLE)[:150]}\n```", UNREADABLE_JSON),
        (f"{json.dumps(WHOLE)} {json.dumps({**WHOLE, 'sum': 4})}", UNREADABLE_JSON),
        ("```yaml\n" + YAML + "```\n```yaml\nresponses: [\n```\n", None),
    ],
    ids=[
        "nothing",
        "the empty form",
        "an empty text",
        "broken YAML",
        "an anchor",
        "deep nesting",
        "a repeated key",
        "a cut-off name",
        "a missing last brace",
        "a cut-off code block",
        "two objects",
        "one good block",
    ],
)
def test_problems_are_named(words: str, problem: str | None) -> None:
    """An answer that cannot be used says where it is wrong, and the untouched form is no answer."""
    found = _read(words)
    assert found.is_usable == (problem is None)
    assert problem is None or any(problem in line for line in found.problems)


def test_a_missing_part_is_a_problem_that_a_lenient_form_accepts() -> None:
    """An answer without one of its parts is usable only if the form is lenient."""
    partly = json.dumps({**WHOLE, "responses": WHOLE["responses"][:1]})
    assert _read(partly).is_usable
    assert _read(partly).problems
    assert not read_reply(partly, STRICT).is_usable
