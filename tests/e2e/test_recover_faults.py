"""What goes wrong while the gap of a lost slot is streamed from a restored backup: each is said, with since when and what to type; nothing
wrong is published, and the position stands. Most run by name: scripts/test e2e -- tests/e2e/test_recover_faults.py::NAME."""
import contextlib
import subprocess
import time

import pytest

from support.kafka import written
from support.recovery import gap, refused
from support.restored import ARCHIVED, Backup, Restored
from support.wait import wait_until


def waits(scene, reason, words):
    scene.lost.wait_log(f"reason={reason} .*since=.*costs=.*hint=.*{words}")


def test_what_a_recovery_waits_for_is_said(scenes):
    """A slow archive, a gate that dies and its server with it, a segment that is missing, and then is there. Runs by name."""
    scene = scenes(17, **{"walduct.stall.warn.ms": "1000"})
    scene.lose()
    position = scene.lost.offset()["lsn"]
    gap(scene.db)
    scene.hold()
    scene.backup.wait_archived()
    restored = scene.restore()
    command = f'{restored.state}/walduct recover gate --state {restored.state} --file %f --path "%p" -- "[ ! -e {restored.state}/die ] || kill -9 $$; sleep 3; cp {scene.backup.archive}/%%f %%p"'
    restored.configure({"restore_command": command})
    last = sorted(path.name for path in scene.backup.archive.iterdir())[-1]
    (scene.backup.archive / last).rename(scene.backup.archive.parent / last)
    scene.recover()
    waits(scene, "recover_gate_silent", "restored server")
    restored.start(waits=False)
    waits(scene, "recover_archive_slow", "ahead|hangs")
    waits(scene, "recover_archive_waits", "pg_switch_wal.*--then read")
    # A gate that dies ends the server.
    (restored.state / "die").touch()
    waits(scene, "recover_server_away", "start it again")
    (restored.state / "die").unlink()
    wait_until(lambda: not (restored.data / "postmaster.pid").exists(), 20, "the restored server has ended")
    assert scene.lost.running() and scene.lost.offset()["lsn"] >= position
    (scene.backup.archive.parent / last).rename(scene.backup.archive / last)
    restored.start(waits=False)
    assert scene.lost.wait_exit(120) == 0, scene.lost.log_text()
    restored.stop()
    scene.lost.start().wait_streaming()
    scene.wait_same()


def test_another_clusters_backup(scenes, private_servers):
    """It is seen by the gate, before that server takes sessions. Runs by name."""
    scene = scenes(17)
    scene.lose()
    position, records = scene.lost.offset()["lsn"], scene.records(scene.lost)
    gap(scene.db)
    scene.hold()
    scene.backup.wait_archived()
    other = Backup(private_servers(postgres=17, pg_set={**ARCHIVED, "work_mem": "5MB"}))
    scene.restored = Restored(other, scene.lost.slot, plugin="pgoutput", database=scene.db.name)
    scene.recover()
    scene.restored.start(waits=False)
    refused(scene, "recover_wrong_server")
    assert scene.lost.offset()["lsn"] == position and scene.records(scene.lost) == records


def test_then_the_tables_are_read(scenes):
    """A segment that is missing for good. Runs by name."""
    scene = scenes(17, sink="kafka", **{"walduct.stall.warn.ms": "1000"})
    scene.lose()
    scene.db.execute("insert into items values (70, 'before the hole')")
    scene.db.execute("select pg_switch_wal()")
    scene.db.execute("delete from items where id = 1")
    scene.db.execute("insert into items values (80, 'in the hole')")
    scene.hold()
    scene.backup.wait_archived()
    last = sorted(path.name for path in scene.backup.archive.iterdir())[-1]
    (scene.backup.archive / last).unlink()
    scene.restore()
    scene.lost.start("--from", f"{scene.restored.postgres.host}:{scene.restored.postgres.port}", "--state", scene.restored.state, "--then", "read",
                     command="recover run")
    scene.restored.start()
    assert scene.lost.wait_exit(90) == 0, scene.lost.log_text()
    assert scene.lost.logged(f"reason=recover_archive_hole|{last}") and scene.lost.logged("the tables are read"), scene.lost.log_text()
    told = [(e.op, e.id) for e in scene.lost.events() if e.table == "items" and e.op]
    assert ("d", 1) in told and ("r", 80) in told, told
    assert told.count(("c", 70)) == 1 and ("r", 70) not in told, told
    assert "published" in scene.lost.out.read_text()


