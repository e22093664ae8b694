"""The servers of a test run. Shared ones are started once, by whoever comes first, and live as long as the run; private
ones belong to one test. All are made by scripts/servers under .run/test."""
import contextlib
import fcntl
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pwd
import shutil
import signal
import subprocess
import time
import uuid
from pathlib import Path
from unittest import mock

from support.paths import RUN, SERVERS, SHORT_LIVED
from support.postgres import PostgresServer

SHM = Path("/dev/shm")
AMPLE = 12 << 30  # a run takes two or three gigabytes, and so do its processes
OWNED = "started-by-pytest"  # in the folder of a server that the run itself must remove


def make_run():
    """RUN; of tests in memory, where there is plenty: hundreds of databases come and go, each of hundreds of files."""
    if not RUN.exists() and not RUN.is_symlink():
        RUN.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):  # another worker was first
            RUN.symlink_to(_memory()) if SHORT_LIVED and _is_ample(SHM) else RUN.mkdir()
    if RUN.is_symlink():
        RUN.resolve().mkdir(parents=True, exist_ok=True)  # it does not outlive the machine


def _memory():
    return SHM / f"walduct-test-{hashlib.sha256(str(RUN).encode()).hexdigest()[:12]}"


def _is_ample(folder):
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        available = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
        return min(available, shutil.disk_usage(folder).free) >= AMPLE
    except (OSError, StopIteration):
        return False


def _run(*arguments, environment=None):
    """What scripts/servers does, in this process: one of its own needs a tenth of a second of the processor to begin, hundreds of times."""
    words = [str(argument) for argument in arguments]
    try:
        with mock.patch.dict(os.environ, environment) if environment else contextlib.nullcontext():
            _script().carry_out(_script().parse(words))
    except (_script().ServerError, OSError) as error:
        raise AssertionError(f"scripts/servers {' '.join(words)}: {error}") from None


