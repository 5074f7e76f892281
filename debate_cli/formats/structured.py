"""The structured format: the configured phases, one round each."""

from __future__ import annotations

from debate_cli.domain.config import FormatConfig
from debate_cli.formats.stage import Stage


def structured_stages(config: FormatConfig) -> tuple[Stage, ...]:
    """One stage a phase, in the order of the configuration."""
    return tuple(Stage(phase) for phase in config.phases)
