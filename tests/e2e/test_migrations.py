"""A table's whole life in the migrations that people's tools write, while two writers go on: every row is in the topic, or the log says
of the table that rows are not. E2E_MIGRATION_S: how long the writers have it to themselves between two migrations."""
import os
import random
import re
import threading
import time

import psycopg
import pytest

from support.wait import wait_until

PAUSE_S = float(os.environ.get("E2E_MIGRATION_S", "0.5"))
SETUP = """
create type order_status as enum ('open', 'paid');
create table orders (id bigint primary key, status order_status not null default 'open', amount int not null, day date not null);
create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));
insert into orders select g, 'open', g, date '2026-01-01' + g % 28 from generate_series(1, 200) g"""

# Rails: ActiveRecord cannot drop a value of an enum; this is what its guides and strong_migrations write instead.
RAILS_ENUM = """
begin;
create type order_status_new as enum ('open', 'sent');
alter table orders alter column status drop default;
alter table orders alter column status type order_status_new
  using (case status::text when 'paid' then 'sent' else status::text end)::order_status_new;
alter table orders alter column status set default 'open';
drop type order_status;
alter type order_status_new rename to order_status;
commit"""

# Django: RunPython between AddField and RenameField, each migration its own transaction.
DJANGO_COLUMN = """
alter table orders add column amount_new bigint null;
update orders set amount_new = amount where id % 2 = 0;
update orders set amount_new = amount where amount_new is null;
begin; lock table orders in exclusive mode; update orders set amount_new = amount where amount_new is distinct from amount;
alter table orders alter column amount_new set not null; alter table orders drop column amount;
alter table orders rename column amount_new to amount; commit"""

# Flyway: the table rebuilt under another name, caught up under a lock, and swapped.
FLYWAY_SWAP = """
create table orders_rebuilt (like orders including all);
insert into orders_rebuilt select * from orders;
begin; lock table orders in exclusive mode;
insert into orders_rebuilt select * from orders on conflict (id) do update set status = excluded.status, amount = excluded.amount;
delete from orders_rebuilt r where not exists (select from orders o where o.id = r.id);
alter table orders rename to orders_before; alter table orders_rebuilt rename to orders; commit;
drop table orders_before"""

# pg_partman: the old table under another name, a partitioned one in its place, whose leaves get keys from a template; the rows are
# brought over in batches.
PARTMAN = """
begin; alter table orders rename to orders_nonpart;
create table orders (like orders_nonpart including defaults) partition by range (day);
create table orders_template (like orders_nonpart); alter table orders_template add primary key (id);
create table orders_p2026_01 (like orders including defaults); alter table orders_p2026_01 add primary key (id);
alter table orders attach partition orders_p2026_01 for values from ('2026-01-01') to ('2026-02-01');
create table orders_p2026_02 (like orders including defaults); alter table orders_p2026_02 add primary key (id);
alter table orders attach partition orders_p2026_02 for values from ('2026-02-01') to ('2026-03-01'); commit;
with moved as (delete from orders_nonpart where id % 2 = 0 returning *) insert into orders select * from moved;
with moved as (delete from orders_nonpart returning *) insert into orders select * from moved;
drop table orders_nonpart"""
# The next month's leaf, as its maintenance makes it.
PARTMAN_LEAF = """
begin; create table orders_p2026_03 (like orders including defaults); alter table orders_p2026_03 add primary key (id);
alter table orders attach partition orders_p2026_03 for values from ('2026-03-01') to ('2026-04-01'); commit"""
# pg_restore --clean, or a reset of a staging system.
RESET = "begin; lock table orders in exclusive mode; create table orders_kept as table orders; drop table orders; " + \
        "create table orders (like orders_kept including defaults); alter table orders add primary key (id); " + \
        "insert into orders select * from orders_kept; drop table orders_kept; commit"
MIGRATIONS = {"rails": RAILS_ENUM, "django": DJANGO_COLUMN, "flyway": FLYWAY_SWAP, "reset": RESET, "partman": PARTMAN,
              "leaf": PARTMAN_LEAF}


class Writer(threading.Thread):
    """Inserts rows, updates and deletes its own; what is refused while a migration is on its way is tried again, as applications do."""

    def __init__(self, db, number):
        super().__init__(daemon=True)
        self.db, self.next, self.choose, self.over, self.written = db, 100_000 * number, random.Random(number), threading.Event(), 0
        self.days = 56

    def run(self):
        session, mine = None, []
        while not self.over.is_set():
            try:
                if session is None:
                    session = self.db.connect(options="-c lock_timeout=5s")
                what = self.choose.random()
                if what < 0.6 or len(mine) < 5:
                    self.next += 1
                    session.execute("insert into orders (id, amount, day) values (%s, %s, date '2026-01-01' + %s)",
                                    (self.next, self.next, self.choose.randrange(self.days)))
                    mine.append(self.next)
                elif what < 0.9:
                    session.execute("update orders set amount = amount + 1 where id = %s", (self.choose.choice(mine),))
                else:
                    session.execute("delete from orders where id = %s", (mine.pop(self.choose.randrange(len(mine))),))
                self.written += 1
            except psycopg.Error:
                session = session.close() if session else None  # a prepared plan, a name that is gone for a moment
            self.over.wait(0.01)
        if session:
            session.close()

    def stop(self):
        self.over.set()
        self.join(30)
        assert not self.is_alive()


