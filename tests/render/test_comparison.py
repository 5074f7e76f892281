"""Two judgements side by side: the sentences, the tables, and that no word of them is Python's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from render_support import HOSTILE, START, debate, drawn_tables, events, exchange, structured_assessment, unscored

from debate_cli.app.compare import LATEST_RUNS, ComparisonSide, compare_judgments
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate, fold
from debate_cli.domain.events import DebateClosed, JudgingOpened
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.render.comparison import (
    ComparedPair,
    build_comparison_document,
    build_comparison_tables,
    summarize_comparison,
)
from debate_cli.render.plain import table_lines
from debate_cli.systems.structured.findings import Trace

TOLD = debate()
CUT = "\x1b\x07\u202e\x9b"


def compared(a: Debate, b: Debate, *runs: str) -> ComparedPair:
    """The debates as `a.json` and `b.json`; one file where runs of it are compared."""
    sides = ComparisonSide(a, runs[0] if runs else LATEST_RUNS), ComparisonSide(b, runs[1] if runs else LATEST_RUNS)
    return ComparedPair(("a.json", "a.json" if runs else "b.json"), sides, compare_judgments(*sides))


def marked(value: float, participant: str = "Ada") -> Debate:
    """The debate in which every structured mark of one debater is `value`."""
    found = structured_assessment()
    marks = tuple(
        mark.model_copy(update={"value": value}) if mark.participant == participant else mark for mark in found.marks
    )
    others = [item for item in TOLD.assessments if item.system != "structured"]
    return TOLD.with_assessments([*others, found.model_copy(update={"marks": marks})])


def standing(item: str, found: str) -> Debate:
    """The debate in which one claim was found to stand so; another seed, so that it is another debate anyhow."""
    told = structured_assessment()
    findings = tuple(
        one.model_copy(update={"standing": found}) if isinstance(one, Trace) and one.item == item else one
        for one in told.findings
    )
    other = debate(seed=5)
    others = [one for one in other.assessments if one.system != "structured"]
    return other.with_assessments([*others, told.model_copy(update={"findings": findings})])


def without(system: str) -> Debate:
    """The debate as if that system had never been asked."""
    systems = tuple(item for item in TOLD.config.judging.systems if item.kind != system)
    told = debate(judging=JudgingConfig(systems=systems))
    return told.with_assessments([item for item in TOLD.assessments if item.system != system])


def deciding(system: str, told: Debate) -> Debate:
    """The debate of which that system's verdict decides."""
    judging = JudgingConfig(systems=TOLD.config.judging.systems, decides=system)
    return debate(judging=judging).with_assessments(told.assessments)


def spoken_by(model: str, *names: str) -> Debate:
    """The debate in which these debaters spoke with that model; another seed, so that it is another debate anyhow."""
    turns = tuple(
        turn.model_copy(update={"exchange": exchange(model=model)}) if turn.speaker in names else turn
        for turn in TOLD.turns
    )
    return debate(seed=5).model_copy(update={"turns": turns})


def rejudged() -> Debate:
    """The debate with a second run, in which structured judged it with another model."""
    told = TOLD.apply(
        JudgingOpened(at=START, run="r2", judging=JudgingConfig(), models={"judge": ModelSpec(model="mock/other")})
    )
    again = structured_assessment().model_copy(update={"run": "r2", "exchange": exchange(model="mock/other")})
    return told.with_assessments([*told.assessments, again])


def lines(told: ComparedPair) -> str:
    """As it stands off a terminal."""
    return "\n".join(line for table in build_comparison_tables(told) for line in table_lines(table))


def drawn(told: ComparedPair, width: int) -> str:
    """As it stands on a terminal."""
    return drawn_tables(build_comparison_tables(told), width)


def test_where_nothing_differs_one_sentence_says_so() -> None:
    """And the tables show what is alike."""
    assert summarize_comparison(compared(TOLD, TOLD)) == [
        "Nothing differs: verdicts, scores, standings and settings are the same."
    ]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            lambda: marked(10),
            "The outcomes differ: Bo wins A narrowly (structured, by 1.1); Ada wins B narrowly (structured, by 2.55).",
        ),
        (
            lambda: marked(1),
            "The winner is the same: Bo wins A narrowly (structured, by 1.1); Bo wins B clearly (structured, by 6.45).",
        ),
        (unscored, "The outcomes differ: Bo wins A narrowly (structured, by 1.1); B is undetermined (structured)."),
    ],
    ids=["other winner", "other margin", "undetermined"],
)
def test_the_first_sentence_tells_what_is_decided(other: Callable[[], Debate], said: str) -> None:
    """By the deciding verdict of each side."""
    assert summarize_comparison(compared(TOLD, other()))[0] == said


