"""Values of every type: the same bytes from the snapshot and from the stream, whatever the options."""
import base64
import os
import random
import re

import psycopg
import pytest

from differential.column_types import TYPE_SETUP, every_type
from differential.limits import has

ROWS = int(os.environ.get("VALUE_ROWS", "20"))
# walduct.lost.values=keep: by default `name` columns are null while streaming, as Debezium has them.
COMMON = {"walduct.lost.values": "keep"}
OPTIONS = {
    "default": {},
    "texts": {"decimal.handling.mode": "string", "time.precision.mode": "isostring", "binary.handling.mode": "hex", "hstore.handling.mode": "map",
              "interval.handling.mode": "string", "include.unknown.datatypes": "true"},
    "numbers": {"decimal.handling.mode": "double", "time.precision.mode": "nanoseconds", "binary.handling.mode": "base64-url-safe",
                "include.unknown.datatypes": "true", "money.fraction.digits": "1"},
    "schemas": {"time.precision.mode": "connect", "binary.handling.mode": "base64", "value.converter.schemas.enable": "true"},
}


def literal(value):
    return "'" + value.replace("'", "''") + "'"


def make_table(database, rng):
    """A table with a column of every type; answers the columns."""
    for statement in TYPE_SETUP:
        database.execute(statement)
    types = every_type(rng)
    columns = ", ".join(f"c{i} {t.sql}" for i, t in enumerate(types))
    database.execute(f"create table every (id int primary key, {columns}, always_null text)")
    return types


class _Column:
    def __init__(self, column_type):
        self.type = column_type
        self.not_null = column_type.family == "domain_not_null"


def random_row(types, rng):
    values = []
    for column_type in types:
        value = None if rng.random() < 0.1 and column_type.family != "domain_not_null" else column_type.value(rng)
        values.append(value if has(_Column(column_type), value) else None)
    return ", ".join("null" if v is None else literal(v) for v in values)


def insert(database, types, rng, row):
    """A row of random values; some of them the server refuses: then another one."""
    while True:
        try:
            return database.execute(f"insert into every values ({row}, {random_row(types, rng)}, null)")
        except psycopg.DataError:
            continue


def after(event):
    """The bytes of the row."""
    return re.search(rb'"after":(.*),"source":', event.value, re.DOTALL).group(1)


@pytest.mark.parametrize("options", OPTIONS)
def test_snapshot_and_stream_give_the_same_bytes(options, databases, pg17, connectors):
    seed = int(os.environ.get("VALUE_SEED", "0")) or random.randrange(10**6)
    print(f"VALUE_SEED={seed}")
    rng = random.Random(seed)
    db = databases(pg17)
    types = make_table(db, rng)
    config = {**COMMON, **OPTIONS[options]}
    stream = connectors(db, {**config, "snapshot.mode": "no_data"}, sink="file", name="stream").start().wait_streaming()
    for row in range(ROWS):
        insert(db, types, rng, row)
    streamed = {e.key: after(e) for e in stream.wait_events(ROWS, 60)}
    stream.stop()

    taken = {**config, "snapshot.mode": "initial_only", "slot.name": f"{db.name}_2"}
    snapshot = connectors(db, taken, sink="file", name="snapshot").start()
    snapped = {e.key: after(e) for e in snapshot.wait_events(ROWS, 60)}
    snapshot.close()
    assert len(streamed) == ROWS
    for key, row in streamed.items():
        assert snapped[key] == row, (seed, key)


def test_typ22_infinite_dates_in_an_old_row(db, connectors):
    """TYP-22: before and after hold the same numbers, also where the row comes from a delete."""
    db.script("create table d (id int primary key, v date); alter table d replica identity full")
    connector = connectors(db).start().wait_streaming()
    db.script("insert into d values (1, 'infinity'), (2, '-infinity'); delete from d")
    events = [e for e in connector.wait_events(6) if e.value]
    assert [(e.op, (e.after or e.before)["v"]) for e in events] == [
        ("c", 2147483647), ("c", -2147483648), ("d", 2147483647), ("d", -2147483648)]


def test_typ49_types_made_while_streaming(db, connectors):
    """TYP-49: an enum and an extension's type that did not exist when the stream began."""
    connector = connectors(db, {"publication.autocreate.mode": "all_tables"}).start().wait_streaming()
    db.script("""create type later as enum ('c', 'a', 'b'); create extension isn;
                 create table t (id int primary key, e later, n isbn); insert into t values (1, 'a', '0-393-04002-X');
                 alter type later add value 'z'; insert into t values (2, 'z', null)""")
    events = connector.wait_events(2)
    assert [e.after for e in events] == [{"id": 1, "e": "a", "n": "0-393-04002-X"}, {"id": 2, "e": "z", "n": None}]


