"""Usage lines of commands."""

from pathlib import Path

import pytest
from cli_support import debate
from render_support import debate as fixed

from debate_cli.cli.app import COMMANDS
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Event, TurnCompleted
from debate_cli.observer import NullObserver
from debate_cli.render.replay import ReplayPlan


@pytest.mark.parametrize("name", COMMANDS)
def test_repeatable_arguments_are_marked_once(name: str, here: Path) -> None:
    """Three dots, not six."""
    usage = debate(name, "--help", cwd=here, env={"COLUMNS": "200"}).out.strip().splitlines()[0]
    assert "......" not in usage.replace("}", "").replace("{", "")


class Turns(NullObserver):
    """An observer that counts the speeches it was shown."""

    def __init__(self) -> None:
        self.shown = 0

    def event(self, event: Event, debate: Debate) -> None:
        """See `Observer`."""
        self.shown += isinstance(event, TurnCompleted)


def test_step_waits_after_each_turn(here: Path) -> None:
    """As its help says."""
    said = " ".join(debate("replay", "--help", cwd=here).out.replace("│", "").split())
    assert "Wait for a key after each turn." in said
    observer = Turns()
    shown = [observer.shown for pause in ReplayPlan(fixed()).play(observer) if pause.after == "turn"]
    assert shown == list(range(1, len(fixed().turns) + 1))
