"""Housekeeping of outbox tables: old rows go, but none that Kafka has not acknowledged."""
import time

import pytest

from support.offsets import write_offset
from support.wait import wait_until

TABLE = "create table outbox (id int primary key, v text, created_at timestamptz not null default now())"
CLEANUP = {"walduct.outbox.tables": "public.outbox", "walduct.outbox.route": "false", "walduct.outbox.cleanup": "delete", "walduct.outbox.retention.ms": "0",
           "walduct.outbox.cleanup.interval.ms": "100"}


def rows(db):
    return db.value("select count(*) from outbox")


def test_old_rows_are_deleted_and_their_deletion_is_no_event(db, connectors):
    db.script(TABLE)
    connector = connectors(db, {**CLEANUP, "walduct.outbox.retention.ms": "3600000", "walduct.outbox.cleanup.batch.size": "7",
                                "tombstones.on.delete": "false", "skipped.operations": "t,d"}).start().wait_streaming()
    db.execute("insert into outbox select g, '', now() - interval '2 hours' from generate_series(1, 50) g")
    db.execute("insert into outbox values (51, '', now())")
    wait_until(lambda: rows(db) == 1, 30, "old rows deleted")
    assert [e.id for e in connector.events()] == list(range(1, 52))
    connector.wait_log(r"outbox rows deleted rows=\d+")
    assert connector.running() and not connector.logged("outbox housekeeping failed")
    connector.stop()


def test_nothing_is_deleted_while_kafka_is_away(private_servers, databases, connectors):
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, CLEANUP, worker={"bootstrap.servers": servers.bootstrap}).start().wait_streaming()
    db.execute("insert into outbox values (1, 'before')")
    wait_until(lambda: rows(db) == 0, 30, "the first row deleted")
    servers.do("stop-kafka")
    db.execute("insert into outbox select g from generate_series(2, 500) g")
    received = db.value("select pg_current_wal_lsn()")
    wait_until(lambda: db.value("select sent_lsn >= %s::pg_lsn from pg_stat_replication where application_name like '%% stream'", received),
               30, "the rows sent to walduct")
    deadline = time.monotonic() + 5  # fifty rounds
    while time.monotonic() < deadline:
        assert rows(db) == 499, "a row was deleted that Kafka does not have"
        time.sleep(0.05)
    servers.do("start-kafka")
    wait_until(lambda: rows(db) == 0, 90, "the rest deleted")
    assert sorted({e.id for e in connector.events() if e.op == "c"}) == list(range(1, 501))
    connector.stop()


def test_long_transactions_delay_but_lose_nothing(db, connectors):
    """Rows of transactions and subtransactions that commit late, among many that commit at once."""
    db.script(TABLE)
    connector = connectors(db, CLEANUP).start().wait_streaming()
    with db.transaction() as late:
        late.execute("select txid_current()")
        with late.transaction():  # a savepoint
            late.execute("insert into outbox values (1, 'late')")
        for i in range(2, 40):
            db.execute("insert into outbox values (%s)", i)
        wait_until(lambda: len(connector.events()) == 38, 30, "the others published")
        late.commit()
    wait_until(lambda: rows(db) == 0, 30, "all deleted")
    assert sorted(e.id for e in connector.events() if e.op == "c") == list(range(1, 40))
    connector.stop()


def test_partitions_are_dropped(db, connectors):
    db.script("""create table outbox (id int, created_at timestamptz not null, primary key (id, created_at)) partition by range (created_at);
                 create table old partition of outbox for values from ('2020-01-01') to ('2020-01-02');
                 create table rest partition of outbox default""")
    connector = connectors(db, {**CLEANUP, "walduct.outbox.cleanup": "drop_partitions", "walduct.outbox.retention.ms": "3600000",
                                "publish.via.partition.root": "true"})
    connector.start().wait_streaming()
    db.execute("insert into outbox values (1, '2020-01-01 12:00Z'), (2, now() + interval '1 day')")
    connector.wait_log("outbox partition dropped")
    assert rows(db) == 1
    assert [e.after["id"] for e in connector.wait_events(2) if e.op == "c"] == [1, 2]
    connector.stop()


def test_history_that_was_never_published_is_not_deleted(db, connectors):
    db.script(TABLE + "; insert into outbox values (1, 'from before the slot')")
    connector = connectors(db, {**CLEANUP, "snapshot.mode": "no_data"})
    assert connector.run_to_end() == 3
    assert connector.logged("holds rows older than the replication slot") and rows(db) == 1
    assert db.slot(connector.slot) is None
    connector.config["walduct.outbox.cleanup.history"] = "delete"
    connector.start().wait_streaming()
    wait_until(lambda: rows(db) == 0, 30, "deleted, as wished")
    connector.stop()


def test_history_that_the_snapshot_reads_is_deleted_afterwards(db, connectors):
    db.script(TABLE + "; insert into outbox select g from generate_series(1, 100) g")
    connector = connectors(db, CLEANUP).start().wait_streaming()
    wait_until(lambda: rows(db) == 0, 30, "deleted")
    assert [e.id for e in connector.events() if e.op == "r"] == list(range(1, 101))
    connector.stop()


def test_a_table_that_is_not_captured_is_refused(db, connectors):
    db.script(TABLE + "; create table orders (id int primary key)")
    connector = connectors(db, {**CLEANUP, "table.include.list": "public.orders"})
    assert connector.run_to_end() == 3
    assert connector.logged("outbox")


