"""The sinks: for each its server, the properties that both engines are given, how many records it holds, what a plain client makes of it
(limits/), and what latency.py needs: somebody who sees each record, and a probe that a client of its own sends."""
import contextlib
import re
import socket
import subprocess
import threading
import time
from pathlib import Path

import pika
from support.nats import Nats
from support.rabbitmq import RabbitMq
from support.redis import Redis

LIMITS = Path(__file__).resolve().parent / "limits"
TABLE = "public.typical"
BENCH = "bench"  # a stream, an exchange, a queue, a routing key
NUMBER = re.compile(rb'"(id|probe)": ?(\d+)')  # the first one in a record's value is the row's


def address(text):
    host, _, port = text.rpartition(":")
    return host.rpartition("/")[2], port


class Sink:
    """kind: of debezium.sink.type. library: of its plain client. variants: {name: (properties, what the plain client is told)}; walduct alone has
    all of them, the first is both engines'."""
    library = None
    variants = {"": {}}

    def __init__(self, own, directory):
        self.own, self.directory = own, directory
        self.program = directory / f"limit-{self.name}"
        library = [f"-l{self.library}"] if self.library else []
        subprocess.run(["cc", "-O2", "-o", self.program, LIMITS / f"{self.name}.c", *library], check=True)
        self.where = self.place()

    def begin(self, prefix):
        """A place for the records of that prefix; nothing else is there."""

    def limit(self, variant, messages, size):
        """Messages a second."""
        self.begin("limit")
        done = subprocess.run([self.program, *self.where, self.target(variant), str(messages), str(size)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"bench: the plain client of {self.name}: {done.stderr.strip()}")
        return float(done.stdout)

    def watch(self, prefix, note):
        """Calls note(value) for each record from now on, in a thread, until close()."""
        begun = threading.Event()
        threading.Thread(target=self._watched, args=(prefix, note, begun), daemon=True).start()
        begun.wait(10)

    def _watched(self, prefix, note, begun):
        with contextlib.suppress(OSError, ValueError, pika.exceptions.AMQPError):  # closed
            self.watched(prefix, note, begun)

    def close(self):
        pass


class OfRedis(Sink):
    name, kind, library = "redis", "redis", "hiredis"

    def place(self):
        return address(self.own.redis)

    def target(self, _):
        return "limit"

    def pid(self):
        return int((self.own.dir / "redis.pid").read_text())

    def properties(self, _):
        return {"debezium.sink.redis.address": self.own.redis}

    def begin(self, prefix):
        self.client = Redis(self.own.redis)
        self.client.do("FLUSHALL")
        self.settle()
        self.client.do("BGREWRITEAOF")  # its file begins anew, too
        self.settle()

    def settle(self):
        """No process of its own rewrites the file any more."""
        while b"aof_rewrite_in_progress:1" in (told := self.client.do("INFO", "persistence")) or b"aof_rewrite_scheduled:1" in told:
            time.sleep(0.05)

    def count(self, prefix):
        return self.client.do("XLEN", f"{prefix}.{TABLE}")

    def watched(self, prefix, note, begun):
        client, seen = Redis(self.own.redis), {f"{prefix}.{TABLE}": "0", "probes": "0"}
        begun.set()
        while True:
            for stream, entries in client.do("XREAD", "BLOCK", "5000", "STREAMS", *seen, *seen.values()) or []:
                for entry, fields in entries:
                    note(fields[1])
                    seen[stream.decode()] = entry.decode()

    def probe(self, value):
        self.client.do("XADD", "probes", "*", "probe", value)


class OfNats(Sink):
    name, kind, library = "nats", "nats-jetstream", "nats"

    def place(self):
        return address(self.own.nats)

    def target(self, _):
        return "limit.a.b"

    def pid(self):
        return int((self.own.dir / "nats.pid").read_text())

    def properties(self, _):
        return {"debezium.sink.nats-jetstream.url": self.own.nats}

    def begin(self, prefix):
        self.client, self.prefix = Nats(self.own.nats), prefix
        for stream in self.client.streams():
            self.client.delete(stream)
        self.client.create(BENCH, [f"{prefix}.>"])

    def count(self, prefix):
        return self.client.info(BENCH)["state"]["messages"]

    def watched(self, prefix, note, begun):
        connection = socket.create_connection(self.where, None)
        connection.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB %s.> 1\r\nPING\r\n' % prefix.encode())
        for line in (file := connection.makefile("rb")):
            words = line.split()
            if words[0] == b"PONG":
                begun.set()
            elif words[0] == b"PING":
                connection.sendall(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                note(file.read(int(words[-1]) + 2))

    def probe(self, value):
        self.client.request(f"{self.prefix}.probes.a", value)


class OfRabbitMq(Sink):
    name, kind, library = "rabbitmq", "rabbitmq", "rabbitmq"

    def place(self):
        return address(self.own.rabbitmq)

    def target(self, _):
        return BENCH

    def pid(self):
        return int((self.own.dir / "rabbitmq.pid").read_text())

    def properties(self, _):
        host, port = self.where
        return {"debezium.sink.rabbitmq.connection.host": host, "debezium.sink.rabbitmq.connection.port": port, "debezium.sink.rabbitmq.exchange": BENCH,
                "debezium.sink.rabbitmq.routingKey": BENCH}

    def begin(self, prefix):
        self.client = RabbitMq(self.own.rabbitmq)
        self.client.delete(BENCH)
        self.client.exchange(BENCH, "direct")
        self.client.queue(BENCH, (BENCH, BENCH))
        self.client.channel.confirm_delivery()

    def count(self, prefix):
        return self.client.count(BENCH)

    def watched(self, prefix, note, begun):
        client = RabbitMq(self.own.rabbitmq)
        client.channel.basic_consume(BENCH, lambda channel, method, properties, body: note(body), auto_ack=True)
        begun.set()
        client.channel.start_consuming()

    def probe(self, value):
        self.client.channel.basic_publish(BENCH, BENCH, value, pika.BasicProperties(delivery_mode=2))
