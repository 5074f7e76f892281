"""The user's consents, stored in the user's own folder: which variable may be sent to which host for which file."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from debate_cli.regular_file import read_regular_file
from debate_cli.storage.atomic_write import atomic_write
from debate_cli.storage.plain_data import is_list, is_mapping

_MAX_BYTES = 4 * 1024 * 1024


class RememberedConsent(NamedTuple):
    """A question that was answered with yes."""

    variable: str | None
    """Environment variable whose value may go to the host; None if only requests may."""
    host: str
    sha256: str
    """Hash of the file, or of the provider's settings in a stored debate."""


def consents_path(env: Mapping[str, str]) -> Path:
    """`debate-cli/consents.json` under XDG_CONFIG_HOME, else under ~/.config. `env`: the process's environment."""
    named = env.get("XDG_CONFIG_HOME", "")
    root = Path(named) if Path(named).is_absolute() else Path(env.get("HOME") or "~").expanduser() / ".config"
    return root / "debate-cli" / "consents.json"


def load_consents(path: Path) -> frozenset[RememberedConsent]:
    """The consents in `path`; empty if the file is absent or damaged."""
    try:
        data = json.loads(read_regular_file(path, _MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    entries = data.get("consents") if is_mapping(data) else None
    return frozenset(_parse_entry(entry) for entry in entries if is_mapping(entry)) if is_list(entries) else frozenset()


def _parse_entry(entry: Mapping[str, object]) -> RememberedConsent:
    variable = entry.get("variable")
    return RememberedConsent(
        None if variable is None else str(variable), str(entry.get("host")), str(entry.get("sha256"))
    )


def save_consents(path: Path, added: Iterable[RememberedConsent]) -> None:
    """Add consents to the file `path`, which only the user can read. Raises StorageError."""
    kept = sorted(load_consents(path) | set(added), key=str)
    document = json.dumps({"consents": [consent._asdict() for consent in kept]}, indent=2)
    atomic_write(path, f"{document}\n".encode(), overwrite=True)
