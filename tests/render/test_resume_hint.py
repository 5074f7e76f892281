"""The commands after a run that failed, or whose judgements are missing."""

from itertools import permutations
from typing import Literal

import pytest
from scoring_support import CON, EXCHANGE, PRO, build_debate, opening, opening_event, speech

from debate_cli.app.remedies import EndedCommand, Remedy, find_judging_remedy, required_change, resume_options
from debate_cli.domain.config import ModelSpec
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import Failure
from debate_cli.domain.tasks import Brief, Cue
from debate_cli.llm.truncation import LIMIT_REACHED
from debate_cli.render.content.resume_hint import MissingJudgements, halt_lines
from debate_cli.systems.base import WHOLE_DEBATE
from debate_cli.systems.panel.settings import PanelSettings

SAVED, UNSAVED = EndedCommand("one.json"), EndedCommand(None)
RESUME = "debate run --resume one.json"
SHORTER = f"{RESUME} --set format.history=recent"
OTHER_MODEL = f"{RESUME} --set models.default.model=PROVIDER/MODEL"
OPENED = opening_event(PanelSettings())
FULL_HISTORY = OPENED.config.model_copy(update={"format": OPENED.config.format.model_copy(update={"history": "full"})})
LONG = build_debate(
    OPENED.model_copy(update={"config": FULL_HISTORY}),
    [opening(0, PRO, "PRO-1"), opening(1, CON, "CON-1"), *(speech(at, (PRO, CON)[at % 2]) for at in range(2, 12))],
)
SHORT = build_debate(OPENED, [speech(0, PRO)])
JUDGES = ("technical_architect", "compliance_auditor", "security_analyst")


def missing(debate: Debate, causes: tuple[str | None, ...]) -> MissingJudgements:
    """A judgement is missing for each cause; None stands for a judge who was not asked."""
    briefs = tuple(
        Brief(run="r1", system="panel", assessor=judge, subject=WHOLE_DEBATE)
        for judge, _ in zip(JUDGES, causes, strict=False)
    )
    failures = tuple(
        Failure(task=brief, who=brief.assessor, cause=cause, message="it failed", final=cause == "abstained")
        for brief, cause in zip(briefs, causes, strict=True)
        if cause is not None
    )
    return MissingJudgements(debate.model_copy(update={"failures": failures}), briefs)


def remedy(hint: MissingJudgements, ended: EndedCommand) -> Remedy:
    """What brings the missing judgements."""
    return find_judging_remedy(hint.debate, hint.briefs, ended)


def commands(found: Remedy, action: str) -> list[str]:
    """The commands with this action, also after a change that the user makes first."""
    return [command.text for command in found.commands if command.action.removeprefix("then ") == action]


@pytest.mark.parametrize("cause", [None, "ServerError", "BudgetError"])
def test_a_batch_in_progress_leaves_only_its_collection(cause: str | None) -> None:
    """Other models are refused meanwhile, and also while a paid answer is not used."""
    hint = missing(LONG, (cause, cause))
    pending, unused = (remedy(hint, SAVED._replace(batch=state)) for state in ("pending", "unused"))
    assert [pending.condition, *pending.commands] == [
        "a batch is in progress",
        ("collect the answers", "debate judge --collect one.json"),
    ]
    assert unused.commands == (("ask again", "debate judge --collect one.json --batch"),)
    assert ("not asked yet" in next(hint.lines(SAVED))) == (cause is None)
    assert "not asked yet" not in next(hint.lines(SAVED._replace(batch="pending")))


@pytest.mark.parametrize("ended", [SAVED, UNSAVED])
@pytest.mark.parametrize("halted", ["budget", "failed"])
def test_a_stop_without_a_failure_has_a_command(ended: EndedCommand, halted: Literal["budget", "failed"]) -> None:
    """No failure of the debate explains the stop, so the debate is continued without a change."""
    lines = list(halt_lines(SHORT, halted, ended))
    assert lines == (
        ["debate: stopped; resume with:", RESUME]
        if ended is SAVED
        else ["debate: stopped; start it again with the same command"]
    )


@pytest.mark.parametrize(
    ("debate", "causes", "again", "unsaved", "batch"),
    [
        (LONG, (None,), RESUME, True, True),
        (LONG, ("RateLimitedError",), RESUME, True, True),
        (LONG, ("UnauthorizedError",), RESUME, True, True),  # a resume helps once the key is replaced
        (LONG, ("UnauthorizedError", "ServerError"), RESUME, True, True),
        (LONG, ("RejectedError",), OTHER_MODEL, False, False),
        (LONG, ("abstained",), "", False, False),
        (LONG, ("abstained", "ServerError"), RESUME, True, True),
        (LONG, ("RejectedError", "RateLimitedError"), RESUME, True, True),
        (LONG, ("RejectedError", None), RESUME, True, True),
        (LONG, ("RejectedError", "RejectedError"), OTHER_MODEL, False, False),
        (LONG, ("RejectedError", "abstained"), OTHER_MODEL, False, False),
        (LONG, ("ContextOverflowError",), SHORTER, False, False),
        (SHORT, ("ContextOverflowError",), OTHER_MODEL, False, False),  # nothing can be left out
        (LONG, ("RejectedError", "ContextOverflowError"), SHORTER, False, False),
        (LONG, ("RejectedError", "ContextOverflowError", "ModelTimeoutError"), RESUME, True, True),
    ],
)  # fmt: skip
def test_the_first_command_makes_the_smallest_change_that_may_help(
    debate: Debate, causes: tuple[str | None, ...], again: str, unsaved: bool, batch: bool
) -> None:
    """No change, else shorter prompts, else another model; empty after abstentions; the same in any order of causes."""
    for order in permutations(causes):
        hint = missing(debate, order)
        assert commands(remedy(hint, SAVED), "ask again") == ([again] if again else [])
        assert commands(remedy(hint, UNSAVED), "ask again") == (["the same command"] if unsaved else [])
        in_batch = remedy(hint, SAVED._replace(batch="unfinished"))
        assert commands(in_batch, "ask again") == (["debate judge --collect one.json --batch"] if batch else [])


