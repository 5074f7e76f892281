"""`--batch` and `--collect` against servers of both vendors: what is submitted, collected and never submitted twice."""

import asyncio
import json
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from batch_server import USAGE, BatchServer, Fate, ServedBatch, batch_server
from cli_support import CONFIGS, CommandResult, RunningProcess, debate, run_on_terminal, start_process, wait_until
from llm_support import request

from debate_cli.app.batches import queue
from debate_cli.app.batches.client import BatchClient, BatchOptions, Question
from debate_cli.cli.batches import collect_command
from debate_cli.engine import StopSignal
from debate_cli.errors import RateLimitedError, ServerError
from debate_cli.llm.model import BatchIntent, Profile
from debate_cli.providers.batches import make_batches
from debate_cli.providers.endpoint import Endpoint
from debate_cli.storage.batch_store import BatchStore, RequestKey

MODELS = ("openai/gpt-4.1-mini", "anthropic/claude-sonnet-4-5")


@pytest.fixture(autouse=True)
def _other_waits(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """Commands in this process submit and check a batch without long waits."""
    monkeypatch.setattr(queue, "SETTLE_S", 0.02)
    monkeypatch.setattr(queue, "FIRST_POLL_S", 0.05)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transcript; not to be changed."""
    folder = tmp_path_factory.mktemp("finished")
    done = debate("run", CONFIGS / "mock.yaml", "--id", "d0", "--quiet", cwd=folder)
    assert done.code == 0, done.err
    return folder / "transcripts" / "d0.json"


@pytest.fixture
def here(tmp_path: Path, finished: Path) -> Path:
    """A folder with three saved debates."""
    folder = tmp_path / "here"
    _save_debates(folder, finished, range(3))
    return folder


def _save_debates(here: Path, transcript: Path, numbers: Iterable[int]) -> None:
    """Save copies of a debate with the ids d0, d1 and so on."""
    (here / "transcripts").mkdir(parents=True, exist_ok=True)
    text = transcript.read_text()
    for number in numbers:
        (here / "transcripts" / f"d{number}.json").write_text(text.replace('"id": "d0"', f'"id": "d{number}"', 1))


@pytest.fixture
def server() -> Generator[BatchServer]:
    """A server whose batches end at once."""
    with batch_server() as state:
        yield state


@pytest.fixture
def slow() -> Generator[BatchServer]:
    """A server whose batches stay in progress until it is opened."""
    with batch_server(is_open=False) as state:
        yield state


def judge(here: Path, server: BatchServer, *args: str, system: str = "structured") -> CommandResult:
    """Judge all debates in batches."""
    return debate("judge", "transcripts", "--system", system, "--batch", *args, cwd=here, env=server.env)


@contextmanager
def judging_in_a_batch(here: Path, server: BatchServer, model: str = MODELS[0]) -> Generator[RunningProcess]:
    """`judge --batch` of all transcripts as a process whose batch was polled once."""
    words = ("judge", "transcripts", "--system", "structured", "--model", model, "--batch")
    with start_process(*words, cwd=here, env=server.env) as process:
        wait_until(lambda: server.batches and server.batches[0].polls, "the first poll")
        yield process


@dataclass(frozen=True, slots=True)
class KilledJudging:
    """What is left of a `judge --batch` that was killed after the first poll; not to be changed."""

    folder: Path
    """The transcripts with the journals and the store."""
    batch: ServedBatch
    files: dict[str, bytes]
    """The files of the vendor."""


@pytest.fixture(scope="module")
def killed_judging(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], KilledJudging]:
    """A function of the model. It starts and kills a process at its first call for the model."""

    @cache
    def judge_and_kill(model: str) -> KilledJudging:
        here = tmp_path_factory.mktemp("killed") / "here"
        _save_debates(here, finished, range(3))
        with batch_server(is_open=False) as server:
            with judging_in_a_batch(here, server, model) as process:
                process.signal(signal.SIGKILL)
                process.wait()
            return KilledJudging(here / "transcripts", server.batches[0], server.files)

    return judge_and_kill


@pytest.fixture
def judge_until_killed(
    here: Path, slow: BatchServer, killed_judging: Callable[[str], KilledJudging]
) -> Callable[[str], None]:
    """A function of the model. Afterwards, folder and server are as if `judge --batch` was killed after the first poll."""

    def restore(model: str) -> None:
        left = killed_judging(model)
        shutil.copytree(left.folder, here / "transcripts", dirs_exist_ok=True)
        slow.files |= left.files
        slow.create(left.batch.requests, left.batch.metadata, left.batch.input_file)

    return restore


def collect(here: Path, server: BatchServer, *args: str | Path, cwd: Path | None = None) -> CommandResult:
    """Collect the answers."""
    return debate("judge", "--collect", *args, cwd=cwd or here, env=server.env)


def answers(here: Path, run: str = "r2") -> list[dict[str, Any]]:
    """The calls of one judging run in all transcripts."""
    found: list[dict[str, Any]] = []
    for path in sorted((here / "transcripts").glob("*.json")):
        found += [each["exchange"] for each in json.loads(path.read_text())["assessments"] if each["run"] == run]
    return found


def openai_endpoint(server: BatchServer) -> Endpoint:
    """The address and key of the server."""
    return Endpoint("openai", server.env["OPENAI_BASE_URL"], server.env["OPENAI_API_KEY"])


def stored(here: Path) -> BatchStore:
    """The store beside the transcripts."""
    return BatchStore(here / "transcripts")


@pytest.mark.parametrize("model", MODELS)
def test_one_batch_for_all_debates(here: Path, server: BatchServer, model: str) -> None:
    """All questions to one model are one batch; results in any order reach their debates, at half the price."""
    done = judge(here, server, "--model", model)
    assert done.code == 0, done.err
    assert [len(batch.requests) for batch in server.batches] == [3]
    calls = answers(here)
    assert [call["usage"]["output_tokens"] for call in calls] == [100] * 3
    words = ("judge", "transcripts/d0.json", "--system", "structured", "--model", model, "--dry-run", "--json")
    plans = [debate(*words, *option, cwd=here).json for option in ((), ("--batch",))]
    planned = [shown[0]["plan"]["planned"]["cost_usd"] for shown in plans]
    assert planned[1] == pytest.approx(planned[0] / 2)
    prices = {"openai/gpt-4.1-mini": (0.2, 0.8), "anthropic/claude-sonnet-4-5": (1.5, 7.5)}
    assert calls[0]["cost_usd"] <= (USAGE.input_tokens * 1.25 * prices[model][0] + 100 * prices[model][1]) / 1e6
    assert not stored(here).open_debates()


def test_models_have_batches_of_their_own(here: Path, server: BatchServer) -> None:
    """Two models of two vendors get a batch each."""
    done = judge(here, server, *(part for model in MODELS for part in ("--model", model)))
    assert done.code == 0, done.err
    assert sorted(len(batch.requests) for batch in server.batches) == [3, 3]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("fate", ["expired", pytest.param("canceled", marks=pytest.mark.soak)])
def test_unprocessed_requests_go_into_the_next_batch(here: Path, server: BatchServer, model: str, fate: Fate) -> None:
    """What expired, was cancelled or failed at the vendor is in the next batch; what was answered is not."""
    fates: tuple[Fate, ...] = (fate, "answered", "errored")
    server.fate = lambda batch, request: fates[request] if batch == 0 else "answered"
    done = judge(here, server, "--model", model)
    assert done.code == 0, done.err
    assert [len(batch.requests) for batch in server.batches] == [3, 2]
    assert len(answers(here)) == 3


@pytest.mark.parametrize("model", MODELS)
def test_every_request_has_its_own_end(here: Path, server: BatchServer, model: str) -> None:
    """A rejected request is a missing judgement; one without a result, which may have been billed, or with prose is asked again."""
    fates: tuple[Fate, ...] = ("rejected", "missing", "prose")
    server.fate = lambda batch, request: fates[request] if batch == 0 else "answered"
    done = judge(here, server, "--model", model)
    assert done.code == 3
    assert "refused by the test" in "".join(path.read_text() for path in (here / "transcripts").glob("*.json"))
    assert [len(batch.requests) for batch in server.batches] == [3, 2]
    calls = answers(here)
    usage = [(call["attempts"], bool(call["usage"].get("estimated"))) for call in calls]
    assert sorted(usage) == [(2, False), (2, True)]  # the order of the requests in a batch is not fixed


def test_a_failed_judgement_is_asked_for_again_in_a_batch(here: Path, server: BatchServer) -> None:
    """The commands after it name no single call, which would cost the full price; the first one does what it says."""
    server.fate = lambda batch, _request: "expired" if batch < 4 else "answered"
    done = judge(here, server, "--model", MODELS[0], "--config", str(_attempts(here, 4)))
    assert done.code == 3
    assert "--resume" not in done.err
    assert (
        "or ask another model: debate judge transcripts/d0.json --system structured --model PROVIDER/MODEL" in done.err
    )
    again = debate(*shlex.split(next(line for line in done.lines if "--collect" in line))[1:], cwd=here, env=server.env)
    assert again.code == 0, again.err
    assert [len(batch.requests) for batch in server.batches[4:]] == [1]


def test_batch_that_fails_its_validation(here: Path, server: BatchServer) -> None:
    """A batch that OpenAI rejects as a whole fails with the vendor's words."""
    server.validation_error = "the file is too large"
    done = judge(here, server, "--model", MODELS[0])
    assert done.code == 3
    assert "the file is too large" in (here / "transcripts" / "d0.json").read_text()


def test_round_of_a_panel_is_a_batch(here: Path, server: BatchServer) -> None:
    """Each round of deliberation is one batch over all debates."""
    done = judge(here, server, "--model", MODELS[0], system="panel")
    assert done.code == 0, done.err
    rounds = {each["revision"] for path in (here / "transcripts").glob("*.json")
              for each in json.loads(path.read_text())["assessments"] if each["run"] == "r2"}  # fmt: skip
    assert len(server.batches) == len(rounds)
    assert len(server.batches[0].requests) == 15


@pytest.mark.parametrize("model", [MODELS[0], pytest.param(MODELS[1], marks=pytest.mark.soak)])
def test_killed_before_the_first_poll(here: Path, slow: BatchServer, model: str, tmp_path: Path) -> None:
    """After kill -9 the answers are collected from another working directory, and nothing is submitted twice."""
    with start_process(
        "judge", "transcripts", "--system", "structured", "--model", model, "--batch", cwd=here, env=slow.env
    ) as process:
        wait_until(lambda: any(batch.vendor_id for batch in stored(here).open_batches()), "the batch's id")
        process.signal(signal.SIGKILL)
        process.wait()
    waiting = collect(here, slow)
    assert waiting.code == 6
    assert "1 batch is in progress (3 requests" in waiting.err
    assert "debate judge --collect transcripts" in waiting.err
    slow.is_open.set()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = collect(here, slow, here / "transcripts", cwd=elsewhere)
    assert done.code == 0, done.err
    assert (len(slow.batches), len(answers(here))) == (1, 3)
    assert not stored(here).open_debates()


@pytest.mark.parametrize("model", MODELS)
def test_killed_while_submitting(here: Path, slow: BatchServer, model: str) -> None:
    """A batch whose id was never received is found at the vendor; Anthropic shows its custom ids when it ends."""
    slow.loses = "answer"
    _kill_while_submitting(here, slow, model)
    slow.loses = None
    waiting = collect(here, slow)
    assert waiting.code == 6
    slow.is_open.set()
    done = collect(here, slow)
    assert done.code == 0, done.err
    assert "its submission had been interrupted" in waiting.err + done.err
    assert (len(slow.batches), len(answers(here))) == (1, 3)


@pytest.mark.parametrize("model", [MODELS[0], pytest.param(MODELS[1], marks=pytest.mark.soak)])
def test_batch_that_the_vendor_never_got(here: Path, server: BatchServer, model: str) -> None:
    """Without a certain match nothing is submitted again until the user allows it."""
    server.loses = "batch"
    _kill_while_submitting(here, server, model)
    server.loses = None
    refused = collect(here, server)
    assert refused.code == 2
    assert "a batch of 3 requests" in refused.err
    assert "--resubmit" in refused.err
    assert not server.batches
    one = collect(here, server, "transcripts/d0.json", "--resubmit")
    assert one.code == 0, one.err
    done = collect(here, server)  # the other debates of the batch that was given up still wait
    assert done.code == 0, done.err
    assert [len(batch.requests) for batch in server.batches] == [1, 2]
    assert len(answers(here)) == 3


@pytest.mark.parametrize(
    ("model", "status"), [(MODELS[0], 401), (MODELS[0], 503), pytest.param(MODELS[1], 401, marks=pytest.mark.soak)]
)
def test_batch_that_the_vendor_refused(here: Path, server: BatchServer, model: str, status: int) -> None:
    """The command ends, and the debates still wait, so that `--collect FOLDER` submits their questions."""
    server.refuse, server.retry_after = lambda _path: status, 0.1
    refused = judge(here, server, "--model", model)
    assert refused.code == 3
    assert "no batch is in progress; continue with:\ndebate judge --collect transcripts\n" in refused.err
    server.refuse = lambda _path: 0
    done = collect(here, server, "transcripts")
    assert done.code == 0, done.err
    assert (len(server.batches), len(answers(here))) == (1, 3)


def test_a_judging_without_batch_ends_the_wait_for_a_batch(here: Path, server: BatchServer) -> None:
    """After a refused batch, a command without --batch asks judges directly, and so does the advice from then on."""
    server.refuse = lambda _path: 401
    judge(here, server, "--model", MODELS[0])
    advice = [debate("score", "transcripts/d0.json", cwd=here).err]
    done = debate("judge", "transcripts/d0.json", "--system", "moderator", "--mock", cwd=here)
    assert done.code == 0, done.err
    advice.append(debate("score", "transcripts/d0.json", cwd=here).err)
    assert ["debate judge --collect transcripts/d0.json --batch" in text for text in advice] == [True, False], advice
    assert "\ndebate run --resume transcripts/d0.json\n" in advice[1], advice


@pytest.mark.parametrize(
    ("model", "kind", "code"),
    [
        (MODELS[0], signal.SIGINT, 130),
        (MODELS[0], signal.SIGKILL, 137),
        pytest.param(MODELS[1], signal.SIGINT, 130, marks=pytest.mark.soak),
    ],
)
def test_end_while_waiting_to_submit_again(
    here: Path, server: BatchServer, model: str, kind: signal.Signals, code: int
) -> None:
    """A batch that the vendor has refused for now is not in progress after Ctrl-C or kill -9."""
    server.refuse, server.retry_after = lambda _path: 429, 40
    words = ("judge", "transcripts", "--system", "structured", "--model", model, "--batch")
    with start_process(*words, cwd=here, env=server.env) as process:
        wait_until(lambda: "submitting it again" in process.err.read_text(), "the refusal")
        process.signal(kind)
        ended = process.wait()
    assert ended.code == code
    assert "is in progress (" not in ended.err
    server.refuse = lambda _path: 0
    done = collect(here, server)
    assert done.code == 0, done.err
    # on a slow machine, a debate may be too late for the refused batch; its question is then sent in another batch
    assert (sum(len(batch.requests) for batch in server.batches), len(answers(here))) == (3, 3)


@pytest.mark.parametrize("turns_of_the_loop", range(6))
async def test_a_cancellation_during_a_stop_ends_the_wait_to_submit_again(
    server: BatchServer, tmp_path: Path, turns_of_the_loop: int
) -> None:
    """`asyncio.wait_for` of Python 3.11 swallows a cancellation, if its result arrives at the same time."""
    server.refuse, server.retry_after = lambda _path: 429, 40
    api = make_batches("openai", openai_endpoint(server), "gpt-4.1-mini", Profile())
    waiting, stop, answer = asyncio.Event(), StopSignal(), asyncio.get_running_loop().create_future()
    options = BatchOptions(
        waits=True, note=lambda _: waiting.set(), warn=lambda _: None, progress=lambda _done, _all: None, confirm=bool
    )
    question = Question(RequestKey(MODELS[0], "d0", "turn/0", "0"), api, request(), None, str, answer)
    task = asyncio.ensure_future(BatchClient(BatchStore(tmp_path), stop, options).submit([question]))
    await waiting.wait()
    await asyncio.sleep(0)
    stop.request()
    for _ in range(turns_of_the_loop):
        await asyncio.sleep(0)
    is_cancelled = task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() == is_cancelled
    assert is_cancelled or isinstance(task.exception(), RateLimitedError)
    await api.aclose()


def test_interrupt_during_a_submission(here: Path, slow: BatchServer) -> None:
    """After Ctrl-C no other batch is submitted, and `--collect` submits what is left."""
    submitted: list[str] = []
    may_answer = threading.Event()

    def delay(path: str) -> int:
        if path.endswith("/batches") and not may_answer.is_set():
            submitted.append(path)
            may_answer.wait(30)
        return 0

    slow.refuse = delay
    models = (part for model in MODELS for part in ("--model", model))
    with start_process(
        "judge", "transcripts", "--system", "structured", *models, "--batch", cwd=here, env=slow.env
    ) as process:
        wait_until(lambda: submitted, "the first submission")
        process.signal(signal.SIGINT)
        wait_until(lambda: "Stopping" in process.err.read_text(), "the stop")
        may_answer.set()
        assert process.wait().code == 130
    assert len(slow.batches) == 1
    slow.is_open.set()
    done = collect(here, slow)
    assert done.code == 0, done.err
    assert len(slow.batches) == 2
    assert [len(answers(here, run)) for run in ("r2", "r3")] == [3, 3]


@pytest.mark.parametrize(("kind", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, 137)])
def test_end_before_the_submission(here: Path, slow: BatchServer, kind: signal.Signals, code: int) -> None:
    """After Ctrl-C or kill -9, `--collect FOLDER` finds the debates whose questions were not submitted yet."""
    _save_debates(here, here / "transcripts" / "d0.json", range(3, 10))
    words = ("judge", "transcripts", "--system", "structured", "--model", MODELS[0], "--batch")
    with start_process(*words, cwd=here, env=slow.env) as process:
        wait_until(lambda: any((here / "transcripts").glob("*.jsonl")), "the first journal")
        process.signal(kind)
        assert process.wait().code == code
    begun = {path.stem for path in (here / "transcripts").glob("*.jsonl")}
    begun |= {path.stem for path in (here / "transcripts").glob("*.json") if '"r2"' in path.read_text()}
    slow.is_open.set()
    done = collect(here, slow, "transcripts")
    assert done.code == 0, done.err
    assert len(answers(here)) == len(begun) > 0


