"""A connector whose slot was lost, beside one that kept its own, and a restored backup that its gap is streamed from."""
import json

from support.postgres import lsn
from support.restored import Backup, Restored
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
                 backup=Backup, shared=None, others=0, **config):
        self.servers, self.primary = servers, servers.postgres
        self.db = databases(servers.postgres)
        self.db.script(TABLES)
        both = {"publication.name": "both", "signal.data.collection": "public.signals",
                **{name: value.replace("{db}", self.db.name) for name, value in (shared or {}).items()}}
        self.control = connectors(self.db, both, sink="file", name="control", superuser=True).start().wait_streaming()
        self.lost = connectors(self.db, {**both, "slot.name": self.db.name + "_lost", "walduct.slot.lost": "hold", "topic.prefix": self.db.name,
                                         **config}, worker=worker, name="lost", superuser=superuser, sink=sink)
        self.lost.start().wait_streaming()
        self.others = [self._another(connectors, number) for number in range(others)]
        self.backup, self.restored = backup(servers), None
        self.db.script("insert into items values (1, 'before'), (2, 'before'); insert into wide values (1, repeat('w', 5000), 1.50)")
        self.work_on()

    def _another(self, connectors, number):
        """As the one that loses its slot, but that large transactions come at their end."""
        directory = self.lost.dir.parent
        name = f"lost_{number}"
        config = {**self.lost.config, "slot.name": f"{self.db.name}_{name}", "sink.file.path": str(directory / name / "records.jsonl"),
                  "walduct.transaction.streaming": "false"}
        worker = {"offset.storage.file.filename": str(directory / name / "offsets.dat")}
        return connectors(self.db, config, worker=worker, name=name, sink="file").start().wait_streaming()

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
            all_of.setdefault(event.topic, []).append((event.key, without_times(event)))
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


def without_times(event):
    if event.value is None:
        return None
    # After a start the first transaction follows the position, which may be behind the last commit.
    source = {**event.source, "sequence": json.loads(event.source["sequence"])[1]}
    return {**event.envelope, **dict.fromkeys(("ts_ms", "ts_us", "ts_ns")), "source": source}


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


def refused(scene, reason, exit_code=3):
    assert scene.lost.wait_exit(60) == exit_code, scene.lost.log_text()
    assert scene.lost.logged(f"reason={reason} hint="), scene.lost.log_text()
