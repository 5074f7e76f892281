"""Symbols, colours, number formats and common sentences of all screens.

The words of outcomes, margins and scores are in `systems/scales.py`, because the Python API needs them too.

A symbol or a word accompanies each colour that has a meaning. Every colour has a contrast ratio of at least 3 on light and dark backgrounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from debate_cli.domain.debate import Debate
    from debate_cli.domain.events import CloseReason
    from debate_cli.domain.model_call import ModelCall, TotalUsage, Usage
    from debate_cli.domain.participant import Participant
    from debate_cli.domain.tasks import Brief
from debate_cli.domain.message_text import count_noun, one_line, sanitize_text
from debate_cli.domain.model_call import is_mock, is_person
from debate_cli.domain.participant import IMPORTED_MODEL
from debate_cli.domain.verdict import Verdict
from debate_cli.render.sanitize import sanitize_line
from debate_cli.systems.registry import get_system
from debate_cli.systems.tables import (
    Badge,
    Cell,
    Curve,
    DebaterCell,
    Gauge,
    Interval,
    JoinedCells,
    Lines,
    Number,
    Table,
    TableRow,
    Tone,
    format_number,
)

TEAL, PLUM, GOLD, GREEN, BLUE, RED = "color(30)", "color(133)", "color(136)", "color(28)", "color(68)", "color(167)"
MUTED = "color(244)"


class Sign(NamedTuple):
    """The sign of a debater or judge: a symbol, a word and a colour."""

    symbol: str
    word: str
    """The debater's side; `judge` for a judge."""
    colour: str


_PARTICIPANT_MARKERS = (("●", TEAL), ("◆", PLUM), ("▲", GOLD), ("■", BLUE), ("★", GREEN), ("▼", RED))

UNKNOWN_SIGN = Sign("…", "", MUTED)
"""Sign shown beside a name that belongs to no debater."""

TONE_COLOURS: dict[Tone, str] = {"good": GREEN, "mixed": GOLD, "bad": RED, "info": BLUE, "muted": MUTED}
SHIFT_BADGES = {
    "strengthened": Badge("↑", "strengthened", "good"),
    "unchanged": Badge("=", "unchanged", "info"),
    "adjusted": Badge("~", "adjusted", "mixed"),
    "weakened": Badge("↓", "weakened", "bad"),
}
UNKNOWN_BADGE = Badge("…", "", "muted")
"""Badge of a value that is unknown or still arriving."""

PHASE_LABELS = {
    "opening": "opening",
    "cross_examination": "cross-examination",
    "answers": "answers",
    "rebuttal": "rebuttal",
    "closing": "closing",
    "speech": "speech",
}

MOCK_LABEL = "mock, no model"
NO_MODEL = "no model"
IMPORTED_LABEL = "imported"


def format_model(model: str) -> str:
    """Return a model's name for display: `mock, no model` for the mock, `imported` for imported speeches."""
    if model == IMPORTED_MODEL:
        return IMPORTED_LABEL
    return MOCK_LABEL if is_mock(model) else model


def format_model_id(model: str) -> str:
    """Return `provider/model`. The name of the mock is marked, e.g. `mock/judge (no model)`. Not sanitized."""
    return f"{model} ({NO_MODEL})" if is_mock(model) else model


def format_cell(cell: Cell) -> str:
    """Return the text of a table cell on one line, sanitized. Empty for an empty cell, and for a bar or an interval."""
    match cell:
        case None | Gauge() | Interval():
            return ""
        case str():
            return sanitize_line(cell)
        case DebaterCell():
            return sanitize_line(cell.name) if cell.name is not None else "—"
        case Number():
            return "—" if cell.value is None else format_number(cell.value, cell.digits)
        case Curve():
            return " → ".join(map(format_number, cell.values))
        case Badge():
            return sanitize_line(cell.word)
        case Lines():
            return ", ".join(map(format_cell, cell.cells))
        case JoinedCells():
            return cell.separator.join(map(format_cell, cell.cells))


def labelled_rows(table: Table) -> Iterator[tuple[TableRow, list[tuple[int, str, Cell]]]]:
    """Yield (row, cells) for each row of a table that is shown as a list.

    `cells` has a tuple (position, header, cell) for each cell after the first. Cells without text, e.g. bars, are left
    out. Badges are never left out, even if they have no word.

    - `position`: index of the cell in the row.
    - `header`: header of the cell's column. The header is empty in two cases:

      - Only this column has names of debaters.
      - Only this column has badges that contain a word, e.g. `✓ upheld`. The table's first column does not count.
    """
    rows = [row for row in table.rows if row is not None]
    placed = [(position, cell) for row in rows for position, cell in enumerate(row)]
    names = {position for position, cell in placed if isinstance(cell, DebaterCell)}
    badges = {position for position, cell in placed if position and isinstance(cell, Badge) and cell.word}
    clear = set[int]().union(*(positions for positions in (names, badges) if len(positions) == 1))
    for row in rows:
        yield (
            row,
            [
                (
                    position,
                    "" if position in clear else sanitize_line(table.heads[position]),
                    cell,
                )
                for position, cell in enumerate(row)
                if position and (format_cell(cell) or isinstance(cell, Badge))
            ],
        )


