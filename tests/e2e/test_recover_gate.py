"""A lost slot's gap, decoded on a restored backup whose restore_command is `walduct recover gate`."""
import random
import re
import subprocess
from pathlib import Path

import pytest

from support.paths import WAL_RECORDS
from support.postgres import lsn
from support.restored import ARCHIVED, Backup, Restored
from support.wait import wait_until


# Whoever looks something up in a database may prune its catalogs, so all but the workload is done from another.
SHOP = "shop"


@pytest.fixture
def primary(private_servers):
    """make(version): a primary with a table and a slot that has come to where the backup has ended; both."""
    restored = []

    def make(version):
        servers = private_servers(postgres=version, pg_set=ARCHIVED)
        server = servers.postgres
        server.query(f"create database {SHOP}")
        server.query("create table items (id int primary key)", database=SHOP)
        server.query("select pg_create_logical_replication_slot('gap', 'test_decoding')", database=SHOP)
        backup = Backup(servers)
        insert(server, 1)
        server.query("select pg_log_standby_snapshot()")
        server.query("select count(*) from pg_logical_slot_get_changes('gap', null, null)", database=SHOP)
        return server, backup

    def restore(backup, **what):
        restored.append(Restored(backup, "gap", database=SHOP, **what))
        return restored[-1]
    make.restore = restore
    yield make
    for one in restored:
        one.stop("immediate")
        print(one.log()[-8000:])  # shown of a test that failed


def insert(server, *ids):
    with server.connect(SHOP) as session:
        for one in ids:
            session.execute("insert into items (id) values (%s)", (one,))


def lose(server):
    """From here on nothing keeps the catalogs' rows. Up to where the slot had come."""
    confirmed = server.query("select confirmed_flush_lsn::text from pg_replication_slots where slot_name = 'gap'")[0][0]
    server.query("select pg_log_standby_snapshot()")
    server.query("select pg_drop_replication_slot('gap')")
    return confirmed


def make_again(server):
    """The new slot; where it goes on."""
    made = server.query("select lsn::text from pg_create_logical_replication_slot('gap', 'test_decoding')", database=SHOP)
    return lsn(made[0][0])


def busy_window(server, first, count):
    """Sessions with temporary tables, the rows of which the next one prunes from the catalogs; a running-xacts record after each."""
    for one in range(first, first + count):
        with server.connect(SHOP) as session:
            session.execute("create temp table a (id int, n int)")
            session.execute("insert into items (id) values (%s)", (one,))
            pid = session.info.backend_pid
        # It drops its tables after the client has gone.
        wait_until(lambda: not server.query("select 1 from pg_stat_activity where pid = %s", pid), 10, "the session has ended")
        server.query("select pg_log_standby_snapshot()")
    server.query("vacuum pg_class", database=SHOP)
    server.query("vacuum pg_attribute", database=SHOP)


def pruned_at_once(server, first, count):
    """What deletes rows of catalogs and has them pruned before any running-xacts record."""
    for one in range(first, first + count):
        with server.connect(SHOP) as session:
            session.execute("create temp table a (id int, v text, w numeric)")
            session.execute(f"alter table items add c{one} int")
            session.execute(f"insert into items (id, c{one}) values (%s, 7)", (one,))
            session.execute("analyze items")
        server.query("select count(*) from pg_class", database=SHOP)
    server.query("vacuum full pg_class", database=SHOP)
    server.query("vacuum freeze", database=SHOP)
    insert(server, first + count)


def inserted(changes):
    return [int(found[1]) for found in (re.search(r"INSERT: id\[integer\]:(\d+)", change) for change in changes) if found]


@pytest.mark.parametrize("version", [16, 17, 18])
def test_cuts_keep_a_slot_that_whole_segments_kill(version, primary):
    server, backup = primary(version)
    insert(server, 2)
    server.query("alter table items add w int", database=SHOP)
    insert(server, 3)
    stored = lose(server)
    busy_window(server, 10, 10)
    end = make_again(server)
    insert(server, 100)
    server.query("select pg_log_standby_snapshot()")
    backup.wait_archived()
    whole = primary.restore(backup)
    whole.make_slot()
    whole.decode_to(end)
    assert whole.look()["lost"]
    whole.stop("immediate")
    whole.forget()
    cut = primary.restore(backup)
    cut.say(cut_from=stored)
    cut.make_slot()
    ids = inserted(cut.decode_to(end))
    assert not cut.look()["lost"]
    assert [one for one in ids if one != 100] == [2, 3, *range(10, 20)]


