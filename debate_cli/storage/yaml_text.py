"""The text of a YAML file, whatever stands at its path. What it says is read in `storage.yaml_source`."""

from __future__ import annotations

from pathlib import Path

from debate_cli.errors import ConfigError
from debate_cli.storage.yaml_positions import MAX_YAML_BYTES, escape_unprintable


def read_yaml_text(path: Path, *, absent: str) -> str:
    """The text at `path`, MAX_BYTES at the most; `absent` says what to do where there is no file.

    Raises ConfigError where it cannot be read as text.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_YAML_BYTES + 1)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file; {absent}") from error
    except IsADirectoryError as error:
        raise ConfigError(f"{path}: this is a folder; name a file in it") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); make it readable") from error
    except ValueError as error:
        raise ConfigError(f"{escape_unprintable(str(path))}: this is no file name; name another") from error
    if len(data) > MAX_YAML_BYTES:
        raise ConfigError(f"{path}:1:1: larger than {MAX_YAML_BYTES // 1024} KiB; make it smaller")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode()) + 1
        raise ConfigError(f"{path}:{line}:{column}: not valid UTF-8; save the file as UTF-8") from error
