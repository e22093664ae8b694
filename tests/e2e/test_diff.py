"""`walduct diff`: the topics of a live connector and of its shadow, side by side."""
import json

import pytest
from confluent_kafka import Producer

from support.connector import SNAPSHOT_COMPLETED
from support.kafka import create_topic, read_topics, topics_with_prefix
from support.wait import wait_until

COUNTS = ("equal", "different", "missing", "extra", "repeated", "before", "after", "unplaced")


def diff(connector, left, right, *more):
    return connector.call("diff", "--left", left, "--right", right, *more, timeout_s=90)


def counts(done, topic="all"):
    line = next(line for line in done.stdout.splitlines() if line.startswith(topic + " "))
    return dict(zip(COUNTS, map(int, line.split()[1:])))


def count(bootstrap, prefix):
    return len(read_topics(bootstrap, prefix))


def test_a_dot_that_was_forgotten_is_named(db, connectors):
    connector = connectors(db)
    done = diff(connector, connector.prefix, f"shadow.{connector.prefix}.")
    assert done.returncode == 2 and f"write --left {connector.prefix}." in done.stderr, done


def test_a_kafka_that_does_not_answer_is_waited_for_aloud(db, connectors):
    waiting = connectors(db, worker={"bootstrap.servers": "127.0.0.1:1"}).start("--left", "a.", "--right", "b.", command="diff")
    for waited in (5, 10):
        waiting.wait_log(f"waits for Kafka at 127.0.0.1:1 .* for {waited}s;.* -w ")
    waiting.process.kill()


@pytest.mark.parametrize("schemas", ["false", "true"])
def test_a_shadow_and_what_is_planted(schemas, db, connectors, tmp_path):
    db.script("create table items (id int primary key, v text); create table plain (v text); insert into items values (1, 'old')")
    config = {"key.converter.schemas.enable": schemas, "value.converter.schemas.enable": schemas, "provide.transaction.metadata": "true",
              "table.include.list": "public.items,public.plain"}
    live = connectors(db, config=config).start()
    live.wait_log(SNAPSHOT_COMPLETED)
    db.execute("insert into items values (2, 'before the shadow')")
    live.wait_events(2)
    shadow = connectors(db, name="other")
    shadow.config, shadow.worker = dict(live.config), dict(live.worker)
    shadow.start("--directory", tmp_path / "shadow", "--topics", "try.", command="shadow").wait_streaming()
    for i in range(3, 40):
        db.execute(f"insert into items values ({i}, 'new'); update items set v = 'changed' where id = {i - 1}")
    db.execute("delete from items where id in (5, 6); insert into plain values ('same'), ('same')")
    bootstrap, left = live.worker["bootstrap.servers"], f"{live.prefix}."
    right = f"try.{left}"
    plain = "public.plain"
    wait_until(lambda: all(count(bootstrap, side + plain) == 2 for side in (left, right)), 30, "the last records on both sides")
    shadow.stop()
    same = diff(live, left, right)
    assert same.returncode == 0, same
    table = counts(same, f"{left}public.items")
    # The row of the snapshot and the one of before; 37 inserts and updates, two deletes with tombstones.
    assert (table["before"], table["equal"]) == (2, 78), same.stdout
    assert counts(same, left + plain)["equal"] == 2
    assert topics_with_prefix(bootstrap, right + "transaction") and counts(same, left + "transaction")["equal"] >= 39

    # Swapped, what was before is before still.
    assert diff(live, right, left).returncode == 0
    topic = f"{right}public.items"
    records = read_topics(bootstrap, topic)
    producer = Producer({"bootstrap.servers": bootstrap})
    one = next(e for e in records if e.op == "c" and e.after["id"] == 7)
    again, more = (json.loads(one.value) for _ in range(2))
    more.get("payload", more)["source"]["lsn"] += 1
    producer.produce(topic, key=one.key, value=json.dumps(again, separators=(",", ":")))
    producer.produce(topic, key=one.key, value=json.dumps(more, separators=(",", ":")))
    gone = json.loads(one.value)
    gone.get("payload", gone)["source"]["lsn"] += 2
    producer.produce(f"{left}public.items", key=one.key, value=json.dumps(gone, separators=(",", ":")))
    for side, value in ((left, "left"), (right, "right")):
        odd = json.loads(one.value)
        payload = odd.get("payload", odd)
        payload["source"]["lsn"] += 3
        payload["after"]["v"] = value
        producer.produce(f"{side}public.items", key=one.key, value=json.dumps(odd, separators=(",", ":")))
    producer.flush()
    found = diff(live, left, right)
    assert found.returncode == 1, found
    table = counts(found, f"{left}public.items")
    assert [table[what] for what in COUNTS[:5]] == [78, 1, 1, 1, 1], found.stdout
    assert 'after.v: "left" | "right"' in found.stdout and "missing key" in found.stdout and "extra key" in found.stdout
    ignoring = diff(live, left, right, "--ignore", "after", "--examples", "0")
    assert counts(ignoring, f"{left}public.items")["different"] == 0 and "missing key" not in ignoring.stdout, ignoring
    live.stop()


