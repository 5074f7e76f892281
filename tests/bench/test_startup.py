"""How long the command takes to say something, and what a whole rehearsal costs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench.figures import Figures, in_turns, median_of
from bench.processes import DEBATE, spent

ROUNDS = 15
MOCK = Path(__file__).parents[2] / "configs" / "mock.yaml"
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


@pytest.mark.parametrize(("option", "target"), [("--version", 1.3), ("--help", 1.5)])
def test_starts_like_a_bare_typer_app(figures: Figures, tmp_path: Path, option: str, target: float) -> None:
    """`debate` answers about as fast as the least program that Typer makes of two commands."""
    bare = tmp_path / "bare.py"
    bare.write_text(BARE)
    pair = in_turns(lambda: spent([DEBATE, option]), lambda: spent([sys.executable, bare, "--help"]), ROUNDS)
    figures.add(f"start-up, debate {option} / bare Typer", pair.ratio(), pair.basis(), at_most=target)


def test_smoke(figures: Figures, tmp_path: Path) -> None:
    """What `make smoke` does once all is installed: a whole debate on the mock, saved, two systems judging."""
    runs = [spent([DEBATE, "run", MOCK, "--out", tmp_path, "--id", f"smoke-{number}"]) for number in range(6)][1:]
    saved = sorted(path.name for path in tmp_path.iterdir())
    assert saved == [f"smoke-{number}.json" for number in range(6)]
    wall = median_of(runs, "wall_s")
    figures.add(
        "smoke run, processor time", median_of(runs, "cpu_s"), f"{wall:.2f} s on the wall", unit=" s", at_most=1.5
    )
