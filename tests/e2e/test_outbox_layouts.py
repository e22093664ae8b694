"""The outbox tables of tutorials, polled into Kafka, HTTP and RabbitMQ with no option but where things are: as the slot publishes them, byte by byte."""
import json
import re

import pytest

from golden import run
from recorded import records
from support import servers
from support.connector import PLAIN_JSON, database_properties
from support.kafka import TopicReader
from support.paths import ROOT
from support.rabbitmq import RabbitMq
from support.receiver import Receiver
from support.wait import wait_until

# What stands beside id and payload; what says that a row is published; what is written, of $1: its topic, $2: its key, $3: its number.
LAYOUTS = {
    "metadata": ("create table outbox (id bigserial primary key, aggregate_id text not null, aggregate_type text not null, event_type text not null,"
                 " payload jsonb not null, metadata jsonb, created_at timestamptz not null default now(), published_at timestamptz, shard int);"
                 "create index on outbox (id) where published_at is null", "published_at is not null",
                 "(aggregate_type, aggregate_id, event_type, payload, metadata) values (%s, %s, 'Placed', jsonb_build_object('n', %s::int), '{\"trace\": \"t\"}')"),
    "dedup_key": ("create table outbox (id bigserial primary key, dedup_key text unique default gen_random_uuid(), aggregate_type text not null, aggregate_id text not null,"
                  " event_type text not null, payload jsonb not null, occurred_at timestamptz not null default now(), processed_at timestamptz,"
                  " attempts int not null default 0, next_try_at timestamptz, error text)", "processed_at is not null and attempts = 0",
                  "(aggregate_type, aggregate_id, event_type, payload) values (%s, %s, 'Placed', jsonb_build_object('n', %s::int))"),
    "topic": ("create table outbox (id bigserial primary key, topic text not null, key text, payload jsonb not null, published_at timestamptz,"
              " attempts int not null default 0, last_error text, created_at timestamptz not null default now())", "published_at is not null and attempts = 0",
              "(topic, key, payload) values (%s, %s, jsonb_build_object('n', %s::int))"),
    "uuid": ("create table outbox (id uuid primary key default gen_random_uuid(), aggregate_type text not null, aggregate_id text not null, event_type text not null,"
             " payload jsonb not null, created_at timestamptz not null default clock_timestamp(), published_at timestamptz, attempts int not null default 0,"
             " last_error text)", "published_at is not null and attempts = 0",
             "(aggregate_type, aggregate_id, event_type, payload) values (%s, %s, 'Placed', jsonb_build_object('n', %s::int))"),
    "status": ("create table outbox (id uuid primary key default gen_random_uuid(), aggregate_type text not null, aggregate_id text not null, event_type text not null,"
               " payload jsonb not null, status text not null default 'NEW' check (status in ('NEW', 'PUBLISHED', 'FAILED')),"
               " created_at timestamptz not null default clock_timestamp(), published_at timestamptz)", "status = 'PUBLISHED' and published_at is not null",
               "(aggregate_type, aggregate_id, event_type, payload) values (%s, %s, 'Placed', jsonb_build_object('n', %s::int))"),
}
PUBLISHED = ROOT / "tests" / "outbox" / "published"
ROWS = 12
RUN_ID = "runid"  # the one header that differs from run to run
# Of scenarios that a table cannot tell: what they publish is no row of it.
NOT_OF_A_TABLE = ("outbox_messages*", "outbox_transaction_metadata")
SHORT = ("outbox_default", "outbox_headers_envelope", "outbox_tombstone")


def told_apart(headers):
    return sorted((name, value) for name, value in headers if RUN_ID not in name.lower())


class Kafka:
    def __init__(self, request, db):
        self.config, self.sink = {}, "kafka"
        self.reader = TopicReader(request.getfixturevalue("broker"), f"outbox.event.{db.name}")

    def records(self):
        return [(e.topic, e.key, e.value, told_apart(e.headers)) for e in self.reader.read()]

    def close(self):
        self.reader.close()


class Http:
    def __init__(self, request, db):
        self.receiver, self.sink = Receiver(), "http"
        self.config = {"sink.http.url": self.receiver.url}

    def records(self):
        kept = [[(n, v) for n, v in one["headers"] if n.lower() not in ("host", "user-agent", "content-length", "accept")] for one in self.receiver.taken]
        return [(one["path"], one["body"], told_apart(headers)) for one, headers in zip(self.receiver.taken, kept)]

    def close(self):
        self.receiver.close()


