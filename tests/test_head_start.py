"""Who is asked first where speakers and judges are asked at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

from formats_support import NOON, begun, config, speech

from debate_cli.domain.content import Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.engine import Cast, Run, Stop
from debate_cli.llm.port import OnText
from debate_cli.render.plain.watchers import QuietWatcher

HEAD_START_S = 0.25
"""Long enough for a busy machine to let a question leave."""
YIELDS = 20
"""Times that a question gives way to others before it leaves."""


class Actors:
    """Speakers and a judge that write down in which order their questions left."""

    def __init__(self) -> None:
        self.left: list[str] = []

    async def speak(self, cue: Cue, debate: Debate, on_text: OnText | None = None) -> Turn | Failure:
        """Leave after a while, and answer later than the judge is asked."""
        del on_text
        for _ in range(YIELDS):
            await asyncio.sleep(0)
        self.left.append(cue.key)
        await asyncio.sleep(2 * HEAD_START_S)
        return speech(cue, debate)

    def hear(self, turn: Turn, debate: Debate) -> None:
        """Nothing is read ahead."""

    async def assess(self, brief: Brief, debate: Debate) -> Failure:
        """Leave at once; a panel's question takes as long to write as a speaker's."""
        del debate
        for _ in range(YIELDS if brief.system == "panel" else 0):
            await asyncio.sleep(0)
        self.left.append(brief.key)
        return Failure(task=brief, who=brief.assessor, cause="abstained", message="No opinion.", final=True)


def order(head_start_s: float, *systems: Any) -> list[str]:
    """Keys of all questions of a structured debate that a moderator or `systems` judge, in the order in which they left."""
    debate = begun(config(None, list(systems) or [{"kind": "moderator", "guidance": False}]))
    actors = Actors()
    cast = Cast({item.name: actors for item in debate.participants}, actors)
    run = Run(debate, cast, lambda _: None, QuietWatcher(), clock=lambda: NOON, stop=Stop(), head_start_s=head_start_s)
    asyncio.run(run.conduct())
    return actors.left


def test_speakers_questions_leave_before_those_of_judges_beside_them() -> None:
    """The debate waits for its speakers alone."""
    asked = order(HEAD_START_S)
    assert asked.index("turn/3") < asked.index("r1/moderator/judge/round/1/0") < asked.index("turn/4")


def test_of_judges_those_leave_first_that_will_ask_on() -> None:
    """The round of the moderator and its final word are due together with the panel's votes, which more may follow."""
    asked = order(HEAD_START_S, "structured", {"kind": "moderator", "guidance": False}, "panel")
    last = asked[asked.index("turn/5") + 1 :]
    assert max(place for place, key in enumerate(last) if "/panel/" in key) < last.index("r1/moderator/judge/round/3/0")


def test_of_chains_that_may_be_equally_long_the_one_with_fewest_questions_leaves_first() -> None:
    """A panel of two that may vote once more, beside the last questions of the live judge, who may ask once more too."""
    panel = {"kind": "panel", "max_rounds": 1, "personas": ["technical_architect", "qa_evaluator"]}
    asked = order(HEAD_START_S, "structured", {"kind": "live", "feedback": False}, panel)
    narrative = asked.index("r1/live/judge/debate/all/0")
    assert max(place for place, key in enumerate(asked) if "/panel/" in key) < narrative


def test_without_a_head_start_whoever_is_ready_leaves() -> None:
    """A rehearsal on the mock has nothing to wait for."""
    asked = order(0.0)
    assert asked.index("r1/moderator/judge/round/1/0") < asked.index("turn/2")
