"""From a filled-in form to what was said. Ids are spelled as they were given out; nothing is dropped or invented."""

from __future__ import annotations

import re
from dataclasses import dataclass

from debate_cli.debaters.forms import (
    AnswersForm,
    ArgumentForm,
    ClosingForm,
    CrossExaminationForm,
    DebaterForm,
    OpeningForm,
    RebuttalForm,
    SpeechForm,
)
from debate_cli.debaters.occasion import TurnContext
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, Response

ARGUMENT_ID = re.compile(r"\b[A-Za-z][A-Za-z0-9]{0,15}-\d{1,4}\b")
"""What looks like the id of an argument."""


@dataclass(frozen=True, slots=True)
class TurnContent:
    """The content of a turn; only the fields of its phase are set."""

    arguments: tuple[Argument, ...] | None = None
    responses: tuple[Response, ...] | None = None
    answers: tuple[FollowUpAnswer, ...] | None = None
    closing: Closing | None = None
    speech: str = ""
    targets: tuple[str, ...] = ()
    """Ids that a rebuttal answers."""
    misplaced_arguments: tuple[Argument, ...] = ()
    """Arguments brought where none may be: told in the text, without standing as arguments."""


def read_turn_content(form: DebaterForm, occasion: TurnContext) -> TurnContent:
    """What the form says."""
    match form:
        case OpeningForm():
            return TurnContent(arguments=_arguments(form.arguments, occasion))
        case CrossExaminationForm():
            return _cross_examination(form, occasion)
        case AnswersForm():
            return _answers(form, occasion)
        case RebuttalForm():
            quoted = ARGUMENT_ID.findall(form.speech)
            known = [
                key
                for key in (occasion.match_id(word, occasion.opponent_ids) for word in quoted)
                if key in occasion.opponent_ids
            ]
            named = [occasion.match_id(target, occasion.opponent_ids) for target in form.targets]
            return TurnContent(speech=form.speech, targets=tuple(dict.fromkeys([*named, *known])))
        case ClosingForm():
            return _closing(form, occasion)
        case SpeechForm():
            return _speech(form, occasion)


def _arguments(forms: list[ArgumentForm], occasion: TurnContext) -> tuple[Argument, ...]:
    expected = occasion.new_ids(len(forms))
    return tuple(
        Argument(
            id=occasion.match_id(item.id, expected),
            claim=item.claim,
            reasoning=item.reasoning,
            evidence=item.evidence,
        )
        for item in forms
    )


def _cross_examination(form: CrossExaminationForm, occasion: TurnContext) -> TurnContent:
    responses = tuple(
        Response(
            target=occasion.match_id(item.target, (*occasion.target_ids, *occasion.own_ids)),
            type=item.type,
            reasoning=item.reasoning,
            follow_up=item.follow_up,
        )
        for item in form.responses
    )
    return TurnContent(responses=responses, misplaced_arguments=_arguments(form.arguments, occasion))


def _answers(form: AnswersForm, occasion: TurnContext) -> TurnContent:
    return TurnContent(
        answers=tuple(
            FollowUpAnswer(
                question_target=occasion.match_id(item.question_target, occasion.target_ids),
                reply=item.reply,
                evaded=item.evaded,
            )
            for item in form.answers
        )
    )


def _closing(form: ClosingForm, occasion: TurnContext) -> TurnContent:
    known = (*occasion.opponent_ids, *occasion.own_ids)
    part = form.closing
    return TurnContent(
        closing=Closing(
            concessions=tuple(occasion.match_id(word, known) for word in part.concessions),
            unrebutted=tuple(occasion.match_id(word, known) for word in part.unrebutted),
            final_position=part.final_position,
            shift=part.shift,
        )
    )


def _speech(form: SpeechForm, occasion: TurnContext) -> TurnContent:
    ids = occasion.new_ids(len(form.claims))
    return TurnContent(
        speech=form.speech,
        arguments=tuple(
            Argument(id=key, claim=item.claim, reasoning=item.reasoning, evidence=item.evidence)
            for key, item in zip(ids, form.claims, strict=True)
        ),
        responses=tuple(
            Response(
                target=occasion.match_id(item.target, occasion.opponent_ids),
                type=item.type,
                reasoning=item.reasoning,
            )
            for item in form.rebuttals
        ),
    )
