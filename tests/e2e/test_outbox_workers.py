"""Several workers beside one another (walduct.outbox.workers): of one process and of several, with the order of each key."""
import pytest

from support.polling import numbers, polled
from support.wait import wait_until

TABLE = """create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
           created_at timestamptz not null default now(), published_at timestamptz)"""
KEYS = 40


def put(db, first, last):
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) select 'Order', (g %% %s)::text, 'Placed',"
               " jsonb_build_object('n', g) from generate_series(%s::int, %s::int) g", KEYS, first, last)


def opened(db):
    return db.value("select count(*) from outbox where published_at is null")


def workers(db, number, **more):
    return polled(db, **{"walduct.outbox.workers": str(number), "walduct.outbox.poll.batch.size": "100", **more})


def sessions(db):
    return {row[0] for row in db.execute("select application_name from pg_stat_activity where application_name like '%% poll'")}


def check(events, last, repeats=0):
    for key in range(KEYS):
        seen = numbers(events, str(key).encode())
        assert list(dict.fromkeys(seen)) == [n for n in range(1, last + 1) if n % KEYS == key], f"key {key}"
    assert len(events) <= last + repeats


def test_workers_of_one_process_share_the_keys(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE)
    put(db, 1, 4000)
    connector = connectors(db, workers(db, 4), superuser=True).start().wait_streaming()
    wait_until(lambda: opened(db) == 0, 60, "all published")
    assert sessions(db) == {f"walduct connector{n} poll" for n in ("", "/2", "/3", "/4")}
    put(db, 4001, 5000)
    wait_until(lambda: opened(db) == 0, 60, "all published")
    connector.stop()
    check(connector.events(), 5000)


def test_processes_share_them_too_and_take_over(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(TABLE)
    one, two = (connectors(db, workers(db, 2), superuser=True, name=name) for name in ("one", "two"))
    one.start().wait_streaming()
    two.start()
    two.wait_log("another worker polls the outbox tables")
    put(db, 1, 2000)
    wait_until(lambda: opened(db) == 0, 60, "published by one")
    put(db, 2001, 6000)
    one.kill()
    two.wait_streaming(60)
    wait_until(lambda: opened(db) == 0, 60, "published by two")
    check(two.events(), 6000, repeats=2 * 200)
    two.stop()


@pytest.mark.parametrize("first, second", [(1, 2), (2, 1), (2, 3)])
def test_another_number_waits(databases, pg17, connectors, first, second):
    db = databases(pg17)
    db.execute(TABLE)
    one = connectors(db, workers(db, first), superuser=True, name="one").start().wait_streaming()
    two = connectors(db, workers(db, second), superuser=True, name="two").start()
    two.wait_log("another worker polls the outbox tables")
    put(db, 1, 400)
    wait_until(lambda: opened(db) == 0, 60, "published")
    assert not two.logged("streaming.*source=poll")
    one.stop()
    two.wait_streaming(60)
    put(db, 401, 800)
    wait_until(lambda: opened(db) == 0, 60, "published by the other")
    check(two.events(), 800)
    two.stop()


@pytest.mark.parametrize("more, says", [({"walduct.outbox.workers": "33"}, "more than 32"), ({"walduct.outbox.done": "position"}, "walduct.outbox.workers"),
                                        ({"walduct.outbox.workers": "0"}, "walduct.outbox.workers")])
def test_what_cannot_be_is_refused(databases, pg17, connectors, more, says):
    connector = connectors(databases(pg17), workers(databases(pg17), 2, **more), superuser=True, sink="file")
    ended = connector.call("validate")
    assert ended.returncode == 2 and says in ended.stdout + ended.stderr
