"""The SDK clients of a server: created lazily, as many as the calls in flight need, with their errors mapped."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from debate_cli.errors import UnreachableError
from debate_cli.llm.model import Profile
from debate_cli.providers import error_mapping
from debate_cli.providers.endpoint import Endpoint
from debate_cli.providers.error_mapping import ErrorRule
from debate_cli.providers.http_model import CALLS_PER_CLIENT, HttpServer, ProviderApi

ENDPOINT = Endpoint("lab", "http://127.0.0.1:9/v1")


def fail(*_: Any) -> Any:
    """Must not be called."""
    raise AssertionError


def server(connect: Callable[[Endpoint], Any]) -> HttpServer:
    """A server whose client is created by `connect`."""
    rows = (ErrorRule((OSError,), error_mapping.make_unreachable_error),)
    return HttpServer(ProviderApi(connect, fail, fail, fail, lambda: rows), ENDPOINT)


def test_the_client_is_created_with_the_first_model() -> None:
    """The first model of a server creates the SDK's client, which all models share."""
    made: list[Endpoint] = []

    def connect(endpoint: Endpoint) -> object:
        made.append(endpoint)
        return object()

    lab = server(connect)
    assert made == []
    for name in ("one", "two"):
        lab.model(name, Profile())
    assert made == [ENDPOINT]


class Client:
    """Counts how often it is closed."""

    closed = 0

    async def close(self) -> None:
        """Close."""
        self.closed += 1


def test_a_client_serves_a_limited_number_of_calls_at_once() -> None:
    """One more call gets another client. A call that has ended makes room. Closing the server closes every client."""
    made: list[Client] = []

    def connect(_: Endpoint) -> Client:
        made.append(Client())
        return made[-1]

    lab = server(connect)
    with ExitStack() as calls:
        for _ in range(CALLS_PER_CLIENT):
            assert calls.enter_context(lab.client_for_call()) is made[0]
        with lab.client_for_call() as other:
            assert other is made[1]
    with lab.client_for_call() as again:
        assert again is made[0]
    asyncio.run(lab.aclose())
    assert [client.closed for client in made] == [1, 1]


def test_an_error_in_creating_the_client_is_mapped() -> None:
    """An error in creating the client is mapped by the rules for errors of a call."""

    def connect(_: Endpoint) -> object:
        raise FileNotFoundError("no certificates")

    with pytest.raises(UnreachableError, match="lab"):
        server(connect).model("one", Profile())
