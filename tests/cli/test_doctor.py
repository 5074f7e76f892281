"""`debate doctor`: checks, models, output, exit codes."""

import asyncio
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cli_support import CommandResult, debate, write_config
from llm_support import reply
from model_server import ModelServer, model_server
from rich.console import Console

from debate_cli.app.doctor import Check, CheckResult, Diagnosis, ask_model, build_check_request
from debate_cli.app.model_pool import PooledModel
from debate_cli.domain.config import ModelSpec, Price
from debate_cli.domain.model_call import Usage
from debate_cli.errors import UnauthorizedError, UnsupportedError
from debate_cli.llm.model import OnText, Profile, Reply, Request
from debate_cli.render.model_tables import doctor_table
from debate_cli.render.terminal.drawing import render_table

FORM = '{"words": "one, two", "last": 2}'
FENCED = f"Here you are:\n```json\n{FORM}\n```"
EVERY = Profile(modes=("native", "tool", "prompt"))
SPEC = ModelSpec(model="lab/one")
REJECTED = UnsupportedError("no\n\x1b[31mschema")
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
    """A model that answers each mode as configured; FORM by default."""

    answers: Mapping[str, Reply | Exception] = field(default_factory=dict[str, Reply | Exception])
    pieces: tuple[str, ...] = ("one, ", "two")

    async def complete(self, request: Request, on_text: OnText | None = None) -> Reply:
        """Give the answer to a mode."""
        answer = self.answers.get(request.rung, reply(FORM))
        if isinstance(answer, Exception):
            raise answer
        assert on_text is not None
        for piece in self.pieces:
            on_text(piece)
        return answer


def found(patient: Patient, profile: Profile = EVERY, price: Price | None = None) -> Diagnosis:
    """The diagnosis of `patient`."""
    return asyncio.run(ask_model(SPEC, PooledModel(patient, profile, price, set()), seed=7))


def results(diagnosis: Diagnosis) -> dict[str, str]:
    """Mode -> result."""
    return {check.way: check.result for check in diagnosis.checks}


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
    ("answers", "expected", "usable"),
    [
        ({}, {"native": "ok", "stream": "ok"}, True),
        ({"native": reply(f"<think>well</think>{FORM}")}, {"native": "ok", "stream": "ok"}, True),
        ({"native": reply(FENCED)}, {"native": "not_enforced", "stream": "ok"}, True),
        ({"native": REJECTED}, {"native": "rejected", "tool": "ok", "stream": "ok"}, True),
        (
            {"native": REJECTED, "tool": reply("Two."), "prompt": reply(FENCED)},
            {"native": "rejected", "tool": "not_enforced", "prompt": "ok", "stream": "ok"},
            True,
        ),
        ({"native": reply('{"words": "so", "last": "2"}')}, {"native": "invalid", "stream": "ok"}, False),
        ({"native": reply('{"words": "so', truncated=True)}, {"native": "invalid", "stream": "ok"}, False),
        ({"native": reply("", refusal="No.")}, {"native": "failed"}, False),
        ({"native": UnauthorizedError("bad key")}, {"native": "failed"}, False),
        (
            dict.fromkeys(EVERY.modes, REJECTED),
            {"native": "rejected", "tool": "rejected", "prompt": "rejected"},
            False,
        ),
    ],
)
def test_an_answer_shows_which_ways_of_structuring_work(
    answers: Mapping[str, Reply | Exception], expected: dict[str, CheckResult], *, usable: bool
) -> None:
    """The first mode that works is the last one that is tried; `native` and `tool` need bare JSON."""
    diagnosis = found(Patient(answers))
    assert (results(diagnosis), diagnosis.usable, diagnosis.problem is None) == (expected, usable, usable)


def test_a_stream_in_one_piece_is_no_stream() -> None:
    """A streamed answer that comes in one piece is reported, because the live view would stay empty."""
    assert results(found(Patient(pieces=(FORM,))))["stream"] == "one_piece"


def test_a_problem_is_described_in_one_line() -> None:
    """A problem is described in one line, even if the server's text has several."""
    assert found(Patient(dict.fromkeys(EVERY.modes, REJECTED))).problem == "no schema"


def test_tokens_add_up_to_a_cost() -> None:
    """Failed requests count with their known usage; without a price the cost is unknown, not 0."""
    error = UnsupportedError("no schema")
    error.usage = Usage(input_tokens=50)
    patient = Patient({"native": error})
    diagnosis = found(patient, price=Price(input=2, output=8))
    assert diagnosis.input_tokens > 50
    assert diagnosis.cost_usd == pytest.approx((diagnosis.input_tokens * 2 + diagnosis.output_tokens * 8) / 1_000_000)
    assert found(patient).cost_usd is None


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
    assert first["checks"] == [{"way": "native", "result": "ok"}, {"way": "stream", "result": "ok"}]
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


def test_a_server_that_refuses_the_question_is_not_usable(here: Path, server: ModelServer) -> None:
    """The problem is reported once; no traceback."""
    server.failures += [401] * 3
    done = doctor(here, "default")
    assert done.code == 3
    heading, row, problem = done.out.splitlines()
    assert (heading, row) == (
        "== Models ==",
        "lab/one  not usable  (checks: native schema failed, USD/M in/out: 2 / 8)",
    )
    assert "answered 401" in problem


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


def test_the_table_shows_the_values_of_the_document() -> None:
    """The table has modes, speed and price, with the problems below, and without control sequences."""
    diagnosis = Diagnosis(
        model="lab/one",
        usable=True,
        problem="the server\x1b[2J takes [red]no[/red] schema",
        checks=(Check(way="native", result="rejected"), Check(way="prompt", result="ok")),
        latency_s=2.0,
        tokens_per_second=30.0,
        input_tokens=1200,
        output_tokens=90,
        price=Price(input=0.25, output=2),
        cost_usd=0.0005,
    )
    screen = Console(width=100, record=True, file=io.StringIO())
    screen.print(render_table(doctor_table([diagnosis.model_dump(mode="json")]), {}))
    drawn = screen.export_text()
    row = next(line for line in drawn.splitlines() if "lab/one" in line)
    shown = ["lab/one", "✓", "usable", "native", "schema", "is", "not", "supported", "2.0", "s", "30", "0.25", "/", "2"]
    assert row.split() == shown, drawn
    assert "lab/one: the server takes [red]no[/red] schema" in " ".join(drawn.split())
    assert "the checks used 1200 tokens in, 90 out, $0.0005" in drawn
