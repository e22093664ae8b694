"""Inserts, updates and deletes as a consumer of the topics sees them."""
import json
import os
import tempfile

ORDERS = "create table orders (id int primary key, item text, quantity int default 1)"


def changes(events, table):
    return [(e.op, e.id) for e in events if e.table == table]


def test_quickstart_scenario(each_pg, databases, connectors):
    """Two tables, a snapshot, each kind of change: topics, keys, order; then a restart that repeats nothing."""
    db = databases(each_pg)
    db.script("""
        create table customers (id int primary key, name text not null, created timestamptz default now());
        create table orders (id int primary key, customer_id int references customers, item text);
        insert into customers values (1, 'Ada'), (2, 'Linus');
        insert into orders values (100, 1, 'pump'), (101, 2, 'valve');""")
    connector = connectors(db).start().wait_streaming()
    db.script("""
        insert into customers values (3, 'Grace');
        update customers set name = 'Linus T.' where id = 2;
        delete from orders where id = 100;
        update orders set id = 201 where id = 101;""")
    events = connector.wait_events(11)
    assert {e.topic for e in events} == {f"{db.name}.public.customers", f"{db.name}.public.orders"}
    assert changes(events, "customers") == [("r", 1), ("r", 2), ("c", 3), ("u", 2)]
    assert changes(events, "orders") == [("r", 100), ("r", 101), ("d", 100), (None, 100), ("d", 101), (None, 101), ("c", 201)]
    connector.stop()

    db.execute("insert into orders values (300, 1, 'gate')")
    connector.start().wait_streaming()
    connector.wait_events(12)
    db.execute("insert into orders values (301, 1, 'seal')")
    assert changes(connector.wait_events(13), "orders")[-2:] == [("c", 300), ("c", 301)]
    connector.stop()
    assert len(connector.events()) == 13


def test_over_a_unix_socket(private_servers, databases, connectors):
    """database.hostname is the folder of the socket; snapshot and stream come that way."""
    with tempfile.TemporaryDirectory(prefix="walduct-socket-") as folder:
        os.chmod(folder, 0o777)  # the server runs as another user
        db = databases(private_servers(postgres=15, pg_set={"unix_socket_directories": folder}).postgres)
        db.script("create table orders (id int primary key); insert into orders values (1)")
        connector = connectors(db, {"database.hostname": folder}).start().wait_streaming()
        none_by_tcp = "select count(client_addr) = 0 and count(*) > 0 from pg_stat_activity where application_name like 'walduct%'"
        assert db.value(none_by_tcp)
        db.execute("insert into orders values (2)")
        assert changes(connector.wait_events(2), "orders") == [("r", 1), ("c", 2)]
        connector.stop()


def test_ENV_03_to_05_images(db, connectors):
    """ENV-03, ENV-04, ENV-05: what before and after hold under replica identity default and full."""
    db.script("""create table plain (id int primary key, v text); create table whole (id int primary key, v text);
                 alter table whole replica identity full""")
    connector = connectors(db).start().wait_streaming()
    for table in ("plain", "whole"):
        db.script(f"insert into {table} values (1, 'a'); update {table} set v = 'b'; delete from {table}")
    events = connector.wait_events(8)
    plain = [(e.op, e.before, e.after) for e in events if e.table == "plain" and e.value]
    assert plain == [("c", None, {"id": 1, "v": "a"}), ("u", None, {"id": 1, "v": "b"}), ("d", {"id": 1, "v": None}, None)]
    whole = [(e.op, e.before, e.after) for e in events if e.table == "whole" and e.value]
    assert whole[1:] == [("u", {"id": 1, "v": "a"}, {"id": 1, "v": "b"}), ("d", {"id": 1, "v": "b"}, None)]


