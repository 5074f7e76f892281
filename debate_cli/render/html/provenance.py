"""Collects the provenance of a debate: program, configuration, hash, judging runs, calls by model, failures."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.model_call import ModelCall, is_person, total_usage
from debate_cli.render import theme
from debate_cli.render.content.summary import build_changes_table, total_call_seconds
from debate_cli.systems.tables import Number, Table, TableRow


@dataclass(frozen=True, slots=True)
class Provenance:
    """The content of the provenance section. All text is untrusted."""

    facts: tuple[tuple[str, str], ...]
    """Pairs of name and value."""
    usage: Table
    runs: Table
    changes: Table | None
    """Table of changed settings; None if no setting was changed."""
    failures: Table | None
    """Table of failures; None if nothing failed."""
    config: str
    """The configuration as JSON."""


def collect_provenance(debate: Debate) -> Provenance:
    """Collect the facts that a reader needs to trust or reproduce a result."""
    return Provenance(
        tuple(_facts(debate)),
        _usage(debate),
        Table("judging runs", ("run", "began", "systems that count"), tuple(map(_run_row, debate.runs))),
        build_changes_table(debate),
        _failures(debate),
        json.dumps(debate.config.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, indent=2),
    )


def format_time(at: datetime | None) -> str:
    """Return a time in UTC; a dash for None."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at is not None else "—"


def _facts(debate: Debate) -> Iterable[tuple[str, str]]:
    yield "id", debate.id
    yield "made by", f"{debate.generator.name} {debate.generator.version}"
    yield "started", format_time(debate.started_at)
    yield "finished", format_time(debate.finished_at)
    yield "status", ", ".join(dict.fromkeys(word for word in (debate.status, debate.closed) if word is not None))
    yield (
        "format",
        debate.config.format.kind.replace("_", " ") if debate.document_name is None else "none: a document was judged",
    )
    if debate.origin is not None:
        yield "imported from", f"{debate.origin.file} ({debate.origin.format})"
        yield "file, SHA-256", debate.origin.sha256
    if debate.config.judging.question is not None:
        yield "question", debate.config.judging.question
    yield "seed", "none" if debate.config.seed is None else str(debate.config.seed)
    yield "configuration, SHA-256", debate.config_sha256
    took = total_call_seconds(debate)
    if took:
        yield "total time of calls", theme.format_duration(took)
    yield "used", theme.format_usage(debate.usage)


def _usage(debate: Debate) -> Table:
    parts: dict[tuple[str, str], list[ModelCall]] = defaultdict(list)
    for turn in debate.turns:
        parts[turn.speaker, turn.exchange.model].append(turn.exchange)
    for item in debate.assessments:
        parts[f"judging, {item.system}", item.exchange.model].append(item.exchange)
    for search in debate.searches:
        if search.exchange is not None:
            parts["web search" if search.kind == "web" else "rerank", search.exchange.model].append(search.exchange)
    for failure in debate.failures:
        if failure.exchange is not None:
            parts["failed calls", failure.exchange.model].append(failure.exchange)
    return Table(
        title="calls by model",
        heads=("for", "model", "calls", "requests", "tokens in", "cached", "tokens out", "seconds", "cost"),
        rows=tuple(_usage_row(part, model, of) for (part, model), of in parts.items()),
        numeric=frozenset(range(2, 9)),
    )


def _usage_row(part: str, model: str, exchanges: list[ModelCall]) -> TableRow:
    used = total_usage(exchanges)
    if is_person(model):
        return (part, model, Number(used.calls, 0), *("human" for _ in range(4)), Number(used.human_s, 1), "")
    counts = (used.calls, used.attempts, used.input_tokens, used.cached_tokens, used.output_tokens)
    seconds = sum(exchange.latency_s for exchange in exchanges)
    return (part, model, *(Number(count, 0) for count in counts), Number(seconds, 1), theme.format_cost(used.cost_usd))


def _run_row(run: JudgingRun) -> TableRow:
    counted = ", ".join(system.kind for system in run.active_systems())
    return (run.id, format_time(run.started_at), counted or ("all replaced" if run.judging.systems else "none"))


def _failures(debate: Debate) -> Table | None:
    rows: list[TableRow] = [(item.who, item.task.key, item.cause, item.message) for item in debate.failures]
    rows += [
        ("search", item.key, item.failure.cause, item.failure.message)
        for item in debate.searches
        if item.failure is not None
    ]
    return Table("what failed", ("who", "task", "cause", "message"), tuple(rows)) if rows else None
