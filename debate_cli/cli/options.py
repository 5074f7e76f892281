"""Options that several commands share, declared once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from debate_cli.errors import UsageError

if TYPE_CHECKING:
    from debate_cli.scoring.gates import Gates

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Plain = Annotated[bool, typer.Option("--plain", help="Plain lines on a terminal too, as for screen readers.")]
Mock = Annotated[bool, typer.Option("--mock", help="Put the mock in the place of every model: no key, no network.")]
FailUnder = Annotated[
    str | None,
    typer.Option(
        metavar="[NAME=]SCORE", help="Gate: the named debater's score (or the higher one) in the deciding verdict."
    ),
]
ExpectWinner = Annotated[str | None, typer.Option(metavar="NAME|draw", help="Gate: who must have won.")]
MaxWarnings = Annotated[int | None, typer.Option(min=0, help="Gate: at most so many warnings.")]
FailOn = Annotated[list[str] | None, typer.Option(metavar="manipulation", help="Gate: no finding of this kind.")]


def gates(
    fail_under: str | None, expect_winner: str | None, max_warnings: int | None, fail_on: list[str] | None
) -> Gates:
    """The gates that the options describe.

    Raises UsageError when the score of --fail-under is no number, or --fail-on names something else than `manipulation`.
    """
    from debate_cli.scoring.gates import Gates

    name, score = _name_and_score(fail_under) if fail_under is not None else (None, None)
    for kind in fail_on or ():
        if kind != "manipulation":
            raise UsageError(f"--fail-on {kind}: only 'manipulation' can be forbidden")
    return Gates(
        under_name=name,
        under_score=score,
        winner=expect_winner,
        max_warnings=max_warnings,
        forbidden=tuple(fail_on or ()),
    )


def _name_and_score(text: str) -> tuple[str | None, float]:
    match = re.fullmatch(r"(?:(?P<name>.+)=)?(?P<score>-?\d+(?:\.\d+)?)", text.strip())
    if match is None:
        raise UsageError(f"--fail-under {text}: give a number, or NAME=NUMBER")
    return match["name"], float(match["score"])
