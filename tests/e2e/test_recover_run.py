"""The gap of a lost slot, streamed by `walduct recover run` from a restored backup: what is published in the end is what a
connector has published that never lost its slot."""
import json
import random
import time

import pytest

from support.cluster import Standby
from support.postgres import lsn
from support.restored import ARCHIVED, Backup, Restored
from support.servers import free_ports
from support.wait import wait_until

TABLES = """
create table items (id int primary key, v text);
create table wide (id int primary key, big text, n numeric, at timestamptz default now());
alter table wide replica identity full;
create table many (id int primary key, v text);
create table slow (id int primary key, v text);
create table signals (id varchar(42) primary key, type varchar(32) not null, data varchar(2048))"""


class Scene:
    """A primary with two connectors on the same tables: one that keeps its slot, one that loses it; and a backup of in between."""

    def __init__(self, servers, databases, connectors, worker=None, sink="file", superuser=True,
                 backup=Backup, **config):
        self.servers, self.primary = servers, servers.postgres
        self.db = databases(servers.postgres)
        self.db.script(TABLES)
        both = {"publication.name": "both", "signal.data.collection": "public.signals"}
        self.control = connectors(self.db, both, sink="file", name="control", superuser=True).start().wait_streaming()
        self.lost = connectors(self.db, {**both, "slot.name": self.db.name + "_lost", "walduct.slot.lost": "hold", "topic.prefix": self.db.name,
                                         **config}, worker=worker, name="lost", superuser=superuser, sink=sink)
        self.lost.start().wait_streaming()
        self.backup, self.restored = backup(servers), None
        self.db.script("insert into items values (1, 'before'), (2, 'before'); insert into wide values (1, repeat('w', 5000), 1.50)")
        self.work_on()

    def work_on(self):
        """Until a slot that is made there is consistent before the position: such a record is written each 15 s else."""
        for _ in range(3):
            self.db.execute("select pg_log_standby_snapshot()")
        self.db.execute("update items set v = 'worked on' where id = 2")
        self.wait_same()
        end = lsn(self.db.value("select pg_current_wal_lsn()::text"))
        wait_until(lambda: self.slot_lsn() >= end, 20, "the position is stored")

    def wait_same(self, timeout_s=30):
        try:
            wait_until(lambda: self.records(self.control) == self.records(self.lost), timeout_s, "both have the same", interval_s=0.3)
        except AssertionError as different:
            mine, theirs = self.records(self.lost), self.records(self.control)
            for topic in sorted(theirs.keys() | mine.keys()):
                a, b = theirs.get(topic, []), mine.get(topic, [])
                at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
                print(topic, len(a), len(b), "differ at", at, a[at:at + 2], b[at:at + 2])
            raise AssertionError(f"{different}; log:\n{self.lost.log_text()[-5000:]}") from None

    @staticmethod
    def records(connector):
        """Of each topic, in its order."""
        all_of = {}
        for event in connector.events():
            all_of.setdefault(event.topic, []).append((event.key, _without_times(event)))
        return all_of

    def wait_control(self):
        """It has all that is committed."""
        self.db.execute("insert into slow values (99, 'the last one')")
        self.control.wait_events(lambda events: any(e.table == "slow" and e.id == 99 for e in events))

    def lose(self):
        self.lost.stop()
        self.db.drop_slot(self.lost.slot)

    def hold(self):
        """As a start finds it; where the slot goes on."""
        assert self.lost.run_to_end() == 4 and self.lost.logged("reason=lost_slot_held"), self.lost.log_text()
        assert self.lost.logged("recover run"), self.lost.log_text()
        return self.slot_lsn()

    def slot_lsn(self):
        return lsn(self.db.slot(self.lost.slot)["confirmed_flush_lsn"])

    def plan(self, exit_code, *arguments):
        done = self.lost.call("recover", "plan", *arguments)
        assert done.returncode == exit_code, done
        return done.stdout

    def restore(self, **settings):
        self.restored = Restored(self.backup, self.lost.slot, plugin="pgoutput", database=self.db.name)
        if settings:
            self.restored.configure(settings)
        return self.restored

    def recover(self):
        return self.lost.start("--from", f"{self.restored.postgres.host}:{self.restored.postgres.port}", "--state", self.restored.state,
                               command="recover run")