@contextlib.contextmanager
def file_lock(name):
    """Held by at most one process of the run."""
    make_run()
    with open(RUN / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def _script():
    loader = importlib.machinery.SourceFileLoader("servers_script", str(SERVERS))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def free_ports(count):
    """As scripts/servers picks them: below the ephemeral range, and nobody else's as long as this process lives."""
    found = []
    for _ in range(count):
        found.append(_script().pick_port(found))
    return found


class Servers:
    """What scripts/servers started in one folder: a PostgreSQL, a Kafka, or both."""

    def __init__(self, directory):
        self.dir = directory
        self.values = json.loads((directory / "servers.json").read_text())
        self._postgres = None  # of a shared one

    @property
    def postgres(self):
        return self._postgres or PostgresServer(self.values)

    def keep_sessions(self):
        """Of its PostgreSQL, which runs as long as this process."""
        if "PG_PORT" in self.values:
            self._postgres = PostgresServer(self.values, keeps_sessions=True)
        return self

    @property
    def bootstrap(self):
        return self.values["KAFKA_BOOTSTRAP"]

    def do(self, command):
        """stop-kafka, start-kafka, restart-postgres, kill-postgres, …"""
        _run(command, "--dir", self.dir)

    def pause_postgres(self):
        """The server and its sessions: connections stay open, nothing is answered."""
        self._signal_postgres(signal.SIGSTOP)

    def resume_postgres(self):
        self._signal_postgres(signal.SIGCONT)

    def pause_kafka(self):
        self._signal_kafka(signal.SIGSTOP)

    def resume_kafka(self):
        self._signal_kafka(signal.SIGCONT)

    def pg_ctl(self, *arguments, timeout_s=60):
        """pg_ctl as the cluster's owner; how long it took."""
        command = [f"{self.values['PG_BIN']}/pg_ctl", "-D", self.values["PG_DATA"], *arguments]
        if os.getuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", *command]
        begin = time.monotonic()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, cwd="/", timeout=timeout_s)
        assert done.returncode == 0, done.stdout
        return time.monotonic() - begin

    def adopt(self, values):
        """From now on the PostgreSQL is another one, such as a standby that was promoted."""
        self.values.update(values)
        (self.dir / "servers.json").write_text(json.dumps(self.values, indent=2) + "\n")
        log = Path(self.values["PG_DATA"] + ".log")
        log.touch()
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(log, owner.pw_uid, owner.pw_gid)

    @property
    def postmaster(self):
        """The pid of PostgreSQL's first process."""
        return int((Path(self.values["PG_DATA"]) / "postmaster.pid").read_text().splitlines()[0])

    @property
    def broker(self):
        """Kafka's pid."""
        return int((self.dir / "kafka.pid").read_text())

    @property
    def redis(self):
        """host:port."""
        return self.values["REDIS_ADDRESS"]

    def pause_redis(self):
        self._signal("redis.pid", signal.SIGSTOP)

    def resume_redis(self):
        self._signal("redis.pid", signal.SIGCONT)

    @property
    def nats(self):
        """Its URL."""
        return self.values["NATS_URL"]

    def pause_nats(self):
        self._signal("nats.pid", signal.SIGSTOP)

    def resume_nats(self):
        self._signal("nats.pid", signal.SIGCONT)

    @property
    def rabbitmq(self):
        """host:port."""
        return self.values["RABBITMQ_ADDRESS"]

    def rabbitmqctl(self, *words):
        _run("rabbitmqctl", "--dir", self.dir, "--ctl", *words)

    def pause_rabbitmq(self):
        self._signal("rabbitmq.pid", signal.SIGSTOP)

    def resume_rabbitmq(self):
        self._signal("rabbitmq.pid", signal.SIGCONT)

    @property
    def aws(self):
        """URL of moto."""
        return self.values["AWS_ENDPOINT_URL"]

    def pause_aws(self):
        self._signal("aws.pid", signal.SIGSTOP)

    def resume_aws(self):
        self._signal("aws.pid", signal.SIGCONT)

    @property
    def registry(self):
        """The address of the interface of Confluent's schema registry."""
        return self.values["REGISTRY_URL"]

    def _signal_postgres(self, how):
        with contextlib.suppress(FileNotFoundError, KeyError, ProcessLookupError):
            postmaster = self.postmaster
            # Sessions that are forked meanwhile inherit nothing: the postmaster first.
            os.kill(postmaster, how)
            for child in children(postmaster):
                os.kill(child, how)

    def _signal_kafka(self, how):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.kill(self.broker, how)

    def _signal(self, pid_file, how):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((self.dir / pid_file).read_text()), how)

    def remove(self):
        self.resume_postgres()
        self.resume_kafka()
        self.resume_redis()
        self.resume_nats()
        self.resume_rabbitmq()
        self.resume_aws()
        _run("remove", "--dir", self.dir)


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def start(directory, postgres=None, kafka=False, registry=False, redis=False, nats=False, rabbitmq=False, aws=False, pg_set=None, kafka_set=None, language=None):
    """language: of the messages of a PostgreSQL 15, such as ru_RU."""
    arguments = ["start", "--dir", directory]
    if postgres:
        arguments += ["--postgres", postgres]
    if kafka:
        arguments += ["--kafka"]
    if registry:
        arguments += ["--registry"]
    if redis:
        arguments += ["--redis"]
    if nats:
        arguments += ["--nats"]
    if rabbitmq:
        arguments += ["--rabbitmq"]
    if aws:
        arguments += ["--aws"]
    for name, value in (pg_set or {}).items():
        arguments += ["--pg-set", f"{name}={value}"]
    for name, value in (kafka_set or {}).items():
        arguments += ["--kafka-set", f"{name}={value}"]
    _run(*arguments, environment={"SERVERS_PG_LANGUAGE": language} if language else None)
    return Servers(directory)


SHARED = {}  # name → what this process has asked for, and got: hundreds of tests ask for the same


def _runs(servers):
    """One that died, as when memory ran out, is started anew by whoever asks next."""
    script = _script()
    state = script.State(servers.dir)
    kinds = [kind for key, kind in (("PG_PORT", script.Postgres), ("KAFKA_PORT", script.Kafka)) if key in state.values]
    return bool(state.values) and all(kind(state).running() for kind in kinds)


def shared(name, **what):
    """The server of that name of this run, started unless it runs."""
    known, servers = SHARED.get(name, (None, None))
    if known == what and _runs(servers):
        return servers
    directory = RUN / name
    with file_lock(name):
        new = not (directory / "servers.json").exists()
        servers = start(directory, **what)
        if new:
            (directory / OWNED).touch()
    SHARED[name] = what, servers.keep_sessions()
    return servers


def private(**what):
    make_run()
    return start(RUN / f"private-{os.getpid()}-{uuid.uuid4().hex[:8]}", **what)


def join_run():
    """Called once by each run in this checkout; the answer goes to leave_run."""
    make_run()
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
            with contextlib.suppress(Exception):  # whatever one of them was left with, the others are removed
                _run("remove", "--dir", directory)
            shutil.rmtree(directory, ignore_errors=True)
