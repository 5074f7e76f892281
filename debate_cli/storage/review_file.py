"""Reads a person's review from a YAML file."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from debate_cli.domain.config_checks import Problem
from debate_cli.domain.reviewer import ReviewAnswers, ReviewTerms, Seconds
from debate_cli.errors import ConfigError
from debate_cli.storage.config_errors import SourceMap, load_yaml, problems_from_validation
from debate_cli.storage.plain_data import is_mapping
from debate_cli.yaml_positions import read_yaml_text


class _DebateAndTerms(ReviewTerms):
    model_config = ConfigDict(strict=True)

    debate: str


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    review: _DebateAndTerms
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    seconds: dict[str, Seconds] | None = None
    answers: dict[str, Any] | None = None


class ReviewFile(NamedTuple):
    """The content of a file with a person's review of a debate."""

    debate_key: str
    """Hash of the reviewed debate's id."""
    terms: ReviewTerms
    answers: ReviewAnswers
    source_map: SourceMap

    def check(self, problems: Iterable[Problem], parts: Collection[str]) -> None:
        """Raise ConfigError if there are `problems` in the answers, or if `answers.seconds` has names not in `parts`.

        The error has one line per problem: `file:line:column: key.path: what is wrong`.
        """
        placed = [problem._replace(path=("answers", *problem.path)) for problem in problems]
        placed += [
            Problem(("seconds", name), "there is no such part in this review; remove it", is_key_error=True)
            for name in self.answers.seconds
            if name not in parts
        ]
        if placed:
            raise ConfigError(*self.source_map.format_problems(placed))


def read_review_file(path: Path) -> ReviewFile:
    """Read a review, without checking its answers. Raises ConfigError with one line per problem."""
    data, source_map = load_yaml(str(path), read_yaml_text(path, absent="write one with `debate review ID --template`"))
    if not (is_mapping(data) and "review" in data):
        raise ConfigError(f"{path}:1:1: this is not a review; write one with `debate review ID --template`")
    try:
        document = _Document.model_validate(data)
    except ValidationError as error:
        found = problems_from_validation(error, data, _Document)
        raise ConfigError(*source_map.format_problems(found)) from error
    return ReviewFile(
        document.review.debate,
        ReviewTerms(**document.review.model_dump(exclude={"debate"})),
        ReviewAnswers(document.answers or {}, document.seconds or {}, document.confidence),
        source_map,
    )
