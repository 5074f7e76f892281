"""Tokens and cost of calls: estimates, prices and sums.

Prices come from the configuration, or else from the package `genai-prices`.
"""

import copy
import functools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.errors import CallError, DebateError
from debate_cli.llm.model import Profile, Reply, Request
from debate_cli.llm.schema_dialect import convert_schema

# Estimates -----------------------------------------------------------------------------------------------------------

ASCII_CHARS_PER_TOKEN = 2.5
"""Assumed number of ASCII characters per token. Real tokens are longer: 3 (JSON, code) to 4.5 (English) characters on
average. Estimates of tokens are therefore too high."""
TOKENS_PER_NON_ASCII_CHAR = 2
"""Assumed number of tokens per non-ASCII character. Real tokenizers need about 1 (Chinese) to 3 (rare scripts)."""
TOKENS_PER_MESSAGE = 16
"""Assumed number of tokens that a provider adds to each message."""
TOKENS_PER_SEARCH = 12_000
"""Assumed number of tokens in the results of one web search. Vendors report 5,000 to 10,000. The assumed number is
higher, because an estimate must not be too low."""


def estimate_input_tokens(request: Request, profile: Profile) -> int:
    """Return an upper estimate of the prompt's tokens, including the schema and the results of a web search."""
    if request.search is not None and not request.search.by_model:
        return 0
    found = 0 if request.search is None else request.search.max_searches * TOKENS_PER_SEARCH
    texts = [request.system, *(message.content for message in request.messages)]
    if request.schema is not None and request.rung in {"native", "tool"}:
        sent = convert_schema(request.schema.json, profile.dialect, use_references=profile.schema_references)
        texts.append(json.dumps(sent))
    return found + sum(_estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts)


def estimate_answer_tokens(request: Request, text: str) -> int:
    """Return an upper estimate of the tokens in the answer `text`, at most the output limit of `request`."""
    return min(_estimate_tokens(text), request.max_output_tokens)


def estimate_total_tokens(request: Request, profile: Profile) -> int:
    """Return an upper estimate of the tokens in the prompt and in an answer of maximum length."""
    return estimate_input_tokens(request, profile) + request.max_output_tokens


def _estimate_tokens(text: str) -> int:
    ascii_chars = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_chars / ASCII_CHARS_PER_TOKEN) + TOKENS_PER_NON_ASCII_CHAR * (len(text) - ascii_chars)


# Prices --------------------------------------------------------------------------------------------------------------

_GENAI_PRICES_IDS = {"gemini": "google", "xai": "x-ai"} | {
    name: name for name in ("openai", "anthropic", "openrouter", "groq", "together", "deepseek", "mistral")
}
TOKENS_PER_PRICE = 1_000_000
"""Number of tokens to which a price in US dollars applies."""
BATCH_FACTOR = 0.5
"""Price of tokens in a batch, divided by their normal price."""
SEARCHES_PER_PRICE = 1000
"""`genai-prices` states the price of web searches in US dollars for this many searches."""


@functools.cache
def find_bundled_price(model: str) -> Price | None:
    """Return the price of `provider/model` from `genai-prices`, in US dollars per million tokens; None if unknown.

    If the price rises with the length of the prompt, returns the price for the shortest prompts.
    """
    entry = _find_entry(model)

    def base_price(name: str) -> float | None:
        price = getattr(entry.model_price, name, None)  # some versions lack some prices
        return None if price is None else float(getattr(price, "base", price))

    paid, written = (None, None) if entry is None else (base_price("input_mtok"), base_price("output_mtok"))
    if written is None and "embed" in model:  # an embedding model writes nothing
        written = 0.0
    if paid is None or written is None:
        return None
    searches = base_price("web_searches_kcount")
    return Price(
        input=paid,
        output=written,
        cached_input=base_price("cache_read_mtok"),
        cache_write=base_price("cache_write_mtok"),
        search=None if searches is None else searches / SEARCHES_PER_PRICE,
    )


@functools.cache
def find_context_window(model: str) -> int | None:
    """Return the context window of `provider/model` in tokens, from `genai-prices`; None if unknown."""
    entry = _find_entry(model)
    return None if entry is None else entry.model.context_window


