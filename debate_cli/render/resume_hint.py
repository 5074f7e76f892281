"""How to resume a debate that stopped: the command, and what to change first if resuming alone repeats the failure."""

from __future__ import annotations

import shlex

from debate_cli.render import sanitize

MAX_TOKENS_OPTION, MAX_COST_OPTION = "--max-tokens N", "--max-cost USD"
"""The options that raise a budget."""
_REQUIRED_CHANGES = {
    "ContextOverflowError": "resuming asks the same again and fails again: start a new debate with a shorter background,"
    " fewer arguments or rounds, or a model with a larger context",
    "UnauthorizedError": "resuming fails again until the key is replaced",
    "MissingKeyError": "resuming fails again until the key is set",
    "UnknownModelError": "resuming fails again until the server has that model; else start a new debate with another one",
    "QuotaExhaustedError": "resuming fails again until the provider's quota is raised",
    "RejectedError": "resuming sends the same request and is likely to fail again",
}
"""By cause of a failure that resuming repeats."""


def resume_command(place: str | None, *, budget: bool = False, why: str = "") -> str:
    """The command that resumes the debate saved at `place`, quoted for a shell; None means the command given before.

    `budget`: the budget stopped the debate, so the command raises it. `why`: the message, which may name the bound;
    if it names none, both options are offered.
    """
    options = f" {_budget_options(why)}" if budget else ""
    if place is None:
        return f"the same command{options}"
    shown = " ".join(sanitize.sanitize_text(place).splitlines())
    return f"debate run --resume {shlex.quote(shown)}{options}"


def required_change(cause: str) -> str:
    """What to change before resuming, if resuming repeats a failure of that cause; else empty."""
    return _REQUIRED_CHANGES.get(cause, "")


def _budget_options(why: str) -> str:
    options = [
        option
        for bound, option in (("limits.max_tokens", MAX_TOKENS_OPTION), ("limits.max_cost_usd", MAX_COST_OPTION))
        if bound in why
    ]
    return options[0] if len(options) == 1 else f"{MAX_TOKENS_OPTION} (or {MAX_COST_OPTION})"
