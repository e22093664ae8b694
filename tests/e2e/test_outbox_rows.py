"""`walduct outbox list|show|retry|park|skip`: rows of polled outbox tables that could not be published."""
import json

import pytest

from support.polling import numbers, polled
from support.wait import wait_until

TABLE = """create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
           created_at timestamptz not null default now(), published_at timestamptz, attempts int, last_error text, next_try_at timestamptz)"""
# A topic may not be called so.
BAD = "no topic!"


def put(db, kind, key, number, table="outbox"):
    db.execute(f"insert into {table} (aggregate_type, aggregate_id, event_type, payload)"
               " values (%s, %s, 'Placed', jsonb_build_object('n', %s::int))", kind, key, number)


def opened(db):
    return [row[0] for row in db.execute("select id from outbox where published_at is null order by id")]


def asked(connector, act, *more, code=0):
    done = connector.call("outbox", act, *more)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def rows(connector, act, *more, code=0):
    done = connector.call("outbox", act, "--json", *more)
    assert done.returncode == code, done
    answer = json.loads(done.stdout)
    assert answer["did"] == act and answer["connector"] == connector.name
    return [row for table in answer["tables"] for row in table["rows"]]


def parked(db, connectors, table=TABLE, **more):
    """Row 2 of key 1 is parked, row 3 waits behind it, key 2 is published."""
    db.execute(table)
    put(db, "Order", "1", 1)
    put(db, BAD, "1", 2)
    put(db, "Order", "1", 3)
    put(db, "Order", "2", 4)
    config = polled(db, **{"walduct.outbox.max.attempts": "2", "walduct.outbox.attempts.backoff.ms": "100", **more})
    connector = connectors(db, config, superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: db.value("select attempts from outbox where id = 2") == 2, 30, "row 2 parked")
    return connector


def test_a_parked_row_is_listed_shown_and_tried_again(databases, pg17, connectors):
    db = databases(pg17)
    connector = parked(db, connectors)
    wait_until(lambda: opened(db) == [2, 3], 20, "the rest published")
    connector.wait_log(r"once mended: walduct outbox retry -f \S+connector.json -w \S+worker.properties 2")
    text = asked(connector, "list")
    assert text.startswith("public.outbox: 1 row\n  2  parked  2 attempts  key 1  Placed  written 20") and "    transform_failed: " in text
    row, = rows(connector, "list")
    assert (row["row"], row["state"], row["attempts"], row["key"], row["type"]) == ("2", "parked", 2, "1", "Placed")
    assert row["error"].startswith("transform_failed") and row["next_try"] is None, "it is tried no more"
    row, = rows(connector, "show", "2")
    assert row["held_back"] == 1 and row["overtaken"] is False and row["payload_bytes"] == len('{"n": 2}')
    text = asked(connector, "show", "2")
    assert "behind it      open rows of its key: 1\n" in text and "order          no later event of its key is published" in text
    db.execute("update outbox set aggregate_type = 'Order' where id = 2")
    assert asked(connector, "retry", "2") == "public.outbox 2 is tried again (2 attempts before)\n"
    wait_until(lambda: opened(db) == [], 20, "published, and the row behind it")
    assert numbers(connector.events(), b"1") == [1, 2, 3]
    assert asked(connector, "list") == "public.outbox: no row is parked or waits after an attempt\n"
    assert asked(connector, "retry", "--all") == "public.outbox: no row is parked or waits after an attempt\n"
    assert asked(connector, "retry", "2", code=3) == "public.outbox 2 is published already\n"
    connector.stop()


def test_a_row_that_later_ones_of_its_key_have_passed_says_so(databases, pg17, connectors):
    db = databases(pg17)
    connector = parked(db, connectors, **{"walduct.outbox.parked": "pass"})
    wait_until(lambda: opened(db) == [2], 20, "row 3 has passed it")
    assert rows(connector, "show", "2")[0]["overtaken"] is True
    db.execute("update outbox set aggregate_type = 'Order' where id = 2")
    assert "later events of its key 1 are published already: it comes behind them" in asked(connector, "retry", "--all")
    wait_until(lambda: opened(db) == [], 20, "published")
    assert numbers(connector.events(), b"1") == [1, 3, 2]
    connector.stop()


@pytest.mark.parametrize("done", ["mark", "delete", "archive"])
def test_a_row_is_left_out_as_the_policy_marks(databases, pg17, connectors, done):
    db = databases(pg17)
    if done == "archive":
        db.execute(TABLE.replace("table outbox", "table outbox_archive"))
    connector = parked(db, connectors, **{"walduct.outbox.done": done})
    wait_until(lambda: opened(db) == [2, 3], 20, "the rest published")
    told = asked(connector, "skip", "2", code=2)
    assert "Row 2 will never be published" in told and "say --yes" in told and opened(db) == [2, 3]
    text = asked(connector, "skip", "2", "--yes")
    assert {"mark": "marked as published, never published", "delete": "deleted (walduct.outbox.done=delete), never published",
            "archive": 'moved to "public"."outbox_archive" (walduct.outbox.done=archive), never published'}[done] in text
    wait_until(lambda: opened(db) == [], 20, "the row behind it published")
    connector.stop()
    assert numbers(connector.events(), b"1") == [1, 3]
    left = {"mark": "select count(*) from outbox where published_at is not null and attempts = 2", "delete": "select 1 - count(*) from outbox",
            "archive": "select count(*) from outbox_archive where id = 2 and published_at is not null"}[done]
    assert db.value(left) == 1
    told = asked(connector, "skip", "2", "--yes", code=3)
    assert ("is published already" if done == "mark" else "is not there, or walduct.outbox.where leaves it out") in told


