"""walduct.snapshot.resume: a snapshot that is killed goes on with what it has not read; topics folded by key are the tables."""
import contextlib
import json
import threading

import pytest

from support.wait import wait_until

ROWS = 100_000
TABLES = f"""
create table small (id int primary key, v text); insert into small select i, 's' || i from generate_series(1, 500) i;
create table wide (id int primary key, v text, note text);
alter table wide alter column note set storage external;
insert into wide select i, repeat('x', 1000), case when i % 100 = 0 then repeat('long', 1000) end from generate_series(1, {ROWS}) i;
vacuum analyze wide
"""
CONFIG = {"walduct.snapshot.resume": "true", "snapshot.max.threads": "2", "offset.flush.interval.ms": "20"}
MISSING = "__debezium_unavailable_value"


def folded(events, table):
    """As a consumer does that keeps a value where the record says that it was not sent."""
    rows = {}
    for event in events:
        if event.table != table:
            continue
        if event.op == "d":
            rows.pop(event.before["id"], None)
        elif event.after:
            old = rows.get(event.after["id"], {})
            rows[event.after["id"]] = {k: old.get(k, MISSING) if v == MISSING else v for k, v in event.after.items()}
    return rows


def state(db, table):
    with db.connect(autocommit=True) as session:
        cursor = session.execute(f"select * from {table}")
        names = [column.name for column in cursor.description]
        return {row[0]: dict(zip(names, row)) for row in cursor}


@contextlib.contextmanager
def writing(db):
    """Changes of all kinds to wide, as fast as one session can."""
    done = threading.Event()

    def write():  # A row whose key changes is a new one for who folds by key: values that are not in the WAL are gone with the old one.
        with db.connect(autocommit=True) as session:
            i = 0
            while not done.is_set():
                i += 1
                session.execute(f"update wide set v = 'new {i}' where id = {(i * 7919) % ROWS + 1}")
                session.execute(f"update wide set id = -id where id = {(i * 104729) % ROWS + 1} and note is null")
                session.execute(f"delete from wide where id = {(i * 1299709) % ROWS + 1}")
                session.execute(f"insert into wide values ({ROWS + i}, 'late', repeat('more', 1000))")
    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        done.set()
        writer.join()


def read_of_wide(connector):
    read = (connector.offset() or {}).get("walduct_snapshot_read")
    return json.loads(read).get("public.wide") if read else None


def ids_of(db, read):
    """The rows of the blocks that are stored as read."""
    ranges = [f"ctid >= '({r[0]},0)'" + (f" and ctid < '({r[1]},0)'" if len(r) > 1 else "") for r in read["read"]]
    return {id for id, in db.execute("select id from wide where " + " or ".join(f"({r})" for r in ranges))}


def kill_in_the_middle(db, connector, kills):
    """db: where the rows are read. Each time after some more rows are stored as read. Gives, for each kill, how many records there were, and what was stored."""
    seen = []
    for _ in range(kills):
        connector.start()
        before = read_of_wide(connector)
        wait_until(lambda: not connector.running() or read_of_wide(connector) not in (None, before)
                   or "snapshot completed" in connector.log_text(), 60, "more is stored as read", interval_s=0.01)
        connector.kill()
        if "snapshot completed" in connector.log_text():
            return seen
        seen.append((len(connector.events()), read_of_wide(connector)))
        db.execute("select count(pg_terminate_backend(pid)) from pg_stat_activity where query like 'COPY %' and datname = current_database()")
    return seen


@pytest.mark.parametrize("writes", [False, True], ids=["quiet", "written"])
def test_killed_again_and_again(writes, db, connectors):
    """What is stored as read is not read twice, and nothing is missing: rows that moved to blocks that were read, values that are not in the WAL."""
    db.script(TABLES)
    connector = connectors(db, CONFIG, sink="file")
    with writing(db) if writes else contextlib.nullcontext():
        kills = kill_in_the_middle(db, connector, 10)
        assert kills and "the snapshot goes on" in connector.log_text()
        connector.start().wait_streaming(60)
    events = connector.wait_events(lambda events: folded(events, "wide") == state(db, "wide"), 60)
    connector.stop()
    assert folded(events, "small") == state(db, "small")
    if writes:
        return
    for count, read in kills:
        later = {e.after["id"] for e in events[count:] if e.op == "r" and e.table == "wide"}
        assert not later & ids_of(db, read)


def test_table_that_is_rewritten_meanwhile_is_read_anew(db, connectors):
    db.script(TABLES)
    connector = connectors(db, CONFIG, sink="file")
    kill_in_the_middle(db, connector, 1)
    assert read_of_wide(connector)
    db.execute("delete from wide where id < 1000")
    with db.connect(autocommit=True) as session:
        session.execute("vacuum full wide")
    connector.start().wait_log("was rewritten since a part of it was read")
    connector.wait_streaming(60)
    events = connector.wait_events(lambda events: folded(events, "wide") == state(db, "wide"), 60)
    connector.stop()
    assert folded(events, "small") == state(db, "small")


def test_another_slot_begins_anew(db, connectors):
    """Changes since the first view would be missing: what was read counts for nothing."""
    db.script(TABLES)
    connector = connectors(db, CONFIG, sink="file")
    kill_in_the_middle(db, connector, 1)
    wait_until(lambda: not db.slot(connector.slot)["active"], 20, "the slot is free")
    db.execute("select pg_drop_replication_slot(%s)", connector.slot)
    db.execute("update wide set v = 'unseen' where id < 100")
    connector.start().wait_log("cannot be gone on from and begins anew")
    connector.wait_streaming(60)
    connector.wait_events(lambda events: folded(events, "wide") == state(db, "wide"), 60)
    connector.stop()
