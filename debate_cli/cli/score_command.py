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
from debate_cli.cli.asked.score import ScoreFormat, ScoreOptions
from debate_cli.cli.homes import transcript_dirs
from debate_cli.cli.json_output import write_json_chunks
from debate_cli.cli.score_forms import formatter_for
from debate_cli.cli.score_pages import PageWriter
from debate_cli.cli.score_remarks import (
    format_check_passed,
    format_replaced_note,
    format_running_note,
    format_settings_differ,
    format_settings_suffix,
    format_stored_note,
    format_unfinished_note,
    format_unjudged_note,
)
from debate_cli.cli.side_by_side import map_in_processes
from debate_cli.domain.called import format_system_with_run
from debate_cli.domain.debate import Debate
from debate_cli.domain.system_names import check_system_kind
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import DebateError, UsageError
from debate_cli.render import hostile, scores_table
from debate_cli.render.checked import CheckedFile, UnusableFile, collect_debate_facts
from debate_cli.render.scores_table import ScoredFile
from debate_cli.scoring import score as score_debate
from debate_cli.scoring.gates import GateResult, Gates
from debate_cli.scoring.rubric import Rubric, parse_weights
from debate_cli.storage.library import StoredDebate, expand_references, load_last_transcript, open_debate
from debate_cli.storage.lock import lock_debate
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript
from debate_cli.storage.transcript_file import write_transcript

CHECK_GATE = "--check"
GC_THRESHOLD = 200_000
"""Values more than before, until the next look for cyclic garbage: those of some fifty transcripts."""


@dataclass(slots=True)
class ScoringPass:
    """One pass over many files: what is asked, and what went wrong so far."""

    systems: tuple[str, ...]
    runs: str
    rubric: Rubric
    gates: Gates
    check: bool
    write: bool
    pages: PageWriter | None = None
    """Where a page of each debate is written to; None for nowhere."""
    format_file: Callable[[ScoredFile], str] | None = None
    """How a file is printed, where that needs no other file: then it is done beside the scoring."""
    settings_option: str = ""
    """How other settings than the stored ones were asked for, e.g. `--weights logic=1`; empty where they were not."""
    with_provenance: bool = False
    """Whether it is told when a debate was held, by whom and for how much."""
    unusable: list[UnusableFile] = field(default_factory=list[UnusableFile])
    unmet_gates: int = 0
    compared_verdicts: int = 0
    """Stored verdicts that were held against the recomputed ones."""
    stored_files: int = 0
    """Files whose verdicts were written."""
    has_differences: bool = False
    """Whether any of these is another."""

    def score_files(self, paths: list[Path]) -> Iterator[CheckedFile]:
        """The files' verdicts and gates one after the other, none kept; a bad file among many is reported and passed over."""
        if len(paths) == 1:
            yield self._report_gates(self._score_file(paths[0]))
            return
        here = self.write or self.pages is not None
        for path, found in zip(
            paths,
            map(self._try_score_file, paths) if here else map_in_processes(self._try_score_file, paths),
            strict=True,
        ):
            if isinstance(found, CheckedFile):
                yield self._report_gates(found)
            else:
                screen.print_status(f"debate: {found}")
                self.unusable.append(UnusableFile(str(path), found))

    def _report_gates(self, checked: CheckedFile) -> CheckedFile:
        """The same, after each gate that is not met was told and counted."""
        screen.print_truncation_note(checked.torn)
        if checked.remark is not None:
            screen.print_status(f"{checked.file.path}: {checked.remark}")
        self.compared_verdicts += checked.compared_count
        for gate in checked.gates:
            if gate.problem is not None:
                self.has_differences |= gate.gate == CHECK_GATE
                kind = "" if gate.gate == CHECK_GATE else "gate not met: "
                screen.print_status(f"{checked.file.path}: {kind}{gate.problem}")
                self.unmet_gates += 1
        return checked

    def _try_score_file(self, path: Path) -> CheckedFile | str:
        """Verdicts and gates of a file, or the sentence that says why there are none."""
        try:
            return self._score_file(path)
        except DebateError as error:
            return str(error)

    def _score_file(self, path: Path) -> CheckedFile:
        """Verdicts and gates of a file. Raises DebateError."""
        stored = open_debate(path)
        debate = stored.debate
        self._check_runs(path, debate)
        self.gates.require_names([item.name for item in debate.participants], f"{path}: ")
        verdicts = score_debate(
            debate, runs=self.runs, systems=self.systems or None, settings=self.rubric.settings(debate)
        )
        gates = self.gates.evaluate(debate, verdicts)
        busy = format_running_note(stored) if self.check else None
        never = format_unjudged_note(str(path), debate, self.systems)
        remarks = (busy, format_replaced_note(debate, self.runs, self.systems), never, format_unfinished_note(debate))
        remark = "; ".join(filter(None, remarks)) or None
        whole = load_last_transcript(stored) if self.check and busy is None else None
        if self.check and busy is None:
            gates.append(GateResult(CHECK_GATE, "; ".join(self._compare(whole) if whole is not None else ()) or None))
        if self.write:
            self._store_verdicts(path)
        report = self.pages.write_page(path, debate, verdicts) if self.pages is not None else None
        scored = ScoredFile(str(path), debate.id, debate.topic, debate.status, verdicts, debate.document_name)
        compared = len(whole.verdicts) if whole is not None else 0
        told = CheckedFile(
            scores_table.drop_notes(scored), tuple(gates), report, remark, stored.torn_line_warning, compared
        )
        if self.format_file is not None:
            return told._replace(file=scored._replace(verdicts=()), text=self.format_file(scored))
        return told._replace(held=collect_debate_facts(debate)) if self.with_provenance else told

    def _check_runs(self, path: Path, debate: Debate) -> None:
        known = [run.id for run in debate.runs]
        if self.runs not in {"latest", "all", *known}:
            raise UsageError(f"{path}: --runs {self.runs}: there is no such judging run; it has {', '.join(known)}")

    def _compare(self, stored: StoredDebate) -> list[str]:
        """A sentence for each stored verdict that is not the recomputed one."""
        again = {(verdict.system, verdict.run): verdict for verdict in self._score_all_runs(stored.debate)}
        kept = {(verdict.system, verdict.run): verdict for verdict in stored.verdicts}
        return [
            f"the stored verdict of {hostile.sanitize_line(format_system_with_run(system, run))} is not the recomputed one{format_settings_suffix(self.settings_option)}"
            for system, run in sorted(again.keys() | kept.keys())
            if again.get((system, run)) != kept.get((system, run))
        ]

    def _score_all_runs(self, debate: Debate) -> tuple[Verdict, ...]:
        return score_debate(debate, runs="all", settings=self.rubric.settings(debate))

    def _store_verdicts(self, path: Path) -> None:
        with lock_debate(path):
            stored = open_debate(path)
            if stored.from_journal:
                raise UsageError(f"{path}: the debate is not closed, so verdicts cannot be stored; resume it first")
            document = to_transcript(stored.debate, self._score_all_runs(stored.debate))
            write_transcript(stored.path, document, Redactor(), overwrite=True)
        self.stored_files += 1


