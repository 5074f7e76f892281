"""`debate score`."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import typer

from debate_cli.cli import options, score_forms, screen
from debate_cli.cli.asked.score import Format, Score
from debate_cli.cli.homes import homes
from debate_cli.cli.json_output import hand_on_json
from debate_cli.cli.score_forms import printed
from debate_cli.cli.score_pages import Pages
from debate_cli.cli.score_remarks import (
    all_the_same,
    at_work,
    other_settings,
    stored_by,
    taken_over,
    under,
    unfinished,
    unjudged,
)
from debate_cli.cli.side_by_side import side_by_side
from debate_cli.domain.called import in_run
from debate_cli.domain.debate import Debate
from debate_cli.domain.system_names import check_system
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import DebateError, UsageError
from debate_cli.render import hostile, scores_table
from debate_cli.render.checked import Checked, Unusable, held
from debate_cli.render.scores_table import Scored
from debate_cli.scoring import score as score_debate
from debate_cli.scoring.gates import GateResult, Gates
from debate_cli.scoring.rubric import Rubric, weights
from debate_cli.storage.library import StoredDebate, concluded, expand, open_debate
from debate_cli.storage.lock import locked
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript
from debate_cli.storage.transcript_file import write

CHECK = "--check"
COLLECT_AFTER = 200_000
"""Values more than before, until the next look for cyclic garbage: those of some fifty transcripts."""


@dataclass(slots=True)
class Scoring:
    """One pass over many files: what is asked, and what went wrong so far."""

    systems: tuple[str, ...]
    runs: str
    rubric: Rubric
    gates: Gates
    check: bool
    write: bool
    pages: Pages | None = None
    """Where a page of each debate is written to; None for nowhere."""
    written: Callable[[Scored], str] | None = None
    """How a file is printed, where that needs no other file: then it is done beside the scoring."""
    settings: str = ""
    """How other settings than the stored ones were asked for, e.g. `--weights logic=1`; empty where they were not."""
    with_held: bool = False
    """Whether it is told when a debate was held, by whom and for how much."""
    bad: list[Unusable] = field(default_factory=list[Unusable])
    unmet: int = 0
    compared: int = 0
    """Stored verdicts that were held against the recomputed ones."""
    stored: int = 0
    """Files whose verdicts were written."""
    differs: bool = False
    """Whether any of these is another."""

    def checked(self, paths: list[Path]) -> Iterator[Checked]:
        """The files' verdicts and gates one after the other, none kept; a bad file among many is reported and passed over."""
        if len(paths) == 1:
            yield self._told(self._one(paths[0]))
            return
        here = self.write or self.pages is not None
        for path, found in zip(
            paths, map(self._tried, paths) if here else side_by_side(self._tried, paths), strict=True
        ):
            if isinstance(found, Checked):
                yield self._told(found)
            else:
                screen.tell(f"debate: {found}")
                self.bad.append(Unusable(str(path), found))

    def _told(self, checked: Checked) -> Checked:
        """The same, after each gate that is not met was told and counted."""
        screen.tell_torn(checked.torn)
        if checked.remark is not None:
            screen.tell(f"{checked.file.path}: {checked.remark}")
        self.compared += checked.compared
        for gate in checked.gates:
            if gate.problem is not None:
                self.differs |= gate.gate == CHECK
                kind = "" if gate.gate == CHECK else "gate not met: "
                screen.tell(f"{checked.file.path}: {kind}{gate.problem}")
                self.unmet += 1
        return checked

    def _tried(self, path: Path) -> Checked | str:
        """Verdicts and gates of a file, or the sentence that says why there are none."""
        try:
            return self._one(path)
        except DebateError as error:
            return str(error)

    def _one(self, path: Path) -> Checked:
        """Verdicts and gates of a file. Raises DebateError."""
        stored = open_debate(path)
        debate = stored.debate
        self._check_runs(path, debate)
        self.gates.require_names([item.name for item in debate.participants], f"{path}: ")
        verdicts = score_debate(
            debate, runs=self.runs, systems=self.systems or None, settings=self.rubric.settings(debate)
        )
        gates = self.gates.results(debate, verdicts)
        busy = at_work(stored) if self.check else None
        never = unjudged(str(path), debate, self.systems)
        remarks = (busy, taken_over(debate, self.runs, self.systems), never, unfinished(debate))
        remark = "; ".join(filter(None, remarks)) or None
        whole = concluded(stored) if self.check and busy is None else None
        if self.check and busy is None:
            gates.append(GateResult(CHECK, "; ".join(self._compare(whole) if whole is not None else ()) or None))
        if self.write:
            self._store(path)
        report = self.pages.write(path, debate, verdicts) if self.pages is not None else None
        scored = Scored(str(path), debate.id, debate.topic, debate.status, verdicts, debate.text)
        compared = len(whole.verdicts) if whole is not None else 0
        told = Checked(scores_table.without_notes(scored), tuple(gates), report, remark, stored.torn, compared)
        if self.written is not None:
            return told._replace(file=scored._replace(verdicts=()), text=self.written(scored))
        return told._replace(held=held(debate)) if self.with_held else told

    def _check_runs(self, path: Path, debate: Debate) -> None:
        known = [run.id for run in debate.runs]
        if self.runs not in {"latest", "all", *known}:
            raise UsageError(f"{path}: --runs {self.runs}: there is no such judging run; it has {', '.join(known)}")

    def _compare(self, stored: StoredDebate) -> list[str]:
        """A sentence for each stored verdict that is not the recomputed one."""
        again = {(verdict.system, verdict.run): verdict for verdict in self._all(stored.debate)}
        kept = {(verdict.system, verdict.run): verdict for verdict in stored.verdicts}
        return [
            f"the stored verdict of {hostile.line(in_run(system, run))} is not the recomputed one{under(self.settings)}"
            for system, run in sorted(again.keys() | kept.keys())
            if again.get((system, run)) != kept.get((system, run))
        ]

    def _all(self, debate: Debate) -> tuple[Verdict, ...]:
        return score_debate(debate, runs="all", settings=self.rubric.settings(debate))

    def _store(self, path: Path) -> None:
        with locked(path):
            stored = open_debate(path)
            if stored.from_journal:
                raise UsageError(f"{path}: the debate is not closed, so verdicts cannot be stored; resume it first")
            document = to_transcript(stored.debate, self._all(stored.debate))
            write(stored.path, document, Redactor(), overwrite=True)
        self.stored += 1


