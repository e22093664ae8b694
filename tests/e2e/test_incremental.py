"""Signals and incremental snapshots: some of the recorded corpus (tests/signals/run.py plays all of it), and kills under a writer."""
import json
import os
import random
import subprocess
import threading
import time

import pytest
from confluent_kafka import Producer
from psycopg.errors import UniqueViolation

from signals import run
from support import servers
from support.events import fold
from support.http import Surface
from support.kafka import create_topic
from support.paths import BINARY
from support.wait import wait_until
from support.writer import Writer

KILLS = int(os.environ.get("E2E_KILLS", "6"))
ROWS = 3000
PLAYED = ["size_n_chunks", "size_one_row", "window_key_change", "window_insert_delete", "pause_resume", "stop_all", "columns_generated",
          "initial_notifications", "signal_file", "blocking_condition", "blocking_bad", "read_only_by_table"]


@pytest.mark.parametrize("name", PLAYED)
def test_golden_signals(name, tmp_path):
    own = servers.shared("signals17", postgres=17, **run.SERVER)
    with servers.file_lock("signals17-in-use"):  # one database `shop` per server
        differences = run.play(name, own.postgres, tmp_path, strict=False)
    assert not differences, "\n".join(differences)


def published(connector, table):
    return {e.id for e in connector.events() if e.topic == f"{connector.prefix}.public.{table}" and e.op == "r"}


