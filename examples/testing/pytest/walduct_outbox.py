"""pytest fixtures: what the code under test writes into its outbox comes back as the events that walduct publishes.

    def test_an_order_is_told(outbox):
        with outbox.connect() as database:
            place_order(database, "c7", "99.90")
        event, = outbox.events()
        assert event.topic == "outbox.event.Order"

`outbox` is a new database with an outbox table. `events()` runs walduct until it has read all that is committed, and returns what
came since the last call: no Kafka, nothing to wait or to poll for.

The connector is the one of `walduct outbox init`, with its table. To test the connector that runs in production, with its transforms and
on its own table, override two fixtures in conftest.py:

    @pytest.fixture
    def outbox_connector():
        return "deploy/outbox.json"

    @pytest.fixture
    def outbox_tables():
        return Path("migrations/outbox.sql").read_text()

PostgreSQL is, in this order: the server that WALDUCT_TEST_DATABASE names (a superuser's postgres:// URL; wal_level=logical), a
container where Docker answers and testcontainers is installed, the PostgreSQL that is installed on the machine. walduct is the
program that WALDUCT names, else the one on the path.
"""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

IMAGE = "postgres:17"
SETTINGS = ["wal_level=logical", "fsync=off", "max_replication_slots=100", "max_wal_senders=100"]
TIMEOUT_S = 60
WORKER = """config.providers=env
config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider
offset.storage.file.filename={directory}/offsets.dat
"""


# --- PostgreSQL ---

