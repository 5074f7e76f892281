"""Asks a person for an answer at the terminal.

`fill_in` shows a title, a context and a form, and returns the filled-in value:

    task = FormTask("Verdict: round 1", context, draft=Path("transcripts/my-debate.review.draft"))
    filled = await fill_in(task, FormDraft(Form("name", Model, derive_schema(Model))))
    filled.answer.text    # the form as JSON, checked against its schema
"""

import time
from dataclasses import dataclass

from debate_cli.providers.people.replies import ReadReply
from debate_cli.render.person_form.task import AnswerSheet, FormTask


@dataclass(frozen=True, slots=True)
class FilledForm:
    """A person's answer."""

    answer: ReadReply
    seconds: float
    """Seconds since the form was shown."""


async def fill_in(task: FormTask, sheet: AnswerSheet) -> FilledForm:
    """Show the form until the person sends it, or the time is up.

    The draft is loaded into `sheet` first, saved every few seconds, and kept at the end; the caller removes it once the
    answer is stored. Raises FormLeftError on Ctrl-C or when the terminal is gone.
    """
    from debate_cli.render.person_form.screen import FormScreen  # prompt_toolkit takes a fifth of a second

    began = time.monotonic()
    answer = await FormScreen(task, sheet).run()
    return FilledForm(answer, round(time.monotonic() - began, 3))