def test_SIG_05_a_signal_sent_while_stopped_is_found_at_the_start(db, broker, connectors, tmp_path):
    """Signals by a file and a topic: carried out, and not a second time after a restart."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    for table in ("by_file", "by_topic"):
        db.execute(f"create table {table} (id int primary key)")
        db.execute(f"insert into {table} values (1), (2)")
    file = tmp_path / "signals.txt"
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "signal.enabled.channels": "file,kafka",
                                "signal.file": str(file), "signal.poll.interval.ms": "100", "signal.kafka.bootstrap.servers": broker},
                           worker={"offset.flush.interval.ms": "50"})

    def signal(name, table):
        data = {"type": "incremental", "data-collections": [f"public.{table}"]}
        return json.dumps({"id": name, "type": "execute-snapshot", "data": data})

    def send(name, table):
        producer = Producer({"bootstrap.servers": broker})
        producer.produce(f"{connector.prefix}-signal", key=connector.prefix, value=signal(name, table))
        assert producer.flush(20) == 0

    create_topic(broker, f"{connector.prefix}-signal")
    send("k1", "by_topic")
    connector.start().wait_streaming()
    wait_until(lambda: published(connector, "by_topic") == {1, 2}, 60, "the rows that the topic asks for")
    connector.stop()
    db.execute("insert into by_topic values (3)")
    file.write_text(signal("f1", "by_file") + "\n")
    send("k2", "by_topic")
    connector.start().wait_streaming()
    wait_until(lambda: published(connector, "by_file") == {1, 2} and published(connector, "by_topic") == {1, 2, 3}, 60, "the rows of both")
    wait_until(lambda: file.read_text() == "", 30, "the file to be emptied")
    connector.stop()
    reads = len([e for e in connector.events() if e.op == "r"])
    connector.start().wait_streaming()
    db.execute("insert into by_file values (9)")
    connector.wait_events(lambda events: any(e.topic.endswith("by_file") and e.id == 9 for e in events), 30, "the stream")
    connector.stop()
    assert len([e for e in connector.events() if e.op == "r"]) == reads == 7


def test_a_partitioned_signaling_table_is_told_of(databases, pg17, connectors):
    """Its rows come under the names of partitions, and are no signals, until the publication sends them under its own."""
    db = databases(pg17)
    db.script("create table signals (id varchar(64), type varchar(64), data varchar(4096), primary key (id)) partition by hash (id);"
              "create table signals_0 partition of signals for values with (modulus 1, remainder 0)")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals"}).start().wait_streaming()
    told = (rf"warning .*signal\.data\.collection is partitioned.*neither its signals come.*tables=public\.signals "
            rf".*ALTER PUBLICATION .*{connector.publication}.* SET \(publish_via_partition_root\)")
    assert connector.logged(told), connector.log_text()
    connector.stop()
    found = [finding for finding in json.loads(connector.call("doctor", "--json").stdout)["connectors"][0]["findings"]
             if finding["reason"] == "signal_table_partitioned"]
    assert len(found) == 1 and found[0]["severity"] == "warning" and "public.signals" in found[0]["message"], found
    connector.config["publish.via.partition.root"] = "true"
    db.execute(f'alter publication "{connector.publication}" set (publish_via_partition_root)')
    connector.start().wait_streaming()
    db.execute("""insert into signals values ('one', 'log', '{"message": "it was seen"}')""")
    connector.wait_log("it was seen")
    assert not connector.logged("is partitioned")
    connector.stop()


def test_signals_from_the_command_line(db, broker, connectors, tmp_path):
    """To each channel that is read, of which the topic is made by the first signal; what would be refused is, before anything is written."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    for table in ("one", "two", "three"):
        db.execute(f"create table {table} (id int primary key)")
        db.execute(f"insert into {table} values (1), (2)")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals",
                                "signal.enabled.channels": "source,file,kafka", "signal.file": str(tmp_path / "signals.txt"),
                                "signal.poll.interval.ms": "100", "signal.kafka.bootstrap.servers": broker})
    connector.start().wait_streaming()

    def told(*arguments, code=0):
        done = connector.call("signal", *arguments)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    assert "table" in told("execute-snapshot", "--table", "public.one", "--filter", "public.one=id > 1", "--id", "mine")
    wait_until(lambda: published(connector, "one") == {2}, 60, "what the table asks for")
    assert db.execute("select type from signals where id = 'mine'") == [("execute-snapshot",)]
    assert "file" in told("execute-snapshot", "--table", "public.two", "--channel", "file")
    wait_until(lambda: published(connector, "two") == {1, 2}, 60, "what the file asks for")
    assert "topic" in told("execute-snapshot", "--table", "public.three", "--channel", "kafka", "--blocking")
    wait_until(lambda: published(connector, "three") == {1, 2}, 60, "what the topic asks for")
    told("log", "--message", "said from outside at {}")
    connector.wait_log("said from outside at .lsn=")
    signals = db.execute("select count(*) from signals")
    assert "data-collections" in told("execute-snapshot", code=2)
    assert "TABLE=SQL" in told("execute-snapshot", "--table", "public.one", "--filter", "id > 1", code=2)
    assert "neither stopped nor paused" in told("stop-snapshot", "--blocking", code=2)
    db.script("create schema other; create table other.items (id int primary key); create table secret (id int primary key)")
    db.script(f'alter table secret owner to current_user; revoke all on secret from public, "{connector.config["database.user"]}"')
    for table, code, says in (("public.nothing", 2, "there is no table of that name"), ("other.items", 2, "is not captured"),
                              ("one", 2, "write public.one"), ("public.secret", 3, "GRANT SELECT"), ("public.t.*,", 2, "no captured table")):
        for channel in ("source", "file", "kafka"):
            assert says in told("execute-snapshot", "--table", "public.one", "--table", table, "--channel", channel, code=code), (table, channel)
    assert db.execute("select count(*) from signals") == signals
    assert (tmp_path / "signals.txt").read_text() == ""
    connector.stop()


