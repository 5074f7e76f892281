"""Print how many real quotes the quote check gets right, and how many altered ones: `python tests/bench/quote_accuracy.py [FOLDER…]`.

Passages are cut from texts that are installed here (Python's reference, licences, READMEs of packages, our documents)
or from the given folders. `--misses N` prints examples of wrong outcomes. Nothing asserts on the figures.
"""

import argparse
import importlib.metadata
import pydoc_data.topics
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from quote_alterations import ALTERATIONS, GENUINE, Kind

from debate_cli.evidence.quote_check import check_quote

ROOT = Path(__file__).parents[2]
SYSTEM_TEXTS = ("/usr/share/common-licenses/*", "/usr/share/doc/**/*.txt", "/usr/share/doc/**/*.md")
WORDS = 120


def texts() -> Iterator[tuple[str, str]]:
    """(kind, text) of the texts that are installed here."""
    topics: dict[str, str] = pydoc_data.topics.topics
    yield "python reference", "\n\n".join(topics.values())
    for path in sorted(path for pattern in SYSTEM_TEXTS for path in Path("/").glob(pattern[1:])):
        yield "system texts", path.read_text(errors="replace")
    for distribution in importlib.metadata.distributions():
        yield "READMEs of packages", (distribution.read_text("METADATA") or "").partition("\n\n")[2]
    for path in sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]):
        yield "our documents", path.read_text()


def folder_texts(folders: list[Path]) -> Iterator[tuple[str, str]]:
    """(folder, text) of the text files in `folders`."""
    for folder in folders:
        for path in sorted(path for ending in ("*.txt", "*.md", "*.rst") for path in folder.rglob(ending)):
            yield folder.name, path.read_text(errors="replace")


def passages(text: str) -> Iterator[str]:
    """Whole paragraphs of `text`, joined up to about 120 words. Tables and code are left out."""
    held: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        letters = sum(char.isalpha() or char.isspace() for char in paragraph)
        if letters < 0.8 * len(paragraph) or len(paragraph.split()) < 8:
            continue
        held.append(paragraph.strip())
        if sum(len(part.split()) for part in held) >= WORDS:
            yield "\n\n".join(held)
            held = []


def measure(
    kinds: Mapping[str, Kind], right: set[str], draw: random.Random, found: list[tuple[str, str]], misses: int
) -> None:
    """Print a line for each kind of quote, and up to `misses` wrong outcomes of each."""
    for name, make in kinds.items():
        outcomes: dict[str, Counter[str]] = {}
        wrong: list[str] = []
        for kind, passage in found:
            quote = make(passage, draw)
            if quote is None:
                continue
            check = check_quote(quote, passage)
            outcomes.setdefault(kind, Counter())[check.outcome] += 1
            if check.outcome not in right:
                wrong.append(f"    {check.outcome}: {quote!r}\n      of {check.passage_words!r} {check.difference}")
        total = sum(outcomes.values(), Counter[str]())
        hits = sum(total[outcome] for outcome in right)
        print(f"{name:28}{hits / max(1, total.total()):9.2%}{total.total():8}  {dict(total)}")
        for kind, counts in outcomes.items():
            share = sum(counts[outcome] for outcome in right) / counts.total()
            if share < 0.99:
                print(f"    {kind}: {share:.2%} of {counts.total()}")
        print("".join(f"{line}\n" for line in draw.sample(wrong, min(misses, len(wrong)))), end="")


def main() -> None:
    """Print one line per kind of quote."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--per-kind", type=int, default=600, help="passages of each kind of text")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    by_kind: dict[str, list[str]] = {}
    for kind, text in folder_texts(given.folders) if given.folders else texts():
        by_kind.setdefault(kind, []).extend(passages(text))
    found = [
        (kind, text)
        for kind, all_of in by_kind.items()
        for text in draw.sample(all_of, min(given.per_kind, len(all_of)))
    ]
    print(Counter(kind for kind, _ in found))
    start: Callable[[], float] = time.process_time
    began = start()
    measure(GENUINE, {"verified", "near"}, draw, found, given.misses)
    measure(ALTERATIONS, {"altered", "not_found"}, draw, found, given.misses)
    print(f"{start() - began:.1f} s of processor time")


if __name__ == "__main__":
    main()
