"""Models in this process: llama.cpp's own server, on a loopback port behind a key of its own, asked like any other.

The server is xllamacpp's (extra `[local]`), imported and started when the first call is made. Where the weights are is
in `providers.model_files`; how a form becomes a grammar that keeps a very small model on its feet, in
`providers.embedded_grammar`.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

from debate_cli.errors import NoLocalModelError, WeightsError
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.llm.profile import Profile
from debate_cli.llm.rate_limit import pause_deadline
from debate_cli.providers.endpoint import Endpoint, ModelServer
from debate_cli.providers.openai import make_openai_server
from debate_cli.providers.provider_table import ProviderRow
from debate_cli.providers.weights import PACKAGED_WEIGHTS, resolve_weights

JsonObject = dict[str, Any]

FRACTION_STEPS = 10
"""A fraction is one of eleven."""
_WORD = "[a-z]{0,12}('[a-z]{1,2})?"
_GROUP = f"( [A-Za-z]{_WORD}( [A-Za-z][a-z]{{0,4}}){{0,2}})"
"""A word of any length and at most two short ones: so a bound on groups is a bound on characters, and not too low a one."""
MAX_FIRST_WORD_CHARS = 17
"""Most characters of the first word of a sentence and the sign at its end."""
MAX_GROUP_CHARS = 17 + 2 * 6
"""Most characters of a group."""
AVERAGE_WORD_CHARS = 5
"""Characters of an ordinary word with its space."""
MAX_SENTENCE_GROUPS = 8
"""Most groups of a plain sentence."""
MIN_SENTENCE_GROUPS = 2
"""Fewest groups of a plain sentence; where not even so many fit, a text is a name or a quotation."""
MAX_SENTENCES = 3
"""Most sentences of one text."""
MAX_SUBSET_OPTIONS = 5
"""Lists of more options are not spelled out as subsets: there would be too many."""
VERBATIM_PROPERTIES = frozenset({"quote"})
"""Properties whose words must be somebody else's."""


def narrow_schema(schema: Mapping[str, Any], *, plain: bool, name: str = "") -> JsonObject:
    """`schema` narrowed to what llama.cpp enforces: what the result accepts is within the upper bounds of `schema`.

    `plain` holds texts to sentences of plain words; `name` is the property that the schema stands under.
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
    if isinstance(schema.get("items"), Mapping):
        narrowed["items"] = deeper(schema["items"])
    if schema.get("type") == "number" and {"minimum", "maximum"} <= schema.keys():
        return {"enum": _fraction_options(schema["minimum"], schema["maximum"])}
    if plain and schema.get("type") == "array":
        return _narrow_list(narrowed)
    if plain and schema.get("type") == "string" and name not in VERBATIM_PROPERTIES:
        return _narrow_text(narrowed)
    return narrowed


def _fraction_options(low: float, high: float) -> list[float]:
    return [round(low + (high - low) * step / FRACTION_STEPS, 4) for step in range(FRACTION_STEPS + 1)]


def _narrow_list(schema: JsonObject) -> JsonObject:
    """A list of some of few words becomes a choice among the lists without repetition."""
    items: JsonObject = schema["items"] if isinstance(schema.get("items"), dict) else {}
    if VERBATIM_PROPERTIES & set(items.get("properties", ())) and not schema.get("minItems", 0):
        return {"enum": [[]]}
    words: Sequence[Any] = items.get("enum", [])
    least, most = schema.get("minItems", 0), min(schema.get("maxItems", len(words)), len(words))
    if "prefixItems" in schema or not 0 < len(words) <= MAX_SUBSET_OPTIONS or least > most:
        return schema
    return {"enum": [list(chosen) for size in range(least, most + 1) for chosen in combinations(words, size)]}


def _narrow_text(schema: JsonObject) -> JsonObject:
    """A text becomes sentences of plain words, never longer than its bound, and shorter only if all words are tiny."""
    most: int = schema.get(
        "maxLength", MAX_SENTENCES * (MAX_FIRST_WORD_CHARS + MAX_SENTENCE_GROUPS * MAX_GROUP_CHARS + 1)
    )
    groups = min(MAX_SENTENCE_GROUPS, (most - MAX_FIRST_WORD_CHARS) // MAX_GROUP_CHARS)
    least = max(MIN_SENTENCE_GROUPS, schema.get("minLength", 0) // AVERAGE_WORD_CHARS)
    if groups < least or "pattern" in schema:
        return schema
    more = min(MAX_SENTENCES, most // (MAX_FIRST_WORD_CHARS + groups * MAX_GROUP_CHARS + 1)) - 1
    first, other = (f"[A-Z]{_WORD}{_GROUP}{{{count},{groups}}}" for count in (least, MIN_SENTENCE_GROUPS))
    following = f"([.?!] {other}){{0,{more}}}" if more > 0 else ""
    return {"type": "string", "pattern": f"^{first}{following}[.?!]$"}


PARALLEL_SLOTS = 2
"""Calls that are answered at once: both sides of a debate, each with its own cached prompt."""
CONTEXT_TOKENS = 8192
"""Of each slot; what SmolLM2 was trained for."""
PROMPT_CACHE_MIB = 1024
"""Memory for prompts that were read before and may come again."""
EMBEDDED_TIMEOUT_S = 900.0
"""A prompt of some thousand tokens takes a slow machine minutes to read, in silence; that is no fault."""
MISSING_EXTRA_MESSAGE = (
    'local/ models need the package `xllamacpp`, which is not installed; install it with `pip install "xllamacpp>=2026.10,<2027"`, '
    "or rehearse with --mock"
)
SILENT_VERBOSITY = -1
"""llama.cpp's verbosity at which it writes nothing to the terminal."""


