"""Splits speeches into parts. Finds the citations in a part, and earlier questions and replies about an argument."""

from collections.abc import Iterable
from typing import NamedTuple, cast

from pydantic_core import from_json

from debate_cli.domain.debate import Debate
from debate_cli.domain.evidence import Passage
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.turn import CLOSING_ITEM, UNSTRUCTURED, Argument, Closing, FollowUpAnswer, Response, Turn
from debate_cli.evidence.source_checks import SourceCheck
from debate_cli.llm.model import RESTART
from debate_cli.systems.aggregation import newest_run, ordered_assessments
from debate_cli.systems.base import SOURCES_KIND
from debate_cli.systems.debate_tables import SOURCE_BADGES, SUPPORT_BADGES
from debate_cli.systems.source_support import JudgedCitation, join_checks
from debate_cli.systems.tables import RESPONSE_BADGES, Badge

SpeechPart = Argument | Response | FollowUpAnswer | Closing | str
"""A part of a speech. A string is free text: text that is no argument, response, follow-up answer or closing."""
NEW_ARGUMENT_PREFIX = "New argument. "
"""Marks a paragraph of a cross-examination as a new argument, which the rules do not allow there.

Such an argument is only in `Turn.text`, not in `Turn.arguments`.
"""


def split_turn(turn: Turn) -> tuple[SpeechPart, ...]:
    """Split a finished turn into its parts, in reading order.

    A speech of the free-flowing format begins with its text. Its arguments and responses follow, without reasoning.
    """
    if UNSTRUCTURED in turn.warnings or turn.is_one_item:
        return (turn.text, *(turn.responses or ()))
    if turn.phase in ("rebuttal", "speech"):
        claims = [item.model_copy(update={"reasoning": "", "evidence": ""}) for item in turn.arguments or ()]
        rebuttals = [item.model_copy(update={"reasoning": "", "follow_up": ""}) for item in turn.responses or ()]
        return (turn.text, *claims, *rebuttals)
    pieces: list[SpeechPart] = [*(turn.arguments or ()), *(turn.responses or ()), *(turn.answers or ())]
    if turn.responses is not None:
        pieces += [part for part in turn.text.split("\n\n") if part.startswith(NEW_ARGUMENT_PREFIX)]
    if turn.closing is not None:
        pieces.append(turn.closing)
    return tuple(pieces) or (turn.text,)


def text_since_restart(pieces: Iterable[str]) -> str:
    """Return the streamed text after the last RESTART, which marks that the answer begins again."""
    return "".join(pieces).rpartition(RESTART)[2]


def parse_partial_speech(raw: str) -> tuple[SpeechPart, ...]:
    """Parse the parts of a streaming speech. The last word may be cut off, e.g. `ref` for `refutes`."""
    body = raw.lstrip()
    if body.startswith("```"):
        body = body.partition("\n")[2].lstrip()
    if not body.startswith("{"):
        return (raw,) if raw.strip() else ()
    try:
        found = cast("dict[str, object]", from_json(body, allow_partial="trailing-strings"))
    except ValueError:
        return (raw,)
    return tuple(_parse_parts(found))


def _parse_parts(form: dict[str, object]) -> Iterable[SpeechPart]:
    if isinstance(speech := form.get("speech"), str):
        yield speech
    for item in _objects(form.get("arguments")):
        yield Argument.model_construct(None, **_strings(item, "id", "claim", "reasoning", "evidence"))
    for item in _objects(form.get("responses")):
        yield Response.model_construct(None, **_strings(item, "target", "type", "reasoning", "follow_up"))
    for item in _objects(form.get("answers")):
        known = item.get("evaded") is True
        yield FollowUpAnswer.model_construct(None, **_strings(item, "question_target", "reply"), evaded=known)
    for closing in _objects([form.get("closing", form)]):
        if "final_position" in closing or "concessions" in closing:
            words = _strings(closing, "final_position", "shift", "why")
            ids = {name: _string_tuple(closing.get(name)) for name in ("concessions", "unrebutted")}
            yield Closing.model_construct(None, **words, **ids)


