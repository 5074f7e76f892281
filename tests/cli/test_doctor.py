"""`debate doctor`: checks, models, output, exit codes."""

import asyncio
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cli_support import CommandResult, debate, write_config
from llm_support import reply
from model_server import ModelServer, model_server
from rich.console import Console

from debate_cli.app.doctor import CheckResult, Diagnosis, ModelCheck, build_check_request, diagnosis_to_json, run_checks
from debate_cli.domain.config import ModelSpec, Price
from debate_cli.domain.model_call import Usage
from debate_cli.errors import UnauthorizedError, UnsupportedError
from debate_cli.llm.model import OnText, Profile, Reply, Request
from debate_cli.render.model_tables import doctor_table
from debate_cli.render.terminal.drawing import render_table

FORM = '{"reason": "counting on", "answer": 7}'
FENCED = f"Here you are:\n```json\n{FORM}\n```"
EVERY = Profile(modes=("native", "tool", "prompt"))
ASKED = build_check_request(ModelSpec(model="lab/one"), EVERY, seed=7)
CONFIG = """
topic: Tea or coffee?
seed: 7
providers:
  lab: {{kind: openai, base_url: "{url}", api_key_env: null, price: {{input: 2, output: 8}}}}
  paid: {{kind: openai, base_url: "{url}", api_key_env: LAB_KEY}}
models: {{default: {{model: lab/one}}, judge: {{model: lab/two, temperature: 0.9}}}}
debaters: [{{name: Pro, side: for}}, {{name: Con, side: against, model: default}}]
"""


@dataclass
class Patient:
    """A model that answers each mode, and the streamed question (`text`), as configured; FORM by default."""

    answers: Mapping[str, Reply | Exception] = field(default_factory=dict[str, Reply | Exception])
    pieces: tuple[str, ...] = ("one, ", "two")
    asked: list[Request] = field(default_factory=list[Request])

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Give the answer to a mode."""
        self.asked.append(request)
        answer = self.answers.get(request.rung, reply("".join(self.pieces) if request.rung == "text" else FORM))
        if isinstance(answer, Exception):
            raise answer
        if on_text is not None:
            for piece in self.pieces:
                on_text(piece)
        return answer


def found(patient: Patient, profile: Profile = EVERY) -> dict[str, ModelCheck]:
    """Mode -> check of `patient`."""
    return {check.kind: check for check in asyncio.run(run_checks(patient, profile, ASKED))}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that takes schemas and streams, and knows no tools."""
    with model_server() as running:
        yield running


@pytest.fixture
def here(tmp_path: Path, server: ModelServer) -> Path:
    """A folder with a configuration whose models are on the server."""
    folder = tmp_path / "here"
    folder.mkdir()
    write_config(folder, CONFIG.format(url=server.base_url))
    return folder


def doctor(here: Path, *args: str) -> CommandResult:
    """`debate doctor ARGS` on that configuration."""
    return debate("doctor", "--config", "debate.yaml", *args, cwd=here)


@pytest.mark.parametrize(
    ("answer", "native", "prompt"),
    [
        (reply(FORM), ("ok", True), ("ok", True)),
        (reply(f"<think>well</think>{FORM}"), ("ok", True), ("ok", True)),
        (reply("Seven."), ("not_enforced", False), ("invalid", False)),
        (reply(FENCED), ("not_enforced", True), ("ok", True)),
        (reply('{"reason": "so", "answer": "7"}'), ("not_enforced", False), ("invalid", False)),
        (reply('{"reason": "so', truncated=True), ("invalid", False), ("invalid", False)),
        (reply("", refusal="No."), ("failed", False), ("failed", False)),
        (UnsupportedError("no response_format"), ("rejected", False), ("rejected", False)),
        (UnauthorizedError("bad key"), ("failed", False), ("failed", False)),
    ],
)
def test_an_answer_shows_whether_a_way_of_structuring_works(
    answer: Reply | Exception, native: tuple[CheckResult, bool], prompt: tuple[CheckResult, bool]
) -> None:
    """`native` and `tool` need bare JSON; `prompt` accepts any wrapping."""
    checks = found(Patient({"native": answer, "tool": answer, "prompt": answer}))
    assert (checks["native"].result, checks["native"].has_form) == native
    assert (checks["tool"].result, checks["tool"].has_form) == native
    assert (checks["prompt"].result, checks["prompt"].has_form) == prompt


