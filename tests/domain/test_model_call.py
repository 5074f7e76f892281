"""The usage of model calls: sums, and the mark of estimates."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from debate_cli.domain.config import Price
from debate_cli.domain.model_call import ModelCall, TotalUsage, Usage, total_usage

COUNTED = Usage(input_tokens=10, output_tokens=2)
GUESSED = Usage(input_tokens=5, output_tokens=1, estimated=True)


def _exchange(usage: Usage) -> ModelCall:
    return ModelCall(model="lab/pro", rung="text", attempts=1, usage=usage, cost_usd=0.0)


@pytest.mark.parametrize(
    ("parts", "estimated"), [((COUNTED, COUNTED), False), ((COUNTED, GUESSED), True), ((GUESSED, COUNTED), True)]
)
def test_a_sum_with_an_estimated_part_is_an_estimate(parts: tuple[Usage, Usage], estimated: bool) -> None:
    """A sum of attempts, or of a debate, is an estimate if one part is."""
    assert (parts[0] + parts[1]).estimated is estimated
    assert total_usage([_exchange(part) for part in parts]).estimated is estimated


@pytest.mark.parametrize("guessed", [GUESSED, total_usage([_exchange(GUESSED)])])
def test_estimated_usage_is_stored_with_the_mark(guessed: Usage | TotalUsage) -> None:
    """The mark `estimated` is written and read back."""
    assert guessed.model_dump()["estimated"] is True
    assert type(guessed).model_validate_json(guessed.model_dump_json()) == guessed


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (ModelCall, {"model": "a/b", "rung": "text", "attempts": 1, "cost_usd": 1e308}),
        (ModelCall, {"model": "a/b", "rung": "text", "attempts": -1}),
        (ModelCall, {"model": "a/b", "rung": "text", "attempts": 1, "latency_s": 1e308}),
        (Usage, {"input_tokens": 10**30}),
        (Usage, {"output_tokens": -1}),
        (Price, {"input": 1e308, "output": 1}),
    ],
)
def test_numbers_of_a_file_are_bounded(model: type[BaseModel], fields: dict[str, Any]) -> None:
    """A huge number in a file is refused, so that no sum can overflow."""
    with pytest.raises(ValidationError):
        model.model_validate(fields)