@pytest.mark.parametrize(
    ("model", "lost"),
    [
        (MODELS[0], "batch"),
        (MODELS[1], "results"),
        (MODELS[1], "archived"),
        (MODELS[0], "unreadable"),
        pytest.param(MODELS[1], "batch", marks=pytest.mark.soak),
        pytest.param(MODELS[0], "results", marks=pytest.mark.soak),
        pytest.param(MODELS[1], "unreadable", marks=pytest.mark.soak),
        (MODELS[1], "emptied"),
    ],
)
def test_batch_that_the_vendor_has_lost(
    here: Path, slow: BatchServer, judge_until_killed: Callable[[str], None], model: str, lost: str
) -> None:
    """Only --resubmit asks again; the lost answers are counted as paid, at their estimate."""
    judge_until_killed(model)
    slow.is_open.set()
    if lost == "archived":
        slow.batches[0].is_archived = True
    elif lost in {"unreadable", "emptied"}:
        text = "<html>" if lost == "unreadable" else ""
        slow.damage = lambda results: results if len(slow.batches) > 1 else text
    else:
        ends = "/batch_0" if lost == "batch" else ("batch_0-output/content", "batch_0/results")
        slow.refuse = lambda path: 404 if path.endswith(ends) else 0
    refused = collect(here, slow)
    assert refused.code == 3
    assert re.search(r"batch batch_0.*or ask and pay again with: debate judge --collect \S+ --resubmit", refused.err)
    assert len(slow.batches) == 1
    done = collect(here, slow, "--resubmit")
    assert done.code == 0, done.err
    assert sum(len(batch.requests) for batch in slow.batches) == 3 + 3
    assert [(call["attempts"], call["usage"]["estimated"]) for call in answers(here)] == [(2, True)] * 3


