"""Installs the plug-in of these tests: copies it into a folder, with the metadata that an installer writes."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from cli_support import CommandResult, start_process

PLUGIN = Path(__file__).parent / "debate_jury"
Command = Callable[..., CommandResult]
CONFIG = """
topic: Should we keep the jury?
models: {default: {model: mock/any}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
judging: {decides: jury, systems: [structured, {kind: jury, members: 5}]}
"""


@pytest.fixture(scope="session")
def plugin_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with `debate-jury` installed."""
    site = tmp_path_factory.mktemp("site")
    copytree(PLUGIN / "debate_jury", site / "debate_jury")
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    info = site / f"debate_jury-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = [
        f"[{group}]\n" + "".join(f"{name} = {path}\n" for name, path in group_points.items())
        for group, group_points in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(points))
    return site


def _run(site: Path, folder: Path, arguments: tuple[str, ...], env: dict[str, str]) -> CommandResult:
    variables = {"PYTHONPATH": str(site), "COLUMNS": "100", **env}
    with start_process(*arguments, cwd=folder, env=variables) as process:
        return process.wait()


@pytest.fixture
def debate(plugin_site: Path, tmp_path: Path) -> Command:
    """Runs the command line in `tmp_path`, by default with the plug-in; text in, text out."""

    def run(*arguments: str, plugin: bool = True, env: dict[str, str] | None = None) -> CommandResult:
        return _run(plugin_site if plugin else tmp_path, tmp_path, arguments, env or {})

    return run


@pytest.fixture(scope="session")
def judged_once(plugin_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a configuration and a debate that a jury of five has decided; tests copy it."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "debate.yaml").write_text(CONFIG)
    arguments = ("run", "debate.yaml", "--mock", "--id", "held", "--out", ".", "-q")
    done = _run(plugin_site, folder, arguments, {})
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def saved(judged_once: Path, tmp_path: Path) -> Path:
    """The judged debate, in the folder of this test."""
    copytree(judged_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "held.json"


@pytest.fixture(scope="session")
def text_judged_once(plugin_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with PLAN.md and plan.json, in which three of five jurors vote REJECT and two ACCEPT; tests copy it."""
    folder = tmp_path_factory.mktemp("text")
    (folder / "PLAN.md").write_text("# Plan\n\nWe move the service in May.\n")
    arguments = ("judge", "PLAN.md", "--system", "jury", "--judges", "5", "--mock", "--out", "plan.json", "-q")
    done = _run(plugin_site, folder, arguments, {})
    assert done.code == 0, done.err
    stored = json.loads((folder / "plan.json").read_text())
    for number, assessment in enumerate(stored["assessments"]):
        assessment["findings"][0]["choice"] = "REJECT" if number < 3 else "ACCEPT"
    (folder / "plan.json").write_text(json.dumps(stored))
    done = _run(plugin_site, folder, ("score", "plan.json", "--write"), {})
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def judged_text(text_judged_once: Path, tmp_path: Path) -> Path:
    """The judged text, in the folder of this test."""
    copytree(text_judged_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "plan.json"
