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
from debate_cli.debaters.occasion import Occasion
from debate_cli.debaters.validation import SHORTEST
from debate_cli.domain.content import Phase, ResponseType, Shift
from debate_cli.llm.form import Form, FormModel

Json = dict[str, Any]

CLAIM, REASONING, EVIDENCE, QUESTION = 160, 300, 160, 160
"""Most characters of one text."""
SPEECH = 1200
CHARS_PER_WORD = 7
FREE_CLAIMS = 3
"""Most new claims, and most rebuttals, in one free speech."""


def form_for(occasion: Occasion) -> Form[Any]:
    """The form that a debater is to fill in on this occasion; what strays from it is told by `validation`."""
    model, schema = _FORMS[occasion.cue.phase]
    return Form(occasion.cue.phase, model, schema(occasion), lenient=True)


def _opening(occasion: Occasion) -> Json:
    ids = occasion.new_ids(occasion.format.arguments)
    return _object(arguments=_each([_object(id=_const(key), **_claim()) for key in ids]))


def _cross_examination(occasion: Occasion) -> Json:
    def response(target: Json) -> Json:
        kind = _one_of(get_args(ResponseType))
        return _object(target=target, reasoning=_text(REASONING), type=kind, follow_up=_text(QUESTION, 0))

    if not occasion.targets:
        return _object(responses=_list(response(_text(CLAIM)), 0))
    return _object(responses=_each([response(_const(key)) for key in occasion.targets]))


def _answers(occasion: Occasion) -> Json:
    asked = [question.target for question in occasion.cue.questions]
    return _object(
        answers=_each(
            [_object(question_target=_const(key), reply=_text(REASONING), evaded={"type": "boolean"}) for key in asked]
        )
    )


def _rebuttal(occasion: Occasion) -> Json:
    least = min(1, len(occasion.theirs))
    return _object(targets=_ids(occasion.theirs, least=least), speech=_text(SPEECH))


def _closing(occasion: Occasion) -> Json:
    return _object(
        closing=_object(
            concessions=_ids((*occasion.theirs, *occasion.own)),
            unrebutted=_ids(occasion.own),
            final_position=_text(occasion.format.closing_words * CHARS_PER_WORD),
            shift=_one_of(get_args(Shift)),
        )
    )


def _speech(occasion: Occasion) -> Json:
    theirs = occasion.theirs
    rebuttal = _object(
        target=_one_of(theirs) if theirs else _text(CLAIM),
        type=_one_of(get_args(ResponseType)),
        reasoning=_text(REASONING),
    )
    return _object(
        speech=_text(SPEECH),
        claims=_list(_object(**_claim()), FREE_CLAIMS),
        rebuttals=_list(rebuttal, FREE_CLAIMS if theirs else 0),
    )


_FORMS: dict[Phase, tuple[type[FormModel], Callable[[Occasion], Json]]] = {
    "opening": (OpeningForm, _opening),
    "cross_examination": (CrossExaminationForm, _cross_examination),
    "answers": (AnswersForm, _answers),
    "rebuttal": (RebuttalForm, _rebuttal),
    "closing": (ClosingForm, _closing),
    "speech": (SpeechForm, _speech),
}


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _claim() -> dict[str, Json]:
    most = {"claim": CLAIM, "reasoning": REASONING, "evidence": EVIDENCE}
    return {part: _text(most[part], least) for part, least in SHORTEST.items()}


def _text(most: int, least: int = 1) -> Json:
    return {"type": "string", "minLength": least, "maxLength": most}


def _const(value: str) -> Json:
    return {"type": "string", "const": value}


def _one_of(values: Sequence[str]) -> Json:
    return {"type": "string", "enum": list(values)}


def _list(items: Json, most: int, least: int = 0) -> Json:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _each(items: Sequence[Json]) -> Json:
    """Exactly these items, in this order."""
    return {"type": "array", "prefixItems": list(items), "minItems": len(items), "maxItems": len(items)}


def _ids(keys: Sequence[str], least: int = 0) -> Json:
    """Some of `keys`."""
    return _list(_one_of(keys) if keys else _text(CLAIM), len(keys), least)
