"""`import debate_cli`: the names it offers, and that the four commands work as functions."""

import asyncio
import json
import re
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS, run_script

import debate_cli
from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.events import Event
from debate_cli.domain.model_call import REHEARSAL_NOTICE
from debate_cli.errors import ConfigError, TranscriptError, UsageError
from debate_cli.observer import NullObserver
from debate_cli.providers.mock.model import MockModel

MOCK = CONFIGS / "mock.yaml"


class Counting(NullObserver):
    """An observer that counts what happened."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def event(self, event: Event, debate: debate_cli.Debate) -> None:
        """See `Watcher`."""
        self.seen.append(event.type)


@cache
def ran(folder: Path | None = None) -> debate_cli.Outcome:
    """The debate of configs/mock.yaml. One that is not saved is run once for all tests."""
    config = debate_cli.load_config(MOCK)
    return asyncio.run(debate_cli.run_debate(config, folder=folder, debate_id="one"))


def test_the_exported_names() -> None:
    """Adding a name changes this test and the changelog. Each can be had from the package, and `dir` shows it."""
    assert [name for name in debate_cli.__all__ if getattr(debate_cli, name) is None] == []
    assert set(debate_cli.__all__) <= set(dir(debate_cli))
    assert debate_cli.__all__ == [
        "RESTART", "Argument", "Assessment", "BudgetError", "ConfigError", "Debate", "DebateConfig", "DebateError", "LiveNotes", "Mark", "Message", "Model",
        "ModelError", "ModeratorNotes", "Observer", "Outcome", "PanelNotes", "PersuasionNotes", "Reply", "Request", "SourcesNotes", "StructuredNotes",
        "TranscriptError", "Turn", "Usage", "Verdict",
        "__version__", "agreement", "import_debate", "judge", "judge_text", "load_config", "load_transcript", "needs_deliberation", "run_debate", "score",
    ]  # fmt: skip


class Fixed:
    """A model that answers with the mock's words and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0
        self._mock = MockModel(ModelSpec(model="mock/any"), seed=1, folder=Path())

    async def complete(
        self, request: debate_cli.Request, on_text: Callable[[str], None] | None = None
    ) -> debate_cli.Reply:
        """Answer as the mock does."""
        self.calls += 1
        return await self._mock.complete(request, on_text)


def test_a_model_of_the_caller_takes_the_place_of_a_named_one() -> None:
    """`models={"default": model}` asks that object for every role that uses the default model."""
    model = Fixed()
    config = debate_cli.load_config(MOCK, overrides={"models": {"default": {"model": "openai/gpt-5"}}})
    outcome = asyncio.run(debate_cli.run_debate(config, models={"default": model}))
    assert (outcome.halted, outcome.debate.status) == (None, "complete")
    assert model.calls >= len(outcome.debate.turns) + len(outcome.debate.assessments)


class Failing(Fixed):
    """Fails at one call: raises an exception, or returns something else than a reply."""

    def __init__(self, at: int, outcome: object) -> None:
        super().__init__()
        self._at = at
        self._outcome = outcome

    async def complete(self, request: debate_cli.Request, on_text: Callable[[str], None] | None = None) -> Any:
        """Fail if this is the call."""
        is_due = self.calls + 1 == self._at
        reply = await super().complete(request, on_text)
        if not is_due:
            return reply
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (ValueError("boom"), "raised ValueError (boom)"),
        (ConnectionError("gone"), "(gone)"),
        (None, "returned NoneType"),
    ],
)
@pytest.mark.parametrize("call", [3, 7])
def test_a_model_of_the_caller_that_fails_costs_one_answer(outcome: object, words: str, call: int) -> None:
    """Call 3 is a speech, call 7 the judge: the failure is data, and everything else is kept."""
    changes = {"models": {"default": {"model": "openai/gpt-5"}}, "judging": {"systems": [{"kind": "structured"}]}}
    config = debate_cli.load_config(MOCK, overrides=changes)
    result = asyncio.run(debate_cli.run_debate(config, models={"default": Failing(call, outcome)}))
    (failure,) = result.debate.failures
    assert (failure.cause, words in failure.message) == ("CallerModelError", True)
    assert len(result.debate.turns) == (6 if call == 7 else 3)


