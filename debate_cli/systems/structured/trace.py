"""The trace table: every claim with its speaker, the answers to it, and its standing.

It joins the transcript with the structured judge's standings; it also works without a judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.turn import UNSTRUCTURED, Response, ResponseType, Turn
from debate_cli.evidence.source_checks import SourceOutcome
from debate_cli.systems.aggregation import newest_run, ordered_assessments, strip_float_noise
from debate_cli.systems.source_support import SOURCES_KIND, Support, join_checks
from debate_cli.systems.structured.findings import Standing, Trace
from debate_cli.systems.structured.score import judge_weights


class TraceResponse(FrozenModel):
    """How one opponent answered a claim."""

    by: str
    turn: int
    type: ResponseType
    reasoning: str
    follow_up: str = ""
    """The question after the response; empty for none."""


class TraceReply(FrozenModel):
    """The reply of the claim's speaker to questions about it."""

    by: str
    turn: int
    reply: str
    evaded: bool | None = None


class TraceSource(FrozenModel):
    """A source that the claim's speaker cites for it."""

    source: str
    """Id of the passage, as the debater wrote it."""
    outcome: SourceOutcome
    """What the word-for-word check of the quote found."""
    supports: Support | None = None
    """The answer of the newest judge of `sources`; None without one, or if the judge could not tell."""


class TraceRow(FrozenModel):
    """One claim with the answers to it and its standing."""

    id: str
    """Id of the argument."""
    participant: str
    """Name of the debater who claimed it."""
    claim: str
    responses: tuple[TraceResponse, ...] = ()
    replies: tuple[TraceReply, ...] = ()
    sources: tuple[TraceSource, ...] = ()
    standing: Standing | None = None
    """The standing with the most weight of judges; UNCERTAIN if two have equal weight; None without a standing."""
    reason: str | None = None
    """The reason of the first judge who gives it, or a sentence on the division."""


def build_trace_table(debate: Debate, run: JudgingRun | str | None = None) -> tuple[TraceRow, ...]:
    """One row per argument, in the order of the debate.

    Standings come from the structured assessments of `run`; None means the newest run with that system.
    """
    responses, replies = _responses_and_replies(debate)
    sources = _sources_of_claims(debate)
    given = structured_assessments(debate, run)
    standings = _standings(given)
    weights = judge_weights(debate, given[0].run) if given else {}
    rows: list[TraceRow] = []
    for item, (speaker, argument) in debate.arguments.items():
        standing, reason = _weightiest_standing(standings.get(item, ()), weights)
        rows.append(
            TraceRow(
                id=item,
                participant=speaker,
                claim=argument.claim,
                responses=tuple(response for response in responses.get(item, ()) if response.by != speaker),
                replies=tuple(reply for reply in replies.get(item, ()) if reply.by == speaker),
                sources=tuple(sources.get((speaker, item), ())),
                standing=standing,
                reason=reason,
            )
        )
    return tuple(rows)


def structured_assessments(debate: Debate, run: JudgingRun | str | None) -> list[Assessment]:
    """The structured assessments of the whole debate in `run`; None means the newest run with that system."""
    chosen = run if run is not None else newest_run(debate, "structured")
    if chosen is None:
        return []
    return [item for item in ordered_assessments(debate, "structured", chosen) if item.subject.moment == "debate"]


def _sources_of_claims(debate: Debate) -> Mapping[tuple[str, str], list[TraceSource]]:
    """(Speaker, argument id) -> the sources that the speaker cites beside the argument, in the order of the debate."""
    run = newest_run(debate, SOURCES_KIND)
    given = ordered_assessments(debate, SOURCES_KIND, run) if run is not None else ()
    found: dict[tuple[str, str], list[TraceSource]] = defaultdict(list)
    for check, answer in join_checks(debate, given):
        supports = None if answer.supports == "unknown" else answer.supports
        source = TraceSource(source=check.source, outcome=check.outcome, supports=supports)
        found[answer.debater, check.item].append(source)
    return found


def _responses_and_replies(debate: Debate) -> tuple[Mapping[str, list[TraceResponse]], Mapping[str, list[TraceReply]]]:
    """Argument id -> responses to it, and argument id -> replies about it, both in the order of the debate."""
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
    """The responses of a turn. In older files an unstructured cross-examination has none, and challenges every opponent's argument."""
    if turn.responses is None and turn.phase == "cross_examination" and UNSTRUCTURED in turn.warnings:
        targets = [
            argument.id
            for other in debate.turns
            if other.speaker != turn.speaker and other.round < turn.round
            for argument in other.arguments or ()
        ]
        return [Response(target=target, type="challenge", reasoning="") for target in targets]
    return turn.responses or ()


def _standings(given: Sequence[Assessment]) -> dict[str, list[tuple[str, Trace]]]:
    """Argument id -> (judge, its finding), one per judge, judges in order."""
    found: dict[str, dict[str, Trace]] = defaultdict(dict)
    for assessment in given:
        for finding in assessment.findings:
            if isinstance(finding, Trace):
                found[finding.item].setdefault(assessment.assessor, finding)
    return {item: sorted(of.items(), key=lambda pair: pair[0]) for item, of in found.items()}


def _weightiest_standing(
    findings: Sequence[tuple[str, Trace]], weights: Mapping[str, float]
) -> tuple[Standing | None, str | None]:
    """The standing with the most weight of judges, with its first reason; a tie is UNCERTAIN."""
    if not findings:
        return None, None
    of: dict[Standing, list[float]] = defaultdict(list)
    for judge, finding in findings:
        of[finding.standing].append(weights[judge])
    totals: dict[Standing, float] = {standing: strip_float_noise(fsum(each)) for standing, each in of.items()}
    highest: list[Standing] = [standing for standing in totals if totals[standing] == max(totals.values())]
    if len(highest) > 1:
        opinions = ", ".join(f"{judge} says {finding.standing}" for judge, finding in findings)
        return "UNCERTAIN", f"The judges are divided: {opinions}."
    return highest[0], next(finding.reason for _, finding in findings if finding.standing == highest[0])
