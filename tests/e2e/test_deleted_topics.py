"""A topic that is deleted under its connector: it is said, with what reads its tables again, until they were read."""
import re
import shlex
import subprocess

import pytest

from support.http import Surface
from support.kafka import create_topic, delete_topics, read_topics
from support.paths import BINARY
from support.wait import wait_until
from test_exactly_once import exactly_once

LISTEN = ("--listen", "127.0.0.1:0")
REASON = "topic_deleted"


def problems(connector):
    return {one["reason"]: one for one in Surface(connector).status().get("capture", {}).get("problems", ())}


@pytest.mark.parametrize("creation", [{}, {"topic.creation.default.partitions": "1", "topic.creation.default.replication.factor": "1"}],
                         ids=["by the broker", "by topic.creation"])
def test_what_was_in_it_is_told_until_it_is_read(creation, db, broker, connectors):
    db.script("create table items (id int primary key); insert into items values (1);"
              "create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    connector = connectors(db, {"table.include.list": "public.items", "signal.data.collection": "public.signals", **creation})
    topic = f"{connector.prefix}.public.items"
    create_topic(broker, topic, partitions=3)
    connector.start(*LISTEN).wait_streaming()
    db.execute("insert into items values (2)")
    connector.wait_events(2)
    delete_topics(broker, topic)
    db.execute("insert into items select g from generate_series(3, 40) g")
    connector.wait_log(rf"topic {topic} (was deleted|has lost records).*reason={REASON}", 60)
    wait_until(lambda: REASON in problems(connector), 60, "it goes on, and the warning stands")
    wait_until(lambda: "lacks" in (connector.offset() or {}).get("walduct_tables", ""), 60, "it goes with the position")
    connector.stop()
    connector.start(*LISTEN).wait_streaming()
    wait_until(lambda: REASON in problems(connector), 30, "by the next process, too")
    hint = problems(connector)[REASON]["hint"]
    typed = re.search(r"walduct signal execute-snapshot [^;]* --table public.items[^;]*", hint).group(0)
    reads = subprocess.run([str(BINARY), *shlex.split(typed)[1:]], capture_output=True, text=True, timeout=60)
    assert reads.returncode == 0, (hint, reads)
    wait_until(lambda: REASON not in problems(connector), 60, "its tables were read")
    connector.stop()
    assert {event.id for event in read_topics(broker, topic)} == set(range(1, 41))


TABLES = ("create table items (id int primary key); insert into items values (1);"
          "create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")


def test_exactly_once_names_it(db, broker, connectors):
    """The call of a transaction that fails names no topic; no report of a batch follows it."""
    db.script(TABLES)
    connector = exactly_once(connectors, db, {"table.include.list": "public.items", "signal.data.collection": "public.signals",
                                              "topic.creation.default.partitions": "1", "topic.creation.default.replication.factor": "1"})
    topic = f"{connector.prefix}.public.items"
    connector.start(*LISTEN).wait_streaming()
    db.execute("insert into items values (2)")
    connector.wait_events(2)
    delete_topics(broker, topic)
    db.execute("insert into items select g from generate_series(3, 40) g")
    wait_until(lambda: REASON in problems(connector), 90, "it goes on, and the warning stands")
    assert connector.logged(rf"topic {topic} (was deleted|has lost records).*reason={REASON}"), connector.log_text()
    assert "--table public.items" in problems(connector)[REASON]["hint"]


def test_nobody_creates_it(db, strict_broker, connectors):
    """The process ends with a missing topic; that it was deleted outlives it."""
    db.script(TABLES)
    connector = connectors(db, {"table.include.list": "public.items", "signal.data.collection": "public.signals",
                                "producer.override.rdkafka.topic.metadata.propagation.max.ms": "1000"},
                           worker={"bootstrap.servers": strict_broker})
    topic = f"{connector.prefix}.public.items"
    create_topic(strict_broker, topic)
    connector.start(*LISTEN).wait_streaming()
    db.execute("insert into items values (2)")
    wait_until(lambda: {event.id for event in read_topics(strict_broker, topic)} == {1, 2}, 30, "both are there")
    delete_topics(strict_broker, topic)
    db.execute("insert into items values (3)")
    assert connector.wait_exit() == 3
    assert connector.logged(r"it was deleted while the connector wrote to it.*reason=topic_missing hint=.*--table public.items"), connector.log_text()
    assert "created anew:" not in connector.log_text()
    create_topic(strict_broker, topic)
    connector.start(*LISTEN).wait_streaming()
    wait_until(lambda: REASON in problems(connector), 30, "by the next process, too")