def test_typ66_settings_of_the_database_do_not_change_values(db, connectors):
    """TYP-66: the server prints values in a session's settings; ours are our own, on both kinds of session."""
    db.script("""create table t (id int primary key, tz timestamptz, d date, i interval, f float8, b bytea, m money, r tstzrange);
                 alter table t replica identity full;
                 insert into t values (1, '2024-01-02 03:04:05+00', '2024-01-02', '1 year 2 days', 0.1, 'ab', 1234.5, '[2024-01-02 03:04:05+00,)')""")
    connector = connectors(db).start().wait_streaming()
    db.execute("update t set id = id")
    connector.wait_events(2)
    connector.stop()
    for setting in ("timezone = 'Asia/Kolkata'", "datestyle = 'SQL, DMY'", "intervalstyle = 'sql_standard'", "extra_float_digits = -3",
                    "bytea_output = 'escape'"):
        db.execute(f"alter database {db.name} set {setting}")
    connector.start().wait_streaming()
    db.execute("update t set id = id")
    rows = [e.after for e in connector.wait_events(3)]
    assert rows[0] == rows[1] == rows[2]
    assert rows[0]["tz"] == "2024-01-02T03:04:05.000000Z" and rows[0]["r"] == '["2024-01-02 03:04:05+00",)'


def test_lrg01_large_texts(db, connectors):
    """LRG-01: rows of 1 and 16 MiB pass, from the snapshot and the stream."""
    db.script("create table big (id int primary key, v text); insert into big values (1, repeat('x', 1 << 20))")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into big values (2, repeat('y', 1 << 24))")
    sizes = [(e.id, len(e.after["v"])) for e in connector.wait_events(2, 60)]
    assert sizes == [(1, 1 << 20), (2, 1 << 24)]


def test_gen01_and_gen06_generated_and_identity_columns(db, connectors):
    """GEN-01, GEN-06: the server streams no generated column before PostgreSQL 18, the snapshot has it, as Debezium's does; an
    identity column is like any other."""
    db.script("""create table g (id int generated always as identity primary key, n int generated by default as identity, a int,
                                 twice int generated always as (a * 2) stored);
                 insert into g (a) values (1)""")
    connector = connectors(db).start().wait_streaming()
    db.script("insert into g (a) values (2); update g set a = 3 where id = 2")
    events = connector.wait_events(3)
    assert [e.after for e in events] == [{"id": 1, "n": 1, "a": 1, "twice": 2}, {"id": 2, "n": 2, "a": 2}, {"id": 2, "n": 2, "a": 3}]


# --- TOAST ---

LONG = "(select string_agg(md5(g::text), '') from generate_series(1, 400) g)"
P = "__debezium_unavailable_value"


def test_tst02_tst03_null_and_changed_values(db, connectors):
    """TST-02, TST-03: NULL stays null, a value that did change is there."""
    db.script(f"create table t (id int primary key, n int, big text, none text); insert into t values (1, 1, {LONG}, null)")
    connector = connectors(db).start().wait_streaming()
    db.script("update t set n = 2; update t set big = repeat('changed', 1000); update t set big = null")
    after = [e.after for e in connector.wait_events(4)]
    assert [(a["big"][:28] if a["big"] else None, a["none"]) for a in after[1:]] == [(P, None), ("changed" * 4, None), (None, None)]


def test_tst11_old_keys_are_no_values(db, connectors):
    """TST-11: the nulls of an old key tuple do not stand in for values that were not sent."""
    db.script(f"create table t (id int primary key, big text); insert into t values (1, {LONG})")
    connector = connectors(db).start().wait_streaming()
    db.execute("update t set id = 2")
    created = [e for e in connector.wait_events(4) if e.op == "c"]
    assert created[0].after == {"id": 2, "big": P}


def test_large_values_of_types_without_a_mapping_and_of_domains(db, connectors):
    """What an update leaves alone and the server does not send, as Debezium 3.6.1 writes it; null is told, once a column."""
    db.script(f"""create extension hstore; create domain texts as text[]; create domain more as texts; create domain pairs as hstore;
                  create table t (id int primary key, n int, j jsonpath not null, m int4multirange default '{{}}', p path, a more, h pairs, plain text[], nums numeric);
                  alter table t alter j set storage external, alter m set storage external, alter p set storage external, alter a set storage external,
                    alter h set storage external, alter plain set storage external, alter nums set storage external;
                  insert into t values (1, 1, ('$."' || repeat('x', 3000) || '"')::jsonpath,
                    (select range_agg(int4range(g * 3, g * 3 + 1)) from generate_series(1, 1000) g),
                    (select '[' || string_agg('(' || g || ',1)', ',') || ']' from generate_series(1, 500) g)::path,
                    array[{LONG}], hstore('k', {LONG}), array[{LONG}], repeat('7', 9000)::numeric)""")
    connector = connectors(db, {"include.unknown.datatypes": "true"}).start().wait_streaming()
    db.script("update t set n = 2; update t set n = 3")
    after = [e.after for e in connector.wait_events(3)][1:]
    unsent = base64.b64encode(P.encode()).decode()
    assert after == [{"id": 1, "n": n, "j": unsent, "m": unsent, "p": unsent, "a": None, "h": P, "plain": [P], "nums": None} for n in (2, 3)]
    connector.wait_log(r"send them \(TOAST\).* column=nums")
    told = [line for line in connector.log_text().splitlines() if "send them (TOAST)" in line]
    assert sorted(re.search(r"column=(\w+)", line).group(1) for line in told) == ["a", "nums"]


