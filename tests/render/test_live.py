"""The live view: what is finished is printed once, what is under way fits the window, and the terminal is left as it was."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from render_support import HOSTILE, START, console, debate, events, exchange, opened, round_assessment, turns
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from debate_cli.domain.assessment import Mark, Resolution
from debate_cli.domain.content import Turn
from debate_cli.domain.debate import Debate
from debate_cli.domain.debate import opened as opened_debate
from debate_cli.domain.events import Assessed, Closed, Event, Failed, Failure, Resumed, Turned
from debate_cli.domain.tasks import Cue, Subject
from debate_cli.llm.port import RESTART
from debate_cli.render.live import LiveWatcher


def cue(turn: Turn) -> Cue:
    """The cue that asked for a turn."""
    return Cue(index=turn.index, round=turn.round, phase=turn.phase, speaker=turn.speaker)


class Stage:
    """A watcher that is not drawing by itself, and the debate it watches."""

    def __init__(self, width: int = 120, planned: int | None = 11) -> None:
        self.console = console(width, colour=True)
        self.now = 0.0
        self.watcher = LiveWatcher(self.console, planned, clock=lambda: self.now)
        self.debate: Debate = opened_debate(opened())
        self.watcher.event(opened(), self.debate)

    def happens(self, event: Event) -> None:
        """Apply and show an event."""
        self.debate = self.debate.apply(event)
        self.watcher.event(event, self.debate)

    def region(self) -> list[str]:
        """Lines of what is drawn now, without colours."""
        return [Text.from_ansi(row.text).plain for row in self.watcher.rows()]

    def printed(self) -> str:
        """What was printed for good, without colours."""
        return sent(self.console)


def sent(target: Console) -> str:
    """Everything that a console wrote."""
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def stream(stage: Stage, turn: Turn, *, length: int | None = None) -> None:
    """Stream the raw form of a turn."""
    raw = json.dumps(turn.model_dump(mode="json", include={"arguments", "responses"}, exclude_none=True))
    stage.watcher.asking(cue(turn))
    stage.watcher.text(cue(turn), raw[:length])


def test_both_sides_stream_beside_each_other_in_a_wide_window() -> None:
    """In 120 columns the two claims stand in one line."""
    stage = Stage()
    for turn in turns()[:2]:
        stream(stage, turn)
    assert any("PRO-1" in line and "CON-1" in line for line in stage.region())


def test_both_sides_stream_below_each_other_in_a_narrow_window() -> None:
    """In 80 columns each side has the full width."""
    stage = Stage(80)
    for turn in turns()[:2]:
        stream(stage, turn)
    lines = stage.region()
    assert not any("PRO-" in line and "CON-" in line for line in lines)
    assert any("◆ Bo" in line for line in lines)


@pytest.mark.parametrize("width", [40, 80, 120, 200])
@pytest.mark.parametrize("height", [8, 12, 24, 40])
def test_what_grows_fits_the_window(width: int, height: int) -> None:
    """However much is streamed, the region is not higher than the window, and no wider."""
    stage = Stage(width)
    stage.console.height = height
    long = turns()[0].model_copy(update={"arguments": (turns()[0].arguments or ()) * 10})
    stream(stage, long)
    stream(stage, turns()[1])
    lines = stage.region()
    assert len(lines) <= height
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("words", ["日本語のことば。" * 30, "👍🏽é\u0301 " * 60, "x" * 900, HOSTILE * 20])
@pytest.mark.parametrize("width", [40, 120])
def test_no_words_break_the_frame(words: str, width: int) -> None:
    """Wide signs, combined ones, an endless word, control sequences: every line of a frame is as wide as the others."""
    stage = Stage(width)
    first = turns()[0]
    stage.watcher.asking(cue(first))
    stage.watcher.text(cue(first), json.dumps({"arguments": [{"id": words, "claim": words, "reasoning": words}]}))
    frame = stage.region()[1:-1]
    assert {cell_len(line) for line in frame} == {width}
    assert all(line.startswith(("╭", "│", "╰")) and line.endswith(("╮", "│", "╯")) for line in frame)


def test_a_resized_window_is_drawn_anew() -> None:
    """The same speech in the new width, from its pieces."""
    stage = Stage(120)
    for turn in turns()[:2]:
        stream(stage, turn)
    assert any("PRO-1" in line and "CON-1" in line for line in stage.region())
    stage.console.width = 80
    assert not any("PRO-" in line and "CON-" in line for line in stage.region())
    assert max(cell_len(line) for line in stage.region()) == 80


def test_what_grows_is_drawn_as_what_is_finished() -> None:
    """The last frame of a streamed speech has the lines of the finished one."""
    grown, finished = Stage(), Stage()
    for turn in turns()[:2]:
        stream(grown, turn)
        finished.watcher.asking(cue(turn))
    finished.happens(Turned(at=START, turn=turns()[1]))
    finished.happens(Turned(at=START, turn=turns()[0].model_copy(update={"warnings": ()})))
    printed = Text.from_ansi(finished.printed()).plain.splitlines()
    drawn = [line for line in grown.region() if line.startswith("│")]
    assert drawn
    assert [line for line in drawn if line not in printed] == []


def test_the_newest_words_are_what_is_shown() -> None:
    """Of a speech that is too long the end is shown."""
    stage = Stage()
    stage.console.height = 10
    stream(stage, turns()[0])
    text = " ".join(stage.region())
    assert "componentising" in text
    assert "Independent deployment" not in text


def test_a_restart_clears_the_speech() -> None:
    """What was streamed before a retry disappears."""
    stage = Stage()
    first = turns()[0]
    stream(stage, first, length=60)
    stage.watcher.text(cue(first), RESTART)
    assert "Independent" not in " ".join(stage.region())


def test_a_wave_is_printed_once_it_is_whole() -> None:
    """The first speech of a wave waits for the second, then both are printed side by side."""
    stage = Stage()
    first, second = turns()[:2]
    for turn in (first, second):
        stage.watcher.asking(cue(turn))
    stage.happens(Turned(at=START, turn=first))
    assert "PRO-1" not in stage.printed()
    stage.happens(Turned(at=START, turn=second))
    assert any("PRO-1" in line and "CON-1" in line for line in stage.printed().splitlines())


def test_a_speech_that_fails_is_not_waited_for() -> None:
    """When one side fails, the other side's speech is printed."""
    stage = Stage()
    first, second = turns()[:2]
    for turn in (first, second):
        stage.watcher.asking(cue(turn))
    stage.happens(Turned(at=START, turn=first))
    failure = Failure(task=cue(second), who="Bo", cause="ServerError", message="500", final=False)
    stage.happens(Failed(at=START, failure=failure))
    assert "PRO-1" in stage.printed()
    assert "could not speak" in stage.printed()