@pytest.mark.parametrize("schemas", ["false", "true"])
def test_flattened_deletes_have_no_position(schemas, db, connectors, tmp_path):
    db.script("create table items (id int primary key, v text); insert into items select i, 'old' from generate_series(1, 5) i")
    config = {"key.converter.schemas.enable": schemas, "value.converter.schemas.enable": schemas, "table.include.list": "public.items",
              "transforms": "flat", "transforms.flat.type": "io.debezium.transforms.ExtractNewRecordState",
              "transforms.flat.add.fields": "op,source.lsn,source.txId"}
    live = connectors(db, config=config)
    bootstrap, left, items = live.worker["bootstrap.servers"], f"{live.prefix}.", "public.items"
    right = f"try.{left}"
    for side in (left, right):
        create_topic(bootstrap, side + items)
    live.start().wait_streaming()
    for change in ("delete from items where id in (1, 2)", "insert into items values (6, 'old')", "delete from items where id = 3"):
        db.execute(change)
    wait_until(lambda: count(bootstrap, left + items) == 9, 30, "what is older than the shadow")
    shadow = connectors(db, name="other")
    shadow.config, shadow.worker = dict(live.config), dict(live.worker)
    shadow.start("--directory", tmp_path / "shadow", "--topics", "try.", command="shadow").wait_streaming()
    for change in ("delete from items where id = 5", "insert into items values (7, 'new')", "delete from items where id = 4",
                   "delete from items where id = 7", "insert into items values (8, 'new')"):
        db.execute(change)
    wait_until(lambda: count(bootstrap, right + items) == 5 and count(bootstrap, left + items) == 14, 30, "the last records on both sides")
    shadow.stop()
    same = diff(live, left, right)
    # Five rows of the snapshot, two deletes, the insert behind them. Of the delete behind that one nothing says how old it is.
    assert same.returncode == 0, same
    assert counts(same, left + items) == {"equal": 5, "different": 0, "missing": 0, "extra": 0, "repeated": 0, "before": 8, "after": 0,
                                          "unplaced": 1}, same.stdout
    assert "unplaced key" in same.stdout and "1 unplaced" in same.stderr and "hint: " in same.stderr, same

    producer = Producer({"bootstrap.servers": bootstrap})
    create_topic(bootstrap, f"cut.{left}{items}")
    for event in read_topics(bootstrap, right + items):
        if event.key_json["id"] != 4:
            producer.produce(f"cut.{event.topic.removeprefix('try.')}", key=event.key, value=event.value)
    producer.flush()
    lost = diff(live, left, f"cut.{left}", "--ignore", "headers")
    assert lost.returncode == 1 and "missing key" in lost.stdout, lost
    table = counts(lost, left + items)
    assert [table[what] for what in ("equal", "missing", "extra", "before", "unplaced")] == [4, 1, 0, 8, 1], lost.stdout
    live.stop()


