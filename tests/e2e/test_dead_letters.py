"""Records that cannot be published: by errors.tolerance they stop the connector, become dead letters, or lines in the log."""
import json
import random
import time

import pytest
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

from support.kafka import create_topic, read_topics
from support.wait import wait_until

KAFKA = "org.apache.kafka.connect.transforms."
CAST = {
    "transforms": "unwrap,cast",
    "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms.cast.type": KAFKA + "Cast$Value",
    "transforms.cast.spec": "amount:int32",
}
ITEMS = "create table items (id int primary key, amount text)"


def tolerant(db, **more):
    return {"errors.tolerance": "all", "errors.deadletterqueue.topic.name": f"{db.name}.letters",
            "errors.deadletterqueue.topic.replication.factor": "1", **more}


def letters(events):
    return [e for e in events if e.topic.endswith(".letters")]


def published(events):
    return [e for e in events if not e.topic.endswith(".letters")]


def context(event):
    prefix = "__connect.errors."
    return {name.removeprefix(prefix): value.decode() for name, value in event.headers if name.startswith(prefix)}


def test_fail11_a_bad_record_stops_by_default(db, connectors):
    """The message names the row, its key and its LSN, and the way out; what came before it is published once, nothing after it."""
    db.script(ITEMS)
    connector = connectors(db, CAST).start().wait_streaming()
    db.script("insert into items values (1, '5'), (2, 'many'), (3, '6')")
    assert connector.wait_exit() == 1
    line = connector.logged(r"error .*stopped: insert into table public\.items, key id=2, LSN [0-9A-F]+/[0-9A-F]+, "
                            r"transaction \d+: transform 'cast' .*")
    assert line, connector.log_text()
    for text in ("errors.tolerance=all", "errors.deadletterqueue.topic.name"):
        assert text in line.group(0)
    assert [e.id for e in connector.events()] == [1]
    connector.start()
    assert connector.wait_exit() == 1
    assert [e.id for e in connector.events()] == [1], "what was published before is stored"


def test_fail11_a_bad_record_becomes_a_dead_letter(db, connectors):
    """As it was before the transforms, with Connect's headers; the rest flows on, and a restart repeats nothing."""
    db.script(ITEMS)
    more = {"errors.deadletterqueue.context.headers.enable": "true"}
    connector = connectors(db, {**CAST, **tolerant(db, **more)}).start().wait_streaming()
    db.script("insert into items values (1, '5'), (2, 'many'), (3, '6'); update items set amount = 'few' where id = 3")
    events = connector.wait_events(4)
    connector.stop()
    assert [json.loads(e.value) for e in published(events)] == [{"id": 1, "amount": 5}, {"id": 3, "amount": 6}]
    first, second = letters(events)
    assert (first.id, first.op, first.after) == (2, "c", {"id": 2, "amount": "many"})
    assert (second.id, second.op, second.after) == (3, "u", {"id": 3, "amount": "few"})
    said = context(first)
    assert "key id=2" in said.pop("exception.message")
    assert said == {"topic": f"{db.name}.public.items", "connector.name": "connector", "task.id": "0",
                    "stage": "TRANSFORMATION", "class.name": KAFKA + "Cast$Value",
                    "exception.class.name": "org.apache.kafka.connect.errors.DataException"}
    connector.start().wait_streaming()
    db.script("insert into items values (4, '7')")
    connector.wait_events(lambda events: any(e.id == 4 for e in events))
    connector.stop()
    assert len(letters(connector.events())) == 2


def test_fail11_without_a_topic_it_is_logged(db, connectors):
    db.script(ITEMS)
    connector = connectors(db, {**CAST, "errors.tolerance": "all"}).start().wait_streaming()
    assert connector.logged(r"warning .*errors\.tolerance.*errors\.deadletterqueue\.topic\.name")
    db.script("insert into items values (2, 'many'), (3, '6')")
    connector.wait_events(lambda events: [e.id for e in events] == [3])
    assert connector.logged(r'warning .*record not published: .*key="?id=2"? lsn=[0-9A-F]+/[0-9A-F]+')
    connector.stop()


def test_fail11_rows_of_a_snapshot(db, connectors):
    db.script(ITEMS + "; insert into items select i, case when i % 10 = 0 then 'many' else i::text end "
                      "from generate_series(1, 1000) i")
    connector = connectors(db, {**CAST, **tolerant(db)}).start().wait_streaming()
    events = connector.wait_events(1000)
    connector.stop()
    assert sorted(e.id for e in letters(events)) == list(range(10, 1001, 10))
    assert len(published(events)) == 900
    assert not any(name.startswith("__connect.") for name, _ in letters(events)[0].headers)


def test_snk06_a_record_that_is_too_large(db, connectors):
    """Refused before it is sent: the letter keeps the key, and says the rest in its headers."""
    db.script(ITEMS)
    large = {"producer.override.max.request.size": "100000"}
    connector = connectors(db, {**large, **tolerant(db)}).start().wait_streaming()
    db.script("insert into items values (1, repeat('x', 200000)), (2, 'y')")
    events = connector.wait_events(2)
    connector.stop()
    assert [e.id for e in published(events)] == [2]
    (letter,) = letters(events)
    assert (letter.id, letter.value) == (1, None)
    said = context(letter)
    assert said["stage"] == "KAFKA_PRODUCE" and "key id=1, LSN" in said["exception.message"]


