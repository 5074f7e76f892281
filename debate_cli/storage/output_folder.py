"""Where a configuration has its debates saved, read without making a value of the rest of it: nothing slow is loaded here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from debate_cli.storage.plain import get_child, is_mapping

DEFAULT_OUTPUT_FOLDER = Path("transcripts")
"""Where debates are saved when nothing says otherwise."""


def read_output_folder(config: Path | None, env: Mapping[str, str]) -> Path:
    """`output.dir` as `env` says it, else the file `config`, else the usual one.

    What is wrong with the file is not told here: whoever runs it is told.
    """
    from debate_cli.storage.variables import VariableResolver

    data = _read_mapping(config) if config is not None else {}
    if any(name.startswith("DEBATE_") for name in env):
        from debate_cli.storage.overrides import apply_overrides, overrides_from_env  # brings the domain along

        data, _, _ = apply_overrides(data, overrides_from_env(env))
    said = VariableResolver(env).resolve(get_child(data.get("output"), "dir"))
    return Path(said) if isinstance(said, str) and said and "\0" not in said else DEFAULT_OUTPUT_FOLDER


def _read_mapping(config: Path) -> dict[str, object]:
    from debate_cli.storage.yaml_source import MAX_YAML_BYTES, parse_yaml

    try:
        with config.open("rb") as file:
            text = file.read(MAX_YAML_BYTES).decode()
    except (OSError, ValueError):
        return {}
    data = parse_yaml(text).data
    return data if is_mapping(data) else {}
