"""The list of saved debates on a terminal."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from debate_cli.render.drawn.catalogue import index_view
from render_support import shown

from debate_cli.render.resume_hint import resume_command
from debate_cli.storage.transcript_index import IndexEntry, StoredConclusion

WON = StoredConclusion("structured", "r1", "Bo", "narrow", 1.1, decides=True)


def card(**changes: Any) -> IndexEntry:
    """A debate that came to its end."""
    fields: dict[str, Any] = {
        "path": "transcripts/one.json",
        "id": "one",
        "started_at": "2026-03-01T09:00:00Z",
        "topic": "A tram?",
        "state": "complete",
        "turns": 6,
        "models": ("mock/a",),
        "conclusions": (WON,),
        "cost_usd": 0.022,
        **changes,
    }
    return IndexEntry(**fields)


def lines(*cards: IndexEntry, width: int = 80) -> list[str]:
    """What so many columns show, without the rule above it."""
    drawn = "".join(shown(part, width) for part in index_view(cards, "transcripts"))
    return [line.strip() for line in drawn.splitlines() if line.strip()][1:]


def test_a_debate_in_a_few_lines() -> None:
    """Its id, its motion, when (and by which clock), by whom, for how much, who won."""
    assert lines(card()) == ["✓ one", "A tram?", "2026-03-01 09:00 UTC · mock/a · $0.0220", "structured Bo, narrow"]


def test_the_command_to_go_on_has_a_line_of_its_own() -> None:
    """So that it can be copied; where the budget stopped it, it takes a larger one."""
    found = lines(card(state="budget", turns=1), width=100)
    assert found[-2:] == [
        "stopped by its budget after 1 speech",
        "go on: debate run --resume transcripts/one.json --max-tokens N (or --max-cost USD)",
    ]


@pytest.mark.parametrize("path", ["my debates/a  b.json", "it's.json", "$(touch x).json"])
def test_a_shell_reads_the_path_as_it_is(path: str) -> None:
    """Whatever stands in it."""
    command = lines(card(state="interrupted", path=path))[-1].removeprefix("go on: ")
    assert shlex.split(command) == ["debate", "run", "--resume", path]


def test_no_control_character_of_a_path_reaches_the_terminal() -> None:
    """And it stays on one line."""
    assert resume_command("a\x1b[31m\nb\x07.json") == "debate run --resume 'a b.json'"


def test_an_empty_folder_is_told() -> None:
    """With what fills it."""
    assert lines() == ["No debate is saved here; `debate run --mock` holds one without a model."]
