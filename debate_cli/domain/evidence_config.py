"""The part `evidence` of a configuration: the sources that debaters may cite."""

from typing import Annotated

from pydantic import Field

from debate_cli.domain.config_model import ConfigModel


class EvidenceSource(ConfigModel):
    """A source with a title. A source without a title is written as its path alone."""

    path: str = Field(min_length=1)
    """A file, a folder, or a pattern such as `reports/*.md`, relative to the configuration."""
    title: str | None = Field(default=None, min_length=1, max_length=200)
    """Title of a file; None means its first heading or, without one, its name."""


Domain = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*(/\S*)?$", max_length=253)]
"""`example.org` or `example.org/blog`, without `https://`."""


class WebSearchConfig(ConfigModel):
    """Web search before each speech. Its results can be cited like passages of files."""

    provider: str = Field(min_length=1)
    """`anthropic`, `openai`, `ollama` or `searxng`; or the name of a provider of kind `openai` or
    `anthropic` in `providers`."""
    max_searches: int = Field(default=2, ge=1, le=10)
    """Maximum number of searches for one speech."""
    allowed_domains: tuple[Domain, ...] = Field(default=(), max_length=20)
    """Domains of accepted results, including subdomains; none means all. Written without `https://`."""
    base_url: str | None = None
    """Address of the server. `searxng` needs it; None means the provider's own."""
    model: str | None = Field(default=None, min_length=1)
    """Model that searches, of `anthropic` and `openai` only; None means the first model of that provider in this configuration."""


class RerankConfig(ConfigModel):
    """Orders the passages of the corpus by meaning: by the distance of their embeddings to the query."""

    model: str = Field(pattern=r"^[^/\s]+/\S.*$")
    """Embedding model as `provider/model`, of OpenAI or a compatible server."""


class EvidenceConfig(ConfigModel):
    """Sources of a debate. Before each speech, debaters are shown passages that they may cite."""

    sources: tuple[str | EvidenceSource, ...] = Field(default=(), max_length=1000)
    """Files, folders or patterns, relative to the configuration; `{path, title}` names a file's title."""
    web: WebSearchConfig | None = Field(default=None, exclude_if=lambda web: web is None)
    """Web search; None searches the files only."""
    rerank: RerankConfig | None = Field(default=None, exclude_if=lambda rerank: rerank is None)
    """Order of the files' passages by meaning; None orders them by their words."""
    passages: int = Field(default=6, ge=1, le=30)
    """Number of passages that a speaker is shown before each speech."""
    passage_words: int = Field(default=120, ge=20, le=2000)
    """Approximate number of words in a passage; sentences are not split."""

    @property
    def named_sources(self) -> tuple[EvidenceSource, ...]:
        """All sources, each as an `EvidenceSource`."""
        return tuple(EvidenceSource(path=item) if isinstance(item, str) else item for item in self.sources)
