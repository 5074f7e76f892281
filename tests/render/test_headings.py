"""Headings of new, resumed, judged and rejudged debates and of judged documents, live and as plain lines."""

import pytest
from live_support import LiveView
from render_support import (
    START,
    debate,
    events,
    opened_debate,
    opening_event,
    plain_output,
    structured_assessment,
)

from debate_cli.app.judge_request import JudgingRequest, document_events
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import AssessmentCompleted, DebateClosed, DebateResumed, Event, JudgingOpened, TaskStarted
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.model_call import REHEARSAL_NOTICE

AGAIN = JudgingOpened(at=START, run="r2", judging=JudgingConfig.model_validate({"systems": ["structured"]}))
RESUMED = DebateResumed(at=START)
ASSESSED = AssessmentCompleted(at=START, assessment=structured_assessment().model_copy(update={"run": "r2"}))
VOTE = TaskStarted(at=START, key="r1/panel/technical_architect/debate/all/0")
HALFWAY = fold(events()[:4])
NEW = fold(events()[:1])
DOCUMENT = fold(document_events("PLAN.md", "We rewrite it.", "plan-0001", JudgingRequest(systems=("panel",)), START))


def live(happened: list[Event], before: Debate, width: int = 100) -> list[str]:
    """The lines that the live view prints for these events, which follow on `before`."""
    view = LiveView(width, None, saved=before)
    view.apply(*happened)
    lines = view.printed_text().splitlines()
    return lines[1:] if lines[0] == REHEARSAL_NOTICE else lines


def plain(happened: list[Event], before: Debate) -> list[str]:
    """The plain lines of these events, which follow on `before`."""
    return plain_output(happened, before).splitlines()


@pytest.mark.parametrize(
    ("event", "before", "heading"),
    [
        (RESUMED, HALFWAY, "╭─ debate · resumed after 3 speeches · s"),
        (RESUMED, NEW, "╭─ debate · resumed after 0 speeches · s"),
        (AGAIN, debate(), "╭─ debate · judged again ─"),
        (AGAIN, opened_debate(), "╭─ debate · judged ─"),
        (VOTE, DOCUMENT, "╭─ text · judged ─"),
    ],
    ids=["resumed", "resumed before the first turn", "judged again", "first judging", "document"],
)
def test_the_frame_says_what_is_watched(event: Event, before: Debate, heading: str) -> None:
    """The frame's title has the kind, the state and the format."""
    assert live([event], before)[0].startswith(heading)


def test_a_new_debate_is_framed_with_its_format() -> None:
    """No state is shown."""
    assert LiveView(100).printed_text().splitlines()[1].startswith("╭─ debate · structured ─")


def test_a_title_that_is_too_wide_for_the_frame_is_inside() -> None:
    """Nothing of it is cut."""
    assert live([RESUMED], HALFWAY, 50)[1] == "│ debate · resumed after 3 speeches · structured │"


def test_a_rule_separates_earlier_turns_from_new_ones() -> None:
    """Three turns precede the rule and one follows it."""
    lines = live([RESUMED, events()[4]], HALFWAY)
    rule = next(number for number, line in enumerate(lines) if line.startswith("resumed after 3 speeches ─"))
    counts = [sum("· turn " in line or "─ turn " in line for line in part) for part in (lines[:rule], lines[rule:])]
    assert counts == [3, 1]


@pytest.mark.parametrize(("turns", "text"), [(0, "after 0 speeches"), (1, "after 1 speech"), (3, "after 3 speeches")])
def test_plain_lines_say_where_a_debate_is_resumed(turns: int, text: str) -> None:
    """The line has the number of completed turns."""
    assert f"Resumed {text}." in plain([RESUMED], fold(events()[: turns + 1]))


def test_a_further_judging_is_headed_once() -> None:
    """Motion and id are printed once, then each judging run."""
    lines = live([AGAIN, AGAIN.model_copy(update={"run": "r3"})], debate())
    assert sum("microservices" in line for line in lines) == 2, "motion and id"
    assert [line[:14] for line in lines if line.startswith("judging run")] == ["judging run r2", "judging run r3"]


def test_plain_lines_head_a_further_judging() -> None:
    """Id and motion precede the run and its judges."""
    lines = plain([AGAIN, ASSESSED], debate())
    assert [line.partition(":")[0] for line in lines[:5]] == [
        "REHEARSAL",
        "Debate",
        "Motion",
        "Judging run r2",
        "Judge",
    ]
    assert lines[1] == "Debate: microservices-0001 (judged again)"
    assert plain([AGAIN], opened_debate())[1] == "Debate: microservices-0001 (judged)"


def test_a_replayed_judging_has_no_heading_of_its_own() -> None:
    """The debate's heading is already printed."""
    assert not any("judged again" in line for line in plain([*events()[1:], AGAIN, ASSESSED], fold([opening_event()])))


def test_a_document_is_shown_with_its_name_and_its_judges() -> None:
    """Plain lines and the live view name the judges; the text itself is not printed."""
    lines = plain([VOTE], DOCUMENT)
    assert lines[:2] == ["Text: plan-0001 (judged)", "Name: PLAN.md"]
    assert {line.partition(":")[0] for line in lines[2:]} == {"Judge"}
    assert any("technical_architect" in line for line in live([VOTE], DOCUMENT))


def test_the_close_of_a_document_is_not_reported() -> None:
    """A document has no debate that could be complete."""
    closed = DebateClosed(at=START, reason="complete")
    assert not any("complete" in line for line in [*live([closed], DOCUMENT), *plain([closed], DOCUMENT)])


@pytest.mark.parametrize("width", [44, 40])
def test_a_judges_name_is_beside_its_symbol_in_a_narrow_window(width: int) -> None:
    """If name, weight and model are too wide for one line, the name is on the first and the rest is below it."""
    lines = [line.strip("│ ") for line in live([VOTE], DOCUMENT, width)]
    place = lines.index("§ technical_architect")
    assert lines[place + 1].startswith("panel 0.25 · ")
