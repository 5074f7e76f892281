"""A trial: a whole debate in which one question meets a fault, in one wire format, streamed or whole."""

from dataclasses import dataclass
from pathlib import Path

from faults.fault_server import FaultServer, ReceivedRequest, Served
from faults.playbacks import REFUSED_CONNECTION, Asked
from faults.runs import FakeSleep, RecordingObserver, config, session, used
from faults.wire_formats import WIRES

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason, Failure
from debate_cli.domain.model_call import ModelCall, Usage
from debate_cli.domain.turn import UNSTRUCTURED
from debate_cli.storage.transcript_store import open_debate

MAX_ATTEMPTS = 4
"""Neither the number of re-asks nor the default."""
SILENCE_S = 0.3
"""Timeout in trials of silence, which take real time."""
TIMEOUT_S = 30.0
"""Timeout in all other trials; never reached."""
ONE_BY_ONE = {"arguments": 1, "phases": ["opening", "closing"], "order": "sequential"}
"""No other question is asked at the same time."""
TARGETS = {"streamed": ("pro", "turn/0"), "whole": ("judge", "r1/structured/judge/debate/all/0")}
"""Model and task that meet the fault: speeches are streamed, judgements are not."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Parameters of a trial."""

    kind: str
    """Provider kind: `openai` or `anthropic`."""
    fault: str
    asked: Asked
    lasting: bool
    """Whether every attempt meets the fault, or only the first."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Result of a trial: the question in the transcript on disk, waits, notes and usage."""

    trial: Trial
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
    """Usage of the debate by the transcript (`used`) and by the server (`counted`)."""
    all_attempts: int
    all_arrived: int
    shown: str
    """Streamed text of the question."""

    @property
    def faulty(self) -> Usage:
        """Usage reported by the faulty answers."""
        return sum((each.reported for each in self.served if each.fault is not None), Usage())


class FaultPlanner:
    """Plans the fault for the target's question until the question is settled."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._model, self._key = TARGETS[trial.asked]
        self._met = 0
        self._over = False
        self.server = FaultServer(self.plan)

    def plan(self, received: ReceivedRequest) -> str | None:
        """See `fault_server.Plan`."""
        if self._over or received.model != self._model or self._trial.fault == REFUSED_CONNECTION:
            return None
        self._met += 1
        return self._trial.fault if self._trial.lasting or self._met == 1 else None

    def settled(self, key: str) -> None:
        """End the fault with its question. For a judge, connections are refused after the last speech."""
        self._over = self._over or key == self._key
        if self._trial == Trial(self._trial.kind, REFUSED_CONNECTION, "whole", self._trial.lasting) and key == "turn/3":
            self.server.refuse()


async def run(trial: Trial, folder: Path) -> Ending:
    """Run the debate of a trial."""
    planner, observer, notes = FaultPlanner(trial), RecordingObserver(), list[str]()
    observer.settled = planner.settled
    async with planner.server as server:
        waits = FakeSleep(then=None if trial.lasting else server.open)
        silence = trial.fault in {"silence", "stall"}
        limits = {"max_attempts": MAX_ATTEMPTS, "timeout_s": SILENCE_S if silence else TIMEOUT_S}
        settings = config(server, trial.kind, limits=limits, format=ONE_BY_ONE)
        if trial.fault == REFUSED_CONNECTION and trial.asked == "streamed":
            server.refuse()
        outcome = await session(observer, waits, notes).begin(settings, "trial", folder)
        assert outcome.path is not None
        about = [note.replace(server.host, "HOST") for note in notes]
        stored = open_debate(outcome.path)
        return _ending(trial, stored.debate, stored.verdicts[0].victory, server, observer, (waits, about))


def _ending(
    trial: Trial,
    debate: Debate,
    victory: str,
    server: FaultServer,
    observer: RecordingObserver,
    around: tuple[FakeSleep, list[str]],
) -> Ending:
    model, key = TARGETS[trial.asked]
    kept, exchange, failure = _left(debate, key)
    waits, notes = around
    served = [each for each in server.served if each.received.model == model][: exchange.attempts]
    if failure is not None:
        failure = failure.model_copy(update={"message": failure.message.replace(server.host, "HOST")})
    return Ending(
        trial=trial,
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
        shown=observer.shown.get(key, ""),
    )


def _left(debate: Debate, key: str) -> tuple[str, ModelCall, Failure | None]:
    """What the debate keeps of a task: kind, call and failure."""
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
