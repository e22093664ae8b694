"""Tables that are rewritten between the snapshot's view and their turn: the view shows them empty, and not a row is lost all the same."""
import contextlib

import pytest

ROWS = 2000
TABLES = f"""
create table early (id int primary key); insert into early select generate_series(1, 5);
create table early_2 (id int primary key); insert into early_2 values (1);
create table late (id int primary key, n int); insert into late select i, i from generate_series(1, {ROWS}) i
"""
# The rows of the first tables come once the lock is given up; two sessions wait.
HELD = {"table.include.list": "public.early,public.early_2,public.late", "snapshot.select.statement.overrides": "public.early,public.early_2",
        **{f"snapshot.select.statement.overrides.public.{table}": f"select e.* from public.{table} e, (select pg_advisory_lock_shared(4711)) held"
           for table in ("early", "early_2")}}


@contextlib.contextmanager
def view_before(db, connector):
    """Within: the view is taken, and no row is read."""
    with db.connect(autocommit=True) as holder:
        holder.execute("select pg_advisory_lock(4711)")
        connector.start().wait_log("snapshot started")
        yield
        holder.execute("select pg_advisory_unlock(4711)")


def ids(events, table):
    return sorted({e.id for e in events if e.table == table and e.op == "r"})


@pytest.fixture(params=[15, 17])
def db(request, databases):
    return databases(request.getfixturevalue(f"pg{request.param}"))


@pytest.mark.parametrize("more", [{}, {"snapshot.max.threads": "2"}, {"walduct.snapshot.resume": "true"}], ids=["plain", "threads", "resume"])
@pytest.mark.parametrize("rewrite", ["alter column n type bigint", "add column w timestamptz default clock_timestamp()"], ids=["type", "default"])
def test_rows_of_a_rewritten_table(rewrite, more, db, connectors):
    db.script(TABLES)
    connector = connectors(db, {**HELD, **more}, sink="file")
    with view_before(db, connector):
        db.execute(f"alter table late {rewrite}")
    connector.wait_streaming()
    assert ids(connector.events(), "early") == list(range(1, 6))
    assert ids(connector.events(), "late") == list(range(1, ROWS + 1))
    connector.stop()
