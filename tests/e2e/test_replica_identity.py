"""What the server sends of old rows, by replica identity."""
import psycopg
import pytest

ITEMS = "create table items (id int primary key, code text not null, v text)"


def images(events, table="items"):
    return [(e.op, e.before, e.after) for e in events if e.table == table and e.value]


def row(id, code, v):
    return {"id": id, "code": code, "v": v}


def test_rid01_default(db, connectors):
    """RID-01: before only where the key changed; of a deleted row only the key."""
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("""insert into items values (1, 'a', 'x'); update items set v = 'y'; update items set id = 2; delete from items""")
    assert images(connector.wait_events(7)) == [
        ("c", None, row(1, "a", "x")), ("u", None, row(1, "a", "y")), ("d", row(1, "", None), None), ("c", None, row(2, "a", "y")),
        ("d", row(2, "", None), None)]


def test_rid02_full(db, connectors):
    """RID-02: the whole old row, nulls included."""
    db.script(ITEMS + "; alter table items replica identity full")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("insert into items values (1, 'a', null); update items set code = 'b'; delete from items")
    assert images(connector.wait_events(4)) == [
        ("c", None, row(1, "a", None)), ("u", row(1, "a", None), row(1, "b", None)), ("d", row(1, "b", None), None)]


@pytest.mark.parametrize("mode", ["filtered", "all_tables"])
def test_rid03_rid05_tables_whose_updates_the_server_will_refuse(mode, db, connectors):
    """RID-03, RID-05: named, with the ways out, before the publication exists that makes their writers fail."""
    db.script(ITEMS + """; create table keyless (v text); create table silent (id int primary key);
              alter table silent replica identity nothing; create table fine (v text); alter table fine replica identity full""")
    connector = connectors(db, {"publication.autocreate.mode": mode}, sink="file").start().wait_streaming()
    log = connector.log_text()
    silent, keyless = [line for line in log.splitlines() if "about to publish" in line]
    assert "tables=public.keyless" in keyless and "REPLICA IDENTITY FULL" in keyless
    # It has a key, and needs no other.
    assert "tables=public.silent" in silent and "ALTER TABLE public.silent REPLICA IDENTITY DEFAULT" in silent
    for warning in (silent, keyless):
        assert "skipped.operations=u,d" in warning and "items" not in warning and "fine" not in warning
        assert log.index(warning) < log.index("publication created")
    for table in ("keyless", "silent"):
        db.execute(f"insert into {table} select 1")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            db.execute(f"delete from {table}")
    assert len(connector.wait_events(2)) == 2


def test_rid05_insert_only_publication_spares_the_writers(db, connectors):
    db.execute("create table keyless (v text)")
    connector = connectors(db, {"skipped.operations": "u,d,t"}, sink="file").start().wait_streaming()
    assert not connector.logged("about to publish")
    db.script("insert into keyless values ('a'); update keyless set v = 'b'; delete from keyless; insert into keyless values ('c')")
    assert [e.after for e in connector.wait_events(2)] == [{"v": "a"}, {"v": "c"}]


def test_rid04_index(db, connectors):
    """RID-04: old rows hold the columns of the index, in table order."""
    db.script("""create table items (id int primary key, b text not null, a text not null, v text);
                 create unique index items_ab on items (a, b); alter table items replica identity using index items_ab""")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("insert into items values (1, 'b', 'a', 'x'); update items set v = 'y'; delete from items")
    events = images(connector.wait_events(4))
    assert [op for op, _, _ in events] == ["c", "u", "d"]
    assert events[1][1] is None
    assert events[2][1] == {"id": 0, "b": "b", "a": "a", "v": None}


def test_rid06_changed_while_streaming(db, connectors):
    """RID-06: each change follows the identity of its moment; a key that was dropped is none any more."""
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("""insert into items values (1, 'a', 'x'); update items set v = '1'; alter table items replica identity full;
                 update items set v = '2'; alter table items replica identity default; update items set v = '3';
                 insert into items values (2, 'b', 'y'); alter table items drop constraint items_pkey;
                 insert into items values (3, 'c', 'z')""")
    events = connector.wait_events(6)
    assert [(op, before) for op, before, _ in images(events)] == [
        ("c", None), ("u", None), ("u", row(1, "a", "1")), ("u", None), ("c", None), ("c", None)]
    assert [e.key is None for e in events][-1] is True


def test_rid12_full_with_dropped_columns(db, connectors):
    db.script("""create table items (gone1 int, id int primary key, gone2 text, code text, v text); alter table items replica identity full;
                 alter table items drop column gone1; alter table items drop column gone2""")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("insert into items values (1, 'a', 'x'); update items set v = 'y'; delete from items")
    assert images(connector.wait_events(4))[1:] == [("u", row(1, "a", "x"), row(1, "a", "y")), ("d", row(1, "a", "y"), None)]


def test_rid13_full_and_a_column_with_a_fast_default(each_pg, databases, connectors):
    """RID-13: rows written before the column existed show its default in the old row, too."""
    db = databases(each_pg)
    db.script(ITEMS + "; alter table items replica identity full; insert into items values (1, 'a', 'x')")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("alter table items add column n int not null default 7; update items set v = 'y'")
    assert images(connector.wait_events(2))[1:] == [("u", {**row(1, "a", "x"), "n": 7}, {**row(1, "a", "y"), "n": 7})]


def test_rid07_autoset(db, connectors):
    """RID-07: set before the snapshot, so that the very first change follows it."""
    db.script(ITEMS + "; insert into items values (1, 'a', 'x'); create table other (id int primary key)")
    connector = connectors(db, {"replica.identity.autoset.values": "public.items:FULL"}, sink="file").start().wait_streaming()
    assert connector.logged("replica identity set.*public.items")
    db.execute("update items set v = 'y'")
    assert images(connector.wait_events(2))[1:] == [("u", row(1, "a", "x"), row(1, "a", "y"))]
    assert db.value("select relreplident::text from pg_class where relname = 'other'") == "d"
    connector.stop()
    connector.start().wait_streaming()
    assert not connector.logged("replica identity")


def test_key13_identity_index_without_the_primary_key(db, connectors):
    """KEY-13: a changed key goes unnoticed and deletes carry a constant, because the server sends no more: said at start."""
    db.script(ITEMS + """; create unique index by_code on items (code); alter table items replica identity using index by_code;
              create table whole (id int, code text not null, primary key (id)); create unique index whole_both on whole (code, id);
              alter table whole replica identity using index whole_both""")
    connector = connectors(db, sink="file").start().wait_streaming()
    warning = next(line for line in connector.log_text().splitlines() if "index that lacks columns of the primary key" in line)
    assert "public.items" in warning and "public.whole" not in warning and "message.key.columns" in warning
    db.script("insert into items values (1, 'a', 'x'); update items set id = 2; delete from items")
    events = connector.wait_events(4)
    assert images(events) == [("c", None, row(1, "a", "x")), ("u", None, row(2, "a", "x")), ("d", row(0, "a", None), None)]
    assert [e.key_json for e in events] == [{"id": 1}, {"id": 2}, {"id": 0}, {"id": 0}]
