"""A connector of `walduct run` that has ended can be asked for when its process is gone; what is typed wins over the environment."""
import json
import os
import shlex
import signal
import subprocess
import time

import pytest
from test_serve import config_of, workers  # noqa: F401

from support.http import Surface
from support.paths import BINARY
from support.servers import free_ports
from support.wait import wait_until

TABLE = "create table items (id int primary key)"
MISSING = {"publication.autocreate.mode": "disabled", "publication.name": "missing"}


@pytest.fixture
def notes(tmp_path, monkeypatch):
    folder = tmp_path / "notes"
    monkeypatch.setenv("WALDUCT_STATE_DIRECTORY", str(folder))
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # notes of other tests there are read, too
    return folder


def walduct(*arguments, **environment):
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


def test_what_is_asked_with_files_or_urls_that_are_none(notes, tmp_path):
    """It is what was typed that is wrong, and not a process that has ended."""
    for wrong, why in ((["-f", tmp_path / "nope.json"], "nope.json: no such file"), (["--url", "http://127.0.0.1:99999"], "not a listener's URL")):
        done = walduct("status", *wrong)
        assert done.returncode == 2 and why in done.stderr and "nobody answers" not in done.stderr + done.stdout, done


@pytest.mark.parametrize("store", ["file", "kafka"])
def test_how_it_failed(store, db, connectors, notes):
    db.execute(TABLE)
    port = free_ports(1)[0]
    worker = None if store == "file" else {"offset.storage.file.filename": None, "offset.storage.topic": f"{db.name}-offsets"}
    connector = connectors(db, MISSING, worker=worker, sink="file").start("--listen", f"0.0.0.0:{port}")
    assert connector.wait_exit() == 3
    for done in (walduct("status", "--url", f"http://127.0.0.1:{port}"), walduct("status", WALDUCT_LISTEN=f"0.0.0.0:{port}"),
                 walduct("status", connector.name, "--listen", f"127.0.0.1:{port}"), connector.call("status")):
        assert done.returncode == 1 and "nobody answers" in done.stderr, done
        assert f"{connector.name}  FAILED" in done.stdout and "exit code 3" in done.stdout, done
        assert "(publication_missing)" in done.stdout and "hint" in done.stdout, done
    by_files = connector.call("status")
    assert f"walduct doctor {shlex.join(map(str, connector.files()))} says first" in by_files.stderr and "same --listen" not in by_files.stderr, by_files
    by_url = walduct("status", "--url", f"http://127.0.0.1:{port}").stderr
    assert f"with the same --listen; walduct doctor {shlex.join(map(str, connector.files()))} says first" in by_url, by_url
    at = ("--url", f"http://127.0.0.1:{port}")
    for command in (("status", "--ready"), ("doctor", connector.name), ("restart", connector.name), ("offsets", "show", connector.name),
                    ("signal", "execute-snapshot", connector.name, "--table", "public.items")):
        done = walduct(*command, *at)
        assert done.returncode == 1 and f"{connector.name}  FAILED" in done.stdout and "walduct doctor -f" in done.stderr, done
    end = json.loads(walduct("status", "--json", "--url", f"http://127.0.0.1:{port}").stdout)["last_ends"][0]
    assert (end["connector"], end["state"], end["exit_code"], end["reason"]) == (connector.name, "FAILED", 3, "publication_missing")
    explained = connector.call("explain")
    assert explained.returncode == 0 and "publication_missing\n" in explained.stdout and "To do:" in explained.stdout, explained
    named = walduct("explain", connector.name, WALDUCT_LISTEN=f"127.0.0.1:{port}")
    assert named.returncode == 0 and "publication_missing\n" in named.stdout, named
    other = walduct("status", "--url", f"http://127.0.0.1:{free_ports(1)[0]}")
    assert other.returncode == 1 and "FAILED" not in other.stdout and "--listen HOST:PORT" in other.stderr, other
    assert "has ended or was never started" in other.stderr and "walduct doctor -f FILE" in other.stderr, other


