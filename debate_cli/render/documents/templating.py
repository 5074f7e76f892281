"""Pages from templates: every text is escaped, and nothing is loaded. No Rich."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

from jinja2 import BytecodeCache, DictLoader, Environment, StrictUndefined
from jinja2.bccache import Bucket

from debate_cli.render import hostile, look


@cache
def source(name: str) -> str:
    """The text of a packaged template, style sheet or script."""
    return (
        resources.files("debate_cli.render.documents").joinpath("templates", name).read_text(encoding="utf-8").strip()
    )


class Compiled(BytecodeCache):
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
def _compiled() -> Compiled:
    return Compiled()


def environment(names: Sequence[str]) -> Environment:
    """An environment of these templates, all escaping; its filters clean untrusted text and write numbers."""
    made = Environment(
        loader=DictLoader({name: source(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_compiled(),
    )
    made.filters.update(line=hostile.line, clean=hostile.clean, number=look.number)
    return made
