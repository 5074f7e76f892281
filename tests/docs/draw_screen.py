"""Draws README's screen and the example page from the committed showcase debate. `make screen` runs it."""

from pathlib import Path

from rich.console import Console

from debate_cli.render.html.page import render_html
from debate_cli.render.terminal_export import TerminalExport, export_svg
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.scoring import deciding_verdicts, score

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "transcripts" / "showcase.json"
TARGET = ROOT / "docs" / "screen.svg"
PAGE = ROOT / "docs" / "examples" / "showcase.html"


def drawn() -> str:
    """The screen as SVG, equal for equal transcripts: cross-examination, deciding verdict and briefing."""
    debate = open_debate(SOURCE).debate
    verdicts = score(debate)
    parts = [
        TerminalExport(debate, verdicts, round_number=2, only="turns"),
        TerminalExport(debate, deciding_verdicts(debate, verdicts), only="verdict"),
        TerminalExport(debate, verdicts, only="briefing"),
    ]

    def show(console: Console) -> None:
        for part in parts:
            part.print_to(console)

    return export_svg(show, title=debate.topic, unique_id="debate-screen")


def page() -> str:
    """The report of the debate as one HTML page, equal for equal transcripts."""
    debate = open_debate(SOURCE).debate
    return render_html(debate, score(debate))


if __name__ == "__main__":
    TARGET.write_text(drawn(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
