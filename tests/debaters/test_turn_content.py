"""The content of a turn as text."""

import pytest
from formats_support import argument, response

from debate_cli.debaters.forms import TurnContent, format_turn_text
from debate_cli.domain.turn import Closing, FollowUpAnswer
from debate_cli.systems.persuasion.effects import keyword_scores
from debate_cli.systems.persuasion.settings import PersuasionSettings

SILENT = {"claim": "", "reasoning": "", "evidence": "x"}
CLOSING = Closing(
    concessions=("CON-1",), unrebutted=("PRO-1", "PRO-2"), final_position="So be it.", shift="adjusted", why="Upkeep."
)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            TurnContent(arguments=(argument("PRO-1"),)),
            "PRO-1: Something holds.\nBecause of something else.\nSupport: A study.",
        ),
        (TurnContent(responses=(response("CON-1", "Why?"),)), "To CON-1 (refute): It does not follow.\nQuestion: Why?"),
        (
            TurnContent(responses=(response("CON-1"), response("CON-2"))),
            "To CON-1 (refute): It does not follow.\n\nTo CON-2 (refute): It does not follow.",
        ),
        (TurnContent(answers=(FollowUpAnswer(question_target="PRO-1", reply="So."),)), "On PRO-1: So."),
        (
            TurnContent(answers=(FollowUpAnswer(question_target="PRO-1", reply="I do not know.", evaded=True),)),
            "On PRO-1: I do not know. (left open)",
        ),
        (
            TurnContent(closing=CLOSING),
            "So be it.\n\nConceded: CON-1\nUnanswered: PRO-1, PRO-2\nPosition: adjusted\nWhy: Upkeep.",
        ),
        (
            TurnContent(closing=Closing(final_position="So be it.", shift="unchanged")),
            "So be it.\n\nPosition: unchanged",
        ),
        (TurnContent(speech="CON-1 fails.", targets=("CON-1",)), "CON-1 fails."),
        (TurnContent(speech="That fails.", targets=("CON-1", "CON-2")), "That fails.\n\nIn answer to CON-1, CON-2."),
    ],
)
def test_content_as_text(said: TurnContent, expected: str) -> None:
    """An empty line separates paragraphs, and an empty part has no label."""
    assert format_turn_text(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        TurnContent(arguments=(argument("A-1").model_copy(update=SILENT),)),
        TurnContent(responses=(response("A-1", "x").model_copy(update={"reasoning": ""}),)),
        TurnContent(answers=(FollowUpAnswer(question_target="A-1", reply="", evaded=True),)),
        TurnContent(closing=CLOSING.model_copy(update={"final_position": ""})),
        TurnContent(speech="x", targets=("A-1",)),
    ],
)
def test_labels_are_not_keywords(said: TurnContent) -> None:
    """No label is a keyword of persuasion, attack or evidence."""
    assert keyword_scores(format_turn_text(said), PersuasionSettings()) == (0.0, 0.0, 0.0)
