"""Where a debate that is named by its id is looked for. Nothing slow is imported here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from debate_cli.errors import ConfigError
from debate_cli.storage.config_file import DEFAULT_OUTPUT_FOLDER, read_output_folder
from debate_cli.storage.variables import load_environment

DEFAULT_CONFIG_PATHS = (Path("configs/debate.yaml"), Path("debate.yaml"))
"""What `run` takes when no configuration is named: the first that is there, else the one in the package."""


def transcript_dirs(out: Path | None = None, config: str | None = None) -> Iterator[Path]:
    """The folders in which `run` would save a debate, the likeliest first; the usual one is always among them.

    That is `out`, else DEBATE_OUT, else `output.dir` of `config` or of the configuration that is taken without one. The
    configuration is not read before a folder is wanted.
    """
    first = out or default_transcript_dir(config)
    yield first
    if first != DEFAULT_OUTPUT_FOLDER:
        yield DEFAULT_OUTPUT_FOLDER


def default_transcript_dir(config: str | None = None) -> Path:
    """The folder in which `run` would save a debate of this configuration when no option says otherwise.

    A `.env` that cannot be read is as if it were not there: showing a debate needs none, and `run` tells of it.
    """
    named = Path(config) if config not in {None, "-"} else None  # pyright: ignore[reportArgumentType] - None is left out
    path = named or next((place for place in DEFAULT_CONFIG_PATHS if place.is_file()), None)
    try:
        env = load_environment(path.parent if path is not None else Path(), os.environ)
    except ConfigError:
        env = dict(os.environ)
    return read_output_folder(path, env)
