"""Formats the transcript at the beginning of each judge's prompt.

During a debate, lines are only added at the end of the transcript, so a provider can cache the earlier lines.
"""

import json
from collections.abc import Iterable, Iterator

from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import memoize_on_value
from debate_cli.domain.nested_texts import iter_texts, map_texts
from debate_cli.domain.recent_history import ClaimLedger, recent_history
from debate_cli.domain.tasks import Subject
from debate_cli.domain.turn import UNSTRUCTURED, Turn
from debate_cli.judge_input.injection.detector import TAKEOVER_TECHNIQUES, mask_injection

PROSE_PHASES = frozenset({"rebuttal", "speech"})
"""Phases whose turns appear in prompts as text. Turns of other phases appear as JSON fields, e.g. `arguments`."""


def sanitize_takeovers(text: str) -> str:
    """Return the sanitized `text` with `REMOVAL_MARKER` in place of certain instructions to the judge.

    Only instructions that use one of the `TAKEOVER_TECHNIQUES` are replaced, e.g. encoded instructions. An honest text
    contains no such instruction.
    """
    return mask_injection(text, only=TAKEOVER_TECHNIQUES)


def to_prompt_json(value: object) -> str:
    """Return `value` as compact JSON, with each string masked by `sanitize_takeovers`."""
    return _compact_json(map_texts(value, sanitize_takeovers, keys=False))


def debater_names(debate: Debate) -> tuple[str, ...]:
    """Return the names of the participants."""
    return tuple(participant.name for participant in debate.participants)


def format_full_prompt(debate: Debate, subject: Subject) -> str:
    """Return motion, background, debaters, and one line for each turn that the judge may see.

    `subject`: what is to be judged, e.g. a turn or a round. It determines which turns the judge may see.
    """
    return format_shared_prompt(debate, last_visible_turn(debate, subject))


@memoize_on_value
def format_shared_prompt(debate: Debate, last: int | None) -> str:
    """Return motion, background, debaters, and one line for each turn.

    `last`: index of the last turn to include; None includes all turns.
    """
    lines = _document_lines(debate)
    if debate.participants:
        shown = _turn_lines(debate, _visible_turns(debate, last))
        lines = (*_introduction_lines(debate), "TRANSCRIPT, one JSON object a turn:", *shown)
    return "\n".join(lines) + "\n"


def format_recent_prompt(debate: Debate, subject: Subject) -> str:
    """Return motion, background, debaters, a list of earlier arguments, and one line for each of the last turns.

    `subject`: what is to be judged, e.g. a turn. The turns of the subject are always included.
    """
    visible = _visible_turns(debate, last_visible_turn(debate, subject))
    so_far = debate if visible is debate.turns else debate.model_copy(update={"turns": visible})
    keep = [turn.index for turn in so_far.select_turns(round_number=subject.round) if subject.round is not None]
    history = recent_history(so_far, (*subject.turns, *keep))
    if not history.ledger.entries:
        return format_full_prompt(debate, subject)
    lines = [*_introduction_lines(debate), *_ledger_lines(history.ledger, debater_names(debate))]
    lines += ["TRANSCRIPT of the last turns, one JSON object a turn:", *_turn_lines(debate, history.turns)]
    return "\n".join(lines) + "\n"


def count_visible(debate: Debate, subject: Subject) -> tuple[int, int]:
    """Return the number of speeches that a judge of `subject` may see, and the number of characters in them."""
    visible = _visible_turns(debate, last_visible_turn(debate, subject))
    hidden = debate.turns[len(visible) :]
    return len(visible), debate.speech_chars - sum(len(turn.text) for turn in hidden)


def _visible_turns(debate: Debate, last: int | None) -> tuple[Turn, ...]:
    if last is None or not debate.turns or debate.turns[-1].index <= last:
        return debate.turns
    return debate.turns_before(last + 1)


def _introduction_lines(debate: Debate) -> Iterator[str]:
    names = debater_names(debate)
    debaters = [{"name": participant.name, "side": participant.side} for participant in debate.participants]
    yield f"MOTION: {format_speech(debate.topic, names)}"
    if debate.config.background:
        yield f"BACKGROUND: {format_speech(debate.config.background, names)}"
    yield f"DEBATERS: {to_prompt_json(debaters)}"


def _turn_lines(debate: Debate, shown: Iterable[Turn]) -> Iterator[str]:
    names = debater_names(debate)
    return (format_turn_line(turn, names, last_passage_before(turn, debate)) for turn in shown)


