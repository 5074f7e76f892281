"""`debate judge` on the mock: runs added to saved debates, and texts put before a panel."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS, CommandResult, debate, start_process, wait_until, write_config

SYSTEMS = ["structured", "moderator", "panel", "live", "persuasion"]


def judge(saved: Path, *options: str | Path, env: dict[str, str] | None = None) -> CommandResult:
    """`debate judge` in the folder of the saved debate."""
    return debate("judge", *options, cwd=saved.parent.parent, env=env)


def read(path: Path) -> dict[str, Any]:
    """A transcript."""
    return json.loads(path.read_text())


def runs_of(document: dict[str, Any]) -> list[tuple[str, str]]:
    """(run, system) of every verdict."""
    return [(verdict["run"], verdict["system"]) for verdict in document["verdicts"]]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_can_judge_a_saved_debate(saved: Path, system: str) -> None:
    """Its verdict is added as run r2; debate, earlier assessments and earlier verdicts stay as they are."""
    before = read(saved)
    done = judge(saved, saved, "--system", system, "--mock")
    after = read(saved)
    assert done.code == 0, done.err
    assert [after[key] for key in ("id", "turns", "closed", "status", "started_at", "finished_at")] == [
        before[key] for key in ("id", "turns", "closed", "status", "started_at", "finished_at")
    ]
    assert [item for item in after["assessments"] if item["run"] == "r1"] == before["assessments"]
    assert sorted(runs_of(after)) == sorted([*runs_of(before), ("r2", system)])
    assert debate("score", saved, "--check", cwd=saved.parent).code == 0


def test_nothing_is_left_beside_the_file(saved: Path) -> None:
    """The journal and the lock of the judging are gone."""
    judge(saved, saved, "--system", "structured", "--mock")
    assert list(saved.parent.iterdir()) == [saved]


def test_without_a_system_the_stored_ones_judge_again(saved: Path) -> None:
    """The debate's own systems, as configured there."""
    done = judge(saved, saved, "--mock", "--json")
    assert [verdict["system"] for verdict in done.json[0]["verdicts"]] == ["structured", "moderator"]
    assert {verdict["run"] for verdict in done.json[0]["verdicts"]} == {"r2"}


def test_a_configuration_says_which_systems_and_how(saved: Path) -> None:
    """Its judging part counts, with its settings."""
    config = saved.parent.parent / "judging.yaml"
    config.write_text(
        "topic: unused\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
        "models: {default: {model: mock/a}}\n"
        "judging: {systems: [{kind: structured, weights: {logic: 1, evidence: 0, responsiveness: 0, honesty: 0}}]}\n"
    )
    done = judge(saved, saved, "--config", config, "--mock", "--json")
    assert done.code == 0, done.err
    run = read(saved)["runs"][0]
    assert run["judging"]["systems"][0]["weights"]["evidence"] == 0
    assert [verdict["system"] for verdict in done.json[0]["verdicts"]] == ["structured"]


def test_repeat_adds_runs_of_their_own(saved: Path) -> None:
    """Three runs are three ids, each with its own assessments."""
    done = judge(saved, saved, "--system", "structured", "--repeat", "3", "--mock")
    document = read(saved)
    assert done.code == 0
    assert sorted(run for run, system in runs_of(document) if system == "structured") == ["r1", "r2", "r3", "r4"]
    assert [run["id"] for run in document["runs"]] == ["r2", "r3", "r4"]


@pytest.mark.parametrize(("system", "judges"), [("structured", 3), ("moderator", 2), ("panel", 7)])
def test_judges_says_how_many_sit(saved: Path, system: str, judges: int) -> None:
    """So many different assessors have assessed the whole debate."""
    assert judge(saved, saved, "--system", system, "--judges", str(judges), "--mock").code == 0
    found = {item["assessor"] for item in read(saved)["assessments"] if item["run"] == "r2"}
    assert len(found) == judges


@pytest.mark.parametrize("system", ["live", "persuasion"])
def test_systems_of_one_judge_refuse_several(saved: Path, system: str) -> None:
    """Exit 2, and the file stays as it is."""
    before = saved.read_bytes()
    done = judge(saved, saved, "--system", system, "--judges", "2", "--mock")
    assert (done.code, saved.read_bytes()) == (2, before)


def test_replace_takes_the_place_of_earlier_assessments(saved: Path) -> None:
    """The latest verdicts of the system are the new run's alone, the others' stay."""
    assert judge(saved, saved, "--system", "structured", "--replace", "--mock").code == 0
    assert sorted(runs_of(read(saved))) == [("r1", "moderator"), ("r2", "structured")]
    scored = debate("score", saved, "--runs", "all", "--json", cwd=saved.parent).json[0]["verdicts"]
    assert sorted((verdict["run"], verdict["system"]) for verdict in scored) == [
        ("r1", "moderator"),
        ("r2", "structured"),
    ]


