"""Gaps of many changes of all types, lost in each way that a slot is lost in: what is published in the end is, byte by byte but for the times of
processing, what a connector has published that never lost its slot. Runs by name: scripts/test e2e -- tests/e2e/test_recover_many.py::NAME.
E2E_RECOVER_CHANGES: how many changes a gap has (20,000); E2E_RECOVER_SEED repeats one."""
import contextlib
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.cluster import Standby
from support.many import ALL_OF_IT, Many, ReadTopics, Small, difference, digest, digest_of_file, last_line, lines_of, seconds_between
from support.postgres import lsn
from support.restored import Restored
from support.servers import free_ports
from support.wait import wait_until

CHANGES = int(os.environ.get("E2E_RECOVER_CHANGES", 20000))
SEED = int(os.environ.get("E2E_RECOVER_SEED", 7))
PATIENCE_S = 60 + CHANGES // 200
WORK_MEM = os.environ.get("E2E_RECOVER_WORK_MEM", f"{max(64, CHANGES // 50)}kB")  # beyond it transactions are sent while they run
LEAST = 0.3  # of the rate of an ordinary backlog


def streams(tmp_path):
    """Large transactions come to the first connector while they run, to the others at their end."""
    (tmp_path / "spill").mkdir()
    return {"walduct.transaction.streaming": "true", "walduct.transaction.spill.directory": str(tmp_path / "spill")}


