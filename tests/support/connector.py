"""walduct as a process under test: its configuration files, its log, its end."""
import json
import os
import re
import signal
import subprocess

from support.events import GrowingFile
from support.kafka import TopicReader
from support.offsets import read_offset
from support.paths import BINARY
from support.postgres import CDC_PASSWORD, CDC_ROLE
from support.wait import wait_until

STREAMING = r"info +(\[[^\]]*\] )?streaming\b"
SNAPSHOT_COMPLETED = r"\bsnapshot completed\b"
JSON = "org.apache.kafka.connect.json.JsonConverter"

PLAIN_JSON = {
    "key.converter": JSON,
    "key.converter.schemas.enable": "false",
    "value.converter": JSON,
    "value.converter.schemas.enable": "false",
}


def database_properties(database, superuser=True):
    """superuser=False: the role of docs/security.md (support/postgres.py)."""
    server = database.server
    return {
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user if superuser else CDC_ROLE,
        "database.password": server.password if superuser else CDC_PASSWORD,
        "database.dbname": database.name,
    }


def properties_text(values):
    return "".join(f"{k}={v}\n" for k, v in values.items())


def status_of(pid, name):
    """A number of a process' status; memory is in kB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name + ":"))


def peak_rss_kb(pid):
    return status_of(pid, "VmHWM")


class Connector:
    """One configuration and the processes started with it, one at a time. `config` and `worker` may be changed between
    runs; a property set to None is left out."""

    def __init__(self, directory, config, worker, name="connector", binary=BINARY):
        self.dir, self.name, self.config, self.worker = directory, name, dict(config), dict(worker)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.log, self.out = directory / "walduct.log", directory / "stdout"
        self.binary = binary
        self.process = None
        self._log_begin = 0
        self._reader = None
        self._file = None

    # --- starting and ending ---

    def write_files(self):
        config = {k: str(v) for k, v in self.config.items() if v is not None}
        worker = {k: v for k, v in self.worker.items() if v is not None}
        (self.dir / "connector.json").write_text(json.dumps({"name": self.name, "config": config}, indent=1))
        (self.dir / "worker.properties").write_text(properties_text(worker))

    def files(self):
        return ["-f", self.dir / "connector.json", "-w", self.dir / "worker.properties"]

    def start(self, *arguments, command="run", environment=None):
        assert self.process is None or self.process.poll() is not None, "already runs"
        self.write_files()
        self._log_begin = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log, open(self.out, "ab") as out:
            self.process = subprocess.Popen([str(a) for a in (self.binary, *command.split(), *self.files(), *arguments)],
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                                            env={**os.environ, **(environment or {})})
        return self

    def call(self, *arguments, timeout_s=30):
        """A command that ends by itself, with this configuration: CompletedProcess with text."""
        self.write_files()
        return subprocess.run([str(a) for a in (self.binary, *arguments, *self.files())], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout_s)

    def run_to_end(self, *arguments, timeout_s=60):
        """Starts it and waits for its end; the exit code."""
        return self.start(*arguments).wait_exit(timeout_s)

    def wait_exit(self, timeout_s=30):
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still runs after {timeout_s} s; log:\n{self.log_text()[-3000:]}") from None

    def terminate(self, timeout_s=15, how=signal.SIGTERM):
        """Stops it as an operator would; the exit code."""
        self.process.send_signal(how)
        return self.wait_exit(timeout_s)

    def stop(self):
        """A clean stop: exit code 0 is asserted."""
        code = self.terminate()
        assert code == 0, f"exit code {code} after SIGTERM; log:\n{self.log_text()[-3000:]}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def running(self):
        return self.process is not None and self.process.poll() is None

    # --- what it says ---

    def log_text(self):
        """The log of the present or last process."""
        with open(self.log, "rb") as log:
            log.seek(self._log_begin)
            return log.read().decode(errors="replace")

    def logged(self, pattern):
        return re.search(pattern, self.log_text())

    def wait_log(self, pattern, timeout_s=30):
        def seen():
            running = self.running()  # first: what it wrote last counts, too
            found = self.logged(pattern)
            assert found or running, \
                f"ended with exit code {self.process.returncode} before /{pattern}/; log:\n{self.log_text()[-3000:]}"
            return found
        return wait_until(seen, timeout_s, f"/{pattern}/ in the log of {self.dir.name}")

    def wait_streaming(self, timeout_s=30):
        self.wait_log(STREAMING, timeout_s)
        return self

    # --- what it uses ---

    def rss_kb(self):
        return status_of(self.process.pid, "VmRSS")

    def peak_rss_kb(self):
        """The most it ever was."""
        return peak_rss_kb(self.process.pid)

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # --- what it wrote ---

    @property
    def prefix(self):
        return self.config["topic.prefix"]

    @property
    def slot(self):
        return self.config["slot.name"]

    @property
    def publication(self):
        return self.config["publication.name"]

    @property
    def reader(self):
        """Of the topics below the prefix; reads nothing by itself."""
        if self._reader is None:
            self._reader = TopicReader(self.worker["bootstrap.servers"], self.prefix)
        return self._reader

    def events(self):
        """All records so far, from the sink's file, from stdout, or from the topics."""
        sink = self.config.get("sink", "kafka")
        if sink == "kafka":
            return list(self.reader.read())
        path = self.out if sink == "stdout" else self.dir / "records.jsonl"
        if self._file is None or self._file.path != path:
            self._file = GrowingFile(path)
        return self._file.read()

    def wait_events(self, condition, timeout_s=30, what="the expected events"):
        """Waits until `condition(events)` holds, or until that many events came when it is a number; the events."""
        wanted = condition if callable(condition) else lambda events: len(events) >= condition

        def check():
            events = self.events()
            if wanted(events):
                return [events]
            assert self.running(), f"ended with exit code {self.process.returncode}; log:\n{self.log_text()[-3000:]}"
            return None
        try:
            return wait_until(check, timeout_s, what, interval_s=0.05)[0]
        except AssertionError as error:
            seen = [(e.topic, e.op, e.key) for e in self.events()[-20:]]
            raise AssertionError(f"{error}\nthe last events: {seen}\nlog:\n{self.log_text()[-2000:]}") from None

    @property
    def offset_file(self):
        return self.dir / "offsets.dat"

    def offset(self):
        """The stored offset map of the file store; None when there is none."""
        return read_offset(self.offset_file, self.name, self.prefix)

    def close(self):
        if self.running():
            self.kill()
        if self._reader is not None:
            self._reader.close()
