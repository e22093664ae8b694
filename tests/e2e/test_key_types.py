"""Incremental snapshots of keys of every kind of type, alone and beside others: each row once, whatever the session's search_path has."""
import json

from support.wait import wait_until

SETUP = """
create schema ext; create extension citext schema ext; create extension ltree schema ext;
create type mood as enum ('sad', 'ok', 'happy', 'Aa'); create type ext.pair as (x int, y int);
create domain positive as int check (value > 0); create domain deeper as positive; create domain how as mood; create domain spelt as ext.citext;
create domain tags as int[]; create domain span as int4range; create domain paired as ext.pair;
create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));
"""
ROWS = 25
LETTERS = "chr(65 + i * 7 % 26 + 32 * (i % 2)) || i"
MOOD = "(array['sad', 'ok', 'happy', 'Aa'])[1 + i % 4]"
# The type of one column, and its value in row i; the other column is an int.
TYPES = {"uuid": "md5(i::text)::uuid", "ext.citext": LETTERS, "spelt": LETTERS, "ext.ltree": f"text2ltree({LETTERS})", "mood": f"{MOOD}::mood",
         "how": f"{MOOD}::mood", "date": "date '2020-01-01' + i % 5", "numeric": "i / 3.0", 'text collate "C"': LETTERS, "positive": "1 + i % 7",
         "deeper": "1 + i % 7", "int[]": "array[i % 5, i]", "tags": "array[i % 5, i]", "ext.pair": "row(i % 5, i)::ext.pair", "paired": "row(i % 5, i)::ext.pair",
         "int4range": "int4range(i % 5, i + 6)", "span": "int4range(i % 5, i + 6)", "bytea": "decode(md5(i::text), 'hex')", "char(5)": LETTERS,
         "name": f"({LETTERS})::name", "inet": "('10.0.0.' || i % 9)::inet", "bit(8)": "i::bit(8)", "money": "(i % 5)::money",
         "interval": "i * interval '1 h'", "timestamptz": "timestamptz '2020-01-01' + i * interval '1 h'", "ext.citext[]": f"array[{LETTERS}]"}


def test_each_row_once(db, connectors):
    db.script(SETUP)
    tables = {}
    for number, (kind, value) in enumerate(TYPES.items()):
        value = value.replace("text2ltree", "ext.text2ltree")
        for order, columns in (("a", f"k {kind}, n int"), ("b", f"n int, k {kind}")):
            name = f"{order}{number}"
            tables[name] = kind
            key = "k, n" if order == "a" else "n, k"
            db.script(f"create table {name} ({columns}, i int, primary key ({key}));"
                      f"insert into {name} (k, n, i) select {value}, {'i' if order == 'a' else 'i % 3'}, i from generate_series(1, {ROWS}) i on conflict do nothing")
    # The index of a key, not of a primary key; and an operator's schema beside PostgreSQL's own in one key of two such columns.
    db.script(f"create table two (a ext.citext, b ext.ltree, i int, primary key (a, b));"
              f"insert into two select left({LETTERS}, 1), ext.text2ltree('l' || i), i from generate_series(1, {ROWS}) i;"
              f"create table uniq (a ext.citext not null, b uuid not null, i int, unique (a, b));"
              f"insert into uniq select left({LETTERS}, 1), md5(i::text)::uuid, i from generate_series(1, {ROWS}) i;"
              f"create table nullable (a ext.citext, b int not null, i int primary key); insert into nullable "
              f"select nullif(left({LETTERS}, 1), 'C'), i, i from generate_series(1, {ROWS}) i")
    tables |= {"two": "citext, ltree", "uniq": "citext, uuid"}
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "7",
                                "include.unknown.datatypes": "true"}, sink="file", worker={"offset.flush.interval.ms": "50"}, superuser=True)
    connector.start().wait_streaming()

    def ask(number, **data):
        db.execute("insert into signals values (%s, 'execute-snapshot', %s)", f"s{number}", json.dumps({"type": "incremental", **data}))
    ask(1, **{"data-collections": [f"public.{name}" for name in tables]})
    ask(2, **{"data-collections": ["public.nullable"], "surrogate-key": "a"})
    connector.wait_log("incremental snapshot of table ended table=public.nullable", 120)
    read = {}
    for event in connector.events():
        if event.op == "r":
            read.setdefault(event.table, []).append(event.after["i"])
    wrong = {}
    for name, kind in {**tables, "nullable": "by a citext with NULLs"}.items():
        wanted = sorted(db.execute(f"select array_agg(i) from {name}")[0][0])
        if sorted(read.get(name, [])) != wanted:
            wrong[f"{name} {kind}"] = (len(read.get(name, [])), len(wanted))
    assert not wrong and not connector.logged("is left out"), (wrong, connector.logged("is left out.*"))
    connector.stop()
