"""Rows of polled outbox tables that cannot be published: tried again, parked, in nobody else's way."""
import json
import subprocess

import pytest

from support.http import Surface
from support.paths import BINARY
from support.polling import numbers, polled
from support.receiver import Receiver
from support.wait import wait_until

TABLE = """create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
           created_at timestamptz not null default now(), published_at timestamptz, attempts int, last_error text{due})"""
# A topic may not be called so.
BAD = "no topic!"


def put(db, kind, key, number):
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values (%s, %s, 'Placed', jsonb_build_object('n', %s::int))",
               kind, key, number)


def opened(db):
    return [row[0] for row in db.execute("select id from outbox where published_at is null order by id")]


@pytest.mark.parametrize("due", [", next_try_at timestamptz", ""])
def test_a_row_that_cannot_be_published_is_tried_parked_and_holds_its_key(databases, pg17, connectors, due):
    db = databases(pg17)
    db.execute(TABLE.format(due=due))
    put(db, "Order", "1", 1)
    put(db, BAD, "1", 2)
    put(db, "Order", "1", 3)
    for number in range(4, 24):
        put(db, "Order", "2", number)
    connector = connectors(db, polled(db, **{"walduct.outbox.max.attempts": "3", "walduct.outbox.attempts.backoff.ms": "100"}), superuser=True)
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    wait_until(lambda: opened(db) == [2, 3], 30, "all but the bad row and the one behind it published")
    wait_until(lambda: db.value("select attempts from outbox where id = 2") == 3, 30, "its attempts used up")
    connector.wait_log("row of an outbox table is parked")
    assert "transform_failed" in db.value("select last_error from outbox where id = 2")
    surface = Surface(connector)
    surface.wait_value(lambda n: n == 1, "walduct_outbox_parked")
    assert surface.value("walduct_outbox_unpublished") == 1 and surface.value("walduct_outbox_published_total") == 21
    assert surface.value("walduct_outbox_failed_attempts_total", reason="transform_failed") == 3
    connector.wait_log("rows of outbox tables are parked.*rows=1 hint=.*walduct outbox list")
    told = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, check=False)
    assert told.returncode == 7 and "1 row is not published" in told.stdout and "1 row is parked" in told.stdout, told
    assert "outbox_parked" in connector.call("doctor").stdout
    put(db, "Order", "2", 24)
    wait_until(lambda: opened(db) == [2, 3], 20, "others go on")
    assert db.value("select attempts from outbox where id = 2") == 3
    db.execute("update outbox set aggregate_type = 'Order', attempts = 0 where id = 2")
    wait_until(lambda: opened(db) == [], 20, "the mended row and those behind it published")
    assert numbers(connector.events(), b"1") == [1, 2, 3] and numbers(connector.events(), b"2") == list(range(4, 25))
    connector.stop()


@pytest.mark.parametrize("key", [", primary key (id)", ", primary key (id, event_type)"], ids=["alone", "composite"])
def test_rows_that_wait_in_memory_leave_the_claim_to_others(databases, pg17, connectors, key):
    """Without a column of when it is due, the bad row and those behind it are more than a batch."""
    db = databases(pg17)
    db.execute(TABLE.format(due=key).replace(" primary key,", ","))
    put(db, BAD, "1", 1)
    for number in range(2, 12):
        put(db, "Order", "1", number)
    for number in range(12, 22):
        put(db, "Order", "2", number)
    config = polled(db, **{"walduct.outbox.attempts.backoff.ms": "3000", "walduct.outbox.poll.batch.size": "5"})
    connector = connectors(db, config, superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: opened(db) == list(range(1, 12)), 20, "the other key published while the first one waits")
    assert numbers(connector.events(), b"1") == []
    db.execute("delete from outbox where id = 1")
    wait_until(lambda: opened(db) == [], 20, "those behind the row that is gone")
    connector.stop()
    assert numbers(connector.events(), b"1") == list(range(2, 12)) and numbers(connector.events(), b"2") == list(range(12, 22))


def test_parked_rows_can_be_let_pass(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE.format(due=""))
    put(db, BAD, "1", 1)
    put(db, "Order", "1", 2)
    connector = connectors(db, polled(db, **{"walduct.outbox.max.attempts": "2", "walduct.outbox.attempts.backoff.ms": "2000",
                                             "walduct.outbox.parked": "pass"}), superuser=True)
    connector.start().wait_streaming()
    connector.wait_log("it is tried again")
    assert opened(db) == [1, 2], "a row that waits for its next attempt holds its key"
    wait_until(lambda: opened(db) == [1], 20, "what is behind the parked row published")
    connector.stop()


def test_a_row_that_a_receiver_refuses_is_parked_and_those_behind_it_of_its_key_are_not_sent(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE.format(due=", next_try_at timestamptz"))
    for number in range(1, 101):
        put(db, "Order", str(number % 5), number)
    receiver = Receiver(judge=lambda number, request: 422 if json.loads(request["body"]) == {"n": 7} else 200)
    config = polled(db, **{"walduct.outbox.max.attempts": "2", "walduct.outbox.attempts.backoff.ms": "200", "sink.http.url": receiver.url,
                           "walduct.sink.http.refused.attempts": "1", "walduct.sink.http.max.in.flight": "4"})
    connector = connectors(db, config, superuser=True, sink="http").start().wait_streaming()
    wait_until(lambda: opened(db) == [n for n in range(7, 101) if n % 5 == 2], 60, "all but the key of the refused row published")
    wait_until(lambda: db.value("select attempts from outbox where id = 7") == 2, 30, "it is parked")
    db.execute("update outbox set payload = jsonb_build_object('n', 7, 'mended', true), attempts = 0, next_try_at = null where id = 7")
    wait_until(lambda: opened(db) == [], 30, "the rest published")
    connector.stop()
    sent = [json.loads(request["body"])["n"] for request in receiver.taken]
    receiver.close()
    for key in range(5):
        assert list(dict.fromkeys(n for n in sent if n % 5 == key)) == [n for n in range(1, 101) if n % 5 == key], "out of order"
    assert len(sent) <= 100 + 2 * 8, "more was repeated than was in flight"


