"""The elements, attributes and links of an HTML page."""

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "img", "link", "input"}


class ParsedPage(HTMLParser):
    """Tags, attributes, ids, links and text of a page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.unclosed: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record a tag and expect its end."""
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record a tag."""
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag."""
        if tag not in VOID:
            assert self.unclosed.pop() == tag

    def handle_data(self, data: str) -> None:
        """Record text."""
        self.text += data

    def event_attributes(self) -> set[str]:
        """Attributes that hold scripts or styles, or load something."""
        return {name for name in self.attributes if name.startswith("on") or name in {"style", "src", "xlink:href"}}


def policy_allows(source: str, element: str) -> bool:
    """Whether the policy allows the page's one script or style sheet by its hash, and nothing else."""
    (text,) = re.findall(rf"<{element}>(.*?)</{element}>", source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return all(
        part in source for part in (f"{element}-src 'sha256-{digest}'", "default-src 'none'", "base-uri 'none'")
    ) and ("unsafe-inline" not in source)


def script_of(source: str) -> str:
    """The last script of a page."""
    return re.findall(r"<script>.*?</script>", source, re.DOTALL)[-1]
