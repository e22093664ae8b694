"""Gaps of many changes of all types, lost in each way that a slot is lost in: what is published in the end is, byte by byte but for the times of
processing, what a connector has published that never lost its slot. Runs by name: scripts/test e2e -- tests/e2e/test_recover_many.py::NAME.
E2E_RECOVER_CHANGES: how many changes a gap has (20,000); E2E_RECOVER_SEED repeats one."""
import contextlib
import hashlib
import itertools
import os
import random
import re
import subprocess
import threading
import time
from datetime import datetime
from pathlib import Path

import psycopg
import pytest

from differential import column_types
from support.postgres import lsn
from support.restored import Restored
from support.wait import wait_until

CHANGES = int(os.environ.get("E2E_RECOVER_CHANGES", 20000))
SEED = int(os.environ.get("E2E_RECOVER_SEED", 7))
TABLES = 20
LEAST = 0.3  # of the rate of an ordinary backlog


class Many:
    """Twenty tables of all types that PostgreSQL brings itself, and what is done to them."""

    def __init__(self, db):
        self.db, self.random = db, random.Random(SEED)
        self.columns, self.next_id, self.altered = {}, dict.fromkeys(range(TABLES), 1), 0
        for statement in column_types.TYPE_SETUP:
            db.execute(statement)
        types = [*column_types.SCALARS, *column_types.OWN]
        for table in range(TABLES):
            made = [types[(table * len(types) // TABLES + i) % len(types)](self.random) for i in range(6)]
            self.columns[table] = {f"c{i}": column for i, column in enumerate(made)}
            body = ", ".join(["id int primary key", *(f"c{i} {column.sql}" for i, column in enumerate(made))])
            db.execute(f"create table many_{table} ({body})")
            if table % 3 == 0:
                db.execute(f"alter table many_{table} replica identity full")
        db.script("""create table parts (id int, at int, v text, primary key (id, at)) partition by range (at);
                     create table parts_1 partition of parts for values from (0) to (500);
                     create table parts_2 partition of parts for values from (500) to (1000);
                     create table outbox (id uuid primary key default gen_random_uuid(), aggregatetype text, aggregateid text, type text, payload text)""")

    def value(self, column):
        if self.random.random() < 0.1 and column.family not in ("domain_not_null",):
            return "null"
        if column.big is not None and self.random.random() < 0.02:
            big = column.big(self.random)
            return str(big) if type(big).__name__ == "Sql" else _quoted(big)
        return _quoted(column.value(self.random))

    def statement(self, session):
        """One of a random kind; how many changes it is."""
        table, kind = self.random.randrange(TABLES), self.random.random()
        columns = self.columns[table]
        if kind < 0.5:
            rows = self.random.choice((1, 3, 40))
            first = self.next_id[table]
            self.next_id[table] += rows
            values = ", ".join(self.value(column) for column in columns.values())
            session.execute(f"insert into many_{table} (id, {', '.join(columns)}) select i, {values} from generate_series({first}, {first + rows - 1}) i", prepare=False)
            return rows
        if kind < 0.75:
            name = self.random.choice(list(columns))
            first = self.random.randrange(1, self.next_id[table] + 1)
            done = session.execute(f"update many_{table} set {name} = {self.value(columns[name])} where id between {first} and {first + 20}", prepare=False)
            return done.rowcount
        if kind < 0.85:
            first = self.random.randrange(1, self.next_id[table] + 1)
            return session.execute(f"delete from many_{table} where id between {first} and {first + 4}").rowcount
        if kind < 0.9:
            at = self.random.randrange(0, 1000)
            done = session.execute("insert into parts values (%s, %s, 'part') on conflict (id, at) do update set v = 'again'", (self.random.randrange(100), at))
            moved = session.execute("update parts set at = (at + 500) %% 1000 where id = %s and not exists (select 1 from parts p where p.id = %s and p.at = (parts.at + 500) %% 1000)",
                                    (self.random.randrange(100), self.random.randrange(100)))
            return done.rowcount + moved.rowcount
        if kind < 0.95:
            session.execute("insert into outbox (aggregatetype, aggregateid, type, payload) values ('order', '1', 'made', '{}')")
            return 1
        if kind < 0.97:
            session.execute("select pg_logical_emit_message(%s, 'walduct', 'a message')", (self.random.random() < 0.7,))
            return 0
        if kind < 0.98:
            session.execute(f"truncate many_{table}")
            return 1
        self.altered += 1
        session.execute(f"alter table many_{table} add a{self.altered} int default {self.altered}")
        return 0

    def work(self, changes):
        done = 0
        while done < changes:
            with self.db.connect(autocommit=False) as session:
                session.execute("select 1")  # so that what follows are subtransactions
                for _ in range(self.random.choice((1, 1, 3, 10, 100))):
                    # Random ranges may end before they begin: a subtransaction that fails.
                    with contextlib.suppress(psycopg.DataError, psycopg.IntegrityError), session.transaction():
                        done += self.statement(session)
                if self.random.random() < 0.1:
                    session.rollback()
                else:
                    session.commit()

    def large_transaction(self, rows):
        """It is sent while it runs, and larger than what is kept in memory; it alters what it writes to."""
        with self.db.connect(autocommit=False) as session:
            session.execute("create table large (id int primary key, v text)")
            session.execute("insert into large select i, repeat(md5(i::text), 4) from generate_series(1, %s::int) i", (rows,))
            session.execute("alter table large add more int default 3")
            session.execute("update large set more = 4 where id % 10 = 0")
            session.execute("savepoint s")
            session.execute("insert into large select -i, 'rolled back' from generate_series(1, 1000) i")
            session.execute("rollback to savepoint s")
            session.commit()


def _quoted(text):
    return "'" + text.replace("'", "''") + "'" if not isinstance(text, column_types.Sql) else str(text)


def by_drop(scene):
    scene.lost.stop()
    scene.db.drop_slot(scene.lost.slot)


def by_size(scene):
    """WAL beyond max_slot_wal_keep_size; the other connector is kept up to date."""
    scene.lost.stop()
    scene.primary.query("alter system set max_slot_wal_keep_size = '32MB'")
    scene.primary.query("select pg_reload_conf()")
    for row in range(1000, 1005):
        scene.db.execute("insert into slow values (%s, 'to fill a segment')", row)
        scene.primary.query("select pg_log_standby_snapshot()")
        scene.primary.query("select pg_switch_wal()")
        end = scene.db.value("select pg_current_wal_lsn()::text")
        wait_until(lambda: lsn(scene.db.slot(scene.control.slot)["confirmed_flush_lsn"]) >= lsn(end), 20, "the other slot has come so far")  # noqa: B023

    def lost():
        scene.primary.query("checkpoint")
        return scene.db.slot(scene.lost.slot)["wal_status"] == "lost"
    wait_until(lost, 20, "the slot is lost", interval_s=0.5)
    assert scene.db.slot(scene.control.slot)["wal_status"] != "lost"
    scene.primary.query("alter system reset max_slot_wal_keep_size")
    scene.primary.query("select pg_reload_conf()")


def by_idling(scene):
    """idle_replication_slot_timeout, of 18; its unit was minutes once."""
    scene.lost.stop()
    scene.primary.query("alter system set idle_replication_slot_timeout = '1s'")
    scene.primary.query("select pg_reload_conf()")
    time.sleep(1.5)  # the setting's own unit

    def lost():
        scene.primary.query("checkpoint")
        return scene.db.slot(scene.lost.slot)["wal_status"] == "lost"
    wait_until(lost, 90, "the slot is lost", interval_s=1)
    scene.primary.query("alter system reset idle_replication_slot_timeout")
    scene.primary.query("select pg_reload_conf()")


TIMES = re.compile(r'\\"ts_[mun]s\\":\d+')
SEQUENCE = re.compile(r'\\"sequence\\":.*?\]\\"')


def digest(connector):
    """Of its file of records, but for the times of processing, `source.sequence` and headers (the run's id); how many there are."""
    whole, count = hashlib.sha256(), 0
    for count, line in enumerate(lines_of(connector), 1):  # noqa: B007
        whole.update(line.encode(errors="surrogateescape"))
    return whole.hexdigest(), count


def lines_of(connector):
    with open(connector.dir / "records.jsonl", errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            head, op, tail = line.rpartition('\\"op\\":')
            yield SEQUENCE.sub("", head) + op + TIMES.sub("", tail.partition('"headers":')[0])


def difference(scene):
    """The first that are not the same."""
    both = enumerate(itertools.zip_longest(lines_of(scene.control), lines_of(scene.lost)), 1)
    return next(((number, *pair) for number, pair in both if pair[0] != pair[1]), None)


def last_line(connector):
    with open(connector.dir / "records.jsonl", "rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
        return file.read()


CASES = [(16, by_drop), (17, by_size), (18, by_idling), (18, by_drop)]


@pytest.mark.timeout(900 + CHANGES // 100)
@pytest.mark.parametrize(("version", "loses"), CASES, ids=lambda it: getattr(it, "__name__", it))
def test_a_gap_of_many_changes(version, loses, scenes):
    scene = scenes(version, shared={"publication.autocreate.mode": "all_tables"})
    many = Many(scene.db)
    many.work(500)
    scene.work_on()
    with scene.db.connect(autocommit=False) as over_both, scene.db.connect(autocommit=False) as over_the_loss:
        if loses is not by_size:  # it would hold the other slot back, too
            over_both.execute("insert into slow values (1, 'open at the position, the loss and the new slot')")
        loses(scene)
        over_the_loss.execute("insert into slow values (2, 'open in the gap')")
        many.work(CHANGES // 2)
        many.large_transaction(CHANGES)
        over_the_loss.commit()
        many.work(CHANGES // 2)
        over_both.commit()
    scene.hold()
    many.work(200)
    scene.backup.wait_archived()
    scene.restore(logical_decoding_work_mem="64kB")  # transactions are sent while they run
    begun = time.monotonic()
    scene.recover()
    scene.restored.start()
    assert scene.lost.wait_exit(60 + CHANGES // 200) == 0, scene.lost.log_text()
    took = time.monotonic() - begun
    scene.restored.stop()
    scene.lost.start().wait_streaming()
    scene.db.execute("insert into slow values (3, 'the last one')")
    for connector in (scene.control, scene.lost):
        wait_until(lambda: b"the last one" in last_line(connector), 60 + CHANGES // 200, "all is published", interval_s=0.5)  # noqa: B023
    wanted = digest(scene.control)
    assert digest(scene.lost) == wanted, difference(scene)
    print(f"{wanted[1]} records, {many.altered} ALTER TABLE, {took:.1f} s")


def seconds_between(connector, first, last):
    """By its log, of its newest run."""
    times = [re.search(rf"^(\S+) .*{words}", connector.log_text(), re.MULTILINE) for words in (first, last)]
    begin, end = (datetime.fromisoformat(found.group(1).replace("Z", "+00:00")) for found in times)
    return (end - begin).total_seconds()


class Usage:
    """The most memory (each page once) and disk that the restored server had, until the block ends."""

    def __init__(self, restored):
        self.restored, self.memory_mb, self.disk_mb, self._ends = restored, 0, 0, threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self):
        while not self._ends.wait(0.5):
            memory = 0
            for process in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError, StopIteration):
                    if (process / "cwd").readlink() == self.restored.data:
                        memory += next(int(line.split()[1]) for line in open(process / "smaps_rollup") if line.startswith("Pss:"))
            self.memory_mb = max(self.memory_mb, memory >> 10)
            disk = subprocess.run(["du", "-sm", self.restored.data], capture_output=True, text=True, check=False).stdout
            self.disk_mb = max(self.disk_mb, int(disk.split()[0]) if disk else 0)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()


def plain_replay(scene, end, timeout_s):
    """Seconds of a server of the same backup that replays all that is there, without gate and slot."""
    restored = Restored(scene.backup, "none", fetch=None)
    restored.configure({"restore_command": f'cp {scene.backup.archive}/%f "%p"'})
    restored.start()
    try:
        begun = time.monotonic()
        wait_until(lambda: lsn(restored.query("select pg_last_wal_replay_lsn()::text")[0][0]) >= end, timeout_s, "all is replayed", interval_s=0.1)
        return time.monotonic() - begun
    finally:
        restored.stop("immediate")
        restored.forget()


@pytest.mark.timeout(900 + CHANGES // 100)
def test_how_fast_a_gap_is(scenes):
    """Beside the backlog of an ordinary slot, and plain replay: the same rows, the same machine, one after the other. E2E_RECOVER_ROW_BYTES (100)."""
    rows, row_bytes = 10 * CHANGES, int(os.environ.get("E2E_RECOVER_ROW_BYTES", 100))
    scene = scenes(17)
    scene.control.stop()
    by_drop(scene)
    begin = lsn(scene.db.value("select pg_current_wal_lsn()::text"))
    with scene.db.connect() as session:
        for first in range(0, rows, 1000):
            session.execute(f"insert into many select i, repeat('x', {row_bytes}) from generate_series({first}, {first + 999}) i")
    end = lsn(scene.db.value("select pg_current_wal_lsn()::text"))
    scene.hold()
    scene.backup.wait_archived()
    replay = plain_replay(scene, end, 60 + rows // 1000)
    assert scene.control.run_to_end("--until-caught-up", timeout_s=60 + rows // 1000) == 0
    ordinary = seconds_between(scene.control, "streaming slot=", "goal reached")
    scene.restore()
    with Usage(scene.restored) as usage:
        scene.recover()
        scene.restored.start()
        assert scene.lost.wait_exit(60 + rows // 1000) == 0, scene.lost.log_text()
    gap = seconds_between(scene.lost, "streaming slot=", "goal reached")
    print(f"{rows} rows, {(end - begin) >> 20} MB of WAL: a backlog {rows / ordinary:,.0f} rows/s, a gap {rows / gap:,.0f} rows/s: {ordinary / gap:.2f}; "
          f"{ordinary:.1f} s, {gap:.1f} s, plain replay {replay:.1f} s; the restored server's memory {usage.memory_mb} MB, disk {usage.disk_mb} MB")
    assert digest(scene.lost) == digest(scene.control)
    assert ordinary / gap >= LEAST
