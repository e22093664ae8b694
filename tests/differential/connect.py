"""Kafka Connect with the real Debezium: one worker for many connectors, told over its REST interface."""
import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from support.connector import properties_text
from support.debezium import _LOG4J, CONVERTERS, LIBS, PLUGINS
from support.wait import wait_until


def newest_java():
    """(program, major version): the newest of the installed ones. Since 19 Java prints floating point numbers shortest."""
    found = []
    for program in [*Path("/usr/lib/jvm").glob("*/bin/java"), Path(shutil.which("java") or "/usr/bin/java")]:
        if program.exists():
            said = subprocess.run([program, "-version"], capture_output=True, text=True).stderr
            version = re.search(r'version "(\d+)', said)
            found.append((int(version.group(1)) if version else 0, str(program)))
    assert found, "java is missing; run scripts/deps debezium"
    major, program = max(found)
    return program, major


# Little memory and a quick start, for tests.
SMALL = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
QUICK = {"offset.flush.interval.ms": "600000", "producer.linger.ms": "0", "producer.max.request.size": "20000000",
         "task.shutdown.graceful.timeout.ms": "2000"}


class NoAnswer(Exception):
    """Kafka Connect ended, did not answer in time, or failed by itself: that says nothing about walduct."""


ANSWER_S = 100  # its own limit is 90


def _joined(directory):
    """Debezium and Confluent's converters as one plugin: CloudEventsConverter looks for what it needs of theirs beside itself."""
    folder = directory / "debezium"
    folder.mkdir(parents=True, exist_ok=True)
    for jar in [*PLUGINS.rglob("*.jar"), *CONVERTERS.rglob("*.jar")]:
        link = folder / jar.name
        if not link.exists():
            link.symlink_to(jar)
    return directory


class Worker:
    """A standalone worker; `java` is its major version."""

    def __init__(self, directory, bootstrap, port, jvm=SMALL, settings=QUICK, converters=False):
        self.dir, self.url, self.log = directory, f"http://127.0.0.1:{port}", directory / "connect.log"
        self.silent = None  # why it is not asked any more
        directory.mkdir(parents=True, exist_ok=True)
        program, self.java = newest_java()
        plugins = _joined(directory / "plugins") if converters else PLUGINS
        worker = {
            "bootstrap.servers": bootstrap, "listeners": self.url, "plugin.path": plugins, "plugin.discovery": "service_load",
            # They do not say in META-INF/services what they are.
            **({"plugin.discovery": "hybrid_warn"} if converters else {}),
            "offset.storage.file.filename": directory / "offsets.dat",
            "key.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
            **settings,
        }
        (directory / "worker.properties").write_text(properties_text(worker))
        (directory / "log4j2.properties").write_text(_LOG4J.replace("level = info", "level = warn"))
        command = [program, *jvm, "-Duser.timezone=UTC", f"-Dlog4j2.configurationFile={directory / 'log4j2.properties'}",
                   "-cp", f"{LIBS}/*", "org.apache.kafka.connect.cli.ConnectStandalone", directory / "worker.properties"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(a) for a in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def request(self, method, path, body=None):
        """The answer, or None for 404; `body` becomes JSON. After NoAnswer nothing is asked any more."""
        if self.silent or self.process.poll() is not None:
            raise NoAnswer(self.silent or f"Kafka Connect ended:\n{self._said()}")
        content = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.url + path, content, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=ANSWER_S) as answer:
                text = answer.read()
                return json.loads(text) if text else {}
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            said = f"{method} {path}: {error.code} {error.read().decode(errors='replace')[:2000]}"
            raise (self._failed(said) if error.code >= 500 else AssertionError(said)) from None
        except TimeoutError:
            raise self._failed(f"{method} {path}: nothing for {ANSWER_S} s") from None

    def _failed(self, what):
        self.silent = f"{what}\n{self._said()}"
        return NoAnswer(self.silent)

    def _said(self):
        return self.log.read_text(errors="replace")[-3000:]

    def wait_ready(self, timeout_s=180):
        def ready():
            try:
                return self.request("GET", "/connectors") is not None
            except (urllib.error.URLError, ConnectionError):
                return False
        wait_until(ready, timeout_s, "Kafka Connect answers", interval_s=0.3)
        return self

    def create(self, name, config):
        self.request("PUT", f"/connectors/{name}/config", {"name": name, "tasks.max": "1", **config})

    def delete(self, name):
        self.request("DELETE", f"/connectors/{name}")

    def failure(self, name):
        """Why the connector or its task stopped; None while it runs."""
        status = self.request("GET", f"/connectors/{name}/status") or {}
        for part in [status.get("connector", {}), *status.get("tasks", [])]:
            if part.get("state") == "FAILED":
                return part.get("trace", "no trace")
        return None

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