def test_lost_batch_whose_id_is_unknown(here: Path, server: BatchServer) -> None:
    """An Anthropic batch without results cannot be identified after an interrupted submission; --resubmit asks again."""
    server.loses = "answer"
    _kill_while_submitting(here, server, MODELS[1])
    server.loses = None
    server.batches[0].is_archived = True
    refused = collect(here, server)
    assert refused.code == 2
    assert "cannot be identified" in refused.err
    assert collect(here, server, "--resubmit").code == 0
    assert len(answers(here)) == 3


@pytest.mark.parametrize(
    ("folder", "status"),
    [
        ("transcripts", 401),
        ("transcripts", 500),
        ("others", 401),
        pytest.param("transcripts", 404, marks=pytest.mark.soak),
        pytest.param("others", 404, marks=pytest.mark.soak),
        pytest.param("others", 500, marks=pytest.mark.soak),
    ],
)
def test_failing_batch_does_not_stop_another(here: Path, slow: BatchServer, folder: str, status: int) -> None:
    """What the other vendor has answered is saved, and what is due next submitted; the failure ends the command."""
    (here / "others").mkdir()
    (here / "transcripts" / "d1.json").rename(here / folder / "d1.json")
    slow.refuse = lambda _path: 401
    for path, model in zip(("transcripts/d0.json", f"{folder}/d1.json"), MODELS, strict=True):
        words = ("judge", path, "--system", "structured", "--model", model, "--batch")
        assert debate(*words, cwd=here, env=slow.env).code == 3
    slow.refuse = lambda _path: 0
    folders = tuple(dict.fromkeys(("transcripts", folder)))
    assert collect(here, slow, *folders).code == 6
    next(batch for batch in slow.batches if not batch.input_file).fates[:] = ["expired"]  # Anthropic's
    slow.is_open.set()
    slow.refuse = lambda path: status if path.startswith("/v1/batches/") else 0
    failed = collect(here, slow, *folders)
    assert failed.code == 3
    assert "debate: openai (127.0.0.1" in failed.lines[-1]
    assert "1 batch is in progress (1 request" in failed.err
    assert len(slow.batches) == 3
    judged = json.loads((here / folder / "d1.json").read_text())
    assert [each["exchange"]["model"] for each in judged["assessments"] if each["run"] == "r2"] == [MODELS[1]]


