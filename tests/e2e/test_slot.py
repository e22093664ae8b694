"""The replication slot: made, kept, dropped, lost, somebody else's; and how far it is confirmed."""
import time

import pytest

from support.postgres import lsn
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"


def ids(events):
    return [e.id for e in events if e.op == "c"]


@pytest.mark.parametrize("drop", [True, False])
def test_SLT_01_drop_on_stop(drop, db, connectors):
    db.script(TABLE)
    connector = connectors(db, {"slot.drop.on.stop": str(drop).lower()}).start().wait_streaming()
    slot = db.slot(connector.slot)
    assert (slot["plugin"], slot["database"], slot["temporary"]) == ("pgoutput", db.name, False)
    connector.stop()
    assert (db.slot(connector.slot) is None) == drop


def test_env08_xmin_of_the_slot(db, connectors):
    """ENV-08: source.xmin is what the slot holds back, and goes on with it; rows of a snapshot have none."""
    db.script(TABLE + "; insert into items values (0)")
    connector = connectors(db, {"xmin.fetch.interval.ms": "10"}, {"offset.flush.interval.ms": "20"}, sink="file").start().wait_streaming()
    before = int(db.slot(connector.slot)["catalog_xmin"])
    db.execute("insert into items values (1)")
    db.execute("select pg_logical_emit_message(false, 'm', 'x')")
    read, created, message = connector.wait_events(3)
    assert (read.op, read.source["xmin"]) == ("r", None)
    assert created.source["xmin"] >= before and message.source["xmin"] >= before
    number = iter(range(2, 10000))

    def goes_on():
        db.execute(f"insert into items values ({next(number)})")
        db.execute("checkpoint")  # says which transactions run; without it the slot moves every 15 s
        return connector.events()[-1].source["xmin"] > created.source["xmin"]
    wait_until(goes_on, 60, "source.xmin is read again")
    seen = [e.source["xmin"] for e in connector.events()[1:]]
    assert seen == sorted(seen) and seen[-1] <= int(db.slot(connector.slot)["catalog_xmin"])
    assert len(db.sessions("application_name like '%% xmin' and query like '%%catalog_xmin%%'")) == 1
    connector.stop()


def test_CFG_04_numeric_name(db, connectors):
    db.script(TABLE)
    name = f"{time.time_ns() % 10**12}"
    connector = connectors(db, {"slot.name": name}).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    assert db.slots() == [name]


def test_SLT_03_slot_of_another_plugin(db, connectors):
    db.script(TABLE)
    connector = connectors(db)
    db.execute("select pg_create_logical_replication_slot(%s, 'test_decoding')", connector.slot)
    assert connector.run_to_end() == 3
    assert connector.logged("error .*test_decoding.* hint=")
    assert db.slot(connector.slot)["plugin"] == "test_decoding"


def test_SLT_03_slot_of_another_database(db, databases, pg15, connectors):
    db.script(TABLE)
    other = databases(pg15)
    connector = connectors(db)
    other.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    assert connector.run_to_end() == 3
    assert connector.logged(f"error .*{other.name}.* hint=")


def test_SLT_04_writing_transaction_blocks_the_slot(private_servers, databases, connectors):
    """SLT-04: creation waits; after the limit the transaction in the way is named; once it ends, all goes well."""
    db = databases(private_servers(postgres=15).postgres)
    db.script(TABLE)
    connector = connectors(db, {"internal.create.slot.command.timeout": "2", "errors.max.retries": "0"})
    with db.transaction() as session:
        session.execute("insert into items values (1)")
        pid = session.info.backend_pid
        assert connector.run_to_end(timeout_s=60) == 1
        assert connector.logged(rf"error .*\b{pid}\b"), connector.log_text()
        assert db.slots() == []
        connector.config["internal.create.slot.command.timeout"] = "60"
        connector.start()
        wait_until(lambda: db.sessions("query like 'CREATE_REPLICATION_SLOT%%'"), 20, "slot creation waits")
        session.commit()
    connector.wait_streaming()
    assert [e.op for e in connector.wait_events(1)] == ["r"]


def test_SLT_05_10_confirmed_follows_the_sink(db, connectors):
    """SLT-05, SLT-09, SLT-10: confirmed_flush advances while rows flow, never backwards, never beyond what is stored."""
    db.script(TABLE)
    connector = connectors(db, {"status.update.interval.ms": "100"}, {"offset.flush.interval.ms": "100"}).start().wait_streaming()
    confirmed, advanced = 0, 0
    for row in range(1, 41):
        db.execute("insert into items values (%s)", row)
        time.sleep(0.05)
        now = lsn(db.slot(connector.slot)["confirmed_flush_lsn"])  # read before the offset: that may only be further
        stored = connector.offset()
        assert now >= confirmed
        if stored and now > confirmed and confirmed:
            # Until the first change is stored, a position that moved on with a keepalive is still the snapshot's.
            assert now <= stored.get("lsn_commit", stored["lsn"])
        advanced += now > confirmed
        confirmed = now
    assert advanced >= 5, f"moved only {advanced} times"
    end = lsn(db.value("select pg_current_wal_lsn()::text"))
    wait_until(lambda: lsn(db.slot(connector.slot)["confirmed_flush_lsn"]) >= end, 10, "the last row confirmed")


