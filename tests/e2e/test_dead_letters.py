"""Records that cannot be published: by errors.tolerance they stop the connector, become dead letters, or lines in the log."""
import json
import random
import time

import pytest

from support.kafka import create_topic, read_topics, set_topic
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


REFUSED_BY_BROKER = (r"error .*stopped: insert into table public\.items, key id=2, LSN [0-9A-F]+/[0-9A-F]+, transaction \d+: "
                     r"topic \S+: Broker: Message size too large \(MSG_SIZE_TOO_LARGE\): \d{4,} bytes of key and value.*"
                     r"reason=record_too_large hint=.*max\.message\.bytes")


def test_snk06_a_record_that_only_the_broker_refuses_stops_by_default(db, connectors, broker):
    """It shares its batch with others, and the broker does not say which one it means: the row is found, and named."""
    db.script(ITEMS)
    topic = f"{db.name}.public.items"
    create_topic(broker, topic, **{"max.message.bytes": "2000"})
    connector = connectors(db, {"errors.max.retries": "0"}).start().wait_streaming()
    db.script("insert into items values (1, 'a'), (2, repeat('x', 5000)), (3, 'b')")
    assert connector.wait_exit() == 1
    assert connector.logged(REFUSED_BY_BROKER), connector.log_text()
    assert [e.id for e in connector.events()] == [1], "what was published before is stored, nothing behind it"
    set_topic(broker, topic, max_message_bytes="1000000")
    # The broker follows in its own time.
    wait_until(lambda: connector.run_to_end("--until-caught-up") == 0, 60, "the topic takes the record", interval_s=0.5)
    assert [e.id for e in connector.events()] == [1, 2, 3]


@pytest.mark.parametrize("idempotent", ["true", "false"])
def test_snk06_a_record_that_the_broker_refuses_becomes_a_dead_letter(db, connectors, broker, idempotent):
    """The others of its batch are published, and the letter is the whole record as it was. Another batch may have gone before."""
    db.script(ITEMS)
    create_topic(broker, f"{db.name}.public.items", **{"max.message.bytes": "2000"})
    more = {"errors.deadletterqueue.context.headers.enable": "true", "producer.override.enable.idempotence": idempotent}
    connector = connectors(db, tolerant(db, **more)).start().wait_streaming()
    large = "array_to_string(array(select md5(i::text || n::text) from generate_series(1, 200) i), '')"
    db.script(f"insert into items select n, case when n in (2, 77) then {large} else n::text end "
              "from generate_series(1, 100) n; update items set amount = 'last' where id in (1, 2)")
    wanted = [("c", n) for n in range(1, 101) if n not in (2, 77)] + [("u", 1), ("u", 2)]
    events = connector.wait_events(lambda events: {(e.op, e.id) for e in published(events)} >= set(wanted) and len({e.id for e in letters(events)}) == 2)
    connector.stop()
    rows = [(e.op, e.id) for e in published(events)]
    assert sorted(set(rows)) == sorted(wanted)
    assert rows.index(("c", 1)) < rows.index(("u", 1)), "the order of a key; what was in flight may come again"
    assert sorted({e.id for e in letters(events)}) == [2, 77]
    for letter in letters(events):
        assert letter.op == "c" and len(letter.after["amount"]) == 6400
        said = context(letter)
        assert said["exception.class.name"] == "org.apache.kafka.common.errors.RecordTooLargeException"
        assert f"key id={letter.id}, LSN" in said["exception.message"]
    connector.start().wait_streaming()
    db.script("insert into items values (200, 'later')")
    more = connector.wait_events(lambda events: any(e.id == 200 for e in events))
    connector.stop()
    assert len(letters(more)) == len(letters(events)), "a letter is acknowledged like a record: it does not come again"


def test_snk06_small_records_whose_batch_is_too_large(db, connectors, broker):
    """Each of them fits: smaller batches, as Kafka's own client splits them, and no row is given up."""
    db.script(ITEMS)
    create_topic(broker, f"{db.name}.public.items", **{"max.message.bytes": "3000"})
    connector = connectors(db, {"producer.override.linger.ms": "50"}).start().wait_streaming()
    db.script("insert into items select n, md5(n::text) from generate_series(1, 500) n")
    connector.wait_events(lambda events: {e.id for e in events} == set(range(1, 501)))  # another batch may have gone before
    connector.stop()
    assert connector.logged(r"warning .*MSG_SIZE_TOO_LARGE.*smaller batches.*reason=batch_refused")


def test_snk06_a_row_of_the_snapshot_that_the_broker_refuses(db, connectors, broker):
    db.script(ITEMS + "; insert into items select i, case when i = 50 then repeat('x', 5000) else 'y' end "
                      "from generate_series(1, 100) i")
    create_topic(broker, f"{db.name}.public.items", **{"max.message.bytes": "2000"})
    connector = connectors(db, tolerant(db)).start().wait_streaming()
    events = connector.wait_events(lambda events: {e.id for e in events} == set(range(1, 101)))
    connector.stop()
    assert {e.id for e in letters(events)} == {50}


