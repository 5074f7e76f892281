"""The speakers of an imported debate: merges spellings, drops speakers, assigns sides, finds similar names."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from debate_cli.domain.config_checks import RESERVED_NAMES
from debate_cli.domain.suggestions import format_suggestion
from debate_cli.importing.speaker_labels import MAX_NAME_CHARS, clean_name, fold_name
from debate_cli.importing.speeches import Speech, UnreadableDebateError, format_count

MAX_SPEAKERS = 100
"""Maximum number of speakers of one debate."""
MAX_SIDE_CHARS = 60
_CHAIRS = frozenset({"chair", "chairman", "chairperson", "chairwoman", "host", "interviewer", "moderator", "presenter"})
_TITLES = frozenset({
    "chair", "chairman", "chairwoman", "congressman", "congresswoman", "dame", "doctor", "dr", "judge", "justice", "lady", "lord", "miss",
    "mr", "mrs", "ms", "mx", "prof", "professor", "rep", "representative", "sen", "senator", "sir", "the",
})  # fmt: skip


class SpeakerChoices(NamedTuple):
    """The user's choices about speakers. Names are compared without case and extra spaces."""

    sides: Mapping[str, str] = {}
    """Name -> `for`, `against`, or another label."""
    drop: Sequence[str] = ()
    """Speakers whose speeches are left out."""
    merge: Mapping[str, str] = {}
    """Spelling -> name of the same speaker."""


class Speaker(NamedTuple):
    """A speaker of the debate."""

    name: str
    side: str


class ResolvedSpeakers(NamedTuple):
    """The speeches under the final names of their speakers."""

    speeches: tuple[Speech, ...]
    speakers: tuple[Speaker, ...]
    """The speakers in the order of their first speech."""
    dropped: tuple[str, ...]
    """Parts that were left out because their speaker was dropped."""
    warnings: tuple[str, ...]


def resolve_speakers(
    speeches: Iterable[Speech], found_sides: Mapping[str, str], choices: SpeakerChoices
) -> ResolvedSpeakers:
    """Apply the user's choices to the speeches of a reader. `found_sides`: sides in the file.

    Raises UnreadableDebateError if the speakers make no debate, or a choice names an unknown speaker.
    """
    cleaned = [_with_clean_name(speech) for speech in speeches]
    names = _display_names(speech.speaker for speech in cleaned)
    _check_names(choices, names)
    merged = {fold_name(clean_name(old)): new for old, new in choices.merge.items()}
    names |= {fold_name(clean_name(new)): clean_name(new) for new in merged.values()}
    dropped_names = {fold_name(clean_name(name)) for name in choices.drop}
    kept: list[Speech] = []
    dropped: Counter[str] = Counter()
    for speech in cleaned:
        folded = fold_name(speech.speaker)
        name = _final_name(merged.get(folded, names[folded]), names)
        if {folded, fold_name(name)} & dropped_names:
            dropped[name] += 1
        else:
            kept.append(speech._replace(speaker=name))
    present = list(dict.fromkeys(speech.speaker for speech in kept))
    _check_count(present)
    speakers, warnings = _choose_sides(present, found_sides, choices.sides)
    warnings += [*map(_describe_group, _similar_groups(present)), *map(_describe_chair, filter(_may_chair, present))]
    omitted = tuple(f"{format_count(count, 'speech')} by {name}" for name, count in dropped.items())
    return ResolvedSpeakers(tuple(kept), speakers, omitted, tuple(warnings))


def _with_clean_name(speech: Speech) -> Speech:
    name = clean_name(speech.speaker)
    if not name:
        raise UnreadableDebateError(f"{speech.place} has a speaker without a readable name; correct it")
    if len(name) > MAX_NAME_CHARS:
        raise UnreadableDebateError(
            f"{speech.place} has a speaker whose name is longer than {MAX_NAME_CHARS} characters; shorten it, or map "
            "another column"
        )
    return speech._replace(speaker=name)


def _display_names(names: Iterable[str]) -> dict[str, str]:
    """Folded name -> spelling to show: the first that is not all capitals, else the first."""
    found: dict[str, str] = {}
    for name in names:
        folded = fold_name(name)
        if folded not in found or (found[folded].isupper() and not name.isupper()):
            found[folded] = name
    return found


def _final_name(name: str, names: Mapping[str, str]) -> str:
    shown = names.get(fold_name(name), clean_name(name))
    return f"{shown} (speaker)" if shown.casefold() in RESERVED_NAMES else shown


