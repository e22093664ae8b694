"""Tables that are rewritten between the snapshot's view and their turn: the view shows them empty, and not a row is lost all the same."""
import contextlib
import json

import pytest

from support.cluster import Standby
from support.servers import free_ports
from support.wait import wait_until

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


@pytest.mark.parametrize("root", ["true", "false"], ids=["root", "leaves"])
def test_rows_of_partitions(root, db, connectors):
    """Read through their root, or each as a table of its own."""
    db.script(f"""{TABLES}; create table parts (id int primary key, n int) partition by range (id);
                  create table parts_low partition of parts for values from (0) to (1000);
                  create table parts_high partition of parts for values from (1000) to (100000);
                  insert into parts select i, i from generate_series(1, {ROWS}) i""")
    tables = ["parts"] if root == "true" else ["parts_low", "parts_high"]
    connector = connectors(db, {**HELD, "table.include.list": "public.early,public.early_2," + ",".join(f"public.{one}" for one in tables),
                                "publish.via.partition.root": root, "snapshot.max.threads": "2"}, sink="file")
    with view_before(db, connector):
        db.execute("alter table parts alter column n type bigint")
    connector.wait_streaming()
    assert sorted(id for table in tables for id in ids(connector.events(), table)) == list(range(1, ROWS + 1))
    connector.stop()


def test_rewritten_again_and_again(db, connectors):
    """Said each time, and read in the end; what is done to its rows meanwhile comes behind them."""
    db.script(TABLES)
    connector = connectors(db, HELD, sink="file")
    with db.connect(autocommit=True) as holder:
        holder.execute("select pg_advisory_lock(4711)")
        connector.start()
        for attempt in range(1, 4):
            wait_until(lambda: connector.log_text().count("snapshot started") == attempt, 30, f"attempt {attempt} has its view")
            db.execute(f"alter table late alter column n type {('int', 'bigint')[attempt % 2]} using n; update late set n = {attempt} where id = 1")
            holder.execute("select pg_advisory_unlock(4711)")
            wait_until(lambda: connector.log_text().count("reason=table_rewritten") == attempt, 30, f"attempt {attempt} says so")
            holder.execute("select pg_advisory_lock(4711)")
        holder.execute("select pg_advisory_unlock(4711)")
    connector.wait_streaming(60)
    events = connector.wait_events(lambda events: [e.after["n"] for e in events if e.table == "late" and e.id == 1 and e.op == "u"] == [1, 2, 3])
    assert ids(events, "late") == list(range(1, ROWS + 1))
    connector.stop()


def test_a_blocking_snapshot(db, connectors):
    db.script(TABLES + "; create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals"}, sink="file").start().wait_streaming()
    data = {"type": "blocking", "data-collections": ["public.early", "public.late"],
            "additional-conditions": [{"data-collection": "public.early", "filter": HELD["snapshot.select.statement.overrides.public.early"]}]}
    with db.connect(autocommit=True) as holder:
        holder.execute("select pg_advisory_lock(4711)")
        db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", json.dumps(data))
        wait_until(lambda: db.sessions("query like 'COPY %%' and wait_event = 'advisory'"), 20, "the view is taken")
        db.execute("alter table late alter column n type bigint")
        holder.execute("select pg_advisory_unlock(4711)")
    connector.wait_log("reason=table_rewritten")
    connector.wait_log("blocking snapshot completed", 30)
    connector.wait_events(lambda events: ids(events, "late") == list(range(1, ROWS + 1)), 20)
    connector.stop()


def test_rows_of_a_standby(private_servers, databases, connectors):
    servers = private_servers(postgres=17)
    db = databases(servers.postgres)
    db.script(TABLES)
    standby = Standby(servers, free_ports(1)[0])
    standby.wait_replayed()
    there = standby.postgres.database()
    there.name = db.name
    connector = connectors(db, {**HELD, "walduct.snapshot.standby.hostname": standby.postgres.host,
                                "walduct.snapshot.standby.port": standby.postgres.port}, sink="file")
    with view_before(there, connector):
        db.execute("alter table late alter column n type bigint")
        standby.wait_replayed()
    connector.wait_log("reason=table_rewritten")
    connector.wait_streaming(60)
    assert ids(connector.events(), "late") == list(range(1, ROWS + 1))
    connector.stop()
    standby.stop("immediate")
