"""From a filled-in form to what was said. Ids are spelled as they were given out; nothing is dropped or invented."""

from __future__ import annotations

import re
from dataclasses import dataclass

from debate_cli.debaters.forms import (
    AnswersForm,
    ArgumentForm,
    ClosingForm,
    CrossExaminationForm,
    OpeningForm,
    RebuttalForm,
    SpeechForm,
    SpokenForm,
)
from debate_cli.debaters.occasion import Occasion
from debate_cli.domain.content import Answer, Argument, Closing, Response

ID = re.compile(r"\b[A-Za-z][A-Za-z0-9]{0,15}-\d{1,4}\b")
"""What looks like the id of an argument."""


@dataclass(frozen=True, slots=True)
class Said:
    """The content of a turn; only the fields of its phase are set."""

    arguments: tuple[Argument, ...] | None = None
    responses: tuple[Response, ...] | None = None
    answers: tuple[Answer, ...] | None = None
    closing: Closing | None = None
    speech: str = ""
    targets: tuple[str, ...] = ()
    """Ids that a rebuttal answers."""
    smuggled: tuple[Argument, ...] = ()
    """Arguments brought where none may be: told in the text, without standing as arguments."""


def read(form: SpokenForm, occasion: Occasion) -> Said:
    """What the form says."""
    match form:
        case OpeningForm():
            return Said(arguments=_arguments(form.arguments, occasion))
        case CrossExaminationForm():
            return _cross_examination(form, occasion)
        case AnswersForm():
            return _answers(form, occasion)
        case RebuttalForm():
            quoted = ID.findall(form.speech)
            known = [
                key for key in (occasion.mended(word, occasion.theirs) for word in quoted) if key in occasion.theirs
            ]
            named = [occasion.mended(target, occasion.theirs) for target in form.targets]
            return Said(speech=form.speech, targets=tuple(dict.fromkeys([*named, *known])))
        case ClosingForm():
            return _closing(form, occasion)
        case SpeechForm():
            return _speech(form, occasion)


def _arguments(forms: list[ArgumentForm], occasion: Occasion) -> tuple[Argument, ...]:
    expected = occasion.new_ids(len(forms))
    return tuple(
        Argument(
            id=occasion.mended(item.id, expected),
            claim=item.claim,
            reasoning=item.reasoning,
            evidence=item.evidence,
        )
        for item in forms
    )


def _cross_examination(form: CrossExaminationForm, occasion: Occasion) -> Said:
    responses = tuple(
        Response(
            target=occasion.mended(item.target, (*occasion.targets, *occasion.own)),
            type=item.type,
            reasoning=item.reasoning,
            follow_up=item.follow_up,
        )
        for item in form.responses
    )
    return Said(responses=responses, smuggled=_arguments(form.arguments, occasion))


def _answers(form: AnswersForm, occasion: Occasion) -> Said:
    return Said(
        answers=tuple(
            Answer(
                question_target=occasion.mended(item.question_target, occasion.targets),
                reply=item.reply,
                evaded=item.evaded,
            )
            for item in form.answers
        )
    )


def _closing(form: ClosingForm, occasion: Occasion) -> Said:
    known = (*occasion.theirs, *occasion.own)
    part = form.closing
    return Said(
        closing=Closing(
            concessions=tuple(occasion.mended(word, known) for word in part.concessions),
            unrebutted=tuple(occasion.mended(word, known) for word in part.unrebutted),
            final_position=part.final_position,
            shift=part.shift,
        )
    )


def _speech(form: SpeechForm, occasion: Occasion) -> Said:
    ids = occasion.new_ids(len(form.claims))
    return Said(
        speech=form.speech,
        arguments=tuple(
            Argument(id=key, claim=item.claim, reasoning=item.reasoning, evidence=item.evidence)
            for key, item in zip(ids, form.claims, strict=True)
        ),
        responses=tuple(
            Response(
                target=occasion.mended(item.target, occasion.theirs),
                type=item.type,
                reasoning=item.reasoning,
            )
            for item in form.rebuttals
        ),
    )
