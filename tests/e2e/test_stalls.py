"""Nothing stands still in silence: what is waited for, since when, and what it costs."""
import os
import re
import socket
import subprocess
import time

import pytest

from support.http import Surface
from support.kafka import create_topic, in_sync
from support.paths import BINARY
from support.postgres import CDC_ROLE
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
MANY = 6  # connectors of a process


def lines(connector, pattern):
    return [line for line in connector.log_text().splitlines() if re.search(pattern, line)]


def test_a_stream_that_flows_says_nothing(db, connectors):
    """The control of all the others. A row a second for twice as long as the patience; where the machine itself held one up, it may say so."""
    db.script(TABLE)
    connector = connectors(db).start().wait_streaming()
    begun, slowest = len(connector.log_text()), 0
    for i in range(20):
        sent = time.monotonic()
        db.execute("insert into items values (%s)", i)
        connector.wait_events(i + 1, 60)
        slowest = max(slowest, time.monotonic() - sent)
        time.sleep(max(0, sent + 1 - time.monotonic()))
    said = re.findall(".*(?:no progress|(?<!no longer )waiting for).*", connector.log_text()[begun:])
    assert said == [] or slowest > 8, (said, slowest)
    connector.stop()


def test_a_broker_that_was_frozen_for_longer_than_its_session(private_servers, databases, connectors):
    """Until it has joined again it answers that the cluster has no broker. Whoever asks in that moment must not forget it: many ask."""
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script("; ".join(f"create table items{n} (id serial primary key)" for n in range(MANY)))
    all_ = [connectors(db, {name: f"{db.name}_{n}" for name in ("slot.name", "publication.name", "topic.prefix")} |
                       {"table.include.list": f"public.items{n}"}, name=f"c{n}",
                       worker={"bootstrap.servers": servers.bootstrap, "offset.storage.file.filename": None,
                               "offset.storage.topic": f"{db.name}_offsets"}) for n in range(MANY)]
    files = [word for one in all_ for word in ("-f", one.dir / "connector.json")]
    for one in all_:
        one.write_files()
    all_[0].files = lambda: [*files, "-w", all_[0].dir / "worker.properties"]
    all_[0].start()
    stored = "select count(*) from pg_replication_slots where database = current_database() and active and confirmed_flush_lsn >= %s"

    def write():
        db.script("; ".join(f"insert into items{n} default values" for n in range(MANY)))
        return db.value("select pg_current_wal_lsn()")

    def all_stored(lsn):
        wait_until(lambda: db.value(stored, lsn) == MANY, 60, f"the positions of all stored up to {lsn}", interval_s=0.2)
    wait_until(lambda: db.value(stored, "0/0") == MANY, 60, "all stream")
    all_stored(write())
    for _ in range(3):
        servers.pause_kafka()
        end = time.monotonic() + 11  # its session lasts for nine seconds
        while time.monotonic() < end:
            write()
            time.sleep(0.05)
        servers.resume_kafka()
        end = time.monotonic() + 2
        while time.monotonic() < end:
            write()
            time.sleep(0.01)
        all_stored(write())
    all_[0].stop()


def test_broker_that_is_stuck(private_servers, databases, connectors):
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, worker={"bootstrap.servers": servers.bootstrap}).start("--listen", "127.0.0.1:0").wait_streaming()
    surface = Surface(connector)
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    assert surface.ask("/readyz") == (200, "ok\n")
    servers.pause_kafka()
    db.execute("insert into items values (2)")
    connector.wait_log(r"no progress for \d+s: waiting for Kafka at .* since 20..-.*retained WAL .* grows by", 90)
    wait_until(lambda: len(lines(connector, "no progress")) >= 2, 60, "said again")
    status, body = surface.ask("/readyz")
    assert status == 503 and "stalled: waiting for Kafka" in body, "not ready"
    assert surface.ask("/livez") == (200, "ok\n"), "and alive: its loop turns, a restart would mend nothing"
    servers.resume_kafka()
    connector.wait_log("progress again", 60)
    wait_until(lambda: surface.ask("/readyz") == (200, "ok\n"), 60, "ready again")
    connector.stop()


def test_broker_that_is_stuck_before_the_first_row(private_servers, databases, connectors):
    """Nothing is in flight: the topic of the row is asked for."""
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, worker={"bootstrap.servers": servers.bootstrap}).start().wait_streaming()
    servers.pause_kafka()
    db.execute("insert into items values (1)")
    connector.wait_log(r"no progress for \d+s: waiting for Kafka at \S+ to answer whether topic \S+\.items exists")
    servers.resume_kafka()
    connector.wait_events(1)
    connector.wait_log("progress again", 60)
    connector.stop()


