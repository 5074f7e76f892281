"""Runs of an experiment on the mock: what is run, what is left alone, what comes out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_support import debate
from experiments_support import BASE, PAIR, judgements, read_csv, run, write_experiment

from debate_cli.domain.model_call import PARTIAL_REHEARSAL_NOTICE, REHEARSAL_NOTICE
from debate_cli.experiments.definition import load_experiment
from debate_cli.experiments.ledger import Ledger
from debate_cli.experiments.progress import deciding_winners, read_progress
from debate_cli.storage.transcript_store import open_debate


def attempts(folder: Path) -> dict[str, int]:
    """Key -> attempts of every cell that was ever planned."""
    with Ledger.open(folder) as ledger:
        return {record.cell.key: record.attempts for record in ledger.records(only_planned=False)}


def test_an_experiment_leaves_ordinary_debates_and_a_row_per_judgement(here: Path) -> None:
    """Each debate has a judging run per judge, its verdicts can be recomputed, and its weights add up to 1."""
    write_experiment(here, judges=[{"name": "jo", "model": "mock/jo"}, {"name": "max", "model": "mock/max"}])
    out = run(here, "--limit", "3")
    assert out.count(" done  ") == 3
    rows = judgements(here / "trial")
    assert [(row.judge, row.weight) for row in rows] == [("jo", 0.5), ("max", 0.5)] * 3
    stored = open_debate(here / "trial" / rows[0].path).debate
    assert [run_.models["judge"].model for run_ in stored.runs[1:]] == ["mock/jo", "mock/max"]
    assert not stored.run("r1").judging.systems
    assert debate("score", "--check", "trial/debates", cwd=here).code == 0


def test_the_judges_of_the_base_have_one_name(here: Path) -> None:
    """Without `judges`, progress lines and the report name them alike."""
    write_experiment(here, judges=None)
    assert "  judges of the base configuration: " in run(here, "--limit", "2")
    assert "judges of the base configuration" in debate("experiment", "report", "exp.yaml", cwd=here).out


def test_running_again_runs_what_is_left_and_nothing_else(here: Path) -> None:
    """A run after --limit does the rest of the cells, and a further run does none."""
    write_experiment(here, players=PAIR)
    run(here, "--limit", "1")
    assert run(here).count(" done  ") == 3
    assert set(attempts(here / "trial").values()) == {1}
    assert " done  " not in run(here)


def test_a_changed_file_adds_and_removes_cells(here: Path) -> None:
    """After a change of motions, finished cells that are still planned stay, and the others do not count."""
    write_experiment(here, players=PAIR)
    run(here)
    write_experiment(here, motions=["Should cities ban cars?", "Is tea better?"], players=PAIR)
    assert run(here).count(" done  ") == 2
    assert set(attempts(here / "trial").values()) == {1}
    status = debate("experiment", "status", "exp.yaml", "--json", cwd=here).json
    assert (status["cells"]["done"], status["removed"]) == (4, 2)
    assert {row.topic for row in judgements(here / "trial")} == {"Should cities ban cars?", "Is tea better?"}


def test_another_judge_judges_the_finished_debates(here: Path) -> None:
    """An added judge judges the finished debates, without a new speech and without changing the first judge's runs."""
    write_experiment(here, motions=["Is tea better?"], players=PAIR)
    run(here)
    before = {row.debate: row for row in judgements(here / "trial")}
    write_experiment(
        here,
        motions=["Is tea better?"],
        players=PAIR,
        judges=[{"name": "jo", "model": "mock/jo"}, {"name": "max", "model": "mock/max"}],
    )
    run(here)
    rows = judgements(here / "trial")
    assert [row.judge for row in rows] == ["jo", "max"] * 2
    assert all(row == before[row.debate]._replace(weight=0.5) for row in rows if row.judge == "jo")