def test_a_run_that_stood_beside_does_not_come_to_replace(saved: Path) -> None:
    """A third run replaces the first two: the second still stands there as one that replaced nothing."""
    assert judge(saved, saved, "--system", "structured", "--mock").code == 0
    assert judge(saved, saved, "--system", "structured", "--replace", "--mock").code == 0
    assert [run["replaces"] for run in read(saved)["runs"]] == [False, True]
    told = debate("score", saved, "--runs", "r1", cwd=saved.parent).err
    assert "replaced (structured by r3)" in told


@pytest.mark.parametrize("system", ["structured", "panel"])
def test_a_debate_without_speeches_is_not_judged(saved: Path, system: str) -> None:
    """One that stopped before the first: exit 2, the way on is told, and the file stays as it is."""
    document: dict[str, Any] = read(saved) | {
        "turns": [],
        "assessments": [],
        "verdicts": [],
        "closed": "interrupted",
        "status": "incomplete",
    }
    saved.write_text(json.dumps(document))
    before = saved.read_bytes()
    done = judge(saved, saved, "--system", system, "--mock")
    assert (done.code, "debate run --resume saved" in done.err, saved.read_bytes()) == (2, True, before), done.err


@pytest.mark.parametrize("out", ["copy.json", "elsewhere"])
def test_out_leaves_the_original_alone(saved: Path, out: str) -> None:
    """A file or a folder; the judged debate is there, and the original byte for byte what it was."""
    before = saved.read_bytes()
    assert judge(saved, saved, "--system", "panel", "--mock", "--out", out).code == 0
    place = saved.parent.parent / out
    written = place if place.suffix else place / "saved.json"
    assert saved.read_bytes() == before
    assert ("r2", "panel") in runs_of(read(written))


def test_out_overwrites_nothing_else(saved: Path) -> None:
    """Another debate, or anything, that stands at --out is refused and untouched; --force puts the result there."""
    other = saved.parent.parent / "other.json"
    for text in ("precious", saved.read_text().replace('"id": "saved"', '"id": "another"')):
        other.write_text(text)
        refused = judge(saved, saved, "--system", "structured", "--mock", "--out", "other.json")
        assert (refused.code, other.read_text()) == (2, text), refused.err
    assert judge(saved, saved, "--system", "structured", "--mock", "--out", "other.json", "--force").code == 0
    assert ("r2", "structured") in runs_of(read(other))


def test_files_of_one_name_do_not_overwrite_each_other(saved: Path) -> None:
    """Two debates whose results would be one file in the folder of --out: the second is refused, exit 1."""
    twin = saved.parent.parent / "twins" / "saved.json"
    twin.parent.mkdir()
    twin.write_text(saved.read_text().replace('"id": "saved"', '"id": "twin"'))
    done = judge(saved, saved, twin, "--system", "structured", "--mock", "--out", "out")
    assert (done.code, "would be saved as" in done.err) == (1, True)
    assert read(saved.parent.parent / "out" / "saved.json")["id"] == "saved"


def test_two_that_judge_one_debate_lose_nothing(saved: Path) -> None:
    """One that read the debate before the other was done refuses to write over what it did not read."""
    with start_process(
        "judge", saved, "--system", "live", "--config", slow(saved.parent.parent), cwd=saved.parent.parent
    ) as first:
        wait_until(lambda: saved.with_suffix(".jsonl").exists(), "the first to be at work")
        second = judge(saved, saved, "--system", "structured", "--mock")
        assert (second.code, "is working on this debate" in second.err) == (1, True)
        assert first.wait().code == 0
    assert ("r2", "live") in runs_of(read(saved))


def test_stopped_among_many_it_leaves_those_untouched_that_were_not_begun(saved: Path) -> None:
    """The one at work keeps what came in; no other gets a judging run without a mark in it; exit 130."""
    others = [saved.with_name(f"later-{number}.json") for number in range(2)]
    for other in others:
        shutil.copy(saved, other)
    command = ("--system", "live", "--config", slow(saved.parent.parent), "--concurrency", "1")
    with start_process("judge", saved, *others, *command, cwd=saved.parent.parent) as running:
        wait_until(lambda: saved.with_suffix(".jsonl").exists(), "the first to be at work")
        running.signal(signal.SIGINT)
        done = running.wait()
    assert (done.code, "left as they are: 2 of 3 files" in done.err) == (130, True), done.err
    assert len({other.read_bytes() for other in others}) == 1
    assert "runs" not in read(others[0])


