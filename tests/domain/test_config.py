"""The configuration as a value: defaults, roles, hash."""

from typing import Any

import pytest
from storage_support import config

from debate_cli.domain.config import DebateConfig, FormatConfig
from debate_cli.systems.panel.settings import PERSONA_WEIGHTS, PanelSettings

ROLES = {"default": {"model": "mock/d"}, "strong": {"model": "mock/s"}}


def test_topic_and_debaters_are_enough() -> None:
    """A configuration with only a topic and debaters is valid."""
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
def test_the_model_of_a_judge_is_its_own_or_that_of_all_judges(role: str | None, model: str | None) -> None:
    """A judge without a model uses `models.judge`."""
    spec = config(models={**ROLES, "judge": {"model": "mock/j"}}).model_for_judge(role)
    assert (spec.model if spec else None) == model


def test_a_judge_never_uses_the_model_of_a_debater() -> None:
    """A judge has no model if `models` has neither `judge` nor `default`."""
    assert config(models={"strong": {"model": "mock/s"}}).model_for_judge(None) is None


def test_the_hash_does_not_depend_on_written_defaults() -> None:
    """A written default does not change the hash, and another topic does."""
    settled = config()
    assert DebateConfig.model_validate(settled.model_dump()).sha256() == settled.sha256()
    assert config(topic="Another").sha256() != settled.sha256()


@pytest.mark.parametrize(
    ("rounds", "stored"),
    [
        (1, {"phases": ["opening"]}),
        (2, {"phases": ["opening", "closing"]}),
        (3, {}),
        (5, {"phases": ["opening", "cross_examination", "rebuttal", "rebuttal", "closing"]}),
        (["opening", "closing"], {"phases": ["opening", "closing"]}),
    ],
)
def test_rounds_are_stored_as_phases(rounds: int | list[str], stored: dict[str, Any]) -> None:
    """`rounds` lists the phases or is their number: from the fourth round on, each further round is a rebuttal."""
    assert config(format={"rounds": rounds}) == config(format=stored)


def test_the_default_panel_is_the_five_personas() -> None:
    """Their weights sum to 1."""
    bench = PanelSettings(judge="mock/j").members
    assert {judge.persona: judge.weight for judge in bench} == PERSONA_WEIGHTS
    assert {judge.model for judge in bench} == {"mock/j"}


@pytest.mark.parametrize(
    ("written", "order"),
    [
        ({}, "simultaneous"),
        ({"kind": "semi_structured"}, "simultaneous"),
        ({"kind": "free_flowing"}, "sequential"),
        ({"kind": "free_flowing", "order": "simultaneous"}, "simultaneous"),
    ],
)
def test_free_flowing_is_sequential_by_default(written: dict[str, str], order: str) -> None:
    """A free-flowing debate is sequential unless the configuration names another order."""
    assert FormatConfig.model_validate(written).order == order