def test_events_of_an_outbox_are_placed_by_their_order(db, connectors, tmp_path):
    db.execute("create table outbox (id int primary key, aggregatetype text, aggregateid text, type text, payload text)")
    config = {"table.include.list": "public.outbox", "transforms": "outbox",
              "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
              "transforms.outbox.route.topic.replacement": f"{db.name}.event.$" + "{routedByValue}"}
    live = connectors(db, config=config)
    bootstrap, left, orders = live.worker["bootstrap.servers"], f"{db.name}.event.", "Order"
    right = f"try.{left}"
    for side in (left, right):
        create_topic(bootstrap, side + orders)

    def put(number, kind=orders):
        db.execute(f"insert into outbox values ({number}, '{kind}', 'k{number % 3}', 'Placed', '{{\"n\": {number}}}')")

    live.start().wait_streaming()
    for number in range(1, 6):
        put(number)
    wait_until(lambda: count(bootstrap, left + orders) == 5, 30, "what is older than the shadow")
    shadow = connectors(db, name="other")
    shadow.config, shadow.worker = dict(live.config), dict(live.worker)
    shadow.start("--directory", tmp_path / "shadow", "--topics", "try.", command="shadow").wait_streaming()
    for number in range(6, 14):
        put(number)
    wait_until(lambda: count(bootstrap, right + orders) == 8 and count(bootstrap, left + orders) == 13, 30, "the last events on both sides")
    shadow.stop()
    put(14)
    wait_until(lambda: count(bootstrap, left + orders) == 14, 30, "what the shadow never saw")
    same = diff(live, left, right)
    assert same.returncode == 0, same
    assert counts(same, left + orders) == {"equal": 8, "different": 0, "missing": 0, "extra": 0, "repeated": 0, "before": 5, "after": 1,
                                           "unplaced": 0}, same.stdout
    assert "5 events before (5 of left, 0 of right) and 1 after (1 of left, 0 of right)" in same.stderr and "hint: " in same.stderr, same
    assert diff(live, right, left).returncode == 0

    # One is lost in between, and one says something else.
    producer = Producer({"bootstrap.servers": bootstrap})
    create_topic(bootstrap, f"cut.{left}{orders}")
    for event in read_topics(bootstrap, right + orders):
        number = int(dict(event.headers)["id"])
        if number == 9:
            continue
        value = event.value.replace(b"11", b"0") if number == 11 else event.value
        producer.produce(f"cut.{left}{orders}", key=event.key, value=value, headers=event.headers)
    producer.flush()
    lost = diff(live, left, f"cut.{left}")
    assert lost.returncode == 1 and "event 9 " in lost.stdout, lost
    table = counts(lost, left + orders)
    assert [table[what] for what in COUNTS] == [6, 1, 1, 0, 0, 5, 1, 0], lost.stdout
    live.stop()


def test_bad_usage_and_what_cannot_be_compared(db, connectors):
    db.script("create table items (id int primary key, v text)")
    live = connectors(db).start().wait_streaming()
    db.execute("insert into items values (1, 'a')")
    live.wait_events(1)
    left, bootstrap = f"{live.prefix}.", live.worker["bootstrap.servers"]
    assert live.call("diff").returncode == 2
    same = diff(live, left, left)
    assert same.returncode == 2 and "two sets of topics" in same.stderr, same
    none = diff(live, left, f"nowhere.{left}")
    assert none.returncode == 2 and f"no topic begins with nowhere.{left}" in none.stderr, none
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(f"try.{left}public.items", key=b"k", value=b"\0\0\0\0\1avro")
    producer.flush()
    binary = diff(live, left, f"try.{left}")
    assert binary.returncode == 2 and "Avro, Protobuf or JSON Schema" in binary.stderr and f"try.{left}public.items-0@0" in binary.stderr, binary
    live.stop()


def test_a_topic_that_one_side_lacks(db, connectors):
    db.script("create table items (id int primary key, v text); create table more (id int primary key)")
    live = connectors(db).start().wait_streaming()
    for change in ("items values (1, 'a')", "more values (1)", "items values (2, 'b')"):
        db.execute(f"insert into {change}")
    live.wait_events(3)
    left, bootstrap = f"{live.prefix}.", live.worker["bootstrap.servers"]
    producer = Producer({"bootstrap.servers": bootstrap})
    for event in read_topics(bootstrap, left + "public.items"):
        producer.produce(f"try.{event.topic}", key=event.key, value=event.value)
    producer.flush()
    found = diff(live, left, f"try.{left}", "--ignore", "headers")
    assert found.returncode == 1 and "right has no such topic" in found.stdout, found
    assert (counts(found)["equal"], counts(found)["missing"]) == (2, 1), found
    live.stop()


def test_a_topic_that_one_side_lacks_is_not_the_same(db, connectors):
    """Nobody has written to it since the other began, or after that one ended: nothing of it was compared."""
    db.script("create table items (id int primary key); create table idle (id int primary key); create table last (id int primary key)")
    live = connectors(db).start().wait_streaming()
    for table in ("idle", "items", "last"):
        db.execute(f"insert into {table} values (1)")
        live.wait_events(lambda events, table=table: any(e.table == table for e in events))
    left, bootstrap = f"{live.prefix}.", live.worker["bootstrap.servers"]
    producer = Producer({"bootstrap.servers": bootstrap})
    for table, outcomes in (("items", (1, 1)), ("last", (2, 0))):
        for event in read_topics(bootstrap, left + f"public.{table}"):
            producer.produce(f"try.{event.topic}", key=event.key, value=event.value)
        producer.flush()
        strict, lenient = (diff(live, left, f"try.{left}", "--ignore", "headers", *more) for more in ((), ("--allow-idle",)))
        assert (strict.returncode, lenient.returncode) == outcomes, (strict, lenient)
        assert "one side has no such topic" in strict.stderr and left + ("public.idle" if table == "last" else "public.last") in strict.stderr, strict
    live.stop()
