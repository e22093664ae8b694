"""`walduct serve` as a process under test, and a client of its REST interface."""
import json
import os
import subprocess
import urllib.error
import urllib.request

from support.connector import properties_text
from support.debezium import free_port
from support.paths import BINARY
from support.wait import wait_until

CLASS = "io.debezium.connector.postgresql.PostgresConnector"
JSON = "org.apache.kafka.connect.json.JsonConverter"


def worker_properties(bootstrap, name, port):
    """A worker file as connect-distributed takes it; everything of this worker is named after `name`."""
    return {"bootstrap.servers": bootstrap, "group.id": f"{name}-group", "config.storage.topic": f"{name}-configs",
            "offset.storage.topic": f"{name}-offsets", "status.storage.topic": f"{name}-status",
            "config.storage.replication.factor": "1", "offset.storage.replication.factor": "1",
            "status.storage.replication.factor": "1", "offset.flush.interval.ms": "1000",
            "listeners": f"http://127.0.0.1:{port}", "key.converter": JSON, "value.converter": JSON}


class Rest:
    """A worker's REST interface, Connect's or ours."""

    def __init__(self, base):
        self.base = base

    def ask(self, method, path, body=None):
        """(status, the body as JSON or text, None when there is none)"""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method,
                                         headers={"Accept": "application/json", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        return status, json.loads(text) if text else None

    def ask_text(self, path):
        """(status, the body as it is)"""
        with urllib.request.urlopen(self.base + path, timeout=60) as answer:
            return answer.status, answer.read().decode()

    def get(self, path):
        status, body = self.ask("GET", path)
        assert status == 200, (status, body)
        return body

    def create(self, name, config, **more):
        status, body = self.ask("POST", "/connectors", {"name": name, "config": config, **more})
        assert status == 201, body

    def state(self, name):
        """'RUNNING', or 'RUNNING/FAILED' with the state of its task where there is one."""
        status, body = self.ask("GET", f"/connectors/{name}/status")
        if status != 200:
            return None
        return "/".join([body["connector"]["state"], *(task["state"] for task in body["tasks"])])

    def wait_state(self, name, state, timeout_s=60):
        try:
            wait_until(lambda: self.state(name) == state, timeout_s, f"{name} {state}", interval_s=0.1)
        except AssertionError:
            raise AssertionError(f"{name}: {self.ask('GET', f'/connectors/{name}/status')}, not {state}") from None


class Worker(Rest):
    """One worker file and the processes started with it, one at a time."""

    def __init__(self, directory, bootstrap, name):
        self.port = free_port()
        super().__init__(f"http://127.0.0.1:{self.port}")
        self.dir, self.properties = directory, worker_properties(bootstrap, name, self.port)
        self.dir.mkdir(parents=True, exist_ok=True)
        self.file, self.log = directory / "worker.properties", directory / "serve.log"
        self.process, self.environment, self.binary = None, {}, BINARY

    def begin(self, *arguments):
        self.file.write_text(properties_text(self.properties))
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(self.binary), "serve", "-w", str(self.file), *arguments],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **self.environment})
        return self

    def start(self, *arguments):
        self.begin(*arguments)
        wait_until(self.healthy, 60, f"a worker that serves (see {self.log})", interval_s=0.1)
        return self

    def healthy(self):
        assert self.process.poll() is None, f"it ended:\n{self.log_text()[-3000:]}"
        try:
            return self.ask("GET", "/health")[0] == 200
        except OSError:
            return False

    def log_text(self):
        return self.log.read_text(errors="replace")

    def stop(self):
        self.process.terminate()
        code = self.process.wait(60)
        assert code == 0, f"exit code {code}; log:\n{self.log_text()[-3000:]}"

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