def _without_times(event):
    if event.value is None:
        return None
    # After a start the first transaction follows the position, which may be behind the last commit.
    source = {**event.source, "sequence": json.loads(event.source["sequence"])[1]}
    return {**event.envelope, **dict.fromkeys(("ts_ms", "ts_us", "ts_ns")), "source": source}


@pytest.fixture
def scenes(private_servers, databases, connectors):
    made = []

    def make(version, **config):
        made.append(Scene(private_servers(postgres=version, pg_set=ARCHIVED), databases, connectors, **config))
        return made[-1]
    yield make
    for scene in made:
        if scene.restored is not None:
            scene.restored.stop("immediate")
            print(scene.restored.log()[-3000:], scene.restored.notes())  # shown of a test that failed


def gap(db, first=10):
    """Of all kinds, with ALTER TABLE in between."""
    db.script(f"""
insert into items select i, 'gap ' || i from generate_series({first}, {first} + 20) i;
update items set v = 'changed' where id = {first};
delete from items where id = {first + 1};
alter table items add c{first} int default 7;
insert into items (id, v, c{first}) values ({first + 30}, 'with a column', 8);
update wide set n = n + 1;
insert into wide values ({first}, repeat(md5(random()::text), 300), 'NaN');
alter table wide alter n type text using n::text;
update wide set n = n || 'x' where id = {first};
alter table wide alter n type numeric using null;
create table new_{first} (id int primary key);
truncate many;
delete from wide where id = {first}""")


def prune_catalogs(db):
    """Which nothing keeps from it: there is no slot."""
    for turn in range(3):
        with db.connect() as session:
            session.execute("create temp table gone (id int, v text)")
            session.execute(f"insert into many values ({turn}, 'beside')")
    db.execute("vacuum pg_class")
    db.execute("vacuum pg_attribute")


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
        prune_catalogs(scene.db)
    assert "AT ONCE" in scene.plan(0)
    held = scene.hold()
    gap(scene.db, 200)
    missing = scene.plan(3, "--archive", scene.backup.archive)
    assert "segments of the gap are not in the archive" in missing and "pg_switch_wal" in missing
    scene.backup.wait_archived()
    there = scene.plan(0, "--archive", scene.backup.archive)
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


def test_both_are_killed_again_and_again(scenes):
    """With exactly once. Runs by name."""
    scene = scenes(17, sink="kafka", worker={"offset.storage.file.filename": None, "offset.storage.topic": "offsets-recover-run"},
                   **{"exactly.once.support": "required"})
    scene.lose()
    rng = random.Random(7)
    for first in range(1000, 9000, 1000):
        gap(scene.db, first)
        scene.db.execute("insert into many select i, repeat('x', 400) from generate_series(%s::int, %s::int) i", first * 10, first * 10 + 4000)
        scene.db.execute("select pg_switch_wal()")
    scene.hold()
    scene.restore()
    scene.recover()
    scene.restored.start()
    for turn in range(200):
        time.sleep(rng.uniform(0.3, 3))
        if not scene.lost.running():
            break
        scene.lost.kill()
        if turn % 4 == 3:
            scene.restored.stop("immediate")
            scene.recover()
            scene.restored.start()
        else:
            scene.recover()
    assert scene.lost.wait_exit(120) == 0, scene.lost.log_text()
    assert turn > 3, "it was killed"
    print("killed", turn, "times")
    scene.lost.start().wait_streaming()
    scene.wait_same(60)


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


def refused(scene, reason, exit_code=3):
    assert scene.lost.wait_exit(60) == exit_code, scene.lost.log_text()
    assert scene.lost.logged(f"reason={reason} hint="), scene.lost.log_text()


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
