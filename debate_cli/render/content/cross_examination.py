"""Threads of the cross-examination: a claim, the questions about it, and the replies."""

from collections.abc import Iterable
from typing import NamedTuple

from debate_cli.domain.turn import FollowUpAnswer, Response, Turn
from debate_cli.render import theme
from debate_cli.render.theme import shorten

MAX_REPLY_LENGTH = 200
"""Maximum length of a quoted reply."""


class ThreadStep(NamedTuple):
    """One step in a thread: a question about the argument, or the reply of the debater who made it."""

    by: str
    symbol: str
    """Symbol before the step."""
    actions: tuple[str, ...]
    """Actions of `by`, in order: `challenges`, `asks`."""
    said: str
    """The question, or the reply; untrusted."""

    @property
    def words(self) -> str:
        """The step in a sentence; untrusted."""
        return f"{self.by} {' and '.join(self.actions)}: {self.said}"


def question_step(by: str, response: Response) -> ThreadStep:
    """The question that a response ends with."""
    kind = theme.RESPONSE_BADGES[response.type]
    return ThreadStep(by, kind.symbol, (kind.word, "asks"), response.follow_up)


def reply_step(by: str, answer: FollowUpAnswer) -> ThreadStep:
    """The step for a reply, whose text is shortened."""
    return ThreadStep(by, "↳", ("answered",), shorten(answer.reply, MAX_REPLY_LENGTH))


class ArgumentThread(NamedTuple):
    """An argument with the latest questions about it, and the latest reply, before a given round."""

    owner: str
    """The debater who made the argument."""
    claim: str
    steps: tuple[ThreadStep, ...] = ()
    """The questions of the last round that has any, and the latest reply, in order."""


def addressed_argument(piece: object) -> str | None:
    """Id of the argument that a response or an answer refers to; None for other parts of a speech."""
    match piece:
        case Response():
            return piece.target
        case FollowUpAnswer():
            return piece.question_target
        case _:
            return None


class ThreadIndex:
    """Arguments with their questions and replies, by argument id."""

    def __init__(self, turns: Iterable[Turn] = ()) -> None:
        self._claims: dict[str, tuple[str, str]] = {}
        self._asked: dict[str, list[tuple[int, ThreadStep]]] = {}
        self._replies: dict[str, list[tuple[int, ThreadStep]]] = {}
        for turn in turns:
            self._add_turn(turn)

    def of(self, target: str, round_number: int) -> ArgumentThread | None:
        """The thread on argument `target` before round `round_number`; None for an unknown argument."""
        found = self._claims.get(target)
        if found is None:
            return None
        questions = [item for item in self._asked.get(target, ()) if item[0] < round_number]
        latest = max((number for number, _ in questions), default=0)
        replies = [item for item in self._replies.get(target, ()) if item[0] < round_number]
        steps = [item for item in questions if item[0] == latest] + replies[-1:]
        return ArgumentThread(*found, tuple(step for _, step in sorted(steps, key=lambda item: item[0])))

    def thread_addressed_by(self, piece: object, round_number: int) -> tuple[str, ArgumentThread] | None:
        """Id and thread of the argument that `piece`, a response or an answer, refers to; None for other parts."""
        target = addressed_argument(piece)
        thread = self.of(target, round_number) if target is not None else None
        return None if target is None or thread is None else (target, thread)

    def _add_turn(self, turn: Turn) -> None:
        for argument in turn.arguments or ():
            self._claims.setdefault(argument.id, (turn.speaker, argument.claim))
        for response in turn.responses or ():
            owner, _ = self._claims.get(response.target, (None, ""))
            if response.follow_up.strip() and owner != turn.speaker:
                self._asked.setdefault(response.target, []).append((turn.round, question_step(turn.speaker, response)))
        for answer in turn.answers or ():
            owner, _ = self._claims.get(answer.question_target, (None, ""))
            if owner == turn.speaker:
                self._replies.setdefault(answer.question_target, []).append(
                    (turn.round, reply_step(turn.speaker, answer))
                )
