"""The first event of a debate contains no secret of the configuration."""

from datetime import UTC, datetime

from debate_cli.app.context import RunContext
from debate_cli.app.session import Session
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import fold
from debate_cli.domain.events import DebateOpened
from debate_cli.providers.provider_table import merge_provider_rows
from debate_cli.storage.transcript import to_transcript, transcript_to_events

SECRET = "hunter2secretvalue"
CONFIG = DebateConfig.model_validate(
    {
        "topic": "Cats or dogs?",
        "background": f"The word is {SECRET}.",
        "providers": {
            "openai": {"max_concurrency": 2},
            "groq": {"api_key_env": None},
            "lab": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "price": {"input": 1, "output": 2}},
        },
        "debaters": [{"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}],
    }
)


def opened() -> DebateOpened:
    """The first event of a debate whose background contains the secret."""
    context = RunContext(CONFIG, secrets=(SECRET,), now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    return Session(context).opening_event("one")


def written(config: DebateConfig) -> dict[str, set[str]]:
    """The explicit keys of each provider."""
    return {name: set(row.model_fields_set) for name, row in config.providers.items()}


def test_a_secret_is_taken_out_of_the_texts() -> None:
    """Neither judges nor files get it."""
    assert opened().config.background == "The word is [redacted]."


def test_a_provider_keeps_the_keys_that_it_was_written_with() -> None:
    """A row with one key is not stored with all keys, because `api_key_env: null` differs from an absent key."""
    assert written(opened().config) == {
        "openai": {"max_concurrency"}, "groq": {"api_key_env"}, "lab": {"kind", "base_url", "price"},
    }  # fmt: skip


def test_a_provider_means_the_same_after_it_was_stored() -> None:
    """Read back from a transcript, it has the same keys, and so the same server and variable."""
    (first, *_) = transcript_to_events(to_transcript(fold([opened()])))
    assert isinstance(first, DebateOpened)
    assert written(first.config) == written(CONFIG)
    assert merge_provider_rows(first.config) == merge_provider_rows(CONFIG)
