"""New limits for a debate that its budget stopped."""

from typing import Any

from rehearsal_support import config_of, run_debate

from debate_cli.app.estimate import MAX_ESTIMATED_CALLS
from debate_cli.app.new_limits import estimate_new_limits
from debate_cli.domain.config import Limits
from debate_cli.domain.debate import Debate
from debate_cli.domain.events import JudgingOpened, TaskFailed
from debate_cli.domain.judging_config import JudgingConfig
from debate_cli.domain.turn import Turn
from debate_cli.judging.schedule import missing_briefs


def stopped(**fields: Any) -> Debate:
    """A debate that stopped after some speeches. `fields`: settings that replace those of the stopped debate."""
    debate = run_debate(config_of(limits=Limits(max_tokens=9000)))
    assert debate.turns
    return debate.model_copy(update={"config": debate.config.model_copy(update=fields)})


def tokens(debate: Debate) -> int:
    """The new limit in tokens, the only one."""
    limits = estimate_new_limits(debate)
    assert limits.keys() == {"limits.max_tokens"}
    return int(limits["limits.max_tokens"])


def test_a_limit_in_money_needs_prices() -> None:
    """Without a price, the limit in tokens can still be estimated."""
    limits = Limits(max_tokens=9000, max_cost_usd=1e-9)
    lab = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"}
    for price, known in (({}, set[str]()), ({"price": {"input": 1, "output": 2}}, {"limits.max_cost_usd"})):
        other = config_of(providers={"lab": lab | price}, models={"default": {"model": "lab/m"}}, limits=limits)
        debate = stopped(providers=other.providers, models=other.models, limits=limits)
        assert estimate_new_limits(debate).keys() == {"limits.max_tokens"} | known


def test_long_answers_so_far_raise_the_estimate() -> None:
    """The mock writes less than a model that reasons; the rest is assumed to be as long as the answers so far."""
    debate = stopped()

    def lengthen(turn: Turn) -> Turn:
        usage = turn.exchange.usage.model_copy(update={"output_tokens": 4000})
        return turn.model_copy(update={"exchange": turn.exchange.model_copy(update={"usage": usage})})

    longer = debate.model_copy(update={"turns": tuple(map(lengthen, debate.turns))})
    assert tokens(longer) > tokens(debate) + 4000 * 5  # two speeches and three answers of the rest


def test_a_long_rest_is_not_estimated() -> None:
    """It would take too long, so the commands have placeholders."""
    assert not estimate_new_limits(stopped(format=config_of(format={"rounds": 60}).format))


def test_many_missing_judgements_are_not_estimated() -> None:
    """Those of a judging run that was added to a long debate would take as long."""
    debate = run_debate(config_of(format={"kind": "free_flowing", "turns": 32}))
    live = JudgingConfig.model_validate({"systems": ["live"]})
    opened = debate.apply(JudgingOpened(at=debate.started_at, run="r2", judging=live))
    refused = stopped().failures[0].model_copy(update={"task": missing_briefs(opened)[0]})
    halted = opened.apply(TaskFailed(at=debate.started_at, failure=refused))
    assert len(missing_briefs(halted)) > MAX_ESTIMATED_CALLS
    assert not estimate_new_limits(halted)
