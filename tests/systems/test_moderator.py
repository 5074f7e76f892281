"""The moderator's scorer; expected numbers are computed by hand."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, run_python
from scoring_support import CON, PRO, THIRD, THREE, assessment, build_debate, marks, opening_event, speech

from debate_cli.domain.assessment import Assessment, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.judging_config import Thresholds
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.systems.moderator.criteria import FINAL, ROUND
from debate_cli.systems.moderator.score import CLAIMED_TOTAL_CRITERION, score_run
from debate_cli.systems.moderator.settings import ModeratorSettings
from debate_cli.systems.moderator.tables import charts

NAMES = (PRO, CON)


def round_marks(number: int, *rows: tuple[float, float, float], judge: str = "judge") -> Assessment:
    """Three marks for each debater in one round."""
    given = [mark for name, row in zip(NAMES, rows, strict=False) for mark in marks(name, ROUND.maxima, row)]
    return assessment("moderator", given, moment="round", round=number, assessor=judge)


def final_marks(*losses: float | Mapping[str, float], judge: str = "judge", rationale: str = "") -> Assessment:
    """The final evaluation: each debater has full marks less a loss in `relevance`, or in the criteria named."""
    given: list[Mark] = []
    for name, loss in zip(NAMES, losses, strict=False):
        less: Mapping[str, float] = loss if isinstance(loss, Mapping) else {"relevance": loss}
        given += marks(name, FINAL.maxima, [highest - less.get(key, 0) for key, highest in FINAL.maxima.items()])
    return assessment("moderator", given, assessor=judge, rationale=rationale)


def moderated(*given: Assessment, rounds: int = 1, judges: int = 1) -> Debate:
    """A debate of `rounds` rounds with two speeches each."""
    turns = [speech(index, NAMES[index % 2]) for index in range(2 * rounds)]
    return build_debate(opening_event(ModeratorSettings(judges=judges)), turns, given)


@dataclass(frozen=True)
class Case:
    """Marks per round and final losses of both debaters, and the expected result."""

    name: str
    rounds: tuple[tuple[tuple[float, float, float], tuple[float, float, float]], ...]
    losses: tuple[float, float]
    scores: tuple[float, float]
    victory: Victory


FULL, HALF, NONE = (10, 10, 10), (5, 5, 5), (0, 0, 0)
CASES = (
    # 30*0.25 + 100*0.75 = 82.5
    Case("highest possible scores", ((FULL, FULL),), (0, 0), (82.5, 82.5), "draw"),
    # 15*0.25 = 3.75 less than 7.5
    Case("rounds weigh a quarter", ((FULL, HALF),), (0, 0), (82.5, 78.75), "narrow"),
    # 95*0.75 = 71.25, and 7.5 to it
    Case("the evaluation weighs three quarters", ((FULL, FULL),), (0, 5), (82.5, 78.75), "narrow"),
    # (30 + 0)/2 = 15 against (15 + 15)/2
    Case("round sums are averaged", ((FULL, HALF), (NONE, HALF)), (0, 0), (78.75, 78.75), "draw"),
    # 28*0.25 = 7: a margin of 0.5
    Case("below 1 is a draw", ((FULL, (8, 10, 10)),), (0, 0), (82.5, 82.0), "draw"),
    # 26*0.25 = 6.5: a margin of 1
    Case("1 is narrow", ((FULL, (6, 10, 10)),), (0, 0), (82.5, 81.5), "narrow"),
    # 10*0.25 = 2.5: a margin of 5
    Case("5 is clear", ((FULL, (10, 0, 0)),), (0, 0), (82.5, 77.5), "clear"),
    # 11*0.25 = 2.75: a margin of 4.75
    Case("below 5 is narrow", ((FULL, (10, 1, 0)),), (0, 0), (82.5, 77.75), "narrow"),
    # 0*0.25 against 7.5; 100*0.75 against 90*0.75 = 67.5: both 75
    Case("rounds offset the evaluation", ((NONE, FULL),), (0, 10), (75, 75), "draw"),
    # (30 + 29 + 29)/3 = 29 1/3: 7 1/3 + 75
    Case(
        "thirds", (((10, 10, 10), FULL), ((9, 10, 10), FULL), ((10, 9, 10), FULL)), (0, 0), (75 + 88 / 12, 82.5), "draw"
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_score_is_a_quarter_rounds_and_three_quarters_evaluation(case: Case) -> None:
    """A quarter of the mean round sum and three quarters of the final total."""
    given = [round_marks(number, *rows) for number, rows in enumerate(case.rounds, 1)]
    found = score_run(moderated(*given, final_marks(*case.losses), rounds=len(given)), "r1", ModeratorSettings())
    assert [found.scores[name] for name in NAMES] == pytest.approx(list(case.scores))
    assert found.margin == pytest.approx(abs(case.scores[0] - case.scores[1]))
    higher = PRO if case.scores[0] > case.scores[1] else CON
    assert (found.victory, found.winner) == (case.victory, None if case.victory == "draw" else higher)


def test_several_moderators_are_averaged() -> None:
    """Rounds of 30 and 0 make 15. Evaluations of 100 and 90 make 95. So the score is 3.75 + 71.25 = 75."""
    found = score_run(
        moderated(
            round_marks(1, FULL, FULL, judge="judge-1"),
            round_marks(1, NONE, FULL, judge="judge-2"),
            final_marks(0, 0, judge="judge-1"),
            final_marks(10, 0, judge="judge-2"),
            judges=2,
        ),
        "r1",
        ModeratorSettings(judges=2),
    )
    assert found.scores == {PRO: 75.0, CON: 82.5}


def test_thresholds_are_settings() -> None:
    """A margin of 3.75 is clear if the threshold is 3."""
    debate = moderated(round_marks(1, FULL, HALF), final_marks(0, 0))
    assert score_run(debate, "r1", ModeratorSettings(thresholds=Thresholds(draw=1, clear=3))).victory == "clear"


def missing(found: Verdict) -> Sequence[object]:
    """The sentences on missing assessments."""
    sentences = found.notes["missing"]
    assert isinstance(sentences, list)
    return sentences


def test_a_missing_category_leaves_a_debater_without_a_score() -> None:
    """A debater with twelve of the thirteen marks has no total, and the missing mark is named."""
    final = final_marks(0, 0)
    fewer = tuple(mark for mark in final.marks if (mark.participant, mark.criterion) != (CON, "clarity"))
    found = score_run(
        moderated(round_marks(1, FULL, FULL), final.model_copy(update={"marks": fewer})), "r1", ModeratorSettings()
    )
    assert (found.victory, found.scores) == ("undetermined", {PRO: 82.5})
    assert missing(found) == ["judge gave Ben no mark for clarity in the debate."]


@pytest.mark.parametrize(("claimed", "listed"), [(100, False), (99.5, False), (99.4, True), (90, True)])
def test_a_wrong_claimed_total_is_noted(claimed: float, listed: bool) -> None:
    """A total of the judge never counts. It is noted if it differs from the sum by more than 0.5."""
    final = final_marks(0, 0)
    claim = Mark(participant=PRO, criterion=CLAIMED_TOTAL_CRITERION, value=claimed, out_of=100)
    debate = moderated(round_marks(1, FULL, FULL), final.model_copy(update={"marks": (*final.marks, claim)}))
    found = score_run(debate, "r1", ModeratorSettings())
    assert found.scores[PRO] == 82.5
    expected = {"assessor": "judge", "participant": PRO, "round": None, "claimed": claimed, "ours": 100.0}
    assert found.notes["claimed"] == ([expected] if listed else [])


def test_the_chart_of_rounds_names_the_rounds() -> None:
    """A number alone could be a turn."""
    given = [round_marks(number, HALF, FULL) for number in (1, 2)]
    found = score_run(moderated(*given, final_marks(0, 0), rounds=2), "r1", ModeratorSettings())
    assert [chart.labels for chart in charts(found)][1] == ("round 1", "round 2")


def test_the_notes_list_rounds_and_evaluation() -> None:
    """The notes have sums by round, categories, totals, the share of 82.5 and the reasoning."""
    found = score_run(
        moderated(round_marks(1, HALF, FULL), final_marks(0, 0, rationale="Even.")), "r1", ModeratorSettings()
    )
    rounds, final = found.notes["rounds"], found.notes["final"]
    assert isinstance(rounds, list)
    assert isinstance(final, list)
    assert rounds[0] == {
        "round": 1,
        "participant": PRO,
        "marks": dict.fromkeys(ROUND.maxima, 5.0),
        "reasons": {},
        "sum": 15.0,
    }
    assert final[0] == {
        "participant": PRO,
        "categories": FINAL.maxima,
        "total": 100.0,
        "round_mean": 15.0,
        "score": 78.75,
        "share": pytest.approx(78.75 / 82.5),
        "reasons": [],
        "groups": [
            {"group": group, "sum": most, "out_of": most, "reasons": []}
            for group, most in zip(FINAL.groups, (30.0, 25.0, 20.0, 15.0, 10.0), strict=True)
        ],
    }
    assert found.notes["reasoning"] == [{"assessor": "judge", "text": "Even."}]


@pytest.mark.parametrize("marked", [False, True])
def test_a_debater_without_a_turn_has_no_score(marked: bool) -> None:
    """A silent debater is named as missing, and its marks are ignored. The two speakers are compared."""
    turns = [speech(0, PRO), speech(1, CON)]
    silent = [*marks(THIRD, ROUND.maxima, FULL)], [*marks(THIRD, FINAL.maxima, FINAL.maxima.values())]
    given = [
        item.model_copy(update={"marks": (*item.marks, *(more if marked else ()))})
        for item, more in zip((round_marks(1, FULL, HALF), final_marks(5, 10)), silent, strict=True)
    ]
    found = score_run(
        build_debate(opening_event(ModeratorSettings(), debaters=THREE), turns, given), "r1", ModeratorSettings()
    )
    assert (found.winner, sorted(found.scores), missing(found)) == (PRO, [PRO, CON], ["Cem has not spoken."])


def test_marks_are_clamped_to_their_category() -> None:
    """A mark of 8 of 5 for clarity counts as 5, so the maximum stays 82.5."""
    found = score_run(moderated(round_marks(1, FULL, FULL), final_marks({"clarity": -3}, 0)), "r1", ModeratorSettings())
    assert found.scores[PRO] == 82.5


EXTENDED_COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("replay new.json --plain", ("round 1  Pro  (fair play ", "/40", "/108", "of 91 points", "STYLE")),
    ("replay new.json --format html", ("Sum of the four marks of a round, out of 40", "brevity /8")),
    (
        "review new.json --system moderator --name ann --template",
        (
            "# - fair_play: the rules of the format are kept",
            "four numbers",
            "fair_play:  # a whole number from 0 to 10",
            "#   - brevity (0-8): no word is wasted",
            "six groups",
            "total out of 108",
        ),
    ),
    ("score new.json --check", ("1 stored verdict matches the recomputed one",)),
    ("score old.json --check", ("the verdict of moderator r1 was stored under other scoring rules",)),
)
"""Commands on two debates, and words of their output."""
RUN_COMMANDS = """
import sys
from debate_cli.__main__ import main
for line in sys.argv.pop().splitlines():
    sys.argv[1:] = line.split()
    for stream in (sys.stdout, sys.stderr):
        print("COMMAND", file=stream)
    try:
        main()
    except SystemExit as error:
        assert not error.code, line
