"""Renders a debate as one printable HTML page that needs no other file or server. Jinja2 escapes all text."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup

from debate_cli.app.remedies import Remedy
from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Passage
from debate_cli.domain.model_call import ModelCall, is_person, total_usage
from debate_cli.domain.verdict import Verdict
from debate_cli.evidence.quote_check import check_quote
from debate_cli.render import theme
from debate_cli.render.content import chair
from debate_cli.render.content.report import DOCUMENT_PARTS, DebateReport, ReportPart, build_debate_report
from debate_cli.render.content.speech_parts import CheckedCitation, CitationIndex, format_place, index_citations
from debate_cli.render.content.summary import (
    build_changes_table,
    group_changes,
    label_requirement,
    limit_conditions,
)
from debate_cli.render.html.charts import DrawnChart, draw_chart
from debate_cli.render.html.templating import render_page
from debate_cli.render.html.transcript import build_round_sections, collect_judge_reasons
from debate_cli.systems import debate_tables
from debate_cli.systems.base import TurnScore
from debate_cli.systems.charts import Chart
from debate_cli.systems.registry import get_system
from debate_cli.systems.scales import describe_outcome, format_scale
from debate_cli.systems.tables import RESPONSE_BADGES, STANDING_BADGES, Badge, Number, Table, TableRow, make_table
from debate_cli.systems.trace import TraceRow, score_arguments

PART_TEMPLATES: dict[ReportPart, str] = {
    "verdict": "verdict", "briefing": "briefing", "cast": "cast", "scores": "scores", "map": "map", "trace": "trace",
    "turns": "transcript", "sources": "sources", "judges": "judges", "usage": "provenance",
}  # fmt: skip
"""Maps each part of a report to the name of its template, which is also the part's anchor on the page."""
STANDING_ORDER = ("UPHELD", "PARTIALLY_UPHELD", "UNCERTAIN", "REFUTED", None)
DEBATER_COLOURS = 6
"""Number of colours for debaters. With more debaters, the colours repeat."""
REPLY_BADGES = {False: Badge("↳", "replies", "info"), True: Badge("!", "leaves it open", "mixed")}
"""The badge of a reply to a question. The key is True if the question stays open after the reply."""
Marking = Literal["", "quoted", "altered"]
"""How debaters quote a piece of a passage: correctly (`quoted`), with changed words (`altered`), or not at all (empty)."""


def render_html(
    debate: Debate, verdicts: Sequence[Verdict], *, show_hidden: bool = False, remedy: Remedy | None = None
) -> str:
    """Return the HTML page of a debate with all parts of its report.

    `show_hidden`: whether to show the hidden instructions that debaters were given. `remedy`: what continues a debate that
    is unfinished or lacks judgements. If `remedy` is None and the debate is complete, the page has a command that
    judges the debate again. If `remedy.commands` is empty, e.g. because the debate was not saved, the page has no
    command.
    """
    return render_page(
        "page.html.j2",
        "page.css",
        "report.css",
        script="sorting.js",
        title=debate.topic,
        **_template_context(debate, verdicts),
        debate=debate,
        show_hidden=show_hidden,
        remedy=remedy,
        signs=theme.participant_styles(debate.participants),
        responses=RESPONSE_BADGES,
        shifts=theme.SHIFT_BADGES,
        standings=STANDING_BADGES,
        rank={standing: number for number, standing in enumerate(STANDING_ORDER)},
        outcome=partial(describe_outcome, document=debate.document_name),
        label_requirement=label_requirement,
        limit_conditions=limit_conditions,
        source_badges=debate_tables.SOURCE_BADGES,
        support_badges=debate_tables.SUPPORT_BADGES,
        scale=theme.score_axis_max,
        out_of=format_scale,
        usage=theme.format_usage(debate.usage),
        templates=[f"{PART_TEMPLATES[part]}.html.j2" for part in DOCUMENT_PARTS if part in PART_TEMPLATES],
        chair_opens=chair.announce_debate(debate),
        chair_closes=chair.announce_close(debate, debate.closed),
    )


