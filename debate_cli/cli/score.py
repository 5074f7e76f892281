"""`debate score`."""

import gc
import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Annotated, Literal, NamedTuple

import typer

from debate_cli.app.gates import GateResult, Gates
from debate_cli.app.score_files import map_in_processes
from debate_cli.cli import completion, console, options
from debate_cli.cli.console import write_json_chunks
from debate_cli.domain.debate import RESUMABLE_CLOSE_REASONS, Debate
from debate_cli.domain.judging_run import JudgingRun, format_system_with_run
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import DebateError, StorageError, UsageError
from debate_cli.render import sanitize, score_rows
from debate_cli.render.score_rows import CheckedFile, ScoredFile, UnusableFile, collect_debate_facts
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.lock import lock_debate, lock_holder
from debate_cli.storage.redact import Redactor
from debate_cli.storage.transcript import to_transcript, write_transcript
from debate_cli.storage.transcript_dirs import transcript_dirs
from debate_cli.storage.transcript_store import StoredDebate, expand_references, load_last_transcript, open_debate
from debate_cli.systems.registry import check_system_kind
from debate_cli.systems.rubric import Rubric, parse_weights
from debate_cli.systems.scoring import score as score_debate

EPILOG = options.EXIT_CODES_WITHOUT_MODELS


class ScoreFormat(StrEnum):
    """How the verdicts are printed."""

    table = "table"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"
    junit = "junit"
    github = "github"
    html = "html"


class Options(NamedTuple):
    """Recompute verdicts from saved debates, without any model.

    The stored assessments count; weights, thresholds and penalties may be others. Of each system the newest judging run
    is scored, and nothing is written without --write or -o.

    Examples:

      debate score transcripts/

      debate score debate.json --weights evidence=0.6,logic=0.4

      debate score 'transcripts/*.json' --check --format csv

      debate score transcripts/ --fail-under 6 --format junit > gates.xml

      debate score transcripts/ --format html -o reports
    """

    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="Transcripts, folders, globs, ids.", autocompletion=completion.complete_paths
        ),
    ]
    system: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this system (repeatable).", autocompletion=completion.complete_systems),
    ] = None
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="NAME=N,...", help="Weights of the structured criteria.")
    ] = None
    rubric: Annotated[Path | None, typer.Option(help="YAML: weights, thresholds, penalties per system.")] = None
    runs: Annotated[str, typer.Option(metavar="latest|all|ID", help="Which judging runs.")] = "latest"
    format: Annotated[ScoreFormat, typer.Option("--format", help="How to print them.")] = ScoreFormat.table
    json: options.JsonOption = False
    write: Annotated[bool, typer.Option("--write", help="Store the recomputed verdicts.")] = False
    check: Annotated[
        bool,
        typer.Option("--check", help="Stored verdicts equal recomputed ones.", rich_help_panel=options.GATES_PANEL),
    ] = False
    fail_under: options.FailUnderOption = None
    expect_winner: options.ExpectWinnerOption = None
    max_warnings: options.MaxWarningsOption = None
    fail_on: options.FailOnOption = None
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="html: folder for the index and a page of each debate."),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite what stands in DIR.")] = False
    debug: options.DebugOption = False


def format_check_passed(compared: int, settings: str = "") -> str:
    """A sentence on stored verdicts of which each is the recomputed one; `compared`: how many, 1 or more.

    `settings`: the option that laid others over the stored ones; empty for none.
    """
    if compared == 1:
        return f"the one stored verdict is the recomputed one{format_settings_suffix(settings)}"
    return f"all {compared} stored verdicts are the recomputed ones{format_settings_suffix(settings)}"


def format_settings_suffix(settings: str) -> str:
    """What follows `recomputed` where it was not done with the stored settings."""
    return f" with {settings}" if settings else ""


def format_settings_differ(settings: str) -> str:
    """A sentence on stored verdicts that differ from those recomputed with other settings, as they mostly do."""
    return (
        f"--check recomputed with {settings}; leave that out to compare with the settings that each file was judged by"
    )


def format_stored_note(settings: str) -> str:
    """A sentence on verdicts that were just stored under other settings than their debates were judged by."""
    return (
        f"--write stored the verdicts by {settings}, but not these settings: `list` shows them, while replay, diff and "
        "score go by the settings that each debate was judged by, and the next judging stores verdicts by those again"
    )


