"""What one worker of a group asks of another is signed with the group's key, as in Kafka Connect; the key changes and is compacted."""
import pytest

from support import debezium
from support.connect_worker import ConnectWorker
from support.debezium import free_port
from support.kafka import set_topic
from support.serve import Worker
from support.session_key import key_of, send, session_records, signature
from support.tls import Authority
from support.wait import wait_until
from test_serve import config_of, workers  # noqa: F401
from test_serve_group_rest import worker_of

MISSING = "Internal request missing required signature"
INVALID = "Internal request contained invalid signature."
NO_KEY = bytes(32)


def refused(worker):
    lines = worker.ask_text("/metrics")[1].splitlines()
    found = {line.split('why="')[1].split('"')[0]: int(line.rsplit(" ", 1)[1])
             for line in lines if line.startswith("walduct_worker_refused_requests_total{")}
    assert set(found) == {"algorithm", "no_key", "signature", "unsigned"}, found
    return found


def forwarded_and_answered(other, name, state):
    """Each of two by the one that does not lead."""
    assert other.ask("PUT", f"/connectors/{name}/pause")[0] == 202
    other.wait_state(name, "PAUSED/PAUSED")
    assert other.ask("PUT", f"/connectors/{name}/resume")[0] == 202
    other.wait_state(name, state)


@pytest.fixture
def group(workers, databases, pg17):  # noqa: F811
    """(leader, other) with a connector of each, and a key that changes every two seconds."""
    made = [workers() for _ in range(2)]
    for worker in made:
        worker.properties.update({"walduct.group.share": "true", "inter.worker.key.ttl.ms": "2000"})
        worker.start()
    for name in "ab":
        db = databases(pg17)
        db.script("create table items (id int primary key)")
        made[1].create(name, config_of(db))
    for name in "ab":
        made[1].wait_state(name, "RUNNING/RUNNING")
    wait_until(lambda: {worker_of(made[0], name) for name in "ab"} == {f"127.0.0.1:{w.port}" for w in made}, 30, "one each")
    return made


def test_requests_are_signed_and_a_forged_one_does_nothing(group, broker):
    leader, other = group
    topic = leader.properties["config.storage.topic"]

    def keys():
        return [key_of(record) for record in session_records(broker, topic)]
    seen = len(keys())
    while len(keys()) < seen + 2:
        forwarded_and_answered(other, "a", "RUNNING/RUNNING")
    assert len(set(keys())) == len(keys()), "each key is a new one"
    record = session_records(broker, topic)[-1]
    assert list(record) == ["key", "algorithm", "creation-timestamp"] and record["algorithm"] == "HmacSHA256" and len(key_of(record)) == 32
    for worker in group:
        assert sum(refused(worker).values()) == 0, (refused(worker), worker.log_text()[-2000:])
    # Nobody makes a worker do what another one has to do, by saying that it was sent on.
    others = next(name for name in "ab" if worker_of(leader, name) == f"127.0.0.1:{other.port}")
    status, message = send(leader.port, "POST", f"/connectors/{others}/tasks/0/restart?forward=false")
    assert status == 409 and "is not this worker's. Nothing is changed" in message
    # Connect's own requests between workers, in its form: nobody but a worker may ask, and ours do not.
    body = '[{"a":"b"}]'
    for method, target in (("POST", "/connectors/a/tasks"), ("PUT", "/connectors/a/fence")):
        assert send(leader.port, method, target, body) == (400, MISSING)
        assert send(leader.port, method, target, body, signature(NO_KEY, body)) == (403, INVALID)
        status, message = send(leader.port, method, target, body, signature(keys()[-1], body, "HmacSHA512"))
        assert status == 400 and "does not support the 'HmacSHA512' key signing algorithm" in message and "[HmacSHA256]" in message
        status, message = send(leader.port, method, target, body, signature(keys()[-1], body))
        assert status == 409 and "Nothing is changed" in message
        assert send(leader.port, method, target, body + " ", signature(keys()[-1], body)) == (403, INVALID)
    # What is sent on for a client.
    target = "/connectors/a/pause?forward=false"
    for wrong in (signature(NO_KEY, f"PUT\n{target}\n"), signature(keys()[-1], f"PUT\n{target.replace('a', 'b')}\n"),
                  signature(keys()[-1], f"DELETE\n{target}\n")):
        assert send(leader.port, "PUT", target, "", wrong) == (403, INVALID)
    assert leader.state("a") == "RUNNING/RUNNING"
    assert send(leader.port, "PUT", target, "", signature(keys()[-1], f"PUT\n{target}\n"))[0] == 202
    leader.wait_state("a", "PAUSED/PAUSED")
    assert refused(leader) == {"algorithm": 2, "no_key": 0, "signature": 7, "unsigned": 2}
    assert leader.log_text().count("request_signature") == 1, "once a minute"
    for worker in group:
        worker.stop()


def test_a_worker_that_has_only_the_last_key_is_asked_and_answers(group, broker, workers):  # noqa: F811
    """By name. The broker has compacted the other ones away; a third worker is started, and the leader goes."""
    leader, other = group
    topic = leader.properties["config.storage.topic"]
    first = session_records(broker, topic)[0]
    set_topic(broker, topic, **{"segment.ms": "100", "min.cleanable.dirty.ratio": "0.001", "max.compaction.lag.ms": "100"})
    wait_until(lambda: first not in session_records(broker, topic), 120, "the first key is compacted away", interval_s=1)
    third = workers()
    third.properties.update({"walduct.group.share": "true", "inter.worker.key.ttl.ms": "2000"})
    third.start()
    wait_until(lambda: third.get("/connectors") == ["a", "b"], 30, "it has read the topic")
    for asked in (third, other):
        forwarded_and_answered(asked, "b", "RUNNING/RUNNING")
    leader.stop()
    newest = session_records(broker, topic)[-1]
    for name in "ab":
        third.wait_state(name, "RUNNING/RUNNING")
    wait_until(lambda: session_records(broker, topic)[-1] != newest, 30, "the next leader renews the key", interval_s=0.2)
    for asked in (third, other):
        forwarded_and_answered(asked, "b", "RUNNING/RUNNING")
    for worker in (third, other):
        assert refused(worker)["unsigned"] == 0 and "request_signature" not in worker.log_text()
        worker.stop()


