"""Tables with the results of `debate doctor` and `debate models`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from debate_cli.render import theme
from debate_cli.systems.tables import Badge, Cell, Lines, Number, Table, column_table

CHECK_LABELS = {
    "native": "native schema",
    "tool": "tool call",
    "prompt": "schema in prompt",
    "stream": "streaming",
    "search": "web search",
}
RESULT_LABELS = {
    "ok": "works",
    "not_enforced": "is accepted, but not enforced",
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


def doctor_table(entries: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table with a row per model. The remarks name the problems, and the tokens and cost of the checks."""
    problems = (f"{entry['model']}: {entry['problem']}" for entry in entries if entry["problem"])
    usage = (f"{entry['model']}: {words}" for entry in entries if (words := format_check_usage(entry)))
    columns: dict[str, Callable[[Mapping[str, Any]], Cell]] = {
        "model": lambda entry: entry["model"],
        "": lambda entry: Badge("✓", "usable", "good") if entry["usable"] else Badge("✗", "not usable", "bad"),
        "checks": _checks_cell,
        "time": lambda entry: "" if (took := entry["latency_s"]) is None else theme.format_duration(took),
        "tokens/s": lambda entry: "" if (speed := entry["tokens_per_second"]) is None else Number(speed, 1),
        "USD/M in/out": lambda entry: format_price(entry["price"]) if entry["checks"] else "",
    }
    return column_table("models", entries, columns, (*problems, *usage))._replace(has_key_column=True)


def _checks_cell(entry: Mapping[str, Any]) -> Cell:
    place = _PLACES.get(entry["model"].partition("/")[0])
    if place is not None and entry["usable"] and not entry["checks"]:
        return f"{place}; no question was asked"
    return Lines(tuple(f"{CHECK_LABELS[check['way']]} {RESULT_LABELS[check['result']]}" for check in entry["checks"]))


def provider_table(entries: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row per provider: model, key, structured output, web search, address, maximum calls at once."""
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
