"""A stored position that is of no use any more, and starts that were cut short: what was decided is never forgotten, and
nothing is read again or passed over in silence."""
import json
import socket
import threading

import pytest

from support.connector import SNAPSHOT_COMPLETED
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
# The first table of the snapshot takes its time: no row is published meanwhile.
SLOW = {"snapshot.select.statement.overrides": "public.a_slow",
        "snapshot.select.statement.overrides.public.a_slow": "select * from public.a_slow where (select pg_sleep(3)) is not null"}


def ids(events, op="c"):
    return [e.id for e in events if e.op == op and e.topic.endswith(".items")]


def everything(connector):
    return set(ids(connector.events()) + ids(connector.events(), "r"))


@pytest.mark.parametrize("strategy", ["no_validation", "trust_slot", "trust_greater_lsn"])
@pytest.mark.parametrize("end", ["kill", "lock", "control"])
def test_interrupted_recovery_snapshot_is_taken_again(end, strategy, db, connectors):
    """when_needed finds the slot gone and takes a snapshot, which is cut short after the slot was created and before any row
    was published: by kill -9, or by a lock that is not given. The next start does not trust the new slot."""
    db.script(TABLE + "; create table a_slow (id int primary key)")
    connector = connectors(db, {"snapshot.mode": "when_needed", "offset.mismatch.strategy": strategy,
                                "snapshot.lock.timeout.ms": "500", "retriable.restart.connector.wait.ms": "1000"}, sink="file")
    connector.start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    db.drop_slot(connector.slot)
    db.execute("insert into items values (2)")
    connector.config.update(SLOW)
    connector.start()
    wait_until(lambda: db.sessions("wait_event = 'PgSleep'"), 20, "the snapshot reads")
    assert db.slot(connector.slot)
    if end == "kill":
        connector.kill()
        wait_until(lambda: not db.slot(connector.slot)["active"], 20, "the slot is free")
    if end == "lock":
        with db.transaction() as session:
            session.execute("lock table items in access exclusive mode")
            connector.wait_log("retrying: .*lock", 20)
        connector.wait_streaming(30)
    if end == "control":
        connector.wait_streaming(30)
    connector.config.update(dict.fromkeys(SLOW))
    if end == "kill":
        connector.start().wait_streaming()
    db.execute("insert into items values (3)")
    connector.wait_events(lambda events: 3 in ids(events))
    assert everything(connector) == {1, 2, 3}
    connector.stop()


def test_SNP_interrupted_first_snapshot_is_taken_again(db, connectors):
    """kill -9 between the creation of the slot and the first row."""
    db.script(TABLE + "; create table a_slow (id int primary key); insert into items values (1)")
    connector = connectors(db, SLOW, sink="file").start()
    wait_until(lambda: db.sessions("wait_event = 'PgSleep'"), 20, "the snapshot reads")
    connector.kill()
    wait_until(lambda: not db.slot(connector.slot)["active"], 20, "the slot is free")
    connector.config.update(dict.fromkeys(SLOW))
    connector.start().wait_streaming()
    assert ids(connector.wait_events(1), "r") == [1]


