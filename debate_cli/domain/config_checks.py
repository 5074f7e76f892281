"""Finds contradictions in a configuration, e.g. a judge without a model, or two debaters with the same name."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from debate_cli.domain.config import LEGACY_KIND, LEGACY_SECTIONS, DebateConfig, FormatConfig, ModelSpec
from debate_cli.domain.judging_config import SystemSettings, UninstalledSettings, duplicate_indices
from debate_cli.domain.message_text import format_suggestion
from debate_cli.domain.model_call import MOCK_PROVIDER, PERSON_PROVIDERS, TERMINAL_PROVIDERS
from debate_cli.domain.participant import participants
from debate_cli.domain.text_normalization import normalize_text
from debate_cli.domain.turn import Phase
from debate_cli.plugins import SYSTEMS
from debate_cli.yaml_positions import KeyPath

RESERVED_NAMES = {"draw": "the debate has no winner", "even": "no debater is ahead"}
"""Names that no debater may have. Each name is mapped to its meaning in a judge's answer."""
MIN_DEBATERS = 2
DEFAULT_ROLES = ("default", "judge")
"""Keys of `models`. Debaters without a `model` use `default`; judges without a model use `judge`, else `default`."""
CONFIGURABLE_PHASES: tuple[Phase, ...] = ("opening", "cross_examination", "rebuttal", "closing")
"""Phases that a configuration may list. Formats add the other phases themselves."""
_PROVIDER_AND_MODEL = re.compile(r"[^/\s]+/\S.*")
MOCK_ONLY_SETTINGS = ("latency_s", "tokens_per_second", "faults", "script", "bias", "strength")
"""Keys of an entry of `models` that only models of the mock provider may have."""


class Problem(NamedTuple):
    """A wrong key or value in a configuration: its key path, and what is wrong."""

    path: KeyPath
    message: str
    is_key_error: bool = False
    """True if the key is wrong, False if the value is wrong."""


TOO_FEW_DEBATERS = Problem(("debaters",), "a debate needs at least two debaters; add another")


IGNORED_FORMAT_KEYS = {
    "structured": ("exchanges", "turns"),
    "semi_structured": ("turns",),
    "free_flowing": ("phases", "exchanges", "answers"),
}
"""Maps each kind of format to the keys of `format` that have no effect in this kind."""


def check_config(config: DebateConfig, *, needs_debaters: bool = True, needs_models: bool = True) -> list[Problem]:
    """Return the problems of `config`; empty if the configuration is valid.

    `needs_debaters`: whether a configuration without debaters is invalid. `needs_models`: whether a debater or judge
    without a model is invalid.
    """
    if not needs_models:
        config = config.model_copy(update={"models": {"default": ModelSpec(model="mock/default"), **config.models}})
    topic = [] if config.topic.strip() else [Problem(("topic",), "contains only spaces; write the motion")]
    output = [] if config.output.dir else [Problem(("output", "dir"), "is empty; choose a folder, e.g. `transcripts`")]
    return [
        *topic,
        *output,
        *(_check_debaters(config) if config.debaters or needs_debaters else ()),
        *_check_models(config),
        *_check_mock_provider(config),
        *_check_format(config.format),
        *_check_evidence(config),
        *_check_judging(config),
    ]


def find_notices(config: DebateConfig) -> tuple[str, ...]:
    """Return a sentence for each valid setting that may be a mistake. Each sentence begins with the key path."""
    seats = [seat.model for system in config.judging.systems for seat in system.seats]
    used = {*DEFAULT_ROLES, *seats, *(debater.model for debater in config.debaters)}
    misspelled = (
        f"models.{name} is used by no debater and no judge{advice}"
        for name in config.models
        if name not in used and (advice := format_suggestion(name, DEFAULT_ROLES))
    )
    return (*config.judging.notices(), *_find_ignored_format_keys(config.format), *misspelled)


def _find_ignored_format_keys(given: FormatConfig) -> Iterator[str]:
    for key in IGNORED_FORMAT_KEYS[given.kind]:
        if getattr(given, key) != FormatConfig.model_fields[key].default:
            yield f"format.{key} has no effect in a debate of the kind {given.kind}; remove it"


def check_for_any_use(config: DebateConfig) -> list[Problem]:
    """Return the problems of `config`. Debaters are optional, because `debate judge` needs none.

    Without debaters, models are optional too.
    """
    return check_config(config, needs_debaters=False, needs_models=bool(config.debaters))


def check_for_judging(config: DebateConfig) -> list[Problem]:
    """Return the problems that prevent judging with `config`. Debaters, models and systems are optional."""
    return check_stored_config(config, needs_models=False)


def check_stored_config(config: DebateConfig, *, needs_models: bool = True) -> list[Problem]:
    """Return the problems of a stored configuration. Ignores rules that matter only before a debate starts.

    `needs_models`: whether a debater or judge without a model is invalid.
    """
    passed: set[KeyPath] = {("format", "order"), ("evidence", "sources"), ("output", "dir")}
    passed |= {
        ("debaters", index, "name")
        for index, one in enumerate(config.debaters)
        if normalize_text(one.name) in RESERVED_NAMES
    }
    if not config.debaters:
        passed |= {("judging", "question"), ("judging", "context")}
    if not config.judging.systems:
        passed.add(("judging", "systems"))
    passed |= {("providers", name, "kind") for name in config.providers}
    return [
        problem
        for problem in check_config(config, needs_debaters=False, needs_models=needs_models)
        if problem.path not in passed
    ]