def test_snk06_a_placeholder_for_what_is_too_large(db, connectors, broker):
    """The record comes with its key and its small values; refused by the producer and by the broker alike."""
    db.script("create table items (id int primary key, amount text, note text, data bytea); alter table items replica identity full")
    create_topic(broker, f"{db.name}.public.items", **{"max.message.bytes": "4000"})
    placeholder = {"walduct.errors.too.large": "placeholder", "producer.override.max.request.size": "20000"}
    connector = connectors(db, placeholder).start().wait_streaming()
    db.script("insert into items values (1, repeat('x', 6000), 'small', '\\x00'), (2, repeat('y', 50000), 'n', '\\x01'), (3, 'z', null, null)")
    db.script("update items set note = 'new' where id = 1")
    events = connector.wait_events(lambda events: any(e.op == "u" for e in events))
    connector.stop()
    last = {(e.op, e.id): e for e in events}
    unavailable = "__debezium_unavailable_value"
    assert last["c", 1].after == {"id": 1, "amount": unavailable, "note": "small", "data": "AA=="}
    assert last["c", 2].after == {"id": 2, "amount": unavailable, "note": "n", "data": "AQ=="}
    assert last["c", 3].after["amount"] == "z"
    assert last["u", 1].after == {"id": 1, "amount": unavailable, "note": "new", "data": "AA=="}
    assert last["u", 1].before["amount"] == unavailable
    assert connector.logged(r"warning .*published without its largest values.*key=\"?id=2\"? .*columns=after\.amount")


def test_snk06_a_record_without_key_for_a_compacted_topic(db, connectors, broker):
    """Refused for what it is, together with its batch: only it is skipped, and counted."""
    db.script("create table items (id int, amount text); alter table items replica identity full; " +
              "create table other (id int primary key)")
    topic = f"{db.name}.all"
    create_topic(broker, topic, **{"cleanup.policy": "compact"})
    route = {"transforms": "one", "transforms.one.type": KAFKA + "RegexRouter", "transforms.one.regex": ".*",
             "transforms.one.replacement": topic}
    connector = connectors(db, {**route, "walduct.errors.refused": "skip"}).start().wait_streaming()
    db.script("insert into other values (1); insert into items values (7, 'x'); insert into other values (2)")
    events = connector.wait_events(lambda events: any(e.id == 2 for e in events))
    connector.stop()
    assert {(e.source["table"], e.id) for e in events} == {("other", 1), ("other", 2)}
    assert connector.logged(r"warning .*record not published.*record=\"?table public\.items.*reason=record_refused")


@pytest.mark.parametrize("policy", ["stop", "dead.letter", "skip"])
def test_snk07_a_topic_that_is_missing(db, connectors, broker, policy):
    """A policy for it: the other topics flow on. Stop is the default."""
    db.script(ITEMS + "; create table other (id int primary key)")
    create_topic(broker, f"{db.name}.public.other")
    given = {"stop": {}, "skip": {"walduct.errors.topic.missing": "skip"},
             "dead.letter": {"walduct.errors.topic.missing": "dead.letter", "errors.deadletterqueue.topic.name": f"{db.name}.letters",
                             "errors.deadletterqueue.topic.replication.factor": "1"}}[policy]
    never = {"producer.override.rdkafka.allow.auto.create.topics": "false",
             "producer.override.rdkafka.topic.metadata.propagation.max.ms": "1000"}
    connector = connectors(db, {**never, **given}).start().wait_streaming()
    db.script("insert into items values (1, 'a'); insert into other values (1); insert into items values (2, 'b'); insert into other values (2)")
    if policy == "stop":
        assert connector.wait_exit() == 3
        assert connector.logged(r"error .*topic \S+items.*reason=topic_missing hint=.*create the topic")
        return
    wait_until(lambda: connector.logged(r"warning .*topic_missing|reason=batch_refused"), 30, "the topic is found to be missing")
    db.script("insert into items values (3, 'c'); insert into other values (3)")
    events = connector.wait_events(lambda events: any(e.id == 3 and e.topic.endswith("other") for e in events))
    connector.stop()
    assert {e.id for e in published(events)} == {1, 2, 3}
    assert [e.id for e in letters(events)] == ([1, 2, 3] if policy == "dead.letter" else [])
    if policy == "skip":
        assert connector.logged(r'warning .*record not published.*key="?id=1"? .*reason=topic_missing')


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


@pytest.mark.parametrize("value", ["NaN", "Infinity"])
def test_a_key_that_becomes_no_number_is_named_by_the_old_one(value, db, connectors):
    """Debezium's task dies without a word about the row; which one it was is told by the key it had."""
    db.script("create table sums (id numeric primary key, v text); alter table sums replica identity full; insert into sums values (7.5, 'a')")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute(f"update sums set id = '{value}'")
    assert connector.wait_exit() == 1
    assert connector.logged(r"stopped: .*table public\.sums, key id=7\.5"), connector.log_text()
    assert [e.op for e in connector.events()] == ["r"]
