"""The SDK client of a server: created lazily, with its errors mapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from debate_cli.errors import UnreachableError
from debate_cli.llm.profile import Profile
from debate_cli.providers import error_mapping
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import ErrorRule
from debate_cli.providers.http_model import HttpServer, ProviderApi

ENDPOINT = Endpoint("lab", "http://127.0.0.1:9/v1")


def fail(*_: Any) -> Any:
    """Must not be called."""
    raise AssertionError


def server(connect: Callable[[Endpoint], Any]) -> HttpServer:
    """A server whose client is created by `connect`."""
    rows = (ErrorRule((OSError,), error_mapping.make_unreachable_error),)
    return HttpServer(ProviderApi(connect, fail, fail, fail, lambda: rows, fail, fail), ENDPOINT)


def test_the_client_is_created_with_the_first_model() -> None:
    """And shared by all models."""
    made: list[Endpoint] = []

    def connect(endpoint: Endpoint) -> object:
        made.append(endpoint)
        return object()

    lab = server(connect)
    assert made == []
    for name in ("one", "two"):
        lab.model(name, Profile())
    assert made == [ENDPOINT]


def test_an_error_in_creating_the_client_is_mapped() -> None:
    """By the same rules as errors of a call."""

    def connect(_: Endpoint) -> object:
        raise FileNotFoundError("no certificates")

    with pytest.raises(UnreachableError, match="lab"):
        server(connect).model("one", Profile())
