"""Computes the report of an audit, and the advice whether to rely on the judge. No model is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from debate_cli.audit.comparison import Comparison, JudgeAgreement, compare_judges, compare_with_labels, longer_side
from debate_cli.audit.gates import GATES, MIN_JUDGED_MOTIONS, AuditGateResult, check_gates
from debate_cli.audit.judging import Judgement, JudgeName
from debate_cli.audit.labels import DRAW, LabelSet, WinnerLabel
from debate_cli.audit.measures import Measure, find_measures
from debate_cli.audit.variants import VARIANTS
from debate_cli.version import __version__

REPORT_NAME = "audit.json"
MIN_RULE_SHARE = 0.95
"""A judge follows a rule, e.g. `the longer side`, if at least this share of its verdicts agree with the rule."""
MIN_DRAW_SHARE = 0.9
"""A judge follows the rule `draws` if at least this share of its verdicts are draws."""
MIN_COIN_NOISE = 0.4
"""A judge decides like `a coin` if its measure `noise` is at least this number."""
LONGER_FACTOR = 1.05
"""A side is the longer side if it has more than this many times the words of the other side."""
RELY, CARE, EARLY, NEVER = "Can be relied on", "Use it with care", "Too early to say", "Do not rely on it"
RULES: Mapping[str, str] = {
    "draws": "It calls nearly every debate a draw.",
    "a coin": "It often changes the winner when it judges the same debate again, as a coin toss would.",
}
"""Maps a rule in `JudgeAuditReport.follows` to a sentence about a judge that follows it.

