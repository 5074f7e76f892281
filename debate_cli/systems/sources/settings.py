"""Settings of the system `sources`: where to look up facts without a citation, thresholds of a verdict."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from debate_cli.domain.evidence import LookupPlace
from debate_cli.domain.judging_config import SystemSettings, Thresholds, default_bounds

Lookup = Literal["corpus", "web", "both"]


class SourcesSettings(SystemSettings):
    """A judge reads each citation with its passage and says whether the passage supports the argument."""

    scoring_fields: ClassVar[tuple[str, ...]] = ("thresholds",)

    kind: Literal["sources"] = "sources"
    """Selects this judging system."""
    judge: str | None = None
    """Model of the judge: a name in `models`, or `provider/model`. None means `models.judge` or, without `models.judge`,
    `models.default`."""
    lookup: Lookup | None = Field(default=None, exclude_if=lambda lookup: lookup is None)
    """Where the program searches for figures, studies and institutions that a debater names without a citation: `corpus`
    (the files of `evidence.sources`), `web` or `both`. None means nowhere."""
    thresholds: Annotated[Thresholds, default_bounds(draw=0.10, clear=0.25)] = Thresholds(draw=0.10, clear=0.25)
    """A margin below `draw` is a draw, a margin of `clear` or more is a clear victory. Scores are 0-1."""

    @property
    def lookup_places(self) -> frozenset[LookupPlace]:
        """The value of `lookup` as a set: `corpus`, `web`, both, or the empty set for None."""
        if self.lookup is None:
            return frozenset()
        return frozenset({"corpus", "web"}) if self.lookup == "both" else frozenset({self.lookup})

    def with_lookup(self, lookup: str) -> Self:
        """Return the settings with this value of `lookup`."""
        return self.model_copy(update={"lookup": lookup})
