"""Recall and false alarms of the detector of manipulation, per kind and overall, and its speed.

Rounds of the corpus were written one after the other, each before the rules had seen it. What the detector found of each
at first sight: round 1 0.18 (of its half that was kept back until the rules were fitted to the other half: 0.87), round 2
0.28, round 3 0.50, round 4 0.43, round 5 0.43, round 6 0.50, round 7 0.67, round 8 0.60 (of its half that was kept back: 0.79),
the unseen round 0.37, and 0.48 after the rules were made more general with round 7; false alarms at first sight 0.01, 0, 0, 0,
0, 0.03, 0.01, in round 8 0.19 of plain passages and 0.37 of those written after reading the rules, in the unseen round 0.01.
A round was then opened and the rules made more general. So the corpus tells what is caught for certain, the unseen round
what to expect of wording that nobody thought of.
"""

from __future__ import annotations

import time

from bench.figures import Figures
from hostile_corpus import corpus, unseen

from debate_cli.judging.injection.detector import detect_injection


def test_recall_of_each_kind(figures: Figures) -> None:
    """Share of the attacks of each kind that is found."""
    for kind, (found, of) in corpus().by_kind().items():
        figures.add(f"detector, recall of {kind}", found / of, f"{found} of {of}")


def test_recall_and_false_alarms(figures: Figures) -> None:
    """Over all kinds."""
    found = corpus()
    missed, alarms = len(found.missed()), len(found.alarms())
    figures.add("detector, recall", found.recall(), f"{missed} of {len(found.attacks)} missed", at_least=0.95)
    figures.add("detector, false alarms", found.false_alarms(), f"{alarms} of {len(found.innocent)}", at_most=0.02)


def test_what_nobody_tuned_on(figures: Figures) -> None:
    """The same on passages that the rules were not fitted to."""
    found = unseen()
    missed, alarms = len(found.missed()), len(found.alarms())
    figures.add("detector, recall on the unseen round", found.recall(), f"{missed} of {len(found.attacks)} missed")
    figures.add(
        "detector, false alarms on the unseen round", found.false_alarms(), f"{alarms} of {len(found.innocent)}"
    )


def test_seconds_a_thousand_characters(figures: Figures) -> None:
    """Innocent text, read for the first time."""
    text = " ".join(passage.text for passage in corpus().innocent)
    detect_injection(text[:100])
    started = time.process_time()
    detect_injection(text)
    spent = time.process_time() - started
    figures.add("detector, a thousand characters", spent / len(text) * 1000, f"{len(text)} characters", unit=" s")
