"""Protobuf records of every kind, read by Google's own library with the schema of the registry."""
import pytest

from formats import run
from support import servers
from support.protobuf_reader import Protobuf
from support.registry import RegistryView

PROTOBUF = "io.confluent.connect.protobuf.ProtobufConverter"


def protobuf(url, **more):
    """`more`: options of both converters."""
    config = {}
    for part in ("key", "value"):
        config[f"{part}.converter"] = PROTOBUF
        config[f"{part}.converter.schema.registry.url"] = url
        config |= {f"{part}.converter.{name.replace('_', '.')}": value for name, value in more.items()}
    return config


@pytest.fixture
def registry():
    own = servers.shared("formats17", postgres=17, registry=True, **run.SERVER)
    with servers.file_lock("formats17-in-use"):
        yield RegistryView(own.registry)


def unscaled(decimal):
    return int.from_bytes(decimal.value, "big", signed=True), decimal.precision, decimal.scale


@pytest.mark.parametrize("nullables", [{}, {"optional_for_nullables": "true"}, {"wrapper_for_nullables": "true"}])
def test_another_reader_reads_it(db, connectors, registry, nullables):
    db.script("create table items (id int primary key, name text, count int, price numeric(10,2), scores int[], tags text[], at timestamptz);"
              "insert into items values (1, 'pen', -7, -1.50, '{3,0,-4}', '{a,\"\"}', now())")
    connector = connectors(db, config=protobuf(registry.url, **nullables)).start().wait_streaming()
    db.execute("insert into items values (200, '', 0, 0, '{}', null, null), (300, null, null, null, null, null, null)")
    db.execute("delete from items where id = 1")
    events = connector.wait_events(5)
    reader = Protobuf(registry)
    assert [reader.read(e.key).id for e in events] == [1, 200, 300, 1, 1]
    values = [reader.read(e.value) if e.value else None for e in events]
    assert [v.op if v else None for v in values] == ["r", "c", "c", "d", None]
    full, zero, null = (v.after for v in values[:3])
    wrapped = "wrapper_for_nullables" in nullables
    plain = lambda value: value.value if wrapped else value
    assert (plain(full.name), plain(full.count), unscaled(full.price)) == ("pen", -7, (-150, 3, 2))
    assert [plain(s) for s in full.scores] == [3, 0, -4] and [plain(t) for t in full.tags] == ["a", ""]
    assert unscaled(zero.price) == (0, 1, 2) and not null.HasField("price")
    if nullables:
        assert zero.HasField("name") and zero.HasField("count") and not null.HasField("name") and not null.HasField("count")
    assert values[0].source.db == db.name and plain(values[1].source.lsn) > 0 and not values[0].HasField("transaction")
    connector.stop()


def test_other_records(db, connectors, registry):
    """Transactions, messages and heartbeats."""
    db.script("create table items (id int primary key, v text)")
    config = protobuf(registry.url) | {"provide.transaction.metadata": "true", "heartbeat.interval.ms": "100"}
    connector = connectors(db, config, sink="file").start().wait_streaming()
    db.script("begin; insert into items values (1, 'a'), (2, 'b'); select pg_logical_emit_message(true, 'note', 'hello'); commit")
    count = lambda part, events: sum(part in e.topic for e in events)
    events = connector.wait_events(lambda events: count("heartbeat", events) > 0 and count("transaction", events) >= 2, 30,
                                   "a heartbeat and the end of a transaction")
    reader = Protobuf(registry)
    of = lambda part: [(reader.read(e.key), reader.read(e.value)) for e in events if part in e.topic]
    rows = of(".public.items")
    assert [(key.id, value.after.v, value.transaction.total_order) for key, value in rows] == [(1, "a", 1), (2, "b", 2)]
    begin, end = of(".transaction")[:2]
    assert begin[0].id == begin[1].id and begin[1].status == "BEGIN" and end[1].status == "END"
    assert end[1].event_count == sum(one.event_count for one in end[1].data_collections)
    assert ("public.items", 2) in [(one.data_collection, one.event_count) for one in end[1].data_collections]
    note = of(".message")[0][1]
    assert note.op == "m" and note.message.prefix == "note" and note.message.content == b"hello"
    key, value = of("heartbeat")[0]
    assert key.serverName and value.ts_ms > 0
    connector.stop()


def test_what_has_no_form_stops_at_the_row(db, connectors, registry):
    db.script("create table items (id int primary key, tags text[]); insert into items values (7, '{a,null}')")
    connector = connectors(db, config=protobuf(registry.url)).start()
    assert connector.wait_exit() == 1
    assert connector.logged(r"table public\.items.*key id=7.*field after\.tags holds an array with NULL.*protobuf_value")
