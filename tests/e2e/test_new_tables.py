"""walduct.snapshot.new.tables: rows that a table had before it was captured are told of, or read beside the stream."""
import json

import pytest

from support.wait import wait_until

TABLES = ("create table a (id int primary key); create table b (id int primary key);"
          "create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));"
          "insert into a values (1); insert into b select generate_series(1, 3000)")
SIGNALS = {"signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "100"}
READS = SIGNALS | {"walduct.snapshot.new.tables": "incremental"}
TOLD = "table is new to the connector: rows it had before are not sent table=public.b"


def of(connector, table, op="r"):
    return [e.id for e in connector.events() if e.table == table and e.op == op]


def known(connector):
    return set(json.loads((connector.offset() or {}).get("walduct_tables", "{}")).get("tables", []))


@pytest.fixture
def of_one_table(db, connectors):
    """A connector that has captured a, and the same from then on with another list."""
    db.script(TABLES)

    def make(publication, more=(), to="public.a,public.b"):
        connector = connectors(db, {"table.include.list": "public.a", "schema.include.list": None,
                                    "publication.autocreate.mode": publication, **dict(more)},
                               worker={"offset.flush.interval.ms": "50"})
        connector.start().wait_streaming()
        wait_until(lambda: "public.a" in known(connector), 30, "what is captured is stored")
        connector.stop()
        assert not connector.logged("new to the connector")
        connector.config["table.include.list"] = to
        return connector
    return make


@pytest.mark.parametrize("publication", ["all_tables", "filtered"])
def test_a_longer_list_is_told_of_once(publication, db, of_one_table):
    connector = of_one_table(publication)
    connector.start().wait_streaming()
    connector.wait_log(TOLD)
    db.execute("insert into b values (9001)")
    wait_until(lambda: of(connector, "b", "c") == [9001], 60, "the new row")
    wait_until(lambda: "public.b" in known(connector), 60, "it is known")
    connector.stop()
    connector.start().wait_streaming()
    connector.stop()
    assert not connector.logged("new to the connector")
    assert of(connector, "b") == []


def test_E_40_a_longer_list_is_read_beside_the_stream(db, of_one_table):
    """Each row once, whatever ends the connector in the middle; and no second time."""
    connector = of_one_table("filtered", READS)
    connector.start().wait_streaming()
    wait_until(lambda: len(of(connector, "b")) > 200, 90, "it is read")
    connector.kill()
    connector.start().wait_streaming()
    wait_until(lambda: set(of(connector, "b")) == set(range(1, 3001)), 120, "all of its rows")
    wait_until(lambda: "public.b" in known(connector) and "incremental_snapshot_collections" not in connector.offset(), 60, "it is over")
    connector.stop()
    reads = len(of(connector, "b"))
    connector.start().wait_streaming()
    db.execute("insert into b values (9001)")
    wait_until(lambda: of(connector, "b", "c") == [9001], 60, "the stream")
    connector.stop()
    assert len(of(connector, "b")) == reads and of(connector, "a") == [1]


@pytest.mark.parametrize("running", [True, False], ids=["running", "stopped"])
def test_a_table_that_the_publication_gets_is_read(running, db, connectors):
    """What came between the snapshot and its ALTER PUBLICATION was not sent by anybody."""
    db.script(TABLES)
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "table.include.list": "public.a,public.b",
                                "schema.include.list": None, **READS}, worker={"offset.flush.interval.ms": "50"})
    db.execute(f'create publication "{connector.publication}" for table a, signals')
    connector.start().wait_streaming()
    wait_until(lambda: set(of(connector, "b")) == set(range(1, 3001)), 60, "the snapshot reads it")
    wait_until(lambda: known(connector) >= {"public.a"}, 30, "what is published is stored")
    assert "public.b" not in known(connector)
    if not running:
        connector.stop()
    db.execute("insert into b values (7000)")
    db.execute(f'alter publication "{connector.publication}" add table b')
    if not running:
        connector.start().wait_streaming()
    db.execute("insert into b values (9001)")
    wait_until(lambda: of(connector, "b", "c") == [9001], 60, "the stream has it")
    wait_until(lambda: 7000 in of(connector, "b"), 90, "the row that nobody sent")
    connector.stop()


def test_a_table_that_begins_to_exist_is_none_of_these(db, of_one_table):
    connector = of_one_table("all_tables", READS | {"table.include.list": "public.[ac]"}, to="public.[ac]")
    db.execute("create table c (id int primary key)")
    db.execute("insert into c values (1)")
    connector.start().wait_streaming()
    wait_until(lambda: of(connector, "c", "c") == [1] and "public.c" in known(connector), 60, "its row")
    connector.stop()
    assert not connector.logged("new to the connector") and of(connector, "c") == []


def test_incremental_needs_a_table_for_watermarks(db, connectors):
    connector = connectors(db, {"walduct.snapshot.new.tables": "incremental"})
    assert connector.run_to_end() == 2
    assert "walduct.snapshot.new.tables" in connector.log_text() and "signal.data.collection" in connector.log_text()
