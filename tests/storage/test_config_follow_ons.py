"""Two faults in one configuration: both are told in one run, and nothing that comes of one of them only."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from debate_cli.app.config_resolution import prepare_run, resolve_config
from debate_cli.errors import ConfigError

FINE = {
    "topic": "x",
    "models": {"default": {"model": "mock/a"}, "other": {"model": "lab/x"}},
    "providers": {"lab": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key_env": None}},
    "debaters": [{"name": "P", "side": "for"}, {"name": "C", "side": "against"}],
    "format": {"kind": "semi_structured", "phases": ["opening", "cross_examination", "closing"]},
    "judging": {
        "decides": "panel",
        "systems": [
            {"kind": "structured", "thresholds": {"draw": 4, "clear": 6}},
            {
                "kind": "panel",
                "min_judges": 2,
                "judges": [
                    {"id": "a", "persona": "qa_evaluator"},
                    {"id": "b", "persona": "own", "description": "d"},
                    {"id": "c", "persona": "domain_expert"},
                ],
            },
        ],
    },
    "limits": {"max_cost_usd": None},
}
OF_FORM: list[tuple[str, Any]] = [
    ("models", 5), ("models.default", 5), ("models.default.modle", "x"), ("models.default.temperature", 9),
    ("providers", 5), ("providers.lab", 5), ("providers.lab.kind", "opnai"), ("providers.lab.api_key_env", 5),
    ("providers.lab.price", {"input": "x", "output": 1}), ("providers.lab.xyzzy", 1),
    ("debaters.0", 5), ("debaters.0.name", 5), ("debaters.0.side", 5), ("debaters.0.prefix", "1"), ("debaters.0.model", 5),
    ("debaters.0.stance", 7), ("debaters.0.modl", "x"), ("debaters.0.xyzzy", 1),
    ("format.kind", "structred"), ("format.arguments", 0), ("format.xyzzy", 0),
    ("judging.systems", 5), ("judging.systems.0", 5), ("judging.systems.0.kind", "zzz"), ("judging.systems.1.kind", "panle"),
    ("judging.systems.0.thresholds.clear", "x"), ("judging.systems.0.thresholds.cler", 7), ("judging.systems.0.judges", 0),
    ("judging.systems.1.judges", 5), ("judging.systems.1.judges.0", 5), ("judging.systems.1.judges.0.id", 5),
    ("judging.systems.1.judges.1.description", 5), ("judging.systems.1.judges.1.weight", 0), ("judging.systems.1.judgse", []),
    ("modles", {"z": {"model": "mock/z"}}), ("xyzzy", 1),
]  # fmt: skip
OF_THE_WHOLE: list[tuple[str, Any]] = [
    ("topic", "  "), ("debaters.1.name", "p"), ("debaters.1.side", "for"), ("debaters.1.side", "fro"), ("debaters.1.prefix", "PRO"),
    ("debaters.1.model", "strong"), ("models.default.script", "x"), ("models.other.latency_s", 1), ("models.default.model", "mok/x"),
    ("debaters.1.model", "openai/x"), ("debaters.1.model", "lab/y"), ("limits.max_cost_usd", 1), ("providers.lab.base_url", "nope"),
    ("format.phases", ["opening", "closing"]), ("judging.decides", "live"), ("judging.systems.0.judge", "strong"),
    ("judging.systems.0.thresholds.draw", 9), ("judging.systems.1.min_judges", 4), ("judging.systems.1.judges.2.id", "A"),
    ("judging.systems.1.judges.2.persona", "zzz"), ("judging.systems.1.dimensions", ["a", "a"]),
    ("judging.systems.1.personas", ["qa_evaluator"]),
]  # fmt: skip
TOLD_TOGETHER = [
    ("models", "debaters.1.name"), ("providers", "judging.decides"), ("debaters.0.stance", "debaters.1.side"),
    ("debaters.0.side", "debaters.1.side"), ("debaters.0.xyzzy", "debaters.1.name"), ("format.arguments", "format.phases"),
    ("judging.systems.0.judges", "judging.systems.0.judge"), ("judging.systems.0.judges", "judging.systems.0.thresholds.draw"),
    ("judging.systems.1.kind", "judging.systems.1.min_judges"), ("judging.systems.1.judges.0", "judging.systems.1.dimensions"),
    ("judging.systems.1.judges.1.weight", "judging.systems.1.min_judges"),
    ("judging.systems.1.judges.1.weight", "judging.decides"), ("providers.lab.price", "providers.lab.base_url"),
    ("models.default.temperature", "models.default.script"),
]  # fmt: skip


def told(*faults: tuple[str, Any]) -> set[str]:
    """What is wrong, without places, with the fine configuration with these `faults` put into it."""
    data = deepcopy(FINE)
    for key, value in faults:
        *within, last = [int(part) if part.isdigit() else part for part in key.split(".")]
        holder: Any = data
        for part in within:
            holder = holder[part]
        holder[last] = value
    try:
        prepare_run(resolve_config(None, {}, text=json.dumps(data), asked=True), {})
    except ConfigError as error:
        return {line.partition(": ")[2] for line in error.problems}
    return set()


def apart(one: str, other: str) -> bool:
    """Whether two keys can be changed independently."""
    return not f"{one}.".startswith(f"{other}.") and not f"{other}.".startswith(f"{one}.")


def test_the_configuration_that_faults_are_put_into_is_fine() -> None:
    """What is told of it comes of the faults."""
    assert told() == set()


@pytest.mark.parametrize("form", OF_FORM, ids=lambda fault: str(fault[0]))
def test_nothing_is_told_that_comes_of_another_fault(form: tuple[str, Any]) -> None:
    """With any fault of the whole beside one of form: what is told, one of them told alone, too."""
    alone = {str(whole): told(whole) for whole in OF_THE_WHOLE}
    for whole in OF_THE_WHOLE:
        if apart(form[0], whole[0]):
            assert told(form, whole) <= told(form) | alone[str(whole)]


@pytest.mark.parametrize(("form", "whole"), TOLD_TOGETHER, ids=" and ".join)
def test_a_contradiction_is_told_beside_a_mistake_of_form(form: str, whole: str) -> None:
    """In one run, wherever it does not hang on what is wrong."""
    one, other = ((key, dict(faults)[key]) for key, faults in ((form, OF_FORM), (whole, OF_THE_WHOLE)))
    assert told(one, other) == told(one) | told(other) != told(one)


STRANGERS = ("xyzzy", "modl", "modle", "modles", "cler", "judgse")
VALUES = sorted({key for key, _ in OF_FORM + OF_THE_WHOLE if not key.endswith(STRANGERS)})


@pytest.mark.parametrize("key", VALUES)
def test_of_a_variable_that_is_not_set_nothing_else_is_told(key: str) -> None:
    """What would stand there is not known, so that nothing is wrong with it; what is wrong elsewhere is told all the same."""
    elsewhere = ("limits.max_tokens", 0)
    assert len(told((key, "${NOPE}"))) == 1
    assert told((key, "${NOPE}"), elsewhere) == told((key, "${NOPE}")) | told(elsewhere)
