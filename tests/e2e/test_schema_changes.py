"""Tables and types that change while their changes are read."""
import json
import threading

import pytest

from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text)"
SCHEMAS = {"key.converter.schemas.enable": "true", "value.converter.schemas.enable": "true"}


def fields(event):
    """The columns of the row as the record's schema describes them: {name: field}."""
    schema = json.loads(event.value)["schema"]
    return {f["field"]: f for f in next(f for f in schema["fields"] if f["field"] == "after")["fields"]}


def afters(events, table="items"):
    return [e.after for e in events if e.table == table and e.value]


def test_sch01_column_added(db, connectors):
    """SCH-01: under replica identity full an update of an old row."""
    db.script(ITEMS + "; alter table items replica identity full")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("insert into items values (1, 'a'); alter table items add column n int; update items set n = 5")
    created, updated = connector.wait_events(2)
    assert created.after == {"id": 1, "v": "a"}
    assert (updated.before, updated.after) == ({"id": 1, "v": "a", "n": None}, {"id": 1, "v": "a", "n": 5})


def test_sch02_sch03_column_renamed_and_dropped(db, connectors):
    db.script(ITEMS + "; alter table items replica identity full")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("""insert into items values (1, 'a'); alter table items rename column v to w; update items set w = 'b';
                 alter table items drop column w; insert into items values (2)""")
    events = connector.wait_events(3)
    assert [(e.before, e.after) for e in events] == [
        (None, {"id": 1, "v": "a"}), ({"id": 1, "w": "a"}, {"id": 1, "w": "b"}), (None, {"id": 2})]


@pytest.mark.parametrize("table_type", ["smallint", "bigint"])
def test_sch04_type_altered(table_type, db, connectors):
    """SCH-04, SCH-28: before and after in the new type; the rewrite itself sends nothing."""
    db.script("create table items (id int primary key, n int); alter table items replica identity full; insert into items values (1, 7)")
    connector = connectors(db, SCHEMAS, sink="file").start().wait_streaming()
    db.script(f"alter table items alter column n type {table_type}; update items set n = 8")
    read, updated = connector.wait_events(2)
    assert fields(read)["n"]["type"] == "int32"
    assert fields(updated)["n"]["type"] == {"smallint": "int16", "bigint": "int64"}[table_type]
    assert (updated.before, updated.after) == ({"id": 1, "n": 7}, {"id": 1, "n": 8})


def test_sch05_precision_scale_and_null(db, connectors):
    """SCH-05: scale and optionality follow each change."""
    db.execute("create table items (id int primary key, n numeric(5,2))")
    connector = connectors(db, SCHEMAS, sink="file").start().wait_streaming()
    types = ["numeric(5,2)", "numeric(6,1)", "numeric", "numeric(12,4)", "numeric(12)", "numeric"]
    for number, column_type in enumerate(types):
        db.execute(f"alter table items alter column n type {column_type}")
        db.execute("insert into items values (%s, 1)", number)
        connector.wait_events(number + 1)
    db.execute("alter table items alter column n set not null")
    db.execute("insert into items values (99, 1)")
    seen = [fields(e)["n"] for e in connector.wait_events(len(types) + 1)]
    assert [f.get("parameters", {}).get("scale") for f in seen] == ["2", "1", None, "4", "0", None, None]
    assert [f["name"].rpartition(".")[2] for f in seen] == ["Decimal", "Decimal", "VariableScaleDecimal", "Decimal", "Decimal",
                                                            "VariableScaleDecimal", "VariableScaleDecimal"]
    assert [f["optional"] for f in seen] == [True] * 6 + [False]


def test_sch06_sch07_changes_while_down(db, connectors):
    """SCH-06, SCH-07: rows written before the change keep their shape, those after it have the new one."""
    db.execute("create table items (id int primary key, v text, gone int)")
    connector = connectors(db, SCHEMAS, sink="file").start().wait_streaming()
    connector.stop()
    db.script("""insert into items values (1, 'a', 5); alter table items add column n int default 3; alter table items alter column v set not null;
                 alter table items rename column v to w; alter table items drop column gone; insert into items values (2, 'b', 4)""")
    connector.start().wait_streaming()
    old, new = connector.wait_events(2)
    assert old.after == {"id": 1, "v": "a", "gone": 5}
    assert new.after == {"id": 2, "w": "b", "n": 4}
    assert fields(old)["gone"]["optional"] and fields(old)["v"]["optional"], "the catalog no longer knows them"
    assert not fields(new)["w"]["optional"] and fields(new)["n"]["default"] == 3


