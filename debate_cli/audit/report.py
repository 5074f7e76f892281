"""The result of an audit as data, which a judge card shows, and the comparison of two audits. No model is asked."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from debate_cli.audit.gates import SOUND, AuditGateResult, check_gates
from debate_cli.audit.judge_agreement import JudgeAgreement, compare_judges
from debate_cli.audit.judging import Judgement, JudgeName
from debate_cli.audit.labels import DRAW, Comparison, LabelSet, WinnerLabel, compare_with_labels
from debate_cli.audit.measures import Measure, find_measures
from debate_cli.audit.variants import EMPTY_SPEECH, VARIANTS
from debate_cli.errors import UsageError
from debate_cli.version import __version__

REPORT_NAME = "audit.json"
FORMAT = 1
ALWAYS = 0.95
"""A judge follows a rule if both name the same winner in at least this share of the debates."""
MOSTLY_DRAWS = 0.9
"""A judge follows the rule `draws` if at least this share of debates with different speeches has no winner."""
DRAWS = "draws"
COIN_FLIPS = 0.4
"""A judge follows the rule `a coin` if at least this share of winners changes when debates are judged again."""


@dataclass(frozen=True, slots=True)
class JudgeAuditReport:
    """What the audit says about one judge.

    Attributes:
        judge: The audited judge.
        debates: Number of unchanged debates that it judged.
        judgements: Number of judging runs that count.
        missing: Judging runs that failed or are undetermined.
        measures: One number per bias, with its interval.
        comparison: Against labels; None without labels.
        gates: Each gate with its outcome.
        follows: The simple rule that explains nearly all its winners, e.g. `the longer side`, `draws` or `a coin`; empty
            if there is none.
        advice: Whether to rely on the judge, in a few words.
        usable_for: Why, and what the judge can be used for, in plain sentences.
        not_for: What it gets wrong, in a sentence; empty if no gate failed.
    """

    judge: JudgeName
    debates: int
    judgements: int
    missing: int
    measures: tuple[Measure, ...]
    comparison: Comparison | None
    gates: tuple[AuditGateResult, ...]
    follows: str
    advice: str
    usable_for: str
    not_for: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The audit of one judge or several.

    Attributes:
        judges: One report per judge.
        debates: Ids of the unchanged debates.
        labels: Where the labels come from; empty without labels.
        unknown_labels: Number of labels that are left out because they name no debater.
        between: How several judges agree; None for one judge.
    """

    judges: tuple[JudgeAuditReport, ...]
    debates: tuple[str, ...]
    labels: str
    unknown_labels: int = 0
    between: JudgeAgreement | None = None

    def to_json(self) -> dict[str, Any]:
        """The report as JSON, with the version of its format."""
        return {"format": FORMAT, "generator": f"debate-cli {__version__}", **asdict(self)}


def build_report(
    judgements: Sequence[Judgement], judges: Sequence[JudgeName], labels: LabelSet, bounds: Mapping[str, float]
) -> AuditReport:
    """Return the report on `judges`.

    Args:
        judgements: All that is stored, as `audit.judging.read_judgements` gives it.
        judges: The audited judges, in the order of the report.
        labels: The labelled winner of each debate.
        bounds: Bounds of gates that differ from the defaults.
    """
    debates = tuple(dict.fromkeys(judgement.case.base for judgement in judgements))
    reports = tuple(
        _report_judge(judge, [each for each in judgements if each.judge == judge], labels, bounds) for judge in judges
    )
    between = compare_judges(judgements, judges, labels.labels)
    return AuditReport(reports, debates, labels.source if labels.labels else "", labels.unknown, between)


def read_report(path: Path) -> dict[str, Any]:
    """Read the JSON of a report (`AuditReport.to_json`).

    Raises:
        UsageError: the file cannot be read, is not an audit, or has another version of the format.
    """
    try:
        found: Any = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read as an audit ({error.strerror}); name the audit.json of an audit"
        ) from error
    except ValueError as error:
        raise UsageError(f"{path}: is not valid JSON; name the audit.json of an audit") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT or "judges" not in found:  # pyright: ignore[reportUnknownMemberType]
        raise UsageError(f"{path}: is not an audit that this version can read; name the audit.json of an audit")
    return found  # pyright: ignore[reportUnknownVariableType]


def _report_judge(
    judge: JudgeName, judgements: Sequence[Judgement], labels: LabelSet, bounds: Mapping[str, float]
) -> JudgeAuditReport:
    measures = find_measures(judgements)
    comparison = compare_with_labels(judgements, labels.labels, labels.source) if labels.labels else None
    gates = check_gates(measures, comparison, bounds)
    follows = _find_rule(judgements, measures, labels.labels)
    advice, usable_for = _describe_use(gates, follows)
    return JudgeAuditReport(
        judge,
        len({judgement.case.base for judgement in judgements if judgement.case.variant == "repeat"}),
        sum(bool(judgement.points) for judgement in judgements),
        sum(not judgement.points for judgement in judgements),
        tuple(measures),
        comparison,
        tuple(gates),
        follows,
        advice,
        usable_for,
        _describe_weaknesses(gates),
    )