def test_another_group_at_the_address_does_nothing(workers, databases, pg17, broker, tmp_path):  # noqa: F811
    """A worker of another group has taken the address of the one that leads; what is sent on to it would be done there."""
    db = databases(pg17)
    db.script("create table items (id int primary key)")
    mine, foreign = workers(), Worker(tmp_path / "foreign", broker, db.name)
    try:
        for worker in (mine, foreign):
            worker.properties["walduct.group.share"] = "true"
            worker.start()
            wait_until(lambda worker=worker: session_records(broker, worker.properties["config.storage.topic"]), 30, "a key")
        foreign.create("a", config_of(db))
        foreign.wait_state("a", "RUNNING/RUNNING")
        key = key_of(session_records(broker, mine.properties["config.storage.topic"])[-1])
        target = "/connectors/a?forward=true"
        assert send(foreign.port, "DELETE", target, "", signature(key, f"DELETE\n{target}\n")) == (403, INVALID)
        assert foreign.state("a") == "RUNNING/RUNNING"
        for worker in (mine, foreign):
            worker.stop()
    finally:
        foreign.kill()


@pytest.mark.skipif(not debezium.installed(), reason="scripts/deps debezium")
def test_signatures_and_keys_are_those_of_kafka_connect(broker, tmp_path, databases, pg17):
    """By name. The real one: what it says to whom, and that the key goes over and back."""
    worker = Worker(tmp_path / "worker", broker, databases(pg17).name)
    connect = ConnectWorker(worker)
    topic = worker.properties["config.storage.topic"]
    body = '[{"a":"b"}]'
    try:
        connect.start()
        wait_until(lambda: session_records(broker, topic), 60, "Connect's leader writes a key", interval_s=0.2)
        record = session_records(broker, topic)[-1]
        assert list(record) == ["key", "algorithm", "creation-timestamp"] and len(key_of(record)) == 32
        asks = ("POST", "/connectors/none/tasks")
        assert send(worker.port, *asks, body) == (400, MISSING)
        assert send(worker.port, *asks, body, signature(NO_KEY, body)) == (403, INVALID)
        status, message = send(worker.port, *asks, body, signature(key_of(record), body, "HmacSHA512"))
        assert status == 400 and "does not support the 'HmacSHA512' key signing algorithm" in message and "[HmacSHA256]" in message, message
        # Rightly signed: it goes on to say that there is no such connector.
        status, message = send(worker.port, *asks, body, signature(key_of(record), body))
        assert status == 404 and "none" in message, (status, message)
        connect.stop()
        worker.start()
        assert session_records(broker, topic) == [record], "a key that is not old stays"
        assert send(worker.port, *asks, body, signature(key_of(record), body))[0] == 409
        assert send(worker.port, *asks, body, signature(NO_KEY, body)) == (403, INVALID)
        worker.stop()
        worker.properties["inter.worker.key.ttl.ms"] = "1000"
        worker.start()
        wait_until(lambda: session_records(broker, topic)[-1] != record, 30, "an old one is renewed", interval_s=0.2)
        worker.stop()
        del worker.properties["inter.worker.key.ttl.ms"]
        connect.start()
        ours = session_records(broker, topic)[-1]
        status, message = send(worker.port, *asks, body, signature(key_of(ours), body))
        assert status == 404, (status, message)
        assert send(worker.port, *asks, body, signature(key_of(record), body)) == (403, INVALID)
        connect.stop()
    finally:
        worker.kill()
        connect.kill()


def test_what_is_sent_on_over_https_trusts_the_store_of_the_own_listener(workers, databases, pg17, tmp_path):  # noqa: F811
    """Each listener asks for the certificate of whoever comes; a worker that trusts another authority gets through to nobody."""
    authority, other_authority = Authority(tmp_path / "ca"), Authority(tmp_path / "other")
    certificate, key = authority.issue("worker", ["127.0.0.1"])
    store = tmp_path / "store.pem"
    store.write_text(key.read_text() + certificate.read_text())
    made = [workers() for _ in range(3)]
    for worker, trusts in zip(made, (authority, authority, other_authority)):
        worker.properties["listeners"] += f",https://127.0.0.1:{free_port()}"
        worker.properties.update({
            "walduct.group.share": "true", "rest.advertised.listener": "https", "listeners.https.ssl.keystore.location": str(store),
            "listeners.https.ssl.truststore.location": str(trusts.certificate), "listeners.https.ssl.client.auth": "required"})
        worker.start()
    leader, other, stranger = made
    db = databases(pg17)
    db.execute("create table items (id int primary key)")
    other.create("a", config_of(db), initial_state="STOPPED")
    leader.wait_state("a", "STOPPED")
    status, body = stranger.ask("DELETE", "/connectors/a")
    assert status == 503 and "takes no connection (" in body["message"] and "certificate" in body["message"].lower(), (status, body)
    assert other.ask("DELETE", "/connectors/a")[0] == 204
    for worker in made:
        assert sum(refused(worker).values()) == 0
        worker.stop()
