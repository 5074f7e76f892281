"""A rehearsal is a debate in which only the mock speaks and judges."""

from pathlib import Path

from debate_cli.domain.debate import Debate, is_rehearsal, rehearsal_notice
from debate_cli.domain.model_call import PARTIAL_REHEARSAL_NOTICE, REHEARSAL_NOTICE
from debate_cli.storage.transcript_store import open_debate

TRANSCRIPTS = Path(__file__).parent.parent.parent / "transcripts"


def mock_debate() -> Debate:
    """Return a saved debate of the mock."""
    return open_debate(TRANSCRIPTS / "example-mock.json").debate


def test_only_the_mock_answered() -> None:
    """A debate of mock debaters and mock judges is a rehearsal; a debate of a local model is none."""
    assert is_rehearsal(mock_debate())
    assert not is_rehearsal(open_debate(TRANSCRIPTS / "example-local.json").debate)


def test_a_configured_model_counts_before_it_answers() -> None:
    """A debate of the mock is no rehearsal once another model will speak."""
    debate = mock_debate()
    first, *others = debate.participants
    changed = first.model_copy(update={"model": "ollama/llama3"})
    mixed = debate.model_copy(update={"participants": (changed, *others)})
    assert not is_rehearsal(mixed)
    assert rehearsal_notice(mixed) == PARTIAL_REHEARSAL_NOTICE


def test_a_debate_says_whether_the_mock_answered_always_in_part_or_never() -> None:
    """A judgement of the mock in a debate of a model is named; a debate without the mock has no notice."""
    assert rehearsal_notice(mock_debate()) == REHEARSAL_NOTICE
    real = open_debate(TRANSCRIPTS / "example-local.json").debate
    assert rehearsal_notice(real) == ""
    judged = (*real.assessments, mock_debate().assessments[0])
    assert rehearsal_notice(real.model_copy(update={"assessments": judged})) == PARTIAL_REHEARSAL_NOTICE


def test_a_judge_of_an_absent_plug_in_counts() -> None:
    """A judge's model counts although the settings of the judging system cannot be read without its plug-in."""
    debate = mock_debate()
    first, *others = debate.assessments
    asked = first.exchange.model_copy(update={"model": "openai/gpt-5"})
    answer = first.model_copy(update={"system": "jury", "exchange": asked})
    assert not is_rehearsal(debate.model_copy(update={"assessments": (answer, *others)}))


def test_people_are_not_the_mock() -> None:
    """The mock's judgements in a debate of people are a rehearsal in part: real speeches were judged."""
    debate = mock_debate()
    turns = tuple(
        turn.model_copy(update={"exchange": turn.exchange.model_copy(update={"model": "human/ann"})})
        for turn in debate.turns
    )
    people = tuple(person.model_copy(update={"model": "human/ann"}) for person in debate.participants)
    by_people = debate.model_copy(update={"turns": turns, "participants": people})
    assert (is_rehearsal(by_people), rehearsal_notice(by_people)) == (False, PARTIAL_REHEARSAL_NOTICE)
