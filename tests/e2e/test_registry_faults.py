"""A schema registry that is away, fails, hangs or refuses: nothing is lost, and everybody can see what is waited for."""
import json

import pytest

from formats import run
from support import servers
from support.faulty_http import FaultyHttp
from support.http import Surface
from support.registry import RegistryView
from support.wait import wait_until

AVRO = "io.confluent.connect.avro.AvroConverter"
TABLE = "create table items (id int primary key); insert into items values (1)"


@pytest.fixture
def registry():
    own = servers.shared("formats17", postgres=17, registry=True, **run.SERVER)
    with servers.file_lock("formats17-in-use"):
        yield RegistryView(own.registry)


@pytest.fixture
def door(registry):
    made = FaultyHttp(registry.url)
    yield made
    made.close()


def avro(url, **more):
    config = {"walduct.stall.warn.ms": "1000"}
    for part in ("key", "value"):
        config |= {f"{part}.converter": AVRO, f"{part}.converter.schema.registry.url": url, f"{part}.converter.schemas.enable": None,
                   f"{part}.converter.retries.wait.ms": "100", f"{part}.converter.retries.max.wait.ms": "500",
                   f"{part}.converter.http.connect.timeout.ms": "500", f"{part}.converter.http.read.timeout.ms": "500"}
    return config | more


def waits(connector, surface):
    """Status, a metric and the log say that it waits for the registry, and where that is."""
    wait_until(lambda: "registry" in (surface.status().get("stall") or {}).get("waiting_for", ""), 60, "the stall in the status")
    stall = surface.status()["stall"]
    assert stall["kind"] == "schema_registry" and "subject " in stall["waiting_for"], stall
    assert any(name == "walduct_stall_seconds" and ("waiting_for", "schema_registry") in labels and value > 0
               for (name, labels), value in surface.samples().items())
    connector.wait_log("waiting for the schema registry url=", 30)
    assert surface.ask("/livez")[0] == 200


@pytest.mark.parametrize("fault", ["away", 500, 503, "hang"])
def test_it_comes_back(fault, db, connectors, door):
    """At the start and in the middle of the stream: rows wait, and come in order once it answers; what needs no schema goes on."""
    db.script(TABLE + "; create table known (id int primary key)")
    door.mode = fault
    connector = connectors(db, avro(door.url)).start("--listen", "127.0.0.1:0")
    surface = Surface(connector)
    waits(connector, surface)
    assert connector.events() == []
    door.mode = "open"
    connector.wait_events(1, 60)
    connector.wait_log("the schema registry answers", 30)
    wait_until(lambda: surface.status().get("stall") is None, 30, "the end of the stall")
    connector.wait_streaming()
    db.execute("insert into known values (1)")
    connector.wait_events(2, 60)
    door.mode = fault
    db.execute("insert into items values (2)")
    connector.wait_events(3, 60)  # its schema is known
    db.script("alter table items add column note text; insert into items values (3, 'three'); insert into known values (2)")
    waits(connector, surface)
    assert len(connector.events()) == 3
    door.mode = "open"
    connector.wait_events(5, 60)
    assert connector.running()
    connector.stop()
    sent = [(e.topic.rpartition(".")[2]) for e in connector.events()]
    assert sorted(sent) == ["items", "items", "items", "known", "known"], sent


def test_a_kill_while_it_is_away(db, connectors, door):
    """What waits for a schema is not confirmed: the next start publishes it."""
    db.script(TABLE)
    connector = connectors(db, avro(door.url)).start("--listen", "127.0.0.1:0").wait_streaming()
    connector.wait_events(1, 60)
    door.mode = "away"
    db.script("alter table items add column note text; insert into items values (2, 'two')")
    waits(connector, Surface(connector))
    connector.kill()
    door.mode = "open"
    connector.start().wait_streaming()
    connector.wait_events(2, 60)
    connector.stop()


def test_it_refuses_a_schema(db, connectors, registry):
    """An incompatible schema: the connector stops before the row and says which subject; once that is mended, it goes on."""
    db.script("create table items (id int primary key, note text); insert into items values (1, 'one')")
    connector = connectors(db, avro(registry.url)).start().wait_streaming()
    connector.wait_events(1, 60)
    subject = f"{connector.prefix}.public.items-value"
    registry.ask("PUT", f"/config/{subject}", {"compatibility": "FULL"})
    db.script("alter table items drop column note; alter table items add column note int; insert into items values (2, 7)")
    assert connector.wait_exit(60) != 0
    assert connector.logged(rf"reason=schema_\w+") and subject in connector.log_text()
    registry.ask("PUT", f"/config/{subject}", {"compatibility": "NONE"})
    connector.start().wait_streaming()
    connector.wait_events(2, 60)
    connector.stop()


def test_a_refusal_is_told_before_the_first_row(db, connectors, registry):
    """What the registry will refuse is said at the start, with what the table changed; nothing is registered by that."""
    db.script("create table items (id int primary key, note text); insert into items values (1, 'one'); create table empty (id int primary key)")
    connector = connectors(db, avro(registry.url)).start().wait_streaming()
    connector.wait_events(1, 60)
    connector.stop()
    subject = f"{connector.prefix}.public.items-value"
    assert not [one for one in registry.subjects() if ".empty-" in one]
    registry.ask("PUT", f"/config/{subject}", {"compatibility": "FULL"})
    db.script("alter table items drop column note; alter table items add column note int")
    connector.start().wait_streaming()
    connector.wait_log(f"will be refused by the schema registry subject={subject}", 30)
    changed = "beside version 1, field before.note is null or string there, and null or int in the table's"
    assert changed in connector.log_text() and connector.running()
    db.execute("insert into items values (2, 7)")
    assert connector.wait_exit(60) != 0
    assert connector.log_text().count(changed) == 2 and f"PUT /config/{subject}" in connector.log_text()
    registry.ask("PUT", f"/config/{subject}", {"compatibility": "NONE"})
    connector.start().wait_streaming()
    connector.wait_events(2, 60)
    connector.stop()
    assert not [one for one in registry.subjects() if ".empty-" in one]


def test_an_id_that_is_no_answer(db, connectors, door):
    """Something else answers in its place: what it said is told, and nothing is published until the registry does."""
    db.script(TABLE)
    through, door.forward = door.forward, lambda *_: (200, json.dumps({"id": "seven"}).encode(), "application/json")
    connector = connectors(db, avro(door.url)).start("--listen", "127.0.0.1:0")
    surface = Surface(connector)
    waits(connector, surface)
    assert "seven" in surface.status()["stall"]["waiting_for"] and connector.events() == []
    door.forward = through
    connector.wait_events(1, 60)
    connector.stop()
