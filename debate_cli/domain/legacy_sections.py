"""Top-level sections, as the original program had them, for settings of the judging system `persuasion`."""

from collections.abc import Mapping
from typing import Any, cast

LEGACY_KIND = "persuasion"
"""Kind of the system that takes the sections."""
LEGACY_SECTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "victory_conditions": ("victory_conditions", {}),
    "persuasion_factors": (
        "factors",
        {"base_persuasion": "persuasion", "strategy_bonus": "strategy_fit", "evidence_bonus": "evidence"},
    ),
}
"""Section -> its name as a setting, and its keys that have another name there."""


def move_legacy_sections(data: Mapping[str, Any]) -> dict[str, Any]:
    """Move each legacy section in `data` into the settings of `persuasion`.

    Without `judging.systems`, `persuasion` becomes the only system. `persuasion_factors` selects `effects: factors`
    unless `effects` is given. A section stays if the system is not listed or already has the setting.
    """
    moved = dict(data)
    place = find_legacy_place(data)
    if place is None:
        return moved
    systems = _listed_systems(data)
    written = systems[place]
    settings: dict[str, Any] = {"kind": LEGACY_KIND} if written == LEGACY_KIND else dict(written)
    for section, (name, keys) in LEGACY_SECTIONS.items():
        values = data.get(section)
        if not isinstance(values, dict) or name in settings:
            continue
        settings[name] = {keys.get(key, key): value for key, value in cast("dict[str, Any]", values).items()}
        if name == "factors":
            settings.setdefault("effects", "factors")
        del moved[section]
    systems[place] = settings
    return {**moved, "judging": {**(data.get("judging") or {}), "systems": systems}}


def find_legacy_place(data: Mapping[str, Any]) -> int | None:
    """Position of `persuasion` in `judging.systems`; None if there are no legacy sections, or the system is missing."""
    if not any(isinstance(data.get(section), dict) for section in LEGACY_SECTIONS):
        return None
    kinds = [
        cast("dict[str, Any]", item).get("kind") if isinstance(item, dict) else item for item in _listed_systems(data)
    ]
    return kinds.index(LEGACY_KIND) if LEGACY_KIND in kinds else None


def _listed_systems(data: Mapping[str, Any]) -> list[Any]:
    """The systems of `judging.systems`; `persuasion` alone if it is not given."""
    judging: object = data.get("judging") or {}
    if not isinstance(judging, dict):
        return []
    systems: object = cast("dict[str, Any]", judging).get("systems", [LEGACY_KIND])
    return list(cast("list[Any]", systems)) if isinstance(systems, list | tuple) else []
