"""Many scored debates as one HTML page: a table that sorts itself by any column, with links to the debates' own pages.

It works from the disk. Its one script is named by hash in the Content-Security-Policy and reaches no other text: it moves
rows. Without scripts the table stands as it is. No Rich.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from debate_cli.render import look
from debate_cli.render.called import listed
from debate_cli.render.checked import Checked, Unusable
from debate_cli.render.documents.policy import digest
from debate_cli.render.documents.templating import environment, source
from debate_cli.render.scores_table import summaries

TEMPLATES = ("index.html.j2", "page.css", "index.css", "sorting.js")

DEBATE, GATES = ("debate", False), ("gates", False)
HELD = (("date", False), ("models", False), ("cost", True))
OF_VERDICT = (
    ("system", False), ("winner", False), ("victory", False), ("margin", True), ("scores", True), ("other verdicts", False),
)  # fmt: skip
"""Columns by their heads, and whether they hold numbers."""


def index(files: Sequence[Checked], unusable: Sequence[Unusable] = (), *, title: str = "Debates") -> str:
    """The page; rows as given, the first verdict of each file (the deciding one) in columns of its own.

    Date, models and cost have columns where any file tells of them (`Checked.held`).
    """
    gated = any(checked.gates for checked in files)
    with_held = any(checked.held is not None for checked in files)
    return (
        environment(TEMPLATES)
        .get_template("index.html.j2")
        .render(
            title=title,
            files=files,
            unusable=unusable,
            summaries=summaries(checked.file for checked in files),
            gated=gated,
            with_held=with_held,
            heads=_heads(gated=gated, with_held=with_held),
            heads_of_verdict=OF_VERDICT,
            money=look.money,
            href=_href,
            called=listed,
            outcome=look.outcome,
            votes=look.VOTES,
            style_hash=digest(source("page.css") + source("index.css")),
            script_hash=digest(source("sorting.js")),
        )
    )


def _heads(*, gated: bool, with_held: bool) -> list[tuple[str, bool]]:
    """The columns from left to right; what nothing is known of, or nobody asked for, has none."""
    return [DEBATE, *(HELD if with_held else ()), *OF_VERDICT, *([GATES] if gated else [])]


def _href(address: str) -> str:
    """A relative path as an address: whatever its name, it leads to a file and runs nothing."""
    quoted = quote(address, safe="/", errors="replace")
    return "/" + quoted.lstrip("/") if quoted.startswith("/") else f"./{quoted}"