def test_replicas_that_are_missing(private_servers, databases, connectors):
    """One of two brokers is gone: the line names the topic without leader and the one with too few replicas, again and again."""
    first = private_servers(postgres=15, kafka=True)
    port = unused_port()
    second = private_servers(kafka=True, kafka_set={
        "process.roles": "broker", "node.id": "2", "controller.quorum.voters": f"1@127.0.0.1:{first.values['KAFKA_CONTROLLER_PORT']}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port}", "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}"})
    db = databases(first.postgres)
    db.script(TABLE + "; create table other (id int primary key)")
    few, alone = f"{db.name}.public.items", f"{db.name}.public.other"
    create_topic(first.bootstrap, few, replicas=[[1, 2]], **{"min.insync.replicas": "2"})
    create_topic(first.bootstrap, alone, replicas=[[2]])
    connector = connectors(db, {"walduct.stall.warn.ms": "2000"}, worker={"bootstrap.servers": first.bootstrap}).start().wait_streaming()
    db.script("insert into items values (1); insert into other values (1)")
    connector.wait_events(2)
    second.do("kill-kafka")
    wait_until(lambda: in_sync(first.bootstrap, few) == 1, 60, "the controller has noticed")
    db.script("insert into items values (2); insert into other values (2)")
    line = (rf"no progress for \d+s: waiting for Kafka at \S+: topic {re.escape(alone)} \[0\] has no leader; NOT_ENOUGH_REPLICAS: "
            rf"topic {re.escape(few)} has 1 replicas in sync, min\.insync\.replicas asks for 2; .*Connection refused.* since 20..-.*retained WAL")
    connector.wait_log(line, 90)
    assert connector.running()
    second.do("start-kafka")
    connector.wait_events(4, 120)
    connector.wait_log("progress again", 60)
    connector.stop()


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_offset_store_that_fails(db, connectors):
    db.script(TABLE)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    wait_until(lambda: connector.offset_file.exists(), 20, "stored")
    os.rename(connector.offset_file, connector.dir / "aside")
    os.mkdir(connector.offset_file)
    db.execute("insert into items values (2)")
    connector.wait_log(r"no progress for \d+s: waiting for the offset store: .*offsets\.dat")
    os.rmdir(connector.offset_file)
    os.rename(connector.dir / "aside", connector.offset_file)
    connector.wait_log("progress again")
    connector.stop()


@pytest.fixture
def two_tables(private_servers, databases, connectors):
    """Two tables are captured, `other` is not; the walsender's patience is 5 s."""
    servers = private_servers(postgres=15, pg_set={"wal_sender_timeout": "5s"})
    db = databases(servers.postgres)
    db.script("create table a (id int primary key, v text default 'x'); create table b (id int primary key);"
              "create table other (id int primary key, v text default 'x')")
    return db, connectors(db, {"table.include.list": "public.a,public.b"}, sink="file")


@pytest.mark.parametrize("sees", [True, False], ids=["with pg_read_all_stats", "without"])
def test_lock_on_a_captured_table(sees, two_tables):
    """Keepalives go on, a line names the table and who holds the lock, and all comes once it is let go."""
    db, connector = two_tables
    if sees:
        db.execute(f"grant pg_read_all_stats to {CDC_ROLE}")
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    db.execute("insert into a values (1); insert into b values (1)")
    connector.wait_events(2)
    session = db.slot(connector.slot)["active_pid"]
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("alter table a add w text default 'y'")
        holder.execute("insert into a values (2)")
        holder.commit()
        holder.execute("lock table a in access exclusive mode")
        pid = holder.info.backend_pid
        db.execute("insert into b values (2)")
        what = ", idle in transaction.*, role .*lock table a" if sees else rf'.*\); what it does is shown after GRANT pg_read_all_stats TO "{CDC_ROLE}"'
        named = rf'waiting for a lock on table public\.a, held up by pid {pid} \(application "migration"{what}'
        wait_until(lambda: len(lines(connector, named)) >= 2, 60, "said, and said again")
        asked = subprocess.run([BINARY, "doctor", connector.name, "--url", Surface(connector).base], capture_output=True, text=True, timeout=60)
        assert asked.returncode == 1 and "warning  connector_stalled" in asked.stdout and f"held up by pid {pid}" in asked.stdout, asked
        connector.wait_log(r"no progress for .*waiting for a lock on table public\.a")
        assert db.slot(connector.slot)["active_pid"] == session, "the walsender was killed"
        holder.commit()
    connector.wait_events(lambda events: {(e.table, e.id) for e in events} == {("a", 1), ("a", 2), ("b", 1), ("b", 2)})
    assert db.slot(connector.slot)["active_pid"] == session
    connector.stop()


