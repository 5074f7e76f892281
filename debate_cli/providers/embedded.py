"""Embedded models: llama.cpp's server runs in this process, on a loopback port that requires a random key.

The server is part of xllamacpp (extra `[local]`) and speaks OpenAI's protocol.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from debate_cli.errors import NoLocalModelError, WeightsError
from debate_cli.llm.meter import pause_deadline
from debate_cli.llm.model import Model, OnText, Profile, Reply, Request
from debate_cli.providers.endpoint import Endpoint, ModelServer
from debate_cli.providers.http_model import HttpServer
from debate_cli.providers.openai import CHAT_API
from debate_cli.providers.provider_table import ProviderRow
from debate_cli.providers.weights import PACKAGED_WEIGHTS, resolve_weights

JsonObject = dict[str, Any]

FRACTION_STEPS = 10
"""Number of equal steps from the minimum to the maximum of a number in a form. Only values at the steps are allowed."""
_WORD = "[a-z]{0,12}('[a-z]{1,2})?"
_WORD_GROUP = f"( [A-Za-z]{_WORD}( [A-Za-z][a-z]{{0,4}}){{0,2}})"
MAX_WORD_AND_END_CHARS = 17
"""Maximum total length of a sentence's first word (16 characters) and its final punctuation mark (1 character)."""
MAX_GROUP_CHARS = 17 + 2 * 6
"""Maximum number of characters in a match of `_WORD_GROUP`: one to three words, each with the space before it."""
AVERAGE_WORD_CHARS = 5
"""Average number of characters in a word and the space after the word."""
MAX_SENTENCE_GROUPS = 8
MIN_SENTENCE_GROUPS = 2
MAX_SENTENCES = 3
VERBATIM_PROPERTIES = frozenset({"quote"})
"""Names of properties that hold a quote. Very small models cannot quote, so the embedded model leaves optional lists of
quotes empty."""


def narrow_schema(schema: Mapping[str, Any], *, plain: bool, name: str = "") -> JsonObject:
    """Return a stricter schema that llama.cpp can enforce. Each value that fits the result also fits `schema`.

    `plain`: whether texts are restricted to sentences of plain words. `name`: name of the property that has `schema`.
    """

    def deeper(part: Mapping[str, Any], under: str = name) -> JsonObject:
        return narrow_schema(part, plain=plain, name=under)

    if "const" in schema or "enum" in schema:
        return dict(schema)
    narrowed = dict(schema)
    if "properties" in schema:
        narrowed["properties"] = {key: deeper(part, key) for key, part in schema["properties"].items()}
    if "prefixItems" in schema:
        narrowed["prefixItems"] = [deeper(part) for part in schema["prefixItems"]]
    if "items" in schema:
        narrowed["items"] = deeper(schema["items"])
    if schema.get("type") == "number" and {"minimum", "maximum"} <= schema.keys():
        low, high = schema["minimum"], schema["maximum"]
        return {"enum": [round(low + (high - low) * step / FRACTION_STEPS, 4) for step in range(FRACTION_STEPS + 1)]}
    quoted = VERBATIM_PROPERTIES & set(narrowed.get("items", {}).get("properties", ()))
    if plain and quoted and not schema.get("minItems", 0):
        return {"enum": [[]]}
    if plain and schema.get("type") == "string" and name not in VERBATIM_PROPERTIES:
        return _narrow_text(narrowed)
    return narrowed


