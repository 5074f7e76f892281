"""Combines the findings of the system `sources` on citations with the quote checks, for judges and for the briefing."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import CLOSING_ITEM, Turn
from debate_cli.evidence.source_checks import FAILED_OUTCOMES, HELD_OUTCOMES, SourceCheck, SourceOutcome, check_sources
from debate_cli.systems.aggregation import newest_run, ordered_assessments

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
    """(check, judged citation) for each citation. The first answer in `given` counts; without an answer it is `unknown`."""
    supports = _supports(given)
    judged: list[tuple[SourceCheck, JudgedCitation]] = []
    for check in check_sources(debate):
        answer = supports.get(citation_key(check))
        opinions: dict[str, Any] = {"supports": "unknown"}
        if answer is not None:
            opinions = answer.model_dump(exclude={"kind", "turn", "item", "source", "quote"})
        citation = JudgedCitation(
            turn=check.turn,
            debater=debate.turns_by_index[check.turn].speaker,
            item=check.item,
            source=check.source,
            outcome=check.outcome,
            **opinions,
        )
        judged.append((check, citation))
    return judged


class SourceNote(FrozenModel):
    """A cited source in a briefing. Untrusted."""

    id: str
    title: str
    """Title, path or address; empty for a source that does not exist."""
    finding: str
    """Result of the checks: `verified, supports PRO-1`."""

    @property
    def words(self) -> str:
        """Title and finding."""
        return f"{self.title}: {self.finding}" if self.title else self.finding


class SourceBriefing(FrozenModel):
    """Reliable and doubtful sources, for a decision."""

    reliable: tuple[SourceNote, ...] = ()
    """Sources that contain the quotes and support the arguments; one note for each source."""
    doubtful: tuple[SourceNote, ...] = ()
    """Altered quotes, then missing quotes, then contradicting sources; one note for each citation."""


def brief_sources(debate: Debate) -> SourceBriefing:
    """The reliable and the doubtful sources, by the quote checks and the answers of the newest judge of sources."""
    run = newest_run(debate, SOURCES_KIND)
    given = ordered_assessments(debate, SOURCES_KIND, run) if run is not None else ()
    reliable: dict[str, dict[str, list[str]]] = {}
    doubtful: list[tuple[int, SourceNote]] = []
    titles = {passage.id: passage.title or passage.source for passage in debate.passages}
    for check, answer in join_checks(debate, given):
        part = _citing_part(debate.turns_by_index[check.turn], check.item)
        title, word = titles.get(check.source, ""), check.outcome.replace("_", " ")
        if check.outcome in FAILED_OUTCOMES:
            finding = f"{word} in {part}{f': {check.difference}' if check.difference else ''}"
            rank = 0 if check.outcome == "altered" else 1
            doubtful.append((rank, SourceNote(id=check.source, title=title, finding=finding)))
        elif answer.supports == "contradicts":
            doubtful.append((2, SourceNote(id=check.source, title=title, finding=f"contradicts {part}")))
        elif check.outcome in HELD_OUTCOMES and answer.supports == "yes":
            reliable.setdefault(check.source, {}).setdefault(word, []).append(part)
    return SourceBriefing(
        reliable=tuple(
            SourceNote(
                id=source,
                title=titles[source],
                finding="; ".join(
                    f"{word}, supports {', '.join(dict.fromkeys(parts))}" for word, parts in found.items()
                ),
            )
            for source, found in reliable.items()
        ),
        doubtful=tuple(note for _, note in sorted(doubtful, key=lambda item: item[0])),
    )


def _citing_part(turn: Turn, item: str) -> str:
    if item == CLOSING_ITEM:
        return f"the closing of {turn.speaker}"
    return (
        item
        if item in {argument.id for argument in turn.arguments or ()}
        else f"the answer of {turn.speaker} to {item}"
    )


def _supports(given: Iterable[Assessment]) -> Mapping[Key, SourceSupport]:
    found: dict[Key, SourceSupport] = {}
    for assessment in given:
        for finding in assessment.findings:
            if isinstance(finding, SourceSupport):
                found.setdefault(citation_key(finding), finding)
    return found


def citation_key(item: SourceCheck | SourceSupport) -> Key:
    """Identifies a citation: the check and the finding on one citation have the same key."""
    return item.turn, item.item, item.source, item.quote
