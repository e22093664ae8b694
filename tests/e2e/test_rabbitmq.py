"""The sink rabbitmq against Debian's RabbitMQ: what arrives, what no queue takes, what is refused, what is away."""
import json
import os
import socket
import subprocess
import time

import pytest

from golden import server_replay
from golden.rabbitmq_replay import RabbitMqReplay
from support import servers
from support.paths import RABBITMQ_CONTRACT
from support.rabbitmq import RabbitMq
from support.tls import Authority
from support.wait import wait_until
from support.writer import ThreeWriters, Updates, updates_in

KILLS = int(os.environ.get("E2E_KILLS", "3"))


@pytest.fixture(scope="session")
def rabbitmq():
    """host:port of the shared server."""
    return servers.shared("rabbitmq", rabbitmq=True).rabbitmq


@pytest.fixture
def own(private_servers):
    """A RabbitMQ of this test's own."""
    return private_servers(rabbitmq=True)


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


def afters(address, queue):
    """Of all messages, which are gone then."""
    with RabbitMq(address) as client:
        return [json.loads(body)["after"] for _, _, body in client.take(queue)]


def firsts(values):
    return list(dict.fromkeys(values))


def lasts(values):
    return firsts(reversed(values))[::-1]


def count(address, queue):
    with RabbitMq(address) as client:
        return client.count(queue)