def test_a_lock_that_only_a_deletion_waits_for_is_not_waited_for_long(databases, pg17, connectors):
    db = databases(pg17)
    connector = parked(db, connectors, **{"walduct.outbox.done": "delete"})
    wait_until(lambda: opened(db) == [2, 3], 20, "the rest published")
    with db.transaction() as other:
        other.execute("select from outbox where id = 2 for key share")
        done = connector.call("outbox", "skip", "2", "--yes")
        assert done.returncode != 0 and "lock" in done.stdout + done.stderr
        other.rollback()
    assert opened(db) == [2, 3]
    connector.stop()


def test_a_row_is_parked_by_hand_and_holds_its_key(databases, pg17, connectors):
    db = databases(pg17)
    connector = parked(db, connectors)
    wait_until(lambda: opened(db) == [2, 3], 20, "the rest published")
    connector.stop()
    put(db, "Order", "3", 5)
    put(db, "Order", "3", 6)
    text = asked(connector, "park", "5", "--reason", "it's \"wrong\"")
    assert "is parked; later events of its key 3 wait for it; if the connector has read it already" in text
    assert db.value("select last_error from outbox where id = 5") == "parked_by_hand: it's \"wrong\""
    assert [row["row"] for row in rows(connector, "list")] == ["2", "5"]
    assert [row["row"] for row in rows(connector, "list", "--limit", "1")] == ["2"]
    assert "1 row, and more" in asked(connector, "list", "--limit", "1")
    connector.start().wait_streaming()
    put(db, "Order", "4", 7)
    wait_until(lambda: opened(db) == [2, 3, 5, 6], 20, "the other key published")
    assert "was parked, and is" in asked(connector, "park", "5")
    assert "the reason is not noted, as it was parked before" in asked(connector, "park", "5", "--reason", "another")
    asked(connector, "retry", "5")
    wait_until(lambda: opened(db) == [2, 3], 20, "published")
    connector.stop()
    assert numbers(connector.events(), b"3") == [5, 6]


def test_a_row_that_waits_is_parked_by_hand(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE)
    put(db, BAD, "1", 1)
    connector = connectors(db, polled(db, **{"walduct.outbox.attempts.backoff.ms": "60000"}), superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: db.value("select attempts from outbox") == 1, 20, "tried once")
    assert rows(connector, "list")[0]["state"] == "waits"
    assert "is parked; later events of its key 1 wait for it" in asked(connector, "park", "1")
    assert db.value("select attempts from outbox") == 10 and rows(connector, "list")[0]["state"] == "parked"
    connector.stop()


def test_a_locked_row_is_not_waited_for(databases, pg17, connectors):
    db = databases(pg17)
    connector = parked(db, connectors)
    connector.stop()
    with db.transaction() as other:
        other.execute("select from outbox where id = 2 for update")
        for act, more in (("retry", ["--all"]), ("park", ["2"]), ("skip", ["2", "--yes"])):
            assert "2 is locked by another session: nothing was changed" in asked(connector, act, *more, code=3)
        assert [row["row"] for row in rows(connector, "list")] == ["2"]
        other.rollback()
    assert db.value("select attempts from outbox where id = 2") == 2
    asked(connector, "retry", "2")
    assert db.value("select attempts from outbox where id = 2") == 0


def test_what_cannot_be_is_refused_by_name(databases, pg17, connectors):
    db = databases(pg17)
    connector = parked(db, connectors)
    connector.stop()
    assert "row 'abc' is none that public.outbox could have: its primary key is (id bigint)" in asked(connector, "retry", "abc", code=2)
    assert "is not there" in asked(connector, "retry", "99", code=3)
    assert "has no row 99" in asked(connector, "show", "99", code=2)
    assert "--table 'public.other' is none of the connector's outbox tables: public.outbox" in asked(
        connector, "list", "--table", "public.other", code=2)
    assert "name the rows by their primary keys" in asked(connector, "retry", code=2)
    connector.config["walduct.outbox.where"] = "id > 2"
    assert "walduct.outbox.where leaves it out" in asked(connector, "skip", "2", "--yes", code=3)
    del connector.config["walduct.outbox.where"]
    db.execute("create table more (like outbox including all)")
    connector.config["walduct.outbox.tables"] = "public.outbox,public.more"
    assert "--table says which table the rows are of: " in asked(connector, "retry", "2", code=2)
    assert "public.outbox 2 is tried again" in asked(connector, "retry", "2", "--table", "public.outbox")
    connector.config["walduct.outbox.tables"] = "public.outbox"
    db.execute("alter table outbox add xact xid8 not null default pg_current_xact_id()")
    connector.config["walduct.outbox.done"] = "position"
    assert "walduct.outbox.done=position: no row is marked, counted or parked" in asked(connector, "list", code=2)
    connector.config.update({"walduct.outbox.done": None, "walduct.outbox.source": "slot"})
    assert "the connector does not poll" in asked(connector, "list", code=2)


