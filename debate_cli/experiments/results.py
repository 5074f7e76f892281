"""The results of an experiment as rows: one per debate, judge and judging system."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from itertools import islice
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_type_hints

from pydantic import ConfigDict, Field, TypeAdapter

from debate_cli.app.score_records import MODEL_SEPARATOR
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate, models_used_by_debater, models_used_by_judges, usage_of_briefs
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.tasks import Brief
from debate_cli.domain.verdict import Verdict
from debate_cli.evidence.unspaced_scripts import count_words
from debate_cli.experiments.cells import Cell, CellJudge
from debate_cli.experiments.definition import is_same_model
from debate_cli.experiments.ledger import DEBATES_FOLDER, Ledger, ResultRow
from debate_cli.experiments.settings import Motion
from debate_cli.plugins import require_packages
from debate_cli.systems.scoring import score

Result = Literal["first", "second", "draw", "conditional", "undetermined"]
DETERMINED: tuple[Result, ...] = ("first", "second", "draw")
"""Results that ratings use. Ratings leave out `conditional` and `undetermined` results."""
Count = Annotated[int, Field(ge=0)]
ROWS_PER_GROUP = 10_000
_ARROW_TYPES = {bool: "bool_", int: "int64", float: "float64"}


class JudgementRow(NamedTuple):
    """The verdict of one judge on one debate, by one judging system."""

    experiment: str
    cell: str
    debate: str
    """Id of the debate."""
    path: str
    """Path of the transcript, relative to the folder of the experiment."""
    motion: str
    """Id of the motion, a hash of its text."""
    topic: str
    """Text of the motion."""
    tags: str
    """Tags of the motion, separated by `;`."""
    repeat: int
    """Number of the repetition, from 1."""
    first: str
    """Player who speaks for the motion."""
    second: str
    first_model: str
    """Model of the first player, as `provider/model`."""
    second_model: str
    """Model of the second player, as `provider/model`."""
    judge: str | None
    """Name of the judge. None for the judges of the base configuration."""
    judge_model: str
    """Model of the judge, as `provider/model`. Several models are separated by `; `."""
    own_model: bool
    """Whether the judge's model is also the model of a player."""
    system: str
    decides: bool
    """Whether the verdicts of this judging system decide who wins."""
    run: str
    """Id of the judging run in the transcript, e.g. `r1`."""
    rules: int
    """Version of the judging system's scoring formula."""
    weight: float
    """1 divided by the number of judges that this judging system asked about the debate. 0 if this judge names neither
    a winner nor a draw."""
    result: Result
    """`first`, `second` or `draw`. `undetermined` if too little was judged. `conditional` if the motion holds under
    conditions, if a vote is tied, or if no player spoke for the winning option."""
    winner: str | None
    """Name of the player who won. None if no player won."""
    victory: str
    """How clearly the debate was won: `narrow`, `clear`, `overwhelming`, `draw`, `conditional` or `undetermined`."""
    margin: float | None
    """Best score minus second-best score, on the judging system's scale. None if the result is `undetermined`."""
    first_score: float | None
    """Score of the first player, on the judging system's scale."""
    second_score: float | None
    """Score of the second player, on the judging system's scale."""
    cost_usd: float | None
    """Cost in US dollars of the calls for this verdict. None if a price is unknown."""
    tokens: Count
    """Input and output tokens of the calls for this verdict."""
    seconds: float
    """Seconds that the provider took for the calls for this verdict."""
    first_cost_usd: float | None
    second_cost_usd: float | None
    """Cost in US dollars of the second player's speeches. None if a price is unknown."""
    first_tokens: Count
    second_tokens: Count
    """Input and output tokens of the second player's speeches."""
    first_seconds: float
    second_seconds: float
    """Seconds that the provider took for the second player's speeches."""
    first_words: Count
    second_words: Count
    """Number of words in the second player's speeches."""
    closed: str
    """Why the debate ended: `complete`, `surrender` or `converged`."""
    axes: Mapping[str, Any]
    """Maps the key paths of the experiment's axes to their values in this debate."""
    failure: str | None = None
    """Cause of the last failure of the judgement, e.g. `abstained`. None if the judgement did not fail."""


_ROW = TypeAdapter(JudgementRow, config=ConfigDict(defer_build=True))


class JudgedRun(NamedTuple):
    """A judging run of a cell's debate, with the experiment's current settings for scoring."""

    judge: CellJudge
    id: str
    """Id of the judging run in the transcript."""
    judging: JudgingConfig
    """Settings for scoring. They may differ from the settings that the transcript stores."""
    model: ModelSpec | None
    """Model of the judge. None for the judges of the base configuration."""


def judge_results(
    debate: Debate,
    cell: Cell,
    motion: Motion,
    experiment: str,
    runs: Iterable[JudgedRun],
    models: tuple[ModelSpec, ModelSpec],
) -> list[ResultRow]:
    """Return the results of a debate, one per judging run and judging system.

    `models`: models of the first and of the second player.
    """
    shared = _debate_columns(debate, cell, motion, experiment)
    return [
        ResultRow(run.judge.questions, run.judge.scoring, _to_row(debate, verdict, run, models, shared))
        for run in runs
        for verdict in score(debate, runs=run.id, settings={system.kind: system for system in run.judging.systems})
    ]


def read_judgements(ledger: Ledger) -> Iterator[JudgementRow]:
    """Yield all judgements of the newest plan. Judges have their names from this plan.

    A judgement is left out if the plan no longer has the judge, or if it was scored with other settings.
    """
    for record in ledger.records():
        cell = record.cell
        found = ((cell.find_judge(each.questions, each.scoring), each.row) for each in ledger.results_of(cell.key))
        counted = [(judge, row) for judge, row in found if judge is not None]
        with ledger.refuse_damaged(f"a result of cell {cell.key}"):
            yield from list(_to_judgements(cell, counted))