def test_ENV_07_sequence_and_commit_time(db, connectors):
    """ENV-02, ENV-07: the source block's sequence and times over three transactions."""
    db.execute(ORDERS)
    connector = connectors(db).start().wait_streaming()
    for first in (1, 3, 5):
        db.execute("insert into orders select g from generate_series(%s::int, %s::int) g", first, first + 1)
    sources = [e.source for e in connector.wait_events(6)]
    sequences = [json.loads(s["sequence"]) for s in sources]
    for first in (0, 2, 4):
        assert sequences[first][0] == sequences[first + 1][0], "one transaction, one previous commit"
        assert sources[first]["ts_us"] == sources[first + 1]["ts_us"], "one transaction, one commit time"
    assert [int(s[1]) for s in sequences] == sorted(int(s[1]) for s in sequences)
    assert len({s[0] for s in sequences}) == 3
    now_ms = db.value("select (extract(epoch from now()) * 1000)::bigint")
    assert all(now_ms - 60_000 < s["ts_ms"] <= now_ms + 1000 and s["ts_us"] // 1000 == s["ts_ms"] for s in sources)


def test_ENV_09_nothing_of_a_rolled_back_transaction(db, connectors):
    db.execute(ORDERS)
    connector = connectors(db).start().wait_streaming()
    with db.transaction() as session:
        session.execute("insert into orders values (1)")
        session.rollback()
        session.execute("insert into orders values (2), (3)")
        session.commit()
    db.execute("insert into orders values (4)")
    assert changes(connector.wait_events(lambda events: any(e.id == 4 for e in events)), "orders") == [("c", 2), ("c", 3), ("c", 4)]


def test_ENV_11_upsert_and_merge(db, connectors):
    db.execute(ORDERS)
    connector = connectors(db).start().wait_streaming()
    for item in ("a", "b"):
        db.execute("insert into orders values (1, %s) on conflict (id) do update set item = excluded.item", item)
    db.execute("merge into orders o using (values (1), (2)) s(id) on o.id = s.id when matched then delete "
               "when not matched then insert values (s.id, 'm', 1)")
    operations = [e.op for e in connector.wait_events(5) if e.value]
    assert operations[:2] == ["c", "u"] and sorted(operations[2:]) == ["c", "d"]


def test_KEY_02_unique_index_is_the_key(db, connectors):
    db.execute("create table nopk (a int, code text unique not null)")
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into nopk values (1, 'x')")
    assert connector.wait_events(1)[0].key_json == {"code": "x"}


def test_KEY_03_no_key(db, connectors):
    db.script("create table nopk (a int, b text); alter table nopk replica identity full")
    connector = connectors(db).start().wait_streaming()
    db.script("insert into nopk values (1, 'x'); update nopk set b = 'y'; delete from nopk")
    events = connector.wait_events(4)
    assert [e.key for e in events] == [None] * 4
    assert [(e.op, e.before) for e in events[1:3]] == [("u", {"a": 1, "b": "x"}), ("d", {"a": 1, "b": "y"})]
    assert events[3].value is None


def test_KEY_06_key_change_headers(db, connectors):
    """KEY-06, KEY-12: also under replica identity full, where the relation flags every column."""
    db.script(ORDERS + "; alter table orders replica identity full")
    connector = connectors(db).start().wait_streaming()
    db.script("insert into orders values (1, 'a'); update orders set id = 2")
    _, gone, tombstone, new = connector.wait_events(4)
    assert (gone.op, gone.id, gone.header("__debezium.newkey")) == ("d", 1, b'{"id":2}')
    assert (tombstone.value, tombstone.id) == (None, 1)
    assert (new.op, new.id, new.header("__debezium.oldkey")) == ("c", 2, b'{"id":1}')


def test_TPN_01_names_that_need_care(db, connectors):
    """TPN-01, TPN-05, SEC-05: quoted, spaced and hostile names give valid topics; source keeps the real name."""
    table = 'od"d; drop | table@1'
    db.execute('create table "od""d; drop | table@1" ("i d" int primary key, "q""uote" text)')
    db.execute("""insert into "od""d; drop | table@1" values (1, 'snap')""")
    connector = connectors(db).start().wait_streaming()
    db.execute("""insert into "od""d; drop | table@1" values (2, 'live')""")
    events = connector.wait_events(2)
    assert {e.topic for e in events} == {f"{db.name}.public.od_d__drop___table_1"}
    assert [(e.op, e.key_json, e.after, e.source["table"]) for e in events] == [
        ("r", {"i d": 1}, {"i d": 1, 'q"uote': "snap"}, table), ("c", {"i d": 2}, {"i d": 2, 'q"uote': "live"}, table)]


def test_columns_added_while_streaming(db, connectors):
    db.execute(ORDERS)
    connector = connectors(db).start().wait_streaming()
    db.script("""insert into orders values (1, 'a', 5); alter table orders add column price numeric(6,2) default 1.5;
                 insert into orders values (2, 'b', 5, 2.25); alter table orders drop column item; insert into orders values (3, 7)""")
    fields = [list(e.after) for e in connector.wait_events(3)]
    assert fields == [["id", "item", "quantity"], ["id", "item", "quantity", "price"], ["id", "quantity", "price"]]
