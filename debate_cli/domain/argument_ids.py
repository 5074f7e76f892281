"""Changes argument ids so that each consists of its speaker's prefix and a short plain word, e.g. `PRO-1`.

Without prefixes, two debaters could both have an argument `ARG-1`. A longer id could contain instructions to the judge,
who reads the ids of all arguments.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from debate_cli.domain.assessment import Assessment
from debate_cli.domain.participant import Participant
from debate_cli.domain.turn import Argument, Turn

_MAX_ID_CHARS_IN_WARNING = 40
_PLAIN_SUFFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,11}")
"""Matches the part of an argument id after the prefix and the hyphen, e.g. `1` in `PRO-1`."""


class RenamedArgument(NamedTuple):
    """An argument whose id was changed."""

    speaker: str
    written: str
    id: str
    """The new id, e.g. `PRO-1`."""


def rename_arguments(
    arguments: Sequence[Argument], speaker: Participant, taken: Collection[str], *, renumber: bool = False
) -> tuple[tuple[Argument, ...], tuple[RenamedArgument, ...]]:
    """Give a new id to each argument whose id does not consist of the speaker's prefix and a short plain word.

    Returns (all arguments, one entry with the old and the new id for each changed argument).

    `taken`: ids that are not available, e.g. those of earlier turns. With `renumber`, a repeated id is changed too.
    """
    used = {*taken, *(argument.id for argument in arguments if _is_own(argument.id, speaker.prefix))}
    kept: list[Argument] = []
    renamed: list[RenamedArgument] = []
    seen = set[str]()
    for argument in arguments:
        found = argument
        is_own = _is_own(argument.id, speaker.prefix)
        if not is_own or (renumber and argument.id in seen):
            found = argument.model_copy(update={"id": _free_id("" if is_own else argument.id, speaker.prefix, used)})
            renamed.append(RenamedArgument(speaker.name, argument.id, found.id))
            used.add(found.id)
        seen.add(argument.id)
        kept.append(found)
    return tuple(kept), tuple(renamed)


def describe_renamed(renamed: Iterable[RenamedArgument]) -> tuple[str, ...]:
    """Return a warning for each argument in `renamed`."""
    warnings: list[str] = []
    for item in renamed:
        written = "".join(sign for sign in " ".join(item.written.split()) if sign.isprintable())[
            :_MAX_ID_CHARS_IN_WARNING
        ]
        prefix = item.id.rpartition("-")[0]
        if _is_own(item.written, prefix):
            text = f"duplicate-id: the id {written} is used more than once, so a later argument with this id became"
        elif item.written.startswith(f"{prefix}-"):
            text = f"id-prefix: in {written}, {prefix}- is not followed by a short word or number, so the id was changed to"
        else:
            text = f"id-prefix: the id {written} does not begin with {prefix}-, so it was changed to"
        warnings.append(f"{text} {item.id}.")
    return tuple(warnings)


def rename_in_turns(
    turns: Sequence[Turn],
    participants: Sequence[Participant],
    earlier: Sequence[Turn] = (),
    renamed: Sequence[RenamedArgument] = (),
) -> tuple[tuple[Turn, ...], tuple[RenamedArgument, ...]]:
    """Rename the arguments in `turns` with `rename_arguments`, and update all references to the renamed arguments.

    - `earlier`: turns of the debate before `turns`. They stay unchanged.
    - `renamed`: arguments of `earlier` that previous calls renamed.

    Returns (the changed `turns`, all renamed arguments, including `renamed`).
    """
    known = {participant.name: participant for participant in participants}
    arguments = ((known.get(turn.speaker), argument.id) for turn in turns for argument in turn.arguments or ())
    if not renamed and all(speaker is None or _is_own(id_, speaker.prefix) for speaker, id_ in arguments):
        return tuple(turns), ()
    found, so_far = [*earlier], [*renamed]
    for turn in turns:
        speaker = known.get(turn.speaker)
        if speaker is not None and turn.arguments is not None:
            taken = {item.id for other in found if other.speaker == turn.speaker for item in other.arguments or ()}
            own, new = rename_arguments(turn.arguments, speaker, taken)
            so_far += new
            warnings = (*(item for item in turn.warnings if not item.startswith("id-prefix:")), *describe_renamed(new))
            turn = turn.model_copy(update={"arguments": own, "warnings": warnings} if new else {})  # noqa: PLW2901
        found.append(turn)
    references = _References(found, so_far)
    return tuple(references.resolve(turn) for turn in found[len(earlier) :]), tuple(so_far)


def rename_in_assessments(
    assessments: Iterable[Assessment], turns: Sequence[Turn], renamed: Sequence[RenamedArgument]
) -> tuple[Assessment, ...]:
    """Replace the old ids of the `renamed` arguments in the marks and findings of `assessments`."""
    if not renamed:
        return tuple(assessments)
    references = _References(turns, renamed)
    return tuple(references.resolve_assessment(assessment) for assessment in assessments)


class _References:
    def __init__(self, turns: Sequence[Turn], renamed: Sequence[RenamedArgument]) -> None:
        self._turns = {turn.index: turn for turn in turns}
        own = [(turn.speaker, item.id, item.id) for turn in turns for item in turn.arguments or ()]
        self._ids = [*own, *((item.speaker, item.written, item.id) for item in renamed)]
        """Tuples (author, id that a speech may use, current id).

        An argument that was renamed has two tuples, because speeches may use its old or its new id.
        """

    def resolve(self, turn: Turn) -> Turn:
        changes: dict[str, object] = {}
        if turn.responses:
            changes["responses"] = tuple(
                item.model_copy(update={"target": self._of_others(turn.speaker, item.target)})
                for item in turn.responses
            )
        if turn.answers:
            changes["answers"] = tuple(
                item.model_copy(update={"question_target": self._of(turn.speaker, item.question_target)})
                for item in turn.answers
            )
        if turn.closing is not None:
            lists = {
                "concessions": tuple(self._of_others(turn.speaker, item) for item in turn.closing.concessions),
                "unrebutted": tuple(self._of(turn.speaker, item) for item in turn.closing.unrebutted),
            }
            changes["closing"] = turn.closing.model_copy(update=lists)
        return turn.model_copy(update=changes) if changes else turn

    def resolve_assessment(self, assessment: Assessment) -> Assessment:
        marks = tuple(mark.model_copy(update=self._item_of(mark)) for mark in assessment.marks)
        findings = tuple(
            finding.model_copy(update=self._item_of(finding)) if "item" in type(finding).model_fields else finding
            for finding in assessment.findings  # findings of a missing plug-in stay as they are
        )
        return assessment.model_copy(update={"marks": marks, "findings": findings})

    def _item_of(self, value: object) -> Mapping[str, str]:
        speaker, item = getattr(value, "participant", None), getattr(value, "item", None)
        index = getattr(value, "turn", None)
        turn = self._turns.get(index) if isinstance(index, int) else None
        if not isinstance(item, str):
            return {}
        if isinstance(speaker, str):
            return {"item": self._of(speaker, item)}
        return {"item": self._of_others(None, item) if turn is None else self._in_turn(turn, item)}

    def _in_turn(self, turn: Turn, written: str) -> str:
        own, answered = self._of(turn.speaker, written), self._of_others(turn.speaker, written)
        if own in {argument.id for argument in turn.arguments or ()}:
            return own
        return answered if answered in {response.target for response in turn.responses or ()} else written

    def _of(self, speaker: str, written: str) -> str:
        return self._find(written, lambda author: author == speaker)

    def _of_others(self, speaker: str | None, written: str) -> str:
        return self._find(written, lambda author: author != speaker)

    def _find(self, written: str, may_be_author: Callable[[str], bool]) -> str:
        found = (present for author, known, present in self._ids if known == written and may_be_author(author))
        return next(found, written)


def _is_own(id_: str, prefix: str) -> bool:
    return id_.startswith(f"{prefix}-") and _PLAIN_SUFFIX.fullmatch(id_, len(prefix) + 1) is not None


def _free_id(written: str, prefix: str, used: Collection[str]) -> str:
    number = re.search(r"\d{1,9}\Z", written)
    wanted = [f"{prefix}-{int(number[0])}"] if number is not None else []
    return next(id_ for id_ in chain(wanted, (f"{prefix}-{n}" for n in count(1))) if id_ not in used)
