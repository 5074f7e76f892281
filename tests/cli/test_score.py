"""`debate score`: verdicts recomputed from files."""

import csv
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_support import CommandResult, debate

from debate_cli.domain.model_call import REHEARSAL_NOTICE
from debate_cli.systems.tables import format_number


def score(saved: Path, *options: str | Path) -> CommandResult:
    """`debate score` in the folder of the saved debate."""
    return debate("score", *options, cwd=saved.parent.parent)


def tamper(path: Path, where: list[Any], value: object) -> None:
    """Change one value in a JSON file."""
    document: Any = json.loads(path.read_text())
    place = document
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    path.write_text(json.dumps(document))


@pytest.fixture
def several(saved: Path) -> Path:
    """Three transcripts in one folder, one of them damaged; the folder."""
    shutil.copy(saved, saved.with_name("other.json"))
    saved.with_name("bad.json").write_text('{"schema_version": 1, "id": ')
    return saved.parent


def test_recomputed_verdicts_equal_stored_ones(saved: Path) -> None:
    """`--json` holds path, id, topic, status, every verdict as stored, and the checks of citations."""
    done = score(saved, saved, "--json")
    stored = json.loads(saved.read_text())
    assert done.json == [
        {
            "path": str(saved),
            "id": "saved",
            "topic": stored["topic"],
            "status": "complete",
            "verdicts": stored["verdicts"],
            "sources": [],
        }
    ]
    assert (done.code, done.lines) == (0, [REHEARSAL_NOTICE])


SCALES = {"structured": "10", "moderator": "82.5"}


def test_a_pipe_gets_one_line_per_verdict(saved: Path) -> None:
    """File, system, outcome, margin and scores, without control sequences."""
    done = score(saved, "transcripts/saved.json")
    stored = json.loads(saved.read_text())["verdicts"]
    lines = {"structured": "Con wins narrowly", "moderator": "Con wins clearly"}
    assert done.out.splitlines() == [
        f"transcripts/saved.json  {verdict['system']}  {lines[verdict['system']]}, "
        f"by {format_number(verdict['margin'])} of {SCALES[verdict['system']]} points.  ("
        + ", ".join(f"{name} {format_number(verdict['scores'][name])}" for name in ("Con", "Pro"))
        + ")"
        for verdict in stored
    ]


def test_check_accepts_an_unchanged_transcript(saved: Path) -> None:
    """Exit 0 and one line, after the notice that the debate is a rehearsal."""
    done = score(saved, saved, "--check")
    ok = "OK: 2 stored verdicts match the recomputed ones"
    assert (done.code, done.lines) == (0, ["REHEARSAL: mock provider, no model was called", ok])


@pytest.mark.parametrize(
    "where",
    [
        (["verdicts", 0, "winner"], "Pro"),
        (["verdicts", 0, "margin"], 2.5),
        (["verdicts", 1, "scores", "Pro"], 80.0),
        (["verdicts", 0, "notes", "means", "Pro", "logic"], 1.5),
        (["verdicts", 0, "notes", "means", "Pro", "honesty"], 10**400),
        (["assessments", 0, "marks", 0, "value"], 1),
        (["config", "judging", "systems", 0, "weights", "logic"], 0.9),
        (["verdicts"], []),
    ],
    ids=lambda case: ".".join(map(str, case[0])),
)
def test_check_detects_a_changed_transcript(saved: Path, where: tuple[list[Any], object]) -> None:
    """Verdicts, marks or settings: exit 5 with file and system."""
    tamper(saved, *where)
    done = score(saved, saved, "--check")
    assert done.code == 5
    assert str(saved) in done.err
    assert "stored verdict" in done.err


@pytest.mark.parametrize(
    "where",
    [(["verdicts", 0, "notes"], {}), (["verdicts", 0, "notes", "label"], "a wording of an earlier version")],
    ids=["notes that an earlier version did not write", "sentences"],
)
def test_check_ignores_what_versions_may_change(saved: Path, where: tuple[list[Any], object]) -> None:
    """Only conclusions and numbers that both verdicts have are compared."""
    tamper(saved, *where)
    assert score(saved, saved, "--check").code == 0


