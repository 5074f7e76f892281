"""Folders in which a debate id is searched."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_support import CommandResult, debate, write_config
from saved_support import first_debate, write_transcript_file

CONFIG = "topic: t\nmodels: {default: {model: mock/a}}\ndebaters: [{name: Ada, side: for}, {name: Bo, side: against}]\n"
COMMANDS = (
    ("replay", "one", "--only", "verdict"),
    ("score", "one"),
    ("diff", "one", "one"),
    ("judge", "one", "--mock", "--system", "structured"),
    ("run", "--resume", "one", "-q"),
)


@dataclass(frozen=True)
class FolderSetting:
    """A way to set the folder of transcripts."""

    env: Mapping[str, str]
    config: str
    """What debate.yaml adds; empty for no such file."""


FOLDER_SETTINGS = {
    "variable": FolderSetting({"DEBATE_OUT": "debates"}, ""),
    "generic variable": FolderSetting({"DEBATE__OUTPUT__DIR": "debates"}, ""),
    "configuration": FolderSetting({}, "output: {dir: debates}\n"),
    "variable in the configuration": FolderSetting(
        {"DEBATE_VAR_HOME_OF_ALL": "debates"}, "output: {dir: '${HOME_OF_ALL}'}\n"
    ),
    "variable before the configuration": FolderSetting({"DEBATE_OUT": "debates"}, "output: {dir: other}\n"),
}


@pytest.mark.parametrize(
    ("command", "setting"),
    [*((command, "variable") for command in COMMANDS), *((COMMANDS[0], setting) for setting in FOLDER_SETTINGS)],
    ids=str,
)
def test_an_id_is_searched_where_run_saves(here: Path, command: tuple[str, ...], setting: str) -> None:
    """Every command searches an id where `run` saves, as the environment or the default configuration says."""
    settings = FOLDER_SETTINGS[setting]
    write_transcript_file(here / "debates" / "one.json", first_debate())
    if settings.config:
        write_config(here, CONFIG + settings.config)
    done = debate(*command, cwd=here, env=settings.env)
    assert done.code == 0, done.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_id_in_the_default_folder_is_found(here: Path, command: tuple[str, ...]) -> None:
    """An id in the default folder is found even after `output.dir` was changed."""
    write_transcript_file(here / "transcripts" / "one.json", first_debate())
    done = debate(*command, cwd=here, env={"DEBATE_OUT": "debates"})
    assert done.code == 0, done.err


def test_the_out_option_overrides_all(here: Path) -> None:
    """`run --resume ID --out DIR` searches the id in DIR."""
    write_transcript_file(here / "mine" / "one.json", first_debate(), topic="Mine?")
    write_transcript_file(here / "debates" / "one.json", first_debate())
    done = debate("run", "--resume", "one", "--out", "mine", "--json", cwd=here, env={"DEBATE_OUT": "debates"})
    assert (done.code, "unchanged: mine/one.json" in done.err) == (0, True)


def test_a_named_configuration_sets_the_folder(here: Path) -> None:
    """`judge ID --config` and `run CONFIG --resume ID` search the id in the configuration's `output.dir`."""
    write_transcript_file(here / "debates" / "one.json", first_debate())
    write_config(here, f"{CONFIG}output: {{dir: debates}}\n", "my.yaml")
    assert debate("judge", "one", "--config", "my.yaml", cwd=here).code == 0
    resumed = debate("run", "my.yaml", "--resume", "one", cwd=here)
    assert "debates/one.json: to resume this debate, you may change models" in resumed.err


NO_UTF_8 = b"KEY=\xff\n"
EMPTY: dict[str, tuple[str, tuple[str, ...], dict[str, str]]] = {
    "debate.yaml:4:15": ("output: {dir: ''}\n", (), {}),
    "--set": ("", ("--set", 'output.dir=""'), {}),
    "DEBATE_OUT": ("", (), {"DEBATE_OUT": ""}),
}
"""Ways to set no folder: what debate.yaml adds, the options of `run`, and the environment."""


@pytest.mark.parametrize("place", EMPTY)
def test_an_empty_folder_is_refused(here: Path, place: str) -> None:
    """A run does not save into the working folder, where no command searches."""
    written, options, env = EMPTY[place]
    write_config(here, CONFIG + written)
    done = debate("run", "debate.yaml", "-q", *options, cwd=here, env=env)
    message = f"{place}: output.dir: is empty; name a folder, e.g. `transcripts` (debate explain bad-config)"
    assert (done.code, done.lines, [path.name for path in here.iterdir()]) == (2, [message], ["debate.yaml"])


