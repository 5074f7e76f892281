"""Renders an HTML page that lists scored debates in a sortable table and links to the page of each debate."""

from collections.abc import Sequence

from debate_cli.app.score import CheckedFile, UnusableFile
from debate_cli.render import theme
from debate_cli.render.content.agreement import label_listed_verdict
from debate_cli.render.html.templating import file_href, render_page
from debate_cli.render.score_rows import build_summary_table
from debate_cli.systems.scales import describe_outcome, format_scale

FACT_COLUMNS = (("date", False), ("models", False), ("cost", True))
VERDICT_COLUMNS = (
    ("system", False), ("winner", False), ("victory", False), ("margin", True), ("scores", True), ("out of", False),
    ("other verdicts", False),
)  # fmt: skip
"""The columns that show the verdict of a file, each as (header, whether the column contains numbers)."""


def render_index(files: Sequence[CheckedFile], unusable: Sequence[UnusableFile] = (), *, title: str = "Debates") -> str:
    """Return the index page with a row per file. The columns on the verdict show the file's first verdict."""
    gated = any(checked.gates for checked in files)
    with_facts = any(checked.facts is not None for checked in files)
    facts, gates = FACT_COLUMNS if with_facts else (), [("gates", False)] if gated else []
    return render_page(
        "index.html.j2",
        "page.css",
        "index.css",
        script="sorting.js",
        title=title,
        files=files,
        unusable=unusable,
        summary=build_summary_table([checked.file for checked in files]) if len(files) > 1 else None,
        classes={},
        signs={},
        gated=gated,
        with_facts=with_facts,
        heads=[("debate", False), *facts, *VERDICT_COLUMNS, *gates],
        heads_of_verdict=VERDICT_COLUMNS,
        money=theme.format_cost,
        href=file_href,
        called=label_listed_verdict,
        out_of=format_scale,
        outcome=describe_outcome,
        option_badge=theme.option_badge,
    )
