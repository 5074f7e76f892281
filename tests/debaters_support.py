"""A model with prepared replies, and a debater that uses it."""

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from debate_cli.debaters.debater import Debater
from debate_cli.domain.config import Price
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.model_call import Usage
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Turn
from debate_cli.errors import DebateError
from debate_cli.llm.model import OnText, Profile, Reply, Request
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle, StructuredOutputClient

PRICE = Price(input=1.0, output=1.0)


class Parrot:
    """Answers with the given replies in turn, then repeats the last one; records its requests."""

    def __init__(self, *replies: str | DebateError) -> None:
        self._replies = replies
        self.asked: list[Request] = []

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The next reply; an error among the replies is raised."""
        self.asked.append(request)
        reply = self._replies[min(len(self.asked), len(self._replies)) - 1]
        if isinstance(reply, DebateError):
            raise reply
        if on_text is not None:
            on_text(reply)
        return Reply(text=reply, usage=Usage(input_tokens=100, output_tokens=10), finish_reason="stop", latency_s=0.5)


def speak(
    parrot: Parrot, cue: Cue, debate: Debate, on_text: OnText | None = None, handle_fields: dict[str, Any] | None = None
) -> Turn | Failure:
    """The debater's answer to `cue` with the parrot's replies. `handle_fields` changes fields of its model handle."""
    client = StructuredOutputClient(parrot, Profile(modes=("native",)), name="mock/a", price=PRICE)
    handle = ModelHandle(client, "mock/a", **({"max_output_tokens": 500, "seed": 7} | (handle_fields or {})))
    debater = Debater(debate.config.debater(cue.speaker), handle, Prompts())
    return asyncio.run(debater.speak(cue, debate, on_text))


def take_turn(parrot: Parrot, cue: Cue, debate: Debate) -> Turn:
    """Like `speak`, but the answer must be a turn."""
    result = speak(parrot, cue, debate)
    assert isinstance(result, Turn)
    return result


def opening(*ids: str, claim: str = "Something specific holds.") -> str:
    """A reply to the cue of an opening."""
    part = {"claim": claim, "reasoning": "It follows from a cause by a process.", "evidence": "A census of 2020."}
    return json.dumps({"arguments": [{"id": key, **part} for key in ids]})


def responses(*targets: str, **fields: Any) -> str:
    """A reply to the cue of a cross-examination."""
    part = {"reasoning": "It does not follow from that.", "type": "refute", "follow_up": "Why?", **fields}
    return json.dumps({"responses": [{"target": target, **part} for target in targets]})


def closing(words: int, concessions: Iterable[str] = ()) -> str:
    """A reply to the cue of a closing whose final position has `words` words."""
    part = {"concessions": list(concessions), "unrebutted": [], "final_position": " ".join(["word"] * words)}
    return json.dumps({"closing": {**part, "shift": "unchanged"}})


def codes(turn: Turn) -> list[str]:
    """The codes of a turn's warnings."""
    return [warning.partition(":")[0] for warning in turn.warnings]
