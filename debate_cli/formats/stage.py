"""A stage: one step in the plan of a format, before anybody knows who will speak in it."""

from __future__ import annotations

from dataclasses import dataclass

from debate_cli.domain.turn import Phase


@dataclass(frozen=True, slots=True)
class Stage:
    """What every debater is asked for in turn. A stage in which nobody has anything to say makes no round."""

    phase: Phase
    follow_up: bool = False
    """A cross-examination only of what was answered in the stage before."""
