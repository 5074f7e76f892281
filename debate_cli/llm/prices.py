"""Prices of tokens and web searches from the bundled tables of `genai-prices` (no network), and the cost of a call.

A price in the configuration takes precedence; see `find_price` in `providers.registry`.
"""

import functools
from typing import Any

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import Usage

_GENAI_PRICES_IDS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "openrouter": "openrouter",
    "groq": "groq",
    "together": "together",
    "deepseek": "deepseek",
    "mistral": "mistral",
    "xai": "x-ai",
}
"""Maps a provider to its id in `genai-prices`."""
TOKENS_PER_PRICE = 1_000_000
"""Number of tokens that a price applies to."""
BATCH_FACTOR = 0.5
"""Price of tokens in a batch as a share of their normal price."""
SEARCHES_PER_PRICE = 1000
"""Number of web searches that a bundled price applies to."""


@functools.cache
def find_bundled_price(model: str) -> Price | None:
    """Return the price of `provider/model` per million tokens; None if unknown.

    If the price has tiers, the first tier is returned. If the price depends on the hour, the hour of the first call of
    this function in this process decides.
    """
    entry = _find_entry(model)
    listed = None if entry is None else entry.model_price
    paid, written = _base_price(listed, "input_mtok"), _base_price(listed, "output_mtok")
    if written is None and "embed" in model:  # an embedding model writes nothing
        written = 0.0
    if paid is None or written is None:
        return None
    searches = _base_price(listed, "web_searches_kcount")
    return Price(
        input=paid,
        output=written,
        cached_input=_base_price(listed, "cache_read_mtok"),
        cache_write=_base_price(listed, "cache_write_mtok"),
        search=None if searches is None else searches / SEARCHES_PER_PRICE,
    )


@functools.cache
def find_context_window(model: str) -> int | None:
    """Return the context window of `provider/model` in tokens, from the bundled tables; None if unknown."""
    entry = _find_entry(model)
    return None if entry is None else entry.model.context_window


def _find_entry(model: str) -> Any:
    """Return the entry of `provider/model` in the bundled tables; None if there is none."""
    provider, _, name = model.partition("/")
    if provider not in _GENAI_PRICES_IDS or not name:
        return None
    import genai_prices  # takes a third of a second

    try:
        return genai_prices.calc_price(genai_prices.Usage(), name, provider_id=_GENAI_PRICES_IDS[provider])
    except LookupError:
        return None


def _base_price(listed: Any, name: str) -> float | None:
    price = getattr(listed, name, None)
    return None if price is None else float(getattr(price, "base", price))


def compute_cost(usage: Usage, price: Price | None) -> float | None:
    """Return the cost of `usage` in US dollars; None if the price of its tokens or its searches is unknown."""
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
    """Return the price of tokens in a batch; None if `price` is None."""
    if price is None:
        return None
    prices = price.model_dump(include={"input", "output", "cached_input", "cache_write"}, exclude_none=True)
    return price.model_copy(update={name: BATCH_FACTOR * value for name, value in prices.items()})


def estimate_max_cost_usage(input_tokens: int, output_tokens: int, price: Price | None) -> Usage:
    """Return the most expensive usage with these tokens: the prompt is written to the cache if that costs more."""
    is_write_dearer = price is not None and price.cache_write is not None and price.cache_write > price.input
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cache_written_tokens=input_tokens if is_write_dearer else 0,
    )