def test_check_reports_verdicts_under_other_rules(saved: Path) -> None:
    """A verdict that another formula computed is not compared: a remark, exit 0. It does not count as a match."""
    tamper(saved, ["verdicts", 0, "margin"], 9.9)
    tamper(saved, ["verdicts", 0, "rules"], 2)
    done = score(saved, saved, "--check")
    assert (
        done.code,
        "the verdict of structured r1 was stored under other scoring rules, so it is not compared" in done.err,
    ) == (0, True)
    assert "OK: 1 stored verdict matches" in done.err


def test_verdicts_of_other_rules_are_announced_once(saved: Path) -> None:
    """One note for all files says that recomputed verdicts are shown. `--check` names each such verdict instead."""
    tamper(saved, ["verdicts", 0, "margin"], 9.9)
    tamper(saved, ["verdicts", 0, "rules"], 2)
    shutil.copy(saved, saved.with_name("other.json"))
    note = "note: 2 verdicts of structured were stored under other scoring rules; they are shown as today's rules compute them"
    assert note in score(saved, saved.parent).lines
    assert "today's rules" not in score(saved, saved.parent, "--check").err


def test_a_verdict_with_new_weights_is_not_compared_with_stored_rules(saved: Path) -> None:
    """The new weights change the scores. So the difference says nothing about the rules."""
    tamper(saved, ["verdicts", 0, "rules"], 99)
    done = score(saved, saved, "--weights", "logic=1")
    assert (done.code, "today's rules" in done.err) == (0, False)


def test_weights_change_scores_as_the_formula_says(saved: Path) -> None:
    """With logic alone a side's score is the mean of its arguments' marks in logic."""
    document = json.loads(saved.read_text())
    marks = [
        mark["value"]
        for assessment in document["assessments"]
        if assessment["system"] == "structured"
        for mark in assessment["marks"]
        if mark["participant"] == "Con" and mark["criterion"] == "logic"
    ]
    done = score(saved, saved, "--json", "--weights", "logic=2,evidence=0,responsiveness=0,honesty=0")
    (verdict,) = (item for item in done.json[0]["verdicts"] if item["system"] == "structured")
    assert verdict["scores"]["Con"] == pytest.approx(sum(marks) / len(marks))


def test_a_weight_that_is_not_named_is_zero(saved: Path) -> None:
    """The option gives all weights, and the sum is explained."""
    done = score(saved, saved, "--json", "--weights", "evidence=0.6,logic=0.2")
    (verdict,) = (item for item in done.json[0]["verdicts"] if item["system"] == "structured")
    assert verdict["notes"]["weights"] == {"logic": 0.25, "evidence": 0.75, "responsiveness": 0.0, "honesty": 0.0}


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("logic", "NAME=NUMBER"),
        ("logic=x", "NAME=NUMBER"),
        ("wit=1", "there is no criterion wit"),
        ("logic=-1", "a number from 0 to 1,000,000"),
        ("logic=1,evidence=1e308", "--weights evidence=1e308: write NAME=NUMBER, with a criterion such as logic and a number from 0 to 1,000,000"),
        ("logic=1,logic=2", "--weights: logic is given twice; give it once"),
        ("logic=0,evidence=0,responsiveness=0,honesty=0", "every weight is 0"),
    ],
)  # fmt: skip
def test_invalid_weights_are_refused(saved: Path, weights: str, words: str) -> None:
    """Exit 2, one line on stderr, nothing on stdout."""
    done = score(saved, saved, "--weights", weights)
    assert (done.code, done.out, len(done.lines)) == (2, "", 1), done.err
    assert words in done.err


def test_weights_that_fit_no_file_are_a_usage_error(saved: Path) -> None:
    """Exit 2 for several files too, with the option's error printed once. Exit 1 if another file was scored."""
    other = saved.with_name("other.json")
    other.write_bytes(saved.read_bytes())
    done = score(saved, saved, other, "--weights", "logik=1")
    assert (done.code, done.out, len(done.lines)) == (2, "", 1), done.err
    assert done.err.endswith("--weights: there is no criterion logik; did you mean `logic`?\n")
    other.write_text("{")
    assert score(saved, saved, other).code == 1


def test_write_stores_the_verdicts_of_the_new_weights(saved: Path) -> None:
    """The file then holds the shown verdicts; everything else is unchanged."""
    before = json.loads(saved.read_text())
    shown = score(saved, saved, "--weights", "logic=1", "--write", "--json").json[0]["verdicts"]
    after = json.loads(saved.read_text())
    assert after.pop("verdicts") == shown != before.pop("verdicts")
    assert after == before


