"""A person as a `Model`, without deadline, price, retries or rate limit. Latency is the person's time to answer."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from debate_cli.domain.config import DebateConfig
from debate_cli.errors import ConfigError
from debate_cli.llm.meter import waiting_for_turn
from debate_cli.llm.model import Model, OnText, Reply, Request
from debate_cli.providers.people.files import PromptFolder

FILES_FOLDER = "files"
"""Name of the default folder for prompts and replies, beside the transcripts."""


def default_files_folder(config: DebateConfig) -> Path:
    """Return the default folder for prompts and replies: `files` beside the transcripts."""
    return Path(config.output.dir) / FILES_FOLDER


AskAtTerminal = Callable[[Request, float | None], Awaitable[Reply]]
"""Asks a person at the terminal, and returns the final answer.

After the given number of seconds the answer is taken even if it is unfinished. None sets no limit.
"""


@dataclass(frozen=True, slots=True)
class PeopleAccess:
    """Access to people at the terminal and through files."""

    files: PromptFolder
    """Exchanges prompts and replies for the provider `files`."""
    human: AskAtTerminal | None = None
    """Asks with a form at the terminal; None if there is no terminal."""
    paste: AskAtTerminal | None = None
    """Shows a prompt at the terminal and reads the pasted answer; None if there is no terminal."""


def make_person(provider: str, people: PeopleAccess, time_limit_s: float | None = None) -> Model:
    """Return a person as the model of `provider`. Raises ConfigError if it needs a terminal and there is none."""
    if provider == "files":
        return PersonModel(people.files.answer)
    terminal = people.human if provider == "human" else people.paste
    if terminal is None:
        raise ConfigError(describe_missing_terminal(provider))
    return PersonModel(lambda request: terminal(request, time_limit_s))


def describe_missing_terminal(provider: str) -> str:
    """Return the error message for a run that needs a terminal and has none."""
    other = (
        "`model: paste/NAME` shows the prompt and takes a pasted answer at a terminal"
        if provider == "human"
        else "`model: human` fills in a form at a terminal"
    )
    return (
        f"{provider}: needs a terminal for input and output; run it at one, or use `files/NAME`, "
        f"which exchanges prompts and replies as files ({other})"
    )


class PersonModel:
    """Asks a person by calling `ask`, without deadlines and queues."""

    def __init__(self, ask: Callable[[Request], Awaitable[Reply]]) -> None:
        self._ask = ask

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Return the person's answer."""
        began = time.monotonic()
        with waiting_for_turn():
            reply = await self._ask(request)
        return replace(reply, latency_s=round(reply.latency_s or time.monotonic() - began, 3))
