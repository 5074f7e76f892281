"""Builds and stores the cases of an audit (unchanged and changed debates), and plans the judgements that are missing.

Each case is stored as a transcript, so an interrupted audit can be continued.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from debate_cli.app.documents import JudgeSource
from debate_cli.app.judge import JudgePlan, JudgeTask, build_judge_plans
from debate_cli.app.judge_request import JudgingRequest, config_for_judging
from debate_cli.app.preparation import prepare_judge_context
from debate_cli.audit.debates import AuditDebate
from debate_cli.audit.variants import VariantName, build_variants
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import DebateResumed
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.model_call import ModelCall
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import TranscriptError
from debate_cli.judging.schedule import owed_briefs
from debate_cli.storage.config_file import LoadedConfig
from debate_cli.storage.folder import JOURNAL_SUFFIX
from debate_cli.storage.transcript import to_transcript, transcript_to_events, write_transcript
from debate_cli.storage.transcript_store import open_debate
from debate_cli.systems.registry import get_system
from debate_cli.systems.scoring import score

DEBATES_FOLDER = "debates"


@dataclass(frozen=True, slots=True)
class AuditCase:
    """A variant of a debate, to be judged by each judge."""

    base: str
    """Id of the unchanged debate."""
    variant: VariantName
    changed: str
    """Name of the debater whose speeches were changed. Empty if the speeches of both debaters, or of neither,
    were changed."""
    debate: Debate
    """The debate with the change that `variant` makes, without assessments."""
    path: Path
    runs: int = 1
    """Number of times that each judge judges the case, from 1."""

    @property
    def motion(self) -> str:
        """The motion in lower case and with single spaces, to group debates."""
        return " ".join(self.debate.topic.split()).casefold()

    def read(self) -> Debate | None:
        """Return the stored debate. None if there is no stored debate with the speeches and debaters of the case."""
        if not self.path.exists() and not self.path.with_suffix(JOURNAL_SUFFIX).exists():
            return None
        saved = open_debate(self.path).debate
        is_same = (saved.turns, saved.participants) == (self.debate.turns, self.debate.participants)
        return saved if is_same else None


@dataclass(frozen=True, slots=True)
class JudgeName:
    """An audited judge, named by its model and its judging system."""

    model: str
    """Name of the model, as `provider/model`."""
    system: str


class Judgement(NamedTuple):
    """The result of one judging run of one case."""

    case: AuditCase
    judge: JudgeName
    verdict: Verdict
    """Verdict on the case, which may be undetermined."""
    points: dict[str, float]
    """Maps names of debaters to scores, converted to points from 0 to 100. Empty if the verdict is undetermined, or if
    the judging system declares no scale."""

    @property
    def is_determined(self) -> bool:
        """Whether the verdict has a result, such as a winner or a draw."""
        return self.verdict.victory != "undetermined"


def build_cases(
    debates: Iterable[AuditDebate], variants: Sequence[VariantName], folder: Path, *, repeat: int
) -> list[AuditCase]:
    """Return the cases for each variant of each debate. `folder`: folder of the audit.

    The number of cases depends on the variant:

    - `repeat` (the unchanged debate) and `names`: one case.
    - `order`: one case. No case if speeches are sequential.
    - Each other variant: two cases, one per debater.

    The parameter `repeat` sets how often each judge judges a case of the variant `repeat`. Each judge judges all other
    cases once.
    """
    return [
        AuditCase(
            base=base.debate.id,
            variant=variant,
            changed=changed,
            debate=built,
            path=folder / DEBATES_FOLDER / f"{built.id}.json",
            runs=repeat if variant == "repeat" else 1,
        )
        for base in debates
        for variant, changed, built in build_variants(base.debate, variants)
    ]


def write_cases(cases: Iterable[AuditCase]) -> None:
    """Write the transcript of each case. A stored transcript with the same speeches and debaters is kept."""
    for case in cases:
        if case.read() is None:
            write_transcript(case.path, to_transcript(case.debate), lambda text: text, overwrite=True)
            case.path.with_suffix(JOURNAL_SUFFIX).unlink(missing_ok=True)


def plan_judging(
    cases: Iterable[AuditCase], judge: JudgeName, request: JudgingRequest, loaded: LoadedConfig | None
) -> tuple[list[JudgePlan], list[str]]:
    """Return plans for the missing judgements, and a sentence for each case that the judge's system cannot judge.

    `request`: system and model of the judge. `loaded`: configuration of the judge.
    """
    plans: list[JudgePlan] = []
    problems: list[str] = []
    for case in cases:
        try:
            plans += _plan_case(case, judge, request, loaded)
        except TranscriptError as error:
            problems.append(str(error))
    return plans, problems


def _plan_case(
    case: AuditCase, judge: JudgeName, request: JudgingRequest, loaded: LoadedConfig | None
) -> list[JudgePlan]:
    debate = case.read() or case.debate
    runs = _runs_of(debate, judge)
    owed = {brief.run for brief in owed_briefs(debate.apply(DebateResumed(at=debate.started_at)))}
    if any(run.id in owed for run in runs):
        complete = partial(_completion_task, case.path, request, loaded)
        return [JudgePlan.of_task(complete(), complete)]
    if len(runs) >= case.runs:
        return []
    wanted = replace(request, repeat=case.runs - len(runs))
    found, _ = build_judge_plans([JudgeSource(case.path, is_text=False)], wanted, loaded)
    return found


def read_judgements(cases: Iterable[AuditCase], judges: Sequence[JudgeName]) -> list[Judgement]:
    """Read the stored judgements of `cases` by `judges`.

    If a judge has judged a case more often than `AuditCase.runs`, only the oldest judgements are read.
    """
    return [
        Judgement(case, judge, verdict, to_points(verdict))
        for case in cases
        if (debate := case.read()) is not None
        for judge in judges
        for run in _runs_of(debate, judge)[: case.runs]
        for verdict in score(debate, runs=run.id)
        if verdict.system == judge.system
    ]


def stored_calls(cases: Iterable[AuditCase]) -> Iterator[ModelCall]:
    """Yield the model calls of all stored judgements."""
    for case in cases:
        debate = case.read()
        yield from (item.exchange for item in (debate.assessments if debate is not None else ()))


def to_points(verdict: Verdict) -> dict[str, float]:
    """Return the scores of a verdict, converted to points from 0 to 100, by name of the debater.

    Empty if the verdict is undetermined, or if the judging system declares no scale.
    """
    system = get_system(verdict.system)
    low, high = system.min_score(verdict), system.max_score(verdict)
    if verdict.victory == "undetermined" or high is None:
        return {}
    return {name: 100 * (value - low) / (high - low) for name, value in verdict.scores.items()}


def _runs_of(debate: Debate, judge: JudgeName) -> list[JudgingRun]:
    return [
        run
        for run in debate.runs
        if (judged := run.models.get("judge")) is not None
        and judged.model == judge.model
        and [system.kind for system in run.judging.systems] == [judge.system]
    ]


def _completion_task(path: Path, request: JudgingRequest, loaded: LoadedConfig | None) -> JudgeTask:
    stored = open_debate(path)
    events = transcript_to_events(to_transcript(stored.debate, stored.verdicts))
    events.append(DebateResumed(at=datetime.now(UTC)))
    context = prepare_judge_context(config_for_judging(stored.debate, request), loaded, str(path), request=request)
    runs = tuple(run.id for run in stored.debate.runs)
    return JudgeTask(
        path,
        tuple(events),
        (),
        context,
        path.with_suffix(".json"),
        stored.incomplete_line_warning,
        runs_to_complete=runs,
    )
