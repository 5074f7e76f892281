"""Request bodies: valid by the vendors' OpenAPI documents, and within the model's profile."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from openapi_support import problems
from wire_support import Playback, Seen, Wire, event, event_stream, http_response

from debate_cli.domain.model_call import StructuredOutputMode
from debate_cli.llm.model import Message, OutputSchema, Profile, Request
from debate_cli.providers.anthropic import MESSAGES_API, build_messages_body
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.http_model import HttpServer
from debate_cli.providers.openai import CHAT_API, build_chat_body
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS, find_profile

SCHEMA = OutputSchema(
    "verdict",
    {
        "type": "object",
        "properties": {
            "name": {"enum": ["PRO-1", "CON-1"], "type": "string"},
            "value": {"type": "integer", "minimum": 1, "maximum": 10},
            "notes": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 3},
        },
        "required": ["name", "value", "notes"],
        "additionalProperties": False,
    },
)
REQUEST = Request(
    system="You argue.",
    messages=(Message("user", "First"), Message("assistant", "Well"), Message("user", "Stable part. And now: go.")),
    purpose="opening",
    max_output_tokens=123,
    temperature=0.5,
    seed=7,
    stable_chars=12,
)
MODES: tuple[StructuredOutputMode, ...] = ("native", "tool", "prompt", "text")
OPENAI = BUILTIN_PROVIDERS["openai"].profile
ANTHROPIC = BUILTIN_PROVIDERS["anthropic"].profile


def with_mode(mode: StructuredOutputMode) -> Request:
    """The request on this mode."""
    return replace(REQUEST, rung=mode, schema=None if mode == "text" else SCHEMA)


def chat_playback(*, stream: bool) -> Playback:
    """An answer of OpenAI."""
    if stream:
        choice = {"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}
        return event_stream(event({"id": "x", "choices": [choice]}), event("[DONE]"))
    return http_response(
        {"choices": [{"index": 0, "message": {"content": "x"}, "finish_reason": "stop"}], "usage": None}
    )


def message_playback(*, stream: bool) -> Playback:
    """An answer of Anthropic."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    if stream:
        stop: dict[str, Any] = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}
        return event_stream(event(stop, "message_delta"))
    return http_response({"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "usage": usage})


def sent(kind: str, request: Request, profile: Profile, *, stream: bool) -> Seen:
    """The request as a server receives it."""

    async def run() -> Seen:
        playback = (chat_playback if kind == "openai" else message_playback)(stream=stream)
        async with Wire([playback]) as wire:
            server = HttpServer(CHAT_API if kind == "openai" else MESSAGES_API, Endpoint("lab", wire.url))
            await server.model("m1", profile).complete(request, (lambda _: None) if stream else None)
            await server.aclose()
            return wire.seen[0]

    return asyncio.run(run())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("vendor", "profile", "path", "schema"),
    [
        ("openai", OPENAI, "/chat/completions", "CreateChatCompletionRequest"),
        ("anthropic", ANTHROPIC, "/v1/messages", "CreateMessageParams"),
    ],
)
def test_the_vendor_would_accept_the_body(
    vendor: str, profile: Profile, path: str, schema: str, mode: StructuredOutputMode, stream: bool
) -> None:
    """What is sent validates against the vendor's document, parameter names included."""
    seen = sent(vendor, with_mode(mode), profile, stream=stream)
    assert (seen.path, problems(vendor, schema, seen.json)) == (path, [])


@pytest.mark.parametrize(
    ("vendor", "schema", "body"),
    [
        ("openai", "CreateChatCompletionRequest", {"model": "m", "messages": []}),
        (
            "openai",
            "CreateChatCompletionRequest",
            {"model": "m", "messages": [{"role": "user", "content": "x"}], "x": 1},
        ),
        ("anthropic", "CreateMessageParams", {"model": "m", "messages": [{"role": "user", "content": "x"}]}),
        (
            "anthropic",
            "CreateMessageParams",
            {"model": "m", "messages": [{"role": "x", "content": "x"}], "max_tokens": 1},
        ),
    ],
)
def test_the_validation_finds_wrong_bodies(vendor: str, schema: str, body: dict[str, Any]) -> None:
    """The vendors' published schemas reject wrong bodies."""
    assert problems(vendor, schema, body)


# OpenAI ----------------------------------------------------------------------------------------------------------


def test_messages_come_before_varying_fields() -> None:
    """Limits, sampling and schema follow, so that requests share a cacheable beginning."""
    body = sent("openai", with_mode("native"), OPENAI, stream=False).body.decode()
    assert max(body.index('"system"'), body.index('"First"')) < min(
        body.index(f'"{name}"') for name in ("max_completion_tokens", "temperature", "seed", "response_format")
    )


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_the_profile_names_the_output_limit(field: Any) -> None:
    """OpenAI itself and compatible servers name the limit differently."""
    body = build_chat_body(REQUEST, "m", Profile(token_limit_field=field), stream=False)
    assert {name: body.get(name) for name in ("max_tokens", "max_completion_tokens")} == {
        "max_tokens": None,
        "max_completion_tokens": None,
        field: 123,
    }


@pytest.mark.parametrize(
    ("profile", "sampling"),
    [
        (Profile(sampling=True, seed=True), {"temperature": 0.5, "seed": 7}),
        (Profile(sampling=True, seed=False), {"temperature": 0.5}),
        (Profile(sampling=False, seed=True), {}),
    ],
)
def test_the_profile_allows_sampling_parameters(profile: Profile, sampling: dict[str, float]) -> None:
    """Temperature and seed are sent only to models that accept them."""
    body = build_chat_body(REQUEST, "m", profile, stream=False)
    assert {name: body[name] for name in ("temperature", "seed") if name in body} == sampling


@pytest.mark.parametrize("model", ["o1", "o3-mini", "o4-mini-2025", "gpt-5", "gpt-5.1-mini", "gpt-6"])
def test_reasoning_models_get_no_temperature(model: str) -> None:
    """OpenAI's reasoning models are recognized by name."""
    assert not find_profile(BUILTIN_PROVIDERS["openai"], model).sampling


def test_the_cache_key_follows_the_system_prompt() -> None:
    """Equal system prompts share a key, which does not contain their text."""
    keys = [
        build_chat_body(replace(REQUEST, system=system, seed=seed), "m", OPENAI, stream=False)["prompt_cache_key"]
        for system, seed in (("one", 1), ("one", 2), ("two", 1))
    ]
    assert keys[0] == keys[1] != keys[2]
    assert "one" not in keys[0]


@pytest.mark.parametrize("known", [True, False])
def test_stream_options_are_sent_if_supported(known: bool) -> None:
    """`stream_options` is sent only to servers that accept it."""
    body = build_chat_body(REQUEST, "m", Profile(stream_usage=known), stream=True)
    assert body.get("stream_options") == ({"include_usage": True} if known else None)


def test_rejected_fields_are_omitted_or_replaced() -> None:
    """A server that rejected `max_tokens` gets `max_completion_tokens`."""
    asked = replace(REQUEST, omitted_fields=frozenset({"max_tokens", "stream_options"}))
    body = build_chat_body(asked, "m", Profile(), stream=True)
    plain = build_chat_body(REQUEST, "m", Profile(), stream=True)
    assert plain.keys() - body.keys() == {"max_tokens", "stream_options"}
    assert (plain["max_tokens"], body["max_completion_tokens"]) == (123, 123)


@pytest.mark.parametrize("mode", ["prompt", "text"])
def test_no_structure_parameters_on_lower_modes(mode: StructuredOutputMode) -> None:
    """A schema in the prompt is not a parameter too."""
    body = build_chat_body(with_mode(mode), "m", OPENAI, stream=False)
    assert not {"response_format", "tools", "tool_choice"} & set(body)


# Anthropic -------------------------------------------------------------------------------------------------------


def test_anthropic_never_gets_sampling_parameters() -> None:
    """Temperature and seed of the request are dropped."""
    body = sent("anthropic", REQUEST, ANTHROPIC, stream=False).json
    assert not {"temperature", "top_p", "top_k", "seed"} & set(body)


def marked(blocks: Any) -> list[str]:
    """Texts of the blocks with `cache_control`."""
    return [block["text"] for block in blocks if "cache_control" in block]


def test_the_stable_part_of_the_last_message_is_marked() -> None:
    """The message is split after its stable part and keeps every character."""
    body = build_messages_body(REQUEST, "m", ANTHROPIC, stream=False)
    blocks = body["messages"][-1]["content"]
    assert marked(blocks) == ["Stable part."]
    assert "".join(block["text"] for block in blocks) == REQUEST.messages[-1].content


@pytest.mark.parametrize(
    ("content", "stable", "expected"),
    [
        ("abc def", 0, "abc def"),
        ("abc", 3, [("abc", True)]),
        ("abc", 99, [("abc", True)]),
        ("abc  \n", 3, [("abc  \n", True)]),
        ("  abc", 2, "  abc"),
    ],
)
def test_no_block_is_empty(content: str, stable: int, expected: Any) -> None:
    """The API rejects blocks of white space."""
    request = replace(REQUEST, messages=(Message("user", content),), stable_chars=stable)
    got = build_messages_body(request, "m", ANTHROPIC, stream=False)["messages"][0]["content"]
    assert (got if isinstance(got, str) else [(block["text"], "cache_control" in block) for block in got]) == expected


def test_an_empty_system_prompt_is_omitted() -> None:
    """Without a system prompt the body has no `system`, because the API rejects an empty block."""
    assert "system" not in build_messages_body(replace(REQUEST, system=""), "m", ANTHROPIC, stream=False)


def test_native_structure_is_the_output_config() -> None:
    """The schema has the API's format, without the bounds that the API rejects."""
    body = build_messages_body(with_mode("native"), "m", ANTHROPIC, stream=False)
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert '"maximum"' not in json.dumps(body["output_config"])
