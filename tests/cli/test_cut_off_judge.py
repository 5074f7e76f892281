"""Judges whose answers are cut off: the printed command raises the limit that cut them off, and no other limit."""

import json
import shlex
from pathlib import Path

import pytest
from cli_support import CommandResult, debate, write_config
from model_server import ModelServer, model_server

from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import Reply
from debate_cli.llm.truncation import describe_truncation

LIMITS = (4096, 16_384, 65_536)
"""The output limits of a judge: the default, and those of the first and the second printed command."""
CONFIG = """\
topic: Cats or dogs?
debaters: [{{name: Ada, side: for}}, {{name: Bo, side: against}}]
format: {{phases: [opening]}}
providers: {{vllm: {{base_url: "{base_url}", api_key_env: null}}}}
models: {{default: {{model: vllm/m}}{judge}}}
judging: {{systems: [{system}]}}
"""


def run(here: Path, server: ModelServer, judge: str = ", judge: {model: vllm/j}", system: str = "structured") -> None:
    """Run a debate whose judge is cut off."""
    write_config(here, CONFIG.format(base_url=server.base_url, judge=judge, system=system))
    done = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
    assert (done.code, "abstained: the answer was cut off" in done.err) == (3, True), done.err


def judge_again(here: Path) -> CommandResult:
    """Run the command that `replay` prints."""
    reason, command = debate("replay", "one", cwd=here).lines[-3:-1]
    assert (reason.endswith("; ask again with:"), command.startswith("debate judge ")) == (True, True), command
    return debate(*shlex.split(command)[1:], "-q", cwd=here)


@pytest.mark.parametrize(
    ("judge", "system"),
    [
        (", judge: {model: vllm/j}", "structured"),
        (", strict: {model: vllm/j}", "{kind: structured, judge: strict}"),
        ("", "{kind: structured, judge: vllm/j}"),
    ],
    ids=["models.judge", "a name", "a model"],
)
def test_the_printed_command_raises_the_limit_of_the_judge(here: Path, judge: str, system: str) -> None:
    """It does so until the answer fits, also for a judging run that such a command began; the debaters' limit stays."""
    with model_server() as server:
        server.needed_tokens["j"] = LIMITS[2]
        run(here, server, judge, system)
        assert "cut off at its token limit" in judge_again(here).err
        assert judge_again(here).code == 0
    assert "missing" not in debate("replay", "one", cwd=here).lines[-1]
    asked = dict.fromkeys((body["model"], body["max_tokens"]) for body in server.bodies)
    assert list(asked) == [("m", LIMITS[0]), *(("j", limit) for limit in LIMITS)]
    verdicts = json.loads((here / "transcripts/one.json").read_text())["verdicts"]
    assert [verdict["victory"] != "undetermined" for verdict in verdicts if verdict["decides"]] == [True]


@pytest.mark.parametrize("is_saved", [True, False])
@pytest.mark.parametrize("judge", ["lenient: {model: vllm/j}", "judge: {model: vllm/j}"])
@pytest.mark.parametrize("command", ["run", "judge", "judge --model"])
def test_every_command_advises_a_higher_limit(here: Path, command: str, judge: str, *, is_saved: bool) -> None:
    """The command helps if it is run, be it a debate or a later judging, saved or not."""
    system = "{kind: structured, judge: lenient}" if "lenient" in judge else "structured"
    with model_server() as server:
        write_config(here, CONFIG.format(base_url=server.base_url, judge="", system="structured"))
        assert debate("run", "debate.yaml", "--id", "one", "-q", cwd=here).code == 0
        server.needed_tokens["j"] = LIMITS[1]
        write_config(here, CONFIG.format(base_url=server.base_url, judge=f", {judge}", system=system))
        given = ["run", "debate.yaml", "-q"] if command == "run" else ["judge", "one", "--config", "debate.yaml", "-q"]
        given += ["--model", "vllm/j"] if "--model" in command else []
        given += [] if is_saved else ["--no-save"]
        failed = debate(*given, cwd=here)
        assert (failed.code, "ask again with" in failed.err) == (3, True), failed.err
        advised = next(line for line in failed.lines if "max_output_tokens=" in line or '"max_output_tokens"' in line)
        words = shlex.split(
            advised.removeprefix("debate ") if is_saved else advised.partition("the same command and ")[2]
        )
        assert debate(*([] if is_saved else given), *words, "-q", cwd=here).code == 0, advised


def test_a_context_that_may_be_full_needs_a_higher_limit_or_another_model(here: Path) -> None:
    """The context window is unknown. If it is known to be full, no command raises the limit."""
    saved = here / "transcripts/one.json"
    with model_server() as server:
        server.needed_tokens["j"], server.answer_room = LIMITS[0], 700
        run(here, server)
    done = debate("score", "one", cwd=here)
    assert (
        "cut off after 700 of 4096 tokens; raise `max_output_tokens` of the model, or use a model with a larger"
        in done.err
    )
    other = f"debate judge {saved.relative_to(here)} --system structured --model PROVIDER/MODEL --replace"
    assert done.lines[-1] == f"or ask another model: {other}"
    assert "--set models.judge.max_output_tokens=16384" in done.lines[-2]
    cut_off = Reply("", Usage(input_tokens=300, output_tokens=700), finish_reason="length")
    document = json.loads(saved.read_text())
    document["failures"][0]["message"] = f"abstained: {describe_truncation(cut_off, 4096, context_tokens=1000)}"
    saved.write_text(json.dumps(document))
    done = debate("score", "one", cwd=here)
    assert ("the context is full" in done.err, "max_output_tokens" in done.err) == (True, False)
    assert done.lines[-1] == other


def test_a_changed_limit_opens_no_file_that_a_saved_debate_names(saved: Path) -> None:
    """The model is still that of the saved debate, so its file is refused: exit 2."""
    document = json.loads(saved.read_text())
    document["config"]["models"]["judge"] = {"model": "local//weights/of/a/stranger.gguf"}
    saved.write_text(json.dumps(document))
    done = debate("judge", saved, "--set", "models.judge.max_output_tokens=9000", cwd=saved.parent.parent)
    assert (done.code, "files that a saved debate names are not opened (" in done.err) == (2, True), done.err
