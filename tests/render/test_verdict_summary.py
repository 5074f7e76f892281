"""The summary of a verdict: outcome, reason in numbers, what is missing, the command that judges again."""

from collections.abc import Callable

import pytest
from judging_support import FillingModel, debate_with_speeches, settle
from poisoned_support import plain_debate
from render_support import (
    START,
    debate,
    opened_debate,
    render_text,
    unjudged,
    verdict_of,
)

from debate_cli import errors
from debate_cli.app.session import Outcome
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.verdict import Verdict
from debate_cli.judging.schedule import owed_briefs
from debate_cli.render import theme
from debate_cli.render.content.summary import suggest_judge_command, summarize_verdicts
from debate_cli.render.html.page import render_html
from debate_cli.render.terminal.drawing import score_bars
from debate_cli.render.text.markdown import format_markdown
from debate_cli.render.text.plain import closing_lines, details_lines
from debate_cli.render.theme import missing_sentences
from debate_cli.systems.moderator.criteria import FINAL
from debate_cli.systems.moderator.score import ModeratorNotes
from debate_cli.systems.persuasion.score import score_parts
from debate_cli.systems.persuasion.stance import DebaterState
from debate_cli.systems.scales import format_margin
from debate_cli.systems.scoring import score
from debate_cli.systems.structured.score import StructuredNotes
from debate_cli.systems.structured.settings import DEFAULT_CRITERIA


@pytest.mark.parametrize(
    ("judged", "system", "reason"),
    [
        (debate, "structured", "Bo 7.45 to Ada 6.35 of 10. The largest difference is in evidence (40% of the score): Bo 70%, Ada 55% of the maximum."),
        (debate, "moderator", "Bo 65.33 to Ada 49.67 of 82.5"),
        (plain_debate, "panel", "of the voting weight"),
        (plain_debate, "live", "of 100"),
        (plain_debate, "persuasion", "No debater surrendered."),
    ],
)  # fmt: skip
def test_the_reason_is_made_of_numbers(judged: Callable[[], Debate], system: str, reason: str) -> None:
    """Each system names its score and the largest difference."""
    assert reason in summarize_verdicts(judged(), [verdict_of(judged(), system)]).reason


@pytest.mark.parametrize(
    ("model", "is_named"), [("local/smollm2", True), ("local/big.gguf", False), ("a/smollm2", False)]
)
def test_a_judge_for_trying_the_tool_is_named_in_every_medium(model: str, *, is_named: bool) -> None:
    """Summary, report, Markdown and page say that the model is not for decisions; so does `print(outcome)`."""
    judged = debate()
    given = [
        item.model_copy(update={"exchange": item.exchange.model_copy(update={"model": model})})
        for item in judged.assessments
    ]
    judged = judged.model_copy(update={"assessments": tuple(given)})
    verdicts = score(judged)
    caution = f"Judged by {model}: a model this small shows only that the tool works; its verdict carries no meaning."
    shown = (
        "\n".join(closing_lines(judged, verdicts)),
        "\n".join(details_lines(judged, verdicts, only="verdict")),
        "\n".join(details_lines(judged, verdicts, only="briefing")),
        format_markdown(judged, verdicts),
        render_html(judged, verdicts),
        str(Outcome(judged, verdicts, None)),
    )
    assert [caution in text for text in shown] == [is_named] * len(shown)


def reason_with(**notes: object) -> str:
    """The reason of the structured verdict with changed notes."""
    verdict = verdict_of(debate(), "structured")
    return summarize_verdicts(
        debate(),
        [verdict.model_copy(update={"notes": StructuredNotes.model_validate(verdict.notes).model_copy(update=notes)})],
    ).reason


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ((1.0, 0.0, 0.0, 0.0), "difference is in logic (100% of the score): Bo 80%, Ada 70%"),
        ((0.8, 0.1, 0.1, 0.0), "difference is in logic (80% of the score)"),
        ((0.5, 0.5, 0.0, 0.0), "difference is in evidence (50% of the score)"),
    ],
    ids=["weights of 0", "wide difference with a small weight", "equal weights"],
)
def test_differences_count_by_their_weight(weights: tuple[float, ...], text: str) -> None:
    """The criterion with the largest weighted difference is named with its weight."""
    assert text in reason_with(weights=dict(zip(DEFAULT_CRITERIA, weights, strict=True)))


def test_categories_of_the_moderator_count_by_their_points() -> None:
    """A full difference in the smallest group is less than half a difference in the largest."""
    verdict = verdict_of(debate(), "moderator")
    notes = ModeratorNotes.model_validate(verdict.notes)
    gained = {
        "Ada": {item: FINAL.maxima[item] for item in FINAL.groups["intellectual_integrity"]},
        "Bo": {item: FINAL.maxima[item] / 2 for item in FINAL.groups["argument_quality"]},
    }
    final = tuple(
        row.model_copy(update={"categories": {**dict.fromkeys(FINAL.maxima, 0.0), **gained[row.participant]}})
        for row in notes.final
    )
    changed = verdict.model_copy(update={"notes": notes.model_copy(update={"final": final}).model_dump(mode="json")})
    reason = summarize_verdicts(debate(), [changed]).reason
    assert "difference is in argument quality (30% of the final evaluation): Bo 50%, Ada 0% of the maximum." in reason