"""
"""Runs several commands in one process, whose imports take longer than the commands. `COMMAND` separates their outputs."""


def test_one_line_adds_a_criterion(tmp_path: Path) -> None:
    """One line in `ROUND` or `FINAL` changes prompt, form, score, tables and charts, and a higher `RULES` guards old verdicts.

    A copy of the package has one more criterion of each question. `old.json` was judged without them, `new.json` with them.
    """
    run = ("run", str(CONFIGS / "moderator.yaml"), "--mock", "--plain", "--out", ".", "--id")
    assert debate(*run, "old", cwd=tmp_path).code == 0
    shutil.copytree(CONFIGS.parent / "debate_cli", tmp_path / "debate_cli")
    criteria = tmp_path / "debate_cli/systems/moderator/criteria.py"
    text = criteria.read_text(encoding="utf-8").replace("RULES = 1\n", "RULES = 2\n")
    for start, line in (
        ("ROUND = CriterionSet((\n", '    Criterion("fair_play", "the rules of the format are kept"),\n'),
        ("FINAL = CriterionSet((\n", '    Criterion("brevity", "no word is wasted", 8, "style"),\n'),
    ):
        text = text.replace(start, start + line)
    criteria.write_text(text, encoding="utf-8")
    lines = [" ".join((*run, "new")), *(line for line, _ in EXTENDED_COMMANDS)]
    found = run_python("-c", RUN_COMMANDS, "\n".join(lines), cwd=tmp_path)
    assert found.code == 0, found.err
    outputs = [
        out + err for out, err in zip(*(text.split("COMMAND\n")[2:] for text in (found.out, found.err)), strict=True)
    ]
    for (line, expected), output in zip(EXTENDED_COMMANDS, outputs, strict=True):
        assert [words for words in expected if words not in output] == [], line
