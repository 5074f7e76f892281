"""Debates that stop early: the exit code gives the reason, the message the remedy, and all answers are saved."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from cli_support import CONFIGS, debate, run_on_terminal, write_config
from model_server import model_server

MOCK = CONFIGS / "mock.yaml"
TWO = "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
NOWHERE = "http://127.0.0.1:9/v1"


def read(here: Path, debate_id: str = "one") -> dict[str, Any]:
    """A saved transcript."""
    return json.loads((here / f"transcripts/{debate_id}.json").read_text())


def judged_by(base_url: str, attempts: int = 1) -> str:
    """A configuration whose debaters are mocks and whose judge is served at an address."""
    return (
        f"topic: Cats or dogs?\nproviders: {{vllm: {{base_url: '{base_url}', api_key_env: null}}}}\n"
        f"models: {{default: {{model: mock/a}}, judge: {{model: vllm/judge}}}}\n{TWO}limits: {{max_attempts: {attempts}}}\n"
    )


def test_a_terminal_tells_a_failure_once_in_full(here: Path) -> None:
    """The other notice and the last lines refer to it; in a pipe, stderr has the whole message too."""
    write_config(here, judged_by(NOWHERE, 2).replace("model: mock/a", "model: vllm/a"))
    code, drawn = run_on_terminal(
        "run", "debate.yaml", "--id", "one", cwd=here, env={"TERM": "xterm-256color"}, columns=100
    )
    text = " ".join(drawn.split())
    assert (code, text.count("gave up after 2 attempts"), text.count("unreachable, see above")) == (3, 1, 2), text
    assert "gave up after 2 attempts (debate explain server-down)" in debate("run", "debate.yaml", cwd=here).err


@pytest.mark.parametrize("options", [("--set", "limits.max_tokens=9000"), ("--max-tokens", "9000")], ids=" ".join)
def test_a_token_budget_ends_the_run(here: Path, options: tuple[str, str]) -> None:
    """Exit 4; usage is within the limit, the speeches are saved, the message says how to resume."""
    done = debate("run", MOCK, "--id", "one", *options, "-q", cwd=here)
    stopped = read(here)
    assert (done.code, stopped["closed"], stopped["status"]) == (4, "budget", "incomplete")
    assert 0 < stopped["usage"]["input_tokens"] + stopped["usage"]["output_tokens"] <= 9000
    assert len(stopped["turns"]) >= 2
    assert "of 9000 are left (limits.max_tokens)" in done.err
    assert done.out == "", "no heading without a verdict"
    (limit,) = re.findall(
        r"about (\d+) tokens should be enough for the whole debate, which includes what is already used; resume with:",
        done.err,
    )
    assert done.lines[-1] == f"debate run --resume transcripts/one.json --max-tokens {limit}"


@pytest.mark.parametrize("limit", [("--max-tokens", "9000"), ("--max-tokens", "30000"), ("--max-cost", "0.1")])
def test_the_printed_limit_is_enough(here: Path, limit: tuple[str, str]) -> None:
    """The command runs as it is printed, to the end; `replay` prints the same one. The limit is not far too high."""
    price = "models={default: {model: mock/a, price: {input: 10, output: 10}}}"
    stopped = debate("run", MOCK, "--id", "one", "--set", price, *limit, "-q", cwd=here)
    assert stopped.code == 4
    command = stopped.lines[-1]
    assert debate("replay", "one", cwd=here).err.endswith(f"resume with: {command}\n")
    assert debate(*shlex.split(command)[1:], "-q", cwd=here).code == 0
    usage = read(here)["usage"]
    used = usage["cost_usd"] if "--max-cost" in limit else usage["input_tokens"] + usage["output_tokens"]
    assert used < float(command.split()[-1]) < 2 * used


def test_both_limits_are_raised_if_both_are_too_low(here: Path) -> None:
    """Otherwise, the second limit would stop the resumed run."""
    price = "models={default: {model: mock/a, price: {input: 10, output: 10}}}"
    both = ("--max-tokens", "9000", "--max-cost", "0.15")
    stopped = debate("run", MOCK, "--id", "one", "--set", price, *both, "-q", cwd=here)
    assert re.search(r"about \d+ tokens and \$0\.\d+ should be enough", stopped.err)
    assert debate(*shlex.split(stopped.lines[-1])[1:], "-q", cwd=here).code == 0


def test_a_document_gets_a_limit_for_its_whole_judging(here: Path) -> None:
    """The command that asks the missing judges runs as it is printed."""
    text = CONFIGS / "documents/PLAN.md"
    given = ("--config", CONFIGS / "documents/review.yaml", "--mock", "--out", "docs", "--id", "one", "-q")
    stopped = debate("judge", text, *given, "--max-tokens", "9000", cwd=here)
    assert "tokens should be enough for the whole judging, which includes what is already used" in stopped.err
    (command,) = [line for line in stopped.lines if line.startswith("debate run --resume")]
    assert debate(*shlex.split(command)[1:], "--mock", "-q", cwd=here).code == 0


def test_a_higher_budget_resumes_to_the_same_debate(here: Path, saved_once: Path) -> None:
    """Raised by --set or --max-tokens, the debate ends as an uninterrupted one."""
    assert debate("run", MOCK, "--id", "one", "--max-tokens", "9000", "-q", cwd=here).code == 4
    still = debate("run", "--resume", "one", "--set", "limits.max_tokens=12000", "-q", cwd=here)
    assert (still.code, read(here)["closed"]) == (4, "budget")
    assert debate("run", "--resume", "one", "--set", "limits.max_tokens=900000", "-q", cwd=here).code == 0
    whole, ours = json.loads(saved_once.read_text()), read(here)
    assert [ours[key] for key in ("turns", "verdicts", "usage")] == [
        whole[key] for key in ("turns", "verdicts", "usage")
    ]


def test_a_budget_in_money_ends_the_run(here: Path) -> None:
    """A reached budget in dollars ends the run with exit code 4, at the configured price."""
    price = "models.default.price={input: 10, output: 10}"
    done = debate("run", MOCK, "--id", "one", "--set", price, "--max-cost", "0.1", "-q", cwd=here)
    assert (done.code, read(here)["closed"]) == (4, "budget")
    assert 0 < read(here)["usage"]["cost_usd"] <= 0.1


def test_a_server_that_is_down_fails_the_debate(here: Path) -> None:
    """Exit 3; one line names the server and the attempts, the next is the command that resumes; the transcript is closed as failed."""
    write_config(here, judged_by(NOWHERE, 2).replace("mock/a", "vllm/a"))
    done = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
    assert (done.code, read(here)["closed"]) == (3, "failed")
    (line,) = [line for line in done.lines if line.startswith("debate: ")]
    assert all(words in line for words in ("127.0.0.1:9", "2 attempts"))
    assert done.lines[-1] == "debate run --resume transcripts/one.json"


def test_a_failed_debate_resumes_when_the_server_is_back(here: Path) -> None:
    """Failed calls are repeated; the failures stay in the transcript."""
    with model_server(failures=[500] * 2) as server:
        write_config(here, judged_by(server.base_url).replace("mock/a", "vllm/a"))
        assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 3
        assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    resumed = read(here)
    assert (resumed["status"], len(resumed["turns"])) == ("complete", 6)
    assert resumed["verdicts"][0]["victory"] != "undetermined"
    assert {failure["forgiven"] for failure in resumed["failures"]} == {True}


def test_a_debate_survives_a_judge_that_cannot_be_asked(here: Path) -> None:
    """It is complete and undetermined; exit 3, because resuming may bring the verdict."""
    with model_server(failures=[503]) as server:
        write_config(here, judged_by(server.base_url))
        done = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
        silent = read(here)
        assert (done.code, silent["status"], len(silent["turns"])) == (3, "complete", 6)
        assert silent["verdicts"][0]["victory"] == "undetermined"
        assert "debate run --resume transcripts/one.json" in done.err
        assert debate("run", "--resume", "one", "-q", cwd=here).code == 0
    judged = read(here)
    assert judged["verdicts"][0]["victory"] != "undetermined"
    assert judged["turns"] == silent["turns"]


def test_one_system_that_fails_leaves_the_verdicts_of_the_others(here: Path) -> None:
    """With a deciding verdict the run is a success; the transcript holds the failure."""
    write_config(here, judged_by(NOWHERE) + "judging: {systems: [persuasion, {kind: moderator, judge: vllm/judge}]}\n")
    done = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
    stored = read(here)
    assert (done.code, stored["status"]) == (0, "complete")
    assert {verdict["system"]: verdict["victory"] == "undetermined" for verdict in stored["verdicts"]} == {
        "persuasion": False,
        "moderator": True,
    }
    assert {failure["who"] for failure in stored["failures"]} == {"judge"}


@pytest.mark.parametrize("shown", ["-q", "--json", "--details"])
def test_missing_judgements_are_counted_with_the_commands_that_ask_for_them(here: Path, shown: str) -> None:
    """One line for the same judges, one for another model; each can be copied."""
    systems = "judging: {systems: [persuasion, {kind: moderator, judge: vllm/judge}, {kind: panel, judges: JUDGES}]}"
    judges = "[{id: a, persona: qa_evaluator, model: vllm/j}, {id: b, persona: qa_evaluator}]"
    write_config(here, judged_by(NOWHERE).replace("vllm/judge", "mock/j") + systems.replace("JUDGES", judges))
    done = debate("run", "debate.yaml", "--id", "one", shown, cwd=here)
    (counted,) = [line for line in done.lines if "missing" in line]
    assert counted.startswith(
        "note: 5 judgements are missing (1 of panel, 4 of moderator): vllm (127.0.0.1:9) could not"
    )
    assert counted.endswith("; ask again with:")
    assert "debate run --resume transcripts/one.json" in done.lines
    other = "debate judge transcripts/one.json --system panel --system moderator --model PROVIDER/MODEL --replace"
    assert f"or ask another model: {other}" in done.lines


def test_judges_that_cannot_be_reached_are_replaced_by_others(here: Path) -> None:
    """The command that asks another model leaves nothing missing, so that resuming asks nothing."""
    write_config(here, judged_by(NOWHERE) + "judging: {systems: [persuasion, moderator]}\n")
    assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 0
    again = ("judge", "one", "--system", "moderator", "--model", "mock/m", "--replace", "--fail-on", "missing")
    assert debate(*again, "-q", cwd=here).code == 0
    done = debate("run", "--resume", "one", "--fail-on", "missing", "-q", cwd=here)
    assert (done.code, "no model was asked" in done.err) == (0, True), done.err


def test_judging_that_fails_leaves_the_debate_unchanged(saved: Path) -> None:
    """Exit 3; turns and earlier verdicts are the same."""
    here, before = saved.parent.parent, json.loads(saved.read_text())
    write_config(here, judged_by(NOWHERE) + "judging: {systems: [structured]}\n")
    done = debate("judge", saved, "--config", "debate.yaml", cwd=here)
    after = json.loads(saved.read_text())
    assert done.code == 3, done.err
    assert (after["turns"], after["status"]) == (before["turns"], "complete")
    assert [verdict for verdict in after["verdicts"] if verdict["run"] == "r1"] == before["verdicts"]


def test_the_command_after_a_missing_key_has_the_setting_for_it(here: Path) -> None:
    """The setting is in the message, too. A debate that was not saved gets the same option."""
    option = "--set providers.vllm.api_key_env=VARIABLE"
    with model_server(failures=[401] * 9) as server:
        write_config(here, judged_by(server.base_url).replace("mock/a", "vllm/a"))
        done = debate("run", "debate.yaml", "--id", "one", cwd=here)
        unsaved = debate("run", "debate.yaml", "--no-save", cwd=here)
    assert "no key was sent; set providers.vllm.api_key_env to the name of the variable with the key" in done.err
    assert (
        f"replace VARIABLE by this name; resume with:\ndebate run --resume transcripts/one.json {option}\n" in done.err
    )
    assert f"start it again with the same command and {option}\n" in unsaved.err


@pytest.mark.parametrize(("status", "words"), [(401, "LAB_KEY"), (404, "name m")])
def test_a_permanent_error_names_its_cause(here: Path, status: int, words: str) -> None:
    """Exit 3, and a message that names the variable of the key, or the model."""
    with model_server(failures=[status] * 9) as server:
        config = (
            judged_by(server.base_url).replace("mock/a", "vllm/m").replace("api_key_env: null", "api_key_env: LAB_KEY")
        )
        write_config(here, config)
        done = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here, env={"LAB_KEY": "sk-lab-1234567890abcdef"})
    assert (done.code, done.err.count(words), done.err.count("replace the key")) == (3, 1, int(status == 401)), done.err


@pytest.mark.parametrize("code", [0, 3])
def test_with_json_a_halted_debate_is_still_one_document(here: Path, code: int) -> None:
    """The debate so far is on stdout, the reason on stderr."""
    with model_server(failures=[400] * (2 if code else 0)) as server:
        write_config(here, judged_by(server.base_url).replace("mock/a", "vllm/a"))
        done = debate("run", "debate.yaml", "--no-save", "--json", cwd=here)
    assert (done.code, done.json["closed"]) == (code, "failed" if code else "complete")


def test_an_unsaved_debate_that_stops_must_start_again(here: Path) -> None:
    """It cannot be resumed; the budget is raised by an option."""
    done = debate("run", MOCK, "--no-save", "-q", "--max-tokens", "9000", cwd=here)
    assert (done.code, "resume" in done.err) == (4, False)
    assert re.search(r"; start it again with the same command and --max-tokens \d+$", done.lines[-1])


def test_an_unsaved_debate_that_failed_must_start_again(here: Path) -> None:
    """Each remedy is a sentence. There is nothing that `--close` could end."""
    with model_server(failures=[0, *[400] * 9]) as server:
        write_config(here, judged_by(server.base_url).replace("mock/a", "vllm/a"))
        done = debate("run", "debate.yaml", "--no-save", "-q", cwd=here)
    assert done.code == 3, done.err
    assert done.lines[-1].endswith("start it again with the same command and --set models.default.model=PROVIDER/MODEL")
    assert "--close" not in done.err


def test_resuming_does_not_expand_variables_again(here: Path) -> None:
    """A stored topic with `${HOME}` stays as it is when the debate is resumed."""
    command = ("run", MOCK, "--id", "one", "--topic", "Is $${HOME} a good name?", "-q")
    assert debate(*command, "--max-tokens", "9000", cwd=here).code == 4
    assert debate("run", "--resume", "one", "--max-tokens", "900000", "-q", cwd=here).code == 0
    assert (read(here)["topic"], read(here)["status"]) == ("Is ${HOME} a good name?", "complete")


def test_a_debate_with_custom_prompts_needs_its_configuration(here: Path) -> None:
    """A debate with replaced prompts is resumed with its configuration; without it, the error says to name it."""
    (here / "own").mkdir()
    shipped = CONFIGS.parent / "debate_cli/debaters/prompts/opening.md"
    (here / "own/opening.md").write_text("Be brief. " + shipped.read_text())
    write_config(here / "own", MOCK.read_text() + "prompts: {opening: opening.md}\n")
    assert debate("run", "own/debate.yaml", "--id", "one", "--max-tokens", "9000", "-q", cwd=here).code == 4
    without = debate("run", "--resume", "one", "--max-tokens", "900000", "-q", cwd=here)
    assert (without.code, "prompts.opening" in without.err) == (2, True), without.err
    assert "debate run CONFIG --resume ID" in without.err
    assert debate("run", "own/debate.yaml", "--resume", "one", "--max-tokens", "900000", "-q", cwd=here).code == 0


def test_the_command_that_resumes_can_be_copied(here: Path) -> None:
    """The command that resumes quotes a folder's name with a blank."""
    done = debate("run", CONFIGS / "mock.yaml", "--id", "q", "--out", "o p", "--max-tokens", "2000", "-q", cwd=here)
    assert (done.code, done.lines[-1].rpartition(" ")[0]) == (4, "debate run --resume 'o p/q.json' --max-tokens"), (
        done.err
    )
