"""What a scorer concludes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from debate_cli.domain.frozen_model import FrozenModel

Victory = Literal["draw", "narrow", "clear", "overwhelming", "conditional", "undetermined"]
"""`overwhelming` is persuasion's, `conditional` the panel's. `undetermined`: too little was assessed to say; `notes.missing` tells what."""


class Verdict(FrozenModel):
    """The conclusion of one system over one judging run: a pure function of the debate and the system's settings."""

    system: str
    """Kind of the judging system."""
    run: str
    winner: str | None
    """Name of the debater who won; None for a draw, a conditional verdict and where it cannot be determined."""
    victory: Victory
    margin: float | None
    """Points between the first and the second score, >= 0; None where undetermined."""
    scores: dict[str, float]
    """Score per debater's name, on the system's own scale; debaters that could not be scored are left out."""
    rules: Annotated[int, Field(ge=1, exclude_if=lambda rules: rules == 1)] = 1
    """Version of the system's formula; 1 is not written. Verdicts under different rules cannot be compared."""
    decides: bool = False
    """Whether this verdict heads the output."""
    notes: dict[str, JsonValue] = {}
    """How the scores came about, in a shape of the system's own (documented in its scorer). `missing`: list of
    sentences on what was not assessed, present in every system, empty when nothing is missing."""

    @property
    def option(self) -> str | None:
        """The option that judges voted for (`notes.option`), where no winner says it; None for all other verdicts."""
        if self.winner is not None or self.victory == "undetermined":
            return None
        found = self.notes.get("option")
        return found if isinstance(found, str) else None

    @property
    def option_shares(self) -> dict[str, float]:
        """Share of the vote (`notes.weights`) for each option that has any, 0-1; empty where `option` is None."""
        found = self.notes.get("weights")
        if self.option is None or not isinstance(found, dict):
            return {}
        return {name: float(share) for name, share in found.items() if isinstance(share, int | float) and share > 0}

    @property
    def is_tied(self) -> bool:
        """Whether the verdict is conditional because two options have equal weight, not by a vote for CONDITIONAL."""
        shares = self.option_shares
        return self.option == "CONDITIONAL" and shares.get("CONDITIONAL", 0.0) < max(shares.values(), default=0.0)

    @property
    def displayed_scores(self) -> dict[str, float]:
        """The scores to show: those of the debaters, or the shares of the options where a vote has no winner."""
        return self.option_shares or self.scores
