"""Panels of judges a, b, c ... and votes that they cast."""

from __future__ import annotations

from typing import Any

from scoring_support import CON, PRO, ballot, begun, judged, speech

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.systems.panel.findings import VoteOption
from debate_cli.systems.panel.settings import PanelJudge, PanelSettings


def bench(*weights: float, **fields: Any) -> PanelSettings:
    """A panel of judges a, b, c ... with these weights."""
    judges = tuple(
        PanelJudge(id=name, persona=name, weight=weight) for name, weight in zip("abcde", weights, strict=False)
    )
    return PanelSettings(judges=judges, **fields)


def voted(settings: PanelSettings, *given: Assessment) -> Debate:
    """A debate of three turns on which these votes were cast."""
    return judged(begun(settings), [speech(0, PRO), speech(1, CON), speech(2, PRO)], given)


def votes(*options: VoteOption, revision: int = 0) -> list[Assessment]:
    """Bare votes of judges a, b, c ..."""
    return [ballot(name, option, revision=revision) for name, option in zip("abcde", options, strict=False)]
