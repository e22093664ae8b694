"""Two instances of one connector while no stream holds the slot: before it exists, and while the tables are read. And a slot that
somebody moves between the moment it is judged and the moment it is streamed from."""
import signal

import pytest

from support.wait import wait_until

ROWS = 20
TABLES = "create table items (id int primary key, v text); create table later (id int primary key, v text)"
HELD = r"retrying: another instance works on replication slot .* \(pid {pid}, application .*walduct .* stream.*, client 127\.0\.0\.1\)" \
       r".*reason=slot_held"


def fill(db):
    db.script(TABLES)
    db.execute("insert into items select g, 'old' from generate_series(1, %s) g", ROWS)
    db.execute("insert into later select g, 'old' from generate_series(1, %s) g", ROWS)
    db.execute("create publication everything for table items, later")  # creating it would wait for a lock on its tables


def pair(db, connectors, config=None):
    """Two instances with one offset file; rows go to a file of each. The slot is there: to create it would wait for the
    transaction that holds a lock."""
    config = {"snapshot.lock.timeout.ms": "60000", "publication.name": "everything", "retriable.restart.connector.wait.ms": "500", **(config or {})}
    a = connectors(db, config, sink="file")
    b = connectors(db, {**config, "topic.prefix": a.prefix}, sink="file")
    b.worker["offset.storage.file.filename"] = str(a.offset_file)
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", a.slot)
    return a, b


def holder(db):
    return db.value("select max(pid) from pg_locks join pg_database d on d.oid = database "
                    "where granted and locktype = 'advisory' and datname = %s", db.name)


def keys(events, op):
    return sorted((e.topic.rpartition(".")[2], e.id) for e in events if e.op == op)


ALL = sorted((table, row) for table in ("items", "later") for row in range(1, ROWS + 1))


@pytest.mark.parametrize("end", ["killed", "stopped", "terminated"])
def test_the_second_waits_for_the_end_of_the_first(end, db, connectors):
    """A reads the tables, and waits for a lock; B says who it waits for, and begins when A is gone, in whatever way. An
    instance whose session was ended meanwhile publishes nothing more."""
    fill(db)
    a, b = pair(db, connectors)
    with db.transaction() as session:
        session.execute("lock table later")
        a.start().wait_log("snapshot started")
        a.wait_events(ROWS - 1)  # the last one waits for what follows
        pid = holder(db)
        b.start().wait_log(HELD.format(pid=pid))
        assert not b.logged("snapshot started|creating")
        if end == "killed":
            a.kill()
        elif end == "stopped":
            a.process.send_signal(signal.SIGTERM)
            a.wait_exit()
        else:
            db.execute("select pg_terminate_backend(%s)", pid)
        wait_until(lambda: holder(db) not in (None, pid), 20, "another holder")
    survivor = wait_until(lambda: next((c for c in (a, b) if c.logged("snapshot completed")), None), 30, "a snapshot")
    survivor.wait_streaming()
    db.execute("insert into later values (100, 'new')")
    events = survivor.wait_events(lambda events: ("later", 100) in keys(events, "c"))
    assert set(keys(events, "r")) == set(ALL)
    if end == "terminated":
        other = a if survivor is b else b  # both try again; the one that comes too late says who has the slot
        other.wait_log("reason=(slot_taken_over|slot_held|slot_in_use)")
        assert not other.logged("snapshot completed")
        other.terminate()
    survivor.stop()


def test_the_first_alone(db, connectors):
    """The control: the lock passes from the snapshot to the stream, and is gone after the end."""
    fill(db)
    a, b = pair(db, connectors)
    a.start().wait_streaming()
    assert holder(db) == db.slot(a.slot)["active_pid"]
    assert keys(a.wait_events(2 * ROWS), "r") == ALL
    a.stop()
    wait_until(lambda: holder(db) is None, 10, "no holder")
    b.start().wait_streaming()
    assert not b.logged("retrying") and not b.logged("snapshot started")
    b.stop()


def move_slot(db, slot):
    db.execute("insert into items values (%s, 'between')", ROWS + 1)
    db.execute("select pg_replication_slot_advance(%s, pg_current_wal_lsn())", slot)
    db.execute("insert into items values (%s, 'after')", ROWS + 2)


@pytest.mark.parametrize("moved", [True, False], ids=["moved", "control"])
def test_slot_moved_during_the_snapshot(moved, db, connectors):
    """The server would go on behind what lies between without a word."""
    fill(db)
    a, _ = pair(db, connectors)
    with db.transaction() as session:
        session.execute("lock table later")
        a.start().wait_log("snapshot started")
        a.wait_events(ROWS - 1)
        if moved:
            move_slot(db, a.slot)
    if not moved:
        a.wait_streaming()
        db.execute("insert into items values (%s, 'after')", ROWS + 1)
        assert keys(a.wait_events(2 * ROWS + 1), "c") == [("items", ROWS + 1)]
        a.stop()
        return
    a.wait_log("retrying: .*was moved to .* reason=slot_moved")
    assert a.wait_exit() == 4
    assert a.logged("reason=position_skipped") and keys(a.events(), "c") == []
    a.config["snapshot.mode"] = "when_needed"
    a.start().wait_streaming()
    events = a.wait_events(lambda events: ("items", ROWS + 2) in keys(events, "r"))
    assert ("items", ROWS + 1) in keys(events, "r")
    a.stop()
