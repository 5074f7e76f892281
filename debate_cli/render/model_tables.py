"""What the doctor found, for where there is no terminal: a line a model, and beneath it what is wrong. No Rich."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from debate_cli.render import sanitize, theme

CHECK_LABELS = {
    "native": "native schema",
    "tool": "tool call",
    "prompt": "schema in the prompt",
    "stream": "streaming",
}
"""What was tried, in words."""
RESULT_LABELS = {
    "ok": "works",
    "not_enforced": "works, but is not enforced",
    "invalid": "gives no usable answer",
    "one_piece": "arrives in one piece",
    "rejected": "is not supported",
    "failed": "failed",
}
"""What came of it, in words."""


def doctor_lines(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """`MODEL: usable: native schema works, …; pace; price; cost` for each entry, as `--json` prints them; remarks indented beneath."""
    for entry in entries:
        parts = [part for part in (_format_checks(entry), format_speed(entry), _format_price_and_usage(entry)) if part]
        said = f": {'; '.join(parts)}" if parts else ""
        yield f"{sanitize.sanitize_line(entry['model'])}: {'usable' if entry['usable'] else 'not usable'}{said}"
        yield from (f"  {remark}" for remark in describe_problems(entry))


def describe_problems(entry: Mapping[str, Any]) -> Iterator[str]:
    """A sentence on everything that is not as it should be; what is said of several checks is said once."""
    if entry["problem"]:
        yield sanitize.sanitize_line(entry["problem"])
    ways: dict[tuple[str, str], list[str]] = {}
    for check in entry["checks"]:
        if check["problem"]:
            ways.setdefault((check["result"], check["problem"]), []).append(check["way"])
    for (result, problem), named in ways.items():
        yield f"{_join_checks(named)} {RESULT_LABELS[result]}: {sanitize.sanitize_line(problem)}"


def format_speed(entry: Mapping[str, Any]) -> str:
    """How fast it answers; empty where it did not."""
    if entry["latency_s"] is None:
        return ""
    speed = (
        "" if entry["tokens_per_second"] is None else f", {theme.format_number(entry['tokens_per_second'], 1)} tokens/s"
    )
    return f"{theme.format_duration(entry['latency_s'])}{speed}"


def format_price(price: Mapping[str, Any] | None) -> str:
    """A price in US dollars per million tokens: input / output."""
    return "unknown" if price is None else f"{price['input']:g} / {price['output']:g}"


def format_check_usage(entry: Mapping[str, Any]) -> str:
    """What the checks of a model took; empty where nothing is known to have been used."""
    if not entry["input_tokens"] + entry["output_tokens"]:
        return ""
    return f"asking took {entry['input_tokens']} tokens in, {entry['output_tokens']} out, {theme.format_cost(entry['cost_usd'])}"


def _format_checks(entry: Mapping[str, Any]) -> str:
    return ", ".join(f"{CHECK_LABELS[check['way']]} {RESULT_LABELS[check['result']]}" for check in entry["checks"])


def _join_checks(named: Sequence[str]) -> str:
    """What was tried, one subject for what came of each of it."""
    words = [CHECK_LABELS[way] for way in named]
    return words[0] if len(words) == 1 else f"each of {', '.join(words)}"


def _format_price_and_usage(entry: Mapping[str, Any]) -> str:
    if not entry["checks"]:
        return ""
    return "; ".join(
        filter(None, (f"USD per million tokens {format_price(entry['price'])}", format_check_usage(entry)))
    )
