"""What the doctor found, for where there is no terminal: a line a model, and beneath it what is wrong. No Rich."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from debate_cli.render import hostile, look

WORDS = {
    "ok": "ok",
    "not_enforced": "not enforced",
    "invalid": "no form",
    "one_piece": "in one piece",
    "rejected": "rejected",
    "failed": "failed",
}
"""A check's result in words."""


def doctor_lines(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """`MODEL: usable: native ok, …; pace; price; cost` for each entry, as `--json` prints them; remarks indented beneath."""
    for entry in entries:
        parts = [part for part in (_checks(entry), pace(entry), _price(entry)) if part]
        said = f": {'; '.join(parts)}" if parts else ""
        yield f"{hostile.line(entry['model'])}: {'usable' if entry['usable'] else 'not usable'}{said}"
        yield from (f"  {remark}" for remark in remarks(entry))


def remarks(entry: Mapping[str, Any]) -> Iterator[str]:
    """A sentence on everything that is not as it should be."""
    if entry["problem"]:
        yield hostile.line(entry["problem"])
    for check in entry["checks"]:
        if check["problem"]:
            yield f"{check['way']}: {hostile.line(check['problem'])}"


def pace(entry: Mapping[str, Any]) -> str:
    """How fast it answers; empty where it did not."""
    if entry["latency_s"] is None:
        return ""
    speed = "" if entry["tokens_per_second"] is None else f", {look.number(entry['tokens_per_second'], 1)} tokens/s"
    return f"{look.seconds(entry['latency_s'])}{speed}"


def listed(price: Mapping[str, Any] | None) -> str:
    """A price per million tokens, input / output."""
    if price is None:
        return "unknown"
    return f"${look.number(price['input'])} / ${look.number(price['output'])}"


def _checks(entry: Mapping[str, Any]) -> str:
    return ", ".join(f"{check['way']} {WORDS[check['result']]}" for check in entry["checks"])


def _price(entry: Mapping[str, Any]) -> str:
    if not entry["checks"]:
        return ""
    used = f"{entry['input_tokens']} tokens in, {entry['output_tokens']} out, {look.money(entry['cost_usd'])}"
    return f"price {listed(entry['price'])} per million; the check took {used}"
