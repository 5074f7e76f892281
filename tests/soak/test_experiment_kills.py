"""An experiment of 200 cells that is killed several times."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from experiments_support import check_killed_runs


@pytest.mark.parametrize(
    ("processes", "growth"),
    [([""], 0), (["", ""], 0), (["--shard=1/2", "--shard=2/2"], 0), ([""], 10)],
    ids=["one process", "two processes", "two shards", "a growing file"],
)
def test_two_hundred_cells_survive_kills(tmp_path: Path, processes: Sequence[str], growth: int) -> None:
    """The results are those of an undisturbed run; at most the calls in flight are made again."""
    here = tmp_path / "here"
    here.mkdir()
    check_killed_runs(here, motions=100 - 5 * growth, kills=5, concurrency=16, processes=processes, growth=growth)
