"""Use case `import --arguments`: asks a model for the claims in an imported debate's speeches.

A claim becomes an argument only if the speech contains the quoted passage. If the model gives no answer about a speech,
the whole speech becomes one argument. A repeated import asks about this speech again.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from debate_cli.app.context import RunContext
from debate_cli.app.model_pool import ModelPool
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.model_call import add_model_calls
from debate_cli.domain.participant import IMPORTED_MODEL
from debate_cli.domain.turn import Argument, Turn
from debate_cli.errors import DebateError, TranscriptError
from debate_cli.evidence.quote_check import check_quote
from debate_cli.evidence.source_checks import GENUINE_OUTCOMES
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.judge_input.transcript_prompt import format_speech
from debate_cli.judging.judge import build_request
from debate_cli.llm.form import Form, FormModel, derive_schema, items, text
from debate_cli.llm.prompt_sanitizer import prompt_line
from debate_cli.llm.prompts import Prompts
from debate_cli.llm.structured_output import ModelHandle
from debate_cli.storage.transcript_store import open_debate

MIN_WORDS = 8
"""Speeches with fewer words are assumed to make no claim, so the model is not asked for their claims."""
MODEL_ROLE = "arguments"
"""Key under `models` in the transcript's configuration. Its value is the model that was asked for claims."""
NOT_SAID, NOT_ASKED = "claim-not-said", "claims-missing"
"""Codes of warnings. NOT_SAID: a claim was dropped, because its quote is not in the speech. NOT_ASKED: the model was
not asked about a speech, or gave no usable answer."""
_MAX_SHOWN_CHARS = 80
MAX_CLAIMS = 6
"""Maximum number of claims in one part of a speech."""
MAX_PART_CHARS = 8_000
"""Maximum number of characters in a part of a speech. A longer speech is split between paragraphs, sentences or
words."""
_CUTS = (re.compile(r"\n\s*\n"), re.compile(r"(?<=[.!?。！？])\s"), re.compile(r"\s"))


class QuotedClaimForm(FormModel):
    """A claim, and the passage of the speech that states it."""

    quote: str = text(600)
    claim: str = text(300)


class ClaimsForm(FormModel):
    """All claims of a part of a speech."""

    claims: tuple[QuotedClaimForm, ...] = items(MAX_CLAIMS)


@dataclass(slots=True)
class ClaimSearch:
    """The search for the claims of a debate, with the claims found so far."""

    debate: Debate
    turns: dict[int, Turn] = field(default_factory=dict[int, Turn])
    """Turns that are finished, by index. The model is not asked about them again.

    The claims found in a turn are its `arguments`. If the model gave no usable answer, the turn has a warning instead.
    """
    error: DebateError | None = None
    """The error that ended the search early; None without an error."""
    stopped: bool = False

    @property
    def pending_turns(self) -> list[Turn]:
        """Turns that the model must still be asked about."""
        return [turn for turn in self.debate.turns if is_long_enough(turn) and turn.index not in self.turns]

    @property
    def claim_count(self) -> int:
        """Number of claims found so far."""
        return sum(len(turn.arguments or ()) for turn in self.turns.values())

    @property
    def dropped_count(self) -> int:
        """Number of claims that were dropped, because their quotes are not in the speech."""
        return sum(warning.startswith(f"{NOT_SAID}:") for turn in self.turns.values() for warning in turn.warnings)

    def finish(self, spec: ModelSpec) -> Debate:
        """Return the debate with the claims as arguments of its turns.

        `spec`: the model that found the claims. The debate's configuration will name it.
        """
        config = self.debate.config.model_copy(update={"models": {MODEL_ROLE: spec}})
        numbers = {person.name: (person.prefix, count(1)) for person in self.debate.participants}
        turns: list[Turn] = []
        for turn in self.debate.turns:
            known = self.turns.get(turn.index)
            if known is None and is_long_enough(turn):
                known = _with_problem(turn, "was not asked")
            prefix, number = numbers[turn.speaker]
            claims = () if known is None else known.arguments or ()  # a turn that is too short has no claim
            arguments = tuple(item.model_copy(update={"id": f"{prefix}-{next(number)}"}) for item in claims)
            turns.append((known or turn).model_copy(update={"arguments": arguments}))
        changes: dict[str, object] = {"config": config, "config_sha256": config.sha256(), "turns": tuple(turns)}
        return self.debate.model_copy(update=changes)


def is_long_enough(turn: Turn) -> bool:
    """Return whether a speech has at least `MIN_WORDS` words. The model is not asked about shorter speeches."""
    return count_words(turn.text) >= MIN_WORDS


def count_calls(turns: Iterable[Turn]) -> int:
    """Return the number of questions about the speeches of `turns`.

    A long speech is split into parts. Each part gets one question.
    """
    return sum(len(split_speech(turn.text)) for turn in turns)