def _objects(value: object) -> list[dict[str, object]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", item) for item in items if isinstance(item, dict)]


def _string_tuple(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()


def _strings(item: dict[str, object], *names: str) -> dict[str, str]:
    return {name: value if isinstance(value := item.get(name), str) else "" for name in names}


class ThreadStep(NamedTuple):
    """A question about an argument, or a reply by the argument's author. The text is not sanitized."""

    by: str
    symbol: str
    actions: tuple[str, ...]
    """What the speaker `by` did, e.g. (`challenges`, `asks`)."""
    said: str

    @property
    def words(self) -> str:
        """The step as a sentence, e.g. `Con challenges and asks: Why?`."""
        return f"{self.by} {' and '.join(self.actions)}: {self.said}"


class ArgumentThread(NamedTuple):
    """An argument, the latest questions about the argument, and the author's latest reply."""

    owner: str
    """The debater who made the argument."""
    claim: str
    steps: tuple[ThreadStep, ...] = ()
    """The latest questions about the argument and the author's latest reply. Steps of an earlier round come first.

    The latest questions are all questions from the latest round in which another debater asked about the argument.
    """


class ThreadIndex:
    """Finds an argument in the turns of a debate, with the latest questions about it and the author's latest reply."""

    def __init__(self, turns: Iterable[Turn] = ()) -> None:
        self._turns = tuple(turns)

    def of(self, target: str, round_number: int) -> ArgumentThread | None:
        """Return the argument with the id `target`, the questions about it, and its author's reply.

        Only questions and replies from rounds before `round_number` are used. None if the debate has no argument with
        this id.
        """
        arguments = ((turn.speaker, item) for turn in self._turns for item in turn.arguments or () if item.id == target)
        owner, argument = next(arguments, ("", None))
        if argument is None:
            return None
        earlier = [turn for turn in self._turns if turn.round < round_number]
        asked = [
            (turn.round, ThreadStep(turn.speaker, badge.symbol, (badge.word, "asks"), response.follow_up))
            for turn in earlier
            for response in turn.responses or ()
            if response.target == target and response.follow_up.strip() and turn.speaker != owner
            for badge in [RESPONSE_BADGES[response.type]]
        ]
        replies = [
            (turn.round, ThreadStep(owner, "↳", ("answered",), answer.reply))
            for turn in earlier
            for answer in turn.answers or ()
            if answer.question_target == target and turn.speaker == owner
        ]
        steps = [step for step in asked if step[0] == asked[-1][0]] + replies[-1:]
        return ArgumentThread(owner, argument.claim, tuple(step for _, step in sorted(steps, key=lambda step: step[0])))

    def thread_addressed_by(self, piece: object, round_number: int) -> tuple[str, ArgumentThread] | None:
        """Return (id, thread) of the argument to which a response or a follow-up answer refers.

        None if `piece` is another part of a speech, or if the argument is not found.
        """
        match piece:
            case Response(target=target) | FollowUpAnswer(question_target=target):
                thread = self.of(target, round_number)
                return None if thread is None else (target, thread)
            case _:
                return None


class CheckedCitation(NamedTuple):
    """A citation and the result of checking its quote. The text is not sanitized."""

    number: int
    """Number of the citation in the debate, counted from 1."""
    check: SourceCheck
    answer: JudgedCitation
    """What the judging system `sources` says about the citation, in its newest run. Without such a run, or such an answer,
    each judgement is `unknown`."""
    passage: Passage | None
    """The cited passage; None if the debate has no passage with the cited id."""

    @property
    def badge(self) -> Badge:
        """Result of the quote check, as a symbol and a word, e.g. `✓ verified`."""
        return SOURCE_BADGES[self.check.outcome]

    @property
    def support(self) -> Badge | None:
        """Whether the source supports the argument, as a symbol and words, e.g. `≈ supports in part`. None if unknown."""
        return SUPPORT_BADGES[self.answer.supports] if self.answer.supports != "unknown" else None

    @property
    def title(self) -> str:
        """Title of the source. Without a title, its path or address. Empty if the source is unknown."""
        return "" if self.passage is None else self.passage.title or self.passage.source

    @property
    def place(self) -> str:
        """Path or address of the source, and the cited place in the source. Empty if the source is unknown."""
        return "" if self.passage is None else format_place(self.passage)

    @property
    def finding(self) -> str:
        """Result of the quote check, with the difference if there is one, e.g. `altered: “9” became “19”`."""
        return f"{self.badge.word}: {self.check.difference}" if self.check.difference else self.badge.word


class CitationIndex:
    """The checked citations of a debate. Finds the citations in a given part of a speech."""

    def __init__(self, citations: Iterable[CheckedCitation] = ()) -> None:
        self.all = tuple(citations)
        self._found = {
            (item.check.turn, item.check.item, item.check.source, item.check.quote): item for item in self.all
        }

    def citations_of(self, turn: int, part: object) -> tuple[CheckedCitation, ...]:
        """Return the citations in one part of a speech, e.g. in an argument. `turn`: index of the speech's turn."""
        match part:
            case Argument(id=item) | Response(target=item):
                citations = part.citations
            case Closing():
                item, citations = CLOSING_ITEM, part.citations
            case _:
                return ()
        keys = ((turn, item, citation.source, citation.quote) for citation in citations)
        return tuple(self._found[key] for key in keys if key in self._found)


@memoize_on_value
def index_citations(debate: Debate) -> CitationIndex:
    """Return the citations of a debate, with their quote checks and the newest judgements of the system `sources`."""
    run = newest_run(debate, SOURCES_KIND)
    given = ordered_assessments(debate, SOURCES_KIND, run) if run is not None else ()
    return CitationIndex(
        CheckedCitation(number, check, answer, debate.passages_by_id.get(check.source))
        for number, (check, answer) in enumerate(join_checks(debate, given), 1)
    )


def format_place(passage: Passage) -> str:
    """Return the path or address of a passage's source, then the passage's place in the source."""
    locator = passage.locator.removeprefix(passage.title).lstrip(", ")
    return ", ".join(filter(None, (passage.source, locator)))