def test_snk06_a_record_that_is_too_large_stops_by_default(db, connectors):
    db.script(ITEMS)
    connector = connectors(db, {"producer.override.max.request.size": "100000"}).start().wait_streaming()
    db.script("insert into items values (1, repeat('x', 200000))")
    assert connector.wait_exit() == 1
    assert connector.logged(r"error .*table public\.items, key id=1, LSN .*reason=record_too_large hint=.*max\.request\.size")


def test_snk06_a_record_that_only_the_broker_refuses(db, connectors, broker):
    """It shares its batch with others, so nobody can say which one it is: a stop, whatever the tolerance, and nothing is lost."""
    db.script(ITEMS)
    topic = f"{db.name}.public.items"
    create_topic(broker, topic, **{"max.message.bytes": "2000"})
    connector = connectors(db, tolerant(db)).start().wait_streaming()
    db.script("insert into items values (1, 'a'), (2, repeat('x', 5000)), (3, 'b')")
    assert connector.wait_exit() == 1
    assert connector.logged(r"error .*reason=record_too_large hint=.*max\.message\.bytes")
    larger = ConfigEntry("max.message.bytes", "1000000", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=[larger])
    admin = AdminClient({"bootstrap.servers": broker})
    admin.incremental_alter_configs([resource])[resource].result()
    # The broker follows in its own time.
    wait_until(lambda: connector.run_to_end("--until-caught-up") == 0, 60, "the topic takes the record", interval_s=0.5)
    assert {e.id for e in published(connector.events())} == {1, 2, 3}


def test_a_topic_name_that_kafka_refuses(db, connectors):
    """Names come out of rows: one that Kafka cannot take is the error of its row."""
    db.script("create table items (id int primary key, kind text)")
    route = {"transforms": "unwrap", "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
             "transforms.unwrap.route.by.field": "kind"}
    connector = connectors(db, {**route, **tolerant(db)}).start().wait_streaming()
    db.script(f"insert into items values (1, 'no topic!'), (2, repeat('x', 250)), (3, '{db.name}.fine')")
    events = connector.wait_events(3)
    connector.stop()
    assert [e.id for e in published(events)] == [3]
    assert [(e.id, e.after["kind"][:3]) for e in letters(events)] == [(1, "no "), (2, "xxx")]


def test_dead_letter_topic_that_cannot_be_created(db, connectors):
    """Found at start, before anything is made on a server."""
    db.script(ITEMS)
    factor = {"errors.deadletterqueue.topic.replication.factor": "3"}
    connector = connectors(db, {**CAST, **tolerant(db, **factor)})
    assert connector.run_to_end() == 3
    assert connector.logged(r"error .*letters.*hint=.*errors\.deadletterqueue\.topic\.replication\.factor")
    assert db.slots() == [] and db.publications() == []


def test_dead_letter_topic_is_created_where_the_broker_creates_none(db, connectors, strict_broker):
    db.script(ITEMS)
    create_topic(strict_broker, f"{db.name}.public.items")
    connector = connectors(db, {**CAST, **tolerant(db)}, worker={"bootstrap.servers": strict_broker})
    connector.start().wait_streaming()
    db.script("insert into items values (1, 'many')")
    connector.wait_events(lambda events: [e.id for e in letters(events)] == [1])
    connector.stop()


@pytest.mark.parametrize("kills", [8])
def test_kill9_while_dead_letters_flow(db, connectors, kills):
    """Every third row is bad. Whatever is killed when: each row is in its topic or in the dead letters, in order."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    choose = random.Random(seed)
    db.script(ITEMS)
    connector = connectors(db, {**CAST, **tolerant(db)}, worker={"offset.flush.interval.ms": "100"})
    connector.start().wait_streaming()
    last = 0
    for _ in range(kills):
        for _ in range(5):
            db.script(f"insert into items select i, case when i % 3 = 0 then 'many' else i::text end "
                      f"from generate_series({last + 1}, {last + 200}) i")
            last += 200
            time.sleep(choose.random() * 0.15)
        connector.kill()
        connector.start()
        if choose.random() < 0.7:
            connector.wait_streaming()
    connector.wait_streaming()

    def all_there():
        events = connector.events()
        return ({e.id for e in letters(events)} == set(range(3, last + 1, 3))
                and {e.id for e in published(events)} == {i for i in range(1, last + 1) if i % 3})
    wait_until(all_there, 60, "every row in its topic or among the dead letters", interval_s=0.2)
    connector.stop()
    events = read_topics(connector.worker["bootstrap.servers"], connector.prefix)
    for group in (letters(events), published(events)):
        jumps = sum(1 for a, b in zip(group, group[1:]) if b.id <= a.id)
        assert jumps <= kills, "more repeats than kills"