@pytest.mark.parametrize("failing", ["/v1/files", "/v1/batches/"])
def test_failure_of_one_vendor_while_waiting(here: Path, server: BatchServer, failing: str) -> None:
    """With --batch too, the other vendor's answers are saved, whether a submission or a check fails."""
    server.refuse = lambda path: 401 if path.startswith(failing) else 0
    done = judge(here, server, *(part for model in MODELS for part in ("--model", model)))
    assert done.code == 3
    assert [len(answers(here, run)) for run in ("r2", "r3")] == [0, 3]


@pytest.mark.parametrize("model", MODELS)
def test_damaged_line_of_the_results(here: Path, server: BatchServer, model: str) -> None:
    """The other lines are used. The judgement of the damaged line is asked for again, with a warning also if --quiet."""
    cut = re.compile(r"\n(.{40}).*")
    server.damage = lambda results: results if len(server.batches) > 1 else cut.sub(r"\n\1", results, count=1)
    done = judge(here, server, "--model", model, "--quiet")
    assert done.code == 0, done.err
    named = re.search(r"batch_0: these results are damaged or missing: line 2 of /.*asked for again: (d\d)\n", done.err)
    assert named, done.err
    assert [len(batch.requests) for batch in server.batches] == [3, 1]
    assert [call["attempts"] for call in answers(here)] == [2 if named[1] == f"d{each}" else 1 for each in range(3)]


