"""JudgementComparison of two judgements: sentences, tables and JSON."""

import pytest
from poisoned_support import plain_debate
from render_support import (
    HOSTILE,
    START,
    debate,
    events,
    exchange,
    render_tables,
    structured_assessment,
    unjudged,
    with_assessment,
    with_second_judging,
)

from debate_cli.app.compare import LATEST_RUNS, ComparisonSide, JudgementComparison
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import DebateClosed, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.render.comparison import (
    build_comparison_document,
    build_comparison_tables,
    summarize_comparison,
)
from debate_cli.render.text.plain import table_lines
from debate_cli.systems.structured.findings import Trace

BASE = debate()
STRUCTURED = structured_assessment()


def compare(b: Debate, a: Debate = BASE, *runs: str) -> JudgementComparison:
    """Compare `a.json` with `b.json`, or two runs of `a.json`."""
    return JudgementComparison(
        ComparisonSide(a, runs[0] if runs else LATEST_RUNS, "a.json"),
        ComparisonSide(b, runs[1] if runs else LATEST_RUNS, "a.json" if runs else "b.json"),
    )


def marked(value: float) -> Debate:
    """The debate in which every structured mark of Ada is `value`."""
    marks = tuple(
        mark.model_copy(update={"value": value}) if mark.participant == "Ada" else mark for mark in STRUCTURED.marks
    )
    return with_assessment(BASE, STRUCTURED.model_copy(update={"marks": marks}))


def with_standing(item: str, standing: str) -> Debate:
    """A debate with another seed in which one claim has this standing."""
    findings = tuple(
        one.model_copy(update={"standing": standing}) if isinstance(one, Trace) and one.item == item else one
        for one in STRUCTURED.findings
    )
    return with_assessment(debate(seed=5), STRUCTURED.model_copy(update={"findings": findings}))


def only(system: str, of: Debate = BASE) -> Debate:
    """The debate without assessments of other systems."""
    return of.with_assessments([item for item in of.assessments if item.system == system])


def without(system: str) -> Debate:
    """The debate configured and judged without one system."""
    systems = tuple(item for item in BASE.config.judging.systems if item.kind != system)
    configured = debate(judging=JudgingConfig(systems=systems))
    return configured.with_assessments([item for item in BASE.assessments if item.system != system])


def decided_by(system: str, judged: Debate) -> Debate:
    """The debate with another deciding system."""
    judging = JudgingConfig(systems=BASE.config.judging.systems, decides=system)
    return debate(judging=judging).with_assessments(judged.assessments)


def unfinished() -> Debate:
    """A debate with another seed that was not closed."""
    return fold([event for event in events(seed=5) if not isinstance(event, DebateClosed)])


def costly() -> Debate:
    """The debate with a judge call that cost $1 more."""
    return with_assessment(
        BASE, STRUCTURED.model_copy(update={"exchange": exchange().model_copy(update={"cost_usd": 1.002})})
    )


def lines(pair: JudgementComparison) -> str:
    """The tables as plain lines."""
    return "\n".join(line for table in build_comparison_tables(pair) for line in table_lines(table))


def drawn(pair: JudgementComparison, width: int) -> str:
    """The tables on a terminal."""
    return render_tables(build_comparison_tables(pair), width)


BO_NARROWLY = "A: Bo wins narrowly, by 1.1 of 10 points."


@pytest.mark.parametrize(
    ("other", "sentences"),
    [
        (BASE, ["Nothing differs: verdicts, scores, standings and settings are the same."]),
        (
            marked(10),
            ["The outcomes differ (structured).", BO_NARROWLY, "B: Ada wins narrowly, by 2.55 of 10 points."],
        ),
        (
            marked(1),
            ["The outcome is the same (structured).", BO_NARROWLY, "B: Bo wins clearly, by 6.45 of 10 points."],
        ),
        (
            unjudged(),
            [
                "The outcomes differ (structured).",
                BO_NARROWLY,
                "B: Undetermined: too little was assessed for a verdict.",
            ],
        ),
        (debate(topic="Should there be a tram?"), ["The motions are different."]),
        (
            decided_by("moderator", marked(10)),
            ["The outcomes differ (structured).", BO_NARROWLY, "B: Ada wins narrowly, by 2.55 of 10 points."],
        ),
    ],
    ids=["equal", "winner", "margin", "undetermined", "motion", "deciding system"],
)
def test_the_first_sentences_have_the_main_difference(other: Debate, sentences: list[str]) -> None:
    """Outcomes are compared under a system that judged both; another motion is named first."""
    assert list(summarize_comparison(compare(other)))[: len(sentences)] == sentences


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        (compare(with_standing("PRO-2", "REFUTED")), "Claims whose standing differs: 1 of 4."),
        (compare(with_standing("PRO-2", "UPHELD")), "Claims whose standing differs: 0 of 4."),
    ],
)
def test_differences_are_described_in_sentences(pair: JudgementComparison, sentence: str) -> None:
    """A sentence on the standings says how many claims were compared."""
    assert sentence in summarize_comparison(pair)


