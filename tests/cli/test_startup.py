"""Modules that a new interpreter imports for a command: slow libraries only where the command uses them."""

import json
import sys
from pathlib import Path

import pytest
from cli_support import run_python

import debate_cli
from debate_cli.__main__ import remove_working_folder
from debate_cli.cli.app import COMMANDS
from debate_cli.errors import ExitCode

PROBE = """
import json, sys
commands = json.loads(sys.argv[1])
from debate_cli.cli.app import main
for command in commands:
    sys.argv = ["debate", *command]
    try:
        main()
    except SystemExit:
        pass
print("\\n" + json.dumps(sorted(sys.modules)))
"""
SDKS = {"openai", "anthropic"}
SLOW = {*SDKS, "pydantic", "yaml", "jinja2", "tenacity", "debate_cli.engine"}


def imported_modules(cwd: Path, *commands: tuple[str, ...], env: dict[str, str] | None = None) -> set[str]:
    """Names of the modules that are loaded after `debate` was called with the arguments of each command."""
    done = run_python("-c", PROBE, json.dumps(commands), cwd=cwd, env=env)
    return set(json.loads(done.out.splitlines()[-1]))


def test_help_and_version_import_nothing_slow(here: Path) -> None:
    """The version, the root's help, and each command's help, which needs the commands' options only."""
    commands = [(name, "--help") for name in COMMANDS]
    assert imported_modules(here, ("--version",), ("--help",), *commands) & SLOW == set()


def test_saved_debates_are_read_without_sdk_and_engine(saved: Path) -> None:
    """`score` and `replay` import neither an SDK nor the engine."""
    loaded = imported_modules(saved.parent.parent, ("score", str(saved)), ("replay", str(saved)))
    assert loaded & {*SDKS, "tenacity", "debate_cli.engine"} == set()


def test_completion_imports_no_sdk(here: Path) -> None:
    """Tab imports no SDK, because the user waits for it."""
    env = {"_DEBATE_COMPLETE": "complete_bash", "COMP_WORDS": "debate judge --", "COMP_CWORD": "2"}
    assert imported_modules(here, (), env=env) & SDKS == set()


def test_importing_the_package_imports_no_other_module(here: Path) -> None:
    """`import debate_cli` loads its names on first use; the version alone is there at once."""
    code = "import sys, debate_cli; print([m for m in sys.modules if m.startswith('debate_cli.')])"
    assert run_python("-c", code, cwd=here).out in {"[]\n", "['debate_cli.version']\n"}


@pytest.mark.parametrize("package", ["typer", "yaml"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(here: Path, package: str) -> None:
    """A missing package is named with the command that installs it."""
    code = f"import sys; sys.modules['{package}'] = None; sys.argv[1:] = ['check']; from debate_cli.__main__ import main; main()"
    done = run_python("-c", code, cwd=here)
    assert (done.code, len(done.lines)) == (1, 1)
    assert f"the Python package {package} is missing" in done.err
    assert f"{sys.executable} -m pip install" in done.err


def test_an_interrupt_during_the_imports_ends_without_a_traceback(here: Path) -> None:
    """Ctrl-C in the first moment ends with exit code 130, as it does later."""
    stub = "import sys\nclass Stop:\n def find_spec(self, name, *_):\n  if name == 'typer': raise KeyboardInterrupt\n"
    code = f"{stub}sys.meta_path.insert(0, Stop()); from debate_cli.__main__ import main; main()"
    done = run_python("-c", code, cwd=here)
    assert (done.code, done.out, done.err) == (ExitCode.INTERRUPTED, "", "")


def test_nothing_of_the_working_folder_is_imported(here: Path) -> None:
    """Neither a module with the name of a library nor an installed plug-in, whether Python or PYTHONPATH names the folder."""
    for name in ("openai", "rich", "yaml", "typing", "debate_plugin"):
        (here / f"{name}.py").write_text("import os; os._exit(77)")
    plugin = here / "debate_plugin-1.dist-info"
    plugin.mkdir()
    (plugin / "METADATA").write_text("Metadata-Version: 2.1\nName: debate-plugin\nVersion: 1\n")
    (plugin / "entry_points.txt").write_text("[debate_cli.providers]\nplugin = debate_plugin:row\n")
    command = ("-m", "debate_cli", "models")
    for done in (run_python(*command, cwd=here), run_python("-P", *command, cwd=here, env={"PYTHONPATH": "."})):
        assert (done.code, done.err) == (0, "")


def test_the_working_folder_may_be_trusted() -> None:
    """It stays importable if it holds the package, as a checkout does, or if PYTHONPATH names it by an absolute path."""
    checkout = str(Path(debate_cli.__file__).parent.parent)
    assert remove_working_folder(["", "/lib", checkout], checkout) == ["", "/lib", checkout]
    assert remove_working_folder(["/work", "/lib"], "/work", "/x:/work") == ["/work", "/lib"]
    assert remove_working_folder(["", "/lib", "/work", "/work/."], "/work", ":.") == ["/lib"]


def test_a_rehearsal_imports_no_sdk(here: Path) -> None:
    """`run --mock` imports no SDK."""
    assert imported_modules(here, ("run", "--mock", "--no-save", "-q")) & SDKS == set()