@pytest.mark.parametrize("told", [True, False])
def test_SIG_08_a_signal_that_is_refused_is_told(told, db, connectors):
    """To whoever looks at the admin surface; to the channels of notifications where that is asked for."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create table items (id int primary key); insert into items values (1)")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "notification.enabled.channels": "sink",
                                "notification.sink.topic.name": f"{db.name}-told", "walduct.notification.refused.signals": str(told).lower()})
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    surface = Surface(connector)
    unused = {"data-collections": ["public.items"], "additional-conditions": [{"data-collection": "public.others", "filter": "id > 1"}]}
    missing = {"data-collections": ["nowhere.items", "public.nothing", "items"]}
    for name, kind, data in (("e0", "execute-snapshot", json.dumps(missing)), ("e1", "no-such", "{}"), ("e2", "execute-snapshot", "{not json"),
                             ("e3", "execute-snapshot", json.dumps(unused))):
        db.execute("insert into signals values (%s, %s, %s)", name, kind, data)

    def shown():
        return json.loads(surface.ask("/notifications?connector=connector")[1])["connectors"][0]["notifications"]

    def status_of():
        return [n["additional_data"]["status"] for n in shown() if n["type"] == "TABLE_SCAN_COMPLETED"]

    wait_until(lambda: shown()[-1]["type"] == "COMPLETED" and "SUCCEEDED" in status_of(), 30, "the snapshot of the last")
    seen = [(n["id"], n["additional_data"]["reason"]) for n in shown() if n["type"] == "REFUSED"]
    assert seen == [("e1", "signal_unknown"), ("e2", "signal_malformed"), ("e3", "signal_malformed")]
    assert status_of() == ["UNKNOWN_SCHEMA"] * 3 + ["SUCCEEDED"]
    assert not any("maximum_key" in n["additional_data"] for n in shown())
    ends = surface.status()["last_snapshots"]
    assert (ends[0]["what"], ends[0]["event"]) == ("Incremental Snapshot", "COMPLETED"), ends
    assert [e["reason"] for e in ends if e["event"] == "REFUSED"] == ["signal_malformed", "signal_malformed", "signal_unknown"], ends
    assert sorted(e["scanned_collection"] for e in ends if e["event"] == "FAILED") == ["items", "nowhere.items", "public.nothing"], ends
    connector.stop()
    records = [json.loads(e.value) for e in connector.reader.read() if e.topic == f"{db.name}-told"]
    assert [r["id"] for r in records if r["type"] == "REFUSED"] == (["e1", "e2", "e3"] if told else [])
    assert records[-1]["type"] == "COMPLETED" and "maximum_key" in records[-3]["additional_data"]


def test_progress_is_shown_while_it_is_paused(db, connectors):
    """How far a snapshot of several tables is, what it stands still for and what comes then, until it is over."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create table big (id int primary key); insert into big select generate_series(1, 5000); analyze big; create table b1 (id int primary key)")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "100"})
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    surface = Surface(connector)

    def status(*arguments):
        return subprocess.run([BINARY, "status", "--url", surface.base, *arguments], capture_output=True, text=True, timeout=30)

    def shown():
        return json.loads(status("--json").stdout)["connectors"][0].get("incremental_snapshot")

    def signal(kind, data="{}"):
        db.execute("insert into signals values (gen_random_uuid()::text, %s, %s)", kind, data)

    assert shown() is None
    signal("execute-snapshot", json.dumps({"data-collections": ["public.big", "public.b1"]}))
    wait_until(lambda: (shown() or {}).get("chunks", 0) > 1, 60, "some chunks")
    signal("pause-snapshot")
    wait_until(lambda: shown().get("held_by") == "paused", 30, "the pause")
    rows = {}

    def stands_still():
        rows["before"], rows["now"] = rows.get("now"), shown()["rows"]
        return rows["before"] == rows["now"]

    wait_until(stands_still, 30, "it stands still", interval_s=0.5)
    seen = shown()
    assert (seen["table"], seen["estimated_rows"], seen["waiting"], seen["tables_waiting"]) == ("big", 5000, ["public.b1"], 1), seen
    assert 0 < seen["rows"] < 5000 and "seconds_left" not in seen and seen["held_seconds"] > 0
    screen = status().stdout
    assert "of ~5000" in screen and "paused, for" in screen and "1 more table" in screen, screen
    signal("resume-snapshot")
    wait_until(lambda: shown() is None, 60, "its end")
    assert published(connector, "big") == set(range(1, 5001))
    connector.stop()


