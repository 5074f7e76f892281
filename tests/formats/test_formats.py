"""Who speaks next, in every format."""

from __future__ import annotations

from typing import Any

import pytest
from formats_support import PAIR, TRIO, begun, config, failed, said, speech, spoken, turn

from debate_cli.domain.debate import Debate
from debate_cli.domain.tasks import Cue, FollowUpQuestion
from debate_cli.domain.turn import Turn
from debate_cli.formats import Step, finished_rounds, list_cues, next_step, planned_turns


def order(debate: Debate) -> list[tuple[int, int, str, str]]:
    """(index, round, phase, speaker) of every turn."""
    return [(item.index, item.round, item.phase, item.speaker) for item in debate.turns]


def test_a_simultaneous_opening_is_blind() -> None:
    """Both open at once, and see nothing."""
    step = next_step(begun(config()))
    assert step.cues == (
        Cue(index=0, round=1, phase="opening", speaker="Pro"),
        Cue(index=1, round=1, phase="opening", speaker="Con"),
    )


def test_a_simultaneous_round_sees_all_earlier_rounds_and_nothing_of_its_own() -> None:
    """Cross-examination sees the openings; the closing sees both rounds before it."""
    assert [[cue.sees for cue in wave] for wave in waves(begun(config()))] == [
        [(), ()],
        [(0, 1), (0, 1)],
        [(0, 1, 2, 3), (0, 1, 2, 3)],
    ]


def test_a_sequential_debate_asks_one_after_the_other() -> None:
    """Each sees everything said before."""
    found = waves(begun(config({"order": "sequential"})))
    assert [[cue.sees for cue in wave] for wave in found] == [[tuple(range(index))] for index in range(6)]


def waves(debate: Debate) -> list[tuple[Cue, ...]]:
    """The cues of a whole debate, wave by wave."""
    found: list[tuple[Cue, ...]] = []
    while (step := next_step(debate)).cues:
        found.append(step.cues)
        debate = said(debate, *(speech(cue, debate) for cue in step.cues))
    return found


def test_rebuttal_rounds_stand_where_they_are_configured() -> None:
    """Every configured phase is a round of its own."""
    phases = ["opening", "cross_examination", "rebuttal", "rebuttal", "closing"]
    debate = spoken(begun(config({"phases": phases})))
    assert [(item.round, item.phase) for item in debate.select_turns(speaker="Con")] == list(enumerate(phases, 1))


@pytest.mark.parametrize("kind", ["structured", "semi_structured", "free_flowing"])
@pytest.mark.parametrize("debaters", [PAIR, TRIO])
@pytest.mark.parametrize("sequence", ["simultaneous", "sequential"])
def test_a_debate_in_which_all_is_asked_has_the_planned_turns(
    kind: str, debaters: tuple[dict[str, Any], ...], sequence: str
) -> None:
    """With a question to every argument, no planned turn falls away, and the debate closes as complete."""
    settings = config({"kind": kind, "order": sequence, "exchanges": 2}, debaters=debaters)
    debate = spoken(begun(settings))
    assert len(debate.turns) == planned_turns(settings)
    assert next_step(debate).close == "complete"


def test_follow_up_questions_go_to_the_maker_of_the_argument() -> None:
    """In the phase `answers` each debater is given the questions about its own arguments."""
    debate = spoken(begun(config({"kind": "semi_structured"})), waves=2)
    first, second = next_step(debate).cues
    assert (first.phase, first.questions) == (
        "answers",
        (
            FollowUpQuestion(asked_by="Con", target="PRO-1", text="Why?"),
            FollowUpQuestion(asked_by="Con", target="PRO-2", text="Why?"),
        ),
    )
    assert {question.target for question in second.questions} == {"CON-1", "CON-2"}


def mute(cue: Cue, debate: Debate) -> Turn:
    """A speech without any question."""
    return turn(cue) if cue.phase == "cross_examination" else speech(cue, debate)


def test_without_questions_there_is_no_round_of_answers() -> None:
    """Nobody is asked for answers to nothing, and the numbers of rounds have no gap."""
    debate = spoken(begun(config({"kind": "semi_structured", "exchanges": 3})), mute)
    assert [(item.round, item.phase) for item in debate.select_turns(speaker="Pro")] == [
        (1, "opening"),
        (2, "cross_examination"),
        (3, "closing"),
    ]