def _narrow_text(schema: JsonObject) -> JsonObject:
    most: int = schema.get(
        "maxLength", MAX_SENTENCES * (MAX_WORD_AND_END_CHARS + MAX_SENTENCE_GROUPS * MAX_GROUP_CHARS + 1)
    )
    groups = min(MAX_SENTENCE_GROUPS, (most - MAX_WORD_AND_END_CHARS) // MAX_GROUP_CHARS)
    least = max(MIN_SENTENCE_GROUPS, schema.get("minLength", 0) // AVERAGE_WORD_CHARS)
    if groups < least or "pattern" in schema:
        return schema
    more = min(MAX_SENTENCES, most // (MAX_WORD_AND_END_CHARS + groups * MAX_GROUP_CHARS + 1)) - 1
    first, other = (f"[A-Z]{_WORD}{_WORD_GROUP}{{{count},{groups}}}" for count in (least, MIN_SENTENCE_GROUPS))
    following = f"([.?!] {other}){{0,{more}}}" if more > 0 else ""
    return {"type": "string", "pattern": f"^{first}{following}[.?!]$"}


PARALLEL_SLOTS = 2
"""Number of calls that the server answers at once: one for each of two debaters."""
CONTEXT_TOKENS = 8192
"""Context length of each call in tokens, as in SmolLM2's training."""
PROMPT_CACHE_MIB = 1024
EMBEDDED_TIMEOUT_S = 900.0
"""Minimum `timeout_s` of an embedded model, in seconds. A slow machine needs minutes to read a long prompt."""
MISSING_EXTRA_MESSAGE = (
    "local/ models need the package `xllamacpp`, which is not installed; enter `make run` in the checkout of debate-cli, "
    'install it with `pip install "xllamacpp>=2026.10,<2027"`, or run with --mock'
)
SILENT_VERBOSITY = -1
"""Log level at which llama.cpp writes nothing to the terminal."""


class LlamaServer(Protocol):
    """A running server of llama.cpp. It ends when this object is garbage-collected."""

    @property
    def listening_address(self) -> str:
        """The server's address: `http://127.0.0.1:PORT`."""
        ...


LlamaServerStarter = Callable[[Path, str], LlamaServer]
"""Starts llama.cpp's server. The arguments are a file of weights, and the API key that the server accepts.

Raises NoLocalModelError or WeightsError.
"""


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """Settings of the embedded provider."""

    folder: Path
    """Base folder for relative paths to weights."""
    env: Mapping[str, str]
    checksums: Mapping[str, str] = field(default_factory=dict[str, str])
    """Maps the name of a model, `local/hf:…`, to the SHA-256 that the configuration states for its file."""
    note: Callable[[str], None] = lambda line: print(line, file=sys.stderr)  # noqa: T201 - a note for the user
    """Shows the user one line before a download."""
    timeout_s: float = EMBEDDED_TIMEOUT_S
    answer_timeout_s: float | None = None
    """Longest time for a whole answer, in seconds. None means ANSWER_TIMEOUT_FACTOR times `timeout_s`."""


def find_extra_problem(row: ProviderRow) -> str | None:
    """Return an error message if `row` needs the extra `[local]` and the extra is not installed; else None."""
    return MISSING_EXTRA_MESSAGE if row.kind == "embedded" and importlib.util.find_spec("xllamacpp") is None else None


def start_llama_server(file: Path, key: str) -> LlamaServer:
    """Start llama.cpp's server for the weights in `file`, on a free loopback port. Requests need the API key `key`."""
    try:
        llama: Any = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise NoLocalModelError(MISSING_EXTRA_MESSAGE) from error
    try:
        return llama.Server(_configure_llama(llama.CommonParams(), file, key))
    except RuntimeError as error:
        raise WeightsError(f"cannot load {file} as a model; check that it is a complete GGUF file") from error


def count_idle_processors() -> int:
    """Return the average number of idle processors in the last minute, at least 1.

    llama.cpp is several times slower if it has more threads than there are idle processors.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, processors - round(os.getloadavg()[0]))


def _configure_llama(llama: Any, file: Path, key: str) -> Any:
    llama.model.path = str(file)
    llama.hostnames, llama.port, llama.api_keys = ["127.0.0.1"], 0, [key]
    llama.ui = llama.endpoint_slots = False
    llama.verbosity = SILENT_VERBOSITY
    llama.n_parallel, llama.n_ctx = PARALLEL_SLOTS, PARALLEL_SLOTS * CONTEXT_TOKENS
    llama.cache_ram_mib = PROMPT_CACHE_MIB
    llama.use_jinja = True
    llama.cpuparams.n_threads = llama.cpuparams_batch.n_threads = count_idle_processors()
    # Very small models repeat themselves. Requests override the temperature only.
    sampling = llama.sampling
    sampling.min_p, sampling.top_p, sampling.top_k = 0.1, 0.95, 40
    sampling.penalty_repeat, sampling.penalty_last_n = 1.05, 256
    sampling.dry_multiplier, sampling.dry_allowed_length, sampling.dry_penalty_last_n = 0.8, 3, 1024
    return llama


class EmbeddedServer:
    """Serves `local/` models. A model is loaded at its first call; `aclose` unloads all models."""

    def __init__(self, settings: EmbeddedSettings, *, start: LlamaServerStarter = start_llama_server) -> None:
        self._settings = settings
        self._start = start
        self._loading = asyncio.Lock()
        self._loaded: dict[Path, _LoadedModel] = {}

    def model(self, name: str, profile: Profile) -> Model:
        """Return the model `local/NAME`. Its first call finds and loads the weights."""
        return EmbeddedModel(self, name, profile)

    async def ensure_loaded(self, name: str) -> _LoadedModel:
        """Return the running server of the model `name`. Downloads and loads the weights if necessary."""
        async with self._loading:
            settings, sha256 = self._settings, self._settings.checksums.get(f"local/{name}")
            file = await asyncio.to_thread(resolve_weights, name, settings.folder, settings.env, settings.note, sha256)
            if file not in self._loaded:
                self._loaded[file] = await self._load(file)
            return self._loaded[file]

    async def aclose(self) -> None:
        """Close all connections and unload all models."""
        loaded, self._loaded = self._loaded, {}
        for model in loaded.values():
            await model.server.aclose()

    async def _load(self, file: Path) -> _LoadedModel:
        key = secrets.token_hex(16)
        engine = await asyncio.to_thread(self._start, file, key)
        endpoint = Endpoint(
            provider="local",
            base_url=f"{engine.listening_address}/v1",
            api_key=key,
            timeout_s=max(self._settings.timeout_s, EMBEDDED_TIMEOUT_S),
            answer_timeout_s=self._settings.answer_timeout_s,
            secrets=(key,),
        )
        return _LoadedModel(engine, HttpServer(CHAT_API, endpoint), asyncio.Semaphore(PARALLEL_SLOTS))


@dataclass(frozen=True, slots=True)
class _LoadedModel:
    engine: LlamaServer
    """The running llama.cpp server. It ends when this object is garbage-collected."""
    server: ModelServer
    free_slots: asyncio.Semaphore


class EmbeddedModel:
    """One model of an `EmbeddedServer`; implements `llm.model.Model`."""

    def __init__(self, server: EmbeddedServer, name: str, profile: Profile) -> None:
        self._server = server
        self._name = name
        self._profile = profile

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` as soon as the server has a free slot.

        The reply's latency excludes the time for loading the model and for waiting.
        """
        if request.schema is not None:
            schema = narrow_schema(request.schema.json, plain=self._name in PACKAGED_WEIGHTS)
            request = replace(request, schema=replace(request.schema, json=schema))
        with pause_deadline():
            loaded = await self._server.ensure_loaded(self._name)
            await loaded.free_slots.acquire()
        try:
            return await loaded.server.model(self._name, self._profile).complete(request, on_text)
        finally:
            loaded.free_slots.release()
