"""The closing part as people read it, at three widths, in plain text and exported."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from render_support import HOSTILE, console, debate, turns, unscored
from rich.console import Console, RenderableType
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, MONOKAI, TerminalTheme

from debate_cli.domain.debate import Debate
from debate_cli.render import theme as theme_module
from debate_cli.render.cross_examination import ThreadIndex
from debate_cli.render.live.header import debate_heading, round_rule
from debate_cli.render.live.speech import PanelRow, turn_panel
from debate_cli.render.report import ReportPart
from debate_cli.render.terminal_summary import details
from debate_cli.systems.scoring import score


def whole(shown: Debate) -> list[RenderableType]:
    """Everything that a run shows for good."""
    signs = theme_module.participant_styles(shown.participants)
    found: list[RenderableType] = [debate_heading(shown)]
    for number in (1, 2, 3):
        spoken = shown.select_turns(round_number=number)
        found.append(round_rule(number, spoken[0].phase))
        found.append(PanelRow([turn_panel(turn, signs, ThreadIndex(shown.turns)) for turn in spoken]))
    return found + details(shown, score(shown))


def text(renderables: list[RenderableType], width: int) -> str:
    """The plain form, trailing blanks cut off."""
    target = console(width)
    for renderable in renderables:
        target.print(renderable)
    assert isinstance(target.file, StringIO)
    return "\n".join(line.rstrip() for line in target.file.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("width", [80, 120, 200])
def test_the_plain_form(width: int, golden: Callable[[str, str], None]) -> None:
    """A whole debate without colours."""
    golden(f"debate-{width}.txt", text(whole(debate()), width))


@pytest.mark.parametrize(("ground", "theme"), [("light", DEFAULT_TERMINAL_THEME), ("dark", MONOKAI)])
def test_the_exported_form(ground: str, theme: TerminalTheme, golden: Callable[[str, str], None]) -> None:
    """A whole debate with its colours, on light and on dark ground."""
    target = Console(record=True, width=120, file=StringIO(), force_terminal=True, color_system="256", _environ={})
    for renderable in whole(debate()):
        target.print(renderable)
    golden(f"debate-{ground}.svg", target.export_svg(title="debate", theme=theme, unique_id="golden"))


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_window(width: int) -> None:
    """Tables and panels shrink with the window."""
    assert max(map(len, text(whole(debate()), width).splitlines())) <= width


@pytest.mark.parametrize(
    ("only", "there", "absent"),
    [
        ("scores", "evidence", "recommendation"),
        ("trace", "partially upheld", "recommendation"),
        ("verdict", "wins narrowly", "recommendation"),
        ("briefing", "recommendation", "weakest"),
        ("turns", "", "wins narrowly"),
    ],
)
def test_one_part_alone(only: ReportPart, there: str, absent: str) -> None:
    """`only` shows one part and nothing of the others."""
    shown = text(details(debate(), score(debate()), only=only), 100)
    assert there in shown
    assert absent not in shown


def test_every_standing_has_a_word() -> None:
    """Standings can be told apart without colours."""
    shown = text(details(debate(), score(debate()), only="trace"), 120)
    assert all(word in shown for word in ("✗ refuted", "✓ upheld", "≈ partially upheld"))


def test_too_little_judged_is_said() -> None:
    """Without assessments the verdict is undetermined, and says what is missing."""
    shown = text(details(unscored(), score(unscored())), 100)
    assert "Undetermined" in shown
    assert "The debate was not assessed by judge." in shown


def test_hostile_text_is_not_obeyed_anywhere() -> None:
    """Topic, background, names of models and claims reach no terminal as sequences or markup."""
    shown = debate(
        topic=HOSTILE,
        background=HOSTILE,
        models={"default": {"model": f"mock/{HOSTILE}"}, "judge": {"model": "mock/x"}},
    )
    arguments = tuple(
        item.model_copy(update={"claim": HOSTILE, "evidence": HOSTILE}) for item in turns()[0].arguments or ()
    )
    first = shown.turns[0].model_copy(update={"arguments": arguments, "warnings": (HOSTILE,)})
    shown = Debate.model_validate({**shown.model_dump(), "turns": [first, *shown.turns[1:]]})
    told = text(whole(shown), 120)
    assert "[bold red]markup[/]" in told
    assert all(character == "\n" or character.isprintable() for character in told)