@pytest.mark.parametrize(
    ("answer", "pieces", "result"),
    [
        (reply("one, two"), ("one, ", "two"), "ok"),
        (reply("one, two"), ("one, two",), "one_piece"),
        (reply(""), (), "invalid"),
        (UnauthorizedError("bad key"), (), "failed"),
    ],
)
def test_a_stream_in_one_piece_is_no_stream(
    answer: Reply | Exception, pieces: tuple[str, ...], result: CheckResult
) -> None:
    """A streamed answer that comes in one piece is reported, because the live view would stay empty."""
    assert found(Patient({"text": answer}, pieces))["stream"].result == result


def test_a_problem_is_described_in_one_line() -> None:
    """A problem is described in one line, even if the server's text has several."""
    checks = found(Patient({"native": UnsupportedError("no\n\x1b[31mschema"), "tool": reply("Seven.")}))
    assert checks["native"].problem == "no schema"
    assert [way for way, check in checks.items() if check.problem is None] == ["prompt", "stream"]


def test_tokens_add_up_to_a_cost() -> None:
    """Failed questions count with their known usage; without a price the cost is unknown, not 0."""
    error = UnauthorizedError("bad key")
    error.usage = Usage(input_tokens=50)
    checks = (
        ModelCheck("native", "ok", has_form=True, usage=Usage(input_tokens=100, output_tokens=10)),
        *asyncio.run(run_checks(Patient({"prompt": error, "text": error}), Profile(modes=("prompt",)), ASKED)),
    )
    diagnosis = Diagnosis("lab/one", checks=checks, price=Price(input=2, output=8))
    assert diagnosis.cost_usd == pytest.approx((200 * 2 + 10 * 8) / 1_000_000)
    assert Diagnosis("lab/one", checks=checks).cost_usd is None


@pytest.mark.parametrize(
    ("checks", "usable"),
    [
        ((ModelCheck("native", "rejected"), ModelCheck("prompt", "ok", has_form=True)), True),
        ((ModelCheck("native", "not_enforced", has_form=True),), True),
        ((ModelCheck("native", "not_enforced"), ModelCheck("stream", "ok")), False),
        ((), False),
    ],
)
def test_a_model_is_usable_if_one_way_gives_a_form(checks: tuple[ModelCheck, ...], usable: bool) -> None:
    """A model is usable if one structured-output mode gives a form; a stream alone is not enough."""
    assert diagnosis_to_json(Diagnosis("lab/one", checks=checks))["usable"] is usable


@pytest.mark.parametrize(
    ("spec", "profile", "limit"),
    [
        (ModelSpec(model="lab/one"), Profile(), 2000),
        (ModelSpec(model="lab/one", max_output_tokens=300), Profile(), 300),
        (ModelSpec(model="lab/one"), Profile(max_output_tokens=16_384), 16_384),
    ],
)
def test_a_reasoning_model_gets_a_larger_limit(spec: ModelSpec, profile: Profile, limit: int) -> None:
    """A reasoning model keeps its output limit, because hidden reasoning counts as output."""
    assert build_check_request(spec, profile, None).max_output_tokens == limit


def test_every_model_of_the_configuration_is_checked(here: Path, server: ModelServer) -> None:
    """Models of debaters and judges are asked with their own parameters, and a configured price gives a cost."""
    done = doctor(here, "--json")
    first, second = done.json
    assert (done.code, first["model"], second["model"]) == (0, "lab/one", "lab/two")
    assert {check["way"]: check["result"] for check in first["checks"]} == {
        "native": "ok",
        "prompt": "ok",
        "stream": "ok",
    }
    assert first["cost_usd"] == pytest.approx((first["input_tokens"] * 2 + first["output_tokens"] * 8) / 1_000_000)
    assert {body["model"]: body["temperature"] for body in server.bodies} == {"one": 0.2, "two": 0.9}


