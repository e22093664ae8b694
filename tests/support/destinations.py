"""One destination of each sink, for tests that are the same for all of them: what configures it, what it holds, how it goes away."""
import base64
import json

from support.aws import ENVIRONMENT, REGION, Aws, Door, arn_of
from support.nats import Nats
from support.rabbitmq import RabbitMq
from support.receiver import Receiver
from support.redis import Redis


class Destination:
    """name: of its server, which `servers` has; sink: of the property. tables: those whose records come."""
    environment = None

    def __init__(self, servers, db, tables=("t",)):
        self.servers, self.db, self.topics = servers, db, [f"{db.name}.public.{table}" for table in tables]

    def down(self):
        self.servers.do(f"kill-{self.name}")

    def up(self):
        self.servers.do(f"start-{self.name}")

    def close(self):
        pass


class OfRedis(Destination):
    name, sink = "redis", "redis"

    def config(self):
        return {"sink.redis.address": self.servers.redis, "offset.storage": "io.debezium.storage.file.offset.FileOffsetBackingStore"}

    def bodies(self):
        with Redis(self.servers.redis) as client:
            return [dict(fields)["value"] if "value" in dict(fields) else fields[0][1] for topic in self.topics for _, fields in client.entries(topic)]


class OfNats(Destination):
    name, sink = "nats", "nats-jetstream"

    def config(self):
        self.got, self.read = [], 0
        with Nats(self.servers.nats) as client:
            client.create(self.db.name, [f"{self.db.name}.>"])
        return {"sink.nats-jetstream.url": self.servers.nats}

    def bodies(self):
        with Nats(self.servers.nats) as client:
            last = client.last(self.db.name)
            self.got += [body for _, _, body in client.messages(self.db.name, self.read + 1)][:last - self.read]
        self.read = last
        return self.got


class OfRabbitMq(Destination):
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


class OfHttp(Destination):
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

    def close(self):
        self.receiver.close()


class OfAws(Destination):
    """Away for walduct alone: moto keeps what it has in memory."""
    name, environment = "aws", ENVIRONMENT

    def __init__(self, servers, db, tables=("t",)):
        super().__init__(servers, db, tables)
        self.door, self.client, self.got = Door(servers.aws), Aws(servers.aws), []

    def down(self):
        self.door.away = True

    def up(self):
        self.door.away = False

    def access(self):
        return {f"sink.{self.sink}.region": REGION, f"sink.{self.sink}.endpoint": self.door.url}

    def close(self):
        self.door.close()
        assert not self.door.unsigned


class OfKinesis(OfAws):
    sink = "kinesis"

    def config(self):
        self.next = []
        for stream in self.topics:
            self.client.create_stream(stream)
            shard = self.client.do("kinesis", "ListShards", StreamName=stream)["Shards"][0]["ShardId"]
            self.next.append(self.client.do("kinesis", "GetShardIterator", StreamName=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"])
        return self.access()

    def bodies(self):
        for number in range(len(self.next)):
            got = True
            while got:
                got, self.next[number] = self.client.get_records(self.next[number])
                self.got += [base64.b64decode(record["Data"]) for record in got]
        return self.got


class OfSqs(OfAws):
    """What is read is gone from the queue, and moto forgets its deduplication id then: read when nothing comes twice any more."""
    sink, fifo = "sqs", ""

    def config(self):
        more = {"FifoQueue": "true"} if self.fifo else {}
        self.queue = self.client.create_queue(self.db.name + self.fifo, **more)
        return {**self.access(), "sink.sqs.queue.url": self.queue, **({"walduct.sink.sqs.fifo.group": "key"} if self.fifo else {})}

    def bodies(self):
        self.got += [body for body, _, _ in self.client.take(self.queue)]
        return self.got


class OfSqsFifo(OfSqs):
    fifo = ".fifo"


class OfSns(OfAws):
    """Of a topic that a queue is subscribed to."""
    sink, fifo = "sns", ""

    def config(self):
        name = self.db.name + self.fifo
        self.queue = self.client.create_topic(name, **({"FifoTopic": "true"} if self.fifo else {}))
        return {**self.access(), "sink.sns.topic.arn": arn_of(name)}

    def bodies(self):
        self.got += [json.loads(body)["Message"] for body, _, _ in self.client.take(self.queue)]
        return self.got


class OfSnsFifo(OfSns):
    fifo = ".fifo"