@pytest.mark.parametrize("kept", ["true", "false"])
def test_INC_10_a_pause_outlives_the_process(kept, db, connectors):
    """It is kept when the session breaks; when the process is killed it is, where that is asked for. A stop is, in any case."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create table big (id int primary key); insert into big select generate_series(1, 3000)")
    db.script("create table b1 (id int primary key); insert into b1 select generate_series(1, 10)")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "10",
                                "walduct.snapshot.pause.kept": kept, "walduct.snapshot.rows.per.second": "300"},
                           worker={"offset.flush.interval.ms": "50"}).start().wait_streaming()

    def signal(kind, data="{}"):
        db.execute("insert into signals values (gen_random_uuid()::text, %s, %s)", kind, data)

    def own():
        return json.loads((connector.offset() or {}).get("walduct_incremental_snapshot", "{}"))

    signal("execute-snapshot", json.dumps({"data-collections": ["public.big", "public.b1"]}))
    wait_until(lambda: len(published(connector, "big")) > 20, 60, "some chunks")
    signal("pause-snapshot")
    wait_until(lambda: own().get("paused") is True, 30, "the pause to be stored")
    db.server.query("select pg_terminate_backend(active_pid) from pg_replication_slots where active and slot_name = '" + connector.config["slot.name"] + "'")
    connector.wait_log("incremental snapshot stays paused")
    signal("stop-snapshot", json.dumps({"data-collections": ["public.big"]}))
    wait_until(lambda: own().get("stops"), 30, "the stop to be stored")
    before = published(connector, "big")
    connector.kill()
    connector.start().wait_streaming()
    if kept == "true":
        connector.wait_log("incremental snapshot stays paused")
        db.execute("insert into b1 values (11)")
        connector.wait_events(lambda events: any(e.op == "c" and e.id == 11 for e in events), 30, "the stream")
        assert published(connector, "b1") == set()
        signal("resume-snapshot")
    else:
        connector.wait_log("goes on, though it was paused when the process ended")
    wait_until(lambda: published(connector, "b1") >= set(range(1, 11)), 60, "the table that was not to be stopped")
    assert published(connector, "big") == before and len(before) < 3000
    connector.stop()


def test_the_pace_of_a_snapshot(db, connectors):
    """It stands still while the slot keeps more WAL than it may, says so, and the stream goes on; then not faster than its rate."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create table big (id int primary key); insert into big select generate_series(1, 1000); create table other (id int primary key)")
    config = {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "50"}
    connector = connectors(db, {**config, "walduct.snapshot.pause.retained.wal.bytes": "1", "walduct.snapshot.rows.per.second": "200"})
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    surface = Surface(connector)
    surface.wait_value(lambda value: value > 1, "walduct_retained_wal_bytes", timeout_s=90)
    db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", json.dumps({"data-collections": ["public.big"]}))
    connector.wait_log(r"incremental snapshot reads nothing: the slot keeps more than 1 bytes of WAL .* hint=", 60)
    assert "retained.wal.bytes" in surface.status()["incremental_snapshot"]["held_by"]
    surface.wait_value(lambda value: value == 1, "walduct_incremental_held", timeout_s=30)
    db.execute("insert into other values (1)")
    connector.wait_events(lambda events: any(e.topic.endswith(".other") for e in events), 60, "the stream")
    assert published(connector, "big") == set()
    connector.stop()
    connector.config["walduct.snapshot.pause.retained.wal.bytes"] = "0"
    began = time.monotonic()
    connector.start().wait_streaming()
    wait_until(lambda: published(connector, "big") == set(range(1, 1001)), 120, "all rows, where it was")
    assert time.monotonic() - began >= 4, "1000 rows, the first 50 at once"
    connector.stop()


