"""Configurations of Debezium Server as people publish them, one or two for each sink, put together from its documented options: `walduct run` in
the folder that has config/application.properties, up to the first record."""
import json
import os
import subprocess

import pytest

from support import servers
from support.aws import ENVIRONMENT, REGION, Aws
from support.connector import database_properties
from support.nats import Nats
from support.paths import BINARY
from support.rabbitmq import RabbitMq
from support.receiver import Receiver
from support.redis import Redis
from support.wait import wait_until

SOURCE = """
debezium.source.connector.class=io.debezium.connector.postgresql.PostgresConnector
debezium.source.plugin.name=pgoutput
debezium.source.slot.name={name}
debezium.source.topic.prefix={name}
quarkus.http.port={health}
"""
OFFSETS = """
debezium.source.offset.storage.file.filename=data/offsets.dat
debezium.source.offset.flush.interval.ms=0
"""


class RedisStream:
    """Position and history in Redis, as the quick start has it, with the class's name of before."""
    TEXT = """
debezium.sink.type=redis
debezium.sink.redis.address={redis}
debezium.sink.redis.batch.size=500
debezium.sink.redis.memory.limit.mb=80
debezium.source.offset.storage=io.debezium.server.redis.RedisOffsetBackingStore
debezium.source.offset.storage.redis.key=offsets:{name}
debezium.source.schema.history.internal=io.debezium.storage.redis.history.RedisSchemaHistory
debezium.source.database.history=io.debezium.server.redis.RedisSchemaHistory
debezium.source.table.include.list=public.t
debezium.format.key.schemas.enable=false
debezium.format.value.schemas.enable=false
quarkus.log.level=INFO
"""

    def __init__(self, db):
        self.stream, self.address = f"{db.name}.public.t", servers.shared("redis", redis=True).redis
        self.values = {"redis": self.address}

    def bodies(self):
        with Redis(self.address) as client:
            return [dict(fields).get("value") or fields[0][1] for _, fields in client.entries(self.stream)]


class RedisExtended(RedisStream):
    """Flat rows and headers, with the server's own names of transforms."""
    TEXT = """
debezium.sink.type=redis
debezium.sink.redis.address={redis}
debezium.sink.redis.message.format=extended
debezium.sink.redis.null.key=none
debezium.sink.redis.ssl.enabled=false
debezium.transforms=unwrap
debezium.transforms.unwrap.type=io.debezium.transforms.ExtractNewRecordState
debezium.transforms.unwrap.drop.tombstones=false
debezium.transforms.unwrap.add.headers=op,table
debezium.format.schemas.enable=false
quarkus.log.console.json=false
""" + OFFSETS


class RabbitQueue:
    """An exchange and a queue made by hand, one routing key."""
    TEXT = """
debezium.sink.type=rabbitmq
debezium.sink.rabbitmq.connection.host={host}
debezium.sink.rabbitmq.connection.port={port}
debezium.sink.rabbitmq.connection.username=guest
debezium.sink.rabbitmq.connection.password=guest
debezium.sink.rabbitmq.connection.virtual.host=/
debezium.sink.rabbitmq.exchange={name}
debezium.sink.rabbitmq.routingKey={name}
debezium.sink.rabbitmq.deliveryMode=2
debezium.sink.rabbitmq.ackTimeout=30000
debezium.source.schema.history.internal=io.debezium.storage.file.history.FileSchemaHistory
debezium.source.schema.history.internal.file.filename=data/history.dat
debezium.format.value=json
debezium.format.value.schemas.enable=false
quarkus.log.console.json=false
""" + OFFSETS
    BINDING = "#"

    def __init__(self, db):
        self.queue, self.address = db.name, servers.shared("rabbitmq", rabbitmq=True).rabbitmq
        host, _, port = self.address.rpartition(":")
        self.values = {"host": host, "port": port}
        with RabbitMq(self.address) as client:
            client.exchange(db.name)
            client.queue(db.name, (db.name, self.BINDING))

    def bodies(self):
        with RabbitMq(self.address) as client:
            return [body for _, _, body in client.take(self.queue)]


class RabbitUri(RabbitQueue):
    """A URI, the table's topic as the routing key, the deprecated switch beside it."""
    TEXT = """
debezium.sink.type=rabbitmq
debezium.sink.rabbitmq.connection.uri=amqp://guest:guest@{host}:{port}/%2F
debezium.sink.rabbitmq.connection.recovery.enabled=true
debezium.sink.rabbitmq.exchange={name}
debezium.sink.rabbitmq.routingKey.source=topic
debezium.sink.rabbitmq.routingKeyFromTopicName=true
debezium.sink.rabbitmq.null.value=null
debezium.source.snapshot.mode=initial
debezium.source.decimal.handling.mode=string
debezium.source.tombstones.on.delete=false
debezium.format.schemas.enable=false
""" + OFFSETS
    BINDING = "*.public.*"


class NatsStream:
    """The stream is made by the server."""
    TEXT = """
debezium.sink.type=nats-jetstream
debezium.sink.nats-jetstream.url={nats}
debezium.sink.nats-jetstream.create-stream=true
debezium.sink.nats-jetstream.stream-name={name}
debezium.sink.nats-jetstream.subjects={name}.>
debezium.sink.nats-jetstream.storage=file
debezium.source.schema.include.list=public
debezium.format.value=json
debezium.format.schemas.enable=false
quarkus.log.level=INFO
""" + OFFSETS

    def __init__(self, db):
        self.stream, self.url = db.name, servers.shared("nats", nats=True).nats
        self.values = {"nats": self.url}

    def bodies(self):
        with Nats(self.url) as client:
            return [body for _, _, body in client.messages(self.stream)] if self.stream in client.streams() else []

    def close(self):
        with Nats(self.url) as client:
            client.delete(self.stream)