@pytest.mark.parametrize("version", [16, 17, 18])
def test_prunings_that_follow_at_once(version, primary):
    """Cuts alone do not keep the slot where no running-xacts record lies between; without their marks of catalogs prunings do."""
    server, backup = primary(version)
    insert(server, 2)
    stored = lose(server)
    pruned_at_once(server, 10, 6)
    end = make_again(server)
    server.query("select pg_log_standby_snapshot()")
    backup.wait_archived()
    cut = primary.restore(backup)
    cut.say(cut_from=stored)
    cut.make_slot()
    cut.decode_to(end)
    assert cut.look()["lost"]
    cut.stop("immediate")
    cut.forget()
    without = primary.restore(backup)
    without.say(cut_from=stored, clear_marks=True)
    without.make_slot()
    changes = without.decode_to(end)
    assert not without.look()["lost"]
    assert inserted(changes) == [2, *range(10, 17)]
    # Each with the columns that the table had then.
    assert [change.count("[integer]") for change in changes if "INSERT" in change] == [1, *range(2, 8), 7]


def test_a_session_that_decodes_goes_on_over_cuts(primary):
    """Over whole segments, each of which begins with the end of a record, and then over cuts: the walsender holds the segment open that
    it reads, so what comes behind a cut is in that very file."""
    server, backup = primary(17)
    for _ in range(60):
        server.query("select pg_logical_emit_message(false, 'x', repeat('y', 400000))", database=SHOP)
    loss = server.query("select pg_current_wal_lsn()::text")[0][0]
    lose(server)
    busy_window(server, 10, 2)
    end = make_again(server)
    backup.wait_archived()
    restored = primary.restore(backup)
    restored.say(cut_from=loss)
    restored.make_slot()
    with restored.receiving() as received:
        wait_until(lambda: restored.look()["confirmed"] >= end, 60, "the slot is at the new one's beginning")
        assert not restored.look()["lost"]
        assert inserted(received()) == [10, 11]
    assert "ERROR" not in restored.log()
    assert restored.log().count("starting logical decoding for slot") == 1


@pytest.mark.parametrize("version", [16, 17, 18])
def test_records_are_where_PostgreSQL_says(version, private_servers):
    """Records of all sizes, over pages and segments, and where the running-xacts records lie, compared with pg_walinspect."""
    servers = private_servers(postgres=version, pg_set={**ARCHIVED, "wal_keep_size": "1GB"})
    seed = random.SystemRandom().randrange(1 << 30)
    rng = random.Random(seed)
    with servers.postgres.connect() as session, servers.postgres.connect() as other:
        session.execute("create extension pg_walinspect")
        session.execute("create table t (id serial primary key, v text)")
        other.autocommit = False
        begin = session.execute("select pg_walfile_name(pg_switch_wal() + 16777216)").fetchone()[0]
        turn = 0
        while int(session.execute("select pg_walfile_name(pg_current_wal_lsn())").fetchone()[0], 16) < int(begin, 16) + 2:
            turn += 1
            size = rng.choice([1, 50, 2000, 8192, 20000, 300000, 3000000])
            session.execute("select pg_logical_emit_message(false, 'x', repeat('y', %s))", (rng.randrange(size + 1),))
            session.execute("select pg_log_standby_snapshot() from generate_series(1, %s)", (rng.randrange(40),))
            other.execute("insert into t (v) select repeat(md5(random()::text), 9) from generate_series(1, %s)", (rng.randrange(60),))
            if turn % 3 == 0:
                other.commit()
            session.execute("create table if not exists gone (v text); drop table gone; select count(*) from pg_class")
        session.execute("vacuum freeze")
        session.execute("vacuum full pg_class")
        other.commit()
        last = session.execute("select pg_walfile_name(pg_switch_wal())").fetchone()[0]
        wal = Path(servers.values["PG_DATA"]) / "pg_wal"
        names = sorted(path.name for path in wal.iterdir() if begin <= path.name <= last)
        assert len(names) > 2
        first_lsn = f"0/{int(begin[16:], 16) << 24:X}"
        end_lsn = f"0/{int(last[16:], 16) + 1 << 24:X}"
        records = session.execute("select start_lsn::text, end_lsn::text, record_type, coalesce(description, '') "
                                  "from pg_get_wal_records_info(%s, %s)",
                                  (first_lsn, end_lsn)).fetchall()
    printed = subprocess.run([WAL_RECORDS, *(wal / name for name in names)], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in printed.splitlines()]
    running = [(at, end, re.search(r"oldestRunningXid (\d+)", text)[1]) for at, end, kind, text in records if kind == "RUNNING_XACTS"]
    assert [tuple(line[1:]) for line in lines if line[0] == "running"] == running, seed
    assert len(running) > 20 and not [line for line in lines if line[0] == "stopped"], seed
    assert {line[1] for line in lines if line[0] == "left"} == {"0"}, seed
    if version > 16:  # which does not say it of all
        marked = [re.search(r"snapshotConflictHorizon: (?:0:)?(\d+)", text) for at, end, kind, text in records
                  if lsn(at) >> 24 == lsn(end) - 1 >> 24 and
                  ("isCatalogRel: T" in text or (kind == "VISIBLE" and int(re.search("flags: 0x(..)", text)[1], 16) & 4))]
        horizons = [int(one[1]) for one in marked if one and int(one[1])]
        assert [int(line[1]) for line in lines if line[0] == "pruning"] == horizons, seed
        assert len(horizons) > 10
    for name, line in zip(names, (line for line in lines if line[0] == "segment"), strict=True):
        number = int(name[16:], 16)
        at, end = [(at, end) for at, end, _, _ in records if lsn(end) <= number + 1 << 24 and lsn(end) > number << 24][-1]
        assert line[1:] == [str(version), at, end], seed


