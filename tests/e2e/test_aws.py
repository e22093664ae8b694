"""The sinks kinesis, sqs and sns against moto: what arrives, what is refused, what is away."""
import json
import os
import subprocess

import pytest

from golden import server_replay
from golden.aws_replay import AwsReplay
from support import servers
from support.aws import ENVIRONMENT, REGION, Aws, Door, arn_of
from support.destinations import OfKinesis, OfSns, OfSnsFifo, OfSqs, OfSqsFifo
from support.paths import AWS_CONTRACT, BINARY
from support.wait import wait_until
from support.writer import ThreeWriters, disturb_under_updates, updates_in

KILLS = int(os.environ.get("E2E_KILLS", "3"))


@pytest.fixture(scope="session")
def moto():
    """URL of the shared one."""
    return servers.shared("aws", aws=True).aws


@pytest.fixture
def door(moto):
    one = Door(moto)
    yield one
    one.close()
    assert not one.unsigned


def sink(door, **more):
    return {"sink.kinesis.region": REGION, "sink.kinesis.endpoint": door.url, **more}


def stream_of(moto, db, table="t", shards=1):
    Aws(moto).create_stream(f"{db.name}.public.{table}", shards)


def rows(moto, db, table="t"):
    """(id, v, op) of each record, in the order of each shard."""
    values = [json.loads(data) for _, _, data in Aws(moto).records(f"{db.name}.public.{table}") if data]
    return [((value.get("after") or value["before"])["id"], (value.get("after") or {}).get("v"), value["op"]) for value in values]


def firsts(values):
    return list(dict.fromkeys(values))


