"""Asks the user for consent to send requests and keys to a host that a file names."""

import os
import sys
from collections.abc import Iterable, Sequence

import typer

from debate_cli.app.consent import Consent, Destination, missing_consents, refuse_consents
from debate_cli.cli.console import print_status
from debate_cli.errors import StorageError
from debate_cli.render.sanitize import sanitize_line
from debate_cli.storage.provider_origin import RememberedConsent, consents_path, save_consents


def obtain_consents(destinations: Iterable[Destination], trusted_hosts: Sequence[str] | None) -> None:
    """Ask the user at the terminal for each missing consent.

    Raises UntrustedHostError if the user refuses one, or if one is missing and there is no terminal.
    """
    missing = missing_consents(destinations, trusted_hosts or (), os.environ)
    refuse_consents(_ask(missing) if can_ask() else missing)


def can_ask() -> bool:
    """Return whether a person at a terminal can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty() and not os.environ.get("CI")


def _ask(missing: Sequence[Consent]) -> Sequence[Consent]:
    forbidden = [consent for consent in missing if consent.is_forbidden]
    if forbidden:
        return forbidden
    answered: set[RememberedConsent] = set()
    for consent in missing:
        pairs = consent.to_records()
        if pairs[0] in answered:
            continue
        what = f"the variable {consent.variable} and the debate's texts" if consent.variable else "the debate's texts"
        does = f"downloads and runs {consent.download} from" if consent.download else f"sends {what} to"
        print_status(sanitize_line(f"{consent.file}: provider {consent.provider} {does} {consent.host}."))
        if not typer.confirm("Do you trust this file and this host, now and in later runs?", default=False, err=True):
            return [consent]
        answered.update(pairs)
    if answered:
        try:
            save_consents(consents_path(os.environ), answered)
        except StorageError as error:
            print_status(f"note: your consent is not stored, so it applies to this run only: {error}")
    return ()
