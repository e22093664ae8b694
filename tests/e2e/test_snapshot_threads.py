"""Initial snapshots with several sessions: each row once, markers, writers meanwhile, locks, a server without room for them."""
import threading
from collections import Counter

import pytest

from support.wait import wait_until

TABLES = """
create table wide (id int primary key, v text);
insert into wide select i, repeat('x', 300) from generate_series(1, 6000) i;
update wide set v = v || 'y' where id <= 5000;
create table parts (id int primary key, v text) partition by range (id);
create table parts_low partition of parts for values from (0) to (1000);
create table parts_high partition of parts for values from (1000) to (100000);
insert into parts select i, 'p' || i from generate_series(1, 3000) i;
create table keyless (id int); insert into keyless select generate_series(1, 500);
create table none (id int primary key)
"""
SOME = {"table.include.list": "public.wide,public.parts,public.keyless,public.none", "publish.via.partition.root": "true"}


@pytest.mark.parametrize("more", [{}, {"snapshot.max.threads.multiplier": "5"}, {"legacy.snapshot.max.threads": "true"}],
                         ids=["split", "more parts", "whole tables"])
def test_SNP_23_several_sessions(more, db, connectors):
    """SNP-23: each row once, one first and one last, and what others write meanwhile is streamed."""
    db.script(TABLES)
    done = threading.Event()

    def write():
        with db.connect(autocommit=True) as session:
            i = 0
            while not done.is_set():
                i += 1
                session.execute(f"update wide set v = 'new {i}' where id = {i * 7 % 6000 + 1}")
                session.execute(f"insert into wide values ({100000 + i}, 'late')")
                session.execute(f"delete from parts where id = {i % 2500 + 1}")
    writer = threading.Thread(target=write)
    writer.start()
    try:
        connector = connectors(db, {**SOME, **more, "snapshot.max.threads": "3"}, sink="file").start()
        connector.wait_log("snapshot started .*sessions=3")
        connector.wait_streaming()
    finally:
        done.set()
        writer.join()
    state = lambda table: dict(db.execute(f"select id, v from {table}"))

    def folded(events, table):
        rows = {}
        for event in events:
            if event.table == table and event.op != "d" and event.after:
                rows[event.after["id"]] = event.after["v"]
            elif event.table == table and event.op == "d":
                rows.pop(event.before["id"], None)
        return rows
    events = connector.wait_events(
        lambda events: all(folded(events, table) == state(table) for table in ("wide", "parts")), 60)
    connector.stop()
    read = [e for e in events if e.op == "r"]
    assert max(Counter((e.table, e.after["id"]) for e in read).values()) == 1
    markers = Counter((e.table, e.source["snapshot"]) for e in read if e.source["snapshot"] != "true")
    assert sum(n for (_, marker), n in markers.items() if marker == "last") == 1
    assert sum(n for (_, marker), n in markers.items() if marker == "first") == (0 if "legacy.snapshot.max.threads" in more else 1)
    assert set(markers.values()) == {1}
    ends = {table: {marker for of, marker in markers if of == table} for table in ("wide", "parts", "keyless")}
    for marks in ends.values():
        assert len(marks & {"first", "first_in_data_collection"}) == 1 and len(marks & {"last", "last_in_data_collection"}) == 1


def test_locked_table_is_read_after_the_others(db, connectors):
    db.script("create table a (id int primary key); insert into a values (1);"
              "create table b (id int primary key); insert into b select generate_series(1, 100)")
    # A slot cannot be created while a lock is held: it is taken when the first table is being read.
    connector = connectors(db, {"snapshot.lock.timeout.ms": "60000",
                                "snapshot.select.statement.overrides": "public.b", "table.include.list": "public.b,public.a",
                                "snapshot.select.statement.overrides.public.b":
                                    "select b.* from public.b, (select pg_advisory_lock(4711)) held"}, sink="file")
    db.script("create table c (id int primary key); insert into c values (1)")
    connector.config["table.include.list"] += ",public.c"
    with db.connect(autocommit=False) as holder:
        holder.execute("select pg_advisory_lock(4711)")
        connector.start().wait_log("snapshot started")
        holder.execute("lock table a in access exclusive mode")
        holder.execute("select pg_advisory_unlock(4711)")
        connector.wait_log(r"the table is locked: the snapshot reads the others first .*table=public\.a")
        connector.wait_log(r"snapshot of table complete .*table=public\.c")
        holder.rollback()
    connector.wait_streaming()
    events = connector.wait_events(102)
    connector.stop()
    tables = [e.table for e in events]
    assert tables == ["b"] * 100 + ["c", "a"]
    assert [e.source["snapshot"] for e in events][-2:] == ["last_in_data_collection", "last"]


def test_SNP_34_no_room_for_more_sessions(private_servers, databases, connectors):
    """SNP-34: fewer sessions than wanted read the tables, and a line says so."""
    server = private_servers(postgres=17, pg_set={"max_connections": "12", "superuser_reserved_connections": "0",
                                                  "reserved_connections": "0"}).postgres
    db = databases(server)
    db.script("create table a (id int primary key); insert into a select generate_series(1, 5000)")
    connector = connectors(db, {"snapshot.max.threads": "20"}, sink="file").start()
    connector.wait_log("fewer sessions than snapshot.max.threads")
    connector.wait_streaming()
    events = connector.wait_events(5000)
    connector.stop()
    assert sorted(e.id for e in events) == list(range(1, 5001))
    wait_until(lambda: db.execute("select 1"), 10, "the server takes sessions again")
