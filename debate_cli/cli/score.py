"""`debate score`."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import typer

from debate_cli.app.score import (
    CHECK_GATE,
    CheckedFile,
    ScoredFile,
    ScoreRequest,
    UnusableFile,
    collect_debate_facts,
    collect_reviews,
    describe_outdated,
    score_files,
)
from debate_cli.app.score_records import (
    ArgumentRecord,
    VerdictRecord,
    argument_records,
    flatten_record,
    verdict_records,
)
from debate_cli.cli import console, options
from debate_cli.cli.console import write_document, write_json_chunks, write_workflow_commands
from debate_cli.cli.output_files import refuse_inputs, refuse_stdout
from debate_cli.cli.saved_options import RowKind, ScoreFormat, ScoreOptions
from debate_cli.domain.debate import Debate, rehearsal_notice
from debate_cli.domain.message_text import describe_missing
from debate_cli.errors import ExitCode, StorageError, UsageError
from debate_cli.render import records, score_rows
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.folder import free_name
from debate_cli.storage.lock import lock_holder
from debate_cli.storage.out_path import OutPath
from debate_cli.storage.transcript_store import expand_references, transcript_dirs
from debate_cli.systems.rubric import Rubric, parse_weights

MAX_NAMED_FILES = 3
"""Maximum number of files with missing judgements that a note names. Further files are only counted."""
INDEX_FILE = "index.html"
PAGE_SUFFIX = ".html"
GITHUB_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""Environment variable with the path of the file for the summary of a GitHub Actions step."""
_ROW_FORMATS = (ScoreFormat.csv, ScoreFormat.jsonl, ScoreFormat.json)


def run(given: ScoreOptions) -> None:
    """Recompute verdicts from saved debates, without any model."""
    form = ScoreFormat.json if given.json else given.format
    if given.output is not None and form is not ScoreFormat.html:
        raise UsageError(
            f"-o {given.output}: this option works only with --format html; for other formats, redirect stdout"
        )
    if given.per is RowKind.argument and form not in _ROW_FORMATS:
        raise UsageError("--per argument works only with --format csv, jsonl or json; add one of these formats")
    refuse_stdout(given.output, "-o")
    rubric, rubric_option = _rubric_from_options(given.weights, given.rubric)
    request = ScoreRequest(
        tuple(given.system or ()),
        given.runs,
        rubric,
        rubric_option,
        options.gates_from_options(given.fail_under, given.expect_winner, given.max_warnings, given.fail_on),
        check=given.check,
        write=given.write,
    )
    report = _Report()
    paths = sorted(expand_references(given.paths, transcript_dirs()))
    pages = PageWriter(given.output, paths, force=given.force) if given.output is not None else None
    files = report.read(score_files(paths, request), pages)
    _print_scores(files, form, given.per, report, pages)
    _print_missing(report)
    _print_closing_notes(report, request)
    if report.unusable:
        raise typer.Exit(ExitCode.FAILED if report.scored_files else min(file.exit_code for file in report.unusable))
    if report.unmet_gates:
        raise typer.Exit(ExitCode.GATE_NOT_MET)


def _rubric_from_options(weights: str | None, file: Path | None) -> tuple[Rubric, str]:
    if weights is not None and file is not None:
        raise UsageError("use --weights or --rubric, not both; a rubric file can contain the weights too")
    if file is not None:
        from debate_cli.storage.config_file import load_rubric

        return load_rubric(file), f"--rubric {file}"
    return (Rubric(), "") if weights is None else (parse_weights(weights), f"--weights {weights}")


