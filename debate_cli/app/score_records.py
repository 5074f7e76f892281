"""Records of scored debates for statistics programs. Their fields are the columns of `score --format csv`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from debate_cli.app.score import ScoredFile
from debate_cli.domain.debate import Debate, models_used_by_debater, models_used_by_judges, usage_of_briefs
from debate_cli.domain.verdict import Verdict
from debate_cli.systems.registry import get_system, is_installed

MODEL_SEPARATOR = "; "
"""Separator between the models of several judges, or of a debater whose model changed."""


class DebaterRecord(NamedTuple):
    """The part of a verdict's record about one debater. Its columns end in the debater's number, e.g. `model_1`."""

    debater: str
    """Name of the debater."""
    side: str
    """`for`, `against` or another side."""
    model: str
    """`provider/model` that wrote the debater's speeches; several are separated by `; `."""
    position: int | None
    """Position of the debater in the order of first speeches, from 1; empty for a debater without a speech."""
    score: float | None
    """Score on the scale of the judging system; empty if the debater has no score."""


class VerdictRecord(NamedTuple):
    """A verdict of a debate, as a row of a table."""

    path: str
    """File of the debate."""
    id: str
    """Id of the debate."""
    topic: str
    """The motion."""
    status: str
    """`complete` or `incomplete`."""
    system: str
    """Kind of the judging system."""
    run: str
    """Id of the judging run."""
    winner: str | None
    """Name of the debater who won. None (in CSV: an empty cell) if no debater won, e.g. in a draw, and for every judged
    document."""
    victory: str
    """`draw`, `narrow`, `clear`, `overwhelming`, `conditional` or `undetermined`."""
    margin: float | None
    """Points between the first and the second score; empty if the verdict is undetermined."""
    decides: bool
    """Whether this is the deciding verdict of its debate."""
    scores: dict[str, float]
    """Score of each debater by name, as JSON."""
    option: str | None
    """Option that won a vote, e.g. `PASS`; empty for other verdicts."""
    judge_model: str
    """`provider/model` of each judge model behind the verdict, separated by `; `."""
    seed: int | None
    """Seed of the debate's configuration."""
    cost_usd: float | None
    """Cost of all calls of the debate in US dollars; empty if a price is unknown."""
    tokens: int
    """Number of tokens in all calls of the debate, input and output together."""
    judging_cost_usd: float | None
    """Cost in US dollars of the judges' calls for this verdict; empty if a price is unknown."""
    judging_tokens: int
    """Number of tokens in the judges' calls for this verdict, input and output together."""
    debaters: tuple[DebaterRecord, ...]
    """One record for each debater, in the order of the debate's participants."""


class ArgumentRecord(NamedTuple):
    """The mark of one argument for one criterion in one verdict, as a row of a table."""

    path: str
    """File of the debate."""
    id: str
    """Id of the debate in which the argument was made."""
    system: str
    """Kind of the judging system."""
    run: str
    """Id of the judging run."""
    judge_model: str
    """`provider/model` of each judge model behind the verdict, separated by `; `."""
    seed: int | None
    """Seed of the debate's configuration."""
    debater: str
    """Name of the debater who made the argument."""
    side: str
    """`for`, `against` or another side."""
    model: str
    """`provider/model` that wrote the debater's speeches; several are separated by `; `."""
    position: int | None
    """Position of the debater in the order of first speeches, from 1."""
    argument: str
    """Id of the argument."""
    criterion: str
    """Name of the criterion."""
    mark: float | None
    """Mean mark of the judges; empty if no judge gave one."""
    out_of: float
    """The highest possible mark."""
    weight: float
    """Share of the criterion in the argument's score, 0-1."""
    argument_score: float | None
    """Score of the argument over all criteria; empty if a mark is missing."""


def verdict_records(file: ScoredFile, debate: Debate) -> Iterator[VerdictRecord]:
    """Yield a record for each verdict of the file."""
    total = debate.usage
    for verdict in file.verdicts:
        judging = usage_of_briefs(
            debate, lambda brief, verdict=verdict: (brief.run, brief.system) == (verdict.run, verdict.system)
        )
        option = verdict.notes.get("option")
        yield VerdictRecord(
            path=file.path,
            id=file.id,
            topic=file.topic,
            status=file.status,
            system=verdict.system,
            run=verdict.run,
            winner=verdict.winner,
            victory=verdict.victory,
            margin=verdict.margin,
            decides=verdict.decides,
            scores=verdict.scores,
            option=option if isinstance(option, str) and verdict.victory != "undetermined" else None,
            judge_model=_judge_model(debate, verdict),
            seed=debate.config.seed,
            cost_usd=total.cost_usd,
            tokens=total.input_tokens + total.output_tokens,
            judging_cost_usd=judging.cost_usd,
            judging_tokens=judging.input_tokens + judging.output_tokens,
            debaters=tuple(_debater_records(debate, verdict)),
        )


def argument_records(file: ScoredFile, debate: Debate) -> Iterator[ArgumentRecord]:
    """Yield a record for each mark of an argument. Systems that mark no arguments yield nothing."""
    for verdict in file.verdicts:
        marks = get_system(verdict.system).argument_marks(verdict) if is_installed(verdict.system) else ()
        speakers = {record.debater: record._asdict() for record in _debater_records(debate, verdict)}
        judge_model = _judge_model(debate, verdict)
        for mark in marks:
            speaker = {key: value for key, value in speakers[mark.participant].items() if key != "score"}
            yield ArgumentRecord(
                path=file.path,
                id=file.id,
                system=verdict.system,
                run=verdict.run,
                judge_model=judge_model,
                seed=debate.config.seed,
                **speaker,
                argument=mark.argument,
                criterion=mark.criterion,
                mark=mark.value,
                out_of=mark.out_of,
                weight=mark.weight,
                argument_score=mark.argument_score,
            )


def flatten_record(record: VerdictRecord | ArgumentRecord) -> dict[str, Any]:
    """Return the values of a record by column. The columns of the first debater end in `_1`, and so on."""
    columns = record._asdict()
    for number, debater in enumerate(columns.pop("debaters", ()), 1):
        columns |= {f"{column}_{number}": value for column, value in debater._asdict().items()}
    return columns


def _judge_model(debate: Debate, verdict: Verdict) -> str:
    return MODEL_SEPARATOR.join(models_used_by_judges(debate, verdict.run, verdict.system))


def _debater_records(debate: Debate, verdict: Verdict) -> Iterator[DebaterRecord]:
    order = list(dict.fromkeys(turn.speaker for turn in debate.turns))
    for person in debate.participants:
        yield DebaterRecord(
            debater=person.name,
            side=person.side,
            model=MODEL_SEPARATOR.join(models_used_by_debater(debate, person)),
            position=order.index(person.name) + 1 if person.name in order else None,
            score=verdict.scores.get(person.name),
        )
