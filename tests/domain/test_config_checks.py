"""Contradictions within a configuration, one case per rule."""

from typing import Any

import pytest
from storage_support import config

from debate_cli.domain.config_checks import check_config, check_stored_config, find_notices

PRO, CON = {"name": "Pro", "side": "for"}, {"name": "Con", "side": "against"}
DESCRIBED = {"id": "a", "persona": "cook", "description": "You cook."}


def panel(**settings: Any) -> dict[str, Any]:
    """A configuration whose one system is a panel."""
    return {"judging": {"systems": [{"kind": "panel", **settings}]}}


CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("a topic of blanks", {"topic": " \n "}, "topic", "contains only spaces"),
    ("one debater", {"debaters": [PRO]}, "debaters", "at least two debaters"),
    ("one name", {"debaters": [PRO, {**CON, "name": "PRO"}]}, "debaters.1.name", "has this name"),
    ("called draw", {"debaters": [PRO, {**CON, "name": "Draw"}]}, "debaters.1.name", "this word in a judge's answer means that the debate has no winner"),
    ("called even", {"debaters": [{**PRO, "name": "even"}, CON]}, "debaters.0.name", "this word in a judge's answer means that no debater is ahead"),
    ("two lines", {"debaters": [PRO, {**CON, "name": "Con\nPro"}]}, "debaters.1.name", "a line break"),
    ("one prefix", {"debaters": [PRO, {**CON, "prefix": "pro"}]}, "debaters.1", "has this prefix"),
    ("one side", {"debaters": [PRO, {**CON, "side": "for"}]}, "debaters.1.side", "both debaters are on the same side"),
    ("a side of two", {"debaters": [PRO, {**CON, "side": "agianst"}]}, "debaters.1.side", "did you mean `against`?"),
    ("no model", {"models": {"judge": {"model": "mock/j"}}}, "debaters.0", "set `models.default`"),
    ("unknown role", {"debaters": [{**PRO, "model": "defualt"}, CON]}, "debaters.0.model", "did you mean `default`?"),
    ("half a model", {"debaters": [{**PRO, "model": "mock/"}, CON]}, "debaters.0.model", "write `provider/model`"),
    ("no model to judge", {"models": {"a": {"model": "mock/a"}}}, "judging.systems.0", "set `judge`, `models.judge`"),
    ("no model for one judge", {"models": {"a": {"model": "mock/a"}}, **panel(judges=[{**DESCRIBED, "model": "a"}, {**DESCRIBED, "id": "b"}])},
     "judging.systems.0.judges.1", "this judge names no model; set `model`, `models.judge`"),
    ("no model for a marker", {"models": {"a": {"model": "mock/a"}}, "judging": {"systems": [{"kind": "structured", "judges": [{"id": "a", "model": "a"}, {"id": "b"}]}]}},
     "judging.systems.0.judges.1", "this judge names no model; set `model`, `models.judge`"),
    ("unknown judge", {"judging": {"systems": [{"kind": "live", "judge": "x"}]}}, "judging.systems.0.judge", "has no entry of this name"),
    ("a server called mock", {"providers": {"mock": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"}}}, "providers.mock.kind",
     "the provider `mock` must have the kind `mock`"),
    ("a mock of another name", {"providers": {"lab": {"kind": "mock"}}}, "providers.lab.kind", "only the provider `mock` may have the kind `mock`; change the kind"),
    ("no system", {"judging": {"systems": []}}, "judging.systems", "names no system"),
    ("a system twice", {"judging": {"systems": ["live", "live"]}}, "judging.systems.1", "is listed twice"),
    ("misspelt deciding system", {"judging": {"decides": "strutured"}}, "judging.decides", "did you mean `structured`?"),
    ("decided by another", {"judging": {"decides": "panel"}}, "judging.decides", "one of these systems"),
    ("thresholds crossed", {"judging": {"systems": [{"kind": "live", "thresholds": {"draw": 3, "clear": 1}}]}},
     "judging.systems.0.thresholds", "raise `clear`"),
    ("unknown persona", panel(personas=["qa_evaluator", "qa_evaluater"]), "judging.systems.0.personas.1", "did you mean"),
    ("two judges of one id", panel(judges=[DESCRIBED, {**DESCRIBED, "id": "A"}]), "judging.systems.0.judges.1", "has this id"),
    ("a path for an id", panel(judges=[DESCRIBED, {**DESCRIBED, "id": "b/c"}]), "judging.systems.0.judges.1", "slashes"),
    ("a judge's unknown model", panel(judges=[DESCRIBED, {**DESCRIBED, "id": "b", "model": "x"}]),
     "judging.systems.0.judges.1.model", "has no entry of this name"),
    ("too few judges", panel(personas=["qa_evaluator", "domain_expert"], min_judges=3), "judging.systems.0.min_judges",
     "has 2 judges and needs 3"),
    ("judges and personas", panel(judges=[DESCRIBED, {**DESCRIBED, "id": "b"}], personas=["qa_evaluator"]),
     "judging.systems.0.personas", "keep one"),
    ("a dimension twice", panel(dimensions=["logic", "logic"]), "judging.systems.0.dimensions.1", "is listed twice"),
    ("no opening", {"format": {"phases": ["cross_examination", "closing"]}}, "format.phases", "first phase must be `opening`"),
    ("no closing", {"format": {"phases": ["opening", "cross_examination"]}}, "format.phases", "last phase must be `closing`"),
    ("two openings", {"format": {"phases": ["opening", "opening", "closing"]}}, "format.phases", "only the first phase may be `opening`"),
    ("rebuttal too soon", {"format": {"phases": ["opening", "rebuttal", "cross_examination", "closing"]}},
     "format.phases", "right after `opening`"),
    ("a foreign phase", {"format": {"phases": ["opening", "speech", "closing"]}}, "format.phases", "`answers` and `speech` are not allowed here"),
    ("semi-structured without cross-examination", {"format": {"kind": "semi_structured", "phases": ["opening", "closing"]}}, "format.phases", "set `rounds` to 3 or more"),
    ("a weak real model", {"models": {"default": {"model": "openai/x", "strength": 0.5}}}, "models.default.strength", "mock"),
    ("a biased real model", {"models": {"default": {"model": "openai/x", "bias": {"first": 1}}}}, "models.default.bias", "mock"),
    ("a slow real model", {"models": {"default": {"model": "openai/x", "latency_s": 1}}}, "models.default.latency_s", "mock"),
    ("a script for no script", {"models": {"default": {"model": "mock/d", "script": "s.yaml"}}}, "models.default.script", "scripted"),
    ("free and at once", {"format": {"kind": "free_flowing", "order": "simultaneous"}}, "format.order", "write `sequential`"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "path", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_contradiction_is_one_problem(changes: dict[str, Any], path: str, words: str) -> None:
    """Each contradiction is reported once, at its key path, with advice."""
    problems = {".".join(map(str, problem.path)): problem.message for problem in check_config(config(**changes))}
    assert words in problems.get(path, f"no problem at {path}: {problems}")


def test_a_stored_debate_may_use_the_mock_under_another_name() -> None:
    """Versions before this rule have stored such debates, with settings that only the mock has."""
    models = {"default": {"model": "lab/x", "latency_s": 1}}
    assert not check_stored_config(config(providers={"lab": {"kind": "mock"}}, models=models))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"debaters": [PRO, CON, {"name": "Third", "side": "for"}]},
        {"debaters": [{**PRO, "model": "lab/a:b"}, {**CON, "model": "default"}]},
        {"format": {"phases": ["opening", "cross_examination", "rebuttal", "rebuttal", "closing"]}},
        {"format": {"kind": "free_flowing", "phases": ["speech"]}},
        {"format": {"kind": "free_flowing", "order": "sequential"}},
        {"models": {"default": {"model": "mock/x", "latency_s": 1}}, "providers": {"mock": {"max_concurrency": 2}}},
        {"judging": {"systems": ["structured", "moderator", "panel", "live", "persuasion"]}},
        {"models": {"a": {"model": "mock/a"}}, "debaters": [{**PRO, "model": "a"}, {**CON, "model": "a"}],
         "judging": {"systems": ["persuasion"]}},
        panel(judges=[DESCRIBED, {"id": "b", "persona": "qa_evaluator"}]),
    ],
)  # fmt: skip
def test_a_valid_configuration_has_no_problems(changes: dict[str, Any]) -> None:
    """Free sides of three debaters, systems without a judge and repeated rebuttals are valid."""
    assert check_config(config(**changes)) == []


