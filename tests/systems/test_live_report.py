"""What watchers of a run see of the live judge's opinion."""

import pytest
from live_scoring_support import claim, decision, gap, live_debate, pair, turn_marks
from scoring_support import CON, PRO, assessment

from debate_cli.domain.assessment import Assessment, Contradiction
from debate_cli.domain.debate import Debate
from debate_cli.systems.live.findings import CausalChain
from debate_cli.systems.live.score import score_run
from debate_cli.systems.live.settings import LiveSettings
from debate_cli.systems.live.system import SYSTEM
from debate_cli.systems.live.tables import tables
from debate_cli.systems.tables import Number

CHAIN = CausalChain(cause="a", process="b", consequence="c", missing=("process", "weakest_premise"))
GAP = gap(0, 3, "Costs fall")


def sentences(debate: Debate, assessment: Assessment) -> tuple[str, ...]:
    """Return the sentences of the report on one assessment of `debate`."""
    return SYSTEM.live_report(assessment, debate).sentences


def test_a_turn_shows_its_marks_chain_and_flagged_words() -> None:
    """The report on a turn shows its composite, then its marks, missing links, inconsistencies and flagged quotes."""
    contradiction = Contradiction(participant=PRO, earlier=0, later=2, explanation="then and now")
    turn = turn_marks(2, (36, 20, 10), CHAIN, contradiction, claim(2, "hollow"))
    debate = live_debate([(20, 10, 10)] * 2).with_assessments([turn])
    report = SYSTEM.live_report(turn, debate)
    assert [(score.participant, score.value, score.out_of) for score in report.scores] == [(PRO, 66, 100)]
    assert report.sentences[:4] == (
        "logic 36/40, rhetoric 20/30, tactics 10/30",
        "the main argument lacks: process, answer to the weakest premise",
        "Turn 3 contradicts turn 1: then and now",
        "Turn 3, hollow claim: “Costs fall.”",
    )


@pytest.mark.parametrize(
    ("assessment", "expected"),
    [
        pytest.param(
            pair(1, logic=CON, rhetoric=PRO),
            [
                "turn 1 logic 30 → 21, lost an exchange (ceiling)",
                "turn 1 rhetoric 10 → 17, won an exchange (floor)",
                "turn 2 logic 10 → 22, won an exchange (floor)",
            ],
            id="both turns of an exchange",
        ),
        pytest.param(pair(1, claim(0, "hollow")), ["turn 1 logic 30 → 29, hollow (−1)"], id="a flagged quote"),
        pytest.param(pair(2, logic=PRO), [], id="scores that are in their bands already"),
    ],
)
def test_an_assessment_shows_the_scores_that_it_changed(assessment: Assessment, expected: list[str]) -> None:
    """The report names each changed score with the rule or penalty that changed it."""
    debate = live_debate([(30, 10, 10), (10, 10, 10), (22, 10, 10)], assessment)
    assert [line for line in sentences(debate, assessment) if "→" in line] == expected


def test_a_report_does_not_depend_on_later_answers() -> None:
    """The report on an exchange is equal whether or not the next exchange was judged before it."""
    first, second = pair(1, logic=PRO), pair(2, logic=CON)
    rows = [(30.0, 0.0, 0.0)] * 3
    assert sentences(live_debate(rows, first, second), first) == sentences(live_debate(rows, first), first)


def test_the_review_shows_how_many_entries_it_withdrew() -> None:
    """The report on the register review counts its decisions, and names the penalties that no longer apply."""
    opened = pair(1, GAP)
    review = assessment("live", (), decision(0, "gap", "withdrawn"), revision=2)
    debate = live_debate([(30, 0, 0)] * 2, opened, review)
    assert sentences(debate, review) == ("1 withdrawn", "turn 1 logic: “logic gap (−3)” no longer applies")


def test_one_of_two_equal_penalties_is_withdrawn() -> None:
    """The report names the withdrawn penalty once, and does not show the other one as new."""
    opened = pair(1, GAP, gap(0, 3, "Rents fall"))
    review = assessment("live", (), decision(0, "gap", "withdrawn"), decision(0, "gap", "confirmed"), revision=2)
    debate = live_debate([(30, 0, 0)] * 2, opened, review)
    assert sentences(debate, review) == ("1 confirmed, 1 withdrawn", "turn 1 logic: “logic gap (−3)” no longer applies")


def test_the_table_of_changes_shows_each_penalty_as_a_step() -> None:
    """The table of changes shows logic before and after each penalty, never below 0."""
    claims = (claim(0, "hollow", "One."), claim(0, "inverted", "Two."), claim(1, "inverted", "Three."))
    debate = live_debate([(30, 10, 10), (1, 10, 10)], pair(1, *claims))
    table = next(
        table for table in tables(score_run(debate, "r1", LiveSettings())) if table.title == "live: changes of scores"
    )
    steps = [(row[0], row[2], row[3]) for row in table.rows if row is not None]
    assert steps == [
        (Number(1, 0), Number(30.0, 1), Number(29.0, 1)),
        (Number(1, 0), Number(29.0, 1), Number(27.0, 1)),
        (Number(2, 0), Number(1.0, 1), Number(0.0, 1)),
    ]
