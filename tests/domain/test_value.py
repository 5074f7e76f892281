"""What all domain values share."""

from __future__ import annotations

import pytest

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
