"""Records of Confluent's JsonSchemaConverter: a frame with the id of a JSON Schema, and JSON that the schema accepts."""
import json

import pytest
from jsonschema import Draft7Validator

from formats import run
from support import servers
from support.registry import RegistryView

JSON_SCHEMA = "io.confluent.connect.json.JsonSchemaConverter"


def json_schema(url, **more):
    """`more`: options of both converters."""
    config = {}
    for part in ("key", "value"):
        config |= {f"{part}.converter": JSON_SCHEMA, f"{part}.converter.schema.registry.url": url, f"{part}.converter.schemas.enable": None}
        config |= {f"{part}.converter.{name.replace('_', '.')}": value for name, value in more.items()}
    return config


@pytest.fixture
def registry():
    own = servers.shared("formats17", postgres=17, registry=True, **run.SERVER)
    with servers.file_lock("formats17-in-use"):
        yield RegistryView(own.registry)


class Reader:
    """Reads a record as any reader does that only knows the frame and the registry."""

    def __init__(self, registry):
        self.registry, self.schemas = registry, {}

    def read(self, part):
        assert part[0] == 0
        number = int.from_bytes(part[1:5], "big")
        if number not in self.schemas:
            found = self.registry.ask("GET", f"/schemas/ids/{number}")
            assert found["schemaType"] == "JSON", found
            self.schemas[number] = json.loads(found["schema"])
        value = json.loads(part[5:])
        Draft7Validator(self.schemas[number]).validate(value)
        return value


TABLE = ("create table items (id int primary key, name text default 'none', count bigint, price numeric(10,2), scores int[], tags text[], "
         "at timestamptz, raw bytea, free numeric, place point, flag boolean not null default true)")


@pytest.mark.parametrize("options", [{}, {"object_additional_properties": "false"}])
def test_another_reader_reads_it(options, db, connectors, registry):
    db.script(TABLE + "; insert into items values (1, 'pen', -7, -1.50, '{3,0,-4}', '{a,null,\"\"}', now(), '\\x00ff', 1.5, '(1,2)')")
    config = json_schema(registry.url, decimal_format="NUMERIC", **options)
    connector = connectors(db, config=config).start().wait_streaming()
    db.execute("insert into items values (200, null, null, null, null, null, null, null, null, null, false)")
    db.execute("delete from items where id = 1")
    events = connector.wait_events(4)
    reader = Reader(registry)
    assert [reader.read(e.key) for e in events] == [{"id": 1}, {"id": 200}, {"id": 1}, {"id": 1}]
    values = [reader.read(e.value) if e.value else None for e in events]
    assert [v and v["op"] for v in values] == ["r", "c", "d", None]
    full, null = values[0]["after"], values[1]["after"]
    assert (full["name"], full["count"], full["price"], full["scores"], full["tags"]) == ("pen", -7, -1.50, [3, 0, -4], ["a", None, ""])
    assert (full["raw"], full["free"]["scale"], full["place"]["x"], full["flag"]) == ("AP8=", 1, 1.0, True)
    assert (null["name"], null["count"], null["flag"]) == ("none", None, False), "a null is the default, as Connect reads it"
    subjects = registry.subjects()
    assert {f"{db.name}.public.items-key", f"{db.name}.public.items-value"} <= set(subjects), subjects
    schema = reader.schemas[int.from_bytes(events[0].value[1:5], "big")]
    assert schema["title"] == f"{db.name}.public.items.Envelope" and schema["type"] == "object"
    assert schema.get("additionalProperties", True) == (not options)
    connector.stop()


def test_a_column_more_is_a_version_more(db, connectors, registry):
    """And the subject is named by its record where that is asked for."""
    db.script("create table items (id int primary key)")
    config = json_schema(registry.url) | {"value.converter.value.subject.name.strategy": "io.confluent.kafka.serializers.subject.RecordNameStrategy"}
    connector = connectors(db, config=config).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    db.script("alter table items add column note text; insert into items values (2, 'two')")
    events = connector.wait_events(2)
    reader = Reader(registry)
    assert [reader.read(e.value)["after"] for e in events] == [{"id": 1}, {"id": 2, "note": "two"}]
    assert registry.ask("GET", f"/subjects/{db.name}.public.items.Envelope/versions") == [1, 2]
    connector.stop()


def test_what_is_given_is_used(db, connectors, registry):
    """auto.register.schemas=false finds what is there; where nothing is, the connector says so."""
    db.script("create table items (id int primary key); insert into items values (1)")
    config = json_schema(registry.url)
    connector = connectors(db, config=config).start().wait_streaming()
    connector.wait_events(1)
    connector.stop()
    connector.config |= json_schema(registry.url, auto_register_schemas="false")
    connector.start().wait_streaming()
    db.execute("insert into items values (2)")
    events = connector.wait_events(2)
    reader = Reader(registry)
    assert [reader.read(e.value)["after"]["id"] for e in events] == [1, 2]
    assert events[0].value[:5] == events[1].value[:5]
    db.execute("alter table items add column note text")
    db.execute("insert into items values (3)")
    assert connector.wait_exit(60) != 0
    assert "schema" in connector.log_text()