@pytest.fixture
def small_disk(request):
    """Makes a folder a disk of so many MB of its own; root alone can."""
    def make(folder, megabytes):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            pytest.skip(f"a small disk is a tmpfs, which root mounts: {mounted.stderr}")
        request.addfinalizer(lambda: subprocess.run(["umount", "-l", folder], check=True))
    return make


def test_a_full_disk_and_a_replay_that_stands(scenes, small_disk):
    """Of the restored server: its disk has no room for a segment; a query holds replay up; somebody has paused it. Runs by name."""
    scene = scenes(17, **{"walduct.stall.warn.ms": "1000"})
    scene.lose()
    for first in range(1000, 5000, 1000):
        gap(scene.db, first)
        scene.db.execute("select pg_switch_wal()")
    scene.hold()
    scene.backup.wait_archived()
    restored = scene.restore(max_standby_archive_delay=-1, min_wal_size="32MB", max_wal_size="32MB")
    wal = restored.data / "pg_wal"
    small_disk(wal, 160)
    restored.own(wal)
    ballast = wal / "ballast"
    ballast.write_bytes(b"x" * (146 << 20))
    # The gap comes later.
    kept = [path for path in scene.backup.archive.iterdir() if path.name > scene.backup.segment_of(scene.lost.offset()["lsn"])]
    aside = scene.backup.archive.parent / f"{scene.backup.archive.name}-aside"
    aside.mkdir()
    for path in kept:
        path.rename(aside / path.name)
    scene.recover()
    restored.start(waits=False)
    waits(scene, "recover_disk_full", "make room")
    ballast.unlink()
    waits(scene, "recover_archive_waits", "pg_switch_wal")
    assert scene.lost.logged("the recovery goes on waited_for=recover_disk_full"), scene.lost.log_text()
    with restored.postgres.connect(scene.db.name, autocommit=False) as reader:
        reader.execute("select count(*) from items")
        for path in kept:
            (aside / path.name).rename(path)
        waits(scene, "recover_replay_stands", "pg_stat_activity")
        with contextlib.suppress(Exception):
            reader.rollback()
        restored.query("select pg_wal_replay_pause()")
        waits(scene, "recover_replay_paused", "pg_wal_replay_resume")
        restored.query("select pg_wal_replay_resume()")
    assert scene.lost.wait_exit(120) == 0, scene.lost.log_text()
    restored.stop()
    scene.lost.start().wait_streaming()
    scene.wait_same()


def test_a_transaction_that_was_left_open_holds_nobody_up(scenes):
    """Kafka gives it up after ten minutes; the next recovery ends it at once. Runs by name."""
    topic = "offsets-recover-open"
    scene = scenes(18, sink="kafka", worker={"offset.storage.file.filename": None, "offset.storage.topic": topic},
                   **{"exactly.once.support": "required", "producer.override.transaction.timeout.ms": "600000"})
    scene.lose()
    scene.db.execute("insert into many select i, repeat('x', 200) from generate_series(1, 100000) i")
    scene.hold()
    scene.backup.wait_archived()
    scene.restore()
    scene.recover()
    scene.restored.start()
    many = f"{scene.lost.prefix}.public.many"
    wait_until(lambda: written(scene.lost.worker["bootstrap.servers"], many) > 500, 60, "records of the open transaction", interval_s=0.002)
    scene.lost.kill()
    assert not any(e.table == "many" for e in scene.lost.events()), "its transaction was committed already"
    begun = time.monotonic()
    scene.recover()
    assert scene.lost.wait_exit(60) == 0, scene.lost.log_text()
    assert not scene.lost.logged("topic_read_timeout"), scene.lost.log_text()
    print(f"{time.monotonic() - begun:.1f} s")
    scene.lost.start().wait_streaming()
    scene.wait_same()
