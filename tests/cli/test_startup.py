"""Modules that a fresh interpreter imports for a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import run_python

from debate_cli.cli.app import COMMANDS

PROBE = """
import json, sys
sys.argv = ["debate", *json.loads(sys.argv[1])]
from debate_cli.cli.app import main
try:
    main()
except SystemExit:
    pass
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def imported(cwd: Path, *args: str | Path) -> set[str]:
    """Names of the modules that are loaded when `debate ARGS` has run."""
    done = run_python("-c", PROBE, json.dumps([str(arg) for arg in args]), cwd=cwd)
    return set(json.loads(done.out.splitlines()[-1]))


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help_and_version_import_little(here: Path, option: str) -> None:
    """`--help` and `--version` import no pydantic, no YAML, no SDK and no engine."""
    found = imported(here, option)
    assert found & {"pydantic", "yaml", "openai", "anthropic", "httpx2", "jinja2", "tenacity"} == set()
    assert {name for name in found if name.startswith("debate_cli.")} == {
        "debate_cli.cli", "debate_cli.cli.app", "debate_cli.cli.help_format", "debate_cli.cli.console", "debate_cli.errors",
        "debate_cli.version", "debate_cli.domain", "debate_cli.domain.suggestions", "debate_cli.render", "debate_cli.render.sanitize",
    }  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_imports_no_sdk(here: Path, name: str) -> None:
    """No provider's SDK, no template engine, no other command's module."""
    found = imported(here, name, "--help")
    assert found & {"openai", "anthropic", "httpx2", "genai_prices", "jinja2"} == set()
    assert f"debate_cli.cli.{name}" in found


@pytest.mark.parametrize("command", ["score", "replay"])
def test_saved_debates_are_read_without_any_sdk(saved: Path, command: str) -> None:
    """Nor is the engine or a provider loaded's SDK: no model is asked."""
    found = imported(saved.parent.parent, command, saved)
    assert "debate_cli.storage.transcript" in found
    assert found & {"openai", "anthropic", "httpx2", "genai_prices", "jinja2"} == set()


def test_a_rehearsal_loads_no_sdk(here: Path) -> None:
    """A debate on the mock runs where neither SDK is imported."""
    found = imported(here, "run", "--mock", "--no-save", "-q")
    assert found & {"openai", "anthropic", "httpx2"} == set()


def test_importing_the_package_loads_nothing(here: Path) -> None:
    """`import debate_cli` alone brings in no module of it."""
    done = run_python(
        "-c", "import sys, debate_cli; print([m for m in sys.modules if m.startswith('debate_cli.')])", cwd=here
    )
    assert done.out == "[]\n"
