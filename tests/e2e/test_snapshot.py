"""Initial snapshots: modes, markers, crashes in the middle, what others write meanwhile, what stays on the server."""
import threading

import pytest

from support.connector import SNAPSHOT_COMPLETED
from support.offsets import write_offset
from support.postgres import lsn
from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text)"
THREE = ITEMS + "; insert into items values (1), (2), (3)"


def ids(events, op):
    return [e.id for e in events if e.op == op]


def test_SNP_01_initial(db, connectors):
    """Rows once, then changes; after a stop only what was missed. An offset without its slot is refused."""
    db.script(THREE)
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into items values (4)")
    connector.wait_events(4)
    connector.stop()
    db.execute("insert into items values (5)")
    connector.start().wait_streaming()
    events = connector.wait_events(5)
    assert (ids(events, "r"), ids(events, "c")) == ([1, 2, 3], [4, 5])


@pytest.mark.parametrize("mode", ["no_data", "never"])
def test_SNP_02_no_data(mode, db, connectors):
    db.script(THREE)
    connector = connectors(db, {"snapshot.mode": mode}).start().wait_streaming()
    db.execute("insert into items values (4)")
    events = connector.wait_events(1)
    connector.stop()
    assert [(e.op, e.id) for e in events] == [("c", 4)]


def test_SNP_03_04_initial_only(db, connectors):
    """SNP-03, SNP-04: rows, then nothing; neither slot nor publication; a second start reads nothing."""
    db.script(THREE)
    connector = connectors(db, {"snapshot.mode": "initial_only"})
    for _ in range(2):
        connector.start()
        connector.wait_log(SNAPSHOT_COMPLETED + "|snapshot .*(completed|done) (before|already)|already complete|no snapshot", 20)
        db.execute("insert into items select max(id) + 1 from items")
        if connector.running():
            connector.stop()
        assert connector.process.returncode == 0
        assert [(e.op, e.id) for e in connector.events()] == [("r", 1), ("r", 2), ("r", 3)]
    assert db.slots() == [] and db.publications() == []


def test_SNP_08_configuration_based(db, connectors):
    """SNP-08: data alone is all rows at each start, and leaves nothing on the server; neither is nothing; stream alone is changes."""
    db.script(THREE)
    based = lambda *flags: {"snapshot.mode": "configuration_based"} | {f"snapshot.mode.configuration.based.{flag}": "true" for flag in flags}
    data = connectors(db, based("snapshot.data"), sink="file")
    for start in (1, 2):
        assert data.start().wait_exit() == 0
        assert ids(data.events(), "r") == [1, 2, 3] * start
    nothing = connectors(db, based(), sink="file")
    assert nothing.start().wait_exit() == 0
    assert nothing.events() == [] and db.slots() == [] and db.publications() == []
    stream = connectors(db, based("start.stream", "snapshot.on.data.error"), sink="file").start().wait_streaming()
    db.execute("insert into items values (4)")
    assert [(e.op, e.id) for e in stream.wait_events(1)] == [("c", 4)]
    stream.stop()


def test_SNP_05_always(db, connectors):
    """SNP-05: all rows at each start."""
    db.script(THREE)
    connector = connectors(db, {"snapshot.mode": "always"})
    for start in range(1, 4):
        connector.start().wait_streaming()
        connector.wait_events(lambda events: ids(events, "r") == [1, 2, 3] * start)
        connector.stop()


def test_SNP_06_07_when_needed_without_slot(db, connectors):
    """SNP-06, SNP-07: no snapshot as long as the slot holds the position; one when the slot is gone."""
    db.script(THREE)
    connector = connectors(db, {"snapshot.mode": "when_needed"}).start().wait_streaming()
    connector.wait_events(3)
    connector.stop()
    db.execute("insert into items values (4)")
    connector.start().wait_streaming()
    assert ids(connector.wait_events(4), "r") == [1, 2, 3]
    connector.stop()
    db.execute("select pg_drop_replication_slot(%s)", connector.slot)
    db.execute("insert into items values (5)")
    connector.start().wait_streaming()
    events = connector.wait_events(9)
    assert ids(events, "r") == [1, 2, 3, 1, 2, 3, 4, 5] and ids(events, "c") == [4]


