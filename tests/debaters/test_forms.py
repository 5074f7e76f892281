"""The schema of each debater form is narrow, and never accepts what the form rejects."""

from typing import Any

import jsonschema
import pytest
from formats_support import PAIR, TRIO, config, new_debate, play_debate
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.debaters.forms import build_debater_form, read_turn_content
from debate_cli.debaters.turn_context import TurnContext
from debate_cli.debaters.validation import find_turn_warnings
from debate_cli.formats.schedule import next_step

OCCASIONS = [
    TurnContext.from_cue(next_step(debate).cues[0], debate)
    for form, waves in (
        ({"kind": "structured"}, 0),
        ({"kind": "structured"}, 1),
        ({"kind": "structured"}, 2),
        ({"kind": "semi_structured"}, 2),
        ({"kind": "semi_structured", "exchanges": 2}, 3),
        ({"phases": ["opening", "rebuttal"]}, 1),
        ({"phases": ["cross_examination", "rebuttal"]}, 0),
        ({"phases": ["rebuttal"]}, 0),
        ({"kind": "free_flowing"}, 0),
        ({"kind": "free_flowing"}, 4),
    )
    for debaters in (PAIR, TRIO)
    for debate in [play_debate(new_debate(config(form, debaters=debaters)), waves=waves)]
]


def filled(schema: dict[str, Any], draw: st.DrawFn) -> Any:
    """A value that satisfies `schema`."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    if "prefixItems" in schema:
        return [filled(part, draw) for part in schema["prefixItems"]]
    match schema["type"]:
        case "object":
            return {name: filled(part, draw) for name, part in schema["properties"].items()}
        case "array":
            return [
                filled(schema["items"], draw) for _ in range(draw(st.integers(schema["minItems"], schema["maxItems"])))
            ]
        case "boolean":
            return draw(st.booleans())
        case _:
            letters = st.text(min_size=schema["minLength"], max_size=min(schema["maxLength"], schema["minLength"] + 9))
            return draw(letters)


@st.composite
def answers(draw: st.DrawFn) -> tuple[TurnContext, Any]:
    """A turn context, and an answer to its schema."""
    occasion = draw(st.sampled_from(OCCASIONS))
    return occasion, filled(build_debater_form(occasion).schema, draw)


@given(answers())
def test_what_the_schema_accepts_is_complete(case: tuple[TurnContext, Any]) -> None:
    """Everything that the schema accepts is a complete form, and can be read."""
    occasion, answer = case
    form = build_debater_form(occasion)
    jsonschema.validate(answer, form.schema)
    said = read_turn_content(form.model.model_validate(answer), occasion)
    codes = {warning.partition(":")[0] for warning in find_turn_warnings(said, occasion)}
    assert codes <= {"short-claim", "short-reasoning", "short-evidence", "new-argument", "closing-too-long"}


@pytest.mark.parametrize("occasion", OCCASIONS, ids=lambda occasion: f"{occasion.cue.phase}-{occasion.cue.index}")
def test_schemas_are_valid(occasion: TurnContext) -> None:
    """Each schema is valid and has no empty choice, which providers refuse."""
    schema = build_debater_form(occasion).schema
    jsonschema.Draft202012Validator.check_schema(schema)
    assert '"enum": []' not in str(schema).replace("'", '"')


def test_every_opposing_argument_is_asked_for_by_its_id() -> None:
    """With three debaters, the schema names the arguments of both opponents, in order."""
    debate = play_debate(new_debate(config(debaters=TRIO)), waves=1)
    schema = build_debater_form(TurnContext.from_cue(next_step(debate).cues[1], debate)).schema
    parts = schema["properties"]["responses"]["prefixItems"]
    assert [part["properties"]["target"]["const"] for part in parts] == ["PRO-1", "PRO-2", "MIDDLE-1", "MIDDLE-2"]
