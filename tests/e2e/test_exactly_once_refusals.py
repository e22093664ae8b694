"""exactly.once.support=required where the broker takes a record not: nothing of its transaction is seen, nothing is lost, and what
stops the connector is named with the row."""
import re

import pytest
from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType

from support.kafka import create_topic, read_topics, set_topic
from support.secure_broker import sasl, security_of
from support.wait import wait_until
from test_dead_letters import ITEMS, KAFKA, REFUSED_BY_BROKER
from test_exactly_once import exactly_once, ids
from test_kafka_security import secure_broker  # noqa: F401
from test_security import TABLE, certificates  # noqa: F401

THREE = "insert into items values (1, 'a'), (2, repeat('x', 5000)), (3, 'b')"


def once_all_came(connector):
    return [e.after["id"] for e in connector.events()]


@pytest.mark.parametrize("policy", [{}, {"errors.tolerance": "all"}, {"walduct.errors.too.large": "skip"},
                                    {"walduct.errors.too.large": "placeholder"}], ids=["stop", "all", "skip", "placeholder"])
def test_SNK_06_too_large_for_the_broker(policy, db, connectors, broker):
    """The row is named; of its transaction, in PostgreSQL and in Kafka, nothing is seen; raised, all come once."""
    db.script(ITEMS)
    topic = f"{db.name}.public.items"
    create_topic(broker, topic, **{"max.message.bytes": "2000"})
    connector = exactly_once(connectors, db, policy).start().wait_streaming()
    db.execute("insert into items values (0, 'before')")
    connector.wait_events(1)
    db.script(THREE)
    assert connector.wait_exit() == 1
    assert connector.logged(REFUSED_BY_BROKER), connector.log_text()
    assert once_all_came(connector) == [0], "a part of a transaction is seen"
    set_topic(broker, topic, max_message_bytes="1000000")
    wait_until(lambda: connector.run_to_end("--until-caught-up") == 0, 60, "the topic takes the record", interval_s=0.5)
    assert once_all_came(connector) == [0, 1, 2, 3]


def test_SNK_06_small_records_whose_batch_is_too_large(db, connectors, broker):
    """Each of them fits: the transaction is written anew in smaller batches, and each comes once."""
    db.script(ITEMS)
    create_topic(broker, f"{db.name}.public.items", **{"max.message.bytes": "3000"})
    connector = exactly_once(connectors, db, {"producer.override.linger.ms": "50"}).start().wait_streaming()
    db.script("insert into items select n, md5(n::text) from generate_series(1, 500) n")
    connector.wait_events(lambda events: any(e.id == 500 for e in events))
    db.execute("insert into items values (501, 'behind')")
    events = connector.wait_events(lambda events: any(e.id == 501 for e in events))
    assert [e.id for e in events] == list(range(1, 502))
    assert connector.logged(r"warning .*MSG_SIZE_TOO_LARGE.*smaller batches.*reason=batch_refused")
    connector.stop()


def test_FAIL_11_without_key_for_a_compacted_topic(db, connectors, broker):
    db.script("create table items (id int, amount text); create table other (id int primary key)")
    topic = f"{db.name}.all"
    create_topic(broker, topic, **{"cleanup.policy": "compact"})
    route = {"transforms": "one", "transforms.one.type": KAFKA + "RegexRouter", "transforms.one.regex": ".*",
             "transforms.one.replacement": topic}
    connector = exactly_once(connectors, db, route).start().wait_streaming()
    db.script("insert into other values (1); insert into items values (7, 'x'); insert into other values (2)")
    assert connector.wait_exit() == 1
    assert connector.logged(r"error .*stopped: insert into table public\.items, .*LSN .*reason=record_refused hint="), connector.log_text()
    assert once_all_came(connector) in ([], [1])
    set_topic(broker, topic, cleanup_policy="delete")
    wait_until(lambda: connector.run_to_end("--until-caught-up") == 0, 60, "the topic takes the record", interval_s=0.5)
    assert once_all_came(connector) == [1, 7, 2]


