"""Combines the quote checks, which need no model, with the answers of judges of the system `sources`."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from debate_cli.domain.assessment import Assessment, Finding
from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Citation
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.turn import CLOSING_ITEM, Turn
from debate_cli.evidence.source_checks import (
    FAILED_OUTCOMES,
    GENUINE_OUTCOMES,
    LookupItem,
    SourceCheck,
    SourceOutcome,
    check_citation,
    check_sources,
    find_uncited,
)
from debate_cli.systems.aggregation import iter_findings, newest_assessments
from debate_cli.systems.base import SOURCES_KIND
from debate_cli.systems.tables import Badge

Support = Literal["yes", "partly", "no", "contradicts", "unknown"]
"""A judge's answer to the question whether a passage supports the argument that cites it."""
SUPPORT_BADGES: dict[Support, Badge] = {
    "yes": Badge("✓", "supports", "good"),
    "partly": Badge("≈", "supports in part", "info"),
    "no": Badge("✗", "does not support", "bad"),
    "contradicts": Badge("✗", "contradicts", "bad"),
    "unknown": Badge("?", "support unknown", "muted"),
}
Quality = Literal["yes", "no", "unknown"]
EXISTENCE_BADGES: dict[Quality, Badge] = {
    "yes": Badge("✓", "exists", "good"),
    "no": Badge("✗", "does not exist", "bad"),
    "unknown": Badge("?", "not known to exist", "muted"),
}
OPINIONS = {"supports", "reputable", "recent", "relevant", "reason"}
"""Fields of `SourceSupport` that hold the judge's answers."""


class SourceSupport(Finding):
    """A judge's answers about one citation: whether the passage supports the argument, and how good the source is."""

    kind: Literal["source_support"] = "source_support"
    turn: int
    item: str
    """Id of the argument that cites the source, or `closing`."""
    source: str
    quote: str
    supports: Support
    reputable: Quality = "unknown"
    recent: Quality = "unknown"
    relevant: Quality = "unknown"
    reason: str = ""

    def describe(self) -> list[str]:
        """Return a list with one text: the citation, whether its passage supports the argument, and the reason."""
        why = f": {self.reason}" if self.reason else ""
        return [f"{self.source} for {self.item}, turn {self.turn + 1}: {SUPPORT_BADGES[self.supports].word}{why}"]


class SourceLookup(Finding):
    """A judge's answer to the question whether a figure, study, institution or source exists."""

    kind: Literal["source_lookup"] = "source_lookup"
    turn: int
    item: str
    """Id of the argument that mentions the figure, study, institution or source; `closing` if a closing statement
    mentions it."""
    source: str = ""
    """Name of the source; empty for an argument without a citation."""
    exists: Quality
    passage: str = ""
    """Id of the search result that the judge's answer is based on; empty if the judge names none."""
    quote: str = ""
    reason: str = ""

    def describe(self) -> list[str]:
        """Return a list with one text: the source or evidence, its argument, whether it exists, and the reason."""
        why = f": {self.reason}" if self.reason else ""
        what = f"the source {self.source}" if self.source else "the evidence"
        return [f"{what} of {self.item}, turn {self.turn + 1}: {EXISTENCE_BADGES[self.exists].word}{why}"]


class JudgedCitation(FrozenModel):
    """A citation with the result of its quote check and a judge's answers."""

    turn: int
    """Index of the turn with the citation."""
    debater: str
    """Name of the debater."""
    item: str
    """Id of the argument that cites the source, or `closing`."""
    source: str
    """Name of the source."""
    outcome: SourceOutcome
    """Result of the quote check, e.g. `verified` or `altered`."""
    supports: Support = "unknown"
    """Whether the passage supports the argument, according to the judge."""
    reputable: Quality = "unknown"
    """Whether the source can be trusted, according to the judge."""
    recent: Quality = "unknown"
    """Whether the source is recent enough, according to the judge."""
    relevant: Quality = "unknown"
    """Whether the source is about the topic, according to the judge."""
    reason: str = ""
    """The judge's reasons; may be empty."""


