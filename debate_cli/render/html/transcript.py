"""Builds the transcript of the HTML page: rounds of speeches, threads of cross-examination, judges' reasons."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import FollowUpAnswer, Phase, Response, Turn
from debate_cli.render import theme
from debate_cli.render.content import chair
from debate_cli.render.content.agreement import label_judging_system
from debate_cli.render.content.speech_parts import SpeechPart, split_turn
from debate_cli.systems.tables import format_number

CROSS_EXAMINATION_PHASES = frozenset({"cross_examination", "answers"})
"""Phases whose turns are grouped by the argument that they are about."""


class SpeechSection(NamedTuple):
    """A turn as the page shows it."""

    turn: Turn
    pieces: tuple[SpeechPart, ...]
    """Parts of the speech, without the responses and replies that are in `RoundSection.threads`."""
    threaded_count: int = 0
    """Number of responses and replies of the speech that are in `RoundSection.threads`."""


class ThreadEntry(NamedTuple):
    """An answer to an argument, or a reply to a question about an argument."""

    speaker: str
    turn: int
    answer: Response | FollowUpAnswer


class ThreadSection(NamedTuple):
    """The cross-examination about one argument."""

    item: str
    """Id of the argument, as the speakers wrote it. The debate may have no argument with this id."""
    claim: str
    speaker: str | None
    """Author of the argument; None if the debate has no argument with the id `item`."""
    entries: tuple[ThreadEntry, ...]


class RoundSection(NamedTuple):
    """A round of speeches. A cross-examination and the rounds of answers after it share a section."""

    numbers: tuple[int, ...]
    title: str
    """Numbers and phases, e.g. `Rounds 2–3 · cross-examination and answers`."""
    announcements: tuple[str, ...]
    """The chair's announcements, one for each round in `numbers`."""
    threads: tuple[ThreadSection, ...]
    speeches: tuple[SpeechSection, ...]


def build_round_sections(debate: Debate) -> list[RoundSection]:
    """Return the sections for all rounds of the debate, in order."""
    found: list[RoundSection] = []
    for crossed, turns in groupby(debate.turns, key=lambda turn: turn.phase in CROSS_EXAMINATION_PHASES):
        if crossed:
            found.append(_round_section(debate, tuple(turns), crossed=True))
        else:
            waves = groupby(turns, key=lambda turn: (turn.round, turn.phase))
            found += [_round_section(debate, tuple(wave), crossed=False) for _, wave in waves]
    return found


def _round_section(debate: Debate, turns: Sequence[Turn], *, crossed: bool) -> RoundSection:
    phases: dict[int, Phase] = {turn.round: turn.phase for turn in turns}
    numbers = tuple(phases)
    which = f"Rounds {turns[0].round}–{turns[-1].round}" if len(numbers) > 1 else f"Round {turns[0].round}"
    labels = dict.fromkeys(theme.PHASE_LABELS[phase] for phase in phases.values())
    speeches: list[SpeechSection] = []
    for turn in turns:
        pieces = split_turn(turn)
        left = tuple(item for item in pieces if not (crossed and isinstance(item, Response | FollowUpAnswer)))
        speeches.append(SpeechSection(turn, left, len(pieces) - len(left)))
    return RoundSection(
        numbers,
        f"{which} · {' and '.join(labels)}",
        tuple(chair.announce_round(debate, number, phase) for number, phase in phases.items()),
        tuple(_threads(debate, turns)) if crossed else (),
        tuple(speeches),
    )


def _threads(debate: Debate, turns: Iterable[Turn]) -> Iterator[ThreadSection]:
    entries: dict[str, list[ThreadEntry]] = defaultdict(list)
    for turn in turns:
        for said in split_turn(turn):
            if isinstance(said, Response | FollowUpAnswer):
                item = said.target if isinstance(said, Response) else said.question_target
                entries[item].append(ThreadEntry(turn.speaker, turn.index, said))
    known = [item for item in debate.arguments if item in entries]
    for item in dict.fromkeys((*known, *entries)):
        speaker, argument = debate.arguments.get(item, (None, None))
        yield ThreadSection(item, argument.claim if argument is not None else "", speaker, tuple(entries[item]))


class JudgeReasons(NamedTuple):
    """The judges' assessments, grouped by their place on the page: below a turn, below a round, or at the end."""

    turns: dict[int, list[dict[str, Any]]]
    """Maps the index of a turn to the assessments that are shown below this turn."""
    rounds: dict[int, list[dict[str, Any]]]
    """Maps the number of a round to the assessments that are shown below this round."""
    whole: list[dict[str, Any]]


def collect_judge_reasons(debate: Debate) -> JudgeReasons:
    """Return the judges' assessments, except those that a later run has replaced.

    A run can replace all earlier assessments by its judging systems. Assessments by people are never replaced.

    Each assessment is a mapping `{heading, model, rationale, marked, found, warnings}`. `marked`: the marks, grouped by
    debater and argument, with their reasons. `found`: the findings as sentences. The text is not sanitized.
    """
    counted = {(run.id, system.kind) for run in debate.runs for system in run.active_systems()}
    found = JudgeReasons(defaultdict(list), defaultdict(list), [])
    for assessment in debate.assessments:
        if (assessment.run, assessment.system) not in counted:
            continue
        subject = assessment.subject
        label = label_judging_system(debate, assessment.system, assessment.run)
        reason = {
            "heading": theme.format_brief(assessment.brief, label),
            "model": assessment.exchange.model,
            "rationale": assessment.rationale,
            "marked": list(_group_marks(assessment)),
            "found": [sentence for finding in assessment.findings for sentence in finding.describe()],
            "warnings": assessment.warnings,
        }
        if subject.moment in ("turn", "pair") and subject.turns:
            found.turns[max(subject.turns)].append(reason)
        elif subject.moment == "round" and subject.round is not None:
            found.rounds[subject.round].append(reason)
        else:
            found.whole.append(reason)
    return found


def _group_marks(assessment: Assessment) -> Iterator[dict[str, Any]]:
    grouped: dict[tuple[str | None, str | None], list[Mark]] = defaultdict(list)
    for mark in assessment.marks:
        grouped[mark.participant, mark.item].append(mark)
    for (name, item), of in grouped.items():
        yield {
            "name": name,
            "item": item,
            "marks": [
                f"{mark.criterion.replace('_', ' ')} {format_number(mark.value, 1)} of {mark.out_of:g}" for mark in of
            ],
            "reasons": list(dict.fromkeys(mark.reason for mark in of if mark.reason)),
        }
