"""A resumed debate with other settings: what may change is recorded and shown, what was said is not touched."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cli_support import CommandResult, debate, run_on_terminal, write_config
from model_server import model_server

from debate_cli.storage.batch_store import STORE_NAME, BatchStore

CONFIG = """\
topic: Cats or dogs?
providers: {lab: {kind: openai, base_url: "URL", api_key_env: null}}
models: {default: {model: lab/small}, judge: {model: mock/judge}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
format: {kind: free_flowing, turns: 10}
limits: {max_attempts: 1}
"""
OFFLINE = CONFIG.replace("lab/small", "mock/a").replace("turns: 10", "turns: 3").replace("URL", "http://127.0.0.1:9/v1")


def read(here: Path) -> dict[str, Any]:
    """The saved transcript."""
    return json.loads((here / "transcripts/one.json").read_text())


def resume(here: Path, *options: str) -> CommandResult:
    """Resume the debate with these options."""
    return debate("run", "--resume", "one", "-q", *options, cwd=here)


@pytest.fixture(scope="module")
def stopped_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an offline debate that a budget of tokens stopped; not to be changed."""
    folder = tmp_path_factory.mktemp("stopped")
    write_config(folder, OFFLINE)
    assert debate("run", "debate.yaml", "--id", "one", "-q", "--max-tokens", "13000", cwd=folder).code == 4
    assert 2 < len(read(folder)["turns"]) < 6
    return folder


@pytest.fixture
def spoken(stopped_once: Path, here: Path) -> list[dict[str, Any]]:
    """The turns of that debate, of which `here` has a copy."""
    shutil.copytree(stopped_once, here, dirs_exist_ok=True)
    return read(here)["turns"]


def test_every_advised_command_continues_a_debate_whose_context_overflowed(here: Path) -> None:
    """Shorter prompts, another model, or a close; the message never offers to resume only, which asks the same again."""
    advised = ("--set format.history=recent", "--set models.default.model=PROVIDER/MODEL", "--close")
    with model_server() as server:
        server.context_tokens = 4200
        write_config(here, CONFIG.replace("URL", server.base_url))
        failed = debate("run", "debate.yaml", "--id", "one", "-q", "--set", "format.history=full", cwd=here)
        assert (failed.code, failed.lines[-3:]) == (
            3,
            [f"debate run --resume transcripts/one.json {option}" for option in advised],
        ), failed.err
        condition = "the same request fails again until you change a setting"
        replayed = f"the debate is unfinished, after 12 speeches; {condition}; resume with: {failed.lines[-3]}"
        assert debate("replay", "one", cwd=here).lines == [replayed]
        _, drawn = run_on_terminal("list", cwd=here, env={"TERM": "xterm-256color", "COLUMNS": "80"})
        assert [condition, f"resume: {failed.lines[-3]}"] == [line.strip() for line in drawn.split("\r\n")[6:8]], drawn
        before = (here / "transcripts/one.json").read_text()
        spoken = json.loads(before)["turns"]
        assert len(spoken) > 2
        for option in advised:
            (here / "transcripts/one.json").write_text(before)
            done = resume(here, *option.replace("PROVIDER/MODEL", "mock/large").split())
            after = read(here)
            assert (done.code, after["closed"], after["turns"][: len(spoken)]) == (0, "complete", spoken), done.err
            assert (len(after["turns"]) == len(spoken)) == (option == "--close")
            if "history" in option:
                assert after["config"]["format"]["history"] == "recent"
            assert {verdict["system"] for verdict in after["verdicts"]} == {"structured"}


def test_the_advised_command_replaces_a_judge_whose_context_overflowed(here: Path) -> None:
    """It names that judge's own model. `format.history` would not help: a judge of the whole debate gets all that fits."""
    panel = "{kind: panel, judges: [{id: a, persona: qa_evaluator, model: lab/small}, {id: b, persona: qa_evaluator}]}"
    with model_server() as server:
        server.context_tokens = 500
        config = CONFIG.replace("URL", server.base_url).replace("{model: lab/small}", "{model: mock/a}")
        write_config(here, f"{config}judging: {{systems: [{panel}]}}\n")
        failed = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
    option = "--set judging.systems.0.judges.0.model=PROVIDER/MODEL"
    assert f"ask again with:\ndebate run --resume transcripts/one.json {option}\n" in failed.err, failed.err
    done = resume(here, *option.replace("PROVIDER/MODEL", "mock/large").split(), "--fail-on", "missing")
    assert (failed.code, done.code) == (3, 0), done.err


@pytest.mark.parametrize("is_added", [False, True])
def test_a_judge_whose_context_overflowed_gets_older_turns_left_out(here: Path, *, is_added: bool) -> None:
    """With `format.history: full`, the advised resume completes the judging, also that of a judge added later."""
    with model_server() as server:
        server.context_tokens = 4200
        config = CONFIG.replace("URL", server.base_url).replace("lab/small", "mock/a")
        judge = "mock/judge" if is_added else "lab/small"
        write_config(here, config.replace("turns: 10", "turns: 10, history: full").replace("mock/judge", judge))
        failed = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
        if is_added:
            failed = debate("judge", "one", "--system", "structured", "--model", "lab/small", "-q", cwd=here)
        advised = "--set format.history=recent"
        assert f"ask again with:\ndebate run --resume transcripts/one.json {advised}\n" in failed.err, failed.err
        done = resume(here, *advised.split(), "--fail-on", "missing")
    assert (failed.code, done.code) == (3, 0), done.err


@pytest.mark.parametrize("history", ["auto", "full"])
def test_only_remedies_that_help_are_offered(here: Path, history: str) -> None:
    """Before the first speech, a prompt has no turns to leave out, and a resume refuses another background."""
    with model_server() as server:
        server.context_tokens = 500
        write_config(here, CONFIG.replace("URL", server.base_url))
        failed = debate("run", "debate.yaml", "--id", "one", "-q", "--set", f"format.history={history}", cwd=here)
    reason, *commands = failed.lines[-2:]
    assert commands == ["debate run --resume transcripts/one.json --set models.default.model=PROVIDER/MODEL"]
    assert "length of the messages; choose a model with a larger context (debate explain context-overflow);" in reason
    assert resume(here, "--set", "background=Short.").code == 2


def test_an_added_judge_whose_context_overflowed_is_replaced(here: Path) -> None:
    """A resume would send the same prompt, so the only advice is another model, which leaves exit code 0."""
    with model_server() as server:
        server.context_tokens = 500
        write_config(here, OFFLINE.replace("http://127.0.0.1:9/v1", server.base_url))
        assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 0
        added = ("judge", "one", "--system", "moderator", "-q", "--model")
        failed = debate(*added, "lab/small", cwd=here)
        unsaved = debate(*added, "lab/small", "--no-save", cwd=here)
    reason, command = failed.lines[-2:]
    assert "larger context (debate explain context-overflow); the same request fails again" in reason, failed.err
    assert reason.endswith("; ask another model with:")
    assert command == "debate judge transcripts/one.json --system moderator --model PROVIDER/MODEL --replace"
    assert unsaved.lines[-1].endswith("; ask another model with the same command and --model PROVIDER/MODEL")
    done = debate(*command.replace("PROVIDER/MODEL", "mock/large").split()[1:], "--fail-on", "missing", cwd=here)
    assert (failed.code, done.code) == (3, 0), done.err


def test_a_change_is_recorded_and_in_force(here: Path, spoken: list[dict[str, Any]]) -> None:
    """`changes` has time, turn, key and both values; `config` has the new one, `config_sha256` stays that of the first."""
    first = read(here)
    done = resume(here, "--set", "models.default.model=mock/b", "--max-tokens", "900000", "--set", "format.turns=4")
    after = read(here)
    assert done.code == 0, done.err
    assert [(item["key"], item["from"], item["to"], item["turn"]) for item in after["changes"]] == [
        ("models.default.model", "mock/a", "mock/b", len(spoken)),
        ("format.turns", 3, 4, len(spoken)),
        ("limits.max_tokens", 13000, 900000, len(spoken)),
    ]
    assert after["config"]["models"]["default"]["model"] == "mock/b"
    assert after["config_sha256"] == first["config_sha256"]
    assert [turn["exchange"]["model"] for turn in after["turns"][len(spoken) - 1 :]][:2] == ["mock/a", "mock/b"]
    assert len(after["turns"]) == 8


def test_a_resume_may_add_rounds_ahead(here: Path) -> None:
    """A resume may add rebuttals and answers if no speech so far would move."""
    write_config(here, OFFLINE)
    started = ("run", "debate.yaml", "--id", "one", "-q", "--set", "format={arguments: 1}", "--max-tokens", "9000")
    assert debate(*started, cwd=here).code == 4
    done = resume(here, "--set", "format.rounds=4", "--set", "format.answers=true", "--max-tokens", "900000")
    assert done.code == 0, done.err
    phases = dict.fromkeys(turn["phase"] for turn in read(here)["turns"])
    assert list(phases) == ["opening", "cross_examination", "answers", "rebuttal", "closing"]


@pytest.mark.usefixtures("spoken")
@pytest.mark.parametrize(
    ("options", "shown"),
    [(("replay", "one", "--format", "markdown"), "| limits.max\\_tokens | 13000 | 900000 |"),
     (("replay", "one", "--format", "html"), "changed on resuming"),
     (("run", "--resume", "one", "--details"), "limits.max_tokens")],
    ids=["markdown", "html", "details"],
)  # fmt: skip
def test_changes_are_shown_in_every_medium(here: Path, options: tuple[str, ...], shown: str) -> None:
    """Changed settings are shown in Markdown, in HTML and with --details."""
    assert resume(here, "--max-tokens", "900000").code == 0
    done = debate(*options, cwd=here)
    assert (done.code, shown in done.out) == (0, True), done.out


@pytest.mark.usefixtures("spoken")
@pytest.mark.parametrize(
    ("option", "line"),
    [("topic=Cats?", '  topic: stored "Cats or dogs?", given "Cats?"'),
     ("format.turns=1", "  format.turns: stored 3, given 1"),
     ("format.arguments=5", "  format.arguments: stored 3, given 5"),
     ("debaters.0.name=Cy", '  debaters.0.name: stored "Ada", given "Cy"')],
)  # fmt: skip
def test_what_would_change_the_past_is_refused(here: Path, option: str, line: str) -> None:
    """A setting that would change earlier speeches ends with exit code 2, and the file is unchanged."""
    before = (here / "transcripts/one.json").read_bytes()
    done = resume(here, "--set", option, "--set", "models.default.model=mock/b")
    assert done.code == 2
    assert line in done.lines, done.err
    assert (here / "transcripts/one.json").read_bytes() == before


def test_a_closed_debate_stays_closed_when_its_judges_are_asked_again(here: Path, spoken: list[dict[str, Any]]) -> None:
    """After `--close` with an unreachable judge, a resume asks the judge, and no debater."""
    assert resume(here, "--close", "--max-tokens", "800000", "--set", "models.judge.model=lab/none").code == 3
    assert resume(here, "--max-tokens", "900000", "--set", "models.judge.model=mock/judge").code == 0
    after = read(here)
    assert (after["closed"], after["turns"], len(after["assessments"])) == ("complete", spoken, 1)


def test_close_needs_a_saved_debate_with_a_speech(here: Path) -> None:
    """Without --resume, or before the first speech, exit 2 with one sentence."""
    write_config(here, OFFLINE)
    assert debate("run", "debate.yaml", "--id", "one", "-q", "--max-tokens", "1", cwd=here).code == 4
    for command in (("run", "debate.yaml", "--close"), ("run", "--resume", "one", "--close")):
        done = debate(*command, cwd=here)
        assert (done.code, len(done.lines), "--close" in done.err) == (2, 1, True), done.err


def test_a_debate_with_variables_is_resumed_without_its_configuration(here: Path) -> None:
    """`run --resume ID` keeps the stored variables; only another value of one of them is a change, which is refused."""
    write_config(here, OFFLINE.replace("Cats or dogs?", "'${A:-Cats} or dogs?'"))
    debate("run", "debate.yaml", "--id", "one", "-q", "--var", "A=Birds", cwd=here)
    (here / "debate.yaml").unlink()
    kept = [
        resume(here, *options).code for options in ((), ("--var", "A=Birds"), ("--var", "B=x"), ("--set", "vars=null"))
    ]
    changed = resume(here, "--var", "A=Fish")
    assert (kept, changed.code, 'vars.A: stored "Birds", given "Fish"' in changed.err) == ([0, 0, 0, 0], 2, True)


def test_batches_of_other_debates_hinder_no_resume(stopped_once: Path, here: Path) -> None:
    """A debate that was never judged in batches is resumed while another process writes to the store of batches."""
    folder = shutil.copytree(stopped_once, here / "copy")
    BatchStore(folder / "transcripts").add_waiting("other")
    with closing(sqlite3.connect(folder / "transcripts" / STORE_NAME)) as database:
        database.execute("BEGIN IMMEDIATE")
        done = resume(folder, "--max-tokens", "100000")
    assert done.code == 0, done.err
