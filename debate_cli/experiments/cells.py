"""The cells of an experiment: a debate for each combination of motion, pair of players, sides, repetition and axes.

The key of a cell is a hash of everything that determines the debate. Limits and prices do not change the key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from debate_cli.app.context import RunContext
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.judging_config import JudgingConfig, judge_ids, judge_model_role
from debate_cli.experiments.definition import ConfigVariant, Experiment, ExperimentJudge, is_own_model, pair_debaters
from debate_cli.experiments.settings import ExperimentConfig, Motion
from debate_cli.storage.folder import slugify

KEY_CHARS = 32
_ID_KEY_CHARS = 12
_JUDGE_PROMPT_PREFIX = "judge"
_ANSWER_AFFECTING_FIELDS = ("kind", "base_url", "structured")


class CellJudge(NamedTuple):
    """A judge of a cell's debate. If the base configuration defines the judges, one `CellJudge` stands for all of them together."""

    questions: str
    """Hash of everything that determines the judge's questions. If it changes, the judge must be asked again."""
    scoring: str
    """Hash of the settings for scoring."""
    name: str | None
    """Name of the judge in the experiment's file. None for the judges of the base configuration."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One debate of an experiment."""

    key: str
    motion: str
    """Id of the motion."""
    first: str
    """Player who speaks for the motion."""
    second: str
    repeat: int
    """Number of the repetition, from 1."""
    axes: str
    """JSON object with the key path and the value of each axis. `{}` if the experiment has no axes."""
    debate: str
    """Id of the debate, which is also the name of its file."""
    judges: tuple[CellJudge, ...]

    @property
    def questions(self) -> tuple[str, ...]:
        """The hash `CellJudge.questions` of each judge."""
        return tuple(judge.questions for judge in self.judges)

    def find_judge(self, questions: str, scoring: str) -> CellJudge | None:
        """Return the judge with these hashes (`CellJudge.questions`, `CellJudge.scoring`). None if there is no such judge."""
        return next((judge for judge in self.judges if judge[:2] == (questions, scoring)), None)

    @property
    def bucket(self) -> int:
        """Number that decides the shard of the cell: `bucket % number of shards`."""
        return int(self.key[:8], 16)


def cell_to_json(cell: Cell) -> dict[str, Any]:
    """Convert a cell to the JSON object that is stored.

    `judges` contains the two hashes of each judge, and `judge_names` contains the names in the same order. If the
    experiment's file renames a judge, only `judge_names` changes. The hashes show that it is still the same judge.
    """
    return asdict(cell) | {
        "judges": [[judge.questions, judge.scoring] for judge in cell.judges],
        "judge_names": [judge.name for judge in cell.judges],
    }


def cell_from_json(fields: Mapping[str, Any]) -> Cell:
    """Convert the result of `cell_to_json` back to a cell."""
    own = dict(fields)
    names = own.pop("judge_names")
    pairs = zip(own.pop("judges"), names, strict=True)
    return Cell(**own, judges=tuple(CellJudge(questions, scoring, name) for (questions, scoring), name in pairs))


class CellInputs(NamedTuple):
    """Everything that is needed to run a cell's debate."""

    context: RunContext
    motion: Motion
    judges: Mapping[CellJudge, ExperimentJudge]
    """Maps each judge of the cell to the judge's settings. Empty if the base configuration defines the judges."""
    models: tuple[ModelSpec, ModelSpec]
    """The models of the first and of the second player."""