def go_on(writers):
    """Until each has written some more."""
    wanted = [w.written + 5 for w in writers]
    wait_until(lambda: all(w.written >= n for w, n in zip(writers, wanted)), 60, "the writers go on")
    time.sleep(PAUSE_S)  # it is their time, not ours


def topic_rows(connector):
    """What who reads the topic holds at its end."""
    rows = {}
    for event in connector.events():
        if event.table == "orders" and event.value is not None:
            if event.op == "d":
                rows.pop(event.id, None)
            else:
                rows[event.after["id"]] = event.after["amount"]
    return rows


def table_rows(db):
    return dict(db.execute("select id, amount from orders"))


def accounts(db, connector):
    """Rows that are missing in the topic, or other ones there; and those that are there and not in the table."""
    truth, seen = table_rows(db), topic_rows(connector)
    return {i for i, amount in truth.items() if seen.get(i) != amount}, set(seen) - set(truth)


FILTERED = {"publication.autocreate.mode": "filtered"}
READS = {**FILTERED, "walduct.snapshot.new.tables": "incremental", "read.only": "true"}
ALL_TABLES = {"publication.autocreate.mode": "all_tables"}
ANEW = r"created anew, or another one has taken its name: what was done to it before the publication named it is "
# After which migration of which way a line is due; after all others none is.
DUE = {
    "told": dict.fromkeys(("flyway", "reset", "partman"), ANEW + "not sent table=public.orders"),
    "read": dict.fromkeys(("flyway", "reset", "partman"), ANEW + "read beside the stream table=public.orders"),
    "all_tables": {"flyway": "has had another name, schema or parent: rows from before are not sent table=public.orders",
                   "reset": "created anew, and all of it is sent", "partman": "created anew, and all of it is sent"},
}
# What was told before is said again at each start, as one line of all tables.
TOLD_ANEW = "table was created anew|has had another name|table was not in the publication|new to the connector"
WAYS = {"told": FILTERED, "read": READS, "all_tables": ALL_TABLES}


@pytest.fixture
def at_work(db, connectors):
    """A connector that streams the table, and two writers."""
    writers = [Writer(db, n) for n in (1, 2)]

    def make(more):
        db.script(SETUP)
        connector = connectors(db, {"table.include.list": "public.orders", "schema.include.list": None,
                                    "publish.via.partition.root": "true", "message.key.columns": "public.orders:id", **more},
                               worker={"offset.flush.interval.ms": "50"})
        connector.start().wait_streaming()
        wait_until(lambda: len(topic_rows(connector)) == 200, 60, "the snapshot")
        wait_until(lambda: "walduct_tables" in (connector.offset() or {}), 30, "what is captured is stored")
        for writer in writers:
            writer.start()
        return connector, writers
    yield make
    for writer in writers:
        writer.over.set()


def finish(db, connector, writers, way):
    """The account. Rows of a gap that were deleted in it are gone for nobody: PostgreSQL sends no word of them."""
    for writer in writers:
        writer.stop()
    db.execute("insert into orders (id, amount, day) values (900001, 1, date '2026-01-05')")
    wait_until(lambda: 900001 in topic_rows(connector), 90, "the last row")
    if way != "told":
        wait_until(lambda: not accounts(db, connector)[0], 90, "each row is in the topic as it is in the table")
    missing, left_over = accounts(db, connector)
    assert (way == "told") == bool(missing), f"told of, and not sent: {sorted(missing)[:20]}"
    assert way != "all_tables" or not left_over, sorted(left_over)[:20]
    connector.stop()


@pytest.mark.parametrize("way", WAYS)
def test_a_tables_life_in_migrations_between_runs(way, db, at_work):
    """Each migration while nobody runs; the start behind it says what is missing, or reads it, and says nothing else."""
    connector, writers = at_work(WAYS[way])
    for name, migration in MIGRATIONS.items():
        connector.stop()
        db.script(migration)
        for writer in writers:
            writer.days = 84 if name == "leaf" else writer.days
        go_on(writers)
        connector.start().wait_streaming()
        due = DUE[way].get(name)
        if due:
            connector.wait_log(due)
        go_on(writers)
        assert due or not connector.logged(TOLD_ANEW), connector.log_text()[-2000:]
    finish(db, connector, writers, way)


@pytest.mark.parametrize("way", ["read", "told"])
def test_a_tables_life_in_migrations_while_it_runs(way, db, at_work):
    """Nobody stops it: the publication gets the tables by itself, and what was written to them before is read, or told."""
    connector, writers = at_work({**WAYS[way], "walduct.publication.follow": "true", "walduct.stall.warn.ms": "1000"})
    for number, (name, migration) in enumerate(MIGRATIONS.items()):
        due = DUE[way].get(name)
        said = len(re.findall(due, connector.log_text())) if due else 0
        db.script(migration)
        for writer in writers:
            writer.days = 84 if name == "leaf" else writer.days
        go_on(writers)
        if due:
            wait_until(lambda: len(re.findall(due, connector.log_text())) == said + 1, 60, f"{name} is told")
        probe = 800_000 + number
        db.execute("insert into orders (id, amount, day) values (%s, 1, date '2026-01-05')", probe)
        wait_until(lambda: probe in topic_rows(connector), 60, f"rows come again after {name}")
    assert len(re.findall("table was created anew, or", connector.log_text())) == 3, "once each"
    finish(db, connector, writers, way)
