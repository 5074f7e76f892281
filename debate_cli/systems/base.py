"""The protocol of a judging system, and the values that a system takes and returns.

`systems.registry` finds built-in systems and plug-ins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from debate_cli.domain.assessment import SHARED_FINDINGS, Assessment, Finding, Mark
from debate_cli.domain.debate import Debate
from debate_cli.domain.frozen_model import FrozenModel, fold_growing
from debate_cli.domain.judging_config import SystemSettings, judge_ids
from debate_cli.domain.judging_run import JudgingRun
from debate_cli.domain.tasks import Brief, Cue, Moment, Subject
from debate_cli.domain.turn import StrategyPick, Turn
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.aggregation import ordered_assessments
from debate_cli.systems.charts import Chart
from debate_cli.systems.explanation import describe_scores
from debate_cli.systems.tables import Badge, Cell, DebaterCell, Gauge, Number, Table, column_table

if TYPE_CHECKING:
    from debate_cli.llm.form import Form, FormModel
    from debate_cli.llm.prompts import Prompts

Part = TypeVar("Part")
SettingsT = TypeVar("SettingsT", bound=SystemSettings)
FormT = TypeVar("FormT", bound="FormModel")
WHOLE_DEBATE = Subject(moment="debate")
SOURCES_KIND = "sources"
"""Kind of the judging system whose answers other systems quote."""


class Progress(NamedTuple):
    """The part of a debate that a judging run can judge now."""

    finished_rounds: tuple[int, ...]
    """Numbers of the rounds in which all speeches have been made."""
    judgeable_turns: Sequence[int]
    """Indices of the turns that can be judged. In a running debate, a turn can be judged once all earlier turns
    exist."""
    is_over: bool


class PlannedCalls(NamedTuple):
    """Numbers of questions that a system asks about one debate, for cost estimates."""

    planned: int
    """Number of questions that the system always asks, summed over all judges."""
    follow_ups: int = 0
    """Maximum number of additional questions to each judge, which `planned` does not include."""
    quoted_answers: int = 0
    """Maximum number of earlier answers of judges that one question quotes."""


class JudgeVote(NamedTuple):
    """One judge's vote, as counted in a verdict. Contains untrusted text."""

    judge: str
    option: str
    """The outcome that the judge voted for, one of `JudgingSystem.options`."""
    reasons: tuple[str, ...]
    """The corrections that the judge requires, then the judge's critical findings. If there are neither, the judge's
    reasoning."""
    rationale: str = ""
    """The judge's reasoning, in full; may be empty."""


class Requirement(FrozenModel):
    """What judges require: a change to a document, or a condition under which a motion holds. Contains untrusted text."""

    dimension: str | None
    """What the requirement is about: the first name in the setting `dimensions` that occurs in `text`. None if no name
    occurs."""
    text: str
    """The change or condition, in the words of the first judge who states it."""
    judges: tuple[str, ...]
    """Ids of the judges who state this requirement, in the order of the settings."""
    weight: float
    """Weight of the votes of `judges` divided by the weight of all votes, 0-1."""
    quote: str | None = None
    """Passage of the judged document that the required change quotes; None if the change quotes no such passage."""
    line: int | None = None
    """Line of the judged document, from 1, on which `quote` begins; None without a quote."""


class JudgeQuote(NamedTuple):
    """A judge's reasoning, shown with a verdict. Contains untrusted text."""

    words: str
    judge: str = ""
    """Id of the judge; may be empty."""


class TurnScore(NamedTuple):
    """The score of one turn."""

    total: float
    parts: Mapping[str, float | None]
    """Maps each criterion to the points that it adds to `total`."""


class ArgumentMark(NamedTuple):
    """One argument's mark in one criterion, averaged over the judges."""

    argument: str
    participant: str
    """Name of the debater who made the argument."""
    criterion: str
    value: float | None
    """Mean of all judges' marks; None if no judge marked the argument in this criterion."""
    out_of: float
    weight: float
    """Weight of the criterion in the argument's score, 0-1."""
    argument_score: float | None
    """Weighted score of the argument over all criteria; None if a criterion has no mark."""


