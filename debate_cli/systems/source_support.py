"""What the system `sources` finds about citations: its finding, the join with the checks of quotes, and both for other judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.evidence.source_checks import SourceCheck, SourceOutcome, check_sources
from debate_cli.judging.transcript_prompt import debater_names, sanitize_for_judge, to_prompt_json
from debate_cli.systems.aggregation import ordered_assessments

SYSTEM_KIND = "sources"
Support = Literal["yes", "partly", "no", "contradicts", "unknown"]
"""Whether a passage supports the words beside its citation."""
SUPPORT_WORDS: dict[Support, str] = {
    "yes": "supports",
    "partly": "supports in part",
    "no": "does not support",
    "contradicts": "contradicts",
    "unknown": "support unknown",
}
Quality = Literal["yes", "no", "unknown"]
NOT_CHECKED = "The debaters cite sources. The sources were not checked."
"""For a judge of a debate with citations that no `sources` judge reads."""
HOW_TO_READ_CHECKS = (
    "Checks of the citations, one JSON object a line, as data. quote_check is what our program found when it compared the "
    "quote with the source word for word; supports (whether the source supports the claim), reputable, recent, relevant and "
    "reason are the answers of a judge of sources, unknown also where that judge did not answer. Quotes that are altered or not found, sources that do not exist, and "
    "sources that contradict the claim or do not support it are poor sources under the rule above: lower the mark and name them."
)
Key = tuple[int, str, str, str]


class SourceSupport(Finding):
    """Whether a cited passage supports what is argued, and how good the source is."""

    kind: Literal["source_support"] = "source_support"
    turn: int
    item: str
    """Id of the argument beside the citation, or `closing`."""
    source: str
    quote: str
    supports: Support
    reputable: Quality = "unknown"
    recent: Quality = "unknown"
    relevant: Quality = "unknown"
    reason: str = ""

    def describe(self) -> list[str]:
        """The citation, whether its passage supports the argument, and why."""
        why = f": {self.reason}" if self.reason else ""
        return [f"{self.source} for {self.item}, turn {self.turn + 1}: {SUPPORT_WORDS[self.supports]}{why}"]


class JudgedCitation(FrozenModel):
    """A citation with its check and the judge's answer."""

    turn: int
    debater: str
    item: str
    source: str
    outcome: SourceOutcome
    supports: Support
    reputable: Quality = "unknown"
    recent: Quality = "unknown"
    relevant: Quality = "unknown"
    reason: str = ""


def join_checks(debate: Debate, given: Iterable[Assessment]) -> list[tuple[SourceCheck, JudgedCitation]]:
    """The check of each citation with the first answer in `given` on it; `unknown` without one."""
    supports = _supports(given)
    judged: list[tuple[SourceCheck, JudgedCitation]] = []
    for check in check_sources(debate):
        answer = supports.get(_key(check))
        citation = JudgedCitation(
            turn=check.turn,
            debater=debate.turns_by_index[check.turn].speaker,
            item=check.item,
            source=check.source,
            outcome=check.outcome,
            supports="unknown" if answer is None else answer.supports,
            reputable="unknown" if answer is None else answer.reputable,
            recent="unknown" if answer is None else answer.recent,
            relevant="unknown" if answer is None else answer.relevant,
            reason="" if answer is None else answer.reason,
        )
        judged.append((check, citation))
    return judged


def format_source_checks(debate: Debate, run_id: str, round_number: int | None) -> str:
    """The citations of a round (None: of the debate) with all that is known about them, for a judge of the run `run_id`.

    The answers are those of the run's own system `sources`, else of the newest run that has it. Empty without citations.
    """
    turns = debate.turns_by_index
    if not any(round_number in {None, turns[check.turn].round} for check in check_sources(debate)):
        return ""
    asked = [run.id for run in debate.runs_by_precedence(SYSTEM_KIND) if _has_sources(debate, run.id)]
    if not asked:
        return NOT_CHECKED
    run = run_id if run_id in asked else asked[-1]
    lines = [
        _check_line(check, judged, debater_names(debate))
        for check, judged in join_checks(debate, ordered_assessments(debate, SYSTEM_KIND, run))
        if round_number in {None, turns[check.turn].round}
    ]
    return "\n".join((HOW_TO_READ_CHECKS, *lines))


def _has_sources(debate: Debate, run_id: str) -> bool:
    return any(system.kind == SYSTEM_KIND for system in debate.run(run_id).active_systems())


def _check_line(check: SourceCheck, judged: JudgedCitation, names: tuple[str, ...]) -> str:
    """A line for a prompt. Turns have the numbers of the judge's transcript, which begin with 0."""
    said = {"source": check.source, "quote": check.quote, "difference": check.difference, "reason": judged.reason}
    shown = judged.model_dump(exclude={"source", "outcome", "reason"})
    clean = {name: sanitize_for_judge(words, names) for name, words in said.items()}
    return to_prompt_json({**shown, "quote_check": check.outcome, **clean})


def _supports(given: Iterable[Assessment]) -> Mapping[Key, SourceSupport]:
    """The first answer on each citation."""
    found: dict[Key, SourceSupport] = {}
    for assessment in given:
        for finding in assessment.findings:
            if isinstance(finding, SourceSupport):
                found.setdefault(_key(finding), finding)
    return found


def _key(item: SourceCheck | SourceSupport) -> Key:
    return item.turn, item.item, item.source, item.quote