class CellPlan:
    """The cells of an experiment, with everything that is needed to run each cell."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.config = experiment.file.config
        self.context = experiment.variants[0].context
        """Run context with the limits, environment and secrets that all cells share."""
        self._motions = {motion.id: motion for motion in experiment.motions}
        self._variants = {_dump(variant.axes): variant for variant in experiment.variants}
        redact = self.context.redact
        self._slugs = {motion.id: slugify(redact(motion.topic)) or "debate" for motion in experiment.motions}
        self._hashes = {axes: _hash_variant(self.config, variant) for axes, variant in self._variants.items()}

    @property
    def fingerprint(self) -> str:
        """Hash of the whole plan. Plans with equal fingerprints have equal cells."""
        config = self.config
        chosen = (config.name, config.pairs(), config.sides, config.repeat, config.self_judging, self.experiment.mock)
        return _sha256([chosen, self._hashes, list(self._motions)])

    def cells(self) -> Iterator[Cell]:
        """Yield every cell once, one motion after the other."""
        for motion in self.experiment.motions:
            for axes, variant in self._variants.items():
                for pair in self.config.pairs():
                    for repeat in range(1, self.config.repeat + 1):
                        for order in self._orders(motion, pair, repeat):
                            yield self._cell(motion, variant, axes, order, repeat)

    def inputs_of(self, cell: Cell) -> CellInputs:
        """Return everything that is needed to run a cell. Raises KeyError for a cell of another plan."""
        variant, motion = self._variants[cell.axes], self._motions[cell.motion]
        players = {player.name: player for player in self.config.players}
        models = (variant.players[cell.first], variant.players[cell.second])
        pair = pair_debaters(players[cell.first], players[cell.second])
        if self.experiment.mock:
            pair = tuple(each.model_copy(update={"model": spec.model}) for each, spec in zip(pair, models, strict=True))
        seed = variant.context.config.seed
        changes = {
            "topic": motion.topic,
            "background": _background_of(motion, variant),
            "debaters": pair,
            "seed": seed if cell.repeat == 1 else (seed or 0) + cell.repeat - 1,
        }
        context = replace(variant.context, config=variant.context.config.model_copy(update=changes))
        settings = {judge.name: judge for judge in variant.judges}
        judges = {judge: settings[judge.name] for judge in cell.judges if judge.name is not None}
        return CellInputs(context, motion, judges, models)

    def describe_self_judging(self) -> list[str]:
        """Return a sentence for each judge whose own model speaks in some debates.

        The sentence says whether the judge judges these debates.
        """
        debates: dict[str, dict[str, None]] = {}
        for variant in self.experiment.variants:
            for pair in self.config.pairs():
                for judge in variant.judges:
                    if is_own_model(judge, variant, pair):
                        debates.setdefault(judge.name, {})[f"{pair[0]} against {pair[1]}"] = None
        if self.config.self_judging:
            verb, why = "judges", "although the judge's own model speaks in these debates (`self_judging: true`)"
        else:
            verb = "does not judge"
            why = "because the judge's own model speaks in these debates; to allow this, set `self_judging: true`"
        return [f"the judge {name} {verb} {', '.join(found)}, {why}" for name, found in debates.items()]

    def _cell(self, motion: Motion, variant: ConfigVariant, axes: str, pair: tuple[str, str], repeat: int) -> Cell:
        prints = self._hashes[axes]
        key = _sha256(
            [
                prints.debate,
                axes,
                motion.topic,
                _background_of(motion, variant),
                *(prints.players[name] for name in pair),
                repeat,
            ]
        )
        judges = tuple(
            prints.judges[judge.name]
            for judge in variant.judges
            if self.config.self_judging or not is_own_model(judge, variant, pair)
        )
        debate = f"{self._slugs[motion.id]}-{key[:_ID_KEY_CHARS]}"
        return Cell(key, motion.id, *pair, repeat, axes, debate, judges or (prints.base_judges,))

    def _orders(self, motion: Motion, pair: tuple[str, str], repeat: int) -> tuple[tuple[str, str], ...]:
        swapped = (pair[1], pair[0])
        if self.config.sides == "first" or pair == swapped:
            return (pair,)
        if self.config.sides == "both":
            return pair, swapped
        drawn = _sha256([self.context.config.seed, motion.id, sorted(pair), repeat])
        return (pair if (int(drawn[0], 16) % 2 == 0) == (pair[0] < pair[1]) else swapped,)


class _VariantHashes(NamedTuple):
    debate: str
    players: Mapping[str, str]
    judges: Mapping[str, CellJudge]
    base_judges: CellJudge


def _hash_variant(experiment: ExperimentConfig, variant: ConfigVariant) -> _VariantHashes:
    config, prompts = variant.context.config, variant.context.prompts
    for_judges = {name: text for name, text in prompts.items() if name.startswith(_JUDGE_PROMPT_PREFIX)}
    data = config.model_dump(mode="json", include={"seed", "format", "evidence"})
    data["judging"] = config.judging.question_settings().model_dump(mode="json")
    data["judges"] = [
        _spec_data(config.model_for_judge(judge_model_role(system, seat)))
        for system in config.judging.systems
        for seat in judge_ids(system)
    ]
    data["providers"] = {
        name: {key: getattr(spec, key) for key in _ANSWER_AFFECTING_FIELDS} for name, spec in config.providers.items()
    }
    if variant.context.corpus is not None:
        data["sources"] = variant.context.corpus.content_sha256
    judged = bool(config.judging.systems)
    data["prompts"] = {name: text for name, text in prompts.items() if judged or name not in for_judges}
    players = {
        player.name: _sha256(
            [player.model_dump(mode="json", exclude={"model"}), _spec_data(variant.players[player.name])]
        )
        for player in experiment.players
    }
    judges = {
        judge.name: _hash_judge([_spec_data(judge.spec), for_judges], judge.judging, judge.name)
        for judge in variant.judges
    }
    return _VariantHashes(_sha256(data), players, judges, _hash_judge([], config.judging, None))


def _hash_judge(asked: Sequence[object], judging: JudgingConfig, name: str | None) -> CellJudge:
    questions = [*asked, judging.question_settings().model_dump(mode="json")]
    return CellJudge(_sha256(questions), _sha256(judging.model_dump(mode="json")), name)


def _background_of(motion: Motion, variant: ConfigVariant) -> str | None:
    return motion.background or variant.context.config.background


def _spec_data(spec: ModelSpec | None) -> dict[str, Any] | None:
    return None if spec is None else spec.model_dump(mode="json", exclude={"price"})


def _dump(data: object) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _sha256(data: object) -> str:
    return hashlib.sha256(_dump(data).encode()).hexdigest()[:KEY_CHARS]
