"""Long free-flowing debates with all judging systems, whose debaters make a new claim in every speech."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rehearsal_support import config_of

from debate_cli.app.context import RunContext
from debate_cli.app.session import Session
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.llm.model import OnText, Reply, Request
from debate_cli.providers.mock.model import MockModel
from debate_cli.systems.persuasion.settings import MAX_CONSECUTIVE

MODEL = "test/tireless"
NO_SURRENDER = {"surrender_threshold": 0, "stance_neutral_threshold": 0, "consecutive_persuasion": MAX_CONSECUTIVE}
SYSTEMS: list[dict[str, Any]] = [
    {"kind": "structured"},
    {"kind": "moderator"},
    {"kind": "panel"},
    {"kind": "live"},
    {"kind": "persuasion", "victory_conditions": NO_SURRENDER},
]


@dataclass
class TirelessModel:
    """The mock with a new, numbered claim in every speech, so that no debate converges."""

    requests: list[Request] = field(default_factory=list[Request])
    """Every request, in order."""
    _count: int = 0
    _mock: MockModel = field(
        default_factory=lambda: MockModel(ModelSpec(model="mock/rehearsal"), seed=7, folder=Path())
    )

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """The mock's reply, with numbered claims."""
        self.requests.append(request)
        reply = await self._mock.complete(request, on_text)
        if request.purpose != "speech":
            return reply
        self._count += 1
        data = json.loads(reply.text)
        plain = {
            "claim": "It holds here too.",
            "reasoning": "It follows from the point before.",
            "evidence": "A census.",
        }
        claims = [
            {**claim, "claim": f"Point {self._count}: {claim['claim']}"[:160]} for claim in data["claims"] or [plain]
        ]
        return replace(reply, text=json.dumps({**data, "claims": claims}))


def long_config(turns: int, history: str, systems: list[dict[str, Any]] | None = None) -> DebateConfig:
    """A free-flowing debate of so many turns of two debaters."""
    return config_of(
        models={"default": {"model": MODEL}},
        format={"kind": "free_flowing", "turns": turns // 2, "history": history},
        judging={"systems": SYSTEMS if systems is None else systems},
    )


def hold_long_debate(config: DebateConfig, model: TirelessModel) -> Debate:
    """The debate of `config`, from the first speech to the last judgement."""
    context = RunContext(config, models={MODEL: model})
    return asyncio.run(Session(context).begin("long", None)).debate