@pytest.mark.parametrize(
    ("model", "breaks_off"),
    [
        (MODELS[0], "within a line"),
        (MODELS[1], "after a line"),
        pytest.param(MODELS[0], "after a line", marks=pytest.mark.soak),
        pytest.param(MODELS[1], "within a line", marks=pytest.mark.soak),
    ],
)
def test_results_that_are_damaged_once_are_read_again(
    here: Path, server: BatchServer, model: str, breaks_off: str
) -> None:
    """No answer that was paid for is asked for again."""
    downloads: list[str] = []

    def cut_first(results: str) -> str:
        downloads.append(results)
        end = len(results) // 2 if breaks_off == "within a line" else results.rfind("\n")
        return results if len(downloads) > 1 else results[:end]

    server.damage = cut_first
    done = judge(here, server, "--model", model)
    assert done.code == 0, done.err
    assert [len(batch.requests) for batch in server.batches] == [3]
    assert [call["attempts"] for call in answers(here)] == [1, 1, 1]


@pytest.mark.parametrize("model", MODELS)
def test_missing_lines_of_the_results(here: Path, server: BatchServer, model: str) -> None:
    """A warning says which judgements are asked for again because the vendor counts more results than it sends."""
    server.damage = lambda results: results if len(server.batches) > 1 else results.partition("\n")[0]
    done = judge(here, server, "--model", model, "--quiet")
    assert done.code == 0, done.err
    assert re.search(r"batch_0: .*2 of the 3 lines of /.* asked for again: (d\d, d\d)\n", done.err), done.err
    assert [len(batch.requests) for batch in server.batches] == [3, 2]


def test_missing_file_of_errors(here: Path, server: BatchServer) -> None:
    """The answers are used; only the request without an answer is asked again."""
    server.fate = lambda batch, request: "errored" if (batch, request) == (0, 0) else "answered"
    server.refuse = lambda path: 404 if "batch_0-error" in path else 0
    done = judge(here, server, "--model", MODELS[0])
    assert done.code == 0, done.err
    assert [len(batch.requests) for batch in server.batches] == [3, 1]


def test_question_in_another_wording(here: Path, slow: BatchServer) -> None:
    """A question that has changed since its submission needs --resubmit; the other answers are collected."""
    with judging_in_a_batch(here, slow) as process:
        process.signal(signal.SIGINT)
        process.wait()
    path = here / "transcripts" / "d0.json"
    path.write_text(path.read_text().replace("moral", "ethical").replace("that speaks", "this speaks"))
    slow.is_open.set()
    refused = collect(here, slow)
    assert refused.code == 2
    assert "debate d0: the prompt of" in refused.err
    assert len(answers(here)) == 2
    assert collect(here, slow, "--resubmit").code == 0
    assert [len(batch.requests) for batch in slow.batches] == [3, 1]


REJECTED_MODE = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
REJECTED_PARAMETER = "Unsupported parameter: 'temperature' is not supported with this model."


@pytest.mark.parametrize("rejection", [REJECTED_MODE, REJECTED_PARAMETER])
def test_rejected_mode_after_a_restart(
    here: Path, slow: BatchServer, judge_until_killed: Callable[[str], None], rejection: str
) -> None:
    """A restart finds the batch with the next structured-output mode, or without the rejected parameter."""
    slow.rejection = rejection
    slow.fate = lambda batch, _request: "answered" if batch else "rejected"
    slow.held = frozenset({"batch_1"})
    judge_until_killed(MODELS[0])
    slow.is_open.set()
    for _ in range(2):
        waiting = collect(here, slow)
        assert (waiting.code, len(slow.batches)) == (6, 2), waiting.err
    slow.held = frozenset()
    done = collect(here, slow)
    assert done.code == 0, done.err
    assert len(slow.batches) == 2
    assert [call["attempts"] for call in answers(here)] == [2, 2, 2]
    assert not stored(here).open_debates()


def test_rejected_mode_before_the_next_batch(here: Path, server: BatchServer) -> None:
    """A restart asks all judges of a model in the next mode, also those whose own rejection it has not read."""
    server.rejection = REJECTED_MODE
    server.fate = lambda batch, _request: "answered" if batch else "rejected"
    server.refuse = lambda path: 401 if path == "/v1/files" and server.batches else 0
    assert judge(here, server, "--model", MODELS[0], system="panel").code == 3
    assert len(server.batches) == 1
    server.refuse = lambda _path: 0
    done = collect(here, server, "--batch")
    assert done.code == 0, done.err
    assert [len(batch.requests) for batch in server.batches[:2]] == [15, 15]


@pytest.mark.parametrize("then", ["answered", "rejected", "expired"])
def test_request_in_a_mode_that_other_judges_have_left(here: Path, server: BatchServer, then: Fate) -> None:
    """An expired request is repeated in its mode. A restart, which knows a better mode, uses its answer all the same."""
    _submit_in_two_modes(here, server, then, "transcripts/d0.json")
    waiting = collect(here, server)
    assert (waiting.code, server.request_count) == (6, 10), waiting.err
    server.held = frozenset()
    done = collect(here, server, "--batch")
    assert done.code == 0, done.err
    assert server.request_count == len(answers(here)) + 5 + (then != "answered")
    assert not stored(here).open_debates()


def test_collected_answer_in_a_mode_that_other_judges_have_left(here: Path, server: BatchServer) -> None:
    """An answer that came with the answers of another debate is used."""
    _submit_in_two_modes(here, server, "answered", "transcripts/d0.json", "transcripts/d1.json")
    server.held = frozenset()
    assert collect(here, server, "transcripts/d1.json", "--batch").code == 0
    done = collect(here, server, "--batch")
    assert done.code == 0, done.err
    assert server.request_count == len(answers(here)) + 10


def _submit_in_two_modes(here: Path, server: BatchServer, then: Fate, *paths: str) -> None:
    """Submit a panel's requests in a mode that is rejected. The first request of a debate expires and is repeated in it.

    `then`: fate of the repeated requests. All other requests are submitted again in another mode, in the same batch.
    """
    server.rejection, server.held = REJECTED_MODE, frozenset({"batch_1"})
    fates: tuple[Fate, Fate] = ("expired", then)

    def fate(batch: int, request: int) -> Fate:
        if batch > 1:
            return "answered"
        return fates[batch] if request % 5 == 0 else ("rejected", "answered")[batch]

    server.fate, server.refuse = fate, lambda _path: 401
    words = ("--system", "panel", "--model", MODELS[0], "--batch")
    assert debate("judge", *paths, *words, cwd=here, env=server.env).code == 3
    server.refuse = lambda _path: 0
    waiting = collect(here, server)
    assert (waiting.code, [len(batch.requests) for batch in server.batches]) == (6, [5 * len(paths)] * 2), waiting.err


