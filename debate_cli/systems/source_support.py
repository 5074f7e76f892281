"""Combines the quote checks with the findings of the system `sources`, for judges and for the briefing."""

from collections.abc import Iterable
from typing import Any, Literal

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import CLOSING_ITEM, Turn
from debate_cli.evidence.source_checks import FAILED_OUTCOMES, HELD_OUTCOMES, SourceCheck, SourceOutcome, check_sources
from debate_cli.systems.aggregation import iter_findings, newest_assessments

SOURCES_KIND = "sources"
Support = Literal["yes", "partly", "no", "contradicts", "unknown"]
"""Whether a passage supports the argument in which it is cited."""
SUPPORT_WORDS: dict[Support, str] = {
    "yes": "supports",
    "partly": "supports in part",
    "no": "does not support",
    "contradicts": "contradicts",
    "unknown": "support unknown",
}
Quality = Literal["yes", "no", "unknown"]
Key = tuple[int, str, str, str]


class SourceSupport(Finding):
    """Whether a cited passage supports the argument, and how good the source is."""

    kind: Literal["source_support"] = "source_support"
    turn: int
    item: str
    """Id of the argument with the citation, or `closing`."""
    source: str
    quote: str
    supports: Support
    reputable: Quality = "unknown"
    recent: Quality = "unknown"
    relevant: Quality = "unknown"
    reason: str = ""

    def describe(self) -> list[str]:
        """Return the citation, whether its passage supports the argument, and why."""
        why = f": {self.reason}" if self.reason else ""
        return [f"{self.source} for {self.item}, turn {self.turn + 1}: {SUPPORT_WORDS[self.supports]}{why}"]


class JudgedCitation(FrozenModel):
    """A citation, the result of its quote check, and whether the passage supports the argument according to a judge."""

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
    """Return (quote check, judged citation) for each citation in the debate.

    `given`: assessments. If they have several answers about a citation, the first counts. If they have none, it is
    `unknown` whether the passage supports the argument.
    """
    answers: dict[Key, SourceSupport] = {}
    for _, finding in iter_findings(given, SourceSupport):
        answers.setdefault(citation_key(finding), finding)
    judged: list[tuple[SourceCheck, JudgedCitation]] = []
    for check in check_sources(debate):
        answer = answers.get(citation_key(check))
        opinions: dict[str, Any] = {"supports": "unknown"}
        if answer is not None:
            opinions = answer.model_dump(exclude={"kind", "turn", "item", "source", "quote"})
        known = {"turn": check.turn, "item": check.item, "source": check.source, "outcome": check.outcome}
        debater = debate.turns_by_index[check.turn].speaker
        judged.append((check, JudgedCitation(debater=debater, **known, **opinions)))
    return judged


class SourceNote(FrozenModel):
    """A cited source in a briefing. Untrusted."""

    id: str
    title: str
    """Title, path or address; empty for a source that does not exist."""
    finding: str
    """Result of the checks, e.g. `verified, supports PRO-1`."""

    @property
    def words(self) -> str:
        """Title and finding."""
        return f"{self.title}: {self.finding}" if self.title else self.finding


class SourceBriefing(FrozenModel):
    """Reliable and doubtful sources, for a decision."""

    reliable: tuple[SourceNote, ...] = ()
    """Sources that contain the quotes and support the arguments; one note per source."""
    doubtful: tuple[SourceNote, ...] = ()
    """Altered quotes, then missing quotes, then contradicting sources; one note per citation."""


def brief_sources(debate: Debate) -> SourceBriefing:
    """Return reliable and doubtful sources, by the quote checks and the newest run with a judge of sources."""
    titles = {passage.id: passage.title or passage.source for passage in debate.passages}
    supported: dict[str, dict[str, list[str]]] = {}
    doubtful: list[tuple[int, SourceNote]] = []
    for check, answer in join_checks(debate, newest_assessments(debate, SOURCES_KIND)):
        part = _citing_part(debate.turns_by_index[check.turn], check.item)
        word = check.outcome.replace("_", " ")
        rank, finding = 2, f"contradicts {part}"
        if check.outcome in FAILED_OUTCOMES:
            rank = 0 if check.outcome == "altered" else 1
            finding = f"{word} in {part}{f': {check.difference}' if check.difference else ''}"
        elif check.outcome in HELD_OUTCOMES and answer.supports == "yes":
            supported.setdefault(check.source, {}).setdefault(word, []).append(part)
        if check.outcome in FAILED_OUTCOMES or answer.supports == "contradicts":
            note = SourceNote(id=check.source, title=titles.get(check.source, ""), finding=finding)
            doubtful.append((rank, note))
    reliable: list[SourceNote] = []
    for source, found in supported.items():
        findings = (f"{word}, supports {', '.join(dict.fromkeys(parts))}" for word, parts in found.items())
        reliable.append(SourceNote(id=source, title=titles[source], finding="; ".join(findings)))
    ranked = sorted(doubtful, key=lambda item: item[0])
    return SourceBriefing(reliable=tuple(reliable), doubtful=tuple(note for _, note in ranked))


def _citing_part(turn: Turn, item: str) -> str:
    if item == CLOSING_ITEM:
        return f"the closing of {turn.speaker}"
    return (
        item
        if item in {argument.id for argument in turn.arguments or ()}
        else f"the answer of {turn.speaker} to {item}"
    )


def citation_key(item: SourceCheck | SourceSupport) -> Key:
    """Return the key of a citation. Its quote check and its finding have equal keys: turn, argument, source, quote."""
    return item.turn, item.item, item.source, item.quote