def test_contract_of_sinks_on_a_real_server(rabbitmq):
    """The tests that every sink passes (tests/sink/contract.h), and its own."""
    done = subprocess.run([RABBITMQ_CONTRACT], env={**os.environ, "WALDUCT_TEST_RABBITMQ": rabbitmq}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0 and "[  PASSED  ]" in done.stdout, done.stdout[-4000:]


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


def test_a_queue_that_drops_its_head_and_the_policy_that_ends_that(db, connectors):
    """RabbitMQ confirms what it drops, and tells no publisher of a queue's limits. With the policy of docs/sinks.md the queue refuses, and that
    is waited for."""
    shared = servers.shared("rabbitmq", rabbitmq=True)
    db.execute("create table t (id int primary key)")
    with RabbitMq(shared.rabbitmq) as client:
        client.queue(db.name, **{"x-max-length": 3})
    connector = connectors(db, to_queue(shared.rabbitmq, db, **{"walduct.sink.rabbitmq.max.in.flight": "1"}), sink="rabbitmq").start().wait_streaming()
    shared.rabbitmqctl("set_policy", db.name, f"^{db.name}$", '{"overflow":"reject-publish"}', "--apply-to", "queues")
    try:
        db.execute("insert into t select n from generate_series(1, 8) n")
        connector.wait_log("does not take.*nack")
        assert wait_rows(connector, shared.rabbitmq, db.name, 8) == list(range(1, 9))
        connector.stop()
    finally:
        shared.rabbitmqctl("clear_policy", db.name)


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


def test_rabbitmq_is_away_and_back(db, own, connectors):
    """Killed, started again, paused for longer than a confirm may take: nothing is lost, and what comes twice was not confirmed."""
    db.execute("create table t (id int primary key)")
    with RabbitMq(own.rabbitmq) as client:
        client.queue(db.name)
    connector = connectors(db, to_queue(own.rabbitmq, db, **{"sink.rabbitmq.ackTimeout": "1000"}), sink="rabbitmq").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_until(lambda: count(own.rabbitmq, db.name) == 1, 30, "a message")
    own.do("kill-rabbitmq")
    db.execute("insert into t select n from generate_series(2, 700) n")
    connector.wait_log("does not take.*rabbitmq_unavailable|does not take.*RabbitMQ at")
    own.do("start-rabbitmq")
    wait_until(lambda: count(own.rabbitmq, db.name) >= 700, 30, "700 messages")
    own.pause_rabbitmq()
    db.execute("insert into t select n from generate_series(701, 1400) n")
    connector.wait_log("no confirm within 1s")
    own.resume_rabbitmq()
    db.execute("insert into t values (1401)")
    got = []

    def there():
        got.extend(row["id"] for row in afters(own.rabbitmq, db.name))
        return 1401 in got
    wait_until(there, 30, "the last row")
    connector.stop()
    got.extend(row["id"] for row in afters(own.rabbitmq, db.name))
    assert firsts(got) == list(range(1, 1402))
    assert firsts(got[:700]) == got[:700], "only what was not confirmed comes again"


def test_an_alarm_is_waited_for(db, own, connectors):
    """It is said, with what to type; a stop is not held up by it."""
    db.execute("create table t (id int primary key, v text)")
    with RabbitMq(own.rabbitmq) as client:
        client.queue(db.name)
    connector = connectors(db, to_queue(own.rabbitmq, db, **{"sink.rabbitmq.ackTimeout": "1000"}), sink="rabbitmq").start().wait_streaming()
    own.rabbitmqctl("set_vm_memory_high_watermark", "0.0000001")
    db.execute("insert into t select n, repeat('x', 10000) from generate_series(1, 1500) n")
    connector.wait_log("takes nothing from publishers.*rabbitmq-diagnostics alarms")
    deadline = time.monotonic() + 3
    wait_until(lambda: time.monotonic() > deadline, 10, "longer than a confirm may take")
    assert not connector.logged("no confirm within")
    connector.terminate(timeout_s=20)
    connector.start().wait_log("takes nothing from publishers")
    own.rabbitmqctl("set_vm_memory_high_watermark", "0.4")
    connector.wait_log("RabbitMQ takes records again")
    wait_until(lambda: count(own.rabbitmq, db.name) >= 1500, 30, "1500 messages")
    connector.stop()
    assert firsts(row["id"] for row in afters(own.rabbitmq, db.name)) == list(range(1, 1501))


def test_what_is_taken_away_is_waited_for(db, own, connectors):
    """Queue, exchange, password and virtual host; each wait says for what, and what to type."""
    own.rabbitmqctl("add_vhost", "v")
    own.rabbitmqctl("set_permissions", "-p", "v", "guest", ".*", ".*", ".*")

    def make():
        with RabbitMq(own.rabbitmq, virtual_host="v") as client:
            client.exchange("e")
            client.queue("q", ("e", "#"))
    make()
    db.execute("create table t (id int primary key)")
    config = sink(own.rabbitmq, **{"sink.rabbitmq.exchange": "e", "sink.rabbitmq.connection.virtual.host": "v", "sink.rabbitmq.routingKey.source": "topic",
                                   "retriable.restart.connector.wait.ms": "300"})
    connector = connectors(db, config, sink="rabbitmq").start().wait_streaming()

    def take(n):
        with RabbitMq(own.rabbitmq, virtual_host="v") as client:
            wait_until(lambda: client.count("q") >= 1, 30, "a message")
            assert [json.loads(body)["after"]["id"] for _, _, body in client.take("q")] == [n]
    db.execute("insert into t values (1)")
    take(1)
    with RabbitMq(own.rabbitmq, virtual_host="v") as client:
        client.delete("q")
    db.execute("insert into t values (2)")
    connector.wait_log("no queue takes what exchange 'e' gets.*rabbitmqadmin declare binding source=e")
    make()
    take(2)
    with RabbitMq(own.rabbitmq, virtual_host="v") as client:
        client.channel.exchange_delete("e")
    db.execute("insert into t values (3)")
    connector.wait_log("no exchange 'e' in vhost 'v'.*rabbitmqadmin declare exchange")
    make()
    take(3)
    own.rabbitmqctl("change_password", "guest", "other")
    own.rabbitmqctl("close_all_connections", "--vhost", "v", "why")
    db.execute("insert into t values (4)")
    connector.wait_log("ACCESS_REFUSED.*change_password")
    own.rabbitmqctl("change_password", "guest", "guest")
    take(4)
    own.rabbitmqctl("delete_vhost", "v")
    db.execute("insert into t values (5)")
    connector.wait_log("vhost.*not found.*add_vhost")
    own.rabbitmqctl("add_vhost", "v")
    own.rabbitmqctl("set_permissions", "-p", "v", "guest", ".*", ".*", ".*")
    make()
    take(5)
    connector.stop()


def test_the_last_message_of_a_key_is_its_last_change(db, rabbitmq, connectors):
    """A queue that is full refuses one and takes the next, whenever somebody reads: what was taken too early comes again in its turn."""
    db.execute("create table t (id int primary key, v int); insert into t select n, 0 from generate_series(1, 5) n")
    with RabbitMq(rabbitmq) as client:
        client.queue(db.name, **{"x-max-length": 20, "x-overflow": "reject-publish"})
    connector = connectors(db, to_queue(rabbitmq, db), sink="rabbitmq").start().wait_streaming()
    writer, got = Updates(db, 0.002), []
    writer.start()
    with RabbitMq(rabbitmq) as client:
        def read():
            if (one := client.channel.basic_get(db.name, auto_ack=True))[0] is not None:
                got.append(json.loads(one[2])["after"])
            return writer.changes >= 100
        wait_until(read, 30, "100 updates", interval_s=0)
        writer.stop()
        db.execute("insert into t values (99, 0)")

        def all_of_it():
            got.extend(json.loads(body)["after"] for _, _, body in client.take(db.name))
            return any(row["id"] == 99 for row in got)
        wait_until(all_of_it, 60, "the last row")
    connector.stop()
    assert connector.logged("does not take.*nack")
    for key in range(1, 6):
        assert lasts([row["v"] for row in got if row["id"] == key]) == list(range(writer.changes + 1))


def under_writers(db, address, connector, writers, disturb, times=KILLS):
    """Nothing is lost and each key keeps its order."""
    writers.disturb(disturb, times, 30)
    got = []

    def seen():
        with RabbitMq(address) as client:
            got.extend(updates_in(body for _, _, body in client.take(db.name)))
        return got
    wait_until(lambda: writers.all_in(seen()), 120, "all updates")
    connector.stop()
    writers.check(seen())


def test_killed_again_and_again(db, rabbitmq, connectors):
    """Under three writers. Nothing is lost and each key keeps its order."""
    writers = ThreeWriters(db)
    with RabbitMq(rabbitmq) as client:
        client.queue(db.name)
    connector = connectors(db, to_queue(rabbitmq, db), sink="rabbitmq").start().wait_streaming()

    def kill():
        connector.kill()
        connector.start().wait_streaming()
    under_writers(db, rabbitmq, connector, writers, kill)


@pytest.mark.parametrize("how", ["rabbitmq-killed", "rabbitmq-restarted", "rabbitmq-paused"])
def test_the_server_is_disturbed_again_and_again(db, own, connectors, how):
    """The same: what was not confirmed is sent again over another connection."""
    writers = ThreeWriters(db)
    with RabbitMq(own.rabbitmq) as client:
        client.queue(db.name)
    connector = connectors(db, to_queue(own.rabbitmq, db, **{"sink.rabbitmq.ackTimeout": "300"}), sink="rabbitmq").start().wait_streaming()

    def disturb():
        if how.endswith("paused"):
            own.pause_rabbitmq()
            deadline = time.monotonic() + 0.7
            wait_until(lambda: time.monotonic() > deadline, 10, "a while")
            own.resume_rabbitmq()
        else:
            own.do("kill-rabbitmq" if how.endswith("killed") else "stop-rabbitmq")
            own.do("start-rabbitmq")
    under_writers(db, own.rabbitmq, connector, writers, disturb)


def test_amqps_with_certificates_on_both_sides(db, own, tmp_path, connectors):
    authority = Authority(tmp_path / "ca")
    certificate, key = authority.issue("rabbitmq", ["127.0.0.1"])
    mine, my_key = authority.issue("walduct")
    (tmp_path / "store.pem").write_text(mine.read_text() + my_key.read_text())
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own.do("stop-rabbitmq")
    (own.dir / "rabbitmq.more").write_text(
        f"listeners.ssl.1 = 127.0.0.1:{port}\nssl_options.cacertfile = {authority.certificate}\nssl_options.certfile = {certificate}\n"
        f"ssl_options.keyfile = {key}\nssl_options.verify = verify_peer\nssl_options.fail_if_no_peer_cert = true\n")
    own.do("start-rabbitmq")
    with RabbitMq(own.rabbitmq) as client:
        client.queue(db.name)
    db.execute("create table t (id int primary key)")
    ssl = "sink.rabbitmq.connection.ssl."
    config = {"sink.rabbitmq.connection.uri": f"amqps://guest:guest@127.0.0.1:{port}/%2F", "walduct.sink.rabbitmq.default.exchange": "true",
              "sink.rabbitmq.routingKey": db.name, f"{ssl}trust.store": str(authority.certificate), f"{ssl}key.store": str(tmp_path / "store.pem"),
              f"{ssl}verify.hostname": "true"}
    connector = connectors(db, config, sink="rabbitmq").start().wait_streaming()
    db.execute("insert into t select n from generate_series(1, 3000) n")
    wait_until(lambda: count(own.rabbitmq, db.name) >= 3000, 30, "3000 messages")
    connector.stop()
    assert [row["id"] for row in afters(own.rabbitmq, db.name)] == list(range(1, 3001))
    for change, said in (({f"{ssl}trust.store": str(Authority(tmp_path / "other").certificate)}, "certificate"),
                         ({"sink.rabbitmq.connection.host": "localhost"}, "hostname mismatch"),
                         ({"sink.rabbitmq.connection.port": own.rabbitmq.rpartition(":")[2]}, "wrong version number|TLS with RabbitMQ")):
        connector.config = {**config, **{k: v for k, v in connector.config.items() if k not in config}, **change}
        assert connector.run_to_end() == 3, connector.log_text()[-3000:]
        assert connector.logged("rabbitmq_tls_failed") and connector.logged(said), connector.log_text()[-3000:]


def test_status_and_doctor_say_whom_it_waits_for(db, rabbitmq, connectors):
    db.execute("create table t (id int primary key)")
    connector = connectors(db, to_queue(rabbitmq, db, **{"walduct.stall.warn.ms": "1000"}), sink="rabbitmq")
    assert f"RabbitMQ at {rabbitmq}" in connector.call("doctor").stdout
    connector.start().wait_streaming()
    db.execute("insert into t values (1)")
    connector.wait_log(r"no progress for \d+s: waiting for no queue takes what the default exchange gets.* since 20..-", 60)
    connector.terminate(timeout_s=20)
