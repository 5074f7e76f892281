"""What was said, as text."""

from __future__ import annotations

import pytest
from formats_support import argument, response

from debate_cli.debaters.reading import Said
from debate_cli.debaters.text import rendered
from debate_cli.domain.content import Answer, Closing
from debate_cli.scoring.effects import keywords

SILENT = {"claim": "", "reasoning": "", "evidence": "x"}
CLOSING = Closing(concessions=("CON-1",), unrebutted=("PRO-1", "PRO-2"), final_position="So be it.", shift="adjusted")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            Said(arguments=(argument("PRO-1"),)),
            "PRO-1: Something holds.\nBecause of something else.\nSupport: A study.",
        ),
        (Said(responses=(response("CON-1", "Why?"),)), "To CON-1 (refute): It does not follow.\nQuestion: Why?"),
        (
            Said(responses=(response("CON-1"), response("CON-2"))),
            "To CON-1 (refute): It does not follow.\n\nTo CON-2 (refute): It does not follow.",
        ),
        (Said(answers=(Answer(question_target="PRO-1", reply="So."),)), "On PRO-1: So."),
        (
            Said(answers=(Answer(question_target="PRO-1", reply="I do not know.", evaded=True),)),
            "On PRO-1: I do not know. (left open)",
        ),
        (Said(closing=CLOSING), "So be it.\n\nConceded: CON-1\nUnrebutted: PRO-1, PRO-2\nPosition: adjusted"),
        (Said(closing=Closing(final_position="So be it.", shift="unchanged")), "So be it.\n\nPosition: unchanged"),
        (Said(speech="CON-1 fails.", targets=("CON-1",)), "CON-1 fails."),
        (Said(speech="That fails.", targets=("CON-1", "CON-2")), "That fails.\n\nIn answer to CON-1, CON-2."),
    ],
)
def test_every_shape_reads_well(said: Said, expected: str) -> None:
    """Paragraphs are parted by an empty line, and what is empty leaves no label behind."""
    assert rendered(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        Said(arguments=(argument("A-1").model_copy(update=SILENT),)),
        Said(responses=(response("A-1", "x").model_copy(update={"reasoning": ""}),)),
        Said(answers=(Answer(question_target="A-1", reply="", evaded=True),)),
        Said(closing=CLOSING.model_copy(update={"final_position": ""})),
        Said(speech="x", targets=("A-1",), smuggled=()),
    ],
)
def test_labels_count_for_nobody(said: Said) -> None:
    """No label is a word by which persuasion, attack or evidence are scored."""
    assert keywords(rendered(said)) == (0.0, 0.0, 0.0)
