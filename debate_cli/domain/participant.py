"""The participants of a debate: the configured debaters, with their defaults filled in."""

import re

from pydantic import Field

from debate_cli.domain.config import PREFIX_PATTERN, DebateConfig, DebaterConfig
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.personality import Personality, resolve_personality

SIDE_PREFIXES = {"for": "PRO", "against": "CON"}
DEFAULT_STANCES = {"for": 0.8, "against": -0.8}
DEFAULT_CONVICTION = 0.7
IMPORTED_MODEL = "imported/none"
"""Value of `model` for debaters of imported debates, whose files name no model."""


class Participant(FrozenModel):
    """A debater, as stored in a transcript."""

    name: str
    side: str
    prefix: str = Field(pattern=PREFIX_PATTERN)
    """Prefix of the debater's argument ids, unique in a debate."""
    model: str
    """Model of the debater as `provider/model`."""
    personality: Personality | None = None
    """Personality at the start; None if not configured."""
    stance: float | None = None
    """Stance at the start, -1 to 1; None if not configured."""
    conviction: float | None = None
    """Conviction at the start, 0 to 1; None if not configured."""
    strategy: str | None = None

    @property
    def starting_stance(self) -> float:
        """The configured stance.

        Without one: 0.8 on the side `for`, -0.8 on the side `against`, 0 on any other side.
        """
        return self.stance if self.stance is not None else DEFAULT_STANCES.get(self.side, 0.0)

    @property
    def starting_conviction(self) -> float:
        """The configured conviction; 0.7 if none is configured."""
        return self.conviction if self.conviction is not None else DEFAULT_CONVICTION


def participants(config: DebateConfig) -> tuple[Participant, ...]:
    """Return the debaters of `config`, in the order of the configuration."""
    next_numbers: dict[str, int] = {}
    """Maps each prefix in use to the number to append next, e.g. `{"PRO": 2}` if `PRO2` is next."""
    found: list[Participant] = []
    for debater in config.debaters:
        prefix = _choose_prefix(debater, next_numbers)
        next_numbers.setdefault(prefix, 2)
        spec = config.model_for_debater(debater)
        found.append(
            Participant(
                name=debater.name,
                side=debater.side,
                prefix=prefix,
                model=spec.model if spec else "",
                personality=resolve_personality(debater.personality) if debater.personality is not None else None,
                stance=debater.stance,
                conviction=debater.conviction,
                strategy=debater.strategy,
            )
        )
    return tuple(found)


def _choose_prefix(debater: DebaterConfig, next_numbers: dict[str, int]) -> str:
    if debater.prefix is not None:
        return debater.prefix
    default = SIDE_PREFIXES.get(debater.side) or re.sub(r"[^A-Z0-9]", "", debater.side.upper())[:6]
    wanted = default if default[:1].isalpha() else "ARG"
    candidate = wanted
    while candidate in next_numbers:
        candidate = f"{wanted}{next_numbers[wanted]}"
        next_numbers[wanted] += 1
    return candidate
