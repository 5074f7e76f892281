"""What a scorer concludes."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from debate_cli.domain.assessment import SystemKind, VoteOption
from debate_cli.domain.frozen_model import FrozenModel

Victory = Literal["draw", "narrow", "clear", "overwhelming", "conditional", "undetermined"]
"""`overwhelming` is persuasion's, `conditional` the panel's. `undetermined`: too little was assessed to say; `notes.missing` tells what."""

_OPTIONS: tuple[VoteOption, ...] = ("PASS", "FAIL", "CONDITIONAL")


class Verdict(FrozenModel):
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

    @property
    def option(self) -> VoteOption | None:
        """What a panel voted, where no winner tells it; None for all other verdicts, and where it determined nothing."""
        if self.system != "panel" or self.winner is not None or self.victory == "undetermined":
            return None
        found = self.notes.get("option")
        return next((option for option in _OPTIONS if option == found), None)

    @property
    def option_shares(self) -> dict[str, float]:
        """Share of a panel's weight behind each option that has any, 0-1, where no winner tells the vote; else empty."""
        found = self.notes.get("weights")
        if self.option is None or not isinstance(found, dict):
            return {}
        shares = ((option, found.get(option)) for option in _OPTIONS)
        return {option: float(share) for option, share in shares if isinstance(share, int | float) and share > 0}

    @property
    def is_tied(self) -> bool:
        """Whether the verdict is conditional because two options have equal weight, not by a vote for CONDITIONAL."""
        shares = self.option_shares
        return self.option == "CONDITIONAL" and shares.get("CONDITIONAL", 0.0) < max(shares.values(), default=0.0)

    @property
    def displayed_scores(self) -> dict[str, float]:
        """What is shown as its scores: the debaters' own, or the shares of the options where a panel let nobody win."""
        return self.option_shares or self.scores
