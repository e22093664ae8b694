"""Which tables, columns and operations are published, and under which names and keys."""
import json

import pytest

INCLUDE_ALL = {"schema.include.list": None}


def rows_of(events, topic):
    return [e for e in events if e.topic == topic]


def streamed(connector, count):
    return connector.wait_events(count)


def end(connector):
    assert connector.terminate() == 0


def test_flt01_only_matching_tables_in_snapshot_and_stream(db, connectors):
    for name in ("orders", "orders2", "Xorders", "other"):
        db.execute(f'create table "{name}" (id int primary key)')
        db.execute(f'insert into "{name}" values (1)')
    connector = connectors(db, {"table.include.list": r"public\.orders\d?, PUBLIC.OTHER"}, sink="file").start()
    connector.wait_streaming()
    for name in ("orders", "orders2", "Xorders", "other"):
        db.execute(f'insert into "{name}" values (2)')
    events = streamed(connector, 6)
    assert sorted({e.table for e in events}) == ["orders", "orders2", "other"]
    assert sorted(e.op for e in events) == ["c"] * 3 + ["r"] * 3
    end(connector)


def test_flt08_tables_with_characters_of_regular_expressions(db, connectors):
    names = ["back\\slash", "pipe|at@", "dot.ted", "plus+(x)"]
    for name in names:
        db.execute(f'create table "{name}" (id int primary key)')
    patterns = ", ".join(["public.back\\\\slash", "public.pipe\\|at@", "public.dot\\.ted", "public.plus\\+\\(x\\)"])
    connector = connectors(db, {"table.include.list": patterns}, sink="file").start()
    connector.wait_streaming()
    for name in names:
        db.execute(f'insert into "{name}" values (1)')
    events = streamed(connector, 4)
    assert [e.source["table"] for e in events] == names
    assert [e.topic for e in events] == [f"{db.name}.public.{t}" for t in ("back_slash", "pipe_at_", "dot.ted", "plus__x_")]
    end(connector)


def test_flt09_underscore_in_a_schema_is_no_wildcard(db, connectors):
    for schema in ("test_", "test1"):
        db.execute(f"create schema {schema}")
        db.execute(f"create table {schema}.tab (id int primary key, {'a' if schema == 'test_' else 'b'} text)")
        db.execute(f"insert into {schema}.tab values (1, 'x')")
    connector = connectors(db, {**INCLUDE_ALL, "table.include.list": "test_.tab"}, sink="file").start()
    connector.wait_streaming()
    db.execute("insert into test1.tab values (2, 'x')")
    db.execute("insert into test_.tab values (2, 'y')")
    events = streamed(connector, 2)
    assert [e.after for e in events] == [{"id": 1, "a": "x"}, {"id": 2, "a": "y"}]
    end(connector)


def test_flt11_position_advances_when_everything_is_filtered(db, connectors):
    db.execute("create table kept (id int primary key)")
    db.execute("create table noise (id int primary key)")
    db.execute(f"create publication {db.name} for all tables")
    connector = connectors(db, {"table.include.list": "public.kept", "snapshot.mode": "no_data",
                                "publication.autocreate.mode": "disabled"}, sink="file").start()
    connector.wait_streaming()
    db.execute("insert into noise select generate_series(1, 1000)")
    target = db.value("select pg_current_wal_lsn()")
    connector.wait_log(r"streaming")
    for _ in range(100):
        if db.value("select confirmed_flush_lsn >= %s::pg_lsn from pg_replication_slots where slot_name = %s", target, db.name):
            break
        db.execute("select pg_sleep(0.2)")
    else:
        raise AssertionError("the slot did not follow")
    assert connector.events() == []
    end(connector)


def test_env11_upsert_and_merge(db, connectors):
    db.execute("create table t (id int primary key, v int)")
    connector = connectors(db, sink="file").start()
    connector.wait_streaming()
    for value in (1, 2):
        db.execute(f"insert into t values (1, {value}) on conflict (id) do update set v = excluded.v")
    db.execute("merge into t using (values (1), (2)) s(id) on t.id = s.id when matched then delete when not matched then insert values (s.id, 9)")
    events = streamed(connector, 5)
    assert sorted(e.op or "-" for e in events) == ["-", "c", "c", "d", "u"]
    assert [e.after for e in events if e.op == "u"] == [{"id": 1, "v": 2}]
    end(connector)