def test_where_systems_differ_it_says_which_judged_what() -> None:
    """And compares what both have."""
    told = compared(TOLD, without("moderator"))
    assert "Structured judged both; moderator judged A only." in summarize_comparison(told)
    assert "The verdict is the same under structured, by the same margin." in summarize_comparison(told)
    assert "structured  Ada  (A " in lines(told)
    assert "moderator  Ada  (A " not in lines(told)


def test_a_system_that_concluded_nothing_on_either_has_no_margin() -> None:
    """It is not among those whose verdict is the same."""
    a, b = (
        told.with_assessments([item for item in told.assessments if item.system == "structured"])
        for told in (TOLD, debate(seed=5))
    )
    told = summarize_comparison(compared(a, b))
    assert "The verdict is the same under structured, by the same margin." in told
    assert "Moderator concluded nothing on either." in told


def test_a_margin_is_said_to_differ_once() -> None:
    """Systems are named again only where others keep theirs."""
    other = marked(6)
    alone = other.with_assessments([item for item in other.assessments if item.system == "structured"])
    assert "The verdict is the same under structured, by another margin." in summarize_comparison(compared(TOLD, alone))
    assert (
        "The verdict is the same under structured and moderator, by another margin under structured."
        in summarize_comparison(compared(TOLD, other))
    )


def test_outcomes_are_compared_under_a_system_that_judged_both() -> None:
    """Where each side is decided by another one, which is said."""
    told = summarize_comparison(compared(TOLD, deciding("moderator", marked(10))))
    assert told[:2] == [
        "A is decided by structured, B by moderator.",
        "The outcomes differ: Bo wins A narrowly (structured, by 1.1); Ada wins B narrowly (structured, by 2.55).",
    ]
    assert "The verdict is the same under moderator, by the same margin." in told
    assert not any(sentence.startswith("By structured") for sentence in told)


def test_a_system_that_concluded_on_one_side_only_compares_nothing() -> None:
    """It judged both, but there is nothing to hold against the other."""
    a, b = (
        TOLD.with_assessments([item for item in TOLD.assessments if item.system == system])
        for system in ("structured", "moderator")
    )
    found = summarize_comparison(compared(a, deciding("moderator", b)))
    assert found[1].startswith("No system came to a verdict on both, so their outcomes are not compared: Bo wins A ")


def test_other_motions_stand_before_the_outcomes() -> None:
    """Whoever reads that they differ knows by then that another question was debated."""
    told = summarize_comparison(compared(TOLD, debate(topic="Should there be a tram?")))
    assert told[0] == "The motions are different."


def test_debaters_with_other_models_are_named() -> None:
    """In the order in which they stand in A; one speaks, several speak."""
    assert "Ada and Bo speak with other models in B." in summarize_comparison(
        compared(TOLD, spoken_by("mock/b", "Ada", "Bo"))
    )
    assert "Bo speaks with another model in B." in summarize_comparison(compared(TOLD, spoken_by("mock/b", "Bo")))


def test_judges_of_a_panel_are_told_by_their_names() -> None:
    """Where one is on one side only; their weights and descriptions would be cut."""
    names = ("architect-of-all-systems", "security-of-all-systems", "the-one-who-is-on-call")
    judges = [{"id": name, "persona": "technical_architect", "weight": 0.4} for name in names]
    a, b = (debate(judging={"systems": [{"kind": "panel", "judges": found}]}) for found in (judges, judges[:2]))
    shown_settings = lines(compared(a, b)).split("== Settings that differ ==")[1]
    assert f"panel.judges\n  A: {', '.join(names)}\n  B: {', '.join(names[:2])}" in shown_settings


def test_where_no_system_judged_both_it_says_so() -> None:
    """There are no scores side by side then; each side's stand with its verdict."""
    told = compared(without("moderator"), without("structured"))
    decided, outcomes, systems, *_ = summarize_comparison(told)
    assert decided == "A is decided by structured, B by moderator."
    assert outcomes.startswith("No system judged both, so their outcomes are not compared: Bo wins A narrowly (struct")
    assert systems == "Structured judged A only; moderator judged B only."
    assert "Only A was asked which claims stand, so there are no standings to compare." in summarize_comparison(told)
    assert "== Scores ==" not in lines(told)
    assert "moderator  only B  (A: not judged)\n  B: Bo, " in lines(told)


