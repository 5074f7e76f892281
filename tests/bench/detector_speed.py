"""Print the processor time in which the detector reads 1 MB of different contents: `python tests/bench/detector_speed.py`.

Nothing asserts on the figures; the aim is less than two seconds for each.
"""

import base64
import random
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from hostile_corpus import DEBATERS, corpus

from debate_cli.judge_input.injection.detector import detect_injection, mask_injection

CHARS = 1_000_000


def repeat(text: str) -> str:
    """`text` repeated up to the length that is measured."""
    return (text * (CHARS // len(text) + 1))[:CHARS]


def contents() -> Iterator[tuple[str, str]]:
    """(name, text) of each content."""
    draw = random.Random(1)
    every = [chr(code) for code in range(0x20, 0x110000) if not 0xD800 <= code < 0xE000]
    assigned = [char for char in every if unicodedata.category(char) not in {"Cn", "Co"}]
    innocent = " ".join(passage.text for passage in corpus().innocent)
    attacks = "\n".join(passage.text for passage in corpus().attacks)
    yield "random code points", "".join(draw.choices(every, k=CHARS))
    yield "random assigned letters", "".join(draw.choices(assigned, k=CHARS))
    yield "innocent corpus", repeat(innocent)
    yield "innocent corpus, reversed", repeat(innocent)[::-1]
    yield "attacks", repeat(attacks)
    yield "attacks, reversed", repeat(attacks)[::-1]
    yield "one letter", "a" * CHARS
    yield "digits", repeat("0123456789")
    yield "newlines", "\n" * CHARS
    yield "base64", base64.b64encode(draw.randbytes(CHARS * 3 // 4)).decode()
    yield "emoji", repeat("😀👩‍👩‍👧🏳️‍🌈🇩🇪 ")
    yield "combining marks", "e" + "\u0301" * (CHARS - 1)
    yield "role markers", repeat("system:\n")
    yield "quotations", repeat('"judge" ')
    yield "leet", repeat("1gn0r3 4ll ")


def main() -> None:
    """Print one line per content."""
    print(f"{'1 MB of':28}{'detect s':>10}{'mask s':>10}{'findings':>10}")
    for name, text in contents():
        start = time.process_time()
        hits = detect_injection(text, DEBATERS)
        detected = time.process_time()
        detect_injection.cache_clear()
        mask_injection(text, DEBATERS)
        print(f"{name:28}{detected - start:10.2f}{time.process_time() - detected:10.2f}{len(hits):10}")


if __name__ == "__main__":
    main()
