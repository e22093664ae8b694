"""A start that waits for a sink is ended by SIGTERM at once, whatever the sink's own timeouts: one that takes connections and says nothing, and one
that no packet comes through to."""
import contextlib
import socket
import time

import pytest

from support.aws import ENVIRONMENT, REGION
from support.polling import polled
from support.wait import wait_until

LIMIT_S = 1.5  # a second to end in, and the machine's share
SYN_SENT = "02"


@contextlib.contextmanager
def silent():
    """Its address, and whether somebody has come."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)
        port = listener.getsockname()[1]
        came = []
        yield port, lambda: came or came.append(listener.accept())
        for connection, _ in came:
            connection.close()


@contextlib.contextmanager
def dropping():
    """A queue of connections that is full: the kernel drops what comes."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        for _ in range(4):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        time.sleep(0.1)
        ours = len(connecting(port))
        yield port, lambda: len(connecting(port)) > ours


def connecting(port):
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table]
    return [row for row in rows[1:] if row[2] == f"0100007F:{port:04X}" and row[3] == SYN_SENT]


def config(sink, port):
    address = f"127.0.0.1:{port}"
    return {
        "kafka": {},
        "redis": {"sink.redis.address": address, "sink.redis.connection.timeout.ms": "60000"},
        "nats-jetstream": {"sink.nats-jetstream.url": f"nats://{address}"},
        "rabbitmq": {"sink.rabbitmq.connection.host": "127.0.0.1", "sink.rabbitmq.connection.port": str(port)},
        "http": {"sink.http.url": f"https://{address}"},
        "kinesis": {"sink.kinesis.endpoint": f"http://{address}", "sink.kinesis.region": REGION},
    }[sink]


def check_end(connector, came):
    connector.start(environment=ENVIRONMENT)
    wait_until(came, 30, "it connects")
    time.sleep(0.3)
    assert connector.running(), connector.log_text()
    begin = time.monotonic()
    assert connector.terminate() == 0, connector.log_text()
    took = time.monotonic() - begin
    assert took < LIMIT_S, f"{took:.2f} s; log:\n{connector.log_text()[-2000:]}"


@pytest.mark.parametrize("target", [silent, dropping], ids=["silent", "dropping"])
@pytest.mark.parametrize("sink", ["kafka", "redis", "nats-jetstream", "rabbitmq", "http", "kinesis"])
def test_a_start_that_waits_for_its_sink_ends_at_once(db, connectors, sink, target):
    db.execute("create table t (id int primary key)")
    with target() as (port, came):
        worker = {"bootstrap.servers": f"127.0.0.1:{port}"} if sink == "kafka" else {}
        stored = {"offset.storage": "io.debezium.storage.file.offset.FileOffsetBackingStore"}
        check_end(connectors(db, {**config(sink, port), **stored}, sink=sink, worker=worker), came)


def test_so_does_one_that_polls(db, connectors):
    db.execute("""create table outbox (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb,
                  created_at timestamptz not null default now(), published_at timestamptz)""")
    with silent() as (port, came):
        check_end(connectors(db, polled(db, **config("http", port)), sink="http", superuser=True), came)