def read_known_claims(target: Path, debate: Debate, spec: ModelSpec) -> dict[int, Turn] | None:
    """Return the turns whose claims an earlier import stored in `target`. The keys are the indexes of the turns.

    The model `spec` need not be asked about these turns again. Returns None if

    - `target` does not exist,
    - `target` contains a debate other than `debate`,
    - a model other than `spec` found the claims in `target`, or
    - the debate in `target` was judged after the earlier import.
    """
    try:
        stored = open_debate(target).debate
    except TranscriptError:
        return None
    is_same = stored.origin == debate.origin and stored.config.models.get(MODEL_ROLE) == spec
    if not is_same or len(stored.runs) > 1 or len(stored.turns) != len(debate.turns):
        return None
    pairs = zip(stored.turns, debate.turns, strict=True)
    if any((old.speaker, old.text) != (new.speaker, new.text) for old, new in pairs):
        return None
    return {turn.index: turn for turn in stored.turns if is_long_enough(turn) and not _has_warning(turn, NOT_ASKED)}


async def find_claims(
    search: ClaimSearch, spec: ModelSpec, context: RunContext, save: Callable[[Debate], None]
) -> None:
    """Ask the model for the claims of each pending turn, with several requests in parallel, and add them to `search`.

    An error or a requested stop ends the search.

    `save`: is called with the debate each time a turn's claims have been added.
    """
    pool = ModelPool(context)
    waiting = iter(search.pending_turns)

    async def work() -> None:
        for turn in waiting:
            if search.error is not None or context.stop.requested:
                return
            model = pool.handle_for(spec, context.config)
            search.turns[turn.index] = await _ask(search, turn, model, Prompts(context.prompts))
            save(search.finish(spec))

    try:
        workers = min(context.config.limits.concurrency, len(search.pending_turns))
        await asyncio.gather(*(work() for _ in range(workers)))
    finally:
        await pool.aclose()
    search.stopped = context.stop.requested


async def _ask(search: ClaimSearch, turn: Turn, model: ModelHandle, prompts: Prompts) -> Turn:
    found: list[QuotedClaimForm] = []
    calls = [turn.exchange]
    problem = ""
    for part in split_speech(turn.text):
        shown = f"MOTION: {format_speech(search.debate.topic)}\nDOCUMENT: {format_speech(part)}\n"
        ask = prompts.render("debate_cli.judging", "speech_claims", most=str(MAX_CLAIMS))
        rules = prompts.render("debate_cli.judging", "claims_rules")
        form = Form(name="speech_claims", model=ClaimsForm, schema=derive_schema(ClaimsForm))
        answer = await model.client.ask(build_request(model, "judge.claims", rules, shown, ask), form)
        calls.append(answer.call)
        if answer.error is not None:
            search.error = search.error or answer.error
            problem = "was not asked"
            break
        if answer.form is None:
            problem = f"gave no usable answer ({answer.problem})"
            break
        found += answer.form.claims[:MAX_CLAIMS]
    call = add_model_calls(*calls).model_copy(update={"model": IMPORTED_MODEL})
    asked = turn.model_copy(update={"exchange": call})
    return _with_problem(asked, problem) if problem else _with_claims(asked, found)


def _with_claims(turn: Turn, found: Sequence[QuotedClaimForm]) -> Turn:
    arguments: list[Argument] = []
    warnings: list[str] = []
    for entry in found:
        check = check_quote(entry.quote, turn.text)
        if check.outcome in GENUINE_OUTCOMES:
            claim = prompt_line(entry.claim)
            arguments.append(Argument(id="", claim=claim, reasoning="", evidence=check.passage_words))
        else:
            said = entry.quote[:_MAX_SHOWN_CHARS]
            problem = "a claim was left out, because the speech does not contain its quote"
            warnings.append(f"{NOT_SAID}: {problem}: “{said}”")
    return turn.model_copy(update={"arguments": tuple(arguments), "warnings": tuple(warnings)})


def split_speech(speech: str) -> list[str]:
    """Split a speech into parts of at most `MAX_PART_CHARS` characters."""
    parts: list[str] = []
    rest = speech
    while len(rest) > MAX_PART_CHARS:
        head = rest[:MAX_PART_CHARS]
        ends = (max((match.end() for match in cut.finditer(head)), default=0) for cut in _CUTS)
        at = next((end for end in ends if end > MAX_PART_CHARS // 2), MAX_PART_CHARS)
        parts.append(rest[:at])
        rest = rest[at:]
    return [*parts, rest]


def _with_problem(turn: Turn, problem: str) -> Turn:
    warning = f"{NOT_ASKED}: the model {problem}, so the whole speech counts as one argument"
    return turn.model_copy(update={"warnings": (warning,)})


def _has_warning(turn: Turn, code: str) -> bool:
    return any(warning.startswith(f"{code}:") for warning in turn.warnings)


def count_missing(debate: Debate) -> int:
    """Return the number of speeches with unknown claims: the model was not asked, or gave no usable answer."""
    return sum(_has_warning(turn, NOT_ASKED) for turn in debate.turns)