class Sleeping(Fixed):
    """Never answers a judge."""

    async def complete(
        self, request: debate_cli.Request, on_text: Callable[[str], None] | None = None
    ) -> debate_cli.Reply:
        """Sleep if a judge asks."""
        if request.purpose.startswith("judge"):
            await asyncio.sleep(3600)
        return await super().complete(request, on_text)


def test_a_model_of_the_caller_has_the_time_of_any_model() -> None:
    """A judge that never answers costs its verdict only, after `limits.answer_timeout_s`."""
    changes = {
        "models": {"default": {"model": "openai/gpt-5"}},
        "judging": {"systems": [{"kind": "structured"}]},
        "limits": {"answer_timeout_s": 1, "max_attempts": 1},
    }
    config = debate_cli.load_config(MOCK, overrides=changes)
    result = asyncio.run(debate_cli.run_debate(config, models={"default": Sleeping()}))
    assert [failure.cause for failure in result.debate.failures] == ["ModelTimeoutError"]
    assert (len(result.debate.turns), result.debate.status) == (6, "complete")


def test_a_debate_is_judged_by_a_model_of_the_caller() -> None:
    """`judge` asks the object of the role `judge` alone, not that of the role `default`."""
    model = Fixed()
    models = {"default": Failing(1, None), "judge": model}
    outcome = asyncio.run(debate_cli.judge(ran().debate, systems=["structured"], models=models))
    assert [verdict.system for verdict in outcome.verdicts] == ["structured"]
    assert model.calls == len(outcome.debate.runs[-1].judging.systems)


def test_an_imported_debate_is_judged(tmp_path: Path) -> None:
    """`import_debate` takes the choices of the command line, and `judge` takes its result."""
    path = tmp_path / "d.txt"
    path.write_text("Chair: Begin.\n\nAnn: We should.\n\nBo B: No.\n\nAnn: Why?\n\nBob: Rain.")
    imported = debate_cli.import_debate(path, drop=["chair"], merge={"Bob": "Bo B"}, sides={"Ann": "against"})
    assert [(item.name, item.side) for item in imported.participants] == [("Ann", "against"), ("Bo B", "for")]
    outcome = asyncio.run(debate_cli.judge(imported, systems=["structured"], model="mock/judge"))
    assert outcome.verdicts[0].system == "structured"


def test_a_text_is_judged_by_a_panel() -> None:
    """`judge_text` gives a panel's verdict on a text."""
    outcome = asyncio.run(debate_cli.judge_text("We should ship on Friday.", name="plan", model="mock/judge"))
    assert [verdict.system for verdict in outcome.verdicts] == ["panel"]


def test_a_text_is_judged_with_question_and_context(tmp_path: Path) -> None:
    """`context` precedes the background of `config`, whose topic is the question; it needs no debaters."""
    (tmp_path / "q.yaml").write_text("topic: Is it ready?\nbackground: Old.\njudging: {systems: [panel]}\n")
    config = debate_cli.load_config(tmp_path / "q.yaml")
    outcome = asyncio.run(
        debate_cli.judge_text("Plan: rewrite.", context="Four people.", config=config, model="mock/j")
    )
    judging = outcome.debate.config.judging
    assert (judging.question, judging.context) == ("Is it ready?", "Four people.")
    assert "must change: " in str(outcome)
    with pytest.raises(ConfigError, match="at least two debaters"):
        asyncio.run(debate_cli.run_debate(config, mock=True))