@pytest.mark.parametrize("mode", ["initial", "when_needed"])
def test_SLT_13_lost_slot_is_replaced(mode, private_servers, databases, connectors):
    """An invalidated slot: exit code 4 with initial; with when_needed it is dropped, created and a snapshot taken."""
    servers = private_servers(postgres=15, pg_set={"max_slot_wal_keep_size": "1MB", "max_wal_size": "32MB", "min_wal_size": "32MB"})
    db = databases(servers.postgres)
    db.script(TABLE + "; create table noise (v text)")
    connector = connectors(db, {"snapshot.mode": mode, "table.include.list": "public.items"}, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    db.execute("insert into items values (2)")
    for _ in range(6):
        db.execute("insert into noise select repeat('x', 1000) from generate_series(1, 20000)")
        db.execute("select pg_switch_wal()")
        db.execute("checkpoint")
    wait_until(lambda: db.slot(connector.slot)["wal_status"] == "lost", 20, "the slot is lost")
    if mode == "initial":
        assert connector.run_to_end() == 4
        assert connector.logged("reason=slot_lost hint=.*-o snapshot.mode=when_needed")
        return
    connector.start().wait_streaming()
    assert connector.logged("warning .*invalidated.*taking a new snapshot"), connector.log_text()
    db.execute("insert into items values (3)")
    connector.wait_events(lambda events: 3 in ids(events))
    assert everything(connector) == {1, 2, 3}
    assert db.slot(connector.slot)["wal_status"] == "reserved"
    connector.stop()


# --- no offset, but a slot ---

def with_rows(db, connectors, **more):
    db.script(TABLE + "; insert into items values (1)")
    connector = connectors(db, sink="file", **more).start().wait_streaming()
    db.execute("insert into items values (2)")
    connector.wait_events(2)
    connector.stop()
    return connector


def test_RST_11_lost_offset_is_asked_about(db, connectors):
    """The offsets are gone and the slot was read from: nothing is published again before somebody has chosen."""
    connector = with_rows(db, connectors)
    connector.offset_file.unlink()
    assert connector.run_to_end() == 3, connector.log_text()
    assert connector.logged("reason=offset_missing hint=.*when_needed.*no_data.*pg_drop_replication_slot")
    assert len(connector.events()) == 2
    connector.config["snapshot.mode"] = "when_needed"
    connector.start().wait_log(SNAPSHOT_COMPLETED)
    wait_until(lambda: ids(connector.events(), "r") == [1, 1, 2], 10, "the rows are read again")
    connector.stop()


def test_RST_11_slot_created_beforehand_is_a_first_start(db, connectors):
    """The control: an operator has created slot and publication, and changes were made since."""
    db.script(TABLE + "; insert into items values (1)")
    connector = connectors(db, sink="file")
    db.execute(f'create publication "{connector.publication}" for table items')
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    db.execute("insert into items values (2)")
    connector.start().wait_streaming()
    assert ids(connector.wait_events(2), "r") == [1, 2]
    connector.stop()


def test_RST_11_erased_offset_is_a_first_start(db, connectors, tmp_path):
    """Erased on purpose, the offset is not missed."""
    connector = with_rows(db, connectors)
    erased = tmp_path / "null.json"
    erased.write_text(json.dumps({"offsets": [{"partition": {"server": connector.prefix}, "offset": None}]}))
    assert connector.call("offsets", "import", erased).returncode == 0
    connector.start().wait_streaming()
    assert ids(connector.wait_events(4), "r") == [1, 1, 2]
    connector.stop()


# --- offsets that were loaded too early ---

class Gate:
    """A TCP proxy to the server that lets nothing through before it is opened."""

    def __init__(self, server):
        self._server, self._open = server, threading.Event()
        self._listener = socket.create_server((server.host, 0))
        self.port = self._listener.getsockname()[1]
        self.waiting = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.waiting.set()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        self._open.wait()
        server = socket.create_connection((self._server.host, self._server.port))
        threading.Thread(target=self._pump, args=(server, client), daemon=True).start()
        self._pump(client, server)

    @staticmethod
    def _pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def open(self):
        self._open.set()

    def close(self):
        self._open.set()
        self._listener.close()


def test_rolling_restart_takes_the_newest_offset(db, connectors, tmp_path):
    """The successor loads the offset, then the old instance publishes more, stores it and leaves: no gap is seen where there
    is none."""
    db.script(TABLE)
    store = str(tmp_path / "shared" / "offsets.dat")
    (tmp_path / "shared").mkdir()
    worker = {"offset.storage.file.filename": store}
    old = connectors(db, worker=worker, name="old")
    new = connectors(db, worker=worker, name="new")
    new.name = old.name  # the namespace of the offsets
    old.start().wait_streaming()
    db.execute("insert into items values (1)")
    old.wait_events(1)
    wait_until(lambda: db.slot(old.slot)["confirmed_flush_lsn"], 10, "confirmed")
    gate = Gate(db.server)
    try:
        new.config["database.port"] = str(gate.port)
        new.start()
        assert gate.waiting.wait(20)
        db.execute("insert into items values (2)")
        old.wait_events(2)
        old.stop()
        gate.open()
        new.wait_streaming()
        assert not new.logged("taking a new snapshot")
        db.execute("insert into items values (3)")
        events = new.wait_events(lambda events: 3 in ids(events))
        assert ids(events) == [1, 2, 3]
        new.stop()
    finally:
        gate.close()
