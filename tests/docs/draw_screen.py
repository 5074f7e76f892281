"""Draws README's screen: cross-examination, verdicts and briefing of the committed real debate. `make screen` runs it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from debate_cli.render.svg import TerminalExport, render_svg
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.scoring import score

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "transcripts" / "example-local.json"
TARGET = ROOT / "docs" / "screen.svg"


def drawn() -> str:
    """The screen as SVG, equal for equal transcripts: a round of threads, then verdicts and briefing."""
    debate = open_debate(SOURCE).debate
    verdicts = score(debate)
    parts = [
        TerminalExport(debate, verdicts, round_number=2, only="turns"),
        TerminalExport(debate, verdicts, only="verdict"),
    ]
    parts.append(TerminalExport(debate, verdicts, only="briefing"))

    def show(console: Console) -> None:
        for part in parts:
            part.on(console)

    return render_svg(show, title=debate.topic, unique_id="debate-screen")


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(drawn(), encoding="utf-8")
