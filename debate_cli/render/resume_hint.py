"""How a debate that stopped is gone on with. Nothing here loads the domain: it stands in the list of saved debates."""

from __future__ import annotations

import shlex

from debate_cli.render import sanitize

MAX_TOKENS_OPTION, MAX_COST_OPTION = "--max-tokens N", "--max-cost USD"
"""The options that make a budget larger."""


def resume_command(place: str | None, *, budget: bool = False, why: str = "") -> str:
    """The command that goes on with the debate saved at `place`, quoted for a shell; with None, the one given before.

    `budget`: its budget stopped it, so that a larger one is to be given; the user writes down how large. `why` is the
    refusal, which names the bound that was reached; where it names none, both are offered.
    """
    larger = f" {_budget_options(why)}" if budget else ""
    if place is None:
        return f"the same command{larger}"
    shown = " ".join(sanitize.sanitize_text(place).splitlines())
    return f"debate run --resume {shlex.quote(shown)}{larger}"


def _budget_options(why: str) -> str:
    named = [
        option
        for bound, option in (("limits.max_tokens", MAX_TOKENS_OPTION), ("limits.max_cost_usd", MAX_COST_OPTION))
        if bound in why
    ]
    return named[0] if len(named) == 1 else f"{MAX_TOKENS_OPTION} (or {MAX_COST_OPTION})"