def test_lock_on_a_captured_table_beside_heartbeats(two_tables):
    """Heartbeats and what their query writes go on, and are no progress of what waits: it is told as without them."""
    db, connector = two_tables
    db.script(f"create table beats (id int primary key, at timestamptz); grant insert, update on beats to {CDC_ROLE}")
    connector.config.update({"heartbeat.interval.ms": "500", "walduct.stall.warn.ms": "3000", "heartbeat.action.query":
                             "insert into beats values (1, now()) on conflict (id) do update set at = excluded.at"})
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    surface = Surface(connector)
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("alter table a add w text default 'y'")
        holder.execute("insert into a values (2)")
        holder.commit()
        holder.execute("lock table a in access exclusive mode")
        pid = holder.info.backend_pid
        wait_until(lambda: (answer := surface.ask("/readyz"))[0] == 503 and f"held up by pid {pid}" in answer[1], 20, "not ready")
        shown = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, timeout=60)
        assert shown.returncode == 7 and f"held up by pid {pid}" in shown.stdout and f"pg_terminate_backend({pid})" in shown.stdout, shown
        assert 'walduct_stall_seconds{connector="' in surface.ask("/metrics")[1], "walduct_stall_seconds"
        holder.commit()
    wait_until(lambda: surface.ask("/readyz") == (200, "ok\n"), 30, "ready again")
    connector.stop()


def test_lock_while_tables_are_read(two_tables):
    """The next table of the snapshot is locked: a line names it and who holds the lock; a stop is answered."""
    db, connector = two_tables
    db.script("insert into a values (1); insert into b values (1)")
    connector.config.update({"snapshot.lock.timeout.ms": "600000", "snapshot.select.statement.overrides": "public.a",
                   "snapshot.select.statement.overrides.public.a": "select a.* from public.a, (select pg_advisory_lock(4711)) held"})
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("select pg_advisory_lock(4711)")
        connector.start().wait_log("snapshot started", 30)
        holder.execute("lock table b in access exclusive mode")
        holder.execute("select pg_advisory_unlock(4711)")
        pid = holder.info.backend_pid
        connector.wait_log(rf'no progress for .*waiting for a lock on table public\.b, held up by pid {pid} \(application "migration"', 60)
        begin = time.monotonic()
        connector.stop()
        assert time.monotonic() - begin < 8
        connector.start()
        holder.commit()
    connector.wait_streaming(60)
    connector.wait_events(lambda events: {(e.table, e.id) for e in events} >= {("a", 1), ("b", 1)})
    connector.stop()


def test_lock_that_outlasts_its_timeout(two_tables):
    """Each try for the table of a snapshot is shorter than the patience: what all of them wait for is told wherever one looks."""
    db, connector = two_tables
    db.script("insert into a values (1); insert into b values (1)")
    connector.config.update({"snapshot.lock.timeout.ms": "6000", "walduct.stall.warn.ms": "7000", "snapshot.select.statement.overrides": "public.a",
                             "snapshot.select.statement.overrides.public.a": "select a.* from public.a, (select pg_advisory_lock(4711)) held"})
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("select pg_advisory_lock(4711)")
        connector.start("--listen", "127.0.0.1:0").wait_log("snapshot started", 30)
        holder.execute("lock table b in access exclusive mode")
        holder.execute("select pg_advisory_unlock(4711)")
        pid = holder.info.backend_pid
        named = rf'a lock on table public\.b, held up by pid {pid} \(application "migration"'
        connector.wait_log(rf"no progress for .*waiting for {named}", 60)
        surface = Surface(connector)
        stall = surface.status()["stall"]
        assert re.match(named, stall["waiting_for"]) and f"pg_terminate_backend({pid})" in stall["hint"], stall
        code, body = surface.ask("/readyz")
        assert code == 503 and f"held up by pid {pid}" in body, body
        shown = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, timeout=60)
        assert shown.returncode == 7 and f"held up by pid {pid}" in shown.stdout and "-> end that transaction" in shown.stdout, shown
        told = subprocess.run([BINARY, "explain", connector.name, "--url", surface.base], capture_output=True, text=True, timeout=60)
        assert f"held up by pid {pid}" in told.stdout and f"pg_terminate_backend({pid})" in told.stdout, told
        later = rf"the snapshot waits for a locked table .*held up by pid {pid}.*pg_terminate_backend\({pid}\)"
        wait_until(lambda: len(lines(connector, later)) >= 2, 30, "each try says who has the lock")
        assert not connector.logged("progress again"), "a try that ends is no progress"
        holder.commit()
    connector.wait_streaming(60)
    connector.wait_events(lambda events: {(e.table, e.id) for e in events} >= {("a", 1), ("b", 1)})
    wait_until(lambda: surface.ask("/readyz") == (200, "ok\n"), 30, "ready again")
    connector.stop()


