"""A sink that is away for long, under a writer: memory is bounded, hardly any CPU is used, a line tells at least each minute, and it goes on by itself.
E2E_AWAY_S says how long; by name, as it takes ten minutes for each sink."""
import base64
import json
import os
import time

import pytest

from support.aws import ENVIRONMENT, REGION, Aws, Door
from support.nats import Nats
from support.rabbitmq import RabbitMq
from support.receiver import Receiver
from support.redis import Redis
from support.wait import wait_until
from support.writer import Updates

AWAY_S = int(os.environ.get("E2E_AWAY_S", "600"))
MOST_KB = 48 * 1024


class Away:
    """What a sink is reached by, goes away by and is read by."""
    environment = None

    def __init__(self, servers, db):
        self.servers, self.db = servers, db

    def down(self):
        self.servers.do(f"kill-{self.name}")

    def up(self):
        self.servers.do(f"start-{self.name}")


class OfRedis(Away):
    name, sink = "redis", "redis"

    def config(self):
        return {"sink.redis.address": self.servers.redis, "offset.storage": "io.debezium.storage.file.offset.FileOffsetBackingStore"}

    def bodies(self):
        with Redis(self.servers.redis) as client:
            return [dict(fields)["value"] if "value" in dict(fields) else fields[0][1] for _, fields in client.entries(f"{self.db.name}.public.t")]


class OfNats(Away):
    name, sink = "nats", "nats-jetstream"

    def config(self):
        with Nats(self.servers.nats) as client:
            client.create(self.db.name, [f"{self.db.name}.>"])
        return {"sink.nats-jetstream.url": self.servers.nats}

    def bodies(self):
        with Nats(self.servers.nats) as client:
            return [body for _, _, body in client.messages(self.db.name)]


class OfRabbitMq(Away):
    name, sink = "rabbitmq", "rabbitmq"

    def config(self):
        self.got = []
        with RabbitMq(self.servers.rabbitmq) as client:
            client.queue(self.db.name)
        host, _, port = self.servers.rabbitmq.rpartition(":")
        return {"sink.rabbitmq.connection.host": host, "sink.rabbitmq.connection.port": port, "sink.rabbitmq.routingKey": self.db.name,
                "walduct.sink.rabbitmq.default.exchange": "true"}

    def bodies(self):
        with RabbitMq(self.servers.rabbitmq) as client:
            self.got += [body for _, _, body in client.take(self.db.name)]
        return self.got


class OfHttp(Away):
    name, sink = "http", "http"

    def config(self):
        self.receiver = Receiver()
        return {"sink.http.url": self.receiver.url}

    def down(self):
        self.receiver.down()

    def up(self):
        self.receiver.up()

    def bodies(self):
        return [request["body"] for request in self.receiver.taken]


class OfKinesis(Away):
    """Away for walduct alone: moto keeps its streams in memory."""
    name, sink, environment = "aws", "kinesis", ENVIRONMENT

    def config(self):
        self.door, self.client, self.got = Door(self.servers.aws), Aws(self.servers.aws), []
        stream = f"{self.db.name}.public.t"
        self.client.create_stream(stream)
        shard = self.client.do("kinesis", "ListShards", StreamName=stream)["Shards"][0]["ShardId"]
        self.next = self.client.do("kinesis", "GetShardIterator", StreamName=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        return {"sink.kinesis.region": REGION, "sink.kinesis.endpoint": self.door.url}

    def down(self):
        self.door.away = True

    def up(self):
        self.door.away = False

    def bodies(self):
        got = True
        while got:
            got, self.next = self.client.get_records(self.next)
            self.got += [base64.b64decode(record["Data"]) for record in got]
        return self.got


@pytest.mark.timeout(AWAY_S + 300)
@pytest.mark.parametrize("kind", [OfRedis, OfNats, OfRabbitMq, OfHttp, OfKinesis], ids=lambda kind: kind.name)
def test_a_sink_is_away_for_long(db, private_servers, connectors, kind):
    target = kind(None if kind is OfHttp else private_servers(**{kind.name: True}), db)
    db.execute("create table t (id int primary key, v int, pad text); insert into t select n, 0, repeat('x', 1000) from generate_series(1, 20) n")
    connector = connectors(db, target.config(), sink=target.sink).start(environment=target.environment).wait_streaming()
    wait_until(lambda: len(target.bodies()) >= 20, 30, "the snapshot")
    target.down()
    writer = Updates(db, 0.1)  # 200 rows a second
    writer.start()
    connector.wait_log("not take records: they wait")
    wait_until(lambda: writer.changes > 50, 30, "what fills its buffers")
    begin, cpu = time.monotonic(), connector.cpu_seconds()
    wait_until(lambda: time.monotonic() - begin > AWAY_S, AWAY_S + 30, "a long time", interval_s=0.5)
    used, peak = (connector.cpu_seconds() - cpu) / (time.monotonic() - begin), connector.peak_rss_kb()
    lines = connector.log_text().count("no progress for")
    print(f"{kind.name}: {100 * used:.2f} % of a core, {peak} kB at most, {lines} lines")
    target.up()
    writer.stop()
    db.execute("insert into t values (99, 0, '')")
    wait_until(lambda: any(json.loads(body)["after"]["id"] == 99 for body in target.bodies()), 120, "the last row")
    connector.stop()
    rows = [json.loads(body)["after"] for body in target.bodies()]
    for key in range(1, 21):
        assert list(dict.fromkeys(row["v"] for row in rows if row["id"] == key)) == list(range(writer.changes + 1))
    assert peak < MOST_KB and used < 0.01 and AWAY_S // 60 <= lines <= AWAY_S // 30 + 2, (used, peak, lines)
