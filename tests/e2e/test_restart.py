"""Stops, crashes and restarts: nothing lost, and after a clean stop nothing twice."""
import os
import signal

import pytest

from support.offsets import read_offset, write_offset
from support.postgres import lsn
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"


def ids(events, op="c"):
    return [e.id for e in events if e.op == op]


def test_RST_01_03_22_clean_stops_repeat_nothing(db, connectors):
    """RST-01, RST-03, RST-08, RST-22: five stops between single-row transactions; what came while down comes once."""
    db.script(TABLE + "; insert into items values (0)")
    connector = connectors(db)
    expected = []
    for cycle in range(1, 11, 2):
        connector.start().wait_streaming()
        db.execute("insert into items values (%s)", cycle)
        expected.append(cycle)
        connector.wait_events(lambda events: expected[-1] in ids(events))
        connector.stop()
        confirmed = lsn(db.slot(connector.slot)["confirmed_flush_lsn"])
        assert confirmed >= connector.offset()["lsn_commit"], "the stop confirmed what it stored"
        db.execute("insert into items values (%s)", cycle + 1)
        expected.append(cycle + 1)
    connector.start().wait_streaming()
    connector.wait_events(lambda events: expected[-1] in ids(events))
    connector.stop()
    assert ids(connector.events()) == expected
    assert ids(connector.events(), "r") == [0], "one snapshot only"


WRITERS = {
    "insert": "insert into items select g, repeat('x', 400) from generate_series(1, 80000) g",
    "copy": "copy items from program 'seq 1 80000 | sed ''s/$/\t" + "x" * 400 + "/'''",  # many rows share an LSN
}


@pytest.mark.parametrize("end", ["terminate", "kill"])
@pytest.mark.parametrize("writer", WRITERS)
def test_RST_04_07_SLT_11_stop_inside_a_large_transaction(writer, end, db, connectors):
    """RST-04, RST-07: a stop in the middle of 80,000 rows of one transaction, twice. After SIGTERM each row comes exactly
    once; after kill -9 what repeats is a contiguous part that begins after the last stored offset."""
    db.execute(TABLE)
    connector = connectors(db).start().wait_streaming()
    db.execute(WRITERS[writer])
    for share in (5_000, 25_000):
        wait_until(lambda: connector.reader.count() >= share, 60, f"{share} records", interval_s=0.002)
        if end == "kill":
            connector.kill()
        else:
            connector.stop()
        assert connector.reader.count() < 80_000, "stopped too late to test anything"
        connector.start().wait_log(r"\[connector\]")  # before that a signal ends it as any program
    seen = ids(connector.wait_events(lambda events: events and events[-1].id == 80_000, 120))
    connector.stop()
    if end == "terminate":
        assert seen == list(range(1, 80_001))
    else:
        steps = [b - a for a, b in zip([0] + seen, seen)]
        assert max(steps) == 1, "a row is missing"
        assert sum(step <= 0 for step in steps) <= 2, "repeated only after the two kills"


def test_RST_05_transaction_open_over_a_restart(db, connectors):
    """RST-05: tx1 begins first and commits last, with a restart between."""
    db.execute(TABLE)
    connector = connectors(db).start().wait_streaming()
    with db.transaction() as first:
        first.execute("insert into items values (1)")
        db.execute("insert into items values (10)")
        connector.wait_events(1)
        connector.stop()
        connector.start().wait_streaming()
        first.execute("insert into items values (2)")
        first.commit()
    assert ids(connector.wait_events(3)) == [10, 1, 2]


def test_RST_06_interleaved_transactions(db, connectors):
    """RST-06: B commits in the middle of A; B's commit LSN is above the LSNs of A's first rows, and still none of A is lost."""
    db.execute(TABLE)
    connector = connectors(db).start().wait_streaming()
    with db.transaction() as a:
        a.execute("insert into items select g from generate_series(1, 5) g")
        db.execute("insert into items values (100)")
        connector.wait_events(1)
        a.execute("insert into items select g from generate_series(6, 10) g")
        connector.stop()
        a.commit()
    connector.start().wait_streaming()
    assert ids(connector.wait_events(11)) == [100, *range(1, 11)]


def test_RST_11_offsets_lost_slot_kept(db, connectors):
    db.execute(TABLE)
    connector = connectors(db, {"snapshot.mode": "no_data"}).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    connector.offset_file.unlink()
    db.execute("insert into items values (2)")
    connector.start().wait_streaming()
    events = connector.wait_events(lambda events: 2 in ids(events))
    assert ids(events, "r") == []


def stopped_with_rows_missed(db, connectors, **config):
    """A connector with a stored offset, down, and one row that it has not read."""
    db.script(TABLE)
    connector = connectors(db, config).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    db.execute("insert into items values (2)")
    return connector


def refused(connector, code=4):
    """It ends with that code, says why and what to do, and writes nothing."""
    before, offset = len(connector.events()), connector.offset_file.read_bytes()
    assert connector.run_to_end() == code
    assert connector.logged(r"error .*stopped: .* reason=\w+ hint=")
    assert len(connector.events()) == before
    assert connector.offset_file.read_bytes() == offset


def test_RST_12_slot_created_anew(db, connectors):
    """RST-12, SLT-15: between the old slot and the new one lies a gap; resuming would hide it."""
    connector = stopped_with_rows_missed(db, connectors)
    db.execute("select pg_drop_replication_slot(%s)", connector.slot)
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    refused(connector)
    assert connector.logged("no longer available on the server")


