"""Filling `${VAR}` and `${VAR:-default}` in the headers of a provider, at the moment when an adapter is made."""

from __future__ import annotations

import re
from collections.abc import Mapping

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def fill_variables(text: str, env: Mapping[str, str]) -> str:
    """`text` with its variables filled in; raises KeyError with the name of one that is unset and has no default."""
    closed = _last_variable_end(text)
    return _VARIABLE.sub(lambda match: _variable_value(match, env), text[:closed]) + text[closed:]


def find_variables(text: str) -> tuple[str, ...]:
    """Names of the variables in `text`, in order."""
    return tuple(match.group(1) for match in _VARIABLE.finditer(text[: _last_variable_end(text)]))


def _last_variable_end(text: str) -> int:
    """Where the last variable may end: behind it no end is looked for, which would take long for each of many beginnings."""
    return text.rfind("}") + 1


def _variable_value(match: re.Match[str], env: Mapping[str, str]) -> str:
    name, default = match.group(1), match.group(2)
    value = env.get(name)
    if value:
        return value.strip()
    if default is None:
        raise KeyError(name)
    return default