def test_sch08_table_and_type_dropped_before_they_are_read(db, connectors):
    """SCH-08: the rows still arrive; the key is what the stream flags as identity."""
    db.script("create type mood as enum ('ok'); create domain code as text; " + ITEMS)
    db.execute("create table other (id int primary key, m mood, c code)")
    db.execute("create publication everything for all tables")
    connector = connectors(db, {"publication.name": "everything", "publication.autocreate.mode": "disabled"}, sink="file").start().wait_streaming()
    connector.stop()
    db.script("insert into items values (1, 'a'); insert into other values (2, 'ok', 'x'); drop table items; drop table other; "
              "drop type mood; drop domain code; create table fence (id int primary key); insert into fence values (1)")
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: any(e.table == "fence" for e in events))
    assert afters(events) == [{"id": 1, "v": "a"}]
    other = next(e for e in events if e.table == "other")
    assert other.id == 2 and other.key_json == {"id": 2}


def test_sch09_dropped_and_created_anew(db, connectors):
    """SCH-09: three shapes under one name, in one backlog."""
    db.execute("create publication everything for all tables")
    connector = connectors(db, {"publication.name": "everything", "publication.autocreate.mode": "disabled"}, sink="file").start().wait_streaming()
    connector.stop()
    db.script("""create table items (id int primary key, v text); insert into items values (1, 'a'); drop table items;
                 create table items (v int, id int primary key); insert into items values (5, 2); drop table items;
                 create table items (id int, extra bool); insert into items values (3, true)""")
    connector.start().wait_streaming()
    events = connector.wait_events(3)
    assert [list(e.after.items()) for e in events] == [
        [("id", 1), ("v", "a")], [("v", 5), ("id", 2)], [("id", 3), ("extra", True)]]
    assert events[2].key is None


def test_sch10_renamed(db, connectors):
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("insert into items values (1, 'a'); alter table items rename to things; insert into things values (2, 'b')")
    assert [(e.table, e.id) for e in connector.wait_events(2)] == [("items", 1), ("things", 2)]


def test_sch11_new_table(db, connectors):
    connector = connectors(db, {"publication.autocreate.mode": "all_tables"}, sink="file").start().wait_streaming()
    db.script(ITEMS + "; insert into items values (1, 'a')")
    assert afters(connector.wait_events(1)) == [{"id": 1, "v": "a"}]


def test_changes_are_said_in_the_log(db, connectors):
    """Once each, as they are seen; and a table that the publication gets while it is read."""
    db.script(ITEMS + "; create table late (id int primary key); insert into late values (1)")
    connector = connectors(db, {"table.include.list": "public.*", "publication.autocreate.mode": "disabled"}, sink="file")
    db.execute(f'create publication "{connector.publication}" for table items')
    connector.start().wait_streaming()
    db.script("insert into items values (1, 'a')")
    for ddl, said in (("add column n int", "column added: n int4"), ("rename column v to w", "column renamed: v to w"),
                      ("alter column n type bigint", "column retyped: n int4 to int8"), ("drop column n", "column dropped: n")):
        db.script(f"alter table items {ddl}; insert into items values ((select max(id) + 1 from items))")
        connector.wait_log(rf'table changed table=public.items change="?{said}"?')
    assert len(connector.log_text().split("table changed")) == 5
    assert not connector.logged("table is new to the connector")
    db.script(f'alter publication "{connector.publication}" add table late; insert into late values (2), (3)')
    connector.wait_log("table is new to the connector: rows it had before are not sent table=public.late")


