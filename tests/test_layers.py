"""The arrows of the architecture point one way: a file imports only from its own folder and from rows above it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "debate_cli"
ROWS = (
    ("errors",),
    ("domain",),
    ("scoring",),
    ("formats",),
    ("llm",),
    ("debaters", "judging"),
    ("providers",),
    ("storage",),
    ("render",),
    ("engine",),
    ("wiring",),
    ("rejudging", "resuming", "rehearsal", "doctor"),
    ("preparation", "forecast"),
    ("session",),
    ("api",),
    ("cli",),
    ("__main__",),
)
RENDER_ROWS = (("sheets",), ("plain",), ("drawn",), ("live",), ("documents",))
"""Within render; what lies beside these rooms is shared by all of them."""
RANK = {name: row for row, names in enumerate(ROWS) for name in names}
FILES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """The folder (or top-level module) of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(source: str) -> set[str]:
    """What a source text imports, wherever in it the import stands: modules, and the names taken out of them."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            modules.add("debate_cli.RELATIVE")
    return modules


def imported_rooms(source: str) -> set[str]:
    """The rooms of the package that a source text imports from."""
    modules = imported_modules(source)
    return {module.split(".")[1] for module in modules if module.startswith("debate_cli.")} - {"__version__"}


def upward(file_room: str, imports: set[str]) -> set[str]:
    """Those imports of a room that do not point to itself or to a row above it."""
    return {name for name in imports if name != file_room and RANK.get(name, len(ROWS)) >= RANK[file_room]}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_up_the_table_only(path: Path) -> None:
    """No file imports from its own row's neighbour or from a row below it."""
    if room(path) == "__init__":
        assert imported_rooms(path.read_text()) <= {"api"}
        return
    assert upward(room(path), imported_rooms(path.read_text())) == set()


@pytest.mark.parametrize("path", sorted((PACKAGE / "render").rglob("*.py")), ids=lambda path: path.stem)
def test_the_rooms_of_render_are_in_order_too(path: Path) -> None:
    """What is shared knows nothing of who shows it; a drawing may use plain words, and never the other way round."""
    rank = {name: row for row, (name,) in enumerate(RENDER_ROWS)}
    own = rank.get(path.relative_to(PACKAGE / "render").parts[0], 0)
    imported = {
        name.split(".")[2] for name in imported_modules(path.read_text()) if name.startswith("debate_cli.render.")
    }
    assert {name for name in imported if rank.get(name, 0) > own} == set()


def test_every_room_has_a_row() -> None:
    """A new folder must be given its place before it can be used."""
    assert {room(path) for path in FILES} - {"__init__"} <= set(RANK)


@pytest.mark.parametrize(
    ("file_room", "source"),
    [
        ("domain", "from debate_cli.llm.model import Model"),
        ("debaters", "from debate_cli.judging import forms"),
        ("judging", "import debate_cli.debaters.debater"),
        ("scoring", "def f():\n    from debate_cli import formats"),
    ],
)
def test_a_wrong_arrow_is_seen(file_room: str, source: str) -> None:
    """The test above would fail on an import that points down or sideways."""
    assert upward(file_room, imported_rooms(source))
