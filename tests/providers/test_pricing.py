"""Prices: local models are free; remote models have a known price or none."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from provider_config_support import config

from debate_cli.domain.config import ModelSpec, Price
from debate_cli.llm.usage import find_bundled_price
from debate_cli.providers.provider_table import merge_provider_rows
from debate_cli.providers.registry import FREE_PRICE, find_price, split_model_name

OWN = Price(input=1, output=2)


@dataclass(frozen=True)
class Case:
    """A model, its provider and environment, and its price."""

    model: str
    expected: Price | None
    rows: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    env: Mapping[str, str] = field(default_factory=dict[str, str])


@pytest.mark.parametrize(
    "case",
    [
        Case("mock/a", FREE_PRICE),
        Case("local/smollm2", FREE_PRICE),
        Case("ollama/qwen3:8b", FREE_PRICE),
        Case("vllm/x", FREE_PRICE),
        Case("llamacpp/x", FREE_PRICE),
        Case("lmstudio/x", FREE_PRICE),
        Case("ollama/x", FREE_PRICE, env={"OLLAMA_HOST": "localhost:9999"}),
        Case("ollama/x", FREE_PRICE, env={"OLLAMA_HOST": "[::1]"}),
        Case("ollama/x", None, env={"OLLAMA_HOST": "https://gpu.example"}),
        Case("ollama/x", None, env={"OLLAMA_HOST": "127.0.0.1.gpu.example"}),
        Case("ollama/gpt-oss:120b-cloud", None),
        Case("vllm/x", FREE_PRICE, {"vllm": {"base_url": "http://127.0.0.1:9/v1", "api_key_env": None}}),
        Case("vllm/x", None, {"vllm": {"base_url": "http://127.0.0.1:9/v1", "api_key_env": "LAB_KEY"}}),
        Case("vllm/x", None, {"vllm": {"base_url": "https://gpu.example/v1", "api_key_env": None}}),
        Case("vllm/x", OWN, {"vllm": {"price": OWN.model_dump()}}),
        Case("local/x", None, {"local": {"kind": "openai", "base_url": "https://paid.example/v1", "api_key_env": "K"}}),
        Case("local/x", OWN, {"local": {"price": OWN.model_dump()}}),
        Case("lab/x", None, {"lab": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"}}),
        Case("openai/no-such-model-at-all", None),
        Case("groq/no-such-model-at-all", None),
        Case("openai/gpt-4o", find_bundled_price("openai/gpt-4o")),
    ],
    ids=lambda case: f"{case.model} {case.rows or case.env or ''}",
)
def test_the_price_depends_on_where_a_model_runs(case: Case) -> None:
    """A server that can bill or forward requests is not free."""
    row = merge_provider_rows(config(**case.rows))[split_model_name(case.model)[0]]
    assert find_price(ModelSpec(model=case.model), row, case.env) == case.expected
