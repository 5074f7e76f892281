"""What is only data does not pay for the terminal; nothing here pays for a provider."""

from __future__ import annotations

import subprocess
import sys

import pytest

DATA_ONLY = (
    "hostile",
    "look",
    "cast",
    "spoken",
    "plain.lines",
    "news",
    "plain.watchers",
    "scores_table",
    "plain.catalogue",
    "comparison",
    "documents.junit",
    "documents.github",
    "documents.index",
    "replay",
    "report",
    "threads",
    "order",
    "gist",
    "reasons",
    "plain.verdicts",
    "documents.mermaid",
    "documents.markdown",
    "documents.html",
    "sheets",
)
TERMINAL = (
    "drawn.safe",
    "live.column",
    "live.frame",
    "live.region",
    "live.speech",
    "live.header",
    "live.seats",
    "live.watcher",
    "drawn.summary",
    "documents.exported",
    "drawn.scores",
    "drawn.catalogue",
)


def loaded(module: str) -> set[str]:
    """Top-level packages that importing a module loads."""
    code = (
        f"import debate_cli.render.{module}, sys; print(' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    )
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("module", DATA_ONLY)
def test_data_does_not_import_rich(module: str) -> None:
    """Rich is loaded by the modules that draw on a terminal only (pydantic's plugins may know of it)."""
    assert not loaded(module) & {"rich", "openai", "anthropic", "tenacity"}


@pytest.mark.parametrize("module", TERMINAL)
def test_the_terminal_does_not_import_a_provider(module: str) -> None:
    """Drawing needs no SDK."""
    assert not loaded(module) & {"openai", "anthropic", "httpx", "tenacity", "genai_prices", "jinja2"}
