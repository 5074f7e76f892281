"""The mock as a `Model`. The answers of `mock/scripted` come from a file, all other answers from `answers.py`."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from debate_cli.domain.config import MockFaults, ModelSpec
from debate_cli.domain.evidence import FoundPassage
from debate_cli.domain.model_call import Usage
from debate_cli.errors import ConfigError, ModelError, ModelTimeoutError, PermanentError, RateLimitedError, ServerError
from debate_cli.evidence.corpus import query_terms
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.llm.search import dump_results
from debate_cli.providers.mock.answers import answer_merit, write_answer
from debate_cli.providers.mock.sentences import SeededRandom
from debate_cli.yaml_positions import parse_yaml, read_yaml_text

Sleep = Callable[[float], Awaitable[object]]
SimulatedFault = Literal["rate_limit", "timeout", "server_error", "malformed", "truncated", "refusal"]

SCRIPTED_MODEL = "mock/scripted"
CHARS_PER_TOKEN = 4
MAX_FURTHER_DRAFTS = 9
"""Number of drafts that a mock debater with `strength` 1 writes after the first draft. The best draft is submitted."""
REFUSAL = "I would rather not argue about this."


class MockModel:
    """A model whose answers depend only on `seed`, the model's name and the request.

    The answers of `mock/scripted` come from a script. `folder` is the base of the script's relative path. Raises
    ConfigError if the script cannot be read.
    """

    def __init__(self, spec: ModelSpec, *, seed: int, folder: Path, sleep: Sleep = asyncio.sleep) -> None:
        self._spec = spec
        self._seed = f"{seed}/{spec.model}"
        self._sleep = sleep
        self._request_counts: Counter[str] = Counter()
        self._script = ReplyScript.load(spec, folder) if spec.model == SCRIPTED_MODEL else None

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` word by word, or simulate a fault."""
        fault = self._next_fault(request, self._spec.faults) if self._spec.faults else None
        text = self._script.reply(request) if self._script else self._write(request)
        await self._sleep(self._spec.latency_s or 0)
        if fault == "rate_limit":
            raise self._timed(RateLimitedError(f"{self._spec.model} is rate limited (simulated fault)"))
        if fault == "timeout":
            raise self._timed(ModelTimeoutError(f"{self._spec.model} did not answer in time (simulated fault)"))
        if fault == "refusal":
            return self._reply(request, "", refusal=REFUSAL)
        if fault is not None:
            text = text[: max(1, len(text) * 2 // 3)]
        for piece in split_words(text) if on_text or self._spec.tokens_per_second else ():
            if on_text:
                on_text(piece)
            if self._spec.tokens_per_second:
                await self._sleep(self._writing_time(piece))
        if fault == "server_error":
            broken = ServerError(f"{self._spec.model} broke off in the middle of an answer (simulated fault)")
            raise self._timed(broken, text)
        return self._reply(request, text, truncated=fault == "truncated")

    def _next_fault(self, request: Request, faults: MockFaults) -> SimulatedFault | None:
        fingerprint = request.fingerprint()
        nth = self._request_counts[fingerprint]
        self._request_counts[fingerprint] += 1
        return pick_fault(faults, SeededRandom(self._seed).unit("fault", fingerprint, nth))

    def _write(self, request: Request) -> str:
        drafts = 1
        if self._spec.strength is not None and request.schema is not None and not request.purpose.startswith("judge."):
            drafts += round(MAX_FURTHER_DRAFTS * self._spec.strength)
        seeds = [self._seed, *(f"{self._seed}/draft {number}" for number in range(1, drafts))]
        answers = [write_answer(request, seed, self._spec.bias) for seed in seeds]
        return answers[0] if drafts == 1 else max(answers, key=answer_merit)

    def _timed(self, error: ModelError, text: str = "") -> ModelError:
        error.latency_s = self._latency_s(text)
        return error

    def _latency_s(self, text: str) -> float:
        return round((self._spec.latency_s or 0.0) + self._writing_time(text), 3)

    def _writing_time(self, text: str) -> float:
        pace = self._spec.tokens_per_second
        return len(text) / CHARS_PER_TOKEN / pace if pace else 0.0

    def _reply(self, request: Request, text: str, *, truncated: bool = False, refusal: str | None = None) -> Reply:
        written = request.max_output_tokens if truncated else _count_tokens(len(text or refusal or ""))
        return Reply(
            text=text,
            usage=Usage(input_tokens=_count_tokens(request.input_chars), output_tokens=written),
            finish_reason="length" if truncated else "stop",
            truncated=truncated,
            refusal=refusal,
            latency_s=self._latency_s(text),
        )


def pick_fault(faults: MockFaults, unit: float) -> SimulatedFault | None:
    """Return the fault that `unit`, a random number from 0 to 1, selects; None for no fault."""
    upper = 0.0
    for fault in get_args(SimulatedFault):
        upper += getattr(faults, fault)
        if unit < upper:
            return fault
    return None


def split_words(text: str) -> Iterator[str]:
    """Split `text` into words with the space around them. Joining the words gives `text`."""
    return (match.group() for match in re.finditer(r"\s*\S+\s?|\s+", text))


def _count_tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


class ReplyScript:
    """Replies of `mock/scripted`, from a YAML or JSON file that maps purposes (see `Request.purpose`) to replies.

        opening: {arguments: [...]}         an object is sent as JSON
        closing: I rest my case.            a string is sent unchanged
        judge.structured: [nonsense, {...}] each request gets the next item of a list; the last item is repeated
        opening@Con: {arguments: [...]}     used instead of `opening` if the system prompt or the last message contains
                                            `Con`; of several such keys, the longest is used

    Each participant needs a separate key `purpose@TEXT`, because simultaneous requests have no fixed order.
    """

    def __init__(self, replies: dict[str, Any], path: Path) -> None:
        self._replies = replies
        self._path = path
        self._served: Counter[str] = Counter()

    @classmethod
    def load(cls, spec: ModelSpec, folder: Path) -> ReplyScript:
        """Read the file `spec.script`, whose path may be relative to `folder`. Raises ConfigError if it cannot be read."""
        if spec.script is None:
            raise ConfigError(
                f"the model {spec.model} needs `script`: the path of a YAML or JSON file with its replies"
            )
        path = folder / spec.script
        content, _, faults = parse_yaml(read_yaml_text(path, absent=f"correct the `script` of {spec.model}"))
        if faults:
            (line, column), fault = faults[0]
            raise ConfigError(f"{path}:{line}:{column}: {fault}")
        if not isinstance(content, dict):
            raise ConfigError(
                f"{path}: the script of {spec.model} must map purposes (opening, ...) to replies; begin it with `opening:`"
            )
        return cls(content, path)  # pyright: ignore[reportUnknownArgumentType] - replies are checked when used

    def reply(self, request: Request) -> str:
        """Return the script's reply to `request`. Raises PermanentError if there is no such reply."""
        prompt = request.system + "\n" + (request.messages[-1].content if request.messages else "")
        prefix = f"{request.purpose}@"
        keys = [key for key in self._replies if key.startswith(prefix) and key.removeprefix(prefix) in prompt]
        key = max(keys, key=len, default=request.purpose)
        value = self._replies.get(key)
        if isinstance(value, list) and value:
            value = value[min(self._served[key], len(value) - 1)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            self._served[key] += 1
        if value is None or value == []:
            raise PermanentError(f"{self._path} has no reply for `{request.purpose}`; add one under this key")
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# Searches and embeddings ---------------------------------------------------------------------------------------------

MOCK_NOTICE = "Invented by the mock; no page was searched."
"""Text at the end of each invented page's title."""
_PAGES = (
    "A survey of {count} cases in {year} looked at {topic}. It found a gain in {share} percent of them. The authors may not have had a representative sample.",
    "The report on {topic} names costs of {count} euros a year. Costs fell by {share} percent after {year}. It does not say what caused the fall.",
    "An audit of {topic} did not find any effect in {share} percent of {count} cases. The auditors recommend another review after {year}.",
)
_TOPIC_WORDS = 6


class MockSearch:
    """Answers each web search with three invented pages."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Return three invented pages for the query, which is the last message."""
        query = request.messages[-1].content
        topic = " ".join(query_terms(query)[:_TOPIC_WORDS]) or "this question"
        seed = hashlib.sha256(query.encode()).digest()
        results = [
            FoundPassage(
                source=f"https://example.invalid/{seed.hex()[:6]}/{number}",
                title=f"Page {number}. {MOCK_NOTICE}",
                locator="",
                text=page.format(
                    topic=topic, count=100 + seed[number] * 7, share=5 + seed[number + 3] % 60, year=2015 + seed[0] % 10
                ),
                origin="web",
            )
            for number, page in enumerate(_PAGES, start=1)
        ]
        return Reply(text=dump_results(results), usage=Usage(searches=1), finish_reason="stop")


class MockEmbeddings:
    """Scores each text by the share of the query's words that the text contains."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Return a JSON list with a score (0-1) for each message after the first message, which is the query."""
        query, *texts = (frozenset(query_terms(message.content)) for message in request.messages)
        scores = [round(len(query & words) / max(1, len(query)), 6) for words in texts]
        return Reply(text=json.dumps(scores), usage=Usage(input_tokens=1), finish_reason="stop")