def _attempts(here: Path, number: int) -> Path:
    """A configuration with so many attempts."""
    path = here / "attempts.yaml"
    path.write_text(f"topic: any\nlimits: {{max_attempts: {number}}}\n")
    return path


def _kill_while_submitting(here: Path, server: BatchServer, model: str) -> None:
    with start_process(
        "judge", "transcripts", "--system", "structured", "--model", model, "--batch", cwd=here, env=server.env
    ) as process:
        assert server.asked.wait(60)
        process.signal(signal.SIGKILL)
        process.wait()


def test_interrupt_keeps_everything(here: Path, slow: BatchServer) -> None:
    """Ctrl-C ends the wait at once and says how to collect."""
    with judging_in_a_batch(here, slow) as process:
        process.signal(signal.SIGINT)
        ended = process.wait()
    assert ended.code == 130
    assert "debate judge --collect transcripts" in ended.err
    slow.is_open.set()
    assert collect(here, slow, "--batch").code == 0
    assert (len(slow.batches), len(answers(here))) == (1, 3)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM batches", "another process has removed the batch"),
        ("ALTER TABLE batches ADD COLUMN more", "unexpected TypeError"),
    ],
)
def test_changed_store_ends_the_wait(here: Path, slow: BatchServer, statement: str, said: str) -> None:
    """A batch that another process gave up, or a table that is not ours, ends the wait with one sentence."""
    polled: list[str] = []

    def change_store(path: str) -> int:
        if path.endswith("/batch_0") and not polled:
            polled.append(path)
            with closing(sqlite3.connect(stored(here).path)) as database, database:
                database.execute(statement)
        return 0

    slow.refuse = change_store
    ended = judge(here, slow, "--model", MODELS[0])
    assert ended.code == 1
    assert said in ended.err
    assert len(slow.batches) == 1


def test_debate_that_waits_is_left_alone(here: Path, judge_until_killed: Callable[[str], None]) -> None:
    """While answers wait, neither another judging nor a resume asks about the debate."""
    judge_until_killed(MODELS[0])
    several = debate("judge", "transcripts", "--mock", cwd=here)
    assert (
        several.err.count("debate: transcripts/d1.json: a batch with questions about this debate is in progress") == 1
    )
    for command in (("judge", "transcripts/d0.json", "--mock"), ("run", "--resume", "d0", "--mock")):
        refused = debate(*command, cwd=here)
        assert refused.code == 2
        assert "debate judge --collect" in refused.err


def test_a_batch_in_progress_is_named(here: Path, slow: BatchServer, judge_until_killed: Callable[[str], None]) -> None:
    """No command offers to ask a model meanwhile. The collection counts the debates that its batches are about."""
    judge_until_killed(MODELS[0])
    command = "debate judge --collect transcripts/d0.json"
    assert debate("score", "transcripts/d0.json", cwd=here).lines[-2:] == [
        "note: 1 judgement is missing (1 of structured r2); a batch is in progress; collect the answers with:",
        command,
    ]
    assert debate("replay", "d0", cwd=here).lines[-1] == f"{command}l"  # the journal
    assert f"collect the answers: {command}" in _listed(here)
    waiting = debate(*shlex.split(command)[1:], cwd=here, env=slow.env)
    assert (waiting.code, "1 batch is in progress (3 requests about 3 debates, at most $" in waiting.err) == (6, True)
    slow.is_open.set()
    assert debate(*shlex.split(command)[1:], cwd=here, env=slow.env).code == 0
    assert "missing" not in debate("score", "transcripts/d0.json", cwd=here).err


def test_the_command_that_collects_can_be_copied() -> None:
    """A terminal sequence in a path is removed before the path is quoted, so that it cannot hide a quotation mark."""
    assert collect_command([Path("a\x1b]0;b\x07 c/d.json")]) == "debate judge --collect 'a c/d.json'"


def test_one_file_is_collected_without_the_others(
    here: Path, slow: BatchServer, judge_until_killed: Callable[[str], None]
) -> None:
    """The answers of the other debates of a batch stay, and the vendor is not asked for them again."""
    judge_until_killed(MODELS[0])
    slow.is_open.set()
    assert collect(here, slow, "transcripts/d1.json").code == 0
    polls = slow.batches[0].polls
    assert len(answers(here)) == 1
    assert collect(here, slow).code == 0
    assert len(answers(here)) == 3
    assert slow.batches[0].polls == polls


def test_store_that_knows_a_saved_debate(
    here: Path, slow: BatchServer, judge_until_killed: Callable[[str], None]
) -> None:
    """After a crash just after a debate was saved, --collect clears its requests, so that it can be judged again."""
    judge_until_killed(MODELS[0])
    kept = stored(here).path.read_bytes()
    slow.is_open.set()
    assert collect(here, slow).code == 0
    stored(here).path.write_bytes(kept)
    again = debate("judge", "transcripts/d0.json", "--mock", cwd=here)
    assert "collect the answers first" in again.err
    done = collect(here, slow)
    assert (done.code, "no judgement is missing" in done.err) == (0, True)
    assert debate("judge", "transcripts/d0.json", "--mock", cwd=here).code == 0


def test_without_its_store_nothing_is_submitted_again(
    here: Path, slow: BatchServer, judge_until_killed: Callable[[str], None]
) -> None:
    """A transcript whose `batches.sqlite` is gone may have a batch at the vendor: it takes --resubmit to submit another."""
    judge_until_killed(MODELS[0])
    slow.is_open.set()
    stored(here).path.unlink()
    refused = collect(here, slow, "transcripts/d0.json", "--batch")
    assert refused.code == 2
    assert "batches.sqlite does not exist, so the submitted batches are unknown" in refused.err
    assert len(slow.batches) == 1
    assert collect(here, slow, "transcripts/d0.json", "--batch", "--resubmit").code == 0
    assert len(slow.batches) == 2