def test_systems_without_verdicts_on_both_sides_are_not_compared() -> None:
    """A sentence says so, and there is no table of scores."""
    pair = compare(without("structured"), without("moderator"))
    assert (
        next(summarize_comparison(pair)) == "No system has a verdict in both A and B, so the outcomes are not compared."
    )
    assert "== Scores ==" not in lines(pair)
    assert "moderator  in only one of A and B  (A: not judged, B: Bo, " in lines(pair)


def test_systems_of_one_side_are_listed_as_words() -> None:
    """The last sentence names them, because their settings are not compared."""
    *_, last = summarize_comparison(compare(plain_debate()))
    assert last.endswith("that have a verdict only in A or only in B (panel, live, persuasion, sources).")


def test_other_judges_are_named() -> None:
    """Per system and run, with their models."""
    again = (
        with_second_judging()
        .model_copy(update={"runs": debate().runs})
        .apply(
            JudgingOpened(at=START, run="r2", judging=JudgingConfig(), models={"judge": ModelSpec(model="mock/other")})
        )
    )
    second = STRUCTURED.model_copy(update={"run": "r2", "exchange": exchange(model="mock/other")})
    again = again.with_assessments([*BASE.assessments, second])
    pair = compare(again, again, "r1", "r2")
    of_a = "structured r1: mock/judge (no model), moderator r1: mock/judge (no model)"
    assert f"judges\n  A: {of_a}\n  B: structured r2: mock/other (no model)" in lines(pair)


def test_the_mock_is_named_instead_of_configured_models() -> None:
    """A rehearsal of a real configuration has the same debaters as a mock configuration."""
    pair = compare(debate(models={"default": {"model": "openai/gpt-5"}, "judge": {"model": "mock/judge"}}))
    a, b = "Ada: mock, no model, Bo: mock, no model", "Ada: mock, no model (configured: openai/gpt-5)"
    assert f"debaters\n  A: {a}\n  B: {b}" in lines(pair)
    assert build_comparison_document(pair)["b"]["debaters"] == {"Ada": "mock/debater", "Bo": "mock/debater"}


@pytest.mark.parametrize(
    ("other", "line"),
    [
        (marked(1), "structured  margin  (A 1.1, B 6.45, change: +5.35, out of: 10 points)"),
        (marked(10), "structured  margin  (A 1.1, B 2.55, change: —, out of: 10 points)"),
        (unfinished(), "state  A: complete, B: incomplete"),
        (costly(), "judging cost  A: $0.0100, B: $1.01"),
        (with_standing("PRO-2", "REFUTED"), "PRO-2  Ada  (A: upheld, B: refuted)"),
    ],
)
def test_tables_have_both_values(other: Debate, line: str) -> None:
    """A margin has its change while the winner is the same."""
    assert line in lines(compare(other))
    assert line not in lines(compare(BASE))


def test_scores_are_compared_under_systems_that_judged_both() -> None:
    """A system that judged one side has no rows."""
    found = lines(compare(without("moderator")))
    assert ("structured  Ada  (A " in found, "moderator  Ada  (A " in found) == (True, False)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_values_are_shown_in_words_and_keys_are_not_broken(width: int) -> None:
    """Unset settings, texts and mappings are not shown as Python objects; a key is broken at its last dot only."""
    systems = [{"kind": "structured", "thresholds": {"draw": 0.5, "clear": 0.9}}]
    changes = {"seed": 2, "background": "A long text of many words. " * 9, "models": {"default": {"model": "mock/b"}}}
    pair = compare(debate(judging={"systems": systems}, **changes))
    output = drawn(pair, width)
    for text in (lines(pair), output, "\n".join(summarize_comparison(pair))):
        assert not any(sign in text for sign in ("None", "'", "{", "[", "True"))
    assert "structured.thresholds." in output
    assert all(len(line) <= width for line in output.splitlines())


def test_untrusted_text_is_sanitized() -> None:
    """Motion and background come from a file."""
    pair = compare(debate(background=HOSTILE, topic=HOSTILE))
    assert not any(sign in lines(pair) + drawn(pair, 80) for sign in "\x1b\x07\u202e\x9b")