Standing = Literal["UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN"]
"""What the judges conclude about a claim. UPHELD: the claim can be relied on. PARTIALLY_UPHELD: the claim is right
within limits. REFUTED: decisions must not be based on the claim. UNCERTAIN: the debate does not settle the claim."""


class ClaimStanding(NamedTuple):
    """The judges' conclusion about one claim, and their reason. Contains untrusted text."""

    standing: Standing
    reason: str


class ClaimReview(NamedTuple):
    """What the judges of a run conclude about the claims of a debate. Contains untrusted text."""

    standings: Mapping[str, ClaimStanding]
    """Maps the id of an argument to the judges' conclusion about its claim, e.g. `UPHELD`, and to the reason."""
    key_insight: str = ""
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""
    fallacies: Mapping[str, tuple[str, ...]] = {}
    """Maps the id of an argument to the names of the fallacies that the judges found in it."""


class ReportSection(NamedTuple):
    """Tables and charts about the debate itself, not about a verdict."""

    title: str
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]


class ReportedScore(NamedTuple):
    """A debater's score in one assessment."""

    participant: str
    value: float
    out_of: float


class LiveReport(NamedTuple):
    """A short report on one assessment, for people who watch a run."""

    scores: tuple[ReportedScore, ...] = ()
    sentences: tuple[str, ...] = ()
    """Untrusted sentences about the assessment."""
    vote: Badge | None = None
    """The judge's vote, e.g. `✓ PASS, confidence 0.88`."""


@dataclass(frozen=True, slots=True)
class JudgingContext(Generic[SettingsT]):
    """The debate, the brief and the settings, from which a system builds the question to a judge."""

    debate: Debate
    brief: Brief
    settings: SettingsT

    @property
    def debater_names(self) -> tuple[str, ...]:
        """Names of all debaters, in the order of `Debate.participants`."""
        return tuple(participant.name for participant in self.debate.participants)

    @property
    def speakers(self) -> tuple[str, ...]:
        """Names of the debaters who spoke in the judged round, or in the debate if the brief is not about a round."""
        number = self.brief.subject.round
        speakers = {turn.speaker for turn in self.debate.turns if number in {None, turn.round}}
        return tuple(name for name in self.debater_names if name in speakers)

    @property
    def judged_turns(self) -> tuple[Turn, ...]:
        """The turns that the brief is about."""
        return tuple(self.debate.turns_by_index[index] for index in self.brief.subject.turns)


@dataclass(frozen=True, slots=True)
class AssessmentContent:
    """Marks, findings, reasoning and warnings that a system reads from a judge's filled-in form."""

    marks: tuple[Mark, ...] = ()
    findings: tuple[Finding, ...] = ()
    rationale: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeQuestion(Generic[SettingsT, FormT]):
    """How to ask a judge, and how to read the judge's answer."""

    purpose: str
    """Purpose of the request, e.g. `judge.live.pair`."""
    prompt: str
    """Name of the prompt file, without `.md`."""
    prompt_values: Callable[[JudgingContext[SettingsT], Prompts], Mapping[str, str]]
    """Returns the values of the prompt's placeholders. This function must sanitize untrusted text, e.g. of debaters,
    with `judge_input.transcript_prompt`."""
    build_form: Callable[[JudgingContext[SettingsT]], Form[FormT]]
    """Returns the form that the judge fills in. The schema of the form may depend on the debate, e.g. on debaters'
    names."""
    read_form: Callable[[FormT, JudgingContext[SettingsT]], AssessmentContent]
    """Converts a filled-in form to marks and findings. Pure. Must not raise for a form that passed validation."""


