"""Random debates with faults, SIGKILL and Ctrl-C: the tokens that a server counts never exceed `max_tokens`.

The server counts with the program's own estimator. It counts every answer that it writes, also those that never arrive.
"""

import json
import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from model_server import answer
from serving_support import Answering, serving
from soak_support import run_command_line

from debate_cli.llm.model import Message, Profile, Request
from debate_cli.llm.usage import estimate_answer_tokens, estimate_input_tokens

RUNS = int(os.environ.get("BUDGET_RUNS", "200"))
AT_ONCE = 4
ROUNDS = 4
"""Processes of one debate, at most: the first one and those that resume it."""
TIMEOUT_S, TOO_LONG_S = 1.5, 2.5
MAX_OUTPUT_TOKENS = 900
FAULTS = {"none": 70, "status 500": 4, "status 429": 3, "silence": 5, "reset": 6, "web page": 6, "cut": 6}
"""What the server does with a request, and how often."""
ENDINGS = {"none": 30, "SIGKILL": 40, "Ctrl-C": 15, "Ctrl-C twice": 15}
"""What happens to a process, and how often."""
CONTEXT = multiprocessing.get_context("forkserver")


@dataclass
class CountingServer:
    """Tokens by model, faults by kind."""

    tokens: defaultdict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    seen: Counter[str] = field(default_factory=Counter[str])
    chance: random.Random = field(default_factory=lambda: random.Random(7))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def draw_fault(self) -> str:
        """The fault of the next request."""
        with self.lock:
            (fault,) = self.chance.choices(list(FAULTS), list(FAULTS.values()))
            self.seen[fault] += 1
            return fault

    def count(self, body: dict[str, Any], text: str) -> tuple[int, int]:
        """Count prompt and answer of a request, as the program estimates them."""
        texts = [message["content"] for message in body["messages"]]
        if "response_format" in body:
            texts.append(json.dumps(body["response_format"]["json_schema"]["schema"]))
        system, *rest = texts
        asked = Request(system, tuple(Message("user", each) for each in rest), "soak", body["max_tokens"])
        used = estimate_input_tokens(asked, Profile()), estimate_answer_tokens(asked, text)
        with self.lock:
            self.tokens[body["model"]] += sum(used)
        return used


