"""Outbox tables that are polled: rows that are claimed while others are published."""
import json

import pytest

from support.polling import numbers, polled
from support.receiver import Receiver
from support.wait import wait_until

REST = """aggregate_type text, aggregate_id text, event_type text, payload jsonb, created_at timestamptz not null default now(), published_at timestamptz"""
KEYS = {"alone": "id bigserial primary key", "composite": "id bigserial, day date not null default current_date, primary key (id, day)",
        "text": "id text primary key default 'it''s \"' || lpad(nextval('numbers')::text, 6, '0')"}


def put(db, first, last, keys=10):
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) select 'Order', (g %% %s)::text, 'Placed',"
               " jsonb_build_object('n', g) from generate_series(%s::int, %s::int) g", keys, first, last)


def unpublished(db):
    return db.value("select count(*) from outbox where published_at is null")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("size", [7, 40])
def test_each_row_comes_once_and_in_its_order(databases, pg17, connectors, key, size):
    db = databases(pg17)
    db.script(f"create sequence numbers; create table outbox ({KEYS[key]}, {REST})")
    put(db, 1, 400)
    connector = connectors(db, polled(db, **{"walduct.outbox.poll.batch.size": str(size)}), superuser=True, sink="file").start().wait_streaming()
    wait_until(lambda: unpublished(db) == 0, 20, "rows marked")
    connector.stop()
    events = connector.events()
    for number in range(10):
        assert numbers(events, str(number).encode()) == list(range(number or 10, 401, 10))
    assert len(events) == 400


def test_what_is_committed_late_comes_before_later_rows_of_its_key(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(f"create table outbox ({KEYS['alone']}, {REST})")
    receiver = Receiver(answers=["slow"])
    config = polled(db, **{"walduct.outbox.poll.batch.size": "4", "walduct.outbox.poll.interval.ms": "50", "sink.http.url": receiver.url})
    with db.transaction() as writer:
        writer.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', 'late', 'Placed', '{\"n\": 1001}')")
        put(db, 1, 30)
        connector = connectors(db, config, superuser=True, sink="http").start().wait_streaming()
        wait_until(lambda: receiver.requests, 20, "a batch is in flight")
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', 'late', 'Placed', '{\"n\": 1002}')")
    wait_until(lambda: unpublished(db) == 0, 30, "rows marked")
    connector.stop()
    sent = [json.loads(request["body"])["n"] for request in receiver.taken]
    receiver.close()
    assert [n for n in sent if n > 1000] == [1001, 1002]
    assert sorted(sent) == [*range(1, 31), 1001, 1002], "lost, or repeated"
