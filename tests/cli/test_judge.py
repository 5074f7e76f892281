"""`debate judge` on the mock: judging runs added to saved debates."""

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


def test_every_system_can_judge_a_saved_debate(saved: Path) -> None:
    """Their verdicts are added as run r2; everything else stays the same."""
    before = read(saved)
    done = judge(saved, saved, *(part for system in SYSTEMS for part in ("--system", system)), "--mock")
    after = read(saved)
    assert done.code == 0, done.err
    assert [after[key] for key in ("id", "turns", "closed", "status", "started_at", "finished_at")] == [
        before[key] for key in ("id", "turns", "closed", "status", "started_at", "finished_at")
    ]
    assert [item for item in after["assessments"] if item["run"] == "r1"] == before["assessments"]
    assert sorted(runs_of(after)) == sorted([*runs_of(before), *(("r2", system) for system in SYSTEMS)])
    assert debate("score", saved, "--check", cwd=saved.parent).code == 0


def test_without_a_system_the_stored_ones_judge_again(saved: Path) -> None:
    """Without --system, the stored systems judge again with the settings of the debate."""
    done = judge(saved, saved, "--mock", "--json")
    assert [verdict["system"] for verdict in done.json[0]["verdicts"]] == ["structured", "moderator"]
    assert {verdict["run"] for verdict in done.json[0]["verdicts"]} == {"r2"}


def test_a_configuration_names_systems_and_settings(saved: Path) -> None:
    """`--config` sets the systems and their settings; its debate is not used."""
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


def test_repeat_adds_one_run_each(saved: Path) -> None:
    """`--repeat 3` adds three judging runs, each with its own assessments."""
    done = judge(saved, saved, "--system", "structured", "--repeat", "3", "--mock")
    document = read(saved)
    assert done.code == 0
    assert sorted(run for run, system in runs_of(document) if system == "structured") == ["r1", "r2", "r3", "r4"]
    assert [run["id"] for run in document["runs"]] == ["r2", "r3", "r4"]


def test_set_changes_a_stored_setting_for_the_judging_run(saved: Path) -> None:
    """Without a configuration too; the judges keep their models, and settings of providers need a configuration."""
    options = ("--set", "judging.systems.0.judges=3", "--set", "output.raw=true")
    assert judge(saved, saved, "--system", "structured", "--mock", *options).code == 0
    document = read(saved)
    added = [item for item in document["assessments"] if item["run"] == "r2"]
    assert (len(added), all("raw" in item for item in added)) == (3, True)
    assert document["config"]["judging"]["systems"][0]["judges"] == 1
    refused = judge(saved, saved, "--mock", "--set", "providers.lab.kind=openai")
    assert (refused.code, "give a configuration with --config" in refused.err) == (2, True)
    ignored = judge(saved, saved, "--mock", "--set", "models.judge.model=mock/z")
    assert (
        ignored.code,
        "another option gives every judge the model mock/judge; leave out" in ignored.err,
    ) == (2, True)


@pytest.mark.parametrize("config", ["", "{default: {model: mock/a}, judge: {model: mock/b, max_output_tokens: 5}}"])
def test_set_changes_the_judge_of_each_named_model(saved: Path, config: str) -> None:
    """Each `--model` gets the settings that `--set` changes, and no other setting of the configuration's judge."""
    options = ["--system", "structured", "--model", "mock/z", "--model", "mock/y"]
    options += ["--set", "models.judge.temperature=0.5"]
    if config:
        write_config(saved.parent.parent, f"topic: x\nmodels: {config}\n", "judging.yaml")
        options += ["--config", "judging.yaml"]
    assert judge(saved, saved, *options, "-q").code == 0
    judges = [run["models"]["judge"] for run in read(saved)["runs"]]
    assert [(spec["model"], spec.get("temperature"), spec.get("max_output_tokens")) for spec in judges] == [
        ("mock/z", 0.5, None), ("mock/y", 0.5, None),
    ]  # fmt: skip
    refused = judge(saved, saved, *options, "--set", "models.judge.model=mock/x")
    assert (refused.code, "another option gives every judge the model mock/z; leave out" in refused.err) == (
        2,
        True,
    )


