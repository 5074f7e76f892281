"""Saved debates on a terminal: a few lines each, so that the long ids stay whole in a window of any width.

Nothing here loads the domain: it is on the screen before that would be done.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from debate_cli.render import hostile, look
from debate_cli.render.drawn.safe import joined, safe_line
from debate_cli.render.go_on import resume_command
from debate_cli.render.look import Sign
from debate_cli.render.plain.catalogue import missing_words, outcome_words
from debate_cli.storage.catalogue import Card

STATES = {
    "complete": Sign("✓", "", look.GREEN),
    "surrender": Sign("✓", "closed by surrender", look.GREEN),
    "converged": Sign("✓", "closed as nothing new was said", look.GREEN),
    "running": Sign("▸", "running", look.BLUE),
    "unfinished": Sign("…", "unfinished", look.GOLD),
    "budget": Sign("…", "stopped by its budget", look.GOLD),
    "interrupted": Sign("…", "interrupted", look.GOLD),
    "failed": Sign("!", "failed", look.RED),
}
"""A state that needs no word has none."""
UNJUDGED = Sign("…", "", look.GOLD)
"""In the place of the sign of a debate that came to its end, where a judge is to be asked again."""
NONE = "No debate is saved here; `debate run --mock` holds one without a model."
RESUMABLE = frozenset({"unfinished", "budget", "interrupted", "failed"})


def catalogue_view(cards: Sequence[Card], folder: str) -> list[RenderableType]:
    """The debates as given; how to go on with those that did not come to their end stands with them."""
    count = f"{len(cards)} in {hostile.line(folder)}"
    head = Rule(joined(("debates", "bold"), (f"  ·  {count}", look.QUIET)), style=look.QUIET, align="left")
    return [Text(""), head, *([_card(card) for card in cards] or [Text(NONE, style=look.QUIET)])]


def _card(card: Card) -> RenderableType:
    sign = UNJUDGED if card.judgments_missing else STATES.get(card.state, look.UNKNOWN)
    topic = safe_line(card.topic)
    topic.no_wrap, topic.overflow = True, "ellipsis"
    return Group(
        joined((f"{sign.symbol} ", f"bold {sign.colour}"), safe_line(card.id, "bold")),
        Padding(Group(topic, *_about(card)), (0, 0, 1, 2)),
    )


def _about(card: Card) -> list[Text]:
    """When, by whom, who won, for how much; then what is to be known of one that did not come to its end."""
    models = hostile.line(", ".join(card.models))
    start = card.started_at[:16].replace("T", " ")
    facts = [f"{start} UTC", *([models] if models else []), look.money(card.cost_usd)]
    found = [Text(" · ".join(facts), style=look.QUIET)]
    verdicts = [joined((f"{item.system} ", look.QUIET), safe_line(outcome_words(item))) for item in card.conclusions]
    if verdicts:
        found.append(joined(*verdicts, separator=" · "))
    sign = STATES.get(card.state, look.UNKNOWN)
    if sign.word:
        spoken = f" after {card.turns} speech{'' if card.turns == 1 else 'es'}" if card.state in RESUMABLE else ""
        found.append(joined((f"{sign.word}{spoken}", sign.colour)))
    if card.judgments_missing:
        found.append(joined((missing_words(card), UNJUDGED.colour)))
    if card.state in RESUMABLE or card.judgments_missing:
        found.append(joined(("go on: ", look.QUIET), resume_command(card.path, budget=card.state == "budget")))
    return found
