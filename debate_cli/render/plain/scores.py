"""Verdicts of many files for where there is no terminal: one a line, the file before it, then the summary. No Rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from debate_cli.domain.verdict import Verdict
from debate_cli.render import hostile, look
from debate_cli.render.called import deciding_first, listed
from debate_cli.render.scores_table import Scored, SystemSummary, summaries


def scores_lines(files: Iterable[Scored]) -> Iterator[str]:
    """`PATH: SYSTEM: outcome, margin, scores` for each verdict as it comes; of several files, what each system's come to."""
    told: list[Scored] = []
    for file in files:
        told.append(file)
        for verdict in file.verdicts:
            yield f"{hostile.line(file.path)}: {_verdict_words(verdict, file)}"
    if len(told) > 1:
        yield from ("", f"== Summary of {len(told)} files ==")
        yield from (_summary_words(found) for found in summaries(told))


def deciding_lines(files: Iterable[Scored]) -> Iterator[str]:
    """`PATH: SYSTEM: outcome, margin, scores` of the verdict that decides each file, and nothing else; none where there is none."""
    for file in files:
        for verdict in deciding_first(file.verdicts)[:1]:
            yield f"{hostile.line(file.path)}: {_verdict_words(verdict, file)}"


def _verdict_words(verdict: Verdict, file: Scored) -> str:
    name = hostile.line(listed(verdict, file.verdicts))
    margin = "" if verdict.margin is None else f" Margin {look.number(verdict.margin)}."
    ranked = sorted(verdict.figures.items(), key=lambda item: -item[1])
    scores = ", ".join(f"{hostile.line(name)} {look.number(score)}" for name, score in ranked)
    return f"{name}: {hostile.line(look.outcome(verdict, file.text))}{margin} {scores}".rstrip()


def _summary_words(found: SystemSummary) -> str:
    wins = ", ".join(f"{hostile.line(name)} {count}" for name, count in found.wins.items()) or "nobody"
    votes = ", ".join(f"{option} {count}" for option, count in found.options.items())
    told = "; ".join([*([f"wins: {wins}"] if found.wins or not votes else []), *([f"votes: {votes}"] if votes else [])])
    margin = "—" if found.mean_margin is None else look.number(found.mean_margin)
    return f"{found.system}: {told}; draws: {found.draws}; undetermined: {found.undetermined}; mean margin: {margin}"