def handler(server: CountingServer) -> type[Answering]:
    """Chat completions, streamed or whole, with faults."""

    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            """Answer, or do the fault."""
            received = self.rfile.read(int(self.headers["Content-Length"]))
            if not received:  # the process was killed before it sent the body
                return
            body = json.loads(received)
            fault = server.draw_fault()
            if fault.startswith("status"):
                self.send(int(fault.removeprefix("status ")), "application/json", b'{"error": {"message": "not now"}}')
                return
            text = answer(body)
            used = server.count(body, text)
            if fault == "silence":
                time.sleep(TOO_LONG_S)
            if fault in {"silence", "reset"}:
                self.close_connection = True
            elif fault == "web page":
                self.send(200, "text/html", b"<html>Sign in</html>")
            else:
                self.answer(body, text, used, cut=fault == "cut")

        def answer(self, body: dict[str, Any], text: str, used: tuple[int, int], *, cut: bool) -> None:
            """Send the answer, or half of it."""
            usage = {"prompt_tokens": used[0], "completion_tokens": used[1]}
            if not body.get("stream"):
                message = {"role": "assistant", "content": text}
                whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
                payload = json.dumps(whole).encode()
                self.send(200, "application/json", payload[: len(payload) // 2] if cut else payload)
                return
            pieces = [text[at : at + 80] for at in range(0, len(text), 80)]
            chunks: list[dict[str, Any]] = [
                {"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces
            ]
            end: list[dict[str, Any]] = [
                {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
            ]
            sent = chunks[: len(chunks) // 2] if cut else [*chunks, *end]
            lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in sent)
            self.send(200, "text/event-stream", lines.encode() + (b"" if cut else b"data: [DONE]\n\n"))

    return Handler


def write_config(folder: Path, port: int, model: str) -> Path:
    """A short debate with three systems."""
    path = folder / "debate.yaml"
    path.write_text(
        "topic: Should the town build a tram?\n"
        "debaters: [{name: Pro, side: for}, {name: Con, side: against}]\n"
        f"providers: {{lab: {{kind: openai, base_url: 'http://127.0.0.1:{port}/v1', api_key_env: null}}}}\n"
        f"models: {{default: {{model: lab/{model}, max_output_tokens: {MAX_OUTPUT_TOKENS}}}}}\n"
        "format: {arguments: 1}\n"
        "judging: {systems: [{kind: structured}, {kind: live}, {kind: persuasion}]}\n"
        f"limits: {{timeout_s: {TIMEOUT_S}}}\n"
    )
    return path


def run_once(words: list[str], folder: Path, ending: str, seconds: float) -> None:
    """Run one process, and end it as `ending` says."""
    process = CONTEXT.Process(target=run_command_line, args=(words, str(folder)))
    process.start()
    assert process.pid is not None
    process.join(seconds if ending != "none" else 120)
    if process.is_alive():
        signals = {"SIGKILL": [signal.SIGKILL], "Ctrl-C": [signal.SIGINT], "Ctrl-C twice": [signal.SIGINT] * 2}
        for number in signals[ending]:
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)
            time.sleep(0.1)
        process.join(120)
    assert not process.is_alive()


@dataclass(frozen=True)
class Result:
    """Tokens of one debate."""

    budget: int
    at_server: int
    in_transcript: int | None
    """None if the last process was killed."""
    closed: str
    endings: tuple[str, ...]


def run_debate(number: int, folder: Path, server: CountingServer, port: int) -> Result:
    """Run and resume one debate until it is complete, out of budget, or ROUNDS processes have run."""
    chance = random.Random(number)
    budget = chance.randint(4_000, 60_000)
    here = folder / str(number)
    here.mkdir()
    write_config(here, port, f"m{number}")
    transcript, endings, closed = here / "transcripts/d.json", list[str](), "killed"
    while closed not in {"complete", "budget"} and len(endings) < ROUNDS:
        (ending,) = chance.choices(list(ENDINGS), list(ENDINGS.values()))
        stored = list(here.glob("transcripts/d.json*"))
        start = ["--resume", "d"] if stored else ["debate.yaml", "--id", "d"]
        run_once(["run", *start, "--max-tokens", str(budget), "-q"], here, ending, chance.uniform(0.3, 5))
        endings.append(ending)
        closed = json.loads(transcript.read_text())["closed"] if transcript.exists() else "killed"
    counted = None
    if transcript.exists() and not transcript.with_suffix(".jsonl").exists():
        usage = json.loads(transcript.read_text())["usage"]
        counted = usage["input_tokens"] + usage["output_tokens"]
    return Result(budget, server.tokens[f"m{number}"], counted, closed, tuple(endings))


@pytest.mark.slow
def test_the_tokens_at_the_server_never_exceed_the_budget(tmp_path: Path) -> None:
    """And the transcript never counts fewer tokens than the server."""
    CONTEXT.set_forkserver_preload(["soak_support", "debate_cli.cli.run", "openai"])
    server = CountingServer()
    with serving(handler(server)) as port, ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(run_debate, number, tmp_path, server, port) for number in range(RUNS)]
        results = [each.result() for each in waiting]
    shares = [result.at_server / result.budget for result in results]
    endings = Counter(ending for result in results for ending in result.endings)
    print(
        f"\n{RUNS} debates, {endings.total()} processes {dict(endings)}; requests: {dict(server.seen)}; "
        f"closed: {dict(Counter(result.closed for result in results))}; largest share of a budget {max(shares):.3f}, "
        f"mean {sum(shares) / RUNS:.2f}"
    )
    over = [result for result in results if result.at_server > result.budget]
    assert over == []
    low = [result for result in results if result.in_transcript is not None and result.in_transcript < result.at_server]
    assert low == []