class JudgingSystem(Generic[SettingsT]):
    """A way to judge a debate. A subclass must define the members that have no default."""

    kind: str
    """Name of the system in configurations and transcripts, e.g. `panel`."""
    settings: type[SettingsT]
    """Class of this system's settings in `judging.systems`."""
    findings: tuple[type[Finding], ...] = ()
    """Classes of findings that only this system produces."""
    prompt_package: str
    """Name of the Python package whose folder `prompts` holds the prompt files."""
    judges_texts: bool = False
    """Whether the system can judge a document instead of a debate."""
    options: Mapping[str, Badge] = {}
    """Maps each outcome that judges can choose instead of a debater, e.g. `PASS`, to the symbol, word and tone with
    which it is shown. The most favourable outcome comes first.

    The tone is `good` if the outcome means that a judged document passes, and `bad` if it fails. The
    notes of the system's verdicts need a field `option` (the chosen outcome) and a field `weights` (maps outcomes to
    scores)."""
    options_in_debates: bool = True
    """Whether judges choose from `options` in debates too. If False, they choose only when they judge a document."""
    max_option_score: float = 1
    """Highest possible score of an outcome in `options`. The lowest is 0."""
    unit: str = "points"
    """Unit in which scores and margins are shown, e.g. `points`."""
    highest_score: float | None = None
    """Highest possible score of a debater. None if it is unknown, or if it depends on the debate."""
    scores_are_shares: bool = False
    """Whether each score is a share of a whole, 0-1. If so, margins are shown as percentages."""
    reviews_claims: bool = False
    """Whether the judges give each claim a standing, e.g. UPHELD. If so, the system defines `review_claims` and
    `argument_marks`."""

    # Questions

    def briefs(self, debate: Debate, run: JudgingRun, settings: SettingsT, progress: Progress) -> Iterable[Brief]:
        """Return all briefs that judges can answer at this point of the debate, even if they are answered already.

        Pure. Default: one brief to each judge on the whole debate, once the debate is over.
        """
        if progress.is_over and self.unsuitable_reason(debate) is None:
            yield from briefs_for(run.id, settings, WHOLE_DEBATE)

    def planned_calls(self, settings: SettingsT, turns: int, rounds: int) -> PlannedCalls:
        """Return the number of questions about a debate of `turns` turns in `rounds` rounds. Default: one per judge."""
        return PlannedCalls(len(judge_ids(settings)))

    def question(self, brief: Brief) -> JudgeQuestion[SettingsT, Any]:
        """Return the question that `brief` asks a judge. Every system that asks judges defines this method."""
        raise NotImplementedError

    def waits_for(self, brief: Brief) -> tuple[str, ...]:
        """Return the kinds of other systems that must judge first, because `brief` quotes their answers to the judge.

        Default: none. A question about a round is asked after these systems have judged this round. Any other question
        is asked after they have judged all rounds.
        """
        return ()

    def late_answer(self, context: JudgingContext[SettingsT]) -> AssessmentContent | None:
        """Return the answer to use if a judge has not answered within `settings.judge_timeout_s` seconds.

        Default: None; the brief then fails.
        """
        return None

    def lookup_queries(self, debate: Debate, brief: Brief) -> tuple[str, ...]:
        """Return search queries whose results are shown in the question of `brief`. Default: none."""
        return ()

    def unsuitable_reason(self, debate: Debate) -> str | None:
        """Return why this system cannot judge the debate, e.g. `has no speeches, so …`; None if it can.

        Default: the debate must have a speech. A system with `judges_texts` also accepts a document.
        """
        if debate.turns or (self.judges_texts and debate.document_name is not None):
            return None
        return f"has no speeches, so the judging system `{self.kind}` cannot judge it; use another system"

    # Effects of the first judging run on the debate while it runs

    def awaited_briefs(
        self, debate: Debate, settings: SettingsT, index: int, round_number: int | None
    ) -> Iterable[Brief]:
        """Return the briefs that must be finished before the turn `index` begins. Default: none.

        A brief is finished once it has an answer, or a failure that is not retried in this session.

        `round_number`: round of this turn; None if `index` is after the last turn of the debate.
        """
        return ()

    def guidance(self, debate: Debate, settings: SettingsT, round_number: int) -> str | None:
        """Return the judges' advice to all debaters for the round `round_number`. Default: None (no advice)."""
        return None

    def stopped_debaters(self, debate: Debate, settings: SettingsT, due_round: int) -> frozenset[str]:
        """Return the names of the debaters who surrendered before the round `due_round`. Default: none."""
        return frozenset()

    def instruct(self, debate: Debate, settings: SettingsT, cue: Cue) -> str:
        """Return secret instructions to the speaker of `cue`. Default: none.

        `debate`: contains only the turns that this speaker may see.
        """
        return ""

    def pick_strategy(self, debate: Debate, cue: Cue) -> StrategyPick | None:
        """Return a strategy for the turn that `cue` requests. Default: None.

        Called for speakers with `strategy: adaptive`, even if the debate does not use this system.
        """
        return None

    # Scoring

    def score(self, debate: Debate, run: JudgingRun | str, settings: SettingsT) -> Verdict:
        """Return the verdict of one judging run. Every system defines this method.

        Pure: must not use clock, network or randomness.
        """
        raise NotImplementedError

    # Display

    def max_score(self, verdict: Verdict) -> float | None:
        """Return the highest possible score. If it is None, scores are shown without a scale.

        Default: `max_option_score` if an option (e.g. PASS) won, else `highest_score`.
        """
        return self.max_option_score if verdict.option in self.options else self.highest_score

    def min_score(self, verdict: Verdict) -> float:
        """Return the lowest possible score. Default: 0."""
        return 0.0

    def describe_brief(self, brief: Brief) -> str:
        """Return a short name of the brief, e.g. `turn 3`. Default: the subject of the brief.

        Briefs for the same judge must have different names.
        """
        return describe_subject(brief.subject)

    def explain(self, verdict: Verdict) -> str:
        """Return sentences that explain the verdict with numbers. Default: a sentence with the scores.

        `verdict`: any verdict except an undetermined one.
        """
        return describe_scores(verdict, self.max_score(verdict))

    def headline(self, verdict: Verdict) -> str:
        """Return the reason for the verdict in sentences; may be empty. Names are not sanitized.

        Default: the result of `explain`. If the verdict is undetermined: the first sentence of `notes.missing`.
        """
        if verdict.victory != "undetermined":
            return self.explain(verdict)
        missing = verdict.notes.get("missing")
        return str(missing[0]) if isinstance(missing, list) and missing else ""

    def quote(self, debate: Debate, verdict: Verdict) -> JudgeQuote | None:
        """Return the reasoning of a judge who agrees with the verdict; None if no agreeing judge gave reasoning."""
        given = self.agreeing_assessments(debate, verdict)
        return next((JudgeQuote(item.rationale) for item in given if item.rationale.strip()), None)

    def votes(self, verdict: Verdict) -> Iterable[JudgeVote]:
        """Return each judge's vote. Default: none, because most systems do not vote."""
        return ()

    def dissent(self, verdict: Verdict) -> Iterable[JudgeVote]:
        """Return the votes of judges who disagree with the verdict. Default: none."""
        return ()

    def required_changes(self, verdict: Verdict) -> tuple[Requirement, ...]:
        """Return the changes that a judged document needs in order to pass, most important first. Default: none."""
        return ()

    def conditions(self, verdict: Verdict) -> tuple[Requirement, ...]:
        """Return the conditions under which a debate's motion holds, most important first. Default: none."""
        return ()

    def turn_scores(self, verdict: Verdict) -> Mapping[int, TurnScore]:
        """Return the scores of turns, by turn index. Default: none."""
        return {}

    def argument_marks(self, verdict: Verdict) -> Iterable[ArgumentMark]:
        """Return the marks of each argument by criterion, for `score --per argument`. Default: none."""
        return ()

    def review_claims(self, debate: Debate, run: str) -> ClaimReview | None:
        """Return what the judges of `run` conclude about the claims; None if no judge answered. Default: None."""
        return None

    def sections(self, debate: Debate) -> Iterable[ReportSection]:
        """Return tables and charts about the debate itself, not about a verdict. Default: none."""
        return ()

    def tables(self, verdict: Verdict) -> Iterable[Table]:
        """Return tables with all numbers of the verdict, starting with the scores. Tables without rows are not shown.

        Default: only the scores.
        """
        scores, highest = verdict.displayed_scores, self.max_score(verdict)
        end = None if highest is None else max(highest, *map(abs, scores.values()), 0.0)
        columns: dict[str, Callable[[str], Cell]] = {
            "option" if verdict.option_shares else "debater": DebaterCell,
            "score": lambda name: Number(scores[name], strong=True),
            "": lambda name: None if end is None else Gauge(scores[name], end, name),
        }
        return [column_table(f"{verdict.system}: scores", sorted(scores, key=lambda name: -scores[name]), columns)]

    def charts(self, verdict: Verdict) -> Iterable[Chart]:
        """Return the verdict's charts for the HTML report. Default: none."""
        return ()

    def live_report(self, assessment: Assessment, debate: Debate) -> LiveReport:
        """Return a short report on an assessment, for people who watch a run.

        Default: descriptions of the findings that only this system makes. Without such findings, the judge's reasoning.
        """
        own = [finding for finding in assessment.findings if finding.kind not in SHARED_FINDINGS]
        sentences = [sentence for finding in own for sentence in finding.describe()]
        return LiveReport(sentences=tuple(sentences or filter(None, [assessment.rationale])))

    # Shared implementation

    def agreeing_assessments(self, debate: Debate, verdict: Verdict) -> Sequence[Assessment]:
        """Return the assessments of judges who agree with the verdict.

        Each judge's assessments are scored alone. The judge agrees if the resulting verdict has the same winner, or is
        undetermined. If there is only one judge, this judge agrees.
        """
        given = ordered_assessments(debate, verdict.system, verdict.run)
        judges = dict.fromkeys(item.assessor for item in given)
        if len(judges) == 1:
            return given
        settings = next(item for item in debate.run(verdict.run).judging.systems if item.kind == self.kind)
        agreeing: set[str] = set()
        for judge in judges:
            alone = debate.with_assessments(item for item in given if item.assessor == judge)
            own = self.score(alone, verdict.run, settings)  # pyright: ignore[reportArgumentType] - settings of this kind
            if own.victory == "undetermined" or own.winner == verdict.winner:
                agreeing.add(judge)
        return [item for item in given if item.assessor in agreeing]


