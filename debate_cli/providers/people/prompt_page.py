"""A request as a Markdown page for a person: the model's prompt, then the form. Pure functions."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import cast, get_args

from debate_cli.domain.message_text import one_line
from debate_cli.domain.turn import Phase
from debate_cli.llm.model import Request
from debate_cli.providers.people.yaml_form import form_lines

HASH_CHARS = 16
_JSON_STRING_AT_END = re.compile(r'^(?P<head>.*?[:,] )(?P<text>"(?:[^"\\]|\\.)*")(?P<tail>[.,;]?)$')
_DECODER = json.JSONDecoder()
MIN_BLOCK_QUOTE_CHARS = 60
"""Minimum length of a quoted text that is shown as a block quote, in characters."""
_NOT_FOR_PEOPLE = re.compile(
    r"^(?:Marker of this task: .*|\[/?ask [^\]]*\]|(?:- )?Answer with (?:the )?one JSON object .*)$", re.MULTILINE
)
_RULES_FOR_MODELS = re.compile(
    r"^(?:You are a debater\. Your first message .*\n|(?:The fields|The forms|What is data|The material:)\n(?:.+\n?)*)",
    re.MULTILINE,
)
"""Parts of the rules that say which JSON a model writes and reads. A person who fills in a form does not need these parts."""
_JSON_IN_MESSAGES = re.compile(r" A citation is \{[^}\n]{1,80}\}[^.\n]{1,200}\.|, one JSON object (?:a|per) \w+")


def format_page(request: Request, reply_name: str | None) -> str:
    """Return the page for `request`. Its first line contains the prompt's hash.

    `reply_name` is the file for the answer; None if the answer is not a file.
    """
    title = request.origin.title if request.origin is not None else request.purpose
    body = "\n".join([f"# {one_line(title)}", "", *_format_parts(request)])
    digest = hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:HASH_CHARS]
    answer = _format_answer_part(request, reply_name, digest)
    return f"<!-- prompt {digest} -->\n{body}\n\n{answer}"


def format_context(request: Request) -> str:
    """Return the rules, the debate and the task of `request` for a person who fills in the form on the screen.

    What only a model needs is left out: JSON, the meaning of its fields, and the rules of other phases.
    """
    other_phases = rf"^- (?!{re.escape(request.purpose)}:)(?:{'|'.join(get_args(Phase))}): .*\n"
    rules = re.sub(other_phases, "", _RULES_FOR_MODELS.sub("", request.system), flags=re.MULTILINE)
    messages = (replace(each, content=_JSON_IN_MESSAGES.sub("", each.content)) for each in request.messages)
    return "\n".join(_format_parts(replace(request, system=rules, messages=tuple(messages))))


def explain_field(request: Request, name: str) -> str:
    """Return the sentence in the prompt that explains the field `name`; empty if no sentence explains the field."""
    text = f"{request.system}\n{request.messages[-1].content}"
    pattern = rf"(?:^- |\. )(?:\w+, )*{re.escape(name)}(?: \([^()\n]*\))?: (.+?[.)])(?=\s|$)"
    found = re.findall(pattern, text, re.MULTILINE)
    return one_line(found[-1]).replace('""', "empty") if found else ""


def format_prompt_text(text: str) -> str:
    """Return the text of a prompt. JSON objects become Markdown lists, and long JSON strings become block quotes."""
    return "\n".join(shown for line in text.split("\n") for shown in _show_line(line))


def _format_parts(request: Request) -> Iterator[str]:
    yield from ("## Rules", "", _NOT_FOR_PEOPLE.sub("", request.system).strip())
    for message in request.messages:
        content = message.content.replace(request.nonce, "") if request.nonce else message.content
        heading = "## Your earlier answer" if message.role == "assistant" else "## The debate, and your task"
        yield from ("", heading, "", format_prompt_text(_NOT_FOR_PEOPLE.sub("", content).strip("\n")))


def _show_line(line: str) -> Iterator[str]:
    head, brace, rest = line.partition("{")
    if brace and '"' not in head and (not head or head.endswith(": ")):
        with suppress(ValueError):
            found = json.loads(brace + rest)
            yield from (*filter(None, [head.rstrip()]), *_format_value(found, ""), "")
            return
    text = _JSON_STRING_AT_END.match(line)
    objects = line.find("[{")
    if text is not None and len(text["text"]) >= MIN_BLOCK_QUOTE_CHARS:
        yield from (text["head"].rstrip(), "", *(f"> {part}" for part in json.loads(text["text"]).split("\n")), "")
    elif objects >= 0:
        yield from _show_objects(line, objects)
    else:
        yield line


def _show_objects(line: str, start: int) -> Iterator[str]:
    entries, end = list[object](), start
    with suppress(ValueError):
        entries, end = _DECODER.raw_decode(line, start)
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        yield line
        return
    yield line[:start].rstrip()
    for entry in cast("list[dict[str, object]]", entries):
        yield f"- {'; '.join(f'{name}: {one_line(str(value))}' for name, value in entry.items())}"
    rest = line[end:].lstrip(". ")
    if rest:
        yield from _show_line(rest)


def _format_value(value: object, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            yield from _format_member(f"{indent}- {key}:", item, indent)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _format_member(f"{indent}-", item, indent)
    else:
        yield f"{indent}{value}"


def _format_member(head: str, item: object, indent: str) -> Iterator[str]:
    if isinstance(item, Mapping | list):
        yield head if item else f"{head} (none)"
        yield from _format_value(cast("object", item), f"{indent}  ")
    elif isinstance(item, str) and "\n" in item:
        yield head
        yield from (f"{indent}  > {line}" for line in item.split("\n"))
    else:
        yield f"{head} {item}"


def _format_answer_part(request: Request, reply_name: str | None, digest: str) -> str:
    where = "" if reply_name is None else f" into `{reply_name}` beside this file"
    if request.schema is None:
        return f"## Your answer\n\nWrite your answer, in plain words{where or ', as one text'}.\n"
    words = " You may also answer in plain words." if request.origin is not None and request.origin.accepts_text else ""
    lines = ["## Your answer", ""]
    lines.append(f"Write your answer{where}. Fill in the form below (YAML), or use JSON with the same keys.{words}")
    if reply_name is not None:
        lines.append("Save it under another name first, then rename it, so that no incomplete answer is read.")
    lines += ["", "```yaml", f"# answer to prompt {digest}", *form_lines(request.schema.json), "```", ""]
    return "\n".join(lines)


def find_prompt_hash(text: str) -> str | None:
    """Read the prompt's hash from the first line of a page or a filled-in form. Return None if there is no hash."""
    match = re.match(rf"[\s`a-z]*(?:<!--|#)[^\n]*\bprompt ([0-9a-f]{{{HASH_CHARS}}})\b", text[:500])
    return match[1] if match is not None else None
