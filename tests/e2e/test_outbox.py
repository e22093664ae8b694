"""Rows of outbox tables as events, against real servers."""
import json
import re

import pytest

from support.connector import PLAIN_JSON, database_properties
from support.paths import ROOT
from support.wait import wait_until

ROUTER = {"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter"}
STRING = "org.apache.kafka.connect.storage.StringConverter"
TABLE = """create table {name} (id uuid primary key default gen_random_uuid(), aggregatetype text, aggregateid text,
           type text not null default 'Placed', payload jsonb, created_at timestamptz not null default now())"""


def outbox(db, name="outbox"):
    db.execute(TABLE.format(name=name))


def put(db, key, payload="{}", kind="Order", table="outbox"):
    db.execute(f"insert into {table} (aggregatetype, aggregateid, payload) values (%s, %s, %s)", kind, key, payload)


def router(db, **options):
    """An EventRouter whose topics lie below the test's prefix."""
    more = {f"transforms.outbox.{name.replace('__', '.')}": value for name, value in options.items()}
    return {**ROUTER, "transforms.outbox.route.topic.replacement": f"{db.name}.event.$" + "{routedByValue}", **more}


def test_obx01_obx02_obx03_obx15_inserts_are_events(db, connectors):
    """Inserts become events, also of rows deleted in the same transaction; deletes, tombstones, updates and truncates none."""
    outbox(db)
    connector = connectors(db, {**router(db, table__fields__additional__placement="type:header:eventType"),
                                "key.converter": STRING, "value.converter": STRING, "skipped.operations": "none"})
    connector.start().wait_streaming()
    put(db, "1", '{"n": 1}')
    db.execute("update outbox set aggregateid = '9'")
    db.execute("update outbox set aggregateid = '8'")
    db.script("begin; insert into outbox (aggregatetype, aggregateid, payload) values ('Order', '2', '{\"n\": 2}');"
              "delete from outbox; commit; truncate outbox")
    put(db, "3", '{"n": 3}')
    events = connector.wait_events(lambda events: any(e.key == b"3" for e in events))
    connector.stop()
    assert [(e.topic, e.key, e.value) for e in events] == [
        (f"{db.name}.event.Order", key, value) for key, value in ((b"1", b'{"n": 1}'), (b"2", b'{"n": 2}'), (b"3", b'{"n": 3}'))]
    assert all(dict(e.headers)["eventType"] == b"Placed" and len(dict(e.headers)["id"]) == 36 for e in events)
    assert connector.log_text().count("rows of the outbox table are updated") == 1


def test_obx04_obx09_partition_and_timestamp_reach_kafka(db, connectors):
    db.execute("create table outbox (id int primary key, aggregatetype text, aggregateid text, payload text, part int, at timestamp)")
    connector = connectors(db, router(db, table__fields__additional__placement="part:partition", table__field__event__timestamp="at"))
    connector.start().wait_streaming()
    db.execute("insert into outbox values (1, 'Order', 'k', 'x', 0, '2024-01-01 00:00:00.5')")
    event, = connector.wait_events(1)
    connector.stop()
    assert (event.partition, event.timestamp_ms, event.value) == (0, 1704067200500, b'"x"')


def test_obx19_the_trace_of_a_row_goes_on_in_headers(db, connectors):
    db.execute("create table outbox (id int primary key, aggregatetype text, aggregateid text, payload text, tracingspancontext text)")
    connector = connectors(db, {**router(db), "transforms": "trace,outbox",
                                "transforms.trace.type": "io.debezium.transforms.tracing.ActivateTracingSpan"})
    connector.start().wait_streaming()
    db.execute("insert into outbox values (1, 'Order', 'a', 'x', E'#Sat Nov 21 10:00:00 UTC 2026\\ntraceparent=00-aa-bb-01\\n'),"
               "(2, 'Order', 'b', 'x', null), (3, 'Order', 'c', 'x', 'traceparent=\\u00zz')")
    events = connector.wait_events(3)
    connector.stop()
    assert [dict(e.headers).get("traceparent") for e in events] == [b"00-aa-bb-01", None, None]
    assert connector.log_text().count("a trace context in column tracingspancontext cannot be read") == 1


def test_obx17_a_snapshot_tells_how_much_history_it_publishes(db, connectors):
    outbox(db)
    for key in range(3):
        put(db, str(key))
    connector = connectors(db, router(db), sink="file").start().wait_streaming()
    events = connector.wait_events(3)
    connector.stop()
    assert sorted(e.key for e in events) == [b'"0"', b'"1"', b'"2"']
    assert "publishes the 3 rows that outbox table public.outbox holds" in connector.log_text()


