"""Configurations with custom providers."""

from typing import Any

from debate_cli.domain.config import DebateConfig


def config(**providers: Any) -> DebateConfig:
    """A configuration with these providers."""
    debaters = [{"name": "A", "side": "for"}, {"name": "B", "side": "against"}]
    return DebateConfig.model_validate({"topic": "T", "debaters": debaters, "providers": providers})
