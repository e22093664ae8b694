"""walduct.snapshot.new.tables: what a captured table has from before the stream brought it is told of, or read beside the stream."""
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


# A captured name becomes another table, or leaves the publication and comes back: what is done, what is told, the rows that nobody
# sends.
FILL = "create table {0} (id int primary key); insert into {0} values (1), (50), (51)"
CHANGES = {
    "created": ("drop table a;" + FILL.format("a"), "created anew"),
    "swapped": (FILL.format("fresh") + "; begin; alter table a rename to former; alter table fresh rename to a; commit", "created anew"),
    "schema": ("create schema green;" + FILL.format("green.a") +
               "; create schema blue; begin; alter table a set schema blue; alter table green.a set schema public; commit", "created anew"),
    "back": ('alter publication "{publication}" drop table a; insert into a values (50), (51);'
             'alter publication "{publication}" add table a', "not in the publication for a while"),
}
READ_ONLY = {"walduct.snapshot.new.tables": "incremental", "read.only": "true", "incremental.snapshot.chunk.size": "100"}


def told(connector, what):
    return connector.logged(rf"{what}.* (not sent|read beside the stream) table=public\.a was=\d+ is=\d+ since=20\S+")


def examined(connector):
    """What the doctor has to say of the tables that the stored position knows."""
    found = json.loads(connector.call("doctor", "--json", timeout_s=120).stdout)["connectors"][0]["findings"]
    return [finding["message"] for finding in found if finding["reason"] == "captured_tables_changed"]


def is_over(connector):
    offset = connector.offset() or {}
    return "walduct_tables" in offset and "incremental_snapshot_collections" not in offset


@pytest.fixture
def of_two_tables(db, connectors):
    def make(publication, more=()):
        db.script(TABLES)
        connector = connectors(db, {"table.include.list": "public.a,public.b,green.x", "schema.include.list": None,
                                    "publication.autocreate.mode": publication, **dict(more)},
                               worker={"offset.flush.interval.ms": "50"})
        connector.start().wait_streaming()
        wait_until(lambda: known(connector) >= {"public.a", "public.b"}, 30, "what is captured is stored")
        return connector
    return make


@pytest.mark.parametrize("change,more", [("created", {}), ("swapped", READS), ("schema", READ_ONLY), ("back", READ_ONLY)],
                         ids=["created", "swapped", "schema", "back"])
def test_a_name_that_became_another_table_while_nobody_ran(change, more, db, of_two_tables):
    """A start says which table it was, and which it is, once; and reads it where that is wanted."""
    done, what = CHANGES[change]
    connector = of_two_tables("filtered", more)
    connector.stop()
    db.script(done.format(publication=connector.publication))
    assert [what in found and "public.a" in found for found in examined(connector)] == [True], examined(connector)
    connector.start().wait_streaming()
    wait_until(lambda: told(connector, what), 30, "it is told")
    assert not connector.logged(r"table=public\.b was="), "the other is as it was"
    db.execute("insert into a values (99)")
    wait_until(lambda: 99 in of(connector, "a", "c"), 60, "the stream goes on")
    if more:
        wait_until(lambda: {1, 50, 51} <= set(of(connector, "a")), 60, "what nobody sent is read")
    wait_until(lambda: is_over(connector), 60, "it is known")
    connector.stop()
    reads = len(of(connector, "a"))
    assert more or reads == 1, "nobody asked"
    connector.start().wait_streaming()
    db.execute("insert into a values (100)")
    wait_until(lambda: 100 in of(connector, "a", "c"), 60, "the stream")
    connector.stop()
    assert not told(connector, what) and len(of(connector, "a")) == reads, "once"
    assert not examined(connector)


def test_a_reconnect_finds_another_table_too(db, of_two_tables):
    connector = of_two_tables("filtered")
    db.script(CHANGES["created"][0])
    db.execute("insert into a values (60)")
    db.execute("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", connector.slot)
    wait_until(lambda: told(connector, "created anew"), 60, "it is told")
    db.execute("insert into a values (99)")
    wait_until(lambda: 99 in of(connector, "a", "c"), 60, "the stream")
    connector.stop()
    assert 60 not in of(connector, "a", "c"), "PostgreSQL did not send it"


