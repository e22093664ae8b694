"""Partitioned tables, published by leaf or by root, and inheritance."""
import pytest

PART = """create table part (id int, region text, v int, primary key (id, region)) partition by list (region);
          create table part_eu partition of part for values in ('eu'); create table part_us partition of part for values in ('us')"""
BY_ROOT = {"publish.via.partition.root": "true", "table.include.list": "public.part", "schema.include.list": None}


def seen(events):
    return [(e.table, e.op, (e.key_json or {}).get("id")) for e in events if e.value]


def test_prt01_by_root(each_pg, databases, connectors):
    """PRT-01: snapshot and stream of all partitions on the root's topic."""
    db = databases(each_pg)
    db.script(PART + "; insert into part values (1, 'eu', 1), (2, 'us', 2)")
    connector = connectors(db, BY_ROOT, sink="file").start().wait_streaming()
    db.script("insert into part values (3, 'eu', 3); insert into part_us values (4, 'us', 4)")
    events = seen(connector.wait_events(4))
    assert sorted(events[:2]) == [("part", "r", 1), ("part", "r", 2)] and events[2:] == [("part", "c", 3), ("part", "c", 4)]


def test_prt02_by_leaf(db, connectors):
    """PRT-02: leaf topics, each row once."""
    db.script(PART + "; insert into part values (1, 'eu', 1), (2, 'us', 2)")
    connector = connectors(db, {"table.include.list": "public.part_.*", "schema.include.list": None}, sink="file").start().wait_streaming()
    db.script("insert into part values (3, 'eu', 3), (4, 'us', 4)")
    events = seen(connector.wait_events(4))
    assert sorted(events[:2]) == [("part_eu", "r", 1), ("part_us", "r", 2)]
    assert events[2:] == [("part_eu", "c", 3), ("part_us", "c", 4)]
    connector.stop()
    assert len(connector.events()) == 4


@pytest.mark.parametrize("root", [False, True])
def test_prt03_root_and_leaves(root, db, connectors):
    """PRT-03: in the stream each row comes once, under its leaf or its root; the snapshot reads every table of the list, as
    Debezium's does: rows of the root once more under the leaves."""
    db.script(PART + "; insert into part values (1, 'eu', 1)")
    connector = connectors(db, {"publish.via.partition.root": str(root).lower()}, sink="file").start().wait_streaming()
    db.execute("insert into part values (3, 'eu', 3)")
    events = seen(connector.wait_events(3))
    assert sorted(events[:2]) == [("part", "r", 1), ("part_eu", "r", 1)]
    assert events[2:] == [("part" if root else "part_eu", "c", 3)]
    connector.stop()
    assert len(connector.events()) == 3


@pytest.mark.parametrize("lists, warned", [
    ({"table.include.list": "public.part"}, True),
    ({"table.include.list": "public.part.*"}, False),
    (BY_ROOT, False)], ids=["root alone", "with partitions", "by root"])
def test_e31_root_without_its_partitions(lists, warned, db, connectors):
    """The server sends rows under the names of partitions that the lists leave out: nothing would come, and that is said."""
    db.script(PART)
    connector = connectors(db, {"schema.include.list": None, **lists}, sink="file").start().wait_streaming()
    line = r"warning .*not their partitions.* tables=public\.part\b.*publish\.via\.partition\.root=true"
    assert bool(connector.logged(line)) == warned, connector.log_text()
    connector.stop()


def test_prt05_row_moves_between_leaves(db, connectors):
    """PRT-05: gone from the old leaf, created in the new one, in one transaction."""
    db.execute(PART)
    connector = connectors(db, {"table.include.list": "public.part_.*", "schema.include.list": None}, sink="file").start().wait_streaming()
    db.script("insert into part values (1, 'eu', 1); update part set region = 'us'")
    events = connector.wait_events(4)
    assert seen(events) == [("part_eu", "c", 1), ("part_eu", "d", 1), ("part_us", "c", 1)]
    assert events[1].source["txId"] == events[3].source["txId"]