def test_printing_an_outcome_shows_motion_verdicts_scales_and_the_mock() -> None:
    """`print(outcome)` begins and ends with the notice of a rehearsal, and each margin names its scale."""
    first, motion, structured, moderator, last = str(ran()).splitlines()
    assert ran().debate.topic in motion
    assert ("structured" in structured, "moderator" in moderator) == (True, True)
    assert (first, last) == (REHEARSAL_NOTICE, REHEARSAL_NOTICE)
    assert (" of 10 points (" in structured, " of 82.5 points (" in moderator) == (True, True)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: debate_cli.load_config(MOCK, overrides={"format.arguments": 99}), "format.arguments"),
        (lambda: debate_cli.score(ran().debate, settings={"structured": {"weights": {"logik": 1}}}), "mean `logic`"),
        (lambda: debate_cli.score(ran().debate, settings={"structurd": {}}), "did you mean `structured`"),
        (lambda: debate_cli.score(ran().debate, runs="r9"), "no such judging run"),
        (lambda: judged(systems=["gut"]), "--system gut: there is no such judging system"),
        (lambda: judged(systems=["panel"], model="gpt"), "--model gpt: write provider/model"),
        (lambda: asyncio.run(debate_cli.judge_text("Plan.", model="gpt")), "--model gpt: write provider/model"),
        (lambda: debate_cli.import_debate(__file__, format="text", columns={"text": "body"}), "--map names columns"),
        (
            lambda: asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK), debate_id="../one")),
            "is not a valid id",
        ),
        (
            lambda: asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK), models={"defualt": Fixed()})),
            "models: defualt: no debater and no judge uses this model; did you mean `default`",
        ),
        (
            lambda: asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK), models={"zzz": Fixed()})),
            "models: zzz: .*; known are default, judge, mock/debater, mock/judge$",
        ),
        (
            lambda: asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK), models={"mock/jud": Fixed()})),
            "did you mean `mock/judge`",
        ),
        (lambda: judged(models={"judeg": Fixed()}), "models: judeg: .*; did you mean `judge`"),
        (lambda: judged(models={"openai/gpt-5": Fixed()}), "models: openai/gpt-5: no debater and no judge uses"),
        (lambda: asyncio.run(debate_cli.judge_text("Plan.", models={"zzz": Fixed()})), "known are judge, default$"),
        (
            lambda: asyncio.run(debate_cli.judge_text("Plan.", model="mock/a", models={"mock/b": Fixed()})),
            "models: mock/b: no debater and no judge uses",
        ),
    ],
)
def test_wrong_arguments_raise_a_config_error(wrong: Callable[[], object], sentence: str) -> None:
    """Every wrong argument is a ConfigError with the sentence of the command line, not an AttributeError."""
    with pytest.raises(ConfigError, match=sentence):
        wrong()


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("load_config", {"path": None}, "path: None is not a path; pass a str"),
        ("load_config", {"overrides": ["a=b"]}, "overrides: list is not a mapping; pass, for example,"),
        ("load_config", {"overrides": {2: 3}}, "overrides: 2 cannot be a key; pass, for example,"),
        ("load_transcript", {"path": None}, "path: None is not a path; pass a str"),
        ("import_debate", {"path": 3}, "path: 3 is not a path; pass a str"),
        ("import_debate", {"format": "pdf"}, "format: 'pdf' is not one of text, markdown"),
        ("import_debate", {"round_by": 2}, "round_by: 2 is not one of turns, heading"),
        ("import_debate", {"drop": "Chair"}, "drop: 'Chair' is not a list of texts"),
        ("import_debate", {"sides": {"Ann": 1}}, "sides: Ann: 1 is not a text"),
        ("run_debate", {"config": "debate.yaml"}, "config: 'debate.yaml' is not a DebateConfig; load one with"),
        ("run_debate", {"models": 5}, "models: 5 is not a mapping; pass, for example,"),
        ("run_debate", {"models": {"default": 3}}, "models: default: int has no method `complete`; pass a debate_cli.Model"),
        ("run_debate", {"observer": 5}, "observer: int has no method `event`; pass a debate_cli.Observer"),
        ("run_debate", {"folder": 5}, "folder: 5 is not a path"),
        ("run_debate", {"debate_id": 5}, "debate_id: 5 is not a text"),
        ("run_debate", {"mock": "no"}, "mock: 'no' is not a truth value; pass True or False"),
        ("run_debate", {"trusted_hosts": "a.org"}, "trusted_hosts: 'a.org' is not a list of texts"),
        ("judge", {"debate": "x"}, "debate: 'x' is not a Debate; load one with debate_cli.load_transcript"),
        ("judge", {"systems": "panel"}, "systems: 'panel' is not a list of texts; pass, for example,"),
        ("judge", {"systems": [5]}, "systems: 5 is not a text"),
        ("judge", {"models": {"judge": 3}}, "models: judge: int has no method `complete`"),
        ("judge_text", {"text": b"Plan."}, "text: bytes is not a text"),
        ("judge_text", {"context": 5}, "context: 5 is not a text"),
        ("score", {"systems": None}, "systems: None is not a list of texts"),
        ("score", {"settings": 5}, "settings: 5 is not a mapping"),
        ("agreement", {"votes": "PASS"}, "votes: 'PASS' is neither a list nor a mapping"),
        ("agreement", {"dimensions": 3}, "dimensions: 3 is not a mapping"),
        ("agreement", {"dimensions": {"risk": ["low"]}}, "dimensions: risk: 'low' is not a mark"),
        ("agreement", {"dimensions": {2: [1, 3]}}, "dimensions: 2 cannot be a key; pass, for example,"),
        ("agreement", {"votes": object()}, "votes: object is neither a list nor a mapping"),
        ("needs_deliberation", {"dimensions": {"risk": 3}}, "dimensions: risk: 3 is neither a list nor a mapping"),
        ("needs_deliberation", {"threshold": "x"}, "threshold: 'x' is not a number from 0 to 1"),
    ],
)  # fmt: skip
def test_arguments_of_a_wrong_type_raise_a_config_error(name: str, arguments: dict[str, Any], sentence: str) -> None:
    """The sentence names the argument, what is wrong with it, and what to pass."""
    right: dict[str, dict[str, Any]] = {
        "load_config": {"path": MOCK},
        "import_debate": {"path": __file__},
        "run_debate": {"config": DebateConfig(topic="x")},
        "judge": {"debate": ran().debate} if name == "judge" else {},
        "judge_text": {"text": "Plan."},
        "score": {"debate": ran().debate} if name == "score" else {},
        "agreement": {"votes": ["PASS"], "dimensions": {}},
        "needs_deliberation": {"votes": ["PASS"], "dimensions": {}},
    }
    with pytest.raises(ConfigError, match="^" + re.escape(sentence)):
        call(getattr(debate_cli, name), {**right.get(name, {}), **arguments})


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> object:
    """Call a function of the Python API, and wait for its result."""
    result = function(**arguments)
    return asyncio.run(result) if asyncio.iscoroutine(result) else result


