"""The finding of the system `sources`: what a judge says about one citation."""

from __future__ import annotations

from typing import Literal

from debate_cli.domain.assessment import Finding

Support = Literal["yes", "partly", "no", "contradicts", "unknown"]
"""Whether a passage supports the words beside its citation."""
SUPPORT_WORDS: dict[Support, str] = {
    "yes": "supports",
    "partly": "supports in part",
    "no": "does not support",
    "contradicts": "contradicts",
    "unknown": "support unknown",
}
Quality = Literal["yes", "no", "unknown"]


class SourceSupport(Finding):
    """Whether a cited passage supports what is argued, and how good the source is."""

    kind: Literal["source_support"] = "source_support"
    turn: int
    item: str
    """Id of the argument beside the citation, or `closing`."""
    source: str
    quote: str
    supports: Support
    reputable: Quality = "unknown"
    recent: Quality = "unknown"
    relevant: Quality = "unknown"
    reason: str = ""

    def describe(self) -> list[str]:
        """The citation, whether its passage supports the argument, and why."""
        why = f": {self.reason}" if self.reason else ""
        return [f"{self.source} for {self.item}, turn {self.turn + 1}: {SUPPORT_WORDS[self.supports]}{why}"]
