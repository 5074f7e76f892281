"""The corpus of attacks on judges and of similar innocent passages, and the detector's recall and false alarms on it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from debate_cli.judge_input.injection.detector import detect_injection

FOLDER = Path(__file__).with_name("hostile")
DEBATERS = ("Pro", "Con", "Ada", "Bert", "Alice", "Bob", "Dana", "Omar", "Kim", "Lee", "Noor", "Ivan")
"""Debaters in attacks.yaml and innocent.yaml."""
UNSEEN_DEBATERS = ("Mara", "Teo")
HELD_OUT_DEBATERS = ("Rosa", "Felix")


@dataclass(frozen=True, slots=True)
class Passage:
    """A speech, or a part of one; or two speeches of one debater."""

    kind: str
    text: str
    after: str = ""
    """The debater's speech before this one."""

    @cache  # noqa: B019 - the corpora stay for the whole run
    def is_found(self, debaters: tuple[str, ...]) -> bool:
        """Whether the detector finds something in either speech."""
        return bool(detect_injection(self.after, debaters) or detect_injection(self.text, debaters, after=self.after))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Attacks that the detector must find, and passages in which it must find nothing."""

    attacks: tuple[Passage, ...]
    innocent: tuple[Passage, ...]
    debaters: tuple[str, ...]

    def missed(self) -> list[Passage]:
        """Attacks that the detector does not find."""
        return [passage for passage in self.attacks if not passage.is_found(self.debaters)]

    def alarms(self) -> list[Passage]:
        """Innocent passages in which the detector finds something."""
        return [passage for passage in self.innocent if passage.is_found(self.debaters)]

    def recall(self) -> float:
        """Share of the attacks that the detector finds."""
        return 1 - len(self.missed()) / len(self.attacks)

    def false_alarms(self) -> float:
        """Share of the innocent passages with a false alarm."""
        return len(self.alarms()) / len(self.innocent)

    def by_kind(self) -> dict[str, tuple[int, int]]:
        """Kind of attack -> (found, total)."""
        missed = set(self.missed())
        kinds: dict[str, list[Passage]] = defaultdict(list)
        for passage in self.attacks:
            kinds[passage.kind].append(passage)
        return {kind: (len(found) - len(missed & set(found)), len(found)) for kind, found in kinds.items()}


@cache
def corpus() -> Corpus:
    """attacks.yaml and innocent.yaml."""
    return Corpus(_passages(_read("attacks")), _passages(_read("innocent")), DEBATERS)


@cache
def unseen() -> Corpus:
    """unseen.yaml, on which the detector was not tuned."""
    corpus = _read("unseen")
    return Corpus(_passages(corpus["attacks"]), _passages(corpus["innocent"]), UNSEEN_DEBATERS)


@cache
def held_out() -> Corpus:
    """held_out.yaml: the kinds that an earlier detector missed, written before the rules for them."""
    entries = _read("held_out")
    return Corpus(_passages(entries["attacks"]), _passages(entries["innocent"]), HELD_OUT_DEBATERS)


def _read(name: str) -> Any:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _passages(entries: Iterable[Mapping[str, Any]]) -> tuple[Passage, ...]:
    return tuple(
        Passage(entry["kind"], entry["speeches"][1], entry["speeches"][0])
        if "speeches" in entry
        else Passage(entry["kind"], entry["text"])
        for entry in entries
    )