def judged(**arguments: Any) -> debate_cli.Outcome:
    """Judge the debate of configs/mock.yaml."""
    return asyncio.run(debate_cli.judge(ran().debate, **arguments))


def test_an_empty_text_is_not_judged() -> None:
    """As on the command line, no panel votes on a text without words."""
    with pytest.raises(TranscriptError, match="has no text to judge"):
        asyncio.run(debate_cli.judge_text(" \n", model="mock/judge"))


def test_overrides_take_values_and_yaml() -> None:
    """A number may be given as it is, or as YAML text."""
    config = debate_cli.load_config(MOCK, overrides={"format.arguments": 2, "seed": "11"})
    assert (config.format.arguments, config.seed) == (2, 11)


def test_scoring_with_other_settings() -> None:
    """`settings` are laid over the stored ones, as --rubric does."""
    debate = ran().debate
    (changed, *_) = debate_cli.score(
        debate, systems=["structured"], settings={"structured": {"weights": {"logic": 1.0}}}
    )
    (stored, *_) = debate_cli.score(debate, systems=["structured"])
    assert changed.scores != stored.scores


NOTES = {
    "structured": debate_cli.StructuredNotes,
    "moderator": debate_cli.ModeratorNotes,
    "panel": debate_cli.PanelNotes,
    "live": debate_cli.LiveNotes,
    "persuasion": debate_cli.PersuasionNotes,
    "sources": debate_cli.SourcesNotes,
}