# The rest of the rows comes after a sleep that nobody waits for: the snapshot is caught in the middle.
HANGING = {"snapshot.select.statement.overrides": "public.big",
           "snapshot.select.statement.overrides.public.big":
               "select id, v from public.big where id <= 20000 or pg_sleep(600) is null"}
BIG = "create table big (id int primary key, v text); insert into big select g, 'v' || g from generate_series(1, 20002) g"


@pytest.mark.parametrize("end", ["kill", "terminate"])
def test_SNP_09_10_interrupted(end, db, connectors):
    """SNP-09, SNP-10: an interrupted snapshot begins anew and is complete before streaming starts."""
    db.script(BIG)
    connector = connectors(db, HANGING).start()
    connector.wait_events(1)
    if end == "kill":
        connector.kill()
        # The server notices when it next writes to the dead client, here in ten minutes.
        db.execute("select pg_terminate_backend(pid) from pg_stat_activity where query like 'COPY %' and datname = current_database()")
    else:
        assert connector.terminate(12) == 0
    stored = connector.offset()
    assert stored is None or (stored.get("snapshot") and not stored["snapshot_completed"]), stored
    partial = len(connector.events())
    db.script("insert into big values (30001, 'while down'); update big set v = 'changed' where id = 1")
    connector.config.update(dict.fromkeys(HANGING))
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: 30001 in ids(events, "r") + ids(events, "c"), 60)
    again = [e for e in events[partial:] if e.op == "r"]
    assert {e.id for e in again} >= set(range(1, 20003)), "the second snapshot is not complete"
    state = {e.id: e.after["v"] for e in events if e.after}
    assert state == dict(db.execute("select id, v from big"))
    connector.stop()


def test_snapshot_interrupted_then_never(db, connectors):
    """A snapshot that was cut short, and a mode that never takes one: refused, as Debezium does."""
    db.script(THREE)
    connector = connectors(db, {"snapshot.mode": "no_data"})
    here = lsn(db.value("select pg_current_wal_lsn()::text"))
    write_offset(connector.offset_file, connector.name, connector.prefix,
                 {"last_snapshot_record": False, "lsn": here, "txId": 5, "ts_usec": 1, "snapshot": "INITIAL", "snapshot_completed": False})
    assert connector.run_to_end() == 3
    assert connector.logged("previously stopped while taking a snapshot")


def test_SNP_12_markers(db, connectors):
    """SNP-12, SNP-29: first and last of a table, last of all past the empty tables behind it; `first` of all only where
    the first table has rows."""
    db.script("""create table a0 (id int primary key); create table b (id int primary key); create table c (id int primary key);
                 create table d0 (id int primary key); create table e (id int primary key); create table f0 (id int primary key);
                 insert into b values (1), (2), (3); insert into c values (1); insert into e values (1), (2)""")
    connector = connectors(db).start().wait_streaming()
    events = connector.wait_events(6)
    markers = {t: [e.source["snapshot"] for e in events if e.table == t] for t in "bce"}
    assert markers == {"b": ["first_in_data_collection", "true", "last_in_data_collection"], "c": ["last_in_data_collection"],
                       "e": ["first_in_data_collection", "last"]}
    db.execute("insert into f0 values (1)")
    assert connector.wait_events(7)[-1].source["snapshot"] == "false"


def test_SNP_12_first(db, connectors):
    db.script("""create table a (id int primary key); create table b (id int primary key);
                 insert into a values (1), (2); insert into b values (1)""")
    connector = connectors(db).start().wait_streaming()
    events = connector.wait_events(3)
    markers = {t: [e.source["snapshot"] for e in events if e.table == t] for t in "ab"}
    assert markers == {"a": ["first", "last_in_data_collection"], "b": ["last"]}


def test_SNP_12_a_single_row(db, connectors):
    db.script(ITEMS + "; insert into items values (1)")
    connector = connectors(db).start().wait_streaming()
    assert [e.source["snapshot"] for e in connector.wait_events(1)] == ["last"]


