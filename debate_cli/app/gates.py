"""Gates: conditions on a judged debate. A gate that is not met sets the exit code. Pure functions."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from debate_cli.domain.assessment import Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError, format_page_hint
from debate_cli.judging.schedule import missing_briefs
from debate_cli.systems.scoring import deciding_verdicts

NO_WINNER_OUTCOMES = frozenset({"draw", "conditional"})
"""Outcomes that `--expect-winner` accepts for a debate, besides the names of the debaters."""
DOCUMENT_OUTCOMES = ("PASS", "FAIL", "CONDITIONAL")
"""Options that a panel votes for when it judges a text."""
FORBIDDEN = ("manipulation", "missing")
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
    """Debater or option that needs `min_score`. None: the debater with the highest score or, for a text, PASS."""
    min_score: float | None = None
    expected_winner: str | None = None
    """Required winner: a debater's name, `draw` or `conditional`. For a text: the option that the panel must choose."""
    max_warnings: int | None = None
    """Maximum number of warnings in all turns and assessments together."""
    fail_on: tuple[str, ...] = ()
    """What must not occur, as names from `FORBIDDEN`."""

    def require_names(self, names: Collection[str], where: str = "") -> None:
        """Raise UsageError for a gate with an unknown name, or with a share of votes outside 0 to 1.

        `names`: the debaters. Empty for a text. `where`: start of the error message, e.g. `a.json: `.
        """
        known = f"a panel votes {', '.join(DOCUMENT_OUTCOMES)} on a text"
        if names:
            known = f"the debaters are {', '.join(map(_printable_name, names))}"
        name = self.min_score_debater
        if name is not None and name not in (*names, *DOCUMENT_OUTCOMES):
            raise UsageError(f"{where}--fail-under {_printable_name(name)}=...: there is no such name; {known}")
        is_share = name not in names if name is not None else not names
        if is_share and self.min_score is not None and not 0 <= self.min_score <= 1:
            shown = f"{name}=" if name is not None else ""
            raise UsageError(
                f"{where}--fail-under {shown}{self.min_score:.12g}: a panel gives shares of votes; give a number from 0 to 1"
            )
        winner = self.expected_winner
        if winner is not None and winner not in (*names, *(NO_WINNER_OUTCOMES if names else DOCUMENT_OUTCOMES)):
            more = " (or expect draw)" if names else ""
            raise UsageError(f"{where}--expect-winner {_printable_name(winner)}: there is no such name; {known}{more}")

    def failure_messages(self, debate: Debate, verdicts: Sequence[Verdict]) -> list[str]:
        """Return a sentence for each gate that is not met. An undetermined debate meets no gate."""
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
        if verdict is not None and verdict.victory == "undetermined":
            verdict = None
        undetermined = "the verdict is undetermined" if verdict is None else None
        if self.min_score is not None:
            yield "--fail-under", self._check_score(debate, self.min_score, verdict)
        if self.expected_winner is not None:
            yield "--expect-winner", _check_winner(self.expected_winner, verdict)
        if self.max_warnings is not None:
            count = sum(len(item.warnings) for item in (*debate.turns, *debate.assessments))
            too_many = f"{count} warnings, more than {self.max_warnings}" if count > self.max_warnings else None
            problem = undetermined or too_many
            yield "--max-warnings", problem and f"--max-warnings: {problem}"
        for name in self.fail_on:
            find = _find_manipulation if name == "manipulation" else _find_missing
            problem = undetermined or find(debate, verdicts)
            yield f"--fail-on {name}", problem and f"--fail-on: {problem}"

    def _check_score(self, debate: Debate, least: float, verdict: Verdict | None) -> str | None:
        name = self.min_score_debater or ("PASS" if debate.document_name is not None else None)
        shown = name or "the higher score"
        if verdict is None:
            return f"--fail-under: the verdict is undetermined, so {shown} cannot reach {least:.12g}"
        score = verdict.scores.get(name) if name is not None else max(verdict.scores.values(), default=None)
        shares = verdict.notes.get("weights")
        if name in DOCUMENT_OUTCOMES and name not in verdict.scores and isinstance(shares, dict):
            share = shares.get(name)
            score = float(share) if isinstance(share, int | float) else score
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
    option = verdict.notes.get("option")
    winner = verdict.winner or (option if isinstance(option, str) else verdict.victory)
    if expected in {winner, verdict.winner or verdict.victory}:
        return None
    return f"--expect-winner: expected {expected}, but the verdict of {verdict.system} is {_printable_name(winner)}"


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