@dataclass(slots=True)
class _Report:
    unusable: list[UnusableFile] = field(default_factory=list[UnusableFile])
    scored_files: int = 0
    rehearsals: Counter[str] = field(default_factory=Counter[str])
    """Maps each notice, which says that the mock gave answers, to the number of debates with this notice. Debates without
    a notice count under the empty text."""
    unmet_gates: int = 0
    compared_verdicts: int = 0
    has_differences: bool = False
    outdated: Counter[str] = field(default_factory=Counter[str])
    """Maps kinds of judging systems to numbers of stored verdicts, see `count_outdated`."""
    rescored: dict[str, bool] = field(default_factory=dict[str, bool])
    """Maps the kind of each judging system to whether any of its verdicts was computed with new settings."""
    missing: dict[str, int] = field(default_factory=dict[str, int])
    """Maps the path of each file with missing judgements to their number."""
    first_lacking: CheckedFile | None = None
    """The first file in `missing`."""
    only_file: CheckedFile | None = None
    """The scored file, if there is only one."""
    notices: dict[str, None] = field(default_factory=dict[str, None])
    """The keys are sentences about unexpected effects of the new settings, without repetitions. The values are not used."""
    _sentences: set[str] = field(default_factory=set[str])

    def read(self, files: Iterator[CheckedFile | UnusableFile], pages: "PageWriter | None") -> Iterator[CheckedFile]:
        for file in files:
            if isinstance(file, UnusableFile):
                self.unusable.append(file)
                self._print_unusable(file)
                continue
            self._print_problems(file)
            if file.debate is not None:
                yield file if pages is None else file._replace(report=pages.write_page(file, file.debate))

    def count_rehearsals(self, files: Iterator[CheckedFile]) -> Iterator[CheckedFile]:
        for file in files:
            if file.debate is not None:
                self.rehearsals[rehearsal_notice(file.debate)] += 1
            yield file

    def _print_unusable(self, file: UnusableFile) -> None:
        """Print why a file was not scored.

        An option can be the reason, e.g. an unknown name after --expect-winner. The same message about an option is
        printed for the first file only.
        """
        sentence = file.message.removeprefix(f"{file.path}: ")
        if sentence not in self._sentences:
            console.print_status(f"debate: {file.message}")
        if sentence.startswith("--"):
            self._sentences.add(sentence)

    def _print_problems(self, file: CheckedFile) -> None:
        console.print_incomplete_line_note(file.incomplete_line_warning)
        if file.remark is not None:
            console.print_status(f"{file.file.path}: {file.remark}")
        self.notices |= dict.fromkeys(file.notices)
        self.scored_files += 1
        self.only_file = file if self.scored_files == 1 else None
        if file.missing:
            self.missing[file.file.path] = len(file.missing)
            self.first_lacking = self.first_lacking or file
        self.compared_verdicts += file.compared_count
        self.outdated.update(file.outdated)
        for verdict in file.file.verdicts:
            self.rescored[verdict.system] = (
                self.rescored.get(verdict.system, False) or verdict.system in file.rescored_systems
            )
        for gate in file.gates:
            if gate.problem is not None:
                is_check = gate.gate == CHECK_GATE
                console.print_status(f"{file.file.path}: {'' if is_check else 'gate not met: '}{gate.problem}")
                self.has_differences |= is_check
                self.unmet_gates += 1


def _print_scores(
    files: Iterator[CheckedFile], form: ScoreFormat, per: RowKind, report: _Report, pages: "PageWriter | None"
) -> None:
    files = report.count_rehearsals(files)
    kind, read = (VerdictRecord, verdict_records) if per is RowKind.verdict else (ArgumentRecord, argument_records)
    match form:
        case ScoreFormat.json if per is RowKind.verdict:
            write_json_chunks(score_rows.dump_scores_json(checked.file for checked in files))
        case ScoreFormat.json:
            write_json_chunks(records.dump_json_array(_read_records(files, read)))
        case ScoreFormat.jsonl:
            write_json_chunks(records.dump_jsonl(_read_records(files, read)))
        case ScoreFormat.csv:
            columns = [name for name in kind._fields if name != "debaters"]
            rows = _read_records(files, read)
            write_document(records.dump_csv(rows, columns, for_terminal=sys.stdout.isatty()))
        case ScoreFormat.table:
            console.show_scores(checked.file for checked in files)
        case ScoreFormat.junit:
            from debate_cli.render.text.ci import format_junit

            write_document([format_junit(_without_notes(files), report.unusable)])
        case ScoreFormat.github:
            _print_github(_without_notes(files), report.unusable)
        case ScoreFormat.html:
            _print_index(_without_notes(files), report.unusable, pages)
    console.print_rehearsals(report.rehearsals, report.scored_files)


def _read_records(
    files: Iterable[CheckedFile], read: Callable[[ScoredFile, Debate], Iterator[VerdictRecord | ArgumentRecord]]
) -> Iterator[records.Record]:
    for checked in files:
        if checked.debate is not None:
            yield from map(flatten_record, read(checked.file, checked.debate))


def _without_notes(files: Iterator[CheckedFile]) -> list[CheckedFile]:
    return [
        checked._replace(
            file=score_rows.drop_notes(checked.file),
            facts=collect_debate_facts(checked.debate),
            reviews=collect_reviews(checked.file.verdicts),
            debate=None,
        )
        for checked in files
        if checked.debate is not None
    ]


def _print_missing(report: _Report) -> None:
    """Print a note if judgements are missing or a debate is unfinished. The note tells how to continue.

    - If one file lacks judgements, or only one file was scored, the note is about this file.
    - If several files lack judgements, one note names the first of these files.
    - If several files were scored and none lacks judgements, nothing is printed.
    """
    counts = report.missing
    file = report.first_lacking if len(counts) == 1 else report.only_file
    if file is not None and file.debate is not None and (file.missing or file.debate.status == "incomplete"):
        from debate_cli.app.new_limits import ended_command_of
        from debate_cli.render.content.resume_hint import open_work_lines

        path, debate = Path(file.file.path), file.debate
        ended, is_running = ended_command_of(path, debate), lock_holder(path) is not None
        console.print_status_lines(open_work_lines(debate, file.missing, ended, is_running=is_running))
    elif counts:
        paths = [
            *islice(counts, MAX_NAMED_FILES),
            *([f"{rest} more"] if (rest := len(counts) - MAX_NAMED_FILES) > 0 else []),
        ]
        console.print_status(
            f"note: {describe_missing(sum(counts.values()))} in {len(counts)} of {report.scored_files} debates "
            f"({', '.join(paths)}); to see how to ask again, run `debate score PATH` for one of them"
        )