def test_types_of_users_that_have_the_name_of_an_extensions(db, connectors):
    """A type that a user has made is not read as the extension's whose name it has, nor as PostgreSQL's."""
    db.script("""create schema app; create type app.hstore; create extension citext; create extension hstore;
                 create function app.hstore_in(cstring) returns app.hstore language internal strict immutable as 'textin';
                 create function app.hstore_out(app.hstore) returns cstring language internal strict immutable as 'textout';
                 create type app.hstore (input = app.hstore_in, output = app.hstore_out, like = text, delimiter = ';');
                 create type app.geometry as range (subtype = float8); create type app.money as enum ('some'); create domain app.int4 as text;
                 create table t (id int primary key, h app.hstore, hs app.hstore[], g app.geometry, m app.money, i app.int4, c citext);
                 insert into t values (1, 'a, b', array['a, b'::app.hstore, 'c'], '[1,2)', 'some', 'x', 'C')""")
    connector = connectors(db, {"include.unknown.datatypes": "true", "binary.handling.mode": "hex"}).start().wait_streaming()
    db.execute("insert into t select 2, h, hs, g, m, i, c from t")
    text = [b"a, b".hex(), b"c".hex(), b"[1,2)".hex()]
    assert [e.after for e in connector.wait_events(2)] == [
        {"id": n, "h": text[0], "hs": text[:2], "g": text[2], "m": "some", "i": "x", "c": "C"} for n in (1, 2)]


def test_tst12_tst13_toasted_keys(db, connectors):
    """TST-12, TST-13: a long key that an update leaves alone comes from the old key; changed and deleted it is whole."""
    db.script(f"""create table t (id text primary key, n int); alter table t alter id set storage external;
                  insert into t values (left({LONG}, 2300), 1)""")
    connector = connectors(db).start().wait_streaming()
    key = connector.wait_events(1)[0].key
    db.script("update t set n = 2; update t set id = 'x' || id; delete from t")
    events = connector.wait_events(7)
    assert [e.op for e in events[1:]] == ["u", "d", None, "c", "d", None]
    assert [e.key for e in events[1:4]] == [key] * 3
    assert [len(e.key_json["id"]) for e in events[4:]] == [2301] * 3
    assert events[1].after["n"] == 2


def test_tst14_a_dropped_toasted_column(db, connectors):
    """TST-14: the row that follows a dropped column has the columns of its own relation."""
    db.script(f"create table t (id int primary key, a text, b text); insert into t values (1, {LONG}, {LONG})")
    connector = connectors(db).start().wait_streaming()
    db.script("update t set id = id; alter table t drop column a; update t set id = id")
    after = [e.after for e in connector.wait_events(3)]
    assert after[1:] == [{"id": 1, "a": P, "b": P}, {"id": 1, "b": P}]


def test_tst18_new_keys_under_full_identity_are_whole(db, connectors):
    """TST-18: delete, tombstone and create of a row whose long values the server did not send again."""
    db.script(f"""create table t (id int primary key, a text, b jsonb); alter table t replica identity full;
                  insert into t values (1, {LONG}, to_jsonb({LONG}))""")
    connector = connectors(db).start().wait_streaming()
    db.execute("update t set id = 2")
    first, deleted, tombstone, created = connector.wait_events(4)
    assert (deleted.op, tombstone.value, created.op) == ("d", None, "c")
    assert created.after == {**first.after, "id": 2} and deleted.before == first.after


def test_tst19_rows_of_tables_that_are_gone(db, connectors):
    """TST-19: decoded after the table was rewritten and dropped, the long values are whole."""
    db.execute("create table t (id int primary key, a text)")
    connector = connectors(db).start().wait_streaming()
    connector.stop()
    db.script(f"""insert into t values (1, {LONG}); vacuum full t; insert into t values (2, {LONG});
                  create table kept (id int primary key); insert into kept values (1); drop table t""")
    connector.start().wait_streaming()
    rows = [e for e in connector.wait_events(2) if e.table == "t"]
    assert [len(e.after["a"]) for e in rows] == [12800, 12800]


def test_tst20_copy_of_long_and_short_rows(db, connectors):
    """TST-20: rows of one statement, some of them with long values."""
    db.execute("create table t (id int primary key, a text)")
    connector = connectors(db).start().wait_streaming()
    db.execute(f"insert into t select g, case when g % 3 = 0 then g || {LONG} else g::text end from generate_series(1, 30) g".replace("from generate_series(1, 400) g)", "from generate_series(1, 400) h)").replace("md5(g::text)", "md5(h::text)"))
    rows = {e.id: e.after["a"] for e in connector.wait_events(30)}
    assert all(text.startswith(str(i)) and len(text) == len(str(i)) + (12800 if i % 3 == 0 else 0) for i, text in rows.items())
