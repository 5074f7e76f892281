"""Finds problems that prevent calls to models, before any call: unknown providers, missing keys, prices, scripts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from debate_cli.domain.config import DebateConfig, ModelSpec
from debate_cli.domain.config_checks import KeyPath, Problem, check_config, find_model_key_paths
from debate_cli.errors import ConfigError, NoLocalModelError
from debate_cli.providers.hub import find_hub_file
from debate_cli.providers.mock.model import SCRIPTED_MODEL, ReplyScript
from debate_cli.providers.provider_table import ProviderRow, find_provider_problems, merge_provider_rows
from debate_cli.providers.registry import find_price, find_row_problems, format_unknown_provider, split_model_name


def provider_problems(config: DebateConfig) -> list[Problem]:
    """Problems in the settings of `providers` that `domain.config_checks` does not find, each with its key path."""
    known = {problem.path for problem in check_config(config)}
    found = [_provider_problem(line, config) for line in find_provider_problems(config)]
    return [problem for problem in found if problem.path not in known]


def _provider_problem(line: str, config: DebateConfig) -> Problem:
    """Parse a line `providers.NAME.KEY: message`. Names of providers and headers may contain dots."""
    key, _, message = line.partition(": ")
    names = (name for name in config.providers if key == f"providers.{name}" or key.startswith(f"providers.{name}."))
    name = max(names, key=len, default="")
    rest = key.removeprefix(f"providers.{name}").strip(".").split(".", 1)
    return Problem(("providers", name, *filter(None, rest)), message)


def model_problems(
    config: DebateConfig, specs: Sequence[ModelSpec], env: Mapping[str, str], folder: Path
) -> list[Problem]:
    """Problems that prevent calls to the models of `specs`, each with its key path.

    First wrong settings: an unknown provider, an unreadable script (in `folder`), a cost limit with an unknown price.
    Then what this machine lacks: a key, a usable address, the extra for embedded models.
    """
    table = merge_provider_rows(config)
    found: list[Problem] = []
    missing: dict[str, Problem] = {}
    checked: set[str] = set()
    for spec in specs:
        paths = find_model_key_paths(config, [spec.model]) or [()]
        provider = split_model_name(spec.model)[0]
        row = table.get(provider)
        if row is None:
            if provider not in config.providers:
                found += [Problem(path, format_unknown_provider(spec.model, table)) for path in paths]
            continue
        found += _script_problems(spec, paths[0], folder)
        found += _hub_problems(spec, row, paths[0])
        if config.limits.max_cost_usd is not None and find_price(spec, row, env) is None:
            found.append(_missing_price_problem(spec))
        if row.name not in checked:
            checked.add(row.name)
            for message in find_row_problems(row, env, [each.model for each in specs]):
                missing.setdefault(message, Problem(_row_key_path(row, config, paths[0]), message))
    return [*dict.fromkeys(found), *missing.values()]


def _row_key_path(row: ProviderRow, config: DebateConfig, path: KeyPath) -> KeyPath:
    """Where to report a provider's problem: its entry in `config`; if it has none, `path`, the key of its model."""
    own = config.providers.get(row.name)
    if own is None:
        return path
    return ("providers", row.name, *(("api_key_env",) if own.api_key_env is not None else ()))


def _script_problems(spec: ModelSpec, path: KeyPath, folder: Path) -> list[Problem]:
    if spec.model != SCRIPTED_MODEL:
        return []
    try:
        ReplyScript.load(spec, folder)
    except ConfigError as error:
        return [Problem((*path[:-1], "script") if spec.script is not None else path, str(error))]
    return []


def _hub_problems(spec: ModelSpec, row: ProviderRow, path: KeyPath) -> list[Problem]:
    """Problems of a file on the hub: a malformed name, or no checksum for a file outside the table."""
    if row.kind != "embedded":
        return []
    try:
        file = find_hub_file(spec.model, spec.sha256)
    except NoLocalModelError as error:
        return [Problem(path, str(error))]
    if file is None or file.sha256:
        return []
    message = "is not in the table of `debate models pull`, so its checksum is needed; add `sha256` beside `model`"
    return [Problem(path, message)]


def _missing_price_problem(spec: ModelSpec) -> Problem:
    message = (
        f"cannot be enforced, because the price of {spec.model} is unknown; add "
        "`price: {input, output}` per million tokens (0 if it costs nothing) to its provider or its entry in `models`, "
        "or remove the limit"
    )
    return Problem(("limits", "max_cost_usd"), message)
