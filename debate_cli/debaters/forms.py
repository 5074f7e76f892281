"""The forms of debaters, one per phase, with the lengths of their fields. Converts them to the content of a turn.

In a turn's text, each field has a label, e.g. `Support:` for `evidence`. Labels avoid words that the persuasion system
counts in speeches, e.g. "evidence".
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from debate_cli.debaters.turn_context import TurnContext
from debate_cli.domain.evidence import MAX_CITATIONS, Citation
from debate_cli.domain.turn import Argument, Closing, FollowUpAnswer, PositionShift, Response, ResponseType
from debate_cli.llm.form import (
    Form,
    FormModel,
    JsonSchema,
    derive_schema,
    each_of,
    items,
    keep_if,
    one_of,
    some_of,
    text,
)


@dataclass(frozen=True, slots=True)
class TurnContent:
    """The content of a turn. Only the fields that the turn's phase uses are set."""

    arguments: tuple[Argument, ...] | None = None
    responses: tuple[Response, ...] | None = None
    answers: tuple[FollowUpAnswer, ...] | None = None
    closing: Closing | None = None
    speech: str = ""
    targets: tuple[str, ...] = ()
    """Ids of the arguments that a rebuttal answers."""
    misplaced_arguments: tuple[Argument, ...] = ()
    """New arguments in a cross-examination, which are not allowed. They appear in the turn's text, but do not count as
    the speaker's arguments."""


def format_turn_text(content: TurnContent) -> str:
    """Return `content` as text, with an empty line between paragraphs."""
    return "\n\n".join(_paragraphs(content))


def _paragraphs(content: TurnContent) -> Iterator[str]:
    if content.speech:
        yield content.speech
        unnamed = [target for target in content.targets if target not in content.speech]
        if unnamed:
            yield f"In answer to {', '.join(unnamed)}."
        return
    yield from (_format_argument(item) for item in content.arguments or ())
    for response in content.responses or ():
        first = f"To {response.target} ({response.type}): {response.reasoning}"
        yield _join_lines(first, _with_label("Question", response.follow_up), *_sources(response.citations))
    yield from (f"New argument. {_format_argument(item)}" for item in content.misplaced_arguments)
    for answer in content.answers or ():
        yield f"On {answer.question_target}: {answer.reply}{' (left open)' if answer.evaded else ''}"
    if content.closing is not None:
        yield content.closing.final_position
        yield _join_lines(
            _with_label("Conceded", ", ".join(content.closing.concessions)),
            _with_label("Unanswered", ", ".join(content.closing.unrebutted)),
            f"Position: {content.closing.shift}",
            _with_label("Why", content.closing.why),
            *_sources(content.closing.citations),
        )


def _format_argument(argument: Argument) -> str:
    return _join_lines(
        f"{argument.id}: {argument.claim}",
        argument.reasoning,
        _with_label("Support", argument.evidence),
        *_sources(argument.citations),
    )


def _sources(citations: Iterable[Citation]) -> Iterator[str]:
    return (f"Source {citation.source}: “{citation.quote}”" for citation in citations)


def _with_label(label: str, text: str) -> str:
    return f"{label}: {text}" if text.strip() else ""


def _join_lines(*lines: str) -> str:
    return "\n".join(line for line in lines if line.strip())


ARGUMENT_ID = re.compile(r"\b[A-Za-z][A-Za-z0-9]{0,15}-\d{1,4}\b")
"""Matches an argument id, for example `PRO-1`."""
MIN_PART_CHARS = {"claim": 10, "reasoning": 20, "evidence": 5}
"""Maps each part of an argument to its minimum number of characters."""
CHARS_PER_WORD = 7
MAX_SPEECH_CLAIMS = 3
"""Maximum number of claims, and of rebuttals, in one speech of the free-flowing format."""

ArgumentId = Annotated[str, Field(min_length=1, max_length=64)]
"""The id of an argument, as the model wrote it."""


class CitationForm(FormModel):
    """A quote from a passage, as the model wrote it."""

    source: Annotated[str, AfterValidator(lambda source: source.strip(" []"))] = Field(max_length=64)
    quote: str = text(400)


Citations = Annotated[list[CitationForm], items(MAX_CITATIONS)]
"""Quotes from passages of sources. The schema has this field only if the prompt shows passages."""


class ClaimForm(FormModel):
    """A claim in a speech of the free-flowing format. The program assigns the claim's id."""

    claim: str = text(160, least=MIN_PART_CHARS["claim"])
    reasoning: str = text(300, least=MIN_PART_CHARS["reasoning"])
    evidence: str = text(160, least=MIN_PART_CHARS["evidence"])
    citations: Citations = []


class ArgumentForm(FormModel):
    """One argument of an opening."""

    id: ArgumentId
    claim: str = text(160, least=MIN_PART_CHARS["claim"])
    reasoning: str = text(300, least=MIN_PART_CHARS["reasoning"])
    evidence: str = text(160, least=MIN_PART_CHARS["evidence"])
    citations: Citations = []


class OpeningForm(FormModel):
    """Form of the phase `opening`."""

    arguments: list[ArgumentForm] = Field(min_length=1)


class ResponseForm(FormModel):
    """The response to one argument in a cross-examination."""

    target: ArgumentId
    reasoning: str = text(300)
    type: ResponseType
    follow_up: str = text(160, least=0, default="")
    citations: Citations = []


class CrossExaminationForm(FormModel):
    """Form of the phase `cross_examination`."""

    responses: list[ResponseForm] = items(0)
    arguments: list[ArgumentForm] = []
    """New arguments, which the phase does not allow. The schema that models receive lacks this field. If a model fills it
    in anyway, the turn gets a warning."""


