"""The base class of domain values."""

from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.tasks import Brief, Subject

BRIEF = Brief(run="r1", system="live", assessor="judge", subject=Subject(moment="pair", turns=(2, 3)))


def test_a_copy_has_no_memoized_results() -> None:
    """A copy with other fields computes its results again."""
    assert BRIEF.key == "r1/live/judge/pair/2-3/0"
    assert BRIEF.model_copy(update={"run": "r2"}).key == "r2/live/judge/pair/2-3/0"


ASKED: list[tuple[str, int]] = []


@memoize_on_value
def revised(brief: Brief, by: int) -> int:
    """Return the brief's revision plus `by`."""
    ASKED.append((brief.run, by))
    return brief.revision + by


def test_a_result_is_computed_once_per_arguments() -> None:
    """A result is computed again only for other arguments and for a copy."""
    ASKED.clear()
    brief = BRIEF.model_copy(update={"revision": 1})
    assert [revised(brief, 1), revised(brief, 1), revised(brief, 2)] == [2, 2, 3]
    assert revised(brief.model_copy(update={"run": "r2", "revision": 4}), 1) == 5
    assert ASKED == [("r1", 1), ("r1", 2), ("r2", 1)]