def test_nothing_to_collect(here: Path) -> None:
    """A missing folder is an error; a folder without waiting debates is not."""
    done = debate("judge", "--collect", "transcripts", cwd=here)
    assert (done.code, "nothing to collect" in done.err) == (0, True), done.err
    missing = debate("judge", "--collect", "elsewhere/", cwd=here)
    assert missing.code == 2, missing.err


def test_a_list_that_repeats_itself_is_an_error(here: Path, server: BatchServer) -> None:
    """The search for a batch ends at the first repeated page."""
    assert judge(here, server, "--model", MODELS[0]).code == 0
    server.repeats_list = True

    async def find() -> None:
        batches = make_batches("openai", openai_endpoint(server), "gpt-4.1-mini", Profile())
        with pytest.raises(ServerError, match="sends the same page"):
            await batches.find(BatchIntent("unknown", 3, 0.0))
        await batches.aclose()

    asyncio.run(find())


def test_more_debates_than_files_may_be_open(here: Path) -> None:
    """The limit of open files is raised as far as the system allows, because each waiting debate has two open."""
    _save_debates(here, here / "transcripts" / "d0.json", range(3, 15))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 15, hard))
    try:
        done = debate("judge", "transcripts", "--system", "structured", "--model", "mock/judge", "--batch", cwd=here)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert done.code == 0, done.err
    assert "15 requests" in done.err


def test_budget_holds_for_batches(here: Path, server: BatchServer) -> None:
    """A file whose reservation does not fit into its budget submits nothing, and `--collect`, which has no budget, neither."""
    done = judge(here, server, "--model", MODELS[0], "--max-tokens", "100")
    assert done.code == 4
    assert "nothing to collect" in collect(here, server, "transcripts").err
    assert not server.batches


def _continue_with_a_higher_budget(here: Path, server: BatchServer, stopped: CommandResult) -> CommandResult:
    """Run the commands that `stopped` names."""
    done = stopped
    for line in stopped.lines:
        if line.startswith("debate ") and line.endswith(" --max-tokens N"):
            done = debate(*shlex.split(line)[1:-1], "1000000", cwd=here, env=server.env)
            assert done.code == 0, done.err
    return done


@pytest.mark.parametrize("limit", [9000, pytest.param(15000, marks=pytest.mark.soak)])
def test_reached_budget_holds_for_later_commands(here: Path, server: BatchServer, limit: int) -> None:
    """After the last affordable answer nothing waits. The command that is named goes on in batches."""
    stopped = judge(here, server, "--model", MODELS[0], "--max-tokens", str(limit), system="panel")
    assert stopped.code == 4, stopped.err
    affordable = server.request_count
    assert len(answers(here)) == affordable > 0
    assert "nothing to collect" in collect(here, server, "transcripts").err
    assert server.request_count == affordable
    assert not stored(here).open_debates()
    _continue_with_a_higher_budget(here, server, stopped)
    assert len(answers(here)) == 30 == server.request_count


def test_paid_answer_that_the_budget_leaves_unused(here: Path, server: BatchServer) -> None:
    """It remains for the command that is named, and another command says so."""
    server.fate = lambda batch, _request: "answered" if batch else "prose"
    stopped = judge(here, server, "--model", MODELS[0], "--max-tokens", "10000")
    assert (stopped.code, server.request_count) == (4, 3), stopped.err
    assert "nothing to collect" in collect(here, server, "transcripts").err
    refused = debate("run", "--resume", "transcripts/d0.json", "--mock", cwd=here)
    command = "debate judge --collect transcripts/d0.json --batch --max-tokens N"
    assert "a paid answer to a question about this debate is not used yet" in refused.err
    assert refused.lines[-1].endswith(f"collect the answers first: {command}")
    assert debate("score", "transcripts/d0.json", cwd=here).lines[-1] == command  # another model would be refused
    _continue_with_a_higher_budget(here, server, stopped)
    assert server.request_count == 6
    assert [call["attempts"] for call in answers(here)] == [2, 2, 2]
    assert not stored(here).open_debates()


def test_price_of_batches_after_a_reached_budget(here: Path, server: BatchServer) -> None:
    """Every screen names the command that continues in batches, until the debate is resumed without batches."""
    words = ("--system", "panel", "--model", MODELS[0], "--batch", "--max-tokens", "9000")
    assert debate("judge", "transcripts/d0.json", *words, cwd=here, env=server.env).code == 4
    command = "debate judge --collect transcripts/d0.json --batch --max-tokens N"
    assert command in debate("score", "transcripts/d0.json", cwd=here).lines
    assert (
        "; replace N by the new limit for this command alone; ask again with:\n" in debate("replay", "d0", cwd=here).err
    )
    assert command in debate("replay", "d0", cwd=here).lines
    assert f"ask again: {command}" in _listed(here)
    resumed = debate("run", "--resume", "transcripts/d0.json", "--mock", "--max-tokens", "9000", cwd=here)
    assert resumed.code == 4, resumed.err
    command = "debate run --resume transcripts/d0.json --max-tokens "
    assert any(line.startswith(command) for line in debate("score", "transcripts/d0.json", cwd=here).lines)
    assert f"ask again: {command}N" in _listed(here)


def _listed(here: Path) -> str:
    """The cards of `debate list`, which only a terminal shows."""
    return run_on_terminal("list", cwd=here, env={"TERM": "xterm-256color", "COLUMNS": "200"})[1]


def test_price_of_batches_after_a_failure(here: Path, server: BatchServer) -> None:
    """A judgement that batches did not answer is asked for in a batch, by the command of `debate score` too."""
    server.fate = lambda _batch, request: "expired" if request == 0 else "answered"
    words = ("--system", "panel", "--model", MODELS[0], "--batch", "--config", str(_attempts(here, 1)))
    assert debate("judge", "transcripts/d0.json", *words, cwd=here, env=server.env).code == 3
    assert (
        "debate judge --collect transcripts/d0.json --batch" in debate("score", "transcripts/d0.json", cwd=here).lines
    )