def only_con_asks(cue: Cue, debate: Debate) -> Turn:
    """Speeches in which only Con puts questions."""
    return turn(cue) if (cue.phase, cue.speaker) == ("cross_examination", "Pro") else speech(cue, debate)


def test_only_who_was_asked_answers() -> None:
    """Indices stay without a gap where only some speak in a round."""
    debate = spoken(begun(config({"kind": "semi_structured"})), only_con_asks)
    assert order(debate)[4:] == [(4, 3, "answers", "Pro"), (5, 4, "closing", "Pro"), (6, 4, "closing", "Con")]


def test_a_second_exchange_asks_about_what_was_answered() -> None:
    """The questioner is given its own questions again, and nobody else speaks."""
    debate = spoken(begun(config({"kind": "semi_structured", "exchanges": 2})), only_con_asks, waves=3)
    (cue,) = next_step(debate).cues
    assert (cue.speaker, cue.phase, [question.target for question in cue.questions]) == (
        "Con",
        "cross_examination",
        ["PRO-1", "PRO-2"],
    )


def test_free_speeches_go_round() -> None:
    """Nobody speaks twice before everybody was heard, one after the other whatever the configured order."""
    debate = spoken(begun(config({"kind": "free_flowing", "turns": 2}, debaters=TRIO)))
    assert order(debate) == [
        (index, index // 3 + 1, "speech", ("Pro", "Con", "Third")[index % 3]) for index in range(6)
    ]


def repeated(cue: Cue, debate: Debate) -> Turn:
    """A speech that says in round 3 what was said in round 2, in other typography."""
    made = speech(cue, debate)
    if cue.round < 3:
        return made
    claim = made.arguments[0].model_copy(update={"claim": "claim of ROUND 2"}) if made.arguments else None
    return made.model_copy(update={"arguments": (claim,)})


def test_a_free_debate_without_news_has_converged() -> None:
    """A full round without a new claim or rebuttal ends the debate before its last speech."""
    debate = spoken(begun(config({"kind": "free_flowing", "turns": 9})), repeated)
    assert (len(debate.turns), next_step(debate).close) == (6, "converged")


def test_one_round_is_too_little_to_have_converged() -> None:
    """Without any claim, two full rounds are heard all the same."""
    debate = spoken(begun(config({"kind": "free_flowing", "turns": 9})), lambda cue, _: turn(cue, arguments=[]))
    assert (len(debate.turns), next_step(debate).close) == (4, "converged")


def test_an_unstructured_speech_is_news_unless_it_is_repeated() -> None:
    """Where no claims are known, the words count."""
    debate = spoken(begun(config({"kind": "free_flowing", "turns": 3})), lambda cue, _: turn(cue))
    assert (len(debate.turns), next_step(debate).close) == (6, "complete")


def test_a_wave_is_asked_for_what_is_missing_of_it() -> None:
    """With one opening made, only the other is asked for, with the index it always had."""
    debate = begun(config())
    _, second = next_step(debate).cues
    assert next_step(said(debate, turn(second))).cues == next_step(debate).cues[:1]


def test_a_cue_that_was_given_up_holds_the_next_round_back() -> None:
    """Nobody closes without having heard every opening: the debate waits to be resumed."""
    debate = begun(config())
    first, second = next_step(debate).cues
    assert next_step(failed(debate, first)).cues == (second,)
    assert next_step(said(failed(debate, first), turn(second))) == Step()


def test_cues_of_turns_made_can_be_told_again() -> None:
    """The cue of every turn is worked out as it was given."""
    debate = begun(config({"kind": "semi_structured", "exchanges": 2}, debaters=TRIO))
    given = [cue for wave in waves(debate) for cue in wave]
    assert list(list_cues(spoken(debate))) == given


def test_a_round_is_finished_when_all_have_spoken() -> None:
    """Half a wave is no finished round."""
    debate = spoken(begun(config()), waves=1)
    half = said(debate, turn(next_step(debate).cues[0]))
    assert (finished_rounds(debate), finished_rounds(half), finished_rounds(spoken(half))) == ((1,), (1,), (1, 2, 3))