def format_replaced_note(debate: Debate, run: str, systems: Sequence[str]) -> str | None:
    """A sentence on assessments of that run that no longer count, where any of these systems (none: of all) has such."""
    places = [place for place, known in enumerate(debate.runs) if known.id == run]
    if not places:
        return None
    place = places[0]
    gone = [kind for kind in debate.runs[place].replaced if not systems or kind in systems]
    by = {kind: _find_replacing_run(debate.runs[place:], kind) for kind in gone}
    if not gone:
        return None
    told = ", ".join(f"{kind} by {by[kind]}" for kind in gone)
    return f"--runs {run}: its assessments were replaced ({told}) and no longer count"


def _find_replacing_run(runs: Sequence[JudgingRun], kind: str) -> str:
    """The run that took the place of the first one's assessments by that system."""
    took = (run.id for run in runs[1:] if run.replaces and any(system.kind == kind for system in run.judging.systems))
    return next(took, "a later run")


def format_unjudged_note(path: str, debate: Debate, systems: Sequence[str]) -> str | None:
    """A sentence on those of the `systems` asked for that no run judged a debate by; None for none."""
    known = {system.kind for run in debate.runs for system in run.judging.systems}
    never = [kind for kind in dict.fromkeys(systems) if kind not in known]
    if not never:
        return None
    options = " ".join(f"--system {kind}" for kind in never)
    return f"{' and '.join(never)} never judged it; let it be judged: debate judge {quote(path)} {options}"


def format_unfinished_note(debate: Debate) -> str | None:
    """A sentence on a debate that was judged before its end and can be gone on with; None for others."""
    if debate.closed not in RESUMABLE_CLOSE_REASONS or not debate.turns or not debate.assessments:
        return None
    count = len(debate.turns)
    speeches = "the one speech" if count == 1 else f"the {count} speeches"
    return f"the debate is unfinished, so its verdicts are on {speeches} so far"


def format_running_note(stored: StoredDebate) -> str | None:
    """A sentence on the process that still extends a debate; None where none does."""
    pid = lock_holder(stored.path) if stored.from_journal else None
    return None if pid is None else f"still running (process {pid}), so its verdicts are not checked"


INDEX_FILE = "index.html"
PAGE_SUFFIX = ".html"


@dataclass(slots=True)
class PageWriter:
    """Pages as they are written. Nothing that was there before is overwritten without `force`."""

    folder: Path
    force: bool
    used_names: set[str] = field(default_factory=lambda: {INDEX_FILE})
    """Those given away."""

    def __post_init__(self) -> None:
        """Raises UsageError where a page is named for a folder, or there is an index already, before any page is written."""
        if self.folder.suffix == PAGE_SUFFIX and not self.folder.is_dir():
            raise UsageError(
                f"-o {self.folder}: several pages are written, {INDEX_FILE} among them; name a folder for them"
            )
        if not self.force and (self.folder / INDEX_FILE).exists():
            raise UsageError(
                f"{self.folder / INDEX_FILE} exists already; choose another folder, or overwrite it with --force"
            )

    def write_page(self, path: Path, debate: Debate, verdicts: Sequence[Verdict]) -> str:
        """Write the page of the debate that was read from `path`; its name in the folder. Raises StorageError."""
        from debate_cli.render.html.page import render_html

        name = self._unique_name(path.stem)
        atomic_write(self.folder / name, render_html(debate, verdicts).encode("utf-8", "replace"), overwrite=self.force)
        return name

    def write_index(self, page: str) -> Path:
        """Write the index; where it is. Raises StorageError."""
        place = self.folder / INDEX_FILE
        atomic_write(place, page.encode("utf-8", "replace"), overwrite=self.force)
        return place

    def _unique_name(self, stem: str) -> str:
        """A name of its own for each page, whatever folders the debates lie in."""
        number = 1
        while (name := f"{stem}{'' if number == 1 else f'-{number}'}{PAGE_SUFFIX}") in self.used_names:
            number += 1
        self.used_names.add(name)
        return name


def find_page(path: Path) -> str | None:
    """The page that was made of a debate and stands beside its file, if there is one."""
    place = path.with_suffix(PAGE_SUFFIX)
    return str(place) if place.is_file() else None


