"""What the live view costs while two sides stream at once."""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import chain, repeat
from pathlib import Path

from bench.figures import Figures
from rehearsal_support import NOON, Deaf, config_of, hold
from rich.console import Console

from debate_cli.domain.debate import initial_debate
from debate_cli.domain.events import DebateOpened, Generator
from debate_cli.domain.tasks import Cue
from debate_cli.render.live.view import LiveObserver

PIECES_PER_SECOND = 200
"""On each side."""
SECONDS = 5


class Listener(Deaf):
    """Keeps what the debaters stream."""

    def __init__(self) -> None:
        self.pieces: dict[int, list[str]] = defaultdict(list)

    def text(self, cue: Cue, piece: str) -> None:
        """Keep the piece."""
        self.pieces[cue.index].append(piece)


def test_live_view(figures: Figures) -> None:
    """Drawing two growing openings, 200 tokens a second each, leaves the processor nearly idle."""
    config = config_of(format={"arguments": 10})
    listener = Listener()
    hold(config, watcher=listener)
    event = DebateOpened(
        at=NOON,
        id="live",
        generator=Generator(name="debate-cli", version="test"),
        config=config,
        config_sha256="0" * 64,
    )
    cues = [Cue(index=index, round=1, phase="opening", speaker=name) for index, name in enumerate(("Pro", "Con"))]
    streams = [chain(listener.pieces[cue.index], repeat(" ")) for cue in cues]
    with Path("/dev/null").open("w") as screen:
        console = Console(file=screen, force_terminal=True, color_system="256", width=120, height=40, _environ={})
        with LiveObserver(console, planned=7) as watcher:
            watcher.event(event, initial_debate(event))
            for cue in cues:
                watcher.asking(cue)
            started, used = time.perf_counter(), time.process_time()
            for tick in range(PIECES_PER_SECOND * SECONDS):
                for cue, stream in zip(cues, streams, strict=True):
                    watcher.text(cue, next(stream))
                time.sleep(max(0.0, started + (tick + 1) / PIECES_PER_SECOND - time.perf_counter()))
            wall, cpu = time.perf_counter() - started, time.process_time() - used
    pieces = sum(len(listener.pieces[cue.index]) for cue in cues)
    figures.add("live view, share of a core", cpu / wall, f"{cpu:.2f} s in {wall:.2f} s, {pieces} pieces", at_most=0.05)