def test_a_model_is_named_by_its_name_in_the_configuration_or_in_full(here: Path, server: ModelServer) -> None:
    """Models that the configuration does not use can be checked, too."""
    done = doctor(here, "judge", "lab/three", "--json")
    assert [entry["model"] for entry in done.json] == ["lab/two", "lab/three"]
    assert {body["model"] for body in server.bodies} == {"two", "three"}


@pytest.mark.parametrize(("name", "hint"), [("jugde", "did you mean `judge`?"), ("lab/", "write provider/model")])
def test_an_unknown_name_is_an_error(here: Path, name: str, hint: str) -> None:
    """A name that the configuration does not have is an error, and no model is called."""
    done = doctor(here, name)
    assert (done.code, done.out) == (2, "")
    assert hint in done.err


def test_a_missing_key_and_an_unknown_provider_are_rows(here: Path) -> None:
    """The other models are checked; the exit code says that not all can be used."""
    done = doctor(here, "default", "paid/x", "nobody/y", "--json")
    problems = [entry["problem"] for entry in done.json]
    assert done.code == 3
    assert [entry["usable"] for entry in done.json] == [True, False, False]
    assert "LAB_KEY is not set" in problems[1]
    assert "unknown provider nobody" in problems[2]


def test_a_server_that_refuses_every_question_is_not_usable(here: Path, server: ModelServer) -> None:
    """A problem of several checks is reported once; no traceback."""
    server.failures += [401] * 3
    done = doctor(here, "default")
    assert done.code == 3
    assert done.out.startswith("lab/one  not usable  (native schema failed, schema in prompt failed, streaming failed)")
    assert [line for line in done.out.splitlines()[1:] if "answered 401" in line] == done.out.splitlines()[1:]
    assert len(done.out.splitlines()) == 2


def test_a_server_that_takes_no_temperature_is_usable(here: Path, server: ModelServer) -> None:
    """A server that rejects the temperature is asked without it, and the JSON document says so."""
    server.unsupported = "temperature"
    done = doctor(here, "default", "--json")
    assert (done.code, done.json[0]["usable"], done.json[0]["sampling"]) == (0, True, False)


def test_with_the_mock_no_server_is_asked(here: Path, server: ModelServer) -> None:
    """With --mock no key and no network is needed."""
    done = doctor(here, "--mock", "judge", "openai/gpt-5", "--json")
    assert (done.code, server.bodies) == (0, [])
    assert [entry["model"] for entry in done.json] == ["mock/two", "mock/gpt-5"]


def entry(**changes: Any) -> dict[str, Any]:
    """An entry as `--json` prints it."""
    checks = (
        ModelCheck("native", "rejected", "the server\x1b[2J takes [red]no[/red] schema"),
        ModelCheck("prompt", "ok", has_form=True, usage=Usage(input_tokens=1200, output_tokens=30)),
        ModelCheck("stream", "ok", usage=Usage(output_tokens=60), latency_s=2.0, first_text_s=0.4),
    )
    return diagnosis_to_json(Diagnosis("lab/one", checks=checks, price=Price(input=0.25, output=2))) | changes


def test_the_table_shows_the_values_of_the_document() -> None:
    """The table has modes, speed and price, with the problems below, and without control sequences."""
    screen = Console(width=80, record=True, file=io.StringIO())
    screen.print(render_table(doctor_table([entry()]), {}))
    drawn = screen.export_text()
    row = next(line for line in drawn.splitlines() if "lab/one" in line)
    assert row.split() == ["✓", "lab/one", "✗", "—", "✓", "✓", "2.0", "s", "30", "0.25", "/", "2"], drawn
    assert "native schema is not supported: the server takes [red]no[/red] schema" in " ".join(drawn.split())
    assert "the checks used 1200 tokens in, 90 out, $0.0005" in drawn