def test_a_clean_stop_and_a_kill(db, connectors, notes):
    db.execute(TABLE)
    connector = connectors(db, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    url = Surface(connector).base
    connector.stop()
    stopped = walduct("status", connector.name, "--url", url)
    assert f"{connector.name}  STOPPED" in stopped.stdout, stopped
    assert f"walduct doctor {shlex.join(map(str, connector.files()))} says first" in stopped.stderr, stopped
    connector.start("--listen", url.removeprefix("http://")).wait_streaming()
    wait_until(lambda: walduct("status", "--url", url).returncode == 0, 30, "it answers")
    elsewhere = walduct("status", *connector.files(), "--listen", f"127.0.0.1:{free_ports(1)[0]}")
    assert f"listens elsewhere: --listen {url.removeprefix('http://')}" in elsewhere.stderr and "kill" not in elsewhere.stderr, elsewhere
    connector.kill()
    killed = walduct("status", "--url", url).stdout
    assert "ended without a word" in killed and "journalctl -u 'walduct*'" in killed, killed
    assert "journalctl" in json.loads(walduct("status", "--json", "--url", url).stdout)["last_ends"][0]["hint"]
    assert not [f for f in notes.iterdir() if f.stat().st_mode & 0o077]


def test_an_end_that_cannot_be_noted_beside_the_offsets(db, connectors, notes):
    """As on a disk that is full."""
    db.execute(TABLE)
    connector = connectors(db, sink="file").start().wait_streaming()
    note = next(connector.dir.rglob("*.end"))
    (note.parent / f"{note.name}.{connector.process.pid}").mkdir()
    connector.stop()
    said = connector.call("status").stdout
    assert f"{connector.name}  STOPPED" in said and "without a word" not in said, said
    connector.start().wait_streaming()
    connector.kill()
    assert "without a word" in connector.call("status").stdout, "that of another process says nothing of this one"


def test_a_start_that_is_refused(db, connectors, notes):
    db.execute(TABLE)
    connector = connectors(db, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    url = Surface(connector).base
    listen = ("--listen", url.removeprefix("http://"))
    files = ("-f", connector.dir / "connector.json", "-w", connector.dir / "worker.properties")
    second = walduct("run", *files, "-o", "slot.name=not-a-name", *listen)
    assert second.returncode == 2 and walduct("status", *files).returncode == 1, second
    assert "STOPPED" not in walduct("status", *files).stdout, "a note of one that runs stays"
    connector.stop()
    assert walduct("run", *files, "-o", "slot.name=not-a-name", *listen).returncode == 2
    for done in (walduct("status", "--url", url), walduct("status", *files)):
        assert done.returncode == 1 and f"{connector.name}  FAILED" in done.stdout, done
        assert "exit code 2" in done.stdout and "slot.name" in done.stdout and "validate" in done.stdout, done


def test_another_process_answers(databases, pg17, connectors, notes):
    dbs = [databases(pg17), databases(pg17)]
    for db in dbs:
        db.execute(TABLE)
    first, second = (connectors(db, sink="file") for db in dbs)
    second.name = "second"
    second.write_files()
    url = Surface(first.start("--listen", "127.0.0.1:0").wait_streaming()).base
    asked = walduct("status", "-f", second.dir / "connector.json", "-w", second.dir / "worker.properties", "--url", url)
    assert asked.returncode == 1 and f"does not run second; it runs {first.name}" in asked.stderr, asked
    own = walduct("status", "-f", first.dir / "connector.json", "-w", first.dir / "worker.properties", "--url", url)
    assert own.returncode == 0 and f"{first.name}  RUNNING" in own.stdout, own


def test_a_process_that_hangs(db, connectors, notes):
    db.execute(TABLE)
    connector = connectors(db, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    url = Surface(connector).base
    os.kill(connector.process.pid, signal.SIGSTOP)
    try:
        hangs, as_json = walduct("status", "--url", url), walduct("status", "--json", "--url", url)
        # What waits for two minutes where it is answered asks first whether it is.
        begun = time.monotonic()
        slow = walduct("doctor", connector.name, "--url", url), walduct("offsets", "show", connector.name, "--url", url)
        took = time.monotonic() - begun
    finally:
        os.kill(connector.process.pid, signal.SIGCONT)
    assert hangs.returncode == 1 and f"kill -CONT {connector.process.pid}" in hangs.stderr, hangs
    assert "has ended" not in hangs.stderr and "does not answer there" in hangs.stdout, hangs
    wake = f"process {connector.process.pid} is suspended: kill -CONT {connector.process.pid}"
    for asked in slow:
        assert asked.returncode == 1 and wake in asked.stderr, asked
    assert took < 20, took
    assert wake in hangs.stdout and wake in hangs.stderr and wake in json.loads(as_json.stdout)["last_ends"][0]["hint"], (hangs, as_json)


def test_a_folder_of_somebody_else_is_not_used(db, connectors, notes):
    notes.mkdir(mode=0o777)
    notes.chmod(0o777)
    connector = connectors(db, MISSING, sink="file").start("--listen", "127.0.0.1:0")
    url = Surface(connector).base
    assert connector.wait_exit() == 3
    assert list(notes.iterdir()) == [] and "FAILED" not in walduct("status", "--url", url).stdout
    assert "how this process ends cannot be noted" in connector.log_text() and "WALDUCT_STATE_DIRECTORY" in connector.log_text()
    assert "FAILED" in connector.call("status").stdout, "beside the offset file"


def test_an_end_that_cannot_be_noted_is_told_while_it_runs(db, connectors, monkeypatch):
    db.execute(TABLE)
    monkeypatch.setenv("WALDUCT_STATE_DIRECTORY", "/proc/none")
    connector = connectors(db, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    url = ("--url", Surface(connector).base)
    told = walduct("status", *url)
    assert told.returncode == 0 and "process    how this process ends cannot be noted: /proc/none:" in told.stdout, told
    assert "-> " in told.stdout and "WALDUCT_STATE_DIRECTORY" in told.stdout, told
    notice = json.loads(walduct("status", "--json", *url).stdout)["notice"]
    assert "/proc/none" in notice["message"] and notice["hint"], notice
    connector.stop()


@pytest.mark.parametrize("command", [("status",), ("pause", "x"), ("resume", "x"), ("stop", "x"), ("restart", "x"), ("explain", "x"),
                                     ("skip", "x", "--lsn", "0/1:1", "--yes"), ("doctor", "x"), ("offsets", "show", "x")])
def test_what_is_typed_wins_over_the_environment(command, notes):
    here, there = free_ports(2)
    done = walduct(*command, "--url", f"http://127.0.0.1:{here}", WALDUCT_LISTEN=f"127.0.0.1:{there}")
    assert "excludes" not in done.stderr and str(there) not in done.stderr, done
    assert str(here) in done.stderr or command[0] == "explain", done
    by_environment = walduct(*command, WALDUCT_LISTEN=f"127.0.0.1:{there}")
    assert str(there) in by_environment.stderr or command[0] == "explain", by_environment
    both = walduct(*command, "--url", f"http://127.0.0.1:{here}", "--listen", f"127.0.0.1:{there}")
    assert both.returncode == 2 and "excludes" in both.stderr, both


def test_doctor_and_offsets_of_a_running_process(db, connectors, notes):
    db.execute(TABLE)
    connector = connectors(db, {"table.include.lst": "public.x"}, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    url = ("--url", Surface(connector).base)
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    healthy = walduct("doctor", connector.name, *url)
    assert healthy.returncode == 1 and "0 errors" in healthy.stdout and "PostgreSQL" in healthy.stdout, healthy
    assert "'table.include.lst'" in healthy.stdout and "did you mean 'table.include.list'?" in healthy.stdout, healthy
    wait_until(lambda: json.loads(walduct("offsets", "show", connector.name, *url).stdout)["offsets"], 30, "a position")
    exported = walduct("offsets", "export", connector.name, *url)
    assert json.loads(exported.stdout)["offsets"][0]["partition"] == {"server": connector.prefix}, exported
    refused = walduct("offsets", "reset", connector.name, *url)
    assert refused.returncode == 3 and "walduct run" in refused.stderr and "-f" in refused.stderr, refused
    for command in (("doctor", "nobody"), ("offsets", "show", "nobody")):
        unknown = walduct(*command, *url)
        assert unknown.returncode == 3 and "no such connector" in unknown.stderr, unknown
    nothing = walduct("doctor")
    assert nothing.returncode == 2 and "-f" in nothing.stderr, nothing
    connector.stop()
    by_file = connector.call("offsets", "export")
    assert json.loads(by_file.stdout)["offsets"], by_file


def test_doctor_and_offsets_of_a_worker(workers, databases, pg17, notes):  # noqa: F811
    db = databases(pg17)
    db.execute(TABLE)
    worker = workers().start()
    worker.create("shop", {**config_of(db), **MISSING})
    worker.wait_state("shop", "RUNNING/FAILED")
    sick = walduct("doctor", "shop", "--url", worker.base)
    assert sick.returncode == 2 and "error  publication_missing" in sick.stdout, sick
    as_json = json.loads(walduct("doctor", "shop", "--url", worker.base, "--json").stdout)["connectors"][0]
    assert as_json["name"] == "shop" and as_json["findings"][0]["reason"] == "publication_missing"
    assert "#!/bin/sh" in walduct("doctor", "shop", "--url", worker.base, "--fix").stdout
    assert json.loads(walduct("offsets", "show", "shop", "--url", worker.base).stdout) == {"offsets": []}
    explained = walduct("explain", "shop", "--url", worker.base)
    assert explained.returncode == 0 and "FAILED" in explained.stdout or "publication_missing" in explained.stdout, explained
    nobody = walduct("explain", "shpo", "--url", worker.base)
    assert nobody.returncode == 2 and f"neither a reason nor a connector of the process at {worker.base} is named 'shpo'; shop" in nobody.stderr, nobody


def test_how_connectors_of_a_worker_ended(workers, databases, pg17, notes):  # noqa: F811
    db = databases(pg17)
    db.execute(TABLE)
    worker = workers().start()
    worker.create("sick", {**config_of(db, **{"slot.name": f"{db.name}_s"}), **MISSING})
    worker.create("well", config_of(db))
    worker.wait_state("sick", "RUNNING/FAILED")
    worker.wait_state("well", "RUNNING/RUNNING")

    def noted():
        return any('"FAILED"' in one.read_text() and '"RUNNING"' in one.read_text() for one in notes.glob("at-*"))
    wait_until(noted, 30, "both are noted")
    worker.kill()
    told = walduct("status", "--url", worker.base)
    assert told.returncode == 1 and "sick  FAILED" in told.stdout and "(publication_missing)" in told.stdout, told
    assert "well  ran from" in told.stdout and "ended without a word" in told.stdout, told
    explained = walduct("explain", "sick", "--url", worker.base)
    assert explained.returncode == 0 and "publication_missing\n" in explained.stdout and "To do:" in explained.stdout, explained
    worker.start()
    worker.wait_state("well", "RUNNING/RUNNING")
    worker.wait_state("sick", "RUNNING/FAILED")
    worker.stop()
    told = walduct("status", "--url", worker.base)
    assert "well  STOPPED" in told.stdout and "sick  FAILED" in told.stdout and "(publication_missing)" in told.stdout, told


def test_explain_alerts_and_sqlstates():
    alert = walduct("explain", "WalductStalled")
    assert alert.returncode == 0 and alert.stdout.startswith("WalductStalled\n\n") and len(alert.stdout) > 100, alert
    for state, reason in (("57P01", "server_shutting_down"), ("28P01", "wrong_password"), ("53300", "too_many_connections")):
        done = walduct("explain", state)
        assert done.returncode == 0 and reason in done.stdout and "To do:" in done.stdout, done
    unknown = walduct("explain", "WalductNothing", WALDUCT_LISTEN="127.0.0.1:1")
    assert unknown.returncode == 2 and "there is no reason" in unknown.stderr, unknown
