"""One fault, one wire format, one way of asking: a whole debate in which one question meets it, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from faults.fault_server import FaultServer, Heard, Served
from faults.playbacks import REFUSED_CONNECTION, Asked
from faults.runs import Waits, Witness, config, session, used
from faults.wire_formats import WIRES

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason, Failure
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.domain.turn import UNSTRUCTURED
from debate_cli.storage.transcript_store import open_debate

MAX_ATTEMPTS = 4
"""Neither the number of re-asks nor the default."""
SILENCE_S = 0.3
"""Longest silence in the trials of silence; those cost real time."""
PATIENCE_S = 30.0
"""In all others; is never reached."""
ONE_BY_ONE = {"arguments": 1, "phases": ["opening", "closing"], "order": "sequential"}
"""So that nobody else waits while the victim does."""
VICTIMS = {"streamed": ("pro", "turn/0"), "whole": ("judge", "r1/structured/judge/debate/all/0")}
"""Whose question meets the fault: debaters are asked for streams, judges are not."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried."""

    kind: str
    """Of provider: `openai` or `anthropic`."""
    fault: str
    asked: Asked
    lasting: bool
    """Whether every attempt meets the fault, or the first only."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What came of the question that met the fault, in the transcript on disk, and around it."""

    attempts: int
    waits: tuple[float, ...]
    notes: tuple[str, ...]
    failure: Failure | None
    kept: str
    """`answer`, `own words` (an unstructured speech) or `nothing`."""
    closed: CloseReason | None
    victory: str
    served: tuple[Served, ...]
    """Requests that arrived for the question."""
    used: Usage
    counted: Usage
    """What the whole debate used, by the transcript and by the server."""
    all_attempts: int
    all_arrived: int
    shown: str
    """What stands on the screen of the question."""

    @property
    def faulty(self) -> Usage:
        """Tokens that the faulty answers told of."""
        return sum((each.reported for each in self.served if each.fault is not None), Usage())


class Troublemaker:
    """Lets the victim's question meet the fault until that is settled."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._model, self._key = VICTIMS[trial.asked]
        self._met = 0
        self._over = False
        self.server = FaultServer(self.plan)

    def plan(self, heard: Heard) -> str | None:
        """See `fault_server.Plan`."""
        if self._over or heard.model != self._model or self._trial.fault == REFUSED_CONNECTION:
            return None
        self._met += 1
        return self._trial.fault if self._trial.lasting or self._met == 1 else None

    def settled(self, key: str) -> None:
        """The fault passes with its question; connections are refused to the judge once all have spoken."""
        self._over = self._over or key == self._key
        if self._trial == Trial(self._trial.kind, REFUSED_CONNECTION, "whole", self._trial.lasting) and key == "turn/3":
            self.server.refuse()


async def run(trial: Trial, folder: Path) -> Ending:
    """Hold the debate of a trial."""
    trouble, witness, notes = Troublemaker(trial), Witness(), list[str]()
    witness.settled = trouble.settled
    async with trouble.server as server:
        waits = Waits(then=None if trial.lasting else server.open)
        silence = trial.fault in {"silence", "stall"}
        limits = {"max_attempts": MAX_ATTEMPTS, "timeout_s": SILENCE_S if silence else PATIENCE_S}
        settings = config(server, trial.kind, limits=limits, format=ONE_BY_ONE)
        if trial.fault == REFUSED_CONNECTION and trial.asked == "streamed":
            server.refuse()
        outcome = await session(witness, waits, notes).begin(settings, "trial", folder)
        assert outcome.path is not None
        about = [note.replace(server.host, "HOST") for note in notes]
        stored = open_debate(outcome.path)
        return _ending(trial, stored.debate, stored.verdicts[0].victory, server, witness, (waits, about))


def _ending(
    trial: Trial, debate: Debate, victory: str, server: FaultServer, witness: Witness, around: tuple[Waits, list[str]]
) -> Ending:
    model, key = VICTIMS[trial.asked]
    kept, exchange, failure = _left(debate, key)
    waits, notes = around
    served = [each for each in server.served if each.heard.model == model][: exchange.attempts]
    if failure is not None:
        failure = failure.model_copy(update={"message": failure.message.replace(server.host, "HOST")})
    return Ending(
        attempts=exchange.attempts,
        waits=tuple(waits.waited),
        notes=tuple(notes),
        failure=failure,
        kept=kept,
        closed=debate.closed,
        victory=victory,
        served=tuple(served),
        used=used(debate),
        counted=server.counted,
        all_attempts=debate.usage.attempts,
        all_arrived=len(server.served),
        shown=witness.shown.get(key, ""),
    )


def _left(debate: Debate, key: str) -> tuple[str, ModelCall, Failure | None]:
    """What a debate keeps of a task."""
    for failure in debate.failures:
        if failure.task.key == key:
            assert failure.exchange is not None
            return "nothing", failure.exchange, failure
    for turn in debate.turns:
        if f"turn/{turn.index}" == key:
            return "own words" if UNSTRUCTURED in turn.warnings else "answer", turn.exchange, None
    assessment = next(item for item in debate.assessments if item.brief.key == key)
    return "answer", assessment.exchange, None


KINDS = tuple(WIRES)