class Rabbit:
    def __init__(self, request, db):
        self.sink, address = "rabbitmq", servers.shared("rabbitmq", rabbitmq=True).rabbitmq
        host, _, port = address.rpartition(":")
        self.config = {"sink.rabbitmq.connection.host": host, "sink.rabbitmq.connection.port": port}
        self.client, self.exchange, self.queue, self.taken = RabbitMq(address), f"outbox.event.{db.name}", db.name, []
        self.client.exchange(self.exchange)
        self.client.queue(self.queue, (self.exchange, "#"))

    def records(self):
        self.taken += [(method.exchange, method.routing_key, body, properties.content_type, told_apart((properties.headers or {}).items()))
                       for method, properties, body in self.client.take(self.queue)]
        return self.taken

    def close(self):
        self.client.delete(self.queue)
        self.client.channel.exchange_delete(self.exchange)
        self.client.close()


SINKS = {"kafka": Kafka, "http": Http, "rabbitmq": Rabbit}


@pytest.fixture
def destinations(request):
    made = []

    def make(sink, db):
        made.append(SINKS[sink](request, db))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize("sink", SINKS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_published_as_by_the_slot(databases, pg17, connectors, destinations, layout, sink):
    db = databases(pg17)
    made, done, values = LAYOUTS[layout]
    db.script(made)
    for number in range(ROWS):
        db.execute(f"insert into outbox {values}", db.name, str(number % 3), number)
    to = destinations(sink, db)
    plain = {"walduct.outbox.tables": r"public\.outbox", "schema.include.list": None, **to.config}
    polls = connectors(db, {**plain, "walduct.outbox.source": "poll", "slot.name": None, "publication.name": None, "publication.autocreate.mode": None},
                       superuser=True, sink=to.sink, name="poll").start().wait_streaming()
    wait_until(lambda: db.value(f"select count(*) from outbox where {done}") == ROWS, 20, "all rows marked")
    wait_until(lambda: len(to.records()) >= ROWS, 20, "all rows published")
    polls.stop()
    by_poll = to.records()[:]
    assert len(by_poll) == ROWS and not db.slots()
    slot = connectors(db, {**plain, "table.include.list": r"public\.outbox"}, superuser=True, sink=to.sink, name="slot").start().wait_streaming()
    wait_until(lambda: len(to.records()) >= 2 * ROWS, 20, "all rows published by the slot")
    slot.stop()
    assert to.records()[ROWS:] == by_poll


def test_what_describes_an_event_is_its_headers(databases, pg17, connectors, destinations):
    """metadata and dedup_key, where nobody has configured a router; what a receiver knows a repeat by is the same after it is sent again."""
    db = databases(pg17)
    db.execute("create table outbox (id bigserial primary key, dedup_key text, aggregate_type text, aggregate_id text, event_type text, payload jsonb,"
               " metadata jsonb, published_at timestamptz)")
    db.execute("insert into outbox (dedup_key, aggregate_type, aggregate_id, event_type, payload, metadata) values"
               " ('d-1', %s, '1', 'Placed', '{}', '{\"trace\": \"t\", \"tenant\": 7, \"none\": null}'), (null, %s, '1', 'Placed', '{}', null)", db.name, db.name)
    to = destinations("http", db)
    config = {"walduct.outbox.tables": r"public\.outbox", "walduct.outbox.source": "poll", "schema.include.list": None, "slot.name": None,
              "publication.name": None, "publication.autocreate.mode": None, "sink.http.headers.encode.base64": "false",
              "sink.http.authentication.type": "standard-webhooks", "sink.http.authentication.webhook.secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", **to.config}
    connector = connectors(db, config, superuser=True, sink="http").start().wait_streaming()
    wait_until(lambda: len(to.receiver.taken) == 2, 20, "both events")
    wait_until(lambda: db.value("select count(published_at) from outbox") == 2, 20, "both marked")
    connector.wait_log("column metadata of outbox table")
    connector.stop()
    db.execute("update outbox set published_at = null")
    again = connectors(db, config, superuser=True, sink="http", name="again").start().wait_streaming()
    wait_until(lambda: len(to.receiver.taken) == 4, 20, "both again, by another process")
    again.stop()
    first, second, again, second_again = ({name.lower(): value for name, value in one["headers"]} for one in to.receiver.taken)
    assert first["idempotency-key"] == first["webhook-id"] == again["idempotency-key"] == again["webhook-id"] == "d-1"
    assert first["x-debezium-trace"] == "t" and first["x-debezium-tenant"] == "7" and "x-debezium-none" not in first
    assert "idempotency-key" not in second and second["webhook-id"] == second_again["webhook-id"] != "d-1" and "x-debezium-trace" not in second
    for column, line in (("metadata", "metadata:headers"), ("dedup_key", "dedup_key:header:Idempotency-Key")):
        assert len(re.findall(f"column {column} of outbox table public.outbox becomes.*{line}", connector.log_text())) == 1


# What is written into the tables of configurations that tutorials hand around (tests/outbox/published).
WRITTEN = {
    "go": "(aggregate_id, event_type, dedup_key, payload) select (n % 3)::text, 'order.created', 'd' || n, jsonb_build_object('n', n)",
    "django": "(id, aggregate_type, aggregate_id, event_type, payload, created_at) select gen_random_uuid(), 'order', (n % 3)::text, 'order.created',"
              " jsonb_build_object('n', n), now() + n * interval '1 ms'",
    "direct": "(aggregate_id, event_type, payload) select (n % 3)::text, 'order.created', jsonb_build_object('n', n)",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_published_configuration_polls_what_the_slot_gives(databases, pg17, connectors, name):
    """One property more, and which table it is where the configuration does not say that it has an outbox."""
    db = databases(pg17)
    db.script((PUBLISHED / f"{name}.sql").read_text())
    db.execute(f"insert into outbox {WRITTEN[name]} from generate_series(1, 30) n")
    found = json.loads((PUBLISHED / f"{name}.json").read_text())["config"]
    config = {"topic.prefix": None, "schema.include.list": None, "publication.autocreate.mode": None, "plugin.name": None,
              "publication.name": db.name, **dict.fromkeys(PLAIN_JSON), **found, **database_properties(db), "slot.name": db.name}
    if name == "direct":
        config |= {"walduct.outbox.tables": r"public\.outbox", "table.include.list": r"public\.outbox"}
    polls = connectors(db, {**config, "walduct.outbox.source": "poll", "walduct.outbox.publish.locally": "true"}, superuser=True, sink="file", name="poll")
    polls.start().wait_streaming()
    by_poll = [(e.topic, e.key, e.value, told_apart(e.headers)) for e in polls.wait_events(30)]
    done = "processed_at" if name == "go" else "published_at"
    wait_until(lambda: db.value(f"select count({done}) from outbox") == 30, 20, "all rows marked")
    polls.stop()
    slot = connectors(db, config, superuser=True, sink="file", name="slot")
    slot.name = polls.name  # stands for a prefix that is not given
    slot.start().wait_streaming()
    by_slot = [(e.topic, e.key, e.value, told_apart(e.headers)) for e in slot.wait_events(30)]
    slot.stop()
    assert by_poll == by_slot


class PolledReplay(run.Replay):
    """A recorded scenario without its updates, deletes and tables of other kinds, whose rows are there before the connector starts: their
    table keeps no state."""

    def _config(self):
        dropped = ("slot.name", "publication.name", "publication.autocreate.mode", "plugin.name", "snapshot.mode")
        config = {name: value for name, value in super()._config().items() if name not in dropped}
        return {**config, "walduct.outbox.source": "poll", "walduct.outbox.tables": r"public\.outbox.*", "walduct.outbox.done": "delete",
                "walduct.outbox.publish.locally": "true"}

    def run(self):
        self.database.create()
        try:
            for name in ("setup.sql", "steps.sql"):
                for statement in run.statements(self.folder, name).split(";"):
                    if not re.match(r"\s*(delete|update|select|truncate)\b", statement, re.I) and statement.strip():
                        self.database.execute(statement)
            self.connector.start().wait_streaming()
            tables = [row[0] for row in self.database.execute("select relname from pg_class where relname like 'outbox%' and relkind = 'r'")]
            wait_until(lambda: not any(self.database.value(f"select count(*) from {table}") for table in tables), 20, "all rows published")
            self.connector.stop()
            self._write()
        finally:
            self.connector.close()
            self.database.drop()


def polled_scenarios():
    refused = set(run.scenario_names(NOT_OF_A_TABLE))
    return [name for name in run.scenario_names(["outbox_*"]) if name not in refused]


def check_scenario(name, tmp_path):
    server = servers.shared("golden17", postgres=17, **run.SERVER).postgres
    with servers.file_lock("golden17-in-use"):
        one = PolledReplay(name, server, tmp_path)
        one.run()
    wanted, got = (records.load(folder / "records.jsonl") for folder in (one.folder, one.actual))
    differ = records.compare(wanted, got, False, [*one.scenario.get("ignore_topics", ()), "srv.public.zz_done", "srv.public.plain"])
    assert got and not differ, "\n".join(differ)


@pytest.mark.parametrize("name", SHORT)
def test_recorded_events_are_those_of_a_poll(name, tmp_path):
    check_scenario(name, tmp_path)


@pytest.mark.parametrize("name", [name for name in polled_scenarios() if name not in SHORT])
def test_each_recorded_event_is_that_of_a_poll(name, tmp_path):
    check_scenario(name, tmp_path)
