"""Builds the transcript of the HTML page: rounds of speeches, threads of cross-examination, judges' reasons."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import FollowUpAnswer, Phase, Response, Turn
from debate_cli.render import theme
from debate_cli.render.content import chair
from debate_cli.render.content.agreement import label_judging_system
from debate_cli.render.content.speech_parts import SpeechPart, split_turn
from debate_cli.systems.tables import format_number

CROSS_EXAMINATION_PHASES = frozenset({"cross_examination", "answers"})
"""Phases whose turns are grouped by argument."""


@dataclass(frozen=True, slots=True)
class SpeechSection:
    """A turn on the page."""

    turn: Turn
    pieces: tuple[SpeechPart, ...]
    """The parts of the speech that are not shown in threads."""
    threaded: int
    """Number of parts of the speech that are shown in threads."""


@dataclass(frozen=True, slots=True)
class ThreadEntry:
    """An answer to an argument, or a reply to a question about an argument."""

    speaker: str
    turn: int
    answer: Response | FollowUpAnswer


@dataclass(frozen=True, slots=True)
class ThreadSection:
    """The cross-examination about one argument."""

    item: str
    """Id of the argument, as the speakers wrote it. The debate may have no argument with this id."""
    claim: str
    speaker: str | None
    """Author of the argument; None if the debate has no such argument."""
    entries: tuple[ThreadEntry, ...]


@dataclass(frozen=True, slots=True)
class RoundSection:
    """A round of speeches, or a cross-examination together with its rounds of answers."""

    numbers: tuple[int, ...]
    title: str
    """Numbers and phases, e.g. `Rounds 2–3 · cross-examination and answers`."""
    announcements: tuple[str, ...]
    """The chair's announcements, one per round."""
    threads: tuple[ThreadSection, ...]
    speeches: tuple[SpeechSection, ...]


def build_round_sections(debate: Debate) -> tuple[RoundSection, ...]:
    """Return the sections of the debate, in order."""
    found: list[RoundSection] = []
    for threaded, turns in groupby(debate.turns, key=lambda turn: turn.phase in CROSS_EXAMINATION_PHASES):
        if threaded:
            found.append(_cross_examination_section(debate, tuple(turns)))
        else:
            found += [
                RoundSection(
                    (number,),
                    _title((number,), (phase,)),
                    (chair.announce_round(debate, number, phase),),
                    (),
                    tuple(SpeechSection(turn, split_turn(turn), 0) for turn in of),
                )
                for (number, phase), of in groupby(turns, key=lambda turn: (turn.round, turn.phase))
            ]
    return tuple(found)


def _cross_examination_section(debate: Debate, turns: Sequence[Turn]) -> RoundSection:
    phases: dict[int, Phase] = {turn.round: turn.phase for turn in turns}
    numbers = tuple(phases)
    speeches: list[SpeechSection] = []
    for turn in turns:
        pieces = split_turn(turn)
        left = tuple(piece for piece in pieces if not isinstance(piece, Response | FollowUpAnswer))
        speeches.append(SpeechSection(turn, left, len(pieces) - len(left)))
    return RoundSection(
        numbers,
        _title(numbers, tuple(dict.fromkeys(phases.values()))),
        tuple(chair.announce_round(debate, number, phase) for number, phase in phases.items()),
        tuple(_threads(debate, turns)),
        tuple(speeches),
    )


def _title(numbers: Sequence[int], phases: Sequence[str]) -> str:
    which = f"Rounds {numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else f"Round {numbers[0]}"
    return f"{which} · {' and '.join(theme.PHASE_LABELS[phase] for phase in phases)}"


def _threads(debate: Debate, turns: Iterable[Turn]) -> Iterable[ThreadSection]:
    """Yield a thread per answered argument, in the order of the debate. Ids without an argument come last."""
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


class MarkGroup(NamedTuple):
    """A judge's marks for one debater or one argument."""

    name: str | None
    """Name of the debater; None for marks that are not about one debater."""
    item: str | None
    """Id of the argument; None for marks that are not about one argument."""
    marks: tuple[str, ...]
    """Each mark as text: `logic 7 of 10`."""
    reasons: tuple[str, ...]


class JudgeReason(NamedTuple):
    """An assessment with its reasons. All text is untrusted."""

    heading: str
    """Subject of the judgment, with the judging run if there are several."""
    model: str
    rationale: str
    marked: tuple[MarkGroup, ...]
    found: tuple[str, ...]
    warnings: tuple[str, ...]


class JudgeReasons(NamedTuple):
    """All assessments, grouped by where the page shows them: after a turn, after a round, or at the end."""

    turns: dict[int, list[JudgeReason]]
    """Maps the index of a turn to the assessments whose last turn it is."""
    rounds: dict[int, list[JudgeReason]]
    """Maps the number of a round to the assessments of this round."""
    whole: list[JudgeReason]
    """The assessments of the whole debate."""


def collect_judge_reasons(debate: Debate) -> JudgeReasons:
    """Return the assessments of all judging systems that were not replaced."""
    counted = {(run.id, system.kind) for run in debate.runs for system in run.active_systems()}
    found = JudgeReasons(defaultdict(list), defaultdict(list), [])
    for assessment in debate.assessments:
        if (assessment.run, assessment.system) not in counted:
            continue
        subject = assessment.subject
        reason = _reason(assessment, label_judging_system(debate, assessment.system, assessment.run))
        if subject.moment in ("turn", "pair") and subject.turns:
            found.turns[max(subject.turns)].append(reason)
        elif subject.moment == "round" and subject.round is not None:
            found.rounds[subject.round].append(reason)
        else:
            found.whole.append(reason)
    return found


def _reason(assessment: Assessment, label: str) -> JudgeReason:
    grouped: dict[tuple[str | None, str | None], list[Mark]] = defaultdict(list)
    for mark in assessment.marks:
        grouped[mark.participant, mark.item].append(mark)
    marked = tuple(
        MarkGroup(
            name,
            item,
            tuple(
                f"{mark.criterion.replace('_', ' ')} {format_number(mark.value, 1)} of {mark.out_of:g}" for mark in of
            ),
            tuple(dict.fromkeys(mark.reason for mark in of if mark.reason)),
        )
        for (name, item), of in grouped.items()
    )
    return JudgeReason(
        theme.format_brief(assessment.brief, label),
        assessment.exchange.model,
        assessment.rationale,
        marked,
        tuple(sentence for finding in assessment.findings for sentence in finding.describe()),
        assessment.warnings,
    )