def test_SNP_29_all_empty(db, connectors):
    """SNP-29, E-39: no rows, no records, and the next start does not take a snapshot."""
    db.script(ITEMS)
    connector = connectors(db).start().wait_streaming()
    connector.stop()
    db.execute("insert into items values (1)")
    connector.start().wait_streaming()
    assert [(e.op, e.id) for e in connector.wait_events(1)] == [("c", 1)]
    connector.stop()


def test_SNP_13_15_26_writers_during_the_snapshot(db, connectors):
    """SNP-13, SNP-15, SNP-26: inserts, updates, deletes and key changes all along; replaying the topic gives the table."""
    db.script("""create table a (id int primary key, v int); create table b (id int primary key, v int);
                 insert into a select g, 0 from generate_series(1, 30000) g; insert into b select g, 0 from generate_series(1, 30000) g""")
    stop = threading.Event()

    def write():
        with db.connect() as session:
            n = 0
            while not stop.is_set():
                n += 1
                for table in "ab":
                    session.execute(f"insert into {table} values (100000 + {n}, {n})")
                    session.execute(f"update {table} set v = {n} where id = {n}")
                    session.execute(f"delete from {table} where id = 10000 + {n}")
                    session.execute(f"update {table} set id = 200000 + {n} where id = 20000 + {n}")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        connector = connectors(db).start().wait_streaming()
        connector.wait_events(lambda events: sum(e.op == "c" for e in events) > 100)
    finally:
        stop.set()
        writer.join()
    db.execute("insert into a values (-1, 0)")
    events = connector.wait_events(lambda events: any(e.id == -1 for e in events), 60)
    for table in "ab":
        mine = [e for e in events if e.table == table]
        snapshot = [e.id for e in mine if e.op == "r"]
        assert len(snapshot) == len(set(snapshot)), "a row was read twice"
        state = {}
        for e in mine:
            if e.value is None:
                continue
            if e.op == "d":
                state.pop(e.id)
            else:
                state[e.id] = e.after["v"]
        assert state == dict(db.execute(f"select id, v from {table}")), table
    connector.stop()


def test_SNP_14_transaction_open_over_the_snapshot(db, connectors):
    """SNP-14: slot and publication exist; a transaction with inserts is open while the snapshot runs and commits after it."""
    db.script(THREE)
    connector = connectors(db)
    db.execute(f'create publication "{connector.publication}" for table items')
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    with db.transaction() as session:
        session.execute("insert into items values (10), (11)")
        connector.start().wait_streaming()
        connector.wait_events(3)
        session.commit()
    db.execute("insert into items values (12)")
    events = connector.wait_events(lambda events: 12 in ids(events, "c"))
    assert ids(events, "r") == [1, 2, 3]
    assert ids(events, "c") == [10, 11, 12]


def test_existing_slot_is_snapshotted_consistently(db, connectors):
    """Changes between the slot's position and the snapshot may come as r and as c, never as neither."""
    db.script(THREE)
    connector = connectors(db)
    db.execute(f'create publication "{connector.publication}" for table items')
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    db.execute("insert into items values (4)")
    connector.start().wait_streaming()
    db.execute("insert into items values (5)")
    events = connector.wait_events(lambda events: 5 in ids(events, "c"))
    assert ids(events, "r") == [1, 2, 3, 4]
    assert set(ids(events, "c")) <= {4, 5}


def test_SNP_16_views_are_not_read(db, connectors):
    db.script(THREE + "; create view v as select * from items; create materialized view mv as select * from items")
    connector = connectors(db).start().wait_streaming()
    db.script("refresh materialized view mv; insert into items values (4)")
    assert {e.table for e in connector.wait_events(4)} == {"items"}


def test_SNP_17_include_collection_list(db, connectors):
    db.script(THREE + "; create table other (id int primary key); insert into other values (1)")
    connector = connectors(db, {"snapshot.include.collection.list": "public.items"}).start().wait_streaming()
    db.execute("insert into other values (2)")
    events = connector.wait_events(4)
    assert [(e.table, e.op, e.id) for e in events if e.table == "other"] == [("other", "c", 2)]


