"""Tables that come and go anywhere in the database while walduct starts, reads its snapshot or reconnects: what vanishes
between two looks at the catalog ends nothing, and a lock on a table that is not captured holds nothing up."""
import contextlib
import threading

import pytest

from support.connector import SNAPSHOT_COMPLETED
from support.wait import wait_until

STARTS = 15
TABLE = "create table items (id int primary key, v text)"


class Churn:
    """Sessions that create, fill and drop tables without a pause until the `with` ends."""

    def __init__(self, database, sessions=3):
        self._database, self._ended, self._rounds = database, threading.Event(), 0
        self._threads = [threading.Thread(target=self._run, args=(n,)) for n in range(sessions)]

    def _run(self, number):
        with self._database.connect() as connection:
            while not self._ended.is_set():
                table = f"churn_{number}_{self._rounds}"
                connection.execute(f"create table {table} (id int primary key, v text default 'x')")
                connection.execute(f"insert into {table} values (1)")
                connection.execute(f"drop table {table}")
                self._rounds += 1

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        wait_until(lambda: self._rounds > 3, 10, "tables come and go")
        return self

    def __exit__(self, *_):
        self._ended.set()
        for thread in self._threads:
            thread.join()


def many_tables(db):
    db.script(TABLE)
    with db.connect() as connection:
        for n in range(300):
            connection.execute(f"create table t{n} (id int primary key)")


@pytest.mark.parametrize("captured", ["public.items", "public.*"], ids=["one", "all"])
@pytest.mark.parametrize("churns", [False, True], ids=["control", "churn"])
def test_starts_while_tables_are_dropped(churns, captured, databases, pg17, connectors):
    """FOR ALL TABLES and 300 tables, beside sessions that create and drop tables: every start streams."""
    db = databases(pg17)
    many_tables(db)
    connector = connectors(db, {"publication.autocreate.mode": "all_tables", "schema.include.list": None,
                                "table.include.list": captured, "errors.max.retries": "0"}, sink="file")
    starts = STARTS if churns else 2
    with Churn(db) if churns else contextlib.nullcontext():
        for start in range(starts):
            connector.start()
            connector.wait_streaming(60)
            db.execute("insert into items values (%s)", start)
            connector.kill()
            wait_until(lambda: not db.slot(connector.slot)["active"], 10, "the slot is free")
    connector.start()
    wanted = set(range(starts))
    connector.wait_events(lambda events: wanted <= {e.id for e in events if e.topic.endswith(".items")}, 120)


def test_SNP_33_snapshots_while_tables_are_dropped(db, connectors):
    """The snapshot of everything goes on without the tables that were dropped before their turn."""
    many_tables(db)
    db.execute("insert into items values (1)")
    connector = connectors(db, {"publication.autocreate.mode": "all_tables", "snapshot.mode": "always",
                                "snapshot.locking.mode": "shared", "errors.max.retries": "0"}, sink="file")
    with Churn(db):
        for _ in range(5):
            connector.start().wait_log(SNAPSHOT_COMPLETED, 60)
            connector.kill()
            wait_until(lambda: not db.slot(connector.slot)["active"], 10, "the slot is free")
    assert [e.id for e in connector.events() if e.op == "r" and e.topic.endswith(".items")] == [1] * 5


@pytest.mark.parametrize("locked", [False, True], ids=["control", "locked"])
def test_lock_on_an_uncaptured_table_holds_up_no_start(locked, databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLE + "; create table other (id int)")
    connector = connectors(db, {"publication.autocreate.mode": "all_tables", "schema.include.list": None,
                                "table.include.list": "public.items"}, sink="file")
    connector.start().wait_streaming()
    connector.stop()
    with db.transaction() as session:
        session.execute("lock table other in access exclusive mode" if locked else "select 1")
        connector.start().wait_streaming(10)
        db.execute("insert into items values (1)")
        assert [e.id for e in connector.wait_events(1, 10)] == [1]