def test_the_failure_of_a_cell_is_its_own(here: Path) -> None:
    """A failed cell does not end the others, `status` names its cause, and --retry-failed runs failed cells only."""
    faulty = {"name": "cid", "model": "cid"}
    players: list[Any] = [{"name": "ann", "model": "mock/ann"}, {"name": "bob", "model": "mock/bob"}, faulty]
    models = {"default": {"model": "mock/default"}, "cid": {"model": "mock/cid", "faults": {"refusal": 1}}}
    write_experiment(here, {**BASE, "models": models}, players=players, motions=["Is tea better?"])
    out = run(here, expect=1)
    assert (out.count(" done  "), out.count(" failed  ")) == (2, 4)
    status = debate("experiment", "status", "exp.yaml", "--json", cwd=here).json
    assert status["cells"] == {"open": 0, "running": 0, "failed": 4, "done": 2}
    assert [(failure["cause"], failure["cells"]) for failure in status["failures"]] == [("RefusedError", 4)]
    again = run(here, "--retry-failed", "--limit", "2", expect=3)
    assert again.count(" failed  ") == 2


def test_the_budget_belongs_to_the_experiment(here: Path) -> None:
    """A reached budget ends the run with exit code 4, and a higher budget continues it."""
    priced = {"model": "mock/default", "price": {"input": 1, "output": 1}}
    players = [{"name": name, "model": "default"} for name in ("ann", "bob")]
    base = {**BASE, "models": {"default": priced, "judge": priced}}
    judges = [{"name": "jo", "model": "judge"}]
    limits = {"concurrency": 2, "max_cost_usd": 0.03}
    write_experiment(here, base, players=players, judges=judges, limits=limits, repeat=3, self_judging=True)
    done = debate("experiment", "run", "exp.yaml", cwd=here)
    assert done.code == 4
    assert "the budget of the experiment is reached" in done.err
    status = debate("experiment", "status", "exp.yaml", "--json", cwd=here).json
    assert 0 < status["cost_usd"] <= 0.03
    assert status["cells"]["failed"] == 0
    limits["max_cost_usd"] = 5
    write_experiment(here, base, players=players, judges=judges, limits=limits, repeat=3, self_judging=True)
    run(here)


def test_shards_are_disjoint_and_merge_to_the_whole(here: Path) -> None:
    """The merged judgements of two shards are those of one undivided run."""
    write_experiment(here, players=PAIR)
    run(here)
    whole = judgements(here / "trial")
    for number in (1, 2):
        run(here, "--shard", f"{number}/2", "--out", f"part{number}")
    merged = debate("experiment", "merge", "part1", "part2", "-o", "all", "--json", cwd=here)
    assert merged.json["cells"] == {"open": 0, "running": 0, "failed": 0, "done": 4}
    assert judgements(here / "all") == whole
    assert sum(len(list((here / f"part{number}" / "debates").glob("*.json"))) for number in (1, 2)) == 4


def test_runs_with_mock_have_a_folder_for_themselves(here: Path) -> None:
    """`--mock` needs no key, and its results never mix with those of models."""
    players = [{"name": "ann", "model": "openai/gpt-5"}, {"name": "bob", "model": "anthropic/claude-sonnet-5"}]
    write_experiment(here, players=players, judges=[{"name": "jo", "model": "openai/gpt-5-mini"}])
    assert run(here, "--mock").startswith(REHEARSAL_NOTICE)
    assert {row.first_model for row in judgements(here / "trial-mock")} == {"mock/gpt-5", "mock/claude-sonnet-5"}
    assert not (here / "trial").exists()


def test_a_rehearsal_is_named_before_and_after_all_results(here: Path) -> None:
    """If the file names the mock as every model, `run`, `status`, `merge` and `report` say so, as with `--mock`."""
    pytest.importorskip("scipy", reason="needs the extra [experiments]")
    write_experiment(here, players=PAIR, motions=["Is tea better?"])
    commands = {
        "run": ("run", "exp.yaml", "--limit", "1"),
        "quiet run": ("run", "exp.yaml", "--quiet"),
        "status": ("status", "exp.yaml"),
        "report": ("report", "exp.yaml"),
        "merge": ("merge", "trial", "-o", "merged"),
        "status of a merged folder": ("status", "merged"),
        "run with --mock": ("run", "exp.yaml", "--mock", "--quiet"),
    }
    for name, command in commands.items():
        lines = debate("experiment", *command, cwd=here).out.splitlines()
        assert (lines[0], lines[-1], lines.count(REHEARSAL_NOTICE)) == (REHEARSAL_NOTICE, REHEARSAL_NOTICE, 2), name
    assert debate("experiment", "report", "trial", "--html", "r.html", cwd=here).code == 0
    assert (here / "r.html").read_text().count(REHEARSAL_NOTICE) == 2