def test_a_difference_with_weight_0_is_no_difference() -> None:
    """Debaters that are equal in all weighted criteria are level."""
    equal = dict.fromkeys(DEFAULT_CRITERIA, 7.0)
    reason = reason_with(
        weights=dict(zip(DEFAULT_CRITERIA, (0.4, 0.3, 0.3, 0.0), strict=True)),
        means={"Ada": equal, "Bo": {**equal, "honesty": 9.0}},
    )
    assert reason.endswith("The two best debaters are level in every criterion that counts.")


def test_the_outcome_is_that_of_the_deciding_verdict() -> None:
    """The order of the verdicts has no effect."""
    verdicts = score(debate())
    assert summarize_verdicts(debate(), verdicts[::-1]).answer == summarize_verdicts(debate(), verdicts).answer


def test_without_a_verdict_the_summary_names_what_is_missing() -> None:
    """An undetermined verdict has its first missing assessment as reason."""
    verdicts = score(unjudged())
    assert [summarize_verdicts(unjudged(), verdicts).reason] == list(missing_sentences(verdicts[0])[:1])
    summary = summarize_verdicts(debate(), ())
    assert (summary.answer, summary.reason) == ("This debate has not been judged.", "")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (errors.ModelTimeoutError("x"), "timed out"),
        (errors.UnreachableError("x"), "unreachable"),
        (errors.BudgetError("x"), "budget reached"),
        (errors.RefusedError("x"), "abstained"),
    ],
)
def test_the_cause_of_a_missing_assessment_is_shown_in_words(error: Exception, reason: str) -> None:
    """The names of error classes are not shown."""
    shown = debate_with_speeches("structured")
    (verdict,) = score(settle(shown, owed_briefs(shown), FillingModel(raising=error)))
    missing = missing_sentences(verdict)
    assert any(f"({reason})" in sentence for sentence in missing)
    assert "Error" not in str(missing)


def test_the_missing_comparison_of_first_and_last_turns_has_its_cause() -> None:
    """It is named like every other missing part of live."""
    shown = debate_with_speeches({"kind": "live", "feedback": False}, form={"kind": "free_flowing", "turns": 10})
    (verdict,) = score(settle(shown, owed_briefs(shown), FillingModel(raising=errors.RefusedError("x"))))
    assert "The first and the last turns were not compared (abstained)." in str(verdict.notes["missing"])


def judged_by(*systems: str) -> Debate:
    """The debate after a further judging by these systems."""
    judging = JudgingConfig.model_validate({"systems": systems})
    return debate().apply(JudgingOpened(at=START, run="r2", judging=judging))


@pytest.mark.parametrize(
    ("judged", "suggested"),
    [
        (debate(), "panel"),
        (debate(judging={"systems": ["panel"]}), "structured"),
        (judged_by("panel"), "live"),
        (judged_by("panel", "live"), "persuasion"),
        (judged_by("panel", "live", "persuasion"), "sources"),
        (judged_by("panel", "live", "persuasion", "sources"), "structured --repeat 3"),
        (opened_debate(judging={"systems": ["panel"]}), "panel --repeat 3"),
    ],
    ids=["two systems", "panel", "two runs", "two systems left", "one system left", "all systems", "no turns"],
)
def test_a_system_that_has_not_judged_is_suggested(judged: Debate, suggested: str) -> None:
    """Once all have judged, three repetitions are suggested."""
    assert suggest_judge_command(judged, "x.json") == f"debate judge x.json --system {suggested}"


def test_nothing_is_suggested_after_a_repetition_if_all_systems_have_judged() -> None:
    """The result is empty, and the HTML page has no card for it."""
    judged = judged_by("structured", "panel", "live", "persuasion", "sources")
    assert suggest_judge_command(judged, "x.json") == ""
    cards = ['class="card again"' in render_html(shown, ()) for shown in (debate(), judged)]
    assert cards == [True, False]


def test_the_suggested_command_quotes_an_untrusted_id() -> None:
    """The id stays one word of the shell command."""
    shown = debate().model_copy(update={"id": "x; rm -rf ~\n`id`"})
    assert summarize_verdicts(shown, ()).judge_again == "debate judge 'x; rm -rf ~ `id`' --system panel"


def persuasion(ada: float, bo: float) -> Verdict:
    """A verdict of `persuasion`."""
    return Verdict(
        system="persuasion", run="r1", winner="Ada", victory="narrow", margin=1, scores={"Ada": ada, "Bo": bo}
    )


@pytest.mark.parametrize("debaters", [2, 3, 5])
def test_the_scale_of_persuasion_ends_at_its_best_score(debaters: int) -> None:
    """Full conviction and stance, no attack, and all others surrendered give exactly the maximum."""
    best = DebaterState("A", 1.0, stance=1.0, conviction=1.0, attack=(0.0,))
    lost = DebaterState("B", 1.0, stance=0.0, conviction=0.0, persuasion=(1.0,), surrendered=True)
    final = {"A": best} | {f"B{number}": lost for number in range(1, debaters)}
    assert score_parts("A", final).total == theme.score_axis_max(
        persuasion(1, 1).model_copy(update={"scores": dict.fromkeys(final, 1.0)})
    )


def test_bars_end_at_the_maximum_of_the_scale() -> None:
    """32 of 80 fill 12 of 30 columns; the margin names the maximum; a score above it extends the axis."""
    assert format_margin(persuasion(32, 31)) == "1.0 of 80 points"
    assert render_text(score_bars(persuasion(32, 16), {})).splitlines()[0].count("━") == 12
    assert theme.score_axis_max(persuasion(12.5, 3).model_copy(update={"system": "structured"})) == 12.5