def _find_rule(judgements: Sequence[Judgement], measures: Sequence[Measure], labels: Sequence[WinnerLabel]) -> str:
    """The simple rule that explains nearly all winners; `a coin` if winners change by chance; empty if there is none.

    Debates in which a variant removed content do not count.
    """
    decided = [each for each in judgements if each.points and not VARIANTS[each.case.variant].removes_content]
    if len({each.case.base for each in decided}) < SOUND:
        return ""
    rules: dict[str, Callable[[Judgement], str | None]] = {
        "the longer side": _longest,
        "the side that is shown first": lambda each: each.case.debate.participants[0].name,
        "the side that is shown second": lambda each: each.case.debate.participants[-1].name,
    }
    for name, rule in rules.items():
        told = [each for each in decided if rule(each) is not None]
        if told and sum(each.verdict.winner == rule(each) for each in told) >= ALWAYS * len(told):
            return name
    unequal = [each for each in decided if each.case.variant != "mirror"]
    draws = sum(each.verdict.winner is None for each in unequal)
    if draws >= MOSTLY_DRAWS * len(unequal) and not (labels and all(label.winner == DRAW for label in labels)):
        return DRAWS
    noise = _value(measures, "noise")
    return "a coin" if noise is not None and noise >= COIN_FLIPS else ""


def _longest(judgement: Judgement) -> str | None:
    words = {participant.name: 0 for participant in judgement.case.debate.participants}
    for turn in judgement.case.debate.turns:
        words[turn.speaker] += len(turn.text.replace(EMPTY_SPEECH, "").split())
    ranked = sorted(words, key=lambda name: -words[name])
    return ranked[0] if words[ranked[0]] > 1.05 * words[ranked[1]] else None


def _value(measures: Sequence[Measure], name: str) -> float | None:
    return next((measure.estimate.value for measure in measures if measure.name == name), None)


RELY, CARE, EARLY, NEVER = "Can be relied on", "Use it with care", "Too early to say", "Do not rely on it"


def _describe_use(gates: Sequence[AuditGateResult], follows: str) -> tuple[str, str]:
    """`JudgeAuditReport.advice` and `usable_for`, without terms of statistics."""
    if follows:
        return NEVER, f"{_RULE_SENTENCES.get(follows, f'It names {follows}, whatever is said.')} {_TRY_OUT}"
    failed = {gate.name for gate in gates if gate.outcome == "not met"}
    is_better = any(gate.name == "baseline" and gate.outcome == "met" for gate in gates)
    if failed & {"baseline", "mirror", "floor"} or ("alpha" in failed and not is_better):
        return NEVER, f"It does not tell better arguments from worse. {_TRY_OUT}"
    if failed:
        return CARE, "Rely on it only where what it gets wrong does not matter."
    if all(gate.outcome == "met" for gate in gates):
        return RELY, f"It passed all {len(gates)} checks. It may decide debates like those that it was tested on."
    untested = sum(gate.found.value is None for gate in gates)
    undecided = [gate for gate in gates if gate.outcome == "not enough data" and gate.found.value is not None]
    more = max((gate.more for gate in undecided if gate.more is not None), default=None)
    lacks: list[str] = []
    if undecided:
        verb = "needs" if len(undecided) == 1 else "need"
        lacks.append(f"{len(undecided)} {verb} more debates" + (f" (about {more})" if more is not None else ""))
    if untested:
        lacks.append(f"{untested} {'was' if untested == 1 else 'were'} not tested")
    return EARLY, f"It failed none of the {len(gates)} checks, but {' and '.join(lacks)}."


def _describe_weaknesses(gates: Sequence[AuditGateResult]) -> str:
    weak = [_WEAKNESSES[gate.name] for gate in gates if gate.outcome == "not met"]
    return f"What it gets wrong: it {_join(weak)}." if weak else ""


_TRY_OUT = "Use it only to try out a setup."
_RULE_SENTENCES: Mapping[str, str] = {
    DRAWS: "It calls nearly every debate a draw.",
    "a coin": "Asked again about the same debate, it changes the winner almost as often as a coin.",
}
_WEAKNESSES: Mapping[str, str] = {
    "flip": "names another winner if the other side is shown first",
    "names": "names another winner if the names are exchanged",
    "padding": "rewards more words",
    "mirror": "names a winner although both sides say the same",
    "floor": "gives points to a side that says nothing",
    "injection": "reads orders that debaters give it",
    "alpha": "does not agree with the known winners",
    "baseline": "is right no more often than a simple rule",
}


def _join(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


class ChangedMeasure(NamedTuple):
    """One measure in two audits, in words.

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
        old: The earlier audit as JSON (from `read_report`).
        new: The later audit.
    """
    rows: list[ChangedMeasure] = []
    for before, now in zip(old["judges"], new["judges"], strict=False):
        known = {measure["name"]: measure for measure in before["measures"]}
        name = f"{now['judge']['model']} ({now['judge']['system']})"
        for measure in now["measures"]:
            other = known.get(measure["name"])
            if other is not None:
                rows.append(_compare_measure(name, other, measure))
    return rows


def _compare_measure(judge: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> ChangedMeasure:
    return ChangedMeasure(
        judge,
        now["label"],
        _format_estimate(before),
        _format_estimate(now),
        _judge_change(before["estimate"], now["estimate"]),
    )


def _judge_change(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The change of a measure. Every measure is best at 0, so an interval nearer to 0 is better."""
    ends = [before["low"], before["high"], now["low"], now["high"]]
    if any(end is None for end in ends):
        return "not enough data"
    if before["low"] <= now["high"] and now["low"] <= before["high"]:
        return "no clear difference"
    return "better" if abs(now["value"]) < abs(before["value"]) else "worse"


def _format_estimate(measure: Mapping[str, Any]) -> str:
    found = measure["estimate"]
    scale, unit = (100, " %") if measure["unit"] == "share" else (1, "")
    if found["value"] is None:
        return "—"
    if found["low"] is None:
        return f"{scale * found['value']:.1f}{unit}"
    return f"{scale * found['value']:.1f}{unit} ({scale * found['low']:.1f} to {scale * found['high']:.1f})"
