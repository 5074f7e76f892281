"""Use case `score`: recomputes verdicts of saved debates and checks them against gates and stored verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from debate_cli.app.gates import GateResult, Gates
from debate_cli.domain.debate import Debate, models_used_by_debaters
from debate_cli.domain.message_text import quote_path
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import DebateError, ExitCode, UsageError
from debate_cli.evidence.source_checks import SourceCheck, check_sources
from debate_cli.judging.schedule import missing_briefs
from debate_cli.storage.lock import lock_debate, lock_holder
from debate_cli.storage.transcript import to_transcript, write_transcript
from debate_cli.storage.transcript_store import (
    StoredDebate,
    load_last_transcript,
    open_debate,
    refuse_unknown_id,
    transcript_dirs,
)
from debate_cli.systems.base import JudgeVote, Requirement
from debate_cli.systems.registry import check_system_kind, get_system, is_installed
from debate_cli.systems.rubric import Rubric
from debate_cli.systems.scoring import deciding_verdicts, score, verdicts_match

CHECK_GATE = "--check"


class ScoredFile(NamedTuple):
    """One file with its verdicts."""

    path: str
    id: str
    topic: str
    status: str
    verdicts: tuple[Verdict, ...]
    text: str | None = None
    """Name of the judged document; None for a debate."""
    sources: tuple[SourceCheck, ...] = ()
    """Results of the checks of citations, one per citation."""


class DebateFacts(NamedTuple):
    """Start time, models and cost of a debate."""

    started_at: datetime
    """Start time in UTC."""
    debaters: tuple[str, ...]
    """`provider/model` of the debaters, without repetitions, in the order of the debaters."""
    judges: tuple[str, ...]
    """`provider/model` of the judges that answered in any judging run, without repetitions."""
    cost_usd: float | None
    """Cost of all calls in US dollars; None if a price is unknown."""


class VoteReview(NamedTuple):
    """The votes behind one verdict and, if a document was judged, the changes that judges require.

    Contains unsanitized words of the judges.
    """

    system: str
    run: str
    votes: tuple[JudgeVote, ...]
    required_changes: tuple[Requirement, ...]


class CheckedFile(NamedTuple):
    """A file, its verdicts, and the results of its gates."""

    file: ScoredFile
    gates: tuple[GateResult, ...] = ()
    """Results of the requested gates."""
    report: str | None = None
    """Address of the debate's HTML page, relative to the index page; None if no page is written."""
    remark: str | None = None
    """Sentences on what could not be scored or checked; None if there is nothing to say."""
    notices: tuple[str, ...] = ()
    """Sentences on unexpected effects of the new settings, e.g. that their weights are scaled."""
    incomplete_line_warning: str | None = None
    """A sentence about an incomplete last line of the journal; None if the line is complete."""
    missing: tuple[Brief, ...] = ()
    """The missing judgements; empty while a process works on the debate."""
    compared_count: int = 0
    """Number of stored verdicts that were compared with recomputed ones."""
    outdated: Mapping[str, int] = {}
    """Maps kinds of judging systems to numbers of stored verdicts, see `count_outdated`. Empty with `ScoreRequest.check`,
    because `remark` names these verdicts."""
    rescored_systems: tuple[str, ...] = ()
    """Kinds of the judging systems that were scored with new settings."""
    facts: DebateFacts | None = None
    reviews: tuple[VoteReview, ...] = ()
    """One entry for each verdict that judges decided by votes. Empty until a caller fills it in with
    `collect_reviews`."""
    debate: Debate | None = None
    """The debate. A caller sets it to None to save memory."""

    @property
    def gate_problems(self) -> list[str]:
        """A sentence for each gate that is not met."""
        return [result.problem for result in self.gates if result.problem is not None]


class UnusableFile(NamedTuple):
    """A file that could not be scored, with the reason in a sentence."""

    path: str
    message: str
    exit_code: ExitCode = DebateError.exit_code
    """Exit code of the command if no file could be scored."""


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """Options of `debate score`."""

    systems: tuple[str, ...] = ()
    """Kinds of systems. Empty: all systems."""
    runs: str = "latest"
    """`latest`, `all`, or the id of a judging run."""
    rubric: Rubric = field(default_factory=Rubric)
    """New settings for judging systems. They replace the stored settings."""
    rubric_option: str = ""
    """The given option --weights or --rubric, for messages, e.g. `--weights logic=1`. Empty if neither is given."""
    gates: Gates = field(default_factory=Gates)
    check: bool = False
    """Whether to compare the stored verdicts with the recomputed ones."""
    write: bool = False
    """Whether to store the recomputed verdicts."""


