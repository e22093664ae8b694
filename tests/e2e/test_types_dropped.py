"""Types and columns that a migration drops before the first rows that have them are read."""
import signal

import pytest

from support.wait import wait_until
from test_schema_changes import SCHEMAS, fields

TABLE = """
create extension hstore; create extension citext; create type status as enum ('draft', 'live'); create type pair as (a int, b int);
create domain price as numeric(8,2) not null; create domain owner as status;
create table posts (id int, kind status, status status not null default 'draft', mail citext not null, attrs hstore, price price,
                    tags status[], owner owner, pair pair, n int not null default 7, again int not null default 3,
                    primary key (id, kind));
insert into posts values (1, 'live', 'draft', 'A@x', 'k=>v', 1.50, '{live}', 'live', '(1,2)', 0)"""
BURST = """update posts set n = 1 where id = 1;
insert into posts values (2, 'live', 'live', 'C@x', 'k=>w', 2.25, '{draft,live}', 'draft', '(3,4)', 2, 4)"""
# As Prisma, TypeORM, Alembic and others write it.
MIGRATION = """begin; create type status_new as enum ('draft', 'live', 'gone'); alter table posts alter status drop default;
alter table posts alter n drop default, drop again, add again text;
alter table posts alter kind type status_new using kind::text::status_new, alter status type status_new using status::text::status_new,
    alter mail type text, alter attrs type jsonb using hstore_to_jsonb(attrs), alter price type text, alter tags type text[] using tags::text[],
    alter owner type text, alter pair type text using pair::text, alter n type text;
drop domain price; drop domain owner; drop type status; drop type pair; alter type status_new rename to status;
drop extension hstore; drop extension citext; commit;
insert into posts values (3, 'gone', 'gone', 'E', '{"k": 1}', 'free', '{}', 'me', 'x', 'y', 'z')"""
OPTIONS = {**SCHEMAS, "include.unknown.datatypes": "true", "table.include.list": "public.posts", "schema.include.list": None}
MIGRATED = {"n", "again"}  # built-in types: their defaults are known to the process alone


def broken_off(db, connector):
    """The stream ends while the process stands still; what it has not read comes with the next one."""
    reader = "from pg_replication_slots where slot_name = %s and active"
    connector.process.send_signal(signal.SIGSTOP)
    db.execute(f"select pg_terminate_backend(active_pid) {reader}", connector.slot)
    wait_until(lambda: db.value(f"select count(*) {reader}", connector.slot) == 0, 30, "its end")
    db.script(BURST + ";" + MIGRATION)
    connector.process.send_signal(signal.SIGCONT)


def restarted(end):
    def between(db, connector):
        end(connector)
        db.script(BURST + ";" + MIGRATION)
        connector.start().wait_streaming()
    return between


WAYS = {"at_once": lambda db, connector: db.script(BURST + ";" + MIGRATION), "broken_off": broken_off,
        "restarted": restarted(lambda connector: connector.stop()), "killed": restarted(lambda connector: connector.kill())}


@pytest.mark.parametrize("way", WAYS)
def test_what_was_known_of_types_stays_known(way, db, connectors):
    """Row and schema are those of the time when it was written; rows behind the migration are as it has made them."""
    db.script(TABLE)
    connector = connectors(db, OPTIONS, sink="file").start().wait_streaming()
    read, = connector.wait_events(1)
    if way == "killed":
        wait_until(lambda: "walduct_types" in (connector.offset() or {}), 30, "they are stored")
    WAYS[way](db, connector)
    events = connector.wait_events(lambda events: any(e.id == 3 for e in events), 60)
    update, insert, after = [e for e in events if e.op != "r"][:3]
    assert update.after == {**read.after, "n": 1} and len(update.after) == 11
    assert insert.after == {"id": 2, "kind": "live", "status": "live", "mail": "C@x", "attrs": '{"k":"w"}', "price": insert.after["price"],
                            "tags": ["draft", "live"], "owner": "draft", "pair": insert.after["pair"], "n": 2, "again": 4}
    known = set(read.after) - (MIGRATED if way in ("restarted", "killed") else set())
    for event in (update, insert):
        for name in known:
            # NOT NULL of a column that is another one now may be of either.
            assert {**fields(event)[name], "optional": 0} == {**fields(read)[name], "optional": 0}, name
    assert (update.key_json, insert.key_json) == (read.key_json, {"id": 2, "kind": "live"})
    assert fields(after)["status"]["parameters"] == {"allowed": "draft,live,gone"}
    assert after.after["mail"] == "E" and after.after["n"] == "y" and fields(after)["attrs"]["name"] == "io.debezium.data.Json"
    assert not connector.logged("not supported") and not connector.logged("was dropped before these rows")
    connector.stop()


def test_types_that_nobody_has_seen_are_text(db, connectors):
    """Made and dropped while the connector is away: the stream has their names."""
    db.script("create table fence (id int primary key)")
    connector = connectors(db, {**SCHEMAS, "publication.autocreate.mode": "all_tables", "include.unknown.datatypes": "false"}, sink="file")
    connector.start().wait_streaming().stop()
    db.script(TABLE + ";" + BURST + ";" + MIGRATION + "; insert into fence values (1)")
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: any(e.table == "fence" for e in events), 60)
    posts = [e for e in events if e.table == "posts"]
    assert [e.id for e in posts] == [1, 1, 2, 3]
    row = posts[2].after
    assert row == {"id": 2, "kind": "live", "status": "live", "mail": "C@x", "attrs": '{"k":"w"}', "price": row["price"], "tags": "{draft,live}",
                   "owner": "draft", "pair": "(3,4)", "n": 2, "again": 4}
    assert posts[2].key_json == {"id": 2, "kind": "live"}
    assert fields(posts[2])["mail"]["optional"] is False, "the catalog has the column still"
    assert posts[3].after["status"] == "gone"
    for column in ("kind", "status", "mail", "attrs", "price", "tags", "owner", "pair"):
        told = [line for line in connector.log_text().splitlines() if "was dropped before these rows" in line and f"column={column} " in line]
        assert len(told) == 1, column
    connector.stop()
