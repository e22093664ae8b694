"""Chains of transforms in the running binary."""
import json

from support.wait import wait_until

KAFKA = "org.apache.kafka.connect.transforms."


def test_smt06_what_a_chain_drops_still_moves_the_offset(db, connectors):
    """Records that a transform drops are done with: the position goes on, and a restart does not read them again."""
    db.script("create table items (id int primary key); create table noise (id int primary key)")
    connector = connectors(db, {
        "transforms": "quiet",
        "transforms.quiet.type": KAFKA + "Filter",
        "transforms.quiet.predicate": "noise",
        "predicates": "noise",
        "predicates.noise.type": KAFKA + "predicates.TopicNameMatches",
        "predicates.noise.pattern": ".*[.]noise",
    })
    connector.start().wait_streaming()
    db.script("insert into items values (1)")
    connector.wait_events(lambda events: any(e.id == 1 for e in events))
    wait_until(lambda: (connector.offset() or {}).get("lsn"), 20, "the offset of the first row")
    before = connector.offset()["lsn"]
    db.script("insert into noise select generate_series(1, 100)")
    wait_until(lambda: connector.offset()["lsn"] > before, 20, "the offset behind the dropped rows")
    connector.stop()
    connector.start().wait_streaming()
    db.script("insert into items values (2)")
    events = connector.wait_events(lambda events: any(e.id == 2 for e in events))
    connector.stop()
    assert [(e.topic.split(".")[-1], e.id) for e in events] == [("items", 1), ("items", 2)]


def test_chain_to_kafka(db, connectors):
    """Topic, key, value, headers and partition as a chain makes them, through a broker."""
    db.script("create table items (id int primary key, kind text, total numeric(8,2))")
    connector = connectors(db, {
        "transforms": "unwrap,key,plain,cast,route",
        "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
        "transforms.unwrap.add.headers": "op,transaction.id",
        "transforms.unwrap.route.by.field": "kind",
        "transforms.unwrap.delete.tombstone.handling.mode": "drop",
        "transforms.key.type": KAFKA + "ValueToKey",
        "transforms.key.fields": "id",
        "transforms.plain.type": KAFKA + "ExtractField$Key",
        "transforms.plain.field": "id",
        "transforms.cast.type": KAFKA + "Cast$Value",
        "transforms.cast.spec": "total:float64",
        "transforms.route.type": KAFKA + "RegexRouter",
        "transforms.route.regex": "(.*)",
        "transforms.route.replacement": f"{db.name}.$1s",
    }, sink="kafka")
    connector.start().wait_streaming()
    db.script("insert into items values (1, 'order', 1.50), (2, 'refund', null); delete from items where id = 1")
    events = connector.wait_events(lambda events: len(events) >= 2)
    connector.stop()
    got = {e.topic: (e.key, json.loads(e.value), dict(e.headers)) for e in events}
    assert set(got) == {f"{db.name}.orders", f"{db.name}.refunds"}
    key, value, headers = got[f"{db.name}.orders"]
    assert (key, value) == (b"1", {"id": 1, "kind": "order", "total": 1.5})
    assert headers["__op"] == b"c" and headers["__transaction_id"] is None


def test_a_record_that_no_transform_can_take_stops_the_connector(db, connectors):
    """ValueToKey knows no tombstones: the connector stops and names transform, topic and what to do."""
    db.script("create table items (id int primary key); insert into items values (1)")
    connector = connectors(db, {
        "transforms": "key",
        "transforms.key.type": KAFKA + "ValueToKey",
        "transforms.key.fields": "op",
    })
    connector.start().wait_streaming()
    db.script("delete from items")
    assert connector.wait_exit(20) == 1
    log = connector.log.read_text()
    assert "transform 'key' cannot process a record of topic" in log and "predicate" in log


def test_a_tombstone_has_the_headers_of_its_delete(db, connectors):
    """As Debezium's, which shares them: what a transform adds to the delete, with its numbers in the transaction and its times, and then
    its own. Behind a transform that makes another record of the delete there is its own alone."""
    db.script("create table items (id int primary key, v text)")
    added = ["__op", "__source_table", "__transaction_id", "__total_order", "__ts_ms"]
    config = {"provide.transaction.metadata": "true", "transforms": "unwrap", "transforms.unwrap.type": "io.debezium.transforms.ExtractNewRecordState",
              "transforms.unwrap.delete.tombstone.handling.mode": "rewrite-with-tombstone",
              "transforms.unwrap.add.headers": "op,source.table,transaction.id,total_order,ts_ms"}
    connector = connectors(db, config, sink="file").start().wait_streaming()
    db.script("insert into items values (1, 'a'), (2, 'b')")
    db.execute("delete from items")
    events = connector.wait_events(lambda events: sum(e.value is None for e in events) == 2)
    first, first_tombstone, second, second_tombstone = [e for e in events if e.table == "items"][-4:]
    for delete, tombstone, number in ((first, first_tombstone, b"1"), (second, second_tombstone, b"2")):
        of_delete = [(k, v) for k, v in delete.headers if k.startswith("__") and not k.startswith("__debezium")]
        assert [k for k, _ in of_delete] == added and dict(of_delete)["__total_order"] == number, delete.headers
        assert tombstone.value is None
        assert [(k, v) for k, v in tombstone.headers if not k.startswith("__debezium")] == [*of_delete, ("__op", b"d")], tombstone.headers
    connector.stop()
    config |= {"transforms": "route,unwrap", "transforms.route.type": KAFKA + "RegexRouter", "transforms.route.regex": "(.*)items", "transforms.route.replacement": "$1moved"}
    connector.config |= {k: v for k, v in config.items() if k.startswith("transforms")}
    connector.start().wait_streaming()
    db.script("insert into items values (3, 'c'); delete from items")
    events = connector.wait_events(lambda events: sum(e.value is None for e in events) == 3)
    (tombstone,) = [e for e in events if e.table == "moved" and e.value is None]
    assert [k for k, _ in tombstone.headers if not k.startswith("__debezium")] == ["__op"], tombstone.headers
