"""Asks a person for an answer at the terminal.

`fill_in` shows a title, a context and a form, and returns the filled-in value:

    task = FormTask("Verdict: round 1", context, draft=Path("transcripts/my-debate.review.draft"))
    filled = await fill_in(task, FormDraft(Form("name", Model, derive_schema(Model))))
    filled.answer.text    # the form as JSON, checked against its schema
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from debate_cli.llm.model import Request
from debate_cli.providers.people.form_fields import FormDraft, FormField
from debate_cli.providers.people.replies import ReadReply, read_reply


class FormLeftError(Exception):
    """The person left the form. The draft is on disk."""


_ANSWER = FormField(("answer",), "answer", "text", hint="paste it here")


@dataclass
class TextSheet:
    """An answer in one text, for a form or in plain words."""

    request: Request
    values: dict[str, str] = field(default_factory=dict[str, str])

    def fields(self) -> tuple[FormField, ...]:
        """The one field."""
        return (_ANSWER,)

    def get(self, item: FormField) -> str:
        """The text."""
        return self.values.get(item.key, "")

    def set(self, item: FormField, words: str) -> None:
        """Write the text."""
        self.values[item.key] = words

    def missing(self) -> tuple[FormField, ...]:
        """Nothing: an empty text is a problem."""
        return ()

    def read(self) -> ReadReply:
        """The text read as the form that is asked for."""
        origin = self.request.origin
        accepts_text = origin is not None and origin.accepts_text
        return read_reply(self.get(_ANSWER), self.request.form, accepts_text=accepts_text)


AnswerSheet = FormDraft | TextSheet
"""The fields of an answer and the words in them."""


def no_explanation(_name: str) -> str:
    """Explain nothing."""
    return ""


@dataclass(frozen=True, slots=True)
class FormTask:
    """What a person is asked."""

    title: str
    """Who is asked for what."""
    context: str
    """What was said so far and what is asked, shown above the form."""
    draft: Path | None = None
    """Where the draft is kept; None keeps none."""
    time_limit_s: float | None = None
    """Seconds after which the answer is taken as it is."""
    copied: str | None = None
    """Text that a key puts on the clipboard; None: there is no such key."""
    explain: Callable[[str], str] = no_explanation
    """Name of a field -> what it means, shown beside it; empty for nothing."""
    can_abstain: bool = False
    """Whether an answer that cannot be read may be sent, as an abstention."""


@dataclass(frozen=True, slots=True)
class FilledForm:
    """A person's answer."""

    answer: ReadReply
    seconds: float
    """From the moment when the form was shown."""


async def fill_in(task: FormTask, sheet: AnswerSheet) -> FilledForm:
    """Show the form until the person sends it, or the time is up.

    The draft is loaded into `sheet` first, saved every few seconds and kept at the end: the caller removes it once the
    answer is safe. Raises FormLeftError on Ctrl-C or when the terminal is gone.
    """
    from debate_cli.render.person_form.screen import FormScreen  # prompt_toolkit takes a fifth of a second

    began = time.monotonic()
    answer = await FormScreen(task, sheet).run()
    return FilledForm(answer, round(time.monotonic() - began, 3))
