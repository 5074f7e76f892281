"""The configuration as a value: defaults, roles, and the hash that tells two apart."""

from __future__ import annotations

import pytest
from storage_support import config

from debate_cli.domain.config import DebateConfig, FormatConfig
from debate_cli.domain.judging_config import PERSONA_WEIGHTS, PanelSettings

ROLES = {"default": {"model": "mock/d"}, "strong": {"model": "mock/s"}}


def test_topic_and_debaters_are_enough() -> None:
    """Everything else has a default: structured, three rounds, three arguments, one system that decides."""
    settled = config()
    assert settled.format.phases == ("opening", "cross_examination", "closing")
    assert (settled.format.arguments, settled.format.closing_words, settled.judging.deciding_kind) == (
        3,
        200,
        "structured",
    )


@pytest.mark.parametrize(
    ("role", "model"), [(None, "mock/j"), ("strong", "mock/s"), ("lab/a:b/c", "lab/a:b/c"), ("nothing", None)]
)
def test_a_judge_is_its_own_model_or_that_of_all_judges(role: str | None, model: str | None) -> None:
    """A role is a name in `models` or a model itself; none means `models.judge`."""
    spec = config(models={**ROLES, "judge": {"model": "mock/j"}}).model_for_judge(role)
    assert (spec.model if spec else None) == model


def test_without_judge_the_default_judges() -> None:
    """`models.default` stands in for `models.judge`."""
    spec = config(models=ROLES).model_for_judge(None)
    assert spec is not None
    assert spec.model == "mock/d"


def test_no_judge_becomes_a_debaters_model_silently() -> None:
    """With neither `judge` nor `default` a judge has no model, whatever the debaters speak with."""
    assert config(models={"strong": {"model": "mock/s"}}).model_for_judge(None) is None


def test_the_hash_does_not_depend_on_how_it_was_written() -> None:
    """Defaults written out or left out, the hash is the same; another topic is another hash."""
    settled = config()
    assert DebateConfig.model_validate(settled.model_dump()).sha256() == settled.sha256()
    assert config(topic="Another").sha256() != settled.sha256()


def test_rounds_is_another_word_for_phases() -> None:
    """Both name the list of phases."""
    phases = ["opening", "cross_examination", "rebuttal", "closing"]
    assert config(format={"rounds": phases}) == config(format={"phases": phases})


def test_bare_names_are_systems_with_their_defaults() -> None:
    """`[structured, panel]` is short for two mappings."""
    assert config(judging={"systems": ["panel"]}) == config(judging={"systems": [{"kind": "panel"}]})


def test_the_default_panel_is_the_five_personas() -> None:
    """Without judges the bench is the default one, with weights that sum to 1."""
    bench = PanelSettings(judge="mock/j").members
    assert {judge.persona: judge.weight for judge in bench} == PERSONA_WEIGHTS
    assert {judge.model for judge in bench} == {"mock/j"}


def test_a_judge_of_the_users_own_weighs_one() -> None:
    """A persona that is not shipped has weight 1 unless it says otherwise."""
    panel = PanelSettings.model_validate({"judges": [{"id": "a", "persona": "cook", "description": "You cook."}]})
    assert panel.members[0].weight == 1


@pytest.mark.parametrize(
    ("written", "order"),
    [
        ({}, "simultaneous"),
        ({"kind": "semi_structured"}, "simultaneous"),
        ({"kind": "free_flowing"}, "sequential"),
        ({"kind": "free_flowing", "order": "simultaneous"}, "simultaneous"),
    ],
)
def test_free_flowing_is_one_after_the_other_by_default(written: dict[str, str], order: str) -> None:
    """What is written stays as it is, for the check of the whole to find; older transcripts say so."""
    assert FormatConfig.model_validate(written).order == order