def test_several_files_end_with_the_rehearsal_notice_and_named_gates(two_saved: Path) -> None:
    """Each gate that is not met is named with its file; the last line says that only the mock answered."""
    done = judge(two_saved, two_saved.parent, "--system", "structured", "--mock", "--replace", "--fail-under", "9.9")
    assert (done.code, done.lines[-1]) == (5, "REHEARSAL: mock provider, no model was called")
    assert [Path(line.partition(": gate")[0]).name for line in done.lines if "gate not met" in line] == [
        "one.json", "two.json",
    ]  # fmt: skip


def test_a_judging_that_is_not_saved_is_shown_with_its_heading(saved: Path) -> None:
    """Without a file too, the first lines name the rehearsal, the debate and the judging run."""
    done = judge(saved, saved, "--system", "structured", "--mock", "--no-save")
    assert done.out.splitlines()[:2] == [
        "REHEARSAL: mock provider, no model was called",
        "Debate: saved (judged again)",
    ]
    assert "Judging run r2" in done.out


def test_models_judge_side_by_side_and_none_decides(saved: Path) -> None:
    """The screen, JSON and the list show the verdict of each; a gate holds only if each verdict meets it."""
    models = ("--model", "mock/x", "--model", "mock/y")
    done = judge(saved, saved, "--system", "structured", *models, "--expect-winner", "draw")
    assert "2 compared judging runs" in done.out
    assert "no deciding verdict" in done.err
    shown = debate("score", saved, "--json", cwd=saved.parent).json[0]["verdicts"]
    own = [item for item in shown if item["system"] == "structured"]
    assert [(item["run"], item["decides"]) for item in own] == [("r2", False), ("r3", False)]
    assert (done.code == 0) == all(item["victory"] == "draw" for item in own)
    assert all(f"structured {run}=" in debate("list", saved.parent, cwd=saved.parent).out for run in ("r2", "r3"))


@pytest.mark.parametrize(("system", "judges"), [("structured", 3), ("moderator", 2), ("panel", 7)])
def test_judges_sets_their_number(saved: Path, system: str, judges: int) -> None:
    """`--judges N` lets N different judges assess the whole debate."""
    assert judge(saved, saved, "--system", system, "--judges", str(judges), "--mock").code == 0
    found = {item["assessor"] for item in read(saved)["assessments"] if item["run"] == "r2"}
    assert len(found) == judges


def test_judges_limits_a_stored_panel(saved: Path) -> None:
    """`--judges 2` takes the first two personas of the panel that the debate was configured with."""
    document = read(saved)
    panel = {"kind": "panel", "personas": ["qa_evaluator", "domain_expert", "security_analyst"]}
    document["config"]["judging"]["systems"].append(panel)
    saved.write_text(json.dumps(document))
    assert judge(saved, saved, "--system", "panel", "--judges", "2", "--mock").code == 0
    found = {item["assessor"] for item in read(saved)["assessments"] if item["run"] == "r2"}
    assert found == {"qa_evaluator", "domain_expert"}


@pytest.mark.parametrize("system", ["live", "persuasion"])
def test_systems_with_one_judge_refuse_several(saved: Path, system: str) -> None:
    """`--judges 2` is refused for a system with one judge, and the file is unchanged."""
    before = saved.read_bytes()
    done = judge(saved, saved, "--system", system, "--judges", "2", "--mock")
    assert (done.code, saved.read_bytes()) == (2, before)


def test_replace_replaces_earlier_assessments(saved: Path) -> None:
    """The system's latest verdicts are those of the new run; other systems' stay."""
    assert judge(saved, saved, "--system", "structured", "--replace", "--mock").code == 0
    assert sorted(runs_of(read(saved))) == [("r1", "moderator"), ("r2", "structured")]
    scored = debate("score", saved, "--runs", "all", "--json", cwd=saved.parent).json[0]["verdicts"]
    assert sorted((verdict["run"], verdict["system"]) for verdict in scored) == [
        ("r1", "moderator"),
        ("r2", "structured"),
    ]


