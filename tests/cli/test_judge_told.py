"""What `debate judge` says of one file: what this judging brought and used, and who has not judged yet."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import CommandResult, debate


def judge(saved: Path, *options: str) -> CommandResult:
    """The saved debate judged again on the mock."""
    return debate("judge", saved, *options, cwd=saved.parent.parent)


def test_what_this_judging_used_is_told_and_the_total_as_such(saved: Path) -> None:
    """One call of the structured judge; eleven were made before."""
    done = judge(saved, "--system", "structured", "--mock")
    own, whole = done.out.splitlines()[-2:]
    assert own.startswith("Usage of this judging: 1 call ·")
    assert whole.startswith("Usage of the debate with all its judgings: 12 calls ·")


def test_a_panel_s_judging_repeats_nothing_of_the_judges_before_it(saved: Path) -> None:
    """Neither the trace nor the briefing of the structured judge, who did not judge now."""
    done = judge(saved, "--system", "panel", "--mock")
    heads = [line for line in done.out.splitlines() if line.startswith("== ")]
    assert heads == ["== Scores, panel ==", "== Votes, panel ==", "== Verdict =="]


def test_a_text_is_judged_at_a_cost_that_is_told_once(here: Path) -> None:
    """There is no other use of a debate without speeches."""
    (here / "PLAN.md").write_text("We rewrite everything in a week.\n")
    done = debate("judge", "PLAN.md", "--system", "panel", "--mock", cwd=here)
    assert [line.partition(":")[0] for line in done.out.splitlines() if line.startswith("Usage")] == ["Usage"]


@pytest.mark.parametrize(("options", "hinted"), [((), True), (("--json",), False)], ids=["lines", "json"])
def test_who_has_not_judged_yet_is_proposed(saved: Path, options: tuple[str, ...], hinted: bool) -> None:
    """After structured, moderator and panel; with --json the document says all."""
    done = judge(saved, "--system", "panel", "--mock", *options)
    hint = f"judge again: debate judge {saved} --system live"
    assert done.lines == [f"saved: {saved}", *([hint] if hinted else [])]


def test_another_deciding_verdict_is_told(saved: Path) -> None:
    """One line on stderr where judging in place turned it; none where the result is saved elsewhere."""
    apart = debate(
        "judge", saved, "--system", "structured", "--model", "mock/other", "--out", "o.json", cwd=saved.parent
    )
    done = debate("judge", saved, "--system", "structured", "--model", "mock/other", cwd=saved.parent)
    told = [line for line in done.lines if "the deciding verdict was Con (narrow, structured), is now" in line]
    assert (done.code, len(told), "deciding verdict" in apart.err) == (0, 1, False), done.err


def test_quiet_leaves_nothing_but_the_verdict(saved: Path) -> None:
    """As `run --quiet` does: no speech of a judge, no table, no usage, no hint."""
    done = judge(saved, "--system", "panel", "--quiet")
    assert (done.code, done.err) == (0, f"saved: {saved}\n")
    assert [line.partition(" ")[0] for line in done.out.splitlines()][:3] == ["", "==", "Verdict"]
    assert not any(words in done.out for words in ("Usage", "Scores", "Judge "))


def test_of_several_judgings_one_verdict_decides(saved: Path) -> None:
    """The newest run's, in lines and in JSON; each says of which run it is."""
    done = judge(saved, "--system", "structured", "--repeat", "2", "--quiet")
    heads = [line.partition(":")[0] for line in done.out.splitlines() if line.startswith("Verdict (")]
    assert heads == ["Verdict (structured r3, decides)", "Verdict (structured r2)"]
    (found,) = judge(saved, "--system", "structured", "--repeat", "2", "--json").json
    assert [(item["run"], item["decides"]) for item in found["verdicts"]] == [("r5", True), ("r4", False)]


def test_quiet_on_several_files_is_a_line_each(saved: Path) -> None:
    """The verdict that decides, without the other runs', a table or a summary."""
    other = saved.with_name("other.json")
    other.write_bytes(saved.read_bytes())
    done = debate(
        "judge", saved, other, "--system", "structured", "--repeat", "2", "--mock", "--quiet", cwd=saved.parent
    )
    heads = [line.split(" ")[:3] for line in done.out.splitlines()]
    assert heads == [[f"{place}:", "structured", "r3:"] for place in (saved, other)], done.err


def test_how_far_repeated_judgings_lie_apart_is_told(saved: Path) -> None:
    """Once, beside what is said of their agreement."""
    done = judge(saved, "--system", "structured", "--repeat", "3", "--mock")
    assert sum(line.startswith("Agreement: structured in 3 runs: Con wins 3;") for line in done.out.splitlines()) == 1
