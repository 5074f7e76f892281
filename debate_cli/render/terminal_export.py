"""Exports the terminal view of a debate as an SVG image or an HTML page, with Rich."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from xml.sax.saxutils import escape as escape_xml

from rich.console import Console

from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.render import sanitize
from debate_cli.render.content.report import ReportPart
from debate_cli.render.html.templating import csp_hash
from debate_cli.render.live.view import LiveObserver
from debate_cli.render.replay import ReplayPlan
from debate_cli.render.terminal.report import details

EXPORT_WIDTH = 111
"""Width of the exported terminal in columns."""
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_RICH_FONTS = 2
"""Number of font definitions that Rich writes at the start of an SVG. Only these are removed, because text of the
debate may look like a font definition too."""
_NO_XML = re.compile("[\ufffe\uffff]")
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'HASH'; base-uri 'none'; form-action 'none'">
<title>TITLE</title>
<style>
{stylesheet}
body {{ color: {foreground}; background: {background}; }}
pre, code {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; line-height: 1.15; }}
</style>
</head>
<body>
<pre><code>{code}</code></pre>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class TerminalExport:
    """The part of a debate to export."""

    debate: Debate
    verdicts: Sequence[Verdict]
    only: ReportPart | None = None
    round_number: int | None = None
    """Number of the round to export; None exports all rounds."""
    show_hidden: bool = False

    def print_to(self, console: Console) -> None:
        """Print the exported part of the debate on `console`, without pauses."""
        if self.only in (None, "turns"):
            observer = LiveObserver(console, show_hidden=self.show_hidden)
            for _ in ReplayPlan(self.debate, self.round_number, judged=self.only is None).play(observer):
                pass
        if self.only != "turns" and self.round_number is None:
            for part in details(self.debate, self.verdicts, only=self.only, follows_reports=self.only is None):
                console.print(part)


def export_terminal_html(export: TerminalExport) -> str:
    """Return an HTML document. Its Content-Security-Policy allows only its own style sheet."""
    console = _record(export.print_to)
    title = escape(sanitize.sanitize_line(export.debate.topic)).replace("{", "{{").replace("}", "}}")
    page = console.export_html(code_format=_PAGE.replace("TITLE", title))
    style = page.partition("<style>")[2].partition("</style>")[0]
    return page.replace("HASH", csp_hash(style), 1)


def export_svg(show: Callable[[Console], None], *, title: str, unique_id: str = "debate") -> str:
    """Call `show`, and return its output as an SVG document. `unique_id`: prefix of the ids in the document."""
    console = _record(show)
    words = _NO_XML.sub("\ufffd", sanitize.sanitize_line(title))
    drawn = _NO_XML.sub("\ufffd", console.export_svg(title="debate", unique_id=unique_id))
    drawn = _FONT.sub("", drawn, count=_RICH_FONTS).replace(
        "font-family: Fira Code, monospace", "font-family: monospace"
    )
    head, _, rest = drawn.partition(">")
    return f'{head} role="img"><title>{escape_xml(words)}</title>{rest}'


def _record(show: Callable[[Console], None]) -> Console:
    console = Console(
        file=StringIO(), record=True, width=EXPORT_WIDTH, force_terminal=True, color_system="truecolor", _environ={}
    )
    show(console)
    return console
