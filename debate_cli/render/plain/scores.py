"""Verdicts of many files for where there is no terminal: one a line, the file before it, then the summary. No Rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize, theme
from debate_cli.render.called import label_listed_verdict, sort_deciding_first
from debate_cli.render.score_rows import ScoredFile, SystemSummary, summarize_systems


def score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """`PATH: SYSTEM: outcome, margin, scores` for each verdict as it comes; of several files, what each system's come to."""
    told: list[ScoredFile] = []
    for file in files:
        told.append(file)
        for verdict in file.verdicts:
            yield f"{sanitize.sanitize_line(file.path)}: {_format_verdict(verdict, file)}"
    if len(told) > 1:
        yield from ("", f"== Summary of {len(told)} files ==")
        yield from (_format_system_summary(found) for found in summarize_systems(told))


def deciding_score_lines(files: Iterable[ScoredFile]) -> Iterator[str]:
    """`PATH: SYSTEM: outcome, margin, scores` of the verdict that decides each file, and nothing else; none where there is none."""
    for file in files:
        for verdict in sort_deciding_first(file.verdicts)[:1]:
            yield f"{sanitize.sanitize_line(file.path)}: {_format_verdict(verdict, file)}"


def _format_verdict(verdict: Verdict, file: ScoredFile) -> str:
    name = sanitize.sanitize_line(label_listed_verdict(verdict, file.verdicts))
    margin = "" if verdict.margin is None else f" Margin {theme.format_number(verdict.margin)}."
    ranked = sorted(verdict.displayed_scores.items(), key=lambda item: -item[1])
    scores = ", ".join(f"{sanitize.sanitize_line(name)} {theme.format_number(score)}" for name, score in ranked)
    return f"{name}: {sanitize.sanitize_line(theme.describe_outcome(verdict, file.text))}{margin} {scores}".rstrip()


def _format_system_summary(found: SystemSummary) -> str:
    wins = ", ".join(f"{sanitize.sanitize_line(name)} {count}" for name, count in found.wins.items()) or "nobody"
    votes = ", ".join(f"{option} {count}" for option, count in found.options.items())
    told = "; ".join([*([f"wins: {wins}"] if found.wins or not votes else []), *([f"votes: {votes}"] if votes else [])])
    margin = "—" if found.mean_margin is None else theme.format_number(found.mean_margin)
    return f"{found.system}: {told}; draws: {found.draws}; undetermined: {found.undetermined}; mean margin: {margin}"
