"""Use case `personas`: asks a model which people have a stake in documents, and makes these people judges of a panel.

The method is MAJ-EVAL (Chen et al. 2025).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from textwrap import indent
from typing import Any, NamedTuple

from debate_cli.app.config_resolution import escape_variables
from debate_cli.app.context import RunContext
from debate_cli.app.judge_request import JudgingRequest, config_for_judging, document_events
from debate_cli.app.model_pool import ModelPool
from debate_cli.app.preparation import prepare_judge_context
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import fold
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.message_text import printable_line
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.text_normalization import ascii_slug
from debate_cli.errors import ModelError, UsageError
from debate_cli.judge_input.quotes import find_quoted_line
from debate_cli.judge_input.transcript_prompt import format_speech
from debate_cli.judging.judge import build_request
from debate_cli.llm.form import Form, FormModel, derive_schema, items, text
from debate_cli.llm.prompt_sanitizer import prompt_line
from debate_cli.llm.prompts import Prompts
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.folder import free_name
from debate_cli.systems.registry import default_text_kind
from debate_cli.yaml_positions import dump_yaml

MAX_DOCUMENT_CHARS = 400_000
"""Maximum number of characters of all documents of one `debate personas` command together."""
_DEBATE_ID = "personas"
MIN_STAKEHOLDERS, MAX_STAKEHOLDERS = 3, 7


class TextDocument(NamedTuple):
    """A document: its name and its text. Both are untrusted input."""

    name: str
    text: str


class Stakeholder(NamedTuple):
    """A person or group with a stake in documents, as a model describes it. Its texts are untrusted."""

    id: str
    """Letters, digits and `_`. No two stakeholders have the same id."""
    name: str
    role: str
    cares_about: str
    quote: str
    """Passage that the model quotes as the reason for the stakeholder."""
    document: str | None
    """Name of the document that contains the quote; None if no document contains it."""
    line: int | None
    """Line of the document where the quote begins, from 1; None if no document contains the quote."""


class StakeholderForm(FormModel):
    """One stakeholder."""

    name: str = text(60)
    role: str = text(160)
    cares_about: str = text(240)
    quote: str = text(240)


class StakeholdersForm(FormModel):
    """All stakeholders."""

    stakeholders: tuple[StakeholderForm, ...] = items(MAX_STAKEHOLDERS, least=MIN_STAKEHOLDERS)


def prepare_personas(
    documents: Sequence[TextDocument], request: JudgingRequest, loaded: LoadedConfig | None
) -> tuple[RunContext, ModelSpec]:
    """Return what is needed to ask the judges' model about `documents`: the run context and the model.

    Raises UsageError if the documents are too long. Also raises ConfigError and MissingKeyError.
    """
    if sum(len(document.text) for document in documents) > MAX_DOCUMENT_CHARS:
        limit = f"{MAX_DOCUMENT_CHARS // 1000},000 characters"
        raise UsageError(f"together, the documents have more than {limit}; give fewer documents")
    return prepare_asked_model(documents[0].name, request, loaded)


def prepare_asked_model(
    name: str, request: JudgingRequest, loaded: LoadedConfig | None
) -> tuple[RunContext, ModelSpec]:
    """Return what is needed to ask the judges' model about a document: the run context and the model.

    `name`: the name of the document, for error messages. Raises ConfigError and MissingKeyError.
    """
    default = request
    if request.config is not None:  # its judges are not asked
        judging = JudgingConfig.model_validate({"systems": [default_text_kind()]})
        default = replace(request, config=request.config.model_copy(update={"judging": judging}))
    debate = fold(document_events(name, "", _DEBATE_ID, default, datetime.now(UTC)))
    context = prepare_judge_context(config_for_judging(debate, request), loaded, name, request=request)
    spec = context.config.model_for_judge(None)
    assert spec is not None  # `prepare_judge_context` refuses a judge without a model
    return context, spec


async def find_stakeholders(
    documents: Sequence[TextDocument], spec: ModelSpec, context: RunContext
) -> tuple[tuple[Stakeholder, ...], ModelCall]:
    """Return the stakeholders, and the call that found them. Raises BudgetError, ModelError."""
    prompts, package = Prompts(context.prompts), "debate_cli.judging"
    shown = "".join(f"TITLE: {format_speech(name)}\nDOCUMENT: {format_speech(words)}\n" for name, words in documents)
    rules = prompts.render(package, "personas_rules")
    ask = prompts.render(package, "panel_personas", least=str(MIN_STAKEHOLDERS), most=str(MAX_STAKEHOLDERS))
    form = Form(name="panel_personas", model=StakeholdersForm, schema=derive_schema(StakeholdersForm))
    pool = ModelPool(context)
    try:
        model = pool.handle_for(spec, context.config)
        answer = await model.client.ask(build_request(model, "judge.personas", rules, shown, ask), form)
    finally:
        await pool.aclose()
    if answer.error is not None:
        raise answer.error
    if answer.form is None:
        raise ModelError(
            f"{spec.model} named no usable stakeholders ({answer.problem}); ask another model with --model"
        )
    return tuple(_read_stakeholders(answer.form, documents)), answer.call


def _read_stakeholders(form: StakeholdersForm, documents: Sequence[TextDocument]) -> Iterator[Stakeholder]:
    taken: set[str] = set()
    for entry in form.stakeholders[:MAX_STAKEHOLDERS]:
        name = free_name(ascii_slug(entry.name, "_")[:40] or "judge", taken, "_")
        taken.add(name)
        places = ((document.name, find_quoted_line(entry.quote, document.text)) for document in documents)
        source, line = next((place for place in places if place[1] is not None), (None, None))
        words = (entry.name, entry.role, entry.cares_about, entry.quote)
        title, role, cares_about, quote = map(prompt_line, words)
        yield Stakeholder(name, title, role, cares_about, quote, source, line)


def format_judges_config(
    stakeholders: Sequence[Stakeholder], documents: Sequence[TextDocument], model: str, command: str
) -> str:
    """Return a YAML configuration whose panel has the stakeholders as judges.

    `command`: a command that judges with this configuration. It is shown in a comment at the top.
    """
    named = documents[0].name if len(documents) == 1 else "this document"
    head = {"topic": f"Should {named} be accepted as it is?", "models": {"judge": {"model": model}}}
    return "".join(
        [
            f"# Judges suggested by {printable_line(model)}. Edit names, descriptions and weights, then run:\n",
            f"#   {printable_line(command)}\n\n",
            _dump(head),
            "judging:\n  systems:\n    - kind: panel\n      judges:\n",
            *(_format_judge(stakeholder) for stakeholder in stakeholders),
        ]
    )


def _format_judge(stakeholder: Stakeholder) -> str:
    found = f"{stakeholder.document}, line {stakeholder.line}" if stakeholder.document is not None else None
    source = f"# {printable_line(found)}:" if found else "# CHECK: this passage is in none of the documents:"
    judge = {
        "id": stakeholder.id,
        "persona": stakeholder.name,
        "description": describe_stakeholder(stakeholder),
        "weight": 1,
    }
    return indent(f"{source} “{printable_line(stakeholder.quote)}”\n{_dump([judge])}", " " * 8)


def describe_stakeholder(stakeholder: Stakeholder) -> str:
    """Return the description of a judge with a stakeholder's point of view."""
    role, cares_about = (words.rstrip(". ") for words in (stakeholder.role, stakeholder.cares_about))
    return f"You judge as this stakeholder: {stakeholder.name}. Role: {role}. Cares about: {cares_about}."


def _dump(data: Any) -> str:
    return dump_yaml(escape_variables(data), width=110)
