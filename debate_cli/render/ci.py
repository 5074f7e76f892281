"""Verdicts and gates for GitHub Actions: workflow commands that annotate a run, and the Markdown of its summary. No Rich."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.agreement import label_listed_verdict
from debate_cli.render.markdown import escape_markdown
from debate_cli.render.score_rows import CheckedFile, UnusableFile

AnnotationLevel = Literal["error", "warning", "notice"]
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def format_workflow_commands(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> Iterator[str]:
    """A workflow command a line.

    An error for each gate that is not met and each file that cannot be used, a warning for each verdict that could not be
    reached, a notice for each of the others.
    """
    for checked in files:
        path = checked.file.path
        for sentence in checked.unmet:
            yield format_workflow_command("error", path, "gate not met", sentence)
        for verdict in checked.file.verdicts:
            level = "warning" if verdict.victory == "undetermined" else "notice"
            yield format_workflow_command(
                level,
                path,
                f"verdict of {label_listed_verdict(verdict, checked.file.verdicts)}",
                _verdict(verdict, checked.file.text),
            )
    for file in unusable:
        yield format_workflow_command("error", file.path, "cannot be used", file.message)


def format_workflow_command(level: AnnotationLevel, path: str, title: str, message: str) -> str:
    """One workflow command, of which no text in it can make two, or another one."""
    named = f"file={_escape_command(path, _PROPERTY)},title={_escape_command(title, _PROPERTY)}"
    return f"::{level} {named}::{_escape_command(message, _DATA)}"


def format_step_summary(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = ()) -> str:
    """Markdown: a row a file with its verdicts and gates, then what could not be used."""
    unmet = sum(len(checked.unmet) for checked in files)
    parts = [
        f"{_format_quantity(len(files), 'debate')} scored",
        *([f"{_format_quantity(unmet, 'gate')} not met"] if unmet else []),
    ]
    lines = [f"## {', '.join(parts)}", ""]
    if files:
        lines += ["| debate | verdicts | gates |", "| --- | --- | --- |", *(_row(checked) for checked in files), ""]
    lines += [f"- ✗ {escape_markdown(file.message)}" for file in unusable]
    return "\n".join(lines).rstrip() + "\n\n"


def _format_quantity(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _row(checked: CheckedFile) -> str:
    verdicts = [
        f"{escape_markdown(label_listed_verdict(item, checked.file.verdicts))}: {escape_markdown(_verdict(item, checked.file.text))}"
        for item in checked.file.verdicts
    ] or ["none"]
    gates = [
        f"✗ {escape_markdown(result.problem)}" if result.problem is not None else f"✓ {escape_markdown(result.gate)}"
        for result in checked.gates
    ]
    about = f"**{escape_markdown(checked.file.id)}**<br>{escape_markdown(checked.file.topic)}"
    return f"| {about} | {'<br>'.join(verdicts)} | {'<br>'.join(gates) or '—'} |"


def _verdict(verdict: Verdict, text: str | None) -> str:
    margin = "" if verdict.margin is None else f" Margin {theme.format_number(verdict.margin)}."
    scores = ", ".join(
        f"{name} {theme.format_number(score)}"
        for name, score in sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    )
    return f"{theme.describe_outcome(verdict, text)}{margin} {scores}".rstrip()


def _escape_command(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(sign, sign) for sign in sanitize.sanitize_text(text))