def test_prt06_row_moves_under_its_root(each_pg, databases, connectors):
    """PRT-06: on the root's topic, in the root's column order."""
    db = databases(each_pg)
    db.script("""create table part (id int, region text, v int, primary key (id, region)) partition by list (region);
                 create table part_eu partition of part for values in ('eu'); create table part_us (v int, region text not null, id int not null);
                 alter table part_us add primary key (id, region); alter table part attach partition part_us for values in ('us')""")
    connector = connectors(db, BY_ROOT, sink="file").start().wait_streaming()
    db.script("insert into part values (1, 'eu', 5); update part set region = 'us'; update part set v = 6")
    events = [e for e in connector.wait_events(5) if e.value]
    assert {e.table for e in events} == {"part"}
    assert [e.op for e in events] == ["c", "d", "c", "u"]
    assert list(events[-1].after.items()) == [("id", 1), ("region", "us"), ("v", 6)]


def test_prt07_leaf_with_another_column_order(db, connectors):
    db.script("""create table part (id int, region text, v int) partition by list (region);
                 create table part_us (v int, gone int, region text, id int); alter table part_us drop column gone;
                 alter table part attach partition part_us for values in ('us')""")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into part values (1, 'us', 5)")
    event = connector.wait_events(1)[0]
    assert event.table == "part_us" and list(event.after.items()) == [("v", 5), ("region", "us"), ("id", 1)]


@pytest.mark.parametrize("root", [False, True])
def test_prt08_column_added_to_the_root(root, db, connectors):
    db.execute(PART)
    connector = connectors(db, BY_ROOT if root else {}, sink="file").start().wait_streaming()
    db.script("insert into part values (1, 'eu', 1); alter table part add column n int default 9; insert into part values (2, 'us', 2)")
    events = connector.wait_events(2)
    assert [e.after for e in events] == [{"id": 1, "region": "eu", "v": 1}, {"id": 2, "region": "us", "v": 2, "n": 9}]


@pytest.mark.parametrize("root", [False, True])
def test_prt09_partition_created_while_streaming(root, db, connectors):
    """PRT-09: its rows come at once; under its own topic where leaves are published."""
    db.execute(PART)
    connector = connectors(db, BY_ROOT if root else {}, sink="file").start().wait_streaming()
    db.script("create table part_asia partition of part for values in ('asia'); insert into part values (1, 'asia', 1)")
    assert seen(connector.wait_events(1)) == [("part" if root else "part_asia", "c", 1)]


def test_prt13_truncate_of_the_root(db, connectors):
    """PRT-13: one record a leaf."""
    db.execute(PART)
    connector = connectors(db, {"skipped.operations": "none"}, sink="file").start().wait_streaming()
    db.script("truncate part; insert into part values (1, 'eu', 1)")
    events = connector.wait_events(lambda events: any(e.op == "c" for e in events))
    assert sorted((e.table, e.op) for e in events if e.op == "t") == [("part_eu", "t"), ("part_us", "t")]


def test_truncate_of_the_root_by_root(db, connectors):
    db.execute(PART)
    connector = connectors(db, {**BY_ROOT, "skipped.operations": "none"}, sink="file").start().wait_streaming()
    db.script("truncate part; insert into part values (1, 'eu', 1)")
    events = connector.wait_events(lambda events: any(e.op == "c" for e in events))
    assert [(e.table, e.op) for e in events] == [("part", "t"), ("part", "c")]


def test_prt16_inheritance(db, connectors):
    """PRT-16: a child's rows come under the child, with its own columns. The snapshot of the parent reads them as well,
    as Debezium's does: SELECT … FROM parent."""
    db.script("""create table parent (id int primary key, v text); create table child (extra int, primary key (id)) inherits (parent);
                 insert into parent values (1, 'p'); insert into child values (2, 'c', 3)""")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("insert into child values (4, 'c', 5); insert into parent values (6, 'p'); update parent set v = 'u' where id = 4")
    events = connector.wait_events(6)
    assert sorted((e.table, e.op, e.id) for e in events[:3]) == [("child", "r", 2), ("parent", "r", 1), ("parent", "r", 2)]
    assert [(e.table, e.op, e.after) for e in events[3:]] == [
        ("child", "c", {"id": 4, "v": "c", "extra": 5}), ("parent", "c", {"id": 6, "v": "p"}), ("child", "u", {"id": 4, "v": "u", "extra": 5})]