def test_obx16_partitions_of_an_outbox(db, connectors):
    """Routed by the name of the partition, or of the root where the publication says so; dropping a partition is no event."""
    db.script("create table outbox (id int, aggregatetype text, aggregateid text, payload text, primary key (id)) partition by range (id);"
              "create table outbox_a partition of outbox for values from (0) to (100);"
              "create table outbox_b partition of outbox for values from (100) to (200)")
    connector = connectors(db, {**router(db), "walduct.outbox.tables": "public.outbox.*"}, sink="file").start().wait_streaming()
    db.script("insert into outbox values (1, 'Order', 'a', 'x'), (101, 'Order', 'b', 'y'); drop table outbox_a;"
              "insert into outbox values (102, 'Order', 'c', 'z')")
    events = connector.wait_events(3)
    connector.stop()
    assert [e.value for e in events] == [b'"x"', b'"y"', b'"z"']


def test_partitions_that_nothing_routes_are_told_at_the_start(db, connectors):
    db.script("create table outbox (id int primary key, aggregatetype text, aggregateid text, payload text) partition by range (id);"
              "create table outbox_a partition of outbox for values from (0) to (100)")
    connector = connectors(db, {"walduct.outbox.tables": "public.outbox"}, sink="file").start().wait_streaming()
    connector.stop()
    assert connector.log_text().count("partition public.outbox_a of outbox table public.outbox is not matched") == 1


def test_obx18_order_per_aggregate_survives_kill_9(db, connectors):
    outbox(db)
    connector = connectors(db, router(db)).start().wait_streaming()
    for number in range(120):
        put(db, str(number % 4), json.dumps({"n": number}))
        if number % 40 == 20:
            connector.kill()
            connector.start()
    events = connector.wait_events(lambda events: len({e.value for e in events}) == 120)
    connector.stop()
    for key in {e.key for e in events}:
        numbers = [json.loads(json.loads(e.value))["n"] for e in events if e.key == key]
        first = [n for at, n in enumerate(numbers) if n not in numbers[:at]]
        assert first == sorted(first), "an event overtook one before it"


def test_obx20_a_payload_that_kafka_refuses_stops_and_is_told(db, connectors):
    outbox(db)
    connector = connectors(db, router(db)).start().wait_streaming()
    put(db, "1", json.dumps({"big": "x" * 3_000_000}))
    assert connector.wait_exit(30) == 1
    assert f"{db.name}.event.Order" in connector.log_text()
    assert connector.run_to_end() == 1, "still there: nothing has passed it in silence"


@pytest.mark.parametrize("row, words", [
    ("(null, 'k', '{}')", "column aggregatetype, which gives the topic, is NULL"),
    ("('', 'k', '{}')", "column aggregatetype, which gives the topic, is empty"),
    ("('a b', 'k', '{}')", "not a valid topic name"),
    ("(repeat('x', 300), 'k', '{}')", "not a valid topic name"),
], ids=["null", "empty", "space", "long"])
def test_bad_rows_stop_with_a_reason(db, connectors, row, words):
    outbox(db)
    connector = connectors(db, router(db), sink="file").start().wait_streaming()
    db.execute(f"insert into outbox (aggregatetype, aggregateid, payload) values {row}")
    assert connector.wait_exit(20) == 1
    log = connector.log_text()
    assert words in log and "transform 'outbox'" in log and "public.outbox" in log and re.search("[0-9A-F]/[0-9A-F]+", log)


def test_bad_rows_can_become_dead_letters(db, connectors):
    """No event behind a bad one waits, and the bad one is kept."""
    outbox(db)
    connector = connectors(db, {**router(db), "errors.tolerance": "all", "errors.deadletterqueue.topic.name": f"{db.name}.dead",
                                "errors.deadletterqueue.topic.replication.factor": "1",
                                "errors.deadletterqueue.context.headers.enable": "true"})
    connector.start().wait_streaming()
    for kind in (None, "", "a b", "Order"):
        put(db, "k", kind=kind)
    events = connector.wait_events(4)
    connector.stop()
    assert sorted(e.topic for e in events) == [f"{db.name}.dead"] * 3 + [f"{db.name}.event.Order"]
    letters = [dict(e.headers)["__connect.errors.exception.message"].decode() for e in events if e.topic.endswith("dead")]
    assert ["is NULL" in letters[0], "is empty" in letters[1], "not a valid topic name" in letters[2]] == [True] * 3