def test_scores_without_a_counterpart_stand_with_their_verdict() -> None:
    """Where nothing was judged yet, and where other debaters speak; what nobody was asked for is told from what needs no model."""
    told = compared(TOLD, unscored())
    assert "== Scores ==" not in lines(told)
    assert "structured  other outcome  (B: undetermined)\n  A: Bo, narrow, margin 1.1, Ada 6.35 · Bo 7.45" in lines(
        told
    )
    assert "B: structured r1, moderator r1: undetermined, no judge was heard" in lines(told)
    assert not any("was judged by" in sentence for sentence in summarize_comparison(told))


def test_an_unfinished_debate_is_named() -> None:
    """With how far it came."""
    told = compared(TOLD, fold([event for event in events(seed=5) if not isinstance(event, DebateClosed)]))
    assert "B is not finished: 6 speeches so far." in summarize_comparison(told)
    assert "state  A: complete, B: incomplete" in lines(told)


def test_margins_stand_beside_each_other() -> None:
    """With how much they grew while the winner is the same."""
    assert "structured  margin, A 1.1, B 6.45, change: +5.35" in lines(compared(TOLD, marked(1)))
    assert "structured  margin, A 1.1, B 2.55, change: —" in lines(compared(TOLD, marked(10)))


def test_other_judges_are_named() -> None:
    """Per system and run, with their models."""
    told = compared(rejudged(), rejudged(), "r1", "r2")
    assert "Under structured, A was judged by mock/judge and B by mock/other." in summarize_comparison(told)
    assert "judges\n  A: structured r1, moderator r1: mock/judge\n  B: structured r2: mock/other" in lines(told)


def test_who_really_spoke_is_named() -> None:
    """Where the mock stood in for the configured models: in the table and in JSON; that is no other model than the mock's own."""
    real = {"default": {"model": "openai/gpt-5"}, "judge": {"model": "mock/judge"}}
    told = compared(TOLD, debate(models=real))
    assert (
        "debaters\n  A: Ada: mock, no model, Bo: mock, no model\n  B: Ada: mock, no model (configured: openai/gpt-5)"
        in lines(told)
    )
    assert build_comparison_document(told)["b"]["debaters"] == {"Ada": "mock/debater", "Bo": "mock/debater"}
    assert "The debaters and their models are the same." in summarize_comparison(told)


def test_a_dearer_debate_is_named() -> None:
    """By how much it cost more."""
    dear = structured_assessment().model_copy(update={"exchange": exchange().model_copy(update={"cost_usd": 1.002})})
    others = [item for item in TOLD.assessments if item.system != "structured"]
    told = compared(TOLD, TOLD.with_assessments([*others, dear]))
    assert summarize_comparison(told)[-1] == "B cost $1.00 more."
    assert "judging cost  A: $0.0100, B: $1.01" in lines(told)


@pytest.mark.parametrize(
    ("found", "said"),
    [("REFUTED", "1 of 4 claims has another standing: PRO-2."), ("UPHELD", "No standing changed: 4 claims looked at.")],
)
def test_claims_whose_standing_differs_are_named(found: str, said: str) -> None:
    """With how many were looked at."""
    told = compared(TOLD, standing("PRO-2", found))
    assert said in summarize_comparison(told)
    assert ("== Claims whose standing differs ==" in lines(told)) == (found == "REFUTED")


@pytest.mark.parametrize("width", [80, 120, 200])
def test_no_word_is_pythons(width: int) -> None:
    """Settings that are not set, texts and mappings are told in words."""
    other = debate(seed=2, background="A tram, or a bus?", models={"default": {"model": "mock/b"}})
    told = compared(TOLD, other)
    for text in (lines(told), drawn(told, width), "\n".join(summarize_comparison(told))):
        assert not any(sign in text for sign in ("None", "'", "{", "[", "True"))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_key_of_a_setting_is_not_broken(width: int) -> None:
    """It stands on one line, or is parted at its last dot."""
    systems = [{"kind": "structured", "thresholds": {"draw": 0.5, "clear": 0.9}}]
    told = compared(TOLD, debate(judging={"systems": systems}, background="A long text of many words. " * 9))
    found = drawn(told, width)
    assert "structured.thresholds.draw" in found or "structured.thresholds." in found.split("settings that differ")[1]
    assert all(len(line) <= width for line in found.splitlines())


def test_names_and_texts_are_cleaned() -> None:
    """They come from a file."""
    told = compared(TOLD, debate(background=HOSTILE, topic=HOSTILE))
    assert not any(sign in lines(told) + drawn(told, 80) for sign in CUT)
