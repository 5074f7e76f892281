"""Gates of an audit: bounds that a judge should meet before it is used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from debate_cli.audit.labels import Comparison
from debate_cli.audit.measures import Measure
from debate_cli.errors import UsageError
from debate_cli.statistics.estimate import Estimate

Outcome = Literal["met", "not met", "not enough data"]
MEASURED: Mapping[str, tuple[str, float]] = {
    "flip": ("order", 0.10),
    "names": ("names", 0.10),
    "padding": ("padded", 5.0),
    "mirror": ("mirror", 0.90),
    "floor": ("floor", 0.10),
    "injection": ("injected_seen", 0.02),
}
"""Gate -> (measure that it bounds, default maximum of this measure).

`mirror` is the exception: its bound is a minimum of the share of draws, which is 1 minus the measure.
"""
ALPHA, BASELINE = "alpha", "baseline"
ALPHA_BOUND = 0.67
_RANGES: Mapping[str, tuple[float, float]] = {"padding": (0.0, 100.0), ALPHA: (-1.0, 1.0), BASELINE: (-1.0, 1.0)}
"""Gate -> lowest and highest bound that a user can set. For gates that are not listed: 0 and 1."""
SOUND = 8
"""Minimum number of debates for a decision on a gate."""


@dataclass(frozen=True, slots=True)
class AuditGateResult:
    """Whether a judge meets one gate.

    Attributes:
        name: Name for `--gate`.
        bound: The bound: a minimum for `mirror`, `alpha` and `baseline`, else a maximum.
        found: The measured number with its interval; its `value` is None if nothing was measured.
        outcome: `not enough data` if the interval contains the bound, or if too few debates were judged.
        more: About how many more debates would decide the gate; None if it is decided or that is unknown.
    """

    name: str
    bound: float
    found: Estimate
    outcome: Outcome
    more: int | None = None


def gate_names() -> tuple[str, ...]:
    """Names that `--gate` takes."""
    return (*MEASURED, ALPHA, BASELINE)


def parse_gates(given: Sequence[str]) -> dict[str, float]:
    """Read `NAME=VALUE` options.

    Raises:
        UsageError: an unknown name, or a value that is not a number in the range of the gate.
    """
    found: dict[str, float] = {}
    for text in given:
        name, _, value = (part.strip() for part in text.partition("="))
        if name not in gate_names():
            raise UsageError(f"--gate {text}: no gate is called {name!r}; there are {', '.join(gate_names())}")
        low, high = _RANGES.get(name, (0.0, 1.0))
        try:
            found[name] = float(value)
        except ValueError:
            raise UsageError(f"--gate {text}: write NAME=NUMBER, for example {name}=0.1") from None
        if not low <= found[name] <= high:
            raise UsageError(f"--gate {text}: the bound of {name} must be from {low:g} to {high:g}")
    return found


def check_gates(
    measures: Sequence[Measure], comparison: Comparison | None, bounds: Mapping[str, float]
) -> list[AuditGateResult]:
    """Return every gate with its outcome. `bounds`: gate -> bound that replaces the default.

    A gate is met if at least eight debates were judged and the whole interval is on the right side of the bound; not
    met if the whole interval is on the wrong side.
    """
    by_name = {measure.name: measure.estimate for measure in measures}
    results: list[AuditGateResult] = []
    for gate, (measure, default) in MEASURED.items():
        bound, found = bounds.get(gate, default), by_name.get(measure, _NOT_MEASURED)
        if gate == "mirror":
            results.append(_decide(gate, _complement(found), bound, sign=-1))
        else:
            results.append(_decide(gate, found, bound))
    alpha = comparison.alpha_with_judge if comparison is not None else _NOT_MEASURED
    results.append(_decide(ALPHA, alpha, bounds.get(ALPHA, ALPHA_BOUND), sign=-1))
    lead = comparison.lead if comparison is not None else _NOT_MEASURED
    decided = _decide(BASELINE, lead, bounds.get(BASELINE, 0.0), sign=-1)
    if decided.outcome == "not enough data" and comparison is not None and comparison.needed is not None:
        decided = replace(decided, more=max(1, comparison.needed - comparison.debates))
    return [*results, decided]


_NOT_MEASURED = Estimate(None)


def _complement(found: Estimate) -> Estimate:
    if found.value is None:
        return found
    low = None if found.high is None else 1 - found.high
    high = None if found.low is None else 1 - found.low
    return Estimate(1 - found.value, low, high, found.rows, found.clusters)


def _decide(gate: str, found: Estimate, bound: float, *, sign: int = 1) -> AuditGateResult:
    """The outcome of a gate. `sign`: 1 if the bound is a maximum, −1 if it is a minimum.

    `baseline` must exceed its bound, because a judge that equals a simple rule is not better than the rule.
    """
    if found.value is None:
        return AuditGateResult(gate, bound, found, "not enough data")
    if found.low is None or found.high is None:
        return AuditGateResult(gate, bound, found, "not enough data", max(1, SOUND - found.clusters))
    low, high = sorted((sign * found.low, sign * found.high))
    if gate == BASELINE and found.clusters >= SOUND and low == -bound:
        return AuditGateResult(gate, bound, found, "not met")
    if found.clusters >= SOUND and high <= sign * bound:
        return AuditGateResult(gate, bound, found, "met")
    if low > sign * bound:
        return AuditGateResult(gate, bound, found, "not met")
    return AuditGateResult(gate, bound, found, "not enough data", _more_debates(found, found.value, bound))


def _more_debates(found: Estimate, value: float, bound: float) -> int | None:
    """Number of further debates until the interval no longer contains the bound. Its width falls with √n."""
    if found.low is None or found.high is None or value == bound:
        return None
    half = (found.high - found.low) / 2
    needed = found.clusters * (half / abs(value - bound)) ** 2
    return max(1, SOUND - found.clusters, round(needed) - found.clusters + 1)