def test_odd_rows_that_debezium_publishes_are_published(db, connectors):
    """No key, and payloads that are no JSON though JSON is to be expanded."""
    db.execute("create table outbox (id int primary key, aggregatetype text, aggregateid text, payload text)")
    connector = connectors(db, router(db, table__expand__json__payload="true"), sink="file").start().wait_streaming()
    db.script("insert into outbox values (1, 'Order', null, '{\"a\": 1.50, \"n\": null}'), (2, 'Order', 'k', 'plain'),"
              "(3, 'Order', 'k', '[1,2]'), (4, 'Order', 'k', null), (5, 'Order', 'k', '[1,\"x\"]')")
    events = connector.wait_events(5)
    connector.stop()
    assert [e.value for e in events] == [b'{"a":1.5}', b'"plain"', b'"[1,2]"', b"null", b'"[1,\\"x\\"]"']
    assert events[0].key == b"null"
    assert connector.log_text().count("a payload does not begin with '{' or '['; it is published as text") == 1


def test_expanded_payloads_under_string_converter(db, connectors):
    """As Java prints structs."""
    outbox(db)
    connector = connectors(db, {**router(db, table__expand__json__payload="true"), "value.converter": STRING}, sink="file")
    connector.start().wait_streaming()
    put(db, "1", '{"id": 42, "s": "a \\"b\\"", "n": null, "in": {"list": [1, 2]}}')
    event, = connector.wait_events(1)
    connector.stop()
    assert event.value == b'Struct{s=a "b",id=42,in=Struct{list=[1, 2]}}'


def test_outbox_without_a_table(db, connectors):
    """Events in logical messages; the tables beside them flow as ever."""
    db.execute("create table items (id int primary key)")
    connector = connectors(db, {
        **router(db, table__fields__additional__placement="type:header:eventType", predicate="messages"),
        "transforms": "decode,outbox",
        "transforms.decode.type": "io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent",
        "predicates": "messages",
        "predicates.messages.type": "org.apache.kafka.connect.transforms.predicates.TopicNameMatches",
        "predicates.messages.pattern": ".*[.]message",
    }, sink="file").start().wait_streaming()
    event = {"id": "e1", "aggregatetype": "Order", "aggregateid": 10, "type": "Placed", "payload": {"a": [1, 2], "b": {"c": "d"}}}
    with db.connect(autocommit=False) as session:
        session.execute("insert into items values (1)")
        session.execute("select pg_logical_emit_message(true, 'outbox', %s)", [json.dumps(event)])
    events = connector.wait_events(2)
    connector.stop()
    assert [e.topic for e in events] == [f"{db.name}.public.items", f"{db.name}.event.Order"]
    routed = events[1]
    assert (routed.key, routed.value) == (b"10", b'{"a":[1,2],"b":{"c":"d"}}')
    assert [h for h in routed.headers if "debezium" not in h[0]] == [("id", b"e1"), ("eventType", b"Placed")]


def test_several_outbox_tables_and_plain_ones_without_predicates(db, connectors):
    """walduct.outbox.tables: each table by its own shape, all others as changes of rows."""
    outbox(db)
    db.script("create table billing_outbox (event_id bigint primary key, event_type text, aggregate_id text, body bytea);"
              "create table items (id int primary key)")
    connector = connectors(db, {"walduct.outbox.tables": "public.outbox,public.billing_outbox", "binary.handling.mode": "bytes"},
                           sink="file").start().wait_streaming()
    db.script("insert into items values (1); insert into billing_outbox values (7, 'Paid', 'b', '\\x0102')")
    put(db, "o", '{"a": 1}')
    db.script("delete from billing_outbox; delete from outbox; delete from items")
    events = connector.wait_events(5)
    connector.stop()
    assert [(e.topic, e.key) for e in events] == [
        (f"{db.name}.public.items", b'{"id":1}'), ("outbox.event.Paid", b'"b"'), ("outbox.event.Order", b'"o"'),
        (f"{db.name}.public.items", b'{"id":1}'), (f"{db.name}.public.items", b'{"id":1}')]
    assert dict(events[1].headers)["id"] == b"7" and events[1].value == b'"AQI="'
    log = connector.log_text()
    assert "table public.billing_outbox has no column 'aggregateid'; 'aggregate_id' is used for the key" in log
    assert log.count("'aggregate_id' is used for the key") == 1


PUBLISHED = ROOT / "tests" / "outbox" / "published"
GUESSES = {  # what is said, and the lines to write instead
    "direct": (["older name; use 'topic.prefix'"], ["write topic.prefix={prefix}"]),
    "go": (["table public.outbox has no column 'aggregateid'; 'aggregate_id' is used for the key"],
           ["transforms.outbox.table.field.event.key=aggregate_id"]),
    "django": (["topic.prefix is not set; 'published'", "'headers:' is not a column", "'aggregate_id' is used for the key"],
               ["write topic.prefix=published",
                "table.fields.additional.placement=aggregate_type:header,aggregate_id:header"]),
}


