"""The gap of a lost slot, streamed by `walduct recover run` from a restored backup: what is published in the end is what a
connector has published that never lost its slot."""
import json
import os
import random
import time

import pytest

from support.cluster import Standby
from support.recovery import gap, prune_catalogs, refused
from support.servers import free_ports
from support.wait import wait_until


def alters_over_cuts(scene):
    """The WAL is cut where replay holds the lock of a table that is asked about next."""
    with scene.db.connect(autocommit=False) as alters:
        scene.db.execute("insert into items (id, v) values (2000, 'before the lock')")
        alters.execute("alter table items add held int default 4")
        for _ in range(2):
            scene.primary.query("select pg_log_standby_snapshot()")
        alters.commit()
    scene.db.execute("insert into items (id, v) values (2001, 'behind the lock')")


@pytest.mark.parametrize("version", [18, 17, 16])
def test_what_is_published_is_what_the_slot_would_have_given(version, scenes):
    scene = scenes(version)
    with scene.db.connect() as open_one, scene.db.connect() as open_two:
        open_one.autocommit = open_two.autocommit = False
        open_one.execute("insert into slow values (1, 'open at the loss, ended in the gap')")
        scene.lose()
        gap(scene.db)
        open_one.commit()
        open_two.execute("insert into slow values (2, 'open in the gap')")
        gap(scene.db, 100)
        open_two.commit()
        alters_over_cuts(scene)
        prune_catalogs(scene.db)
    assert "AT ONCE" in scene.plan(0)
    held = scene.hold()
    gap(scene.db, 200)
    missing = scene.plan(3, "--archive", scene.backup.archive)
    assert "segments of the gap are not in the archive" in missing and "pg_switch_wal" in missing
    scene.backup.wait_archived()
    there = scene.plan(0, "--archive", scene.backup.archive)
    assert "The restored server takes about " in there
    assert "Not yet" in there and "AT ONCE" not in there and "The archive has all of them." in there, there
    assert "The archive has all of them." in scene.plan(0, "--archive-command", f'cp {scene.backup.archive}/%f "%p"')
    scene.restore()
    scene.recover()
    scene.restored.start()
    assert scene.lost.wait_exit(90) == 0, scene.lost.log_text()
    assert scene.lost.logged("the gap is closed"), scene.lost.log_text()
    assert scene.lost.offset()["lsn"] >= held
    scene.restored.stop()
    scene.lost.start().wait_streaming()
    scene.db.execute("insert into items values (9000, 'behind')")
    scene.wait_same()
    scene.lost.stop()
    assert "walduct_slot_held" not in scene.lost.offset()
    # Once more there is nothing to do, and nobody has to be there.
    assert "Have I lost data? No:" in scene.plan(0)
    assert scene.recover().wait_exit() == 0 and scene.lost.logged("there is no gap"), scene.lost.log_text()


def test_a_slot_that_nobody_holds_is_made_first(scenes):
    """By the role of docs/security.md, which may not end a segment. A signal of the gap is refused."""
    scene = scenes(18, superuser=False, **{"publication.autocreate.mode": "disabled"})
    scene.lose()
    gap(scene.db)
    scene.db.execute("insert into signals values ('a-signal', 'log', '{\"message\": \"hello\"}')")
    scene.restore()
    scene.recover()
    scene.lost.wait_log("nothing keeps WAL and catalogs")
    scene.restored.start()
    scene.lost.wait_log("is not ended by this role .*SELECT pg_switch_wal")
    scene.backup.wait_archived()
    assert scene.lost.wait_exit(90) == 0, scene.lost.log_text()
    assert scene.lost.logged("a-signal.* reason=signal_in_gap hint="), scene.lost.log_text()
    scene.lost.start().wait_streaming()
    scene.wait_same()


def test_the_slot_is_lost_again_while_its_gap_is_streamed(scenes):
    """By its size, say: the gap takes hours. The restored server is not given up before all of it has come."""
    scene = scenes(18)
    scene.lose()
    gap(scene.db)
    held = scene.hold()
    scene.restore()
    scene.recover()
    scene.lost.wait_log("waiting for the restored server")
    scene.db.drop_slot(scene.lost.slot)
    gap(scene.db, 200)
    scene.backup.wait_archived()
    scene.restored.start()
    assert scene.lost.wait_exit(90) == 0, scene.lost.log_text()
    assert scene.lost.logged("was lost while its gap was streamed") and scene.lost.logged("the gap is closed"), scene.lost.log_text()
    assert scene.lost.offset()["lsn"] >= scene.slot_lsn() > held
    scene.restored.stop()
    scene.lost.start().wait_streaming()
    scene.wait_same()


