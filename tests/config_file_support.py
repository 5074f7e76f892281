"""The smallest configuration with more written beneath it: loaded, or refused."""

from collections.abc import Iterable

import pytest

from debate_cli.errors import ConfigError
from debate_cli.storage.config_file import LoadedConfig, read_config_file

HEAD = """\
topic: Should tests be fun?
models: {default: {model: mock/debater}}
debaters: [{name: Pro, side: for}, {name: Con, side: against}]
"""


def load(
    more: str = "", *, env: dict[str, str] | None = None, overrides: Iterable[tuple[str, str]] = ()
) -> LoadedConfig:
    """The smallest configuration with `more` beneath it."""
    return read_config_file(None, text=HEAD + more, env=env or {}, overrides=tuple(overrides))


def problems(
    more: str = "", *, env: dict[str, str] | None = None, overrides: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """The lines of the error that it gives."""
    with pytest.raises(ConfigError) as caught:
        load(more, env=env, overrides=overrides)
    return list(caught.value.problems)
