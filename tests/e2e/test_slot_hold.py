"""walduct.slot.lost=hold: a slot that is lost or dropped stands anew within a moment, the position stays, no start streams over the
gap, and what is told is told again until somebody has chosen."""
import json
import os
import re
import shlex
import signal
import subprocess
import time

import pytest
from test_serve import config_of, workers  # noqa: F401

from support.http import Surface
from support.paths import BINARY
from support.postgres import lsn
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
HOLD = {"walduct.slot.lost": "hold"}


def streams(offsets):
    return offsets and "snapshot" not in offsets[0]["offset"]


def begun(db, connectors, **more):
    db.script(TABLE + "; create table noise (v text)")
    connector = connectors(db, {**HOLD, "table.include.list": "public.items", **more}, sink="file").start().wait_streaming()
    db.execute("insert into items values (1), (2)")
    connector.wait_events(2)
    wait_until(lambda: "snapshot" not in connector.offset(), 20, "a position of the stream is stored")
    return connector


def wait_held(db, connector, since, within_s):
    wait_until(lambda: (db.slot(connector.slot) or {}).get("wal_status") == "reserved", 20, "a slot stands anew")
    assert time.time() - since < within_s, connector.log_text()
    assert connector.wait_exit() == 4, connector.log_text()
    assert connector.logged("reason=lost_slot_held hint=.*offsets reset.*--accept-loss"), connector.log_text()
    return lsn(db.slot(connector.slot)["confirmed_flush_lsn"])


@pytest.mark.parametrize("mode", ["initial", "when_needed"])
def test_a_slot_that_is_dropped_under_a_running_connector(mode, db, connectors):
    connector = begun(db, connectors, **{"snapshot.mode": mode})
    position = connector.offset()
    db.drop_slot(connector.slot)
    since = time.time()
    db.execute("delete from items where id = 1")
    held = wait_held(db, connector, since, 4)
    kept = connector.offset()
    assert {**kept, "walduct_slot_held": True} == kept and position["lsn"] <= kept["lsn"] < held
    for strategy in ("no_validation", "trust_slot"):
        connector.config["offset.mismatch.strategy"] = strategy
        assert connector.run_to_end() == 4 and connector.logged("reason=lost_slot_held"), connector.log_text()
        assert lsn(db.slot(connector.slot)["confirmed_flush_lsn"]) == held, "it is made once"
    assert "lost_slot_held" in connector.call("doctor").stdout
    refused = connector.call("offsets", "reset")
    assert refused.returncode != 0 and "what was deleted in" in refused.stderr + refused.stdout, refused
    assert len(connector.events()) == 2, "nothing is published meanwhile"
    reset = connector.call("offsets", "reset", "--accept-loss")
    assert reset.returncode == 0 and "the stream goes on where" in reset.stdout, reset
    connector.start().wait_streaming()
    db.execute("insert into items values (3)")
    events = connector.wait_events(lambda events: events[-1].id == 3 and events[-1].op == "c")
    assert [e.id for e in events if e.op == "r"] == [2], "all tables are read anew"
    connector.stop()
    assert "walduct_slot_held" not in connector.offset()


def test_a_slot_that_is_lost_under_a_running_connector(private_servers, databases, connectors):
    servers = private_servers(postgres=17, pg_set={"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"})
    db = databases(servers.postgres)
    connector = begun(db, connectors)
    position = connector.offset()["lsn"]
    os.kill(connector.process.pid, signal.SIGSTOP)
    try:
        for _ in range(6):
            db.execute("insert into noise select repeat('x', 1000) from generate_series(1, 20000)")
            db.execute("select pg_switch_wal()")
            db.execute("checkpoint")
        wait_until(lambda: db.slot(connector.slot)["wal_status"] == "lost", 20, "the slot is lost")
    finally:
        os.kill(connector.process.pid, signal.SIGCONT)
    held = wait_held(db, connector, time.time(), 4)
    assert connector.offset()["lsn"] == position < held


def test_a_server_without_a_free_slot(private_servers, databases, connectors):
    servers = private_servers(postgres=17, pg_set={"max_replication_slots": "1"})
    db = databases(servers.postgres)
    connector = begun(db, connectors)
    connector.stop()
    db.drop_slot(connector.slot)
    db.execute("select pg_create_physical_replication_slot('other', true)")
    assert connector.run_to_end() == 4
    assert connector.logged("reason=lost_slot_not_held hint=.*max_replication_slots"), connector.log_text()
    db.drop_slot("other")
    assert connector.run_to_end() == 4 and connector.logged("reason=lost_slot_held"), connector.log_text()


