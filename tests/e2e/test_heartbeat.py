"""Heartbeat records and the statement that goes with them."""
import subprocess
import time

from support.http import Surface
from support.paths import BINARY
from support.postgres import lsn
from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text)"


def is_beat(event):
    return event.topic.startswith("__debezium-heartbeat")


def beats(events):
    return [e for e in events if is_beat(e)]


def beating(connector, count):
    return lambda events: len(beats(events)) >= count


def test_hbt01_idle(db, connectors):
    """HBT-01: key, value, topic, partition; one at the end of the snapshot, and not more often than asked for."""
    db.script(ITEMS + "; insert into items values (1)")
    begin = time.monotonic()
    connector = connectors(db, {"heartbeat.interval.ms": "100"}, sink="file").start().wait_streaming()
    events = connector.wait_events(beating(connector, 5))
    elapsed = time.monotonic() - begin
    for beat in beats(events):
        assert beat.topic == f"__debezium-heartbeat.{db.name}" and beat.partition == 0 and beat.headers == []
        assert beat.key == f'{{"serverName":"{db.name}"}}'.encode()
        assert list(beat.envelope) == ["ts_ms"] and beat.envelope["ts_ms"] > 1_700_000_000_000
    times = [beat.envelope["ts_ms"] for beat in beats(events)]
    assert all(b - a >= 99 for a, b in zip(times[1:], times[2:])), times
    assert len(times) <= elapsed / 0.1 + 2
    connector.stop()


def test_hbt01_while_busy(db, connectors):
    db.execute(ITEMS)
    connector = connectors(db, {"heartbeat.interval.ms": "50"}, sink="file").start().wait_streaming()
    db.execute("insert into items select g, repeat('x', 200) from generate_series(1, 30000) g")
    events = connector.wait_events(lambda events: sum(e.table == "items" for e in events) == 30000, 60)
    busy = [i for i, e in enumerate(events) if e.table == "items"]
    assert any(busy[0] < i < busy[-1] for i, e in enumerate(events) if is_beat(e)), "none among the rows"
    assert [e.id for e in events if e.table == "items"] == list(range(1, 30001))


def test_hbt02_nothing_captured_changes(db, connectors):
    """HBT-02: the stored position follows tables that nobody captures."""
    db.script(ITEMS + "; create table noise (id int)")
    connector = connectors(db, {"heartbeat.interval.ms": "100", "table.include.list": "public.items", "schema.include.list": None},
                           sink="file").start().wait_streaming()
    db.execute("insert into noise select generate_series(1, 1000)")
    end = lsn(db.value("select pg_current_wal_lsn()::text"))
    wait_until(lambda: (connector.offset() or {}).get("lsn", 0) >= end, 20, "the position follows")
    seen = len(beats(connector.events()))
    connector.wait_events(beating(connector, seen + 2))


def test_hbt04_action_query(db, connectors):
    """HBT-04: run with each heartbeat; through a captured table its rows come back."""
    db.script(ITEMS + "; create table beat (id int primary key, at timestamptz); insert into beat values (1, now())")
    connector = connectors(db, {"heartbeat.interval.ms": "100", "heartbeat.action.query": "update beat set at = clock_timestamp() where id = 1"},
                           sink="file").start().wait_streaming()
    events = connector.wait_events(lambda events: sum(e.op == "u" for e in events) >= 3)
    assert len(beats(events)) >= 3
    connector.stop()


def test_hbt04_failing_action_query_is_logged(db, connectors):
    """HBT-04: a failure is logged once and disturbs nothing; a slow statement holds no row up."""
    db.execute(ITEMS)
    connector = connectors(db, {"heartbeat.interval.ms": "50", "heartbeat.action.query": "insert into missing values (1)"},
                           sink="file").start().wait_streaming()
    connector.wait_log("warning .*heartbeat.action.query failed.*missing")
    seen = len(beats(connector.events()))
    connector.wait_events(beating(connector, seen + 3))
    db.execute("insert into items values (1)")
    connector.wait_events(lambda events: any(e.id == 1 for e in events if e.table == "items"))
    assert connector.log_text().count("heartbeat.action.query failed") == 1
    db.execute("create table missing (id int)")
    connector.wait_log("heartbeat.action.query works again")
    connector.stop()

    connector.config["heartbeat.action.query"] = "select pg_sleep(600)"
    connector.start().wait_streaming()
    db.execute("insert into items values (2)")
    connector.wait_events(lambda events: any(e.id == 2 for e in events if e.table == "items"), 10)
    seen = len(beats(connector.events()))
    connector.wait_events(beating(connector, seen + 3), 10)
    connector.stop()


def test_an_action_query_that_waits_for_a_lock_is_told(db, connectors):
    """Status, series and doctor name the holder and what to type, and no longer once it is over; the stream goes on."""
    db.script(ITEMS + "; create table beat (id int primary key, at timestamptz); insert into beat values (1, now())")
    connector = connectors(db, {"heartbeat.interval.ms": "100", "heartbeat.action.query": "update beat set at = clock_timestamp() where id = 1",
                                         "walduct.stall.warn.ms": "2000"}, sink="file").start("--listen", "127.0.0.1:0").wait_streaming()
    surface = Surface(connector)
    wait_until(lambda: surface.value("walduct_beside_failing_seconds", what="heartbeat_action") == 0, 20, "it works")
    with db.connect(application_name="migration", autocommit=False) as holder:
        holder.execute("lock table beat in access exclusive mode")
        pid = holder.info.backend_pid
        beside = wait_until(lambda: surface.status().get("beside"), 15, "told")
        assert [(one["what"], one.get("waits")) for one in beside] == [("heartbeat_action", True)], beside
        assert f"a lock on table beat, held up by pid {pid}" in beside[0]["message"].replace("public.", ""), beside
        assert f"pg_terminate_backend({pid})" in beside[0]["hint"], beside
        assert surface.value("walduct_beside_failing_seconds", what="heartbeat_action") > 0
        asked = subprocess.run([BINARY, "doctor", connector.name, "--url", surface.base], capture_output=True, text=True, timeout=60)
        assert "warning  beside_waits" in asked.stdout and f"pg_terminate_backend({pid})" in asked.stdout, asked
        assert "stall" not in surface.status(), "the stream waits for nothing"
        db.execute("insert into items values (1)")
        connector.wait_events(lambda events: any(e.id == 1 for e in events if e.table == "items"))
        holder.commit()
    wait_until(lambda: not surface.status().get("beside"), 15, "over")
    wait_until(lambda: surface.value("walduct_beside_failing_seconds", what="heartbeat_action") == 0, 5, "it works again")
    connector.stop()


def test_no_heartbeat_unless_asked_for(db, connectors):
    db.execute(ITEMS)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    assert beats(connector.wait_events(1)) == []
    connector.stop()
    assert beats(connector.events()) == []


def test_own_name_of_the_topic(db, connectors):
    db.execute(ITEMS)
    connector = connectors(db, {"heartbeat.interval.ms": "50", "topic.heartbeat.name": f"{db.name}.beats"}).start().wait_streaming()
    events = connector.wait_events(2)
    assert {(e.topic, e.partition) for e in events} == {(f"{db.name}.beats", 0)}
