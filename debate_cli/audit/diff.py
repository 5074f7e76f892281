"""Compares two audits, for example of two versions of a model."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class ChangedMeasure(NamedTuple):
    r"""One measure in two audits, in words.

    Attributes:
        judge: Model and system of the new audit.
        label: Name of the measure.
        before: Value with its interval in the old audit.
        now: Value with its interval in the new audit.
        change: `better` or `worse` if the intervals do not overlap, else `no clear difference`.
    """

    judge: str
    label: str
    before: str
    now: str
    change: str


def compare_audits(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[ChangedMeasure]:
    """Compare the judges of two audits pairwise, in their order, by every measure that both have.

    Args:
        old: An audit as JSON (`audit.report.read_report`).
        new: Another one.
    """
    rows: list[ChangedMeasure] = []
    for before, now in zip(old["judges"], new["judges"], strict=False):
        known = {measure["name"]: measure for measure in before["measures"]}
        name = f"{now['judge']['model']} ({now['judge']['system']})"
        for measure in now["measures"]:
            other = known.get(measure["name"])
            if other is not None:
                rows.append(_compare(name, other, measure))
    return rows


def _compare(judge: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> ChangedMeasure:
    return ChangedMeasure(
        judge, now["label"], _format(before), _format(now), _judge_change(before["estimate"], now["estimate"])
    )


def _judge_change(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The change of a measure. Every measure is best at 0, so an interval nearer to 0 is better."""
    ends = [before["low"], before["high"], now["low"], now["high"]]
    if any(end is None for end in ends):
        return "not enough data"
    if before["low"] <= now["high"] and now["low"] <= before["high"]:
        return "no clear difference"
    return "better" if abs(now["value"]) < abs(before["value"]) else "worse"


def _format(measure: Mapping[str, Any]) -> str:
    found = measure["estimate"]
    scale, unit = (100, " %") if measure["unit"] == "share" else (1, "")
    if found["value"] is None:
        return "—"
    if found["low"] is None:
        return f"{scale * found['value']:.1f}{unit}"
    return f"{scale * found['value']:.1f}{unit} ({scale * found['low']:.1f} to {scale * found['high']:.1f})"
