"""The store of batches: what a removal leaves, and what a write reads."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from debate_cli.errors import StorageError
from debate_cli.storage.batch_store import BatchStore, RequestKey, StoredBatch, StoredRequest


class CountingStore(BatchStore):
    """Counts the instructions that SQLite executes."""

    instructions = 0

    def count(self, write: Callable[[], None]) -> int:
        """Execute `write`, and return the number of its instructions."""
        self.instructions = 0
        write()
        return self.instructions

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        def add() -> None:
            self.instructions += 1

        with super()._opened() as database:
            database.set_progress_handler(add, 1)
            yield database


def add_batch(store: BatchStore, key: str, debates: int) -> None:
    """Store a batch with two requests about each debate, `d0`, `d1` and so on."""
    names = [(f"d{number}", task) for number in range(debates) for task in ("first", "second")]
    requests = [
        StoredRequest(f"{key}-{debate}-{task}", key, RequestKey("p/m", debate, task, "f")) for debate, task in names
    ]
    store.add(StoredBatch(key, "p/m", 0.0, len(requests), None), requests)


def test_a_write_reads_only_the_requests_that_it_concerns(tmp_path: Path) -> None:
    """Each write takes as many instructions with 10 debates as with 1,000."""
    costs: list[list[int]] = []
    for debates in (10, 1000):
        store = CountingStore(tmp_path / str(debates))
        add_batch(store, "b", debates)
        costs.append(
            [
                store.count(partial(store.confirm, "b", "vendor")),
                store.count(partial(store.save_answers, [("b-d1-first", "{}")])),
                store.count(partial(store.add_waiting, "d1")),
                store.count(partial(store.drop, "b-d1-first")),
                store.count(partial(store.forget, "d2")),
            ]
        )
    assert costs[1] == costs[0]


def test_a_batch_is_removed_with_its_last_request(tmp_path: Path) -> None:
    """Whether its requests are removed by debate, by task, one by one or all at once."""
    store = BatchStore(tmp_path)
    add_batch(store, "b", 2)
    add_batch(store, "other", 3)
    store.forget("d0")
    store.forget("d1", {"first"})
    assert [batch.key for batch in store.open_batches()] == ["b", "other"]
    store.drop("b-d1-second")
    assert store.batch("other").requests == 6
    with pytest.raises(StorageError, match="has removed the batch b;"):
        store.batch("b")
    store.drop_batch("other")
    with pytest.raises(StorageError, match="has removed the batch other;"):
        store.batch("other")
    assert store.waiting_debates() == {"d2"}


def test_the_state_of_a_debate(tmp_path: Path) -> None:
    """A debate is `pending` until the answer of its batch is saved in the debate, and `unfinished` without a batch."""
    store = BatchStore(tmp_path)
    assert store.state("d0") is None
    store.add_waiting("d0")
    store.add_unfinished("d9")
    assert (store.state("d0"), store.state("d9")) == ("unfinished", "unfinished")
    add_batch(store, "b", 1)
    assert (store.state("d0"), store.state("d1")) == ("pending", None)
    store.forget("d0", {"first"})
    assert store.state("d0") == "pending"


@pytest.mark.parametrize(("version", "words"), [(2, "unreleased version"), (4, "newer version")])
def test_a_store_of_another_version_is_refused(tmp_path: Path, version: int, words: str) -> None:
    """The file is unchanged."""
    store = BatchStore(tmp_path)
    store.add_waiting("d0")
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute(f"PRAGMA user_version = {version}")
    before = store.path.read_bytes()
    with pytest.raises(StorageError, match=words):
        store.add_waiting("d1")
    assert store.path.read_bytes() == before


def test_an_unusable_store_hinders_no_screen(tmp_path: Path) -> None:
    """`debate list` and `debate replay` ask for the state of a debate's batches."""
    store = BatchStore(tmp_path)
    store.path.write_bytes(b"no database, but longer than a header of SQLite: " * 9)
    assert store.state("d0") is None
    with pytest.raises(StorageError, match="cannot be used"):
        store.waiting_debates()
