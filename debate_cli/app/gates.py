"""Gates: conditions on a judged debate. A gate that is not met sets the exit code. Pure functions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError, format_page_hint
from debate_cli.judging.schedule import missing_briefs
from debate_cli.systems.registry import get_system, system_kinds
from debate_cli.systems.scoring import deciding_verdicts

NO_WINNER_OUTCOMES = frozenset({"draw", "conditional"})
"""Outcomes that `--expect-winner` accepts for a debate, besides the names of the debaters."""
FAIL_ON_CONDITIONS = ("manipulation", "missing")
"""Values of `--fail-on`."""


class GateResult(NamedTuple):
    """Result of one gate."""

    gate: str
    """The option that requested the gate, e.g. `--fail-under`."""
    problem: str | None
    """A sentence on why the gate is not met; None if it is met."""


class Gates(NamedTuple):
    """The requested gates. A field that is None or empty requests no gate."""

    min_score_debater: str | None = None
    """Debater, or outcome such as `PASS`, that must reach `min_score`. None: for a debate, the debater with the
    highest score; for a text, the best outcome of the judging system."""
    min_score: float | None = None
    expected_winner: str | None = None
    """Required winner: a debater's name, `draw` or `conditional`. For a text: an outcome such as `PASS`."""
    max_warnings: int | None = None
    """Maximum number of warnings in all turns and assessments together."""
    fail_on: tuple[str, ...] = ()
    """What must not occur, as names from `FAIL_ON_CONDITIONS`."""

    def require_names(self, names: Collection[str], systems: Iterable[str], where: str = "") -> None:
        """Raise UsageError for a gate with an unknown name, or with a score that no outcome of a vote can have.

        - `names`: the debaters. Empty for a text.
        - `systems`: kinds of the judging systems.
        - `where`: start of the error message, e.g. `a.json: `.

        For a text, every name is allowed if none of the judging systems has a list of outcomes.
        """
        voting = [system for system in map(get_system, systems) if system.options]
        if not names and not voting:
            return
        known = "; ".join(f"the outcomes of {system.kind} are {', '.join(system.options)}" for system in voting)
        if names:
            known = f"the debaters are {', '.join(map(_printable_name, names))}"
        options = {option for system in voting for option in system.options}
        name = self.min_score_debater
        if name is not None and name not in (*names, *options) and not (names and _is_outcome(name)):
            raise UsageError(f"{where}--fail-under {_printable_name(name)}=...: there is no such name; {known}")
        scored = [system for system in voting if name is None or name in system.options]
        is_option = name not in names if name is not None else not names
        score = self.min_score
        if (
            is_option
            and scored
            and score is not None
            and not any(0 <= score <= system.max_option_score for system in scored)
        ):
            shown = f"{name}=" if name is not None else ""
            scales = " and ".join(
                f"{system.kind} gives scores from 0 to {system.max_option_score:g}" for system in scored
            )
            raise UsageError(f"{where}--fail-under {shown}{score:.12g}: {scales}; give a number in this range")
        winner = self.expected_winner
        if winner is not None and winner not in (*names, *(NO_WINNER_OUTCOMES if names else options)):
            more = " (or expect draw)" if names else ""
            raise UsageError(f"{where}--expect-winner {_printable_name(winner)}: there is no such name; {known}{more}")

    def failure_messages(self, debate: Debate, verdicts: Sequence[Verdict]) -> list[str]:
        """Return a sentence for each gate that is not met. If the verdict is undetermined, no gate is met."""
        return [result.problem for result in self.evaluate(debate, verdicts) if result.problem is not None]

    def evaluate(self, debate: Debate, verdicts: Sequence[Verdict]) -> list[GateResult]:
        """Return the result of each requested gate. If several verdicts decide together, each must meet the gate."""
        deciding = deciding_verdicts(debate, verdicts) or (None,)
        results: dict[str, str | None] = {}
        for verdict in deciding:
            run = f" (judging run {verdict.run})" if verdict is not None and len(deciding) > 1 else ""
            for gate, problem in self._check(debate, verdicts, verdict):
                results[gate] = results.get(gate) or (problem and f"{problem}{run}")
        return [GateResult(gate, problem) for gate, problem in results.items()]

    def _check(
        self, debate: Debate, verdicts: Sequence[Verdict], verdict: Verdict | None
    ) -> Iterator[tuple[str, str | None]]:
        name = self.min_score_debater
        if name is None and verdict is not None and debate.document_name is not None:
            name = next(iter(get_system(verdict.system).options), None)
        if verdict is not None and verdict.victory == "undetermined":
            verdict = None
        undetermined = "the verdict is undetermined" if verdict is None else None
        if self.min_score is not None:
            yield "--fail-under", _check_score(name, self.min_score, verdict)
        if self.expected_winner is not None:
            yield "--expect-winner", _check_winner(self.expected_winner, verdict)
        if self.max_warnings is not None:
            count = sum(len(item.warnings) for item in (*debate.turns, *debate.assessments))
            too_many = f"{count} warnings, more than {self.max_warnings}" if count > self.max_warnings else None
            problem = undetermined or too_many
            yield "--max-warnings", problem and f"--max-warnings: {problem}"
        for condition in self.fail_on:
            find = _find_manipulation if condition == "manipulation" else _find_missing
            problem = undetermined or find(debate, verdicts)
            yield f"--fail-on {condition}", problem and f"--fail-on: {problem}"


