"""The persuasion judge's form: what one turn did to every other debater. Keywords and factors need no model."""

from __future__ import annotations

from collections.abc import Mapping

from debate_cli.domain.systems import Persuasion
from debate_cli.judging import schema
from debate_cli.judging.rows import About, Case, Reading, Row, Tally, first_of_each, must_answer
from debate_cli.judging.transcript_view import literal
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.template import Prompts
from debate_cli.scoring.effects import RATED


class EffectForm(FormModel):
    """What the turn did to one debater."""

    participant: str
    reasoning: str
    persuasion: float
    attack: float
    evidence: float


class EffectsForm(FormModel):
    """What the turn did to all of them."""

    targets: tuple[EffectForm, ...]


def targets(case: Case[Persuasion]) -> tuple[str, ...]:
    """All debaters but the speaker."""
    (turn,) = case.judged
    return tuple(name for name in case.names if name != turn.speaker)


def form(case: Case[Persuasion]) -> Form[EffectsForm]:
    """Every target."""
    effects = dict.fromkeys(RATED, schema.number(0, 1))
    rated = [
        schema.obj(participant=schema.const(name), reasoning=schema.text(100), **effects) for name in targets(case)
    ]
    model = must_answer(EffectsForm, "targets", "participant", targets(case))
    return Form(name="persuasion_effects", model=model, schema=schema.obj(targets=schema.each(rated)), lenient=True)


def fill(case: Case[Persuasion], _prompts: Prompts) -> Mapping[str, str]:
    """The turn, its speaker and the targets."""
    (turn,) = case.judged
    return {"turn": str(turn.index), "speaker": literal(turn.speaker), "targets": literal(targets(case))}


def read(filled: EffectsForm, case: Case[Persuasion]) -> Reading:
    """Three marks on each target, the reason on the first of them."""
    tally = Tally()
    for entry in first_of_each(tally, filled.targets, lambda item: item.participant, targets(case)):
        for effect in RATED:
            reason = entry.reasoning if effect == RATED[0] else None
            tally.mark(About(entry.participant, effect, reason=reason), getattr(entry, effect), 0, 1)
    return tally.reading()


ROW = Row(purpose="judge.persuasion.effects", prompt="judge_persuasion_effects", fill=fill, form=form, read=read)