def test_the_journals_name_finds_the_transcript(saved: Path) -> None:
    """`ID.jsonl` means the debate, whichever file exists."""
    assert score(saved, saved.with_suffix(".jsonl"), "--weights", "logic=1", "--write").code == 0
    assert list(saved.parent.iterdir()) == [saved]
    done = score(saved, saved, "--weights", "logic=1", "--check")
    assert (done.code, done.lines[-1]) == (
        0,
        "OK: 2 stored verdicts match the recomputed ones (recomputed with --weights logic=1)",
    )


def test_system_selects_verdicts(saved: Path) -> None:
    """Other verdicts are not shown."""
    done = score(saved, saved, "--system", "moderator", "--json")
    assert [verdict["system"] for verdict in done.json[0]["verdicts"]] == ["moderator"]


@pytest.mark.parametrize("options", [("--system", "gut"), ("--runs", "r9"), ("--format", "xml")], ids=" ".join)
def test_unknown_names_are_refused(saved: Path, options: tuple[str, str]) -> None:
    """Exit 2 and a sentence with the given name."""
    done = score(saved, saved, *options)
    assert (done.code, "Traceback" in done.err) == (2, False)
    assert options[1] in done.err


@pytest.mark.parametrize(
    ("runs", "expected"),
    [("latest", {"structured": {"r2"}, "moderator": {"r1"}}),
     ("all", {"structured": {"r1", "r2"}, "moderator": {"r1"}}),
     ("r1", {"structured": {"r1"}, "moderator": {"r1"}}),
     ("r2", {"structured": {"r2"}})],
)  # fmt: skip
def test_runs_selects_judging_runs(saved: Path, runs: str, expected: dict[str, set[str]]) -> None:
    """The latest of each system, all, or one by its id."""
    assert debate("judge", saved, "--system", "structured", "--mock", cwd=saved.parent).code == 0
    found: dict[str, set[str]] = {}
    for verdict in score(saved, saved, "--runs", runs, "--json").json[0]["verdicts"]:
        found.setdefault(verdict["system"], set()).add(verdict["run"])
    assert found == expected


def test_jsonl_is_one_verdict_a_line(several: Path) -> None:
    """Each line is a JSON document."""
    rows = [json.loads(line) for line in score(several / "x", several, "--format", "jsonl").out.splitlines()]
    assert [(row["id"], row["system"]) for row in rows] == [("saved", "structured"), ("saved", "moderator")] * 2


def test_csv_has_a_header_and_one_row_per_verdict(saved: Path) -> None:
    """Scores are JSON within their cell."""
    (row, _) = csv.DictReader(io.StringIO(score(saved, saved, "--format", "csv").out))
    assert (row["path"], row["winner"], row["victory"]) == (str(saved), "Con", "narrow")
    assert set(json.loads(row["scores"])) == {"Pro", "Con"}


def test_per_argument_gives_the_same_rows_in_each_format(saved: Path) -> None:
    """CSV, JSON lines and JSON; a table has no such rows."""
    csv_rows = csv.DictReader(io.StringIO(score(saved, saved, "--per", "argument", "--format", "csv").out))
    lines = score(saved, saved, "--per", "argument", "--format", "jsonl").out.splitlines()
    rows = score(saved, saved, "--per", "argument", "--json").json
    assert [json.loads(line) for line in lines] == rows
    assert [(row["argument"], row["criterion"]) for row in csv_rows] == [(r["argument"], r["criterion"]) for r in rows]
    refused = score(saved, saved, "--per", "argument")
    assert (refused.code, "--format csv" in refused.err) == (2, True)


@pytest.mark.parametrize("references", [["."], ["*.json"], ["folder.json", "pipe.json", "saved.json"]])
@pytest.mark.parametrize("command", [["score"], ["judge", "--system", "panel", "--mock", "--no-save"]])
def test_what_is_no_regular_file_is_reported_and_the_rest_done(
    saved: Path, command: list[str], references: list[str]
) -> None:
    """A FIFO and a folder named as transcripts get a line each, without blocking, and the other debate is done."""
    os.mkfifo(saved.with_name("pipe.json"))
    saved.with_name("folder.json").mkdir()
    done = debate(*command, *references, "--json", cwd=saved.parent)
    assert (done.code, [entry["id"] for entry in done.json]) == (1, ["saved"]), done.err
    for sentence in ("folder.json: this is a folder", "pipe.json: cannot be read (not a regular file)"):
        assert done.err.count(f"debate: {sentence}; give the path of a transcript\n") == 1, done.err