def run(asked: ScoreOptions) -> None:
    """Recompute verdicts from saved debates, without any model."""
    for kind in asked.system or ():
        check_system_kind(kind)
    how = ScoreFormat.json if asked.json else asked.format
    if asked.output is not None and how is not ScoreFormat.html:
        raise UsageError(f"-o {asked.output}: only --format html writes files; redirect stdout for the others")
    scoring = ScoringPass(
        systems=tuple(asked.system or ()),
        runs=asked.runs,
        rubric=_rubric_from_options(asked.weights, asked.rubric),
        gates=options.gates_from_options(asked.fail_under, asked.expect_winner, asked.max_warnings, asked.fail_on),
        check=asked.check,
        write=asked.write,
        pages=PageWriter(asked.output, force=asked.force) if asked.output is not None else None,
        format_file=formatter_for(how),
        settings_option=f"--weights {asked.weights}"
        if asked.weights is not None
        else f"--rubric {asked.rubric}"
        if asked.rubric is not None
        else "",
        with_provenance=how is ScoreFormat.html,
    )
    if scoring.rubric.remark is not None:
        screen.print_status(scoring.rubric.remark)
    with _reduce_gc():
        _print_scores(scoring, sorted(expand_references(asked.paths, transcript_dirs())), how)
    if scoring.compared_verdicts and not scoring.has_differences and not scoring.unusable:
        screen.print_status(format_check_passed(scoring.compared_verdicts, scoring.settings_option))
    if scoring.has_differences and scoring.settings_option:
        screen.print_status(format_settings_differ(scoring.settings_option))
    if scoring.stored_files and scoring.settings_option:
        screen.print_status(format_stored_note(scoring.settings_option))
    if scoring.unusable:
        raise typer.Exit(1)
    if scoring.unmet_gates:
        raise typer.Exit(5)


def _rubric_from_options(weights_: str | None, file: Path | None) -> Rubric:
    """What is laid over the stored settings; YAML is read by a library that only --rubric pays for."""
    if weights_ is not None and file is not None:
        raise UsageError("--weights and --rubric exclude each other; put the weights into the rubric")
    if file is not None:
        from debate_cli.storage.rubric_file import load_rubric

        return load_rubric(file)
    return Rubric() if weights_ is None else parse_weights(weights_)


@contextmanager
def _reduce_gc() -> Generator[None]:
    """Look for cyclic garbage seldom: a debate has none, and the many values of each would be looked at again and again."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _print_scores(scoring: ScoringPass, paths: list[Path], how: ScoreFormat) -> None:
    """Print them as they come where the format allows it."""
    found = scoring.score_files(paths)
    texts = (checked.text for checked in found)
    match how:
        case ScoreFormat.json:
            write_json_chunks(scores_table.join_json_array(texts))
        case ScoreFormat.jsonl:
            write_json_chunks(texts)
        case ScoreFormat.csv:
            screen.write_chunks(chain([scores_table.csv_header()], texts))
        case ScoreFormat.table:
            screen.show_scores(checked.file for checked in found)
        case ScoreFormat.junit | ScoreFormat.github | ScoreFormat.html:
            score_forms.print_score_report(how.value, list(found), scoring.unusable, scoring.pages)
