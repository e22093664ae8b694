"""Partitions with keys, indexes and identities of their own, published under their root: the letter and the flags that the server
sends are the root's, the old row is the partition's. What Debezium makes of the same: tests/differential."""
import pytest
from test_doctor import examine, found

# Keys on the partitions alone, as pg_partman's template tables make them.
KEYED = """create table ev (id int not null, at date not null, v text) partition by range (at);
           create table ev_1 partition of ev for values from ('2026-01-01') to ('2026-02-01');
           create table ev_2 partition of ev for values from ('2026-02-01') to ('2026-03-01');
           alter table ev_1 add primary key (id); alter table ev_2 add primary key (id);
           insert into ev values (1, '2026-01-05', 'a'), (2, '2026-02-05', 'b'), (5, '2026-01-05', 'c');"""
# Whole rows from partitions whose root says nothing of it, and has a key; below them one of each kind, one of them attached.
MIXED = """create table ev (id int not null, at int not null, v text not null, n numeric(8,2), big text not null, primary key (id, at)) partition by range (at);
           create table ev_full partition of ev for values from (0) to (10); alter table ev_full alter big set storage external;
           alter table ev_full replica identity full;
           create table ev_sub partition of ev for values from (10) to (100) partition by range (at);
           create table ev_key partition of ev_sub for values from (10) to (20);
           create table ev_index (gone int, big text not null, v text not null, n numeric(8,2), at int not null, id int not null); alter table ev_index drop gone;
           alter table ev_index add primary key (id, at); create unique index ev_index_v on ev_index (v);
           alter table ev_index replica identity using index ev_index_v; alter table ev_sub attach partition ev_index for values from (20) to (30);"""
BY_ROOT = {"publish.via.partition.root": "true", "table.include.list": "public.ev", "schema.include.list": None}


def rows(events):
    return [(e.op, (e.key_json or {}).get("id"), e.before, e.after) for e in events if e.value]


def keys(events):
    return [(e.op if e.value else "-", e.key_json) for e in events]


def test_keys_that_only_partitions_have(each_pg, databases, connectors):
    """message.key.columns names them: keys of deletes, of key changes and of moves have the value that the server sent."""
    db = databases(each_pg)
    db.script(KEYED)
    connector = connectors(db, {**BY_ROOT, "message.key.columns": "public.ev:id"}, sink="file").start().wait_streaming()
    db.script("delete from ev where id = 1; update ev set id = 55 where id = 5; update ev set at = '2026-01-09' where id = 2")
    events = connector.wait_events(3 + 2 + 3 + 3)[3:]
    one, two, five, other = {"id": 1}, {"id": 2}, {"id": 5}, {"id": 55}
    assert keys(events) == [("d", one), ("-", one), ("d", five), ("-", five), ("c", other), ("d", two), ("-", two), ("c", two)]
    assert [e.before for e in events if e.op == "d" and e.value] == [{"id": i, "at": 0, "v": None} for i in (1, 5, 2)]
    assert not connector.logged("message.key.columns names columns that"), connector.log_text()


def test_what_some_partitions_do_not_send_is_said(db, connectors):
    """A root that is FULL hands it on to no partition: said at the start and by doctor; the control is one that is FULL everywhere."""
    db.script(KEYED + """alter table ev replica identity full; alter table ev_2 replica identity full;
                         create table ev_3 partition of ev for values from ('2026-03-01') to ('2026-04-01')""")
    connector = connectors(db, {**BY_ROOT, "message.key.columns": "public.ev:at"}, sink="file")
    found(connector, "warning", "publication_would_refuse_writes", "public.ev_3")
    db.execute("alter table ev_3 replica identity full")
    assert "publication_would_refuse_writes" not in examine(connector)[1]
    connector.start().wait_streaming()
    assert connector.logged(r"warning .*message\.key\.columns names columns that are not part of .* every partition.* table=public\.ev columns=at")
    assert connector.logged(r"warning .*partitions of it have not.* count=1 tables=public\.ev_1 ")
    db.script("delete from ev where id = 1; delete from ev where id = 2")
    events = connector.wait_events(3 + 4)[3:]
    assert [e.before for e in events if e.value] == [{"id": 1, "at": 0, "v": None}, {"id": 2, "at": 20489, "v": "b"}]
    connector.stop()
    found(connector, "warning", "publication_partition_identity", "public.ev_1", "for each of them")
    db.execute("alter table ev_1 replica identity full")
    assert "publication_partition_identity" not in examine(connector)[1]
    connector.start().wait_streaming()
    assert not connector.logged("not part of the replica identity of every") and not connector.logged("partitions of it have not")