def test_a_debate_that_was_saved_without_a_folder_can_be_judged_and_resumed(saved: Path) -> None:
    """A stored configuration with an empty `output.dir`, from an earlier version, is no error."""
    document = json.loads(saved.read_text())
    document["config"]["output"]["dir"] = ""
    saved.write_text(json.dumps(document))
    for command in (("judge", saved, "--mock", "--no-save", "-q"), ("run", "--resume", saved, "-q")):
        done = debate(*command, cwd=saved.parent.parent)
        assert done.code == 0, done.err


OPTIONS: dict[str, tuple[tuple[str, ...], str, dict[str, str]]] = {
    "setting": (("--set", "output.dir=debates"), "", {}),
    "variable": (("--var", "PLACE=debates"), "output: {dir: '${PLACE:-other}'}\n", {}),
    "option before the environment": (("--set", "output.dir=debates"), "", {"DEBATE_OUT": "other"}),
    "environment": ((), "output: {dir: other}\n", {"DEBATE__OUTPUT__DIR": "debates"}),
    "environment before a variable": ((), "output: {dir: '${PLACE:-other}'}\n", {"DEBATE_VAR_PLACE": "debates"}),
}
"""Ways to set the folder: the options of `run`, what debate.yaml adds, and the environment."""


@pytest.mark.parametrize(
    ("way", "name"), [*((way, ()) for way in OPTIONS), *((way, ("debate.yaml",)) for way in ("setting", "variable"))]
)
def test_a_run_is_continued_where_its_options_saved_it(here: Path, way: str, name: tuple[str, ...]) -> None:
    """`run --id ID --continue` and `run --resume ID` find the debate that `run` saved with the same options."""
    options, written, env = OPTIONS[way]
    write_config(here, CONFIG + written)
    command = ("run", *name, "--mock", "-q", *options)
    for chosen in (("--id", "one", "--continue"), ("--id", "one", "--continue"), ("--resume", "one")):
        done = debate(*command, *chosen, cwd=here, env=env)
        assert (done.code, [str(path.relative_to(here)) for path in here.rglob("one.*")]) == (
            0,
            ["debates/one.json"],
        ), done.err


def test_judge_searches_an_id_where_its_options_say(here: Path) -> None:
    """`judge ID --config FILE --var NAME=VALUE` searches the id in the folder that the variable gives."""
    write_transcript_file(here / "debates" / "one.json", first_debate())
    write_config(here, CONFIG + "output: {dir: '${PLACE:-other}'}\n", "my.yaml")
    done = debate("judge", "one", "--config", "my.yaml", "--var", "PLACE=debates", "-q", cwd=here)
    assert done.code == 0, done.err


def test_continue_without_saving_names_the_options_that_were_given(here: Path) -> None:
    """`--continue --no-save` is refused with the names of these two options, whether or not the debate is saved."""
    write_config(here, CONFIG)
    command = ("run", "--mock", "-q", "--id", "one", "--continue")
    refusals: list[CommandResult] = []
    for _ in range(2):
        refusals.append(debate(*command, "--no-save", cwd=here))
        debate(*command, cwd=here)
    assert [(done.code, "--continue and --no-save cannot be combined" in done.err) for done in refusals] == [
        (2, True)
    ] * 2


def test_saved_debates_can_be_shown_despite_an_invalid_configuration(here: Path) -> None:
    """Saved debates are shown although the configuration here is invalid."""
    write_transcript_file(here / "transcripts" / "one.json", first_debate())
    write_config(here, "output: [this is: no configuration\n")
    done = debate("score", "one", "--json", cwd=here)
    assert (done.code, json.loads(done.out)[0]["id"]) == (0, "one")


@pytest.mark.parametrize(
    ("command", "content"),
    [
        *((command, NO_UTF_8) for command in ("list", "replay one", "score one", "diff one one")),
        ("score one", b"#" * (1024 * 1024 + 1)),
    ],
    ids=["list", "replay", "score", "diff", "too large"],
)
def test_saved_debates_can_be_shown_despite_an_invalid_env_file(here: Path, command: str, content: bytes) -> None:
    """Saved debates are shown although the `.env` file here is invalid."""
    write_transcript_file(here / "transcripts" / "one.json", first_debate())
    (here / ".env").write_bytes(content)
    assert debate(*command.split(), cwd=here).code == 0
