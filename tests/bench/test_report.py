"""How large the report of a long debate under all five systems is, how soon it is written, and how soon a browser shows it."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import pytest
from bench.figures import Figures
from browser_support import chromium, program
from rehearsal_support import config_of, hold

from debate_cli.domain.debate import Debate
from debate_cli.render.html.page import render_html
from debate_cli.systems.scoring import score

TURNS = 60
OPENINGS = 7
SYSTEMS = ["structured", "moderator", "panel", "live", {"kind": "persuasion", "effects": "judge"}]
TIMES = "performance.getEntriesByType('navigation')[0]"
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


@pytest.fixture(scope="module")
def long() -> Debate:
    """Sixty speeches, everything judged, personalities under pressure."""
    debaters = [
        {"name": "Pro", "side": "for", "personality": "engineer"},
        {"name": "Con", "side": "against", "personality": "provocateur"},
    ]
    plan = {"kind": "free_flowing", "turns": TURNS // 2}
    return hold(config_of(format=plan, judging={"systems": SYSTEMS}, debaters=debaters))


def test_report(figures: Figures, long: Debate, tmp_path: Path) -> None:
    """The page is light, and there in a moment."""
    verdicts = score(long)
    render_html(long, verdicts)
    started = time.perf_counter()
    page = render_html(long, verdicts)
    written = time.perf_counter() - started
    place = tmp_path / "long.html"
    place.write_text(page, encoding="utf-8")
    about = f"{len(long.turns)} turns, {len(long.arguments)} arguments, {len(long.assessments)} assessments"
    figures.add("report, size", len(page.encode()) / 1e6, about, unit=" MB", at_most=1.5)
    figures.add("report, written in", written, "the second time in one process", unit=" s")
    found = program()
    if found is None:
        pytest.skip("no Chromium: install it as /usr/bin/chromium, or name it in CHROMIUM")
    with chromium(found) as browser:
        loaded: list[float] = []
        painted: list[float] = []
        for _ in range(OPENINGS):
            browser.open(place)
            loaded.append(
                browser.evaluate(f"new Promise(done => setTimeout(done, 100)).then(() => {TIMES}.loadEventEnd)")
            )
            painted.append(browser.evaluate(PAINTED))
    figures.add("report, loaded in", median(loaded) / 1000, f"median of {OPENINGS} openings", unit=" s", at_most=1)
    figures.add("report, first words after", median(painted) / 1000, f"median of {OPENINGS}", unit=" s", at_most=1)
