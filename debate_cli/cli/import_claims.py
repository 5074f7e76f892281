"""`debate import --arguments`: asks for the claims of imported speeches, and says what was found."""

from __future__ import annotations

from dataclasses import replace

from debate_cli.app.context import RunContext
from debate_cli.app.import_claims import (
    ClaimSearch,
    count_calls,
    count_missing,
    find_claims,
    read_known_claims,
)
from debate_cli.app.import_debate import ImportedFile
from debate_cli.app.judge_request import JudgingRequest, parse_model
from debate_cli.app.model_factory import mock_spec
from debate_cli.app.personas import prepare_asked_model
from debate_cli.cli import config_options, run_control
from debate_cli.cli.consent import obtain_consents
from debate_cli.cli.console import print_status
from debate_cli.cli.import_options import Options
from debate_cli.cli.screen import BY_USER, PipeSafeObserver, StatusObserver
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.model_call import total_usage
from debate_cli.errors import UsageError, format_page_hint
from debate_cli.importing.speeches import format_count
from debate_cli.render import theme

_FOR_ARGUMENTS = ("mock", "config", "max_cost", "max_tokens", "trust_host")
"""Options that only --arguments uses."""


class ClaimAsker:
    """Asks the model of --arguments about one file after the other."""

    def __init__(self, context: RunContext, spec: ModelSpec, *, is_dry_run: bool) -> None:
        self._context = context
        self._spec = spec
        self._is_dry_run = is_dry_run

    @classmethod
    def from_options(cls, given: Options) -> ClaimAsker | None:
        """The asker; None without --arguments. Raises UsageError, ConfigError, MissingKeyError, UntrustedHostError."""
        if given.arguments is None:
            needless = next((name for name in _FOR_ARGUMENTS if getattr(given, name)), None)
            if needless is not None:
                option = f"--{needless.replace('_', '-')}"
                raise UsageError(f"{option}: is used with --arguments only; name a model there, or leave it out")
            return None
        spec = parse_model(given.arguments, "--arguments")
        model = mock_spec(spec).model if given.mock else spec.model
        loaded = config_options.config_for_judging(given.config, trusted_folders=given.trust_path)
        limits = {"max_cost_usd": given.max_cost, "max_tokens": given.max_tokens}
        request = JudgingRequest(
            config=None if loaded is None else loaded.config,
            systems=("panel",),
            model=model,
            limits={key: value for key, value in limits.items() if value is not None},
            asks_models=not given.dry_run,
        )
        context, chosen = prepare_asked_model("the speeches", request, loaded)
        if not given.dry_run:
            obtain_consents(context.destinations, given.trust_host)
        return cls(context, chosen, is_dry_run=given.dry_run)

    def continues(self, file: ImportedFile) -> bool:
        """Whether the transcript at the target is of the same import, so that only its missing claims are asked for."""
        return read_known_claims(file.target, file.imported.debate, self._spec) is not None

    def ask(self, file: ImportedFile) -> tuple[ImportedFile, int]:
        """The file with the claims as arguments, and the exit code: above 0 if some speeches could not be asked about."""
        debate = file.imported.debate
        search = ClaimSearch(debate, read_known_claims(file.target, debate, self._spec) or {})
        wanted, model = search.wanted, theme.shorten(self._spec.model, 60)
        calls = f"{format_count(count_calls(wanted), 'call')} about {format_count(len(wanted), 'speech')}"
        if self._is_dry_run:
            print_status(f"{model} would be asked for claims: {calls}")
            return file, 0
        if wanted:
            print_status(f"asking {model} for claims: {calls} ...")
        observer = PipeSafeObserver(StatusObserver())
        run_control.run_until_stopped(
            lambda stop: find_claims(search, self._spec, replace(self._context, observer=observer, stop=stop)), observer
        )
        found = search.finish(self._spec)
        left_out = f"; {search.left_out} left out, because their words were not said" if search.left_out else ""
        print_status(f"found {format_count(search.claims, 'claim')}{left_out}")
        print_status(theme.format_usage(total_usage([turn.exchange for turn in found.turns])))
        imported = replace(file.imported, debate=found)
        return replace(file, imported=imported), self._report_end(search, count_missing(found))

    def _report_end(self, search: ClaimSearch, missing: int) -> int:
        """Say why the search ended early, and how it is continued."""
        if not missing:
            return 0
        if search.error is not None:
            hint = format_page_hint(search.error.page) if search.error.page else ""
            print_status(f"debate: {search.error}{hint}")
        print_status(
            f"{format_count(missing, 'speech')} without claims count as one item each; the same command asks for the rest"
        )
        if search.error is not None:
            return search.error.exit_code
        return BY_USER.exit_code if search.stopped else 0
