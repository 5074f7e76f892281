"""Each variant changes what it says that it changes, and nothing else: differences are compared word by word."""

import difflib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("scipy", reason="needs the extra [experiments]")

from debate_cli.audit.debates import load_shipped_debates
from debate_cli.audit.variants import (
    CERTAIN,
    EMPTY_SPEECH,
    INVENTED_STUDY,
    ORDERS,
    PADDING,
    UNCERTAIN,
    VARIANTS,
    VariantName,
    build_variants,
    choose_padding,
)
from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import Turn
from debate_cli.judge_input.transcript_prompt import visible_texts
from debate_cli.storage.transcript import load_transcript_file, transcript_to_debate

SAVED = Path(__file__).parents[2] / "transcripts" / "example-mock.json"
ADDED: dict[VariantName, tuple[str, ...]] = {
    "padded": PADDING,
    "confident": CERTAIN,
    "hedged": UNCERTAIN,
    "citation": (INVENTED_STUDY,),
    "injected": ORDERS,
}


def _saved() -> Debate:
    return transcript_to_debate(load_transcript_file(SAVED))


def _debates() -> Iterator[Debate]:
    yield load_shipped_debates()[0].debate
    yield _saved()


def _words(turns: tuple[Turn, ...], speaker: str | None = None) -> list[str]:
    """The words that judges read, of all turns or of one speaker's turns."""
    own = [turn for turn in turns if speaker in {None, turn.speaker}]
    return [word for turn in own for text in visible_texts(turn) for word in text.split()]


@pytest.mark.parametrize("name", ADDED)
def test_added_words_are_the_fixed_sentences(name: VariantName) -> None:
    """The changed side has its own words in order and the fixed sentences, and the other side is unchanged."""
    for debate in _debates():
        for _, changed, built in build_variants(debate, [name]):
            before, after = _words(debate.turns, changed), _words(built.turns, changed)
            codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
            assert {code for code, *_ in codes} <= {"equal", "insert"}, (debate.id, changed)
            added = " ".join(word for code, _, _, start, end in codes if code == "insert" for word in after[start:end])
            assert added
            assert not _without(added, ADDED[name]).split(), added
            others = [turn for turn in debate.turns if turn.speaker != changed]
            assert [turn for turn in built.turns if turn.speaker != changed] == others


def _without(text: str, sentences: tuple[str, ...]) -> str:
    """Return the words of `text` that no sentence contains."""
    known = {word for sentence in sentences for word in sentence.split()}
    return " ".join(word for word in text.split() if word not in known)


def test_names_are_exchanged_and_words_kept() -> None:
    """Sides keep their words and exchange their names, and a second exchange restores the debate."""
    for debate in _debates():
        first, second = debate.participants
        ((_, _, once),) = build_variants(debate, ["names"])
        assert [(item.name, item.side) for item in once.participants] == [
            (second.name, first.side),
            (first.name, second.side),
        ]
        ((_, _, twice),) = build_variants(once, ["names"])
        assert twice.turns == debate.turns


def test_order_exchanges_places_within_rounds() -> None:
    """The second debater comes first in every round, with unchanged words and ids."""
    for debate in _debates():
        ((_, _, built),) = build_variants(debate, ["order"])
        assert [item.name for item in built.participants] == [item.name for item in reversed(debate.participants)]
        assert [(turn.speaker, turn.round) for turn in built.turns[:2]] == [
            (debate.participants[1].name, 1),
            (debate.participants[0].name, 1),
        ]
        assert sorted(turn.text for turn in built.turns) == sorted(turn.text for turn in debate.turns)


def test_mirror_gives_both_sides_the_same_words() -> None:
    """In each round both sides say the same words, apart from names and ids."""
    for debate in _debates():
        first, second = debate.participants
        for _, _, built in build_variants(debate, ["mirror"]):
            for one, other in zip(built.turns[::2], built.turns[1::2], strict=True):
                renamed = (
                    other.text.replace(first.prefix, "X")
                    .replace(second.prefix, first.prefix)
                    .replace("X", second.prefix)
                )
                assert renamed.replace(second.name, first.name) == one.text.replace(second.name, first.name)


