"""Where a configuration names a model. What the roles mean is in `domain.config`."""

from __future__ import annotations

from collections.abc import Collection

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_checks import KeyPath


def find_model_key_paths(config: DebateConfig, models: Collection[str]) -> list[KeyPath]:
    """Key paths of all places that name one of `models` (`provider/model` each): its entries, then roles, as they stand."""
    found: list[KeyPath] = [("models", name, "model") for name, spec in config.models.items() if spec.model in models]
    found += [("debaters", place, "model") for place, one in enumerate(config.debaters) if one.model in models]
    for place, system in enumerate(config.judging.systems):
        here = ("judging", "systems", place)
        found += dict.fromkeys((*here, *seat.model_path) for seat in system.seats if seat.model in models)
    return found