def test_SNK_07_topic_missing(db, connectors, broker):
    """It stops with the topic's name, however often it is started; created, all come once."""
    db.script(ITEMS + "; create table other (id int primary key)")
    create_topic(broker, f"{db.name}.public.other")
    never = {"producer.override.rdkafka.allow.auto.create.topics": "false",
             "producer.override.rdkafka.topic.metadata.propagation.max.ms": "1000"}
    connector = exactly_once(connectors, db, never).start().wait_streaming()
    db.script("begin; insert into other values (1); insert into items values (2, 'b'); commit")
    assert connector.wait_exit() == 3
    assert connector.logged(r"error .*topic \S+items.*reason=topic_missing hint=.*create the topic"), connector.log_text()
    assert connector.run_to_end("--until-caught-up") == 3
    assert once_all_came(connector) == [], "a part of a transaction is seen"
    create_topic(broker, f"{db.name}.public.items")
    assert connector.run_to_end("--until-caught-up") == 0
    assert sorted(once_all_came(connector)) == [1, 2]


def test_SEC_07_right_taken_away_and_given_back(secure_broker, db, connectors):  # noqa: F811
    """It is waited for and named; nothing is lost, nothing repeated."""
    db.script(TABLE)
    broker = secure_broker
    offsets = f"offsets-{db.name}"

    def grant(*topics):
        for topic in topics:
            broker.grant("alice", topic)

    transactions = [AclBinding(ResourceType.TRANSACTIONAL_ID, "walduct-", ResourcePatternType.PREFIXED, "User:alice", "*", operation,
                               AclPermissionType.ALLOW) for operation in (AclOperation.WRITE, AclOperation.DESCRIBE)]
    for future in broker.admin.create_acls(transactions).values():
        future.result()
    grant(db.name, offsets)
    broker.allow_reading_configs("alice", offsets)
    security = {**sasl("PLAIN", "alice", "alice-secret"), **broker.trust()}
    worker = {**security, **security_of("producer.", security), "bootstrap.servers": broker.sasl_ssl}
    connector = exactly_once(connectors, db, {"retriable.restart.connector.wait.ms": "500"}, worker).start().wait_streaming(60)

    def arrived():
        return [int(re.search(rb'"after":\{"id":(\d+)', r.value).group(1)) for r in read_topics(broker.plain, connector.prefix) if r.value]

    wait_until(lambda: 1 in arrived(), 60, "the row of the snapshot")
    broker.revoke("alice")
    db.execute("insert into public.orders values (2, 'denied')")
    connector.wait_log("_authorization_failed", 60)
    for future in broker.admin.create_acls(transactions).values():
        future.result()
    grant(db.name, offsets)
    db.execute("insert into public.orders values (3, 'granted')")
    wait_until(lambda: 3 in arrived(), 90, "the row behind")
    assert arrived() == [1, 2, 3]
    assert connector.running()
    connector.stop()


@pytest.mark.parametrize("moved", [True, False], ids=["moved", "control"])
def test_slot_moved(moved, db, connectors):
    """when_needed takes a new snapshot, whose rows come again: the log says from where. What is written later comes once."""
    db.script("create table items (id int primary key, v text)")
    connector = exactly_once(connectors, db, {"snapshot.mode": "when_needed"}).start().wait_streaming()
    db.execute("insert into items values (1, 'published')")
    connector.wait_events(1)
    connector.stop()
    db.execute("insert into items values (2, 'gone')")
    if moved:
        db.execute("select pg_replication_slot_advance(%s, pg_current_wal_lsn())", connector.slot)
    db.execute("insert into items values (3, 'behind')")
    connector.start().wait_streaming()
    db.execute("insert into items values (4, 'after')")
    events = connector.wait_events(lambda events: 4 in ids(events, "c"))
    connector.stop()
    said = connector.logged(r"warning .*exactly once does not cover this snapshot: .*written after [0-9A-F]+/[0-9A-F]+, where the slot stands")
    assert bool(said) is moved
    assert sorted(ids(events, "r")) == ([1, 2, 3] if moved else [])
    assert ids(events, "c") == ([1, 3, 4] if moved else [1, 2, 3, 4])
