"""What is said of a panel's vote where it names no winner: of a text, and of a debate."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import JsonValue
from rehearsal_support import config_of, hold
from render_support import debate, scores_view, shown

from debate_cli.app.score import CheckedFile, ScoredFile
from debate_cli.domain.verdict import Verdict, Victory
from debate_cli.render import theme
from debate_cli.render.agreement import build_agreement_table
from debate_cli.render.ci import format_junit, format_workflow_commands
from debate_cli.render.html.index import render_index
from debate_cli.render.html.page import render_html
from debate_cli.render.markdown import format_markdown
from debate_cli.render.plain import score_lines
from debate_cli.render.score_rows import drop_notes, summarize_systems
from debate_cli.render.sheets.of_verdict import build_verdict_tables
from debate_cli.render.terminal import score_bars
from debate_cli.systems.panel.findings import VoteOption
from debate_cli.systems.scoring import score
from debate_cli.systems.tables import VOTE_BADGES

SENTENCES = {
    "PASS": "PLAN.md passes, clearly.",
    "FAIL": "PLAN.md does not pass, clearly.",
    "CONDITIONAL": "Conditional: PLAN.md passes under stated conditions.",
}


def voted(option: str, weights: dict[str, float] | None = None, run: str = "r1") -> Verdict:
    """The verdict of a panel in which nobody wins."""
    victory: Victory = "conditional" if option == "CONDITIONAL" else "clear"
    notes: dict[str, JsonValue] = {"option": option, "weights": {**(weights or {option: 1.0})}, "missing": []}
    return Verdict(
        system="panel", run=run, winner=None, victory=victory, margin=0.5, scores={}, decides=True, notes=notes
    )


def judged(*options: str) -> list[ScoredFile]:
    """A file a text, as `debate score` keeps it."""
    return [
        drop_notes(ScoredFile(f"{place}.json", f"plan-{place}", "PLAN.md", "complete", (voted(option),), "PLAN.md"))
        for place, option in enumerate(options)
    ]


@pytest.mark.parametrize("option", get_args(VoteOption))
def test_every_form_of_score_tells_what_a_text_came_to(option: str) -> None:
    """Lines, GitHub and JUnit have the sentence, and no word of a motion, though the notes were left out."""
    files = judged(option)
    checked = [CheckedFile(file) for file in files]
    for told in (
        "\n".join(score_lines(files)).replace(", by 50% of the weight", ""),
        "\n".join(format_workflow_commands(checked)).replace("%0A", ""),
        format_junit(checked),
    ):
        assert SENTENCES[option] in told
        assert "motion" not in told


@pytest.mark.parametrize("option", get_args(VoteOption))
def test_tables_name_the_option_where_nobody_wins(option: str) -> None:
    """The drawn table, the index and the table of several verdicts say PASS, FAIL or CONDITIONAL in the winner's column."""
    sign = f"{theme.VOTE_BADGES[option].symbol} {option}"
    files = judged(option)
    agreement = build_agreement_table([voted(option), voted(option, run="r2")])
    assert agreement is not None
    assert sign in "".join(shown(part) for part in scores_view(files))
    assert f"<strong>{sign}</strong>" in render_index([CheckedFile(file) for file in files])
    assert [row[1] for row in agreement.rows if row is not None] == [VOTE_BADGES[option]] * 2


def test_pass_and_fail_do_not_agree() -> None:
    """Two panels that are as clear, but not of one mind: the line names both options."""
    agreement = build_agreement_table([voted("PASS"), voted("FAIL", run="r2")])
    assert agreement is not None
    assert agreement.remarks[1:] == ("They differ on the outcome: panel r1 says PASS; panel r2 says FAIL.",)