def carry_out(asked: Score) -> None:
    """Recompute verdicts from saved debates, without any model."""
    for kind in asked.system or ():
        check_system(kind)
    how = Format.json if asked.json else asked.format
    if asked.output is not None and how is not Format.html:
        raise UsageError(f"-o {asked.output}: only --format html writes files; redirect stdout for the others")
    scoring = Scoring(
        systems=tuple(asked.system or ()),
        runs=asked.runs,
        rubric=_rubric(asked.weights, asked.rubric),
        gates=options.gates(asked.fail_under, asked.expect_winner, asked.max_warnings, asked.fail_on),
        check=asked.check,
        write=asked.write,
        pages=Pages(asked.output, force=asked.force) if asked.output is not None else None,
        written=printed(how),
        settings=f"--weights {asked.weights}"
        if asked.weights is not None
        else f"--rubric {asked.rubric}"
        if asked.rubric is not None
        else "",
        with_held=how is Format.html,
    )
    if scoring.rubric.remark is not None:
        screen.tell(scoring.rubric.remark)
    with _rare_collections():
        _show(scoring, sorted(expand(asked.paths, homes())), how)
    if scoring.compared and not scoring.differs and not scoring.bad:
        screen.tell(all_the_same(scoring.compared, scoring.settings))
    if scoring.differs and scoring.settings:
        screen.tell(other_settings(scoring.settings))
    if scoring.stored and scoring.settings:
        screen.tell(stored_by(scoring.settings))
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


def _show(scoring: Scoring, paths: list[Path], how: Format) -> None:
    """Print them as they come where the format allows it."""
    found = scoring.checked(paths)
    texts = (checked.text for checked in found)
    match how:
        case Format.json:
            hand_on_json(scores_table.json_array(texts))
        case Format.jsonl:
            hand_on_json(texts)
        case Format.csv:
            screen.hand_on(chain([scores_table.csv_head()], texts))
        case Format.table:
            screen.show_scores(checked.file for checked in found)
        case Format.junit | Format.github | Format.html:
            score_forms.show(how.value, list(found), scoring.bad, scoring.pages)
