"""Starts PostgreSQL, as Debian's package `postgresql` installs it, as an ordinary user in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

psycopg = pytest.importorskip("psycopg", reason="the extra [cluster] is not installed")
_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
PASSWORD = "pw-4711-never-shown"
"""In each address: a secret that no output may hold. The server trusts every local connection."""
needs_postgres = pytest.mark.skipif(
    not _FOLDERS, reason="PostgreSQL is not installed (Debian: apt-get install postgresql)"
)


@dataclass
class PostgresServer:
    """A running server."""

    folder: Path
    port: int
    numbers: count[int]

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"queue{next(self.numbers)}"
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self._address(name)

    def _address(self, database: str) -> str:
        return f"postgresql://debate:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        _run("pg_ctl", "-D", "data", "-w", "-o", options, "-l", "log", "start", folder=self.folder)

    def stop(self) -> None:
        """Stop it. Connections are closed at once."""
        _run("pg_ctl", "-D", "data", "-w", "-m", "fast", "stop", folder=self.folder)


@contextmanager
def postgres_server() -> Generator[PostgresServer]:
    """A server for the length of a `with` block."""
    folder = Path(tempfile.mkdtemp(prefix="debate-postgres-"))
    try:
        if os.geteuid() == 0:  # initdb refuses root
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        _run("initdb", "-D", "data", "-A", "trust", "-U", "debate", "--no-sync", "-E", "UTF8", folder=folder)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        server = PostgresServer(folder, port, count())
        server.start()
        try:
            yield server
        finally:
            with suppress(subprocess.CalledProcessError):
                server.stop()
    finally:
        shutil.rmtree(folder)


def query(dsn: str, statement: str) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with psycopg.connect(dsn, options="-c search_path=debate_cli", autocommit=True) as connection:
        return connection.execute(statement.encode()).fetchall()


def _run(program: str, *args: str, folder: Path) -> None:
    user: Sequence[str] = ()
    if os.geteuid() == 0:
        user = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
    command = [*user, str(_FOLDERS[-1] / program), *args]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
