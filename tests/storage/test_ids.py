"""Ids are safe file names for any topic."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_support import AT

from debate_cli.errors import UsageError
from debate_cli.llm.redaction import Redactor
from debate_cli.storage.folder import MAX_ID_LENGTH, new_id, slugify, validate_id


@given(st.text())
def test_every_topic_makes_an_id(topic: str) -> None:
    """Any topic gives a valid id of at most 80 characters."""
    debate_id = new_id(topic, AT, random.Random(1), Redactor())
    assert re.fullmatch(r"[a-z0-9-]{1,80}", debate_id)
    assert validate_id(debate_id) == debate_id


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("Should cats vote?", "should-cats-vote"),
        ("Où est l'été?", "ou-est-l-ete"),
        ("../../etc/passwd", "etc-passwd"),
        ("是否应该？", ""),
        ("one two three four five six seven eight nine ten eleven", "one-two-three-four-five-six"),
        ("a" * 90, "a" * 32),
    ],
)
def test_a_slug_reads_like_its_topic(topic: str, words: str) -> None:
    """A slug has whole words without accents and punctuation."""
    assert slugify(topic) == words


def test_an_id_contains_no_secret() -> None:
    """A secret in the topic is redacted before the topic becomes an id."""
    redact = Redactor(["Hush-7391-Value"])
    assert new_id("Is Hush-7391-Value safe?", AT, random.Random(1), redact).startswith("is-redacted-safe-2026")


@pytest.mark.parametrize(
    "wrong", ["", "A", "a b", "a/b", "..", "-a", "a-", "ä", "a\n", "a" * (MAX_ID_LENGTH + 1), "\x1b[31m"]
)
def test_an_id_that_could_leave_its_folder_is_refused(wrong: str) -> None:
    """An id has only [a-z0-9-] with inner dashes, and the error is printable."""
    with pytest.raises(UsageError) as caught:
        validate_id(wrong)
    assert str(caught.value).isprintable()
