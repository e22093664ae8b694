"""Converters with a schema registry: the recorded corpus, a reader that nobody here wrote, and registries that fail."""
import io
import json

import fastavro
import pytest

from formats import run
from support import servers
from support.registry import RegistryView
from support.registry_stub import RegistryStub
from support.tls import Authority
from support.wait import wait_until

AVRO = "io.confluent.connect.avro.AvroConverter"


@pytest.mark.parametrize("name", run.scenario_names())
def test_golden_formats(name, tmp_path):
    own = servers.shared("formats17", postgres=17, registry=True, **run.SERVER)
    with servers.file_lock("formats17-in-use"):  # one database `shop` per server, one registry
        differences = run.replay(name, own.postgres, own.registry, tmp_path)
    assert not differences, "\n".join(differences)


def avro(url, **more):
    """`more`: options of both converters."""
    config = {}
    for part in ("key", "value"):
        config[f"{part}.converter"] = AVRO
        config[f"{part}.converter.schema.registry.url"] = url
        config |= {f"{part}.converter.{name.replace('_', '.')}": value for name, value in more.items()}
    return config


@pytest.fixture
def stub():
    made = []

    def make(*args, **kwargs):
        made.append(RegistryStub(*args, **kwargs))
        return made[-1]
    yield make
    for one in made:
        one.close()


def rows(events):
    """(table, id) of keys that are one small integer."""
    return sorted((e.table, e.key[5] >> 1) for e in events)


def read_avro(framed, registry):
    """As Confluent's deserializer reads it: 0, the id, the value by the schema of that id."""
    assert framed[0] == 0
    schema = json.loads(registry.ask("GET", f"/schemas/ids/{int.from_bytes(framed[1:5], 'big')}")["schema"])
    body = io.BytesIO(framed[5:])
    value = fastavro.schemaless_reader(body, fastavro.parse_schema(schema))
    assert body.read() == b""
    return value


def test_env14_another_reader_reads_it(db, connectors):
    own = servers.shared("formats17", postgres=17, registry=True, **run.SERVER)
    registry = RegistryView(own.registry)
    db.script("create table items (id int primary key, name text, price numeric(10,2), tags text[], at timestamptz default now());"
              "insert into items values (1, 'pen', 1.50, '{a,NULL,b}')")
    with servers.file_lock("formats17-in-use"):
        connector = connectors(db, config=avro(own.registry)).start().wait_streaming()
        db.execute("insert into items values (2, null, null, null)")
        db.execute("delete from items where id = 1")
        events = connector.wait_events(4)
        keys = [read_avro(e.key, registry) for e in events]
        values = [read_avro(e.value, registry) if e.value else None for e in events]
    assert [k["id"] for k in keys] == [1, 2, 1, 1]
    assert [v["op"] if v else None for v in values] == ["r", "c", "d", None]
    after = values[0]["after"]
    assert (after["id"], after["name"], str(after["price"]), after["tags"]) == (1, "pen", "1.50", ["a", None, "b"])
    assert values[1]["after"]["price"] is None and values[1]["source"]["db"] == db.name
    connector.stop()


def test_sch23_registry_that_is_away_is_waited_for(db, connectors, stub):
    """At the first row of a second table; the first table's rows wait behind it, nothing is lost, the slot is kept."""
    away = {"now": False}
    registry = stub(fault=lambda subject: 503 if away["now"] else None)
    db.script("create table a (id int primary key); create table b (id int primary key)")
    connector = connectors(db, config=avro(registry.url) | {"walduct.stall.warn.ms": "2000"}).start().wait_streaming()
    db.execute("insert into a values (1)")
    connector.wait_events(1)
    away["now"] = True
    db.execute("insert into b values (1)")
    db.execute("insert into a values (2)")
    connector.wait_log(r"waiting for the schema registry.*the stub says no")
    connector.wait_log(r"no progress for \d+s: waiting for the schema registry at \S+, subject \S+\.b-key: the stub says no", 60)
    assert len(connector.events()) == 1
    db.wait_slot_active(connector.slot)
    away["now"] = False
    events = connector.wait_events(3)
    assert sorted(e.table for e in events) == ["a", "a", "b"]
    connector.stop()


def test_registry_that_is_down_at_start(db, connectors, stub):
    registry = stub(fault=lambda subject: 500)
    db.script("create table a (id int primary key); insert into a values (1)")
    connector = connectors(db, config=avro(registry.url)).start()
    connector.wait_log("waiting for the schema registry")
    assert connector.running()
    connector.stop()
    registry.fault = lambda subject: None
    connector.start().wait_streaming()
    assert len(connector.wait_events(1)) == 1
    connector.stop()


