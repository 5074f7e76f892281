"""Explains why an answer was cut off, and what helps. A failure stores the explanation as part of its message."""

from debate_cli.domain.config import OUTPUT_LIMIT_SETTING
from debate_cli.llm.model import Reply

TRUNCATED_REASONS = frozenset({"length", "max_tokens"})
"""Finish reasons of answers that were cut off at the token limit or, on some servers, because the context was full."""
OUTPUT_LIMIT_REASON = "max_tokens"
"""Anthropic's finish reason of an answer that reached its output limit."""
CONTEXT_FULL_REASON = "model_context_window_exceeded"
"""Anthropic's finish reason of an answer that was cut off because the context was full."""
FULL_CONTEXT_SHARE = 0.95
"""A context counts as full if prompt and answer fill this share (0-1) of it."""
RAISE_LIMIT = f"raise `{OUTPUT_LIMIT_SETTING}` of the model"
LIMIT_REACHED = f"the answer was cut off at its token limit; {RAISE_LIMIT}"


def describe_truncation(reply: Reply, limit: int, context_tokens: int | None) -> str:
    """Return why `reply` was cut off, and what helps.

    - `limit`: the request's limit of output tokens.
    - `context_tokens`: context window of the model in tokens; None if unknown.
    """
    usage = reply.usage
    is_counted = not usage.estimated and reply.finish_reason != OUTPUT_LIMIT_REASON
    is_short = is_counted and 0 < usage.output_tokens < limit
    used = usage.input_tokens + usage.output_tokens
    is_filled = context_tokens is not None and used >= FULL_CONTEXT_SHARE * context_tokens
    cut_off = f"the answer was cut off after {usage.output_tokens} of {limit} tokens"
    if reply.finish_reason == CONTEXT_FULL_REASON or (is_short and is_filled):
        return f"{cut_off}: the context is full; use a model or server with a larger context"
    if is_short and context_tokens is None:  # a full context, or a server that does not count hidden reasoning
        return f"{cut_off}; {RAISE_LIMIT}, or use one with a larger context"
    return LIMIT_REACHED


def may_need_higher_limit(message: str) -> bool:
    """Whether the message of a failure contains a sentence of `describe_truncation` that advises a higher output limit."""
    return RAISE_LIMIT in message
