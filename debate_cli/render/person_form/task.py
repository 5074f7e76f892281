"""What a person is asked at the terminal, and the fields and texts of the answer. No terminal here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from debate_cli.llm.model import Request
from debate_cli.providers.people.form_fields import FormDraft, FormField
from debate_cli.providers.people.replies import ReadReply, read_reply


class FormLeftError(Exception):
    """The person left the form without answering. The draft is saved."""


_ANSWER = FormField(("answer",), "answer", "text", hint="paste it here")


@dataclass
class TextSheet:
    """An answer that is entered as one text. The text is a form as JSON, or plain words."""

    request: Request
    values: dict[str, str] = field(default_factory=dict[str, str])

    def fields(self) -> tuple[FormField, ...]:
        """The only field: the text."""
        return (_ANSWER,)

    def get(self, item: FormField) -> str:
        """The text."""
        return self.values.get(item.key, "")

    def set(self, item: FormField, words: str) -> None:
        """Write the text."""
        self.values[item.key] = words

    def missing(self) -> tuple[FormField, ...]:
        """Always empty: a missing text is a problem of `read`."""
        return ()

    def read(self) -> ReadReply:
        """Read the text as the form that is asked for."""
        origin = self.request.origin
        accepts_text = origin is not None and origin.accepts_text
        return read_reply(self.get(_ANSWER), self.request.form, accepts_text=accepts_text)


AnswerSheet = FormDraft | TextSheet
"""The fields of an answer and their texts."""


def no_explanation(_name: str) -> str:
    """Explains no field: always returns an empty text."""
    return ""


@dataclass(frozen=True, slots=True)
class FormTask:
    """A question for a person."""

    title: str
    """Debater or judge, and the task."""
    context: str
    """The debate so far and the question, shown above the form."""
    draft: Path | None = None
    """File of the draft; None keeps no draft."""
    time_limit_s: float | None = None
    """Seconds after which the answer is taken as it is; None sets no limit."""
    copied: str | None = None
    """Text that a key copies to the clipboard; None if there is no such key."""
    explain: Callable[[str], str] = no_explanation
    """Name of a field -> its explanation, shown beside it; empty if there is none."""
    can_abstain: bool = False
    """Whether an unreadable answer may be sent, as an abstention."""
