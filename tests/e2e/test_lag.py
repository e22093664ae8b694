"""Lag is the age of the oldest change that is committed and not acknowledged, whatever is waited for; a slot is what its server says."""
import os
import signal
import subprocess
import time
from contextlib import closing

import pytest
from test_serve import config_of, workers  # noqa: F401

from support.http import Surface
from support.paths import BINARY
from support.registry_stub import RegistryStub
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")
ITEMS = "create table items (id int primary key, v text)"
BETWEEN_LOOKS = 10  # seconds
ALL = pytest.mark.skipif(os.environ.get("E2E_LAG") != "all", reason="takes a minute; E2E_LAG=all")


class Series(Surface):
    def __init__(self, base):  # pylint: disable=super-init-not-called
        self.base = base


class Watch:
    """Of one connector at a surface, in all places that tell of it."""

    def __init__(self, surface, name=None):
        self.surface, self.name = surface, name

    def one(self):
        connectors = self.surface.json("/status")["connectors"]
        return next(c for c in connectors if self.name in (None, c["name"]))

    def lag(self):
        """The series, which /status agrees with."""
        before = self.surface.value("walduct_lag_seconds")
        shown = self.one().get("lag_seconds")
        after = self.surface.value("walduct_lag_seconds")
        if None in (before, shown, after):
            return None
        if before <= after:  # else it has ended in between
            assert before - 0.1 <= shown <= after + 0.1, "status and series agree"
        return after

    def wait_none(self, timeout_s=30):
        wait_until(lambda: (self.lag() or 0) < 1 and self.lag() is not None, timeout_s, f"no lag; is {self.lag()}", interval_s=0.2)

    def expect_none(self, seconds):
        """Sampled, not waited for: it must not come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.lag() < 1
            time.sleep(0.5)

    def expect_growth(self, since, slack=1.5, seconds=4, timeout_s=BETWEEN_LOOKS + 6):
        """Never less than the age, by a second a second, at most `slack` more."""
        wait_until(lambda: (self.lag() or 0) >= max(time.time() - since - 0.5, 2), timeout_s, f"lag of what was committed {since}; is {self.lag()}",
                   interval_s=0.2)
        first, at = self.lag(), time.monotonic()
        while time.monotonic() < at + seconds:
            passed, age = time.monotonic() - at, time.time() - since
            lag = self.lag()
            assert age - 1.5 <= lag <= age + slack, f"{lag} s of a change that is {age} s old"
            assert abs(lag - first - passed) < 1.5, f"from {first} to {lag} in {passed} s"
            time.sleep(0.3)


def test_lag_of_a_lock_and_of_a_walsender_that_stands_still(db, connectors):
    db.script(ITEMS + "; create table late (id int primary key)")
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    watch = Watch(Surface(connector))
    watch.wait_none()
    watch.expect_none(2)
    with db.connect(autocommit=False) as holder:
        holder.execute("alter table late add w text default 'y'")
        holder.execute("insert into late values (1)")
        since = time.time()
        holder.commit()
        holder.execute("lock table late in access exclusive mode")
        watch.expect_growth(since)
        assert watch.one()["in_flight_records"] == 0, "it is held, not in flight"
        holder.rollback()
    watch.wait_none()
    walsender = db.slot(connector.slot)["active_pid"]
    os.kill(walsender, signal.SIGSTOP)
    try:
        db.execute("insert into items values (1)")
        watch.expect_growth(time.time(), slack=BETWEEN_LOOKS + 3)
    finally:
        os.kill(walsender, signal.SIGCONT)
    watch.wait_none()
    connector.stop()


def test_lag_of_a_registry_that_is_away(db, connectors):
    db.script(ITEMS)
    with closing(RegistryStub(fault=lambda subject: 503)) as registry:
        avro = {f"{part}.converter": "io.confluent.connect.avro.AvroConverter" for part in ("key", "value")}
        urls = {f"{part}.converter.schema.registry.url": registry.url for part in ("key", "value")}
        connector = connectors(db, {**avro, **urls, "snapshot.mode": "no_data"}).start(*LISTEN).wait_streaming()
        watch = Watch(Surface(connector))
        watch.wait_none()
        db.execute("insert into items values (1)")
        watch.expect_growth(time.time())
        registry.fault = lambda subject: None
        watch.wait_none(60)
        connector.stop()


def test_lag_of_a_snapshot_that_waits(db, connectors):
    db.script(ITEMS + "; insert into items values (1)")
    slow = {"snapshot.select.statement.overrides": "public.items",
            "snapshot.select.statement.overrides.public.items": "select i.* from public.items i, pg_sleep(15) s"}
    connector = connectors(db, slow, sink="file").start(*LISTEN)
    watch = Watch(Surface(connector))
    wait_until(lambda: watch.one()["activity"] == "snapshotting", 30, "it reads")
    watch.expect_growth(time.time(), slack=10)
    connector.wait_streaming()
    watch.wait_none()
    connector.stop()


@pytest.fixture
def small_server(private_servers, databases):
    """A slot is soon lost there."""
    servers = private_servers(postgres=15, pg_set={"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"})
    db = databases(servers.postgres)
    db.script(ITEMS + "; create table noise (v text)")
    return db


def lose(db, slot):
    for _ in range(6):
        db.execute("insert into noise select repeat('x', 1000) from generate_series(1, 20000)")
        db.execute("select pg_switch_wal()")
        db.execute("checkpoint")
    wait_until(lambda: db.slot(slot)["wal_status"] == "lost", 20, "the slot is lost")


def screen(base):
    return subprocess.run([str(BINARY), "status", "--url", base], capture_output=True, text=True, timeout=30)


def test_a_paused_connector_goes_on_being_looked_at(small_server, workers):  # noqa: F811
    """Lag of what was committed meanwhile, and none of what was not; then the slot is lost, and says so while it is paused, once it
    fails, and in the exit code."""
    db, worker = small_server, workers().start()
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    metrics = Series(worker.base)
    wait_until(lambda: metrics.value("walduct_connected") == 1, 30, "it streams")
    db.execute("insert into items values (1)")
    wait_until(lambda: metrics.value("walduct_records_acknowledged_total") == 1, 30, "published")
    worker.ask("PUT", "/connectors/shop/pause")
    worker.wait_state("shop", "PAUSED/PAUSED")
    watch = Watch(metrics)
    watch.wait_none()
    watch.expect_none(BETWEEN_LOOKS + 3)
    db.execute("insert into items values (2)")
    watch.expect_growth(time.time(), slack=BETWEEN_LOOKS + 3)
    assert screen(worker.base).returncode == 0
    lose(db, db.name)
    wait_until(lambda: metrics.value("walduct_slot_wal_status", status="lost") == 1, 15, "told while paused")
    assert metrics.value("walduct_slot_wal_status", status="reserved") == 0
    shown = screen(worker.base)
    assert shown.returncode == 6 and "lost" in shown.stdout and "slot_lost" in shown.stdout and "reserved" not in shown.stdout, shown
    assert "-" not in shown.stdout.split("slot ")[1].split("\n")[0]
    assert watch.one()["slot"]["problem"]["reason"] == "slot_lost"
    worker.ask("PUT", "/connectors/shop/resume")
    wait_until(lambda: watch.one()["state"] == "FAILED", 30, "it cannot go on")
    shown = screen(worker.base).stdout
    assert "waiting" not in shown and "reserved" not in shown and "lost" in shown and "grows" not in shown, shown
    wait_until(lambda: watch.one()["slot"]["age_seconds"] < 5, 15, "and is looked at")
    worker.stop()


def test_a_stopped_connector_is_looked_at(workers, databases, pg17):  # noqa: F811
    """It has no task and no thread; a worker that is started anew knows it, too."""
    db, worker = databases(pg17), workers().start()
    db.script(ITEMS)
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    metrics = Series(worker.base)
    wait_until(lambda: metrics.value("walduct_connected") == 1, 30, "it streams")
    worker.ask("PUT", "/connectors/shop/stop")
    worker.wait_state("shop", "STOPPED")
    worker.stop()
    worker.start()
    wait_until(lambda: metrics.value("walduct_slot_wal_status", status="reserved") == 1, 30, "looked at")
    assert metrics.value("walduct_connector_state", state="stopped") == 1
    assert metrics.json("/status")["connectors"] == [] and metrics.json("/status")["resting"][0]["state"] == "STOPPED"
    db.execute("insert into items values (1)")
    metrics.wait_value(lambda lag: lag > 1, "walduct_lag_seconds")
    assert "shop  STOPPED" in screen(worker.base).stdout
    db.drop_slot(db.name)
    metrics.wait_value(lambda value: value == 1, "walduct_slot_wal_status", status="missing")
    assert screen(worker.base).returncode == 6
    worker.ask("PUT", "/connectors/shop/resume")
    wait_until(lambda: metrics.json("/status")["resting"] == [] and metrics.json("/status")["connectors"] != [], 30, "it runs")
    worker.stop()


def test_lag_goes_on_where_a_connector_begins_anew(workers, databases, pg17):  # noqa: F811
    """Another configuration of a stopped connector, then its resume: what was committed becomes no younger."""
    db, worker = databases(pg17), workers().start()
    db.script(ITEMS)
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    metrics = Series(worker.base)
    wait_until(lambda: metrics.value("walduct_connected") == 1, 30, "it streams")
    worker.ask("PUT", "/connectors/shop/stop")
    worker.wait_state("shop", "STOPPED")
    db.execute("insert into items values (1)")
    since = time.time()
    metrics.wait_value(lambda lag: lag >= 3, "walduct_lag_seconds")
    worker.ask("PUT", "/connectors/shop/config", config_of(db, **{"poll.interval.ms": "400"}))
    end = time.monotonic() + BETWEEN_LOOKS + 2
    while time.monotonic() < end:  # sampled, not waited for: it must not begin anew
        age = time.time() - since
        lag = metrics.value("walduct_lag_seconds")
        assert lag is None or age - 1.5 <= lag <= age + BETWEEN_LOOKS + 3, f"{lag} s of a change that is {age} s old"
        time.sleep(0.3)
    worker.ask("PUT", "/connectors/shop/resume")
    metrics.wait_value(lambda acknowledged: acknowledged == 1, "walduct_records_acknowledged_total")
    metrics.wait_value(lambda lag: lag < 1, "walduct_lag_seconds")
    worker.stop()


@ALL
def test_kafka_that_is_away_before_anybody_has_looked(private_servers, databases, connectors):
    """Lag is there, of a process that streamed and of one that did not; a slot that is lost meanwhile is lost, whatever the error says."""
    servers = private_servers(postgres=15, kafka=True, pg_set={"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"})
    db = databases(servers.postgres)
    db.script(ITEMS + "; create table noise (v text)")
    properties = {"table.include.list": "public.items"}
    connector = connectors(db, properties, worker={"bootstrap.servers": servers.bootstrap}).start(*LISTEN).wait_streaming()
    servers.pause_kafka()
    db.execute("insert into items values (1)")
    watch = Watch(Surface(connector))
    watch.expect_growth(time.time())
    servers.resume_kafka()
    connector.wait_events(1)
    watch.wait_none(60)
    connector.stop()
    servers.do("stop-kafka")
    db.execute("insert into items values (2)")
    time_of_look = time.time() + 7
    connector.start(*LISTEN)
    watch = Watch(Surface(connector))
    watch.expect_growth(time_of_look, slack=8, timeout_s=30)
    lose(db, connector.slot)
    wait_until(lambda: watch.one()["slot"]["wal_status"] == "lost", 15, "told")
    assert "slot" not in watch.one().get("last_error", {}).get("reason", ""), "of Kafka"
    assert watch.one()["slot"]["problem"]["reason"] == "slot_lost"
    connector.kill()


@ALL
def test_a_slot_that_is_dropped_is_missing_and_a_server_away_is_unknown(private_servers, databases, connectors):
    """Beside one that works, so that the process goes on."""
    first, second = private_servers(postgres=17), private_servers(postgres=17)
    dbs = [databases(first.postgres), databases(second.postgres)]
    for db in dbs:
        db.script(ITEMS)
    well, other = connectors(dbs[0], sink="file"), connectors(dbs[1], sink="file")
    other.name = "other"
    other.write_files()
    well.start("-f", other.dir / "connector.json", *LISTEN)
    well.wait_streaming()
    surface = Surface(well)
    watch = Watch(surface, "other")
    wait_until(lambda: watch.one().get("slot", {}).get("wal_status") == "reserved", 30, "looked at")
    dbs[1].execute("insert into items values (1)")
    wait_until(lambda: watch.one()["records"] == 1, 30, "published")
    dbs[1].drop_slot(other.slot)
    wait_until(lambda: watch.one()["state"] == "FAILED", 30, "it stops")
    wait_until(lambda: watch.one()["slot"]["wal_status"] == "missing", 15, "and the slot is missing")
    assert surface.value("walduct_slot_wal_status", connector="other", status="missing") == 1
    second.do("stop-postgres")
    wait_until(lambda: watch.one()["slot"]["wal_status"] == "unknown", 60, "nobody can know")
    assert watch.one()["slot"]["last_wal_status"] == "missing"
    assert surface.value("walduct_slot_wal_status", connector="other", status="unknown") == 1
    second.do("start-postgres")
    wait_until(lambda: watch.one()["slot"]["wal_status"] == "missing", 30, "looked at again")
    assert well.terminate() == 4, "the worst of both"


def test_an_error_that_is_behind_is_solved(db, connectors):
    db.script(ITEMS)
    connector = connectors(db, sink="file").start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    db.execute("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", connector.slot)
    wait_until(lambda: "last_error" in surface.status(), 30, "an error")
    reason = surface.status()["last_error"]["reason"]
    wait_until(lambda: "solved_at" in surface.status()["last_error"], 30, "solved")
    assert surface.value("walduct_error_open", reason=reason) == 0
    shown = subprocess.run([str(BINARY), "status", "--url", surface.base], capture_output=True, text=True, timeout=30)
    assert shown.returncode == 0 and " ago, solved " in shown.stdout and "hint" not in shown.stdout, shown
    connector.stop()
