"""Sanitizes untrusted text for prompts: removes invisible characters, rewrites role markers, quotes text as JSON."""

import json
import re
import secrets
import unicodedata

from debate_cli.domain.message_text import one_line
from debate_cli.domain.text_normalization import remove_invisible

_BLANK_LETTERS = re.compile("[\u2800\u3164\uffa0]")
_LINE_BREAKS = re.compile("\r\n|[\r\x0b\x0c\u0085\u2028\u2029]")

_MAX_COMBINING_MARKS = 30
"""Maximum number of combining marks per letter. Text with many combining marks takes long to normalize."""
_EXCESS_COMBINING_MARKS = re.compile(rf"[^\w\s\x00-\x7f]{{{_MAX_COMBINING_MARKS + 1},}}")

_PHRASE_SIGN = re.compile("([\ufdfa\ufdfb])")
"""Characters that are not normalized, because NFKC would replace each of them by a whole phrase."""

_ROLES = "system|developer|assistant|user|human|tool"
_TAGS = f"{_ROLES}|speech|transcript|instructions?|think|start_of_turn|end_of_turn|bos|eos|s"
_SPECIAL_TOKEN = re.compile(r"<\s*\|([^|<>\n]{0,64})\|\s*>")
_TAG = re.compile(rf"<(\s*+(?:/\s*+)?(?:{_TAGS})(?:\s[^<>\n]{{0,200}}+)?+/?\s*+)>", re.IGNORECASE)
_SYS = re.compile(r"<<(\s*+(?:/\s*+)?SYS\s*)>>", re.IGNORECASE)
_INST = re.compile(
    r"\[(\s*+(?:/\s*+)?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\s*)\]", re.IGNORECASE
)
_ROLE_LINE = re.compile(rf"^([ \t>#*_-]*)({_ROLES})(?=[ \t*_]*:)", re.IGNORECASE | re.MULTILINE)


def sanitize_for_prompt(text: str) -> str:
    """Return untrusted `text` normalized (NFKC), without invisible characters and role markers. Idempotent.

    A model may read a role marker as a change of speaker. `<|im_start|>` becomes `‹im_start›`, `[INST]` becomes
    `(INST)`, and `system:` at the start of a line becomes `(system):`.
    """
    while (cleaned := _neutralize_role_markers(_strip_invisible(text))) != text:
        text = cleaned
    return text


def prompt_line(text: str, max_chars: int | None = None) -> str:
    """Return untrusted `text` sanitized for a prompt, on one line.

    `max_chars`: number of characters after which the line is cut; None means no limit.
    """
    return one_line(sanitize_for_prompt(text))[:max_chars]


def quote_for_prompt(text: str) -> str:
    """Return `text` sanitized and quoted as a JSON string. Prompts contain untrusted text only in this form."""
    return json.dumps(sanitize_for_prompt(text), ensure_ascii=False)


def new_nonce() -> str:
    """Return eight random hexadecimal digits, which the author of a text cannot guess."""
    return secrets.token_hex(4)


def _strip_invisible(text: str) -> str:
    text = remove_invisible(_LINE_BREAKS.sub("\n", _BLANK_LETTERS.sub(" ", text)))
    if text.isascii():
        return text
    parts = _PHRASE_SIGN.split(_EXCESS_COMBINING_MARKS.sub(_limit_combining_marks, text))
    parts[::2] = [unicodedata.normalize("NFKC", part) for part in parts[::2]]
    return "".join(parts)


def _limit_combining_marks(match: re.Match[str]) -> str:
    marks, kept = 0, list[str]()
    for char in match.group():
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= _MAX_COMBINING_MARKS:
            kept.append(char)
    return "".join(kept)


def _neutralize_role_markers(text: str) -> str:
    text = _SPECIAL_TOKEN.sub(r"‹\1›", text)
    text = _SYS.sub(r"‹\1›", text)
    text = _TAG.sub(r"‹\1›", text)
    text = _INST.sub(r"(\1)", text)
    return _ROLE_LINE.sub(r"\1(\2)", text)
