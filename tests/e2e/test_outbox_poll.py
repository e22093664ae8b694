"""Outbox tables that are polled (walduct.outbox.source=poll), against real servers."""
import re
import subprocess

import pytest

from support.http import Surface
from support.polling import numbers, polled
from support.wait import wait_until

MARKED = """create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
            created_at timestamptz not null default now(), published_at timestamptz)"""


def put(db, first, last, keys=10):
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) select 'Order', (g %% %s)::text, 'Placed',"
               " jsonb_build_object('n', g) from generate_series(%s::int, %s::int) g", keys, first, last)


def unpublished(db):
    return db.value("select count(*) from outbox where published_at is null")


def content(event):
    return event.topic, event.key, event.value, [h for h in event.headers if h[0] != "__debezium.context.runId"]


def test_rows_are_published_as_by_the_slot_and_marked(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    put(db, 1, 50)
    poll = connectors(db, polled(db), superuser=True, sink="file", name="poll").start().wait_streaming()
    events = poll.wait_events(50)
    wait_until(lambda: unpublished(db) == 0, 10, "rows marked")
    assert not db.slots()
    poll.stop()
    slot = connectors(db, {**polled(db), "walduct.outbox.source": "slot", "slot.name": db.name, "publication.name": db.name,
                           "publication.autocreate.mode": "filtered", "table.include.list": "public.outbox"},
                      superuser=True, sink="file", name="slot")
    slot.start().wait_streaming()
    assert [content(e) for e in events] == [content(e) for e in slot.wait_events(50)]
    slot.stop()


@pytest.mark.parametrize("kind, number", [("char(26)", "lpad({}::text, 26, 'A')"), ("bit(12)", "{}::bit(12)"), ("varchar(30)", "'x' || {}"),
                                          ("numeric(9,2)", "{} + 0.25"), ("timestamp(3)", "timestamp '2026-01-01' + {} * interval '1.001 s'")])
@pytest.mark.parametrize("composite", [False, True], ids=["alone", "composite"])
def test_keys_of_types_with_a_length_are_marked(databases, pg17, connectors, kind, number, composite):
    db = databases(pg17)
    db.execute(f"create table outbox (id {kind}, part int not null default 1, aggregate_type text, aggregate_id text, event_type text, payload jsonb,"
               f" attempts int, published_at timestamptz, primary key (id{', part' if composite else ''}))")
    db.execute("insert into outbox (id, aggregate_type, aggregate_id, event_type, payload) select " + number.format("g") +
               ", case g when 3 then 'no topic!' else 'Order' end, g::text, 'Placed', '{}' from generate_series(1, 5) g")
    config = polled(db, **{"walduct.outbox.max.attempts": "1"})
    connector = connectors(db, config, superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: unpublished(db) == 1, 20, "all but the bad row marked")
    wait_until(lambda: db.value("select count(*) from outbox where attempts = 1") == 1, 20, "the bad row counted")
    connector.stop()
    assert len(connector.events()) == 4


def test_columns_that_a_key_merely_includes_are_no_part_of_it(databases, pg17, connectors):
    """They may be NULL, and of a type without equality."""
    db = databases(pg17)
    db.execute("create table outbox (id bigserial, aggregate_type text, aggregate_id text, event_type text, payload json, published_at timestamptz,"
               " note text, primary key (id) include (note, payload))")
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload, note) select 'Order', g::text, 'Placed',"
               " json_build_object('n', g), case g when 2 then 'n' end from generate_series(1, 3) g")
    connector = connectors(db, polled(db), superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: unpublished(db) == 0, 20, "all published and marked")
    connector.stop()
    assert len(connector.events()) == 3