@pytest.mark.parametrize("change", ["created", "swapped", "leaf"])
def test_under_a_publication_for_all_tables_a_table_made_anew_is_no_gap(change, db, of_two_tables):
    """All of its rows come with the stream, but for those that it had under another name."""
    connector = of_two_tables("all_tables")
    connector.stop()
    if change == "leaf":
        db.script("create table root (id int primary key) partition by range (id); drop table a;"
                  "create table a partition of root for values from (0) to (100); insert into a values (1), (50), (51)")
    else:
        db.script(CHANGES[change][0])
    connector.start().wait_streaming()
    db.execute("insert into a values (99)")
    wait_until(lambda: 99 in of(connector, "a", "c"), 60, "the stream")
    placed = connector.logged(r"warning .*has had another name, schema or parent: rows from before are not sent table=public\.a")
    connector.stop()
    assert bool(placed) is (change == "swapped")
    assert not told(connector, "created anew, or")
    assert of(connector, "a", "c") == ([99] if change == "swapped" else [1, 50, 51, 99])


@pytest.mark.parametrize("running", [True, False], ids=["running", "stopped"])
def test_a_publication_that_sent_less_for_a_while(running, db, connectors):
    """Nothing in it tells, but that somebody has altered it. One that sends less from then on is told of by the next start, once."""
    db.script("create table a (id int primary key)")
    connector = connectors(db, {"walduct.stall.warn.ms": "1000"}, sink="file").start().wait_streaming()
    wait_until(lambda: "settings" in (connector.offset() or {}).get("walduct_tables", ""), 30, "they are stored")
    if not running:
        connector.stop()
    db.script(f"""alter publication "{db.name}" set (publish = 'insert'); insert into a values (1); delete from a;
                  alter publication "{db.name}" set (publish = 'insert, update, delete, truncate'); insert into a values (2)""")
    if not running:
        connector.start()
    connector.wait_log("warning .*the publication was altered, and its settings are as they were")
    connector.wait_events(lambda events: [e.op for e in events] == ["c", "c"])
    connector.stop()
    db.script(f"""alter publication "{db.name}" set (publish = 'insert, truncate')""")
    connector.start().wait_streaming()
    connector.wait_log("warning .*the publication does not send any more: updates, deletes since=20")
    wait_until(lambda: '"it ' in connector.offset()["walduct_tables"], 30, "it is known")
    connector.stop()
    connector.start().wait_streaming().stop()
    assert not connector.logged("the publication does not send|its settings are as they were")


def test_it_needs_no_table_for_watermarks(db, of_one_table):
    connector = of_one_table("filtered", {"walduct.snapshot.new.tables": "incremental"})
    connector.start().wait_streaming()
    wait_until(lambda: set(of(connector, "b")) == set(range(1, 3001)), 90, "all of its rows")
    connector.stop()


BEHIND = {"changed": """
  insert into b select generate_series(10001, 110000);
  insert into v values (3, 'old'); update v set t = 'old' where id = 1; delete from v where id = 2;""",
          "emptied": """
  insert into b select generate_series(10001, 110000); truncate v;"""}


@pytest.mark.parametrize("stream", BEHIND)
def test_what_a_stream_far_behind_tells_is_older_than_the_chunk(stream, db, connectors):
    """A table is made anew, and changed where nobody sends it; the chunk has that before the stream comes to what was done before."""
    db.script(TABLES + "; create table v (id int primary key, t text); insert into v values (1, 'first'), (2, 'first')")
    connector = connectors(db, {"table.include.list": "public.b,public.v", "schema.include.list": None, "skipped.operations": "none",
                                "publication.autocreate.mode": "filtered", **READ_ONLY}, worker={"offset.flush.interval.ms": "50"})
    connector.start().wait_streaming()
    wait_until(lambda: known(connector) >= {"public.v"}, 30, "what is captured is stored")
    connector.stop()
    db.script(BEHIND[stream])
    db.script("create table made (like v including all); alter table v rename to before; alter table made rename to v;"
              "insert into v values (1, 'new'), (2, 'new'), (3, 'new')")
    connector.start().wait_streaming()
    connector.wait_log("incremental snapshot completed")
    db.execute("insert into v values (4, 'last')")
    wait_until(lambda: 4 in of(connector, "v", "c"), 60, "all of it is told")
    connector.stop()
    assert connector.logged("read beside the stream table=public.v")
    rows = {}
    for event in connector.events():
        if event.table == "v" and event.value is not None and event.op != "t":
            rows[event.id] = "gone" if event.op == "d" else event.after["t"]
    assert rows == {1: "new", 2: "new", 3: "new", 4: "last"}
