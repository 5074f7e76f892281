"""Saved debates on a terminal: a few lines each, so that the long ids stay whole in a window of any width.

Nothing here loads the domain: it is on the screen before that would be done.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from debate_cli.render import sanitize, theme
from debate_cli.render.resume_hint import resume_command
from debate_cli.render.saved_debates import format_conclusion, format_missing_judgments
from debate_cli.render.terminal import join_text, terminal_line
from debate_cli.render.theme import Sign
from debate_cli.storage.transcript_index import IndexEntry

STATE_BADGES = {
    "complete": Sign("✓", "", theme.GREEN),
    "surrender": Sign("✓", "closed by surrender", theme.GREEN),
    "converged": Sign("✓", "closed as nothing new was said", theme.GREEN),
    "running": Sign("▸", "running", theme.BLUE),
    "unfinished": Sign("…", "unfinished", theme.GOLD),
    "budget": Sign("…", "stopped by its budget", theme.GOLD),
    "interrupted": Sign("…", "interrupted", theme.GOLD),
    "failed": Sign("!", "failed", theme.RED),
}
"""A state that needs no word has none."""
PENDING_JUDGE_BADGE = Sign("…", "", theme.GOLD)
"""In the place of the sign of a debate that came to its end, where a judge is to be asked again."""
NO_DEBATES_MESSAGE = "No debate is saved here; `debate run --mock` holds one without a model."
RESUMABLE_STATES = frozenset({"unfinished", "budget", "interrupted", "failed"})


def index_view(cards: Sequence[IndexEntry], folder: str) -> list[RenderableType]:
    """The debates as given; how to go on with those that did not come to their end stands with them."""
    count = f"{len(cards)} in {sanitize.sanitize_line(folder)}"
    head = Rule(join_text(("debates", "bold"), (f"  ·  {count}", theme.MUTED)), style=theme.MUTED, align="left")
    return [Text(""), head, *([_card(card) for card in cards] or [Text(NO_DEBATES_MESSAGE, style=theme.MUTED)])]


def _card(card: IndexEntry) -> RenderableType:
    sign = PENDING_JUDGE_BADGE if card.judgments_missing else STATE_BADGES.get(card.state, theme.UNKNOWN_BADGE)
    topic = terminal_line(card.topic)
    topic.no_wrap, topic.overflow = True, "ellipsis"
    return Group(
        join_text((f"{sign.symbol} ", f"bold {sign.colour}"), terminal_line(card.id, "bold")),
        Padding(Group(topic, *_about(card)), (0, 0, 1, 2)),
    )


def _about(card: IndexEntry) -> list[Text]:
    """When, by whom, who won, for how much; then what is to be known of one that did not come to its end."""
    models = sanitize.sanitize_line(", ".join(card.models))
    start = card.started_at[:16].replace("T", " ")
    facts = [f"{start} UTC", *([models] if models else []), theme.format_cost(card.cost_usd)]
    found = [Text(" · ".join(facts), style=theme.MUTED)]
    verdicts = [
        join_text((f"{item.system} ", theme.MUTED), terminal_line(format_conclusion(item))) for item in card.conclusions
    ]
    if verdicts:
        found.append(join_text(*verdicts, separator=" · "))
    sign = STATE_BADGES.get(card.state, theme.UNKNOWN_BADGE)
    if sign.word:
        spoken = (
            f" after {card.turns} speech{'' if card.turns == 1 else 'es'}" if card.state in RESUMABLE_STATES else ""
        )
        found.append(join_text((f"{sign.word}{spoken}", sign.colour)))
    if card.judgments_missing:
        found.append(join_text((format_missing_judgments(card), PENDING_JUDGE_BADGE.colour)))
    if card.state in RESUMABLE_STATES or card.judgments_missing:
        found.append(join_text(("go on: ", theme.MUTED), resume_command(card.path, budget=card.state == "budget")))
    return found