@pytest.mark.parametrize("columns, note", [
    ("attempts int, last_error varchar(20)", lambda db: db.value("select max(last_error) from outbox where attempts = 2")),
    ("attempts int check (attempts < 1), last_error text", None)], ids=["short", "check"])
def test_an_attempt_that_cannot_be_noted_is_not_repeated_at_once(databases, pg17, connectors, columns, note):
    db = databases(pg17)
    db.execute(TABLE.format(due="").replace("attempts int, last_error text", columns))
    for number in range(1, 11):
        put(db, "Order", str(number), number)
    receiver = Receiver(judge=lambda number, request: 422 if json.loads(request["body"]) == {"n": 7} else 200)
    config = polled(db, **{"walduct.outbox.max.attempts": "2", "walduct.outbox.attempts.backoff.ms": "100", "sink.http.url": receiver.url,
                           "walduct.sink.http.refused.attempts": "1"})
    connector = connectors(db, config, superuser=True, sink="http").start()
    if note is None:  # as where nothing counts attempts
        assert connector.wait_exit(60) == 1
        assert connector.logged("could not be noted")
    else:
        wait_until(lambda: opened(db) == [7], 60, "all others published")
        wait_until(lambda: (note(db) or "").startswith("record_refused"), 30, "parked, with as much of the error as there is room for")
        wait_until(lambda: connector.log_text().count("streaming source=poll") == 3, 30, "it goes on after the second attempt")
        connector.stop()
    receiver.close()
    assert len(receiver.requests) < 40


@pytest.mark.parametrize("status", [401, 403, 404, 405])
def test_what_is_the_matter_of_a_receiver_counts_no_attempt(databases, pg17, connectors, status):
    db = databases(pg17)
    db.execute(TABLE.format(due=", next_try_at timestamptz"))
    put(db, "Order", "1", 1)
    receiver = Receiver(judge=lambda number, request: status)
    config = polled(db, **{"walduct.outbox.max.attempts": "1", "sink.http.url": receiver.url, "walduct.sink.http.refused.attempts": "1"})
    connector = connectors(db, config, superuser=True, sink="http").start()
    wait_until(lambda: receiver.requests, 30, "the row was sent")
    if status == 401:  # may pass
        wait_until(lambda: len(receiver.requests) > 1, 30, "and once more")
        connector.terminate()
    else:
        assert connector.wait_exit(30) == 1 and connector.logged("receiver_refuses")
    receiver.close()
    assert db.value("select coalesce(attempts, 0) from outbox") == 0 and opened(db) == [1]


def test_attempts_that_are_not_counted_although_the_statement_succeeds_stop_the_connector(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE.format(due=", next_try_at timestamptz") + """;
        create function keep() returns trigger language plpgsql as 'begin return null; end';
        create trigger keep before update on outbox for each row when (new.attempts is distinct from old.attempts) execute function keep()""")
    put(db, "Order", "1", 1)
    put(db, BAD, "2", 2)
    connector = connectors(db, polled(db), superuser=True, sink="file")
    assert connector.run_to_end() == 3
    assert connector.logged("outbox_not_marked") and opened(db) == [2]


def test_without_a_column_of_attempts_the_connector_stops_and_says_which(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE.format(due="").replace(", attempts int", ""))
    put(db, BAD, "1", 1)
    connector = connectors(db, polled(db), superuser=True, sink="file")
    assert connector.run_to_end() == 1
    assert connector.logged("ADD COLUMN attempts integer NOT NULL DEFAULT 0")


def test_a_role_that_may_not_count_attempts_is_told_at_the_start(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE.format(due=""))
    db.script(f"create role {db.name}_poller login password 'x'; grant select, update (published_at) on outbox to {db.name}_poller")
    connector = connectors(db, {**polled(db), "database.user": f"{db.name}_poller", "database.password": "x"}, sink="file")
    assert connector.run_to_end() == 3
    assert connector.logged("GRANT UPDATE ON")
    connector.config["walduct.outbox.max.attempts"] = "0"
    connector.start().wait_streaming()
    connector.stop()
    db.script(f"drop owned by {db.name}_poller; drop role {db.name}_poller")


@pytest.mark.parametrize("name, value", [("walduct.outbox.max.attempts", "-1"), ("walduct.outbox.attempts.backoff.ms", "0"),
                                         ("walduct.outbox.parked", "skip")])
def test_bad_values_are_refused(databases, pg17, connectors, name, value):
    connector = connectors(databases(pg17), polled(databases(pg17), **{name: value}), superuser=True, sink="file")
    ended = connector.call("validate")
    assert ended.returncode == 2 and name in ended.stdout + ended.stderr