class AnswerForm(FormModel):
    """The reply to one question about an argument."""

    question_target: ArgumentId
    reply: str = text(300)
    evaded: bool | None = None


class AnswersForm(FormModel):
    """Form of the phase `answers`."""

    answers: list[AnswerForm]


class RebuttalForm(FormModel):
    """Form of the phase `rebuttal`."""

    targets: list[ArgumentId] = []
    """Ids of the arguments that the rebuttal answers. The program adds the ids that the text of `speech` mentions."""
    speech: str = text(1200, min_length=1)


class ClosingPartForm(FormModel):
    """The parts of a closing speech."""

    concessions: list[str] = []
    unrebutted: list[str] = []
    final_position: str = Field(min_length=1)
    shift: PositionShift
    why: str = text(160, least=0, default="")
    citations: Citations = []


class ClosingForm(FormModel):
    """Form of the phase `closing`."""

    closing: ClosingPartForm


class RebuttalPartForm(FormModel):
    """A rebuttal in a speech of the free-flowing format."""

    target: ArgumentId
    type: ResponseType
    reasoning: str = text(300)
    citations: Citations = []


class SpeechForm(FormModel):
    """Form of the phase `speech` of the free-flowing format."""

    speech: str = text(1200, min_length=1)
    claims: list[ClaimForm] = items(MAX_SPEECH_CLAIMS, default=[])
    rebuttals: list[RebuttalPartForm] = items(MAX_SPEECH_CLAIMS, default=[])


DebaterForm = OpeningForm | CrossExaminationForm | AnswersForm | RebuttalForm | ClosingForm | SpeechForm


def build_debater_form(context: TurnContext) -> Form[Any]:
    """Return the form for the cue of `context`. The form's schema lists the argument ids that are allowed."""
    own, theirs, format_ = context.keep_shown(context.own_ids), context.keep_shown(context.opponent_ids), context.format
    model: type[DebaterForm]
    narrowing: dict[str, JsonSchema | None]
    match context.cue.phase:
        case "opening":
            model, narrowing = OpeningForm, {"arguments": each_of("id", context.new_ids(format_.arguments))}
        case "cross_examination":
            responses = each_of("target", context.target_ids) if context.target_ids else {}
            model, narrowing = CrossExaminationForm, {"responses": responses, "arguments": None}
        case "answers":
            asked = [question.target for question in context.cue.questions]
            model, narrowing = AnswersForm, {"answers": each_of("question_target", asked)}
        case "rebuttal":
            model, narrowing = RebuttalForm, {"targets": some_of(theirs, least=min(1, len(theirs)))}
        case "closing":
            length = {"maxLength": format_.closing_words * CHARS_PER_WORD}
            narrowing = {"concessions": some_of((*theirs, *own)), "unrebutted": some_of(own), "final_position": length}
            model = ClosingForm
        case "speech":
            rebuttals: JsonSchema = {} if theirs else {"maxItems": 0}
            model, narrowing = SpeechForm, {"target": one_of(theirs), "rebuttals": rebuttals}
    ids = tuple(passage.id for passage in context.passages)
    cited = {"source": one_of(ids), "citations": keep_if(bool(ids))}
    return Form(context.cue.phase, model, derive_schema(model, **narrowing, **cited), lenient=True)


def read_turn_content(form: DebaterForm, context: TurnContext) -> TurnContent:
    """Convert a filled-in form to the content of a turn."""
    theirs = context.opponent_ids
    match form:
        case OpeningForm():
            return TurnContent(arguments=_new_arguments(form.arguments, context))
        case CrossExaminationForm():
            known = (*context.target_ids, *context.own_ids)
            return TurnContent(
                responses=tuple(_response(item, known, context) for item in form.responses),
                misplaced_arguments=_new_arguments(form.arguments, context),
            )
        case AnswersForm():
            answers = [
                FollowUpAnswer(
                    question_target=context.match_id(item.question_target, context.target_ids),
                    reply=item.reply,
                    evaded=item.evaded,
                )
                for item in form.answers
            ]
            return TurnContent(answers=tuple(answers))
        case RebuttalForm():
            quoted = [context.match_id(word, theirs) for word in ARGUMENT_ID.findall(form.speech)]
            named = [context.match_id(target, theirs) for target in form.targets]
            targets = [*named, *(key for key in quoted if key in theirs)]
            return TurnContent(speech=form.speech, targets=tuple(dict.fromkeys(targets)))
        case ClosingForm():
            return TurnContent(closing=_closing(form.closing, context))
        case SpeechForm():
            ids = context.new_ids(len(form.claims))
            return TurnContent(
                speech=form.speech,
                arguments=tuple(map(_argument, form.claims, ids)),
                responses=tuple(_response(item, theirs, context) for item in form.rebuttals),
            )


def _new_arguments(forms: list[ArgumentForm], context: TurnContext) -> tuple[Argument, ...]:
    ids = context.new_ids(len(forms))
    return tuple(_argument(item, context.match_id(item.id, ids)) for item in forms)


def _argument(item: ArgumentForm | ClaimForm, argument_id: str) -> Argument:
    return Argument.model_validate(item.model_dump() | {"id": argument_id})


def _response(item: ResponseForm | RebuttalPartForm, known: tuple[str, ...], context: TurnContext) -> Response:
    return Response.model_validate(item.model_dump() | {"target": context.match_id(item.target, known)})


def _closing(part: ClosingPartForm, context: TurnContext) -> Closing:
    known = (*context.opponent_ids, *context.own_ids)
    changes = {
        "concessions": [context.match_id(word, known) for word in part.concessions],
        "unrebutted": [context.match_id(word, known) for word in part.unrebutted],
        "why": part.why if part.shift != "unchanged" else "",
    }
    return Closing.model_validate(part.model_dump() | changes)