def test_a_rounds_marks_are_shown_as_they_come() -> None:
    """The moderator's word on a round is printed with a bar for each debater."""
    stage = Stage()
    stage.happens(Assessed(at=START, assessment=round_assessment(1)))
    assert "18/30" in stage.printed()
    assert "momentum toward Bo" in stage.printed()


def test_a_report_waits_for_the_speech_that_it_is_about() -> None:
    """A judge who is faster than the other side's speech is heard below the speech, not above it."""
    stage = Stage()
    first, second = turns()[:2]
    for turn in (first, second):
        stage.watcher.asking(cue(turn))
    stage.happens(Turned(at=START, turn=first))
    about = Subject(moment="turn", turns=(0,))
    mark = Mark(participant="Ada", criterion="logic", value=31, out_of=40)
    stage.happens(
        Assessed(
            at=START,
            assessment=round_assessment(1).model_copy(
                update={"system": "live", "subject": about, "marks": (mark,), "findings": ()}
            ),
        )
    )
    assert "live, turn 0" not in stage.printed()
    stage.happens(Turned(at=START, turn=second))
    assert stage.printed().index("PRO-1") < stage.printed().index("live, turn 0")


def test_a_report_with_one_number_takes_one_line() -> None:
    """What judges say about each speech does not push the speeches off the screen."""
    stage = Stage()
    about = Subject(moment="turn", turns=(0,))
    mark = Mark(participant="Ada", criterion="logic", value=31, out_of=40)
    update = {"system": "live", "subject": about, "marks": (mark,), "findings": ()}
    stage.happens(Assessed(at=START, assessment=round_assessment(1).model_copy(update=update)))
    last = Text.from_ansi(stage.printed()).plain.splitlines()[-1]
    assert last.startswith("§ live, turn 0  ● Ada ━")
    assert last.rstrip().endswith("31/100")


def test_why_story_and_scorecard_differ_is_told() -> None:
    """The judge's explanation, as it comes."""
    stage = Stage()
    finding = Resolution(explanation="One good turn does not carry a debate.")
    update = {"system": "live", "subject": Subject(moment="debate"), "marks": (), "findings": (finding,)}
    stage.happens(Assessed(at=START, assessment=round_assessment(1).model_copy(update=update)))
    assert "differ: One good turn does not carry a debate." in stage.printed()


def test_many_awaited_judgements_are_counted() -> None:
    """Their names would not fit."""
    stage = Stage()
    for number in (1, 2, 3):
        stage.watcher.asking(round_assessment(number).brief)
    assert "judging 3: moderator, round 1; moderator, round 2" in stage.region()[-1]


def test_a_failure_stands_below_the_rule_of_its_round() -> None:
    """So that one sees where it happened."""
    stage = Stage()
    stage.watcher.asking(cue(turns()[0]))
    failure = Failure(task=cue(turns()[0]), who="Ada", cause="ServerError", message="500", final=False)
    stage.happens(Failed(at=START, failure=failure))
    assert stage.printed().index("opening") < stage.printed().index("could not speak")