def test_a_row_that_somebody_has_locked_holds_its_key_and_no_other(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    put(db, 1, 20, keys=2)
    with db.transaction() as other:
        other.execute("select from outbox where id = 3 for update")
        connector = connectors(db, polled(db), superuser=True, sink="file").start().wait_streaming()
        wait_until(lambda: unpublished(db) == 9, 20, "all but the key of row 3 published")
        assert numbers(connector.events(), b"1") == [1]
        other.rollback()
    wait_until(lambda: unpublished(db) == 0, 20, "the rest published")
    assert numbers(connector.events(), b"1") == list(range(1, 21, 2))
    connector.stop()


@pytest.mark.parametrize("locked", ["id = 1", "id % 2 = 1"], ids=["one", "all of its key"])
def test_locked_rows_and_those_behind_them_leave_the_claim_to_others(databases, pg17, connectors, locked):
    """Ten rows of key 1, the first or all of them locked, are more than two claims."""
    db = databases(pg17)
    db.execute(MARKED)
    put(db, 1, 20, keys=2)
    db.execute("update outbox set id = id + 1000 where id % 2 = 0")
    with db.transaction() as other:
        other.execute(f"select from outbox where {locked} for update")
        connector = connectors(db, polled(db, **{"walduct.outbox.poll.batch.size": "4"}), superuser=True, sink="file").start().wait_streaming()
        wait_until(lambda: unpublished(db) == 10, 20, "the other key published")
        assert numbers(connector.events(), b"1") == []
        other.rollback()
    wait_until(lambda: unpublished(db) == 0, 20, "the rest published")
    assert numbers(connector.events(), b"1") == list(range(1, 21, 2)) and numbers(connector.events(), b"0") == list(range(2, 21, 2))
    connector.stop()


def test_killed_again_and_again_it_loses_nothing_and_keeps_the_order(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    connector = connectors(db, polled(db, **{"walduct.outbox.poll.batch.size": "200"}), superuser=True)
    for turn in range(5):
        put(db, turn * 1000 + 1, turn * 1000 + 1000)
        connector.start().wait_streaming()
        left = unpublished(db)
        wait_until(lambda left=left: unpublished(db) < max(left, 1), 20, "some more published")
        connector.kill()
    connector.start().wait_streaming()
    wait_until(lambda: unpublished(db) == 0, 30, "all published")
    events = connector.events()
    connector.stop()
    for key in range(10):
        seen, first = set(), []
        for number in numbers(events, str(key).encode()):
            if number not in seen:
                first.append(number)
            seen.add(number)
        assert first == sorted(n for n in range(1, 5001) if n % 10 == key), "an event is lost or out of order"
    assert len(events) < 5000 + 6 * 400, "more was repeated than was in flight"


def test_a_second_worker_takes_over(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    one = connectors(db, polled(db), superuser=True, name="one").start().wait_streaming()
    two = connectors(db, polled(db), superuser=True, name="two").start("--listen", "127.0.0.1:0")
    two.wait_log("another worker polls the outbox tables")
    surface = Surface(two)
    wait_until(lambda: surface.status().get("waiting_for") == "another worker, which polls the outbox tables", 20, "what it waits for")
    put(db, 1, 100)
    wait_until(lambda: unpublished(db) == 0, 20, "published by one of them")
    one.kill()
    two.wait_streaming()
    put(db, 101, 200)
    wait_until(lambda: unpublished(db) == 0, 20, "published by the other one")
    assert len(two.wait_events(200)) == 200
    two.stop()


def test_idle_it_asks_seldom_and_a_trigger_wakes_it(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    db.script("create function wake() returns trigger language plpgsql as 'begin perform pg_notify(''outbox_new'', ''''); return null; end';"
              "create trigger wake after insert on outbox for each statement execute function wake();")
    connector = connectors(db, polled(db, **{"walduct.outbox.poll.interval.ms": "600000"}), superuser=True, sink="file").start()
    connector.wait_log("wakes=notify")
    asked = "select query_start from pg_stat_activity where application_name like '%% poll' and state = 'idle' and query_start < now() - interval '3 s'"
    wait_until(lambda: db.execute(asked), 20, "a pause of three seconds between two statements")
    put(db, 1, 1)
    wait_until(lambda: unpublished(db) == 0, 2, "published at once")
    connector.stop()


def test_a_table_without_a_state_is_deleted_from_only_when_told(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED.replace(", published_at timestamptz", ""))
    put(db, 1, 10)
    connector = connectors(db, polled(db), superuser=True, sink="file")
    assert connector.run_to_end() == 3
    assert connector.logged("outbox table public.outbox has no column that says which rows are published")
    connector.config["walduct.outbox.done"] = "delete"
    connector.start().wait_streaming()
    connector.wait_events(10)
    wait_until(lambda: db.value("select count(*) from outbox") == 0, 10, "rows deleted")
    connector.stop()


@pytest.mark.parametrize("keeps_state", [True, False])
def test_rows_are_moved_to_an_archive(databases, pg17, connectors, keeps_state):
    db = databases(pg17)
    db.execute(MARKED if keeps_state else MARKED.replace(", published_at timestamptz", ""))
    put(db, 1, 10)
    rows = db.execute("select id, payload, created_at from outbox order by id")
    # A suffix that is empty is none that is set, as with every property.
    config = {"walduct.outbox.done": "archive", "walduct.outbox.archive.suffix": "", "walduct.outbox.tables": "public.outbox.*"}
    connector = connectors(db, polled(db, **config), superuser=True, sink="file")
    assert connector.run_to_end() == 3
    assert connector.logged("CREATE TABLE .*outbox_archive.* LIKE|outbox_no_archive")
    db.execute("create table outbox_archive (like outbox including defaults)")
    db.execute("alter table outbox_archive drop column event_type")
    assert connector.run_to_end() == 3
    assert connector.logged("lacks columns of it: event_type")
    db.script("drop table outbox_archive; create table outbox_archive (like outbox)")
    connector.start().wait_streaming()
    connector.wait_events(10)
    wait_until(lambda: db.value("select count(*) from outbox") == 0, 10, "rows moved")
    connector.stop()
    assert db.execute("select id, payload, created_at from outbox_archive order by id") == rows
    if keeps_state:
        assert db.value("select count(*) from outbox_archive where published_at is not null") == 10
    assert len(connector.events()) == 10


def test_an_archive_makes_its_generated_columns_itself(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    db.execute("alter table outbox add column n int generated always as ((payload ->> 'n')::int * 2) stored")
    put(db, 1, 5)
    db.execute("create table outbox_archive (like outbox including all)")
    connector = connectors(db, polled(db, **{"walduct.outbox.done": "archive"}), superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: db.value("select count(*) from outbox") == 0, 20, "rows moved")
    connector.stop()
    assert db.execute("select n from outbox_archive order by id") == [(2,), (4,), (6,), (8,), (10,)]


def test_rows_that_a_trigger_keeps_unmarked_are_not_published_again_and_again(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    db.script("create function keep() returns trigger language plpgsql as 'begin return null; end';"
              "create trigger keep before update on outbox for each row execute function keep();")
    put(db, 1, 10)
    connector = connectors(db, polled(db), superuser=True, sink="file")
    assert connector.run_to_end() == 3
    assert connector.logged("outbox_not_marked")
    assert len(connector.events()) == 10


def test_a_stop_waits_for_no_claim(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    put(db, 1, 1)
    connector = connectors(db, polled(db, **{"walduct.outbox.where": "(select true from pg_sleep(60))"}), superuser=True, sink="file")
    connector.start().wait_streaming()
    asks = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
    wait_until(lambda: db.execute(asks), 20, "a claim that takes a minute")
    assert connector.terminate() == 0


@pytest.mark.parametrize("name, value, says", [
    ("exactly.once.support", "required", "exactly.once.support"), ("walduct.slots", "2", "walduct.slots"),
    ("walduct.outbox.cleanup", "delete", "walduct.outbox.cleanup"), ("walduct.outbox.done", "forget", "walduct.outbox.done")])
def test_what_does_not_go_with_it_is_refused(databases, pg17, connectors, name, value, says):
    connector = connectors(databases(pg17), polled(databases(pg17), **{name: value}), superuser=True, sink="file")
    ended: subprocess.CompletedProcess = connector.call("validate")
    assert ended.returncode == 2 and says in ended.stdout + ended.stderr


def test_doctor_and_offsets_ask_the_source(databases, pg17, connectors):
    db = databases(pg17)
    db.execute("create table outbox (id bigserial primary key, aggregatetype text, aggregateid text, type text, payload jsonb, created_at timestamptz)")
    columns = {"route.by.field": "aggregatetype", "table.field.event.key": "aggregateid", "table.fields.additional.placement": "type:header:eventType"}
    connector = connectors(db, polled(db, **{f"transforms.outbox.{option}": value for option, value in columns.items()}), superuser=True)
    examined = connector.call("doctor")
    assert examined.returncode != 0 and "walduct.outbox.done=delete" in examined.stdout, examined.stdout
    assert "wal_level" not in examined.stdout and "slot" not in examined.stdout
    connector.config["walduct.outbox.done"] = "delete"
    examined = connector.call("doctor")
    assert examined.returncode == 0, examined.stdout
    moved = connector.call("offsets", "reset")
    assert moved.returncode != 0 and "stands in the outbox tables" in moved.stderr + moved.stdout, moved.stderr


def test_doctor_tells_what_a_start_warns_of(databases, pg17, connectors):
    """The same reasons and words; the order of a uuid, and ids in blocks."""
    db = databases(pg17)
    db.execute(MARKED.replace("id bigserial", "id uuid"))
    connector = connectors(db, polled(db), superuser=True, sink="file")
    ordered = connector.call("doctor")
    assert ordered.returncode == 1 and "outbox_order" in ordered.stdout and 'ordered by "created_at", a column that is no integer' in ordered.stdout, ordered.stdout
    connector.start().wait_streaming()
    connector.wait_log("reason=outbox_order")
    connector.stop()
    db.execute("drop table outbox")
    db.execute(MARKED)
    db.execute("alter sequence outbox_id_seq cache 20")
    cached = connector.call("doctor")
    hint = re.search(r"ALTER SEQUENCE \S+ CACHE 1", cached.stdout)
    assert cached.returncode == 1 and hint and "outbox_order" not in cached.stdout, cached.stdout
    db.execute(hint.group(0))
    mended = connector.call("doctor")
    assert mended.returncode == 0 and "outbox_ids_cached" not in mended.stdout, mended.stdout


def test_doctor_tells_of_the_slot_that_was_read_before(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(MARKED)
    connector = connectors(db, {**polled(db), "slot.name": db.name}, superuser=True, sink="file")
    assert "slot" not in connector.call("doctor").stdout
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", db.name)
    told = connector.call("doctor")
    drop = f"SELECT pg_drop_replication_slot('{db.name}')"
    assert told.returncode == 0 and "slot_inactive" in told.stdout and drop in told.stdout, told.stdout
    db.execute(drop)
    assert "slot" not in connector.call("doctor").stdout
