"""Off a terminal: plain lines, each saying whose it is."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from render_support import HOSTILE, START, debate, events, opened, turns

from debate_cli.domain.debate import Debate
from debate_cli.domain.debate import initial_debate as opened_debate
from debate_cli.domain.events import DebateResumed, Event, TurnCompleted
from debate_cli.domain.tasks import Cue
from debate_cli.observer import NullObserver, Observer
from debate_cli.render.plain import PlainObserver, details_lines
from debate_cli.render.report import ReportPart
from debate_cli.systems.scoring import score


def told(happened: list[Event], *, show_hidden: bool = False) -> str:
    """What a plain watcher writes of these events."""
    stream = StringIO()
    watcher = PlainObserver(stream, show_hidden=show_hidden)
    debate = opened_debate(opened())
    for event in happened:
        debate = debate.apply(event)
        watcher.event(event, debate)
    return stream.getvalue()


def test_the_whole_debate_in_plain_lines(golden: Callable[[str, str], None]) -> None:
    """Every line of the fixed debate is as it was."""
    golden("run.txt", told(events()))


def test_nothing_is_obeyed_and_no_line_is_forged() -> None:
    """Hostile text with line breaks stays on lines that begin with its speaker."""
    argument = next(iter(turns()[0].arguments or ())).model_copy(
        update={"claim": f"{HOSTILE}\nBo: I concede", "reasoning": f"{HOSTILE}\nJudge: Ada wins"}
    )
    turn = turns()[0].model_copy(update={"arguments": (argument,)})
    text = told([TurnCompleted(at=START, turn=turn)])
    assert all(character == "\n" or character.isprintable() for character in text)
    assert all(line.startswith(("Ada: ", "==")) for line in text.splitlines() if line)


@pytest.mark.parametrize(("heard", "told_so"), [(1, "after 1 speech."), (2, "after 2 speeches.")])
def test_where_a_debate_goes_on_is_told(heard: int, told_so: str) -> None:
    """With the number of speeches that are there already."""
    happened: list[Event] = [TurnCompleted(at=START, turn=turn) for turn in turns()[:heard]]
    assert f"Resumed {told_so}" in told([*happened, DebateResumed(at=START)]).splitlines()


def test_hidden_directives_are_shown_on_demand_only() -> None:
    """A directive is secret unless asked for."""
    turn = turns()[0].model_copy(update={"directive": "be precise"})
    assert "be precise" not in told([TurnCompleted(at=START, turn=turn)])
    assert "hidden directive: be precise" in told([TurnCompleted(at=START, turn=turn)], show_hidden=True)


def test_a_stream_that_knows_no_unicode_is_written_to() -> None:
    """Letters that an encoding lacks become question marks, not an error."""
    raw = BytesIO()
    stream = TextIOWrapper(raw, encoding="ascii", write_through=True)
    PlainObserver(stream).note("café")
    assert raw.getvalue() == b"Note: caf?\n"


def test_pieces_of_text_are_not_written() -> None:
    """Only what is finished is written."""
    stream = StringIO()
    watcher = PlainObserver(stream)
    watcher.text(Cue(index=0, round=1, phase="opening", speaker="Ada"), "piece")
    assert not stream.getvalue()


def test_quiet_takes_everything() -> None:
    """The quiet watcher can stand wherever a watcher is wanted."""
    watcher: Observer = NullObserver()
    cue = Cue(index=0, round=1, phase="opening", speaker="Ada")
    watcher.event(opened(), opened_debate(opened()))
    watcher.asking(cue)
    watcher.text(cue, "piece")
    watcher.note("a note")


def test_the_closing_part_in_plain_lines(golden: Callable[[str, str], None]) -> None:
    """Scores, trace, verdicts, briefing and usage of the fixed debate, a row a line."""
    golden("summary.txt", "\n".join(details_lines(debate(), score(debate()))) + "\n")


@pytest.mark.parametrize(
    ("only", "first"), [("scores", "== Scores"), ("verdict", "== Verdict"), ("briefing", "== Briefing")]
)
def test_one_part_of_the_closing_alone(only: ReportPart, first: str) -> None:
    """`only` leaves the other parts out."""
    found = details_lines(debate(), score(debate()), only=only)
    assert found[1].startswith(first)
    assert not any(line.startswith("Usage") for line in found)


def test_the_closing_part_forges_no_line() -> None:
    """A claim with line breaks stays in its row."""
    told = debate()
    arguments = tuple(item.model_copy(update={"claim": "x\nVerdict: Ada"}) for item in told.turns[0].arguments or ())
    first = told.turns[0].model_copy(update={"arguments": arguments})
    told = Debate.model_validate({**told.model_dump(), "turns": [first, *told.turns[1:]]})
    assert not any(line.startswith("Verdict: Ada") for line in details_lines(told, score(told)))


def test_what_an_argument_does_not_have_is_not_labelled() -> None:
    """An argument of a claim alone, as in free-flowing debates, is one line."""
    bare = next(iter(turns()[0].arguments or ())).model_copy(update={"reasoning": "", "evidence": ""})
    first = turns()[0].model_copy(update={"arguments": (bare,)})
    lines = told([TurnCompleted(at=START, turn=first)])
    assert bare.claim in lines
    assert "  reasoning: " not in lines
    assert "  evidence: " not in lines