def test_a_stored_debate_may_have_a_reserved_name() -> None:
    """A stored debate with a reserved name is accepted, and a new configuration with it is refused."""
    named = config(debaters=[PRO, {**CON, "name": "even"}])
    assert check_config(named)
    assert not check_stored_config(named)


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        ({"kind": "free_flowing", "rounds": ["opening", "closing"], "answers": True}, ["phases", "answers"]),
        ({"kind": "structured", "turns": 2, "answers": True, "exchanges": 2}, ["exchanges", "turns"]),
        ({"kind": "semi_structured", "turns": 2, "exchanges": 2}, ["turns"]),
    ],
)
def test_a_format_setting_without_effect_is_noticed(settings: dict[str, object], keys: list[str]) -> None:
    """The notice names the key and the kind of the format."""
    expected = [f"format.{key} has no effect in a debate of the kind {settings['kind']}; remove it" for key in keys]
    assert list(find_notices(config(format=settings))) == expected


@pytest.mark.parametrize(
    ("name", "user", "count"),
    [("jugde", None, 1), ("defaults", "defaults", 0), ("spare", None, 0)],
    ids=["misspelt", "used", "a name of its own"],
)
def test_an_unused_model_whose_name_resembles_a_default_is_noticed(name: str, user: str | None, count: int) -> None:
    """The notice suggests the name of the default."""
    models = {"default": {"model": "mock/d"}, name: {"model": "mock/a"}}
    found = find_notices(config(models=models, debaters=[{**PRO, "model": user}, CON]))
    sentence = "models.jugde is used by no debater and no judge; did you mean `judge`?"
    assert found == (sentence,) * count