def test_lock_on_a_table_that_is_not_captured(two_tables):
    db, connector = two_tables
    connector.start().wait_streaming()
    connector.stop()
    with db.connect(autocommit=False) as holder:
        holder.execute("lock table other in access exclusive mode")
        connector.start().wait_streaming(15)
        db.execute("insert into a values (1)")
        connector.wait_events(1, 5)
        connector.stop()
        connector.start().wait_streaming(15)
        db.execute("alter table a add w text default 'y'; insert into a values (2)")
        connector.wait_events(2, 5)
        connector.stop()


def test_lock_at_the_start(two_tables):
    db, connector = two_tables
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("lock table a in access exclusive mode")
        connector.config["walduct.stall.warn.ms"] = "2000"
        surface = Surface(connector.start("--listen", "127.0.0.1:0"))
        connector.wait_log(r'waiting for a lock on table public\.a, held up by pid \d+ \(application "migration"', 20)
        stall = wait_until(lambda: surface.status().get("stall"), 20, "the status has it, too")
        pid = holder.info.backend_pid
        assert stall["waiting_for"].startswith(f"a lock on table public.a, held up by pid {pid} ") and f"({pid})" in stall["hint"], stall
        assert surface.status()["health"] == "troubled", surface.status()
        holder.commit()
    connector.wait_streaming(60)
    wait_until(lambda: "stall" not in surface.status(), 20, "it is over")
    connector.stop()


def test_lock_that_keeps_the_publication_from_being_made(two_tables):
    """The statement gives up after ten seconds, and is tried again: the error says who holds the lock, where status shows it."""
    db, connector = two_tables
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("lock table a in share update exclusive mode")
        pid = holder.info.backend_pid
        surface = Surface(connector.start("--listen", "127.0.0.1:0"))
        error = wait_until(lambda: surface.status().get("last_error"), 60, "it has given up once")
        assert error["reason"] == "lock_timeout" and f"a lock on table public.a, held up by pid {pid} " in error["message"], error
        assert f"pg_terminate_backend({pid})" in error["hint"] and "see pg_locks" not in error["hint"], error
        shown = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, timeout=60)
        assert shown.returncode == 7 and f"held up by pid {pid}" in shown.stdout, shown
        holder.commit()
    connector.wait_streaming(60)
    connector.stop()


def test_transactions_that_hold_a_new_slot_up(two_tables):
    """Status and doctor name the oldest one, and what to type, as soon as the log does."""
    db, connector = two_tables
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("insert into other values (1)")
        pid = holder.info.backend_pid
        surface = Surface(connector.start("--listen", "127.0.0.1:0"))
        connector.wait_log(rf"the new replication slot waits for transactions to end .*pid {pid} ", 60)
        told = wait_until(lambda: surface.status().get("waiting_on") and surface.status(), 2, "at once")
        assert f"pid {pid} " in told["waiting_on"] and "pg_terminate_backend(" in told["waiting_hint"], told
        asked = subprocess.run([BINARY, "doctor", connector.name, "--url", surface.base], capture_output=True, text=True, timeout=60)
        assert asked.returncode >= 1 and "connector_stalled" in asked.stdout and f"pid {pid} " in asked.stdout, asked
        shown = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, timeout=60)
        assert shown.returncode == 7 and f"pid {pid} " in shown.stdout, shown
        holder.commit()
    connector.wait_streaming(60)
    wait_until(lambda: "waiting_on" not in surface.status(), 5, "it is over")
    connector.stop()
