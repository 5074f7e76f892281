"""Draws README's screen: the closing part of the committed real debate, exported by Rich. `make screen` runs it."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from debate_cli.render.exported import picture
from debate_cli.render.header import heading
from debate_cli.render.summary import summary
from debate_cli.scoring import score
from debate_cli.storage.library import open_debate

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "transcripts" / "example-local.json"
TARGET = ROOT / "docs" / "screen.svg"


def drawn() -> str:
    """The screen as SVG, the same for the same transcript."""
    debate = open_debate(SOURCE).debate

    def show(console: Console) -> None:
        console.print(heading(debate))
        for part in summary(debate, score(debate)):
            console.print(part)

    return picture(show, title=debate.topic, unique_id="debate-screen")


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(drawn(), encoding="utf-8")
