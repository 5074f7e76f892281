"""The folders in which debates are saved and searched by id."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from debate_cli.errors import ConfigError
from debate_cli.storage.overrides import apply_overrides, overrides_from_env
from debate_cli.storage.plain_data import get_child, is_mapping
from debate_cli.storage.variables import VariableResolver
from debate_cli.storage.yaml_positions import parse_yaml, read_yaml_text

DEFAULT_OUTPUT_FOLDER = Path("transcripts")
DEFAULT_CONFIG_PATHS = (Path("configs/debate.yaml"), Path("debate.yaml"))
"""Configurations for `run` without an argument: the first that exists, else the packaged one."""


def transcript_dirs(out: Path | None = None, config: str | None = None) -> Iterator[Path]:
    """The folders in which to search for a debate, in order; DEFAULT_OUTPUT_FOLDER is always included.

    The first is `out`, else DEBATE_OUT, else `output.dir` of `config` or of the default configuration. The
    configuration is read only when the first folder is requested.
    """
    first = out or default_transcript_dir(config)
    yield first
    if first != DEFAULT_OUTPUT_FOLDER:
        yield DEFAULT_OUTPUT_FOLDER


def default_transcript_dir(config: str | None = None) -> Path:
    """The folder in which `run` saves a debate of this configuration if no option sets another.

    Errors in the configuration are ignored here; `run` reports them.
    """
    named = Path(config) if config is not None and config != "-" else None
    path = named or next((path for path in DEFAULT_CONFIG_PATHS if path.is_file()), None)
    return _output_dir(path, os.environ)


def _output_dir(config: Path | None, env: Mapping[str, str]) -> Path:
    data, _, _ = apply_overrides(_read_mapping(config) if config is not None else {}, overrides_from_env(env))
    given = data.get("vars")
    resolver = VariableResolver({}, given if is_mapping(given) else {})
    folder = resolver.resolve(get_child(data.get("output"), "dir"), ("output", "dir"))
    return Path(folder) if isinstance(folder, str) and folder and "\0" not in folder else DEFAULT_OUTPUT_FOLDER


def _read_mapping(config: Path) -> dict[str, object]:
    try:
        data = parse_yaml(read_yaml_text(config, absent="")).data
    except ConfigError:
        return {}
    return data if is_mapping(data) else {}