@pytest.mark.parametrize("system", ["structured", "panel"])
def test_a_debate_without_speeches_is_not_judged(saved: Path, system: str) -> None:
    """Exit 2 with advice to resume it; the file is unchanged."""
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
    assert (done.code, "first resume this file with `debate run --resume`" in done.err, saved.read_bytes()) == (
        2,
        True,
        before,
    ), done.err


@pytest.mark.parametrize("out", ["new.dir/", "new.json/", "new/."])
def test_out_is_a_folder_if_it_ends_with_a_slash(saved: Path, out: str) -> None:
    """The folder is made, even if its name has a dot."""
    assert judge(saved, saved, "--system", "panel", "--mock", "--out", out).code == 0
    assert [path.name for path in (saved.parent.parent / out).iterdir()] == [saved.name]


@pytest.mark.parametrize("out", ["copy.json", "elsewhere"])
def test_out_leaves_the_original_unchanged(saved: Path, out: str) -> None:
    """With `--out`, a file or a folder, the original stays unchanged."""
    before = saved.read_bytes()
    assert judge(saved, saved, "--system", "panel", "--mock", "--out", out).code == 0
    place = saved.parent.parent / out
    written = place if place.suffix else place / "saved.json"
    assert saved.read_bytes() == before
    assert ("r2", "panel") in runs_of(read(written))


def test_out_does_not_overwrite_other_files(saved: Path) -> None:
    """Another debate or any other file is refused and unchanged; `--force` overwrites it."""
    other = saved.parent.parent / "other.json"
    for text in ("precious", saved.read_text().replace('"id": "saved"', '"id": "another"')):
        other.write_text(text)
        refused = judge(saved, saved, "--system", "structured", "--mock", "--out", "other.json")
        assert (refused.code, other.read_text()) == (2, text), refused.err
    assert judge(saved, saved, "--system", "structured", "--mock", "--out", "other.json", "--force").code == 0
    assert ("r2", "structured") in runs_of(read(other))


def test_files_of_one_name_do_not_overwrite_each_other(saved: Path) -> None:
    """Two results with the same path in `--out`: the second is refused, exit 1."""
    twin = saved.parent.parent / "twins" / "saved.json"
    twin.parent.mkdir()
    twin.write_text(saved.read_text().replace('"id": "saved"', '"id": "twin"'))
    done = judge(saved, saved, twin, "--system", "structured", "--mock", "--out", "out")
    assert (done.code, "would overwrite" in done.err) == (1, True)
    assert read(saved.parent.parent / "out" / "saved.json")["id"] == "saved"


def test_two_processes_cannot_judge_one_debate(saved: Path) -> None:
    """The second is refused; the first saves its result."""
    with start_process(
        "judge", saved, "--system", "live", "--config", slow(saved.parent.parent), cwd=saved.parent.parent
    ) as first:
        wait_until(lambda: saved.with_suffix(".jsonl").exists(), "the first to be at work")
        second = judge(saved, saved, "--system", "structured", "--mock")
        assert (second.code, "is working on this debate" in second.err) == (1, True)
        assert first.wait().code == 0
    assert ("r2", "live") in runs_of(read(saved))


def test_ctrl_c_leaves_files_unchanged_that_were_not_begun(saved: Path) -> None:
    """The file in progress keeps what arrived; exit 130."""
    others = [saved.with_name(f"later-{number}.json") for number in range(2)]
    for other in others:
        shutil.copy(saved, other)
    command = ("--system", "live", "--config", slow(saved.parent.parent), "--concurrency", "1")
    with start_process("judge", saved, *others, *command, cwd=saved.parent.parent) as running:
        wait_until(lambda: saved.with_suffix(".jsonl").exists(), "the first to be at work")
        running.signal(signal.SIGINT)
        done = running.wait()
    assert (done.code, "2 of 3 files were not judged and are unchanged" in done.err) == (130, True), done.err
    assert len({other.read_bytes() for other in others}) == 1
    assert "runs" not in read(others[0])


