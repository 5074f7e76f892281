"""Formats the verdicts of `debate score` as JSON, plain lines and tables."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pydantic_core import to_json

from debate_cli.app.score import ScoredFile
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize
from debate_cli.render.content.agreement import OUTCOME_HEADS, label_listed_verdict, outcome_cells, sort_deciding_first
from debate_cli.render.records import join_json_array
from debate_cli.render.text.tables import table_lines
from debate_cli.systems.aggregation import mean
from debate_cli.systems.registry import get_system
from debate_cli.systems.scales import describe_answer, format_ranked_scores, format_scale
from debate_cli.systems.tables import JoinedCells, Number, Table, TableRow, make_table

_VOTE_NOTES = ("option", "weights")
NO_VERDICT = "no verdict yet"


def dump_scores_json(files: Iterable[ScoredFile]) -> Iterator[str]:
    """Yield the text of one JSON array: per file `{path, id, topic, status, verdicts, sources}`."""
    return join_json_array(map(_dump_file_json, files))


def _dump_file_json(file: ScoredFile) -> str:
    path = file.path.encode(errors="replace").decode()
    document = {"path": path, "id": file.id, "topic": file.topic, "status": file.status}
    return to_json(document | {"verdicts": file.verdicts, "sources": file.sources}, indent=1).decode()


def drop_notes(file: ScoredFile) -> ScoredFile:
    """Return `file` without the notes of its verdicts, except notes that describe the outcome of a vote."""

    def drop(verdict: Verdict) -> Verdict:
        kept = {name: verdict.notes.get(name) for name in _VOTE_NOTES} if verdict.notes.get("option") else {}
        return verdict.model_copy(update={"notes": kept})

    return file._replace(verdicts=tuple(map(drop, file.verdicts)))


def build_summary_table(files: Sequence[ScoredFile]) -> Table:
    """Return a row per judging system with the totals over all files.

    Each debate is counted once per system, even if the system judged it in several runs. If these runs name different
    winners, the debate is counted as `split`.
    """
    debates: dict[str, list[list[Verdict]]] = defaultdict(list)
    for file in files:
        by_system: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in file.verdicts:
            by_system[verdict.system].append(verdict)
        for system, verdicts in by_system.items():
            debates[system].append(verdicts)
    rows = [_summary_row(system, verdicts) for system, verdicts in debates.items()]
    heads = ("system", "wins", "draws", "split", "undetermined", "mean margin", "out of")
    return make_table(f"summary of {len(files)} files", heads, rows)


def _summary_row(system: str, debates: Sequence[Sequence[Verdict]]) -> TableRow:
    determined = [found for runs in debates if (found := [item for item in runs if item.margin is not None])]
    agreed = [runs[0] for runs in determined if len({(item.winner, item.option) for item in runs}) == 1]
    wins = Counter(name for verdict in agreed if (name := verdict.winner or verdict.option) is not None)
    ranked = sorted(wins.items(), key=lambda item: (-item[1], item[0]))
    margins = [mean(item.margin or 0.0 for item in runs) for runs in determined]
    scales = {get_system(item.system).max_score(item) for runs in determined for item in runs}
    draws, split = len(agreed) - wins.total(), len(determined) - len(agreed)
    return (
        system,
        JoinedCells(tuple(f"{name} {count}" for name, count in ranked)) if ranked else "—",
        *(Number(count, 0) for count in (draws, split, len(debates) - len(determined))),
        Number(mean(margins) if len(scales) == 1 else None),
        format_scale(item for runs in determined for item in runs) or "—",
    )


def score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """Yield a line per verdict: `PATH  SYSTEM  outcome  (scores)`.

    For several files, lines with totals per system follow.
    """
    shown: list[ScoredFile] = []
    for file in files:
        shown.append(drop_notes(file))
        if not file.verdicts:
            yield f"{sanitize.sanitize_line(file.path)}  {NO_VERDICT}"
        yield from (_score_line(file, verdict) for verdict in file.verdicts)
    if len(shown) > 1:
        yield from table_lines(build_summary_table(shown))


def deciding_score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """Yield a line for the deciding verdict of each file: `PATH  SYSTEM  outcome  (scores)`.

    If no verdict decides, the line is for the first verdict.
    """
    for file in files:
        yield from (_score_line(file, verdict) for verdict in sort_deciding_first(file.verdicts)[:1])


def _score_line(file: ScoredFile, verdict: Verdict) -> str:
    name = sanitize.sanitize_line(label_listed_verdict(verdict, file.verdicts))
    answer = sanitize.sanitize_line(describe_answer(verdict, file.text))
    scores = sanitize.sanitize_line(format_ranked_scores(verdict))
    return f"{sanitize.sanitize_line(file.path)}  {name}  {answer}  {scores}".rstrip()


def build_score_tables(files: Sequence[ScoredFile]) -> list[Table]:
    """Return a table with a row per verdict. For several files, a table with totals per system follows."""
    rows = (row for file in files for row in _verdict_rows(file))
    scores = make_table("scores", ("file", "system", *OUTCOME_HEADS), rows)._replace(has_group_column=True)
    return [scores, build_summary_table(files)] if len(files) > 1 else [scores]


def _verdict_rows(file: ScoredFile) -> Iterator[TableRow]:
    name = JoinedCells((file.path, file.topic))
    if not file.verdicts:
        yield (name, NO_VERDICT, "", "", "", "", "")
    for number, verdict in enumerate(file.verdicts):
        yield (
            "" if number else name,
            label_listed_verdict(verdict, file.verdicts),
            *outcome_cells(verdict),
        )
