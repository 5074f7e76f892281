"""README, ARCHITECTURE, CONTRIBUTING and CHANGELOG are true: commands, files, configuration, dependencies, pictures."""

import re
import shlex
import tomllib
from pathlib import Path

import yaml
from cli_support import debate, run_script
from draw_screen import PAGE, TARGET, drawn, page

from debate_cli.storage.config_file import read_config_file

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    """The fenced blocks of README in a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_configuration_in_readme_is_valid() -> None:
    """A copy of it loads."""
    config = read_config_file(None, text=blocks("yaml")[0], env={}).config
    assert [system.kind for system in config.judging.systems] == ["structured", "moderator"]


def test_the_python_in_readme_runs(here: Path) -> None:
    """The example of the Python API prints a winner."""
    (here / "configs").symlink_to(ROOT / "configs")
    assert run_script(blocks("python")[0], here).out.strip() in {"Pro", "Con", "None"}


def test_every_make_target_named_in_readme_exists() -> None:
    """Each `make X` in the text names a target of the Makefile."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", README, re.MULTILINE))
    assert {"run", "test", "smoke"} <= named <= targets


def test_every_shipped_configuration_named_in_readme_exists() -> None:
    """Each `configs/X.yaml` in the text names a file."""
    named = set(re.findall(r"configs/[a-z-]+\.yaml", README))
    assert named
    assert all((ROOT / name).is_file() for name in named)


def test_every_dependency_has_its_reason() -> None:
    """CONTRIBUTING names each runtime dependency, and each has an upper bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["local"]]
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    for requirement in wanted:
        assert re.split(r"[<>=\[]", requirement)[0] in contributing
        assert ",<" in requirement


def test_the_screen_is_current() -> None:
    """docs/screen.svg is what `make screen` draws from the committed debate."""
    assert TARGET.read_text(encoding="utf-8") == drawn()


def test_the_example_page_is_current() -> None:
    """docs/examples/showcase.html is what `make screen` draws from the committed debate."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_workflow_in_readme_works(tmp_path: Path) -> None:
    """Its commands succeed in order, in a repository with a copy of this one and a configuration, after the recording."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "debate-cli").symlink_to(ROOT)
    (here / "debate.yaml").write_text((ROOT / "configs" / "mock.yaml").read_text())
    (recording,) = re.findall(r"`(debate run [^`]* --record [^`]*)`", README)
    assert debate(*shlex.split(recording)[1:], cwd=here).code == 0
    (job,) = yaml.safe_load(blocks("yaml")[1])["jobs"].values()
    lines = [step["run"] for step in job["steps"] if "run" in step]
    install, folder = lines[0].rsplit(" ", 1)
    assert (install, (here / folder / "pyproject.toml").is_file()) == ("pip install", True), (
        "tests/test_wheel.py installs it"
    )
    for line in lines[1:]:
        done = debate(*shlex.split(line)[1:], cwd=here)
        assert (line, done.code) == (line, 0), done.err
    assert [place.name for place in (here / "transcripts").iterdir()] == ["release.json"]
