"""The panel's form: a vote with its reasons, and what a judge is shown of the others before it votes again.

When a panel goes on deliberating, and what a verdict is made of, is decided in `scoring`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from debate_cli.domain.assessment import Mark, Vote, VoteOption
from debate_cli.domain.debate import Debate
from debate_cli.domain.systems import PERSONA_WEIGHTS, Panel, PanelJudge
from debate_cli.domain.value import concluded
from debate_cli.judging import schema
from debate_cli.judging.rows import PACKAGE, About, Case, Reading, Row, Tally, first_of_each, must_answer
from debate_cli.judging.transcript_view import literal, reported
from debate_cli.llm.form import Form, FormModel
from debate_cli.llm.template import Prompts
from debate_cli.scoring.ballots import Ballot, ballots_by_round, disagreements, explains_change

OPTIONS: tuple[VoteOption, ...] = ("PASS", "FAIL", "CONDITIONAL")
REASON_SHOWN = 300
"""Characters of a reason that the other judges see."""
NAMED_TURN = 'name the turn, as in "turn 3 concedes the cost"'
NAMED_PASSAGE = "name the passage of the document"
"""What changed a vote is to be found there."""
LOWEST, HIGHEST = 1, 3
"""Scale of a dimension."""


class DimensionForm(FormModel):
    """One dimension judged."""

    name: str
    value: int


class VoteForm(FormModel):
    """A vote and what it rests on."""

    reasoning: str
    dimensions: tuple[DimensionForm, ...]
    option: VoteOption
    confidence: float
    critical_findings: tuple[str, ...] = ()
    remediation_required: tuple[str, ...] = ()
    changed_because: str | None = None


def form(case: Case[Panel]) -> Form[VoteForm]:
    """Every configured dimension; `changed_because` from the second vote on."""
    return _form(case.settings.dimensions, again=case.brief.revision > 0)


@lru_cache(maxsize=64)
def _form(dimensions: tuple[str, ...], *, again: bool) -> Form[VoteForm]:
    value = schema.integer(LOWEST, HIGHEST)
    fields = {
        "reasoning": schema.text(240),
        "dimensions": schema.each([schema.obj(name=schema.const(name), value=value) for name in dimensions]),
        "option": schema.one_of(OPTIONS),
        "confidence": schema.number(0, 1),
        "critical_findings": schema.listed(schema.text(), 3),
        "remediation_required": schema.listed(schema.text(), 2),
    }
    if again:
        fields["changed_because"] = schema.text(least=0)
    model = must_answer(VoteForm, "dimensions", "name", dimensions)
    return Form(name="panel_vote", model=model, schema=schema.obj(**fields), lenient=True)


def fill(case: Case[Panel], prompts: Prompts) -> Mapping[str, str]:
    """The persona, the dimensions, what a vote means; from the second vote on also who voted how."""
    divided, votes = _votes_told(case.debate, case.brief.run, case.settings, case.brief.revision)
    return {
        "persona": persona(member(case), prompts),
        "dimensions": literal(case.settings.dimensions),
        "matter": "motion" if case.debate.participants else "document",
        "where": NAMED_TURN if case.debate.participants else NAMED_PASSAGE,
        "own_vote": votes.get(case.brief.assessor, literal(None)),
        "other_votes": "\n".join(told for judge, told in votes.items() if judge != case.brief.assessor),
        "divided": ", ".join(divided) or "nothing",
    }


def read(filled: VoteForm, case: Case[Panel]) -> Reading:
    """A mark per dimension, and the vote; a changed vote that names no turn is warned of."""
    tally = Tally()
    for entry in first_of_each(tally, filled.dimensions, lambda item: item.name, case.settings.dimensions):
        tally.mark(About(None, entry.name), entry.value, LOWEST, HIGHEST)
    confidence = min(1.0, max(0.0, filled.confidence))
    if confidence != filled.confidence:
        tally.warn(f"clamped: confidence {filled.confidence:g} is outside 0-1")
    because = (filled.changed_because or "").strip() or None
    before = last_votes(case).get(case.brief.assessor)
    changed = before is not None and before.option != filled.option
    if changed and not explains_change(because, case.debate):
        tally.warn("unexplained_change: the vote was changed without naming what changed it")
    tally.find(
        Vote(
            option=filled.option,
            confidence=confidence,
            critical_findings=filled.critical_findings,
            remediation_required=filled.remediation_required,
            changed_because=because if changed else None,
        )
    )
    return tally.reading(filled.reasoning)


def member(case: Case[Panel]) -> PanelJudge:
    """The judge that the brief is for."""
    return next(judge for judge in case.settings.bench if judge.id == case.brief.assessor)


def persona(judge: PanelJudge, prompts: Prompts) -> str:
    """From where this judge looks: the user's own words, else the shipped ones."""
    if judge.description is not None:
        return reported(judge.description)
    if judge.persona in PERSONA_WEIGHTS:
        return prompts.render(PACKAGE, f"persona_{judge.persona}")
    return f"You judge as {literal(judge.persona.replace('_', ' '))}, with that profession's eye for what matters."


def last_votes(case: Case[Panel]) -> dict[str, Ballot]:
    """Per judge in the order of the bench, the vote that counted in the revision before the brief's."""
    return {ballot.judge: ballot for ballot in _before(case.debate, case.brief.run, case.settings, case.brief.revision)}


def _before(debate: Debate, run: str, settings: Panel, revision: int) -> tuple[Ballot, ...]:
    rounds = ballots_by_round(debate, run, settings)
    earlier = [number for number in rounds if number < revision]
    return rounds[max(earlier)] if earlier else ()


@concluded
def _votes_told(debate: Debate, run: str, settings: Panel, revision: int) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """What divides the panel before a revision, and per judge its vote as the others see it: the same for all who ask."""
    ballots = _before(debate, run, settings, revision)
    divided = tuple(item.about for item in disagreements(ballots))
    return divided, {ballot.judge: literal(_told(ballot, divided)) for ballot in ballots}


def kept_vote(case: Case[Panel]) -> Reading | None:
    """The last vote of a judge who is late, marked so; None where it has none."""
    last = last_votes(case).get(case.brief.assessor)
    if last is None:
        return None
    return Reading(
        marks=tuple(
            Mark(participant=None, criterion=name, value=value, out_of=HIGHEST)
            for name, value in last.dimensions.items()
        ),
        findings=(last.vote.model_copy(update={"late": True, "changed_because": None}),),
        rationale=last.rationale,
        warnings=("late: the judge did not answer in time, its last vote stands",),
    )


def _told(ballot: Ballot, divided: Sequence[str]) -> dict[str, object]:
    """A vote as judges see it: the reason cut short; on a dimension that divides them, the finding that names it."""
    findings = ballot.vote.critical_findings
    dimensions: list[dict[str, object]] = []
    for name, value in ballot.dimensions.items():
        naming = [text for text in findings if name in divided and name.casefold() in text.casefold()]
        dimensions.append({"name": name, "value": value, **({"finding": naming[0]} if naming else {})})
    return {
        "judge": ballot.judge,
        "vote": ballot.option,
        "confidence": ballot.vote.confidence,
        "reason": ballot.rationale[:REASON_SHOWN],
        "dimensions": dimensions,
    }


VOTE = Row(purpose="judge.panel.vote", prompt="judge_panel_vote", fill=fill, form=form, read=read)
DELIBERATION = Row(purpose="judge.panel.vote", prompt="judge_panel_deliberation", fill=fill, form=form, read=read)
