"""Partitions of polled outbox tables: dropped once their time is past and all that is in them is published, and not before."""
import pytest

from test_outbox_parking import BAD
from support.http import Surface
from support.polling import numbers, polled
from support.wait import wait_until

DROPS = {"walduct.outbox.cleanup": "drop_partitions", "walduct.outbox.retention.ms": "3600000", "walduct.outbox.cleanup.interval.ms": "200",
         "walduct.outbox.attempts.backoff.ms": "600000"}
# Two hours and two days that are past, the hour that is, and what no other partition takes.
TABLE = """create table outbox (id bigint generated always as identity, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
             created_at timestamptz not null default now(), published_at timestamptz, attempts int not null default 0{more},
             primary key (id, created_at)) partition by range (created_at);
           create table outbox_day1 partition of outbox for values from ('2026-01-01 00:00+00') to ('2026-01-02 00:00+00');
           create table outbox_day2 partition of outbox for values from ('2026-01-02 00:00+00') to ('2026-01-03 00:00+00');
           create table outbox_hour1 partition of outbox for values from ('2026-02-01 00:00+00') to ('2026-02-01 01:00+00');
           create table outbox_hour2 partition of outbox for values from ('2026-02-01 01:00+00') to ('2026-02-01 02:00+00');
           create table outbox_now partition of outbox for values from ('2026-02-02 00:00+00') to ('2100-01-01 00:00+00');
           create table outbox_default partition of outbox default"""
XACT = ", xact xid8 not null default pg_current_xact_id()"
PAST = {"outbox_day1": "2026-01-01", "outbox_day2": "2026-01-02", "outbox_hour1": "2026-02-01 00:30", "outbox_hour2": "2026-02-01 01:30"}


def put(session, number, at, kind="Order", key="1"):
    session.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload, created_at) values"
                    " (%s, %s, 'Placed', jsonb_build_object('n', %s::int), %s::timestamptz)", (kind, key, number, at + " UTC"))


def partitions(db):
    return {row[0] for row in db.execute("select relid::regclass::text from pg_partition_tree('outbox') where isleaf")}


KEPT = {"outbox_now", "outbox_default"}


@pytest.mark.parametrize("done", ["mark", "delete", "position"])
def test_past_partitions_are_dropped_once_published(databases, pg17, connectors, done):
    db = databases(pg17)
    db.script(TABLE.format(more=XACT if done == "position" else "") + (";create index on outbox (xact)" if done == "position" else ""))
    with db.connect() as session:
        for number, at in enumerate(PAST.values()):
            put(session, number, at)
        put(session, 4, "2026-11-01")
    config = polled(db, **DROPS, **{"walduct.outbox.done": done})
    with db.connect(autocommit=False) as late:  # has written to one of them, and has not committed: it locks the whole table
        put(late, 5, PAST["outbox_hour1"])
        connector = connectors(db, config, superuser=True, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
        assert sorted(numbers(connector.wait_events(5), b"1")) == [0, 1, 2, 3, 4]
        late.commit()
    wait_until(lambda: partitions(db) == KEPT, 30, "past ones dropped, once their rows are published")
    assert numbers(connector.events(), b"1")[-1] == 5
    surface = Surface(connector)
    surface.wait_value(lambda n: n == 4, "walduct_outbox_partitions_dropped_total")
    assert surface.value("walduct_outbox_cleanup_errors_total") == 0
    with db.connect() as session:
        put(session, 6, "2026-11-02")
    connector.wait_events(7)
    connector.stop()


def test_what_is_not_published_keeps_its_partition(databases, pg17, connectors):
    """A row that failed, and one that somebody has locked."""
    db = databases(pg17)
    db.script(TABLE.format(more=""))
    with db.connect() as session:
        for number, at in enumerate(PAST.values()):
            put(session, number, at, BAD if number == 0 else "Order", str(number))
    with db.connect(autocommit=False) as locks:
        locks.execute("select from outbox_day2 for update")
        connector = connectors(db, polled(db, **DROPS), superuser=True, sink="file").start().wait_streaming()
        wait_until(lambda: partitions(db) == KEPT | {"outbox_day1", "outbox_day2"}, 30, "the others dropped")
        locks.rollback()
    wait_until(lambda: partitions(db) == KEPT | {"outbox_day1"}, 30, "the one that was locked")
    db.execute("update outbox set aggregate_type = 'Order', attempts = 0")
    again = connectors(db, polled(db, **DROPS), superuser=True, sink="file", name="again")
    connector.stop()
    again.start().wait_streaming()
    wait_until(lambda: partitions(db) == KEPT, 30, "the mended one")
    again.stop()


def test_what_cannot_be_dropped_is_refused(databases, pg17, connectors):
    db = databases(pg17)
    db.execute("create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb, published_at timestamptz)")
    connector = connectors(db, polled(db, **DROPS), superuser=True, sink="file")
    told = connector.call("run")
    assert told.returncode == 3 and "outbox_not_partitioned" in told.stderr, told.stderr
    assert "outbox_not_partitioned" in connector.call("doctor").stdout
    refused = connectors(db, polled(db, **{**DROPS, "walduct.outbox.cleanup": "delete"}), superuser=True, sink="file", name="deletes").call("validate")
    assert refused.returncode == 2 and "drop_partitions" in refused.stdout + refused.stderr
    db.execute("drop table outbox")
    db.script(TABLE.format(more=""))
    db.execute("create role \"%s_reader\" login password 'secret'" % db.name)
    try:
        db.execute("grant select, update on outbox to \"%s_reader\"" % db.name)
        reader = connectors(db, polled(db, **DROPS, **{"database.user": f"{db.name}_reader", "database.password": "secret"}), superuser=True, sink="file", name="reader")
        told = reader.call("run")
        assert told.returncode == 3 and "only its owner may" in told.stderr, told.stderr
    finally:
        db.execute("drop owned by \"%s_reader\"" % db.name)
        db.execute("drop role \"%s_reader\"" % db.name)