def _check_score(name: str | None, least: float, verdict: Verdict | None) -> str | None:
    shown = name or "the higher score"
    if verdict is None:
        return f"--fail-under: the verdict is undetermined, so {shown} cannot reach {least:.12g}"
    scores = {**verdict.option_scores, **verdict.scores}
    score = scores.get(name) if name is not None else max(verdict.scores.values(), default=None)
    if score is None:
        return f"--fail-under: {shown} has no score in the verdict of {verdict.system}"
    if score >= least:
        return None
    lower, higher = f"{score:.2f}", f"{least:.12g}"
    if float(lower) >= float(higher):
        lower, higher = repr(score), repr(least)
    return f"--fail-under: {shown} has {lower} in the verdict of {verdict.system}, below {higher}"


def _check_winner(expected: str, verdict: Verdict | None) -> str | None:
    if verdict is None:
        return f"--expect-winner: expected {expected}, but the verdict is undetermined"
    if expected in {verdict.outcome, verdict.winner or verdict.victory}:
        return None
    outcome = _printable_name(verdict.outcome)
    return f"--expect-winner: expected {expected}, but the verdict of {verdict.system} is {outcome}"


def _is_outcome(name: str) -> bool:
    return any(name in get_system(kind).options for kind in system_kinds())


def _printable_name(name: str) -> str:
    return name if name.isprintable() else ascii(name)


def _find_manipulation(debate: Debate, _verdicts: Sequence[Verdict]) -> str | None:
    found = {
        (finding.participant, finding.quote, finding.technique)
        if isinstance(finding, Manipulation)
        else finding.model_dump_json()
        for assessment in debate.assessments
        for finding in assessment.findings
        if finding.kind == "manipulation"
    }
    hint = format_page_hint("manipulation")
    return f"{len(found)} finding{'' if len(found) == 1 else 's'} of manipulation{hint}" if found else None


def _find_missing(debate: Debate, verdicts: Sequence[Verdict]) -> str | None:
    if debate.status == "incomplete":
        return "the debate is unfinished, so judgements are missing"
    runs = [(verdict.system, debate.run(verdict.run)) for verdict in verdicts]
    complete = {system for system, run in runs if debate.judged_all_turns(run, system)}
    for system, run in runs:
        if system not in complete:
            return f"{system} {run.id} judged only {run.heard} of the {len(debate.turns)} speeches"
    count = len(missing_briefs(debate, verdicts))
    return f"{count} judgement{' is' if count == 1 else 's are'} missing" if count else None
