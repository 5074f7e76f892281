"""The part `evidence` of a configuration: the sources that debaters may cite."""

from __future__ import annotations

from pydantic import Field

from debate_cli.domain.config_model import ConfigModel


class EvidenceSource(ConfigModel):
    """A source with a title, in place of its path alone."""

    path: str = Field(min_length=1)
    """A file, a folder, or a pattern such as `reports/*.md`, relative to the configuration."""
    title: str | None = Field(default=None, min_length=1, max_length=200)
    """Title of a file; None for its first heading, else its name."""


class EvidenceConfig(ConfigModel):
    """Sources of a debate. Debaters are shown passages of them before each speech and may cite these."""

    sources: tuple[str | EvidenceSource, ...] = Field(min_length=1, max_length=1000)
    """Files, folders or patterns, relative to the configuration; `{path, title}` names a file's title."""
    passages: int = Field(default=6, ge=1, le=30)
    """Passages that a speaker is shown before each speech."""
    passage_words: int = Field(default=120, ge=20, le=2000)
    """Words of a passage, about: a sentence is never split."""

    @property
    def named_sources(self) -> tuple[EvidenceSource, ...]:
        """All sources in their long form."""
        return tuple(EvidenceSource(path=item) if isinstance(item, str) else item for item in self.sources)
