"""Tables in narrow windows: names are parted where a reader would part them, bars go first, and nothing else is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render_support import debate, shown
from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from debate_cli.domain.verdict import Verdict
from debate_cli.render.judge_report import Gauge as Told
from debate_cli.render.judge_report import JudgeReport
from debate_cli.render.live.header import judge_report_notice, warning_notice
from debate_cli.render.terminal import WrappedName, render_table, score_bars
from debate_cli.systems.tables import VOTE_BADGES, Gauge, Lines, Number, Table, Who

JUDGES = ("technical_architecture_reviewer", "regulatory-compliance-auditor", "sre")
UNHYPHENED = ("RegulatoryComplianceAuditor", "seniorreliabilityengineeringlead", "technical_architecture_reviewer")
"""Ids that have no joints but capitals, and none at all."""
AUTHORITY = "The municipal-transport-authority of Lower Saxony"


def votes(rounds: int, judges: tuple[str, ...] = JUDGES) -> Table:
    """A panel's votes in that many rounds, a different confidence each."""
    return Table(
        title="votes, panel",
        heads=("judge", "weight", *(f"vote {number}" for number in range(1, rounds + 1))),
        rows=tuple(
            (
                judge,
                Number(0.25),
                *(
                    Lines((VOTE_BADGES["CONDITIONAL"], f"0.{place}{number:02}, changed"))
                    for number in range(1, rounds + 1)
                ),
            )
            for place, judge in enumerate(judges)
        ),
        numeric=frozenset({1}),
    )


SCORES = Table(
    title="scores, structured",
    heads=("argument", "logic 30%", "evidence 40%", "response 20%", "honesty 10%", "score", ""),
    rows=(
        ("PRO-1", *(Number(7.5, 1) for _ in range(5)), None),
        (Who(AUTHORITY), *(Number(7.5, 1) for _ in range(5)), Gauge(7.5, 10)),
    ),
    numeric=frozenset({1, 2, 3, 4, 5}),
)


def lines(sheet: Table, width: int) -> list[list[str]]:
    """The words of each line."""
    return [line.split() for line in shown(render_table(sheet, {}), width).splitlines()]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_judges_name_is_parted_at_its_joints_only(width: int) -> None:
    """Four vote columns leave no room for long ids: each line of one ends with a word of it."""
    pieces = {line[0] for line in lines(votes(4), width) if line and line[0].strip("_-") in "_".join(JUDGES)}
    found = {part for piece in pieces for part in piece.replace("-", "_").split("_") if part}
    assert found == {part for judge in JUDGES for part in judge.replace("-", "_").split("_")}


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_judges_name_without_joints_is_not_cut(width: int) -> None:
    """Rather do the votes stand in parts; where it has capitals, it may be parted before them."""
    found = {
        row.split()[0] for row in shown(render_table(votes(4, UNHYPHENED), {}), width).splitlines() if row[:1].isalpha()
    }
    whole = {"RegulatoryCompliance", "RegulatoryComplianceAuditor", "Auditor", "seniorreliabilityengineeringlead"}
    assert {
        word for word in found if not word.startswith(("judge", "votes", "technical", "architecture", "reviewer"))
    } <= whole


@pytest.mark.parametrize("width", [24, 40, 80])
def test_every_vote_is_told_however_many_there_are(width: int) -> None:
    """What does not fit beside the names stands below, with the names again."""
    told = shown(render_table(votes(12), {}), width)
    assert [f"0.{place}{number:02}" in told for place in range(3) for number in range(1, 13)] == [True] * 36


@pytest.mark.parametrize(("width", "barred"), [(90, True), (60, False)])
def test_bars_are_the_first_to_go(width: int, barred: bool) -> None:
    """They tell nothing that the number beside them does not."""
    told = shown(render_table(SCORES, {}), width).split("scores, structured", 1)[1].splitlines()[4:]
    assert (any("━" in line for line in told), any("PRO-1" in line for line in told)) == (barred, True)


@pytest.mark.parametrize("width", [30, 45, 60, 79, 80, 100, 200])
@pytest.mark.parametrize("sheet", [votes(4), votes(4, UNHYPHENED), SCORES], ids=["votes", "unhyphened", "scores"])
def test_no_line_is_wider_than_the_window(sheet: Table, width: int) -> None:
    """However it is laid out."""
    assert max(map(len, shown(render_table(sheet, {}), width).splitlines())) <= width


@pytest.mark.parametrize(("below", "parted"), [("Name who answers for it.", False), ("0.25", True)])
def test_a_head_is_parted_only_where_that_makes_its_column_narrower(below: str, parted: bool) -> None:
    """Above long words there is room for it."""
    sheet = Table(title="conditions", heads=("judge", "holds only with"), rows=(("sre", below),))
    assert ("holds only with" not in shown(render_table(sheet, {}), 80)) is parted


@pytest.mark.parametrize("width", [36, 60, 100])
def test_a_score_stands_beside_its_bar_whatever_the_name(width: int) -> None:
    """A long name takes further lines, and the bar gets shorter, before a score is cut."""
    verdict = Verdict(
        system="structured", run="r1", winner=AUTHORITY, victory="clear", margin=1, scores={AUTHORITY: 7.25, "Bo": 6.25}
    )
    told = shown(score_bars(verdict, {}), width)
    assert [word in told for word in ("7.25", "6.25", "← winner", "authority", "Saxony")] == [True] * 5


@pytest.mark.parametrize("width", [36, 60, 100])
def test_a_report_while_it_is_held_keeps_its_numbers(width: int) -> None:
    """A judge's marks of a round, beside long names."""
    told = shown(
        judge_report_notice(
            JudgeReport("moderator, round 1", (Told(AUTHORITY, 21.5, 30), Told("Bo", 18.5, 30))), debate()
        ),
        width,
    )
    assert [word in told for word in ("21.5/30", "18.5/30", "authority", "Saxony")] == [True] * 4


@pytest.mark.parametrize("line", [judge_report_notice(JudgeReport("live, the debate", words=("The story differs. " * 6,)), debate()),
                                  warning_notice("the server is busy, asked again in 2 s; " * 4)])  # fmt: skip
def test_further_lines_of_a_notice_stand_below_its_words(line: RenderableType) -> None:
    """So that what begins at the edge is the next one."""
    first, *rest = shown(line, 40).splitlines()
    assert first[0] in "§!"
    assert rest
    assert all(row.startswith("  ") for row in rest)


@given(
    st.text(st.sampled_from("ab_-./: 漢é"), min_size=1, max_size=60), st.integers(2, 40), st.sampled_from(["", "● "])
)
def test_a_folded_name_keeps_all_its_letters(name: str, width: int, sign: str) -> None:
    """In their order, in a column of any width; blanks at the ends of lines are not missed."""
    told = shown(WrappedName(Text(sign + name), len(sign)), width)
    assert "".join(told.split()) == "".join((sign + name).split())


@given(st.text(st.sampled_from("ab_-./: 漢é"), min_size=1, max_size=60), st.integers(4, 40))
def test_a_folded_name_is_no_wider_than_its_column(name: str, width: int) -> None:
    """Signs of double width count twice."""
    assert max(map(cell_len, shown(WrappedName(Text(f"● {name}"), 2), width).splitlines())) <= width