def test_a_lock_that_a_chunk_waits_for_is_named(db, connectors):
    """A line says whose it is; the stream goes on."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create table big (id int primary key); insert into big values (1), (2); create table other (id int primary key)")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals"}).start("--listen", "127.0.0.1:0").wait_streaming()
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("lock table big in access exclusive mode")
        pid = holder.info.backend_pid
        db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", json.dumps({"data-collections": ["public.big"]}))
        connector.wait_log(rf'an incremental snapshot is waiting for a lock on table public\.big, held up by pid {pid} \(application "migration"', 60)
        asked = subprocess.run([BINARY, "doctor", connector.name, "--url", Surface(connector).base], capture_output=True, text=True, timeout=60)
        assert "warning  beside_waits" in asked.stdout and f"held up by pid {pid}" in asked.stdout, asked
        assert f"pg_terminate_backend({pid})" in asked.stdout and f", role {holder.info.user}" in asked.stdout, asked
        db.execute("insert into other values (1)")
        connector.wait_events(lambda events: any(e.topic.endswith(".other") for e in events), 30, "the stream")
        assert published(connector, "big") == set()
        holder.commit()
    wait_until(lambda: published(connector, "big") == {1, 2}, 60, "the rows of the table")
    connector.stop()


class Changes(Writer):
    """Inserts, updates, deletes and key changes in the table, as fast as they go."""

    STATEMENTS = ["update big set v = %s where id = %s", "delete from big where id = %s", "update big set id = %s where id = %s",
                  "insert into big values (%s, %s) on conflict (id) do update set v = excluded.v"]

    def change(self, session, choose):
        which, a, b = choose.randrange(4), choose.randrange(2 * ROWS), choose.randrange(2 * ROWS)
        value = f"w{self.changes}"
        try:
            session.execute(self.STATEMENTS[which], [[value, a], [a], [a + 2 * ROWS, b], [a, value]][which])
            return 1
        except UniqueViolation:  # a key that is taken
            return 0


@pytest.mark.parametrize("strategy", ["insert_insert", "insert_delete"])
def test_INC_04_kills_during_an_incremental_snapshot(strategy, db, connectors):
    kills({"incremental.snapshot.watermarking.strategy": strategy}, db, connectors)


def test_INC_18_kills_during_an_incremental_snapshot_that_writes_nothing(db, connectors):
    kills({"read.only": "true"}, db, connectors)


def kills(properties, db, connectors):
    """Replaying the topic gives the table, whenever the process is killed."""
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (E2E_SEED={seed} repeats the choices)")
    choose = random.Random(seed)
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.execute("create table big (id int primary key, v text)")
    db.execute(f"insert into big select i, 'v' || i from generate_series(1, {ROWS}) i")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals",
                                "incremental.snapshot.chunk.size": "100", **properties},
                           worker={"offset.flush.interval.ms": "50"}).start().wait_streaming()
    writer = Changes(db, seed)
    writer.start()
    try:
        signal = json.dumps({"type": "incremental", "data-collections": ["public.big"]})
        db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", signal)
        for _ in range(KILLS):
            connector.wait_log(r"\bstreaming\b")
            time.sleep(choose.random() * 0.3)
            connector.kill()
            connector.start()
        connector.wait_streaming()
        done = "incremental_snapshot_collections"
        wait_until(lambda: (offset := connector.offset()) and done not in offset and writer.changes, 60, "the snapshot to be over")
    finally:
        writer.stop()
    rows = dict(db.execute("select id, v from big"))
    topic = f"{connector.prefix}.public.big"
    wait_until(lambda: fold(connector.events(), topic) == rows, 30, "the topic to give the table", interval_s=0.2)
    reads = [e for e in connector.events() if e.topic == topic and e.op == "r"]
    assert reads and all(e.source["snapshot"] == "incremental" for e in reads)
    assert len(reads) <= ROWS * 4 + KILLS * 200  # one chunk a kill, and what was not stored when it came
    connector.stop()


def killed_while_blocking(mode, db, connectors):
    """The markers of all rows that were read."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.execute("create table big (id int primary key, v text)")
    db.execute("insert into big select i, 'v' || i from generate_series(1, 100) i")
    connector = connectors(db, {"snapshot.mode": mode, "signal.data.collection": "public.signals"},
                           worker={"offset.flush.interval.ms": "50"}).start().wait_streaming()
    waits = "select id, v from public.big where pg_advisory_xact_lock_shared(id) is not null"
    data = {"type": "blocking", "data-collections": ["public.big"],
            "additional-conditions": [{"data-collection": "public.big", "filter": waits}]}
    topic = f"{connector.prefix}.public.big"
    with db.connect() as gate:
        gate.execute("select pg_advisory_lock(50)")
        db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", json.dumps(data))
        wait_until(lambda: "walduct_blocking_snapshots" in (connector.offset() or {}), 30, "the signal to be stored")
        db.execute("update big set v = 'meanwhile' where id = 7")
        connector.kill()
        gate.execute("select pg_advisory_unlock(50)")
    connector.start()
    wait_until(lambda: "walduct_blocking_snapshots" not in (connector.offset() or {"walduct_blocking_snapshots": 1}), 30, "it to be over")
    db.execute("insert into big values (101, 'behind')")
    rows = dict(db.execute("select id, v from big"))
    wait_until(lambda: fold(connector.events(), topic) == rows, 30, "the topic to give the table")
    marks = [e.source["snapshot"] for e in connector.events() if e.topic == topic and e.op == "r"]
    assert all(e.source["snapshot"] == "false" for e in connector.events() if e.topic == topic and e.op != "r")
    connector.stop()
    return marks


