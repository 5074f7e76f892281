"""`debate score`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from debate_cli.cli import options, screen
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import DebateError, UsageError
from debate_cli.render import scores_table
from debate_cli.render.scores_table import Scored
from debate_cli.scoring import score as score_debate
from debate_cli.scoring.gates import Gates
from debate_cli.scoring.rubric import KINDS, Rubric, weights
from debate_cli.storage.library import StoredDebate, expand, open_debate
from debate_cli.storage.lock import locked
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript
from debate_cli.storage.transcript_file import write

app = typer.Typer(add_completion=False)
COLLECT_AFTER = 200_000
"""Values more than before, until the next look for cyclic garbage: those of some fifty transcripts."""


class Format(StrEnum):
    """How the verdicts are printed."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"


@dataclass(slots=True)
class Scoring:
    """One pass over many files: what is asked, and what went wrong so far."""

    systems: tuple[str, ...]
    runs: str
    rubric: Rubric
    gates: Gates
    check: bool
    write: bool
    bad: int = 0
    unmet: int = 0

    def scored(self, paths: list[Path]) -> Iterator[Scored]:
        """The files' verdicts one after the other, none kept; a bad file among many is reported and passed over."""
        for path in paths:
            try:
                yield self._one(path)
            except DebateError as error:
                if len(paths) == 1:
                    raise
                screen.tell(f"debate: {error}")
                self.bad += 1

    def _one(self, path: Path) -> Scored:
        stored = open_debate(path)
        debate = stored.debate
        self._check_runs(path, debate)
        verdicts = score_debate(
            debate, runs=self.runs, systems=self.systems or None, settings=self.rubric.settings(debate)
        )
        if self.check:
            self._compare(stored)
        if self.write:
            self._store(path)
        for sentence in self.gates.unmet(debate, verdicts):
            screen.tell(f"{path}: gate not met: {sentence}")
            self.unmet += 1
        return Scored(str(path), debate.id, debate.topic, debate.status, verdicts)

    def _check_runs(self, path: Path, debate: Debate) -> None:
        known = [run.id for run in debate.runs]
        if self.runs not in {"latest", "all", *known}:
            raise UsageError(f"{path}: --runs {self.runs}: there is no such judging run; it has {', '.join(known)}")

    def _compare(self, stored: StoredDebate) -> None:
        again = {(verdict.system, verdict.run): verdict for verdict in self._all(stored.debate)}
        kept = {(verdict.system, verdict.run): verdict for verdict in stored.verdicts}
        for key in sorted(again.keys() | kept.keys()):
            if again.get(key) != kept.get(key):
                screen.tell(f"{stored.path}: the stored verdict of {key[0]} ({key[1]}) is not the recomputed one")
                self.unmet += 1

    def _all(self, debate: Debate) -> tuple[Verdict, ...]:
        return score_debate(debate, runs="all", settings=self.rubric.settings(debate))

    def _store(self, path: Path) -> None:
        with locked(path):
            stored = open_debate(path)
            if stored.from_journal:
                raise UsageError(f"{path}: the debate is not closed, so verdicts cannot be stored; resume it first")
            document = to_transcript(stored.debate, self._all(stored.debate))
            write(stored.path, document, Redactor(), overwrite=True)


@app.command()
def score(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Transcripts, folders, globs.")],
    system: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this system (repeatable).")] = None,
    weights_: Annotated[
        str | None, typer.Option("--weights", metavar="NAME=N,...", help="Weights of the structured criteria.")
    ] = None,
    rubric: Annotated[Path | None, typer.Option(help="YAML: weights, thresholds, penalties per system.")] = None,
    runs: Annotated[str, typer.Option(metavar="latest|all|ID", help="Which judging runs.")] = "latest",
    format_: Annotated[Format, typer.Option("--format", help="How to print them.")] = Format.table,
    json_: options.Json = False,
    write_: Annotated[bool, typer.Option("--write", help="Store the recomputed verdicts.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Gate: stored verdicts equal recomputed ones.")] = False,
    fail_under: options.FailUnder = None,
    expect_winner: options.ExpectWinner = None,
    max_warnings: options.MaxWarnings = None,
    fail_on: options.FailOn = None,
    debug: options.Debug = False,
) -> None:
    """Recompute verdicts from saved debates, without any model.

    Examples:

      debate score transcripts/

      debate score debate.json --weights evidence=0.6,logic=0.4

      debate score 'transcripts/*.json' --check --format csv
    """
    del debug  # acted on where errors are caught
    for kind in system or ():
        if kind not in KINDS:
            raise UsageError(f"--system {kind}: there is no such judging system; known are {', '.join(KINDS)}")
    scoring = Scoring(
        systems=tuple(system or ()),
        runs=runs,
        rubric=_rubric(weights_, rubric),
        gates=options.gates(fail_under, expect_winner, max_warnings, fail_on),
        check=check,
        write=write_,
    )
    with _rare_collections():
        _show(scoring.scored(expand(paths)), Format.json if json_ else format_)
    if scoring.bad:
        raise typer.Exit(1)
    if scoring.unmet:
        raise typer.Exit(5)


def _rubric(weights_: str | None, file: Path | None) -> Rubric:
    """What is laid over the stored settings; YAML is read by a library that only --rubric pays for."""
    if weights_ is not None and file is not None:
        raise UsageError("--weights and --rubric exclude each other; put the weights into the rubric")
    if file is not None:
        from debate_cli.storage.rubric_file import load_rubric

        return load_rubric(file)
    return Rubric() if weights_ is None else weights(weights_)


@contextmanager
def _rare_collections() -> Generator[None]:
    """Look for cyclic garbage seldom: a debate has none, and the many values of each would be looked at again and again."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _show(files: Iterator[Scored], how: Format) -> None:
    """Print them as they come where the format allows it."""
    match how:
        case Format.json:
            sys.stdout.writelines(scores_table.json_document(files))
        case Format.jsonl:
            sys.stdout.writelines(scores_table.jsonl(files))
        case Format.csv:
            sys.stdout.writelines(scores_table.comma_separated(files))
        case Format.table:
            screen.show_scores([scores_table.without_notes(file) for file in files])
