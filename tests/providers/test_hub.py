"""Weights from the hub are downloaded once, continued after a break, and checked before they are used."""

import hashlib
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cli_support import debate, write_config

from debate_cli.errors import NoLocalModelError, WeightsError
from debate_cli.providers.weights import HUB_MODELS, HubAccess, HubFile, fetch_hub_file, find_hub_file

pytest.importorskip("huggingface_hub")

CONTENT = b"GGUF" + bytes(range(256)) * 64
SHA256 = hashlib.sha256(CONTENT).hexdigest()
FILE = HubFile("lab/tiny-GGUF", "tiny.gguf", SHA256, len(CONTENT))
TOKEN = "hf_secretsecretsecret"


@dataclass
class FakeHub:
    """What the server has, and what it was asked."""

    content: bytes = CONTENT
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    large_files: str = ""
    """Address to which the hub redirects for the file."""
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list[tuple[str, str, dict[str, str]]])
    url: str = ""


@contextmanager
def serve(hub: FakeHub) -> Generator[FakeHub]:
    """The hub's protocol for one file on a free loopback port."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of the base class
            """Print nothing."""

        def _answer(self, *, with_body: bool) -> None:
            hub.requests.append(
                (self.command, self.path, {name.lower(): value for name, value in self.headers.items()})
            )
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
            body = hub.content[start:] if hub.status == 200 else b""
            redirected = hub.large_files and self.path.startswith("/lab/")
            self.send_response(302 if redirected else (206 if start else hub.status))
            self.send_header("ETag", f'"{hashlib.sha256(hub.content).hexdigest()}"')
            self.send_header("X-Repo-Commit", "0" * 40)
            if "X-Linked-Size" not in hub.headers:
                self.send_header("X-Linked-Size", str(len(hub.content)))
            if redirected:
                self.send_header("Location", f"{hub.large_files}/file")
            for name, value in hub.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0" if redirected else str(len(body)))
            self.end_headers()
            if with_body and not redirected:
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def hub() -> Generator[FakeHub]:
    """A running hub."""
    with serve(FakeHub()) as running:
        yield running


def access(hub: FakeHub, folder: Path, note: Callable[[str], None] = lambda _: None) -> HubAccess:
    """Access to the hub with a token."""
    return HubAccess(folder, {"HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN}, note)


def test_a_file_is_downloaded_once(hub: FakeHub, tmp_path: Path) -> None:
    """The second use finds the checked file and asks no server."""
    path = fetch_hub_file(FILE, access(hub, tmp_path))
    assert path.read_bytes() == CONTENT
    asked = len(hub.requests)
    assert fetch_hub_file(FILE, access(hub, tmp_path)) == path
    assert len(hub.requests) == asked


def test_a_broken_download_is_continued(hub: FakeHub, tmp_path: Path) -> None:
    """Only the missing bytes are asked for, and a line says so."""
    part = tmp_path / "hub" / SHA256 / "tiny.gguf.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:1000])
    notes: list[str] = []
    assert fetch_hub_file(FILE, access(hub, tmp_path, notes.append)).read_bytes() == CONTENT
    assert hub.requests[-1][2]["range"] == "bytes=1000-"
    assert "0 MB of it already downloaded" in notes[0]


def test_two_downloads_of_one_file_do_not_mix(hub: FakeHub, tmp_path: Path) -> None:
    """Several calls at once download the file once."""
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(fetch_hub_file, [FILE] * 4, [access(hub, tmp_path)] * 4))
    assert [path.read_bytes() for path in paths] == [CONTENT]
    assert [method for method, _, _ in hub.requests].count("GET") == 1


@pytest.mark.parametrize("known", [CONTENT, CONTENT[:-1] + b"x"])
def test_a_wrong_file_is_deleted(hub: FakeHub, tmp_path: Path, known: bytes) -> None:
    """A file with another SHA-256 is refused and deleted."""
    hub.content = b"evil" * 1000
    wanted = HubFile("lab/tiny-GGUF", "tiny.gguf", hashlib.sha256(known).hexdigest())
    with pytest.raises(
        WeightsError, match=r"sent a wrong file for tiny\.gguf: .* local/smollm2 works without the hub$"
    ):
        fetch_hub_file(wanted, access(hub, tmp_path))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (404, {"X-Error-Code": "EntryNotFound"}, r"has no file tiny\.gguf in lab/tiny-GGUF; correct the model's name"),
        (401, {"X-Error-Code": "RepoNotFound"}, r"has no file tiny\.gguf in lab/tiny-GGUF"),
        (403, {"X-Error-Code": "GatedRepo"}, r"is gated: accept its licence at http.*/lab/tiny-GGUF and set HF_TOKEN"),
        (403, {}, r"answered 403 for lab/tiny-GGUF; check HF_ENDPOINT, HF_TOKEN and the model's name"),
        (500, {}, r"answered 500 for lab/tiny-GGUF; try again later"),
    ],
)
def test_refusals_say_what_to_do(
    hub: FakeHub, tmp_path: Path, status: int, headers: dict[str, str], words: str
) -> None:
    """Each answer of the hub becomes one sentence that says that the packaged model works."""
    hub.status, hub.headers = status, headers
    with pytest.raises(WeightsError, match=words) as caught:
        fetch_hub_file(FILE, access(hub, tmp_path))
    assert "local/smollm2 works without the hub" in str(caught.value)


def test_no_network_is_one_sentence(tmp_path: Path) -> None:
    """An address that nothing listens on is named."""
    unreachable = HubAccess(tmp_path, {"HF_ENDPOINT": "http://127.0.0.1:9"}, lambda _: None)
    with pytest.raises(
        WeightsError, match=r"cannot download tiny\.gguf from http://127\.0\.0\.1:9 .* check the connection"
    ):
        fetch_hub_file(FILE, unreachable)


def test_a_short_answer_is_not_taken_for_a_full_disk(hub: FakeHub, tmp_path: Path) -> None:
    """A body that ends before the size that the hub named is a download that failed, and can be continued."""
    hub.headers = {"X-Linked-Size": str(len(CONTENT) + 1000)}
    with pytest.raises(WeightsError, match=r"cannot download tiny\.gguf from http.* continues the download"):
        fetch_hub_file(FILE, access(hub, tmp_path))


def test_the_token_stays_with_the_hub(tmp_path: Path) -> None:
    """The hub gets the token, the server of large files to which it redirects does not."""
    with serve(FakeHub()) as storage, serve(FakeHub(large_files=storage.url)) as hub:
        assert fetch_hub_file(FILE, access(hub, tmp_path)).read_bytes() == CONTENT
    assert all(headers["authorization"] == f"Bearer {TOKEN}" for _, _, headers in hub.requests)
    assert storage.requests
    assert not any("authorization" in headers for _, _, headers in storage.requests)


@pytest.mark.parametrize("name", HUB_MODELS)
def test_known_models_have_short_and_long_names(name: str) -> None:
    """Both names mean the file with its checksum."""
    file = HUB_MODELS[name]
    assert find_hub_file(f"local/{name}") == find_hub_file(file.model) == file
    assert len(file.sha256) == 64


@pytest.mark.parametrize("model", ["local/hf:lab", "local/hf:lab/x/../../y.gguf", "local/hf:lab/x/y.bin"])
def test_malformed_names_are_refused(model: str) -> None:
    """A name on the hub must be OWNER/REPOSITORY/FILE.gguf."""
    with pytest.raises(NoLocalModelError, match=r"write local/hf:OWNER/REPOSITORY/FILE\.gguf"):
        find_hub_file(model)


def config(model: str, sha256: str = "") -> str:
    """A configuration with one model."""
    entry = f"{{model: '{model}'{f', sha256: {sha256}' if sha256 else ''}}}"
    return f"topic: May it?\nmodels: {{default: {entry}}}\ndebaters: [{{name: A, side: for}}, {{name: B, side: against}}]\n"


def test_a_file_outside_the_table_needs_a_checksum(tmp_path: Path) -> None:
    """The error for an unknown file without a checksum names the key `sha256`."""
    write_config(tmp_path, config("local/hf:lab/tiny-GGUF/tiny.gguf"))
    without = debate("run", "debate.yaml", cwd=tmp_path)
    assert without.code == 2
    assert "add `sha256` beside `model`" in without.err


def test_models_pull_shows_its_table(tmp_path: Path) -> None:
    """`debate models pull` shows its models, and suggests a name for an unknown one."""
    shown = debate("models", "pull", cwd=tmp_path)
    assert "qwen3-1.7b\t1.8 GB\tApache-2.0\t8 GB" in shown.out
    assert "did you mean `qwen3-4b`" in debate("models", "pull", "qwen3-4", cwd=tmp_path).err
