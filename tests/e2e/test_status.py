"""`walduct status` and what a service manager is told, of a real process."""
import json
import socket
import subprocess

from support.http import Surface
from support.paths import BINARY
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")


def status(*arguments):
    return subprocess.run([str(BINARY), "status", *arguments], capture_output=True, text=True, timeout=30)


def test_status_of_a_process_that_streams(db, connectors):
    db.script("create table items (id int primary key); insert into items select generate_series(1, 100)")
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    url = ("--url", Surface(connector).base)
    screen = status(*url)
    assert screen.returncode == 0, screen.stderr
    assert f"{connector.name}  RUNNING for" in screen.stdout and "streaming for" in screen.stdout
    assert "snapshot   completed, 100 rows in" in screen.stdout
    assert "rows/s" in screen.stdout and "\x1b" not in screen.stdout
    assert json.loads(status(*url, "--json").stdout)["connectors"][0]["snapshot"]["rows"] == 100
    assert status(connector.name, *url).stdout
    other = status("other", *url)
    assert other.returncode == 3 and f"there are: {connector.name}" in other.stderr
    unknown = status("other", *url, "--json")
    assert unknown.returncode == 3 and not unknown.stdout and f"there are: {connector.name}" in unknown.stderr, unknown
    assert status(*url, "--alive").stdout == status(*url, "--ready").stdout == "ok\n"
    connector.stop()
    gone = status(*url)
    assert gone.returncode == 1 and "nobody answers" in gone.stderr and "--listen" in gone.stderr
    assert status(*url, "--alive").returncode == 1


def test_status_of_a_connector_that_failed(databases, pg17, connectors):
    """Beside one that works, so that the process goes on."""
    dbs = [databases(pg17), databases(pg17)]
    for db in dbs:
        db.script("create table items (id int primary key)")
    first, second = (connectors(db, sink="file") for db in dbs)
    second.config.update({"publication.autocreate.mode": "disabled", "publication.name": "missing"})
    second.name = "failing"
    second.write_files()
    first.start("-f", second.dir / "connector.json", *LISTEN)
    url = ("--url", Surface(first).base)
    first.wait_log("a connector has failed")
    screen = status("failing", *url).stdout
    assert "failing  FAILED for" in screen and "last error" in screen and "hint" in screen
    assert first.name not in screen
    ready = status(*url, "--ready")
    assert ready.returncode == 1 and "failing: FAILED" in ready.stderr


def test_an_incremental_snapshot_that_reads_nothing(db, connectors):
    """What the topic is told is Debezium's; the sentence is in status."""
    db.script("create table items (id int primary key); create table signals (id varchar(64), type varchar(64), data varchar(4096))")
    connector = connectors(db, {"signal.data.collection": "public.signals"}, sink="file").start(*LISTEN).wait_streaming()
    url = ("--url", Surface(connector).base)
    db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", '{"data-collections": ["public.nosuch"]}')
    screen = wait_until(lambda: [text for text in [status(*url).stdout] if "Incremental Snapshot COMPLETED" in text], 30, "it is over")[0]
    assert "Incremental Snapshot FAILED" in screen and "ago, without public.nosuch" in screen, screen
    assert "TABLE_SCAN_COMPLETED" not in screen, screen


def test_a_service_manager_is_told(db, connectors, tmp_path):
    """While the broker is away, too: a process that waits lives."""
    db.script("create table items (id int primary key)")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        connector = connectors(db, worker={"bootstrap.servers": "127.0.0.1:1"})
        connector.start(environment={"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "200000"})
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == manager.recv(100) == b"WATCHDOG=1"
        connector.process.terminate()
        wait_until(lambda: manager.recv(100) == b"STOPPING=1", 20, "STOPPING=1", interval_s=0)
        connector.wait_exit()


def test_load_is_told_in_the_log(db, connectors):
    db.script("create table items (id int primary key)")
    connector = connectors(db, sink="file").start().wait_streaming()
    for i in range(24):
        db.execute("insert into items select generate_series(%s::int, %s)", i * 500, i * 500 + 499)
        if connector.logged("streamed"):
            break
        wait_until(lambda: len(connector.events()) >= (i + 1) * 500, 20, "delivered", interval_s=0.5)
    connector.wait_log(r"streamed changes=\d+ seconds=1\d changes_per_s=\d+")
    connector.stop()