@pytest.mark.parametrize("command", ["run", "clean"])
def test_a_table_whose_rows_are_no_events_is_refused(db, connectors, command):
    """A pattern that matches too much: the orders would be deleted."""
    db.script("""create table outbox (id uuid primary key, aggregatetype text, aggregateid text, payload text, created_at timestamptz);
                 create table orders (id int primary key, created_at timestamptz); insert into orders values (1, '2020-01-01')""")
    connector = connectors(db, {"walduct.outbox.tables": "public[.].*", "walduct.outbox.cleanup": "delete", "errors.tolerance": "all"})
    done = connector.call("outbox", "clean") if command == "clean" else None
    assert (done.returncode if done else connector.run_to_end()) == 3
    assert "its rows cannot be turned into events" in (done.stderr if done else connector.log_text())
    assert db.value("select count(*) from orders") == 1


def test_housekeeping_that_fails_stops_nothing(db, connectors):
    """The publication loses the table while the connector runs: rows stay, other tables flow."""
    db.script(TABLE + "; create table orders (id int primary key)")
    connector = connectors(db, {**CLEANUP, "walduct.outbox.cleanup.interval.ms": "50"}).start().wait_streaming()
    db.execute(f'alter publication "{connector.publication}" drop table outbox')
    connector.wait_log("outbox housekeeping failed")
    db.script("insert into outbox values (1); insert into orders values (1)")
    connector.wait_events(lambda events: any(e.table == "orders" for e in events))
    assert rows(db) == 1 and connector.running()
    connector.stop()


def test_rows_from_while_the_table_was_not_published_stay(db, connectors):
    """Taken out of the publication and put back while the connector runs: what came in between is no event."""
    db.script(TABLE)
    connector = connectors(db, CLEANUP).start().wait_streaming()
    db.execute(f'alter publication "{connector.publication}" drop table outbox')
    db.execute("insert into outbox values (1, 'unseen')")
    db.execute(f'alter publication "{connector.publication}" add table outbox')
    db.execute("insert into outbox values (2, 'seen')")
    connector.wait_events(lambda events: [e.id for e in events if e.op == "c"] == [2])
    connector.wait_log("before it was attached or published")
    wait_until(lambda: db.value("select string_agg(id::text, ',') from outbox") == "1", 30, "the published row deleted")
    connector.stop()


# --- walduct outbox clean ---

def test_clean_command_waits_for_the_connector(db, connectors):
    db.script(TABLE)
    connector = connectors(db, {**CLEANUP, "walduct.outbox.cleanup": "none"}).start().wait_streaming()
    db.execute("insert into outbox select g from generate_series(1, 20) g")
    counted = connector.call("outbox", "clean", "--dry-run")
    assert (counted.returncode, rows(db)) == (0, 20) and "would remove 20 rows" in counted.stdout, counted.stderr
    cleaned = connector.call("outbox", "clean")
    assert (cleaned.returncode, rows(db)) == (0, 0) and "removed 20 rows" in cleaned.stdout, cleaned.stderr
    db.execute("insert into outbox values (21)")
    connector.wait_events(lambda events: any(e.id == 21 for e in events))
    connector.stop()
    db.execute("insert into outbox values (22)")
    late = connector.call("outbox", "clean", "--wait", "1")
    assert (late.returncode, rows(db)) == (5, 2) and "nothing removed" in late.stderr, late.stderr


@pytest.mark.parametrize("missing", ["walduct.outbox.tables"])
def test_clean_command_needs_tables(db, connectors, missing):
    connector = connectors(db, {missing: None})
    assert connector.call("outbox", "clean").returncode == 2


@pytest.mark.parametrize("wrong, said", [({"skipped.operations": "c,t"}, "skipped.operations"), ({"slot.name": "another"}, "does not exist")])
def test_clean_command_removes_nothing_that_may_be_unpublished(db, connectors, wrong, said):
    db.script(TABLE)
    connector = connectors(db, {**CLEANUP, "walduct.outbox.cleanup": "none"}).start().wait_streaming()
    db.execute("insert into outbox values (1)")
    connector.wait_events(lambda events: any(e.id == 1 for e in events))
    connector.stop()
    connector.config.update(wrong)
    refused = connector.call("outbox", "clean", "--wait", "1")
    assert refused.returncode != 0 and said in refused.stderr and rows(db) == 1, refused.stderr


@pytest.mark.parametrize("key, value, said", [("walduct_timeline", 7, "part of this server's history"), ("lsn_proc", 1 << 60, "part of this server's history"),
                                              ("walduct_system_id", "1", "another server")])
def test_clean_command_believes_no_position_of_another_history(key, value, said, db, connectors):
    db.script(TABLE)
    connector = connectors(db, {**CLEANUP, "walduct.outbox.cleanup": "none"}).start().wait_streaming()
    db.execute("insert into outbox values (1)")
    connector.wait_events(lambda events: any(e.id == 1 for e in events))
    connector.stop()
    stored = connector.offset()
    assert key in stored, stored
    changed = {**stored, key: value}
    if key == "lsn_proc":  # all of its parts
        changed = {name: value if name.startswith("lsn") else old for name, old in changed.items()}
    write_offset(connector.offset_file, connector.name, connector.prefix, changed)
    refused = connector.call("outbox", "clean", "--wait", "1")
    assert refused.returncode not in (0, 5) and said in refused.stderr and rows(db) == 1, refused.stderr
