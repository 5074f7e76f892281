"""`debate diff`."""

from __future__ import annotations

import sys

from debate_cli.cli import screen
from debate_cli.cli.asked.diff import Diff
from debate_cli.cli.homes import homes
from debate_cli.cli.json_output import print_json
from debate_cli.errors import UsageError
from debate_cli.render.comparison import Compared, document
from debate_cli.scoring.comparison import LATEST, Side, compare
from debate_cli.storage.library import StoredDebate, find, open_debate


def carry_out(asked: Diff) -> None:
    """Compare two saved debates, or two judging runs of one."""
    if asked.b is None and asked.runs is None:
        raise UsageError("name two debates, or two judging runs of one with --runs r1,r2")
    first = open_debate(find(asked.a, homes()))
    second = open_debate(find(asked.b, homes())) if asked.b is not None else first
    for torn in dict.fromkeys((first.torn, second.torn)):
        screen.tell_torn(torn)
    named = _runs(asked.runs) if asked.runs is not None else (LATEST, LATEST)
    sides = _side(first, named[0]), _side(second, named[1])
    told = Compared((str(first.path), str(second.path)), sides, compare(*sides))
    if asked.json:
        print_json(document(told))
    else:
        _show(told, plain=asked.plain)


def _runs(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):  # noqa: PLR2004 - two sides
        raise UsageError(f"--runs {text}: name two judging runs, for example r1,r2")
    return names[0], names[1]


def _side(stored: StoredDebate, run: str) -> Side:
    known = [known.id for known in stored.debate.runs]
    if run not in {LATEST, *known}:
        raise UsageError(f"{stored.path}: --runs {run}: there is no such judging run; it has {', '.join(known)}")
    return Side(stored.debate, run)


def _show(told: Compared, *, plain: bool) -> None:
    """Tables on a terminal, plain lines elsewhere."""
    if plain or not screen.interactive(sys.stdout):
        from debate_cli.render.plain.comparison import comparison_lines

        sys.stdout.writelines(f"{line}\n" for line in comparison_lines(told))
        return
    from debate_cli.render.drawn.comparison import comparison_view

    target = screen.console(sys.stdout)
    for part in comparison_view(told):
        target.print(part)
