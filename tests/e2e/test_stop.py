"""Stops: twice the same signal, a server that is deaf, a broker that is stuck: out within 8 seconds, with what was
acknowledged stored."""
import contextlib
import os
import signal
import socket
import time

import pytest

from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
LIMIT_S = 8


def stop_within_limit(connector, how=signal.SIGTERM):
    """The exit code."""
    begin = time.monotonic()
    code = connector.terminate(timeout_s=LIMIT_S + 7, how=how)
    took = time.monotonic() - begin
    assert took <= LIMIT_S, f"took {took:.1f} s; log:\n{connector.log_text()[-2000:]}"
    return code


@pytest.fixture
def own(private_servers, databases, connectors):
    """A connector that streams from a PostgreSQL to a Kafka of its own; its servers."""
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, worker={"bootstrap.servers": servers.bootstrap})
    yield servers, db, connector
    for resume in (servers.resume_postgres, servers.resume_kafka):
        resume()


def stream_one(db, connector):
    connector.start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)


def stuck(servers, db, connector):
    """One row is acknowledged, another waits for a broker that answers nothing."""
    stream_one(db, connector)
    servers.pause_kafka()
    db.execute("insert into items values (2)")
    end = db.value("select pg_current_wal_lsn()")
    wait_until(lambda: db.value("select coalesce(bool_or(write_lsn >= %s), false) from pg_stat_replication", end), 30,
               "the row is read")
    time.sleep(1)  # and handed to the producer


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_the_same_signal_twice_is_one(how, own):
    """As GNU timeout does it."""
    servers, db, connector = own
    stuck(servers, db, connector)
    connector.process.send_signal(how)
    connector.process.send_signal(how)
    time.sleep(0.5)
    connector.process.send_signal(how)
    servers.resume_kafka()
    assert stop_within_limit(connector, how) == 0
    assert connector.logged(r"\bstopped\b")
    assert [e.id for e in connector.events()] == [1, 2]
    connector.start().wait_streaming()
    db.execute("insert into items values (3)")
    assert [e.id for e in connector.wait_events(3)] == [1, 2, 3], "stored, so nothing repeats"
    connector.stop()


@pytest.mark.parametrize("pause_s, second", [(0, signal.SIGINT), (2.5, signal.SIGTERM)], ids=["another", "later"])
def test_an_impatient_signal_ends_it_at_once(pause_s, second, own):
    servers, db, connector = own
    stuck(servers, db, connector)
    connector.process.send_signal(signal.SIGTERM)
    time.sleep(pause_s + 0.2)
    assert connector.running()
    begin = time.monotonic()
    assert connector.terminate(how=second) == 1
    assert time.monotonic() - begin < 1


def test_RST_24_broker_that_is_stuck(own):
    servers, db, connector = own
    stuck(servers, db, connector)
    assert stop_within_limit(connector) == 1, "a row is not delivered"
    servers.resume_kafka()
    connector.start().wait_streaming()
    connector.wait_events(lambda events: {e.id for e in events} == {1, 2})
    connector.stop()


def test_offset_topic_on_a_stuck_broker(own):
    servers, db, connector = own
    # Not with the prefix of the tables' topics: its records are no events.
    connector.worker |= {"offset.storage.topic": f"offsets-{db.name}", "offset.storage.replication.factor": "1",
                         "offset.storage.file.filename": None, "offset.flush.interval.ms": "60000"}
    stream_one(db, connector)
    servers.pause_kafka()
    db.execute("insert into items values (2)")
    time.sleep(1)  # read, neither delivered nor stored
    assert stop_within_limit(connector) == 1, "the position is not stored"


@pytest.mark.parametrize("state", ["streaming", "connecting", "reconnecting"])
def test_server_that_is_deaf(state, own):
    servers, db, connector = own
    if state == "connecting":
        servers.pause_postgres()
        connector.start()
        time.sleep(3)
    else:
        connector.config["retriable.restart.connector.wait.ms"] = "1000"
        connector.worker["offset.flush.interval.ms"] = "60000"
        stream_one(db, connector)
    if state == "reconnecting":
        servers.do("kill-postgres")
        connector.wait_log("retrying")
        servers.do("start-postgres")
    servers.pause_postgres()
    if state == "reconnecting":
        time.sleep(2)
    assert stop_within_limit(connector) == 0
    if state != "connecting":
        assert connector.offset()["lsn"] > 0, "what was acknowledged is stored"


@pytest.fixture
def black_hole():
    """An address where nobody answers a SYN: a listener whose queue is full."""
    with socket.socket() as listener, contextlib.ExitStack() as filling:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            client = filling.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        with socket.socket() as control:
            control.settimeout(1)
            with pytest.raises(TimeoutError):
                control.connect(listener.getsockname())
        yield listener.getsockname()


@pytest.mark.parametrize("what", ["database", "broker", "broker that was there"])
def test_FAIL_13_nobody_answers_a_connection_attempt(what, db, connectors, black_hole):
    """Packets vanish, no RST: a stop does not wait for the connect timeout."""
    host, port = black_hole
    db.script(TABLE)
    connector = connectors(db)
    if what == "database":
        connector.config |= {"database.hostname": host, "database.port": str(port)}
    elif what == "broker":
        connector.worker["bootstrap.servers"] = f"{host}:{port}"
    else:
        connector.worker["bootstrap.servers"] = f"{host}:{port}," + connector.worker["bootstrap.servers"]
        stream_one(db, connector)
    if what != "broker that was there":
        connector.start()
        time.sleep(3)
    assert stop_within_limit(connector) == 0


def test_server_that_is_deaf_while_it_describes_a_table(own):
    servers, db, connector = own
    stream_one(db, connector)
    with db.transaction() as session:
        session.execute("alter table items add w text default 'x'")
        session.execute("insert into items values (2)")
        session.commit()
        session.execute("lock table items in access exclusive mode")
        connector.wait_log("waiting for another session to release its lock")
        servers.pause_postgres()
        assert stop_within_limit(connector) == 0
        servers.resume_postgres()


def test_a_stop_without_trouble_is_quick(own):
    """The control: nothing is in the way."""
    _, db, connector = own
    stream_one(db, connector)
    begin = time.monotonic()
    assert stop_within_limit(connector) == 0
    assert time.monotonic() - begin < 3
