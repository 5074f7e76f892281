"""Judges for tests: a model that fills in any form from its schema, and debates ready to be judged."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from formats_support import NOON, config, new_debate, play_debate

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import JudgingConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, Failure, JudgingOpened, TaskFailed
from debate_cli.domain.model_call import Usage
from debate_cli.domain.tasks import Brief
from debate_cli.formats.schedule import next_step
from debate_cli.judging.judge import Judge
from debate_cli.judging.schedule import owed_briefs
from debate_cli.llm.model import OnText, Profile, Reply, Request
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle, StructuredOutputClient

System = str | dict[str, Any]
Change = Callable[[dict[str, Any]], None]
"""Alters a filled-in form before it is sent."""


def fill_form(schema: Mapping[str, Any]) -> Any:
    """The simplest value that satisfies `schema`: first choices, middles of ranges, short texts, shortest lists."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: fill_form(part) for name, part in schema["properties"].items()}
        case "array" if "prefixItems" in schema:
            return [fill_form(part) for part in schema["prefixItems"]]
        case "array":
            return [fill_form(schema["items"]) for _ in range(schema.get("minItems", 0))]
        case "integer":
            return (schema["minimum"] + schema["maximum"]) // 2
        case "number":
            return (schema["minimum"] + schema["maximum"]) / 2
        case "boolean":
            return True
        case _:
            return "a short text"


class FillingModel:
    """A model that fills in every form and applies `change`, or raises, or answers with a text; records its requests."""

    def __init__(
        self, change: Change | None = None, *, raising: Exception | None = None, says: str | None = None
    ) -> None:
        self._change = change
        self._raising = raising
        self._says = says
        self.requests: list[Request] = []

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The filled-in form, or the configured text or error."""
        self.requests.append(request)
        if self._raising is not None:
            raise self._raising
        if self._says is not None:
            return Reply(text=self._says, usage=Usage(), finish_reason="stop")
        assert request.schema is not None
        form = fill_form(request.schema.json)
        if self._change is not None:
            self._change(form)
        return Reply(text=json.dumps(form), usage=Usage(input_tokens=10, output_tokens=5), finish_reason="stop")


class SilentModel:
    """A model that never answers."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Wait for ever."""
        await asyncio.Event().wait()
        raise AssertionError


def judge(
    model: FillingModel | SilentModel,
    *,
    name: str = "mock/judge",
    seed: int | None = None,
    temperature: float | None = None,
) -> Judge:
    """A judge who asks `model` for everything."""
    client = StructuredOutputClient(model, Profile(modes=("native",)), name=name)
    model_handle = ModelHandle(client, name, 1000, temperature=temperature, seed=seed)
    return Judge(lambda _brief, _debate: model_handle, Prompts())


def assess(brief: Brief, debate: Debate, model: FillingModel | SilentModel) -> Assessment | Failure:
    """What a judge with `model` answers."""
    return asyncio.run(judge(model).assess(brief, debate))


def assess_filled(brief: Brief, debate: Debate, change: Change | None = None) -> Assessment:
    """The assessment from a simple form with `change` applied."""
    result = assess(brief, debate, FillingModel(change))
    assert isinstance(result, Assessment), result
    return result


def settle(debate: Debate, briefs: Iterable[Brief], model: FillingModel | None = None) -> Debate:
    """The debate with these briefs answered."""
    for brief in briefs:
        result = assess(brief, debate, model or FillingModel())
        if isinstance(result, Assessment):
            debate = debate.apply(AssessmentCompleted(at=NOON, assessment=result))
        else:
            debate = debate.apply(TaskFailed(at=NOON, failure=result))
    return debate


def settle_all(debate: Debate, model: FillingModel | None = None) -> Debate:
    """The debate with every owed brief answered, including those owed after that."""
    while briefs := owed_briefs(debate):
        debate = settle(debate, briefs, model)
    return debate


def debate_with_speeches(*systems: System, form: dict[str, Any] | None = None, **fields: Any) -> Debate:
    """A debate with all turns and no assessments."""
    return play_debate(new_debate(config(form, systems or ("structured",), **fields)))


def play_and_judge(*systems: System, model: FillingModel | None = None, **fields: Any) -> Debate:
    """A debate with all turns and assessments, each made as early as possible."""
    debate = debate_with_speeches(*systems, **fields)
    while owed_briefs(debate) or next_step(debate).cues:
        debate = play_debate(settle_all(debate, model))
    return debate


def judge_later(debate: Debate, *systems: System) -> Debate:
    """The debate with a judging run `r2`."""
    judging = JudgingConfig.model_validate({"systems": list(systems)})
    return debate.apply(JudgingOpened(at=NOON, run="r2", judging=judging))


def close_debate(debate: Debate) -> Debate:
    """The debate closed as complete."""
    return debate.apply(DebateClosed(at=NOON, reason="complete"))


def keys(debate: Debate) -> list[str]:
    """Keys of the owed briefs."""
    return [brief.key for brief in owed_briefs(debate)]
