"""docs/reference/files.md: every file of the package with the first sentences and the constants of its source."""

import ast
from itertools import groupby
from pathlib import Path

from reference_pages import MADE

PACKAGE = Path(__file__).parents[2] / "debate_cli"
INTRODUCTION = """\
Each file of `debate_cli/` in a sentence, with its constants: where a number or a text of the program stands. What a folder may import
and what it is for: [ARCHITECTURE](../../ARCHITECTURE.md)."""


def files_reference() -> str:
    """docs/reference/files.md."""
    modules = [
        place.relative_to(PACKAGE) for place in PACKAGE.rglob("*.py") if place.stem not in {"__init__", "__main__"}
    ]
    ordered = sorted(modules, key=lambda place: (place.parts[:-1], place.name))
    folders = groupby(ordered, key=lambda place: place.parent.as_posix())
    parts = [f"# Files\n\n{MADE}\n\n{INTRODUCTION}\n"]
    for folder, files in folders:
        title = "debate_cli" if folder == "." else folder
        rows = "\n".join(map(_row, files))
        parts.append(f"## {title}\n\n| file | contents | constants |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _row(file: Path) -> str:
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    about = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    named = [node.targets[0] if isinstance(node, ast.Assign) else node.target
             for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]  # fmt: skip
    names = [
        part.id
        for target in named
        for part in (target.elts if isinstance(target, ast.Tuple) else [target])
        if isinstance(part, ast.Name) and part.id.isupper() and not part.id.startswith("_")
    ]
    constants = " ".join(f"`{name}`" for name in names if len(name) > 1)
    return f"| `{file.name}` | {about} | {constants} |"