@pytest.mark.parametrize("form", [{"lsn.flush.mode": "manual"}, {"flush.lsn.source": "false"}])
def test_SLT_06_somebody_else_moves_the_slot(form, db, connectors):
    """SLT-06: it stays where it is, over a restart too, which repeats nothing; moved by hand, the stream goes on."""
    db.script(TABLE)
    connector = connectors(db, form | {"status.update.interval.ms": "100"}, {"offset.flush.interval.ms": "100"}).start().wait_streaming()
    began = db.slot(connector.slot)["confirmed_flush_lsn"]
    for row in (1, 2):
        db.execute("insert into items values (%s)", row)
        connector.wait_events(row)
        connector.stop()
        assert db.slot(connector.slot)["confirmed_flush_lsn"] == began
        connector.start().wait_streaming()
    connector.stop()
    stored = connector.offset()["lsn_commit"]
    db.execute("select pg_replication_slot_advance(%s, '0/0'::pg_lsn + %s)", connector.slot, stored)
    assert lsn(db.slot(connector.slot)["confirmed_flush_lsn"]) > lsn(began)
    connector.start().wait_streaming()
    db.execute("insert into items values (3)")
    assert ids(connector.wait_events(3)) == [1, 2, 3]
    connector.stop()


def test_SLT_07_advances_over_what_is_not_captured(db, connectors):
    """SLT-07, SLT-08: a busy table that nobody captures does not hold the WAL back."""
    db.script(TABLE + "; create table noise (v text)")
    connector = connectors(db, {"table.include.list": "public.items", "schema.include.list": None}).start().wait_streaming()
    for _ in range(3):
        db.execute("insert into noise select repeat('x', 1000) from generate_series(1, 5000)")
        end = lsn(db.value("select pg_current_wal_lsn()::text"))
        wait_until(lambda: lsn(db.slot(connector.slot)["confirmed_flush_lsn"]) >= end, 20, "the slot follows")
    db.execute("insert into items values (1)")
    assert ids(connector.wait_events(1)) == [1]
    connector.stop()


def test_SLT_13_lost_slot(private_servers, databases, connectors):
    """SLT-13: WAL removed by max_slot_wal_keep_size: exit code 4 with the cause; nothing is passed over."""
    servers = private_servers(postgres=15, pg_set={"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"})
    db = databases(servers.postgres)
    db.script(TABLE + "; create table noise (v text)")
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    for _ in range(6):
        db.execute("insert into noise select repeat('x', 1000) from generate_series(1, 20000)")
        db.execute("select pg_switch_wal()")
        db.execute("checkpoint")
    wait_until(lambda: db.slot(connector.slot)["wal_status"] == "lost", 20, "the slot is lost")
    assert connector.run_to_end() == 4
    assert connector.logged("error .*(lost|removed|invalid).* hint="), connector.log_text()


def test_SLT_15_dropped_while_running(db, connectors):
    """The slot vanishes under a running connector: it stops to keep data safe instead of making a new one."""
    db.script(TABLE)
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    wait_until(lambda: (connector.offset() or {}).get("lsn_commit"), 10, "offset stored")
    db.drop_slot(connector.slot)
    assert connector.wait_exit(30) == 4
    assert db.slot(connector.slot) is None


def test_SLT_20_no_session_left_after_a_failed_start(db, connectors):
    db.script(TABLE)
    connector = connectors(db, {"publication.autocreate.mode": "disabled"})
    assert connector.run_to_end() == 3
    # The server ends them a moment after their client.
    wait_until(lambda: not db.sessions("application_name ilike '%%walduct%%'"), 10, "its sessions are gone")


def test_until_lsn_and_until_caught_up(db, connectors):
    """A run with an end: exit code 0 once everything up to it is delivered and stored, 5 when interrupted before."""
    db.script(TABLE + "; insert into items values (0)")
    connector = connectors(db)
    assert connector.run_to_end("--until-caught-up") == 0
    for row in (1, 2, 3):
        db.execute("insert into items values (%s)", row)
    assert connector.run_to_end("--until-caught-up") == 0
    assert ids(connector.events()) == [1, 2, 3]
    db.execute("insert into items values (4)")
    here = db.value("select pg_current_wal_lsn()::text")
    db.execute("insert into items values (5)")
    assert connector.run_to_end("--until-lsn", here) == 0
    assert ids(connector.events())[:4] == [1, 2, 3, 4]
    connector.start("--until-lsn", "FFFF/0").wait_streaming()
    assert connector.terminate() == 5
    assert ids(connector.events()) == [1, 2, 3, 4, 5]
