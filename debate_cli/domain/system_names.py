"""What is said of a word that names no judging system."""

from __future__ import annotations

import re

from debate_cli.domain.assessment import SYSTEM_KINDS
from debate_cli.domain.did_you_mean import closest_match, format_suggestion_or_list
from debate_cli.errors import UsageError

_OPTION = "--system"
_SEPARATORS = re.compile(r"[\s,;+]+")
"""What several names may be parted by in one word."""


def check_system_kind(kind: str) -> None:
    """Raise UsageError where `kind` names no judging system, with the one that was meant; of several in one word, with each."""
    if kind in SYSTEM_KINDS:
        return
    meant = [closest_match(part, SYSTEM_KINDS) for part in _SEPARATORS.split(kind) if part]
    if len(meant) > 1 and None not in meant:
        repeated = " ".join(f"{_OPTION} {name}" for name in dict.fromkeys(meant))
        raise UsageError(f"{_OPTION} {kind}: names several judging systems; repeat the option: {repeated}")
    raise UsageError(
        f"{_OPTION} {kind}: there is no such judging system{format_suggestion_or_list(kind, SYSTEM_KINDS)}"
    )
