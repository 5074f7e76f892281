"""Writes the announcements of the debate's chair. Only people read them, not models. The text is not sanitized."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.message_text import count_noun
from debate_cli.domain.turn import Phase
from debate_cli.formats.schedule import Stage, active_debaters, follow_up_questions, stages
from debate_cli.render import theme

MAX_MOTION_CHARS = 240
PAIR = 2
FINAL_REASONS = frozenset[CloseReason]({"complete", "surrender", "converged"})
"""Reasons for closing a debate. A debate that closed for one of these reasons cannot be resumed."""


def announce_debate(debate: Debate) -> str:
    """Return the announcement of motion, format and rounds; empty for a judged document."""
    if debate.document_name is not None:
        return ""
    motion = theme.shorten(debate.topic, MAX_MOTION_CHARS)
    ending = "" if motion.endswith((".", "?", "!", "…", "。", "？", "！")) else "."
    if debate.origin is not None:
        return f"The motion is: {motion}{ending} The debate was held elsewhere and imported from {debate.origin.file}."
    return f"The motion is: {motion}{ending} {' '.join(_explain_format(debate))}"


def announce_round(debate: Debate, number: int, phase: Phase) -> str:
    """Return the announcement of a round: who surrendered, who speaks, and what comes next.

    `debate` must have all turns before the round. For an imported debate, only the number of the round is announced.
    """
    if debate.origin is not None:
        return f"Round {number}."
    plan = stages(debate.config.format)
    position = _find_stage(debate, plan, number, phase)
    gave_up = _stopped_debaters(debate, number) - _stopped_debaters(debate, number - 1)
    surrenders = "".join(f"{name} surrenders and speaks no more. " for name in sorted(gave_up))
    who = _order_of_speakers(debate, _find_speakers(debate, number, plan[position] if position is not None else None))
    if position is None:
        return f"{surrenders}Round {number}: {who}."
    rest = plan[position + 1 :]
    total = f"{'at most ' if any(map(_is_optional, rest)) else ''}{number + len(rest)}"
    following = f"Next: {_name_next(rest[0], number)}." if rest else "This is the last round."
    return f"{surrenders}Round {number} of {total}: {who}. {following}"


def announce_close(debate: Debate, reason: CloseReason | None) -> str:
    """Return one or two sentences: why the debate ended, and how many speeches it had.

    Empty for a judged document, or if `reason` is None.
    """
    if reason is None or debate.document_name is not None:
        return ""
    rounds = len({turn.round for turn in debate.turns})
    length = f"{count_noun(len(debate.turns), 'speech')} in {count_noun(rounds, 'round')}"
    speeches = f"It had {length}." if reason in FINAL_REASONS else f"So far it has {length}."
    return f"{theme.CLOSE_MESSAGES[reason]}{f' {speeches}' if rounds else ''}"


def _explain_format(debate: Debate) -> Iterable[str]:
    config = debate.config.format
    plan = stages(config)
    name = config.kind.replace("_", "-")
    if config.kind == "free_flowing":
        order = _order_of_speakers(debate, [item.name for item in debate.participants])
        yield f"The format is {name}, with {count_noun(config.turns, 'speech')} by each debater: {order}."
        yield "The debate ends early after a full round in which nothing new is said."
        return
    most = "at most " if any(map(_is_optional, plan)) else ""
    yield f"The format is {name}, with {most}{count_noun(len(plan), 'round')}."
    for stage, group in groupby(plan):
        times = len(list(group))
        label = _name_stage(stage)
        yield f"{label.capitalize()}{f' ({times} rounds)' if times > 1 else ''}: {_describe_task(stage, debate)}."


def _describe_task(stage: Stage, debate: Debate) -> str:
    config = debate.config.format
    others = "the other side" if len(debate.participants) == PAIR else "the others"
    if stage.follow_up:
        return "those who asked respond to the answers"
    match stage.phase:
        case "opening":
            blind = "" if _speaks_in_turn(debate) else f", without seeing those of {others}"
            return f"each debater states {count_noun(config.arguments, 'argument')}{blind}"
        case "cross_examination":
            return f"each answers every argument of {others}"
        case "answers":
            return "each replies to the questions of the others"
        case "rebuttal":
            return f"each answers arguments of {others} and cites their ids"
        case "closing":
            return f"each sums up in at most {config.closing_words} words"
        case "speech":
            return "each speaks without a set task"


def _find_stage(debate: Debate, plan: Sequence[Stage], number: int, phase: Phase) -> int | None:
    """Return the index in `plan` of the stage of round `number`; None if `plan` has no such stage.

    Rounds are matched to stages by phase, because a skipped stage has no round.
    """
    phases = {turn.round: turn.phase for turn in debate.turns if turn.round < number} | {number: phase}
    position = -1
    for _, wanted in sorted(phases.items()):
        later = (place for place in range(position + 1, len(plan)) if plan[place].phase == wanted)
        found = next(later, None)
        if found is None:
            return None
        position = found
    return position


def _find_speakers(debate: Debate, number: int, stage: Stage | None) -> list[str]:
    stopped = _stopped_debaters(debate, number)
    names = [item.name for item in debate.participants if item.name not in stopped]
    if stage is None or not _is_optional(stage):
        return names
    earlier = [turn for turn in debate.turns if turn.round < number and turn.phase == "cross_examination"]
    asking = tuple(turn for turn in earlier if turn.round == earlier[-1].round)
    put = follow_up_questions(debate, asking)
    due = {question.asked_by if stage.follow_up else asked for asked, question in put}
    return [name for name in names if name in due]


def _stopped_debaters(debate: Debate, number: int) -> frozenset[str]:
    is_whole = any(run.id == FIRST_RUN for run in debate.runs)
    if not is_whole or len(debate.participants) <= PAIR:
        return frozenset()
    due_index = sum(turn.round < number for turn in debate.turns)
    active = active_debaters(debate, due_index, number)
    return frozenset(item.name for item in debate.participants if item.name not in active)


def _speaks_in_turn(debate: Debate) -> bool:
    if any(run.id == FIRST_RUN for run in debate.runs):
        return debate.is_sequential
    return debate.config.format.order == "sequential"


def _order_of_speakers(debate: Debate, names: Sequence[str]) -> str:
    if len(names) < PAIR:
        return f"{names[0] if names else 'no debater'} speaks"
    if _speaks_in_turn(debate):
        first, *others = names
        return f"{first} speaks first, then {', then '.join(others)}"
    return f"{', '.join(names[:-1])} and {names[-1]} speak at the same time"


def _is_optional(stage: Stage) -> bool:
    return stage.phase == "answers" or stage.follow_up


def _name_next(stage: Stage, number: int) -> str:
    if stage.phase == "speech":
        return f"round {number + 1}"
    return f"{_name_stage(stage)}{', if questions were asked' if _is_optional(stage) else ''}"


def _name_stage(stage: Stage) -> str:
    return "follow-up" if stage.follow_up else theme.PHASE_LABELS[stage.phase]
