"""What a debate carries from event to event is the same as if it were computed from its turns and assessments at once."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from formats_support import NOON, PAIR, TRIO, config, new_debate, speech, with_assessment, with_failure
from hypothesis import given
from hypothesis import strategies as st

from debate_cli.domain.assessment import Mark
from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import (
    DebateResumed,
    TurnCompleted,
)
from debate_cli.domain.judging_run import FIRST_RUN
from debate_cli.domain.recent_history import recent_history
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.evidence.source_checks import check_sources
from debate_cli.formats.schedule import build_timetable, has_converged, next_step
from debate_cli.judging.schedule import unsettled_briefs
from debate_cli.systems.live.findings import LogicGap, SuspectClaim
from debate_cli.systems.live.register import build_register
from debate_cli.systems.persuasion.settings import PersuasionSettings
from debate_cli.systems.persuasion.state_machine import compute_state_curve

MAX_EVENTS = 40
COMPARED = 1 if os.environ.get("SOAK") else 8
"""Compared after every event in `make soak`, after each eighth in CI; carried after every event."""


@st.composite
def configs(draw: st.DrawFn) -> DebateConfig:
    """Any format with two or three debaters, and systems whose judges answer during the debate."""
    form = {
        "kind": draw(st.sampled_from(["structured", "semi_structured", "free_flowing", "free_flowing"])),
        "order": draw(st.sampled_from(["simultaneous", "sequential"])),
        "turns": draw(st.integers(1, 12)),
    }
    persuasion = {"kind": "persuasion", "effects": draw(st.sampled_from(["keywords", "judge"]))}
    live = {"kind": "live", "feedback": draw(st.booleans())}
    return config(form, ("moderator", persuasion, live), draw(st.sampled_from([PAIR, TRIO])))


def extend(debate: Debate, draw: Callable[[st.SearchStrategy[Any]], Any]) -> Debate | None:
    """The debate after an answer to a task that is due, its failure, or a resumption; None if nothing is due."""
    due = (*next_step(debate).cues, *unsettled_briefs(debate))
    if not due:
        return None
    task, what = draw(st.sampled_from(due)), draw(st.sampled_from(["answer"] * 8 + ["fail", "resume"]))
    if what == "resume":
        return debate.apply(DebateResumed(at=NOON))
    if isinstance(task, Cue):
        text = draw(st.sampled_from(["However, but: consider it.", "No."]))
        turn = speech(task, debate).model_copy(update={"text": text})
        return debate.apply(TurnCompleted(at=NOON, turn=turn))
    return with_failure(debate, task) if what == "fail" else with_opinion(debate, task, draw)


def with_opinion(debate: Debate, brief: Brief, draw: Callable[[st.SearchStrategy[Any]], Any]) -> Debate:
    """The debate with an assessment: marks of persuasion, and entries of the register about any turn before."""
    turn = st.integers(0, max(brief.subject.turns, default=0))
    quote = st.sampled_from(["No such thing", "All of them", ""])
    claims = st.builds(SuspectClaim, turn=turn, quote=quote, fault=st.just("hollow"), reason=st.just("Empty."))
    gaps = st.builds(LogicGap, turn=turn, quote=quote, points=st.integers(1, 3), reason=st.sampled_from(["", "Why?"]))
    marks = [
        Mark(participant=item.name, criterion=criterion, value=draw(st.sampled_from([0.2, 0.7])), out_of=1)
        for item in debate.participants
        for criterion in ("persuasion", "attack", "evidence")
    ]
    found = draw(st.lists(claims | gaps, max_size=2)) if brief.system == "live" else ()
    return with_assessment(debate, brief, *found, marks=marks)


def growing_debate(settings: DebateConfig, draw: Callable[[st.SearchStrategy[Any]], Any]) -> Iterator[Debate]:
    """The debate after each of its random events."""
    debate: Debate | None = new_debate(settings)
    for _ in range(MAX_EVENTS):
        debate = extend(debate, draw)
        if debate is None:
            return
        yield debate


def values(debate: Debate) -> Mapping[str, object]:
    """Return everything that is carried from one state of a debate to the next."""
    given_ = debate.assessments_of_system("live", FIRST_RUN)
    settings = debate.config.judging.systems[1]
    assert isinstance(settings, PersuasionSettings)
    return {
        "turns": (dict(debate.turns_by_index), dict(debate.turns_by_round), debate.speech_chars),
        "arguments": list(debate.arguments.items()),
        "answers": (debate.answered_keys, debate.assessments_of_turns),
        "systems": [debate.assessments_of_system(kind, FIRST_RUN) for kind in ("moderator", "persuasion", "live")],
        "ledger": recent_history(debate, (0,) if debate.turns else ()),
        "timetable": build_timetable(debate),
        "converged": [has_converged(debate, number) for number in debate.turns_by_round],
        "due": (next_step(debate), unsettled_briefs(debate)),
        "curve": compute_state_curve(debate, settings),
        "entries": build_register(debate, given_),
        "sources": check_sources(debate),
    }


def without_memory(debate: Debate) -> Debate:
    """The same debate of new objects, on which nothing is memoized."""
    return debate.model_copy(
        update={
            "config": debate.config.model_copy(),
            "turns": tuple(turn.model_copy() for turn in debate.turns),
            "assessments": tuple(item.model_copy() for item in debate.assessments),
        }
    )


@given(configs(), st.data())
def test_carried_values_are_those_computed_at_once(settings: DebateConfig, data: st.DataObject) -> None:
    """Values that a debate carries from event to event equal those computed from all its turns."""
    for number, debate in enumerate(growing_debate(settings, data.draw)):
        carried = values(debate)
        if number % COMPARED:
            continue
        assert carried == values(without_memory(debate))
        seen = tuple(range(data.draw(st.integers(0, len(debate.turns)))))
        shown = debate.visible_to(Cue(index=len(seen), round=1, phase="speech", speaker="Pro", sees=seen))
        assert values(shown) == values(without_memory(shown))