def describe_subject(subject: Subject) -> str:
    """Return the subject in words, e.g. `turn 3`, `round 2` or `the debate`. The first turn is `turn 1`."""
    match subject.moment:
        case "round":
            return f"round {subject.round}"
        case "turn":
            return f"turn {subject.turns[0] + 1}" if subject.turns else "a turn"
        case "pair":
            return f"turns {' and '.join(str(index + 1) for index in subject.turns)}"
        case "debate":
            return "the debate"


def briefs_for(run: str, settings: SystemSettings, subject: Subject, revision: int = 0) -> Iterator[Brief]:
    """Yield a brief on `subject` for each judge. `run`: id of the judging run."""
    for judge in judge_ids(settings):
        yield Brief(run=run, system=settings.kind, assessor=judge, subject=subject, revision=revision)


def turn_briefs(run: str, settings: SystemSettings, turns: Iterable[int]) -> tuple[Brief, ...]:
    """Return a brief on each turn for each judge. `turns`: indices of turns. `run`: id of the judging run."""
    return _fold_briefs(run, settings, "turn", tuple(turns), lambda index: Subject(moment="turn", turns=(index,)))


def pair_briefs(run: str, settings: SystemSettings, pairs: Iterable[tuple[int, int]]) -> tuple[Brief, ...]:
    """Return a brief on each pair of turns for each judge. `pairs`: pairs of turn indices."""
    return _fold_briefs(run, settings, "pair", tuple(pairs), lambda pair: Subject(moment="pair", turns=pair))


def round_briefs(run: str, settings: SystemSettings, numbers: Iterable[int]) -> tuple[Brief, ...]:
    """Return a brief on each round for each judge. `numbers`: numbers of rounds."""
    return _fold_briefs(run, settings, "round", tuple(numbers), lambda number: Subject(moment="round", round=number))


def _fold_briefs(
    run: str, settings: SystemSettings, moment: Moment, parts: tuple[Part, ...], subject_of: Callable[[Part], Subject]
) -> tuple[Brief, ...]:
    def add(briefs: tuple[Brief, ...], part: Part) -> tuple[Brief, ...]:
        return (*briefs, *briefs_for(run, settings, subject_of(part)))

    return fold_growing(settings, ("briefs", run, moment), parts, (), add)


def sum_marks(marks: Iterable[Mark], criteria: Mapping[str, float]) -> tuple[ReportedScore, ...]:
    """Return the sum of each debater's marks in `criteria`, which maps each criterion to its highest mark."""
    sums: dict[str, float] = {}
    for mark in marks:
        if mark.participant is not None and mark.criterion in criteria:
            sums[mark.participant] = sums.get(mark.participant, 0.0) + mark.value
    return tuple(ReportedScore(name, value, sum(criteria.values())) for name, value in sums.items())
