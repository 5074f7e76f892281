"""Print what a corpus of 10,000 files costs: `python tests/bench/corpus_speed.py`. Nothing asserts on the figures.

The files hold 100 MB of words that follow one another at random, drawn from Python's reference. Times are of the processor.
"""

import pydoc_data.topics
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from debate_cli.evidence.corpus import Corpus, list_source_files, open_corpus

FILES = 10_000
FILE_CHARS = 10_000
QUERIES = (
    "cost of hosting a service that few people use",
    "which statement raises an exception, and where is it documented? " * 6,
    "report 77 about generators and coroutines",
)


def write_files(folder: Path) -> None:
    """Write the files in 100 folders, the same ones each time."""
    draw = random.Random(1)
    words = "\n".join(pydoc_data.topics.topics.values()).split()
    for number in range(FILES):
        place = folder / f"{number // 100:03}"
        place.mkdir(exist_ok=True)
        parts = [f"# Report {number}"]
        while sum(map(len, parts)) < FILE_CHARS:
            at = draw.randrange(len(words) - 60)
            parts.append(f"{' '.join(words[at : at + 60])} {draw.randrange(5000)} percent.")
        (place / f"{number}.md").write_text("\n\n".join(parts))


def measure(name: str, action: Callable[[], object], rounds: int = 1) -> None:
    """Print the median time of `action`."""
    times: list[float] = []
    for _ in range(rounds):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    print(f"{name:32}{median(times) * 1000:10.1f} ms")


def main() -> None:
    """Index the files, open them again unchanged, and search them."""
    with tempfile.TemporaryDirectory() as work:
        folder, cache = Path(work, "docs"), Path(work, "cache")
        folder.mkdir()
        write_files(folder)

        def opened() -> Corpus:
            return open_corpus(list_source_files("docs", Path(work)), 120, cache)

        measure("index", opened)
        measure("open unchanged", opened, 3)
        corpus = opened()
        for query in QUERIES:
            measure(f"search: {query[:22]}…", lambda query=query: corpus.search(query, 12), 9)
        size = sum(file.stat().st_size for file in cache.iterdir()) / 1e6
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{size:.0f} MB of index, {peak:.0f} MiB of memory at most")


if __name__ == "__main__":
    main()
