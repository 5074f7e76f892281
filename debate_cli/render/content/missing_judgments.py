"""Missing judgments of a debate: number, reasons, and the commands that ask for them."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import ABSTAINED, Failure
from debate_cli.domain.judging_run import format_system_label
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import format_page_hint, get_error_page
from debate_cli.judging.schedule import missing_briefs
from debate_cli.render import sanitize
from debate_cli.render.content.resume_hint import remedy_options, resume_command
from debate_cli.render.theme import shorten

_ABSTENTION_PAGE = "no-structured-output"
_MAX_REASON_LENGTH = 160


class MissingJudgments(NamedTuple):
    """The judgments that verdicts of a debate lack. Names and messages are untrusted and not sanitized."""

    debate: Debate
    briefs: tuple[Brief, ...]
    """Briefs without a judgment, at least one."""
    failures: Mapping[str, Failure]
    """Key of a task -> its last failure."""
    undetermined: frozenset[tuple[str, str]] = frozenset()
    """Run and system of each undetermined verdict."""

    @property
    def resumable_briefs(self) -> tuple[Brief, ...]:
        """Briefs about which a resumed debate asks the judge again: it was not asked before, or could not be asked."""
        return tuple(brief for brief in self.briefs if not self._is_final(brief))

    @property
    def lacks_deciding_judgment(self) -> bool:
        """Whether a judgment of a deciding system is missing, and this matters.

        It matters if a resumed run may still obtain the judgment, or if the verdict is undetermined without it.
        """
        kinds = {run.id: run.judging.deciding_kind for run in self.debate.runs}
        deciding = [brief for brief in self.briefs if brief.system == kinds[brief.run]]
        resumable = set(self.resumable_briefs)
        return any(brief in resumable or (brief.run, brief.system) in self.undetermined for brief in deciding)

    def describe(self) -> str:
        """One sentence: number of judgments by system, and the most frequent reason."""
        runs = [run.id for run in self.debate.runs]
        by_system = Counter(format_system_label(brief.system, brief.run, runs) for brief in self.briefs)
        systems = ", ".join(f"{count} of {label}" for label, count in by_system.items())
        count = len(self.briefs)
        subject = "1 judgment is missing" if count == 1 else f"{count} judgments are missing"
        return f"{subject} ({systems}): {self._describe_reason()}"

    def commands(self, path: str | None, *, batch: bool = False) -> tuple[str, ...]:
        """Commands that ask for the judgments: first the same judges, if resuming can do that; then another model.

        `path`: the transcript; None if nothing was saved, so that the original command must be repeated.
        `batch`: whether to ask in a batch.
        """
        again = (resume_command(path) + self._remedy(),) if self.resumable_briefs or path is None else ()
        if path is None:
            return again
        if batch and again:
            again = (f"debate judge --collect {shlex.quote(sanitize.sanitize_line(path))} --batch",)
        return (*again, self._judge_command(path) + (" --batch" if batch else ""))

    def _remedy(self) -> str:
        """A space and the option without which resuming would fail again; empty if no option is needed."""
        failed = (self.failures[brief.key] for brief in self.resumable_briefs if brief.key in self.failures)
        option = next((remedy_options(self.debate, failure)[0] for failure in failed), "")
        return option and f" {option}"

    def _describe_reason(self) -> str:
        messages = [self.failures[brief.key].message for brief in self.briefs if brief.key in self.failures]
        if not messages:
            return "not asked yet"
        message, count = Counter(messages).most_common(1)[0]
        cause = next(failure.cause for failure in self.failures.values() if failure.message == message)
        page = _ABSTENTION_PAGE if cause == ABSTAINED else get_error_page(cause)
        share = "" if count == len(self.briefs) else f" ({count} of them)"
        return f"{shorten(message, _MAX_REASON_LENGTH).rstrip('.')}{share}{format_page_hint(page)}"

    def _judge_command(self, path: str) -> str:
        """The command that asks another model. It replaces the judging runs so far, unless one of them is complete."""
        kinds = dict.fromkeys(brief.system for brief in self.briefs)
        lacking = {(brief.run, brief.system) for brief in self.briefs}
        active = {(run.id, system.kind) for run in self.debate.runs for system in run.active_systems()}
        has_whole_run = any(kind in kinds for _, kind in active - lacking)
        options = " ".join(f"--system {kind}" for kind in kinds)
        command = f"debate judge {shlex.quote(sanitize.sanitize_line(path))} {options} --model PROVIDER/MODEL"
        return command if has_whole_run else f"{command} --replace"

    def _is_final(self, brief: Brief) -> bool:
        return brief.key in self.failures and self.failures[brief.key].final


def find_missing_judgments(debate: Debate, verdicts: Sequence[Verdict]) -> MissingJudgments | None:
    """The judgments that `verdicts` lack; None if there are none."""
    briefs = missing_briefs(debate, verdicts)
    if not briefs:
        return None
    undetermined = frozenset((item.run, item.system) for item in verdicts if item.victory == "undetermined")
    return MissingJudgments(debate, briefs, {item.task.key: item for item in debate.failures}, undetermined)