@pytest.mark.parametrize(
    ("how", "format_"),
    [
        *(("names", format_) for format_ in ("table", "json", "jsonl", "csv")),
        ("folder", "json"),
        ("folder", "table"),
        ("glob", "table"),
    ],
)
def test_one_bad_file_does_not_stop_the_others(several: Path, how: str, format_: str) -> None:
    """Exit 1; the verdicts of good files are printed, the bad file is named once on stderr."""
    where = {
        "folder": ["transcripts"],
        "glob": ["transcripts/*.json"],
        "names": [str(p) for p in sorted(several.iterdir())],
    }
    done = score(several / "x", *where[how], "--format", format_)
    assert done.code == 1
    assert ("saved.json" in done.out, "other.json" in done.out) == (True, True)
    (line,) = (line for line in done.lines if not line.startswith("REHEARSAL"))
    assert "bad.json" in line


def test_the_table_of_many_ends_with_a_summary(several: Path) -> None:
    """Wins per participant and system, and the mean margin."""
    (several / "bad.json").unlink()
    margin = json.loads((several / "saved.json").read_text())["verdicts"][0]["margin"]
    lines = score(several / "x", "transcripts").out.splitlines()
    counts = "wins: Con 2, draws 0, split 0, undetermined 0"
    assert f"structured  {counts}, mean margin {round(margin, 2):g}, out of: 10 points" in lines


@pytest.fixture
def journal(saved: Path) -> Path:
    """The journal of an unfinished debate, instead of its transcript."""
    path = saved.with_suffix(".jsonl")
    path.write_text(one_event_journal(saved))
    saved.unlink()
    return path


def test_a_journal_can_be_scored(journal: Path) -> None:
    """An unfinished debate is scored as far as it got."""
    done = score(journal, "transcripts", "--json")
    assert (done.code, done.json[0]["status"]) == (0, "incomplete")
    assert {verdict["victory"] for verdict in done.json[0]["verdicts"]} == {"undetermined"}


def test_a_journal_is_never_changed(journal: Path) -> None:
    """`--write`: exit 2 with the command that comes first."""
    before = journal.read_bytes()
    done = score(journal, journal, "--write")
    assert (done.code, "resume" in done.err, journal.read_bytes()) == (2, True, before)


def one_event_journal(saved: Path) -> str:
    """A journal with only the first event of the saved debate."""
    document = json.loads(saved.read_text())
    keys = ("id", "generator", "config", "config_sha256")
    opened = {"schema_version": 1, "type": "opened", "at": document["started_at"]}
    return json.dumps(opened | {key: document[key] for key in keys}) + "\n"


@pytest.mark.parametrize("format_", ["table", "csv", "jsonl", "json"])
def test_rows_are_sorted_by_path(saved: Path, format_: str) -> None:
    """In any order of the arguments."""
    paths = [saved.with_name(name) for name in ("b.json", "a.json")]
    for path in paths:
        shutil.copy(saved, path)
    done = debate("score", *paths, "--format", format_, cwd=saved.parent.parent)
    assert done.out.index("a.json") < done.out.index("b.json")


def test_a_replaced_run_is_reported(saved: Path) -> None:
    """A line on stderr names the system whose assessments were replaced. The run has no verdict of this system."""
    assert debate("judge", saved, "--system", "structured", "--mock", "--replace", cwd=saved.parent.parent).code == 0
    done = score(saved, saved, "--runs", "r1", "--system", "structured", "--json")
    assert (done.code, done.json[0]["verdicts"]) == (0, [])
    assert done.lines == [
        f"{saved}: --runs r1: a later run replaced the assessments of structured, so these are not scored",
        REHEARSAL_NOTICE,
    ]


@pytest.mark.parametrize(("systems", "is_noted"), [((), True), (("--system", "structured"), False)], ids=["all", "one"])
def test_new_weights_name_the_systems_that_keep_theirs(saved: Path, systems: tuple[str, ...], is_noted: bool) -> None:
    """The verdicts of other systems are not new, although they are in the same list."""
    done = score(saved, saved, "--weights", "logic=1", *systems)
    note = "note: --weights logic=1 applies to structured; stored settings apply to moderator"
    assert (note in done.lines) == is_noted, done.err
    assert "stored settings apply" not in score(saved, saved, *systems).err
