"""A missing key: the message lists the alternatives."""

import re
import shlex
from pathlib import Path

import pytest
from cli_support import CONFIGS, debate, run_python

from debate_cli.app.config_resolution import resolve_config
from debate_cli.cli.config_options import find_model_paths, suggest_alternatives
from debate_cli.errors import MissingKeyError


def test_a_missing_key_lists_the_alternatives(here: Path) -> None:
    """The variable and its provider, the mock, Ollama, the embedded model, and the help page."""
    done = debate("run", "--set", "models.default.model=openai/a", cwd=here)
    (message,) = [line for line in done.lines if "configuration:" not in line]
    assert (done.code, message) == (
        2,
        (
            "--set: models.default.model: OPENAI_API_KEY is not set: provider openai needs it for a; set it in the environment or in "
            ".env, rehearse with --mock, or take another model: `--set models.default.model=ollama/qwen3:8b` (or local/smollm2) "
            "(debate explain missing-key)"
        ),
    )


def test_many_places_are_summarised(here: Path) -> None:
    """The models that need the key are counted, too."""
    (here / "many.yaml").write_text(
        "topic: x\ndebaters: [{name: P, side: for, model: openai/a}, {name: C, side: against, model: openai/b}]\n"
        "judging: {systems: [{kind: live, judge: openai/c}]}\n"
    )
    (message,) = debate("run", "many.yaml", cwd=here).lines
    assert "needs it for a and 2 more models; " in message
    assert "put ollama/qwen3:8b or local/smollm2 into `debaters.0.model` and 2 more places (" in message


@pytest.mark.parametrize("config", ["openai-vs-anthropic.yaml"])
def test_the_suggested_options_work(here: Path, config: str) -> None:
    """With them no key is missing."""
    message = debate("run", CONFIGS / config, cwd=here).err
    ((written, other),) = re.findall(r"`(--set [^`]*)` \(or ([\w/]+)\)", message)
    for changed in (shlex.split(written), shlex.split(written.replace("ollama/qwen3:8b", other))):
        changes = [setting.split("=", 1) for setting in changed if setting != "--set"]
        loaded = resolve_config(CONFIGS / config, {}, [(key, value) for key, value in changes])
        assert find_model_paths(loaded.config, ["openai/gpt-5.4-mini"]) == []
        assert debate("run", CONFIGS / config, *changed, "--dry-run", cwd=here).code == 0


def test_the_default_debate_without_llama_lists_the_alternatives(here: Path) -> None:
    """In one sentence, before any call."""
    bare = "import sys; sys.modules['xllamacpp'] = None; sys.argv = ['debate', 'run']; import debate_cli.__main__ as m; m.main()"
    done = run_python("-c", bare, cwd=here)
    (message,) = [line for line in done.lines if "configuration:" not in line]
    assert (done.code, list(here.iterdir())) == (2, [])
    options = ('pip install "xllamacpp', "--mock", "ollama/", "ANTHROPIC_API_KEY", "(debate explain local-model)")
    assert all(way in message for way in options), message


def test_every_place_that_names_a_model_is_found(tmp_path: Path) -> None:
    """Named models, debaters, judges, members of a panel."""
    path = tmp_path / "debate.yaml"
    path.write_text(
        "topic: x\nmodels: {default: {model: openai/a}, other: {model: mock/b}}\n"
        "debaters: [{name: P, side: for}, {name: C, side: against, model: openai/a}]\n"
        "judging: {systems: [{kind: structured, judge: openai/a},"
        " {kind: panel, judge: other, min_judges: 1, judges: [{id: q, persona: qa_evaluator, model: openai/a}]}]}\n"
    )
    assert find_model_paths(resolve_config(path, {}).config, ["openai/a"]) == [
        "models.default.model", "debaters.1.model", "judging.systems.0.judge", "judging.systems.1.judges.0.model",
    ]  # fmt: skip


def test_alternatives_follow_the_missing_key() -> None:
    """Not another problem that was found later."""
    text = (
        "topic: t\ndebaters: [{name: P, side: for, model: openai/a}, {name: C, side: against, model: ollama/b}]\n"
        "models: {default: {model: mock/a}}\n"
    )
    loaded = resolve_config(None, {}, text=text)
    with pytest.raises(MissingKeyError) as caught, suggest_alternatives(loaded):
        raise MissingKeyError("OPENAI_API_KEY is not set: provider openai needs it for a; set it in the environment or in .env",
                              "OLLAMA_HOST is no address")  # fmt: skip
    assert [("OPENAI_API_KEY" in line, "take another model" in line) for line in caught.value.problems] == [
        (False, False), (True, True),
    ]  # fmt: skip