def _check_names(choices: SpeakerChoices, names: Mapping[str, str]) -> None:
    """Raise UnreadableDebateError if a choice names an unknown speaker."""
    targets = {fold_name(clean_name(name)) for name in choices.merge.values()}
    options = (("--merge", choices.merge, False), ("--drop", choices.drop, True), ("--side", choices.sides, True))
    for option, given, after_merge in options:
        for name in given:
            folded = fold_name(clean_name(name))
            if folded not in names and not (after_merge and folded in targets):
                known = list(names.values())
                shown = ", ".join(known[:8]) + (f" and {len(known) - 8} more" if len(known) > 8 else "")  # noqa: PLR2004
                hint = format_suggestion(name, known) or f"; the speakers are {shown}"
                raise UnreadableDebateError(f"has no speaker `{name}` for {option}{hint}")


def _check_count(present: Sequence[str]) -> None:
    if not present:
        raise UnreadableDebateError(
            "has no speaker; begin each speech with `Name: `, or name the file's format with --format"
        )
    if len(present) == 1:
        raise UnreadableDebateError(
            f"has one speaker only ({present[0]}); a debate needs two, each named at the start of its speeches"
        )
    if len(present) > MAX_SPEAKERS:
        raise UnreadableDebateError(
            f"has {len(present):,} speakers, and at most {MAX_SPEAKERS} can be imported; join or leave out some with "
            "--merge and --drop, or choose another --format if these are not names"
        )


def _choose_sides(
    names: Sequence[str], found: Mapping[str, str], given: Mapping[str, str]
) -> tuple[tuple[Speaker, ...], list[str]]:
    """The speakers with sides, and warnings about guessed sides.

    Of two speakers, one is for and one against; more speakers have their name as side.
    """
    by_name = {fold_name(clean_name(name)): side.strip() for name, side in {**found, **given}.items()}
    sides = {name: by_name[folded] for name in names if (folded := fold_name(name)) in by_name}
    too_long = next((name for name, side in sides.items() if not 0 < len(side) <= MAX_SIDE_CHARS), None)
    if too_long is not None:
        raise UnreadableDebateError(
            f"has a side for {too_long} that is empty or longer than {MAX_SIDE_CHARS} characters; write for or against"
        )
    if len(names) > 2:  # noqa: PLR2004 - two debaters
        return tuple(Speaker(name, sides.get(name, name)) for name in names), []
    return _choose_two_sides(names, sides)


def _choose_two_sides(names: Sequence[str], sides: Mapping[str, str]) -> tuple[tuple[Speaker, ...], list[str]]:
    opposite = {"for": "against", "against": "for"}
    first, second = names
    wrong = next((side for side in sides.values() if side not in opposite), None)
    if wrong is not None:
        raise UnreadableDebateError(f"has two speakers, whose sides are for and against, not {wrong}; correct --side")
    own = sides.get(first) or opposite.get(sides.get(second, ""), "for")
    other = sides.get(second) or opposite[own]
    if own == other:
        raise UnreadableDebateError(f"has both speakers on the side {own}; make one for and one against with --side")
    speakers = (Speaker(first, own), Speaker(second, other))
    if sides:
        return speakers, []
    return speakers, [
        f"the file names no sides, so {first} counts as for and {second} as against; set them with --side"
    ]


def _similar_groups(names: Sequence[str]) -> list[list[str]]:
    """Groups of names that may be spellings of one name. The first name of a group has the most words."""
    keys = {name: words for name in names if (words := _name_words(name))}
    groups: list[list[str]] = []
    left = sorted(keys, key=lambda name: -len(keys[name]))
    while left:
        first, *left = left
        group = [name for name in left if _may_be_one(keys[first], keys[name])]
        left = [name for name in left if name not in group]
        groups += [[first, *group]] if group else []
    return groups


def _describe_group(names: Sequence[str]) -> str:
    first, *others = names
    listed = ", ".join(f"`{name}`" for name in names[:-1])
    options = " ".join(f'--merge "{name}={first}"' for name in others)
    return f"{listed} and `{names[-1]}` may be one speaker; join them with {options}"


def _may_chair(name: str) -> bool:
    return bool(_CHAIRS & {word.strip(".,") for word in fold_name(name).split()})


def _describe_chair(name: str) -> str:
    return f'`{name}` may chair the debate; leave these speeches out with --drop "{name}"'


def _may_be_one(one: Sequence[str], other: Sequence[str]) -> bool:
    short, long = sorted((one, other), key=len)
    if not any(len(word) > 1 and word in long for word in short):
        return False
    initials = {known[0] for known in long if known not in short}
    return all(word in long or (word.isalpha() and word in initials) for word in short)


def _name_words(name: str) -> tuple[str, ...]:
    words = (word.strip(".,") for word in fold_name(name).split())
    return tuple(word for word in words if word and word not in _TITLES)