def _template_context(debate: Debate, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    report = build_debate_report(debate, verdicts)
    ordered = [item.verdict for item in report.verdicts]
    names = enumerate(person.name for person in debate.participants)
    classes = {name: f"hue-{number % DEBATER_COLOURS}" for number, name in names}
    rows = report.trace_rows
    citations = index_citations(debate)
    sources = collect_cited_sources(debate, citations)
    context: dict[str, Any] = {
        "is_text": debate.document_name is not None,
        "report": report,
        "head": next(iter(report.verdicts), None),
        "changes": group_changes(report.summary.required_changes),
        "classes": classes,
        "blocks": _score_blocks(report, classes),
        "map": {
            name: [row for row in rows if row.participant == name]
            for name in dict.fromkeys(r.participant for r in rows)
        },
        "rows": rows,
        "scores_of": score_arguments(debate, ordered).by_argument,
        "rounds": build_round_sections(debate),
        "turn_scores": _scores_by_turn(ordered),
        "reasons": collect_judge_reasons(debate),
        "citations": citations,
        "cited_sources": sources,
        "page": PageAnchors(debate.arguments, [source["id"] for source in sources]),
        "findings": debate_tables.build_findings_tables(debate),
        "facts": dict(provenance_facts(debate)),
        "fact_tables": [_usage_table(debate), _runs_table(debate), *_optional_tables(debate)],
        "settings": json.dumps(
            debate.config.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, indent=2
        ),
    }
    return context | {"parts": _navigation(context)}


def _navigation(context: Mapping[str, Any]) -> list[tuple[str, str]]:
    report = context["report"]
    has: dict[ReportPart, Any] = {
        "briefing": report.briefing,
        "cast": False,  # no target of the navigation
        "map": context["map"],
        "trace": report.trace_rows,
        "turns": context["rounds"] or not context["is_text"],
        "sources": context["cited_sources"],
        "judges": context["reasons"].whole or context["findings"],
    }
    names = [PART_TEMPLATES[part] for part in DOCUMENT_PARTS if part in PART_TEMPLATES and has.get(part, True)]
    return [(name, name.capitalize()) for name in names]


def _score_blocks(report: DebateReport, classes: Mapping[str, str]) -> list[dict[str, Any]]:
    def block(title: str, charts: Iterable[Chart], tables: Sequence[Any], **words: Sequence[str]) -> dict[str, Any]:
        drawn: list[DrawnChart] = [draw_chart(chart, classes) for chart in charts if not chart.is_empty]
        return {"title": title, "charts": drawn, "tables": tables, "remarks": (), "missing": (), **words}

    blocks: list[dict[str, Any]] = []
    for item in report.verdicts:
        charts = get_system(item.verdict.system).charts(item.verdict)
        remarks = item.tables[0].remarks if item.tables else ()
        tables = (*(table._replace(remarks=()) for table in item.tables[:1]), *item.tables[1:])
        missing = () if item.verdict.decides else item.missing
        blocks.append(block(item.label, charts, tables, remarks=remarks, missing=missing))
    blocks += [block(section.title, section.charts, section.tables) for section in report.sections]
    return [item for item in blocks if item["charts"] or item["tables"] or item["missing"]]


def _scores_by_turn(verdicts: Sequence[Verdict]) -> dict[int, tuple[str, TurnScore]]:
    scores: dict[int, tuple[str, TurnScore]] = {}
    for verdict in verdicts:
        for turn, score in get_system(verdict.system).turn_scores(verdict).items():
            scores.setdefault(turn, (verdict.system, score))
    return scores


class Occurrence(NamedTuple):
    """Index of the turn that contains a statement, and the statement's anchor on the page."""

    turn: int
    anchor: str
    asks: str
    """Question at the end of the statement; empty if there is no question."""


class StatementGroup(NamedTuple):
    """All statements of a debater about one claim that have the same badge, e.g. all refutations."""

    by: str
    kind: str
    """Type of response, e.g. `refutes`; `reply` for replies to questions."""
    badge: Badge
    occurrences: list[Occurrence]
    """The turns that contain the statements; at least one turn."""


class PageAnchors:
    """The anchors of arguments, passages and answers on one page."""

    def __init__(self, arguments: Iterable[str], passages: Iterable[str] = ()) -> None:
        """`arguments`, `passages`: ids of arguments and passages, in the order in which the page shows them."""
        self._arguments = {item: f"argument-{number}" for number, item in enumerate(arguments)}
        self._passages = {item: f"passage-{number}" for number, item in enumerate(passages, start=1)}
        self._used: set[str] = set()

    def id_attribute(self, anchor: str) -> Markup:
        """Return the HTML attribute `id` with this anchor; empty if the page has this id already."""
        if not anchor or anchor in self._used:
            return Markup()
        self._used.add(anchor)
        return Markup(' id="{}"').format(anchor)

    def argument(self, item: str) -> str:
        """Return the anchor of an argument; empty if the debate has no argument with the id `item`."""
        return self._arguments.get(item, "")

    def source(self, source: str) -> str:
        """Return the anchor of the passage with the id `source`; empty if the page does not show this passage."""
        return self._passages.get(source, "")

    def response(self, item: str, turn: int) -> str:
        """Return the anchor of the response to the argument `item` in turn `turn`.

        If the debate has no argument with this id, return the anchor of the turn.
        """
        return f"turn-{turn}-{self._arguments[item]}" if item in self._arguments else f"turn-{turn}"

    def reply(self, item: str, turn: int) -> str:
        """Return the anchor of the reply in turn `turn` to a question about the argument `item`.

        If the debate has no argument with this id, return the anchor of the turn.
        """
        return f"{self.response(item, turn)}-reply" if item in self._arguments else f"turn-{turn}"

    def statements(self, row: TraceRow) -> list[StatementGroup]:
        """Return what debaters said about the claim in `row`: responses, and replies to questions about the claim.

        The statements are grouped by debater and kind (badge), e.g. all refutations by one debater. The group with the
        earliest turn comes first.
        """
        said = [
            *(
                (item.by, item.type, RESPONSE_BADGES[item.type], self.response, item.turn, item.follow_up)
                for item in row.responses
            ),
            *((item.by, "reply", REPLY_BADGES[bool(item.evaded)], self.reply, item.turn, "") for item in row.replies),
        ]
        groups: dict[tuple[str, str], StatementGroup] = {}
        for by, kind, badge, anchor, turn, asks in sorted(said, key=lambda item: item[4]):
            group = groups.setdefault((by, badge.word), StatementGroup(by, kind, badge, []))
            group.occurrences.append(Occurrence(turn, anchor(row.id, turn), asks))
        return list(groups.values())


def collect_cited_sources(debate: Debate, index: CitationIndex) -> list[dict[str, Any]]:
    """Return `{id, passage, place, address, pieces, citations}` for each cited id, in the order of the debate's passages.

    - `address`: link to the passage's source; empty if a link would be unsafe
    - `pieces`: (text, Marking) pairs; the passage is split where quotes begin and end
    - `citations`: (speaker, CheckedCitation) pairs

    If the debate has no passage with the cited id, `passage` is None, and `place`, `address` and `pieces` are missing. Such
    ids come last.
    """
    by_source: dict[str, list[CheckedCitation]] = defaultdict(list)
    for citation in index.all:
        by_source[citation.check.source].append(citation)
    known = debate.passages_by_id
    found: list[dict[str, Any]] = []
    for source in (*(name for name in known if name in by_source), *(name for name in by_source if name not in known)):
        passage, cited = known.get(source), by_source[source]
        source_entry: dict[str, Any] = {"id": source, "passage": passage}
        source_entry["citations"] = [(debate.turns_by_index[item.check.turn].speaker, item) for item in cited]
        if passage is not None:
            source_entry["place"] = format_place(passage)
            source_entry["address"] = _safe_address(passage.source)
            source_entry["pieces"] = list(_split_at_quotes(passage, [item.check.quote for item in cited]))
        found.append(source_entry)
    return found


def _safe_address(source: str) -> str:
    try:
        parts = urlsplit(source)
        is_plain = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return ""
    return source if is_plain and source.isascii() and source.isprintable() and " " not in source else ""


def _split_at_quotes(passage: Passage, quotes: Sequence[str]) -> Iterator[tuple[str, Marking]]:
    marked: list[tuple[int, int, Marking]] = []
    for quote in quotes if passage.origin != "summary" else ():
        check = check_quote(quote, passage.text)
        marking: Marking = "altered" if check.outcome == "altered" else "quoted"
        marked.extend((start, end, marking) for start, end in check.spans)
    ends = sorted({0, len(passage.text), *(place for start, end, _ in marked for place in (start, end))})
    for start, end in pairwise(ends):
        found = {marking for first, last, marking in marked if first <= start and end <= last}
        yield passage.text[start:end], "altered" if "altered" in found else "quoted" if found else ""


def provenance_facts(debate: Debate) -> Iterator[tuple[str, str]]:
    """Yield (name, value) of the facts about the run itself: id, program version, times, format, seed, checksums, usage."""
    yield "id", debate.id
    yield "made by", f"{debate.generator.name} {debate.generator.version}"
    yield "started", _format_time(debate.started_at)
    yield "finished", _format_time(debate.finished_at)
    yield "status", ", ".join(dict.fromkeys(word for word in (debate.status, debate.closed) if word is not None))
    kind = debate.config.format.kind.replace("_", " ")
    yield "format", kind if debate.document_name is None else "none: a document was judged"
    if debate.origin is not None:
        yield "imported from", f"{debate.origin.file} ({debate.origin.format})"
        yield "file, SHA-256", debate.origin.sha256
    if debate.config.judging.question is not None:
        yield "question", debate.config.judging.question
    yield "seed", "none" if debate.config.seed is None else str(debate.config.seed)
    yield "configuration, SHA-256", debate.config_sha256
    yield "used", theme.format_usage(debate.usage)


def _format_time(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at is not None else "—"


def _usage_table(debate: Debate) -> Table:
    searches = [(item.exchange, "web search" if item.kind == "web" else "rerank") for item in debate.searches]
    calls: list[tuple[ModelCall | None, str]] = [
        *((turn.exchange, turn.speaker) for turn in debate.turns),
        *((item.exchange, f"judging, {item.system}") for item in debate.assessments),
        *searches,
        *((failure.exchange, "failed calls") for failure in debate.failures),
    ]
    parts: dict[tuple[str, str], list[ModelCall]] = defaultdict(list)
    for call, part in calls:
        if call is not None:
            parts[part, call.model].append(call)
    heads = ("for", "model", "calls", "requests", "tokens in", "cached", "tokens out", "seconds", "cost")
    rows = tuple(_usage_row(part, model, of) for (part, model), of in parts.items())
    return Table("calls by model", heads, rows, numeric=frozenset(range(2, 9)))


def _usage_row(part: str, model: str, calls: list[ModelCall]) -> TableRow:
    used = total_usage(calls)
    if is_person(model):
        return (part, model, Number(used.calls, 0), *("human" for _ in range(4)), Number(used.human_s, 1), "")
    counts = (used.calls, used.attempts, used.input_tokens, used.cached_tokens, used.output_tokens)
    seconds = sum(call.latency_s for call in calls)
    name = theme.format_model_id(model)
    return (part, name, *(Number(count, 0) for count in counts), Number(seconds, 1), theme.format_cost(used.cost_usd))


def _runs_table(debate: Debate) -> Table:
    rows: list[TableRow] = []
    for run in debate.runs:
        counted = ", ".join(system.kind for system in run.active_systems())
        none = "all replaced" if run.judging.systems else "none"
        rows.append((run.id, _format_time(run.started_at), counted or none))
    return make_table("judging runs", ("run", "started", "active systems"), rows)


def _optional_tables(debate: Debate) -> Iterator[Table]:
    changes = build_changes_table(debate)
    yield from () if changes is None else (changes,)
    rows: list[TableRow] = [(item.who, item.task.key, item.cause, item.message) for item in debate.failures]
    searches = [(item.key, item.failure) for item in debate.searches if item.failure is not None]
    rows += [("search", key, failure.cause, failure.message) for key, failure in searches]
    if rows:
        yield Table("what failed", ("who", "task", "cause", "message"), tuple(rows))