def score_files(paths: Sequence[Path], request: ScoreRequest) -> Iterator[CheckedFile | UnusableFile]:
    """Score the files one after the other.

    A file that cannot be scored yields an `UnusableFile`. If there is only one file, its error is raised instead.
    Raises UsageError for an unknown system.
    """
    for kind in request.systems:
        check_system_kind(kind)
    for path in paths:
        try:
            refuse_unknown_id(path, transcript_dirs())
            yield _score_file(path, request, is_alone=len(paths) == 1)
        except DebateError as error:
            if len(paths) == 1:
                raise
            yield UnusableFile(str(path), str(error), error.exit_code)


def score_with_settings(
    debate: Debate, settings: Mapping[str, Mapping[str, Any]], *, runs: str = "latest", systems: Sequence[str] = ()
) -> tuple[Verdict, ...]:
    """Return the verdicts of `debate`, the deciding one first.

    `settings`: for each kind of system, the values that replace stored ones, e.g.
    `{"structured": {"fallacy_penalty": 0.5}}`. `runs`: which judging runs are scored. Raises UsageError for an unknown
    system, setting or judging run.
    """
    from debate_cli.storage.config_errors import SourceMap
    from debate_cli.storage.config_file import parse_rubric

    for kind in systems:
        check_system_kind(kind)
    _check_run(debate, runs)
    rubric = parse_rubric(settings, SourceMap("settings"))
    return score(debate, runs=runs, systems=systems or None, settings=rubric.settings(debate))


def count_outdated(stored: StoredDebate, verdicts: Sequence[Verdict]) -> Counter[str]:
    """Count the stored verdicts that differ from `verdicts`, because they were stored under other scoring rules.

    The keys are the kinds of the judging systems. `verdicts`: the verdicts recomputed with the stored settings.
    """
    new = {(verdict.system, verdict.run): verdict for verdict in verdicts}
    pairs = [(old, new[key]) for old in stored.verdicts if (key := (old.system, old.run)) in new]
    return Counter(
        old.system
        for old, now in pairs
        if old.rules != now.rules and not verdicts_match(old.model_copy(update={"rules": now.rules}), now)
    )


