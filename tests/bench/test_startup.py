"""Time of `debate --version` and `debate --help` against a bare Typer app."""

import sys
from pathlib import Path

import pytest
from bench.figures import DEBATE, Figures, run_measured

BARE = '''
import typer

app = typer.Typer()


@app.command()
def one(name: str) -> None:
    """One command."""


@app.command()
def two(name: str) -> None:
    """Another."""


app()
'''


@pytest.mark.parametrize(("option", "bound"), [("--version", 1.5), ("--help", 2.0)])
def test_startup(figures: Figures, tmp_path: Path, option: str, bound: float) -> None:
    """`debate` answers about as fast as the smallest program with two Typer commands."""
    bare = tmp_path / "bare.py"
    bare.write_text(BARE)
    figures.add_ratio(
        f"debate {option} / bare Typer --help",
        lambda: run_measured([DEBATE, option]).cpu_s,
        lambda: run_measured([sys.executable, bare, "--help"]).cpu_s,
        rounds=15,
        bound=bound,
    )
