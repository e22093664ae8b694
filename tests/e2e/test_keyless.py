"""Incremental snapshots of tables without any key (walduct.snapshot.keyless=ctid): by the blocks of their files, beside a writer, killed, rewritten."""
import collections
import json
import os
import random
import time

import pytest

from support.events import fold
from support.wait import wait_until
from support.writer import Writer

KILLS = int(os.environ.get("E2E_KILLS", "6"))
ROWS = 6000
UNSTORED = 4 + 1  # chunks that may be published and not stored, and the one under way
FULL = "alter table big replica identity full"


class Changes(Writer):
    """Inserts, updates and deletes, also of the same row again and again. Ids are its own matter: the table has no key."""

    def change(self, session, choose):
        which, a = choose.randrange(5), choose.randrange(1, ROWS)
        if which == 0:
            session.execute("insert into big values (%s, %s)", [ROWS + 1 + self.changes, "new"])
        elif which == 1:
            session.execute("delete from big where id = %s", [a])
        elif which == 2:  # back and forth
            session.execute("update big set v = case v when 'tick' then 'tock' else 'tick' end where id between 3 and 5")
        else:
            session.execute("update big set v = %s where id between %s and %s", [f"w{self.changes}", a, a + 5])
        return 1


def reads(connector, table):
    return [e for e in connector.events() if e.topic == f"{connector.prefix}.public.{table}" and e.op == "r"]


def begin(db, connectors, tables, properties=None, **arguments):
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script(tables)
    config = {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "100",
              "walduct.snapshot.keyless": "ctid", **(properties or {})}
    return connectors(db, config, worker={"offset.flush.interval.ms": "50"}, **arguments).start().wait_streaming()


def ask(db, *tables):
    data = {"type": "incremental", "data-collections": [f"public.{table}" for table in tables]}
    db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", json.dumps(data))


def over(connector):
    return lambda: (offset := connector.offset()) and "incremental_snapshot_collections" not in offset


def test_every_row_comes_once_where_nobody_writes(db, connectors):
    """Equal rows, a partitioned table, rows in far-apart blocks, wide ones, none at all."""
    connector = begin(db, connectors, """
        create table twice (n int);
        insert into twice select g % 50 from generate_series(1, 2000) g;
        create table holes (n int, filler text);
        insert into holes select g, repeat('x', 500) from generate_series(1, 20000) g;
        delete from holes where n between 100 and 19900;
        create table wide (n int, v text);
        alter table wide alter v set storage external;
        insert into wide select g, repeat(chr(64 + g % 20), 900000) from generate_series(1, 40) g;
        create table none (n int);
        create table parted (n int) partition by range (n);
        create table low partition of parted for values from (0) to (1000);
        create table high partition of parted for values from (1000) to (9000);
        insert into parted select g from generate_series(1, 3000) g;
    """, {"table.include.list": "public.twice,public.holes,public.wide,public.none,public.parted,public.signals"})
    ask(db, "twice", "holes", "wide", "none", "parted")
    wait_until(lambda: len(reads(connector, "parted")) >= 3000, 60, "the last rows")
    wait_until(over(connector), 60, "its end")
    counted = collections.Counter(e.after["n"] for e in reads(connector, "twice"))
    assert counted == {n: 40 for n in range(50)}
    assert sorted(e.after["n"] for e in reads(connector, "holes")) == [*range(1, 100), *range(19901, 20001)]
    assert sorted((e.after["n"], len(e.after["v"])) for e in reads(connector, "wide")) == [(n, 900000) for n in range(1, 41)]
    assert sorted(e.after["n"] for e in reads(connector, "parted")) == list(range(1, 3001))
    assert not reads(connector, "none")
    connector.stop()


@pytest.mark.parametrize("properties", [{}, {"incremental.snapshot.watermarking.strategy": "insert_delete"}, {"read.only": "true"}])
def test_kills_under_a_writer(properties, db, connectors):
    """What the stream told of a row is its last word, and each row comes."""
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (E2E_SEED={seed} repeats the choices)")
    choose = random.Random(seed)
    connector = begin(db, connectors, f"create table big (id int, v text); {FULL}; "
                      f"insert into big select i, 'v' || i from generate_series(1, {ROWS}) i", properties)
    writer = Changes(db, seed)
    writer.start()
    try:
        ask(db, "big")
        for _ in range(KILLS):
            connector.wait_log(r"\bstreaming\b")
            time.sleep(choose.random() * 0.3)
            connector.kill()
            connector.start()
        connector.wait_streaming()
        wait_until(lambda: over(connector)() and writer.changes, 120, "the snapshot to be over")
    finally:
        writer.stop()
    rows = dict(db.execute("select id, v from big"))
    topic = f"{connector.prefix}.public.big"
    wait_until(lambda: fold(connector.events(), topic) == rows, 30, "the topic to give the table", interval_s=0.2)
    assert len({e.after["id"] for e in reads(connector, "big")}) > ROWS / 10
    assert all(event.key is None for event in connector.events() if event.topic == topic)
    connector.stop()


def test_a_kill_costs_a_few_chunks(db, connectors):
    """The next process goes on behind the blocks whose rows are stored."""
    connector = begin(db, connectors, "create table big (id int); insert into big select generate_series(1, 20000)",
                      {"walduct.snapshot.rows.per.second": "5000"})
    ask(db, "big")
    for share in (0.2, 0.4, 0.6):
        wait_until(lambda share=share: len(reads(connector, "big")) > share * 20000, 60, "some chunks")
        connector.kill()
        assert "places" in connector.offset()["walduct_incremental_snapshot"]
        connector.start().wait_streaming()
    wait_until(over(connector), 60, "its end")
    counted = collections.Counter(e.after["id"] for e in reads(connector, "big"))
    assert set(counted) == set(range(1, 20001))
    assert sum(counted.values()) <= 20000 + 3 * UNSTORED * 100
    connector.stop()


def test_a_rewrite_begins_the_table_again(db, connectors):
    """VACUUM FULL gives rows other places: none is passed over."""
    connector = begin(db, connectors, """
        create table big (id int, filler text);
        insert into big select g, repeat('x', 200) from generate_series(1, 4000) g;
        delete from big where id <= 2000;
    """, {"walduct.snapshot.rows.per.second": "500"})
    ask(db, "big")
    wait_until(lambda: "places" in (connector.offset() or {}).get("walduct_incremental_snapshot", "") and reads(connector, "big"), 60, "a chunk")
    db.execute("vacuum full big")
    connector.wait_log("begins a table again", 60)
    connector.config["walduct.snapshot.rows.per.second"] = "0"
    connector.stop()
    connector.start().wait_streaming()
    wait_until(over(connector), 60, "its end")
    assert {e.after["id"] for e in reads(connector, "big")} == set(range(2001, 4001))
    connector.stop()


def test_without_it_the_table_is_left_out(db, connectors):
    """As Debezium leaves it out; the hint says what to set."""
    connector = begin(db, connectors, "create table big (id int); insert into big values (1)", {"walduct.snapshot.keyless": "skip"})
    ask(db, "big")
    connector.wait_log("the table is left out, it has no key.*walduct.snapshot.keyless=ctid")
    wait_until(over(connector), 30, "its end")
    assert not reads(connector, "big")
    connector.stop()
