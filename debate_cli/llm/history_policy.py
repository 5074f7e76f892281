"""Decides whether a prompt contains the whole debate, or only its last turns and a list of earlier arguments."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal, NamedTuple, Protocol, TypeVar

from debate_cli.domain.model_call import add_model_calls
from debate_cli.errors import ContextOverflowError
from debate_cli.llm.form import FormModel
from debate_cli.llm.model import Profile, Request
from debate_cli.llm.structured_output import ModelHandle, StructuredAnswer
from debate_cli.llm.usage import ASCII_CHARS_PER_TOKEN, estimate_input_tokens

T = TypeVar("T", bound=FormModel)
HistoryMode = Literal["auto", "full", "recent"]
MAX_FULL_TOKENS = 60_000
"""Maximum estimated number of tokens of a prompt with the whole debate if `format.history` is `auto`."""
MAX_FULL_TURNS = 40
"""If `format.history` is `auto`, `HistoryPolicy.build` shows a whole debate only if it has at most this many turns."""
MAX_CONTEXT_SHARE = 0.6
"""Maximum share (0-1) of a model's context window that a prompt with the whole debate may fill."""
MAX_PASSAGE_SHARE = 0.2
"""Maximum share (0-1) of a model's context window that the passages of sources may fill."""


class DebateLength(NamedTuple):
    """Number of speeches in a prompt with the whole debate, and their length."""

    turns: int
    chars: int
    """Number of characters in the speeches."""


class PromptBuilder(Protocol):
    """Builds a request that contains the whole debate, or only its recent part."""

    def __call__(self, *, is_recent: bool) -> Request:
        """Build the request. If `is_recent` is true, the request contains only the recent part of the debate."""
        ...


class HistoryPolicy:
    """Decides how much of the debate each prompt of a run contains (setting `format.history`)."""

    def __init__(self, mode: HistoryMode = "auto", note: Callable[[str], None] = lambda _: None) -> None:
        self._mode = mode
        self._note = note
        self._is_noted = False
        self._is_passages_noted = False
        self._shortest_refused_tokens: dict[str, int] = {}

    async def ask(
        self,
        model: ModelHandle,
        choose: Callable[[], tuple[Request, bool]],
        send: Callable[[Request, bool], Awaitable[StructuredAnswer[T]]],
    ) -> tuple[StructuredAnswer[T], Request, bool]:
        """Ask `model`. If the model refuses the prompt as too long, ask once more with less of the debate.

        Does not ask again if `format.history` is `full`.

        Returns the last answer, its request, and whether the request contains only the recent part of the debate.

        `choose()`: returns the result of `HistoryPolicy.build` or `HistoryPolicy.build_whole` for `model`.

        `send(request, is_recent)`: sends the request to `model`.
        """
        request, is_recent = choose()
        answer = await send(request, is_recent)
        if is_recent or self._mode == "full" or not isinstance(answer.error, ContextOverflowError):
            return answer, request, is_recent
        refused = estimate_input_tokens(request, Profile())
        self._shortest_refused_tokens[model.name] = min(refused, self._shortest_refused_tokens.get(model.name, refused))
        shorter, is_recent = choose()
        if estimate_input_tokens(shorter, Profile()) >= refused:
            return answer, request, False
        self._note(
            f"{model.name} refused a prompt of about {refused:,} tokens as too long; asking again with less history"
        )
        again = await send(shorter, is_recent)
        return replace(again, call=add_model_calls(answer.call, again.call)), shorter, is_recent

    def context_tokens(self, model: ModelHandle) -> int | None:
        """Return the maximum number of tokens in a prompt for `model`; None if unknown.

        The maximum is the smaller of two numbers: the model's context window, and the length of the shortest prompt
        that the model refused as too long.
        """
        known = (model.context_tokens, self._shortest_refused_tokens.get(model.name))
        return min((tokens for tokens in known if tokens is not None), default=None)

    def build(self, build: PromptBuilder, length: DebateLength, context_tokens: int | None) -> tuple[Request, bool]:
        """Build a request as `format.history` says: with the whole debate, or only with its recent part.

        Returns the request, and whether it contains only the recent part. `context_tokens`: maximum number of tokens in
        a prompt for the model; None if unknown.
        """
        if self._mode == "recent":
            return build(is_recent=True), True
        if self._mode == "full":
            return build(is_recent=False), False
        if length.turns > MAX_FULL_TURNS:
            return self._shorten(build, f"the debate has more than {MAX_FULL_TURNS} turns")
        limit = MAX_FULL_TOKENS if context_tokens is None else int(context_tokens * MAX_CONTEXT_SHARE)
        return self._build_within(build, length, min(limit, MAX_FULL_TOKENS))

    def build_whole(
        self, build: PromptBuilder, length: DebateLength, context_tokens: int | None
    ) -> tuple[Request, bool]:
        """Build a request with the whole debate or, if that is too long, with the debate's recent part.

        Ignores `format.history`. If `context_tokens` is None, the request contains the whole debate.

        Returns the request, and whether it contains only the recent part. `context_tokens`: maximum number of tokens in
        a prompt for the model; None if unknown.
        """
        if context_tokens is None:
            return build(is_recent=False), False
        return self._build_within(build, length, int(context_tokens * MAX_CONTEXT_SHARE))

    def count_fitting(self, lengths: Sequence[int], context_tokens: int | None) -> int:
        """Return the number of passages, counted from the first, that fit into one prompt.

        Tells the user once if some passages do not fit.

        `lengths`: number of characters in each passage. `context_tokens`: the model's context; None if unknown.
        """
        limit = MAX_FULL_TOKENS if context_tokens is None else int(context_tokens * MAX_PASSAGE_SHARE)
        totals = accumulate(length / ASCII_CHARS_PER_TOKEN for length in lengths)
        count = sum(total <= limit for total in totals)
        if count < len(lengths) and not self._is_passages_noted:
            self._is_passages_noted = True
            self._note(
                f"only {count} of {len(lengths)} passages fit into the {limit:,} tokens that a prompt has for passages; "
                "lower evidence.passages or evidence.passage_words, or use a model with a larger context"
            )
        return count

    def _build_within(self, build: PromptBuilder, length: DebateLength, limit: int) -> tuple[Request, bool]:
        if length.chars / ASCII_CHARS_PER_TOKEN <= limit:
            request = build(is_recent=False)
            if estimate_input_tokens(request, Profile()) <= limit:
                return request, False
        return self._shorten(build, f"the whole debate no longer fits into a prompt of {limit:,} tokens")

    def _shorten(self, build: PromptBuilder, reason: str) -> tuple[Request, bool]:
        request = build(is_recent=True)
        tokens = estimate_input_tokens(request, Profile())
        if not self._is_noted and tokens < estimate_input_tokens(build(is_recent=False), Profile()):
            self._is_noted = True
            self._note(
                f"{reason}: from now on prompts contain the last speeches and a list of earlier arguments (format.history)"
            )
        return request, True