def _as_owner(command):
    """PostgreSQL does not run as root, as containers of CI do."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command


def _binaries():
    if shutil.which("initdb"):
        return Path(shutil.which("initdb")).parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not debian:
        pytest.fail("no PostgreSQL: install one, or start Docker and install testcontainers, or set WALDUCT_TEST_DATABASE")
    return debian[-1].parent


class Processes:
    """A PostgreSQL of its own, in a folder of its own."""

    def __init__(self):
        self._bin = _binaries()
        self._directory = self._run("mktemp", "-d").strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = [*SETTINGS, f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={self._directory}"]
        self._run(self._bin / "initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        self._run(self._bin / "pg_ctl", "-D", self._data, "-l", f"{self._directory}/log", "-w", "-o", " ".join(f"-c {one}" for one in settings), "start")
        self.url = f"postgres://postgres@127.0.0.1:{port}/postgres"

    @property
    def _data(self):
        return f"{self._directory}/data"

    def _run(self, *command):
        # Not a pipe: the server would keep it open.
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run(_as_owner([str(part) for part in command]), stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd="/")
            said.seek(0)
            text = said.read()
        assert done.returncode == 0, f"{' '.join(map(str, command))}: {text}"
        return text

    def stop(self):
        self._run(self._bin / "pg_ctl", "-D", self._data, "-m", "immediate", "stop")
        self._run("rm", "-rf", self._directory)


class Container:
    def __init__(self):
        from testcontainers.postgres import PostgresContainer
        self._container = PostgresContainer(IMAGE, username="postgres", password="postgres", dbname="postgres", driver=None)
        self._container.with_command("postgres " + " ".join(f"-c {one}" for one in SETTINGS)).start()
        self.url = self._container.get_connection_url().replace("postgresql://", "postgres://")

    def stop(self):
        self._container.stop()


def _docker_answers():
    try:
        import docker
        import testcontainers.postgres  # noqa: F401
        return docker.from_env().ping()
    except Exception:  # noqa: BLE001  (not installed, not running, not allowed)
        return False


@pytest.fixture(scope="session")
def outbox_server():
    """The URL of a superuser."""
    if given := os.environ.get("WALDUCT_TEST_DATABASE"):
        yield given
        return
    server = Container() if _docker_answers() else Processes()
    yield server.url
    server.stop()


# --- walduct ---

@dataclass(frozen=True)
class Event:
    topic: str
    key: str | None
    value: object  # of JSON; else the text as it is
    headers: dict

    @property
    def id(self):
        return self.headers["id"]

    @property
    def type(self):
        return self.headers["eventType"]


def _event(line):
    record = json.loads(line)
    value = record["value"]
    try:
        value = json.loads(value)
    except (TypeError, ValueError):
        pass
    return Event(record["topic"], record["key"], value, dict(record["headers"]))


def _walduct(*arguments, environment=None):
    program = os.environ.get("WALDUCT", "walduct")
    done = subprocess.run([program, *map(str, arguments)], env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, f"walduct {arguments[0]} ended with {done.returncode}:\n{done.stderr}"
    return done.stdout


class Outbox:
    """`url` is the database's, for the code under test."""

    def __init__(self, server, directory, connector=None, tables=None):
        self._server, self._directory, self._name = server, directory, f"test_{uuid.uuid4().hex[:12]}"
        self._password = uuid.uuid4().hex
        self.url = urlunsplit(urlsplit(server)._replace(path="/" + self._name))
        self._admin(f"CREATE DATABASE {self._name}")
        self._overrides = []
        if connector is None:
            self._connector = self._make_connector(directory, tables)
        else:
            self._connector = Path(connector)
            self._point_connector_here(tables)
        self._worker = directory / "worker.properties"
        self._worker.write_text(WORKER.format(directory=directory))
        self.events()  # makes the slot: what is committed from now on is told, whatever becomes of the rows

    def _make_connector(self, directory, tables):
        names = ["--role", self._name, "--slot", self._name]
        with self.connect() as database:
            database.execute(_walduct("outbox", "init", *names))
            if tables:
                database.execute(tables)
            database.execute(f"ALTER ROLE {self._name} PASSWORD '{self._password}'")
        address = urlsplit(self.url)
        made = directory / "outbox.json"
        made.write_text(_walduct("outbox", "init", *names, "--print", "connector", "--host", address.hostname,
                                 "--port", address.port or 5432, "--database", self._name))
        return made

    def _point_connector_here(self, tables):
        """Production's connector: only where it reads, and as whom, is the test's."""
        with self.connect() as database:
            database.execute(tables or _walduct("outbox", "init", "--role", self._name, "--slot", self._name))
        address = urlsplit(self.url)
        self._password = address.password or "none"
        here = {"database.hostname": address.hostname, "database.port": address.port or 5432, "database.dbname": self._name,
                "database.user": address.username, "database.password": "${env:DATABASE_PASSWORD}"}
        if '"walduct.outbox.source"' in self._connector.read_text():
            here["walduct.outbox.publish.locally"] = "true"  # the table is this test's own
        else:
            here |= {"slot.name": self._name, "publication.name": self._name, "publication.autocreate.mode": "filtered"}
        self._overrides = [word for name, value in here.items() for word in ("-o", f"{name}={value}")]

    def connect(self):
        return psycopg.connect(self.url, autocommit=True)

    def events(self):
        """What was committed since the last call, in the order of commits."""
        lines = _walduct("run", "-f", self._connector, "-w", self._worker, *self._overrides, "-o", "sink=stdout",
                         "--until-caught-up", "--log-level", "warn", environment={"DATABASE_PASSWORD": self._password})
        return [_event(line) for line in lines.split("\n") if line]

    def drop(self):
        self._admin(f"SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '{self._name}'")
        self._admin(f"DROP DATABASE {self._name} WITH (FORCE)")
        self._admin(f"DROP ROLE IF EXISTS {self._name}")

    def _admin(self, sql):
        with psycopg.connect(self._server, autocommit=True) as server:
            server.execute(sql)


@pytest.fixture
def outbox_connector():
    """The file of a connector of one's own; None: that of walduct outbox init."""
    return None


@pytest.fixture
def outbox_tables():
    """SQL that makes its outbox table; None: that of walduct outbox init."""
    return None


@pytest.fixture
def outbox(outbox_server, tmp_path, outbox_connector, outbox_tables):
    made = Outbox(outbox_server, tmp_path, outbox_connector, outbox_tables)
    yield made
    made.drop()