def test_contract_of_sinks_on_a_server(moto):
    """The tests that every sink passes (tests/sink/contract.h), and its own."""
    done = subprocess.run([AWS_CONTRACT], env={**os.environ, **ENVIRONMENT, "WALDUCT_TEST_AWS": moto}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0 and "[  PASSED  ]" in done.stdout, done.stdout[-4000:]


# The real one publishes nothing of a batch in which a header is null. Here what is before that record is published, and it is stopped at.
BEFORE = {"sns_null_header": 3}


class SnsReplay(AwsReplay):
    def differences(self, strict):
        if self.golden.name not in BEFORE:
            return super().differences(strict)
        assert not self.finished and self.server.logged("header 'tenant' is null or empty")
        return [] if len(self.records) == BEFORE[self.golden.name] else [f"{len(self.records)} records are there"]


@pytest.mark.parametrize("name", [name for sink in ("kinesis", "sqs", "sns") for name in server_replay.scenario_names(sink)])
def test_as_debezium_server(name, tmp_path, private_servers):
    """What the real Debezium Server wrote, from its own application.properties."""
    server_replay.check(name, private_servers(aws=True).aws, tmp_path, SnsReplay)


@pytest.mark.parametrize("way", ["part", "throttle", "500", "close", "lost"])
def test_every_tenth_is_not_taken_at_first(db, moto, door, connectors, way):
    """Nothing is lost, and each key keeps its order, in each way in which it passes."""
    stream_of(moto, db, shards=2)
    sent = iter(range(10**9))
    door.judge = lambda _, action: way if action == "PutRecords" and next(sent) % 10 == 3 else "ok"
    db.execute("create table t (id int primary key, v int)")
    connector = connectors(db, sink(door), sink="kinesis").start(environment=ENVIRONMENT).wait_streaming()
    db.execute("insert into t select n, 0 from generate_series(1, 20) n")
    for v in range(1, 31):
        db.execute("update t set v = %s", v)
    wait_until(lambda: len(set(rows(moto, db))) >= 20 * 31, 60, "all rows")
    connector.stop()
    for key in range(1, 21):
        assert firsts([v for id_, v, _ in rows(moto, db) if id_ == key]) == list(range(31))
    if way != "lost":
        assert len(rows(moto, db)) == 20 * 31, "none twice"


@pytest.mark.parametrize("way", ["part", "throttle", "500", "close", "lost"])
@pytest.mark.parametrize("kind", ["sqs", "sns"])
def test_every_tenth_is_not_taken_at_first_in_order(db, moto, door, connectors, kind, way):
    """The same of a queue and a topic with an order. What comes again within five minutes is no message."""
    client, name = Aws(moto), f"{db.name}.fifo"
    if kind == "sqs":
        queue = client.create_queue(name, FifoQueue="true")
        config = {"sink.sqs.region": REGION, "sink.sqs.endpoint": door.url, "sink.sqs.queue.url": queue, "walduct.sink.sqs.fifo.group": "key"}
    else:
        queue = client.create_topic(name, FifoTopic="true")
        config = {"sink.sns.region": REGION, "sink.sns.endpoint": door.url, "sink.sns.topic.arn": arn_of(name)}
    sent = iter(range(10**9))
    door.judge = lambda _, action: way if action in ("SendMessageBatch", "PublishBatch") and next(sent) % 10 == 3 else "ok"
    db.execute("create table t (id int primary key, v int)")
    connector = connectors(db, config, sink=kind).start(environment=ENVIRONMENT).wait_streaming()
    db.execute("insert into t select n, 0 from generate_series(1, 10) n")
    for v in range(1, 11):
        db.execute("update t set v = %s", v)
    got = []

    def all_there():
        for body, _, _ in client.take(queue):
            value = json.loads(body)
            value = json.loads(value["Message"]) if "Message" in value else value
            got.append((value["after"]["id"], value["after"]["v"]))
        return len(got) >= 110
    wait_until(all_there, 60, "all rows")
    connector.stop()
    for key in range(1, 11):
        assert [v for id_, v in got if id_ == key] == list(range(11)), "none missing, none twice, in order"


def test_a_fifo_queue_has_each_change_once(db, moto, door, connectors):
    """Equal bodies are changes of their own; what a killed process sends again is none."""
    client = Aws(moto)
    queue = client.create_queue(f"{db.name}.fifo", FifoQueue="true", ContentBasedDeduplication="true")
    config = {"sink.sqs.region": REGION, "sink.sqs.endpoint": door.url, "sink.sqs.queue.url": queue, "transforms": "flat",
              "transforms.flat.type": "io.debezium.transforms.ExtractNewRecordState"}
    db.execute("create table t (id int primary key, v int); insert into t values (0, 0)")
    connector = connectors(db, config, sink="sqs").start(environment=ENVIRONMENT).wait_streaming()

    def kill():
        connector.kill()
        connector.start(environment=ENVIRONMENT)
    changes = disturb_under_updates(db, kill, KILLS, 10)
    for v in (-1, -2, -1, -2, -1):
        db.execute("update t set v = %s", v)
    got = []

    def all_there():
        got.extend(json.loads(body)["v"] for body, _, _ in client.take(queue))
        return len(got) >= changes + 6
    wait_until(all_there, 60, "all of them")
    connector.stop()
    assert got == [*range(changes + 1), -1, -2, -1, -2, -1]


def test_a_queue_or_topic_that_is_missing_stops_the_start(db, moto, door, connectors):
    db.execute("create table t (id int primary key)")
    missing = {"sqs": {"sink.sqs.queue.url": f"{moto}/123456789012/none"}, "sns": {"sink.sns.topic.arn": arn_of("none")}}
    for kind, place in missing.items():
        config = {f"sink.{kind}.region": REGION, f"sink.{kind}.endpoint": door.url, **place}
        connector = connectors(db, config, sink=kind)
        assert connector.start(environment=ENVIRONMENT).wait_exit() == 3
        assert connector.logged("aws_missing") and connector.logged("create it")


@pytest.mark.parametrize("kind", [OfKinesis, OfSqs, OfSqsFifo, OfSns, OfSnsFifo], ids=lambda kind: kind.__name__[2:])
def test_killed_again_and_again(db, connectors, kind):
    """Under three writers, and cut off once. Nothing is lost and each key keeps its order; where AWS knows repeats nothing comes twice."""
    target, writers = kind(servers.shared("aws", aws=True), db), ThreeWriters(db, pause_s=0.2)  # moto is slow
    connector = connectors(db, target.config(), sink=kind.sink).start(environment=ENVIRONMENT).wait_streaming()
    left = iter(range(KILLS))

    def kill():
        if next(left, None) is not None:
            connector.kill()
            connector.start(environment=ENVIRONMENT).wait_streaming()
        else:
            target.down()
            connector.wait_log("does not take records")
            target.up()
    writers.disturb(kill, KILLS + 1, 5)
    wait_until(writers.confirmed, max(120, 5 * KILLS), "all updates")  # one that is killed too soon gets nothing on
    connector.wait_log("takes records again")
    connector.stop()
    writers.check(updates_in(target.bodies()), once="Fifo" in kind.__name__)
    target.close()


def test_a_stream_that_is_missing_follows_its_policy(db, moto, door, connectors):
    """It stops with the topic's name, and with the letters' where these have none either; parked, the others go on."""
    db.script("create table t (id int primary key, v int); create table u (id int primary key, v int)")
    stream_of(moto, db, "u")
    connector = connectors(db, sink(door), sink="kinesis").start(environment=ENVIRONMENT).wait_streaming()
    db.script("insert into t values (1, 1); insert into u values (2, 2)")
    assert connector.wait_exit() == 1
    assert connector.logged("topic_missing") and connector.logged("change [0-9A-F]+/[0-9A-F]+:1")
    connector.config |= {"walduct.errors.topic.missing": "dead.letter", "errors.deadletterqueue.topic.name": f"{db.name}.dead"}
    assert connector.start(environment=ENVIRONMENT).wait_exit() == 1
    assert connector.logged(f"dead letter: record of {db.name}.dead")
    Aws(moto).create_stream(f"{db.name}.dead")
    connector.start(environment=ENVIRONMENT)
    wait_until(lambda: rows(moto, db, "u") and Aws(moto).records(f"{db.name}.dead"), 30, "the letter, and the row behind it")
    connector.stop()
    letter, = [json.loads(data) for _, _, data in Aws(moto).records(f"{db.name}.dead")]
    assert letter["after"]["id"] == 1


def test_of_topics_of_sns_the_one_that_is_missing_stops_it(db, moto, door, connectors):
    """Records of one transaction to two topics: that the other one takes its record, which is the later one, loses nothing of the first."""
    client = Aws(moto)
    db.script("create table t (id int primary key, v int); create table u (id int primary key, v int)")
    there = client.create_topic(f"{db.name}-u")
    config = {"sink.sns.region": REGION, "sink.sns.endpoint": door.url, "sink.sns.topic.arn.prefix": arn_of(""), "transforms": "named",
              "transforms.named.type": "org.apache.kafka.connect.transforms.RegexRouter", "transforms.named.regex": r".*\.public\.(.*)",
              "transforms.named.replacement": f"{db.name}-$1"}
    connector = connectors(db, config, sink="sns").start(environment=ENVIRONMENT).wait_streaming()
    db.script("begin; insert into t values (1, 1); insert into u values (2, 2); commit")
    assert connector.wait_exit() == 1
    assert connector.logged("topic_missing") and connector.logged("change [0-9A-F]+/[0-9A-F]+:1")
    missing = client.create_topic(f"{db.name}-t")
    connector.start(environment=ENVIRONMENT)
    got = {missing: [], there: []}

    def both():
        for queue, ids in got.items():
            ids.extend(json.loads(json.loads(body)["Message"])["after"]["id"] for body, _, _ in client.take(queue))
        return all(got.values())
    wait_until(both, 30, "both records")
    connector.stop()
    assert got[missing] == [1] and set(got[there]) == {2}


def test_bytes_are_a_body_of_sqs(db, moto, door, connectors):
    """As they are, where they are text; what is none is refused, and told."""
    client = Aws(moto)
    queue = client.create_queue(db.name)
    db.script("create table outbox (id uuid primary key, aggregatetype text, aggregateid text, type text, payload bytea)")
    config = {"sink.sqs.region": REGION, "sink.sqs.endpoint": door.url, "sink.sqs.queue.url": queue, "transforms": "outbox",
              "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
              "value.converter": "io.debezium.converters.BinaryDataConverter", "value.converter.schemas.enable": None}
    connector = connectors(db, config, sink="sqs").start(environment=ENVIRONMENT).wait_streaming()
    insert = "insert into outbox values (gen_random_uuid(), 'order', '1', 'placed', %s)"
    db.execute(insert, '{"größe": 1}'.encode())
    got = []
    wait_until(lambda: got.extend(body for body, _, _ in client.take(queue)) or got, 30, "the body")
    assert got == ['{"größe": 1}']
    db.execute(insert, b"\xff\xfe")
    assert connector.wait_exit() == 1
    assert connector.logged("record_refused|UTF-8") and client.take(queue) == []


def test_what_is_too_large_for_a_queue_is_parked_in_another(db, moto, door, connectors):
    client = Aws(moto)
    queue, dead = client.create_queue(db.name), client.create_queue(f"{db.name}-dead")
    db.execute("create table t (id int primary key, v text)")
    config = {"sink.sqs.region": REGION, "sink.sqs.endpoint": door.url, "sink.sqs.queue.url": queue, "walduct.errors.too.large": "dead.letter",
              "errors.deadletterqueue.topic.name": "dead", "walduct.sink.sqs.deadletter.queue.url": dead, "errors.deadletterqueue.context.headers.enable": "true"}
    connector = connectors(db, config, sink="sqs").start(environment=ENVIRONMENT).wait_streaming()
    db.script("insert into t values (1, 'a'); insert into t values (2, repeat('x', 1100000)); insert into t values (3, 'c')")
    got = []
    wait_until(lambda: len(got.extend(json.loads(body)["after"]["id"] for body, _, _ in client.take(queue)) or got) >= 2, 30, "the small ones")
    connector.terminate()
    assert got == [1, 3] and connector.logged("record_too_large")


def test_a_record_that_is_too_large_follows_its_policy(db, moto, door, connectors):
    stream_of(moto, db)
    db.execute("create table t (id int primary key, v text)")
    config = sink(door, **{"walduct.errors.too.large": "skip"})
    connector = connectors(db, config, sink="kinesis").start(environment=ENVIRONMENT).wait_streaming()
    db.script("insert into t values (1, 'a'); insert into t values (2, repeat('x', 1100000)); insert into t values (3, 'c')")
    wait_until(lambda: len(rows(moto, db)) >= 2, 30, "the small ones")
    connector.stop()
    assert [id_ for id_, _, _ in rows(moto, db)] == [1, 3] and connector.logged("record_too_large")


def test_who_asks_is_unknown_or_nobody(db, moto, door, connectors):
    """At a start it stops with what to type."""
    db.execute("create table t (id int primary key)")
    connector = connectors(db, sink(door), sink="kinesis")
    nobody = {"AWS_ACCESS_KEY_ID": "", "AWS_EC2_METADATA_DISABLED": "true", "HOME": "/nonexistent"}
    assert connector.start(environment=nobody).wait_exit() == 3
    assert connector.logged("aws_credentials_missing") and connector.logged("AWS_ACCESS_KEY_ID")


def test_doctor_names_the_streams(db, moto, door, connectors):
    stream_of(moto, db)
    connector = connectors(db, sink(door), sink="kinesis")
    connector.write_files()
    doctor = subprocess.run([BINARY, "doctor", *map(str, connector.files())], capture_output=True, text=True, env={**os.environ, **ENVIRONMENT})
    assert f"Kinesis at {door.url}/, streams " in doctor.stdout and f"{db.name}.public.t" in doctor.stdout, doctor.stdout