def test_BLK_04_a_blocking_snapshot_is_run_again_after_a_kill(db, connectors):
    """Records that are streamed behind it are no snapshot's."""
    marks = killed_while_blocking("no_data", db, connectors)
    assert marks.count("last") == 1 and len(marks) >= 100


def test_BLK_04_a_start_that_reads_all_forgets_no_blocking_snapshot(db, connectors):
    """snapshot.mode=always: both starts read the table, and then what was asked for is read."""
    marks = killed_while_blocking("always", db, connectors)
    assert marks.count("last") == 3 and len(marks) >= 300


def test_INC_18_a_file_asks_a_connector_that_writes_nothing(db, connectors, tmp_path):
    """read.only=true without a signaling table: a chunk's window is told from transaction ids."""
    db.script("create table big (id int primary key, v text); insert into big select i, 'v' || i from generate_series(1, 50) i")
    file = tmp_path / "signals.txt"
    connector = connectors(db, {"snapshot.mode": "no_data", "read.only": "true", "signal.enabled.channels": "file", "signal.file": str(file),
                                "signal.poll.interval.ms": "100", "incremental.snapshot.chunk.size": "8"}).start().wait_streaming()
    data = {"data-collections": ["public.big"]}
    file.write_text(json.dumps({"id": "f1", "type": "execute-snapshot", "data": data}) + "\n")
    wait_until(lambda: published(connector, "big") == set(range(1, 51)), 60, "all rows")
    connector.stop()


class HeldCommit:
    """An update that is in the WAL, and which no other session sees until its standby, that there is none of, has it."""

    def __init__(self, database, statement):
        self.database = database
        self.session = database.connect()
        self.session.execute("set synchronous_commit = on")
        self.writer = threading.Thread(target=lambda: self.session.execute(statement), daemon=True)
        self.writer.start()
        wait_until(lambda: database.sessions("wait_event = 'SyncRep'"), 30, "the commit waits")

    def let_go(self):
        self.database.server.query("alter system set synchronous_standby_names = ''")
        self.database.server.query("select pg_reload_conf()")
        self.writer.join(30)
        self.session.close()


@pytest.mark.parametrize("kind,superuser", [("incremental", False), ("incremental", True), ("blocking", False)])
def test_a_chunk_that_lacks_what_was_streamed_before_a_restart_is_read_again(kind, superuser, private_servers, databases, connectors):
    """The server streams a commit that waits for its synchronous standby. A start takes it for no restored server, and no older row
    is published over it; the stream goes on beside a chunk."""
    server = private_servers(postgres=17, pg_set={"synchronous_standby_names": "nobody", "synchronous_commit": "local"}).postgres
    db = databases(server)
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create table big (id int primary key, v text); insert into big select g, 'old' from generate_series(1, 3) g")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals"}, superuser=superuser,
                           worker={"offset.flush.interval.ms": "50"}).start().wait_streaming()
    topic = f"{connector.prefix}.public.big"
    held = HeldCommit(db, "update big set v = 'new' where id = 2")
    told = connector.wait_events(1)[0]
    wait_until(lambda: connector.offset() and connector.offset()["lsn_commit"] > told.source["lsn"], 30, "its position to be stored")
    connector.kill()
    with db.connect(autocommit=False) as idle:
        idle.execute("insert into big values (4, 'open')")
        connector.start().wait_streaming()
        data = {"type": kind, "data-collections": ["public.big"]}
        db.execute("insert into signals values ('s1', 'execute-snapshot', %s)", json.dumps(data))
        hint = "see whether a synchronous standby holds up commits" + ("\"" if superuser else "; with GRANT pg_read_all_stats")
        connector.wait_log(rf"(again and again|blocking snapshot waits).*reason=commit_held_up.*{hint}", 120)
        if kind == "incremental":
            db.execute("update big set v = 'later' where id = 3")
            connector.wait_events(lambda events: any(e.op == "u" and e.id == 3 for e in events), 60, "the stream to go on")
        assert published(connector, "big") == set()
        held.let_go()
        wait_until(lambda: published(connector, "big") == {1, 2, 3}, 120, "the rows, beside a transaction that is only open")
        idle.rollback()
    rows = dict(db.execute("select id, v from big"))
    assert fold(connector.events(), topic) == rows and rows[2] == "new"
    connector.stop()
