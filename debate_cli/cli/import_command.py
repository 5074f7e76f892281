"""`debate import`. The module is not named `import`, because that is a keyword."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import typer

from debate_cli.app.context import RunContext
from debate_cli.app.import_claims import ClaimSearch, count_calls, count_missing, find_claims, read_known_claims
from debate_cli.app.import_debate import (
    LABELS_FILE,
    choose_targets,
    find_import_files,
    format_labels,
    label_rows,
    read_dataset,
    read_import_file,
    save_import,
)
from debate_cli.app.judge_request import JudgingRequest, parse_model
from debate_cli.app.model_roles import mock_spec
from debate_cli.app.personas import prepare_asked_model
from debate_cli.cli import config_options, run_control
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import ignore_broken_pipe, print_json, print_lines, print_status, show_tables
from debate_cli.cli.output_files import refuse_inputs, refuse_stdout
from debate_cli.cli.saved_options import ImportOptions
from debate_cli.cli.screen import PipeSafeObserver, StatusObserver
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.message_text import count_noun
from debate_cli.domain.model_call import total_usage
from debate_cli.domain.turn import Turn
from debate_cli.errors import DebateError, ExitCode, UsageError, format_page_hint
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.importing.datasets import DATASETS, HumanLabel
from debate_cli.importing.debate import ImportedDebate
from debate_cli.importing.speaker_labels import fold_name
from debate_cli.importing.speeches import ImportRequest
from debate_cli.importing.tables import KNOWN_COLUMNS
from debate_cli.render.content.summary import suggest_judge_command
from debate_cli.render.sanitize import sanitize_line
from debate_cli.render.theme import format_usage, shorten
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.transcript_store import transcript_dirs
from debate_cli.systems.tables import Number, Table

_MODEL_OPTIONS = ("mock", "config", "max_cost", "max_tokens", "trust_host", "trust_path")
_MAX_TOPIC_CHARS = 60
_TOPIC_SOURCES = {"option": "from --topic", "file": "named in the file", "name": "the file's name; set it with --topic"}


def run(given: ImportOptions) -> None:
    """Make transcripts of debates that were held elsewhere."""
    ignored = next((name for name in _MODEL_OPTIONS if getattr(given, name)), None)
    if ignored is not None and given.arguments is None:
        option = ignored.replace("_", "-")
        raise UsageError(
            f"--{option} has no effect without --arguments; add --arguments PROVIDER/MODEL, or leave out --{option}"
        )
    refuse_stdout(given.out, "-o")
    request = _build_request(given)
    asked = None if given.arguments is None else _prepare_model(given, given.arguments)
    folder, now = next(iter(transcript_dirs())), datetime.now(UTC)
    if request.format in DATASETS:
        target_folder = folder if given.out is None else given.out.path
        _import_dataset(_Importer(given, asked), partial(read_dataset, given.paths, request, target_folder, now))
        return
    files, notes = find_import_files(given.paths)
    targets = choose_targets(files, given.out, folder)
    config_options.print_notes(notes)
    refuse_inputs(targets, "--out", files)
    importer = _Importer(given, asked, is_single=len(files) == 1)
    for file, target in zip(files, targets, strict=True):
        importer.add(partial(read_import_file, file, target, request, now))
    importer.finish()


def _prepare_model(given: ImportOptions, model: str) -> tuple[RunContext, ModelSpec]:
    spec = parse_model(model, "--arguments")
    loaded = config_options.load_judging_config(given.config, trusted_folders=given.trust_path)
    request = JudgingRequest(
        config=None if loaded is None else loaded.config,
        model=mock_spec(spec).model if given.mock else spec.model,
        model_option="--arguments",
        limits=config_options.limits_from_options(given.max_cost, given.max_tokens),
        asks_models=not given.dry_run,
    )
    context, spec = prepare_asked_model("the speeches", request, loaded)
    if not given.dry_run:
        obtain_consents(context.destinations, given.trust_host)
    return context, spec


def _import_dataset(
    importer: _Importer,
    read_entries: Callable[[], Iterator[tuple[Callable[[], ImportedDebate], tuple[HumanLabel, ...]]]],
) -> None:
    given = importer.given
    target = (next(iter(transcript_dirs())) if given.out is None else given.out.path) / LABELS_FILE
    refuse_inputs([target], "--out", given.paths)
    is_continued = False
    if importer.asked is not None and target.exists():
        for load, _ in read_entries():  # the first readable debate is enough
            with suppress(DebateError):
                is_continued = importer.find_known_claims(load()) is not None
                break
    if not (given.dry_run or given.force or is_continued):
        _refuse_existing(target)
    labels: list[tuple[str, str, str, str]] = []
    for load, given_labels in read_entries():
        file = importer.add(load)
        if file is not None:
            labels += label_rows(file.debate, given_labels)
    if labels and not given.dry_run:
        atomic_write(target, format_labels(labels), overwrite=given.force or is_continued)
        print_status(f"labels: {target} ({count_noun(len(labels), 'label')})")
    importer.finish()


def _build_request(given: ImportOptions) -> ImportRequest:
    columns = _pairs("--map", (pair for option in given.map or () for pair in option.split(",")), str.partition)
    unknown = next((name for name in columns if name not in KNOWN_COLUMNS), None)
    if unknown is not None:
        raise UsageError(f"--map {unknown}: there is no such field; the fields are {', '.join(KNOWN_COLUMNS)}")
    sides, merge = _pairs("--side", given.side or ()), _pairs("--merge", given.merge or ())
    return ImportRequest(
        format=given.format,
        columns=columns,
        topic=given.topic,
        sides=sides,
        drop=tuple(given.drop or ()),
        merge=merge,
        round_by=given.round_by,
    )


def _pairs(
    option: str, given: Iterable[str], split: Callable[[str, str], tuple[str, str, str]] = str.rpartition
) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, _, value = (part.strip() for part in split(text, "="))
        if not name or not value:
            raise UsageError(f"{option} {text}: write it as NAME=VALUE")
        if fold_name(name) in map(fold_name, found):
            raise UsageError(f"{option} names {name} more than once; give it once")
        found[name] = value
    return found


@dataclass(slots=True)
class _Importer:
    given: ImportOptions
    asked: tuple[RunContext, ModelSpec] | None
    is_single: bool = False
    records: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    done: int = 0
    failed: int = 0
    files_with_warnings: int = 0
    is_stopped: bool = False
    exit_codes: set[ExitCode] = field(default_factory=set[ExitCode])

    def add(self, load: Callable[[], ImportedDebate]) -> ImportedDebate | None:
        if self.is_stopped:
            return None
        try:
            file = load()
            if self.is_single and not self.given.json:
                with ignore_broken_pipe():
                    _show_found(file)
            if self.is_single:
                config_options.print_notes(file.warnings)
            file = self._save(file)
        except DebateError as error:
            if self.is_single:
                raise
            self.failed += 1
            print_status(f"debate: {error}")
            return None
        self.done += 1
        self._report(file)
        return file

    def finish(self) -> None:
        if self.given.json:
            print_json(self.records)
        elif not self.is_single:
            verb = "can be imported" if self.given.dry_run else "imported"
            failed = f", {self.failed} could not be imported" if self.failed else ""
            print_status(f"{count_noun(self.done, 'debate')} {verb}{failed}")
        if self.files_with_warnings:
            print_status(
                f"note: {count_noun(self.files_with_warnings, 'file')} with warnings"
                + ("" if self.given.json else "; to see the warnings, add --json or import one file")
            )
        code = run_control.gravest_exit_code({*self.exit_codes, ExitCode.FAILED if self.failed else ExitCode.DONE})
        if code:
            raise typer.Exit(code)

    def find_known_claims(self, file: ImportedDebate) -> dict[int, Turn] | None:
        return None if self.asked is None else read_known_claims(file.target, file.debate, self.asked[1])

    def _report(self, file: ImportedDebate) -> None:
        if self.given.json:
            self.records.append(_to_record(file))
        elif not self.is_single:
            with ignore_broken_pipe():
                print_lines([_format_line(file)])
        if not self.is_single:
            self.files_with_warnings += bool(file.warnings)
        elif self.given.dry_run:
            print_status("nothing was written; leave out --dry-run to import the debate")
        else:
            print_status(f"saved: {file.target}")
            command = suggest_judge_command(file.debate, str(file.target))
            print_status(f"judge it: {command} --model PROVIDER/MODEL")

    def _save(self, file: ImportedDebate) -> ImportedDebate:
        known = self.find_known_claims(file)
        force = self.given.force or known is not None
        if not self.given.dry_run and not force:
            _refuse_existing(file.target)
        if self.asked is None:
            if not self.given.dry_run:
                save_import(file, force=force)
            return file
        context, spec = self.asked
        search = ClaimSearch(file.debate, known or {})
        calls = f"{count_noun(count_calls(search.pending_turns), 'call')} about {count_noun(len(search.pending_turns), 'speech')}"
        if self.given.dry_run:
            print_status(f"{shorten(spec.model, 60)} would be asked for claims: {calls}")
            return file
        save_import(replace(file, debate=search.finish(spec)), force=force)
        if search.pending_turns:
            print_status(f"asking {shorten(spec.model, 60)} for claims: {calls} ...")
        return self._find_claims(file, search, context, spec)

    def _find_claims(
        self, file: ImportedDebate, search: ClaimSearch, context: RunContext, spec: ModelSpec
    ) -> ImportedDebate:
        observer = PipeSafeObserver(StatusObserver())
        run_control.run_until_stopped(
            lambda stop: find_claims(
                search,
                spec,
                replace(context, observer=observer, stop=stop),
                lambda debate: save_import(replace(file, debate=debate), force=True),
            ),
            observer,
        )
        self.is_stopped = search.stopped
        found = search.finish(spec)
        left_out = (
            f"; {search.dropped_count} more left out, because the speech does not contain their quotes"
            if search.dropped_count
            else ""
        )
        print_status(f"found {count_noun(search.claim_count, 'claim')}{left_out}")
        print_status(format_usage(total_usage([turn.exchange for turn in found.turns])))
        if missing := count_missing(found):
            self._report_missing(search, missing)
        return replace(file, debate=found)

    def _report_missing(self, search: ClaimSearch, missing: int) -> None:
        if search.error is not None:
            hint = format_page_hint(search.error.page) if search.error.page else ""
            print_status(f"debate: {search.error}{hint}")
            self.exit_codes.add(search.error.exit_code)
        elif search.stopped:
            self.exit_codes.add(ExitCode.INTERRUPTED)
        speeches = count_noun(missing, "speech")
        print_status(
            f"{speeches} without claims, each imported as one argument; to ask for the missing claims, run the same command "
            "again"
        )


def _refuse_existing(target: Path) -> None:
    existing = next((path for path in (target, target.with_suffix(JOURNAL_SUFFIX)) if os.path.lexists(path)), None)
    if existing is not None:
        raise UsageError(f"{existing}: exists already; choose another --out, or overwrite it with --force")


_SPEAKER_HEADS = ("speaker", "side", "speeches", "words")


def _speaker_rows(debate: Debate) -> list[tuple[str, str, int, int]]:
    turns = {person: debate.select_turns(speaker=person.name) for person in debate.participants}
    return [
        (person.name, person.side, len(said), sum(count_words(turn.text) for turn in said))
        for person, said in turns.items()
    ]


def _show_found(file: ImportedDebate) -> None:
    debate = file.debate
    rounds = count_noun(len(debate.turns_by_round), "round")
    facts = [
        f"File: {file.source} ({file.format}, {file.encoding})",
        f"Motion: {debate.topic} ({_TOPIC_SOURCES[file.topic_source]})",
        f"Found: {count_noun(len(debate.turns), 'speech')} in {rounds}",
        f"Left out: {', '.join(file.dropped) or 'nothing'}",
    ]
    if debate.config.background:
        words = count_noun(count_words(debate.config.background), "word")
        facts.insert(3, f"Background: {words} before the first speech")
    print_lines(map(sanitize_line, facts))
    rows = tuple(
        (name, side, Number(speeches, 0), Number(words, 0)) for name, side, speeches, words in _speaker_rows(debate)
    )
    show_tables([Table("speakers", _SPEAKER_HEADS, rows, numeric=frozenset({2, 3}))])


def _format_line(file: ImportedDebate) -> str:
    debate = file.debate
    cells = (
        str(file.source),
        file.format,
        count_noun(len(debate.participants), "speaker"),
        count_noun(len(debate.turns), "speech"),
        count_noun(len(debate.turns_by_round), "round"),
        shorten(debate.topic, _MAX_TOPIC_CHARS),
        str(file.target),
    )
    return "\t".join(map(sanitize_line, cells))


def _to_record(file: ImportedDebate) -> dict[str, Any]:
    debate = file.debate
    return {
        "file": str(file.source),
        "path": str(file.target),
        "id": debate.id,
        "format": file.format,
        "encoding": file.encoding,
        "topic": debate.topic,
        "topic_source": file.topic_source,
        "background": debate.config.background,
        "speeches": len(debate.turns),
        "rounds": len(debate.turns_by_round),
        "speakers": [dict(zip(("name", *_SPEAKER_HEADS[1:]), row, strict=True)) for row in _speaker_rows(debate)],
        "left_out": list(file.dropped),
        "warnings": list(file.warnings),
    }
