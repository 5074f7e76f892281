"""Which pairs of variable and host need the user's consent."""

from dataclasses import dataclass, field, replace

import pytest

from debate_cli.app.consent import find_destinations
from debate_cli.domain.config import DebateConfig, ModelSpec, ProviderSpec
from debate_cli.storage.provider_origin import find_origin
from debate_cli.storage.variables import Environment

ENV = {
    "OPENAI_API_KEY": "k",
    "ANTHROPIC_API_KEY": "k",
    "LAB_KEY": "k",
    "OTHER_KEY": "k",
    "PATH_PART": "p",
    "LAB_URL": "https://lab.example/v1",
}
LAB = "https://lab.example/v1"


@dataclass(frozen=True)
class Case:
    """A provider as a file describes it."""

    settings: dict[str, object]
    expected: list[tuple[str | None, str]]
    """Variable and host of each consent."""
    name: str = "lab"
    env: dict[str, str] = field(default_factory=dict[str, str])
    dotenv: dict[str, str] = field(default_factory=dict[str, str])
    options: tuple[str, ...] = ()
    """Keys that an option set."""


CASES = {
    "any variable to a host of the file": Case({"base_url": LAB, "api_key_env": "LAB_KEY"}, [("LAB_KEY", "lab.example")]),
    "no variable": Case({"base_url": LAB, "api_key_env": None}, [(None, "lab.example")]),
    "a header": Case(
        {"base_url": LAB, "api_key_env": "LAB_KEY", "headers": {"x": "a ${OTHER_KEY}"}},
        [("LAB_KEY", "lab.example"), ("OTHER_KEY", "lab.example")],
    ),
    "a header to a built-in host": Case(
        {"headers": {"x": "${OTHER_KEY}"}}, [("OTHER_KEY", "api.openai.com")], name="openai"
    ),
    "a part of the address": Case({"base_url": f"{LAB}/${{PATH_PART}}"}, [("PATH_PART", "lab.example")]),
    "a built-in variable to loopback": Case(
        {"base_url": "http://localhost:9/v1", "api_key_env": "OPENAI_API_KEY"}, [("OPENAI_API_KEY", "localhost:9")]
    ),
    "a built-in variable to another provider": Case(
        {"base_url": "https://api.openai.com/v1", "api_key_env": "ANTHROPIC_API_KEY"},
        [("ANTHROPIC_API_KEY", "api.openai.com")],
    ),
    "another variable to a built-in provider": Case(
        {"api_key_env": "OTHER_KEY"}, [("OTHER_KEY", "api.openai.com")], name="openai"
    ),
    "a built-in variable without encryption": Case(
        {"base_url": "http://api.openai.com/v1", "api_key_env": "OPENAI_API_KEY"},
        [("OPENAI_API_KEY", "api.openai.com:80")],
    ),
    "a host that only looks built in": Case(
        {"base_url": "https://api.openai.com@lab.example/v1", "api_key_env": "OPENAI_API_KEY"},
        [("OPENAI_API_KEY", "lab.example")],
    ),
    "a host that only looks like loopback": Case(
        {"base_url": "http://127.0.0.1.lab.example/v1", "api_key_env": "LAB_KEY"},
        [("LAB_KEY", "127.0.0.1.lab.example:80")],
    ),
    "a part of a host": Case(
        {"base_url": "https://${LAB_KEY}.lab.example/v1", "api_key_env": None}, [("LAB_KEY", "lab.example")]
    ),
    "an address of the folder": Case(
        {"base_url": "${FAR_URL}", "api_key_env": "LAB_KEY"},
        [("LAB_KEY", "lab.example")],
        dotenv={"FAR_URL": LAB},
    ),
    "a key of the folder": Case({"base_url": LAB, "api_key_env": "MINE"}, [], dotenv={"MINE": "k"}),
    "a built-in variable to its own host": Case(
        {"base_url": "https://api.openai.com/v1", "api_key_env": "OPENAI_API_KEY"}, []
    ),
    "a built-in variable to the address of the environment": Case(
        {"base_url": LAB, "api_key_env": "OPENAI_API_KEY"}, [], env={"OPENAI_BASE_URL": LAB}
    ),
    "a built-in host without a key": Case({"base_url": "https://api.openai.com/v1", "api_key_env": None}, []),
    "loopback": Case({"base_url": "http://127.0.0.1:9/v1", "api_key_env": "LAB_KEY"}, []),
    "an address of the environment": Case({"base_url": "${LAB_URL}", "api_key_env": "LAB_KEY"}, []),
    "an option": Case({"base_url": LAB, "api_key_env": "OPENAI_API_KEY"}, [], options=("base_url", "api_key_env")),
    "a variable of an option to a host of the file": Case(
        {"base_url": LAB, "api_key_env": "OPENAI_API_KEY"}, [("OPENAI_API_KEY", "lab.example")], options=("api_key_env",)
    ),
    "a built-in variable of the file to a host of an option": Case(
        {"base_url": LAB, "api_key_env": "OPENAI_API_KEY"}, [("OPENAI_API_KEY", "lab.example")], options=("base_url",)
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_required_consents(case: Case) -> None:
    """A key goes only where its owner meant it to."""
    env = Environment({**ENV, **case.env}, case.dotenv)
    filled = {
        key: value.replace("${LAB_URL}", LAB).replace("${FAR_URL}", LAB).replace("${LAB_KEY}.", "")
        if isinstance(value, str)
        else value
        for key, value in case.settings.items()
    }
    kind = {} if case.name == "openai" else {"kind": "openai"}
    spec = ProviderSpec.model_validate({**kind, **filled})
    config = DebateConfig(topic="t", debaters=(), providers={case.name: spec})
    origin = find_origin(case.settings, lambda *path: path[0] in case.options, env, file="f", fingerprint="0")
    origins = {case.name: replace(origin, is_beside_dotenv=True)}
    places = find_destinations(config, [ModelSpec(model=f"{case.name}/m")], origins, env)
    assert [(consent.variable, consent.host) for place in places for consent in place.consents] == case.expected
