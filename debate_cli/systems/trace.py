"""The trace table: every claim with its speaker, the answers to it, and its standing.

A system that reviews claims (`structured.score`) gives the standings. Without such a system, claims have no
standing.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.turn import UNSTRUCTURED, Response, ResponseType, Turn
from debate_cli.evidence.source_checks import SourceOutcome
from debate_cli.systems.aggregation import get_run_id, newest_assessments, newest_run
from debate_cli.systems.base import ClaimReview, JudgingSystem, Standing
from debate_cli.systems.registry import systems_of_debate
from debate_cli.systems.source_support import SOURCES_KIND, Support, join_checks


class TraceResponse(FrozenModel):
    """One opponent's response to a claim."""

    by: str
    turn: int
    type: ResponseType
    reasoning: str
    follow_up: str = ""
    """The question that ends the response; empty if there is none."""


class TraceReply(FrozenModel):
    """A speaker's reply to questions about its own claim."""

    by: str
    turn: int
    reply: str
    evaded: bool | None = None


class TraceSource(FrozenModel):
    """A source that the speaker cites for a claim."""

    source: str
    """Id of the passage, as the debater wrote it."""
    outcome: SourceOutcome
    """Whether the quote is in the passage."""
    supports: Support | None = None
    """Whether the source supports the claim, according to the newest run of the system `sources`; None if unknown."""


class TraceRow(FrozenModel):
    """One claim, with the answers to it and its standing."""

    id: str
    """Id of the argument."""
    participant: str
    """Name of the debater who claimed it."""
    claim: str
    responses: tuple[TraceResponse, ...] = ()
    replies: tuple[TraceReply, ...] = ()
    sources: tuple[TraceSource, ...] = ()
    standing: Standing | None = None
    """Standing of the claim; None if no judge gave one."""
    reason: str | None = None


def build_trace_table(debate: Debate, run: JudgingRun | str | None = None) -> tuple[TraceRow, ...]:
    """Return one row per argument, in the order of the debate.

    Standings come from `run`; None means the newest run with a system that reviews claims.
    """
    responses, replies = _responses_and_replies(debate)
    sources = _sources_of_claims(debate)
    review = review_claims(debate, run)
    rows: list[TraceRow] = []
    for item, (speaker, argument) in debate.arguments.items():
        found = review.standings.get(item) if review is not None else None
        rows.append(
            TraceRow(
                id=item,
                participant=speaker,
                claim=argument.claim,
                responses=tuple(response for response in responses.get(item, ()) if response.by != speaker),
                replies=tuple(reply for reply in replies.get(item, ()) if reply.by == speaker),
                sources=tuple(sources.get((speaker, item), ())),
                standing=found.standing if found is not None else None,
                reason=found.reason if found is not None else None,
            )
        )
    return tuple(rows)


def review_claims(debate: Debate, run: JudgingRun | str | None = None) -> ClaimReview | None:
    """Return what judges say about the claims in `run`; None means the newest run with a system that reviews claims."""
    system = find_claim_reviewer(debate)
    chosen = newest_run(debate, system.kind) if system is not None and run is None else run
    return system.review_claims(debate, get_run_id(chosen)) if system is not None and chosen is not None else None


def find_claim_reviewer(debate: Debate) -> JudgingSystem[Any] | None:
    """Return the first system of the debate's judging runs that reviews claims; None if no run has one."""
    return next((system for system in systems_of_debate(debate) if system.reviews_claims), None)


def _sources_of_claims(debate: Debate) -> Mapping[tuple[str, str], list[TraceSource]]:
    """Map (speaker, argument id) to the sources that the speaker cites for the argument, in the order of the debate."""
    found: dict[tuple[str, str], list[TraceSource]] = defaultdict(list)
    for check, answer in join_checks(debate, newest_assessments(debate, SOURCES_KIND)):
        supports = None if answer.supports == "unknown" else answer.supports
        source = TraceSource(source=check.source, outcome=check.outcome, supports=supports)
        found[answer.debater, check.item].append(source)
    return found


def _responses_and_replies(debate: Debate) -> tuple[Mapping[str, list[TraceResponse]], Mapping[str, list[TraceReply]]]:
    """Return (responses, replies), each by argument id and in the order of the debate."""
    responses: dict[str, list[TraceResponse]] = defaultdict(list)
    replies: dict[str, list[TraceReply]] = defaultdict(list)
    for turn in debate.turns:
        for response in _responses_of(turn, debate):
            said = response.model_dump(include={"type", "reasoning", "follow_up"})
            responses[response.target].append(TraceResponse(by=turn.speaker, turn=turn.index, **said))
        for answer in turn.answers or ():
            replies[answer.question_target].append(
                TraceReply(by=turn.speaker, turn=turn.index, reply=answer.reply, evaded=answer.evaded)
            )
    return responses, replies


def _responses_of(turn: Turn, debate: Debate) -> Sequence[Response]:
    """Return the responses in a turn.

    A cross-examination in an old transcript may have only plain words. It counts as a challenge to every argument of
    the opponents.
    """
    if turn.responses is None and turn.phase == "cross_examination" and UNSTRUCTURED in turn.warnings:
        targets = [
            argument.id
            for other in debate.turns
            if other.speaker != turn.speaker and other.round < turn.round
            for argument in other.arguments or ()
        ]
        return [Response(target=target, type="challenge", reasoning="") for target in targets]
    return turn.responses or ()
