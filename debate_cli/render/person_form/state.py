"""The state of the form at the terminal: current field, problems, whether it may be sent. Draws nothing."""

from debate_cli.providers.people.form_fields import FormField
from debate_cli.providers.people.replies import ReadReply
from debate_cli.render.person_form.task import AnswerSheet

MAX_NAMED = 4
"""Maximum number of missing fields in a message."""
OPTION_KINDS = ("choice", "choices", "yes_no")
WELCOME = "Tab goes to the next field. Esc, then Enter, sends the answer. Ctrl-C stops and keeps the draft."


class FormState:
    """State of the form, changed by keys and shown on the screen."""

    def __init__(self, sheet: AnswerSheet, *, can_abstain: bool, has_draft: bool) -> None:
        self.sheet = sheet
        self.message = "Your draft is back. " + WELCOME if has_draft else WELCOME
        self.option = 0
        """The option under the cursor."""
        self.index = 0
        self._can_abstain = can_abstain
        self._may_send_incomplete = False
        """Whether the person has seen what is missing, so that sending again sends the answer as it is."""

    @property
    def fields(self) -> tuple[FormField, ...]:
        """All fields."""
        return self.sheet.fields()

    @property
    def current(self) -> FormField:
        """The field that is being edited."""
        fields = self.fields
        return fields[min(self.index, len(fields) - 1)]

    @property
    def chosen(self) -> tuple[str, ...]:
        """The chosen options of the current field."""
        return tuple(self.sheet.get(self.current).splitlines())

    def move(self, steps: int) -> None:
        """Move by `steps` fields. The first field follows the last one."""
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
        """Choose the option with this number, or undo the choice."""
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

    def send(self) -> ReadReply | None:
        """The answer if it may be sent; else None, and `message` says what is missing."""
        found = self.sheet.read()
        missing = tuple(dict.fromkeys(item.label for item in self.sheet.missing()))
        problems = missing or tuple(map(self._name_field, found.problems))
        if not problems or (self._may_send_incomplete and (found.is_readable or self._can_abstain)):
            return found
        more = f"; and {len(problems) - MAX_NAMED} more" if len(problems) > MAX_NAMED else ""
        listed = f"{'Missing' if missing else 'Wrong'}: {'; '.join(problems[:MAX_NAMED])}{more}."
        if found.is_readable:
            self.message = f"{listed} Esc, then Enter, again sends it all the same."
        elif self._can_abstain:
            self.message = f"{listed} Sent like this it is an abstention: Esc, then Enter, again sends it."
        else:
            self.message = f"It cannot be sent yet. {listed}"
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
        """Number of required fields that are filled, and of all required fields."""
        required = [item for item in self.fields if item.required]
        return sum(bool(self.sheet.get(item).strip()) for item in required), len(required)
