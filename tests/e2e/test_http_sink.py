"""The sink http against a real HTTP server: what arrives, what is refused, what is away, what comes twice."""
import json
import os
import ssl

import pytest

from golden import server_replay
from golden.http_replay import HttpReplay
from support.proxy import Proxy
from support.receiver import Receiver
from support.receiver_process import ReceiverProcess
from support.tls import Authority
from support.wait import wait_until
from support.writer import ThreeWriters, updates_in

KILLS = int(os.environ.get("E2E_KILLS", "3"))


@pytest.fixture
def receiver():
    one = Receiver()
    yield one
    one.close()


def rows(receiver):
    """(id, op) of what was taken, in order."""
    values = [json.loads(request["body"]) for request in receiver.taken]
    return [((value.get("after") or value.get("before"))["id"], value["op"]) for value in values]


def wait_rows(connector, receiver, count, timeout_s=30):
    def there():
        assert connector.running(), connector.log_text()[-3000:]
        return len(receiver.taken) >= count
    wait_until(there, timeout_s, f"{count} requests that were taken")
    return rows(receiver)


def firsts(values):
    return list(dict.fromkeys(values))


@pytest.mark.parametrize("name", server_replay.scenario_names("http"))
def test_as_debezium_server(name, tmp_path):
    """What the real Debezium Server sent, from its own application.properties."""
    server_replay.check(name, None, tmp_path, HttpReplay)


