"""`walduct serve` with walduct.group.share: three workers of one group share twelve connectors, whatever ends one of them.

By name, as it takes minutes: E2E_GROUP_FAULTS=5 repeats each fault."""
import json
import os
import signal
import threading
import time
import uuid
from collections import Counter, defaultdict

import pytest
from confluent_kafka import Consumer, TopicPartition

from support.connector import database_properties
from support.kafka import QUIET
from support.serve import CLASS, JSON, Worker
from support.wait import wait_until

CONNECTORS, WORKERS = 12, 3
ROUNDS = int(os.environ.get("E2E_GROUP_FAULTS", "1"))
# Of a connector without a reader: where nobody says that its worker is gone, the session's 8.5 s count.
LONGEST_S = {"SIGTERM": 4, "SIGKILL": 13, "SIGSTOP": 16}


class Writer(threading.Thread):
    """Inserts a row into each table, again and again."""

    def __init__(self, db):
        super().__init__(daemon=True)
        self.db, self.ends, self.last = db, threading.Event(), 0

    def run(self):
        session = self.db.connect(autocommit=True)
        while not self.ends.is_set():
            self.last += 1
            session.execute(";".join(f"insert into items{i} values ({self.last})" for i in range(CONNECTORS)))
            time.sleep(0.05)
        session.close()

    def stop(self):
        self.ends.set()
        self.join()


class Group:
    def __init__(self, directory, bootstrap, db):
        self.bootstrap, self.db = bootstrap, db
        name = f"group-{uuid.uuid4().hex[:8]}"
        self.workers = [Worker(directory / f"worker{i}", bootstrap, name) for i in range(WORKERS)]
        for worker in self.workers:
            worker.properties.update({"walduct.group.share": "true"})

    def create(self, exactly_once):
        leader = self.workers[0]
        for i in range(CONNECTORS):
            config = {"connector.class": CLASS, "plugin.name": "pgoutput", **database_properties(self.db),
                      "topic.prefix": f"{self.db.name}-{i}", "slot.name": f"{self.db.name}_{i}",
                      "publication.name": f"{self.db.name}_{i}", "publication.autocreate.mode": "filtered",
                      "table.include.list": f"public.items{i}", "key.converter": JSON, "key.converter.schemas.enable": "false",
                      "value.converter": JSON, "value.converter.schemas.enable": "false"}
            if exactly_once:
                config["exactly.once.support"] = "required"
            leader.create(f"c{i}", config)

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
            return seen[0] if all(set(one) == ids and sum(one.values()) == CONNECTORS and
                                  max(one.values()) - min(one.values()) <= 1 for one in seen) else None
        try:
            return wait_until(even, timeout_s, "an even spread, told alike by all", interval_s=0.2)
        except AssertionError:
            raise AssertionError("\n".join(json.dumps(self.statuses(worker)) for worker in workers)) from None

    def records(self):
        """{connector: [(id, milliseconds)]} in the order of the topic"""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": "none", "isolation.level": "read_committed",
                             "enable.partition.eof": True, "auto.offset.reset": "earliest", **QUIET})
        seen, open_ = defaultdict(list), CONNECTORS
        consumer.assign([TopicPartition(f"{self.db.name}-{i}.public.items{i}", 0, 0) for i in range(CONNECTORS)])
        try:
            while open_:
                message = consumer.poll(20)
                assert message is not None, "records in time"
                if message.error():
                    open_ -= 1
                elif message.value():
                    seen[message.topic()].append((json.loads(message.value())["after"]["id"], message.timestamp()[1]))
        finally:
            consumer.close()
        return seen


@pytest.fixture
def group(private_servers, databases, tmp_path):
    servers = private_servers(postgres=17, kafka=True, pg_set={"max_replication_slots": "40", "max_wal_senders": "40",
                                                               "max_connections": "200"})
    db = databases(servers.postgres)
    db.script(";".join(f"create table items{i} (id int primary key)" for i in range(CONNECTORS)))
    made = Group(tmp_path, servers.bootstrap, db)
    yield made
    for worker in made.workers:
        if worker.process is not None and worker.process.poll() is None:
            worker.process.send_signal(signal.SIGCONT)
        worker.kill()


def gaps(records, since):
    """The longest time without a record of each connector, of those that end after `since`, in seconds."""
    longest = {}
    for topic, seen in records.items():
        times = [ms / 1000 for _, ms in seen]
        longest[topic] = max((b - a for a, b in zip(times, times[1:]) if b >= since), default=0)
    return longest


def check(records, last, exactly_once):
    repeated = 0
    for topic, seen in records.items():
        ids = [one for one, _ in seen]
        assert set(ids) == set(range(1, last + 1)), f"{topic}: {last - len(set(ids))} lost"
        repeated += len(ids) - len(set(ids))
        first = list(dict.fromkeys(ids))
        assert first == sorted(first), f"{topic}: not in order"
    if exactly_once:
        assert repeated == 0
    return repeated


@pytest.mark.parametrize("exactly_once", [False, True], ids=["plain", "exactly_once"])
def test_connectors_are_shared_whatever_ends_a_worker(group, exactly_once):
    first = group.workers[0].start()
    group.create(exactly_once)
    group.wait_spread([first])
    writer = Writer(group.db)
    writer.start()
    try:
        begin = time.time()
        for worker in group.workers[1:]:
            worker.start()
        print("spread", dict(group.wait_spread(group.workers)))
        time.sleep(2)
        joined = gaps(group.records(), begin)
        print("joining: longest without a reader", round(max(joined.values()), 2), "of each", sorted(round(v, 1) for v in joined.values()))
        for fault in [fault for fault in ("SIGTERM", "SIGKILL", "SIGSTOP") for _ in range(ROUNDS)]:
            for victim in (group.workers[1], group.workers[0]):
                fail(group, fault, victim)
    finally:
        writer.stop()
    wait_until(lambda: all(max(i for i, _ in seen) >= writer.last for seen in group.records().values()), 60, "all rows",
               interval_s=1)
    print("repeated", check(group.records(), writer.last, exactly_once), "of", writer.last * CONNECTORS)
    for worker in group.workers:
        worker.stop()


def fail(group, fault, victim):
    others = [worker for worker in group.workers if worker is not victim]
    time.sleep(2)  # what has just moved has its first rows
    begin = time.time()
    victim.process.send_signal(getattr(signal, fault))
    moved = {name for name, status in group.statuses(others[0]).items()
             if status["connector"]["worker_id"] == f"127.0.0.1:{victim.port}"}
    group.wait_spread(others)
    time.sleep(2)
    longest = {topic: gap for topic, gap in gaps(group.records(), begin).items()}
    mine = {topic.split(".")[0].rsplit("-", 1)[1] for topic in longest}
    assert len(mine) == CONNECTORS
    of_moved = [gap for topic, gap in longest.items() if "c" + topic.split(".")[0].rsplit("-", 1)[1] in moved]
    of_rest = [gap for topic, gap in longest.items() if "c" + topic.split(".")[0].rsplit("-", 1)[1] not in moved]
    print(fault, "moved", [round(gap, 2) for gap in sorted(of_moved)], "others at most", round(max(of_rest), 2))
    if fault == "SIGSTOP":
        victim.process.send_signal(signal.SIGCONT)
    else:
        victim.process.wait(60)
        victim.start()
    group.wait_spread(group.workers)
    assert max(of_moved) <= LONGEST_S[fault]
