"""docs/reference/python.md and docs/reference/scores.md: public names and columns of records, generated from the code."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any, get_args

from reference_pages import MADE

import debate_cli
from debate_cli.app.score_records import ArgumentRecord, DebaterRecord, VerdictRecord
from debate_cli.domain.frozen_model import FrozenModel
from debate_cli.domain.verdict import Notes

INTRODUCTION = """\
`import debate_cli` offers the commands as functions, and the values they use. The functions are for scripts and notebooks: they
print nothing, install no signal handlers and raise errors instead of exiting. A name is loaded on first use. All errors are
subclasses of `DebateError` in `debate_cli.errors`; each has the `exit_code` of the command line."""
EXAMPLE = """\
```python
import asyncio

import debate_cli

config = debate_cli.load_config("configs/mock.yaml", overrides={"topic": "Should our meetings be optional?"})
outcome = asyncio.run(debate_cli.run_debate(config, folder="transcripts", debate_id="meetings"))
for verdict in outcome.verdicts:
    print(verdict.system, verdict.winner, verdict.victory, verdict.scores)
    if isinstance(verdict.notes, debate_cli.StructuredNotes):
        print(verdict.notes.arguments[0].id, verdict.notes.arguments[0].score)

# Judge it again by other judges. The file then holds both judging runs.
debate = debate_cli.load_transcript("transcripts/meetings.json")
again = asyncio.run(debate_cli.judge(debate, systems=["panel"], model="mock/judge", path="transcripts/meetings.json"))
print(again.verdicts[0].winner)

# Read the file; recompute its verdicts without a model.
debate = debate_cli.load_transcript("transcripts/meetings.json")
for turn in debate.turns:
    print(turn.round, turn.speaker, turn.text[:60])
assert debate_cli.score(debate, runs="r1") == outcome.verdicts
```"""
OWN_MODEL = """\
Any object with the method `complete` is a model. Raise `ModelError` if the call fails: this answer is then missing, and the failure
is in `outcome.debate.failures`. If `request.schema` is set, answer with JSON that follows the schema `request.schema.json`.

