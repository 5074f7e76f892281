"""The differences between two configurations."""

from typing import Any

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_differences import format_differences

FIELDS: dict[str, Any] = {
    "topic": "A tram?",
    "models": {"default": {"model": "mock/a"}},
    "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
}
STORED = DebateConfig.model_validate(FIELDS)


def differences(**changes: Any) -> list[str]:
    """What differs from the stored configuration."""
    return format_differences(STORED, DebateConfig.model_validate({**FIELDS, **changes}), lambda data: data)


def test_values_are_shown_in_plain_words() -> None:
    """Texts are quoted, None is `not set`, and mappings are shown by their names."""
    assert differences(topic="A bus?", seed=3) == [
        'topic: stored "A tram?", given "A bus?"',
        "seed: stored not set, given 3",
    ]
    three = [*FIELDS["debaters"], {"name": "Third", "side": "maybe"}]
    assert differences(debaters=three) == ["debaters: stored Pro, Con, given Pro, Con, Third"]


def test_secrets_are_not_shown() -> None:
    """Both sides are redacted before they are compared."""
    found = format_differences(
        STORED, DebateConfig.model_validate({**FIELDS, "topic": "secret"}), lambda _: {"topic": "***"}
    )
    assert found == []
