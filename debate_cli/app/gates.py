"""Gates: conditions on a judged debate. A gate that is not met sets the exit code. Pure functions.

The options that set them are in `cli.options`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from debate_cli.domain.assessment import Finding, Manipulation
from debate_cli.domain.debate import Debate
from debate_cli.domain.verdict import Verdict
from debate_cli.errors import UsageError, format_page_hint
from debate_cli.judging.schedule import missing_briefs
from debate_cli.systems.scoring import deciding_verdicts

NO_WINNER_OUTCOMES = frozenset({"draw", "conditional"})
"""What --expect-winner accepts for a debate besides the names of debaters."""
DOCUMENT_OUTCOMES = ("PASS", "FAIL", "CONDITIONAL")
"""Options that a panel votes for when it judges a text."""


_Check = Callable[[Verdict | None], str | None]
"""Takes the deciding verdict (None if there is none). Returns why it does not meet a gate; None if it does."""


class GateResult(NamedTuple):
    """Result of one gate."""

    gate: str
    """The option that requested it."""
    problem: str | None
    """A sentence if the gate is not met, else None."""


class Gates(NamedTuple):
    """The requested conditions. None and empty values request nothing."""

    min_score_debater: str | None = None
    """Name of the debater, or of a panel's option, to which `min_score` applies. None: it applies to the highest score
    of a debate, and to the option PASS of a text."""
    min_score: float | None = None
    expected_winner: str | None = None
    """Name of the required winner, or `draw`; for a text, the option that the panel must vote for."""
    max_warnings: int | None = None
    """Maximum number of warnings of all turns and assessments together."""
    fail_on: tuple[str, ...] = ()
    """Names from `FORBIDDEN`: what must not occur."""

    def require_names(self, names: Collection[str], where: str = "") -> None:
        """Raise UsageError if a gate names an unknown debater, or requires a share of votes that is not from 0 to 1.

        `names`: the debaters; empty for a text. `where` precedes the sentence, e.g. `a.json: `.
        """
        votes = f"a panel votes {', '.join(DOCUMENT_OUTCOMES)} on a text"
        known = f"the debaters are {', '.join(map(_printable_name, names))}" if names else votes
        name = self.min_score_debater
        if name is not None and name not in (*names, *DOCUMENT_OUTCOMES):
            raise UsageError(f"{where}--fail-under {_printable_name(name)}=...: there is no such name; {known}")
        is_share = name not in names if name is not None else not names
        if is_share and self.min_score is not None and not 0 <= self.min_score <= 1:
            shown = f"{name}=" if name is not None else ""
            raise UsageError(
                f"{where}--fail-under {shown}{self.min_score:.12g}: a panel gives shares of votes; give a number from 0 to 1"
            )
        if (
            self.expected_winner is None
            or self.expected_winner in names
            or self.expected_winner in (NO_WINNER_OUTCOMES if names else DOCUMENT_OUTCOMES)
        ):
            return
        more = " (or expect draw)" if names else ""
        raise UsageError(
            f"{where}--expect-winner {_printable_name(self.expected_winner)}: there is no such name; {known}{more}"
        )

    def failure_messages(self, debate: Debate, verdicts: Sequence[Verdict]) -> list[str]:
        """One sentence for each gate that is not met. An undetermined debate meets no gate."""
        return [result.problem for result in self.evaluate(debate, verdicts) if result.problem is not None]

    def evaluate(self, debate: Debate, verdicts: Sequence[Verdict]) -> list[GateResult]:
        """Results of the requested gates, in the order of the fields.

        If there are several deciding verdicts, of runs with equal precedence, each must meet the gates.
        """
        deciding = deciding_verdicts(debate, verdicts) or (None,)
        results: list[GateResult] = []
        for gate, check in self._checks(debate, verdicts):
            problems = ((verdict, check(verdict)) for verdict in deciding)
            found = next(((verdict, problem) for verdict, problem in problems if problem is not None), (None, None))
            results.append(GateResult(gate, _name_run(*found) if len(deciding) > 1 else found[1]))
        return results

    def _checks(self, debate: Debate, verdicts: Sequence[Verdict]) -> Iterator[tuple[str, _Check]]:
        """Option and check of each requested gate."""
        if self.min_score is not None:
            yield "--fail-under", partial(self._check_min_score, debate, self.min_score)
        if self.expected_winner is not None:
            yield "--expect-winner", partial(_check_winner, self.expected_winner)
        if self.max_warnings is not None:
            yield "--max-warnings", partial(_check_warnings, debate, self.max_warnings)
        for name in self.fail_on:
            yield f"--fail-on {name}", partial(_check_forbidden, name, debate, verdicts)

    def _check_min_score(self, debate: Debate, least: float, verdict: Verdict | None) -> str | None:
        name = self.min_score_debater or ("PASS" if debate.document_name is not None else None)
        shown = name or "the higher score"
        if verdict is None or verdict.victory == "undetermined":
            return f"--fail-under: the verdict is undetermined, so {shown} cannot reach {least:.12g}"
        score = _find_score(verdict, name)
        if score is None:
            return f"--fail-under: {shown} has no score in the verdict of {verdict.system}"
        if score < least:
            lower, higher = _format_distinguishable(score, least)
            return f"--fail-under: {shown} has {lower} in the verdict of {verdict.system}, below {higher}"
        return None


def _name_run(verdict: Verdict | None, problem: str | None) -> str | None:
    return problem if verdict is None or problem is None else f"{problem} (judging run {verdict.run})"


def _find_score(verdict: Verdict, name: str | None) -> float | None:
    """The score of the debater `name`, or the share of votes for the option `name`; for None the highest score."""
    if name is None:
        return max(verdict.scores.values(), default=None)
    shares = verdict.notes.get("weights") if name in DOCUMENT_OUTCOMES and name not in verdict.scores else None
    share = shares.get(name) if isinstance(shares, dict) else None
    return float(share) if isinstance(share, int | float) else verdict.scores.get(name)


def _format_distinguishable(score: float, least: float) -> tuple[str, str]:
    """Format a `score` below `least`, and `least`. The score gets two decimals, or as many as show that it is lower."""
    higher = f"{least:.12g}"
    rounded = (f"{score:.{digits}f}" for digits in range(2, 12))
    lower = next((shown for shown in rounded if float(shown) < float(higher)), None)
    return (lower, higher) if lower is not None else (repr(score), repr(least))


def _check_winner(expected: str, verdict: Verdict | None) -> str | None:
    if verdict is None or verdict.victory == "undetermined":
        return f"--expect-winner: expected {expected}, but the verdict is undetermined"
    winner = verdict.winner or (expected if verdict.victory == expected else _panel_option(verdict)) or verdict.victory
    if winner != expected:
        return f"--expect-winner: expected {expected}, but the verdict of {verdict.system} is {_printable_name(winner)}"
    return None


def _printable_name(name: str) -> str:
    """Escape a name from a transcript so that a terminal shows every character."""
    return name if name.isprintable() else ascii(name)


def _panel_option(verdict: Verdict) -> str | None:
    option = verdict.notes.get("option")
    return option if isinstance(option, str) else None


def _check_warnings(debate: Debate, most: int, verdict: Verdict | None) -> str | None:
    count = sum(len(turn.warnings) for turn in debate.turns)
    count += sum(len(assessment.warnings) for assessment in debate.assessments)
    too_many = f"--max-warnings: {count} warnings, more than {most}" if count > most else None
    return _check_determined(verdict, "--max-warnings") or too_many


def _check_forbidden(name: str, debate: Debate, verdicts: Sequence[Verdict], verdict: Verdict | None) -> str | None:
    return _check_determined(verdict, "--fail-on") or FORBIDDEN[name](debate, verdicts)


def _check_manipulation(debate: Debate, _verdicts: Sequence[Verdict]) -> str | None:
    """Why `--fail-on manipulation` is not met. A passage counts once, even if several judges report it."""
    every = (item for assessment in debate.assessments for item in assessment.findings if item.kind == "manipulation")
    count = len({_finding_identity(finding) for finding in every})
    if not count:
        return None
    return f"--fail-on: {count} finding{'' if count == 1 else 's'} of manipulation{format_page_hint('manipulation')}"


def _check_missing(debate: Debate, verdicts: Sequence[Verdict]) -> str | None:
    """Why `--fail-on missing` is not met: judgments are missing, or the debate is unfinished."""
    if debate.status == "incomplete":
        return "--fail-on: the debate is unfinished, so judgments are missing"
    count = len(missing_briefs(debate, verdicts))
    return f"--fail-on: {count} judgment{' is' if count == 1 else 's are'} missing" if count else None


def _finding_identity(finding: Finding) -> object:
    if isinstance(finding, Manipulation):
        return finding.participant, finding.quote, finding.technique
    return finding.model_dump_json()


def _check_determined(verdict: Verdict | None, gate: str) -> str | None:
    undetermined = verdict is None or verdict.victory == "undetermined"
    return f"{gate}: the verdict is undetermined" if undetermined else None


FORBIDDEN: Mapping[str, Callable[[Debate, Sequence[Verdict]], str | None]] = {
    "manipulation": _check_manipulation,
    "missing": _check_missing,
}
"""What `--fail-on` can forbid: name -> function that returns why the gate is not met, or None."""
