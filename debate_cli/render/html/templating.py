"""Pages from templates: every text is escaped, and nothing is loaded. No Rich."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

from jinja2 import BytecodeCache, DictLoader, Environment, StrictUndefined
from jinja2.bccache import Bucket

from debate_cli.render import sanitize, theme


@cache
def read_template(name: str) -> str:
    """The text of a packaged template, style sheet or script."""
    return resources.files("debate_cli.render.html").joinpath("templates", name).read_text(encoding="utf-8").strip()


class MemoryBytecodeCache(BytecodeCache):
    """Templates that were compiled in this process: of a folder full of pages only the first one waits for it."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket where its template is known."""
        code = self._code.get(bucket.key)
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the bucket's template."""
        self._code[bucket.key] = bucket.bytecode_to_string()


@cache
def _bytecode_cache() -> MemoryBytecodeCache:
    return MemoryBytecodeCache()


def build_environment(names: Sequence[str]) -> Environment:
    """An environment of these templates, all escaping; its filters clean untrusted text and write numbers."""
    made = Environment(
        loader=DictLoader({name: read_template(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_bytecode_cache(),
    )
    made.filters.update(line=sanitize.sanitize_line, clean=sanitize.sanitize_text, number=theme.format_number)
    return made