Rules that name a side, e.g. `the longer side`, are left out.
"""
TRY_OUT = "Use it only to try out a setup."


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAuditReport:
    """The results of an audit for one judge. In a stored audit, the fields with defaults may be missing."""

    judge: JudgeName
    debates: int = 0
    """Number of debates that the judge judged. The changed copies of a debate do not count."""
    motions: int = 0
    """Number of motions of the judged debates. All intervals come from a bootstrap over motions."""
    judgements: int = 0
    """Number of judgements with a determined verdict."""
    missing: int = 0
    """Number of judgements with an undetermined verdict."""
    measures: tuple[Measure, ...]
    comparison: Comparison | None = None
    """How well the judge agrees with labels (known winners of debates). None if no judged debate has a label."""
    gates: tuple[AuditGateResult, ...] = ()
    follows: str = ""
    """The rule that nearly all verdicts follow, e.g. `the longer side` if this side nearly always wins. Empty if there
    is no such rule."""
    advice: str = ""
    """Whether to rely on the judge, e.g. `Use it with care`."""
    usable_for: str = ""
    """Sentences on what the judge can be used for, and why."""
    not_for: str = ""
    """Sentence on what the judge gets wrong. Empty if no gate has the outcome `not met`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The results of an audit for one or more judges, as `audit.json` stores them."""

    format: Literal[1]
    """Version of the stored fields."""
    generator: str = ""
    judges: tuple[JudgeAuditReport, ...]
    debates: tuple[str, ...] = ()
    """Ids of the audited debates."""
    labels: str = ""
    """Source of the labels (known winners of debates), e.g. `reviews`. Empty if there are no labels."""
    unknown_labels: int = 0
    """Number of labels (known winners of debates) that name neither a debater nor `draw`, and are therefore left out."""
    between: JudgeAgreement | None = None
    """Agreement of several judges. None for one judge."""


def build_report(
    judgements: Sequence[Judgement], judges: Sequence[JudgeName], labels: LabelSet, bounds: Mapping[str, float]
) -> AuditReport:
    """Return the report of an audit, with the judges in the order of `judges`.

    `judgements`: judgements by all judges. `bounds`: maps names of gates to bounds that replace the defaults.
    """
    debates = tuple(dict.fromkeys(judgement.case.base for judgement in judgements))
    reports = tuple(
        _report_judge(judge, [each for each in judgements if each.judge == judge], labels, bounds) for judge in judges
    )
    between = compare_judges(judgements, judges, labels.labels)
    return AuditReport(
        format=1,
        generator=f"debate-cli {__version__}",
        judges=reports,
        debates=debates,
        labels=labels.source if labels.labels else "",
        unknown_labels=labels.unknown,
        between=between,
    )


def _report_judge(
    judge: JudgeName, judgements: Sequence[Judgement], labels: LabelSet, bounds: Mapping[str, float]
) -> JudgeAuditReport:
    measures = find_measures(judgements)
    comparison = compare_with_labels(judgements, labels.labels, labels.source) if labels.labels else None
    gates = check_gates(measures, comparison, bounds)
    follows = _find_rule(judgements, measures, labels.labels)
    advice, usable_for = _describe_use(gates, follows)
    *others, last = [GATES[gate.name].weakness for gate in gates if gate.outcome == "not met"] or [""]
    weaknesses = f"{', '.join(others)} and {last}" if others else last
    return JudgeAuditReport(
        judge=judge,
        debates=len({judgement.case.base for judgement in judgements if judgement.case.variant == "repeat"}),
        motions=len({judgement.case.motion for judgement in judgements if judgement.case.variant == "repeat"}),
        judgements=sum(judgement.is_determined for judgement in judgements),
        missing=sum(not judgement.is_determined for judgement in judgements),
        measures=tuple(measures),
        comparison=comparison,
        gates=tuple(gates),
        follows=follows,
        advice=advice,
        usable_for=usable_for,
        not_for=f"Weaknesses: this judge {weaknesses}." if weaknesses else "",
    )


def _find_rule(judgements: Sequence[Judgement], measures: Sequence[Measure], labels: Sequence[WinnerLabel]) -> str:
    """Return the rule that nearly all verdicts follow; empty if there is no such rule.

    Example: `the longer side` if this side nearly always wins. Verdicts on changed copies from which content was
    removed are ignored, because even a fair judge may prefer the side with more content.
    """
    decided = [each for each in judgements if each.is_determined and not VARIANTS[each.case.variant].removes_content]
    if len({each.case.motion for each in decided}) < MIN_JUDGED_MOTIONS:
        return ""
    rules: dict[str, Callable[[Judgement], str | None]] = {
        "the longer side": lambda each: longer_side(each.case.debate, LONGER_FACTOR),
        "the side that is shown first": lambda each: each.case.debate.participants[0].name,
        "the side that is shown second": lambda each: each.case.debate.participants[-1].name,
    }
    for name, rule in rules.items():
        told = [(each, side) for each in decided if (side := rule(each)) is not None]
        if told and sum(each.verdict.winner == side for each, side in told) >= MIN_RULE_SHARE * len(told):
            return name
    unequal = [each for each in decided if each.case.variant != "mirror"]
    draws = sum(each.verdict.winner is None for each in unequal)
    if draws >= MIN_DRAW_SHARE * len(unequal) and not (labels and all(label.winner == DRAW for label in labels)):
        return "draws"
    noise = next((measure.estimate.value for measure in measures if measure.name == "noise"), None)
    return "a coin" if noise is not None and noise >= MIN_COIN_NOISE else ""


def _describe_use(gates: Sequence[AuditGateResult], follows: str) -> tuple[str, str]:
    if follows:
        return NEVER, f"{RULES.get(follows, f'It nearly always names {follows}.')} {TRY_OUT}"
    failed = {gate.name for gate in gates if gate.outcome == "not met"}
    is_better = any(gate.name == "baseline" and gate.outcome == "met" for gate in gates)
    if failed & {"baseline", "mirror", "floor"} or ("alpha" in failed and not is_better):
        return NEVER, f"It does not tell better arguments from worse. {TRY_OUT}"
    if failed:
        return CARE, "Rely on it only for debates in which its errors do not matter."
    if all(gate.outcome == "met" for gate in gates):
        return RELY, f"It passed all {len(gates)} checks. It may decide debates like those that it was tested on."
    untested = sum(gate.found.value is None for gate in gates)
    undecided = [gate for gate in gates if gate.outcome == "not enough data" and gate.found.value is not None]
    more = max((gate.more for gate in undecided if gate.more is not None), default=None)
    about = f" (about {more} more needed)" if more is not None else ""
    counts = f"Checks with too few motions: {len(undecided)}{about}. Checks not tested: {untested}."
    return EARLY, f"It failed none of the {len(gates)} checks, but not all checks have a result. {counts}"
