"""Tables that are dropped before their rows are decoded, and tables that are dropped all the time."""
import signal
import time

import pytest

from support.wait import wait_until
from test_schema_changes import SCHEMAS, fields

ITEMS = "create table items (id int primary key, v text not null default 'd', n int)"


@pytest.mark.parametrize("then", ["drop table items", "drop table items; create table items (id int, v text, n int)", ""],
                         ids=["dropped", "recreated", "control"])
def test_what_was_known_stays_known(then, db, connectors):
    db.script(ITEMS)
    connector = connectors(db, {**SCHEMAS, "publication.autocreate.mode": "all_tables"}, sink="file").start().wait_streaming()
    db.execute("insert into items values (1, 'a', 1)")
    connector.wait_events(1)
    connector.process.send_signal(signal.SIGSTOP)
    db.script("alter table items add w text; insert into items values (2, 'b', 2, 'w');" + then)
    connector.process.send_signal(signal.SIGCONT)
    before, after = connector.wait_events(2)
    for name in ("id", "v", "n"):
        assert fields(after)[name] == fields(before)[name]
    assert fields(after)["w"]["optional"] is True
    connector.stop()


def test_key_of_a_table_never_seen(db, connectors):
    """Nothing was known of it: its key is never null all the same."""
    db.script("create table first (id int primary key)")
    connector = connectors(db, {**SCHEMAS, "publication.autocreate.mode": "all_tables"}, sink="file").start().wait_streaming()
    connector.process.send_signal(signal.SIGSTOP)
    db.script(ITEMS + "; insert into items values (1, 'a', 1); drop table items")
    connector.process.send_signal(signal.SIGCONT)
    event, = connector.wait_events(1)
    assert fields(event)["id"]["optional"] is False
    connector.stop()


BATCH = 250
# What is known of one table takes 5 kB; the allocator's own pages move by a megabyte or two from run to run.
KEPT_KB = 2
TABLES = 60


def test_dropped_tables_are_forgotten(db, connectors):
    """What a table costs is not kept once it is gone: thousands later it takes no more than after the first thousand."""
    db.script("create table stays (id int primary key)")
    connector = connectors(db, {"publication.autocreate.mode": "all_tables", "walduct.catalog.delay.ms": "0"}, sink="file")
    connector.start().wait_streaming()
    rss = [connector.rss_kb()]
    for end in (1000, 3000):
        for first in range(1000 if end > 1000 else 0, end, BATCH):
            make_and_drop(db, connector, first)
        rss.append(connector.rss_kb())
    assert rss[2] - rss[1] < 2000 * KEPT_KB, f"{rss} kB at first, after 1,000 and 3,000 tables"
    connector.stop()


def make_and_drop(db, connector, first):
    """Not more at a time: what is dropped can be forgotten only once it was read."""
    with db.connect() as session:
        for i in range(first, first + BATCH):
            session.execute(f"create table t{i} (id int primary key, a text, b text, c timestamptz, d numeric); "
                            f"insert into t{i} values (1, 'x'); drop table t{i}")
        session.execute("insert into stays values (%s)", (first,))
    connector.wait_events(lambda events: any(e.table == "stays" and e.id == first for e in events), 120)


def test_FAIL_a_record_for_each_of_many_topics(db, connectors):
    """Tables that come and go, each with a topic that the broker creates: the row of each is read from it."""
    db.script("create table stays (id int primary key)")
    connector = connectors(db, {"publication.autocreate.mode": "all_tables"}).start().wait_streaming()
    with db.connect() as session:
        for i in range(TABLES):
            session.execute(f"create table t{i} (id int primary key); insert into t{i} values ({i}); drop table t{i}")
        session.execute("insert into stays values (1)")
    connector.wait_events(lambda events: len(events) > TABLES, 60 + TABLES, "a record in each topic")
    assert {e.table: e.id for e in connector.events()} == {"stays": 1, **{f"t{i}": i for i in range(TABLES)}}
    connector.stop()
