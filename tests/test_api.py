"""`import debate_cli`: the names it offers, and that the four commands work as functions."""

from __future__ import annotations

import asyncio
import json
import textwrap
from pathlib import Path

import pytest
from cli_support import CONFIGS, run_python

import debate_cli
from debate_cli.domain.events import Event
from debate_cli.errors import ConfigError, TranscriptError, UsageError
from debate_cli.observer import NullObserver

MOCK = CONFIGS / "mock.yaml"


class Counting(NullObserver):
    """A watcher that counts what happened."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def event(self, event: Event, debate: debate_cli.Debate) -> None:
        """See `Watcher`."""
        del debate
        self.seen.append(event.type)


def ran(folder: Path | None = None) -> debate_cli.Outcome:
    """The debate of configs/mock.yaml."""
    config = debate_cli.load_config(MOCK)
    return asyncio.run(debate_cli.run_debate(config, folder=folder, debate_id="one"))


def test_the_names_are_these() -> None:
    """At most a dozen; whoever adds one changes this test and the changelog."""
    assert debate_cli.__all__ == [
        "Debate", "DebateConfig", "Model", "Observer", "Outcome", "__version__",
        "judge", "load_config", "load_transcript", "run_debate", "score",
    ]  # fmt: skip


@pytest.mark.parametrize("name", debate_cli.__all__)
def test_every_name_is_there(name: str) -> None:
    """It can be had from the package, and `dir` shows it."""
    assert getattr(debate_cli, name) is not None
    assert name in dir(debate_cli)


def test_another_name_is_not() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="no attribute 'rate'"):
        _ = debate_cli.rate  # type: ignore[attr-defined]


def test_the_example_in_the_docstring_runs(tmp_path: Path) -> None:
    """As it stands there, in a folder with the shipped configurations."""
    assert debate_cli.__doc__
    example = textwrap.dedent("\n".join(line for line in debate_cli.__doc__.splitlines() if line.startswith("    ")))
    here = tmp_path / "here"
    here.mkdir()
    (here / "configs").symlink_to(CONFIGS)
    assert run_python("-W", "error", "-c", example, cwd=here).out == "Con\n"


def test_a_debate_runs_and_leaves_no_file() -> None:
    """Its verdicts are those that scoring it gives."""
    outcome = ran()
    assert (outcome.debate.status, outcome.path, outcome.halted) == ("complete", None, None)
    assert outcome.verdicts == debate_cli.score(outcome.debate)


def test_any_configuration_runs_on_the_mock() -> None:
    """`mock=True` asks no provider, and the debate says so."""
    config = debate_cli.load_config(CONFIGS / "openai-vs-anthropic.yaml")
    outcome = asyncio.run(debate_cli.run_debate(config, mock=True))
    assert outcome.debate.status == "complete"
    assert all(turn.exchange.model.startswith("mock/") for turn in outcome.debate.turns)


def test_a_saved_debate_is_loaded_as_it_was(tmp_path: Path) -> None:
    """With a folder it is saved there under its id."""
    outcome = ran(tmp_path)
    assert outcome.path
    assert outcome.path == tmp_path / "one.json"
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]
    loaded = debate_cli.load_transcript(outcome.path)
    assert debate_cli.score(loaded) == outcome.verdicts
    assert loaded.turns == outcome.debate.turns


def test_a_watcher_sees_every_event() -> None:
    """From the opening to the close, asked questions among them where the loop tells of them."""
    watcher = Counting()
    asyncio.run(debate_cli.run_debate(debate_cli.load_config(MOCK), watcher=watcher))
    assert (watcher.seen[0], watcher.seen[-1]) == ("opened", "closed")
    assert (watcher.seen.count("turned"), watcher.seen.count("assessed")) == (6, 5)


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
    with pytest.raises(UsageError, match="not the debate as it was read"):
        asyncio.run(debate_cli.judge(first.debate, systems=["live"], model="mock/judge", path=first.path))
    assert first.path.read_bytes() == before


def test_an_existing_debate_is_not_run_over(tmp_path: Path) -> None:
    """The same id in the same folder is an error."""
    ran(tmp_path)
    with pytest.raises(UsageError, match="exists already"):
        ran(tmp_path)


def test_overrides_change_the_configuration() -> None:
    """Key path to YAML value."""
    config = debate_cli.load_config(MOCK, overrides={"format.arguments": "2", "topic": "A tram?"})
    assert (config.format.arguments, config.topic) == (2, "A tram?")


def test_a_faulty_configuration_tells_every_fault(tmp_path: Path) -> None:
    """As on the command line, in one exception."""
    path = tmp_path / "bad.yaml"
    path.write_text("topik: x\ndebaters: []\n")
    with pytest.raises(ConfigError) as caught:
        debate_cli.load_config(path)
    assert len(caught.value.problems) >= 2


def test_a_missing_key_is_told_before_any_call(tmp_path: Path) -> None:
    """Naming variable and provider; nothing is written."""
    path = tmp_path / "debate.yaml"
    path.write_text(
        "topic: x\nproviders: {lab: {kind: openai, base_url: 'http://127.0.0.1:9/v1', api_key_env: NO_SUCH_LAB_KEY}}\n"
        "models: {default: {model: lab/a}}\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
    )
    with pytest.raises(UsageError, match="NO_SUCH_LAB_KEY is not set: provider lab"):
        asyncio.run(debate_cli.run_debate(debate_cli.load_config(path), folder=tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("systems", "model", "message"), [(["gut"], "mock/judge", "gut"), (["panel"], "gpt", "provider/model")]
)
def test_what_cannot_judge_is_refused(systems: list[str], model: str, message: str) -> None:
    """As on the command line."""
    with pytest.raises(UsageError, match=message):
        asyncio.run(debate_cli.judge(ran().debate, systems=systems, model=model))


def test_what_is_no_transcript_is_refused(tmp_path: Path) -> None:
    """With the sentence that the command line prints."""
    with pytest.raises(TranscriptError, match="no such file"):
        debate_cli.load_transcript(tmp_path / "none.json")
