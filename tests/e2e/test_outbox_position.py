"""Polled outbox tables of which no row is marked (walduct.outbox.done=position): a saved snapshot says what is published."""
import os
import random
import threading
import time

import pytest

from support.kafka import read_topics
from support.polling import numbers, polled
from support.wait import wait_until

KILLS = int(os.environ.get("E2E_POLL_KILLS", "6"))
TABLE = """create table outbox (id bigint generated always as identity primary key, aggregate_type text, aggregate_id text, event_type text,
           payload jsonb, created_at timestamptz not null default now(), xact xid8 not null default pg_current_xact_id());
           create index on outbox (xact)"""
INSERT = "insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', %s, 'Placed', jsonb_build_object('n', %s::int))"


def positioned(db, **more):
    return polled(db, **{"walduct.outbox.done": "position", **more})


def exactly_once(db, **more):
    return positioned(db, **{"exactly.once.support": "required", **more})


def in_topic(db):
    return {"offset.storage.file.filename": None, "offset.storage.topic": f"offsets-{db.name}", "offset.storage.partitions": "1",
            "offset.storage.replication.factor": "1"}


def put(db, key, number):
    db.execute(INSERT, key, number)


def test_no_row_is_marked_and_a_restart_goes_on(databases, each_pg, connectors):
    db = databases(each_pg)
    db.script(TABLE)
    for number in range(1, 31):
        put(db, str(number % 3), number)
    before = db.execute("select * from outbox order by id")
    connector = connectors(db, positioned(db, **{"walduct.outbox.poll.batch.size": "7"}), superuser=True).start().wait_streaming()
    connector.wait_events(30)
    connector.stop()
    assert "walduct_outbox" in connector.offset()
    for number in range(31, 41):
        put(db, str(number % 3), number)
    connector.start().wait_streaming()
    events = connector.wait_events(40)
    put(db, "1", 41)
    connector.wait_events(41)
    connector.stop()
    assert len(connector.events()) == 41, "something came twice"
    for key in range(3):
        assert numbers(events, str(key).encode()) == [n for n in range(1, 41) if n % 3 == key]
    assert db.execute("select * from outbox order by id")[:30] == before


def test_what_is_committed_late_is_seen_and_running_transactions_hold_nobody(databases, pg17, connectors):
    """T2 and T3 have a lower number than T1: behind the oldest running transaction "second" would come before "first", which waits for T3."""
    db = databases(pg17)
    db.script(TABLE + "; create table other (n int)")
    connector = connectors(db, positioned(db), superuser=True).start().wait_streaming()
    with db.transaction() as late, db.transaction() as second, db.transaction() as third, db.transaction() as first:
        late.execute(INSERT, ("late", 1))
        second.execute("insert into other values (2)")
        third.execute("insert into other values (3)")
        first.execute(INSERT, ("k", 1))
        first.commit()
        second.execute(INSERT, ("k", 2))
        second.commit()
        events = connector.wait_events(2)
        assert numbers(events, b"k") == [1, 2], "the order of the key"
        put(db, "k", 3)
        connector.wait_events(3)
        late.commit()
        assert numbers(connector.wait_events(4), b"late") == [1]
        third.rollback()
    connector.stop()


def write(db, keys, stop, choose, ledger, lock, pause_s):
    with db.connect(autocommit=False) as session:
        while not stop.is_set():
            key = choose.randrange(keys)
            if choose.random() < 0.5:
                session.execute("insert into other values (1)")
            number = session.execute("update aggregates set n = n + 1 where id = %s returning n", (key,)).fetchone()[0]
            session.execute(INSERT, (str(key), number))
            if choose.random() < 0.1:
                session.rollback()
                continue
            session.commit()
            with lock:
                ledger[key] = max(ledger[key], number)
            time.sleep(pause_s * choose.random())


def under_writers(db, connector, disturb, writers=6, keys=12, pause_s=0.0):
    """Runs disturb() beside writers that lock the aggregate, then insert; the numbers that were committed last, by key."""
    db.script("create table other (n int); create table aggregates (id int primary key, n int not null);"
              f"insert into aggregates select g, 0 from generate_series(0, {keys - 1}) g")
    stop, lock, ledger = threading.Event(), threading.Lock(), [0] * keys
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    print(f"seed {seed}")
    threads = [threading.Thread(target=write, args=(db, keys, stop, random.Random(seed + n), ledger, lock, pause_s)) for n in range(writers)]
    for thread in threads:
        thread.start()
    try:
        disturb(random.Random(seed))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    last = dict(db.execute("select id, n from aggregates"))
    if not connector.running():
        connector.start()

    def arrived():
        assert connector.running(), connector.log_text()[-3000:]
        events = connector.events()
        return all(last[key] == 0 or last[key] in numbers(events, str(key).encode()) for key in range(keys))
    wait_until(arrived, 60, "the last events", interval_s=0.3)
    return last


def test_writers_side_by_side_keep_the_order_of_each_key(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE)
    connector = connectors(db, positioned(db, **{"walduct.outbox.poll.interval.ms": "10", "walduct.outbox.poll.batch.size": "50"}), superuser=True)
    connector.start().wait_streaming()
    last = under_writers(db, connector, lambda choose: time.sleep(10))
    connector.stop()
    events = connector.events()
    for key, number in last.items():
        assert numbers(events, str(key).encode()) == list(range(1, number + 1)), f"key {key}"


