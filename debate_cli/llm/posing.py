"""The words around a form: how a rung is put to a model, and how an answer is asked for again.

What is added stands at the end of the conversation, so that the prefix a provider has cached stays the same.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from debate_cli.domain.exchange import StructuredOutputMode
from debate_cli.llm.dialect import convert_schema
from debate_cli.llm.form import Form
from debate_cli.llm.parsing import ParsedReply
from debate_cli.llm.port import Message, OutputSchema, Request
from debate_cli.llm.quoting import sanitize_for_prompt

TRUNCATED_REPLY: ParsedReply[Any] = ParsedReply("formless", faults=("truncated",))
"""An answer that reached the token limit."""
EMPTY_REPLY: ParsedReply[Any] = ParsedReply("formless", faults=("the answer is empty",))
"""Plain text was asked for and none came."""
MAX_TRUNCATED_CHARS = 1000
"""Characters of a cut-off answer that are shown to the model again."""


def build_request(request: Request, form: Form[Any] | None, rung: StructuredOutputMode) -> Request:
    """`request` as it is sent on `rung`; on `prompt` the schema stands at the end of the last message.

    The schema goes along on every rung; on `prompt` adapters do not send it.
    """
    if form is None:
        return replace(request, rung="text")
    messages = request.messages
    if rung == "prompt":
        last = messages[-1]
        messages = (*messages[:-1], replace(last, content=last.content + _format_schema_instructions(form)))
    return replace(request, messages=messages, schema=OutputSchema(form.name, form.schema), rung=rung)


def build_reask(request: Request, text: str, reading: ParsedReply[Any]) -> Request:
    """`request` continued by the model's answer `text` and what it is to do better."""
    if reading is TRUNCATED_REPLY:
        text = text[:MAX_TRUNCATED_CHARS]
        ask = (
            f"Your answer was cut off at the limit of {request.max_output_tokens} tokens. "
            "Give the whole answer again, from its beginning and much shorter."
        )
    elif reading is EMPTY_REPLY:
        ask = "Your answer was empty. Answer now."
    else:
        faults = "\n".join(f"- {fault}" for fault in reading.faults)
        ask = f"Your answer cannot be used:\n{faults}\nGive the whole answer again as one JSON object and nothing else."
    said = Message("assistant", sanitize_for_prompt(text).strip() or "(no answer)")
    return replace(request, messages=(*request.messages, said, Message("user", ask)), stable_chars=0)


def _format_schema_instructions(form: Form[Any]) -> str:
    schema = json.dumps(convert_schema(form.schema, "full"), ensure_ascii=False, separators=(",", ":"))
    return (
        "\n\nAnswer with exactly one JSON object and nothing else: no code fence, no words before or after it. "
        f"It must satisfy this JSON Schema:\n{schema}"
    )