def _find_entry(model: str) -> Any:
    provider, _, name = model.partition("/")
    if provider not in _GENAI_PRICES_IDS or not name:
        return None
    import genai_prices  # slow import

    try:
        return genai_prices.calc_price(genai_prices.Usage(), name, provider_id=_GENAI_PRICES_IDS[provider])
    except LookupError:
        return None


def compute_cost(usage: Usage, price: Price | None) -> float | None:
    """Return the cost of `usage` in US dollars; None if the price of used tokens or searches is unknown."""
    if price is None or (usage.searches and price.search is None):
        return None
    read_price = price.input if price.cached_input is None else price.cached_input
    write_price = price.input if price.cache_write is None else price.cache_write
    read = min(usage.cached_tokens, usage.input_tokens)
    written = min(usage.cache_written_tokens, usage.input_tokens - read)
    fresh = usage.input_tokens - read - written
    asked = fresh * price.input + read * read_price + written * write_price
    return (asked + usage.output_tokens * price.output) / TOKENS_PER_PRICE + usage.searches * (price.search or 0.0)


def halve_price(price: Price | None) -> Price | None:
    """Return `price` with halved prices of tokens, for use in batches. None if `price` is None."""
    if price is None:
        return None
    prices = price.model_dump(include={"input", "output", "cached_input", "cache_write"}, exclude_none=True)
    return price.model_copy(update={name: BATCH_FACTOR * value for name, value in prices.items()})


def estimate_max_cost_usage(input_tokens: int, output_tokens: int, price: Price | None) -> Usage:
    """Return a usage with `input_tokens` and `output_tokens` that has the highest possible cost.

    If input that the provider writes to its cache costs more than other input, all input counts as written to the cache.
    """
    is_write_dearer = price is not None and price.cache_write is not None and price.cache_write > price.input
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_written_tokens=input_tokens if is_write_dearer else 0,
    )


# Sums ----------------------------------------------------------------------------------------------------------------

ErrorT = TypeVar("ErrorT", bound=CallError)


class UsageAccumulator:
    """Adds up the attempts, usage and seconds of several requests, e.g. of a request and its retries."""

    def __init__(self) -> None:
        self.attempts = 0
        """Number of requests sent."""
        self.usage = Usage()
        """Usage of all attempts. An attempt with unknown usage counts as zero."""
        self.latency_s = 0.0
        """Seconds that the provider took for all attempts."""

    def add_reply(self, reply: Reply) -> None:
        """Add the attempts, usage and seconds of a reply."""
        self.attempts += reply.attempts
        self.usage += reply.usage
        self._add_seconds(reply.latency_s)

    def add_failure(self, error: DebateError) -> None:
        """Add the attempts, usage and seconds of a `CallError`. Other errors change nothing."""
        if isinstance(error, CallError):
            self.attempts += error.attempts
            self.usage += error_usage(error)
            self._add_seconds(error.latency_s)

    def replace_with(self, calls: Sequence[ModelCall]) -> None:
        """Discard the sum, and add up the attempts, usage and seconds of `calls` instead."""
        self.attempts = sum(call.attempts for call in calls)
        self.usage = sum((call.usage for call in calls), Usage())
        self.latency_s = round(sum(call.latency_s for call in calls), 6)

    def to_reply(self, reply: Reply) -> Reply:
        """Return a copy of `reply` with the attempts, usage and seconds of all requests that were added."""
        return replace(reply, attempts=self.attempts, usage=self.usage, latency_s=self.latency_s)

    def to_error(self, error: ErrorT) -> ErrorT:
        """Return a copy of `error` with the attempts, usage and seconds of all requests that were added."""
        last = copy.copy(error)
        last.attempts, last.usage, last.latency_s = self.attempts, self.usage, self.latency_s
        return last

    def _add_seconds(self, seconds: float) -> None:
        self.latency_s = round(self.latency_s + seconds, 6)


def error_usage(error: CallError) -> Usage:
    """Return the usage that a failed call reported; zero if the call reported none."""
    return error.usage if isinstance(error.usage, Usage) else Usage()