@pytest.mark.parametrize("exact", [False, True], ids=["at_least_once", "exactly_once"])
def test_killed_again_and_again(databases, pg17, connectors, exact):
    db = databases(pg17)
    db.script(TABLE)
    config = {"walduct.outbox.poll.batch.size": "50", "walduct.outbox.poll.interval.ms": "20"}
    connector = connectors(db, exactly_once(db, **config) if exact else positioned(db, **config), superuser=True, worker=in_topic(db))
    connector.start().wait_streaming()

    def kill(choose):
        for _ in range(KILLS):
            time.sleep(0.2 + choose.random())
            connector.kill()
            connector.start().wait_streaming(60)
        time.sleep(0.5)
    last = under_writers(db, connector, kill, pause_s=0.02)  # without pauses most of the time goes to what is left when they end
    connector.stop()
    events = connector.events()
    repeats = 0
    for key, number in last.items():
        seen = numbers(events, str(key).encode())
        assert list(dict.fromkeys(seen)) == list(range(1, number + 1)), f"key {key}: lost, or out of order"
        repeats += len(seen) - number
    assert repeats == 0 if exact else repeats <= KILLS * 50, f"{repeats} repeats"


def test_only_what_comes_from_now_on(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE)
    put(db, "1", 1)
    connector = connectors(db, positioned(db, **{"snapshot.mode": "no_data"}), superuser=True).start().wait_streaming()
    connector.kill()
    put(db, "1", 2)
    connector.start().wait_streaming()
    assert numbers(connector.wait_events(1), b"1") == [2]
    connector.stop()


@pytest.mark.parametrize("change, says", [
    ("alter table outbox drop column xact", "ADD COLUMN xact xid8 NOT NULL DEFAULT pg_current_xact_id"),
    ("alter table outbox alter column xact drop not null", "ALTER COLUMN xact SET NOT NULL"),
    ("alter table outbox drop constraint outbox_pkey, add primary key (event_type)", "no integer as its primary key"),
    ("alter table outbox alter column xact set default '1'", "ADD COLUMN xact xid8")])
def test_a_table_that_lacks_what_it_needs_is_refused(databases, pg17, connectors, change, says):
    db = databases(pg17)
    db.script(TABLE + "; " + change)
    connector = connectors(db, positioned(db), superuser=True, sink="file")
    assert connector.run_to_end() == 3
    assert says in connector.log_text()


def test_rows_from_before_a_constraint_that_is_not_valid_are_not_left_out_in_silence(databases, pg18, connectors):
    db = databases(pg18)
    db.script(TABLE + "; alter table outbox alter column xact drop not null, alter column xact drop default")
    put(db, "1", 1)
    db.execute("alter table outbox alter column xact set default pg_current_xact_id()")
    db.execute("alter table outbox add constraint later not null xact not valid")
    connector = connectors(db, positioned(db), superuser=True, sink="file")
    assert connector.run_to_end() == 3
    assert connector.logged("outbox_needs_xact") and "ALTER COLUMN xact SET NOT NULL" in connector.log_text()


def test_a_table_without_an_index_is_told_of_and_an_old_table_gets_its_column(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE + "; alter table outbox drop column xact")
    put(db, "1", 1)
    db.execute("alter table outbox add column xact xid8 not null default pg_current_xact_id()")
    put(db, "1", 2)
    connector = connectors(db, positioned(db), superuser=True).start().wait_streaming()
    connector.wait_log(r"CREATE INDEX ON .*xact")
    assert numbers(connector.wait_events(2), b"1") == [1, 2]
    connector.stop()


def test_another_server_is_noticed(databases, pg17, pg18, connectors):
    one, other = databases(pg17), databases(pg18)
    for db in (one, other):
        db.script(TABLE)
        put(db, "1", 1)
    connector = connectors(one, positioned(one), superuser=True, name="moved").start().wait_streaming()
    connector.wait_events(1)
    connector.stop()
    moved = connectors(other, positioned(other), superuser=True, name="moved")
    moved.config["topic.prefix"] = connector.config["topic.prefix"]
    moved.worker["offset.storage.file.filename"] = connector.worker["offset.storage.file.filename"]
    assert moved.run_to_end() == 3
    assert moved.logged("outbox_position_lost")
    refused = moved.call("offsets", "reset", "--accept-loss")
    assert refused.returncode == 4 and "give this one another name" in refused.stderr, refused
    reset = moved.call("offsets", "reset", "--accept-foreign")
    assert reset.returncode == 0, reset.stderr + reset.stdout
    moved.start().wait_streaming()
    moved.stop()


def test_a_role_that_may_only_read_is_enough(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE + f"; create role {db.name}_reader login password 'x'; grant select on outbox to {db.name}_reader")
    put(db, "1", 1)
    connector = connectors(db, {**positioned(db), "database.user": f"{db.name}_reader", "database.password": "x"})
    connector.start().wait_streaming()
    connector.wait_events(1)
    refused = connector.call("offsets", "reset")
    assert refused.returncode == 3 and "its outbox tables are polled by process" in refused.stderr, refused
    connector.stop()
    reset = connector.call("offsets", "reset")
    assert reset.returncode == 0 and "published again" in reset.stdout and "slot" not in reset.stdout, reset
    connector.start().wait_streaming()
    connector.wait_events(2)
    connector.stop()
    db.script(f"drop owned by {db.name}_reader; drop role {db.name}_reader")


def test_a_reader_of_committed_records_waits_for_no_commit_of_a_stopped_one(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE)
    connector = connectors(db, exactly_once(db), superuser=True, worker=in_topic(db)).start().wait_streaming()
    put(db, "1", 1)
    connector.wait_events(1)
    connector.stop()
    assert len(read_topics(connector.worker["bootstrap.servers"], db.name)) == 1
