"""The ledger: older turns in short, unanswered first, and the newest turns whole."""

from scoring_support import CON, PRO, build_debate, opening_event, speech

from debate_cli.domain.debate import Debate
from debate_cli.domain.recent_history import MAX_ENTRIES, recent_history
from debate_cli.domain.turn import Argument, Response, Turn


def key(index: int) -> str:
    """The id of the argument in the speech `index`."""
    return f"{('PRO', 'CON')[index % 2]}-{index}"


def claim(index: int, answers: str = "", text: str = "") -> Turn:
    """A speech with the argument `key(index)`, which refutes the argument `answers`."""
    spoken = text or f"Claim {index} holds. Here is more."
    argument = Argument(id=key(index), claim=spoken, reasoning="", evidence="")
    responses = (Response(target=answers, type="refute", reasoning="No."),) if answers else ()
    made = speech(index, (PRO, CON)[index % 2])
    return made.model_copy(update={"arguments": (argument,), "responses": responses})


def debate_of(*turns: Turn) -> Debate:
    """A debate with these turns."""
    return build_debate(opening_event(), turns)


def test_the_last_two_turns_of_each_debater_are_whole() -> None:
    """The last two turns of each debater and requested turns are whole, and all other turns are in the ledger."""
    history = recent_history(debate_of(*map(claim, range(8))), keep=(1,))
    assert [turn.index for turn in history.turns] == [1, 4, 5, 6, 7]
    assert {entry.id for entry in history.ledger.entries} == {key(0), key(2), key(3)}


def test_an_entry_has_the_first_sentence_and_who_answered_how() -> None:
    """An entry has the first sentence of the claim and its answers, including answers in recent turns."""
    turns = [claim(index, key(0) if index == 7 else "") for index in range(8)]
    entry = recent_history(debate_of(*turns)).ledger.entries[-1]
    assert entry == (key(0), PRO, "Claim 0 holds.", ((CON, "refute"),))


def test_unanswered_entries_are_first_then_the_newest() -> None:
    """Of 80 older turns, 60 entries remain, and the ledger counts the 20 others."""
    turns = [claim(index, key(70) if index == 71 else "") for index in range(84)]
    ledger = recent_history(debate_of(*turns)).ledger
    assert [entry.id for entry in ledger.entries] == [key(index) for index in range(79, 18, -1) if index != 70]
    assert (len(ledger.entries), ledger.left_out) == (MAX_ENTRIES, 20)


def test_a_turn_without_arguments_has_an_entry() -> None:
    """A turn without arguments is listed by its number, with its first sentence cut to 200 characters."""
    first = speech(0, PRO, "word " * 100).model_copy(update={"arguments": None, "responses": None})
    (entry,) = recent_history(debate_of(first, *map(claim, range(1, 5)))).ledger.entries
    assert (entry.id, len(entry.claim) <= 200, entry.claim.endswith("…")) == ("turn 0", True, True)
