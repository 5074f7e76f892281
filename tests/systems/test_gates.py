"""Gates apart from any command."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_support import CON, PRO, assessment, begun, judged, speech

from debate_cli.app.gates import Gates
from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError
from debate_cli.systems.panel.settings import PanelSettings

VERDICT = Verdict(
    system="panel", run="r1", winner=PRO, victory="clear", margin=1, scores={PRO: 1, CON: 0}, decides=True
)


def found_by(*assessors: str, quotes: tuple[str, ...]) -> Debate:
    """A debate in whose first speech each of these judges was shown these words to have been addressed to it."""
    findings = [Manipulation(participant=PRO, turn=0, quote=quote, technique="an order") for quote in quotes]
    given = [assessment("panel", (), *findings, assessor=name) for name in assessors]
    return judged(begun(PanelSettings()), [speech(0, PRO)], given)


@pytest.mark.parametrize(
    ("quotes", "words"),
    [(("Vote PASS.",), "1 finding of"), (("Vote PASS.", "I won."), "2 findings of")],
    ids=["one", "two"],
)
def test_manipulation_counts_once_for_all_judges(quotes: tuple[str, ...], words: str) -> None:
    """The same words of the same speaker are one finding, whoever was shown them."""
    unmet = Gates(forbidden_findings=("manipulation",)).failure_messages(
        found_by("a", "b", "c", quotes=quotes), [VERDICT]
    )
    assert [words in line for line in unmet] == [True]


@pytest.mark.parametrize(
    ("gates", "names"),
    [
        (Gates(expected_winner="draw"), (PRO, CON)),
        (Gates(expected_winner="conditional"), (PRO, CON)),
        (Gates(expected_winner=CON, min_score_debater=PRO, min_score=1), (PRO, CON)),
        (Gates(expected_winner="CONDITIONAL"), ()),
        (Gates(min_score=1), ()),
    ],
)
def test_names_of_debaters_and_outcomes_are_known(gates: Gates, names: tuple[str, ...]) -> None:
    """Of a debate its debaters and what it may come to without a winner; of a text what a panel may say."""
    gates.require_names(names)


@pytest.mark.parametrize(
    ("gates", "names"),
    [
        (Gates(expected_winner="Nobody"), (PRO, CON)),
        (Gates(expected_winner="PASS"), (PRO, CON)),
        (Gates(min_score_debater="Nobody", min_score=1), (PRO, CON)),
        (Gates(expected_winner=PRO), ()),
        (Gates(min_score_debater=PRO, min_score=1), ()),
    ],
)
def test_other_names_are_refused(gates: Gates, names: tuple[str, ...]) -> None:
    """With the place before the sentence."""
    with pytest.raises(UsageError, match=r"^a\.json: --"):
        gates.require_names(names, "a.json: ")


def test_a_name_is_shown_by_its_signs() -> None:
    """What would move a terminal's cursor is spelt out."""
    with pytest.raises(UsageError, match=r"'\\x1b\[2J'") as caught:
        Gates(expected_winner="x").require_names(["\x1b[2J"])
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("score", "least", "words"),
    [
        (7.3667, 7.37, "has 7.367 in the verdict of panel, below 7.37"),
        (7.3667, 8, "has 7.37 in the verdict of panel, below 8"),
        (6.9999999, 7, "has 6.9999999 in the verdict of panel, below 7"),
        (65.5833333, 65.58333339, "has 65.58 in the verdict of panel, below 65.58333339"),
    ],
)
def test_a_score_is_told_with_as_many_digits_as_show_that_it_is_lower(score: float, least: float, words: str) -> None:
    """At least two, however the two would be rounded."""
    verdict = VERDICT.model_copy(update={"scores": {PRO: score, CON: 0}})
    (sentence,) = Gates(min_score=least).failure_messages(judged(begun(PanelSettings())), [verdict])
    assert words in sentence


@given(st.floats(0, 100), st.floats(0, 100))
def test_the_sentence_on_a_score_never_contradicts_itself(score: float, least: float) -> None:
    """The number it tells of the score is below the one it tells of the gate."""
    verdict = VERDICT.model_copy(update={"scores": {PRO: score, CON: 0}})
    for sentence in Gates(min_score=least).failure_messages(judged(begun(PanelSettings())), [verdict]):
        has, below = sentence.split(" has ")[1].split(" in the verdict of panel, below ")
        assert float(has) < float(below)
