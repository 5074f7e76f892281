"""The structured judge: its form, and the assessment made of it."""

from typing import Any

import pytest
from formats_support import argument, config, new_debate, turn, with_turns
from judging_support import FillingModel, assess, assess_filled, debate_with_speeches

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.model_call import RawAnswer
from debate_cli.domain.tasks import Cue
from debate_cli.judging.schedule import owed_briefs
from debate_cli.systems.structured.findings import Fallacy, Insight, Trace
from debate_cli.systems.structured.settings import FALLACY_DEFINITIONS, StructuredSettings


def brief_of(debate: Debate) -> Any:
    """The one owed brief."""
    (brief,) = owed_briefs(debate)
    return brief


def test_every_argument_has_four_marks_and_a_trace() -> None:
    """Each argument has four marks out of 10 and a trace, and one insight follows."""
    debate = debate_with_speeches()
    assessment = assess_filled(brief_of(debate), debate)
    assert [(mark.item, mark.criterion) for mark in assessment.marks] == [
        (item, criterion)
        for item in ("PRO-1", "PRO-2", "CON-1", "CON-2")
        for criterion in ("logic", "evidence", "responsiveness", "honesty")
    ]
    assert {mark.out_of for mark in assessment.marks} == {10}
    assert assessment.warnings == ()
    *before, last = assessment.findings
    traces = [finding for finding in before if isinstance(finding, Trace)]
    assert [(trace.participant, trace.item, trace.claim) for trace in traces] == [
        (name, f"{name.upper()}-{number}", "Something holds.") for name in ("Pro", "Con") for number in (1, 2)
    ]
    assert isinstance(last, Insight)


@pytest.mark.parametrize(
    ("name", "quote", "kept"),
    [
        ("straw man", "because of  SOMETHING else", True),
        ("Straw Man", "A study", True),
        ("straw man", "nobody said this", False),
        ("red herring", "Because of something else", False),
        ("straw man", "", False),
    ],
)
def test_a_fallacy_needs_a_known_name_and_a_true_quote(name: str, quote: str, kept: bool) -> None:
    """A fallacy with an unknown name or an invented quote is dropped with a warning."""
    debate = debate_with_speeches()
    fallacies = [{"name": name, "quote": quote}]
    assessment = assess_filled(brief_of(debate), debate, lambda form: form["arguments"][0].update(fallacies=fallacies))
    found = [finding for finding in assessment.findings if isinstance(finding, Fallacy)]
    assert [(item.participant, item.item, item.name) for item in found] == [("Pro", "PRO-1", "straw man")] * kept
    assert [warning.split(":")[0] for warning in assessment.warnings] == ["dropped_fallacy"] * (not kept)


def test_the_judge_reads_criteria_and_definitions() -> None:
    """Own criteria with their descriptions are in the prompt and the form; so are fallacies with their definitions."""
    criteria = [{"name": "json", "description": "1 = obscure, 10 = plain"}]
    fallacies = [{"name": "sunk cost", "definition": "Goes on because of what was spent."}]
    debate = debate_with_speeches({"kind": "structured", "criteria": criteria, "fallacies": fallacies})
    model = FillingModel(lambda form: form["arguments"][0].update(json=9))
    found = assess(brief_of(debate), debate, model)
    assert isinstance(found, Assessment)
    assert [(mark.criterion, mark.value) for mark in found.marks][:1] == [("json", 9)]
    prompt = model.requests[0].messages[-1].content
    assert all(words in prompt for words in ("1 = obscure, 10 = plain", "Goes on because of what was spent."))
    assert "responsiveness" not in prompt


def test_a_shipped_fallacy_keeps_its_definition() -> None:
    """The definition is the shipped one for a bare name and for an entry without a definition; a written one counts."""
    entries = ["straw man", {"name": "straw man"}, {"name": "straw man", "definition": "mine"}]
    found = [item.definition for item in StructuredSettings.model_validate({"fallacies": entries}).fallacies]
    assert found == [FALLACY_DEFINITIONS["straw man"], FALLACY_DEFINITIONS["straw man"], "mine"]


def test_a_mark_outside_the_scale_is_clamped() -> None:
    """14 of 10 counts as 10, -3 as 1, each with a warning."""

    def change(form: dict[str, Any]) -> None:
        form["arguments"][0].update(logic=14, evidence=-3)

    debate = debate_with_speeches()
    assessment = assess_filled(brief_of(debate), debate, change)
    assert [mark.value for mark in assessment.marks[:2]] == [10, 1]
    assert [warning.split(":")[0] for warning in assessment.warnings] == ["clamped", "clamped"]


def test_unknown_and_repeated_arguments_are_dropped() -> None:
    """Marks of unknown and repeated arguments are dropped with a warning."""

    def change(form: dict[str, Any]) -> None:
        first = form["arguments"][0]
        form["arguments"] += [{**first, "item": "PRO-9"}, {**first, "logic": 1}]

    debate = debate_with_speeches()
    assessment = assess_filled(brief_of(debate), debate, change)
    assert len(assessment.marks) == 16
    assert assessment.marks[0].value == 5
    assert [warning.split(":")[0] for warning in assessment.warnings] == ["unknown", "duplicate"]


def test_a_form_without_an_argument_is_asked_again() -> None:
    """A second incomplete form is an abstention; no mark is invented."""
    model = FillingModel(lambda form: form["arguments"].pop())
    debate = debate_with_speeches()
    result = assess(brief_of(debate), debate, model)
    assert isinstance(result, Failure)
    assert (result.cause, result.final) == ("abstained", True)
    assert len(model.requests) > 1
    assert "arguments" in model.requests[-1].messages[-1].content


def test_an_abstaining_judges_words_are_kept() -> None:
    """Whatever the model wrote last is in the failure, thinking included."""
    debate = debate_with_speeches()
    result = assess(brief_of(debate), debate, FillingModel(says="<think>hm</think> I like Pro."))
    assert isinstance(result, Failure)
    assert (result.cause, result.raw) == ("abstained", RawAnswer(text="<think>hm</think> I like Pro."))


def test_only_openings_and_free_speeches_are_judged() -> None:
    """An argument in a cross-examination has no marks."""
    debate = new_debate(config())
    for index, phase, name, prefix in ((0, "opening", "Pro", "PRO"), (1, "opening", "Con", "CON")):
        cue = Cue(index=index, round=1, phase=phase, speaker=name)  # pyright: ignore[reportArgumentType]
        debate = with_turns(debate, turn(cue, arguments=[argument(f"{prefix}-1")]))
    late = Cue(index=2, round=2, phase="cross_examination", speaker="Pro")
    debate = with_turns(debate, turn(late, arguments=[argument("PRO-7")]))
    (brief,) = owed_briefs(debate_with_speeches())
    assert {mark.item for mark in assess_filled(brief, debate).marks} == {"PRO-1", "CON-1"}
