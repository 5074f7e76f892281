"""What is computed turn by turn is the same as if it were computed at once."""

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from debate_cli.domain.frozen_model import KEPT_VALUES, fold_growing
from debate_cli.domain.tasks import Subject

LISTS = st.lists(st.integers(0, 2), max_size=3 * KEPT_VALUES).map(tuple)
FIRST_LISTS = st.lists(LISTS, min_size=1, max_size=8)


def append(before: tuple[int, ...], item: int) -> tuple[int, ...]:
    """Append the item, so that the result depends on the order."""
    return (*before, item)


@given(FIRST_LISTS, st.lists(st.integers(0, 3 * KEPT_VALUES), max_size=20))
def test_a_fold_has_the_value_of_reduce(lists: list[tuple[int, ...]], lengths: list[int]) -> None:
    """The result is that of `reduce`, even for a list that shares only its start with the list before."""
    first = Subject(moment="turn")
    for place, length in enumerate(lengths):
        items = lists[place % len(lists)][:length]
        assert fold_growing(first, "test", items, (), append) == reduce(append, items, ())