def test_rows_of_a_composite_key_and_of_a_due_time_that_is_not_null(databases, pg17, connectors):
    db = databases(pg17)
    table = TABLE.replace("id bigserial primary key", "id bigserial").replace(
        "next_try_at timestamptz", "next_try_at timestamptz not null default now(), \"Part\" text default 'a, \"b\"', primary key (id, \"Part\")")
    connector = parked(db, connectors, table=table)
    wait_until(lambda: opened(db) == [2, 3], 20, "the rest published")
    row, = rows(connector, "list")
    assert json.loads(row["row"]) == {"id": "2", "Part": 'a, "b"'}
    assert 'write a row as walduct outbox list has it: {"id":"…","Part":"…"}' in asked(connector, "retry", "2", code=2)
    assert "is none that public.outbox could have" in asked(connector, "retry", '{"id":2,"Part":null}', code=2)
    db.execute("update outbox set aggregate_type = 'Order' where id = 2")
    asked(connector, "retry", row["row"])
    wait_until(lambda: opened(db) == [], 20, "published")
    assert numbers(connector.events(), b"1") == [1, 2, 3]
    connector.stop()


def test_a_table_that_counts_no_attempts_says_what_it_lacks(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE.replace(", attempts int, last_error text, next_try_at timestamptz", ""))
    put(db, BAD, "1", 1)
    put(db, "Order", "1", 2)
    connector = connectors(db, polled(db), superuser=True, sink="file")
    assert connector.run_to_end() == 1
    assert "public.outbox: it has nowhere to count attempts" in asked(connector, "list")
    for act, more in (("retry", ["1"]), ("park", ["1"]), ("retry", ["--all"])):
        told = asked(connector, act, *more, code=2)
        assert "ALTER TABLE public.outbox ADD COLUMN attempts integer NOT NULL DEFAULT 0" in told
    asked(connector, "skip", "1", "--yes")
    connector.start().wait_streaming()
    wait_until(lambda: opened(db) == [], 20, "it goes on behind the row")
    connector.stop()
    assert numbers(connector.events(), b"1") == [2]


def test_of_several_tables_all_rows_are_tried_again_where_a_table_counts(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE.replace("table outbox", "table plain").replace(", attempts int, last_error text, next_try_at timestamptz", ""))
    connector = parked(db, connectors, **{"walduct.outbox.tables": "public.outbox,public.plain"})
    connector.wait_log(r"once mended: walduct outbox retry -f \S+connector.json -w \S+worker.properties 2 --table public.outbox")
    db.execute("update outbox set aggregate_type = 'Order' where id = 2")
    text = asked(connector, "retry", "--all")
    assert "public.outbox 2 is tried again" in text and "public.plain: it has nowhere to count attempts" in text
    wait_until(lambda: opened(db) == [], 20, "published")
    assert "it has nowhere to count attempts" in asked(connector, "retry", "--all", "--table", "public.plain", code=2)
    connector.stop()


def test_rows_that_a_status_says_have_failed(databases, pg17, connectors):
    db = databases(pg17)
    db.execute("create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,"
               " status text not null default 'NEW', created_at timestamptz default now(), published_at timestamptz)")
    for number in range(1, 5):
        put(db, "Order", "1", number)
    db.execute("update outbox set status = 'FAILED' where id in (1, 3)")
    connector = connectors(db, polled(db), superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: db.value("select count(*) from outbox where status = 'NEW'") == 0, 20, "the others published")
    assert [(row["row"], row["state"]) for row in rows(connector, "list")] == [("1", "parked"), ("3", "parked")]
    assert "later events of its key 1 are published already" in asked(connector, "retry", "1")
    wait_until(lambda: db.value("select status from outbox where id = 1") == "PUBLISHED", 20, "published")
    assert "marked as published, never published" in asked(connector, "skip", "3", "--yes")
    assert db.value("select status from outbox where id = 3") == "PUBLISHED"
    connector.stop()
    put(db, "Order", "1", 5)
    text = asked(connector, "park", "5", "--reason", "why")
    assert "later events of its key 1 pass it; the reason is noted nowhere: the table has no column last_error" in text
    assert db.value("select status from outbox where id = 5") == "FAILED"
    assert numbers(connector.events(), b"1") == [2, 4, 1]
