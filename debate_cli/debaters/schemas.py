"""The schema of each form, narrowed to one occasion: which ids exist, how many items, how long a text may be.

The lengths keep small models short where a grammar enforces them; the forms themselves take longer texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

from debate_cli.debaters.forms import (
    AnswersForm,
    ClosingForm,
    CrossExaminationForm,
    OpeningForm,
    RebuttalForm,
    SpeechForm,
)
from debate_cli.debaters.occasion import TurnContext
from debate_cli.debaters.validation import MIN_PART_CHARS
from debate_cli.domain.turn import Phase, PositionShift, ResponseType
from debate_cli.llm.form import Form, FormModel

JsonSchema = dict[str, Any]

MAX_CLAIM_CHARS, MAX_REASONING_CHARS, MAX_EVIDENCE_CHARS, MAX_QUESTION_CHARS = 160, 300, 160, 160
"""Most characters of one text."""
MAX_SPEECH_CHARS = 1200
CHARS_PER_WORD = 7
MAX_SPEECH_CLAIMS = 3
"""Most new claims, and most rebuttals, in one free speech."""


def build_debater_form(occasion: TurnContext) -> Form[Any]:
    """The form that a debater is to fill in on this occasion; what strays from it is told by `validation`."""
    model, schema = _FORMS[occasion.cue.phase]
    return Form(occasion.cue.phase, model, schema(occasion), lenient=True)


def _opening(occasion: TurnContext) -> JsonSchema:
    ids = occasion.new_ids(occasion.format.arguments)
    return _object(arguments=_fixed_array([_object(id=_const(key), **_claim_properties()) for key in ids]))


def _cross_examination(occasion: TurnContext) -> JsonSchema:
    def response(target: JsonSchema) -> JsonSchema:
        kind = _one_of(get_args(ResponseType))
        return _object(
            target=target, reasoning=_text(MAX_REASONING_CHARS), type=kind, follow_up=_text(MAX_QUESTION_CHARS, 0)
        )

    if not occasion.target_ids:
        return _object(responses=_array(response(_text(MAX_CLAIM_CHARS)), 0))
    return _object(responses=_fixed_array([response(_const(key)) for key in occasion.target_ids]))


def _answers(occasion: TurnContext) -> JsonSchema:
    asked = [question.target for question in occasion.cue.questions]
    return _object(
        answers=_fixed_array(
            [
                _object(question_target=_const(key), reply=_text(MAX_REASONING_CHARS), evaded={"type": "boolean"})
                for key in asked
            ]
        )
    )


def _rebuttal(occasion: TurnContext) -> JsonSchema:
    least = min(1, len(occasion.opponent_ids))
    return _object(targets=_id_array(occasion.opponent_ids, least=least), speech=_text(MAX_SPEECH_CHARS))


def _closing(occasion: TurnContext) -> JsonSchema:
    return _object(
        closing=_object(
            concessions=_id_array((*occasion.opponent_ids, *occasion.own_ids)),
            unrebutted=_id_array(occasion.own_ids),
            final_position=_text(occasion.format.closing_words * CHARS_PER_WORD),
            shift=_one_of(get_args(PositionShift)),
        )
    )


def _speech(occasion: TurnContext) -> JsonSchema:
    theirs = occasion.opponent_ids
    rebuttal = _object(
        target=_one_of(theirs) if theirs else _text(MAX_CLAIM_CHARS),
        type=_one_of(get_args(ResponseType)),
        reasoning=_text(MAX_REASONING_CHARS),
    )
    return _object(
        speech=_text(MAX_SPEECH_CHARS),
        claims=_array(_object(**_claim_properties()), MAX_SPEECH_CLAIMS),
        rebuttals=_array(rebuttal, MAX_SPEECH_CLAIMS if theirs else 0),
    )


_FORMS: dict[Phase, tuple[type[FormModel], Callable[[TurnContext], JsonSchema]]] = {
    "opening": (OpeningForm, _opening),
    "cross_examination": (CrossExaminationForm, _cross_examination),
    "answers": (AnswersForm, _answers),
    "rebuttal": (RebuttalForm, _rebuttal),
    "closing": (ClosingForm, _closing),
    "speech": (SpeechForm, _speech),
}


def _object(**properties: JsonSchema) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _claim_properties() -> dict[str, JsonSchema]:
    most = {"claim": MAX_CLAIM_CHARS, "reasoning": MAX_REASONING_CHARS, "evidence": MAX_EVIDENCE_CHARS}
    return {part: _text(most[part], least) for part, least in MIN_PART_CHARS.items()}


def _text(most: int, least: int = 1) -> JsonSchema:
    return {"type": "string", "minLength": least, "maxLength": most}


def _const(value: str) -> JsonSchema:
    return {"type": "string", "const": value}


def _one_of(values: Sequence[str]) -> JsonSchema:
    return {"type": "string", "enum": list(values)}


def _array(items: JsonSchema, most: int, least: int = 0) -> JsonSchema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _fixed_array(items: Sequence[JsonSchema]) -> JsonSchema:
    """Exactly these items, in this order."""
    return {"type": "array", "prefixItems": list(items), "minItems": len(items), "maxItems": len(items)}


def _id_array(keys: Sequence[str], least: int = 0) -> JsonSchema:
    """Some of `keys`."""
    return _array(_one_of(keys) if keys else _text(MAX_CLAIM_CHARS), len(keys), least)
