"""A server's client: when it is made, and what becomes of a fault in making it."""

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


def unasked(*_: Any) -> Any:
    """Nothing is asked here."""
    raise AssertionError


def server(connect: Callable[[Endpoint], Any]) -> HttpServer:
    """One whose client is made by `connect`."""
    rows = (ErrorRule((OSError,), error_mapping.make_unreachable_error),)
    return HttpServer(ProviderApi(connect, unasked, unasked, unasked, lambda: rows, unasked, unasked), ENDPOINT)


def test_the_client_is_made_with_the_first_model() -> None:
    """The client is made with the first model and shared by all."""
    made: list[Endpoint] = []

    def connect(endpoint: Endpoint) -> object:
        made.append(endpoint)
        return object()

    lab = server(connect)
    assert made == []
    for name in ("one", "two"):
        lab.model(name, Profile())
    assert made == [ENDPOINT]


def test_a_client_that_cannot_be_made_is_an_error_of_ours() -> None:
    """By the adapter's table, as in a call."""

    def connect(_: Endpoint) -> object:
        raise FileNotFoundError("no certificates")

    with pytest.raises(UnreachableError, match="lab"):
        server(connect).model("one", Profile())
