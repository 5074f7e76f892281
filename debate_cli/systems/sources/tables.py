"""Tables of the system `sources`: the scores, and each citation with the judge's answer."""

from debate_cli.domain.verdict import Verdict
from debate_cli.systems.debate_tables import SOURCE_BADGES, SUPPORT_BADGES
from debate_cli.systems.source_support import Quality
from debate_cli.systems.sources.score import SourcesNotes
from debate_cli.systems.tables import Badge, DebaterCell, Gauge, Number, Table, parse_notes

EXISTENCE_BADGES: dict[Quality, Badge] = {
    "yes": Badge("✓", "exists", "good"),
    "no": Badge("✗", "does not exist", "bad"),
    "unknown": Badge("?", "unknown", "muted"),
}
"""Answer on whether the source exists -> badge."""


def tables(verdict: Verdict) -> list[Table]:
    """Scores with counts, and all citations."""
    notes = parse_notes(SourcesNotes, verdict)
    if notes is None:
        return []
    rows = tuple(
        (
            DebaterCell(row.name), Number(row.score, strong=True), Gauge(row.score, 1.0, row.name), Number(row.citations, 0),
            Number(row.counted, 0), Number(row.altered, 0), Number(row.not_found, 0), Number(row.contradicted, 0),
            Number(row.uncited, 0),
        )
        for row in sorted(notes.debaters, key=lambda row: -row.score)
    )  # fmt: skip
    heads = ("debater", "score /1", "", "citations", "counted", "altered", "not found", "contradicted", "uncited")
    scores = Table("scores, sources", heads, rows, numeric=frozenset({1, 3, 4, 5, 6, 7, 8}))
    cited = tuple(
        (
            str(item.turn + 1),
            DebaterCell(item.debater),
            item.item,
            item.source,
            SOURCE_BADGES[item.outcome],
            SUPPORT_BADGES[item.supports],
            f"{item.reputable}, {item.recent}, {item.relevant}",
            item.reason,
        )
        for item in notes.citations
    )
    columns = ("turn", "debater", "for", "source", "quote", "passage", "reputable, recent, relevant", "reason")
    found = [scores]
    if cited:
        found.append(Table("citations, sources", columns, cited, numeric=frozenset({0})))
    return [*found, *_lookup_tables(notes)]


def _lookup_tables(notes: SourcesNotes) -> list[Table]:
    rows = tuple(
        (
            str(item.turn + 1),
            DebaterCell(item.debater),
            item.item,
            item.source or "uncited",
            EXISTENCE_BADGES[item.exists],
            item.passage,
            SOURCE_BADGES[item.outcome] if item.outcome else "",
            item.quote,
            item.reason,
        )
        for item in notes.lookups
    )
    heads = ("turn", "debater", "for", "source", "exists", "rests on", "check", "quote", "reason")
    return [Table("named without a passage, sources", heads, rows, numeric=frozenset({0}))] if rows else []