def _check_debaters(config: DebateConfig) -> Iterator[Problem]:
    if len(config.debaters) < MIN_DEBATERS:
        yield TOO_FEW_DEBATERS
    yield from _check_names(config)
    without_models = tuple(debater.model_copy(update={"model": None}) for debater in config.debaters)
    people = participants(config.model_copy(update={"debaters": without_models}))  # a model may be malformed
    for index in duplicate_indices(person.prefix.upper() for person in people):
        message = "an earlier debater has this prefix of argument ids; give each debater a different `prefix`"
        yield Problem(("debaters", index), message)
    if len(config.debaters) == MIN_DEBATERS:
        yield from _check_two_sides(config)
    for index, debater in enumerate(config.debaters):
        if debater.model is not None:
            yield from _check_role(config, debater.model, ("debaters", index, "model"))
        elif "default" not in config.models:
            yield Problem(("debaters", index), "names no model; add `model`, or set `models.default`")


def _check_names(config: DebateConfig) -> Iterator[Problem]:
    for index, debater in enumerate(config.debaters):
        path = ("debaters", index, "name")
        meaning = RESERVED_NAMES.get(normalize_text(debater.name))
        if meaning is not None:
            because = f"because this word in a judge's answer means that {meaning}"
            yield Problem(path, f"no debater may be called `{debater.name}`, {because}; choose another name")
        if not debater.name.isprintable() or debater.name != debater.name.strip():
            yield Problem(
                path,
                "the name has a line break, a control character, or a space at its start or end; remove it",
            )
    for index in duplicate_indices(normalize_text(debater.name) for debater in config.debaters):
        yield Problem(
            ("debaters", index, "name"), "an earlier debater has this name; give each debater a different `name`"
        )


def _check_two_sides(config: DebateConfig) -> Iterator[Problem]:
    first, second = config.debaters
    for index, debater in enumerate((first, second)):
        if debater.side not in {"for", "against"}:
            advice = format_suggestion(debater.side, ("for", "against")) or "; other labels need three or more debaters"
            words = f"`{debater.side}` is not a side: with two debaters, one must be `for` and one `against`{advice}"
            yield Problem(("debaters", index, "side"), words)
    if first.side == second.side:
        yield Problem(("debaters", 1, "side"), "both debaters are on the same side; make one `for` and one `against`")


def _check_role(config: DebateConfig, role: str, path: KeyPath) -> Iterator[Problem]:
    if role in config.models or role in PERSON_PROVIDERS or _PROVIDER_AND_MODEL.fullmatch(role):
        return
    advice = format_suggestion(role, config.models) or "; add the entry, or write `provider/model`"
    yield Problem(path, f"`models` has no entry of this name{advice}")


def _check_mock_provider(config: DebateConfig) -> Iterator[Problem]:
    for name, row in config.providers.items():
        if row.kind is not None and (row.kind == MOCK_PROVIDER) != (name == MOCK_PROVIDER):
            words = (
                "the provider `mock` must have the kind `mock`; change the kind, or rename the provider"
                if name == MOCK_PROVIDER
                else "only the provider `mock` may have the kind `mock`; change the kind"
            )
            yield Problem(("providers", name, "kind"), words)


def _check_models(config: DebateConfig) -> Iterator[Problem]:
    for name, spec in config.models.items():
        provider, _, model = spec.model.partition("/")
        row = config.providers.get(provider)
        is_mock = ((row.kind if row is not None else None) or provider) == MOCK_PROVIDER
        if spec.time_limit_s is not None and provider not in TERMINAL_PROVIDERS:
            message = "this setting is only for the providers `human` and `paste`, where a person answers at the terminal; remove it"
            yield Problem(("models", name, "time_limit_s"), message)
        if is_mock and spec.script is not None and model != "scripted":
            message = "a script works only with the model `mock/scripted`; remove `script`, or use that model"
            yield Problem(("models", name, "script"), message)
        for key in () if is_mock else MOCK_ONLY_SETTINGS:
            if getattr(spec, key) is not None:
                yield Problem(("models", name, key), "this setting is only for models of the mock provider; remove it")


def _check_evidence(config: DebateConfig) -> Iterator[Problem]:
    evidence = config.evidence
    if evidence is not None and not evidence.sources and evidence.web is None:
        yield Problem(("evidence", "sources"), "is empty; add a folder with documents, or `evidence.web`")
    has_files = evidence is not None and bool(evidence.sources)
    for index, system in enumerate(config.judging.systems):
        if "corpus" in system.lookup_places and "web" not in system.lookup_places and not has_files:
            yield Problem(
                ("judging", "systems", index, "lookup"),
                "there are no files to search; list files in `evidence.sources`, or write `lookup: web`",
            )


