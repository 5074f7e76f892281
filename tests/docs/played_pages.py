"""Runs the commands of a page: each line of a `sh` block, in order. A `text` block right after it shows their output.

Each page runs in an empty folder of its own; for guides it holds `configs/` and the YAML files beside the page. A line succeeds unless it
ends in `# exits N`. `> FILE` and `| head -N` work. Blocks `bash` need a key or the network and are not run.
"""

import re
import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from cli_support import debate

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PLAYED = (
    "tutorial.md",
    "reading-a-verdict.md",
    "guides/documents.md",
    "guides/evidence.md",
    "guides/import.md",
    "guides/audit.md",
    "guides/experiments.md",
    "guides/review.md",
    *(f"systems/{name}.md" for name in ("structured", "moderator", "panel", "live", "persuasion", "sources")),
)
SILENT = {"OLLAMA_HOST": "http://127.0.0.1:9"}
"""No page depends on a server on this machine."""
_BLOCK = re.compile(
    r"^```sh\n(?P<lines>.*?)^```\n(?P<between>\n*)(?:^```text\n(?P<text>.*?)^```\n)?", re.DOTALL | re.MULTILINE
)
_HEAD = re.compile(r" \| head -(\d+)$")
_EXITS = re.compile(r"\s+# exits (\d+)$")
_DATE = re.compile(r"\b\d{1,2} [A-Z][a-z]+ 20\d\d\b")


def played(page: str) -> str:
    """The page with the current outputs. Raises AssertionError if a command ends with another exit code."""
    text = (DOCS / page).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch) / "here"
        here.mkdir()
        if page.startswith(("systems/", "guides/")):
            shutil.copytree(ROOT / "configs", here / "configs")
            for file in (DOCS / page).parent.glob("*.yaml"):
                shutil.copy(file, here)
        return _BLOCK.sub(lambda block: _renewed(block, lambda line: ran(line, here)), text)


def ran(line: str, here: Path) -> str:
    """The output of a command, stderr before stdout."""
    found, head = _EXITS.search(line), _HEAD.search(line)
    line = line[: head.start()] if head else line
    words = shlex.split(line.split("  #", maxsplit=1)[0])
    program, *args = words
    assert program == "debate", line
    target = here / args[args.index(">") + 1] if ">" in args else None
    done = debate(*(args[: args.index(">")] if target else args), cwd=here, env=SILENT)
    assert done.code == (int(found[1]) if found else 0), f"{line}: exit {done.code}\n{done.err}"
    if head:
        return "".join(done.out.splitlines(keepends=True)[: int(head[1])])
    if target is None:
        return done.err + done.out
    target.write_text(done.out)
    return done.err


def _renewed(block: re.Match[str], run: Callable[[str], str]) -> str:
    printed = "".join(run(line) for line in block["lines"].splitlines() if line and not line.startswith("#"))
    shown = f"```sh\n{block['lines']}```\n{block['between']}"
    printed = _DATE.sub("22 November 2026", printed)  # the day of the run, which a page must not depend on
    return shown if block["text"] is None else f"{shown}```text\n{printed.strip(chr(10))}\n```\n"