def test_votes_are_counted_by_option_and_are_no_draws() -> None:
    """Most first, in the summary as data, in its line, in its table and on the page."""
    files = judged("FAIL", "PASS", "PASS", "CONDITIONAL")
    (found,) = summarize_systems(files)
    assert (found.options, found.draws, found.wins) == ({"PASS": 2, "CONDITIONAL": 1, "FAIL": 1}, 0, {})
    assert "panel  votes: PASS 2, CONDITIONAL 1, FAIL 1, draws: 0" in "\n".join(score_lines(files))
    assert "PASS 2 · CONDITIONAL 1 · FAIL 1" in "".join(shown(part) for part in scores_view(files))
    assert "PASS 2 · CONDITIONAL 1 · FAIL 1" in render_index([CheckedFile(file) for file in files])


def test_a_split_panel_shows_the_weight_of_each_option() -> None:
    """Instead of a debate's scores of 0 there are the shares that the options have, in bars and in lines."""
    split = voted("CONDITIONAL", {"PASS": 0.25, "FAIL": 0.3, "CONDITIONAL": 0.45})
    verdict = split.model_copy(update={"scores": {"Ada": 0.25, "Bo": 0.3}})
    bars = shown(score_bars(verdict, theme.participant_styles(debate().participants)))
    assert all(words in bars for words in ("PASS", "0.25", "FAIL", "0.3", "CONDITIONAL", "0.45"))
    assert "Ada" not in bars
    (line,) = score_lines([ScoredFile("a.json", "a", "Motion", "complete", (verdict,))])
    assert line.endswith("(CONDITIONAL 0.45, FAIL 0.3, PASS 0.25)")


def test_a_winner_keeps_the_scores_of_the_debaters() -> None:
    """Where an option is a debater's win, its shares are the scores already."""
    verdict = voted("PASS").model_copy(update={"winner": "Ada", "scores": {"Ada": 1.0, "Bo": 0.0}})
    assert (verdict.option, verdict.option_shares, verdict.displayed_scores) == (None, {}, {"Ada": 1.0, "Bo": 0.0})


def test_too_few_votes_decide_for_no_option() -> None:
    """What is undetermined is told as that, whatever was voted."""
    verdict = voted("PASS").model_copy(update={"victory": "undetermined"})
    assert (verdict.option, theme.describe_outcome(verdict, "PLAN.md")[:12]) == (None, "Undetermined")


def test_a_vote_that_is_not_recorded_is_not_made_up() -> None:
    """A verdict without notes is not told as a failure."""
    verdict = voted("PASS").model_copy(update={"notes": {}})
    assert theme.describe_outcome(verdict) == "Decided clearly, but the vote itself is not recorded."


def test_a_text_has_its_tables_though_it_has_no_debaters() -> None:
    """Nothing is scored in a text, and still its votes are shown."""
    assert build_verdict_tables(voted("FAIL"))


def test_a_page_on_a_text_speaks_of_a_text() -> None:
    """Nobody debated and nobody spoke: it has the text with its judges, and no empty transcript."""
    told = hold(config_of(topic="PLAN.md", background="We move.", debaters=[], judging={"systems": ["panel"]}))
    page = render_html(told, score(told))
    assert "The text, and who judged it" in page
    assert "Text report" in page
    for word in ("Who debated", "Transcript", "transcript", "Debate report", "no speeches", "On the debate"):
        assert word not in page
    document = format_markdown(told, score(told))
    assert document.index("## Verdict") < document.index("## The text, and who judged it") < document.index("We move.")


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"PASS": 0.5, "FAIL": 0.5, "CONDITIONAL": 0.0}, "A tied vote: neither for nor against."),
        ({"PASS": 0.4, "FAIL": 0.2, "CONDITIONAL": 0.4}, "Conditional: the motion holds under stated conditions."),
    ],
)
def test_a_tie_is_no_vote_for_conditions(weights: dict[str, float], told: str) -> None:
    """Unless the conditional votes are among those that have most weight."""
    assert theme.describe_outcome(voted("CONDITIONAL", weights)) == told
