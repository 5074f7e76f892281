"""Chance that is the same on every machine and Python: each draw is a hash of what it is drawn for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Draws that depend on `seed` and on the key of the draw only, never on what was drawn before."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def unit(self, *key: object) -> float:
        """A number from [0, 1), the same for the same key."""
        text = "/".join([self._seed, *map(str, key)])
        return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:6]) / 2**48

    def pick(self, choices: Sequence[T], *key: object) -> T:
        """One of `choices`, each as likely as the others."""
        return choices[int(self.unit(*key) * len(choices))]

    def order(self, items: Sequence[T], *key: object) -> list[T]:
        """`items` in an order of the dice's."""
        ranked = sorted(range(len(items)), key=lambda index: self.unit(*key, index))
        return [items[index] for index in ranked]
