"""How `run` and `judge` reach people: `human` and `paste` at the terminal, `files` through a folder."""

import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path

from debate_cli.cli.console import is_interactive
from debate_cli.cli.screen import PipeSafeObserver
from debate_cli.domain.debate import Debate
from debate_cli.domain.model_call import TERMINAL_PROVIDERS
from debate_cli.errors import UsageError
from debate_cli.providers.people.files import PromptFolder
from debate_cli.providers.people.person import PeopleAccess, describe_missing_terminal
from debate_cli.render.person_form.person import PeopleAtTerminal, remove_drafts


def require_terminal(models: Iterable[str]) -> None:
    """Raise UsageError if one of `models` is a person at a terminal, and the program does not run in a terminal."""
    if sys.stdin.isatty() and is_interactive(sys.stdout):
        return
    for model in models:
        if model.partition("/")[0] in TERMINAL_PROVIDERS:
            raise UsageError(describe_missing_terminal(model))


class PeopleOfCommand:
    """Reaches the people in all debates of one command. People at the terminal are asked one at a time."""

    def __init__(self, observer: PipeSafeObserver) -> None:
        self._observer = observer
        self._turn = asyncio.Lock()
        self._folders: dict[Path, PromptFolder] = {}

    def access(self, files: Path, transcript: Path | None) -> PeopleAccess:
        """How to reach the people of one debate.

        `files`: the folder of prompts and replies. `transcript`: drafts are kept beside this file; None keeps no
        drafts.
        """
        drafts = transcript.parent if transcript is not None else None
        terminal = PeopleAtTerminal(self._observer.held, self._turn, drafts)
        folder = self._folders.setdefault(files, PromptFolder(files, self._observer.note))
        return PeopleAccess(folder, terminal.fill_in_form, terminal.paste_answer)


def discard_drafts(transcript: Path | None, debate: Debate) -> None:
    """Remove the drafts beside `transcript` of answers that the debate now contains."""
    if transcript is not None:
        remove_drafts(transcript.parent, debate, debate.answered_keys)
