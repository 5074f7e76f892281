"""Compares the stored reports of two audits, e.g. of two versions of a model. No model is asked."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from debate_cli.audit.judging import JudgeName
from debate_cli.audit.measures import Unit
from debate_cli.audit.report import AuditReport, JudgeAuditReport
from debate_cli.errors import UsageError
from debate_cli.statistics.estimate import Estimate

ResultUnit = Unit | Literal["number"]
UNKNOWN_CHANGE = "not enough data"
NO_CHANGE = "no clear difference"


class Change(NamedTuple):
    """One result of an old audit, compared with the same result of a new audit."""

    judge: str
    """Model and judging system of the judge, e.g. `x/two (panel)`; `x/one → x/two (panel)` if the model differs between
    the audits. Empty if the result is about the whole audit."""
    label: str
    """What is compared, in words."""
    before: Estimate | str
    """The result in the old audit: a number with its interval, or a text. Empty if the old audit has no such result."""
    now: Estimate | str
    """The result in the new audit: a number with its interval, or a text. Empty if the new audit has no such result."""
    change: str
    """`better`, `worse`, `no clear difference` (the intervals overlap), or `not enough data`. If the two results
    cannot be compared, words that say why, e.g. `different labels`."""
    unit: ResultUnit = "number"


class _ComparedNumber(NamedTuple):
    field: str
    label: str
    unit: ResultUnit
    is_better_if_higher: bool


_NUMBERS = (
    _ComparedNumber("accuracy", "names the known winner", "share", is_better_if_higher=True),
    _ComparedNumber("lead", "lead over the best baseline", "share", is_better_if_higher=True),
    _ComparedNumber("kappa", "Cohen's κ with the known winners", "number", is_better_if_higher=True),
    _ComparedNumber("alpha_with_judge", "α of the raters together with the judge", "number", is_better_if_higher=True),
    _ComparedNumber("brier", "Brier score of the judge's margins", "number", is_better_if_higher=False),
    _ComparedNumber("log_score", "log score of the judge's margins", "number", is_better_if_higher=False),
    _ComparedNumber("score_error", "error of the judge's scores, in points", "points", is_better_if_higher=False),
)
_OUTCOMES: Mapping[str, int] = {"not met": 0, "met": 1}


def read_report(path: Path) -> AuditReport:
    """Read the report of an audit from a JSON file.

    Raises:
        UsageError: the file cannot be read, or is not a report that this version can read.
    """
    try:
        return TypeAdapter(AuditReport).validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); give the path of the audit.json of an audit"
        ) from error
    except ValidationError as error:
        raise UsageError(
            f"{path}: is not a valid audit for this version of debate-cli; give the path of an audit.json"
        ) from error


def compare_audits(old: AuditReport, new: AuditReport) -> list[Change]:
    """Return how each result changed from the old audit to the new one.

    The first items are the differences between the audits themselves: in debates, systems, labels and judges. A judge
    is compared with the judge of the same model and judging system. If each audit has only one judge, and both have the
    same system, these judges are compared although their models differ. Measures of only one audit are left out.
    """
    pairs = _pair_judges(old.judges, new.judges)
    rows = [*_compare_samples(old, new), *_list_unpaired(old.judges, new.judges, pairs)]
    for before, now in pairs:
        name = _format_judge(now.judge)
        if before.judge.model != now.judge.model:
            name = f"{before.judge.model} → {name}"
        rows += [*_compare_measures(name, before, now), *_compare_gates(name, before, now)]
    return rows


def _pair_judges(
    old: Sequence[JudgeAuditReport], new: Sequence[JudgeAuditReport]
) -> list[tuple[JudgeAuditReport, JudgeAuditReport]]:
    known = {before.judge: before for before in old}
    pairs = [(known[now.judge], now) for now in new if now.judge in known]
    if not pairs and len(old) == len(new) == 1 and old[0].judge.system == new[0].judge.system:
        return [(old[0], new[0])]
    return pairs


def _compare_samples(old: AuditReport, new: AuditReport) -> Iterator[Change]:
    gone, added = (
        len(set(one) - set(other)) for one, other in ((old.debates, new.debates), (new.debates, old.debates))
    )
    if gone or added:
        change = f"different debates: {gone} only in the old audit, {added} only in the new one"
        yield Change("", "audited debates", str(len(old.debates)), str(len(new.debates)), change)
    before, now = (dict.fromkeys(each.judge.system for each in report.judges) for report in (old, new))
    if before.keys() != now.keys():
        yield Change("", "judging systems", ", ".join(before), ", ".join(now), "different systems")
    if old.labels != new.labels:
        yield Change("", "known winners (labels)", old.labels, new.labels, "different labels")


def _list_unpaired(
    old: Sequence[JudgeAuditReport],
    new: Sequence[JudgeAuditReport],
    pairs: Sequence[tuple[JudgeAuditReport, JudgeAuditReport]],
) -> Iterator[Change]:
    for before in old:
        if all(before is not one for one, _ in pairs):
            yield Change(_format_judge(before.judge), "judge", "audited", "", "not in the new audit")
    for now in new:
        if all(now is not other for _, other in pairs):
            yield Change(_format_judge(now.judge), "judge", "", "audited", "not in the old audit")


def _compare_measures(name: str, before: JudgeAuditReport, now: JudgeAuditReport) -> Iterator[Change]:
    known = {measure.name: measure for measure in before.measures}
    for measure in now.measures:
        if (other := known.get(measure.name)) is not None:
            one, two = other.estimate, measure.estimate
            better = abs(two.value or 0.0) < abs(one.value or 0.0)
            yield _compare(name, measure.label, measure.unit, one, two, is_better=better)
    if before.comparison is None or now.comparison is None:
        return
    for number in _NUMBERS:
        one: Estimate = getattr(before.comparison, number.field)
        two: Estimate = getattr(now.comparison, number.field)
        if one.value is not None or two.value is not None:
            better = ((two.value or 0.0) > (one.value or 0.0)) is number.is_better_if_higher
            yield _compare(name, number.label, number.unit, one, two, is_better=better)


def _compare_gates(name: str, before: JudgeAuditReport, now: JudgeAuditReport) -> Iterator[Change]:
    known = {gate.name: gate for gate in before.gates}
    for gate in now.gates:
        if (other := known.get(gate.name)) is not None:
            one, two = _OUTCOMES.get(other.outcome), _OUTCOMES.get(gate.outcome)
            change = UNKNOWN_CHANGE
            if other.bound != gate.bound:
                change = f"different bounds: {other.bound:g} before, {gate.bound:g} now"
            elif one is not None and two is not None:
                change = NO_CHANGE if one == two else "better" if two > one else "worse"
            yield Change(name, f"gate {gate.name}", other.outcome, gate.outcome, change)


def _compare(name: str, label: str, unit: ResultUnit, before: Estimate, now: Estimate, *, is_better: bool) -> Change:
    change = "better" if is_better else "worse"
    if before.low is None or before.high is None or now.low is None or now.high is None:
        change = UNKNOWN_CHANGE
    elif before.low <= now.high and now.low <= before.high:
        change = NO_CHANGE
    return Change(name, label, before, now, change, unit)


def _format_judge(judge: JudgeName) -> str:
    return f"{judge.model} ({judge.system})"