@pytest.mark.parametrize("exactly_once", [True, False], ids=["exactly_once", "at_least_once"])
@pytest.mark.parametrize("version", [17, 18])
def test_both_are_killed_again_and_again(version, exactly_once, scenes):
    """Walduct E2E_RECOVER_KILLS times (10), the restored server E2E_RECOVER_SERVER_KILLS times (3), by SIGKILL. Runs by name."""
    kills, server_kills = int(os.environ.get("E2E_RECOVER_KILLS", 10)), int(os.environ.get("E2E_RECOVER_SERVER_KILLS", 3))
    once = {"sink": "kafka", "worker": {"offset.storage.file.filename": None, "offset.storage.topic": f"offsets-recover-run-{version}"},
            "exactly.once.support": "required"}
    scene = scenes(version, **(once if exactly_once else {}))
    scene.lose()
    rng = random.Random(7)
    for first in range(1000, 1000 + 800 * max(kills, 10), 1000):
        gap(scene.db, first)
        scene.db.execute("insert into many select i, repeat('x', 400) from generate_series(%s::int, %s::int) i", first * 10, first * 10 + 4000)
        scene.db.execute("select pg_switch_wal()")
    scene.hold()
    scene.restore()
    scene.recover()
    scene.restored.start()
    killed = server_killed = 0
    while killed < kills or server_killed < server_kills:
        time.sleep(rng.uniform(0.2, 1.5))
        if not scene.lost.running():
            break
        if server_killed * kills <= killed * server_kills and server_killed < server_kills:
            scene.restored.kill()
            server_killed += 1
            scene.restored.start(waits=False)
        else:
            scene.lost.kill()
            killed += 1
            scene.recover()
    print("killed:", killed, "times walduct,", server_killed, "times the restored server")
    assert scene.lost.wait_exit(180) == 0, scene.lost.log_text()
    assert killed > 3 and server_killed > 1, (killed, server_killed)
    scene.lost.start().wait_streaming()
    if exactly_once:
        scene.wait_same(60)
        return
    scene.db.execute("insert into slow values (99, 'the last one')")
    wait_until(lambda: _each_once(scene.records(scene.lost)) == _each_once(scene.records(scene.control)), 60, "nothing is missing", interval_s=0.5)


def _each_once(records):
    return {topic: {json.dumps(record, sort_keys=True, default=repr) for record in of_topic} for topic, of_topic in records.items()}


def test_a_failover_to_a_standby_without_the_slot(scenes):
    """The gap goes over the switch to another timeline. Runs by name."""
    scene = scenes(17)
    standby = Standby(scene.servers, free_ports(1)[0])
    try:
        scene.work_on()
        scene.lost.stop()
        gap(scene.db)
        scene.wait_control()
        standby.wait_replayed()
        scene.primary.query("select pg_switch_wal()")
        scene.control.stop()
        scene.servers.do("stop-postgres")
        standby.promote()
        scene.lost.config["database.port"] = str(standby.postgres.port)
        with standby.postgres.connect(scene.db.name) as session:
            session.execute("insert into items select i, 'of the new primary' from generate_series(5000, 5099) i")
        scene.restore()
        scene.recover()
        scene.restored.start()
        assert scene.lost.wait_exit(90) == 0, scene.lost.log_text()
        scene.restored.stop()
        with standby.postgres.connect(scene.db.name) as session:
            session.execute("insert into items (id, v) values (9000, 'behind')")
        scene.lost.start().wait_streaming()
        events = scene.lost.wait_events(lambda events: events[-1].table == "items" and events[-1].id == 9000)
        before = scene.records(scene.control)
        mine = scene.records(scene.lost)
        for topic, records in before.items():
            assert mine[topic][:len(records)] == records, topic
        created = [e.id for e in events if e.table == "items" and e.op == "c"]
        assert created[-101:] == [*range(5000, 5100), 9000]
        assert sum(map(len, mine.values())) == sum(map(len, before.values())) + 101
        scene.lost.stop()
    finally:
        standby.stop("immediate")
        scene.servers.do("start-postgres")  # what follows looks at the database of the test


def test_what_cannot_be_recovered_from(scenes, tmp_path):
    scene = scenes(17)
    scene.lose()
    position = scene.lost.offset()["lsn"]
    gap(scene.db)
    scene.hold()
    records = scene.records(scene.lost)
    host, port = scene.primary.host, scene.primary.port
    state = tmp_path / "state"
    for arguments in (("--from", "nowhere", "--state", tmp_path), ("--from", f"{host}:{port}", "--state", state)):
        assert scene.lost.start(*arguments, command="recover run").wait_exit() == 2, scene.lost.log_text()
    state.mkdir()
    scene.lost.start("--from", f"{host}:{port}", "--state", state, command="recover run")
    refused(scene, "recover_not_in_recovery")
    restored = scene.restore(max_slot_wal_keep_size="64MB", archive_cleanup_command="true")
    scene.recover()
    restored.start()
    refused(scene, "recover_settings")
    assert scene.lost.logged("max_slot_wal_keep_size = '-1'") and scene.lost.logged("archive_cleanup_command = ''")
    restored.configure({"restore_command": f"cp {scene.backup.archive}/%f \"%p\"", "max_slot_wal_keep_size": -1, "archive_cleanup_command": ""})
    restored.stop()
    restored.start()
    scene.recover()
    refused(scene, "recover_not_gated")
    restored.stop()
    restored.forget()
    # A backup of behind the position.
    scene.backup.take()
    restored = scene.restore()
    scene.recover()
    restored.start(waits=False)
    refused(scene, "recover_backup_too_young")
    assert scene.lost.offset()["lsn"] == position and scene.records(scene.lost) == records