def describe_outdated(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for each judging system in `counts`, the result of `count_outdated`."""
    for system, count in counts.items():
        if count == 1:
            yield f"the verdict of {system} was stored under other scoring rules; it is shown as today's rules compute it"
        else:
            yield f"{count} verdicts of {system} were stored under other scoring rules; they are shown as today's rules compute them"


def collect_debate_facts(debate: Debate) -> DebateFacts:
    """Return start time, models and cost of a debate."""
    return DebateFacts(
        started_at=debate.started_at,
        debaters=models_used_by_debaters(debate),
        judges=tuple(dict.fromkeys(item.exchange.model for item in debate.assessments if item.exchange.attempts)),
        cost_usd=debate.usage.cost_usd,
    )


def describe_unfinished(debate: Debate) -> str | None:
    """Return a sentence about a debate that was judged before it was complete; None for other debates."""
    if debate.status == "complete" or not debate.turns or not debate.assessments:
        return None
    count = len(debate.turns)
    speeches = "the one speech" if count == 1 else f"the {count} speeches"
    return f"the debate is unfinished, so its verdicts cover only {speeches} so far"


def collect_reviews(verdicts: Sequence[Verdict]) -> tuple[VoteReview, ...]:
    """Return the votes behind `verdicts`. Votes are not stored, so these verdicts must be newly computed."""
    found: list[VoteReview] = []
    for verdict in verdicts:
        system = get_system(verdict.system)
        votes = tuple(system.votes(verdict))
        if votes:
            found.append(VoteReview(verdict.system, verdict.run, votes, system.required_changes(verdict)))
    return tuple(found)


def _score_file(path: Path, request: ScoreRequest, *, is_alone: bool) -> CheckedFile:
    stored = open_debate(path)
    debate = stored.debate
    _check_run(debate, request.runs, f"{path}: --runs ")
    settings = request.rubric.settings(debate, f"{path}: ")
    verdicts = score(debate, runs=request.runs, systems=request.systems or None, settings=settings)
    names, deciding = [item.name for item in debate.participants], deciding_verdicts(debate, verdicts)
    kinds = [verdict.system for verdict in deciding]
    request.gates.require_names(names, kinds, f"{path}: ", is_one_of_many=not is_alone)
    missing = missing_briefs(debate, None if request.runs in {"latest", "all"} else request.runs)
    missing = tuple(brief for brief in missing if brief.system in (request.systems or (brief.system,)))
    gates = request.gates.evaluate(debate, verdicts, len(missing))
    remarks = _list_remarks(path, debate, verdicts, request)
    notices = (f"{'.'.join(map(str, at))} {text}" for system in settings.values() for at, text in system.notices())
    check = _check_stored_verdicts(stored, request) if request.check else _StoredCheck()
    if request.write:
        _store_verdicts(path, request.rubric)
    sources = check_sources(debate)
    return CheckedFile(
        ScoredFile(str(path), debate.id, debate.topic, debate.status, verdicts, debate.document_name, sources),
        (*gates, *check.gates),
        remark="; ".join([*remarks, *check.remarks]) or None,
        notices=tuple(notices),
        incomplete_line_warning=stored.incomplete_line_warning,
        missing=missing if missing and lock_holder(stored.path) is None else (),
        compared_count=check.compared_count,
        outdated={}
        if request.check
        else count_outdated(stored, [item for item in verdicts if item.system not in settings]),
        rescored_systems=tuple(settings),
        debate=debate,
    )


def _list_remarks(path: Path, debate: Debate, verdicts: Sequence[Verdict], request: ScoreRequest) -> Iterator[str]:
    missing = dict.fromkeys(verdict.system for verdict in verdicts if not is_installed(verdict.system))
    for kind in missing:
        yield f"{kind}: the judging system is not installed, so its stored verdict is shown and not recomputed"
    run = next((run for run in debate.runs if run.id == request.runs), None)
    replaced = [kind for kind in run.replaced if kind in (request.systems or (kind,))] if run is not None else []
    if replaced:
        yield f"--runs {request.runs}: a later run replaced the assessments of {', '.join(replaced)}, so these are not scored"
    known = {system.kind for run in debate.runs for system in run.judging.systems}
    unjudged = [kind for kind in dict.fromkeys(request.systems) if kind not in known]
    if unjudged:
        options = " ".join(f"--system {kind}" for kind in unjudged)
        names = " and ".join(f"`{kind}`" for kind in unjudged)
        yield f"no {names} verdict yet; run: debate judge {quote_path(path)} {options}"
    unfinished = describe_unfinished(debate)
    if unfinished is not None:
        yield unfinished


def _check_run(debate: Debate, runs: str, prefix: str = "runs ") -> None:
    known = [run.id for run in debate.runs]
    if runs not in {"latest", "all", *known}:
        raise UsageError(f"{prefix}{runs}: there is no such judging run; the debate has {', '.join(known)}")


class _StoredCheck(NamedTuple):
    gates: tuple[GateResult, ...] = ()
    """Result of the gate --check; empty if the stored verdicts were not checked."""
    remarks: tuple[str, ...] = ()
    compared_count: int = 0


def _check_stored_verdicts(stored: StoredDebate, request: ScoreRequest) -> _StoredCheck:
    pid = lock_holder(stored.path) if stored.from_journal else None
    if pid is not None:
        return _StoredCheck(remarks=(f"the debate is still running (process {pid}), so its verdicts are not checked",))
    transcript = load_last_transcript(stored)
    if transcript is None:
        return _StoredCheck((GateResult(CHECK_GATE, None),))
    differences, other_rules = _compare_verdicts(transcript, request)
    recomputable = sum(is_installed(verdict.system) for verdict in transcript.verdicts)
    return _StoredCheck(
        (GateResult(CHECK_GATE, "; ".join(differences) or None),),
        tuple(
            f"the verdict of {name} was stored under other scoring rules, so it is not compared" for name in other_rules
        ),
        recomputable - len(other_rules),
    )


def _compare_verdicts(stored: StoredDebate, request: ScoreRequest) -> tuple[list[str], list[str]]:
    recomputed = score(stored.debate, runs="all", settings=request.rubric.settings(stored.debate))
    new = {(verdict.system, verdict.run): verdict for verdict in recomputed}
    old = {(verdict.system, verdict.run): verdict for verdict in stored.verdicts}
    recomputed_one = (
        f"the one recomputed with {request.rubric_option}" if request.rubric_option else "the recomputed one"
    )
    updated = [key for key in sorted(new.keys() & old.keys()) if new[key].rules != old[key].rules]
    differences = [
        f"the stored verdict of {' '.join(key)} differs from {recomputed_one}"
        for key in sorted((new.keys() | old.keys()) - set(updated))
        if key not in new or key not in old or not verdicts_match(old[key], new[key])
    ]
    return differences, [" ".join(key) for key in updated]


def _store_verdicts(path: Path, rubric: Rubric) -> None:
    from debate_cli.llm.redaction import Redactor

    with lock_debate(path):
        stored = open_debate(path)
        if stored.from_journal:
            raise UsageError(
                f"{path}: the debate has not ended, so no verdicts can be stored; continue it first with "
                f"`debate run --resume {quote_path(path)}`, or add --close to end it without further speeches"
            )
        verdicts = score(stored.debate, runs="all", settings=rubric.settings(stored.debate))
        write_transcript(stored.path, to_transcript(stored.debate, verdicts), Redactor(), overwrite=True)