def test_env09_one_record_a_row_none_after_rollback(db, connectors):
    db.execute("create table t (id int primary key)")
    connector = connectors(db, sink="file").start()
    connector.wait_streaming()
    with db.transaction() as session:
        session.execute("insert into t values (1), (2), (3)")
        session.rollback()
    with db.transaction() as session:
        session.execute("insert into t select generate_series(10, 14)")
        session.commit()
    db.execute("insert into t values (99)")
    events = streamed(connector, 6)
    assert [e.id for e in events] == [10, 11, 12, 13, 14, 99]
    end(connector)


def test_env10_default_is_in_the_row_and_in_the_schema(db, connectors):
    db.execute("create table t (id int primary key, s text default 'dd', n int default 7)")
    connector = connectors(db, {"value.converter.schemas.enable": "true"}, sink="file").start()
    connector.wait_streaming()
    db.execute("insert into t values (1)")
    event = streamed(connector, 1)[0]
    assert event.after == {"id": 1, "s": "dd", "n": 7}
    fields = json.loads(event.value)["schema"]["fields"][1]["fields"]
    assert [f.get("default") for f in fields] == [None, "dd", 7]
    end(connector)


def test_key05_message_keys_in_snapshot_and_stream(db, connectors):
    for schema in ("s1", "s2"):
        db.execute(f"create schema {schema}")
        db.execute(f"create table {schema}.a (pk int primary key, aa int, b text)")
        db.execute(f"insert into {schema}.a values (1, 10, 'x')")
    connector = connectors(db, {**INCLUDE_ALL, "message.key.columns": "(.*)1.a:aa,pk;s2.a:nosuch"}, sink="file").start()
    connector.wait_streaming()
    db.execute("insert into s1.a values (2, 20, 'y')")
    db.execute("insert into s2.a values (2, 20, 'y')")
    events = streamed(connector, 4)
    assert [e.key for e in rows_of(events, f"{db.name}.s1.a")] == [b'{"aa":10,"pk":1}', b'{"aa":20,"pk":2}']
    assert [e.key for e in rows_of(events, f"{db.name}.s2.a")] == [b'{"pk":1}', b'{"pk":2}']
    assert connector.logged("message.key.columns names a column that the table does not have")
    end(connector)


KEYS = {
    "mood": ("'ha,ppy'", '{"k":"ha,ppy"}'),
    "numeric": ("10.50", '{"k":{"scale":1,"value":"aQ=="}}'),
    "numeric(6,2)": ("10.50", '{"k":"BBo="}'),
    "uuid": ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", '{"k":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}'),
    "bigserial": ("default", '{"k":1}'),
    "timestamptz": ("'2020-01-02 03:04:05+00'", '{"k":"2020-01-02T03:04:05.000000Z"}'),
}


@pytest.mark.parametrize("type_name", KEYS)
def test_key10_keys_are_typed_as_their_columns(type_name, db, connectors):
    value, key = KEYS[type_name]
    db.execute("create type mood as enum ('sad', 'ha,ppy')")
    db.execute(f"create table t (k {type_name} primary key, v int)")
    connector = connectors(db, sink="file").start()
    connector.wait_streaming()
    db.execute(f"insert into t values ({value}, 1)")
    db.execute("update t set v = 2")
    db.execute("delete from t")
    events = streamed(connector, 4)
    assert [e.key.decode() for e in events] == [key] * 4
    end(connector)


def test_flt12_masked_key_is_warned_about(db, connectors):
    db.execute("create table t (k text primary key, j jsonb)")
    db.execute("insert into t values ('secret', '{}')")
    connector = connectors(db, {"column.mask.with.3.chars": "public.t.*"}, sink="file").start()
    event = streamed(connector, 1)[0]
    assert (event.key, event.after) == (b'{"k":"secret"}', {"k": "***", "j": "{}"})
    connector.wait_log("column is masked in the value but not in the key.* column=k")
    connector.wait_log("column is not masked: masks apply to character types only.* column=j")
    end(connector)


def test_e55_columns_that_differ_in_case_only(db, connectors):
    """E-55: Debezium refuses such a table; names are never folded here."""
    db.script("""create table t (id int primary key, duration int, "Duration" text); insert into t values (1, 5, 'long')""")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("""alter table t add column "DURATION" bool; insert into t values (2, 6, 'longer', true)""")
    assert [e.after for e in connector.wait_events(2)] == [
        {"id": 1, "duration": 5, "Duration": "long"}, {"id": 2, "duration": 6, "Duration": "longer", "DURATION": True}]
