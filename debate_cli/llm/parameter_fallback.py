"""Omits sampling parameters that a server rejects. The first call of a run finds out which."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

from debate_cli.errors import BudgetError, ModelError, SamplingError
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.usage import UsageAccumulator


class ParameterFallbackModel:
    """Asks `model` (shown as `name`) again without the temperature or the seed if its server rejects them.

    A rejected parameter is added to `refused` and not sent again; all wrappers of one model share the set. `note` gets
    one line about it. Rejected attempts and their usage are added to the reply, or to the error that is raised at the
    end.
    """

    def __init__(self, model: Model, refused: set[str], *, name: str, note: Callable[[str], None]) -> None:
        self._model = model
        self._refused = refused
        self._name = name
        self._note = note

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request`. Raises ModelError or BudgetError."""
        spent = UsageAccumulator()
        left_out = set(self._refused)
        while True:
            try:
                reply = await self._model.complete(_drop_parameters(request, left_out), on_text)
            except (ModelError, BudgetError) as error:
                if isinstance(error, SamplingError) and error.parameter not in left_out:
                    spent.add_failure(error)
                    left_out.add(error.parameter)
                    continue
                if not spent.attempts:
                    raise
                spent.add_failure(error)
                last = copy.copy(error)
                spent.copy_to_error(last)
                raise last from error
            self._remember_refused(left_out)
            spent.add_reply(reply)
            return replace(reply, attempts=spent.attempts, usage=spent.usage)

    def _remember_refused(self, left_out: set[str]) -> None:
        for parameter in sorted(left_out - self._refused):
            self._refused.add(parameter)
            self._note(f"{self._name} does not accept {parameter}; it is left out from now on")


def _drop_parameters(request: Request, left_out: set[str]) -> Request:
    return replace(
        request,
        temperature=None if "temperature" in left_out else request.temperature,
        seed=None if "seed" in left_out else request.seed,
    )
