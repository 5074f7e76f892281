"""Determines the speakers of an imported debate: merges spellings, drops speakers, assigns sides."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from debate_cli.domain.config_checks import RESERVED_NAMES
from debate_cli.domain.message_text import count_noun, format_suggestion
from debate_cli.importing.speaker_labels import MAX_NAME_CHARS, clean_name, fold_name
from debate_cli.importing.speeches import (
    FoundDebate,
    ImportChoiceError,
    ImportRequest,
    Speech,
    UnreadableDebateError,
)

MAX_SPEAKERS = 100
MAX_SIDE_CHARS = 60
_OPPOSITE = {"for": "against", "against": "for"}
_CHAIRS = frozenset({"chair", "chairman", "chairperson", "chairwoman", "host", "interviewer", "moderator", "presenter"})


class ResolvedSpeakers(NamedTuple):
    """The speeches and speakers after the user's choices were applied."""

    speeches: tuple[Speech, ...]
    sides: Mapping[str, str]
    """Maps each speaker to a side. Speakers are in the order of their first speeches."""
    dropped: tuple[str, ...]
    """Descriptions of speeches that were left out, such as `3 speeches by Ann`."""
    warnings: tuple[str, ...]


def resolve_speakers(found: FoundDebate, request: ImportRequest) -> ResolvedSpeakers:
    """Apply the user's choices to the speeches of a file.

    Raises UnreadableDebateError for too few or too many speakers, and for a choice about an unknown speaker.
    """
    cleaned = [_with_clean_name(speech) for speech in found.speeches]
    names = _display_names(speech.speaker for speech in cleaned)
    _check_names(request, names)
    merged = {fold_name(clean_name(old)): clean_name(new) for old, new in request.merge.items()}
    names |= {fold_name(new): new for new in merged.values()}
    dropped_names = {fold_name(clean_name(name)) for name in request.drop}
    kept: list[Speech] = []
    dropped = Counter[str]()
    for speech in cleaned:
        folded = fold_name(speech.speaker)
        name = merged.get(folded) or names[folded]
        if {folded, fold_name(name)} & dropped_names:
            dropped[name] += 1
        else:
            is_reserved = name.casefold() in RESERVED_NAMES
            kept.append(speech._replace(speaker=f"{name} (speaker)" if is_reserved else name))
    present = list(dict.fromkeys(speech.speaker for speech in kept))
    _check_count(present, is_dropping=bool(dropped))
    sides, warnings = _choose_sides(present, found.sides, request.sides)
    warnings += _describe_similar(present)
    for name in present:
        if _CHAIRS & set(fold_name(name).split()):
            warnings.append(
                f'`{name}` seems to be the chair, not a debater; if so, leave out the chair\'s speeches with --drop "{name}"'
            )
    omitted = (f"{count_noun(count, 'speech')} by {name}" for name, count in dropped.items())
    return ResolvedSpeakers(tuple(kept), sides, tuple(omitted), tuple(warnings))


def _with_clean_name(speech: Speech) -> Speech:
    name = clean_name(speech.speaker)
    if not name:
        raise UnreadableDebateError(f"{speech.place} has a speaker without a readable name; correct the name")
    if len(name) > MAX_NAME_CHARS:
        raise UnreadableDebateError(
            f"{speech.place} has a speaker whose name is longer than {MAX_NAME_CHARS} characters; "
            "shorten it, or map another column"
        )
    return speech._replace(speaker=name)


def _display_names(names: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names:
        folded = fold_name(name)
        if folded not in found or (found[folded].isupper() and not name.isupper()):
            found[folded] = name
    return found


def _check_names(request: ImportRequest, names: Mapping[str, str]) -> None:
    targets = {fold_name(clean_name(name)) for name in request.merge.values()}
    known = list(names.values())
    for option, given in (("--merge", request.merge), ("--drop", request.drop), ("--side", request.sides)):
        for name in given:
            folded = fold_name(clean_name(name))
            if folded not in names and (option == "--merge" or folded not in targets):
                hint = format_suggestion(name, known) or f"; the speakers are {', '.join(known)[:200]}"
                raise ImportChoiceError(f"{option}: the debate has no speaker `{name}`{hint}")


def _check_count(present: Sequence[str], *, is_dropping: bool) -> None:
    if is_dropping and len(present) <= 1:
        left = f"only one speaker ({present[0]})" if present else "no speaker"
        raise ImportChoiceError(f"--drop leaves {left}, but a debate needs two; drop fewer speakers")
    if not present:
        raise UnreadableDebateError(
            "the debate has no speaker; begin each speech with `Name: `, or give the file's format with --format"
        )
    if len(present) == 1:
        raise UnreadableDebateError(
            f"the debate has only one speaker ({present[0]}); choose a file with two or more speakers"
        )
    if len(present) > MAX_SPEAKERS:
        raise UnreadableDebateError(
            f"the debate has {len(present):,} speakers, more than {MAX_SPEAKERS}; combine speakers with --merge, leave "
            "some out with --drop, or choose another --format if many of these are not names"
        )


def _choose_sides(
    names: Sequence[str], found: Mapping[str, str], given: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    error = ImportChoiceError if given else UnreadableDebateError
    by_name = {fold_name(clean_name(name)): side.strip() for name, side in {**found, **given}.items()}
    sides = {name: by_name[folded] for name in names if (folded := fold_name(name)) in by_name}
    for name, side in sides.items():
        if not 0 < len(side) <= MAX_SIDE_CHARS:
            fault = f"is longer than {MAX_SIDE_CHARS} characters" if side else "is empty"
            raise error(f"the side of {name} {fault}; write `for` or `against`")
    if len(names) > 2:  # noqa: PLR2004 - two debaters
        return {name: sides.get(name, name) for name in names}, []
    for side in sides.values():
        if side not in _OPPOSITE:
            raise error(
                f"the debate has two speakers, so their sides must be `for` and `against`, not `{side}`; correct --side"
            )
    first, second = names
    own = sides.get(first) or _OPPOSITE.get(sides.get(second, ""), "for")
    other = sides.get(second) or _OPPOSITE[own]
    if own == other:
        raise error(f"both speakers are on the side `{own}`; with --side, put one on `for` and the other on `against`")
    guess = f"the file names no sides, so {first} argues for and {second} against; change this with --side"
    return {first: own, second: other}, [] if sides else [guess]


def _describe_similar(names: Sequence[str]) -> list[str]:
    words = {name: frozenset(re.findall(r"\w+", fold_name(name))) for name in names}
    groups: dict[str, list[str]] = {}
    for name in names:
        longer = [other for other in names if words[name] and words[name] < words[other]]
        if longer:
            groups.setdefault(max(longer, key=lambda other: len(words[other])), []).append(name)
    return [
        f"{', '.join(f'`{name}`' for name in (longest, *others[:-1]))} and `{others[-1]}` seem to be one speaker; if so, join them with "
        + " ".join(f'--merge "{name}={longest}"' for name in others)
        for longest, others in groups.items()
    ]
