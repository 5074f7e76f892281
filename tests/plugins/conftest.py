"""Installs the plug-in of these tests: packs its wheel and unpacks it into a folder, which is what an installer does."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from zipfile import ZipFile

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
    home = tmp_path_factory.mktemp("plugin")
    site = home / "site"
    with ZipFile(_pack_wheel(home)) as wheel:
        wheel.extractall(site)
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


def _pack_wheel(home: Path) -> Path:
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {path}\n" for name, path in points.items())
        for group, points in project["entry-points"].items()
    ]
    version = project["version"]
    info = f"debate_jury-{version}.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "\n".join(lines),
    }
    files |= {
        str(path.relative_to(PLUGIN)): path.read_text()
        for path in (PLUGIN / "debate_jury").rglob("*")
        if path.suffix in {".py", ".md"}
    }
    wheel = home / f"debate_jury-{version}-py3-none-any.whl"
    with ZipFile(wheel, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
        packed.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"]))
    return wheel
