"""Facts on the sources of a debate for judges' questions: quote checks, answers on support, and look-ups."""

from collections.abc import Iterable, Iterator, Sequence

from debate_cli.domain.debate import Debate
from debate_cli.domain.turn import Turn
from debate_cli.evidence.source_checks import (
    FAILED_OUTCOMES,
    HELD_OUTCOMES,
    SourceCheck,
    check_turn,
    iter_words_beside,
)
from debate_cli.judge_input.quotes import is_quoted_in
from debate_cli.judge_input.transcript_prompt import debater_names, sanitize_for_judge, to_prompt_json
from debate_cli.systems.aggregation import newest_run, ordered_assessments
from debate_cli.systems.source_support import SOURCES_KIND, JudgedCitation, join_checks
from debate_cli.systems.sources.lookups import JudgedLookup, judge_lookups

NOT_CHECKED = (
    "The debaters cite sources. The sources were not checked: no judge compared them with what the debaters claim."
)
"""Text for a judge if no judge of `sources` has checked the citations."""
WORD_CHECKS = (
    "Checks of the citations, one JSON object a line, as data. quote_check is what our program found when it compared the "
    "quote with the source word for word; unchecked means that nothing could be compared."
)
SUPPORT_ANSWERS = (
    "supports (whether the source supports the claim), reputable, recent, relevant and reason are the answers of a judge of "
    "sources, unknown also where that judge did not answer."
)
POOR_SOURCES = (
    "Quotes that are altered or not found, sources that do not exist, and sources that contradict the claim or do not support "
    "it are poor sources: they support nothing. Lower the marks that depend on sources, and name these in your reasons."
)
MAX_SHOWN_CHECKS = 60
"""Maximum number of citations in one question."""
LOOKED_UP = (
    "What the debaters name without showing it was looked up, as data: exists is the answer of the judge of sources. Name what "
    "does not exist as invented."
)


def format_source_checks(debate: Debate, run_id: str, round_number: int | None = None) -> str:
    """What is known about the sources in a round (None: in the debate), for a prompt of a judge of the run `run_id`.

    First all citations, then what was looked up; empty if there is neither.
    """
    turns = debate.turns_by_index
    run = find_sources_run(debate, run_id)
    given = ordered_assessments(debate, SOURCES_KIND, run) if run is not None else ()
    rounds = {None, *(turn.round for turn in debate.turns)} if round_number is None else {round_number}
    judged = [item for item in join_checks(debate, given) if turns[item[0].turn].round in rounds]
    looked_up = [item for item in judge_lookups(debate, given) if turns[item.turn].round in rounds] if given else []
    return "\n".join((*_citation_lines(judged, debate, is_judged=run is not None), *_lookup_lines(looked_up, debate)))


def _citation_lines(
    judged: Sequence[tuple[SourceCheck, JudgedCitation]], debate: Debate, *, is_judged: bool
) -> Iterator[str]:
    """An explanation of the checks, then a line for each of them, but only for the worst `MAX_SHOWN_CHECKS`."""
    if not judged:
        return
    if not is_judged:
        yield NOT_CHECKED
    yield f"{WORD_CHECKS} {SUPPORT_ANSWERS} {POOR_SOURCES}" if is_judged else f"{WORD_CHECKS} {POOR_SOURCES}"
    names = debater_names(debate)
    shown = sorted(sorted(range(len(judged)), key=lambda place: _poverty(*judged[place]))[:MAX_SHOWN_CHECKS])
    for check, answer in (judged[place] for place in shown):
        yield _check_line(check, debate.turns_by_index[check.turn].speaker, names, answer if is_judged else None)
    if len(judged) > len(shown):
        yield f"{len(judged) - len(shown)} more citations, none of them poorer, are left out."


def _lookup_lines(looked_up: Iterable[JudgedLookup], debate: Debate) -> Iterator[str]:
    """An explanation, then a line for each looked-up item. If there are too many, those that exist are left out first."""
    known = sorted((item for item in looked_up if item.exists != "unknown"), key=lambda item: item.exists == "yes")
    names = debater_names(debate)
    for place, item in enumerate(sorted(known[:MAX_SHOWN_CHECKS], key=lambda item: item.turn)):
        if not place:
            yield LOOKED_UP
        said = {"source": item.source, "reason": item.reason}
        clean = {name: sanitize_for_judge(words, names) for name, words in said.items() if words}
        head = {"turn": item.turn, "debater": item.debater, "item": item.item, "exists": item.exists}
        yield to_prompt_json({**head, **clean})


def _poverty(check: SourceCheck, answer: JudgedCitation) -> int:
    """Sort key, worst first: 0 if the quote is not in the source, 1 if the source does not support the argument, else 2."""
    if check.outcome in FAILED_OUTCOMES:
        return 0
    return 1 if answer.supports in {"no", "contradicts"} else 2


def format_quote_checks(debate: Debate, turn: Turn) -> str:
    """The citations of `turn` with the results of their quote checks, for a prompt; empty if there are none."""
    names = debater_names(debate)
    lines = [_check_line(check, turn.speaker, names) for check in check_turn(debate, turn)]
    return "\n".join((f"{WORD_CHECKS} {POOR_SOURCES}", *lines)) if lines else ""


def find_sources_run(debate: Debate, run_id: str) -> str | None:
    """Id of the run whose findings on sources are shown to a judge of `run_id`; None if no run has a judge of sources.

    It is `run_id` itself if it has such a judge, or else the newest run that has one.
    """
    if any(system.kind == SOURCES_KIND for system in debate.run(run_id).active_systems()):
        return run_id
    newest = newest_run(debate, SOURCES_KIND)
    return newest.id if newest is not None else None


def find_supporting_source(debate: Debate, run_id: str, turn: int, words: str) -> str | None:
    """Id of a source that supports `words` of a turn, by the findings of `find_sources_run`; None if there is none.

    A source supports words that are in the argument that cites it, or that are quoted from it. Evidence that was looked
    up and exists supports the words of its argument.
    """
    run = find_sources_run(debate, run_id)
    if run is None:
        return None
    given = ordered_assessments(debate, SOURCES_KIND, run)
    for item in judge_lookups(debate, given):
        is_known = item.turn == turn and item.exists == "yes" and not item.source
        texts = iter_words_beside(debate.turns_by_index[turn], item.item) if is_known else ()
        if any(is_quoted_in(words, text) for text in texts):
            return item.passage
    for check, answer in join_checks(debate, given):
        if check.turn == turn and answer.supports == "yes" and check.outcome != "no_such_source":
            beside = iter_words_beside(debate.turns_by_index[turn], check.item)
            texts = (*beside, check.quote) if check.outcome in HELD_OUTCOMES else beside
            if any(is_quoted_in(words, text) for text in texts):
                return check.source
    return None


def _check_line(check: SourceCheck, debater: str, names: tuple[str, ...], answer: JudgedCitation | None = None) -> str:
    """A line for a prompt. Turns are numbered from 0, as in the transcript that judges read."""
    said = {"source": check.source, "quote": check.quote, "difference": check.difference}
    opinion = answer.model_dump(include={"supports", "reputable", "recent", "relevant"}) if answer is not None else {}
    if answer is not None:
        said["reason"] = answer.reason
    clean = {name: sanitize_for_judge(words, names) for name, words in said.items()}
    head = {"turn": check.turn, "debater": debater, "item": check.item, "quote_check": check.outcome}
    return to_prompt_json({**head, **opinion, **clean})
