#!/usr/bin/env python3
"""Records the seeds of the pgoutput fuzz targets from a real server.

    record_pgoutput.py DSN LABEL

The server needs wal_level=logical and max_prepared_transactions > 0; the role must be a superuser. Drops and makes the
database-local objects it uses. LABEL begins the names of the files.

corpus/pgoutput/             one message a file: 1 if it came inside a stream block else 0, then the message
corpus/pgoutput_assembler/   one session a file, see pgoutput_assembler_fuzz.cc
"""
import os
import struct
import sys

import psycopg

HERE = os.path.dirname(os.path.abspath(__file__))
PER_SHAPE = 2  # messages kept of one kind, tag and protocol

SETUP = """
drop publication if exists rec;
drop table if exists rec_items, rec_orders, rec_full, rec_index, rec_none, rec_bare;
drop type if exists rec_mood;
drop domain if exists rec_amount;
create type rec_mood as enum ('happy', 'sad');
create domain rec_amount as numeric(10,2) check (value >= 0);
create table rec_orders (id int primary key, note text, mood rec_mood, amount rec_amount);
create table rec_items (id int primary key, order_id int references rec_orders);
create table rec_full (id int primary key, big text);
create table rec_index (id int primary key, code text not null unique, note text);
create table rec_none (a text, b int[]);
create table rec_bare ();
alter table rec_full replica identity full;
alter table rec_full alter big set storage external;
alter table rec_index replica identity using index rec_index_code_key;
create publication rec for table rec_orders, rec_items, rec_full, rec_index, rec_none, rec_bare;
"""

ROWS = [
    "insert into rec_orders values (1, 'ann', 'happy', 10.5), (2, null, 'sad', 0), (3, '', null, null)",
    "insert into rec_items select g, 1 from generate_series(1, 20) g",
    "insert into rec_none values ('a,\"b', '{1,NULL,3}'), (null, null)",
    "insert into rec_bare default values",
    "insert into rec_index values (1, 'c1', 'x')",
    "insert into rec_full values (1, repeat('0123456789', 300))",
    "update rec_orders set note = 'bob' where id = 2",
    "update rec_items set id = 100 where id = 20",
    "update rec_full set id = 2",
    "update rec_index set code = 'c2'",
    "delete from rec_items where id = 100",
    "delete from rec_full",
    "begin; savepoint s; insert into rec_items values (200, 1); rollback to s; insert into rec_items values (201, 1); commit",
    "select pg_logical_emit_message(true, 'pfx', 'in a transaction')",
    "select pg_logical_emit_message(false, 'pfx', '')",
    "begin; insert into rec_items values (300, 1); select pg_logical_emit_message(false, 'hb', 'x'); "
    "select pg_logical_emit_message(true, 'pfx', 'y'); insert into rec_items values (301, 1); commit",
    "alter table rec_items add column added text default 'd'",
    "insert into rec_items values (400, 1, 'e')",
    "truncate rec_orders, rec_items restart identity cascade",
]

ORIGIN = """
select pg_replication_origin_create('rec_origin');
select pg_replication_origin_session_setup('rec_origin');
begin; select pg_replication_origin_xact_setup('0/12345', now()); insert into rec_none values ('o', null); commit;
select pg_replication_origin_session_reset();
select pg_replication_origin_drop('rec_origin');
"""

# Larger than logical_decoding_work_mem, so that it is sent while it runs.
BIG = "insert into rec_none select repeat('x', 100) || g, null from generate_series(1, 2000) g"
STREAMED = [
    f"begin; {BIG}; savepoint s; {BIG}; rollback to s; insert into rec_none values ('end', null); commit",
    f"begin; {BIG}; rollback",
    f"begin; {BIG}; truncate rec_none; select pg_logical_emit_message(true, 'p', 'c'); update rec_index set code = code || 'x'; "
    "delete from rec_index; commit",
]
TWO_PHASE = [
    "begin; insert into rec_none values ('p', null); prepare transaction 'rec_one'",
    "commit prepared 'rec_one'",
    "begin; insert into rec_none values ('q', null); prepare transaction 'rec_two'",
    "rollback prepared 'rec_two'",
    f"begin; {BIG}; prepare transaction 'rec_three'",
    "commit prepared 'rec_three'",
]


def run(connection, statements):
    for text in statements:
        for part in text.split(";"):
            if part.strip():
                connection.execute(part)


def messages(connection, slot, options):
    pairs = ", ".join(f"'{k}', '{v}'" for k, v in options.items())
    rows = connection.execute(
        f"select lsn - '0/0'::pg_lsn, data from pg_logical_slot_get_binary_changes('{slot}', null, null, {pairs})"
    ).fetchall()
    return [(int(lsn), bytes(data)) for lsn, data in rows]


def record(connection, options, statements, two_phase=False):
    connection.execute(f"select pg_create_logical_replication_slot('rec', 'pgoutput', false, {two_phase})")
    try:
        run(connection, statements)
        return messages(connection, "rec", {"publication_names": "rec", **options})
    finally:
        connection.execute("select pg_drop_replication_slot('rec')")


def write(folder, name, data):
    path = os.path.join(HERE, "corpus", folder)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "wb") as file:
        file.write(data)


def write_messages(label, stream):
    seen = {}
    in_stream = False
    for _, data in stream:
        kind = chr(data[0])
        if kind == "E":
            in_stream = False
        tag = data[9:10] if in_stream else data[5:6]
        shape = (kind, in_stream, tag if kind in "UD" else b"", len(data) if kind == "A" else 0)
        seen[shape] = seen.get(shape, 0) + 1
        if seen[shape] <= PER_SHAPE:
            case = "upper" if kind.isupper() else "lower"
            name = f"{label}-{case}-{kind}{'-stream' if in_stream else ''}-{len(seen)}-{seen[shape]}"
            write("pgoutput", name, bytes([in_stream]) + data)
        if kind == "S":
            in_stream = True


def write_session(label, stream):
    out = struct.pack(">BQQQ", 0, 0, 0, 0)
    for lsn, data in stream:
        if len(data) < 0x10000:
            out += struct.pack(">BQH", 0, lsn, len(data)) + data
    write("pgoutput_assembler", label, out)


def main():
    dsn, label = sys.argv[1:]
    with psycopg.connect(dsn, autocommit=True) as connection:
        version = connection.info.server_version // 10000
        connection.execute("set logical_decoding_work_mem = '64kB'")
        run(connection, [SETUP])
        proto1 = {"proto_version": "1", "messages": "true"}
        plain = record(connection, proto1, ROWS + [ORIGIN])
        write_messages(f"{label}-p1", plain)
        write_session(f"{label}-p1", plain)
        run(connection, ["insert into rec_orders values (9, 'n', null, null); insert into rec_index values (9, 'c9', null)"])
        streaming = {"proto_version": "2", "streaming": "on", "messages": "true"}
        write_messages(f"{label}-p2", record(connection, streaming, STREAMED))
        run(connection, ["insert into rec_index values (9, 'c9', null)"])
        prepared = {"proto_version": "3", "streaming": "on", "two_phase": "on"}
        write_messages(f"{label}-p3", record(connection, prepared, TWO_PHASE, two_phase=True))
        if version >= 16:
            parallel = {"proto_version": "4", "streaming": "parallel"}
            write_messages(f"{label}-p4", record(connection, parallel, STREAMED))


main()