def _ledger_lines(ledger: ClaimLedger, names: tuple[str, ...]) -> Iterator[str]:
    yield "LEDGER of earlier turns, one JSON object per argument: first the unanswered arguments, then the answered ones. In both groups, the newest argument is first:"
    for entry in ledger.entries:
        answers = [{"speaker": sanitize_takeovers(who), "type": kind} for who, kind in entry.answers]
        head = {"id": sanitize_takeovers(entry.id), "speaker": sanitize_takeovers(entry.speaker)}
        yield _compact_json({**head, "claim": mask_injection(entry.claim, names), "answers": answers})
    if ledger.left_out:
        yield f"{ledger.left_out} older arguments are left out."


def _document_lines(debate: Debate) -> Iterator[str]:
    judging = debate.config.judging
    yield f"TITLE: {format_speech(debate.topic)}"
    if judging.question is not None:
        yield f"QUESTION that your judgement of the document answers; if the answer is yes, the document passes: {format_speech(judging.question)}"
    if judging.context is not None:
        yield f"CONTEXT of the document; you do not judge this context: {format_speech(judging.context)}"
    yield f"DOCUMENT: {format_speech(debate.config.background or '')}"


def last_visible_turn(debate: Debate, subject: Subject) -> int | None:
    """Return the index of the last turn that a judge of `subject` may see.

    Returns None if the judge may see all turns, and -1 if the judge may see none.
    """
    match subject.moment:
        case "turn" | "pair":
            return max(subject.turns)
        case "round":
            return max((turn.index for turn in debate.turns if turn.round <= (subject.round or 0)), default=-1)
        case "debate":
            return None


def format_speech(text: str, names: tuple[str, ...] = ()) -> str:
    """Return `text` as a JSON string in which words that address the judge are masked.

    `names`: names of the debaters.
    """
    return _compact_json(mask_injection(text, names))


def last_passage_before(turn: Turn, debate: Debate) -> str:
    """Return the text at the end of the turn that the same speaker made before `turn`; empty if there is none.

    If the earlier turn has several texts, e.g. claim and reasoning, only the last one is returned. Citations are skipped.
    """
    earlier = reversed(debate.turns_before(turn.index))
    before = next((other for other in earlier if other.speaker == turn.speaker), None)
    return "" if before is None else _last_text(before)


@memoize_on_value
def _last_text(turn: Turn) -> str:
    cited = {text for _, citation in turn.citations() for text in (citation.source, citation.quote)}
    return next((text for text in reversed(list(visible_texts(turn))) if text not in cited), "")


@memoize_on_value
def format_turn_line(turn: Turn, names: tuple[str, ...] = (), after: str = "") -> str:
    """Return `turn` as one line of JSON, in which words that address the judge are masked.

    `names`: names of the debaters. `after`: the end of the speaker's previous turn. It matters because an instruction
    may begin there and continue in `turn`.
    """
    head: dict[str, object] = {
        "turn": turn.index,
        "round": turn.round,
        "phase": turn.phase,
        "speaker": sanitize_takeovers(turn.speaker),
    }
    payload = map_texts(_turn_payload(turn), lambda text: mask_injection(text, names, after=after), keys=False)
    return _compact_json({**head, **payload})


def visible_texts(turn: Turn) -> Iterator[str]:
    """Yield each text of `turn` that judges see. The texts are as the debater wrote them, without masks."""
    yield from iter_texts(_turn_payload(turn), keys=False)


def _turn_payload(turn: Turn) -> dict[str, object]:
    structure = turn.model_dump(
        mode="json", include={"arguments", "responses", "answers", "closing"}, exclude_none=True
    )
    if UNSTRUCTURED in turn.warnings or turn.is_one_item or not structure:
        ids = [argument.id for argument in turn.arguments or ()]
        return {"id": ids[0], "text": turn.text} if ids else {"text": turn.text}
    if turn.phase in PROSE_PHASES:
        payload: dict[str, object] = {"text": turn.text}
        claims = [item.model_dump(mode="json", include={"id", "claim", "citations"}) for item in turn.arguments or ()]
        cited = [item for item in turn.responses or () if item.citations]
        answers = [item.model_dump(mode="json", include={"target", "citations"}) for item in cited]
        return payload | ({"arguments": claims} if claims else {}) | ({"responses": answers} if answers else {})
    return structure


def _compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
