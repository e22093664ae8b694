"""SIGTERM and SIGINT in every state: out within 10 seconds, with the exit code that says how."""
import signal
import time

import pytest

from test_snapshot import BIG, HANGING

TABLE = "create table items (id int primary key, v text)"
LIMIT_S = 10


def timed_end(connector, how=signal.SIGTERM):
    begin = time.monotonic()
    code = connector.terminate(timeout_s=LIMIT_S + 5, how=how)
    assert time.monotonic() - begin < LIMIT_S
    return code


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_while_streaming(how, db, connectors):
    db.script(TABLE)
    connector = connectors(db).start().wait_streaming()
    db.execute("insert into items select g from generate_series(1, 1000) g")
    connector.wait_events(1)
    assert timed_end(connector, how) == 0
    assert connector.logged(r"\bstopped\b")
    assert db.slot(connector.slot)["active"] is False


def test_while_idle(db, connectors):
    db.script(TABLE)
    connector = connectors(db).start().wait_streaming()
    begin = time.monotonic()
    assert timed_end(connector) == 0
    assert time.monotonic() - begin < 3, "nothing was left to do"


def test_while_snapshotting(db, connectors):
    db.script(BIG)
    connector = connectors(db, HANGING).start()
    connector.wait_events(1)
    assert timed_end(connector) == 0
    assert db.slot(connector.slot) is None or not db.slot(connector.slot)["active"]


def test_FAIL_13_while_the_slot_is_being_created(private_servers, databases, connectors):
    db = databases(private_servers(postgres=15).postgres)
    db.script(TABLE)
    with db.transaction() as session:
        session.execute("insert into items values (1)")
        connector = connectors(db).start()
        deadline = time.monotonic() + 20
        while not db.sessions("query like 'CREATE_REPLICATION_SLOT%%'"):
            assert time.monotonic() < deadline and connector.running(), connector.log_text()
            time.sleep(0.05)
        assert timed_end(connector) == 0
    # The server must have been told: else it makes the slot once the transaction is over, and nobody knows of it.
    time.sleep(1)
    assert db.slots() == []


def test_while_kafka_is_down(private_servers, databases, connectors):
    """What could not be delivered is not forgotten: exit code 1, and the next start delivers it."""
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, worker={"bootstrap.servers": servers.bootstrap}).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    servers.do("stop-kafka")
    db.execute("insert into items values (2)")
    time.sleep(1)
    assert timed_end(connector) == 1
    servers.do("start-kafka")
    connector.start().wait_streaming()
    assert 2 in [e.id for e in connector.wait_events(lambda events: any(e.id == 2 for e in events))]
    connector.stop()
