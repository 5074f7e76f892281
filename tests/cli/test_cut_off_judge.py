"""Judges whose answers are cut off: the message says what helps."""

import json
from pathlib import Path

from cli_support import debate, write_config
from model_server import ModelServer, model_server

from debate_cli.domain.model_call import Usage
from debate_cli.llm.model import Reply
from debate_cli.llm.truncation import describe_truncation

CONFIG = """\
topic: Cats or dogs?
debaters: [{{name: Ada, side: for}}, {{name: Bo, side: against}}]
format: {{phases: [opening]}}
providers: {{vllm: {{base_url: "{base_url}", api_key_env: null}}}}
models: {{default: {{model: vllm/m}}, judge: {{model: vllm/j}}}}
judging: {{systems: [structured]}}
"""


def run(here: Path, server: ModelServer) -> None:
    """Run a debate whose judge is cut off."""
    write_config(here, CONFIG.format(base_url=server.base_url))
    done = debate("run", "debate.yaml", "--id", "one", "-q", cwd=here)
    assert (done.code, "abstained: the answer was cut off" in done.err) == (3, True), done.err


def test_a_higher_limit_lets_the_judge_answer(here: Path) -> None:
    """The message advises it, and the command with the limit asks for the judgement again; the debaters' limit stays."""
    with model_server() as server:
        server.needed_tokens["j"] = 16_384
        run(here, server)
        command = (
            "judge",
            "one",
            "--system",
            "structured",
            "--set",
            "models.judge.max_output_tokens=16384",
            "--replace",
        )
        assert debate(*command, "-q", cwd=here).code == 0
    asked = dict.fromkeys((body["model"], body["max_tokens"]) for body in server.bodies)
    assert list(asked) == [("m", 4096), ("j", 4096), ("j", 16_384)]


def test_a_context_that_may_be_full_needs_a_higher_limit_or_another_model(here: Path) -> None:
    """The context window is unknown. If it is known to be full, a higher limit is not advised."""
    saved = here / "transcripts/one.json"
    with model_server() as server:
        server.needed_tokens["j"], server.answer_room = 4096, 700
        run(here, server)
    done = debate("score", "one", cwd=here)
    assert (
        "cut off after 700 of 4096 tokens; raise `max_output_tokens` of the model, or use one with a larger" in done.err
    )
    other = f"debate judge {saved.relative_to(here)} --system structured --model PROVIDER/MODEL --replace"
    assert done.lines[-1] == other
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
    assert (done.code, "the saved debate names files (" in done.err) == (2, True), done.err
