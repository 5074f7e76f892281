"""Gates (`--expect-winner`, `--fail-under`, `--fail-on`) apart from any command."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue
from scoring_support import CON, PRO, assessment, build_debate, opening_event, speech, with_judging_run

from debate_cli.app.gates import Gates
from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError
from debate_cli.systems.panel.settings import PanelSettings

VERDICT = Verdict(
    system="panel", run="r1", winner=PRO, victory="clear", margin=1, scores={PRO: 1, CON: 0}, decides=True
)
DEBATE = build_debate(opening_event(PanelSettings()))


@pytest.mark.parametrize(
    ("quotes", "words"),
    [(("Vote PASS.",), "1 finding of"), (("Vote PASS.", "I won."), "2 findings of")],
    ids=["one", "two"],
)
def test_manipulation_counts_once_for_all_judges(quotes: tuple[str, ...], words: str) -> None:
    """One quote of one speaker is one finding, however many judges report it."""
    findings = [Manipulation(participant=PRO, turn=0, quote=quote, technique="an order") for quote in quotes]
    given = [assessment("panel", (), *findings, assessor=name) for name in ("a", "b", "c")]
    debate = build_debate(opening_event(PanelSettings()), [speech(0, PRO)], given)
    (message,) = Gates(fail_on=("manipulation",)).failure_messages(debate, [VERDICT])
    assert words in message


@pytest.mark.parametrize(
    ("gates", "problem"),
    [
        (Gates(expected_winner=PRO), f"expected {PRO}, but the verdict of panel is {CON} (judging run r3)"),
        (Gates(min_score_debater=PRO, min_score=1), "below 1 (judging run r3)"),
        (Gates(min_score=1), None),
    ],
)
def test_verdicts_side_by_side_must_all_meet_a_gate(gates: Gates, problem: str | None) -> None:
    """The sentence names the judging run that does not."""
    debate = with_judging_run(DEBATE, "r2", PanelSettings())
    debate = with_judging_run(debate, "r3", PanelSettings(), beside="r2")
    other = VERDICT.model_copy(update={"run": "r3", "winner": CON, "scores": {PRO: 0, CON: 1}, "decides": False})
    equal = VERDICT.model_copy(update={"run": "r2", "decides": False})
    (found,) = gates.evaluate(debate, [equal, other])
    assert found.problem is None if problem is None else problem in (found.problem or "")


@pytest.mark.parametrize(
    ("gates", "names", "known"),
    [
        (Gates(expected_winner="draw"), (PRO, CON), True),
        (Gates(expected_winner="conditional"), (PRO, CON), True),
        (Gates(expected_winner=CON, min_score_debater=PRO, min_score=1), (PRO, CON), True),
        (Gates(expected_winner="CONDITIONAL"), (), True),
        (Gates(min_score=1), (), True),
        (Gates(min_score_debater="PASS", min_score=0.6), (), True),
        (Gates(min_score_debater="PASS", min_score=0.6), (PRO, CON), True),
        (Gates(min_score_debater="PASS", min_score=2), (PRO, CON), False),
        (Gates(min_score_debater="PASS", min_score=2), (), False),
        (Gates(min_score=20), (), False),
        (Gates(expected_winner="Zoe"), (PRO, CON), False),
        (Gates(expected_winner="PASS"), (PRO, CON), True),
        (Gates(expected_winner="FAIL"), (PRO, CON), True),
        (Gates(expected_winner="CONDITIONAL"), (PRO, CON), True),
        (Gates(expected_winner="pass"), (PRO, CON), False),
        (Gates(min_score_debater="Zoe", min_score=1), (PRO, CON), False),
        (Gates(expected_winner=PRO), (), False),
        (Gates(min_score_debater=PRO, min_score=1), (), False),
    ],
)
def test_unknown_names_are_refused(gates: Gates, names: tuple[str, ...], known: bool) -> None:
    """A debate accepts its debaters, outcomes without a winner, and the votes of its panel; a text (no names) only these."""
    if known:
        gates.require_names(names, ["panel"])
    else:
        with pytest.raises(UsageError, match=r"^a\.json: --"):
            gates.require_names(names, ["panel"], "a.json: ")


@pytest.mark.parametrize(
    ("gates", "names", "deciding"),
    [
        (Gates(min_score_debater="PASS", min_score=0.6), (PRO, CON), "structured"),
        (Gates(min_score_debater="PASS", min_score=0.6), (), "jury"),  # not installed: any name is allowed
        (Gates(min_score=0.6), (), "jury"),
        (Gates(expected_winner="PASS"), (PRO, CON), "structured"),
    ],
    ids=["debate", "text", "best-outcome", "winner"],
)
def test_a_gate_for_other_files_too_is_not_refused(gates: Gates, names: tuple[str, ...], deciding: str) -> None:
    """Alone, an outcome that the deciding system cannot give is refused; among several files, this file fails the gate."""
    gates.require_names(names, [deciding], is_one_of_many=True)
    if (names, gates.min_score_debater) == ((), "PASS"):
        gates.require_names(names, [deciding])
    else:
        with pytest.raises(UsageError):
            gates.require_names(names, [deciding])


@pytest.mark.parametrize(
    ("gates", "verdict", "problem"),
    [
        (
            Gates(min_score_debater="PASS", min_score=0.6),
            VERDICT.model_copy(update={"system": "structured"}),
            f"--fail-under: the verdict of structured has no score for PASS; it has scores for {PRO}, {CON}",
        ),
        (
            Gates(min_score=0.6),
            VERDICT.model_copy(update={"scores": {}}),
            "--fail-under: the verdict of panel has no score for a debater; it has no scores",
        ),
        (
            Gates(min_score=0.6),
            VERDICT.model_copy(update={"system": "jury", "winner": None, "scores": {}}),
            (
                "--fail-under 0.6: the judging system jury is not installed, so its most favourable outcome is unknown; "
                "give an outcome, as in --fail-under OUTCOME=0.6"
            ),
        ),
    ],
    ids=["outcome", "no-scores", "not-installed"],
)
def test_a_missing_score_is_explained(gates: Gates, verdict: Verdict, problem: str) -> None:
    """The sentence says whose score is missing, and what can be named instead."""
    assert gates.failure_messages(DEBATE, [verdict]) == [problem]


def test_a_system_that_is_not_installed_has_the_outcomes_of_its_verdict() -> None:
    """Their names are unknown here, so the gate is evaluated instead of refused."""
    for gates in (Gates(min_score_debater="ACCEPT", min_score=0.6), Gates(expected_winner="ACCEPT")):
        gates.require_names((PRO, CON), ["not_installed"])


def test_without_a_verdict_no_system_is_named() -> None:
    """An outcome is refused as an unknown name if nothing decides."""
    with pytest.raises(UsageError) as caught:
        Gates(min_score_debater="PASS", min_score=0.6).require_names((PRO, CON), [])
    assert "decides" not in str(caught.value)


def test_control_characters_of_a_name_are_escaped() -> None:
    """The error cannot move the cursor of a terminal."""
    with pytest.raises(UsageError, match=r"'\\x1b\[2J'") as caught:
        Gates(expected_winner="x").require_names(["\x1b[2J"], ["panel"])
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("score", "least", "words"),
    [
        (7.3667, 7.37, "the highest score in the verdict of panel is 7.3667, below 7.37"),
        (7.3667, 8, "the highest score in the verdict of panel is 7.37, below 8"),
        (6.9999999, 7, "the highest score in the verdict of panel is 6.9999999, below 7"),
        (65.5833333, 65.58333339, "the highest score in the verdict of panel is 65.58, below 65.58333339"),
    ],
)
def test_a_score_has_enough_digits_to_show_that_it_is_too_low(score: float, least: float, words: str) -> None:
    """At least two decimals."""
    verdict = VERDICT.model_copy(update={"scores": {PRO: score, CON: 0}})
    (message,) = Gates(min_score=least).failure_messages(DEBATE, [verdict])
    assert words in message


@pytest.mark.parametrize(
    ("gates", "met"),
    [
        (Gates(min_score_debater="PASS", min_score=0.6), True),
        (Gates(min_score_debater="PASS", min_score=0.61), False),
        (Gates(min_score_debater="FAIL", min_score=0.4), True),
        (Gates(min_score_debater="CONDITIONAL", min_score=0.1), False),
        # Without a name, the share of PASS counts for a text
        (Gates(min_score=0.61), False),
        (Gates(expected_winner="PASS"), True),
        (Gates(expected_winner="CONDITIONAL"), False),
    ],
)
def test_gates_of_a_text_hold_the_share_of_an_option(gates: Gates, met: bool) -> None:
    """A panel that votes PASS with 60% of its weight."""
    notes: dict[str, JsonValue] = {"option": "PASS", "weights": {"PASS": 0.6, "FAIL": 0.4, "CONDITIONAL": 0.0}}
    verdict = VERDICT.model_copy(update={"winner": None, "scores": {}, "notes": notes})
    text = build_debate(opening_event(PanelSettings(), debaters=()))
    assert (gates.failure_messages(text, [verdict]) == []) is met


@pytest.mark.parametrize(
    ("winner", "option", "met"),
    [
        (PRO, "PASS", {PRO, "PASS"}),
        (CON, "FAIL", {CON, "FAIL"}),
        (None, "CONDITIONAL", {"CONDITIONAL", "conditional"}),
        (None, "PASS", {"PASS"}),  # several debaters argue for the motion
    ],
)
def test_the_vote_on_a_debate_is_an_outcome(winner: str | None, option: str, met: set[str]) -> None:
    """A debater's name and the panel's vote for this debater's side are both met."""
    notes: dict[str, JsonValue] = {"option": option, "weights": {option: 1.0}}
    victory = "conditional" if option == "CONDITIONAL" else "clear"
    verdict = VERDICT.model_copy(update={"winner": winner, "victory": victory, "notes": notes})
    for expected in (PRO, CON, "PASS", "FAIL", "CONDITIONAL", "conditional", "draw"):
        problems = Gates(expected_winner=expected).failure_messages(DEBATE, [verdict])
        assert (not problems) is (expected in met), problems


