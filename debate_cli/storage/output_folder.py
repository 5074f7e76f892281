"""Where a configuration has its debates saved, read without making a value of the rest of it: nothing slow is loaded here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from debate_cli.storage.plain import inside, is_mapping

USUAL = Path("transcripts")
"""Where debates are saved when nothing says otherwise."""


def output_folder(config: Path | None, env: Mapping[str, str]) -> Path:
    """`output.dir` as `env` says it, else the file `config`, else the usual one.

    What is wrong with the file is not told here: whoever runs it is told.
    """
    from debate_cli.storage.variables import Filling

    data = _data(config) if config is not None else {}
    if any(name.startswith("DEBATE_") for name in env):
        from debate_cli.storage.overrides import apply_overrides, from_environment  # brings the domain along

        data, _, _ = apply_overrides(data, from_environment(env))
    said = Filling(env).fill(inside(data.get("output"), "dir"))
    return Path(said) if isinstance(said, str) and said and "\0" not in said else USUAL


def _data(config: Path) -> dict[str, object]:
    from debate_cli.storage.yaml_source import MAX_BYTES, parse

    try:
        with config.open("rb") as file:
            text = file.read(MAX_BYTES).decode()
    except (OSError, ValueError):
        return {}
    data = parse(text).data
    return data if is_mapping(data) else {}
