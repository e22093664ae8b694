#!/usr/bin/env python3
"""Drives `walduct serve` with clients of Kafka Connect that others wrote, through create, look, pause, resume, change, restart and delete.

run.py [python | java | go …]      no name: all. Needs scripts/deps clients, and go for the one in Go. Exit status: 0 all passed.

python  kc, the command of kafka-connect-py      java  SourceLab's kafka-connect-client, which AKHQ uses      go  github.com/go-kafka/connect
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from support import servers  # noqa: E402
from support.connector import properties_text  # noqa: E402
from support.paths import DEPS  # noqa: E402
from support.serve import CLASS, JSON, Worker  # noqa: E402
from support.wait import wait_until  # noqa: E402

CLIENTS = DEPS / "clients"


def call(*command, **kwargs):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=180, **kwargs)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def drive_python(base, name, config, _directory):
    def kc(*arguments):
        text = call(CLIENTS / "python/bin/kc", "--url", base, *arguments)
        return json.loads(text) if text.strip() else None

    def state():
        status = kc("status", name)
        return [status["connector"]["state"], *(task["state"] for task in status["tasks"])]

    def wait(expected):
        wait_until(lambda: state() == [expected, expected], 60, f"{name} {expected}")

    assert kc("info")["version"]
    assert CLASS in [one["class"] for one in kc("list-plugins")]
    assert kc("create", "--config-data", json.dumps({"name": name, "config": config}))["name"] == name
    wait("RUNNING")
    assert kc("list") == [name] and kc("config", name) == {**config, "name": name}
    assert kc("get", name)["tasks"] == [{"connector": name, "task": 0}]
    assert kc("task-status", name, "0")["state"] == "RUNNING"
    kc("pause", name)
    wait("PAUSED")
    kc("resume", name)
    wait("RUNNING")
    changed = kc("update", name, "--config-data", json.dumps({**config, "poll.interval.ms": "250"}))
    assert changed["config"]["poll.interval.ms"] == "250"
    wait("RUNNING")
    kc("restart", name, "--include-tasks")
    wait("RUNNING")
    kc("list-topics", name)
    kc("delete", name)
    assert kc("list") == []


def drive_java(base, name, config, directory):
    file = directory / "java.properties"
    file.write_text(properties_text(config))
    call("java", "-cp", f"{CLIENTS / 'libs'}/*", HERE / "Drive.java", base, name, file)


def drive_go(base, name, config, directory):
    file = directory / "go.json"
    file.write_text(json.dumps(config))
    call("go", "run", ".", base + "/", name, file, cwd=HERE / "go",
         env={**os.environ, "GOFLAGS": "-modcacherw", "GOPATH": str(DEPS / "cache/go")})


DRIVES = {"python": drive_python, "java": drive_java, "go": drive_go}


def main():
    names = sys.argv[1:] or list(DRIVES)
    if not set(names) <= set(DRIVES):
        sys.exit(__doc__)
    own, failed = servers.private(postgres=17, kafka=True), []
    with tempfile.TemporaryDirectory(prefix="clients-") as folder:
        directory = Path(folder)
        worker = Worker(directory / "worker", own.bootstrap, "clients")
        try:
            worker.start("--log-level", "warn")
            for name in names:
                database = own.postgres.database(f"c_{name}").create()
                database.script("create table items (id int primary key); insert into items values (1)")
                config = {"connector.class": CLASS, "tasks.max": "1", "plugin.name": "pgoutput",
                          "database.hostname": own.postgres.host, "database.port": str(own.postgres.port),
                          "database.user": own.postgres.user, "database.password": own.postgres.password,
                          "database.dbname": database.name, "topic.prefix": f"c_{name}", "slot.name": f"c_{name}",
                          "publication.name": f"c_{name}", "table.include.list": "public.items",
                          "key.converter": JSON, "value.converter": JSON}
                try:
                    DRIVES[name](worker.base, f"by-{name}", config, directory)
                    print(f"ok   {name}", flush=True)
                except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                    failed.append(name)
                    print(f"FAIL {name}: {error}\n{worker.log_text()[-2000:]}", flush=True)
            worker.stop()
        finally:
            worker.kill()
            own.remove()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
