"""What a stored position of polled outbox tables may hold, and who may store it (walduct.outbox.done=position)."""
import json
import time

import pytest

from test_outbox_position import INSERT, TABLE, positioned, put
from support.polling import numbers
from support.receiver import Receiver
from support.wait import wait_until


def test_numbers_that_a_crash_gives_again_are_not_behind_the_position(private_servers, databases, connectors):
    """With synchronous_commit=off rows are seen whose WAL is not flushed: a crash takes them, and what comes then has their numbers."""
    servers = private_servers(postgres=17)
    db = databases(servers.postgres)
    db.script(TABLE)
    db.script("alter system set wal_writer_delay = '10s'; alter system set autovacuum = off; select pg_reload_conf()")
    connector = connectors(db, positioned(db, **{"walduct.outbox.poll.interval.ms": "20"}), superuser=True, sink="file").start().wait_streaming()
    put(db, "k", 1)
    connector.wait_events(1)
    with db.connect() as session:
        session.execute("set synchronous_commit = off")
        for _ in range(20):  # numbers of transactions that leave no row
            session.execute("begin; select pg_current_xact_id(); rollback")
        session.execute(INSERT, ("k", 2))
        begun = time.monotonic()
        wait_until(lambda: len(connector.events()) > 1 or time.monotonic() > begun + 2, 20, "the row published, or left alone for two seconds")
    servers.do("kill-postgres")
    servers.do("start-postgres")
    with db.connect() as session:  # the test's own session went with the server
        for number in range(3, 13):
            session.execute(INSERT, ("k", number))
        session.commit()
        left = [row[0] for row in session.execute("select (payload ->> 'n')::int from outbox order by id").fetchall()]
    wait_until(lambda: set(range(3, 13)) <= set(numbers(connector.events(), b"k")), 60, "what was committed after the crash")
    connector.stop()
    assert list(dict.fromkeys(numbers(connector.events(), b"k"))) == left, "what was published is in the table, and the other way round"


def test_a_session_that_is_gone_stores_no_position(databases, pg17, connectors):
    """Another worker may have the tables by then."""
    db = databases(pg17)
    db.script(TABLE)
    receiver = Receiver(judge=lambda number, request: 503 if json.loads(request["body"])["n"] == 5 else 200)
    connector = connectors(db, positioned(db, **{"sink.http.url": receiver.url, "walduct.sink.http.max.in.flight": "1"}), superuser=True, sink="http")
    connector.start().wait_streaming()
    put(db, "k", 1)
    wait_until(lambda: "last" not in connector.offset()["walduct_outbox"] and len(receiver.taken) == 1, 20, "the first row published")
    wait_until(lambda: json.loads(connector.offset()["walduct_outbox"]) != {}, 20, "its position stored")
    with db.transaction() as other:
        for number in range(2, 9):
            other.execute(INSERT, ("k", number))
        other.commit()
    wait_until(lambda: any(json.loads(request["body"])["n"] == 5 for request in receiver.requests), 20, "some of a batch acknowledged")
    before = connector.offset()
    ended = db.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = %s",
                       f"walduct {connector.name} poll")
    assert len(ended) == 1
    wait_until(lambda: len([r for r in receiver.taken if json.loads(r["body"])["n"] == 2]) == 2, 60, "the next session publishes the batch from its beginning")
    assert connector.offset() == before
    receiver.judge = lambda number, request: 200
    wait_until(lambda: any(json.loads(request["body"])["n"] == 8 for request in receiver.taken), 60, "the rest")
    connector.stop()
    receiver.close()
    assert list(dict.fromkeys(json.loads(request["body"])["n"] for request in receiver.taken)) == list(range(1, 9))


@pytest.mark.parametrize("size", [2, 3])
def test_rows_that_share_an_id_are_published_together(databases, pg17, connectors, size):
    db = databases(pg17)
    db.script(TABLE + "; alter table outbox drop constraint outbox_pkey, add primary key (id, event_type)")
    with db.transaction() as other:
        for number in range(1, 31):
            other.execute("insert into outbox (id, aggregate_type, aggregate_id, event_type, payload) overriding system value"
                          " values (%s, 'Order', 'k', %s, jsonb_build_object('n', %s::int))", (number // 3, f"t{number:02}", number))
        other.commit()
    connector = connectors(db, positioned(db, **{"walduct.outbox.poll.batch.size": str(size)}), superuser=True, sink="file").start().wait_streaming()
    assert sorted(numbers(connector.wait_events(30), b"k")) == list(range(1, 31))
    connector.stop()


def test_a_row_that_stops_the_connector_is_not_behind_the_one_that_has_its_id(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE + "; alter table outbox drop constraint outbox_pkey, add primary key (id, event_type)")
    db.execute("insert into outbox (id, aggregate_type, aggregate_id, event_type, payload) overriding system value select g / 3,"
               " case g when 5 then 'no topic!' else 'Order' end, 'k', 't' || g, jsonb_build_object('n', g) from generate_series(1, 8) g")
    connector = connectors(db, positioned(db), superuser=True, sink="file")
    assert connector.run_to_end() == 1
    assert numbers(connector.events(), b"k") == [1, 2, 3, 4]
    db.execute("update outbox set aggregate_type = 'Order' where event_type = 't5'")
    connector.start().wait_streaming()
    wait_until(lambda: 8 in numbers(connector.events(), b"k"), 20, "the rest")
    connector.stop()
    assert numbers(connector.events(), b"k") == [1, 2, 3, 4, 3, 4, 5, 6, 7, 8]


def test_a_table_that_is_added_begins_where_the_documents_say(databases, pg17, connectors):
    db = databases(pg17)
    for mode, expected in (("no_data", [2]), ("initial", [1, 2])):
        db.script(TABLE + f"; alter table outbox rename to outbox_{mode}")
        db.script(TABLE.replace("outbox", f"late_{mode}"))
        config = positioned(db, **{"snapshot.mode": mode, "walduct.outbox.tables": f"public.outbox_{mode}"})
        connector = connectors(db, config, superuser=True, sink="file", name=mode).start().wait_streaming()
        connector.stop()
        db.execute(INSERT.replace("outbox", f"late_{mode}"), "k", 1)
        connector.config["walduct.outbox.tables"] = f"public.outbox_{mode},public.late_{mode}"
        connector.start().wait_streaming()
        connector.kill()
        db.execute(INSERT.replace("outbox", f"late_{mode}"), "k", 2)
        connector.start().wait_streaming()
        connector.wait_events(len(expected))
        connector.stop()
        assert list(dict.fromkeys(numbers(connector.events(), b"k"))) == expected, mode


def test_a_stop_amid_a_statement_tells_the_position(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE)
    put(db, "k", 1)
    connector = connectors(db, positioned(db, **{"walduct.outbox.where": "(select true from pg_sleep(60))"}), superuser=True, sink="file")
    connector.start().wait_streaming()
    asks = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
    wait_until(lambda: db.execute(asks), 20, "a look that takes a minute")
    connector.stop()
    assert connector.logged("position of the outbox table")
