"""Verdicts and gates for GitHub Actions: workflow commands that annotate a run, and the Markdown of its summary. No Rich."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from debate_cli.domain.verdict import Verdict
from debate_cli.render import hostile, look
from debate_cli.render.called import listed
from debate_cli.render.checked import Checked, Unusable
from debate_cli.render.documents.markdown import escaped

Level = Literal["error", "warning", "notice"]
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def commands(files: Sequence[Checked], unusable: Sequence[Unusable] = ()) -> Iterator[str]:
    """A workflow command a line.

    An error for each gate that is not met and each file that cannot be used, a warning for each verdict that could not be
    reached, a notice for each of the others.
    """
    for checked in files:
        path = checked.file.path
        for sentence in checked.unmet:
            yield command("error", path, "gate not met", sentence)
        for verdict in checked.file.verdicts:
            level = "warning" if verdict.victory == "undetermined" else "notice"
            yield command(
                level,
                path,
                f"verdict of {listed(verdict, checked.file.verdicts)}",
                _verdict(verdict, checked.file.text),
            )
    for file in unusable:
        yield command("error", file.path, "cannot be used", file.message)


def command(level: Level, path: str, title: str, message: str) -> str:
    """One workflow command, of which no text in it can make two, or another one."""
    named = f"file={_put(path, _PROPERTY)},title={_put(title, _PROPERTY)}"
    return f"::{level} {named}::{_put(message, _DATA)}"


def step_summary(files: Sequence[Checked], unusable: Sequence[Unusable] = ()) -> str:
    """Markdown: a row a file with its verdicts and gates, then what could not be used."""
    unmet = sum(len(checked.unmet) for checked in files)
    parts = [f"{_counted(len(files), 'debate')} scored", *([f"{_counted(unmet, 'gate')} not met"] if unmet else [])]
    lines = [f"## {', '.join(parts)}", ""]
    if files:
        lines += ["| debate | verdicts | gates |", "| --- | --- | --- |", *(_row(checked) for checked in files), ""]
    lines += [f"- ✗ {escaped(file.message)}" for file in unusable]
    return "\n".join(lines).rstrip() + "\n\n"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _row(checked: Checked) -> str:
    verdicts = [
        f"{escaped(listed(item, checked.file.verdicts))}: {escaped(_verdict(item, checked.file.text))}"
        for item in checked.file.verdicts
    ] or ["none"]
    gates = [
        f"✗ {escaped(result.problem)}" if result.problem is not None else f"✓ {escaped(result.gate)}"
        for result in checked.gates
    ]
    about = f"**{escaped(checked.file.id)}**<br>{escaped(checked.file.topic)}"
    return f"| {about} | {'<br>'.join(verdicts)} | {'<br>'.join(gates) or '—'} |"


def _verdict(verdict: Verdict, text: str | None) -> str:
    margin = "" if verdict.margin is None else f" Margin {look.number(verdict.margin)}."
    scores = ", ".join(
        f"{name} {look.number(score)}" for name, score in sorted(verdict.figures.items(), key=lambda item: -item[1])
    )
    return f"{look.outcome(verdict, text)}{margin} {scores}".rstrip()


def _put(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(sign, sign) for sign in hostile.clean(text))
