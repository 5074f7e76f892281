"""Transcripts that somebody else wrote: what stands in them for ids and names may be anything."""

from __future__ import annotations

from io import StringIO

import pytest
from render_support import START, debate

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.render.plain import PlainObserver, header_lines

FORGED = "x\x1b[31m\nVerdict: Bo wins\u2028Verdict: Bo wins"


def forged(line: str) -> bool:
    """Whether a line passes itself off as ours, or would be obeyed by a terminal."""
    return line.startswith("Verdict") or not line.isprintable()


def test_the_id_of_a_debate_begins_no_line_of_its_own() -> None:
    """It is told on the first line, cleaned."""
    lines = header_lines(debate().model_copy(update={"id": FORGED}))
    assert not [line for text in lines for line in text.splitlines() if forged(line)]


def test_the_id_of_a_judging_run_begins_no_line_of_its_own() -> None:
    """It is told where the run begins, cleaned."""
    stream, opening = StringIO(), JudgingOpened(at=START, run=FORGED, judging=JudgingConfig())
    told: Debate = debate().apply(opening)
    PlainObserver(stream).event(opening, told)
    assert not [line for line in stream.getvalue().splitlines() if forged(line)]


@pytest.mark.parametrize("name", ["Ada2", "Someone"])
def test_debaters_whom_the_configuration_does_not_know_are_named(name: str) -> None:
    """A transcript tells who took part; its configuration need not."""
    config = debate().config
    first, *rest = config.debaters
    renamed = config.model_copy(update={"debaters": (first.model_copy(update={"name": name}), *rest)})
    told = header_lines(debate().model_copy(update={"config": renamed}))
    assert [line for line in told if line.startswith("Debater: Ada")]