def test_sch12_enum_label_added(db, connectors):
    """SCH-12: the list of labels follows, although the server announces nothing."""
    db.script("create type mood as enum ('sad', 'ok'); create domain feeling as mood; create table items (id int primary key, m mood, f feeling)")
    connector = connectors(db, SCHEMAS, sink="file").start().wait_streaming()
    db.execute("insert into items values (1, 'ok', 'sad')")
    connector.wait_events(1)
    db.execute("alter type mood add value 'new' before 'ok'")
    db.execute("insert into items values (2, 'new', 'ok')")
    connector.wait_events(2)
    db.execute("alter type mood add value 'newer'")
    db.execute("insert into items values (3, 'ok', 'newer')")
    events = connector.wait_events(3)
    for column in ("m", "f"):
        allowed = [fields(e)[column]["parameters"]["allowed"] for e in events]
        assert allowed == ["sad,ok", "sad,new,ok", "sad,new,ok,newer"]
    assert [e.after["m"] for e in events] == ["ok", "new", "ok"]


def test_types_created_while_streaming(db, connectors):
    """A new enum, a new domain and a new composite type in a table that is altered to use them."""
    db.execute(ITEMS)
    connector = connectors(db, SCHEMAS, sink="file").start().wait_streaming()
    db.script("""create type mood as enum ('ok'); create domain short as varchar(5); create type pair as (a int, b text);
                 alter table items add column m mood, add column s short, add column p pair;
                 insert into items values (1, 'a', 'ok', 'abc', (1, 'x'))""")
    event = connector.wait_events(1)[0]
    assert (event.after["m"], event.after["s"]) == ("ok", "abc")
    assert fields(event)["m"]["parameters"]["allowed"] == "ok"


def test_sch16_ddl_between_rows_of_a_transaction(each_pg, databases, connectors):
    """SCH-16, SCH-17: each row has the shape of its moment; what a savepoint took back is gone."""
    db = databases(each_pg)
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("""begin; insert into items values (1, 'a'); alter table items add column n int; insert into items values (2, 'b', 2);
                 alter table items drop column v; insert into items values (3, 3); commit""")
    assert afters(connector.wait_events(3)) == [{"id": 1, "v": "a"}, {"id": 2, "v": "b", "n": 2}, {"id": 3, "n": 3}]


def test_sch17_ddl_taken_back(db, connectors):
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("""begin; insert into items values (1, 'a'); savepoint s; alter table items add column n int; insert into items values (2, 'b', 2);
                 rollback to s; insert into items values (3, 'c'); commit; insert into items values (4, 'd')""")
    assert afters(connector.wait_events(3)) == [{"id": 1, "v": "a"}, {"id": 3, "v": "c"}, {"id": 4, "v": "d"}]


@pytest.mark.parametrize("change", ["add column x float", "add column x char(3) default 'y'", "alter column n type bigint", "drop column n"])
def test_sch18_another_session_alters_meanwhile(change, db, connectors):
    """SCH-18: one transaction is open while another alters a second table of it."""
    db.script(ITEMS + "; create table second (id int primary key, n int)")
    connector = connectors(db, sink="file").start().wait_streaming()
    with db.transaction() as session:
        session.execute("insert into items values (1, 'a')")
        db.execute(f"alter table second {change}")
        session.execute("insert into second (id) values (1)")
        session.execute("insert into items values (2, 'b')")
        session.commit()
    assert sorted((e.table, e.id) for e in connector.wait_events(3)) == [("items", 1), ("items", 2), ("second", 1)]


def test_sch19_rewrites_send_nothing(db, connectors):
    db.script(ITEMS + "; insert into items select g, 'x' from generate_series(1, 100) g; create materialized view m as select * from items")
    connector = connectors(db, sink="file").start().wait_streaming()
    connector.wait_events(100)
    db.script("""vacuum full items; cluster items using items_pkey; reindex table items; refresh materialized view m;
                 alter table items set (fillfactor = 50); analyze items; insert into items values (1000, 'end')""")
    events = connector.wait_events(lambda events: any(e.id == 1000 for e in events))
    assert len(events) == 101


