"""The line on how far a run is: calls done of those planned, time taken and left, tokens, cost, and who is waited for."""

from __future__ import annotations

from collections.abc import Callable, Collection

from debate_cli.domain.debate import Debate, judging_usage, restrict_to_runs
from debate_cli.domain.events import AssessmentCompleted, Event, JudgingOpened, TaskFailed
from debate_cli.domain.model_call import TotalUsage
from debate_cli.domain.tasks import Brief, Task
from debate_cli.render import sanitize, theme
from debate_cli.render.agreement import label_judging_system
from debate_cli.render.live.column import Line, truncate_line

PROGRESS_BAR_WIDTH = 16
"""Columns of the bar."""
MIN_WIDTH_FOR_BAR = 80
"""Columns below which the line has no bar: the numbers need them."""
MAX_NAMED_JUDGMENTS = 2
"""Judgements that are named without being counted."""
MIN_CALLS_FOR_ESTIMATE = 2
"""Calls that must be done before the time left is estimated."""


class ProgressLine:
    """Counts what is settled; written by the event loop, read by the drawing thread."""

    def __init__(self, planned: int | None, clock: Callable[[], float]) -> None:
        self._planned = planned
        self._clock = clock
        self._started = clock()
        self._before = 0
        self._done = 0
        self._usage = TotalUsage(cost_usd=0.0)
        self._judging: tuple[Brief, ...] = ()
        self._added: frozenset[str] = frozenset()
        """Judging runs added to a debate of which nothing else was watched; what others did does not count then."""
        self._watched = False
        self._debate: Debate | None = None

    def start(self) -> None:
        """Set the clock to zero."""
        self._started = self._clock()

    def found(self, debate: Debate) -> None:
        """A debate is gone on with: what is there already took no time of this run."""
        self._before = self._done = _settled(debate)
        self._usage = debate.usage

    def asking(self, task: Task) -> None:
        """A question was sent."""
        if isinstance(task, Brief):
            self._judging = (*self._judging, task)

    def record_event(self, event: Event, debate: Debate) -> None:
        """Take note of what `event` settles."""
        if isinstance(event, JudgingOpened) and (self._added or not self._watched):
            self._added |= {event.run}
        self._watched = True
        self._debate = debate
        self._done = _judged(debate, self._added) if self._added else _settled(debate)
        self._usage = judging_usage(debate, self._added) if self._added else debate.usage
        match event:
            case AssessmentCompleted():
                key = event.assessment.brief.key
            case TaskFailed():
                key = event.failure.task.key
            case _:
                return
        self._judging = tuple(brief for brief in self._judging if brief.key != key)

    def words(self) -> str:
        """All of it but the bar."""
        usage = self._usage
        taken = self._clock() - self._started
        done = f"{self._done}/{self._total}" if self._planned else f"{self._done}"
        parts = [f"{done} call{'' if done == '1' else 's'}", theme.format_clock(taken)]
        left = self._left(taken)
        if left is not None:
            parts.append(f"about {theme.format_clock(left)} left")
        parts += [
            theme.format_token_count(usage.input_tokens + usage.output_tokens, usage),
            theme.format_cost(usage.cost_usd),
        ]
        if self._judging:
            count = f" {len(self._judging)}" if len(self._judging) > MAX_NAMED_JUDGMENTS else ""
            awaited = "; ".join(
                sanitize.sanitize_line(theme.format_brief(brief, self._called(brief))) for brief in self._judging
            )
            parts.append(f"judging{count}: {awaited}")
        return " · ".join(parts)

    def _called(self, brief: Brief) -> str | None:
        return None if self._debate is None else label_judging_system(self._debate, brief.system, brief.run)

    def line(self, width: int) -> Line:
        """The line, at most `width` columns wide."""
        words = (self.words(), theme.MUTED)
        if not self._planned or width < MIN_WIDTH_FOR_BAR:
            return truncate_line([words], width)
        full, half = divmod(round(self._done / self._total * PROGRESS_BAR_WIDTH * 2), 2)
        bar = "━" * full + "╸" * half
        return truncate_line(
            [(bar, theme.TEAL), ("─" * (PROGRESS_BAR_WIDTH - len(bar)), theme.MUTED), (" ", ""), words], width
        )

    @property
    def _total(self) -> int:
        return max(self._planned or 0, self._done)

    def _left(self, taken: float) -> float | None:
        """Seconds that the calls left will take at the pace so far; None where there is too little to tell or to do."""
        done = self._done - self._before
        if not self._planned or done < MIN_CALLS_FOR_ESTIMATE or self._done >= self._total:
            return None
        left = taken / done * (self._total - self._done)
        return left if left >= 1 else None


def _judged(debate: Debate, runs: Collection[str]) -> int:
    alone = restrict_to_runs(debate, runs)
    return len(alone.assessments) + sum(isinstance(failure.task, Brief) for failure in alone.failures)


def _settled(debate: Debate) -> int:
    return len(debate.turns) + len(debate.assessments) + len(debate.given_up)