def slow(folder: Path) -> Path:
    """A configuration whose judge takes its time."""
    return write_config(
        folder,
        "topic: x\ndebaters: [{name: A, side: for}, {name: B, side: against}]\n"
        "models: {judge: {model: mock/judge, latency_s: 0.3}, default: {model: mock/judge}}\n",
    )


@pytest.mark.parametrize("where", ["transcripts", "transcripts/*.json"])
def test_one_bad_file_does_not_stop_the_others(saved: Path, where: str) -> None:
    """Exit 1; the bad file is named and unchanged."""
    shutil.copy(saved, saved.with_name("other.json"))
    bad = saved.with_name("bad.json")
    bad.write_text("{}")
    done = judge(saved, where, "--system", "structured", "--mock", "--json")
    assert done.code == 1
    assert [entry["path"] for entry in done.json] == ["transcripts/other.json", "transcripts/saved.json"]
    assert [line for line in done.lines if not line.startswith(("saved: ", "REHEARSAL"))] == [
        "debate: transcripts/bad.json: is not a transcript of debate-cli; give the path of a transcript"
    ]
    assert bad.read_text() == "{}"
    assert all(("r2", "structured") in runs_of(read(path)) for path in (saved, saved.with_name("other.json")))


def test_no_debater_needs_a_key(saved: Path) -> None:
    """A debate whose debaters are paid models is judged without their keys."""
    document = read(saved)
    for model in (document["config"]["models"]["default"], *document["participants"]):
        model["model"] = "openai/gpt-5"
    saved.write_text(json.dumps(document))
    done = judge(saved, saved, "--system", "structured", "--model", "mock/other")
    assert done.code == 0, done.err
    assert {item["exchange"]["model"] for item in read(saved)["assessments"] if item["run"] == "r2"} == {"mock/other"}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--model", "openai/gpt-5"], "OPENAI_API_KEY"),
        (["--model", "opnai/gpt-5"], "did you mean `openai`?"),
        (["--model", "gpt-5"], "provider/model"),
        (["--system", "gut"], "structured, moderator, panel, live, persuasion, sources"),
        (["--config", "none.yaml"], "none.yaml"),
    ],
    ids=str,
)
def test_unusable_options_are_refused_before_any_call(saved: Path, options: list[str], named: str) -> None:
    """Exit 2 and one line; the transcript is unchanged."""
    before = saved.read_bytes()
    done = judge(saved, saved, *options)
    assert (done.code, len(done.lines), saved.read_bytes()) == (2, 1, before), done.err
    assert named in done.err


def test_all_systems_judge_in_one_run(saved: Path) -> None:
    """The first one decides. `sources` has nothing to judge."""
    done = judge(saved, saved, "--config", CONFIGS / "everything.yaml", "--mock", "--json")
    assert done.code == 0, done.err
    verdicts = done.json[0]["verdicts"]
    assert sorted(verdict["system"] for verdict in verdicts) == sorted([*SYSTEMS, "sources"])
    assert [verdict["decides"] for verdict in verdicts] == [True, *[False] * len(SYSTEMS)]


def test_a_dry_run_estimates_the_calls_of_the_judging(saved: Path) -> None:
    """Its planned calls and tokens are those of the same judging on the model that it rehearses with; nothing is written."""
    before = saved.read_bytes()
    command = ("judge", saved, "--system", "structured", "--system", "panel", "--model", "mock/rehearsal", "--json")
    ((entry,), folder) = (debate(*command, "--dry-run", cwd=saved.parent).json, saved.parent)
    assert (saved.read_bytes(), [path.name for path in folder.iterdir()]) == (before, [saved.name])
    assert debate(*command, cwd=folder).code == 0
    calls = [item["exchange"] for item in json.loads(saved.read_text())["assessments"] if item["run"] == "r2"]
    planned = entry["plan"]["planned"]
    assert planned["calls"] == len(calls)
    assert planned["input_tokens"] == pytest.approx(sum(call["usage"]["input_tokens"] for call in calls), rel=0.05)
    assert entry["plan"]["worst"]["calls"] > planned["calls"]
