"""Workers of one group that share its connectors, a table each, and who writes to these tables."""
import json
import threading
import time
import uuid
from collections import Counter, defaultdict

from confluent_kafka import Consumer, TopicPartition

from chaos.proxy import Proxy
from support.connector import database_properties
from support.kafka import QUIET
from support.serve import CLASS, JSON, Worker
from support.servers import free_ports
from support.wait import wait_until


class Writer(threading.Thread):
    """Runs a statement in each table, again and again; {i}: the table's number, {n}: a number that grows."""

    def __init__(self, db, tables, statement, pause_s):
        super().__init__(daemon=True)
        self.db, self.tables, self.statement, self.pause_s = db, tables, statement, pause_s
        self.ends, self.last = threading.Event(), 0

    def run(self):
        session = self.db.connect(autocommit=True)
        while not self.ends.is_set():
            self.last += 1
            session.execute(";".join(self.statement.format(i=i, n=self.last) for i in range(self.tables)))
            time.sleep(self.pause_s)
        session.close()

    def stop(self):
        self.ends.set()
        self.join()


class Group:
    def __init__(self, directory, bootstrap, db, workers, connectors):
        """bootstrap: of all, or a list with one for each worker."""
        each = [bootstrap] * workers if isinstance(bootstrap, str) else bootstrap
        self.bootstrap, self.db, self.connectors = each[0], db, connectors
        name = f"group-{uuid.uuid4().hex[:8]}"
        self.workers = [Worker(directory / f"worker{i}", one, name) for i, one in enumerate(each)]
        for worker in self.workers:
            worker.properties.update({"walduct.group.share": "true"})

    def create(self, exactly_once=lambda number: False, **more):
        for i in range(self.connectors):
            config = {"connector.class": CLASS, "plugin.name": "pgoutput", **database_properties(self.db),
                      "topic.prefix": f"{self.db.name}-{i}", "slot.name": f"{self.db.name}_{i}",
                      "publication.name": f"{self.db.name}_{i}", "publication.autocreate.mode": "filtered",
                      "table.include.list": f"public.items{i}", "key.converter": JSON, "key.converter.schemas.enable": "false",
                      "value.converter": JSON, "value.converter.schemas.enable": "false", **more}
            if exactly_once(i):
                config["exactly.once.support"] = "required"
            self.create_once_kafka_answers(f"c{i}", config)

    def create_once_kafka_answers(self, name, config):
        """As a client does that is told 503: it may have been stored all the same, ask again."""
        told = []

        def created():
            status, body = self.workers[0].ask("POST", "/connectors", {"name": name, "config": config})
            told.append(status)
            assert status in (201, 503) or (status == 409 and 503 in told), body
            return status != 503
        wait_until(created, 60, f"{name} is created", interval_s=0.5)

    def statuses(self, worker):
        try:
            return {name: one["status"] for name, one in worker.get("/connectors?expand=status").items()}
        except (OSError, AssertionError):
            return {}

    def spread(self, worker):
        """Connectors that run, by worker, as one worker tells."""
        return Counter(status["connector"]["worker_id"] for status in self.statuses(worker).values()
                       if status["tasks"] and status["tasks"][0]["state"] == "RUNNING")

    def wait_spread(self, workers, timeout_s=40):
        ids = {f"127.0.0.1:{worker.port}" for worker in workers}

        def even():
            seen = [self.spread(worker) for worker in workers]
            return seen[0] if all(set(one) == ids and sum(one.values()) == self.connectors and
                                  max(one.values()) - min(one.values()) <= 1 for one in seen) else None
        try:
            return wait_until(even, timeout_s, "an even spread, told alike by all", interval_s=0.2)
        except AssertionError:
            raise AssertionError("\n".join(json.dumps(self.statuses(worker)) for worker in workers)) from None

    def on(self, worker, told_by):
        """Numbers of the connectors that a worker has, as one of them tells."""
        return {int(name[1:]) for name, status in self.statuses(told_by).items()
                if status["connector"]["worker_id"] == f"127.0.0.1:{worker.port}"}

    def records(self, bootstrap=None):
        """{number of the connector: [(row, seconds)]} in the order of the topic"""
        consumer = Consumer({"bootstrap.servers": bootstrap or self.bootstrap, "group.id": "none", "isolation.level": "read_committed",
                             "enable.partition.eof": True, "auto.offset.reset": "earliest", **QUIET})
        seen, open_ = defaultdict(list), self.connectors
        consumer.assign([TopicPartition(f"{self.db.name}-{i}.public.items{i}", 0, 0) for i in range(self.connectors)])
        try:
            while open_:
                message = consumer.poll(20)
                assert message is not None, "records in time"
                if message.error():
                    open_ -= 1
                elif message.value():
                    number = int(message.topic().split(".")[0].rsplit("-", 1)[1])
                    seen[number].append((json.loads(message.value())["after"], message.timestamp()[1] / 1000))
        finally:
            consumer.close()
        return seen


def proxied(servers, count):
    """Proxies in front of one broker, each of which leads back through itself; the broker is started anew for that."""
    ports = free_ports(count)
    proxies = [Proxy("127.0.0.1", port) for port in ports]
    servers.do("stop-kafka")
    file = servers.dir / "kafka.properties"
    more = {"listeners": [f"PROXIED{i}://127.0.0.1:{port}" for i, port in enumerate(ports)],
            "advertised.listeners": [f"PROXIED{i}://127.0.0.1:{proxy.port}" for i, proxy in enumerate(proxies)]}
    lines = [",".join([line, *more.get(line.split("=")[0], [])]) for line in file.read_text().splitlines()]
    names = ["PLAINTEXT", "CONTROLLER", *(f"PROXIED{i}" for i in range(count))]
    lines.append("listener.security.protocol.map=" + ",".join(f"{name}:PLAINTEXT" for name in names))
    file.write_text("\n".join(lines) + "\n")
    servers.do("start-kafka")
    return proxies
