"""Judging runs whose provider has the same name but another server: each uses its own."""

import json
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli_support import CommandResult, debate, write_config
from model_server import ModelServer, model_server

CONFIG = """\
topic: Cats or dogs?
providers: {custom: {kind: openai, base_url: "URL", api_key_env: KEY}}
models: {default: {model: mock/a}, judge: {model: custom/m}}
debaters: [{name: Ada, side: for}, {name: Bo, side: against}]
judging: {systems: [structured]}
limits: {max_attempts: 1}
"""
KEYS = {"OWN_KEY": "canary-key-of-the-debate", "ONE_KEY": "canary-key-of-a-run", "TWO_KEY": "canary-key-of-another"}


@dataclass(frozen=True)
class Bench:
    """A debate with three unfinished judging runs, each at another server under the same provider name."""

    here: Path
    own: ModelServer
    one: ModelServer
    two: ModelServer

    @property
    def path(self) -> Path:
        """The transcript."""
        return self.here / "transcripts" / "saved.json"

    def resumed(self, *options: str, keys: dict[str, str] | None = None) -> CommandResult:
        """Resume it, after the servers have forgotten their requests."""
        for server in (self.own, self.one, self.two):
            server.bodies.clear()
            server.headers.clear()
        return debate("run", "--resume", "saved", "-q", *options, cwd=self.here, env=KEYS if keys is None else keys)


def answered_in_part(server: ModelServer, key: str) -> str:
    """A configuration whose moderator answers, so that its judging run is saved although the other judge fails."""
    config = (
        CONFIG.replace("URL", server.base_url)
        .replace("KEY", key)
        .replace("{default:", "{free: {model: mock/b}, default:")
    )
    return config.replace("[structured]", "[structured, {kind: moderator, judge: free}]")


@contextmanager
def opened(here: Path) -> Generator[Bench]:
    """A bench whose judges have all failed once."""
    with ExitStack() as stack:
        own, one, two = (stack.enter_context(model_server(failures=[503])) for _ in range(3))
        write_config(here, CONFIG.replace("URL", own.base_url).replace("KEY", "OWN_KEY"))
        assert debate("run", "debate.yaml", "--id", "saved", "-q", cwd=here, env=KEYS).code == 3
        for server, key in ((one, "ONE_KEY"), (two, "TWO_KEY")):
            write_config(here, answered_in_part(server, key), "other.yaml")
            assert debate("judge", "saved", "--config", "other.yaml", cwd=here, env=KEYS).code == 3
        yield Bench(here, own, one, two)


def keys_of(server: ModelServer) -> set[str]:
    """The keys in the requests to a server."""
    return {value for each in server.headers for name, value in each.items() if name.lower() == "authorization"}


def test_each_run_asks_its_own_server_with_its_own_key(here: Path) -> None:
    """Each unfinished judging run asks its own server, and no key goes to another server."""
    with opened(here) as bench:
        done = bench.resumed()
        assert done.code == 0, done.err
        assert [len(server.bodies) for server in (bench.own, bench.one, bench.two)] == [1, 1, 1]
        assert [keys_of(server) for server in (bench.own, bench.one, bench.two)] == [
            {f"Bearer {key}"} for key in KEYS.values()
        ]
        stored: dict[str, Any] = json.loads(bench.path.read_text())
    assert {request["run"]: request["exchange"]["model"] for request in stored["assessments"]
            if request["system"] == "structured"} == {
        "r1": "custom/m", "r2": "custom/m", "r3": "custom/m",
    }  # fmt: skip


def test_missing_keys_are_reported_before_any_call(here: Path) -> None:
    """Exit 2, and a line for each missing key, which names the transcript or the judging run in it."""
    with opened(here) as bench:
        some, none = bench.resumed(keys={"OWN_KEY": KEYS["OWN_KEY"]}), bench.resumed(keys={})
        assert [server.bodies for server in (bench.own, bench.one, bench.two)] == [[], [], []]
    saved = bench.path.relative_to(here)
    places = [
        f"{saved}: providers.custom.api_key_env: OWN_KEY",
        f"{saved}, judging run r2: providers.custom.api_key_env: ONE_KEY",
        f"{saved}, judging run r3: providers.custom.api_key_env: TWO_KEY",
    ]
    for done, expected in ((some, places[1:]), (none, places)):
        found = {line.partition(" is not set")[0] for line in done.lines if "_KEY is not set" in line}
        assert (done.code, found) == (2, set(expected))


def test_a_limit_without_a_price_names_its_option(here: Path) -> None:
    """A cost limit without a price names --max-cost, even if only an added judging run lacks the price."""
    priced = "models: {default: {model: mock/a}, judge: {model: mock/b}}"
    write_config(here, CONFIG.replace("models: {default: {model: mock/a}, judge: {model: custom/m}}", priced))
    assert debate("run", "debate.yaml", "--set", "providers={}", "--id", "saved", "-q", cwd=here).code == 0
    with model_server(failures=[503]) as server:
        write_config(here, answered_in_part(server, "ONE_KEY"), "other.yaml")
        assert debate("judge", "saved", "--config", "other.yaml", cwd=here, env=KEYS).code == 3
    done = debate("run", "--resume", "saved", "--max-cost", "1", cwd=here, env=KEYS)
    (line,) = [line for line in done.lines if "is unknown" in line]
    assert line.startswith("--max-cost: cannot be enforced, because the price of custom/m")
