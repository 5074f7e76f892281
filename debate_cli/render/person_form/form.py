"""The data of a form at the terminal: the question, the draft on disk, and the state, e.g. the current field."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from debate_cli.errors import StorageError
from debate_cli.providers.people.form_fields import AnswerSheet, FormField
from debate_cli.providers.people.replies import PersonAnswer
from debate_cli.regular_file import read_regular_file
from debate_cli.storage.atomic_write import atomic_write

DRAFT_SUFFIX = ".draft"
MAX_DRAFT_BYTES = 4 * 1024 * 1024
MAX_NAMED = 4
"""Maximum number of missing or wrong fields that a message names."""
OPTION_KINDS = ("choice", "choices", "yes_no")


class FormLeftError(Exception):
    """Raised when a person leaves the form without an answer. The draft is saved."""


@dataclass(frozen=True, slots=True)
class FormTask:
    """A question for a person, and the settings of its form."""

    title: str
    """Name of the debater or judge, and the task."""
    context: str
    """The debate so far and the question, shown above the form."""
    draft: Path | None = None
    """File of the draft; None if no draft is saved."""
    time_limit_s: float | None = None
    """Time in seconds until the form closes. Then the text entered so far becomes the answer. None if there is no limit."""
    clipboard_text: str | None = None
    """Text that Ctrl-O copies to the clipboard; None if nothing can be copied."""
    explain: Callable[[str], str] = lambda _name: ""
    """Takes the name of a field and returns an explanation. Called if the form itself does not explain the field."""
    can_abstain: bool = False
    """Whether the person may send an answer that the program cannot read. Such an answer is an abstention."""


class FilledForm(NamedTuple):
    """A person's answer."""

    answer: PersonAnswer
    seconds: float
    """Time from showing the form to the answer, in seconds."""


class DraftFile:
    """Loads and saves the draft of one answer. If the path is None, no draft is saved."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._saved: dict[str, str] = {}

    def load(self) -> dict[str, str]:
        """Return the saved text of each field; empty if there is no readable draft."""
        with suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
            if self._path is not None:
                values: dict[str, Any] = json.loads(read_regular_file(self._path, MAX_DRAFT_BYTES))["values"]
                self._saved = {key: words for key, words in values.items() if isinstance(words, str)}
        return dict(self._saved)

    def save(self, values: Mapping[str, str], title: str) -> str | None:
        """Save the texts if they have changed. Returns an error message if saving fails, otherwise None."""
        if self._path is None or dict(values) == self._saved:
            return None
        data = json.dumps({"title": title, "values": dict(values)}, ensure_ascii=False, indent=1)
        try:
            atomic_write(self._path, data.encode("utf-8", "replace"), overwrite=True)
        except StorageError as error:
            return f"the draft cannot be saved: {error}"
        self._saved = dict(values)
        return None


class FormState:
    """State of the form: the current field, the option under the cursor, and a message to the person."""

    def __init__(self, sheet: AnswerSheet, *, can_abstain: bool, has_draft: bool) -> None:
        self.sheet = sheet
        self.message = "Your draft was restored." if has_draft else ""
        self.option = 0
        """Number of the option under the cursor, counted from 0."""
        self.index = 0
        self._can_abstain = can_abstain
        self._may_send_incomplete = False

    @property
    def fields(self) -> tuple[FormField, ...]:
        """All fields of the answer."""
        return self.sheet.fields()

    @property
    def current(self) -> FormField:
        """The field that is being edited."""
        fields = self.fields
        return fields[min(self.index, len(fields) - 1)]

    @property
    def chosen(self) -> tuple[str, ...]:
        """The options that are chosen in the current field."""
        return tuple(self.sheet.get(self.current).splitlines())

    def move(self, steps: int) -> None:
        """Move forward by `steps` fields, or back if `steps` is negative. The first field follows the last one."""
        self.index = (self.index + steps) % len(self.fields)
        chosen = self.chosen
        self.option = next((n for n, option in enumerate(self.current.options) if option in chosen), 0)
        self._may_send_incomplete = False

    def write(self, words: str) -> None:
        """Set the text of the current field."""
        if words != self.sheet.get(self.current):
            self.sheet.set(self.current, words)
            self._may_send_incomplete = False

    def pick(self, number: int) -> None:
        """Choose an option of the current field, or undo the choice. `number`: index of the option, from 0."""
        field = self.current
        if not 0 <= number < len(field.options):
            return
        self.option = number
        option, chosen = field.options[number], self.chosen
        if field.kind == "choices":
            left = set(chosen) ^ {option}
            self.write("\n".join(item for item in field.options if item in left))
        else:
            self.write("" if option in chosen else option)

    def send(self) -> PersonAnswer | None:
        """Return the answer if it may be sent. Otherwise set `message` to the reason and return None."""
        found = self.sheet.read()
        missing = tuple(dict.fromkeys(item.label for item in self.sheet.missing()))
        problems = missing or tuple(map(self._name_field, found.problems))
        if not problems or (self._may_send_incomplete and (found.is_readable or self._can_abstain)):
            return found
        more = f"; and {len(problems) - MAX_NAMED} more" if len(problems) > MAX_NAMED else ""
        listed = f"{'Missing' if missing else 'Wrong'}: {'; '.join(problems[:MAX_NAMED])}{more}."
        if found.is_readable:
            self.message = f"{listed} To send the answer anyway, press the same keys again: Esc, then Enter."
        elif self._can_abstain:
            self.message = f"{listed} To abstain, press the same keys again: Esc, then Enter."
        else:
            self.message = f"The answer cannot be sent yet. {listed}"
        self._may_send_incomplete = True
        if missing:
            self.index = [item.label for item in self.fields].index(missing[0])
            self.option = 0
        return None

    def _name_field(self, problem: str) -> str:
        path, separator, words = problem.partition(": ")
        key = path.replace("[", "/").replace("]", "").replace(".", "/")
        label = next((item.label for item in self.fields if item.key == key), path)
        return f"{label}{separator}{words}"

    def count_filled(self) -> tuple[int, int]:
        """Return the number of required fields that have text, and the number of all required fields."""
        required = [item for item in self.fields if item.required]
        return sum(bool(self.sheet.get(item).strip()) for item in required), len(required)
