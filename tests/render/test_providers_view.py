"""The table of providers: what a window has no room for is left out, not broken."""

from __future__ import annotations

from typing import Any

import pytest
from debate_cli.render.drawn.providers import MORE, providers_view
from render_support import HOSTILE, shown


def entry(name: str, **changes: Any) -> dict[str, Any]:
    """A provider as `debate models --json` tells of it."""
    return {
        "example": f"{name}/MODEL",
        "api_key_env": f"{name.upper()}_API_KEY",
        "ready": False,
        "base_url": f"https://{name}.example/v1",
        "structured": ["native", "tool", "prompt"],
        "max_concurrency": 8,
        **changes,
    }


LOCAL = entry("local", api_key_env=None, ready=True, base_url=None)
LONG = entry("openrouter", base_url="https://openrouter.example/a/very/long/way/to/the/api/v1")
ENTRIES = [LOCAL, entry("xai"), LONG]


@pytest.mark.parametrize(
    ("width", "heads"),
    [
        (40, ["write", "key"]),
        (50, ["write", "key"]),
        (80, ["write", "key", "structure"]),
        (100, ["write", "key", "structure", "address"]),
        (140, ["write", "key", "structure", "address", "at", "once"]),
    ],
)
def test_columns_go_from_the_right(width: int, heads: list[str]) -> None:
    """As many as fit; it is said that there are more."""
    drawn = shown(providers_view(ENTRIES), width)
    assert next(line.split() for line in drawn.splitlines() if line.startswith("write")) == heads
    assert (MORE.split()[0] in drawn) == ("once" not in heads)


@pytest.mark.parametrize("width", range(44, 160))
def test_no_word_is_broken(width: int) -> None:
    """What to write and the variable of the key stand whole on one line of each provider, in any usual window."""
    lines = shown(providers_view(ENTRIES), width).splitlines()
    for row in ENTRIES:
        (line,) = [line for line in lines if row["example"] in line]
        assert (row["api_key_env"] or "none needed") in line


@pytest.mark.parametrize("width", [90, 100, 110])
def test_a_long_address_is_cut_on_its_line(width: int) -> None:
    """The shorter ones stay whole."""
    drawn = shown(providers_view(ENTRIES), width)
    assert ("https://xai.example/v1" in drawn, "https://openrouter.exam" in drawn, "…" in drawn) == (True, True, True)


def test_a_configured_provider_is_cleaned() -> None:
    """Its name and its address come from a file."""
    drawn = shown(providers_view([entry("x", example=HOSTILE, base_url=HOSTILE, api_key_env=HOSTILE)]), 200)
    assert not any(sign in drawn for sign in ("\x1b", "\x07", "\u202e", "\x9b"))
