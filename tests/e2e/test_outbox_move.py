"""From polling to the slot and back, while the application writes: no event is missing, none comes twice, each key keeps its order."""
import contextlib
import random
import re
import threading

import pytest

from support.polling import numbers, polled
from support.wait import wait_until

KEYS = 8
TABLE = """create table outbox (id bigint generated always as identity primary key, aggregate_type text, aggregate_id text, event_type text,
           payload jsonb, created_at timestamptz not null default now(), {state});
           create table aggregates (id int primary key, n int not null); create table other (n int);
           insert into aggregates select g, 0 from generate_series(0, 7) g"""
STATES = {"mark": "published_at timestamptz", "delete": "note text", "position": "xact xid8 not null default pg_current_xact_id()"}


def write(db, stop, seed):
    choose = random.Random(seed)
    with db.connect(autocommit=False) as session:
        while not stop.wait(0.002):
            if choose.random() < 0.3:
                session.execute("insert into other values (1)")
            key = choose.randrange(KEYS)
            number = session.execute("update aggregates set n = n + 1 where id = %s returning n", (key,)).fetchone()[0]
            session.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', %s, 'Placed',"
                            " jsonb_build_object('n', %s::int))", (str(key), number))
            session.rollback() if choose.random() < 0.1 else session.commit()


@contextlib.contextmanager
def writers(db):
    stop, seed = threading.Event(), random.randrange(1 << 30)
    print(f"seed {seed}")
    threads = [threading.Thread(target=write, args=(db, stop, seed + n)) for n in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def some_more(connector, count=200):
    before = len(connector.events())
    connector.wait_events(before + count, 60)


def check(db, connector):
    last = dict(db.execute("select id, n from aggregates"))
    wait_until(lambda: all(last[key] in numbers(connector.events(), str(key).encode()) for key in range(KEYS)), 60, "the last events")
    connector.stop()
    events = connector.events()
    for key in range(KEYS):
        assert numbers(events, str(key).encode()) == list(range(1, last[key] + 1)), f"key {key}"


def through_the_slot(db, rest):
    """What polling has left is read first, then the stream."""
    return {**polled(db), "walduct.outbox.source": None, "slot.name": db.name, "publication.name": db.name, "publication.autocreate.mode": "filtered",
            "table.include.list": "public.outbox", "snapshot.select.statement.overrides": "public.outbox",
            "snapshot.select.statement.overrides.public.outbox": f"SELECT * FROM public.outbox WHERE {rest} ORDER BY id"}


@pytest.mark.parametrize("done", ["mark", "delete", "position"])
def test_to_the_slot_and_back_under_load(databases, pg17, connectors, done):
    db = databases(pg17)
    db.script(TABLE.format(state=STATES[done]))
    config = polled(db, **{"walduct.outbox.done": done, "walduct.outbox.poll.interval.ms": "20", "walduct.outbox.poll.batch.size": "100"})
    poll = connectors(db, config, superuser=True, name="poll")
    with writers(db):
        poll.start().wait_streaming()
        some_more(poll)
        poll.stop()
        rest = "published_at IS NULL" if done == "mark" else "true"
        if done == "position":
            rest = re.search(r'position of the outbox table.* rest="((?:[^"\\]|\\.)*)"', poll.log_text()).group(1).replace('\\"', '"')
        slot = connectors(db, through_the_slot(db, rest), superuser=True, name="slot").start().wait_streaming(60)
        some_more(slot)
        with db.transaction() as locked:  # writers wait
            locked.execute("lock table outbox in share mode")
            end = locked.execute("select pg_current_wal_insert_lsn()").fetchone()[0]
            wait_until(lambda: db.value("select confirmed_flush_lsn >= %s from pg_replication_slots where slot_name = %s", end, db.name), 60,
                       "all of it acknowledged")
            slot.stop()
            if done == "mark":
                locked.execute("update outbox set published_at = now() where published_at is null")
            elif done == "delete":
                locked.execute("delete from outbox")
            else:
                poll.config |= {"snapshot.mode": "no_data"}
                assert poll.call("offsets", "reset", "--accept-loss").returncode == 0
                poll.start().wait_streaming()
            locked.commit()
        if done != "position":
            poll.start().wait_streaming()
        some_more(poll)
    check(db, poll)