def participant_styles(participants: Sequence[Participant]) -> dict[str, Sign]:
    """Map the name of each debater to the debater's symbol, side and colour."""
    return {
        person.name: Sign(symbol, person.side, colour)
        for person, (symbol, colour) in zip(participants, cycle(_PARTICIPANT_MARKERS), strict=False)
    }


def format_count(count: int) -> str:
    """Return a number of tokens as text, e.g. 950, 12.3k or 1.20M."""
    if count < 1000:  # noqa: PLR2004 - the unit
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.2f}M"  # noqa: PLR2004 - rounds to 1.00M


def format_cost(cost_usd: float | None) -> str:
    """Return a price in US dollars, or `cost unknown`."""
    if cost_usd is None:
        return "cost unknown"
    if 0 < cost_usd < 0.00005:  # noqa: PLR2004 - rounds to 0
        return "<$0.0001"
    return f"${cost_usd:.2f}" if cost_usd >= 1 or cost_usd == 0 else f"${cost_usd:.4f}"


def format_duration(duration: float) -> str:
    """Return a duration in seconds as text: 4.2 s, 1:05, 1:02:03."""
    tenths = round(duration, 1)
    return f"{tenths:.1f} s" if tenths < 60 else format_clock(tenths)  # noqa: PLR2004 - a minute


