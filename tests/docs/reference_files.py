"""docs/reference/files.md: every file of the package with the first sentence and the constants of its source."""

import ast
from itertools import groupby, takewhile
from pathlib import Path

from reference_pages import MADE

PACKAGE = Path(__file__).parents[2] / "debate_cli"
INTRODUCTION = """\
Each file of `debate_cli/` in a sentence, with its constants: where a number or a text of the program stands. What a folder may import
and what it is for: [ARCHITECTURE](../../ARCHITECTURE.md)."""
SUFFIXES = {".css", ".j2", ".js", ".md", ".py", ".toml", ".yaml"}
UNLISTED = {"__init__.py", "__main__.py"}


def files_reference() -> str:
    """docs/reference/files.md."""
    found = (place for place in PACKAGE.rglob("*") if place.suffix in SUFFIXES)
    files = [place.relative_to(PACKAGE) for place in found if place.name not in UNLISTED]
    ordered = sorted(files, key=lambda place: (place.parts[:-1], place.name))
    parts = [f"# Files\n\n{MADE}\n\n{INTRODUCTION}\n"]
    for folder, members in groupby(ordered, key=lambda place: place.parent.as_posix()):
        title = "debate_cli" if folder == "." else folder
        rows = "\n".join(
            f"| `{file.name}` | {about} | {names} |" for file in members for about, names in [_describe(file)]
        )
        parts.append(f"## {title}\n\n| file | contents | constants |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _describe(file: Path) -> tuple[str, str]:
    """First sentence of the file, and its public constants."""
    text = (PACKAGE / file).read_text(encoding="utf-8")
    match file.suffix:
        case ".py":
            tree = ast.parse(text)
            about = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            return about, " ".join(f"`{name}`" for name in _constants(tree))
        case ".yaml" if file.parent.name == "templates":
            return "The configuration that `debate init` writes.", ""
        case ".toml" | ".yaml":
            lines = takewhile(lambda line: line.startswith("# "), text.splitlines())
            return " ".join(line[2:] for line in lines).partition(". ")[0].removesuffix(".") + ".", ""
        case ".md":
            return "A prompt, or a part of one.", ""
        case _:
            return "A part of HTML pages.", ""


def _constants(tree: ast.Module) -> list[str]:
    assigned = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    assigned += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    targets = [part for target in assigned for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    names = [part.id for part in targets if isinstance(part, ast.Name)]
    return [name for name in names if name.isupper() and not name.startswith("_") and len(name) > 1]
