"""Asks people at the terminal, one at a time: `human` fills in a form, `paste` takes a pasted answer."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from debate_cli.domain.debate import Debate
from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import Reply, Request
from debate_cli.providers.people.form_fields import AnswerSheet, FormDraft, TextSheet
from debate_cli.providers.people.person import to_slug
from debate_cli.providers.people.prompt_page import explain_field, format_context, format_page
from debate_cli.render.person_form.form import DRAFT_SUFFIX, FilledForm, FormLeftError, FormTask


async def fill_in(task: FormTask, sheet: AnswerSheet) -> FilledForm:
    """Show the form until the person sends the answer or the time is up. Saves the draft every few seconds.

    The caller removes the draft after storing the answer. Raises FormLeftError if the person leaves the form,
    or if the terminal was closed.
    """
    from debate_cli.render.person_form.screen import FormScreen  # importing prompt_toolkit takes 0.2 s

    began = time.monotonic()
    answer = await FormScreen(task, sheet).run()
    return FilledForm(answer, round(time.monotonic() - began, 3))


class PeopleAtTerminal:
    """Asks the people at this terminal, one at a time. While a form is open, nothing else is printed."""

    def __init__(
        self, hold: Callable[[], AbstractContextManager[None]], turn: asyncio.Lock, drafts: Path | None
    ) -> None:
        """`hold`: returns a context manager. Within its `with` block, nothing but the form is printed.

        `turn`: lock that is held while a person is asked. `drafts`: folder of the drafts; None saves no drafts.
        """
        self._hold = hold
        self._drafts = drafts
        self._turn = turn
        self._asked_drafts: list[Path] = []

    @property
    def has_draft(self) -> bool:
        """Whether a draft of any requested answer is on disk."""
        return any(path.exists() for path in self._asked_drafts)

    async def fill_in_form(self, request: Request, time_limit_s: float | None = None) -> Reply:
        """Ask a person with a form that has a field for each part of the answer."""
        sheet = TextSheet(request) if request.form is None else FormDraft(request.form)
        return await self._ask(request, sheet, time_limit_s, None)

    async def paste_answer(self, request: Request, time_limit_s: float | None = None) -> Reply:
        """Show the prompt to a person, and read one pasted text as the answer."""
        return await self._ask(request, TextSheet(request), time_limit_s, format_page(request, None))

    async def _ask(self, request: Request, sheet: AnswerSheet, time_limit_s: float | None, page: str | None) -> Reply:
        origin = request.origin
        draft = self._drafts / draft_name(origin.debate, origin.key) if self._drafts and origin else None
        self._asked_drafts += [draft] if draft is not None else []
        task = FormTask(
            title=origin.title if origin is not None else request.purpose,
            context=format_context(request) if page is None else page,
            draft=draft,
            time_limit_s=time_limit_s,
            clipboard_text=page,
            explain=partial(explain_field, request),
            can_abstain=origin is not None and not origin.accepts_text,
        )
        with self._hold():
            async with self._turn:
                try:
                    filled = await fill_in(task, sheet)
                except FormLeftError:
                    os.kill(os.getpid(), signal.SIGINT)  # the run stops as after Ctrl-C, and cancels this question
                    await asyncio.Event().wait()
                    raise
        return Reply(filled.answer.text, Usage(), finish_reason="stop", latency_s=filled.seconds, is_final=True)


def draft_name(debate: str, key: str) -> str:
    """Return the file name of a draft. `debate`: id of the debate. `key`: key of the task."""
    return f"{to_slug(debate)}.{to_slug(key)}{DRAFT_SUFFIX}"  # a stored debate from elsewhere may have any id


def discard_drafts(transcript: Path | None, debate: Debate) -> None:
    """Remove the drafts of the answers that are already in `debate`.

    `transcript`: path of the debate's transcript, whose folder contains the drafts; None if there are no drafts.
    """
    if transcript is not None:
        for key in debate.answered_keys:
            transcript.with_name(draft_name(debate.id, key)).unlink(missing_ok=True)
