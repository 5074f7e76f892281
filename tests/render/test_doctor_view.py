"""The doctor's findings in windows of any width: a table where it fits, else a few lines a model; no word is cut."""

from __future__ import annotations

import pytest
from debate_cli.render.drawn.doctor import doctor_view
from render_support import shown

from debate_cli.app.doctor import Diagnosis, ModelCheck, diagnosis_to_json
from debate_cli.domain.config import Price
from debate_cli.domain.model_call import Usage

LONG = "anthropic/claude-sonnet-4-5-20250929"
ENTRIES = [
    diagnosis_to_json(
        Diagnosis(
            LONG,
            checks=(
                ModelCheck("native", "rejected", "no schema here"),
                ModelCheck("prompt", "ok", has_form=True, usage=Usage(input_tokens=1200, output_tokens=30)),
                ModelCheck("stream", "ok", usage=Usage(output_tokens=60), latency_s=2.0, first_text_s=0.4),
            ),
            price=Price(input=0.25, output=2),
        )
    ),
    diagnosis_to_json(Diagnosis("openai/gpt-4.1-mini", problem="OPENAI_API_KEY is not set", checks=(), price=None)),
]
HEADS = ("native", "tool", "prompt", "stream", "takes", "tokens/s")


@pytest.mark.parametrize("width", [40, 60, 70])
def test_in_a_narrow_window_a_model_takes_a_few_lines(width: int) -> None:
    """Each figure stands beside its name; one that could not be asked has a line alone."""
    told = shown(doctor_view(ENTRIES), width)
    rows = [line.strip() for line in told.splitlines()]
    assert rows[rows.index(f"✓ {LONG}") + 1].startswith("native ✗ · tool — · prompt ✓")
    assert rows[rows.index("✗ openai/gpt-4.1-mini") + 1].startswith("• ")
    assert all(words in told for words in ("stream ✓", "takes 2.0 s · 30 tokens/s", "USD/M in/out 0.25 / 2"))


def test_a_name_is_parted_at_its_joints_before_the_table_goes() -> None:
    """No head and no figure is broken for it."""
    rows = shown(doctor_view(ENTRIES), 80).splitlines()
    assert any(set(HEADS) <= set(line.split()) for line in rows)
    assert all(any(line[:20].strip(" ✓✗") == part for line in rows) for part in ("claude-sonnet-", "4-5-20250929"))


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
def test_no_line_is_wider_than_the_window(width: int) -> None:
    """However it is laid out."""
    assert max(map(len, shown(doctor_view(ENTRIES), width).splitlines())) <= width
