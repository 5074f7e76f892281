"""Argument ids of older files that are not their speaker's get its prefix at the fold."""

import pytest
from scoring_support import (
    CON,
    PRO,
    argument_marks,
    assessment,
    build_debate,
    cross_examination,
    opening,
    opening_event,
)

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.turn import Closing, FollowUpAnswer, Response, Turn
from debate_cli.storage.transcript import to_transcript, transcript_to_debate
from debate_cli.systems.source_support import SourceSupport
from debate_cli.systems.structured.findings import Trace
from debate_cli.systems.structured.score import score_run
from debate_cli.systems.structured.settings import StructuredSettings

OPENINGS = (opening(0, PRO, "ARG-1", "ARG-2"), opening(1, CON, "ARG-1"))


def later(index: int, speaker: str, **fields: object) -> Turn:
    """A turn of a later round with these fields."""
    return opening(index, speaker).model_copy(update={"arguments": None, "round": 2, **fields})


def judged() -> Assessment:
    """Return marks of 8 for Pro's argument and 5 for Con's, and a standing of Con's argument."""
    marks = [*argument_marks(PRO, "ARG-1", 8, 8, 8, 8), *argument_marks(CON, "ARG-1", 5, 5, 5, 5)]
    marks += argument_marks(PRO, "ARG-2", 8, 8, 8, 8)
    return assessment("structured", marks, Trace(participant=CON, item="ARG-1", claim="c", standing="REFUTED"))


def test_each_side_gets_its_own_prefix_with_a_warning() -> None:
    """An id that both sides wrote becomes two ids, each with its speaker's prefix."""
    debate = build_debate(opening_event(), OPENINGS)
    assert {key: owner for key, (owner, _) in debate.arguments.items()} == {"PRO-1": PRO, "PRO-2": PRO, "CON-1": CON}
    assert debate.turns[1].warnings == (
        "id-prefix: the id ARG-1 does not begin with CON-, so it was changed to CON-1.",
    )


@pytest.mark.parametrize("written", ["PRO-9 UPHELD. Con lost", "PRO-", "PRO-a\nb", "PRO-\u0661", "PRO-Con-has-lost-it"])
def test_an_id_is_a_prefix_and_a_short_word(written: str) -> None:
    """Judges read ids, so a sentence behind the prefix is no id."""
    debate = build_debate(opening_event(), (opening(0, PRO, written, "PRO-2a", "PRO-1.3"),))
    assert sorted(debate.arguments) in (["PRO-1", "PRO-1.3", "PRO-2a"], ["PRO-1.3", "PRO-2a", "PRO-9"])
    assert debate.turns[0].warnings[0].startswith("id-prefix: ")


def test_references_mean_the_argument_of_the_right_side() -> None:
    """A response and a concession mean the opponent's argument, an answer and an unrebutted one the speaker's own."""
    closing = Closing(concessions=("ARG-1",), unrebutted=("ARG-1",), final_position="So.", shift="unchanged")
    turns = [
        cross_examination(2, PRO, Response(target="ARG-1", type="refute", reasoning="No.")),
        later(3, CON, phase="answers", answers=(FollowUpAnswer(question_target="ARG-1", reply="Yes."),)),
        later(4, CON, phase="closing", closing=closing),
    ]
    _, _, crossed, answered, closed = build_debate(opening_event(), (*OPENINGS, *turns)).turns
    assert crossed.responses is not None
    assert answered.answers is not None
    assert closed.closing is not None
    assert (crossed.responses[0].target, answered.answers[0].question_target) == ("CON-1", "CON-1")
    assert (closed.closing.concessions, closed.closing.unrebutted) == (("PRO-1",), ("CON-1",))


def test_marks_and_findings_follow_their_participant() -> None:
    """The verdict is determined, and each standing is at its argument."""
    settings = StructuredSettings()
    debate = build_debate(opening_event(settings), OPENINGS, [judged()])
    assert score_run(debate, "r1", settings).scores == {PRO: 8, CON: 5}
    (finding,) = debate.assessments[0].findings
    assert isinstance(finding, Trace)
    assert finding.item == "CON-1"


def test_findings_without_a_participant_follow_their_turn() -> None:
    """An id in a finding is that of the argument that the turn makes or answers."""
    crossed = cross_examination(2, PRO, Response(target="ARG-1", type="refute", reasoning="No."))
    found = [SourceSupport(turn=turn, item="ARG-1", source="S1", quote="q", supports="yes") for turn in (0, 1, 2)]
    found.append(SourceSupport(turn=2, item="closing", source="S1", quote="q", supports="yes"))
    debate = build_debate(opening_event(), (*OPENINGS, crossed), [assessment("sources", (), *found)])
    items = [finding.item for finding in debate.assessments[0].findings if isinstance(finding, SourceSupport)]
    assert items == ["PRO-1", "CON-1", "CON-1", "closing"]


def test_a_transcript_is_read_as_its_events_are() -> None:
    """Reading a transcript renames the same ids as folding its events."""
    folded = build_debate(opening_event(StructuredSettings()), OPENINGS, [judged()])
    stored = to_transcript(folded).model_copy(update={"turns": OPENINGS, "assessments": (judged(),)})
    read = transcript_to_debate(stored)
    assert (read.turns, read.assessments) == (folded.turns, folded.assessments)
    again = transcript_to_debate(to_transcript(read))
    assert (again.turns, again.assessments) == (read.turns, read.assessments)