# What is done, and whether it changes what a catalog says of tables that were there; names are of the tables that are there by then.
STATEMENTS = [
    ("create table one (id serial primary key, v text)", False), ("create table two (id int primary key, v text) partition by range (id)", False),
    ("insert into one (v) select 'x' from generate_series(1, 100)", False), ("alter table one add c int default 3", True),
    ("alter table one rename c to d", True), ("alter table one alter d set default 4", True), ("alter table one alter d set not null", True),
    ("create unique index one_v on one (v, id)", True), ("alter table one replica identity using index one_pkey", True),
    ("create temp table gone (id serial primary key, v text)", False), ("insert into gone (v) values ('x')", False), ("drop table gone", False),
    ("create temp table gone on commit drop as select * from one", False), ("truncate one", False), ("analyze one", False),
    ("grant select on one to public", False), ("create table part partition of two for values from (1) to (9)", True), ("create type mood as enum ('a')", True),
    ("alter type mood add value 'b'", True), ("create domain short as text", True), ("alter domain short set not null", True), ("drop index one_v", True),
    ("begin; create table three (id int primary key); alter table one add e int; commit", True),
    ("begin; savepoint s; alter table one drop e; release s; commit", True), ("begin; alter table one add f int; rollback", False), ("drop table one", True)]


@pytest.mark.parametrize("version", [16, 17, 18])
def test_commits_that_change_tables(version, private_servers):
    """By what the server has written itself."""
    servers = private_servers(postgres=version, pg_set={**ARCHIVED, "wal_keep_size": "1GB"})
    spans = []
    with servers.postgres.connect() as session:
        begin = session.execute("select pg_walfile_name(pg_switch_wal() + 16777216)").fetchone()[0]
        database = session.execute("select oid::text from pg_database where datname = current_database()").fetchone()[0]
        session.execute("select pg_log_standby_snapshot()")
        for statement, alters in STATEMENTS:
            before = session.execute("select pg_current_wal_insert_lsn()::text").fetchone()[0]
            session.execute(statement)
            spans.append((statement, alters, lsn(before), lsn(session.execute("select pg_current_wal_insert_lsn()::text").fetchone()[0])))
        last = session.execute("select pg_walfile_name(pg_switch_wal())").fetchone()[0]
    wal = Path(servers.values["PG_DATA"]) / "pg_wal"
    names = sorted(path.name for path in wal.iterdir() if begin <= path.name <= last)
    printed = subprocess.run([WAL_RECORDS, *(wal / name for name in names)], capture_output=True, text=True, check=True).stdout
    ddl = [(lsn(line[1]), line[2], lsn(line[3])) for line in (line.split() for line in printed.splitlines()) if line[0] == "ddl"]
    seen = {statement: sum(first <= at < end for at, _, _ in ddl) for statement, _, first, end in spans}
    assert seen == {statement: int(alters) for statement, alters in STATEMENTS}
    assert {of for _, of, _ in ddl} == {database}
    # Rows were committed before the first ALTER TABLE, and none between that one and the next.
    rows = next(end for statement, _, _, end in spans if statement.startswith("insert into one"))
    assert [rows_to <= rows for _, _, rows_to in ddl[:4]] == [True] * 4
