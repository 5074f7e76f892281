"""Gates: conditions on a judged debate. The exit code of an unmet gate is in `errors.py`. Pure functions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.message_text import describe_missing
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError, format_page_hint
from debate_cli.systems.base import JudgingSystem
from debate_cli.systems.registry import get_system, is_installed, system_kinds
from debate_cli.systems.scoring import deciding_verdicts

NO_WINNER_OUTCOMES = ("draw", "conditional")
"""Outcomes that `--expect-winner` accepts for every debate, besides the names of the debaters."""
FAIL_ON_CONDITIONS = ("manipulation", "missing")
"""Values of `--fail-on`."""
_NO_SUCH_NAME = "there is no such name"


class GateResult(NamedTuple):
    """Result of one gate."""

    gate: str
    """The option that requested the gate, e.g. `--fail-under`."""
    problem: str | None
    """A sentence on why the gate is not met; None if it is met."""


class Gates(NamedTuple):
    """Conditions that a judged debate must meet, from options. A field that is None or empty sets no condition."""

    min_score_debater: str | None = None
    """Debater, or outcome such as `PASS`, that must reach `min_score`. None: for a debate, the debater with the
    highest score; for a judged document, the most favourable outcome of the judging system."""
    min_score: float | None = None
    expected_winner: str | None = None
    """Required outcome. Possible values:

    - A debater's name, `draw` or `conditional`, if a debate was judged.
    - An outcome such as `PASS`, if the judges voted. Judges can vote on a debate or on a document.
    """
    max_warnings: int | None = None
    """Maximum number of warnings in all turns and assessments together."""
    fail_on: tuple[str, ...] = ()
    """Conditions that must not occur, from `FAIL_ON_CONDITIONS`."""

    def require_names(
        self, names: Collection[str], deciding: Iterable[str], where: str = "", *, is_one_of_many: bool = False
    ) -> None:
        """Raise UsageError for a gate that can never be met.

        Examples: an unknown debater, an outcome that the deciding systems do not have, a score outside their scale.

        - `names`: the debaters. Empty if a document was judged.
        - `deciding`: kinds of the judging systems that decide. If these systems have no fixed outcomes such as `PASS`,
          the outcome in a gate on a document is not checked.
        - `where`: start of the error message, e.g. `a.json: `.
        - `is_one_of_many`: whether the gates also apply to other files. If True, the outcomes of all systems are
          allowed, because another system may decide another file.
        """
        if self.min_score is None and self.expected_winner is None:
            return
        systems = [get_system(kind) for kind in dict.fromkeys(deciding)]
        voting = [system for system in systems if system.options and (system.options_in_debates or not names)]
        problem = None
        if names or voting:
            others = [option for kind in system_kinds() for option in get_system(kind).options]
            allowed = others if is_one_of_many else []
            if not all(is_installed(system.kind) for system in systems):  # only the stored verdict names its outcomes
                allowed = [*others, *filter(None, (self.min_score_debater, self.expected_winner))]
            deciders = " and ".join(system.kind for system in systems)

            def explain(name: str | None, what: str) -> str:
                is_known = bool(deciders) and name in others
                return f"the verdict of {deciders} has no such {what}" if is_known else _NO_SUCH_NAME

            why = explain(self.min_score_debater, "score")
            problem = self._check_score_name(names, voting, allowed, why)
            why = explain(self.expected_winner, "outcome")
            problem = problem or self._check_winner_name(names, voting, allowed, why)
        elif self.min_score is not None and self.min_score_debater is None and not is_one_of_many:
            absent = [system.kind for system in systems if not is_installed(system.kind)]
            problem = _describe_unknown_best(self.min_score, absent[0]) if absent else None
        if problem is not None:
            raise UsageError(f"{where}{problem}")

    def _check_score_name(
        self, names: Collection[str], voting: Sequence[JudgingSystem[Any]], allowed: Collection[str], why: str
    ) -> str | None:
        name, score = self.min_score_debater, self.min_score
        if score is None or name in names or (name is None and names):
            return None
        shown = "" if name is None else f"{_printable_name(name)}="
        scored = [system for system in voting if name is None or name in system.options]
        if not scored:
            known = "; ".join([*([_describe_debaters(names)] if names else []), *_describe_options(voting)])
            return None if name in allowed else f"--fail-under {shown}...: {why}; {known}"
        if any(0 <= score <= system.max_option_score for system in scored):
            return None
        scales = " and ".join(f"{system.kind} gives scores from 0 to {system.max_option_score:g}" for system in scored)
        return f"--fail-under {shown}{score:.12g}: {scales}; give a number in this range"

    def _check_winner_name(
        self, names: Collection[str], voting: Sequence[JudgingSystem[Any]], allowed: Collection[str], why: str
    ) -> str | None:
        winner = self.expected_winner
        options = [option for system in voting for option in system.options]
        if winner is None or winner in (*names, *(NO_WINNER_OUTCOMES if names else ()), *options, *allowed):
            return None
        known = [_describe_debaters(names), *_describe_options(voting)] if names else _describe_options(voting)
        known += [f"other outcomes are {' and '.join(NO_WINNER_OUTCOMES)}"] if names else []
        return f"--expect-winner {_printable_name(winner)}: {why}; {'; '.join(known)}"

    def failure_messages(self, debate: Debate, verdicts: Sequence[Verdict], missing: int = 0) -> list[str]:
        """Return a sentence for each gate that is not met. If the verdict is undetermined, no gate is met.

        `missing`: number of missing judgements.
        """
        return [result.problem for result in self.evaluate(debate, verdicts, missing) if result.problem is not None]

    def evaluate(self, debate: Debate, verdicts: Sequence[Verdict], missing: int = 0) -> list[GateResult]:
        """Return the result of each requested gate. If several verdicts decide together, each must meet the gate.

        `missing`: number of missing judgements.
        """
        deciding = deciding_verdicts(debate, verdicts) or (None,)
        results: dict[str, str | None] = {}
        for verdict in deciding:
            run = f" (judging run {verdict.run})" if verdict is not None and len(deciding) > 1 else ""
            for gate, problem in self._check(debate, verdicts, verdict, missing):
                results[gate] = results.get(gate) or (problem and f"{problem}{run}")
        return [GateResult(gate, problem) for gate, problem in results.items()]

    def _check(
        self, debate: Debate, verdicts: Sequence[Verdict], verdict: Verdict | None, missing: int
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
            yield "--expect-winner", _check_winner(self.expected_winner, verdict, debate)
        if self.max_warnings is not None:
            count = sum(len(item.warnings) for item in (*debate.turns, *debate.assessments))
            too_many = f"{count} warnings, more than {self.max_warnings}" if count > self.max_warnings else None
            problem = undetermined or too_many
            yield "--max-warnings", problem and f"--max-warnings: {problem}"
        for condition in self.fail_on:
            is_manipulation = condition == "manipulation"
            found = _find_manipulation(debate) if is_manipulation else _find_missing(debate, verdicts, missing)
            problem = undetermined or found
            yield f"--fail-on {condition}", problem and f"--fail-on: {problem}"


def _check_score(name: str | None, least: float, verdict: Verdict | None) -> str | None:
    shown = f"the score of {name}" if name is not None else "the highest score"
    if verdict is None:
        return f"--fail-under: the verdict is undetermined, so {shown} cannot reach {least:.12g}"
    scores = {**verdict.option_scores, **verdict.scores}
    score = scores.get(name) if name is not None else max(verdict.scores.values(), default=None)
    if score is None and name is None and not is_installed(verdict.system):
        return _describe_unknown_best(least, verdict.system)
    if score is None:
        scored = ", ".join(map(_printable_name, scores))
        known = f"it has scores for {scored}" if scored else "it has no scores"
        return f"--fail-under: the verdict of {verdict.system} has no score for {name or 'a debater'}; {known}"
    if score >= least:
        return None
    lower, higher = f"{score:.2f}", f"{least:.12g}"
    if float(lower) >= float(higher):
        lower, higher = repr(score), repr(least)
    return f"--fail-under: {shown} in the verdict of {verdict.system} is {lower}, below {higher}"


def _check_winner(expected: str, verdict: Verdict | None, debate: Debate) -> str | None:
    if verdict is None:
        return f"--expect-winner: expected {expected}, but the verdict is undetermined"
    vote = verdict.notes.get("option")
    if not isinstance(vote, str) or expected in {person.name for person in debate.participants}:
        vote = verdict.outcome
    if expected in {verdict.outcome, verdict.winner or verdict.victory, vote}:
        return None
    outcome = _printable_name(verdict.outcome)
    if vote != verdict.outcome and expected in get_system(verdict.system).options:
        outcome += f" ({_printable_name(vote)})"
    return f"--expect-winner: expected {expected}, but the verdict of {verdict.system} is {outcome}"


def _describe_unknown_best(least: float, kind: str) -> str:
    return (
        f"--fail-under {least:.12g}: the judging system {kind} is not installed, so its most favourable outcome is unknown; "
        f"give an outcome, as in --fail-under OUTCOME={least:.12g}"
    )


def _describe_debaters(names: Iterable[str]) -> str:
    return f"the debaters are {', '.join(map(_printable_name, names))}"


def _describe_options(voting: Iterable[JudgingSystem[Any]]) -> list[str]:
    return [f"the outcomes of {system.kind} are {', '.join(system.options)}" for system in voting]


def _printable_name(name: str) -> str:
    return name if name.isprintable() else ascii(name)


def _find_manipulation(debate: Debate) -> str | None:
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


def _find_missing(debate: Debate, verdicts: Sequence[Verdict], missing: int) -> str | None:
    if debate.status == "incomplete":
        return "the debate is unfinished, so judgements are missing; resume it first, with `debate run --resume`"
    runs = [(verdict.system, debate.run(verdict.run)) for verdict in verdicts]
    complete = {system for system, run in runs if debate.judged_all_turns(run, system)}
    for system, run in runs:
        if system not in complete:
            return f"in the judging run {run.id}, {system} judged only {run.heard} of the {len(debate.turns)} speeches"
    return describe_missing(missing) if missing else None
