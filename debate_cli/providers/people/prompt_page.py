"""A request as a Markdown page for a person: the model's prompt, then the form. Pure."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from debate_cli.llm.form import JsonSchema
from debate_cli.llm.model import Request

HASH_CHARS = 16
_JSON_STRING_AT_END = re.compile(r'^(?P<head>.*?[:,] )(?P<text>"(?:[^"\\]|\\.)*")(?P<tail>[.,;]?)$')
MIN_QUOTE_CHARS = 60
"""Minimum number of characters of a quoted text that is shown on separate lines."""
_NOT_FOR_PEOPLE = re.compile(
    r"^(?:Marker of this task: .*|\[/?ask [^\]]*\]|(?:- )?Answer with (?:the )?one JSON object .*)$", re.MULTILINE
)


def format_page(request: Request, reply_name: str | None) -> str:
    """Return the page for `request`. Its first line contains the prompt's hash.

    `reply_name` is the file for the answer; None if the answer is not a file.
    """
    title = request.origin.title if request.origin is not None else request.purpose
    body = "\n".join([f"# {_one_line(title)}", "", *_format_parts(request)])
    digest = hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:HASH_CHARS]
    answer = _format_answer_part(request, reply_name, digest)
    return f"<!-- prompt {digest} -->\n{body}\n\n{answer}"


def format_context(request: Request) -> str:
    """Return the rules, the debate and the task of `request`, without the form."""
    return "\n".join(_format_parts(request))


def explain_field(request: Request, name: str) -> str:
    """Return the sentence in the prompt that explains the field `name`; empty if there is none."""
    text = f"{request.system}\n{request.messages[-1].content}"
    pattern = rf"(?:^- |\. )(?:\w+, )*{re.escape(name)}(?: \([^()\n]*\))?: (.+?[.)])(?=\s|$)"
    found = re.findall(pattern, text, re.MULTILINE)
    return _one_line(found[-1]) if found else ""


def _format_parts(request: Request) -> Iterator[str]:
    yield from ("## Rules", "", _NOT_FOR_PEOPLE.sub("", request.system).strip())
    for message in request.messages:
        content = message.content.replace(request.nonce, "") if request.nonce else message.content
        heading = "## Your earlier answer" if message.role == "assistant" else "## The debate, and your task"
        kept = _NOT_FOR_PEOPLE.sub("", content).strip("\n")
        yield from ("", heading, "", *(line for source in kept.split("\n") for line in _show_line(source)))


def _show_line(line: str) -> Iterator[str]:
    if line.startswith("{"):
        try:
            value: object = json.loads(line)
        except ValueError:
            value = None
        if isinstance(value, dict):
            yield from (*_format_value(cast("dict[str, object]", value), ""), "")
            return
    match = _JSON_STRING_AT_END.match(line)
    if match is None or len(match["text"]) < MIN_QUOTE_CHARS:
        yield line
        return
    yield from (match["head"].rstrip(), "", *(f"> {part}" for part in json.loads(match["text"]).split("\n")), "")


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
    words = " Plain words are an answer too." if request.origin is not None and request.origin.accepts_text else ""
    lines = ["## Your answer", ""]
    lines.append(f"Write your answer{where}: the form below (YAML), filled in, or the same as JSON.{words}")
    if reply_name is not None:
        lines.append("Write it under another name first and rename it, so that no incomplete answer is read.")
    lines += ["", "```yaml", f"# answer to prompt {digest}", *format_template(request.schema.json), "```", ""]
    return "\n".join(lines)


def format_template(schema: JsonSchema, indent: str = "") -> Iterator[str]:
    """Yield the lines of an empty YAML form for `schema`, with a comment on each field."""
    for name, part in schema.get("properties", {}).items():
        yield from _template_member(f"{indent}{name}:", part, indent)


def _template_member(head: str, part: JsonSchema, indent: str) -> Iterator[str]:
    match part.get("type"):
        case "object":
            yield head
            yield from format_template(part, f"{indent}  ")
        case "array":
            yield from _template_list(head, part, indent)
        case "string" if not {"enum", "const"} & part.keys():
            yield f"{head} |{_comment(describe_limits(part))}"
            yield f"{indent}  "
        case _ if "const" in part:
            yield f"{head} {json.dumps(part['const'], ensure_ascii=False)}"
        case _:
            yield f"{head}{_comment(describe_limits(part))}"


def _template_list(head: str, part: JsonSchema, indent: str) -> Iterator[str]:
    known: list[JsonSchema] = part.get("prefixItems", [])
    item: JsonSchema = part.get("items", {})
    limits = _comment(describe_limits(part))
    if not known and (item.get("type") != "object"):
        yield f"{head} []{limits}"
        return
    required = known or [item] * part.get("minItems", 0)
    yield f"{head}{limits}" if required else f"{head} []{limits}"
    for entry in required or [item]:
        lines = list(format_template(entry, f"{indent}  "))
        marked = [f"{indent}- {lines[0].strip()}", *lines[1:]] if lines else []
        yield from marked if required else (f"{indent}# {line[len(indent) :]}" for line in marked)


def describe_limits(part: JsonSchema) -> str:
    """Return the limits of the form's field `part` in a few words; empty if `part` has no limits."""
    match part.get("type"):
        case "array":
            return _describe_list(part)
        case "boolean":
            return "yes or no"
        case "integer" | "number" if "enum" not in part:
            noun = "a whole number" if part["type"] == "integer" else "a number"
            return " ".join([noun, *_bounds(part.get("minimum"), part.get("maximum"))])
        case _ if "enum" in part:
            return f"one of: {', '.join(map(str, part['enum']))}"
        case "string":
            return "" if part.get("minLength", 0) > 0 else "may stay empty"
        case _:
            return ""


def _describe_list(part: JsonSchema) -> str:
    if "prefixItems" in part:
        return ""
    choices = part.get("items", {}).get("enum")
    low, high = part.get("minItems", 0), part.get("maxItems")
    if choices:
        count = f"at least {low} of" if low else "any of"
        return f"{count}: {', '.join(map(str, choices))}"
    if high == 0:
        return "stays empty"
    words = " ".join(_bounds(low or None, high)) or "any number"
    return f"{words}, each like this:" if part.get("items", {}).get("type") == "object" and not low else words


def _bounds(low: object, high: object) -> Iterable[str]:
    if low is not None and high is not None:
        return (f"from {low} to {high}",)
    return (f"at least {low}",) if low is not None else (f"at most {high}",) if high is not None else ()


def _comment(text: str) -> str:
    return f"  # {text}" if text else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def find_prompt_hash(text: str) -> str | None:
    """Return the prompt's hash in the first line of a page or a filled-in form; None if there is none."""
    match = re.match(rf"[\s`a-z]*(?:<!--|#)[^\n]*\bprompt ([0-9a-f]{{{HASH_CHARS}}})\b", text[:500])
    return match[1] if match is not None else None
