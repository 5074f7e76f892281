"""The question of the persuasion judge: the effect of one turn on every other debater."""

from collections.abc import Mapping

from debate_cli.judge_input.transcript_prompt import to_prompt_json
from debate_cli.llm.form import Form, FormModel, share, text
from debate_cli.llm.prompts import Prompts
from debate_cli.systems.base import AssessmentContent, JudgeQuestion, JudgingContext
from debate_cli.systems.form_reading import MarkCollector, judge_form, unique_known_items
from debate_cli.systems.persuasion.effects import RATED_CRITERIA
from debate_cli.systems.persuasion.settings import PersuasionSettings


class EffectForm(FormModel):
    """The judge's rating of the turn's effect on one debater. Each number is 0-1."""

    participant: str
    reasoning: str = text(100)
    persuasion: float = share()
    attack: float = share()
    evidence: float = share()


class EffectsForm(FormModel):
    """The judge's ratings of the turn's effects on all other debaters."""

    targets: tuple[EffectForm, ...]


def _effect_targets(context: JudgingContext[PersuasionSettings]) -> tuple[str, ...]:
    (turn,) = context.judged_turns
    return tuple(name for name in context.debater_names if name != turn.speaker)


def _build_effects_form(context: JudgingContext[PersuasionSettings]) -> Form[EffectsForm]:
    return judge_form("persuasion_effects", EffectsForm, {"targets": ("participant", _effect_targets(context))})


def _effects_prompt_values(context: JudgingContext[PersuasionSettings], _prompts: Prompts) -> Mapping[str, str]:
    (turn,) = context.judged_turns
    return {
        "turn": str(turn.index),
        "speaker": to_prompt_json(turn.speaker),
        "targets": to_prompt_json(_effect_targets(context)),
    }


def _read_effects_form(filled: EffectsForm, context: JudgingContext[PersuasionSettings]) -> AssessmentContent:
    collector = MarkCollector()
    for entry in unique_known_items(collector, filled.targets, lambda item: item.participant, _effect_targets(context)):
        for effect in RATED_CRITERIA:
            reason = entry.reasoning if effect == RATED_CRITERIA[0] else None
            collector.add_mark(entry.participant, effect, getattr(entry, effect), (0, 1), reason=reason)
    return collector.result()


EFFECTS_QUESTION = JudgeQuestion(
    "judge.persuasion.effects",
    "judge_persuasion_effects",
    _effects_prompt_values,
    _build_effects_form,
    _read_effects_form,
)