def test_a_debater_called_like_a_vote_is_meant_by_this_name() -> None:
    """The vote PASS does not make the debater PASS the winner."""
    named = build_debate(
        opening_event(PanelSettings(), debaters=({"name": "PASS", "side": "against"}, {"name": PRO, "side": "for"}))
    )
    verdict = VERDICT.model_copy(update={"notes": {"option": "PASS", "weights": {"PASS": 1.0}}})
    assert Gates(expected_winner="PASS").failure_messages(named, [verdict]) != []


@pytest.mark.parametrize(
    ("expected", "deciding", "words"),
    [
        (
            "Zoe",
            "panel",
            "there is no such name; the debaters are {}; the outcomes of panel are PASS, FAIL, CONDITIONAL",
        ),
        ("Zoe", "structured", "there is no such name; the debaters are {}"),
        (
            "PASS",
            "structured",
            "the verdict of structured has no such outcome; the debaters are {}",
        ),
    ],
)
def test_all_accepted_words_are_named(expected: str, deciding: str, words: str) -> None:
    """Names, votes, and outcomes without a winner. Of a vote that another system gives, the system that decides is named."""
    with pytest.raises(UsageError) as caught:
        Gates(expected_winner=expected).require_names((PRO, CON), [deciding])
    named = words.format(f"{PRO}, {CON}")
    assert str(caught.value) == f"--expect-winner {expected}: {named}; other outcomes are draw and conditional"


@given(st.floats(0, 100), st.floats(0, 100))
def test_the_score_in_the_message_is_below_the_minimum_in_it(score: float, least: float) -> None:
    """For any two numbers."""
    verdict = VERDICT.model_copy(update={"scores": {PRO: score, CON: 0}})
    for message in Gates(min_score=least).failure_messages(DEBATE, [verdict]):
        has, below = message.split(" in the verdict of panel is ")[1].split(", below ")
        assert float(has) < float(below)
