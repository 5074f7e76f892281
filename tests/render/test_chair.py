"""The chair's announcements: made from the debate, shown in every medium, and never sent to a model."""

import html
from typing import Any

import pytest
from formats_support import PAIR, TRIO, Speech, config, new_debate, play_debate, speech, turn
from judging_support import FillingModel, close_debate, play_and_judge
from live_support import LiveView
from render_support import debate, events, plain_output

from debate_cli.domain.debate import Debate
from debate_cli.domain.events import CloseReason
from debate_cli.domain.tasks import Cue
from debate_cli.domain.turn import Phase, Turn
from debate_cli.render.content import chair
from debate_cli.render.html.page import render_html
from debate_cli.render.text.markdown import format_markdown
from debate_cli.systems.scoring import score


def played(form: dict[str, Any], *, debaters: tuple[dict[str, Any], ...] = PAIR, speak: Speech = speech) -> Debate:
    """A whole debate of this format."""
    return play_debate(new_debate(config(form, debaters=debaters)), speak)


def announcements(finished: Debate) -> list[str]:
    """What the chair says at each round."""
    rounds: dict[int, Phase] = {item.round: item.phase for item in finished.turns}
    return [chair.announce_round(finished, number, phase) for number, phase in rounds.items()]


def test_the_chair_restates_the_motion_and_explains_the_rounds() -> None:
    """Equal rounds in a row are explained once."""
    words = chair.announce_debate(new_debate(config({"rounds": 5, "arguments": 1, "closing_words": 90})))
    assert words == (
        "The motion is: Should it be done? The format is structured, with 5 rounds. "
        "Opening: each debater states 1 argument, without seeing those of the other side. "
        "Cross-examination: each answers every argument of the other side. "
        "Rebuttal (2 rounds): each answers arguments of the other side and cites their ids. "
        "Closing: each sums up in at most 90 words."
    )


@pytest.mark.parametrize(
    ("motion", "restated"),
    [("Ban it", "Ban it."), ("Ban it!", "Ban it!"), ("Should it be done?", "Should it be done?")],
)
def test_a_restated_motion_ends_like_a_sentence(motion: str, restated: str) -> None:
    """A motion without a mark at its end gets a full stop."""
    words = chair.announce_debate(new_debate(config({"rounds": 1}, topic=motion)))
    assert words.startswith(f"The motion is: {restated} The format")


@pytest.mark.parametrize(
    ("form", "debaters", "expected"),
    [
        (
            {"rounds": 2},
            PAIR,
            [
                "Round 1 of 2: Pro and Con speak at the same time. Next: closing.",
                "Round 2 of 2: Pro and Con speak at the same time. This is the last round.",
            ],
        ),
        (
            {"rounds": 1, "order": "sequential"},
            TRIO,
            ["Round 1 of 1: Pro speaks first, then Con, then Third. This is the last round."],
        ),
        (
            {"kind": "free_flowing", "rounds": 2},
            PAIR,
            [
                "Round 1 of 2: Pro speaks first, then Con. Next: round 2.",
                "Round 2 of 2: Pro speaks first, then Con. This is the last round.",
            ],
        ),
    ],
    ids=["simultaneous", "sequential, three debaters", "free-flowing"],
)
def test_a_round_is_announced_with_its_speakers_and_what_comes_next(
    form: dict[str, Any], debaters: tuple[dict[str, Any], ...], expected: list[str]
) -> None:
    """In the order in which they speak."""
    assert announcements(played(form, debaters=debaters)) == expected


def only_con_asks(cue: Cue, state: Debate) -> Turn:
    """Turns in which only Con asks questions."""
    return turn(cue) if (cue.phase, cue.speaker) == ("cross_examination", "Pro") else speech(cue, state)


def without_questions(cue: Cue, state: Debate) -> Turn:
    """Turns without a question."""
    return turn(cue) if cue.phase == "cross_examination" else speech(cue, state)


def test_answers_are_announced_for_those_who_were_asked() -> None:
    """Rounds that depend on questions may be passed over, so the number of rounds is a maximum before them."""
    asked = announcements(played({"kind": "semi_structured", "exchanges": 2}, speak=only_con_asks))
    assert [words.partition(": ")[::2] for words in asked[1:4]] == [
        ("Round 2 of at most 6", "Pro and Con speak at the same time. Next: answers, if questions were asked."),
        ("Round 3 of at most 6", "Pro speaks. Next: follow-up, if questions were asked."),
        ("Round 4 of at most 6", "Con speaks. Next: answers, if questions were asked."),
    ]
    unasked = announcements(played({"answers": True}, speak=without_questions))
    assert unasked[-1] == "Round 3 of 3: Pro and Con speak at the same time. This is the last round."


def persuasive_first_turn(cue: Cue, _: Debate) -> Turn:
    """Turns of which only the first one persuades."""
    return turn(cue, text="However, but, consider, understand." if cue.index == 0 else "No.")


def test_a_surrender_is_announced_once_before_the_next_round() -> None:
    """Con gives up in the first round, and is a speaker of that round only."""
    trio = (*PAIR, {"name": "Firm", "side": "other", "conviction": 1.0})
    limits = {"surrender_threshold": 0.7, "consecutive_persuasion": 10}
    settings = config(
        {"kind": "free_flowing", "rounds": 3},
        systems=[{"kind": "persuasion", "victory_conditions": limits}],
        debaters=trio,
    )
    begun = play_debate(new_debate(settings), persuasive_first_turn, waves=5)
    assert [chair.announce_round(begun, number, "speech") for number in (1, 2, 3)] == [
        "Round 1 of 3: Pro speaks first, then Con, then Firm. Next: round 2.",
        "Con surrenders and speaks no more. Round 2 of 3: Pro speaks first, then Firm. Next: round 3.",
        "Round 3 of 3: Pro speaks first, then Firm. This is the last round.",
    ]


def test_rounds_that_do_not_follow_the_plan_are_announced_without_it() -> None:
    """As in a debate whose rounds were changed when it was resumed."""
    changed = played({"rounds": 3})
    assert chair.announce_round(changed, 2, "rebuttal") == "Round 2: Pro and Con speak at the same time."


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("complete", "The debate is complete. It had 4 speeches in 2 rounds."),
        ("budget", "The debate stops: the budget is reached. So far it has 4 speeches in 2 rounds."),
    ],
)
def test_the_end_is_announced_with_the_length_of_the_debate(reason: CloseReason, expected: str) -> None:
    """A debate that can be resumed has its length so far."""
    assert chair.announce_close(played({"rounds": 2}), reason) == expected


def test_every_medium_shows_the_announcements() -> None:
    """The opening, each round and the end, in this order."""
    finished = debate()
    said = [chair.announce_debate(finished), *announcements(finished), chair.announce_close(finished, finished.closed)]
    verdicts, screen = score(finished), LiveView(1000)
    screen.apply(*events()[1:])
    for text in (
        screen.printed_text(),
        plain_output(events()),
        format_markdown(finished, verdicts),
        html.unescape(render_html(finished, verdicts)),
    ):
        places = [text.find(f"Chair: {words}") for words in said]
        assert -1 not in places
        assert places == sorted(places)


def test_no_judge_sees_an_announcement() -> None:
    """No message of a request has one."""
    model = FillingModel()
    finished = close_debate(play_and_judge("moderator", "structured", model=model))
    said = [chair.announce_debate(finished), *announcements(finished), chair.announce_close(finished, finished.closed)]
    sent = [message.content for request in model.requests for message in request.messages]
    assert len(sent) > 1
    assert not any(words in content for words in said for content in sent)
