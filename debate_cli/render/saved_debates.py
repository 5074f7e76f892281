"""Formats the list of `debate list` as cards on a terminal, tab-separated lines, or a JSON document."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from debate_cli.app.transcript_index import IndexEntry
from debate_cli.domain.message_text import count_noun
from debate_cli.domain.model_call import is_mock
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.content.agreement import label_verdict
from debate_cli.render.score_rows import NO_VERDICT
from debate_cli.render.terminal.drawing import INDENT, CopyableCommand, join_text, section, terminal_line
from debate_cli.systems.tables import Badge

EMPTY_COLUMN = "-"
_VERDICT_FIELDS = {"system", "run", "winner", "victory", "margin", "decides", "reviewer"}
STATE_BADGES = {
    "complete": Badge("✓", "", "good"),
    "surrender": Badge("✓", "closed by surrender", "good"),
    "converged": Badge("✓", "closed because nothing new was said", "good"),
    "running": Badge("▸", "running", "info"),
    "unfinished": Badge("…", "unfinished", "mixed"),
    "budget": Badge("…", "stopped by its budget", "mixed"),
    "interrupted": Badge("…", "interrupted", "mixed"),
    "failed": Badge("!", "failed", "bad"),
}
PENDING_JUDGE_BADGE = Badge("…", "", "mixed")
"""Badge of a complete debate with a missing judgement."""
UNDECIDED_BADGE = Badge("!", "the deciding judgement is missing", "bad")
"""Badge of a complete debate whose deciding judgement is missing."""
NO_DEBATES_MESSAGE = "No debate is saved here. To run a first debate without a model, enter `debate run --mock`."
RESUMABLE_STATES = frozenset({"unfinished", "budget", "interrupted", "failed"})


def index_view(entries: Sequence[IndexEntry], folder: str) -> list[RenderableType]:
    """Return a card per debate. If the debate is unfinished or lacks judgements, its card has the command that continues it.

    Print the cards with `crop=False`, so that long commands stay whole.
    """
    body = [_card(entry) for entry in entries] or [Text(NO_DEBATES_MESSAGE, style=theme.MUTED)]
    return [section("debates", *body, subtitle=f"{len(entries)} in {folder}")]


def format_index_row(entry: IndexEntry) -> str:
    """Return the columns of one debate, separated by tabs: id, start, topic, models, winners, cost, state, rehearsal.

    An empty value becomes `-`.

    Without a verdict, the value of the winners is NO_VERDICT. The last value is `rehearsal` if the mock gave all answers,
    and `rehearsal in part` if it gave some.
    """
    winners = [f"{label_verdict(item, entry.conclusions)}={item.outcome}" for item in _shown_verdicts(entry)]
    cells = (
        entry.id,
        entry.started_at,
        entry.topic,
        ",".join(entry.models),
        ",".join(winners) or NO_VERDICT,
        "" if entry.cost_usd is None else f"{entry.cost_usd:.6g}",
        ", ".join(filter(None, (entry.state, format_missing_judgements(entry)))),
        _rehearsal_word(entry),
    )
    return "\t".join(sanitize.sanitize_line(cell) or EMPTY_COLUMN for cell in cells)


def _shown_verdicts(entry: IndexEntry) -> list[Verdict]:
    """Return the verdicts to show. If a debate stopped early, its undetermined verdicts are left out."""
    stopped = entry.state in RESUMABLE_STATES
    return [verdict for verdict in entry.conclusions if not (stopped and verdict.victory == "undetermined")]


def _rehearsal_word(entry: IndexEntry) -> str:
    """Return `rehearsal`, `rehearsal in part`, or an empty string if the mock gave no answer."""
    return entry.rehearsal.partition(":")[0].lower()


def dump_index_json(entries: Iterable[IndexEntry]) -> str:
    """Return a JSON array with one object per debate. The text of debates is not sanitized."""
    return json.dumps([_index_document(entry) for entry in entries], ensure_ascii=False, indent=2) + "\n"


def _index_document(entry: IndexEntry) -> dict[str, Any]:
    names = ("path", "id", "started_at", "topic", "state", "turns", "models")
    return {
        **{name: getattr(entry, name) for name in names},
        "verdicts": [verdict.model_dump(mode="json", include=_VERDICT_FIELDS) for verdict in entry.conclusions],
        "cost_usd": entry.cost_usd,
        "judgments_missing": entry.missing_judgements,
        "lacks_deciding_judgment": entry.lacks_deciding_judgement,
        "rehearsal": _rehearsal_word(entry) or None,
    }


def format_missing_judgements(entry: IndexEntry) -> str:
    """Return `1 judgement missing` or `the deciding judgement is missing`; empty if no judgement is missing."""
    count = entry.missing_judgements
    if entry.lacks_deciding_judgement and count == 1 and not entry.resumable_judgements:
        return UNDECIDED_BADGE.word
    return f"{count_noun(count, 'judgement')} missing" if count else ""


def format_conclusion(conclusion: Verdict) -> str:
    """Return a verdict in words, e.g. `Pro, narrow` for a debate, `PASS, clear` for a vote, or `draw`."""
    alone = conclusion.winner is None and (conclusion.option is None or conclusion.victory == "conditional")
    return conclusion.outcome if alone else f"{conclusion.outcome}, {conclusion.victory}"


def _card(entry: IndexEntry) -> RenderableType:
    state = STATE_BADGES.get(entry.state, theme.UNKNOWN_BADGE)
    mark = PENDING_JUDGE_BADGE if entry.missing_judgements else state
    mark = UNDECIDED_BADGE if entry.lacks_deciding_judgement else mark
    colour = theme.TONE_COLOURS[mark.tone]
    topic = terminal_line(theme.shorten(entry.topic))
    models = sanitize.sanitize_line(", ".join(dict.fromkeys(map(theme.format_model, entry.models))))
    facts = [f"{entry.started_at[:16].replace('T', ' ')} UTC", models, theme.format_cost(entry.cost_usd)]
    lines: list[RenderableType] = [topic, Text(" · ".join(filter(None, facts)), style=theme.MUTED)]
    command: list[RenderableType] = []
    is_resumable = entry.state in RESUMABLE_STATES
    verdicts = [
        join_text(
            (f"{sanitize.sanitize_line(label_verdict(item, entry.conclusions))} ", theme.MUTED),
            terminal_line(format_conclusion(item)),
        )
        for item in _shown_verdicts(entry)
    ]
    lines += [join_text(*verdicts, separator=" · ")] if verdicts else []
    if state.word:
        speeches = f" after {theme.count_speeches(entry.turns)}" if is_resumable else ""
        lines.append(Text(f"{state.word}{speeches}", style=theme.TONE_COLOURS[state.tone]))
    if entry.rehearsal and not any(map(is_mock, entry.models)):
        lines.append(terminal_line(entry.rehearsal, theme.RED))
    if missing := format_missing_judgements(entry):
        lines.append(Text(missing, style=colour))
    if entry.remedy is not None:
        lines += [Text(entry.remedy.condition, style=theme.MUTED)] if entry.remedy.condition else []
        action, text = entry.remedy.commands[0]
        command = [CopyableCommand(f"{action}:", text)]
    head = join_text((f"{mark.symbol} ", f"bold {colour}"), terminal_line(entry.id, "bold"))
    return Group(head, Padding(Group(*lines), (0, 0, 0, INDENT)), *command, Text())
