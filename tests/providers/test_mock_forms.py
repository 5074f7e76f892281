"""The mock satisfies any schema, and its debates are readable and consistent."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rehearsal_support import MICROSERVICES, config_of, run_debate

from debate_cli.debaters.debater import UNSTRUCTURED
from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.llm.model import Message, OutputSchema, Request
from debate_cli.providers.mock.answers import write_answer
from debate_cli.providers.mock.sentences import cut_to_limits
from debate_cli.systems.live.findings import SuspectClaim
from debate_cli.systems.panel.votes import Vote
from debate_cli.systems.structured.findings import Fallacy

NAMES = st.sampled_from(
    ["claim", "reasoning", "quote", "type", "score", "participant", "total", "winner", "framing", "delivery", "x"]
)
LEAVES = st.one_of(
    st.integers(0, 60).map(lambda most: {"type": "string", "maxLength": most}),
    st.integers(1, 400).map(lambda least: {"type": "string", "minLength": least}),
    st.tuples(st.integers(-9, 9), st.integers(0, 50)).map(
        lambda pair: {"type": "integer", "minimum": pair[0], "maximum": pair[0] + pair[1]}
    ),
    st.floats(0, 1).map(lambda low: {"type": "number", "minimum": low, "maximum": low + 1}),
    st.lists(st.sampled_from(["refute", "draw", "PASS", "Con", "none"]), min_size=1, unique=True).map(
        lambda words: {"type": "string", "enum": words}
    ),
    st.sampled_from([{"const": "PRO-1"}, {"type": "boolean"}, {"type": "null"}, {"type": ["integer", "null"]}, {}]),
    st.just({"anyOf": [{"type": "null"}, {"type": "string", "minLength": 3}]}),
)


def _objects(parts: Any) -> Any:
    return st.dictionaries(NAMES, parts, max_size=4).map(
        lambda properties: {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    )


def _lists(parts: Any) -> Any:
    free = st.tuples(parts, st.integers(0, 3), st.integers(0, 3)).map(
        lambda made: {"type": "array", "items": made[0], "minItems": made[1], "maxItems": made[1] + made[2]}
    )
    fixed = st.lists(parts, min_size=1, max_size=3).map(
        lambda items: {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    )
    return free | fixed


CLAIM_BESIDE_A_NUMBER: dict[str, Any] = {
    "type": "object",
    "properties": {"claim": {"type": "string", "minLength": 3}, "quote": {"type": "integer", "maximum": 0}},
    "required": ["claim", "quote"],
}
SCHEMAS = st.recursive(LEAVES, lambda parts: _objects(parts) | _lists(parts), max_leaves=8)


def request(schema: dict[str, Any] | None, purpose: str = "opening") -> Request:
    """A request that names a motion and asks for `schema`."""
    return Request(
        system="Rules.",
        messages=(Message("user", f"Motion: {json.dumps(MICROSERVICES)}\nGo."),),
        purpose=purpose,
        max_output_tokens=400,
        schema=None if schema is None else OutputSchema("any", schema),
        rung="text" if schema is None else "native",
    )


@example(schema=CLAIM_BESIDE_A_NUMBER, seed=0, purpose="opening")
@given(schema=SCHEMAS, seed=st.integers(0, 5), purpose=st.sampled_from(["opening", "judge.live.turn"]))
def test_any_schema_is_satisfied(schema: dict[str, Any], seed: int, purpose: str) -> None:
    """The mock's answer to a generated schema validates against that schema."""
    answer: Any = json.loads(write_answer(request(schema, purpose), str(seed)))
    jsonschema.validate(answer, schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "schema",
    [
        {
            "$defs": {"S": {"type": "integer", "minimum": 3, "maximum": 3}},
            "type": "array",
            "items": {"$ref": "#/$defs/S"},
            "minItems": 2,
        },
        {
            "type": "object",
            "properties": {"child": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "note": {"type": "string"}},
            "required": ["note"],
        },
        {
            "allOf": [
                {
                    "type": "object",
                    "properties": {"id": {"type": "string", "pattern": "^[A-Z]+-\\d+$"}},
                    "required": ["id"],
                },
                {"properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]},
            ]
        },
    ],
    ids=["$ref", "recursive", "allOf, pattern and format"],
)
def test_schemas_of_other_tools_are_satisfied(schema: dict[str, Any]) -> None:
    """References, recursion, allOf, known formats and common patterns are supported."""
    jsonschema.validate(
        json.loads(write_answer(request(schema), "1")), schema, format_checker=jsonschema.FormatChecker()
    )


@pytest.mark.parametrize(
    ("text", "most", "words", "short"),
    [
        ("One two. Three four.", None, None, "One two. Three four."),
        ("One two. Three four.", 12, None, "One two."),
        ("One two three", 10, None, "One two"),
        ("Unbreakable", 4, None, "Unbr"),
        ("One two. Three four.", None, 3, "One two."),
        ("One two three four", None, 3, "One two three"),
        ("anything", 0, None, ""),
    ],
)
def test_texts_are_cut_after_a_sentence_or_a_word(text: str, most: int | None, words: int | None, short: str) -> None:
    """The cut is after a sentence where one fits, else after a word."""
    assert cut_to_limits(text, most, words) == short


SYSTEMS = [
    "structured",
    "moderator",
    "panel",
    {"kind": "live", "feedback": True},
    {"kind": "persuasion", "effects": "judge"},
]
FORMATS: dict[str, dict[str, Any]] = {
    "structured": {"kind": "structured"},
    "rebuttals": {"kind": "structured", "phases": ["opening", "cross_examination", "rebuttal", "closing"]},
    "brief": {"kind": "structured", "closing_words": 12, "arguments": 1},
    "semi": {"kind": "semi_structured", "exchanges": 2},
    "free": {"kind": "free_flowing", "turns": 3},
}


@pytest.fixture(params=sorted(FORMATS), scope="module")
def debate(request: pytest.FixtureRequest) -> Debate:
    """A mock debate in one of the formats, judged by all systems."""
    return run_debate(config_of(format=FORMATS[request.param], judging={"systems": SYSTEMS}, seed=3))


def test_every_form_of_a_debate_is_valid(debate: Debate) -> None:
    """No speech is unstructured or has a warning, no judge abstains, and no question is asked twice."""
    assert debate.status == "complete"
    assert debate.failures == ()
    assert [turn.warnings for turn in debate.turns] == [()] * len(debate.turns)
    assert UNSTRUCTURED not in {warning for turn in debate.turns for warning in turn.warnings}
    assert debate.usage.attempts == debate.usage.calls


def test_the_sentences_of_a_debate_are_readable(debate: Debate) -> None:
    """Judges have no warnings, nothing looks like manipulation, the motion is mentioned, and no slot is left unfilled."""
    assert [item.warnings for item in debate.assessments] == [()] * len(debate.assessments)
    findings = [finding for item in debate.assessments for finding in item.findings]
    assert not [finding for finding in findings if isinstance(finding, Manipulation)]
    assert any("microservices" in turn.text for turn in debate.turns)
    everything = debate.model_dump_json(
        include={"turns": {"__all__": {"text"}}, "assessments": {"__all__": {"findings"}}}
    )
    assert not any(f"{{{slot}" in everything for slot in ("angle", "case", "measure", "name", "target"))
    claims = [argument.claim for argument in debate.turns[0].arguments or ()]
    assert len(set(claims)) == len(claims)


def test_three_debaters_are_all_judged() -> None:
    """The mock's judges mark three debaters, whatever their sides are called."""
    debaters = [{"name": name, "side": side} for name, side in (("Ann", "cats"), ("Bo", "dogs"), ("Cy", "fish"))]
    debate = run_debate(
        config_of(debaters=debaters, topic="Which pet suits a small flat?", judging={"systems": ["moderator"]})
    )
    assert debate.failures == ()
    assert {mark.participant for item in debate.assessments for mark in item.marks} == {"Ann", "Bo", "Cy"}


def test_panels_disagree_first_and_converge() -> None:
    """In three debates some first votes differ, and later votes agree more often."""
    first, last = list[int](), list[int]()
    for seed in range(3):
        debate = run_debate(config_of(seed=seed, format={"arguments": 1}, judging={"systems": ["panel"]}))
        latest = max(item.revision for item in debate.assessments)
        for votes, revision in ((first, 0), (last, latest)):
            votes.append(len({_vote(item) for item in debate.assessments if item.revision == revision}))
    assert max(first) > 1
    assert sum(last) < sum(first)


def test_a_panel_on_a_document_writes_about_the_document() -> None:
    """In five panels on a document no vote mentions a motion, sides or turns."""
    plan: dict[str, Any] = {"topic": "PLAN.md", "background": "We move the service to one region.", "debaters": []}
    debates = [run_debate(config_of(**plan, seed=seed, judging={"systems": ["panel"]})) for seed in range(5)]
    texts = " ".join(item.model_dump_json() for debate in debates for item in debate.assessments)
    assert "The document" in texts
    assert not [word for word in ("motion", " side", "cross-exam", "Turn ", "turn 0") if word in texts]


def test_judges_quote_sometimes() -> None:
    """In some debates judges quote speeches, and every quote is in the transcript."""
    systems = ["structured", "live"]
    debates = [
        run_debate(config_of(seed=seed, format={"arguments": 2}, judging={"systems": systems})) for seed in range(2)
    ]
    found = [finding for debate in debates for item in debate.assessments for finding in item.findings]
    assert any(isinstance(finding, Fallacy | SuspectClaim) and finding.quote for finding in found)
    assert not [item.warnings for debate in debates for item in debate.assessments if item.warnings]


def _vote(assessment: Any) -> str:
    return next(finding.option for finding in assessment.findings if isinstance(finding, Vote))