```python
import asyncio
import json
from collections.abc import Callable

import debate_cli


class Canned:
    \"""Answers every request with the same argument. A real model sends the request to a server.\"""

    async def complete(
        self, request: debate_cli.Request, on_text: Callable[[str], None] | None = None
    ) -> debate_cli.Reply:
        prompt = [request.system, *(message.content for message in request.messages)]
        if request.schema is None:
            raise debate_cli.ModelError("this model answers only with JSON")
        (form,) = request.schema.json["properties"]["arguments"]["prefixItems"]
        argument = {
            "id": form["properties"]["id"]["const"],
            "claim": "Trams carry more people.",
            "reasoning": "A tram is longer than any bus.",
            "evidence": "One tram seats 200.",
        }
        text = json.dumps({"arguments": [argument]})
        if on_text is not None:
            on_text(text)
        usage = debate_cli.Usage(input_tokens=sum(map(len, prompt)) // 4, output_tokens=len(text) // 4)
        return debate_cli.Reply(text=text, usage=usage, finish_reason="stop")


config = debate_cli.load_config("configs/mock.yaml", overrides={"format": {"rounds": 1, "arguments": 1}})
outcome = asyncio.run(debate_cli.run_debate(config, models={"mock/debater": Canned()}))
print(outcome)
print([argument.claim for argument in outcome.debate.turns[0].arguments or ()])
```"""
CONFIG = "A whole configuration as a frozen value; `load_config` reads one. Its fields: [configuration](config.md)."


def python_reference() -> str:
    """docs/reference/python.md."""
    parts = ["# Python", MADE, INTRODUCTION, "## An example", EXAMPLE, "## A model of your own", OWN_MODEL]
    for name in debate_cli.__all__:
        parts += [f"## {name}", *_about(name, getattr(debate_cli, name))]
    return "\n\n".join(parts) + "\n"


SCORES = """\
`debate score PATH --format csv` (or `jsonl`) prints one row per verdict. With `--per argument` it prints one row per argument and
criterion, for systems that mark arguments (structured); `json` then is an array of these rows. A cell without a value is empty in
CSV and null in JSON. In CSV all rows have the columns of the debate with most debaters, and text that a spreadsheet would run as a
formula starts with `'`."""
RECORDS = (
    ("One row per verdict", VerdictRecord),
    ("Columns for each debater", DebaterRecord),
    ("One row per argument and criterion", ArgumentRecord),
)


def scores_reference() -> str:
    """docs/reference/scores.md."""
    parts = ["# Columns of `debate score`", MADE, SCORES]
    for heading, record in RECORDS:
        rows = [row for row in _members(record) if row and not row.startswith("| `debaters` ")]
        parts += [f"## {heading}", _words(record.__doc__), "\n".join(["| column | meaning |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def _about(name: str, value: Any) -> Iterator[str]:
    if name == "RESTART":
        yield "A piece of text for `on_text`. It says that the answer begins again, and that the text so far is void."
    elif isinstance(value, str):
        yield "The version, as text."
    elif name == "DebateConfig":
        yield CONFIG
    elif inspect.isclass(value):
        yield _words(value.__doc__)
        members = [row for row in (*_members(value), *(_members(Notes) if issubclass(value, Notes) else ())) if row]
        if members:
            yield "\n".join(["| member | meaning |", "|---|---|", *members])
        if issubclass(value, Notes):
            for part in _parts_of_notes(value):
                yield f"### {part.__name__}"
                yield from _about(part.__name__, part)
    else:
        yield f"```python\n{_signature(name, value)}\n```"
        yield _words(value.__doc__)


def _parts_of_notes(notes: type[FrozenModel]) -> list[type[FrozenModel]]:
    """The classes of the values that the notes hold, in order of first mention."""
    found: dict[type[FrozenModel], None] = {}
    for field in notes.model_fields.values():
        found |= dict.fromkeys(_models_in(field.annotation))
    return list(found)


def _models_in(annotation: Any) -> Iterator[type[FrozenModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, FrozenModel):
        yield annotation
        yield from _parts_of_notes(annotation)
    for part in get_args(annotation):
        yield from _models_in(part)


def _signature(name: str, function: Any) -> str:
    found = inspect.signature(function)
    start = f"{'async ' if inspect.iscoroutinefunction(function) else ''}def {name}"
    parameters: list[str] = []
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        parameters.append(str(parameter).replace("'", ""))
    end = f" -> {str(found.return_annotation).strip(chr(39))}"
    line = f"{start}({', '.join(parameters)}){end}"
    return line if len(line) <= 100 else f"{start}(\n    " + ",\n    ".join(parameters) + f",\n){end}"


def _members(kind: type) -> Iterator[str]:
    """The public fields and methods of a class, a table row each."""
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    (node,) = [found for found in tree.body if isinstance(found, ast.ClassDef) and found.name == kind.__name__]
    for member, beneath in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            doc = (
                beneath.value.value if isinstance(beneath, ast.Expr) and isinstance(beneath.value, ast.Constant) else ""
            )
            yield _row(member.target.id, ast.unparse(member.annotation), str(doc))
        elif isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = [ast.unparse(decorator) for decorator in member.decorator_list]
            shown = "" if {"property", "cached_property"} & set(decorators) else "()"
            yield _row(member.name + shown, "", ast.get_docstring(member) or "")


def _row(name: str, annotation: str, doc: str) -> str:
    if name.startswith("_") or (annotation.startswith("ClassVar") and not doc):
        return ""
    kind = f"`{annotation}` " if annotation else ""
    first = _words(doc.split("\n\n", maxsplit=1)[0])
    return f"| `{name}` | {kind.replace('|', chr(92) + '|')}{first} |"


def _words(text: str | None) -> str:
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    items = (re.sub(r"\s*\n(?!- )\s*", " ", part.strip()) for part in paragraphs)
    return "\n\n".join(items)