class NatsSync(NatsStream):
    """One after the other, to a stream that somebody made; an outbox."""
    TEXT = """
debezium.sink.type=nats-jetstream
debezium.sink.nats-jetstream.url={nats}
debezium.sink.nats-jetstream.create-stream=false
debezium.sink.nats-jetstream.async.enabled=false
debezium.sink.nats-jetstream.sync.retries=5
debezium.sink.nats-jetstream.sync.retry.interval.ms=1000
debezium.source.table.include.list=public.outbox
debezium.transforms=outbox
debezium.transforms.outbox.type=io.debezium.transforms.outbox.EventRouter
debezium.transforms.outbox.route.topic.replacement={name}.event.\\\\${{routedByValue}}
debezium.transforms.outbox.table.expand.json.payload=true
debezium.format.schemas.enable=false
debezium.format.value=json
""" + OFFSETS

    def __init__(self, db):
        super().__init__(db)
        with Nats(self.url) as client:
            client.create(db.name, [f"{db.name}.>"])


class Webhook:
    TEXT = """
debezium.sink.type=http
debezium.sink.http.url={url}/cdc
debezium.sink.http.timeout.ms=60000
debezium.sink.http.retries=5
debezium.sink.http.retry.interval.ms=1000
debezium.sink.http.headers.prefix=X-DEBEZIUM-
debezium.sink.http.headers.encode.base64=true
debezium.format.value=cloudevents
debezium.format.key=json
debezium.source.schema.include.list=public
""" + OFFSETS

    def __init__(self, db):
        self.receiver = Receiver()
        self.values = {"url": self.receiver.url}

    def bodies(self):
        return [json.dumps(json.loads(request["body"])["data"]) for request in self.receiver.taken]

    def close(self):
        self.receiver.close()


class KinesisStream:
    """All tables in one stream."""
    TEXT = """
debezium.sink.type=kinesis
debezium.sink.kinesis.region={region}
debezium.sink.kinesis.endpoint={aws}
debezium.sink.kinesis.null.key=default
debezium.transforms=Reroute
debezium.transforms.Reroute.type=io.debezium.transforms.ByLogicalTableRouter
debezium.transforms.Reroute.topic.regex=(.*)
debezium.transforms.Reroute.topic.replacement={name}
debezium.source.include.schema.changes=false
debezium.format.schemas.enable=false
""" + OFFSETS

    def __init__(self, db):
        self.name, url = db.name, servers.shared("aws", aws=True).aws
        self.client, self.values = Aws(url), {"aws": url, "region": REGION}
        self.client.create_stream(db.name)

    def bodies(self):
        return [data for _, _, data in self.client.records(self.name)]


class SqsQueue:
    TEXT = """
debezium.sink.type=sqs
debezium.sink.sqs.region={region}
debezium.sink.sqs.endpoint={aws}
debezium.sink.sqs.queue.url={queue}
debezium.source.table.include.list=public.t
debezium.source.tombstones.on.delete=false
debezium.format.value=json
debezium.format.schemas.enable=false
quarkus.log.console.json=false
""" + OFFSETS

    def __init__(self, db):
        url = servers.shared("aws", aws=True).aws
        self.client = Aws(url)
        self.queue = self.client.create_queue(db.name)
        self.values = {"aws": url, "region": REGION, "queue": self.queue}

    def bodies(self):
        return [body for body, _, _ in self.client.take(self.queue)]


@pytest.mark.parametrize("kind", [RedisStream, RedisExtended, RabbitQueue, RabbitUri, NatsStream, NatsSync, Webhook, KinesisStream, SqsQueue],
                         ids=lambda kind: kind.__name__)
def test_a_configuration_of_debezium_server(db, tmp_path, kind):
    db.script("create table t (id int primary key, v text); insert into t values (1, 'first');"
              "create table outbox (id uuid primary key, aggregatetype text, aggregateid text, type text, payload jsonb);"
              """insert into outbox values (gen_random_uuid(), 'order', '1', 'placed', '{"id": 1, "v": "first"}')""")
    place, (health,) = kind(db), servers.free_ports(1)
    (tmp_path / "config").mkdir()
    (tmp_path / "data").mkdir()
    text = (kind.TEXT + SOURCE).format(name=db.name, health=health, **place.values)
    text += "".join(f"debezium.source.{name}={value}\n" for name, value in database_properties(db).items())
    (tmp_path / "config/application.properties").write_text(text)
    got = []
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen([BINARY, "run"], cwd=tmp_path, stderr=log, env={**os.environ, **ENVIRONMENT})
    try:
        def there():
            assert process.poll() is None, (tmp_path / "log").read_text()[-3000:]
            got.extend(json.loads(body) for body in place.bodies())
            rows = [body.get("payload", body) for body in got]
            return any((body.get("after") or body) == {"id": 1, "v": "first"} for body in rows)
        wait_until(there, 30, "the first record")
    finally:
        process.terminate()
        process.wait(20)
        if hasattr(place, "close"):
            place.close()
    assert process.returncode == 0, (tmp_path / "log").read_text()[-3000:]