def _to_judgements(cell: Cell, found: list[tuple[CellJudge, dict[str, Any]]]) -> Iterator[JudgementRow]:
    axes = json.loads(cell.axes)
    found.sort(key=lambda item: (cell.judges.index(item[0]), not item[1]["decides"]))
    judges = Counter(row["system"] for _, row in found)
    for judge, row in found:
        weight = 1 / judges[row["system"]] if row["result"] in DETERMINED else 0.0
        yield _ROW.validate_python({**row, "judge": judge.name, "weight": weight, "axes": axes})


def flatten(row: JudgementRow) -> dict[str, Any]:
    """Return a judgement as a mapping of column names to values. Each axis becomes a column `axes.KEY.PATH`."""
    columns = row._asdict()
    axes = columns.pop("axes")
    return columns | {
        f"axes.{key}": value if isinstance(value, str | int | float | bool | None) else json.dumps(value)
        for key, value in axes.items()
    }


def _debate_columns(debate: Debate, cell: Cell, motion: Motion, experiment: str) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "experiment": experiment,
        "cell": cell.key,
        "debate": cell.debate,
        "path": f"{DEBATES_FOLDER}/{cell.debate}.json",
        "motion": cell.motion,
        "topic": debate.topic,
        "tags": ";".join(motion.tags),
        "repeat": cell.repeat,
        "first": cell.first,
        "second": cell.second,
        "closed": debate.closed,
    }
    for place, person in zip(("first", "second"), debate.participants, strict=True):
        turns = debate.select_turns(speaker=person.name)
        costs = [turn.exchange.cost_usd for turn in turns]
        usage = [turn.exchange.usage for turn in turns]
        columns |= {
            f"{place}_model": MODEL_SEPARATOR.join(models_used_by_debater(debate, person)),
            f"{place}_cost_usd": None if None in costs else round(math.fsum(filter(None, costs)), 10),
            f"{place}_tokens": sum(each.input_tokens + each.output_tokens for each in usage),
            f"{place}_seconds": round(sum(turn.exchange.latency_s for turn in turns), 3),
            f"{place}_words": sum(count_words(turn.text) for turn in turns),
        }
    return columns


def _cause_of_failure(debate: Debate, verdict: Verdict) -> str | None:
    for failure in reversed(debate.failures):
        task = failure.task
        if isinstance(task, Brief) and (task.run, task.system) == (verdict.run, verdict.system):
            return failure.cause
    return None


def _to_row(
    debate: Debate,
    verdict: Verdict,
    run: JudgedRun,
    models: tuple[ModelSpec, ModelSpec],
    shared: Mapping[str, Any],
) -> dict[str, Any]:
    names = [person.name for person in debate.participants]
    winner = names.index(verdict.winner) if verdict.winner in names else None
    usage = usage_of_briefs(debate, lambda brief: (brief.run, brief.system) == (verdict.run, verdict.system))
    answers = debate.assessments_of_system(verdict.system, verdict.run)
    first_score, second_score = (verdict.scores.get(name) for name in names)
    result: Result = "conditional"  # an option won, or the motion under conditions
    if verdict.victory in {"undetermined", "draw"}:
        result = "undetermined" if verdict.victory == "undetermined" else "draw"
    elif verdict.victory != "conditional" and winner is not None:
        result = "first" if winner == 0 else "second"
    judge_models = (
        models_used_by_judges(debate, verdict.run, verdict.system) if run.model is None else [run.model.model]
    )
    return {
        **shared,
        "judge_model": MODEL_SEPARATOR.join(models_used_by_judges(debate, verdict.run, verdict.system)),
        "own_model": any(is_same_model(one, other.model) for one in judge_models for other in models),
        "system": verdict.system,
        "decides": verdict.system == run.judging.deciding_kind,
        "run": verdict.run,
        "rules": verdict.rules,
        "result": result,
        "winner": None if winner is None else shared[("first", "second")[winner]],
        "victory": verdict.victory,
        "margin": verdict.margin,
        "first_score": first_score,
        "second_score": second_score,
        "cost_usd": usage.cost_usd,
        "tokens": usage.input_tokens + usage.output_tokens,
        "seconds": round(sum(answer.exchange.latency_s for answer in answers), 3),
        "failure": _cause_of_failure(debate, verdict) if result == "undetermined" else None,
    }


def dump_parquet(rows: Iterable[JudgementRow], axes: Sequence[str]) -> bytes:
    """Return the rows as a Parquet file.

    `axes`: key paths of the settings that the experiment varies, e.g. `format.rounds`. Each is a column of text.

    Raises ConfigError if pyarrow is missing.
    """
    require_packages("--format parquet", "experiments", ("pyarrow",))
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    fields: list[tuple[str, Any]] = []
    for name, hint in get_type_hints(JudgementRow).items():
        kinds = set(get_args(hint)) - {type(None)} or {hint}
        kind = next((_ARROW_TYPES[kind] for kind in _ARROW_TYPES if kind in kinds), "string")
        fields += [(name, getattr(pa, kind)())] if name != "axes" else [(f"axes.{key}", pa.string()) for key in axes]
    schema = pa.schema(fields)
    left, file = iter(rows), BytesIO()
    with parquet.ParquetWriter(file, schema) as writer:
        while part := list(islice(left, ROWS_PER_GROUP)):
            table = [
                {
                    name: json.dumps(value) if name.startswith("axes.") and not isinstance(value, str | None) else value
                    for name, value in flatten(row).items()
                }
                for row in part
            ]
            writer.write_table(pa.Table.from_pylist(table, schema=schema))
    return file.getvalue()