def plan_of(*arguments, folder, exit_code):
    done = subprocess.run([str(BINARY), "recover", "plan", *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == exit_code, done
    return done.stdout


def test_a_plan_takes_no_other_slot_for_the_connectors(db, connectors):
    """One of that name that keeps the WAL, and not the catalogs, and that no connector could read."""
    connector = begun(db, connectors)
    connector.stop()
    db.drop_slot(connector.slot)
    db.execute(f"select pg_create_physical_replication_slot('{connector.slot}', true)")
    planned = connector.call("recover", "plan")
    db.drop_slot(connector.slot)
    assert planned.returncode == 3 and "is a physical slot" in planned.stderr and "Have I lost data" not in planned.stdout, planned


def test_a_slot_that_is_held_counts(workers, db, tmp_path):  # noqa: F811
    """Series of a worker; its plan of a recovery; and what the hint says is typed."""
    db.script(TABLE)
    worker = workers().start()
    worker.create("shop", config_of(db, **HOLD))
    wait_until(lambda: [c["activity"] for c in worker.get("/status")["connectors"]] == ["streaming"], 90, "it streams")
    db.execute("insert into items values (1)")
    wait_until(lambda: streams(worker.get("/connectors/shop/offsets")["offsets"]), 30, "a position of the stream is stored")
    db.drop_slot(db.name)
    wait_until(lambda: db.slot(db.name), 20, "a slot stands anew")
    db.execute("select pg_logical_emit_message(false, 'other', repeat('x', 300000)) from generate_series(1, 4)")
    worker.wait_state("shop", "RUNNING/FAILED")
    metrics = Surface.__new__(Surface)
    metrics.base = worker.base
    wait_until(lambda: metrics.value("walduct_slot_wal_status", status="reserved") == 1, 20, "it is looked at")
    assert metrics.value("walduct_connector_state", state="failed") == 1
    wait_until(lambda: metrics.value("walduct_retained_wal_bytes") > 900_000, 20, "what it keeps is counted")
    shown = metrics.json("/status")["connectors"][0]
    assert shown["last_error"]["reason"] == "lost_slot_held", shown
    by_name = plan_of("shop", "--url", worker.base, folder=tmp_path, exit_code=3)
    (tmp_path / "shop.json").write_text(json.dumps({"name": "shop", "config": config_of(db, **HOLD)}))
    (tmp_path / "worker.properties").write_text(worker.file.read_text())
    by_files = plan_of("-f", "shop.json", "-w", "worker.properties", folder=tmp_path, exit_code=3)
    assert "Have I lost data?" in by_files and "Before the commands above" not in by_files, by_files
    # What it prints is typed as it is: the file is another one than the operator's, and nobody else's to read.
    typed = f"-f shop.of-worker.json -w {worker.file}"
    assert by_name.startswith(by_files.replace("-f shop.json -w worker.properties", typed)) and typed in by_name, (by_name, by_files)
    made = re.search(r"^  (\(umask 077; curl .*\))$", by_name, re.MULTILINE).group(1)
    assert f"  walduct stop shop --url {worker.base}\n" in by_name and f"  walduct resume shop --url {worker.base}\n" in by_name, by_name
    subprocess.run(made, shell=True, cwd=tmp_path, check=True, timeout=30)
    file = tmp_path / "shop.of-worker.json"
    assert file.stat().st_mode & 0o077 == 0 and plan_of(*typed.split(), folder=tmp_path, exit_code=3) in by_name, by_name
    plan_of("nobody", "--url", worker.base, folder=tmp_path, exit_code=3)
    plan_of(folder=tmp_path, exit_code=2)
    command = re.search(r"\(walduct (offsets reset [^,)]*)", shown["last_error"]["hint"]).group(1)
    typed = subprocess.run([str(BINARY), *shlex.split(command)], capture_output=True, text=True, timeout=30, check=False)
    assert typed.returncode == 0, typed
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: (db.slot(db.name) or {}).get("active"), 90, "it streams")
    worker.stop()


def test_a_bad_value(db, connectors):
    connector = connectors(db, {"walduct.slot.lost": "wait"}, sink="file")
    assert connector.run_to_end() == 2
    assert connector.logged(r"walduct\.slot\.lost.*wait.*fail, hold"), connector.log_text()