def test_sch21_many_changes_then_a_restart(db, connectors):
    db.execute(ITEMS)
    connector = connectors(db, {}, {"offset.flush.interval.ms": "20"}, sink="file").start().wait_streaming()
    for number in range(1, 11):
        db.execute(f"alter table items add column c{number} int default {number}")
        db.execute(f"insert into items (id, v) values ({number}, 'x')")
    connector.wait_events(10)
    connector.kill()
    db.execute("alter table items drop column c5")
    db.execute("insert into items (id, v) values (11, 'y')")
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: any(e.id == 11 for e in events))
    for event in events:
        columns = [c for c in event.after if c.startswith("c")]
        assert columns == ([f"c{n}" for n in range(1, event.id + 1)] if event.id < 11 else [f"c{n}" for n in range(1, 11) if n != 5])


def test_sch28_rewriting_change_of_type(db, connectors):
    """SCH-28: ALTER … TYPE … USING rewrites every row and sends none."""
    db.script("create table items (id int primary key, v text); insert into items select g, g::text from generate_series(1, 50) g")
    connector = connectors(db, sink="file").start().wait_streaming()
    connector.wait_events(50)
    db.script("alter table items alter column v type int using v::int; update items set v = v + 1 where id = 7")
    assert [e.after for e in connector.wait_events(51)[50:]] == [{"id": 7, "v": 8}]


def test_column_list_and_row_filter(databases, pg17, connectors):
    """What the publication leaves out is left out of the schema, too; a row that comes into the filter is created."""
    db = databases(pg17)
    db.script("create table items (id int primary key, v text, secret text); insert into items values (1, 'a', 's')")
    db.execute("create publication narrow for table items (id, v) where (id < 100)")
    connector = connectors(db, {"publication.name": "narrow", "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data"},
                           sink="file").start().wait_streaming()
    db.script("""insert into items values (2, 'b', 's'), (200, 'c', 's'); update items set id = 50 where id = 200;
                 update items set v = 'd' where id = 2; update items set id = 300 where id = 2""")
    events = connector.wait_events(5)
    assert [(e.op, e.id) for e in events] == [("c", 2), ("c", 50), ("u", 2), ("d", 2), (None, 2)]
    assert all("secret" not in e.after for e in events if e.op in ("c", "u"))


def test_generated_columns(databases, pg18, connectors):
    """Stored generated columns arrive where the publication sends them (PostgreSQL 18), and are no surprise elsewhere."""
    db = databases(pg18)
    db.script("create table items (id int primary key, n int, twice int generated always as (n * 2) stored)")
    db.execute("create publication with_generated for table items with (publish_generated_columns = stored)")
    connector = connectors(db, {"publication.name": "with_generated", "publication.autocreate.mode": "disabled"}, sink="file").start().wait_streaming()
    db.execute("insert into items values (1, 4)")
    assert afters(connector.wait_events(1)) == [{"id": 1, "n": 4, "twice": 8}]
    db.execute("alter publication with_generated set (publish_generated_columns = none)")
    db.execute("insert into items values (2, 5)")
    assert afters(connector.wait_events(2))[1] == {"id": 2, "n": 5}


def test_a_transaction_comes_before_it_is_visible(private_servers, databases, connectors):
    """The server sends a transaction whose commit still waits for a synchronous standby: the catalog of other sessions is older."""
    server = private_servers(postgres=17, pg_set={"synchronous_standby_names": "nobody", "synchronous_commit": "local"}).postgres
    db = databases(server)
    db.execute(ITEMS)
    connector = connectors(db, SCHEMAS, sink="file").start().wait_streaming()
    with db.connect() as slow:
        slow.execute("set synchronous_commit = on")
        change = "begin; alter table items add column n int not null default 5; insert into items values (1, 'a'); commit"
        writer = threading.Thread(target=lambda: slow.execute(change))
        writer.start()
        wait_until(lambda: db.sessions("wait_event = 'SyncRep'"), 30, "the commit waits")
        asked = "query_start > (select max(xact_start) from pg_stat_activity where wait_event = 'SyncRep')"
        wait_until(lambda: db.sessions(f"application_name like 'walduct%%' and backend_type = 'client backend' and {asked}"), 30, "the catalog is read")
        server.query("alter system set synchronous_standby_names = ''")
        server.query("select pg_reload_conf()")
        writer.join()
    created = connector.wait_events(1)[0]
    assert created.after == {"id": 1, "v": "a", "n": 5}
    assert (fields(created)["n"]["optional"], fields(created)["n"]["default"]) == (False, 5)
