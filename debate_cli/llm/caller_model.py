"""Wraps a model object of a Python caller, so that its exceptions become failures of single calls."""

from typing import cast

from debate_cli.errors import CallerModelError, CallError
from debate_cli.llm.model import Model, OnText, Reply, Request


class CallerModel:
    """Model wrapper. Raises CallerModelError if the caller's object raises or returns something unexpected."""

    def __init__(self, model: Model, name: str) -> None:
        """`name`: the `provider/model` that the object replaces, for messages."""
        self._model = model
        self._name = name

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Ask the caller's object. Errors of the kinds that a `Model` may raise pass unchanged."""
        try:
            reply = cast("object", await self._model.complete(request, on_text))
        except CallError:
            raise
        except Exception as error:
            raise CallerModelError(
                f"the model object for {self._name} raised {type(error).__name__} ({error}); correct its `complete`"
            ) from error
        if not isinstance(reply, Reply):
            raise CallerModelError(
                f"the model object for {self._name} returned {type(reply).__name__}; return a `Reply` from `complete`"
            )
        return reply