def test_old_rows_of_partitions_of_each_kind(db, connectors):
    """Whole rows stay whole, TOAST values are taken from them, a key stays a key; none takes the place of another's."""
    db.script(MIXED + """insert into ev select i, a, 'v' || i, null, case when a < 10 then repeat('x', 5000) else 'b' end from (values (1, 1), (2, 2), (3, 11), (4, 21), (5, 22)) r(i, a)""")
    connector = connectors(db, BY_ROOT, sink="file").start().wait_streaming()
    db.script("""update ev set v = 'w' where id = 1; update ev set id = 11 where id = 1; delete from ev where id = 2;
                 update ev set id = 33 where id = 3; delete from ev where id = 33; update ev set v = 'w4' where id = 4; delete from ev where id = 5;
                 update ev set at = 12 where id = 11""")
    events = rows(connector.wait_events(5 + 1 + 3 + 2 + 3 + 2 + 3 + 2 + 3))[5:]
    big = "x" * 5000

    def row(id, at, v, large=big):
        return {"id": id, "at": at, "v": v, "n": None, "big": large}
    assert events == [
        ("u", 1, row(1, 1, "v1"), row(1, 1, "w")),
        ("d", 1, row(1, 1, "w"), None), ("c", 11, None, row(11, 1, "w")), ("d", 2, row(2, 2, "v2"), None),
        ("d", 3, row(3, 11, "", ""), None), ("c", 33, None, row(33, 11, "v3", "b")), ("d", 33, row(33, 11, "", ""), None),
        # An identity without the key: as of a table that is no partition.
        ("d", 0, row(0, 0, "v4", ""), None), ("c", 4, None, row(4, 21, "w4", "b")), ("d", 0, row(0, 0, "v5", ""), None),
        ("d", 11, row(11, 1, "w"), None), ("c", 11, None, row(11, 12, "w"))]


UNWRAPPED = {"transforms": "changes,unwrap", "transforms.changes.type": "io.debezium.transforms.ExtractChangedRecordState",
             "transforms.changes.header.changed.name": "changed", "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
             "transforms.unwrap.delete.tombstone.handling.mode": "rewrite"}


@pytest.mark.parametrize("identity", ["default", "full"], ids=["root default", "root full"])
def test_unchanged_rows_of_partitions_that_send_them_whole(identity, db, connectors):
    """skip.messages.without.change, ExtractChangedRecordState and the rewritten delete see the whole old row, whatever the root is; of
    a partition that sends a key, no update is left out: what became NULL may have been something."""
    db.script(f"""create table ev (id int, at int, v text, n int, own text, primary key (id, at)) partition by range (at);
                  create table ev_full partition of ev for values from (0) to (10); alter table ev_full replica identity full;
                  alter table ev replica identity {identity};
                  insert into ev values (1, 1, 'a', null, 'x'), (2, 2, 'b', 5, 'y')""")
    connector = connectors(db, {**BY_ROOT, **UNWRAPPED, "skip.messages.without.change": "true", "column.exclude.list": "public.ev.own"},
                           sink="file").start().wait_streaming()
    db.script("""update ev set v = v; update ev set own = 'z'; update ev set v = null where id = 1; update ev set n = null where id = 2;
                 delete from ev where id = 2""")
    events = [e for e in connector.wait_events(5) if e.value][2:]
    seen = [(e.envelope, e.header("changed")) for e in events]
    assert [(v["id"], v["v"], v["n"], v["__deleted"]) for v, _ in seen] == [(1, None, None, "false"), (2, "b", None, "false"), (2, "b", None, "true")], seen
    assert [b"" if h is None else h for _, h in seen][:2] == [b'["v"]', b'["n"]'], seen
    connector.stop()
    assert len([e for e in connector.events() if e.value]) == 5
