"""The abilities of a model, as data for adapters and the structured-output client.

No code branches on the name of a model.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Profile:
    """The abilities of one model at one provider."""

    modes: tuple[Literal["native", "tool", "prompt"], ...] = ("native", "prompt")
    """Structured-output modes, best first."""
    sampling: bool = True
    """Whether temperature and seed may be sent."""
    token_limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105 - tokens, not a secret
    """Name of the field for the output limit in an OpenAI-style request."""
    dialect: Literal["full", "openai", "anthropic"] = "openai"
    """JSON Schema dialect: `full` (with bounds and patterns), `openai` (strict mode), `anthropic` (output_config)."""
    schema_references: bool = True
    """Whether the provider accepts `$ref` and `$defs` in a schema."""
    seed: bool = False
    """Whether the provider accepts a seed."""
    prompt_cache_key: bool = False
    """Whether the provider accepts OpenAI's prompt_cache_key."""
    max_output_tokens: int = 4096
    """Output limit in tokens if the configuration sets none."""