class Gap:
    """What is done while nothing streams, and the transactions that are open over its ends."""

    def __init__(self, scene, stack, ways):
        self.scene, self.stack, self.many, self.lost = scene, stack, Many(scene.db, SEED), [scene.lost, *scene.others]
        self.small = Small(scene.db)
        self.standby = with_standby(scene, stack) if by_failover in ways else None
        self.many.work(500)
        self.at_position = self._open(1, "open at the position")
        scene.work_on()
        self.at_loss = None

    def _open(self, row, v):
        session = self.scene.db.connect(autocommit=False)
        self.stack.callback(session.close)
        session.execute("insert into slow values (%s, %s)", (row, v))
        return session

    def loses_now(self):
        self.at_loss = self._open(2, "open at the loss")

    def first_half(self):
        """One large transaction beside many small ones."""
        with ThreadPoolExecutor(1) as beside:
            large = beside.submit(self.many.large_transaction, CHANGES)
            self.many.work(CHANGES // 2)
            large.result()

    def second_half(self):
        self.small.work(self._wait_published)
        self.many.work(CHANGES // 2)

    def _wait_published(self, text):
        wait_until(lambda: text.encode() in last_line(self.scene.control), PATIENCE_S, f"published: {text}", interval_s=0.05)


def by_drop(gap, lost):
    lost.stop()
    gap.scene.db.drop_slot(lost.slot)


def wait_lost(gap, lost, timeout_s):
    db = gap.scene.db

    def is_lost():
        gap.scene.primary.query("checkpoint")
        return db.slot(lost.slot)["wal_status"] == "lost"
    wait_until(is_lost, timeout_s, "the slot is lost", interval_s=0.5)
    assert db.slot(gap.scene.control.slot)["wal_status"] != "lost"


def by_size(gap, lost):
    """WAL beyond max_slot_wal_keep_size; the others are kept up to date, and no transaction holds them back for long."""
    scene = gap.scene
    lost.stop()
    gap.at_position.commit()
    scene.primary.query("alter system set max_slot_wal_keep_size = '32MB'")
    scene.primary.query("select pg_reload_conf()")
    for row in range(1000, 1005):
        scene.db.execute("insert into slow values (%s, 'to fill a segment')", row)
        scene.primary.query("select pg_log_standby_snapshot()")
        scene.primary.query("select pg_switch_wal()")
        end = lsn(scene.db.value("select pg_current_wal_lsn()::text"))
        followers = [it.slot for it in (scene.control, *gap.lost) if it.running()]
        wait_until(lambda: all(lsn(scene.db.slot(it)["confirmed_flush_lsn"]) >= end for it in followers), 20, "the other slots have come so far")  # noqa: B023
    gap.loses_now()
    wait_lost(gap, lost, 20)
    scene.primary.query("alter system reset max_slot_wal_keep_size")
    scene.primary.query("select pg_reload_conf()")


def by_idling(gap, lost):
    """idle_replication_slot_timeout, of 18; its unit was minutes once."""
    lost.stop()
    gap.scene.primary.query("alter system set idle_replication_slot_timeout = '1s'")
    gap.scene.primary.query("select pg_reload_conf()")
    time.sleep(1.5)  # the setting's own unit
    wait_lost(gap, lost, 90)
    gap.scene.primary.query("alter system reset idle_replication_slot_timeout")
    gap.scene.primary.query("select pg_reload_conf()")


def by_failover(gap, lost):
    """To a standby that has the other slot and not this one. What is open then is undone."""
    scene, standby = gap.scene, gap.standby
    lost.stop()
    gap.first_half()
    gap.at_position.commit()
    gap.loses_now()
    scene.db.execute("insert into slow values (4, 'behind it the server is gone')")
    wait_until(lambda: b"the server is gone" in last_line(scene.control), PATIENCE_S, "the other has all", interval_s=0.5)
    scene.control.stop()
    scene.backup.wait_archived(PATIENCE_S)
    standby.wait_replayed()
    standby.sync_slots()
    scene.servers.do("kill-postgres")
    scene.db.close_session()
    standby.promote()
    scene.db.server = scene.primary = scene.backup.primary = standby.postgres
    for connector in (scene.control, lost):
        connector.config["database.port"] = str(standby.postgres.port)
    scene.control.start().wait_streaming(PATIENCE_S)


def with_standby(scene, stack):
    """That has the other connector's slot."""
    standby = Standby(scene.servers, free_ports(1)[0])
    stack.callback(goes_back, scene, scene.db.server, standby)
    standby.sync_slots()
    return standby


def goes_back(scene, server, standby):
    """What follows the test looks at its database there."""
    for connector in (scene.control, scene.lost):
        connector.close()
    scene.db.close_session()
    scene.db.server = server
    standby.stop("immediate")
    scene.servers.do("start-postgres")


def lose(scene, ways, stack):
    """Each connector in its own way, and the gaps are made one."""
    gap = Gap(scene, stack, ways)
    for way, lost in zip(ways, gap.lost, strict=True):
        if way is by_drop and gap.at_loss is None:
            gap.loses_now()
        way(gap, lost)
    if by_failover not in ways:
        gap.first_half()
        gap.at_loss.commit()
    gap.second_half()
    if by_failover not in ways:
        gap.at_position.commit()
    return gap


def recover(scene):
    """How long it takes."""
    scene.restore(logical_decoding_work_mem=WORK_MEM)
    begun = time.monotonic()
    scene.recover()
    scene.restored.start()
    assert scene.lost.wait_exit(PATIENCE_S) == 0, scene.lost.log_text()
    took = time.monotonic() - begun
    scene.restored.stop()
    scene.restored.forget()
    scene.restored = None
    scene.lost.start().wait_streaming()
    return took


def recover_all(scene, gap):
    """Seconds of each."""
    for scene.lost in gap.lost:
        scene.hold()
    scene.backup.wait_archived(PATIENCE_S)
    took = []
    for scene.lost in gap.lost:
        took.append(recover(scene))
    scene.db.execute("insert into slow values (3, 'the last one')")
    wait_until(lambda: b"the last one" in last_line(scene.control), PATIENCE_S, "all is published", interval_s=0.5)
    return took


def outcome_of_file(scene, lost):
    """How many records there are, which are equal."""
    wait_until(lambda: b"the last one" in last_line(lost), PATIENCE_S, "all is published", interval_s=0.5)
    wanted = digest(lines_of(scene.control))
    assert digest(lines_of(lost)) == wanted, difference(lines_of(scene.control), lines_of(lost))
    return wanted[1]


def outcome_of_topics(scene, lost):
    reader = ReadTopics(lost)

    def all_read():
        reader.read(PATIENCE_S)
        return reader.has_ended
    wait_until(all_read, PATIENCE_S, "all is published", interval_s=0.5)
    reader.close()
    wanted = digest_of_file(scene.control)
    assert reader.digest.all() == wanted
    return sum(count for _, count in wanted.values())


CASES = {"18": (18, by_size, by_idling, by_drop), "18-failover": (18, by_failover), "17": (17, by_size, by_drop), "17-failover": (17, by_failover),
         "16": (16, by_size, by_drop)}


@pytest.mark.timeout(900 + CHANGES // 100)
@pytest.mark.parametrize("case", CASES)
def test_a_gap_of_many_changes(case, scenes, tmp_path):
    """As many connectors as there are ways, of one gap."""
    version, *ways = CASES[case]
    fails_over = {"slot.failover": "true"} if by_failover in ways else {}
    scene = scenes(version, shared={**ALL_OF_IT, **fails_over}, others=len(ways) - 1, **streams(tmp_path), **dict.fromkeys(fails_over, "false"))
    with contextlib.ExitStack() as stack:
        gap = lose(scene, ways, stack)
        took = recover_all(scene, gap)
        records = [outcome_of_file(scene, lost) for lost in gap.lost]
    print(f"{case}: {records} records, {gap.many.altered} ALTER TABLE, {took} s")


@pytest.mark.timeout(900 + CHANGES // 100)
def test_a_gap_of_many_changes_exactly_once(scenes, tmp_path):
    """Into Kafka."""
    worker = {"offset.storage.file.filename": None, "offset.storage.topic": "offsets-recover-many"}
    scene = scenes(18, shared=ALL_OF_IT, sink="kafka", worker=worker, **streams(tmp_path), **{"exactly.once.support": "required"})
    with contextlib.ExitStack() as stack:
        gap = lose(scene, [by_drop], stack)
        took = recover_all(scene, gap)
        records = outcome_of_topics(scene, scene.lost)
    print(f"{records} records, {gap.many.altered} ALTER TABLE, {took} s")


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
    """Beside the backlog of an ordinary slot, and plain replay: the same rows, the same machine, one after the other. E2E_RECOVER_ROW_BYTES (100);
    E2E_RECOVER_DISCARD=1: the records are not kept and not compared, and the table is emptied now and then, so that 10 GB of WAL take 25 GB of disk."""
    rows, row_bytes, discards = 10 * CHANGES, int(os.environ.get("E2E_RECOVER_ROW_BYTES", 100)), "E2E_RECOVER_DISCARD" in os.environ
    scene = scenes(17)
    if discards:
        scene.control.config["sink.file.path"] = scene.lost.config["sink.file.path"] = "/dev/null"
    # Stands still, and holds its slot: one that nobody reads is taken for that of a misspelt name.
    scene.primary.query("alter system set wal_sender_timeout = 0")
    scene.primary.query("select pg_reload_conf()")
    scene.control.process.send_signal(signal.SIGSTOP)
    scene.lose()
    begin = lsn(scene.db.value("select pg_current_wal_lsn()::text"))
    with scene.db.connect() as session:
        for first in range(0, rows, 1000):
            session.execute(f"insert into many select i, repeat('x', {row_bytes}) from generate_series({first}, {first + 999}) i")
            if discards and first % 100000 == 99000:
                session.execute("truncate many")
    end = lsn(scene.db.value("select pg_current_wal_lsn()::text"))
    scene.hold()
    scene.control.kill()
    scene.backup.wait_archived(60 + rows // 1000)
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
    assert discards or digest(lines_of(scene.lost)) == digest(lines_of(scene.control))
    assert ordinary / gap >= LEAST
