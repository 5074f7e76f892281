"""What all domain values share."""

from __future__ import annotations

import pickle

import pytest

from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.tasks import Brief, Subject

BRIEF = Brief(run="r1", system="live", assessor="judge", subject=Subject(moment="pair", turns=(2, 3)))


def test_a_copy_concludes_anew() -> None:
    """What was concluded from the old fields, and remembered, is not taken over."""
    assert BRIEF.key == "r1/live/judge/pair/2-3/0"
    assert BRIEF.model_copy(update={"run": "r2"}).key == "r2/live/judge/pair/2-3/0"


def test_a_copy_knows_its_fields() -> None:
    """A misspelt one is no new field, and is not dropped silently."""
    with pytest.raises(KeyError, match="rum"):
        BRIEF.model_copy(update={"rum": "r2"})


def test_what_was_concluded_makes_no_difference() -> None:
    """A value that was asked for its key equals one that was not."""
    assert BRIEF.key
    assert Brief.model_validate(BRIEF.model_dump()) == BRIEF
    assert hash(BRIEF) == hash(Brief.model_validate(BRIEF.model_dump()))


ASKED: list[tuple[str, int]] = []


@memoize_on_value
def revised(brief: Brief, by: int) -> int:
    """The brief's revision and so many more."""
    ASKED.append((brief.run, by))
    return brief.revision + by


def test_what_is_concluded_is_concluded_once_for_each_question() -> None:
    """The second time it is at hand; another question, and a copy, is another matter."""
    ASKED.clear()
    brief = BRIEF.model_copy(update={"revision": 1})
    assert [revised(brief, 1), revised(brief, 1), revised(brief, 2)] == [2, 2, 3]
    assert revised(brief.model_copy(update={"run": "r2", "revision": 4}), 1) == 5
    assert ASKED == [("r1", 1), ("r1", 2), ("r2", 1)]


def test_what_is_kept_with_a_value_is_no_part_of_it() -> None:
    """It is neither written nor compared, and does not keep the value from being pickled."""
    brief = BRIEF.model_copy()
    revised(brief, 1)
    assert brief == BRIEF
    assert brief.model_dump() == BRIEF.model_dump()
    assert pickle.loads(pickle.dumps(brief)) == BRIEF
