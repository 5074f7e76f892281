"""Extension points: kinds of objects that installed packages can add, such as judging systems.

Each object has a name and an import path (`package.module:ATTRIBUTE`). It is imported when its name is first used.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Any

from debate_cli.errors import ConfigError, MissingExtraError, format_install_command


def require_packages(needed_for: str, extra: str, packages: Iterable[str]) -> None:
    """Raise MissingExtraError if packages of an extra are not installed. The message begins with `needed_for`."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"{needed_for} needs packages that are not installed: {', '.join(missing)}; install them with "
            f"{format_install_command(extra)}"
        )


@dataclass(frozen=True)
class ExtensionPoint:
    """One kind of object that installed packages can add, such as judging systems."""

    group: str
    """Entry-point group, e.g. `debate_cli.systems`."""
    built_in: Mapping[str, str]
    """Maps the name of each object that is part of this program to its import path."""
    find_fault: Callable[[str, Any], str] | None = None
    """Function that checks an object of an installed package. Takes the object's name and the object. Returns what is
    wrong, e.g. `does not refer to a JudgingSystem`, or an empty text.

    None: the caller of `load` must check the object.
    """

    def names(self) -> tuple[str, ...]:
        """Return the names of all objects: built-in ones, then those of installed packages in alphabetical order."""
        return (*self.built_in, *sorted(_entry_points(self.group).keys() - self.built_in.keys()))

    def has(self, name: str) -> bool:
        """Return whether the program or an installed package has an object with this name."""
        return name in self.built_in or name in _entry_points(self.group)

    def load(self, name: str) -> Any:
        """Import and return the object with this name.

        Raises KeyError for an unknown name, and ConfigError if the object of an installed package cannot be imported or
        has a fault.
        """
        return _load(self.group, name, self.built_in.get(name), self.find_fault)


@cache
def _entry_points(group: str) -> dict[str, Any]:
    from importlib.metadata import entry_points  # slow, and most commands need no entry points

    return {point.name: point for point in entry_points(group=group)}


@cache
def _load(group: str, name: str, built_in_path: str | None, find_fault: Callable[[str, Any], str] | None) -> Any:
    if built_in_path is not None:
        return resolve_name(built_in_path)
    point = _entry_points(group)[name]
    package = point.dist.name if point.dist is not None else point.value
    try:
        loaded = point.load()
    except Exception as error:
        message = f"the plug-in `{name}` of {package} cannot be loaded ({error}); reinstall or remove the package"
        raise ConfigError(message) from error
    fault = "" if find_fault is None else find_fault(name, loaded)
    if fault:
        raise ConfigError(f"the plug-in `{name}` of {package} {fault}; update or remove its package")
    return loaded


def _find_system_fault(name: str, system: Any) -> str:
    if not isinstance(system, resolve_name("debate_cli.systems.base:JudgingSystem")):
        return "does not refer to a JudgingSystem"
    missing = [member for member in ("kind", "settings", "prompt_package") if not hasattr(system, member)]
    if missing:
        return f"refers to a JudgingSystem without {', '.join(missing)}"
    return "" if system.kind == name else f"refers to a JudgingSystem with another kind, `{system.kind}`"


SYSTEMS = ExtensionPoint(
    "debate_cli.systems",
    {
        "structured": "debate_cli.systems.structured.system:SYSTEM",
        "moderator": "debate_cli.systems.moderator.system:SYSTEM",
        "panel": "debate_cli.systems.panel.system:SYSTEM",
        "live": "debate_cli.systems.live.system:SYSTEM",
        "persuasion": "debate_cli.systems.persuasion.system:SYSTEM",
        "sources": "debate_cli.systems.sources.system:SYSTEM",
    },
    _find_system_fault,
)
"""Judging systems, by their `kind`. Each object is a `systems.base.JudgingSystem`."""

PROVIDERS = ExtensionPoint("debate_cli.providers", {})
"""Model providers of installed packages. Each object is a `providers.provider_table.ProviderRow`."""
