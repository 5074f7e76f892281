"""Formats the results of `debate doctor` and `debate models` as tables and plain lines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from debate_cli.render import sanitize, theme
from debate_cli.systems.tables import Badge, Table, TableRow, format_number

CHECK_LABELS = {
    "native": "native schema",
    "tool": "tool call",
    "prompt": "schema in prompt",
    "stream": "streaming",
    "search": "web search",
}
MODEL_CHECKS = ("native", "tool", "prompt", "stream")
"""Checks that have a column in the table of models."""
RESULT_LABELS = {
    "ok": "works",
    "not_enforced": "works, but the server does not enforce the schema",
    "invalid": "gives no usable answer",
    "one_piece": "arrives in one piece",
    "rejected": "is not supported",
    "failed": "failed",
}
_PLACES = {
    "human": "a person at this terminal",
    "files": "a person or program that reads prompts and writes answers as files",
    "paste": "a person at this terminal, who pastes answers",
    "searxng": "set providers.searxng.base_url",
}
_RESULT_BADGES = {
    "ok": Badge("✓", "", "good"),
    "not_enforced": Badge("≈", "", "mixed"),
    "invalid": Badge("?", "", "mixed"),
    "one_piece": Badge("▪", "", "mixed"),
    "rejected": Badge("✗", "", "bad"),
    "failed": Badge("!", "", "bad"),
}


def doctor_table(entries: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table with a row per entry. An entry is about a model, or about a person who answers instead of a model.

    The remarks say where the people answer, which problems occurred, and the tokens and cost of the checks.
    """
    problems = [f"{entry['model']}: {problem}" for entry in entries for problem in describe_problems(entry)]
    people = [f"{entry['model']}: {words}" for entry in entries if (words := describe_person(entry))]
    usage = [f"{entry['model']}: {words}" for entry in entries if (words := format_check_usage(entry))]
    return Table(
        title="models",
        heads=("model", *(CHECK_LABELS[way] for way in MODEL_CHECKS), "time", "tokens/s", "USD/M in/out"),
        rows=tuple(map(_doctor_row, entries)),
        remarks=(*people, *problems, *usage),
        numeric=frozenset({5, 6, 7}),
        has_key_column=True,
    )


def _doctor_row(entry: Mapping[str, Any]) -> TableRow:
    results = {check["way"]: check["result"] for check in entry["checks"]}
    speed = entry["tokens_per_second"]
    return (
        _named_badge(entry["model"], ok=entry["usable"]),
        *(_RESULT_BADGES[results[way]] if way in results else "—" for way in MODEL_CHECKS),
        "—" if entry["latency_s"] is None else theme.format_duration(entry["latency_s"]),
        "—" if speed is None else format_number(speed, 1),
        format_price(entry["price"]) if entry["checks"] else "—",
    )


def provider_table(entries: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row per provider: model, key, structured output, web search, address, maximum number of simultaneous calls."""
    return Table(
        title="providers",
        heads=("example", "key", "structured output", "web search", "address", "calls at once"),
        rows=tuple(
            (
                entry["example"],
                _named_badge(entry["api_key_env"] or "none needed", ok=entry["ready"]),
                ", ".join(entry["structured"]),
                "—" if search is None else _named_badge(search["api_key_env"] or "yes", ok=search["ready"]),
                (entry["base_url"] or _PLACES.get(entry["name"], "in this process")).rpartition("://")[2],
                str(entry["max_concurrency"]),
            )
            for entry in entries
            for search in [entry["search"]]
        ),
        remarks=("✗ the key is not set",),
        numeric=frozenset({5}),
    )


def doctor_lines(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line per model, then a line per problem.

    Example: `MODEL  usable  (native schema works, …)  4.2 s, 30 tokens/s`
    """
    for entry in entries:
        checks = ", ".join(
            f"{CHECK_LABELS[check['way']]} {RESULT_LABELS[check['result']]}" for check in entry["checks"]
        )
        price = f"USD per million tokens {format_price(entry['price'])}" if entry["checks"] else ""
        took = "" if entry["latency_s"] is None else theme.format_duration(entry["latency_s"])
        speed = entry["tokens_per_second"]
        rate = "" if speed is None else f"{format_number(speed, 1)} tokens/s"
        told = checks or describe_person(entry)
        parts = (
            sanitize.sanitize_line(entry["model"]),
            "usable" if entry["usable"] else "not usable",
            f"({told})" if told else "",
            "; ".join(filter(None, (", ".join(filter(None, (took, rate))), price, format_check_usage(entry)))),
        )
        yield "  ".join(filter(None, parts))
        yield from (f"  {problem}" for problem in describe_problems(entry))


def describe_person(entry: Mapping[str, Any]) -> str:
    """Return e.g. `a person at this terminal; not tested`; empty for a model or an unusable provider.

    `entry`: what `debate doctor` reports about a model, or about a provider with a person instead of a model.
    """
    place = _PLACES.get(entry["model"].partition("/")[0])
    return f"{place}; not tested" if place is not None and entry["usable"] else ""


def describe_problems(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each problem of a model. Checks with the same problem share one sentence."""
    if entry["problem"]:
        yield sanitize.sanitize_line(entry["problem"])
    checks: dict[tuple[str, str], list[str]] = {}
    for check in entry["checks"]:
        if check["problem"]:
            checks.setdefault((check["result"], check["problem"]), []).append(CHECK_LABELS[check["way"]])
    for (result, problem), labels in checks.items():
        subject = labels[0] if len(labels) == 1 else f"each of {', '.join(labels)}"
        yield f"{subject} {RESULT_LABELS[result]}: {sanitize.sanitize_line(problem)}"


def format_price(price: Mapping[str, Any] | None) -> str:
    """Return US dollars per million tokens: `INPUT / OUTPUT`."""
    return "unknown" if price is None else f"{price['input']:g} / {price['output']:g}"


def format_check_usage(entry: Mapping[str, Any]) -> str:
    """Return tokens and cost of the checks of a model; empty if the checks used no tokens."""
    if not entry["input_tokens"] + entry["output_tokens"]:
        return ""
    tokens = f"{entry['input_tokens']} tokens in, {entry['output_tokens']} out"
    return f"the checks used {tokens}, {theme.format_cost(entry['cost_usd'])}"


def _named_badge(name: str, *, ok: bool) -> Badge:
    return Badge("✓", name, "good") if ok else Badge("✗", name, "bad")
