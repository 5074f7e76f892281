"""The moderator is asked about a round after its citations were judged, and is shown what was found about them."""

from typing import Any

import pytest
from judging_support import keys, settle
from scoring_support import NOON, with_judging_run
from sources_support import QUOTE, answer, asked_question, cited_debate

from debate_cli.app.resume import find_pending_models
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import AssessmentCompleted
from debate_cli.domain.judging_config import SystemSettings
from debate_cli.domain.tasks import Brief, Subject
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.source_prompts import NOT_CHECKED, POOR_SOURCES
from debate_cli.systems.sources.settings import SourcesSettings

SOURCES, ROUND_1, ROUND_2 = (
    f"r1/{name}/0" for name in ("sources/judge/round/1", "moderator/judge/round/1", "moderator/judge/round/2")
)
FINAL = "r1/moderator/judge/debate/all/0"


def question(debate: Debate, subject: Subject, run: str = "r1") -> str:
    """What the moderator is asked about `subject`."""
    return asked_question(debate, Brief(run=run, system="moderator", assessor="judge", subject=subject))


@pytest.mark.parametrize(
    ("systems", "cited", "owed"),
    [
        ((SourcesSettings(), ModeratorSettings()), True, [SOURCES, ROUND_2]),
        ((SourcesSettings(), ModeratorSettings()), False, [ROUND_1, ROUND_2, FINAL]),
        ((ModeratorSettings(),), True, [ROUND_1, ROUND_2, FINAL]),
    ],
    ids=["citations", "no citations", "no sources"],
)
def test_a_round_and_the_evaluation_wait_for_the_sources(
    systems: tuple[SystemSettings, ...], owed: list[str], *, cited: bool
) -> None:
    """Rounds without citations, and debates without the system `sources`, wait for nothing."""
    assert keys(cited_debate(*systems, cited=cited)) == owed


def test_waiting_questions_are_part_of_the_remaining_work() -> None:
    """A resume needs the moderator's model although only the sources can be asked at first."""
    debate = cited_debate(SourcesSettings(), ModeratorSettings(judge="mock/chair"))
    for brief in owed_briefs(debate):
        if brief.system == "moderator":
            debate = settle(debate, [brief])
    assert "mock/chair" in {spec.model for spec in find_pending_models(debate)[0].models}


@pytest.mark.parametrize(("subject", "shown"), [("round 1", True), ("round 2", False), ("debate", True)])
def test_the_moderator_is_shown_the_checks_of_its_part(subject: str, *, shown: bool) -> None:
    """The check by code, the judge's answer and the instruction to lower the mark, for the cited round and the whole debate.

    Turns have the numbers of the transcript that the moderator reads.
    """
    debate = cited_debate(SourcesSettings(), ModeratorSettings(), given=(answer("r1", "It says 43."),))
    about: dict[str, Any] = (
        {"moment": "debate"} if subject == "debate" else {"moment": "round", "round": int(subject[-1])}
    )
    asked = question(debate, Subject.model_validate(about))
    for words in (
        POOR_SOURCES,
        '"turn":0',
        '"quote_check":"altered"',
        '"supports":"contradicts"',
        "It says 43.",
        QUOTE,
    ):
        assert (words in asked) is shown, words


@pytest.mark.parametrize(("cited", "said"), [(True, True), (False, False)])
def test_sources_not_checked_is_said_only_of_debates_with_citations(*, cited: bool, said: bool) -> None:
    """What the program found about the words is shown all the same. Without citations the question ends as its prompt file does."""
    asked = question(cited_debate(ModeratorSettings(), cited=cited), Subject(moment="debate"))
    assert (NOT_CHECKED in asked, '"quote_check":"altered"' in asked, '"supports"' in asked) == (said, said, False)
    assert ("empty if there are none\n[/ask" in asked) is not said


def test_a_later_moderator_is_shown_the_newest_judging_of_the_sources() -> None:
    """A moderator whose run has no system `sources` reads the newest answers of an earlier run."""
    debate = with_judging_run(cited_debate(SourcesSettings(), given=(answer("r1", "old"),)), "r2", SourcesSettings())
    debate = debate.apply(AssessmentCompleted(at=NOON, assessment=answer("r2", "newest")))
    debate = with_judging_run(debate, "r3", ModeratorSettings())
    asked = question(debate, Subject(moment="debate"), "r3")
    assert ("newest" in asked, '"reason":"old"' in asked) == (True, False)