def test_abstentions_of_several_judges_are_one_reason() -> None:
    """The message of an abstention begins with the judge's name, which does not make it another reason."""
    hint = missing(SHORT, ("abstained", "abstained"))
    failures = tuple(
        failure.model_copy(update={"message": f"the panel judge {failure.who} abstained: no usable answer"})
        for failure in hint.debate.failures
    )
    reason, _ = hint._replace(debate=hint.debate.model_copy(update={"failures": failures})).lines(SAVED)
    assert "of them" not in reason


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        (("lab/m", "lab/m"), "--set debaters.0.model=PROVIDER/MODEL --set debaters.1.model=PROVIDER/MODEL"),
        (("lab/m", "lab/other"), "--set debaters.0.model=PROVIDER/MODEL"),
        ((None, "lab/other"), "--set models.default.model=PROVIDER/MODEL"),
    ],
    ids=["both", "one", "default"],
)
@pytest.mark.parametrize("cause", ["UnknownModelError", "RefusedError"])
def test_a_model_is_replaced_wherever_it_is_used(models: tuple[str | None, str], expected: str, cause: str) -> None:
    """One command suffices, although only one speech has failed so far. A refusal is likely to be repeated too."""
    config = OPENED.config
    debaters = tuple(
        debater.model_copy(update={"model": model}) for debater, model in zip(config.debaters, models, strict=True)
    )
    debate = build_debate(OPENED.model_copy(update={"config": config.model_copy(update={"debaters": debaters})}))
    cue = Cue(index=0, round=1, phase="opening", speaker=PRO)
    failure = Failure(task=cue, who=PRO, cause=cause, message="it failed", final=False)
    assert expected in resume_options(debate, failure)


@pytest.mark.parametrize(
    ("models", "longer"),
    [
        ((None, "lab/m"), "--set models.default.max_output_tokens=16384"),
        (
            ("a; rm x", "lab/m"),
            """--set 'models.a-rm-x={"model": "lab/m", "max_output_tokens": 16384}' --set debaters.0.model=a-rm-x""",
        ),
        (
            ("lab/m", "lab/m"),
            (
                """--set 'models.lab-m={"model": "lab/m", "max_output_tokens": 16384}'"""
                " --set debaters.0.model=lab-m --set debaters.1.model=lab-m"
            ),
        ),
    ],
    ids=["models.default", "a name for a shell", "a model"],
)
@pytest.mark.parametrize("finish_reason", ["length", "stop"])
def test_a_speech_that_was_cut_off_needs_a_higher_limit(
    models: tuple[str | None, str], longer: str, finish_reason: str
) -> None:
    """Only the limit of the debaters' model is raised, or another model is named; other abstentions are just repeated."""
    config = OPENED.config
    debaters = tuple(
        debater.model_copy(update={"model": model}) for debater, model in zip(config.debaters, models, strict=True)
    )
    named = {**config.models, "a; rm x": ModelSpec(model="lab/m")}
    config = config.model_copy(update={"debaters": debaters, "models": named})
    debate = build_debate(OPENED.model_copy(update={"config": config}))
    failure = Failure(
        task=Cue(index=0, round=1, phase="opening", speaker=PRO),
        who=PRO,
        cause="abstained",
        message=f"m gave no answer: {LIMIT_REACHED}",
        final=False,
        exchange=EXCHANGE.model_copy(update={"finish_reason": finish_reason}),
    )
    found = resume_options(debate, failure)
    assert found[0] == (longer if finish_reason == "length" else "")
    assert len(found) == (2 if finish_reason == "length" else 1)


@pytest.mark.parametrize(("cause", "is_repeated"), [("ContextOverflowError", True), ("ServerError", False)])
def test_a_failure_that_a_resume_would_repeat_needs_a_change(cause: str, is_repeated: bool) -> None:
    """A context that is too long stays too long; a server may recover."""
    (failure,) = missing(SHORT, (cause,)).debate.failures
    assert bool(required_change(failure)) == is_repeated


@pytest.mark.parametrize("ended", [SAVED, UNSAVED])
@pytest.mark.parametrize(
    ("cause", "clause"),
    [
        (
            "UnauthorizedError",
            "every request fails until the server accepts the key or you choose another model; then ask again with",
        ),
        ("RejectedError", "the same request is likely to fail again; choose another model; ask "),
        ("ServerError", "it failed (debate explain server-down); ask again with"),
    ],
)
def test_the_line_before_the_first_command_says_what_must_change(cause: str, clause: str, ended: EndedCommand) -> None:
    """The command fails again without this change."""
    assert clause in next(missing(SHORT, (cause,)).lines(ended))


def test_sources_are_named_only_to_the_command_that_runs_the_debate() -> None:
    """`debate judge` refuses them if no judging system looks up facts."""
    ended = EndedCommand("one.json", run_options="--evidence sources")
    again, other = remedy(missing(SHORT, ("ServerError",)), ended).commands
    assert again.text == "debate run --resume one.json --evidence sources"
    assert other.text.startswith("debate judge one.json ")
    assert "--evidence" not in other.text
