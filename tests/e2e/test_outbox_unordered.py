"""walduct.outbox.order=none: a row that waits, is parked or locked holds no other of its key back."""
import pytest

from test_outbox_parking import BAD, TABLE, opened, put
from test_outbox_workers import check, workers
from test_outbox_workers import TABLE as PLAIN
from test_outbox_workers import opened as left
from test_outbox_workers import put as put_many
from support.polling import numbers, polled
from support.wait import wait_until

NONE = {"walduct.outbox.order": "none"}
SOON = {"walduct.outbox.max.attempts": "3", "walduct.outbox.attempts.backoff.ms": "100"}


@pytest.mark.parametrize("due", [", next_try_at timestamptz", ""])
def test_a_failed_or_parked_row_holds_nobody_back(databases, pg17, connectors, due):
    db = databases(pg17)
    db.execute(TABLE.format(due=due))
    put(db, BAD, "1", 1)
    for number in range(2, 12):
        put(db, "Order", "1", number)
    connector = connectors(db, polled(db, **NONE, **{**SOON, "walduct.outbox.attempts.backoff.ms": "60000"}), superuser=True, sink="file")
    connector.start().wait_streaming()
    wait_until(lambda: opened(db) == [1], 20, "those behind the row that waits published")
    connector.stop()
    assert db.value("select attempts from outbox where id = 1") == 1 and sorted(numbers(connector.events(), b"1")) == list(range(2, 12))
    assert connector.logged("outbox table is polled.*order=none")
    db.execute("update outbox set attempts = 3 where id = 1")
    again = connectors(db, polled(db, **NONE, **SOON), superuser=True, sink="file", name="again").start().wait_streaming()
    put(db, "Order", "1", 12)
    wait_until(lambda: opened(db) == [1], 20, "those behind the parked row published")
    listed = again.call("outbox", "list", "--json")
    assert listed.returncode == 0 and '"key":"1"' in listed.stdout.replace(" ", ""), listed
    again.stop()


def test_a_locked_row_holds_nobody_back(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(PLAIN)
    put_many(db, 1, 1)
    put_many(db, 41, 41)
    with db.connect(autocommit=False) as application:
        application.execute("select from outbox where id = 1 for update")
        connector = connectors(db, polled(db, **NONE), superuser=True, sink="file").start().wait_streaming()
        wait_until(lambda: left(db) == 1, 20, "the one behind it published")
        assert numbers(connector.events(), b"1") == [41]
        application.rollback()
    wait_until(lambda: left(db) == 0, 20, "the row that was locked")
    connector.stop()


def test_workers_share_rows_and_not_keys(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(PLAIN)
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) select 'Order', '1', 'Placed', jsonb_build_object('n', g)"
               " from generate_series(1, 4000) g")
    connector = connectors(db, workers(db, 4, **NONE), superuser=True).start().wait_streaming()
    wait_until(lambda: left(db) == 0, 60, "all published")
    connector.stop()
    assert sorted(numbers(connector.events(), b"1")) == list(range(1, 4001))


def test_workers_with_an_order_wait_for_those_without(databases, pg17, connectors):
    """They share rows out by another hash: a row would be two workers', and another nobody's."""
    db = databases(pg17)
    db.execute(PLAIN)
    one = connectors(db, workers(db, 2, **NONE), superuser=True, name="one").start().wait_streaming()
    two = connectors(db, workers(db, 2), superuser=True, name="two").start()
    two.wait_log("another worker polls the outbox tables")
    one.stop()
    two.wait_streaming(60)
    put_many(db, 1, 400)
    wait_until(lambda: left(db) == 0, 60, "published by the other")
    assert not two.logged("outbox table is polled.*order=none")
    check(two.events(), 400)
    two.stop()


@pytest.mark.parametrize("more, says", [({"walduct.outbox.done": "position"}, "walduct.outbox.order"), ({"walduct.outbox.parked": "hold"}, "walduct.outbox.parked"),
                                        ({"walduct.outbox.order": "id"}, "key, none")])
def test_what_cannot_be_is_refused(databases, pg17, connectors, more, says):
    db = databases(pg17)
    ended = connectors(db, polled(db, **{**NONE, **more}), superuser=True, sink="file").call("validate")
    assert ended.returncode == 2 and says in ended.stdout + ended.stderr