def test_SNP_20_nothing_stays_open(db, connectors):
    db.script(THREE)
    connector = connectors(db).start().wait_streaming()
    connector.wait_events(3)
    assert db.sessions("state like 'idle in transaction%%' or backend_xmin is not null and backend_type <> 'walsender'") == []
    locks = db.execute("select * from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'items'")
    assert locks == []
    connector.stop()
    wait_until(lambda: not db.sessions("application_name ilike '%%walduct%%'"), 5, "sessions closed")


def test_SNP_21_table_without_columns(db, connectors):
    db.script("create table nothing (); insert into nothing default values; " + ITEMS)
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into items values (1)")
    assert connector.wait_events(lambda events: any(e.table == "items" for e in events))


def test_SNP_25_name_that_needs_quotes(db, connectors):
    db.script('create table "table.with 1#2/3" (id int primary key); insert into "table.with 1#2/3" values (1)')
    connector = connectors(db).start().wait_streaming()
    assert connector.wait_events(1)[0].source["table"] == "table.with 1#2/3"


def test_FAIL_20_notices_while_a_table_is_read(db, connectors):
    """What the server says beside the rows is no row, and no error."""
    db.script(THREE)
    db.execute("create function loud(text) returns text language plpgsql as "
               "$$ begin raise notice 'n'; raise warning 'w'; return coalesce($1, 'said'); end $$")
    override = {"snapshot.select.statement.overrides": "public.items",
                "snapshot.select.statement.overrides.public.items": "select id, public.loud(v) as v from public.items"}
    connector = connectors(db, override).start().wait_streaming()
    assert [(e.id, e.after["v"]) for e in connector.wait_events(3)] == [(1, "said"), (2, "said"), (3, "said")]
    connector.stop()


def test_SNP_11_queue_smaller_than_the_table(db, connectors):
    """Back-pressure: a queue of 32 kB, rows for 6 MB."""
    db.script(ITEMS + "; insert into items select n, repeat(md5(n::text), 20) from generate_series(1, 5000) n")
    small = {"producer.override.buffer.memory": "32768", "max.queue.size": "50", "max.batch.size": "10"}
    connector = connectors(db, small).start().wait_streaming()
    assert sorted(ids(connector.wait_events(5000), "r")) == list(range(1, 5001))
    connector.stop()


def test_SNP_32_locked_table(db, connectors):
    """SNP-32, E-53: snapshot.locking.mode=shared waits no longer than snapshot.lock.timeout.ms for a table somebody locks."""
    db.script(THREE)
    connector = connectors(db, {"snapshot.locking.mode": "shared", "snapshot.lock.timeout.ms": "500", "errors.max.retries": "0"})
    db.execute(f'create publication "{connector.publication}" for table items')
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    with db.transaction() as session:
        session.execute("lock table items in access exclusive mode")
        code = connector.run_to_end(timeout_s=30)
        assert code not in (0, 2) and connector.logged("(?i)lock"), connector.log_text()
    connector.start().wait_streaming()
    connector.wait_events(3)


def test_SNP_37_values_equal_those_streamed(db, connectors):
    r"""SNP-37: \N as text, tabs, line ends, backslashes and nulls come out of COPY as they come out of the stream."""
    values = r"""('\N'), (E'a\tb'), (E'a\nb\r\nc'), ('back\slash\\'), (''), (null), (E'\u00e9\U0001F600'), ('\.'), (E'\x01')"""
    db.script(f"create table odd (id serial primary key, v text); insert into odd (v) values {values}")
    connector = connectors(db).start().wait_streaming()
    db.execute(f"insert into odd (v) values {values}")
    events = connector.wait_events(18)
    assert [e.after["v"] for e in events if e.op == "r"] == [e.after["v"] for e in events if e.op == "c"]
    assert [e.after["v"] for e in events if e.op == "r"] == [r[0] for r in db.execute("select v from odd where id <= 9 order by id")]
