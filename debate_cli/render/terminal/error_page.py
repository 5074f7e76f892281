"""Draws a page of `debate explain`."""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.text import Text


class _CopyableCodeBlock(CodeBlock):
    """Draws code without added line breaks, so that the code can be copied. The terminal wraps long lines."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(str(self.text).rstrip(), "bold cyan", no_wrap=True, overflow="ignore")


class ErrorPage(Markdown):
    """Markdown with code that can be copied. Print it with `crop=False`: then long lines of code are not cut off."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _CopyableCodeBlock,
        "code_block": _CopyableCodeBlock,
    }
