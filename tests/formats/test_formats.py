"""The order of turns in every format."""

from typing import Any

import pytest
from formats_support import PAIR, TRIO, Speech, config, new_debate, play_debate, speech, turn, with_failure, with_turns

from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Cue, FollowUpQuestion
from debate_cli.domain.turn import Turn
from debate_cli.formats.schedule import Step, list_cues, next_step, planned_turns


def turn_order(debate: Debate) -> list[tuple[int, int, str, str]]:
    """Return (index, round, phase, speaker) of every turn."""
    return [(item.index, item.round, item.phase, item.speaker) for item in debate.turns]


def test_a_simultaneous_round_sees_earlier_rounds_only() -> None:
    """Openings see nothing, the closing sees both rounds before it."""
    assert [[cue.sees for cue in wave] for wave in waves(new_debate(config()))] == [
        [(), ()],
        [(0, 1), (0, 1)],
        [(0, 1, 2, 3), (0, 1, 2, 3)],
    ]


def test_a_sequential_turn_sees_all_earlier_turns() -> None:
    """In a sequential debate, each speaker sees all earlier turns."""
    found = waves(new_debate(config({"order": "sequential"})))
    assert [[cue.sees for cue in wave] for wave in found] == [[tuple(range(index))] for index in range(6)]


def waves(debate: Debate) -> list[tuple[Cue, ...]]:
    """The cues of a whole debate, wave by wave."""
    found: list[tuple[Cue, ...]] = []
    while (step := next_step(debate)).cues:
        found.append(step.cues)
        debate = with_turns(debate, *(speech(cue, debate) for cue in step.cues))
    return found


@pytest.mark.parametrize("kind", ["structured", "semi_structured", "free_flowing"])
@pytest.mark.parametrize("debaters", [PAIR, TRIO])
@pytest.mark.parametrize("sequence", ["simultaneous", "sequential"])
def test_a_debate_with_all_questions_has_the_planned_turns(
    kind: str, debaters: tuple[dict[str, Any], ...], sequence: str
) -> None:
    """A debate in which every question is asked has the planned number of turns."""
    settings = config({"kind": kind, "order": sequence, "exchanges": 2}, debaters=debaters)
    debate = play_debate(new_debate(settings))
    assert len(debate.turns) == planned_turns(settings)
    assert next_step(debate).close == "complete"


def test_follow_up_questions_go_to_the_owner_of_the_argument() -> None:
    """In the phase `answers` each debater has the questions about its own arguments."""
    debate = play_debate(new_debate(config({"kind": "semi_structured"})), waves=2)
    first, second = next_step(debate).cues
    assert (first.phase, first.questions) == (
        "answers",
        (
            FollowUpQuestion(asked_by="Con", target="PRO-1", text="Why?"),
            FollowUpQuestion(asked_by="Con", target="PRO-2", text="Why?"),
        ),
    )
    assert {question.target for question in second.questions} == {"CON-1", "CON-2"}


def test_answers_add_a_round_of_answers_to_a_structured_debate() -> None:
    """With `answers`, a round of answers follows the cross-examination."""
    settings = config({"rounds": 4, "answers": True})
    debate = play_debate(new_debate(settings))
    phases = [item.phase for item in debate.select_turns(speaker="Pro")]
    assert phases == ["opening", "cross_examination", "answers", "rebuttal", "closing"]
    assert len(debate.turns) == planned_turns(settings)


def without_questions(cue: Cue, debate: Debate) -> Turn:
    """A turn that asks nothing."""
    return turn(cue) if cue.phase == "cross_examination" else speech(cue, debate)


def test_without_questions_there_is_no_round_of_answers() -> None:
    """Without questions the round of answers is left out, and round numbers have no gap."""
    debate = play_debate(new_debate(config({"kind": "semi_structured", "exchanges": 3})), without_questions)
    assert [(item.round, item.phase) for item in debate.select_turns(speaker="Pro")] == [
        (1, "opening"),
        (2, "cross_examination"),
        (3, "closing"),
    ]


def only_con_asks(cue: Cue, debate: Debate) -> Turn:
    """Turns in which only Con asks questions."""
    return turn(cue) if (cue.phase, cue.speaker) == ("cross_examination", "Pro") else speech(cue, debate)


def test_only_debaters_with_questions_answer() -> None:
    """A debater without questions makes no answering turn, and indices have no gap."""
    debate = play_debate(new_debate(config({"kind": "semi_structured"})), only_con_asks)
    assert turn_order(debate)[4:] == [(4, 3, "answers", "Pro"), (5, 4, "closing", "Pro"), (6, 4, "closing", "Con")]


def test_a_second_exchange_asks_about_the_answers() -> None:
    """The questioner has its own questions again; the other debater has no cue."""
    debate = play_debate(new_debate(config({"kind": "semi_structured", "exchanges": 2})), only_con_asks, waves=3)
    (cue,) = next_step(debate).cues
    assert (cue.speaker, cue.phase, [question.target for question in cue.questions]) == (
        "Con",
        "cross_examination",
        ["PRO-1", "PRO-2"],
    )


def repeat_after_round_2(cue: Cue, debate: Debate) -> Turn:
    """A turn that repeats the claim of round 2 in round 3."""
    made = speech(cue, debate)
    if cue.round < 3:
        return made
    claim = made.arguments[0].model_copy(update={"claim": "claim of ROUND 2"}) if made.arguments else None
    return made.model_copy(update={"arguments": (claim,)})


def without_claims(cue: Cue, _: Debate) -> Turn:
    """A turn whose list of claims is empty."""
    return turn(cue, arguments=[])


def only_text(cue: Cue, _: Debate) -> Turn:
    """A turn without structure, with a text of its own."""
    return turn(cue)


@pytest.mark.parametrize(
    ("say", "turns", "reason"),
    [(repeat_after_round_2, 6, "converged"), (without_claims, 4, "converged"), (only_text, 18, "complete")],
    ids=["repeated claims", "no claims", "new texts without claims"],
)
def test_a_free_debate_without_new_claims_converges(say: Speech, turns: int, reason: str) -> None:
    """After a full round, and not before two rounds; texts without claims are compared as texts."""
    debate = play_debate(new_debate(config({"kind": "free_flowing", "turns": 9})), say)
    assert (len(debate.turns), next_step(debate).close) == (turns, reason)


def test_a_failed_cue_blocks_the_next_round() -> None:
    """After a failed cue the debate waits to be resumed."""
    debate = new_debate(config())
    first, second = next_step(debate).cues
    assert next_step(with_failure(debate, first)).cues == (second,)
    assert next_step(with_turns(with_failure(debate, first), turn(second))) == Step()


def test_cues_of_past_turns_can_be_listed() -> None:
    """Each past cue is listed as it was given."""
    debate = new_debate(config({"kind": "semi_structured", "exchanges": 2}, debaters=TRIO))
    given = [cue for wave in waves(debate) for cue in wave]
    assert list(list_cues(play_debate(debate))) == given