def format_clock(duration: float) -> str:
    """Return a duration in whole seconds as text: 0:04, 1:05, 1:02:03."""
    minutes, rest = divmod(int(duration), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def format_token_count(count: int, usage: Usage | TotalUsage) -> str:
    """Return e.g. `412 tokens`, or `about 412 tokens` if `usage` is estimated."""
    return f"{'about ' if usage.estimated else ''}{format_count(count)} tokens"


def format_call(call: ModelCall) -> str:
    """Return duration and tokens of a call, e.g. `4.2 s, 412 tokens`; for a person's answer, `human, 4.2 s`."""
    if is_person(call.model):
        took = format_duration(call.latency_s)
        return took if call.model.startswith("human") else f"human, {took}"
    return f"{format_duration(call.latency_s)}, {format_token_count(call.usage.output_tokens, call.usage)}"


def format_usage(usage: TotalUsage) -> str:
    """Return calls, tokens and cost on one line. If people answered, the number and time of their answers follow."""
    parts = [_format_model_usage(usage)] if usage.calls > usage.human_calls or not usage.calls else []
    if usage.human_calls:
        parts.append(f"{count_noun(usage.human_calls, 'human answer')} in {format_duration(usage.human_s)}")
    return " · ".join(parts)


def _format_model_usage(usage: TotalUsage) -> str:
    by_models = usage.calls - usage.human_calls
    calls = count_noun(by_models, "call")
    retries = usage.attempts - usage.calls
    again = f" ({usage.attempts - usage.human_calls} requests)" if retries > 0 else ""
    cached = f" ({format_count(usage.cached_tokens)} cached)" if usage.cached_tokens else ""
    about = "about " if usage.estimated else ""
    flow = f"{format_token_count(usage.input_tokens, usage)} in{cached}, {format_count(usage.output_tokens)} out"
    searches = f" · {count_noun(usage.searches, 'web search')}" if usage.searches else ""
    price = (about if usage.cost_usd else "") + format_cost(usage.cost_usd)
    return f"{calls}{again}{searches} · {flow} · {price}"


def format_brief(brief: Brief, name: str | None = None) -> str:
    """Return a judge's task in words, e.g. `moderator, round 2`. `name`: replaces the name of the judging system."""
    judge = "" if brief.assessor == "judge" else f"/{brief.assessor}"
    return f"{name or brief.system}{judge}, {get_system(brief.system).describe_brief(brief)}"


class RunPlan(NamedTuple):
    """Planned calls, cost and servers of a run, shown in the run's heading."""

    calls: int | None = None
    """Minimum number of calls that the run makes. None if the number is unknown, or if the run resumes a debate."""
    cost: str = ""
    servers: Sequence[str] = ()
    """Sentences that say which data goes to which server. Servers of built-in providers are left out."""

    @property
    def calls_and_cost(self) -> str:
        """The planned calls and their cost, e.g. `at least 11 calls, about $0.05`. Empty if `calls` is None."""
        if self.calls is None:
            return ""
        return f"at least {self.calls} calls{f', {self.cost}' if self.cost else ''}"


NO_PLAN = RunPlan()


def describe_resume(debate: Debate) -> str:
    """Return what was resumed, e.g. `resumed after 3 speeches` or `judging resumed after 3 speeches`."""
    what = "judging resumed" if debate.turns and debate.status == "complete" else "resumed"
    return what if debate.document_name is not None else f"{what} after {count_speeches(len(debate.turns))}"


def count_speeches(count: int) -> str:
    """Return `1 speech` or `3 speeches`."""
    return count_noun(count, "speech")


def describe_judging(debate: Debate) -> str:
    """Return `judged`, or `judged again` if the debate already has assessments."""
    return "judged again" if debate.assessments else "judged"


def describe_kind(debate: Debate) -> tuple[str, ...]:
    """Return the kind of a debate: (`debate`, format), (`debate`, `imported from FILE`), or (`text`,) for a document."""
    if debate.origin is not None:
        return ("debate", f"imported from {sanitize_line(debate.origin.file)}")
    return ("debate", debate.config.format.kind.replace("_", "-")) if debate.document_name is None else ("text",)


_ERROR_NAME = re.compile(r"\((\w+Error)\)")
_CAUSE_LABELS = {
    "abstained": "no usable answer",
    "late": "too late",
    "interrupted": "no answer before the run ended",
    "BudgetError": "budget reached",
    "ModelTimeoutError": "timed out",
    "UnreachableError": "unreachable",
    "RateLimitedError": "rate limited",
    "ServerError": "server error",
    "BrokenBodyError": "broken answer",
    "TruncatedError": "answer cut off",
    "RejectedError": "request rejected",
    "UnauthorizedError": "key refused",
    "QuotaExhaustedError": "quota used up",
    "UnknownModelError": "unknown model",
    "ContextOverflowError": "prompt too long",
    "MissingKeyError": "no key",
    "RefusedError": "declined",
    "UnrecordedCallError": "not in the cassette",
}
_CAPITAL = re.compile(r"\B(?=[A-Z])")


def format_cause(cause: str) -> str:
    """Return the cause of a failure in words, e.g. `timed out` for `ModelTimeoutError`."""
    return _CAUSE_LABELS.get(cause) or _CAPITAL.sub(" ", cause).lower()


def refer_to_failure(cause: str) -> str:
    """Return words that refer to a failure whose message is on the screen already, e.g. `unreachable, see above`."""
    return f"{format_cause(cause)}, see above"


def expand_error_names(sentence: str) -> str:
    """Replace error classes in parentheses, e.g. `(ModelTimeoutError)`, with words."""
    return _ERROR_NAME.sub(lambda found: f"({format_cause(found[1])})", sentence)


def option_badge(kind: str, option: str) -> Badge:
    """Return the badge of an option of the judging system `kind`. An unknown option gets a neutral badge."""
    return get_system(kind).options.get(option, Badge("·", sanitize_line(option), "info"))


def missing_sentences(verdict: Verdict) -> tuple[str, ...]:
    """Return a sentence for each assessment that the verdict lacks."""
    found = verdict.notes.get("missing")
    return tuple(expand_error_names(str(sentence)) for sentence in found) if isinstance(found, list) else ()


def score_axis_max(verdict: Verdict) -> float | None:
    """Return the end of the axis for a verdict's scores; None if the judging system has no highest possible score."""
    highest = get_system(verdict.system).max_score(verdict)
    return None if highest is None else max(highest, *map(abs, verdict.scores.values()), 0.0)


CLOSE_MESSAGES: dict[CloseReason, str] = {
    "complete": "The debate is complete.",
    "surrender": "The debate ends: all debaters have surrendered, or all but one.",
    "converged": "The debate ends: nothing new has been said for a full round.",
    "budget": "The debate stops: the budget is reached.",
    "interrupted": "The debate stops: the run was interrupted.",
    "failed": "The debate stops: a debater could not answer.",
}


BACKGROUND_LINES, BACKGROUND_LENGTH = 3, 240
"""Maximum number of shown lines of a background, and maximum number of characters of each line."""


def background_excerpt(background: str | None) -> list[str]:
    """Return the first lines of a background, sanitized, then a line with the number of omitted lines."""
    lines = [line for line in sanitize_text(background or "").splitlines() if line.strip()]
    shown = [shorten(line, BACKGROUND_LENGTH) for line in lines[:BACKGROUND_LINES]]
    more = len(lines) - len(shown)
    return [*shown, f"… and {count_noun(more, 'more line')}"] if more else shown


EXCERPT_LENGTH = 320


def shorten(text: str, longest: int = EXCERPT_LENGTH) -> str:
    """Return `text` on one line, cut to about `longest` characters.

    A text is cut at the first of these places that exists. `…` follows, unless the place is the end of a sentence.

    1. the last end of a sentence, if it is beyond a third of `longest`
    2. the last space, if it is beyond half of `longest`
    3. after `longest` characters
    """
    words = one_line(text)
    if len(words) <= longest:
        return words
    head = words[:longest]
    ends = max(head.rfind(mark) for mark in (". ", "! ", "? ", "。", "！", "？"))
    space = head.rfind(" ")
    return head[: ends + 1] if ends > longest // 3 else f"{head[:space] if space > longest // 2 else head}…"
