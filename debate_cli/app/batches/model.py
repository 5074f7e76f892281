"""The model that a judge asks in batches, and wrappers that tell the queue which tasks run and which wait."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from debate_cli.app.batches.client import Question, compute_fingerprint
from debate_cli.app.batches.queue import BatchQueue
from debate_cli.domain.assessment import Assessment
from debate_cli.domain.config import Price
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.domain.turn import Turn
from debate_cli.engine import Actors
from debate_cli.llm.meter import pause_deadline
from debate_cli.llm.model import BatchApi, Model, OnText, Profile, Reply, Request
from debate_cli.llm.usage import compute_cost, estimate_input_tokens, estimate_max_cost_usage
from debate_cli.storage.batch_store import RequestKey


@dataclass(frozen=True, slots=True)
class QueuedModel:
    """A model that puts its requests into `queue`, where they wait for a batch."""

    queue: BatchQueue
    name: str
    """The model as `provider/model`."""
    open_api: Callable[[], BatchApi]
    profile: Profile
    price: Price | None
    """Price of the model in a batch; None if unknown."""
    redact: Callable[[str], str]

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Wait until a batch with the request has ended, and return the answer. `on_text` is never called."""
        assert request.origin is not None, "only judges are asked in batches"
        prompt = estimate_input_tokens(request, self.profile)
        worst = estimate_max_cost_usage(prompt, request.max_output_tokens, self.price)
        return await self.queue.ask(
            Question(
                RequestKey(self.name, request.origin.debate, request.origin.key, compute_fingerprint(request)),
                self.open_api(),
                request,
                compute_cost(worst, self.price),
                self.redact,
                asyncio.get_running_loop().create_future(),
            )
        )


@dataclass(frozen=True, slots=True)
class WaitingModel:
    """Wrapper of a model that puts requests into `queue`. During a call, `queue` counts the caller's task as waiting."""

    model: Model
    queue: BatchQueue

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Ask `model`. The time until the answer does not count towards the deadline of the call."""
        with self.queue.count_wait(), pause_deadline():
            return await self.model.complete(request, on_text)


@dataclass(frozen=True, slots=True)
class _CountedActor:
    actor: Any
    queue: BatchQueue

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        with self.queue.count_task(debate.id):
            return await self.actor.speak(cue, debate, on_text)

    async def assess(self, brief: Brief, debate: Debate) -> Assessment | Failure:
        with self.queue.count_task(debate.id):
            return await self.actor.assess(brief, debate)


def wrap_actors(actors: Actors, queue: BatchQueue) -> Actors:
    """Wrap debaters and judge, so that `queue` counts each speech and each judgement as a running task."""
    speakers = {name: _CountedActor(speaker, queue) for name, speaker in actors.debaters.items()}
    return replace(actors, debaters=speakers, judge=_CountedActor(actors.judge, queue))
