"""Weights on the Hugging Face hub: the known files, their download, and the check of their SHA-256.

`huggingface_hub` (extra `[hub]`) is imported when a file is downloaded. A file enters the cache only after its SHA-256
was checked. The user's token for the hub is sent only to the hub's own address, or to the address that the process's
environment sets.
"""

import errno
import fcntl
import hashlib
import importlib
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from debate_cli.errors import NoLocalModelError, WeightsError

HUB_PREFIX = "hf:"
HUB_ENDPOINT = "https://huggingface.co"
ENDPOINT_VARIABLE, TOKEN_VARIABLE = "HF_ENDPOINT", "HF_TOKEN"
MISSING_HUB_MESSAGE = (
    'models from the hub need the package `huggingface_hub`, which is not installed; install it with `pip install "huggingface_hub>=2,<3"`, '
    "or use local/smollm2"
)
_NAME = re.compile(r"hf:(?P<repo>[\w.-]+/[\w.-]+)/(?P<file>[\w./-]+\.gguf)", re.ASCII | re.IGNORECASE)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of weights on the hub."""

    repo: str
    file: str
    sha256: str = ""
    """SHA-256 in hexadecimal digits; empty if unknown."""
    size: int = 0
    """Size in bytes; 0 if unknown."""
    licence: str = ""
    memory_gb: int = 0
    """Memory in GB of a machine that can run the model beside other programs; 0 if unknown."""

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
"""Maps a short name to its file. Both `local/NAME` and `local/hf:…` select the file. The table has only files whose
name and SHA-256 are published in several places."""
_KNOWN = {known.model.casefold(): known for known in HUB_MODELS.values()}


@dataclass(frozen=True, slots=True)
class HubAccess:
    """Access to the hub: its address, the cache of downloads, and the callback for notes."""

    folder: Path
    """Cache of downloaded weights."""
    env: Mapping[str, str]
    """The process's environment, with the variables of `.env` files."""
    note: Callable[[str], None]
    """Called with one line before a download."""

    @property
    def endpoint(self) -> str:
        """Address of the hub."""
        return (self.env.get(ENDPOINT_VARIABLE) or HUB_ENDPOINT).rstrip("/")


def find_hub_file(model: str, sha256: str | None = None) -> HubFile | None:
    """Return the file for `local/NAME` or `local/hf:REPO/FILE.gguf`; None for other models.

    `sha256` is used for a file outside `HUB_MODELS`. Raises NoLocalModelError for a malformed name.
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
            "`debate models pull` lists."
        )
    return _KNOWN.get(model.casefold()) or HubFile(found["repo"], found["file"], (sha256 or "").lower())


def is_known_hub_file(file: HubFile) -> bool:
    """Whether the file is in `HUB_MODELS`. Such a file needs neither a checksum nor consent."""
    return file in HUB_MODELS.values()


def hub_host(env: Mapping[str, str]) -> str:
    """Return the host of the hub, with the port if the address has one."""
    return urlsplit(HubAccess(Path(), env, print).endpoint).netloc


def fetch_hub_file(file: HubFile, access: HubAccess) -> Path:
    """Return the path of the file in the cache. Downloads the file if necessary, which may take minutes.

    An interrupted download continues. Raises NoLocalModelError if the package or a SHA-256 is missing, and WeightsError
    if the file cannot be downloaded.
    """
    if not _SHA256.fullmatch(file.sha256):
        raise NoLocalModelError(
            f"{file.model}: is not in the table of `debate models pull`, so its `sha256` is needed; add it to its entry in `models`."
        )
    kept = access.folder / "hub" / file.sha256 / Path(file.file).name
    if kept.is_file():
        return kept
    try:
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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
        advice = "free some space, or set XDG_CACHE_HOME to another folder"
        raise _make_hub_error(f"Cannot store weights in {kept.parent} ({why}); {advice}") from error
    return kept


def _download(file: HubFile, part: Path, access: HubAccess) -> None:
    """Download the bytes that `part`, the incomplete file, lacks. Raises WeightsError, OSError or NoLocalModelError."""
    try:
        hub: Any = importlib.import_module("huggingface_hub")
        downloads: Any = importlib.import_module("huggingface_hub.file_download")
    except ImportError as error:
        raise NoLocalModelError(MISSING_HUB_MESSAGE) from error
    token = access.env.get(TOKEN_VARIABLE) or False
    url: str = hub.hf_hub_url(file.repo, file.file, endpoint=access.endpoint)
    with _explained_errors(file, access):
        metadata = hub.get_hf_file_metadata(url, token=token, timeout=_TIMEOUT_S)
        location: str = metadata.location
        size: int = metadata.size or file.size
        there = part.stat().st_size if part.exists() else 0
        if size and there > size:
            part.unlink()
            there = 0
        rest = f", {_format_size(there)} are there" if there else ""
        access.note(f"Downloading {file.file} ({_format_size(size)}{rest}) from {access.endpoint}, once.")
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
    """Raise errors of the hub's package as a WeightsError with advice."""
    hub: Any = importlib.import_module("huggingface_hub.errors")
    http: Any = importlib.import_module("httpx2")
    try:
        yield
    except hub.GatedRepoError as error:
        what = f"{file.repo} is gated: accept its licence at {access.endpoint}/{file.repo} and set {TOKEN_VARIABLE}"
        raise _make_hub_error(what) from error
    except (hub.RepositoryNotFoundError, hub.EntryNotFoundError) as error:
        raise _make_hub_error(f"{access.endpoint} has no file {file.file} in {file.repo}; correct the name") from error
    except hub.HfHubHTTPError as error:
        status = getattr(error.response, "status_code", "an error")
        raise _make_hub_error(f"{access.endpoint} answered {status} for {file.repo}; try again later") from error
    except (http.HTTPError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the disk; those of the package have no number
            raise
        what = f"Cannot download {file.file} from {access.endpoint} ({type(error).__name__})"
        advice = "check the connection and run the command again, which continues the download"
        raise _make_hub_error(f"{what}; {advice}") from error


def _make_hub_error(message: str) -> WeightsError:
    return WeightsError(f"{message}; local/smollm2 works without the hub.")


def _check_sha256(part: Path, file: HubFile, access: HubAccess) -> None:
    """Check the SHA-256 of the file. Delete the file and raise WeightsError if it is wrong."""
    with part.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != file.sha256:
        part.unlink()
        checksums = f"SHA-256 {found[:12]}…, not {file.sha256[:12]}…"
        what = f"{access.endpoint} sent another {file.file} than expected ({checksums}), which was deleted"
        raise _make_hub_error(f"{what}; try again, and check HF_ENDPOINT")


def _format_size(size: int) -> str:
    """Format a number of bytes, as in `640 MB` or `2.5 GB`."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"  # noqa: PLR2004 - a gigabyte


def hub_table() -> Iterable[tuple[str, str, str, str, str]]:
    """Return a row of name, size, licence, memory and model for each known file, for people."""
    for name, file in HUB_MODELS.items():
        yield name, _format_size(file.size), file.licence, f"{file.memory_gb} GB", file.model