def test_json_names_a_rehearsal(here: Path) -> None:
    """`--json` says whether only the mock answered, also in the last event of a run."""
    write_experiment(here, players=PAIR, motions=["Is tea better?"])
    events = [json.loads(line) for line in run(here, "--json").splitlines()]
    assert events[-1]["rehearsal"] is True
    assert debate("experiment", "status", "exp.yaml", "--json", cwd=here).json["rehearsal"] is True


@pytest.mark.parametrize("real", ["player", "judge", "judging system of the base", "all"])
def test_an_experiment_with_other_models_is_no_rehearsal(here: Path, real: str) -> None:
    """If one player, judge or judging system of the base is not the mock, the notice says `in part`; if all, nothing."""
    lab = {"lab": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key_env": None}}
    model = {name: "lab/any" if real in {name, "all"} else "mock/any" for name in ("player", "judge")}
    systems: list[Any] = ["structured"]
    if real == "judging system of the base":
        systems.append({"kind": "moderator", "guidance": True, "judge": "lab/any"})
    players = [
        {"name": "ann", "model": "lab/ann" if real == "all" else "mock/ann"},
        {"name": "bob", "model": model["player"]},
    ]
    write_experiment(
        here,
        {**BASE, "providers": lab, "judging": {"systems": systems}},
        players=players,
        judges=[{"name": "jo", "model": model["judge"]}],
        self_judging=True,
    )
    expected = "" if real == "all" else PARTIAL_REHEARSAL_NOTICE
    assert load_experiment(here / "exp.yaml", {}).rehearsal_notice == expected
    assert load_experiment(here / "exp.yaml", {}, mock=True).rehearsal_notice == REHEARSAL_NOTICE


def test_repeats_differ(here: Path) -> None:
    """Two repeats of a debate have different speeches, because their seeds differ."""
    write_experiment(here, players=PAIR, sides="first", motions=["Is tea better?"], repeat=2)
    run(here)
    first, second = (open_debate(here / "trial" / row.path).debate for row in judgements(here / "trial"))
    assert first.turns[0].text != second.turns[0].text


def test_a_player_may_meet_itself(here: Path) -> None:
    """The results of a player that meets itself have its name on both sides."""
    write_experiment(here, pairing="self", sides="both", motions=["Is tea better?"])
    run(here)
    assert {(row.first, row.second) for row in judgements(here / "trial")} == {("ann",) * 2, ("bob",) * 2, ("cid",) * 2}


def test_a_debate_against_itself_is_no_win(here: Path) -> None:
    """A player wins no debate against itself; the live counts, the status and its JSON count such debates apart."""
    write_experiment(here, pairing=[["ann", "ann"], ["ann", "bob"]], players=PAIR, motions=["Is tea better?"])
    events = [json.loads(line) for line in run(here, "--json").splitlines()]
    status = debate("experiment", "status", "exp.yaml", "--json", cwd=here).json
    others = [row for row in judgements(here / "trial") if row.first != row.second]
    won = sum(row.winner == "ann" for row in others)
    expected = {"won": won, "judged": len(others), "against_itself": 1}
    assert status["players"]["ann"] == events[-1]["players"]["ann"] == expected
    line = f"ann  won {won} of 2 judgements, 1 judgement of debates in which it met itself"
    assert line in debate("experiment", "status", "exp.yaml", cwd=here).out


def test_systems_that_steer_stay_in_the_debate(here: Path) -> None:
    """With an experiment's judges, the debate's own run keeps only the systems that steer the debate."""
    systems = ["structured", {"kind": "moderator", "guidance": True}]
    write_experiment(here, {**BASE, "judging": {"systems": systems}})
    run(here, "--limit", "1")
    row = next(row for row in judgements(here / "trial") if row.decides)
    stored = open_debate(here / "trial" / row.path).debate
    assert [system.kind for system in stored.run("r1").judging.systems] == ["moderator"]
    assert (row.system, row.judge) == ("structured", "jo")


def test_a_judge_that_always_fails_is_named_with_its_cause(here: Path) -> None:
    """Terminal, JSON, HTML and CSV name the judge and the cause, and the other judge's judgements keep half the weight."""
    refuses = {"model": "mock/max", "faults": {"refusal": 1}}
    write_experiment(
        here,
        {**BASE, "models": {**BASE["models"], "refuses": refuses}},
        players=PAIR,
        judges=[{"name": "jo", "model": "mock/jo"}, {"name": "max", "model": "refuses"}],
    )
    run(here)
    rows = judgements(here / "trial")
    assert [(row.judge, row.weight, row.failure) for row in rows] == [("jo", 0.5, None), ("max", 0.0, "abstained")] * 4
    report = ("experiment", "report", "exp.yaml")
    sentence = "max  system: structured, cause: no usable answer, judgements 4"
    assert sentence in debate(*report, cwd=here).out
    done = debate(*report, "--json", cwd=here)
    assert done.code == 0, done.err
    assert done.json["analysis"]["failed"] == [
        {"judge": "max", "system": "structured", "cause": "abstained", "count": 4}
    ]
    assert debate(*report, "--html", "r.html", cwd=here).code == 0
    page = (here / "r.html").read_text()
    assert "no usable answer" in page[page.lower().index("failed judgements") :]
    listed = read_csv(debate(*report, "--format", "csv", cwd=here).out)
    assert [row["failure"] for row in listed] == ["", "abstained"] * 4


def test_failures_are_reported_without_any_verdict(here: Path) -> None:
    """If no judge names a winner, the report says so and still names the failed judgements, also as a page."""
    refuses = {"model": "mock/max", "faults": {"refusal": 1}}
    write_experiment(
        here,
        {**BASE, "models": {**BASE["models"], "refuses": refuses}},
        players=PAIR,
        judges=[{"name": "max", "model": "refuses"}],
    )
    run(here)
    shown = debate("experiment", "report", "exp.yaml", "--html", "r.html", cwd=here)
    assert (shown.code, "no verdict names a winner or a draw yet" in shown.err) == (0, True), shown.err
    assert "no usable answer" in (here / "r.html").read_text()
    assert "cause: no usable answer, judgements 4" in debate("experiment", "report", "exp.yaml", cwd=here).out


def test_a_judge_of_the_base_with_a_model_of_a_player_is_named(here: Path) -> None:
    """A judgement of the base's judge says that its own model spoke, and the report counts such judgements."""
    config = {**BASE, "models": {**BASE["models"], "judge": {"model": "mock/ann"}}}
    write_experiment(here, config, players=PAIR, judges=None, motions=["Is tea better?"])
    run(here)
    assert [row.own_model for row in judgements(here / "trial")] == [True, True]
    assert (
        "on debates in which the judge's own model spoke 2" in debate("experiment", "report", "exp.yaml", cwd=here).out
    )


def test_without_judges_the_base_judges(here: Path) -> None:
    """Without an experiment's judges, there is a row per system of the base, with no judge's name."""
    write_experiment(here, {**BASE, "judging": {"systems": ["structured", "moderator"]}}, judges=None)
    run(here, "--limit", "1")
    assert [(row.judge, row.system, row.decides, row.weight) for row in judgements(here / "trial")] == [
        (None, "structured", True, 1.0),
        (None, "moderator", False, 1.0),
    ]


def test_every_format_has_the_same_rows(here: Path) -> None:
    """CSV, JSON, JSON lines and Parquet have the same rows, with a column for each axis."""
    write_experiment(here, axes={"format.arguments": [1, 2]}, players=PAIR, motions=["Is tea better?"])
    run(here)
    expected = [(row.first, row.winner, row.axes["format.arguments"]) for row in judgements(here / "trial")]
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    readers: dict[str, Callable[[Path], Any]] = {
        "csv": lambda path: read_csv(path.read_text()),
        "json": lambda path: json.loads(path.read_text()),
        "jsonl": lambda path: map(json.loads, path.read_text().splitlines()),
        "parquet": lambda path: parquet.read_table(path).to_pylist(),
    }
    for kind, read in readers.items():
        done = debate("experiment", "report", "trial", "--format", kind, "-o", f"rows.{kind}", cwd=here)
        assert done.code == 0, done.err
        rows = read(here / f"rows.{kind}")
        found = [(row["first"], row["winner"] or None, int(row["axes.format.arguments"])) for row in rows]
        assert found == expected, kind


def test_a_parquet_file_is_replaced_as_a_whole(here: Path) -> None:
    """`--force` writes a new file beside the old one, so an interruption keeps the old one."""
    pytest.importorskip("pyarrow")
    write_experiment(here, players=PAIR, motions=["Is tea better?"])
    run(here)
    (here / "rows.parquet").write_text("old")
    (here / "same.parquet").hardlink_to(here / "rows.parquet")
    report = ("experiment", "report", "trial", "--format", "parquet", "-o", "rows.parquet", "--force")
    assert debate(*report, cwd=here).code == 0
    assert (here / "same.parquet").read_text() == "old"


def test_the_html_page_links_to_each_debate(here: Path) -> None:
    """The page of the report links to the transcripts, or to the pages of the debates if there are any."""
    pytest.importorskip("scipy", reason="needs the extra [experiments]")
    write_experiment(here, players=PAIR, motions=["Is tea better?"])
    run(here)
    for suffix in ("json", "html"):
        debate("experiment", "report", "trial", "--html", "report.html", "--force", cwd=here)
        page = (here / "report.html").read_text()
        assert [
            f'href="./trial/{Path(row.path).with_suffix(f".{suffix}")}"' in page for row in judgements(here / "trial")
        ] == [True] * 2
        debate("score", "trial/debates", "--format", "html", "-o", "trial/debates", cwd=here)


def test_json_events_count_every_cell(here: Path) -> None:
    """`run --json` prints a line for the start and end of each cell, and a last line with the sums."""
    write_experiment(here, players=PAIR)
    events = [json.loads(line) for line in run(here, "--json").splitlines()]
    assert [event["type"] for event in events].count("started") == 4
    settled = [event for event in events if event["type"] == "settled"]
    assert {event["state"] for event in settled} == {"done"}
    assert (events[-1]["type"], events[-1]["finished"], events[-1]["cells"]["done"]) == ("ended", 4, 4)


def test_dry_run_plans_calls_as_a_run_uses_them(here: Path) -> None:
    """A dry run writes nothing, and plans the calls and, within 25 %, the tokens of a run on the mock."""
    write_experiment(here, players=PAIR)
    plan = debate("experiment", "run", "exp.yaml", "--dry-run", "--json", cwd=here).json
    assert not (here / "trial").exists()
    assert plan["cells"] == 4
    assert {player["name"]: player["debates"] for player in plan["players"]} == {"ann": 4, "bob": 4}
    run(here)
    with Ledger.open(here / "trial") as ledger:
        _, tokens, calls = ledger.usage()
    planned = plan["planned"]
    assert planned["calls"] == calls
    assert planned["input_tokens"] + planned["output_tokens"] == pytest.approx(tokens, rel=0.25)
    left = debate("experiment", "run", "exp.yaml", "--dry-run", "--json", cwd=here).json
    assert (left["done"], left["planned"]["calls"]) == (4, 0)


def test_dry_run_counts_the_fee_of_web_searches(here: Path) -> None:
    """A search costs an experiment of two debates twice what it costs one debate, fee included."""
    evidence = {"web": {"provider": "anthropic", "model": "claude-sonnet-5"}}
    write_experiment(here, {**BASE, "evidence": evidence}, players=PAIR, motions=["Is tea better?"], judges=None)
    single, both = (
        debate(*command, "--dry-run", "--json", cwd=here, env={"ANTHROPIC_API_KEY": "any"}).json
        for command in (("run", "base.yaml"), ("experiment", "run", "exp.yaml"))
    )
    costs = [
        each["planned"]["cost_usd"]
        for each in (*single["plan"]["roles"], *both["judges"])
        if each.get("role", each.get("name")) == "web search"
    ]
    assert costs[1] == pytest.approx(2 * costs[0])


PANEL = [{"id": name, "persona": "domain_expert", "weight": 1} for name in "abc"]
SCORING: dict[str, dict[str, Any]] = {
    "structured": {"weights": {"logic": 1, "evidence": 0, "responsiveness": 0, "honesty": 0}, "fallacy_penalty": 2},
    "moderator": {"thresholds": {"draw": 300, "clear": 400}},
    "panel": {"judges": [{"id": "a", "persona": "domain_expert", "weight": 9}, *PANEL[1:]], "max_rounds": 0},
    "persuasion": {"clear_margin": 0},
}
"""Settings that change only the verdict, for each judging system that has such settings and judges these debates."""


JO = [{"name": "jo", "model": "mock/jo"}]


@pytest.mark.parametrize(("kind", "judges"), [*((kind, None) for kind in SCORING), ("structured", JO)])
def test_new_settings_for_scoring_ask_no_judge_again(here: Path, kind: str, judges: Any) -> None:
    """After a change that only scoring uses, a run and a dry run make no call, and the report has the new verdicts."""
    system: dict[str, Any] = {"kind": kind}
    if kind == "panel":
        system |= {"judges": PANEL, "max_rounds": 0}
    if kind == "persuasion":
        system["effects"] = "judge"
    changes: dict[str, Any] = {"players": PAIR, "judges": judges}
    write_experiment(here, {**BASE, "judging": {"systems": [system]}}, **changes)
    run(here)
    before, used = judgements(here / "trial"), _usage(here / "trial")
    write_experiment(here, {**BASE, "judging": {"systems": [{**system, **SCORING[kind]}]}}, **changes)
    plan = debate("experiment", "run", "exp.yaml", "--dry-run", "--json", cwd=here).json
    assert (plan["done"], plan["planned"]["calls"]) == (4, 0)
    run(here)
    after = judgements(here / "trial")
    assert (_usage(here / "trial"), [row.run for row in after]) == (used, [row.run for row in before])
    assert [(row.victory, row.margin) for row in after] != [(row.victory, row.margin) for row in before]


def _usage(folder: Path) -> tuple[float, int, int]:
    with Ledger.open(folder) as ledger:
        return ledger.usage()


def test_a_new_question_is_asked(here: Path) -> None:
    """A judge whose question changed is asked again, although no speech is."""
    fallacies = {"systems": [{"kind": "structured", "fallacies": ["ad hominem"]}]}
    write_experiment(here, players=PAIR, motions=["Is tea better?"])
    run(here)
    write_experiment(here, {**BASE, "judging": fallacies}, players=PAIR, motions=["Is tea better?"])
    run(here)
    assert [row.run for row in judgements(here / "trial")] == ["r3", "r3"]


def test_a_renamed_judge_stays_one_judge(here: Path) -> None:
    """A judge that got a new name has this name in all judgements, also in those that were made before."""
    write_experiment(here, players=PAIR, motions=["Is tea better?"], judges=[{"name": "jo", "model": "mock/jo"}])
    run(here)
    motions = ["Is tea better?", "Is Latin worth teaching?"]
    write_experiment(here, players=PAIR, motions=motions, judges=[{"name": "joan", "model": "mock/jo"}])
    run(here)
    assert [row.judge for row in judgements(here / "trial")] == ["joan"] * 4
    assert set(attempts(here / "trial").values()) == {1}
    with Ledger.open(here / "trial") as ledger:
        found = [(record.cell, ledger.results_of(record.cell.key)) for record in ledger.records()]
        assert [list(deciding_winners(*each)) for each in found] == [["joan"]] * 4
        assert not any("judge" in result.row for _, results in found for result in results)


def test_only_judges_of_the_newest_plan_count(here: Path) -> None:
    """After a judge took the place of another one, the ledger has results of both, and the progress counts one."""
    for name in ("jo", "max"):
        judges = [{"name": name, "model": f"mock/{name}"}]
        write_experiment(here, players=PAIR, motions=["Is tea better?"], judges=judges)
        run(here)
    with Ledger.open(here / "trial") as ledger:
        found = [(record.cell, ledger.results_of(record.cell.key)) for record in ledger.records()]
        assert [len(results) for _, results in found] == [2, 2]
        assert [list(deciding_winners(*each)) for each in found] == [["max"], ["max"]]
        assert {score.judged for score in read_progress(ledger).players.values()} == {2}


def test_a_new_price_asks_no_judge_again(here: Path) -> None:
    """A judge whose price changed is not asked again when another judge is added."""
    base: dict[str, Any] = {**BASE, "models": {"default": {"model": "mock/default"}, "jo": {"model": "mock/jo"}}}
    changes: dict[str, Any] = {"players": PAIR, "motions": ["Is tea better?"], "sides": "first"}
    write_experiment(here, base, judges=[{"name": "jo", "model": "jo"}], **changes)
    run(here)
    base["models"]["jo"] = {"model": "mock/jo", "price": {"input": 1, "output": 1}}
    judges = [{"name": "jo", "model": "jo"}, {"name": "max", "model": "mock/max"}]
    write_experiment(here, base, judges=judges, **changes)
    run(here)
    assert [(row.judge, row.run) for row in judgements(here / "trial")] == [("jo", "r2"), ("max", "r3")]