@pytest.mark.parametrize("how, rows", [("fast", 0), ("immediate", 1)], ids=["nothing between", "rows between"])
def test_slot_created_anew_before_a_restart_of_the_server(how, rows, private_servers, databases, connectors):
    """By its name it is the old one, and after the restart nobody remembers another: whether the connector ran or not it stops. Where
    nothing was written in between it says so, too: nobody can know."""
    servers = private_servers(postgres=15)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    wait_until(lambda: connector.offset(), 30, "a position")

    def restart():
        servers.pg_ctl("stop", "-m", how)
        servers.do("start-postgres")
        db.close_session()
    connector.process.send_signal(signal.SIGSTOP)
    pid = db.slot(connector.slot)["active_pid"]
    db.execute("select pg_terminate_backend(%s)", pid)
    wait_until(lambda: not db.slot(connector.slot)["active"], 30, "the slot is free")
    db.execute("select pg_drop_replication_slot(%s)", connector.slot)
    db.execute("insert into items select g from generate_series(2, 1 + %s) g", rows)
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    restart()
    db.execute("insert into items values (9)")
    connector.process.send_signal(signal.SIGCONT)
    assert connector.wait_exit(60) == 4 and connector.logged("error .*stopped: .*the slot stands beyond it, at .* reason=position_skipped hint=")
    refused(connector)
    restart()
    refused(connector)
    assert ids(connector.events()) == [1]


def test_RST_12_slot_dropped(db, connectors):
    connector = stopped_with_rows_missed(db, connectors)
    db.execute("select pg_drop_replication_slot(%s)", connector.slot)
    refused(connector)
    assert db.slot(connector.slot) is None, "a silent new slot would hide the gap"


def test_RST_13_slot_advanced_by_somebody(db, connectors):
    connector = stopped_with_rows_missed(db, connectors)
    db.execute("select pg_replication_slot_advance(%s, pg_current_wal_lsn())", connector.slot)
    refused(connector)
    connector.config["offset.mismatch.strategy"] = "trust_slot"
    connector.start().wait_streaming()
    db.execute("insert into items values (3)")
    assert ids(connector.wait_events(2)) == [1, 3]


def test_RST_16_offset_beyond_the_end_of_the_wal(db, connectors):
    connector = stopped_with_rows_missed(db, connectors)
    offset = connector.offset()
    moved = {k: v + (1 << 40) if k in ("lsn", "lsn_proc", "lsn_commit") else v for k, v in offset.items()
             if not k.startswith("walduct_")}
    write_offset(connector.offset_file, connector.name, connector.prefix, moved)
    refused(connector)


def test_FAIL_18_offset_of_another_server(db, databases, pg17, connectors):
    """FAIL-18: the same configuration pointed at another server, where the same LSN means something else."""
    connector = stopped_with_rows_missed(db, connectors)
    other = databases(pg17)
    other.script(TABLE)
    connector.config.update({"database.port": str(pg17.port), "database.dbname": other.name})
    refused(connector)
    assert other.slots() == []


def test_RST_23_offset_store_unavailable(db, connectors, tmp_path):
    """RST-23: while the position cannot be stored, events flow and the slot does not move."""
    store = tmp_path / "store"
    store.mkdir()
    db.execute(TABLE)
    connector = connectors(db, worker={"offset.storage.file.filename": str(store / "offsets.dat")}).start().wait_streaming()
    db.execute("insert into items values (1)")
    wait_until(lambda: (read_offset(store / "offsets.dat", connector.name, connector.prefix) or {}).get("lsn_commit"), 10, "stored")
    os.rename(store, tmp_path / "away")
    db.execute("insert into items values (2)")
    connector.wait_log("cannot store the offset")
    written = lsn(db.value("select pg_current_wal_lsn()::text"))
    connector.wait_events(2)
    for _ in range(5):
        db.execute("select pg_sleep(0.5)")
        assert lsn(db.slot(connector.slot)["confirmed_flush_lsn"]) < written
    os.rename(tmp_path / "away", store)
    wait_until(lambda: lsn(db.slot(connector.slot)["confirmed_flush_lsn"]) >= written, 20, "the slot moves again")
    connector.stop()


def test_FAIL_01_walsender_terminated(db, connectors):
    db.execute(TABLE)
    connector = connectors(db).start().wait_streaming()
    for row in range(1, 4):
        db.execute("insert into items values (%s)", row)
        connector.wait_events(lambda events: row in ids(events))
        pid = db.slot(connector.slot)["active_pid"]
        db.execute("select pg_terminate_backend(%s)", pid)
        wait_until(lambda: db.slot(connector.slot)["active_pid"] not in (None, pid), 30, "reconnected")
    db.execute("insert into items values (4)")
    assert sorted(set(ids(connector.wait_events(lambda events: 4 in ids(events))))) == [1, 2, 3, 4]
    connector.stop()


def test_FAIL_05_role_may_no_longer_log_in(db, connectors):
    """FAIL-05: a permanent refusal after a lost connection ends the process instead of being retried for ever."""
    role = f"r_{db.name}"
    db.script(TABLE + f"; create role {role} login replication superuser password 'x'")
    try:
        connector = connectors(db, {"database.user": role, "database.password": "x"}).start().wait_streaming()
        db.script(f"alter role {role} nologin; select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = '{connector.slot}'")
        assert connector.wait_exit() == 3
        assert connector.logged(r"error .*stopped: ")
    finally:
        db.script(f"reassign owned by {role} to postgres; drop owned by {role}; drop role {role}")
