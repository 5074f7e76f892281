"""The detector separates attacks on judges from talk about judges on the whole corpus."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hostile_corpus import Corpus, corpus, held_out, unseen

from debate_cli.judge_input.injection.detector import REMOVAL_MARKER, detect_injection, mask_injection
from debate_cli.judge_input.injection.rules import NAME_PLACEHOLDER, load_english, split_sentences
from debate_cli.llm.prompt_sanitizer import sanitize_for_prompt

KINDS, OF_EACH, IN_ALL = 12, 13, 150


def test_the_corpus_is_large_enough() -> None:
    """At least 12 kinds of attack, each in 13 wordings or more, and 150 innocent passages; none twice."""
    found = corpus()
    kinds = Counter(passage.kind for passage in found.attacks)
    assert len(kinds) >= KINDS
    assert min(kinds.values()) >= OF_EACH
    assert len({passage.text for passage in found.attacks}) == len(found.attacks) >= IN_ALL
    assert len({passage.text for passage in found.innocent}) == len(found.innocent) >= IN_ALL


def test_the_unseen_passages_are_in_no_other_file() -> None:
    """The unseen round measures new wording only while no rule was tuned on it."""
    known = {passage.text for passage in (*corpus().attacks, *corpus().innocent)}
    for kept_apart in (unseen(), held_out()):
        assert known.isdisjoint(passage.text for passage in (*kept_apart.attacks, *kept_apart.innocent))


def test_attacks_are_found() -> None:
    """Recall is 0.95 or more."""
    assert corpus().recall() >= 0.95, corpus().missed()


def test_innocent_passages_are_not_findings() -> None:
    """False alarms are 0.02 or less."""
    assert corpus().false_alarms() <= 0.02, corpus().alarms()


def test_unseen_wording_is_found() -> None:
    """Recall on the unseen round is 0.45 or more, and false alarms 0.02 or less: the rules know kinds, not sentences."""
    assert unseen().recall() >= 0.45, unseen().missed()
    assert unseen().false_alarms() <= 0.02, unseen().alarms()


def test_held_out_kinds_are_found() -> None:
    """On the held-out corpus recall is 0.9 or more and false alarms are 0.02 or less, without a rule tuned on it."""
    assert held_out().recall() >= 0.9, held_out().missed()
    assert held_out().false_alarms() <= 0.02, held_out().alarms()


@pytest.mark.parametrize("which", [corpus(), unseen(), held_out()], ids=["corpus", "unseen", "held_out"])
def test_the_page_on_manipulation_shows_the_measured_figures(which: Corpus) -> None:
    """Attacks found and innocent passages marked, as counts. After a change of the rules, write the new counts there."""
    page = (Path(__file__).parents[2] / "docs/errors/manipulation.md").read_text(encoding="utf-8")
    assert f"| {len(which.attacks) - len(which.missed())} of {len(which.attacks)} (" in page
    assert f"| {len(which.alarms())} of {len(which.innocent)} (" in page


def test_every_rule_is_needed() -> None:
    """Each rule of English fits a sentence of an attack."""
    fitting = {
        rule
        for which in (corpus(), unseen(), held_out())
        for passage in which.attacks
        for sentence in _sentences(passage.text, which.debaters)
        for rule in load_english().fitting_rules(sentence)
    }
    unused = [rule for rule in load_english().rules if rule not in fitting]
    assert unused == []


def _sentences(text: str, debaters: tuple[str, ...]) -> list[str]:
    """The sentences of `text` as the rules see them: with another letter in place of the debaters' names."""
    pattern = rf"\b(?:{'|'.join(debaters)})\b"
    masked = re.sub(pattern, lambda name: NAME_PLACEHOLDER * len(name.group()), sanitize_for_prompt(text))
    return [sentence for _, sentence in split_sentences(masked)]


def test_every_kind_is_found() -> None:
    """Recall is 0.9 or more for each kind of attack."""
    found = {kind: hit / of for kind, (hit, of) in corpus().by_kind().items()}
    assert min(found.values()) >= 0.9, found


@pytest.mark.parametrize("which", [corpus(), unseen(), held_out()], ids=["corpus", "unseen", "held_out"])
def test_findings_are_removed_from_what_judges_read(which: Corpus) -> None:
    """The masked text holds no quote of a finding, and masking it again changes nothing."""
    for passage in which.attacks:
        left = mask_injection(passage.text, which.debaters, after=passage.after)
        hits = detect_injection(passage.text, which.debaters, after=passage.after)
        quotes = [hit.quote for hit in hits if hit.end > hit.start]
        assert not any(quote in left.replace(REMOVAL_MARKER, "") for quote in quotes), passage
        assert mask_injection(left, which.debaters) == left


def test_sentences_around_an_attack_are_kept() -> None:
    """The judge still reads the sentences that are about the motion."""
    before, after = "Each service needs an on-call rota.", "Eight engineers cannot staff thirty of them."
    for passage in corpus().attacks:
        if passage.kind in {"score", "sabotage", "rubric"} and "\n" not in passage.text:
            left = mask_injection(f"{before} {passage.text} {after}", corpus().debaters)
            assert left.startswith(before), passage
            assert left.endswith(after), passage
