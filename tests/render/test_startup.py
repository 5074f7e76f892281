"""Which slow libraries the rendering modules load."""

from __future__ import annotations

import subprocess
import sys

DATA_ONLY = "sanitize theme participants speech_parts judge_report plain score_rows comparison ci replay report event_order failure_groups summary markdown resume_hint"
TERMINAL = "terminal live.view"


def loaded(modules: str) -> set[str]:
    """Top-level packages that importing these modules of `render` loads."""
    code = "".join(f"import debate_cli.render.{module}; " for module in modules.split())
    code += "import sys; print(' '.join({name.partition('.')[0] for name in sys.modules}))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_modules_that_make_data_do_not_load_rich() -> None:
    """Only the modules that draw on a terminal load Rich."""
    assert not loaded(DATA_ONLY) & {"rich", "openai", "anthropic", "tenacity"}


def test_modules_that_draw_do_not_load_a_provider() -> None:
    """Drawing on a terminal loads no SDK."""
    assert not loaded(TERMINAL) & {"openai", "anthropic", "httpx", "tenacity", "genai_prices", "jinja2"}
