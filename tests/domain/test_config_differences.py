"""Where two configurations differ, for one who goes on with a debate."""

from __future__ import annotations

from typing import Any

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.config_differences import format_differences

FIELDS: dict[str, Any] = {
    "topic": "A tram?",
    "models": {"default": {"model": "mock/a"}},
    "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
}
STORED = DebateConfig.model_validate(FIELDS)


def told(**changes: Any) -> list[str]:
    """What differs from the stored configuration."""
    return format_differences(STORED, DebateConfig.model_validate({**FIELDS, **changes}), lambda data: data)


def test_the_same_configuration_differs_in_nothing() -> None:
    """Nor do limits and output count."""
    assert told(limits={"max_tokens": 9}, output={"dir": "elsewhere"}) == []


def test_values_are_told_in_plain_words() -> None:
    """Texts between quotation marks; what is not set is said to be not set."""
    assert told(topic="A bus?", seed=3) == [
        'topic: stored "A tram?", given "A bus?"',
        "seed: stored not set, given 3",
    ]


def test_lists_of_another_length_are_told_by_names() -> None:
    """Not as data."""
    three = [*FIELDS["debaters"], {"name": "Third", "side": "maybe"}]
    assert told(debaters=three) == ["debaters: stored Pro, Con, given Pro, Con, Third"]


def test_secrets_are_not_told() -> None:
    """What may not be seen of the data is taken out before it is compared."""
    found = format_differences(
        STORED, DebateConfig.model_validate({**FIELDS, "topic": "secret"}), lambda _: {"topic": "***"}
    )
    assert found == []
