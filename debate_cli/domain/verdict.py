"""What a scorer concludes."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from debate_cli.domain.assessment import SystemKind
from debate_cli.domain.value import Value

Victory = Literal["draw", "narrow", "clear", "overwhelming", "conditional", "undetermined"]
"""`overwhelming` is persuasion's, `conditional` the panel's. `undetermined`: too little was assessed to say; `notes.missing` tells what."""


class Verdict(Value):
    """The conclusion of one system over one judging run: a pure function of the debate and the system's settings."""

    system: SystemKind
    run: str
    winner: str | None
    """Name of the debater who won; None for a draw, a conditional verdict and where it cannot be determined."""
    victory: Victory
    margin: float | None
    """Points between the first and the second score, >= 0; None where undetermined."""
    scores: dict[str, float]
    """Score per debater's name, on the system's own scale; debaters that could not be scored are left out."""
    decides: bool = False
    """Whether this verdict heads the output."""
    notes: dict[str, JsonValue] = {}
    """How the scores came about, in a shape of the system's own (documented in its scorer). `missing`: list of
    sentences on what was not assessed, present in every system, empty when nothing is missing."""