class JudgedLookup(FrozenModel):
    """An argument's evidence or a cited source, with a judge's answer on whether it exists.

    The judge's quote from the search results has been checked.
    """

    turn: int
    """Index of the turn with the argument."""
    debater: str
    """Name of the debater."""
    item: str
    """Id of the argument, or `closing` for a closing statement."""
    source: str = ""
    """Name of the source; empty for an argument without a citation."""
    exists: Quality
    """Whether the evidence or source exists, according to the judge. `unknown` if the judge's answer is missing, if the
    judge names no passage, or if the judge's quote is not in the passage."""
    passage: str = ""
    """Id of the passage that the judge names; empty if the judge names none."""
    quote: str = ""
    """Words of the passage that the judge quotes; empty if the judge quotes none."""
    outcome: SourceOutcome | None = None
    """Result of comparing `quote` with the passage, e.g. `verified`; None if the judge names no passage."""
    reason: str = ""
    """The judge's reasons for the answer; may be empty."""


def citation_key(item: SourceCheck | SourceSupport) -> tuple[int, str, str, str]:
    """Return (turn, argument, source, quote), which identifies a citation in a debate."""
    return item.turn, item.item, item.source, item.quote


def join_checks(debate: Debate, given: Iterable[Assessment]) -> list[tuple[SourceCheck, JudgedCitation]]:
    """Return (quote check, judged citation) for each citation of the debate.

    The judged citation has the first answer about the citation in `given`. Without an answer, `supports` is `unknown`.
    """
    answers: dict[tuple[int, str, str, str], SourceSupport] = {}
    for _, finding in iter_findings(given, SourceSupport):
        answers.setdefault(citation_key(finding), finding)
    judged: list[tuple[SourceCheck, JudgedCitation]] = []
    for check in check_sources(debate):
        answer = answers.get(citation_key(check))
        opinions: dict[str, Any] = answer.model_dump(include=OPINIONS) if answer is not None else {}
        known = check.model_dump(include={"turn", "item", "source", "outcome"})
        debater = debate.turns_by_index[check.turn].speaker
        judged.append((check, JudgedCitation(debater=debater, **known, **opinions)))
    return judged


def lookup_items(debate: Debate, round_number: int | None) -> tuple[LookupItem, ...]:
    """Return the evidence and the sources of a round about which a judge is asked: does it exist?

    First comes the evidence of arguments without a citation (see `find_uncited`). Then come the cited sources that the
    debate does not have. `round_number`: number of the round; None means all rounds.
    """
    turns = debate.turns_by_index
    named = [
        LookupItem(check.turn, turns[check.turn].speaker, check.item, f"{check.source}: {check.quote}", check.source)
        for check in check_sources(debate)
        if check.outcome == "no_such_source"
    ]
    found = dict.fromkeys(
        item for item in (*find_uncited(debate), *named) if round_number in {None, turns[item.turn].round}
    )
    return tuple(found)


def judge_lookups(debate: Debate, given: Iterable[Assessment]) -> tuple[JudgedLookup, ...]:
    """Return each item of `lookup_items`, for all rounds, with a judge's answer on whether it exists.

    The answer is the first one about the item in `given`. Without an answer, `exists` is `unknown`.
    """
    answers: dict[tuple[int, str, str], SourceLookup] = {}
    for _, finding in iter_findings(given, SourceLookup):
        answers.setdefault((finding.turn, finding.item, finding.source), finding)
    judged: list[JudgedLookup] = []
    for item in lookup_items(debate, None):
        found = JudgedLookup(turn=item.turn, debater=item.debater, item=item.item, source=item.source, exists="unknown")
        answer = answers.get((item.turn, item.item, item.source))
        if answer is not None:
            exists, outcome = check_lookup(answer, debate)
            stated = answer.model_dump(include={"passage", "quote", "reason"})
            found = found.model_copy(update={**stated, "exists": exists, "outcome": outcome})
        judged.append(found)
    return tuple(judged)