def published(name, db, connectors):
    """A configuration as it was published; only what names servers, and what others must not share, is the test's."""
    config = json.loads((PUBLISHED / f"{name}.json").read_text())["config"]
    db.script((PUBLISHED / f"{name}.sql").read_text())
    own = {"topic.prefix": None, "schema.include.list": None, "publication.autocreate.mode": None, "plugin.name": None,
           "publication.name": db.name if name != "direct" else "debezium_pub", **dict.fromkeys(PLAIN_JSON), **config,
           **database_properties(db), "slot.name": db.name}
    if "topic.prefix" in config:
        own["topic.prefix"] = db.name
    if "database.server.name" in config:
        own["database.server.name"] = db.name
    return connectors(db, own, sink="file", name="published")


@pytest.mark.parametrize("name", GUESSES)
def test_published_configurations_start_route_and_say_what_they_guess(name, db, connectors):
    connector = published(name, db, connectors).start().wait_streaming()
    if name == "direct":
        db.execute("insert into orders (customer_id, status, total) values (7, 'new', 99.90)")
    elif name == "go":
        db.execute("insert into outbox (aggregate_id, event_type, dedup_key, payload) values ('a', 'order.created', 'd1', '{}')")
    else:
        db.execute("insert into outbox values (gen_random_uuid(), 'order', 'a', 'order.created', '{\"x\": 1}')")
    event, = connector.wait_events(1)
    connector.stop()
    headers = {n: v for n, v in event.headers if "debezium" not in n}
    if name == "direct":
        assert event.topic == f"{db.name}.public.orders"
    elif name == "go":
        assert (event.topic, event.key, event.value) == ("events.order.created", b"a", b'"{}"')
        assert headers == {"id": b"1", "eventType": b"order.created", "idempotencyKey": b"d1"}
    else:
        assert event.topic == "order.created"
        assert headers.keys() == {"id", "aggregate_type", "aggregate_id"} and headers["aggregate_id"] == b"a"
    for words in GUESSES[name][0]:
        assert connector.log_text().count(words) == 1, words
    shown = connector.call("validate", "--database").stdout
    assert all(words in shown for words in GUESSES[name][0]), shown


@pytest.mark.parametrize("name", GUESSES)
def test_strict_refuses_published_configurations(name, db, connectors):
    connector = published(name, db, connectors)
    connector.config["walduct.strict"] = "true"
    assert connector.run_to_end() == 2
    for line in GUESSES[name][1]:
        assert line.format(prefix=db.name) in connector.log.read_text(), connector.log.read_text()


def test_walduct_outbox_route_off(db, connectors):
    outbox(db)
    connector = connectors(db, {"walduct.outbox.tables": "public.outbox", "walduct.outbox.route": "false"}, sink="file")
    connector.start().wait_streaming()
    put(db, "1")
    event, = connector.wait_events(1)
    connector.stop()
    assert event.topic == f"{db.name}.public.outbox" and event.op == "c"


def test_strict_refuses_guesses_about_tables(db, connectors):
    """Before anything is created on the server."""
    db.execute("create table outbox (id int primary key, event_type text, aggregate_id text, payload text)")
    connector = connectors(db, {**router(db, route__by__field="event_type"), "walduct.strict": "true"}, sink="file")
    assert connector.run_to_end() == 2
    assert "transforms.outbox.table.field.event.key=aggregate_id" in connector.log_text()
    assert db.value("select count(*) from pg_replication_slots where database = current_database()") == 0
    shown = connector.call("validate", "--database")
    assert shown.returncode == 2 and "transforms.outbox.table.field.event.key=aggregate_id" in shown.stdout
    connector.config["transforms.outbox.table.field.event.key"] = "aggregate_id"
    connector.start().wait_streaming()
    connector.stop()


def test_tables_that_no_router_can_take_are_told_at_the_start(db, connectors):
    outbox(db)
    db.execute("create table items (id int primary key)")
    connector = connectors(db, router(db), sink="file").start().wait_streaming()
    assert "rows of table public.items cannot be published" in connector.log_text()
    put(db, "1")
    connector.wait_events(1)
    db.execute("insert into items values (1)")
    assert connector.wait_exit(20) == 1
    wait_until(lambda: connector.logged("walduct.outbox.tables"), 5, "the advice")
