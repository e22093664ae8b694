"""A process that polls an outbox table and stood still, while another one took over: what it still has must not land behind newer events."""
import signal
import time

import pytest

from support.kafka import read_topics
from support.polling import numbers, polled
from support.wait import wait_until

TABLE = """create table outbox (id bigint generated always as identity primary key, aggregate_type text, aggregate_id text, event_type text,
           payload jsonb, created_at timestamptz not null default now(), published_at timestamptz)"""
KEYS = 20


def put(db, number):
    """One event for each key."""
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload)"
               " select 'Order', g::text, 'Placed', jsonb_build_object('n', %s::int) from generate_series(1, %s) g", number, KEYS)


def opened(db):
    return db.value("select count(*) from outbox where published_at is null")


def end_session_of(db, connector):
    """As the server ends it when the machine is gone."""
    ended = db.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = %s", f"walduct {connector.name} poll")
    assert len(ended) == 1


@pytest.mark.parametrize("how", ["paused", "control"])
def test_rows_that_were_read_while_kafka_was_away(how, private_servers, databases, connectors):
    """In the control it is killed instead of paused."""
    servers = private_servers(postgres=17, kafka=True)
    db = databases(servers.postgres)
    db.execute(TABLE)
    worker = {"bootstrap.servers": servers.bootstrap}
    a = connectors(db, polled(db), superuser=True, name="a", worker=worker).start().wait_streaming()
    b = connectors(db, polled(db), superuser=True, name="b", worker=worker)
    put(db, 1)
    wait_until(lambda: opened(db) == 0, 30, "the first events published")
    servers.do("stop-kafka")
    put(db, 2)
    time.sleep(2)  # read by A
    a.process.send_signal(signal.SIGSTOP if how == "paused" else signal.SIGKILL)
    if how == "paused":
        end_session_of(db, a)
    servers.do("start-kafka")
    b.start().wait_streaming(60)
    put(db, 3)
    wait_until(lambda: opened(db) == 0, 60, "all published by B")
    if how == "paused":
        a.process.send_signal(signal.SIGCONT)
        a.wait_log("another worker polls the outbox tables|connection", timeout_s=60)
    time.sleep(3)  # whatever is still to come
    events = read_topics(servers.bootstrap, db.name)
    for key in range(1, KEYS + 1):
        seen = numbers(events, str(key).encode())
        assert list(dict.fromkeys(seen)) == [1, 2, 3] and seen[-1] == 3, f"key {key}: {seen}"
    put(db, 4)
    wait_until(lambda: opened(db) == 0, 30, "B goes on")
    b.stop()
    if how == "paused":
        put(db, 5)
        wait_until(lambda: opened(db) == 0, 60, "A takes over again")
        a.stop()


def test_a_process_that_nobody_replaced_goes_on(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE)
    connector = connectors(db, polled(db), superuser=True).start().wait_streaming()
    put(db, 1)
    wait_until(lambda: opened(db) == 0, 30, "published")
    connector.process.send_signal(signal.SIGSTOP)
    put(db, 2)
    time.sleep(1)
    connector.process.send_signal(signal.SIGCONT)
    wait_until(lambda: opened(db) == 0, 10, "published after the standstill")
    assert len(connector.wait_events(2 * KEYS)) == 2 * KEYS
    connector.stop()