@pytest.mark.parametrize("in_flight", [1, 8])
def test_every_tenth_is_not_taken_at_first(db, receiver, connectors, in_flight):
    """Nothing is lost, and each key keeps its order, in each way in which it passes."""
    ways = ["503", "close", "500", "429", "408"]
    receiver.judge = lambda number, request: ways[number // 10 % len(ways)] if number % 10 == 9 else 200
    receiver.retry_after = "0"
    db.execute("create table t (id int primary key, v int)")
    config = {"sink.http.url": receiver.url, "sink.http.retry.interval.ms": "5", "walduct.sink.http.max.in.flight": in_flight}
    connector = connectors(db, config, sink="http").start().wait_streaming()
    db.execute("insert into t select n, 0 from generate_series(1, 20) n")
    for v in range(1, 11):
        db.execute("update t set v = %s", v)
    wait_until(lambda: len(set(request["body"] for request in receiver.taken)) >= 220, 60, "all rows")
    connector.stop()
    for key in range(1, 21):
        values = [json.loads(request["body"])["after"] for request in receiver.taken]
        assert firsts([row["v"] for row in values if row["id"] == key]) == list(range(11))


def test_refused_records_follow_their_policy(db, receiver, connectors, tmp_path):
    """At first it stops, with the change and the ways out; then they are parked in a file, and the others go on."""
    receiver.judge = lambda number, request: 422 if '"bad"' in request["body"] else 200
    db.execute("create table t (id int primary key, v text)")
    letters = tmp_path / "letters.jsonl"
    config = {"sink.http.url": receiver.url, "walduct.sink.http.refused.attempts": "1", "walduct.sink.http.max.in.flight": "4"}
    connector = connectors(db, config, sink="http").start().wait_streaming()
    db.script("insert into t values (1, 'good'); insert into t values (2, 'bad'); insert into t values (3, 'good')")
    assert connector.wait_exit() == 1
    assert connector.logged(r"record_refused") and connector.logged(r"HTTP status 422") and connector.logged(r"change [0-9A-F]+/[0-9A-F]+:1")
    connector.config |= {"walduct.errors.refused": "dead.letter", "errors.deadletterqueue.topic.name": "dead"}
    assert connector.run_to_end() == 2
    assert connector.logged("walduct.sink.http.deadletter.url")
    connector.config |= {"walduct.sink.http.deadletter.file": str(letters), "errors.deadletterqueue.context.headers.enable": "true"}
    connector.start().wait_streaming()
    wait_until(lambda: (3, "c") in rows(receiver), 30, "the row behind it")
    db.execute("update t set v = 'mended' where id = 2")
    wait_until(lambda: (2, "u") in rows(receiver), 30, "the row that is mended")
    connector.stop()
    letter, = [json.loads(line) for line in letters.read_text().splitlines()]
    assert letter["topic"] == "dead" and json.loads(letter["value"])["after"] == {"id": 2, "v": "bad"}
    assert "HTTP status 422" in dict(letter["headers"])["__connect.errors.exception.message"]


def test_dead_letters_go_to_another_url(db, receiver, connectors):
    park = Receiver()
    try:
        receiver.judge = lambda number, request: 410 if '"id":2' in request["body"] else 200
        db.execute("create table t (id int primary key)")
        config = {"sink.http.url": receiver.url + "/{topic}", "walduct.errors.gone": "dead.letter", "errors.deadletterqueue.topic.name": "dead",
                  "walduct.sink.http.deadletter.url": park.url + "/{topic}"}
        connector = connectors(db, config, sink="http").start().wait_streaming()
        db.execute("insert into t select n from generate_series(1, 3) n")
        assert wait_rows(connector, receiver, 2) == [(1, "c"), (3, "c")]
        wait_until(lambda: park.taken, 30, "the letter")
        connector.stop()
        assert park.requests[0]["path"] == "/dead" and receiver.requests[0]["path"] == f"/{db.name}.public.t"
        assert connector.start().wait_streaming() and connector.stop() is None
        assert len(park.requests) == 1, "settled with the position"
    finally:
        park.close()


def test_away_and_back(db, receiver, connectors):
    """Nobody listens, then somebody again; what it waits for is said, in the log and by status."""
    db.execute("create table t (id int primary key)")
    config = {"sink.http.url": receiver.url, "sink.http.retry.interval.ms": "50", "walduct.sink.http.retry.max.ms": "500",
              "sink.http.timeout.ms": "1000"}
    connector = connectors(db, config, sink="http").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_rows(connector, receiver, 1)
    receiver.down()
    db.execute("insert into t select n from generate_series(2, 300) n")
    connector.wait_log("the receiver does not take records: they wait.*http")
    connector.terminate(timeout_s=20)
    connector.start(environment={})
    connector.wait_log("http_unreachable|does not take")
    receiver.up()
    wait_until(lambda: len(set(rows(receiver))) >= 300, 60, "all rows")
    connector.stop()
    assert firsts(rows(receiver)) == [(n, "c") for n in range(1, 301)]


def test_whom_it_waits_for_is_said_and_a_stop_is_not_held_up(db, receiver, connectors):
    """It answers that it is busy."""
    receiver.judge = lambda number, request: 503
    receiver.retry_after = "30"
    db.execute("create table t (id int primary key)")
    config = {"sink.http.url": f"{receiver.url.replace('//', '//user:secret@')}/in", "walduct.stall.warn.ms": "1000"}
    connector = connectors(db, config, sink="http").start().wait_streaming()
    db.execute("insert into t values (1)")
    connector.wait_log(rf"no progress for \d+s: waiting for {receiver.url}/in answers with HTTP status 503.* since 20..-", 60)
    assert "secret" not in connector.log_text()
    connector.terminate(timeout_s=20)
    assert len(receiver.requests) == 1, "Retry-After is heeded"
    receiver.judge = lambda number, request: 200
    connector.start().wait_streaming()
    assert wait_rows(connector, receiver, 1) == [(1, "c")]
    connector.stop()


@pytest.mark.parametrize("in_flight", [1, 16])
def test_killed_again_and_again(db, receiver, connectors, in_flight):
    """Under three writers. Nothing is lost, each key keeps its order, and what comes twice has the id that it had: who keeps ids sees it once."""
    writers = ThreeWriters(db, pause_s=0.05)
    config = {"sink.http.url": receiver.url, "walduct.sink.http.max.in.flight": in_flight,
              "sink.http.authentication.type": "standard-webhooks", "walduct.sink.http.headers": "Idempotency-Key: {id}",
              "sink.http.authentication.webhook.secret": "whsec_ZHVtbXktc2VjcmV0LW9mLXRoaXJ0eS10d28tYnl0ZXM="}
    receiver.secret = config["sink.http.authentication.webhook.secret"]
    connector = connectors(db, config, sink="http").start().wait_streaming()

    def kill():
        connector.kill()
        connector.start().wait_streaming()
    writers.disturb(kill, KILLS, 15)
    wait_until(lambda: writers.all_in(updates_in(request["body"] for request in receiver.taken)), 120, "all updates")
    connector.stop()
    taken, once = receiver.taken, {}
    for request in taken:
        headers = {name.lower(): value for name, value in request["headers"]}
        assert request["signature_valid"] and headers["webhook-id"] == headers["idempotency-key"]
        once.setdefault(headers["webhook-id"], request["body"])
    writers.check(updates_in(once.values()), once=True)
    writers.check(updates_in(request["body"] for request in taken))


def test_tls_with_certificates_on_both_sides(db, tmp_path, connectors):
    authority = Authority(tmp_path / "ca")
    certificate, key = authority.issue("receiver", ["127.0.0.1"])
    mine, my_key = authority.issue("walduct")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(authority.certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    receiver = Receiver(context=context)
    try:
        db.execute("create table t (id int primary key)")
        config = {"sink.http.url": receiver.url, "walduct.sink.http.ssl.ca": str(authority.certificate),
                  "walduct.sink.http.ssl.certificate": str(mine), "walduct.sink.http.ssl.key": str(my_key)}
        connector = connectors(db, config, sink="http").start().wait_streaming()
        db.execute("insert into t select n from generate_series(1, 20) n")
        assert wait_rows(connector, receiver, 20) == [(n, "c") for n in range(1, 21)]
        connector.stop()
        connector.config["walduct.sink.http.ssl.ca"] = str(Authority(tmp_path / "other").certificate)
        assert connector.run_to_end() == 3
        assert connector.logged("http_tls_failed") and connector.logged("walduct.sink.http.ssl.ca")
    finally:
        receiver.close()


@pytest.fixture
def processes():
    """Makes receivers in processes of their own."""
    made = []

    def make(*arguments):
        made.append(ReceiverProcess(*arguments))
        return made[-1]
    yield make
    for one in made:
        one.close()


def ids(requests):
    return [json.loads(request["body"])["after"]["id"] for request in requests]


def test_a_receiver_that_stands_still(db, tmp_path, connectors, processes):
    """SIGSTOP: connections stay open and nothing is answered. What comes twice then has the id that it had."""
    receiver = processes(tmp_path)
    db.execute("create table t (id int primary key)")
    config = {"sink.http.url": receiver.url, "sink.http.timeout.ms": "700", "sink.http.retry.interval.ms": "50", "walduct.sink.http.retry.max.ms": "300",
              "walduct.sink.http.headers": "Idempotency-Key: {id}"}
    connector = connectors(db, config, sink="http").start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_until(lambda: receiver.requests, 30, "the first request")
    receiver.pause()
    db.execute("insert into t select n from generate_series(2, 200) n")
    connector.wait_log("the receiver does not take records: they wait")
    receiver.resume()
    wait_until(lambda: 200 in ids(receiver.requests), 30, "the last row")
    connector.stop()
    requests = receiver.requests
    assert firsts(ids(requests)) == list(range(1, 201))
    named = {(row, request["headers"]["idempotency-key"]) for row, request in zip(ids(requests), requests)}
    assert len(named) == 200


@pytest.mark.parametrize("version", ["1.1", "2"])
def test_http_2_where_the_receiver_has_it(db, tmp_path, connectors, processes, version):
    authority = Authority(tmp_path / "ca")
    receiver = processes(tmp_path, authority.issue("receiver", ["127.0.0.1"]))
    db.execute("create table t (id int primary key)")
    config = {"sink.http.url": receiver.url, "walduct.sink.http.ssl.ca": str(authority.certificate), "walduct.sink.http.version": version,
              "walduct.sink.http.max.in.flight": "8"}
    connector = connectors(db, config, sink="http").start().wait_streaming()
    db.execute("insert into t select n from generate_series(1, 300) n")
    wait_until(lambda: len(set(ids(receiver.requests))) == 300, 30, "all rows")
    connector.stop()
    assert {request["version"] for request in receiver.requests} == {version}
    assert len(receiver.requests) == 300, "none comes twice"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_through_a_proxy(db, tmp_path, connectors, scheme):
    """Which finds the receiver: its name is known to nobody else."""
    authority = Authority(tmp_path / "ca")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if scheme == "https" else None
    if context:
        context.load_cert_chain(*authority.issue("receiver", ["receiver.invalid"]))
    receiver = Receiver(context=context)
    proxy = Proxy(f"127.0.0.1:{receiver.port}")
    try:
        db.execute("create table t (id int primary key)")
        config = {"sink.http.url": f"{scheme}://receiver.invalid/in", "walduct.sink.http.proxy": proxy.address,
                  **({"walduct.sink.http.ssl.ca": str(authority.certificate)} if context else {})}
        connector = connectors(db, config, sink="http").start().wait_streaming()
        db.execute("insert into t select n from generate_series(1, 20) n")
        assert wait_rows(connector, receiver, 20) == [(n, "c") for n in range(1, 21)]
        connector.stop()
        wanted = "CONNECT receiver.invalid:443 " if context else "POST http://receiver.invalid/in "
        assert any(line.startswith(wanted) for line in proxy.asked), proxy.asked
    finally:
        receiver.close()
        proxy.close()


BAD = {
    "no-url": ({}, "sink.http.url", "A value is required"),
    "no-scheme": ({"sink.http.url": "receiver:80"}, "sink.http.url", "http://"),
    "unknown-place": ({"sink.http.url": "http://h/{table}"}, "sink.http.url", "{topic}"),
    "short-secret": ({"sink.http.url": "http://h/", "sink.http.authentication.type": "standard-webhooks",
                      "sink.http.authentication.webhook.secret": "c2hvcnQ="}, "sink.http.authentication.webhook.secret", "24 to 64"),
    "no-client": ({"sink.http.url": "http://h/", "sink.http.authentication.type": "oauth2"}, "sink.http.authentication.oauth2.client-id", "required"),
    "basic": ({"sink.http.url": "http://h/", "sink.http.authentication.type": "basic"}, "sink.http.authentication.type", "standard-webhooks"),
    "key-alone": ({"sink.http.url": "http://h/", "walduct.sink.http.ssl.key": "k.pem"}, "walduct.sink.http.ssl.key", "set both"),
    "headers": ({"sink.http.url": "http://h/", "walduct.sink.http.headers": "Idempotency-Key"}, "walduct.sink.http.headers", "Idempotency-Key: {id}"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_names_property_value_and_fix(db, connectors, case):
    config, name, said = BAD[case]
    connector = connectors(db, config, sink="http")
    assert connector.run_to_end() == 2
    assert connector.logged(name.replace(".", r"\.")) and said in connector.log_text(), connector.log_text()


def test_doctor_asks_the_receiver(db, receiver, connectors):
    db.execute("create table t (id int primary key)")
    connector = connectors(db, {"sink.http.url": receiver.url}, sink="http")
    assert f"HTTP server at {receiver.url}" in connector.call("doctor").stdout
    receiver.down()
    said = connector.call("doctor")
    assert said.returncode != 0 and "http_unreachable" in said.stdout + said.stderr
    receiver.up()
