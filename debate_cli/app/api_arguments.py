"""Checks the arguments of the functions of `import debate_cli`. Not every caller uses a type checker."""

from collections.abc import Callable, Collection, Mapping
from inspect import signature
from numbers import Real
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

from debate_cli.domain.config import DebateConfig
from debate_cli.domain.debate import Debate
from debate_cli.errors import ConfigError
from debate_cli.importing.formats import READERS
from debate_cli.storage.atomic_write import friendly_os_errors
from debate_cli.storage.batch_store import STORE_NAME
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.lock import LOCK_SUFFIX

MAX_NAME_CHARS = 4000
"""Maximum number of characters in the name of a judged document. The same maximum applies to the topic of a debate."""
Check = Callable[[Any], str | None]
"""A function that checks one argument. It returns None for a usable argument, else what is wrong and what to pass."""


def check_arguments(function: Callable[..., object], given: Mapping[str, object]) -> None:
    """Raise ConfigError for the first argument of `function` that cannot be used.

    `given` maps each parameter to its argument. The argument None is allowed if it is the parameter's default.
    """
    for name, parameter in signature(function).parameters.items():
        argument = given[name]
        problem = None if argument is None and parameter.default is None else _CHECKS[name](argument)
        if problem is not None:
            raise ConfigError(f"{name}: {problem}")


def _accept(kind: type | tuple[type, ...], what: str) -> Check:
    return lambda given: None if isinstance(given, kind) else f"{_describe(given)} is not {what}"


def _accept_one_of(*options: str) -> Check:
    return lambda given: None if given in options else f"{given!r} is not one of {', '.join(options)}"


def _accept_names(example: str) -> Check:
    def check(given: Any) -> str | None:
        if isinstance(given, str) or not isinstance(given, Collection):
            return f"{_describe(given)} is not a list of texts; pass, for example, {example}"
        return next(filter(None, map(_text, given)), None)  # pyright: ignore[reportUnknownArgumentType]

    return check


def _accept_mapping(example: str, check_value: Check = lambda _: None) -> Check:
    def check(given: Any) -> str | None:
        if not isinstance(given, Mapping):
            return f"{_describe(given)} is not a mapping; pass, for example, {example}"
        for key, value in given.items():  # pyright: ignore[reportUnknownVariableType]
            if not isinstance(key, str) or not key:
                return f"{key!r} cannot be a key; pass, for example, {example}"
            problem = check_value(value)
            if problem is not None:
                return f"{key}: {problem}"
        return None

    return check


def _accept_methods(protocol: str, *methods: str) -> Check:
    def check(given: Any) -> str | None:
        missing = next((name for name in methods if not callable(getattr(given, name, None))), None)
        return missing and f"{type(given).__name__} has no method `{missing}`; pass a debate_cli.{protocol}"

    return check


def _by_judge(given: Any) -> str | None:
    if isinstance(given, Collection) and not isinstance(given, str):
        return None
    return f"{_describe(given)} is neither a list nor a mapping; pass a list, or a mapping whose keys are judges"


def _share(given: Any) -> str | None:
    is_share = isinstance(given, Real) and 0 <= float(given) <= 1
    return None if is_share else f"{_describe(given)} is not a number from 0 to 1; pass one, e.g. 0.7"


def _path(given: Any) -> str | None:
    if not isinstance(given, str | PathLike):
        return f"{_describe(given)} is not a path; pass a str or a pathlib.Path"
    text = fsdecode(given)  # pyright: ignore[reportUnknownArgumentType]
    return f"{text!r} contains a null character; remove it" if "\0" in text else None


def _model(given: Any) -> str | None:
    return _text(given) or (None if given else "'' names no model; pass provider/model, e.g. openai/gpt-5")


def _name(given: Any) -> str | None:
    problem = _text(given)
    if problem is None and not (given.strip() and len(given) <= MAX_NAME_CHARS):
        return f"must have 1 to {MAX_NAME_CHARS:,} characters; pass another name, or no name; then the name is `text`"
    return problem


_OTHER_SUFFIXES = {JOURNAL_SUFFIX, LOCK_SUFFIX, Path(STORE_NAME).suffix}


def check_transcript_path(path: str | PathLike[str]) -> Path:
    """Return `path` as the path of a transcript to write. Raises ConfigError if a transcript cannot have this path.

    Raises StorageError if the operating system refuses the path, e.g. because it is too long.
    """
    target = Path(path)
    with friendly_os_errors(target, "written"):
        is_folder = not target.name or target.is_dir()
    if is_folder:
        raise ConfigError(
            f"path: {str(path)!r} is a folder, not a file; pass the path of a transcript, e.g. transcripts/one.json"
        )
    if target.suffix in _OTHER_SUFFIXES:
        raise ConfigError(
            f"path: {str(path)!r} has the suffix of a journal, lock or batch file; pass a path that ends in .json"
        )
    return target


def _describe(argument: object) -> str:
    return repr(argument) if isinstance(argument, str | int | float | None) else type(argument).__name__


_text = _accept(str, "a text; pass a str")
_CHECKS: Mapping[str, Check] = {
    "path": _path,
    "folder": _path,
    "config": _accept(DebateConfig, "a DebateConfig; load one with debate_cli.load_config"),
    "debate": _accept(Debate, "a Debate; load one with debate_cli.load_transcript"),
    "overrides": _accept_mapping('{"format.arguments": 2}'),
    "settings": _accept_mapping('{"structured": {"weights": {"logic": 1}}}'),
    "sides": _accept_mapping('{"Ann": "for"}', _text),
    "merge": _accept_mapping('{"Dr. Ann": "Ann"}', _text),
    "columns": _accept_mapping('{"speaker": "who"}', _text),
    "models": _accept_mapping('{"default": model}', _accept_methods("Model", "complete")),
    "observer": _accept_methods("Observer", "event", "asking", "text", "note"),
    "systems": _accept_names('["panel"]'),
    "drop": _accept_names('["Chair"]'),
    "trusted_hosts": _accept_names('["llm.example.org"]'),
    "votes": _by_judge,
    "dimensions": _accept_mapping('{"risk": [1, 3]}', _by_judge),
    "threshold": _share,
    "mock": _accept(bool, "a truth value; pass True or False"),
    "format": _accept_one_of(*READERS),
    "round_by": _accept_one_of("turns", "heading"),
    "model": _model,
    "name": _name,
    **dict.fromkeys(("topic", "text", "context", "debate_id", "runs"), _text),
}
"""Check of each parameter, by name. Parameters with equal names have equal meanings in all functions."""
