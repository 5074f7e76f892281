"""The mock provider: a model in this process that costs nothing and answers the same on every machine.

`mock/scripted` takes its replies from a file (`providers.mock_script`); every other name writes them itself
(`providers.mock_writer`). Rehearsals may slow it down and make it fail; both follow from the model's specification.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Literal

from debate_cli.domain.config import MockFaults, ModelSpec
from debate_cli.domain.model_call import Usage
from debate_cli.errors import ModelTimeoutError, RateLimitedError, ServerError
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.providers.mock.forms import write
from debate_cli.providers.mock_dice import Dice
from debate_cli.providers.mock_script import Script

Sleep = Callable[[float], Awaitable[object]]
SimulatedFault = Literal["rate_limit", "timeout", "server_error", "malformed", "truncated", "refusal"]
SIMULATED_FAULTS: tuple[SimulatedFault, ...] = (
    "rate_limit",
    "timeout",
    "server_error",
    "malformed",
    "truncated",
    "refusal",
)
SCRIPTED_MODEL = "mock/scripted"
MOCK_CHARS_PER_TOKEN = 4
MOCK_REFUSAL = "I would rather not argue about this."


class MockModel:
    """A model whose answers follow from `seed` and the request alone.

    What happens to a call also depends on how often the same request was made before, so that a retry after a simulated
    fault can succeed. `folder` is where a script's path starts from. Raises ConfigError when the script cannot be read.
    """

    def __init__(self, spec: ModelSpec, *, seed: int, folder: Path, sleep: Sleep = asyncio.sleep) -> None:
        self._spec = spec
        self._dice = Dice(f"{seed}/{spec.model}")
        self._sleep = sleep
        self._request_counts: Counter[str] = Counter()
        self._script = Script.load(spec, folder) if spec.model == SCRIPTED_MODEL else None

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` in small pieces; raise or return the fault that the dice hold for this call."""
        fingerprint = request.fingerprint()
        nth = self._request_counts[fingerprint]
        self._request_counts[fingerprint] += 1
        fault = pick_fault(self._spec.faults, self._dice.unit("fault", fingerprint, nth))
        text = self._script.reply(request) if self._script else write(request, self._dice)
        await self._sleep(self._spec.latency_s or 0)
        self._raise_at_start(fault)
        if fault == "refusal":
            return self._reply(request, "", refusal=MOCK_REFUSAL)
        if fault in {"malformed", "truncated", "server_error"}:
            text = _cut_text(text)
        await self._stream(text, on_text)
        if fault == "server_error":
            raise ServerError(f"{self._spec.model} broke off in mid-answer (a simulated fault).")
        return self._reply(request, text, truncated=fault == "truncated")

    def _raise_at_start(self, fault: SimulatedFault | None) -> None:
        if fault == "rate_limit":
            raise RateLimitedError(f"{self._spec.model} says that it is asked too often (a simulated fault).")
        if fault == "timeout":
            raise ModelTimeoutError(f"{self._spec.model} gave no answer in time (a simulated fault).")

    async def _stream(self, text: str, on_text: OnText | None) -> None:
        pace = self._spec.tokens_per_second
        for piece in split_words(text):
            if on_text:
                on_text(piece)
            await self._sleep(len(piece) / MOCK_CHARS_PER_TOKEN / pace if pace else 0)

    def _reply(self, request: Request, text: str, *, truncated: bool = False, refusal: str | None = None) -> Reply:
        pace = self._spec.tokens_per_second
        writing = len(text) / MOCK_CHARS_PER_TOKEN / pace if pace else 0.0
        return Reply(
            text=text,
            usage=Usage(
                input_tokens=_count_tokens(request.input_chars), output_tokens=_count_tokens(len(text or refusal or ""))
            ),
            finish_reason="length" if truncated else "stop",
            truncated=truncated,
            refusal=refusal,
            latency_s=round((self._spec.latency_s or 0.0) + writing, 3),
        )


def pick_fault(faults: MockFaults | None, unit: float) -> SimulatedFault | None:
    """The fault that a draw `unit` from [0, 1) stands for: the shares laid side by side in the order of FAULTS."""
    upper = 0.0
    for fault in SIMULATED_FAULTS if faults else ():
        upper += getattr(faults, fault)
        if unit < upper:
            return fault
    return None


def split_words(text: str) -> Iterator[str]:
    """`text` word by word, the space after each word included; together they are `text` again."""
    return (match.group() for match in re.finditer(r"\s*\S+\s?|\s+", text))


def _cut_text(text: str) -> str:
    """The first two thirds of `text`: no JSON text stays whole by that."""
    return text[: max(1, len(text) * 2 // 3)]


def _count_tokens(chars: int) -> int:
    return -(-chars // MOCK_CHARS_PER_TOKEN)
