"""Saved debates for programs to read: a line a debate, its columns parted by tabs, or a JSON document. No Rich.

Nothing here loads the domain: the first line is printed before that would be done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from debate_cli.render import sanitize
from debate_cli.storage.transcript_index import IndexEntry, StoredConclusion

INDEX_COLUMNS = ("id", "started", "topic", "models", "winners", "cost_usd", "state")
_CONCLUSION_FIELDS = ("system", "run", "winner", "victory", "margin", "decides")
EMPTY_COLUMN = "-"


def format_index_row(card: IndexEntry) -> str:
    """The COLUMNS of one debate; several models or winners are parted by commas, what is not known is a dash."""
    cells = (
        card.id,
        card.started_at,
        card.topic,
        ",".join(card.models),
        ",".join(f"{item.system}={item.outcome}" for item in card.conclusions),
        "" if card.cost_usd is None else f"{card.cost_usd:.6g}",
        ", ".join(filter(None, (card.state, format_missing_judgments(card)))),
    )
    return "\t".join(sanitize.sanitize_line(cell) or EMPTY_COLUMN for cell in cells)


def dump_index_json(cards: Iterable[IndexEntry]) -> str:
    """An array of one document a debate, all text as stored.

    It is `{path, id, started_at, topic, state, turns, models, verdicts, cost_usd, judgments_missing}`, a verdict in it
    `{system, run, winner, victory, margin, decides}`.
    """
    return json.dumps([_index_entry(card) for card in cards], ensure_ascii=False, indent=2) + "\n"


def _index_entry(card: IndexEntry) -> dict[str, Any]:
    found = asdict(card)
    verdicts = [{name: verdict[name] for name in _CONCLUSION_FIELDS} for verdict in found["conclusions"]]
    names = {"conclusions": "verdicts"}
    return {names.get(name, name): value for name, value in (found | {"conclusions": verdicts}).items()}


def format_missing_judgments(card: IndexEntry) -> str:
    """`1 judgment missing`; nothing where none is, or where it did not come to its end."""
    count = card.judgments_missing
    return f"{count} judgment{'' if count == 1 else 's'} missing" if count else ""


def format_conclusion(conclusion: StoredConclusion) -> str:
    """`Pro, narrow`, of a panel's vote `PASS, clear`; without either how it ended."""
    alone = conclusion.option == "CONDITIONAL" or (conclusion.winner is None and conclusion.option is None)
    return conclusion.outcome if alone else f"{conclusion.outcome}, {conclusion.victory}"