def check_lookup(answer: SourceLookup, debate: Debate) -> tuple[Quality, SourceOutcome | None]:
    """Return the judge's answer (whether the evidence or source exists), and the result of checking the judge's quote.

    If the quote check fails, the answer becomes `unknown`. If the judge named no passage, the result is
    (`unknown`, None).
    """
    if not answer.passage:
        return "unknown", None
    passage = debate.passages_by_id.get(answer.passage)
    outcome, _ = check_citation(Citation(source=answer.passage, quote=answer.quote), passage)
    return "unknown" if outcome in FAILED_OUTCOMES else answer.exists, outcome


def describe_lookups(assessment: Assessment, debate: Debate) -> Iterator[str]:
    """Yield a sentence for each of the judge's answers on whether some evidence or a source exists.

    The sentence contains the answer, and whether the judge's quote is in the passage that the judge names.
    """
    for _, answer in iter_findings([assessment], SourceLookup):
        exists, outcome = check_lookup(answer, debate)
        check = f"{outcome.replace('_', ' ')} in {answer.passage}: " if outcome is not None else ""
        yield from (f"{check}{words}" for words in answer.model_copy(update={"exists": exists}).describe())


class SourceNote(FrozenModel):
    """A source in a briefing, with the results of its checks. Contains untrusted text."""

    id: str
    title: str
    """Title, path or URL; empty if the cited source does not exist."""
    finding: str
    """Results of the checks in words, e.g. `verified, supports PRO-1`."""

    @property
    def words(self) -> str:
        """`title` and `finding` as one text, e.g. `report.pdf: verified, supports PRO-1`."""
        return f"{self.title}: {self.finding}" if self.title else self.finding


class SourceBriefing(FrozenModel):
    """The reliable and the doubtful sources of a debate."""

    reliable: tuple[SourceNote, ...] = ()
    """Sources that support an argument and contain the words quoted from them. One note per source."""
    doubtful: tuple[SourceNote, ...] = ()
    """One note for each doubtful citation: first those with an altered quote, then those whose quote or source was not
    found, then those whose source contradicts the argument."""


def brief_sources(debate: Debate) -> SourceBriefing:
    """Return the reliable and the doubtful sources of a debate.

    The judges' answers come from the newest run of the system `sources`.
    """
    titles = {passage.id: passage.title or passage.source for passage in debate.passages}
    reliable: dict[str, dict[str, dict[str, None]]] = {}
    altered: list[SourceNote] = []
    missing: list[SourceNote] = []
    contradicting: list[SourceNote] = []
    for check, answer in join_checks(debate, newest_assessments(debate, SOURCES_KIND)):
        part = _citing_part(debate.turns_by_index[check.turn], check.item)
        word, title = check.outcome.replace("_", " "), titles.get(check.source, "")
        if check.outcome in FAILED_OUTCOMES:
            difference = f": {check.difference}" if check.difference else ""
            note = SourceNote(id=check.source, title=title, finding=f"{word} in {part}{difference}")
            (altered if check.outcome == "altered" else missing).append(note)
        elif answer.supports == "contradicts":
            contradicting.append(SourceNote(id=check.source, title=title, finding=f"contradicts {part}"))
        elif check.outcome in GENUINE_OUTCOMES and answer.supports == "yes":
            reliable.setdefault(check.source, {}).setdefault(word, {})[part] = None
    return SourceBriefing(
        reliable=tuple(
            SourceNote(
                id=source,
                title=titles[source],
                finding="; ".join(f"{word}, supports {', '.join(parts)}" for word, parts in found.items()),
            )
            for source, found in reliable.items()
        ),
        doubtful=(*altered, *missing, *contradicting),
    )


def _citing_part(turn: Turn, item: str) -> str:
    if item == CLOSING_ITEM:
        return f"the closing of {turn.speaker}"
    is_argument = any(argument.id == item for argument in turn.arguments or ())
    return item if is_argument else f"the answer of {turn.speaker} to {item}"