def test_rejection_is_no_paid_answer(here: Path, server: BatchServer) -> None:
    """A request that the vendor rejected before the budget was reached keeps no other command from the debate."""
    server.rejection = REJECTED_MODE
    server.fate = lambda batch, _request: "answered" if batch else "rejected"
    words = ("--system", "panel", "--model", MODELS[0], "--batch", "--max-tokens", "9000")
    stopped = debate("judge", "transcripts/d0.json", *words, cwd=here, env=server.env)
    assert (stopped.code, server.request_count) == (4, 2), stopped.err
    assert debate("run", "--resume", "transcripts/d0.json", "--mock", cwd=here).code == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--model", "groq/any", "--batch"), "groq has no batches"),
        (("--mock", "--batch", "--no-save"), "leave out --no-save"),
        (("--collect", "--model", "mock/judge"), "leave out --model"),
        (("--resubmit", "--mock"), "add --collect"),
    ],
)
def test_refused_before_anything_runs(here: Path, args: tuple[str, ...], said: str) -> None:
    """Requests that cannot be carried out end with one sentence and exit code 2."""
    done = debate("judge", "transcripts", *args, cwd=here, env={"GROQ_API_KEY": "groq-key-of-the-test"})
    assert done.code == 2
    assert said in done.err
    assert not (here / "transcripts" / "batches.sqlite").exists()


def test_unfinished_debate_is_left_to_its_command(here: Path) -> None:
    """Its own judges are not asked by --collect, which says what continues it."""
    assert debate("run", CONFIGS / "mock.yaml", "--id", "cut", "--max-tokens", "1", cwd=here).code == 4
    refused = debate("judge", "--collect", "transcripts/cut.json", cwd=here)
    assert refused.code == 2
    assert "is not finished; continue it with `debate run --resume" in refused.err


def test_mock_batches_can_be_interrupted(here: Path) -> None:
    """The mock has batches that take a while, so that everything can be tried without a key."""
    config = (
        "topic: any\nmodels: {judge: {model: mock/slow, latency_s: 1000}}\njudging: {systems: [structured]}\nseed: 3\n"
    )
    (here / "slow.yaml").write_text(config)
    with start_process("judge", "transcripts", "--config", "slow.yaml", "--batch", cwd=here) as process:
        wait_until(lambda: any(batch.vendor_id for batch in stored(here).open_batches()), "the batch's id")
        process.signal(signal.SIGTERM)
        assert process.wait().code == 130
    assert debate("judge", "--collect", cwd=here).code == 6


def test_experiment_in_batches(here: Path) -> None:
    """An experiment runs its debates and asks each judge in one batch."""
    shutil.copytree(CONFIGS / "experiment", here / "exp")
    done = debate("experiment", "run", "exp/experiment.yaml", "--batch", "--limit", "2", cwd=here)
    assert done.code == 0, done.err
    assert [line.split(": ")[-1] for line in done.lines if "submitted" in line] == ["2 requests"] * 2


def test_experiment_of_the_base_judges_in_batches(here: Path, server: BatchServer) -> None:
    """Judges of the base are asked in a batch too; debates with batches in progress are not run without them."""
    shutil.copytree(CONFIGS / "experiment", here / "exp")
    experiment = (here / "exp" / "experiment.yaml").read_text()
    own = experiment[: experiment.index("\njudges:") + 1] + experiment[experiment.index("\nlimits:") + 1 :]
    (here / "exp" / "experiment.yaml").write_text(own)
    base = (here / "exp" / "debate.yaml").read_text()
    (here / "exp" / "debate.yaml").write_text(
        base.replace("default: {", f"judge: {{model: {MODELS[0]}}}\n  default: {{")
    )
    server.is_open.clear()
    with start_process(
        "experiment", "run", "exp/experiment.yaml", "--batch", "--limit", "4", cwd=here, env=server.env
    ) as process:
        wait_until(lambda: server.batches and server.batches[0].polls, "the first poll")
        process.signal(signal.SIGINT)
        ended = process.wait()
    assert ended.code == 130
    assert ended.err.count("debate experiment run exp/experiment.yaml --batch") == 1
    assert len(server.batches[0].requests) == 4
    begun = next((here / "exp").rglob("should-*.json"))
    beginning = "the command that began the debate, with --batch"
    replayed, resumed = (
        debate(*words, begun, cwd=here, env=server.env) for words in (("replay",), ("run", "--resume"))
    )
    assert replayed.lines[-1].endswith(f"; a batch is in progress; collect the answers with: {beginning}")
    assert resumed.lines[-1].endswith(f"collect the answers first: {beginning}")
    refused = debate("experiment", "run", "exp/experiment.yaml", cwd=here, env=server.env)
    assert (refused.code, "add --batch" in refused.err) == (2, True)
    server.is_open.set()
    done = debate("experiment", "run", "exp/experiment.yaml", "--batch", "--limit", "4", cwd=here, env=server.env)
    assert done.code == 0, done.err
    assert server.request_count == 4


def test_the_plan_of_an_experiment_has_the_prices_of_batches(here: Path) -> None:
    """The plan prices judges as batches and players as single calls."""
    shutil.copytree(CONFIGS / "experiment", here / "exp")
    base = (here / "exp" / "debate.yaml").read_text()
    price = "providers: {mock: {kind: mock, price: {input: 1, output: 1}}}\n"
    (here / "exp" / "debate.yaml").write_text(base + price)
    plans = [
        debate("experiment", "run", "exp/experiment.yaml", "--dry-run", "--json", *option, cwd=here).json
        for option in ((), ("--batch",))
    ]
    costs = [[[each["planned"]["cost_usd"] for each in plan[kind]] for kind in ("players", "judges")] for plan in plans]
    assert costs[1][0] == costs[0][0]
    assert costs[1][1] == pytest.approx([cost / 2 for cost in costs[0][1]])
    assert min(costs[1][1]) > 0


def test_audit_in_batches(here: Path) -> None:
    """An audit asks its judge in batches, and blames the option for a model that has none."""
    refused = debate("audit", "--judge", "ollama/any", "--batch", cwd=here)
    assert refused.code == 2
    assert refused.err.startswith("--judge: model ollama/any: ollama has no batches")
    done = debate(
        "audit", "--judge", "mock/judge", "--variant", "mirror", "--on", "transcripts/d0.json", "--batch", cwd=here
    )
    assert done.code == 0, done.err
    assert [line.split(": ")[-1] for line in done.lines if "submitted" in line] == ["5 requests"]
