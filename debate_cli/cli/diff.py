"""`debate diff`."""

from collections import Counter

from debate_cli.app.compare import LATEST_RUNS, ComparisonSide, JudgementComparison
from debate_cli.cli import console
from debate_cli.cli.console import print_json
from debate_cli.cli.saved_options import DiffOptions
from debate_cli.domain.debate import rehearsal_notice
from debate_cli.errors import UsageError
from debate_cli.render.comparison import build_comparison_document, build_comparison_tables, comparison_styles
from debate_cli.storage.transcript_store import StoredDebate, find_debate, open_debate, transcript_dirs


def run(given: DiffOptions) -> None:
    """Compare two saved debates, or two judging runs of one debate."""
    if given.b is None and given.runs is None:
        raise UsageError("give two debates, or one debate and two of its judging runs: --runs r1,r2")
    first = open_debate(find_debate(given.a, transcript_dirs()))
    second = open_debate(find_debate(given.b, transcript_dirs())) if given.b is not None else first
    for warning in dict.fromkeys((first.incomplete_line_warning, second.incomplete_line_warning)):
        console.print_incomplete_line_note(warning)
    names = [LATEST_RUNS, LATEST_RUNS] if given.runs is None else [name.strip() for name in given.runs.split(",")]
    if len(names) != 2 or not all(names):  # noqa: PLR2004 - two sides
        raise UsageError(f"--runs {given.runs}: give two judging runs, for example r1,r2")
    compared = JudgementComparison(_select_side(first, names[0]), _select_side(second, names[1]))
    if given.json:
        print_json(build_comparison_document(compared))
    else:
        console.show_tables(build_comparison_tables(compared), comparison_styles(compared), plain=given.plain)
    debates = [stored.debate for stored in ([first] if first is second else [first, second])]
    console.print_rehearsals(Counter(map(rehearsal_notice, debates)), len(debates))


def _select_side(stored: StoredDebate, run: str) -> ComparisonSide:
    known = [known.id for known in stored.debate.runs]
    if run not in {LATEST_RUNS, *known}:
        raise UsageError(
            f"{stored.path}: --runs {run}: there is no such judging run; the debate has {', '.join(known)}"
        )
    return ComparisonSide(stored.debate, run, str(stored.path))