def test_the_time_left_is_estimated_from_the_pace_so_far() -> None:
    """Two calls in ten seconds: nine more take forty-five."""
    stage = Stage()
    stage.happens(Turned(at=START, turn=turns()[0]))
    stage.now = 5.0
    assert "left" not in stage.region()[-1]
    stage.happens(Turned(at=START, turn=turns()[1]))
    stage.now = 10.0
    assert "2/11 calls · 0:10 · about 0:45 left ·" in stage.region()[-1]


def test_what_was_there_before_a_resume_took_no_time() -> None:
    """The pace is that of this run."""
    stage = Stage(planned=13)
    stage.watcher.event(Resumed(at=START), debate())
    stage.now = 60.0
    assert "11/13 calls · 1:00 · 16.7k" in stage.region()[-1]


@pytest.mark.parametrize("width", [20, 40, 80])
def test_the_line_on_progress_is_one_line(width: int) -> None:
    """Cut where it does not fit."""
    stage = Stage(width)
    stage.watcher.asking(round_assessment(1).brief)
    assert cell_len(stage.region()[-1]) <= width


def test_progress_counts_what_is_settled() -> None:
    """Calls done of those planned, tokens and cost."""
    stage = Stage()
    stage.watcher.asking(round_assessment(1).brief)
    stage.happens(Turned(at=START, turn=turns()[0]))
    assert "1/11 calls · 0:00 · 1.6k tokens · $0.0020 · judging: moderator, round 1" in stage.region()[-1]


def test_an_unknown_price_is_said() -> None:
    """A cost that is not known is not shown as nothing."""
    stage = Stage()
    unpriced = exchange().model_copy(update={"cost_usd": None})
    stage.happens(Turned(at=START, turn=turns()[0].model_copy(update={"exchange": unpriced})))
    assert "cost unknown" in stage.region()[-1]


def test_a_resumed_debate_is_shown_from_its_beginning() -> None:
    """On resume the speeches that are there already are printed again."""
    stage = Stage()
    stage.watcher.event(Resumed(at=START), debate())
    assert "CON-2" in stage.printed()


@pytest.mark.parametrize("raised", [None, RuntimeError, KeyboardInterrupt])
def test_the_terminal_is_left_as_it_was(raised: type[BaseException] | None) -> None:
    """Whatever ends the run, the cursor is shown again and what was said is printed."""
    stage = Stage()
    try:
        with stage.watcher:
            stage.watcher.asking(cue(turns()[0]))
            stage.watcher.asking(cue(turns()[1]))
            stage.happens(Turned(at=START, turn=turns()[0]))
            if raised is not None:
                raise raised
    except (RuntimeError, KeyboardInterrupt):
        pass
    assert stage.printed().rfind("\x1b[?25h") > stage.printed().rfind("\x1b[?25l")
    assert "PRO-2" in stage.printed()


def test_stopping_twice_is_harmless() -> None:
    """A signal handler may stop what the context manager stops again."""
    stage = Stage()
    stage.watcher.start()
    stage.watcher.stop()
    stage.watcher.stop()
    assert stage.printed().count("\x1b[?25h") == 1


def test_hostile_text_sends_no_sequence_of_its_own() -> None:
    """Names, claims and streamed words are shown; nothing in them is obeyed."""
    hostile = {"id": HOSTILE, "claim": HOSTILE, "reasoning": HOSTILE, "evidence": HOSTILE}
    stage = Stage()
    first = turns()[0]
    stage.watcher.asking(cue(first))
    stage.watcher.text(cue(first), json.dumps({"arguments": [hostile]}))
    arguments = tuple(item.model_copy(update=hostile) for item in first.arguments or ())
    stage.watcher.console.file.writelines(row.text for row in stage.watcher.rows())
    stage.happens(Turned(at=START, turn=first.model_copy(update={"arguments": arguments, "warnings": (HOSTILE,)})))
    stage.watcher.note(HOSTILE)
    assert "[bold red]markup[/]" in stage.printed()
    assert not any(sign in stage.printed() for sign in ("\x1b]", "\x1b[31m", "\x9b", "\x07", "\u202e", "http://evil"))


def test_the_whole_debate_is_shown() -> None:
    """Nothing of a debate is left out: every argument id, every answer, every close."""
    stage = Stage()
    for event in events()[1:]:
        stage.happens(event)
    for word in ("PRO-1", "PRO-2", "CON-1", "CON-2", "concedes", "strengthened", "60/100", "The debate is complete."):
        assert word in stage.printed()


def test_an_interrupted_debate_says_so() -> None:
    """The reason of the close is said in words."""
    stage = Stage()
    stage.happens(Closed(at=START, reason="interrupted"))
    assert "interrupted" in stage.printed()