def test_schema_that_is_refused_stops_with_the_registrys_words(db, connectors, stub):
    registry = stub(fault=lambda subject: 409 if subject.endswith("-value") else None)
    db.script("create table a (id int primary key); insert into a values (7)")
    connector = connectors(db, config=avro(registry.url)).start()
    assert connector.wait_exit() == 1
    assert connector.logged(r"table public\.a.*key id=7.*subject \S+\.a-value: the stub says no.*schema_incompatible.*PUT /config/")


def test_schema_that_is_no_schema_to_the_registry_stops(db, connectors, stub):
    registry = stub(fault=lambda subject: 422)
    db.script("create table a (id int primary key); insert into a values (7)")
    connector = connectors(db, config=avro(registry.url)).start()
    assert connector.wait_exit() == 1
    assert connector.logged(r"table public\.a.*subject \S+\.a-key: the stub says no.*schema_refused")
    registry.fault = lambda subject: None  # mended: the same row comes
    connector.start().wait_streaming()
    assert rows(connector.wait_events(1)) == [("a", 7)]
    connector.stop()


@pytest.mark.parametrize("status", [500, 401])
def test_registry_that_fails_in_the_middle_loses_nothing(status, db, connectors, stub):
    """500: waited for; 401: the connector stops, and goes on at the same row."""
    fault = {"now": None}
    registry = stub(fault=lambda subject: fault["now"])
    db.script("create table a (id int primary key); create table b (id int primary key)")
    connector = connectors(db, config=avro(registry.url)).start().wait_streaming()
    db.execute("insert into a values (1)")
    connector.wait_events(1)
    fault["now"] = status
    db.execute("insert into b values (2)")
    db.execute("insert into a values (3)")
    if status == 401:
        assert connector.wait_exit() == 3
        assert connector.logged("registry_unauthenticated")
    else:
        connector.wait_log(r"waiting for the schema registry.*the stub says no")
        assert len(connector.events()) == 1
    fault["now"] = None
    if status == 401:
        connector.start().wait_streaming()
    assert rows(connector.wait_events(3)) == [("a", 1), ("a", 3), ("b", 2)]
    connector.stop()


def test_registry_that_was_emptied_stops(db, connectors, stub):
    """It gives an id that stands for another schema; started again, all schemas are registered anew."""
    registry = stub()
    db.script("create table a (id int primary key); create table b (id int primary key, v text)")
    connector = connectors(db, config=avro(registry.url)).start().wait_streaming()
    db.execute("insert into a values (1)")
    connector.wait_events(1)
    registry.schemas.clear()
    db.execute("insert into b values (2)")
    assert connector.wait_exit() == 3
    assert connector.logged("schema_id_reused.*restore the registry")
    connector.start().wait_streaming()
    assert rows(connector.wait_events(2)) == [("a", 1), ("b", 2)]
    connector.stop()


def test_wrong_credentials_stop(db, connectors, stub):
    registry = stub(fault=lambda subject: 401)
    db.script("create table a (id int primary key); insert into a values (7)")
    connector = connectors(db, config=avro(registry.url)).start()
    assert connector.wait_exit() == 3
    assert connector.logged("registry_unauthenticated")


def test_private_authority_and_client_certificate(db, connectors, stub, tmp_path):
    authority = Authority(tmp_path / "ca")
    server, client = authority.issue("registry", hosts=["127.0.0.1"]), authority.issue("client")
    both = tmp_path / "client.pem"
    both.write_text(client[1].read_text() + client[0].read_text())
    registry = stub(tls=(*server, authority.certificate))
    db.script("create table a (id int primary key); insert into a values (1)")
    tls = {"schema_registry_ssl_truststore_location": authority.certificate, "schema_registry_ssl_truststore_type": "PEM",
           "schema_registry_ssl_keystore_location": both, "schema_registry_ssl_keystore_type": "PEM"}
    connector = connectors(db, config=avro(registry.url, **tls)).start()
    connector.wait_events(1)
    connector.stop()


def test_authority_that_is_not_trusted(db, connectors, stub, tmp_path):
    server = Authority(tmp_path / "ca").issue("registry", hosts=["127.0.0.1"])
    registry = stub(tls=(*server, None))
    db.script("create table a (id int primary key); insert into a values (1)")
    connector = connectors(db, config=avro(registry.url)).start()
    assert connector.wait_exit() == 3
    assert connector.logged("registry_tls.*truststore")


def test_slow_registry_delays_only(db, connectors, stub):
    registry = stub(delay_s=10)
    db.script("create table a (id int primary key); insert into a values (1)")
    connector = connectors(db, config=avro(registry.url)).start()
    assert len(connector.wait_events(1, 60)) == 1
    wait_until(lambda: len(registry.calls) == 2, 10, "one question each for key and value")
    connector.stop()
