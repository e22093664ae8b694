"""An offset topic that is not as it should be: never "there is no position", never a position that the broker will remove."""
import json
import shlex
import subprocess

import pytest
from confluent_kafka import Producer

from support.http import Surface
from support.kafka import QUIET, create_topic, delete_topics, read_topics
from support.offsets import offset_key
from support.paths import BINARY
from support.wait import wait_until
from test_typed_hints import kafka_tool


def walduct(*arguments):
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=60)


def topic_connector(db, connectors, topic, properties=None):
    worker = {"offset.storage.file.filename": None, "offset.storage.topic": topic, "offset.storage.partitions": "1",
              "offset.storage.replication.factor": "1"}
    db.script("create table if not exists items (id int primary key)")
    return connectors(db, properties or {}, worker=worker)


@pytest.mark.parametrize("policy,code", [("delete", 3), ("compact,delete", 3), ("compact", None)])
def test_cleanup_policy(policy, code, db, broker, connectors):
    """As Connect: only compact keeps a position that has not changed for a week."""
    topic = f"offsets-{db.name}"
    create_topic(broker, topic, **{"cleanup.policy": policy})
    connector = topic_connector(db, connectors, topic)
    if code is None:
        connector.start().wait_streaming()
        connector.stop()
        return
    assert connector.run_to_end(timeout_s=40) == code
    log = connector.log_text()
    assert "reason=offset_topic_not_compacted" in log and f"cleanup.policy={policy}" in log and "kafka-configs.sh --bootstrap-server" in log
    assert db.slots() == []


def test_cleanup_policy_that_is_changed_while_it_runs(db, broker, connectors):
    """Doctor tells it at once, log and status within a minute; the hint is typed, and all is well again."""
    topic = f"offsets-{db.name}"
    connector = topic_connector(db, connectors, topic).start("--listen", "127.0.0.1:0").wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    url = ("--url", Surface(connector).base)
    kafka_tool(["kafka-configs.sh", "--bootstrap-server", broker, "--alter", "--entity-type", "topics", "--entity-name", topic,
                "--add-config", "cleanup.policy=delete"])
    said = walduct("doctor", connector.name, *url)
    assert said.returncode == 2 and "offset_topic_not_compacted" in said.stdout and "cleanup.policy=delete" in said.stdout, said
    told = wait_until(lambda: next((line for line in walduct("status", *url).stdout.splitlines() if "process " in line), None), 90, "status")
    assert f"the offset topic {topic} has cleanup.policy=delete" in told, told
    assert "reason=offset_topic_not_compacted" in connector.log_text()
    hint = json.loads(walduct("status", "--json", *url).stdout)["notice"]["hint"]
    kafka_tool(shlex.split(hint))
    wait_until(lambda: "notice" not in json.loads(walduct("status", "--json", *url).stdout), 90, "it is mended")
    connector.stop()


def test_position_in_several_partitions(db, broker, connectors):
    """After the topic was given more partitions: the newest counts, and a line says so."""
    topic = f"offsets-{db.name}"
    create_topic(broker, topic, partitions=2, **{"cleanup.policy": "compact"})
    connector = topic_connector(db, connectors, topic).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    newest = read_topics(broker, topic)[-1]
    older = {**json.loads(newest.value), "lsn": 1, "lsn_proc": 1, "lsn_commit": 1}
    producer = Producer({"bootstrap.servers": broker, **QUIET})
    # older by its time, later by the order in which partitions happen to be read
    producer.produce(topic, json.dumps(older), offset_key(connector.name, connector.prefix), partition=1 - newest.partition,
                     timestamp=newest.timestamp_ms - 1000)
    assert producer.flush(20) == 0
    connector.start().wait_streaming()
    assert connector.logged("holds this connector's position more than once")
    db.execute("insert into items values (2)")
    assert [e.id for e in connector.wait_events(2)] == [1, 2]
    connector.stop()


def test_broker_restarted_before_the_start(private_servers, databases, connectors):
    """While the broker comes up it answers as if topics were missing or leaderless: waited for, no second snapshot."""
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    connector = topic_connector(db, connectors, f"offsets-{db.name}")
    connector.worker["bootstrap.servers"] = servers.bootstrap
    db.execute("insert into items values (0)")
    connector.start().wait_streaming()
    connector.wait_events(1)
    connector.stop()
    for restart in range(3):
        servers.do("stop-kafka")
        connector.start()
        servers.do("start-kafka")
        connector.wait_streaming(60)
        db.execute("insert into items values (%s)", restart + 1)
        connector.wait_events(restart + 2)
        connector.stop()
    events = connector.events()
    assert [(e.op, e.id) for e in events] == [("r", 0), ("c", 1), ("c", 2), ("c", 3)]


def test_a_position_of_megabytes(db, broker, connectors, tmp_path):
    """As while an incremental snapshot has thousands of tables to read; here it is one, with a long condition."""
    topic = f"offsets-{db.name}"
    create_topic(broker, topic, **{"cleanup.policy": "compact"})
    db.script("create table signals (id varchar(64) primary key, type varchar(64), data text)")
    file = tmp_path / "signals.txt"
    connector = topic_connector(db, connectors, topic, {
        "signal.data.collection": "public.signals", "signal.enabled.channels": "file", "signal.file": str(file), "signal.poll.interval.ms": "100",
        "table.include.list": "public.items", "snapshot.mode": "no_data", "incremental.snapshot.chunk.size": "1"})
    db.execute("insert into items select generate_series(1, 30)")
    connector.start().wait_streaming()
    condition = {"data-collection": "public.items", "filter": f"id > 0 /* {'long ' * 400_000}*/"}
    asked = {"type": "incremental", "data-collections": ["public.items"], "additional-conditions": [condition]}
    file.write_text(json.dumps({"id": "s", "type": "execute-snapshot", "data": asked}) + "\n")
    connector.wait_events(lambda events: sum(e.op == "r" for e in events) == 30, 60, "the rows of the snapshot")
    connector.wait_log("incremental snapshot completed", 60)
    connector.stop()
    sizes = [len(record.value) for record in read_topics(broker, topic)]
    assert max(sizes) > 1 << 20 and sizes[-1] < 10_000


def test_topic_that_is_deleted_while_it_streams(db, broker, connectors):
    """It goes on, says what to type, and stores the position there once the topic is back."""
    topic = f"offsets-{db.name}"
    create_topic(broker, topic, **{"cleanup.policy": "compact"})
    connector = topic_connector(db, connectors, topic).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    delete_topics(broker, topic)
    db.execute("insert into items values (2)")
    connector.wait_log(rf'cannot store the offset; retrying error="the offset topic {topic} is gone.*'
                       rf'hint="create it again: kafka-topics\.sh --bootstrap-server \S+ --create --topic {topic} --partitions 1 '
                       r'--config cleanup\.policy=compact', 60)
    create_topic(broker, topic, **{"cleanup.policy": "compact"})
    db.execute("insert into items values (3)")
    assert [e.id for e in connector.wait_events(3)] == [1, 2, 3]
    wait_until(lambda: any(event.value for event in read_topics(broker, topic)), 60, "the position is stored again")
    connector.stop()
    connector.start().wait_streaming()
    db.execute("insert into items values (4)")
    assert [e.id for e in connector.wait_events(4)] == [1, 2, 3, 4]
    connector.stop()
