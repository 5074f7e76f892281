"""Which slow libraries the rendering modules load."""

import subprocess
import sys

DATA_ONLY = (
    "content.report content.summary content.resume_hint text.plain text.markdown text.ci score_rows comparison replay"
)
TERMINAL = "terminal.report live.view"


def loaded(modules: str) -> set[str]:
    """Top-level packages that importing these modules of `render` loads."""
    code = "".join(f"import debate_cli.render.{module}; " for module in modules.split())
    code += "import sys; print(' '.join({name.partition('.')[0] for name in sys.modules}))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_only_terminal_modules_load_rich_and_none_loads_a_provider() -> None:
    """Commands that print data start without Rich; drawing starts without the SDKs."""
    assert not loaded(DATA_ONLY) & {"rich", "openai", "anthropic", "tenacity"}
    assert not loaded(TERMINAL) & {"openai", "anthropic", "httpx", "tenacity", "genai_prices", "jinja2"}
