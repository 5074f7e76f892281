"""Ten workers on one queue under one limit a minute, and workers that are killed again and again."""

import signal
import time
from contextlib import ExitStack
from pathlib import Path

import yaml
from cli_support import debate, start_process, wait_until
from experiments_support import outcomes, run, write_served_experiment
from model_server import model_server
from postgres_support import needs_postgres, postgres_server, query

pytestmark = needs_postgres
REQUESTS_A_MINUTE = 300


def test_ten_workers_keep_one_limit_a_minute(tmp_path: Path) -> None:
    """In no 60 seconds does the server get more requests than the limit, although they start with a burst."""
    here = tmp_path / "here"
    here.mkdir()
    arrived: list[float] = []
    with postgres_server() as server, model_server() as models, ExitStack() as workers:
        write_served_experiment(here, models.base_url, motions=40, concurrency=8)
        base = yaml.safe_load((here / "base.yaml").read_text())
        base["providers"]["lab"]["requests_per_minute"] = REQUESTS_A_MINUTE
        (here / "base.yaml").write_text(yaml.safe_dump(base))
        queue = {"DEBATE_QUEUE": server.new_database()}
        debate("experiment", "run", "exp.yaml", "--enqueue-only", cwd=here, env=queue)
        for _ in range(10):
            workers.enter_context(start_process("worker", cwd=here, env=queue))
        wait_until(lambda: models.bodies, "the first request")
        started = time.monotonic()
        while time.monotonic() - started < 2 * 60:
            arrived += [time.monotonic()] * (len(models.bodies) - len(arrived))
            time.sleep(0.01)
    assert len(arrived) > REQUESTS_A_MINUTE
    most = max(sum(at <= other < at + 60 for other in arrived[index:]) for index, at in enumerate(arrived))
    print(f"{len(arrived)} requests in two minutes, at most {most} in one")
    assert most <= REQUESTS_A_MINUTE


def test_killed_workers_lose_nothing(tmp_path: Path) -> None:
    """Five of six workers are killed; outcomes are those of a local run, and at most their calls in flight are made again."""
    here = tmp_path / "here"
    here.mkdir()
    with postgres_server() as server, model_server(latency_s=0.05) as models:
        write_served_experiment(here, models.base_url, motions=20, concurrency=4)
        run(here, "--out", "whole")
        undisturbed = len(models.bodies)
        models.bodies.clear()
        queue = {"DEBATE_QUEUE": server.new_database()}
        debate("experiment", "run", "exp.yaml", "--enqueue-only", cwd=here, env=queue)
        for number in range(1, 6):
            with start_process("worker", "--lease", "2", cwd=here, env=queue) as worker:
                wait_until(lambda: len(models.bodies) > undisturbed * number // 7, "some calls")  # noqa: B023 - waited for here
                worker.signal(signal.SIGKILL)
                worker.wait()
        debate("worker", "--until-empty", "--lease", "2", cwd=here, env=queue)
        assert undisturbed <= len(models.bodies) <= undisturbed + 5 * 2 * 4
        debate("experiment", "status", "exp.yaml", cwd=here, env=queue)
        assert query(queue["DEBATE_QUEUE"], "SELECT count(*) FROM reservations") == [(0,)]
    assert outcomes(here / "trial") == outcomes(here / "whole")