def test_empty_side_keeps_only_ids_and_labels() -> None:
    """Every piece of prose of the changed side is the sentence without content."""
    for each in load_shipped_debates()[:2]:
        for _, changed, built in build_variants(each.debate, ["empty"]):
            for turn in built.select_turns(speaker=changed):
                pieces = [item.claim for item in turn.arguments or ()]
                pieces += [item.reasoning for item in turn.responses or ()]
                pieces += [turn.closing.final_position] if turn.closing else []
                assert set(pieces) == {EMPTY_SPEECH}


def test_truncated_side_lacks_its_last_speech() -> None:
    """The variant lacks exactly the last turn of the changed side."""
    debate = load_shipped_debates()[0].debate
    for _, changed, built in build_variants(debate, ["truncated"]):
        assert len(built.turns) == len(debate.turns) - 1
        assert "closing" not in {turn.phase for turn in built.select_turns(speaker=changed)}


def test_speeches_without_structure_are_changed_in_their_text() -> None:
    """A debate of plain speeches has every variant except `order`, and padding adds 30 % of the words."""
    shipped = load_shipped_debates()[0].debate
    plain = tuple(
        turn.model_copy(update={"phase": "speech", "arguments": None, "responses": None, "closing": None})
        for turn in shipped.turns
    )
    form = shipped.config.format.model_copy(update={"kind": "free_flowing"})
    debate = shipped.model_copy(update={"turns": plain, "config": shipped.config.model_copy(update={"format": form})})
    built = {name for name, _, _ in build_variants(debate, list(VARIANTS))}
    assert built == set(VARIANTS) - {"order"}
    for _, changed, padded in build_variants(debate, ["padded"]):
        share = len(_words(padded.turns, changed)) / len(_words(debate.turns, changed))
        assert 1.28 <= share <= 1.32


def test_padding_adds_thirty_percent() -> None:
    """In each padded copy of a shipped debate, the words of the changed side grow by 28 to 32 %."""
    for each in load_shipped_debates():
        for _, changed, built in build_variants(each.debate, ["padded"]):
            before, after = (
                sum(len(turn.text.split()) for turn in debate.select_turns(speaker=changed))
                for debate in (each.debate, built)
            )
            assert 0.28 <= after / before - 1 <= 0.32, (each.debate.id, changed, after / before)


@pytest.mark.parametrize("words", [0, 1.2, 4, 12, 30, 61.5, 80, 85, 1234.5])
def test_padding_has_the_words_that_are_asked_for(words: float) -> None:
    """Padding is at most two words off, and no sentence occurs two times more than another."""
    found = choose_padding(words)
    assert abs(sum(len(sentence.split()) for sentence in found) - words) <= 2
    counts = [found.count(sentence) for sentence in PADDING]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(("words", "added"), [(0, 0), (1.8, 0), (2, 4), (2.1, 4), (4.2, 4), (4.6, 5)])
def test_few_words_get_the_nearest_padding(words: float, added: int) -> None:
    """No sentence is chosen only if nothing is nearer to the number than the shortest sentence."""
    assert sum(len(sentence.split()) for sentence in choose_padding(words)) == added


def test_longer_side_is_no_hint_at_the_better_one() -> None:
    """Of the four shipped debates with a better side, it is the longer one in two and the first one in two."""
    decided = [each for each in load_shipped_debates() if each.better_debater is not None]
    longer = first = 0
    for each in decided:
        names = [item.name for item in each.debate.participants]
        words = {name: len(_words(each.debate.turns, name)) for name in names}
        longer += max(names, key=words.__getitem__) == each.better_debater
        first += names[0] == each.better_debater
    assert (len(decided), longer, first) == (4, 2, 2)


def test_ids_tell_variant_and_side() -> None:
    """The id of a variant has the debate, the variant and the number of the changed side."""
    debate = load_shipped_debates()[0].debate
    ids = [built.id for _, _, built in build_variants(debate, ["repeat", "padded"])]
    assert json.dumps(ids) == json.dumps(
        ["audit-tool-library--repeat", "audit-tool-library--padded-1", "audit-tool-library--padded-2"]
    )
