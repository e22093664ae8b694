"""Outbox tables that are polled through a pooler in transaction mode: one publishes, another takes over, and nothing is lost."""
import pytest
from test_outbox_rows import BAD
from test_outbox_rows import TABLE as ATTEMPTS
from test_pooler import pools  # noqa: F401

from support.polling import numbers, polled
from support.postgres import PostgresServer
from support.wait import wait_until

TABLE = """create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
           created_at timestamptz not null default now(), published_at timestamptz)"""
KEYS = 10


def put(db, first, last):
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) select 'Order', (g %% %s)::text, 'Placed',"
               " jsonb_build_object('n', g) from generate_series(%s::int, %s::int) g", KEYS, first, last)


def opened(db):
    return db.value("select count(*) from outbox where published_at is null")


def locks(db):
    return db.value("select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = %s)", db.name)


def through(db, pool, **more):
    return polled(db, **{"walduct.outbox.poll.batch.size": "100", **pool.properties, **more})


def in_order(events, last):
    for key in range(KEYS):
        assert list(dict.fromkeys(numbers(events, str(key).encode()))) == [n for n in range(1, last + 1) if n % KEYS == key], f"key {key}"


def test_of_two_one_publishes_and_the_other_takes_over(databases, pg17, connectors, pools):  # noqa: F811
    """Through one pool, whose sessions both use: a lock of a session would be both's."""
    db = databases(pg17)
    db.execute(TABLE)
    db.script("create function wake() returns trigger language plpgsql as $$ begin perform pg_notify('walduct_outbox', ''); return null; end $$;"
              "create trigger wake after insert on outbox for each statement execute function wake()")
    pool = pools(pg17, "transaction")
    one, two = (connectors(db, through(db, pool, **{"walduct.outbox.poll.interval.ms": "200"}), superuser=True, name=name) for name in ("one", "two"))
    direct = connectors(db, polled(db), superuser=True, name="direct")
    one.start().wait_streaming()
    one.wait_log("a pooler hands each transaction to another session: it is not listened for NOTIFY")
    assert one.logged("wakes=interval")
    two.start()
    direct.start()
    for other in (two, direct):
        other.wait_log("another worker polls the outbox tables")
    put(db, 1, 1000)
    wait_until(lambda: opened(db) == 0, 30, "published by one")
    direct.terminate()
    put(db, 1001, 4000)
    one.kill()
    two.wait_streaming(60)
    wait_until(lambda: opened(db) == 0, 60, "published by the other")
    assert not two.logged("poll_taken_over")
    events = two.events()
    in_order(events, 4000)
    assert len(events) <= 4000 + 100, "more was repeated than was in flight"
    two.stop()
    wait_until(lambda: locks(db) == 0, 10, "no lock is left in the pool")


def test_the_session_of_the_lock_is_lost_and_workers_share_keys(databases, pg17, connectors, pools):  # noqa: F811
    db = databases(pg17)
    db.execute(TABLE)
    db.execute(f"alter database {db.name} set default_transaction_isolation = 'repeatable read'")
    pool = pools(pg17, "transaction")
    connector = connectors(db, through(db, pool, **{"walduct.outbox.workers": "2"}), superuser=True).start().wait_streaming()
    for turn in range(4):
        put(db, turn * 1000 + 1, turn * 1000 + 1000)
        db.execute("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and database ="
                   " (select oid from pg_database where datname = %s)", db.name)
        wait_until(lambda: opened(db) == 0, 90, "all published")
    # It holds no vacuum up while it waits.
    assert db.value("select count(*) from pg_stat_activity a join pg_locks l using (pid) where l.locktype = 'advisory' and a.datname = %s"
                    " and (a.backend_xmin is not null or a.backend_xid is not null)", db.name) == 0
    connector.stop()
    in_order(connector.events(), 4000)


def test_the_pooler_begins_anew(databases, pg17, connectors, pools):  # noqa: F811
    db = databases(pg17)
    db.execute(TABLE)
    pool = pools(pg17, "transaction")
    connector = connectors(db, through(db, pool), superuser=True).start().wait_streaming()
    put(db, 1, 500)
    wait_until(lambda: opened(db) == 0, 30, "published")
    pool.end()
    put(db, 501, 1000)
    pools(pg17, "transaction", listen_port=pool.port)
    wait_until(lambda: opened(db) == 0, 90, "the rest published")
    connector.stop()
    in_order(connector.events(), 1000)


def test_the_server_behind_the_pooler_is_away(private_servers, databases, connectors, pools):  # noqa: F811
    """PgBouncer tells of it by errors of its own, of sessions that are open and of new ones."""
    servers = private_servers(postgres=17)
    db = databases(servers.postgres)
    db.execute(TABLE)
    pool = pools(servers.postgres, "transaction", server_login_retry=1, query_wait_timeout=2)
    connector = connectors(db, through(db, pool), superuser=True).start().wait_streaming()
    put(db, 1, 500)
    wait_until(lambda: opened(db) == 0, 30, "published")
    for last in (1000, 1500):
        tried = connector.log_text().count("retrying:")
        servers.do("kill-postgres" if last == 1000 else "stop-postgres")
        db.close_session()
        wait_until(lambda: connector.log_text().count("retrying:") >= tried + 3, 60, "it tries")
        servers.do("start-postgres")
        put(db, last - 499, last)
        wait_until(lambda: opened(db) == 0, 60, "the rest published")
    connector.stop()
    in_order(connector.events(), 1500)


@pytest.mark.parametrize("done", ["mark", "delete", "position"])
def test_nothing_of_ours_is_left_in_the_pool(databases, pg17, connectors, pools, done):  # noqa: F811
    """A session that the next client gets has the server's settings, and rows are parked and retried through it."""
    db = databases(pg17)
    db.execute(ATTEMPTS.replace("attempts int,", "attempts int, xact xid8 not null default pg_current_xact_id(),"))
    put(db, 1, 300)
    bad = done != "position"
    if bad:
        db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values (%s, '3', 'Placed', '{\"n\": 301}')", BAD)
    pool = pools(pg17, "transaction")
    connector = connectors(db, through(db, pool, **{"walduct.outbox.done": done, "walduct.outbox.max.attempts": "1"}), superuser=True, sink="file")
    connector.start().wait_streaming()
    connector.wait_events(300)
    if bad:
        wait_until(lambda: opened(db) == 1 and db.value("select max(attempts) from outbox") == 1, 30, "one is parked")
        db.execute("update outbox set aggregate_type = 'Order' where aggregate_type = %s", BAD)
        told = connector.call("outbox", "retry", "301")
        assert told.returncode == 0 and "301 is tried again" in told.stdout, told
        wait_until(lambda: opened(db) == 0, 30, "published")
    names = ("tcp_keepalives_idle", "enable_sort", "search_path", "statement_timeout", "row_security", "idle_in_transaction_session_timeout")
    same = PostgresServer({"PG_HOST": pool.host, "PG_PORT": pool.port, "PG_USER": pg17.user, "PG_PASSWORD": pg17.password, "PG_VERSION": 17})
    found = []
    for server in (same, pg17):
        with server.connect(db.name) as session:
            found.append({name: session.execute(f"show {name}").fetchone()[0] for name in names})
    assert found[0] == found[1]
    connector.stop()
    assert sorted(n for key in range(KEYS) for n in numbers(connector.events(), str(key).encode())) == list(range(1, 302 if bad else 301))