def _describe_missing_phases(phases: tuple[str, ...]) -> str:
    if phases[:1] == ("opening",):
        return "the last phase must be `closing`; add it at the end"
    if phases[-1:] == ("closing",):
        return "the first phase must be `opening`; add it at the beginning"
    remedy = "correct the order" if {"opening", "closing"} <= {*phases} else "add both"
    return f"the first phase must be `opening` and the last phase `closing`; {remedy}"


def _check_format(settings: FormatConfig) -> Iterator[Problem]:
    path = ("format", "phases")
    phases = settings.phases
    if settings.kind == "free_flowing":
        if settings.order == "simultaneous":
            message = "`simultaneous` is not possible in a free-flowing debate; remove `order`, or write `sequential`"
            yield Problem(("format", "order"), message)
        return
    if not set(phases) <= set(CONFIGURABLE_PHASES):
        yield Problem(
            path, "`answers` and `speech` are not allowed here, because the program adds these phases; remove them"
        )
        return
    if phases != ("opening",) and (len(phases) < 2 or phases[0] != "opening" or phases[-1] != "closing"):  # noqa: PLR2004
        yield Problem(path, _describe_missing_phases(phases))
        return
    inner = phases[1:-1]
    if "opening" in inner:
        yield Problem(path, "only the first phase may be `opening`; remove the other `opening`")
    if "closing" in inner:
        yield Problem(path, "only the last phase may be `closing`; remove the other `closing`")
    if "cross_examination" in inner[1:]:
        yield Problem(
            path,
            "`cross_examination` is allowed only once, right after `opening`; write `rebuttal` for later phases",
        )
    if settings.kind == "semi_structured" and "cross_examination" not in inner:
        yield Problem(
            path,
            "a semi-structured debate asks its questions in the phase `cross_examination`, which is missing; "
            "add it after `opening`, or set `rounds` to 3 or more",
        )


def _check_judging(config: DebateConfig) -> Iterator[Problem]:
    systems = config.judging.systems
    kinds = [system.kind for system in systems]
    path = ("judging", "systems")
    if not systems:
        yield Problem(path, "names no system; add one, such as `structured`")
    for index in duplicate_indices(kinds):
        yield Problem((*path, index), f"`{kinds[index]}` is listed twice; keep one of each kind")
    decides = config.judging.decides
    has_unknown = any(isinstance(system, UninstalledSettings) for system in systems)  # it may be the missing system
    if kinds and not has_unknown and decides is not None and decides not in kinds:
        listed = ", ".join(dict.fromkeys(kinds))
        advice = (
            format_suggestion(decides, kinds) or "; choose one of these systems, or add the system to `judging.systems`"
        )
        yield Problem(("judging", "decides"), f"`{decides}` is not among the systems ({listed}){advice}")
    for name, key in (("question", "topic"), ("context", "background")):
        if getattr(config.judging, name) is not None:
            yield Problem(("judging", name), f"this key is not allowed in a configuration; write `{key}` instead")
    for section, (name, _) in LEGACY_SECTIONS.items():
        if getattr(config, section) is not None and not has_unknown:
            has_system = LEGACY_KIND in kinds
            why = (
                f"already has the setting `{name}`; keep one of the two"
                if has_system
                else "is not in `judging.systems`; add the system"
            )
            yield Problem((section,), f"is for the judging system `{LEGACY_KIND}`, which {why}")
    for index, system in enumerate(systems):
        yield from _check_system_settings(config, system, (*path, index))


def _check_system_settings(config: DebateConfig, system: SystemSettings, path: KeyPath) -> Iterator[Problem]:
    if isinstance(system, UninstalledSettings):
        known = SYSTEMS.names()
        hint = format_suggestion(system.kind, known)
        yield Problem((*path, "kind"), f"must be one of {', '.join(known)}, not `{system.kind}`{hint}")
        return
    roles = {seat.model_path: seat.model for seat in system.seats}
    for model_path, role in roles.items():
        if role is not None:
            yield from _check_role(config, role, (*path, *model_path))
        elif not {"judge", "default"} & set(config.models):
            *entry, key = model_path
            who = "this judge" if entry else "the judge of this system"
            message = f"{who} names no model; set `{key}`, `models.judge` or `models.default`"
            yield Problem((*path, *entry), message)
    for inner, message in system.problems():
        yield Problem((*path, *inner), message)


def find_model_key_paths(config: DebateConfig, models: Collection[str]) -> list[KeyPath]:
    """Return the key paths of all settings that name a model in `models`."""
    found: list[KeyPath] = [("models", name, "model") for name, spec in config.models.items() if spec.model in models]
    found += [("debaters", index, "model") for index, one in enumerate(config.debaters) if one.model in models]
    for index, system in enumerate(config.judging.systems):
        here = ("judging", "systems", index)
        found += dict.fromkeys((*here, *seat.model_path) for seat in system.seats if seat.model in models)
    rerank = config.evidence and config.evidence.rerank
    if rerank is not None and rerank.model in models:
        found.append(("evidence", "rerank", "model"))
    return found
