"""Tables of a verdict by the system `sources`."""

from collections.abc import Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.debate_tables import SOURCE_BADGES
from debate_cli.systems.source_support import EXISTENCE_BADGES, SUPPORT_BADGES
from debate_cli.systems.sources.score import SourcesNotes
from debate_cli.systems.tables import DebaterCell, Gauge, Number, Table, column_table, parse_notes, turn_number


def tables(verdict: Verdict) -> Iterator[Table]:
    """Yield the tables of scores, of citations, and of evidence and sources that were searched for."""
    notes = parse_notes(SourcesNotes, verdict)
    yield _score_table(notes)
    yield _citation_table(notes)
    yield _lookup_table(notes)


def _score_table(notes: SourcesNotes) -> Table:
    return column_table(
        "sources: scores",
        sorted(notes.debaters, key=lambda row: -row.score),
        {
            "debater": lambda row: DebaterCell(row.name),
            "score /1": lambda row: Number(row.score, strong=True),
            "": lambda row: Gauge(row.score, 1.0, row.name),
            "citations": lambda row: Number(row.citations, 0),
            "counted": lambda row: Number(row.counted, 0),
            "altered": lambda row: Number(row.altered, 0),
            "not found": lambda row: Number(row.not_found, 0),
            "contradicted": lambda row: Number(row.contradicted, 0),
            "uncited": lambda row: Number(row.uncited, 0),
        },
    )


def _citation_table(notes: SourcesNotes) -> Table:
    return column_table(
        "sources: citations",
        notes.citations,
        {
            "turn": lambda item: turn_number(item.turn),
            "debater": lambda item: DebaterCell(item.debater),
            "for": lambda item: item.item,
            "source": lambda item: item.source,
            "quote": lambda item: SOURCE_BADGES[item.outcome],
            "passage": lambda item: SUPPORT_BADGES[item.supports],
            "reputable, recent, relevant": lambda item: f"{item.reputable}, {item.recent}, {item.relevant}",
            "reason": lambda item: item.reason,
        },
    )


def _lookup_table(notes: SourcesNotes) -> Table:
    return column_table(
        "sources: claims without a passage",
        notes.lookups,
        {
            "turn": lambda item: turn_number(item.turn),
            "debater": lambda item: DebaterCell(item.debater),
            "for": lambda item: item.item,
            "source": lambda item: item.source or "uncited",
            "exists": lambda item: EXISTENCE_BADGES[item.exists],
            "passage": lambda item: item.passage,
            "check": lambda item: SOURCE_BADGES[item.outcome] if item.outcome else "",
            "quote": lambda item: item.quote,
            "reason": lambda item: item.reason,
        },
    )
