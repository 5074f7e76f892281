"""The environment as a run sees it: the process's own, and behind it the `.env` files."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from debate_cli.errors import ConfigError

_MAX_DOTENV_BYTES = 1024 * 1024


def load_environment(folder: Path, env: Mapping[str, str], *, here: Path | None = None) -> dict[str, str]:
    """`env` with what `.env` beside the configuration (in `folder`), then in the working folder `here`, adds.

    Nothing in a file overrides `env`, and nothing in it is expanded. Raises ConfigError where a file cannot be read.
    """
    found: dict[str, str] = {}
    for place in dict.fromkeys(((here or Path()).resolve(), folder.resolve())):
        found |= _read_dotenv(place / ".env")
    return found | dict(env)


def _read_dotenv(path: Path) -> dict[str, str]:
    try:
        if not path.is_file():
            return {}
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); make it readable, or remove it") from error
    if len(data) > _MAX_DOTENV_BYTES:
        raise ConfigError(f"{path}: larger than {_MAX_DOTENV_BYTES // 1024} KiB; keep only NAME=value lines in it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not valid UTF-8; save it as UTF-8") from error
    from dotenv.main import DotEnv

    values = DotEnv(None, stream=StringIO(text), interpolate=False).dict()
    return {name: value for name, value in values.items() if value is not None}
