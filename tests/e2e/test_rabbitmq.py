"""The sink rabbitmq against Debian's RabbitMQ: what arrives, what no queue takes, what is refused, what is away."""
import json

import pytest

from golden import server_replay
from golden.rabbitmq_replay import RabbitMqReplay
from support import servers
from support.rabbitmq import RabbitMq
from support.wait import wait_until


@pytest.fixture(scope="session")
def rabbitmq():
    """host:port of the shared server."""
    return servers.shared("rabbitmq", rabbitmq=True).rabbitmq


def sink(address, **more):
    host, _, port = address.rpartition(":")
    return {"sink.rabbitmq.connection.host": host, "sink.rabbitmq.connection.port": port, **more}


def to_queue(address, db, **more):
    """Through the default exchange to the queue that is named as the database."""
    return sink(address, **{"walduct.sink.rabbitmq.default.exchange": "true", "sink.rabbitmq.routingKey": db.name, **more})


def wait_rows(connector, address, queue, wanted, timeout_s=30):
    """Of all messages, which are gone then."""
    got = []

    def there():
        assert connector.running(), connector.log_text()[-3000:]
        with RabbitMq(address) as client:
            got.extend(json.loads(body) for _, _, body in client.take(queue))
        return len(got) >= wanted
    wait_until(there, timeout_s, f"{wanted} messages")
    return [body["after"]["id"] for body in got]


@pytest.mark.parametrize("name", server_replay.scenario_names("rabbitmq"))
def test_as_debezium_server(name, tmp_path, rabbitmq):
    """What the real Debezium Server wrote, from its own application.properties."""
    with servers.file_lock("rabbitmq-in-use"):
        server_replay.check(name, rabbitmq, tmp_path, RabbitMqReplay)


def test_what_no_queue_takes_is_waited_for(db, rabbitmq, connectors):
    """Nothing is lost, nothing overtakes, a stop is not held up; message ids are the same at the next start."""
    db.execute("create table t (id int primary key)")
    config = to_queue(rabbitmq, db, **{"walduct.sink.rabbitmq.message.properties": "true"})
    connector = connectors(db, config, sink="rabbitmq").start().wait_streaming()
    db.script("insert into t select n from generate_series(1, 500) n; insert into t values (501)")
    connector.wait_log("does not take.*no queue takes")
    connector.terminate(timeout_s=20)
    connector.start().wait_log("does not take.*no queue takes")
    with RabbitMq(rabbitmq) as client:
        client.queue(db.name)
        wait_until(lambda: client.count(db.name) >= 501, 30, "501 messages")
        got = client.take(db.name)
        assert [json.loads(body)["after"]["id"] for _, _, body in got] == list(range(1, 502))
        assert len({properties.message_id for _, properties, _ in got}) == 501
        assert {(properties.content_type, properties.delivery_mode) for _, properties, _ in got} == {("application/json", 2)}
        client.channel.queue_delete(db.name)
    connector.wait_log("RabbitMQ takes records again")
    connector.stop()


def test_what_no_queue_takes_is_parked(db, rabbitmq, connectors):
    db.execute("create table t (id int primary key)")
    dead = f"{db.name}.dead"
    config = to_queue(rabbitmq, db, **{"walduct.sink.rabbitmq.unroutable": "refuse", "walduct.errors.refused": "dead.letter",
                                       "errors.deadletterqueue.topic.name": dead})
    connector = connectors(db, config, sink="rabbitmq").start().wait_streaming()
    db.script("insert into t values (1); insert into t values (2)")
    assert wait_rows(connector, rabbitmq, dead, 2) == [1, 2]
    connector.stop()


def test_a_full_queue_is_waited_for(db, rabbitmq, connectors):
    db.execute("create table t (id int primary key)")
    with RabbitMq(rabbitmq) as client:
        client.queue(db.name, **{"x-max-length": 3, "x-overflow": "reject-publish"})
    connector = connectors(db, to_queue(rabbitmq, db, **{"walduct.sink.rabbitmq.max.in.flight": "1"}), sink="rabbitmq").start().wait_streaming()
    db.execute("insert into t select n from generate_series(1, 8) n")
    connector.wait_log("does not take.*nack")
    assert wait_rows(connector, rabbitmq, db.name, 8) == list(range(1, 9))
    connector.stop()


def test_queues_are_made_and_bound(db, rabbitmq, connectors):
    """Of the kind that is asked for; a stream is read through AMQP, too."""
    db.execute("create table t (id int primary key)")
    with RabbitMq(rabbitmq) as client:
        client.exchange(db.name)
    config = sink(rabbitmq, **{"sink.rabbitmq.exchange": db.name, "sink.rabbitmq.routingKey.source": "topic", "sink.rabbitmq.autoCreateRoutingKey": "true",
                               "walduct.sink.rabbitmq.bind": "true", "walduct.sink.rabbitmq.queue.type": "quorum"})
    connector = connectors(db, config, sink="rabbitmq").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_until(lambda: queue_exists(rabbitmq, f"{db.name}.public.t"), 30, "the queue")
    assert wait_rows(connector, rabbitmq, f"{db.name}.public.t", 1) == [1]
    connector.stop()


def queue_exists(address, name):
    with RabbitMq(address) as client:
        try:
            client.count(name)
            return True
        except Exception:  # noqa: BLE001: of pika, which has many
            return False


def test_starts_that_stop_with_what_to_do(db, rabbitmq, connectors):
    db.execute("create table t (id int primary key)")
    for more, reason in (({"sink.rabbitmq.exchange": "missing"}, "rabbitmq_no_exchange"),
                         ({"sink.rabbitmq.connection.password": "wrong"}, "rabbitmq_authentication_failed"),
                         ({"sink.rabbitmq.connection.virtual.host": "nowhere"}, "rabbitmq_virtual_host")):
        connector = connectors(db, sink(rabbitmq, **more), sink="rabbitmq")
        assert connector.run_to_end() == 3
        assert connector.logged(reason), connector.log_text()
        connector.close()
