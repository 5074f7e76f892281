"""Output of `debate judge` for one file: new verdicts, usage, suggestions."""

import json
from pathlib import Path

import pytest
from cli_support import CommandResult, debate, run_on_terminal
from rich.text import Text

from debate_cli.domain.model_call import REHEARSAL_NOTICE


def judge(saved: Path, *options: str) -> CommandResult:
    """The saved debate judged again on the mock."""
    return debate("judge", saved, *options, cwd=saved.parent.parent)


def test_usage_of_this_judging_and_the_total_are_shown(saved: Path) -> None:
    """The closing lines give the calls of this judging, and of the debate with all its judgements."""
    done = judge(saved, "--system", "structured", "--mock")
    own, whole = done.out.splitlines()[-3:-1]
    assert own.startswith("Cost of this judging: 1 call ·")
    assert whole.startswith("Cost of the debate with all its judgements: 12 calls ·")


def test_judging_does_not_show_earlier_judges(saved: Path) -> None:
    """The result shows the new verdict only, without trace and briefing of an earlier judge."""
    done = judge(saved, "--system", "panel", "--mock")
    heads = [line for line in done.out.splitlines() if line.startswith("== ")]
    assert heads == ["== Verdict =="]


@pytest.mark.parametrize(("options", "hinted"), [((), True), (("--json",), False)], ids=["lines", "json"])
def test_another_system_is_suggested(saved: Path, options: tuple[str, ...], hinted: bool) -> None:
    """The next command names a system that has not judged yet; with --json there is none."""
    done = judge(saved, "--system", "panel", "--mock", *options)
    hint = f"judge again: debate judge {saved} --system live"
    assert done.lines == [f"saved: {saved}", hint if hinted else REHEARSAL_NOTICE]


def test_a_quiet_rehearsal_says_so_first_and_last(saved: Path) -> None:
    """In plain lines and on a terminal; nothing is above the notice."""
    piped = judge(saved, "--system", "panel", "--mock", "--quiet").out.splitlines()
    assert (piped[0], piped[1], piped[-1]) == (REHEARSAL_NOTICE, "== Verdict ==", REHEARSAL_NOTICE)
    command = ("judge", saved, "--system", "live", "--mock", "--quiet")
    _, drawn = run_on_terminal(*command, cwd=saved.parent.parent, columns=80, env={"TERM": "xterm"})
    screen = Text.from_ansi(drawn.replace("\r", "")).plain.partition("saved:")[0].splitlines()
    assert (screen[0], screen[1][:10], screen[-1]) == (REHEARSAL_NOTICE, "┏━ verdict", REHEARSAL_NOTICE)


@pytest.mark.parametrize("names", [("one",), ("one", "two")], ids=["one", "several"])
def test_out_may_be_a_folder_with_a_dot_in_its_name(two_saved: Path, names: tuple[str, ...]) -> None:
    """`judge --out DIR` writes into an existing folder whatever its name is."""
    here = two_saved.parent.parent
    (here / "results.v2").mkdir()
    done = debate("judge", *names, "--system", "structured", "--mock", "--out", "results.v2", "-q", cwd=here)
    assert (done.code, sorted(path.stem for path in (here / "results.v2").iterdir())) == (0, [*names]), done.err


def test_out_with_a_dot_is_one_file_unless_there_is_such_a_folder(two_saved: Path) -> None:
    """`judge --out NAME.v2` of two debates is refused with the advice to create the folder."""
    here = two_saved.parent.parent
    done = debate("judge", "one", "two", "--system", "structured", "--mock", "--out", "results.v2", cwd=here)
    assert (done.code, "with a slash at its end if its name has a dot" in done.err) == (2, True)


def test_a_changed_deciding_verdict_is_reported(saved: Path) -> None:
    """Judging in place reports a changed deciding verdict in one line; a result that is saved elsewhere has none."""
    command = ("judge", saved, "--system", "structured", "--model", "mock/third")
    apart = debate(*command, "--out", "o.json", cwd=saved.parent)
    done = debate(*command, cwd=saved.parent)
    was = "the deciding verdict was Con (narrow), by structured (mock/judge); now it is Pro (narrow), by structured (mock/third);"
    changes = [line for line in done.lines if was in line]
    assert (done.code, len(changes), "deciding verdict" in apart.err) == (0, 1, False), done.err


def test_another_model_that_decides_is_reported(saved: Path) -> None:
    """The same outcome by another model, e.g. by the mock, is a change: the first model's verdict no longer decides."""
    data = json.loads(saved.read_text())
    for assessment in data["assessments"]:
        assessment["exchange"]["model"] = "openai/gpt-5"
    saved.write_text(json.dumps(data))
    first, second = (judge(saved, "--system", "structured", "--mock") for _ in range(2))
    change = "is still Con (narrow), now by structured (mock/judge) instead of structured (openai/gpt-5)"
    assert f"the deciding verdict {change}; `debate score {saved} --runs all` shows both verdicts" in first.err
    assert "the deciding verdict was" not in second.err


def test_a_replaced_verdict_is_not_offered(saved: Path) -> None:
    """With --replace the earlier verdict is gone, so the note names no command that shows it."""
    done = debate("judge", saved, "--system", "structured", "--model", "mock/third", "--replace", cwd=saved.parent)
    (note,) = [line for line in done.lines if "the deciding verdict was Con (narrow)" in line]
    assert note.endswith("now it is Pro (narrow), by structured (mock/third)"), note


def test_one_of_several_runs_decides(saved: Path) -> None:
    """The newest of several judging runs decides, and each verdict names its run."""
    done = judge(saved, "--system", "structured", "--repeat", "2", "--quiet")
    head, *others = done.out.splitlines()[2:]
    assert head.endswith(" (structured r3 decides)"), done.out
    assert [line for line in others if line.startswith("Structured r2: ")], done.out
    (found,) = judge(saved, "--system", "structured", "--repeat", "2", "--json").json
    assert [(item["run"], item["decides"]) for item in found["verdicts"]] == [("r5", True), ("r4", False)]


def test_quiet_prints_one_line_per_file(saved: Path) -> None:
    """With --quiet each file has one line, with its deciding verdict."""
    other = saved.with_name("other.json")
    other.write_bytes(saved.read_bytes())
    done = debate(
        "judge", saved, other, "--system", "structured", "--repeat", "2", "--mock", "--quiet", cwd=saved.parent
    )
    heads = [line.split()[:3] for line in done.out.splitlines()]
    assert heads == [[str(place), "structured", "r3"] for place in (saved, other)], done.err


def test_the_spread_of_repeated_judgings_is_shown(saved: Path) -> None:
    """One line shows how the winners of repeated judging runs are spread."""
    done = judge(saved, "--system", "structured", "--repeat", "3", "--mock")
    assert sum(line.startswith("Judges: structured in 3 runs: Con wins in 3;") for line in done.out.splitlines()) == 1
