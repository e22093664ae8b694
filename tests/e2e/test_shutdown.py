"""A server that is stopped, or that drops our slot, while the broker is stuck: nobody waits for us, and nothing is lost."""
import re

import pytest

from support.http import Surface
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
QUICK_RETRY = {"retriable.restart.connector.wait.ms": "1000"}


@pytest.fixture
def own(private_servers, databases, connectors):
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, QUICK_RETRY, worker={"bootstrap.servers": servers.bootstrap})
    connector.start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    return servers, db, connector


def wait_read(db, end):
    wait_until(lambda: db.value("select coalesce(bool_or(write_lsn >= %s), false) from pg_stat_replication", end), 30,
               "everything is read")


@pytest.mark.parametrize("mode, limit_s", [("fast", 10), ("smart", 25)])
@pytest.mark.parametrize("stuck", [True, False], ids=["stuck", "control"])
def test_FAIL_02_server_stopped(stuck, mode, limit_s, own):
    servers, db, connector = own
    if stuck:
        servers.pause_kafka()
    db.execute("insert into items select g from generate_series(2, 100) g")
    wait_read(db, db.value("select pg_current_wal_lsn()"))
    db.close_session()
    took = servers.pg_ctl("stop", "-m", mode, "-w", "-t", "60", timeout_s=70)
    assert took <= limit_s
    if stuck:
        connector.wait_log("retrying: .*the stream was closed")
    servers.do("start-postgres")
    servers.resume_kafka()
    events = connector.wait_events(lambda events: {e.id for e in events} == set(range(1, 101)), 60)
    ids = [e.id for e in events]
    assert ids == sorted(ids) if not stuck else set(ids) == set(range(1, 101))
    db.execute("insert into items values (101)")
    connector.wait_events(lambda events: events[-1].id == 101)
    connector.stop()


def write_wal(db):
    db.execute("select pg_logical_emit_message(false, 'other', repeat('x', 100000)), pg_switch_wal()")


@pytest.mark.parametrize("limit", ["32MB", "-1"], ids=["limited", "control"])
def test_slot_that_the_server_gives_up(limit, private_servers, databases, connectors):
    """First a warning while the slot can still be saved, then the kill by its name, then what to type. A checkpoint takes it: none comes by itself."""
    servers = private_servers(postgres=17, kafka=True, pg_set={"max_slot_wal_keep_size": limit, "min_wal_size": "32MB", "max_wal_size": "1GB"})
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, QUICK_RETRY, worker={"bootstrap.servers": servers.bootstrap})
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    servers.pause_kafka()
    db.execute("insert into items values (2)")
    for _ in range(3):
        write_wal(db)
    if limit == "-1":
        surface = Surface(connector)
        wait_until(lambda: surface.status().get("slot", {}).get("retained_wal_bytes", 0) > 32 << 20, 60, "the slot was looked at")
        assert not connector.logged("about to be lost")
        servers.resume_kafka()
        connector.wait_events(2, 120)
        connector.stop()
        return
    connector.wait_log("the replication slot is about to be lost.*max_slot_wal_keep_size")
    for _ in range(4):
        write_wal(db)
        db.execute("checkpoint")
    connector.wait_log("the server ended the stream to release replication slot")
    servers.resume_kafka()
    assert connector.wait_exit(60) == 4
    assert connector.logged("reason=slot_lost")
    assert connector.logged("hint=.*-o snapshot.mode=when_needed.*max_slot_wal_keep_size")
    assert not re.search('server_shutting_down', connector.log_text())