def test_a_debate_without_speeches_is_a_bad_file_among_many(saved: Path) -> None:
    """It is named, the others are judged, exit 1; alone it is exit 2."""
    document = read(saved)
    silent = saved.with_name("silent.json")
    silent.write_text(json.dumps(document | {"id": "silent", "turns": [], "assessments": [], "verdicts": []}))
    many = judge(saved, "transcripts", "--system", "structured", "--mock", "--json")
    alone = judge(saved, silent, "--system", "structured", "--mock")
    assert (many.code, [entry["id"] for entry in many.json], alone.code) == (1, ["saved"], 2)
    assert "silent.json: has no speeches" in many.err


def slow(folder: Path) -> Path:
    """A configuration whose judge takes its time."""
    return write_config(
        folder,
        "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
        "models: {judge: {model: mock/judge, latency_s: 0.3}, default: {model: mock/judge}}\n",
    )


@pytest.mark.parametrize("where", ["transcripts", "transcripts/*.json"])
def test_one_bad_file_among_many_is_told_and_the_rest_is_judged(saved: Path, where: str) -> None:
    """Exit 1, the bad file untouched and named, the good ones judged."""
    shutil.copy(saved, saved.with_name("other.json"))
    bad = saved.with_name("bad.json")
    bad.write_text("{}")
    done = judge(saved, where, "--system", "structured", "--mock", "--json")
    assert done.code == 1
    assert [entry["path"] for entry in done.json] == ["transcripts/other.json", "transcripts/saved.json"]
    assert [line for line in done.lines if not line.startswith("saved: ")] == [
        "debate: transcripts/bad.json: is not a transcript of debate-cli; name another file"
    ]
    assert bad.read_text() == "{}"
    assert all(("r2", "structured") in runs_of(read(path)) for path in (saved, saved.with_name("other.json")))


def test_many_files_are_judged_as_each_would_be_alone(saved: Path) -> None:
    """How many are judged at a time changes nothing in the results."""
    for number in range(3):
        shutil.copy(saved, saved.with_name(f"copy-{number}.json"))
    alone = judge(saved, "transcripts/copy-0.json", "--system", "live", "--mock", "--json").json[0]["verdicts"]
    together = judge(saved, "transcripts/copy-[12].json", "--system", "live", "--mock", "--json", "--concurrency", "2")
    assert [entry["verdicts"] for entry in together.json] == [alone, alone]


def test_no_debater_needs_a_key(saved: Path) -> None:
    """A debate whose debaters spoke with a paid model can be judged by another one."""
    document = read(saved)
    document["config"]["models"]["default"]["model"] = "openai/gpt-5"
    saved.write_text(json.dumps(document))
    done = judge(saved, saved, "--system", "structured", "--model", "mock/other")
    assert done.code == 0, done.err
    assert {item["exchange"]["model"] for item in read(saved)["assessments"] if item["run"] == "r2"} == {"mock/other"}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--model", "openai/gpt-5"], "OPENAI_API_KEY"),
        (["--model", "opnai/gpt-5"], "did you mean openai?"),
        (["--model", "gpt-5"], "provider/model"),
        (["--system", "gut"], "structured, moderator, panel, live, persuasion"),
        (["--config", "none.yaml"], "none.yaml"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_told_before_anything_is(saved: Path, options: list[str], named: str) -> None:
    """Exit 2 and one line; the transcript is as it was."""
    before = saved.read_bytes()
    done = judge(saved, saved, *options)
    assert (done.code, len(done.lines), saved.read_bytes()) == (2, 1, before), done.err
    assert named in done.err


def test_everything_judges_at_once(saved: Path) -> None:
    """All five systems of one configuration in one run, and the first decides."""
    done = judge(saved, saved, "--config", CONFIGS / "everything.yaml", "--mock", "--json")
    assert done.code == 0, done.err
    verdicts = done.json[0]["verdicts"]
    assert sorted(verdict["system"] for verdict in verdicts) == sorted(SYSTEMS)
    assert [verdict["decides"] for verdict in verdicts] == [True, False, False, False, False]


def test_the_verdicts_are_shown_in_plain_lines(saved: Path) -> None:
    """Without --json, for one file: what `run` shows at its end."""
    done = judge(saved, saved, "--system", "structured", "--mock")
    assert "Verdict (structured): Con wins narrowly." in done.out
    assert "\x1b" not in done.out
