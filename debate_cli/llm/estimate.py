"""How many tokens a call may need, before it is made: estimates that err on the high side."""

from __future__ import annotations

import json
import math

from debate_cli.llm.port import Request

ASCII_CHARS_PER_TOKEN = 2.5
"""Of ASCII text. Real tokenizers reach 3 (JSON, code) to 4.5 (English)."""
TOKENS_PER_NON_ASCII_CHAR = 2
"""Of everything else; Chinese needs about one, rare scripts and signs up to three."""
TOKENS_PER_MESSAGE = 16
"""What a provider adds around each message."""


def estimate_input_tokens(request: Request) -> int:
    """Tokens of the prompt at the most; the schema counts where it is sent beside the messages."""
    texts = [request.system, *(message.content for message in request.messages)]
    if request.schema is not None and request.rung in {"native", "tool"}:
        texts.append(json.dumps(request.schema.json))
    return sum(_estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts)


def estimate_answer_tokens(request: Request, text: str) -> int:
    """Tokens of an answer that says `text`, at the most; never more than it was allowed."""
    return min(_estimate_tokens(text), request.max_output_tokens)


def estimate_total_tokens(request: Request) -> int:
    """Tokens of prompt and answer at the most."""
    return estimate_input_tokens(request) + request.max_output_tokens


def _estimate_tokens(text: str) -> int:
    ascii_chars = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_chars / ASCII_CHARS_PER_TOKEN) + TOKENS_PER_NON_ASCII_CHAR * (len(text) - ascii_chars)
