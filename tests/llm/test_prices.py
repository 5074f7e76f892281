"""Costs of tokens; an unknown price is None, not zero."""

import subprocess
import sys

import pytest

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import Usage
from debate_cli.llm.usage import compute_cost, estimate_max_cost_usage, find_bundled_price


@pytest.mark.parametrize(
    "model",
    [
        "openai/gpt-5",
        "anthropic/claude-sonnet-4-5",
        "gemini/gemini-2.5-pro",
        "xai/grok-4",
        "openrouter/anthropic/claude-sonnet-4",
    ],
)
def test_hosted_models_have_a_price(model: str) -> None:
    """The bundled tables know the common models by our providers' names."""
    price = find_bundled_price(model)
    assert price is not None
    assert 0 < price.input < price.output


@pytest.mark.parametrize(
    "model",
    [
        "openai/no-such-model-at-all",
        "ollama/qwen3:8b",
        "lab/gpt-5",
        "vllm/x",
        "openai",
        "openai/",
        "mock/debater",
        "local/smollm2",
    ],
)
def test_an_unknown_model_has_no_price(model: str) -> None:
    """The bundled tables do not apply to providers that the user added."""
    assert find_bundled_price(model) is None


@pytest.mark.parametrize(
    ("usage", "price", "expected"),
    [
        (Usage(input_tokens=1_000_000, output_tokens=0), Price(input=2, output=10), 2.0),
        (Usage(input_tokens=0, output_tokens=500_000), Price(input=2, output=10), 5.0),
        (Usage(input_tokens=1_000_000, cached_tokens=400_000), Price(input=2, output=10, cached_input=0.5), 1.4),
        (Usage(input_tokens=1_000_000, cached_tokens=400_000), Price(input=2, output=10), 2.0),
        (Usage(input_tokens=10, cached_tokens=1_000_000), Price(input=0, output=0, cached_input=1), 1e-5),
        (
            Usage(input_tokens=1_000_000, cache_written_tokens=1_000_000),
            Price(input=3, output=15, cache_write=3.75),
            3.75,
        ),
        (Usage(input_tokens=1_000_000, cache_written_tokens=400_000), Price(input=3, output=15), 3.0),
        (Usage(input_tokens=7), None, None),
        (Usage(), Price(input=2, output=10), 0.0),
    ],
)
def test_cost(usage: Usage, price: Price | None, expected: float | None) -> None:
    """Input tokens include those read from and written to the cache, which have their own prices."""
    assert compute_cost(usage, price) == (None if expected is None else pytest.approx(expected))


def test_the_tables_are_loaded_lazily() -> None:
    """A price that needs no table does not import genai-prices."""
    code = "import sys; from debate_cli.llm.usage import find_bundled_price; find_bundled_price('mock/a'); sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("price", "usd"),
    [(Price(input=3, output=15), 3.0), (Price(input=3, output=15, cache_write=3.75), 3.75), (None, 0.0)],
)
def test_the_worst_case_writes_the_prompt_to_the_cache(price: Price | None, usd: float) -> None:
    """The most expensive usage writes the prompt to the cache if that costs more."""
    assert (compute_cost(estimate_max_cost_usage(1_000_000, 0, price), price) or 0.0) == pytest.approx(usd)
