"""`format.history`: when a prompt holds the whole debate, and when its recent part."""

import pytest

from debate_cli.llm.history_policy import DebateLength, HistoryMode, HistoryPolicy
from debate_cli.llm.model import Message, Request

SHORT, LONG = DebateLength(40, 0), DebateLength(41, 0)


def build(tokens: int, *, is_recent: bool) -> Request:
    """A request of about so many tokens by our estimate, or a short one."""
    return Request("", (Message("user", "x" * (0 if is_recent else int(tokens * 2.5))),), "speech", 100)


@pytest.mark.parametrize(
    ("mode", "length", "tokens", "context", "is_recent"),
    [
        ("auto", SHORT, 59_000, None, False),
        ("auto", SHORT, 60_001, None, True),
        ("auto", SHORT, 5_900, 10_000, False),
        ("auto", SHORT, 6_001, 10_000, True),
        ("auto", LONG, 5_900, 10_000, True),
        ("full", LONG, 200_000, 10_000, False),
        ("recent", SHORT, 10, None, True),
    ],
)
def test_the_whole_debate_is_sent_while_it_fits(
    mode: HistoryMode, length: DebateLength, tokens: int, context: int | None, is_recent: bool
) -> None:
    """`auto`: up to 40 turns, 60,000 tokens and 60 % of the model's context."""
    policy = HistoryPolicy(mode)
    chosen = policy.build(lambda is_recent: build(tokens, is_recent=is_recent), length, context)
    assert chosen[1] == is_recent


@pytest.mark.parametrize(("context", "is_recent"), [(None, False), (100_000, True), (1_000_000, False)])
def test_a_question_about_the_whole_debate_is_shortened_only_by_the_context(
    context: int | None, is_recent: bool
) -> None:
    """A prompt of 200,000 tokens and 41 turns, whatever `format.history` is."""
    policy = HistoryPolicy("recent")
    assert policy.build_whole(lambda is_recent: build(200_000, is_recent=is_recent), LONG, context)[1] == is_recent


def test_the_first_shortened_prompt_is_noted() -> None:
    """A run reports only its first shortened prompt."""
    notes: list[str] = []
    policy = HistoryPolicy("auto", notes.append)
    for tokens in (100, 70_000, 80_000):
        policy.build(lambda is_recent, size=tokens: build(size, is_recent=is_recent), SHORT, None)
    assert len(notes) == 1
    assert "60,000 tokens" in notes[0]
    assert "format.history" in notes[0]


def test_a_prompt_that_does_not_become_shorter_is_not_noted() -> None:
    """The last speeches alone may be the whole debate, or exceed the limit."""
    notes: list[str] = []
    policy = HistoryPolicy("auto", notes.append)
    policy.build(lambda is_recent: build(70_000, is_recent=False), SHORT, None)  # noqa: ARG005 - the port
    assert notes == []