@pytest.mark.parametrize("system", NOTES)
def test_a_scored_verdict_has_notes_of_its_systems_class(system: str) -> None:
    """Its JSON is what `notes[...]` gives, with `missing` as its last key."""
    outcome = asyncio.run(debate_cli.judge(ran().debate, systems=[system], model="mock/judge"))
    (notes,) = [verdict.notes for verdict in debate_cli.score(outcome.debate, systems=[system])]
    assert type(notes) is NOTES[system]
    (stored,) = [item.model_dump(mode="json")["notes"] for item in outcome.verdicts if item.system == system]
    assert {name: notes[name] for name in stored} == stored
    assert list(stored)[-1] == "missing"
    if isinstance(notes, debate_cli.StructuredNotes):
        assert notes.arguments[0].score == stored["arguments"][0]["score"]


def test_the_example_in_the_docstring_runs(tmp_path: Path) -> None:
    """As it stands there, in a folder with the shipped configurations."""
    assert debate_cli.__doc__
    example = textwrap.dedent("\n".join(line for line in debate_cli.__doc__.splitlines() if line.startswith("    ")))
    here = tmp_path / "here"
    here.mkdir()
    (here / "configs").symlink_to(CONFIGS)
    first, second, *_ = run_script(example, here).out.splitlines()
    assert (first, second[:7]) == (REHEARSAL_NOTICE, "Should ")


def test_a_debate_runs_and_leaves_no_file() -> None:
    """Its verdicts are those that scoring it gives."""
    outcome = ran()
    assert (outcome.debate.status, outcome.path, outcome.halted) == ("complete", None, None)
    assert outcome.verdicts == debate_cli.score(outcome.debate)


def test_a_saved_debate_is_loaded_as_it_was(tmp_path: Path) -> None:
    """With a folder it is saved there under its id."""
    outcome = ran(tmp_path)
    assert outcome.path
    assert outcome.path == tmp_path / "one.json"
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]
    loaded = debate_cli.load_transcript(outcome.path)
    assert debate_cli.score(loaded) == outcome.verdicts
    assert loaded.turns == outcome.debate.turns


def test_a_debate_from_python_cites_its_sources() -> None:
    """Relative sources are in the folder of the configuration, as on the command line; missing ones are refused."""
    config = debate_cli.load_config(CONFIGS / "evidence.yaml")
    outcome = asyncio.run(debate_cli.run_debate(config))
    assert outcome.debate.passages
    missing = debate_cli.load_config(CONFIGS / "evidence.yaml", overrides={"evidence.sources": "[examples/nowhere]"})
    with pytest.raises(ConfigError, match="examples/nowhere"):
        asyncio.run(debate_cli.run_debate(missing))


def test_an_observer_sees_every_event() -> None:
    """From the opening to the close, asked questions among them where the loop tells of them."""
    observer = Counting()
    asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK), observer=observer))
    assert (observer.seen[0], observer.seen[-1]) == ("opened", "closed")
    assert (observer.seen.count("turned"), observer.seen.count("assessed")) == (6, 5)


def test_a_debate_is_judged_again_by_another_system(tmp_path: Path) -> None:
    """The verdicts are the added run's; with a path the file holds both runs."""
    first = ran(tmp_path)
    assert first.path
    outcome = asyncio.run(debate_cli.judge(first.debate, systems=["panel"], model="mock/judge", path=first.path))
    assert [(verdict.system, verdict.run) for verdict in outcome.verdicts] == [("panel", "r2")]
    stored = json.loads(first.path.read_text())
    assert {verdict["run"] for verdict in stored["verdicts"]} == {"r1", "r2"}


def test_judging_writes_nothing_over_what_it_has_not_read(tmp_path: Path) -> None:
    """A debate value older than the file is refused: what another run added would be lost."""
    first = ran(tmp_path)
    assert first.path
    asyncio.run(debate_cli.judge(first.debate, systems=["panel"], model="mock/judge", path=first.path))
    before = first.path.read_bytes()
    with pytest.raises(UsageError, match="was changed since it was read"):
        asyncio.run(debate_cli.judge(first.debate, systems=["live"], model="mock/judge", path=first.path))
    assert first.path.read_bytes() == before
