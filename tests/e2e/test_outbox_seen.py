"""What is told of polled outbox tables beside their rows: dead rows and who keeps them, the queue of notifications, claims and marks."""
import re
import subprocess

import pytest

from support.http import Surface
from support.paths import BINARY
from support.polling import polled
from support.wait import wait_until

MANY = 12000
TABLE = """create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
           published_at timestamptz) with (autovacuum_enabled = off)"""
PARTITIONED = """create table outbox (id bigserial, aggregate_type text, aggregate_id text, event_type text, payload jsonb, published_at timestamptz,
                 created_at timestamptz not null default now(), primary key (id, created_at)) partition by range (created_at);
                 create table outbox_all partition of outbox for values from ('2020-01-01') to ('2100-01-01') with (autovacuum_enabled = off)"""


def counted(db):
    return db.value("select coalesce(sum(n_dead_tup), 0) from pg_stat_all_tables where relname like 'outbox%'")


def fill_with_dead(db):
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) select 'Order', g::text, 'Placed', '{}' from generate_series(1, %s) g", MANY)
    db.execute("update outbox set published_at = now()")
    wait_until(lambda: counted(db) >= MANY, 30, "the server's statistics")


def status(surface):
    done = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize("made", [TABLE, PARTITIONED], ids=["plain", "partitioned"])
def test_dead_rows_claims_and_marks_are_counted(databases, pg17, connectors, made):
    db = databases(pg17)
    db.script(made)
    with db.connect(autocommit=False) as old:
        old.execute("set transaction isolation level repeatable read")
        old.execute("select 1")
        fill_with_dead(db)
        connector = connectors(db, polled(db), superuser=True, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
        surface = Surface(connector)
        surface.wait_value(lambda n: n is not None and n >= MANY, "walduct_outbox_dead_rows")
        assert surface.value("walduct_outbox_snapshot_held_seconds") >= 0 and surface.value("walduct_outbox_notify_queue_ratio") == 0
        assert surface.value("walduct_outbox_claim_seconds_count") >= 1 and surface.value("walduct_outbox_mark_seconds_count") == 0
        surface.wait_value(lambda n: n == 0, "walduct_outbox_unpublished")
        assert "dead_rows_kept_by" not in surface.status()["outbox"], "a transaction that has just begun keeps nobody up"
        db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', '1', 'Placed', '{}')")
        surface.wait_value(lambda n: n == 1, "walduct_outbox_mark_seconds_count")
        old.rollback()
    connector.stop()


def test_who_keeps_dead_rows_for_long_is_told(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE)
    with db.connect(autocommit=False, application_name="the report") as old:
        old.execute("set transaction isolation level repeatable read")
        pid = old.execute("select pg_backend_pid()").fetchone()[0]
        fill_with_dead(db)
        connector = connectors(db, polled(db), superuser=True, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
        surface = Surface(connector)
        surface.wait_value(lambda n: n is not None and n >= 60, "walduct_outbox_snapshot_held_seconds", timeout_s=150)
        kept = surface.status()["outbox"]
        assert re.fullmatch(rf"session {pid} \(the report, role .*, idle in transaction\)", kept["dead_rows_kept_by"]), kept
        assert f"pg_terminate_backend({pid})" in kept["dead_rows_hint"] and kept["dead_rows_kept_by"] in status(surface)
        assert connector.logged("dead rows of outbox tables are not vacuumed away.*the report")
        told = connector.call("doctor").stdout
        assert "outbox_dead_rows" in told and "the report" in told, told
        old.rollback()
    connector.stop()


def test_who_keeps_them_is_told_without_a_right(databases, pg17, connectors):
    """Since when is not: that needs pg_read_all_stats, and doctor says so."""
    db = databases(pg17)
    db.execute(TABLE)
    with db.connect(autocommit=False, application_name="the report") as old:
        old.execute("set transaction isolation level repeatable read")
        old.execute("select 1")
        fill_with_dead(db)
        told = connectors(db, polled(db), sink="file").call("doctor").stdout
        assert "outbox_dead_rows" in told and "the report" in told and "pg_read_all_stats" in told, told
        old.rollback()
    told = connectors(db, polled(db), sink="file", name="after").call("doctor").stdout
    assert "outbox_dead_rows" not in told, told


def test_a_prepared_transaction_that_keeps_them_is_named(private_servers, databases, connectors):
    db = databases(private_servers(postgres=17, pg_set={"max_prepared_transactions": "4"}).postgres)
    db.execute(TABLE)
    db.execute("create table other (id int)")
    db.script("begin; insert into other values (1); prepare transaction 'it''s old'")
    fill_with_dead(db)
    connector = connectors(db, polled(db), superuser=True, sink="file")
    wait_until(lambda: db.value("select now() - prepared > interval '61 s' from pg_prepared_xacts"), 90, "a minute")
    told = connector.call("doctor").stdout
    assert "prepared transaction it's old" in told and "ROLLBACK PREPARED 'it''s old'" in told, told
    db.execute("rollback prepared 'it''s old'")


def test_a_full_queue_of_notifications_is_seen_and_emptied(private_servers, databases, connectors):
    """A listener that was idle in a transaction has filled it to its end: NOTIFY fails after it has gone, until walduct looks."""
    server = private_servers(postgres=17, pg_set={"max_notify_queue_pages": "64"})
    db = databases(server.postgres)
    db.execute(TABLE)
    payload = "x" * 7000
    with db.connect(autocommit=False) as listener:
        listener.execute("listen anything")
        listener.commit()
        listener.execute("select 1")
        wait_until(lambda: fails(db, payload), 60, "a queue that is full")
        connector = connectors(db, polled(db), superuser=True, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
        surface = Surface(connector)
        surface.wait_value(lambda n: n is not None and n > 0.9, "walduct_outbox_notify_queue_ratio")
        assert connector.logged("the server's queue of notifications fills") and "queue of notifications are used" in status(surface)
        listener.rollback()
    connector.stop()
    assert fails(db, payload), "it stays full"
    again = connectors(db, polled(db), superuser=True, sink="file", name="again").start().wait_streaming()
    wait_until(lambda: not fails(db, payload), 20, "the queue emptied by the look")
    again.stop()


def fails(db, payload):
    try:
        db.execute("select pg_notify('anything', %s || g) from generate_series(1, 20) g", payload)
    except Exception as refused:
        assert "too many notifications" in str(refused)
        return True
    return False