class LlamaServer(Protocol):
    """A running server; it ends when it is no longer referred to."""

    @property
    def listening_address(self) -> str:
        """`http://127.0.0.1:PORT`."""
        ...


LlamaServerStarter = Callable[[Path, str], LlamaServer]
"""Starts a server for a file, opened by a key. Blocks; raises NoLocalModelError or WeightsError."""


def _to_stderr(line: str) -> None:
    sys.stderr.write(line + "\n")


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """Where embedded models find what they need."""

    folder: Path
    """Where the paths of weights start from."""
    env: Mapping[str, str]
    note: Callable[[str], None] = _to_stderr
    """Told what takes long, one line each."""
    timeout_s: float = EMBEDDED_TIMEOUT_S


def find_extra_problem(row: ProviderRow) -> str | None:
    """Why no model of `row` can be run in this process; None where it can, or runs elsewhere."""
    return MISSING_EXTRA_MESSAGE if row.kind == "embedded" and importlib.util.find_spec("xllamacpp") is None else None


def start_llama_server(file: Path, key: str) -> LlamaServer:
    """llama.cpp's server for `file` on a free loopback port, silent, on all processors."""
    try:
        llama: Any = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise NoLocalModelError(MISSING_EXTRA_MESSAGE) from error
    try:
        return llama.Server(_configure_llama(llama.CommonParams(), file, key))
    except RuntimeError as error:
        raise WeightsError(f"{file} cannot be loaded as a model: check that it is a whole GGUF file.") from error


def count_idle_processors() -> int:
    """Processors that nothing else has been using in the last minute, at least one.

    llama.cpp's threads wait for one another by spinning: one thread too many makes it not a little slower but many times.
    """
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, there - round(os.getloadavg()[0]))


def _configure_llama(llama: Any, file: Path, key: str) -> Any:
    llama.model.path = str(file)
    llama.hostnames, llama.port, llama.api_keys = ["127.0.0.1"], 0, [key]
    llama.ui = llama.endpoint_slots = False
    llama.verbosity = SILENT_VERBOSITY
    llama.n_parallel, llama.n_ctx = PARALLEL_SLOTS, PARALLEL_SLOTS * CONTEXT_TOKENS
    llama.cache_ram_mib = PROMPT_CACHE_MIB
    llama.use_jinja = True
    llama.cpuparams.n_threads = llama.cpuparams_batch.n_threads = count_idle_processors()
    # Very small models repeat themselves; requests override the temperature only.
    sampling = llama.sampling
    sampling.min_p, sampling.top_p, sampling.top_k = 0.1, 0.95, 40
    sampling.penalty_repeat, sampling.penalty_last_n = 1.05, 256
    sampling.dry_multiplier, sampling.dry_allowed_length, sampling.dry_penalty_last_n = 0.8, 3, 1024
    return llama


class EmbeddedServer:
    """Serves `local/` models; each file is loaded once, at the first call for it. `aclose` unloads them."""

    def __init__(self, place: EmbeddedSettings, *, start: LlamaServerStarter = start_llama_server) -> None:
        self._place = place
        self._start = start
        self._loading = asyncio.Lock()
        self._loaded: dict[Path, _LoadedModel] = {}

    def model(self, name: str, profile: Profile) -> Model:
        """The model `local/NAME`: `smollm2`, or the path of a GGUF file."""
        return EmbeddedModel(self, name, profile)

    async def ensure_loaded(self, name: str) -> _LoadedModel:
        """The running server for a model; fetches and loads it if need be."""
        async with self._loading:
            place = self._place
            file = await asyncio.to_thread(resolve_weights, name, place.folder, place.env, place.note)
            if file not in self._loaded:
                self._loaded[file] = await self._load(file)
            return self._loaded[file]

    async def aclose(self) -> None:
        """End connections and servers."""
        loaded, self._loaded = self._loaded, {}
        for one in loaded.values():
            await one.server.aclose()

    async def _load(self, file: Path) -> _LoadedModel:
        key = secrets.token_hex(16)
        engine = await asyncio.to_thread(self._start, file, key)
        endpoint = Endpoint(
            provider="local",
            base_url=f"{engine.listening_address}/v1",
            api_key=key,
            timeout_s=max(self._place.timeout_s, EMBEDDED_TIMEOUT_S),
            secrets=(key,),
        )
        return _LoadedModel(engine, make_openai_server(endpoint), asyncio.Semaphore(PARALLEL_SLOTS))


@dataclass(frozen=True, slots=True)
class _LoadedModel:
    engine: LlamaServer
    """Held so that it goes on running."""
    server: ModelServer
    free_slots: asyncio.Semaphore
    """Slots not in use: who waits here is not yet being timed."""


class EmbeddedModel:
    """One model of an `EmbeddedServer`; implements `llm.port.Model`."""

    def __init__(self, server: EmbeddedServer, name: str, profile: Profile) -> None:
        self._server = server
        self._name = name
        self._profile = profile

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Answer `request` when a slot is free; the first call loads the model. Neither wait tries the asker's patience."""
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