SCORE_FORMATTERS: Mapping[ScoreFormat, Callable[[ScoredFile], str]] = {
    ScoreFormat.json: score_rows.dump_file_json,
    ScoreFormat.jsonl: score_rows.dump_file_jsonl,
    ScoreFormat.csv: score_rows.dump_file_csv,
}
"""How a file is printed in the forms in which no other file matters."""


def formatter_for(how: ScoreFormat) -> Callable[[ScoredFile], str] | None:
    """The one of these that stdout is given; None for the other forms."""
    return (
        score_rows.dump_sanitized_csv if how is ScoreFormat.csv and sys.stdout.isatty() else SCORE_FORMATTERS.get(how)
    )


GITHUB_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""The variable by which GitHub names the file that a step's summary is appended to."""


def print_score_report(
    form: Literal["junit", "github", "html"],
    files: Sequence[CheckedFile],
    unusable: Sequence[UnusableFile],
    pages: PageWriter | None,
) -> None:
    """Print the files in this form; an index whose debates have pages goes where those are."""
    if form == "junit":
        from debate_cli.render.ci import format_junit

        sys.stdout.write(format_junit(files, unusable))
    elif form == "github":
        _print_github(files, unusable)
    else:
        _print_index(files, unusable, pages)


def _print_github(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile]) -> None:
    from debate_cli.render.ci import format_step_summary, format_workflow_commands

    for line in format_workflow_commands(files, unusable):
        print(line)
    place = os.environ.get(GITHUB_SUMMARY_VARIABLE)
    if not place:
        return
    try:
        with Path(place).open("a", encoding="utf-8", errors="replace") as file:
            file.write(format_step_summary(files, unusable))
    except OSError as error:
        raise StorageError(
            f"{place}: cannot be written ({error.strerror}); unset {GITHUB_SUMMARY_VARIABLE}, or name a file"
        ) from error


def _print_index(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile], pages: PageWriter | None) -> None:
    from debate_cli.render.html.index import render_index

    if pages is not None:
        console.print_status(f"written: {pages.write_index(render_index(files, unusable))}")
        return
    beside = [checked._replace(report=find_page(Path(checked.file.path))) for checked in files]
    sys.stdout.write(render_index(beside, unusable))


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
                console.print_status(f"debate: {found}")
                self.unusable.append(UnusableFile(str(path), found))

    def _report_gates(self, checked: CheckedFile) -> CheckedFile:
        """The same, after each gate that is not met was told and counted."""
        console.print_truncation_note(checked.torn)
        if checked.remark is not None:
            console.print_status(f"{checked.file.path}: {checked.remark}")
        self.compared_verdicts += checked.compared_count
        for gate in checked.gates:
            if gate.problem is not None:
                self.has_differences |= gate.gate == CHECK_GATE
                kind = "" if gate.gate == CHECK_GATE else "gate not met: "
                console.print_status(f"{checked.file.path}: {kind}{gate.problem}")
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
            score_rows.drop_notes(scored), tuple(gates), report, remark, stored.torn_line_warning, compared
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
            f"the stored verdict of {sanitize.sanitize_line(format_system_with_run(system, run))} is not the recomputed one{format_settings_suffix(self.settings_option)}"
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


def run(asked: Options) -> None:
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
        console.print_status(scoring.rubric.remark)
    with _reduce_gc():
        _print_scores(scoring, sorted(expand_references(asked.paths, transcript_dirs())), how)
    if scoring.compared_verdicts and not scoring.has_differences and not scoring.unusable:
        console.print_status(format_check_passed(scoring.compared_verdicts, scoring.settings_option))
    if scoring.has_differences and scoring.settings_option:
        console.print_status(format_settings_differ(scoring.settings_option))
    if scoring.stored_files and scoring.settings_option:
        console.print_status(format_stored_note(scoring.settings_option))
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
            write_json_chunks(score_rows.join_json_array(texts))
        case ScoreFormat.jsonl:
            write_json_chunks(texts)
        case ScoreFormat.csv:
            console.write_chunks(chain([score_rows.csv_header()], texts))
        case ScoreFormat.table:
            console.show_scores(checked.file for checked in found)
        case ScoreFormat.junit | ScoreFormat.github | ScoreFormat.html:
            print_score_report(how.value, list(found), scoring.unusable, scoring.pages)
