"""Settings of the system `sources`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from debate_cli.domain.judging_config import SystemSettings, Thresholds, default_bounds


class SourcesSettings(SystemSettings):
    """A judge reads each citation with its passage and says whether the passage supports what is argued."""

    kind: Literal["sources"] = "sources"
    judge: str | None = None
    """Name in `models`, or `provider/model`; None means `models.judge`, else `models.default`."""
    thresholds: Annotated[Thresholds, default_bounds(draw=0.10, clear=0.25)] = Thresholds(draw=0.10, clear=0.25)
    """Shares of credit: below `draw` a draw, from `clear` on a clear victory."""

    def problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """A problem if the thresholds are in the wrong order."""
        yield from self.thresholds.problems()
