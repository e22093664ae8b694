"""The servers of a test run. Shared ones are started once, by whoever comes first, and live as long as the run; private
ones belong to one test. All are made by scripts/servers under .run/test."""
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import uuid

from support.paths import RUN, SERVERS
from support.postgres import PostgresServer

OWNED = "started-by-pytest"  # in the folder of a server that the run itself must remove


def _run(*arguments):
    done = subprocess.run([sys.executable, str(SERVERS), *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"scripts/servers {' '.join(map(str, arguments))}: {done.stdout.strip()}"


@contextlib.contextmanager
def file_lock(name):
    """Held by at most one process of the run."""
    RUN.mkdir(parents=True, exist_ok=True)
    with open(RUN / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Servers:
    """What scripts/servers started in one folder: a PostgreSQL, a Kafka, or both."""

    def __init__(self, directory):
        self.dir = directory
        self.values = json.loads((directory / "servers.json").read_text())

    @property
    def postgres(self):
        return PostgresServer(self.values)

    @property
    def bootstrap(self):
        return self.values["KAFKA_BOOTSTRAP"]

    def do(self, command):
        """stop-kafka, start-kafka, restart-postgres, kill-postgres, …"""
        _run(command, "--dir", self.dir)

    def remove(self):
        _run("remove", "--dir", self.dir)


def start(directory, postgres=None, kafka=False, pg_set=None, kafka_set=None):
    arguments = ["start", "--dir", directory]
    if postgres:
        arguments += ["--postgres", postgres]
    if kafka:
        arguments += ["--kafka"]
    for name, value in (pg_set or {}).items():
        arguments += ["--pg-set", f"{name}={value}"]
    for name, value in (kafka_set or {}).items():
        arguments += ["--kafka-set", f"{name}={value}"]
    _run(*arguments)
    return Servers(directory)


def shared(name, **what):
    """The server of that name of this run, started unless it runs."""
    directory = RUN / name
    with file_lock(name):
        new = not (directory / "servers.json").exists()
        servers = start(directory, **what)
        if new:
            (directory / OWNED).touch()
    return servers


def private(**what):
    return start(RUN / f"private-{os.getpid()}-{uuid.uuid4().hex[:8]}", **what)


def join_run():
    """Called once by each run in this checkout; the answer goes to leave_run."""
    RUN.mkdir(parents=True, exist_ok=True)
    membership = open(RUN / "runs.lock", "w")
    fcntl.flock(membership, fcntl.LOCK_SH)
    return membership


def leave_run(membership):
    """The last run to end removes the shared servers that pytest started, and private ones that a broken test left."""
    try:
        fcntl.flock(membership, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    for directory in RUN.glob("*/"):
        if (directory / OWNED).exists() or directory.name.startswith("private-"):
            with contextlib.suppress(AssertionError):
                _run("remove", "--dir", directory)
            shutil.rmtree(directory, ignore_errors=True)