def _print_closing_notes(report: _Report, request: ScoreRequest) -> None:
    option = request.rubric_option
    for note in describe_outdated(report.outdated):
        console.print_status(f"note: {note}")
    for notice in report.notices:
        console.print_status(f"note: {option}: {notice}")
    kept = [kind for kind, is_rescored in report.rescored.items() if not is_rescored]
    if option and kept:
        changed = " and ".join(kind for kind in report.rescored if kind not in kept)
        applies = f"applies to {changed}" if changed else "applies to no judging system here"
        console.print_status(f"note: {option} {applies}; stored settings apply to {', '.join(kept)}")
    compared = report.compared_verdicts
    if compared and not report.has_differences and not report.unusable:
        matches = "1 stored verdict matches the recomputed one"
        if compared > 1:
            matches = f"{compared} stored verdicts match the recomputed ones"
        console.print_status(f"OK: {matches}{f' (recomputed with {option})' if option else ''}")
    if report.has_differences and option:
        console.print_status(
            f"--check recomputed the verdicts with {option}; to use the settings of each debate instead, leave out {option}"
        )
    if request.write and report.scored_files and option:
        console.print_status(
            f"the verdicts that are now stored were recomputed with {option}; `debate list` shows these verdicts, "
            "but replay, diff and score still use the settings of each debate"
        )


@dataclass(slots=True)
class PageWriter:
    """Writes an HTML page per debate and an index. Existing files are overwritten only with `force`."""

    out: OutPath
    """The folder of the pages."""
    paths: Sequence[Path]
    """The saved debates."""
    force: bool
    names: dict[Path, str] = field(init=False)
    """Maps each of `paths` to the file name of its page."""

    def __post_init__(self) -> None:
        if self.out.is_file(PAGE_SUFFIX):
            raise UsageError(
                f"-o {self.out}: is one file, but an index and a page for each debate are needed; give the path of a folder (with a slash at its end), or "
                f"write one page with `debate replay ID --format html -o {self.out}`"
            )
        self.names = _choose_page_names(self.paths)
        pages = [self.out.path / name for name in (*self.names.values(), INDEX_FILE)]
        refuse_inputs(pages, "-o", self.paths)
        existing = next((page for page in pages if page.exists()), None)
        if existing is not None and not self.force:
            raise UsageError(f"{existing} exists already; choose another folder with -o, or overwrite it with --force")

    def write_page(self, file: CheckedFile, debate: Debate) -> str:
        """Write the page of a debate. Returns the page's file name. Raises StorageError."""
        from debate_cli.app.new_limits import find_saved_remedy
        from debate_cli.render.html.page import render_html

        path = Path(file.file.path)
        page = render_html(debate, file.file.verdicts, remedy=find_saved_remedy(path, debate))
        name = self.names[path]
        atomic_write(self.out.path / name, page.encode("utf-8", "replace"), overwrite=self.force)
        return name

    def write_index(self, page: str) -> Path:
        """Write the index. Returns its path. Raises StorageError."""
        path = self.out.path / INDEX_FILE
        atomic_write(path, page.encode("utf-8", "replace"), overwrite=self.force)
        return path


def _choose_page_names(paths: Iterable[Path]) -> dict[Path, str]:
    taken = {Path(INDEX_FILE).stem}
    names: dict[Path, str] = {}
    for path in paths:
        stem = free_name(path.stem, taken)
        taken.add(stem)
        names[path] = f"{stem}{PAGE_SUFFIX}"
    return names


def _print_github(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile]) -> None:
    from debate_cli.render.text.ci import format_step_summary, format_workflow_commands

    write_workflow_commands(format_workflow_commands(files, unusable))
    summary_path = os.environ.get(GITHUB_SUMMARY_VARIABLE)
    if not summary_path:
        return
    try:
        with Path(summary_path).open("a", encoding="utf-8", errors="replace") as file:
            file.write(format_step_summary(files, unusable))
    except OSError as error:
        raise StorageError(
            f"{summary_path}: cannot be written ({error.strerror}); unset {GITHUB_SUMMARY_VARIABLE}, or set it to another file"
        ) from error


def _print_index(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile], pages: PageWriter | None) -> None:
    from debate_cli.render.html.index import render_index

    if pages is not None:
        console.print_status(f"written: {pages.write_index(render_index(files, unusable))}")
        return
    places = [Path(checked.file.path).with_suffix(PAGE_SUFFIX) for checked in files]
    linked = [
        checked._replace(report=str(page) if page.is_file() else None)
        for checked, page in zip(files, places, strict=True)
    ]
    write_document([render_index(linked, unusable)])
