"""Workers of one group that share connectors of every kind: polled outbox tables, and slots whose records go to HTTP and to Redis.

By name, as it takes minutes: E2E_GROUP_FAULTS=5 repeats each fault."""
import json
import os
import signal
import time
from collections import defaultdict

import pytest
from confluent_kafka import Consumer, TopicPartition

from support import servers
from support.connector import database_properties
from support.group import Group, Writer
from support.kafka import QUIET
from support.polling import polled
from support.receiver import Receiver
from support.redis import Redis
from support.serve import CLASS, JSON
from support.wait import wait_until
from test_pooler import pools  # noqa: F401
from test_serve import workers  # noqa: F401

EACH, KINDS = 2, ("polled", "http", "redis")
ROUNDS = int(os.environ.get("E2E_GROUP_FAULTS", "1"))
# Of a connector without a reader, as in test_serve_group.py: a lost host (SIGSTOP: its sockets stay) costs what a dead process does.
LONGEST_S = {"SIGTERM": 4, "SIGKILL": 13, "SIGSTOP": 16}
ROW = ("insert into items{i} values ({n}, {n} % 5); "
       "insert into outbox{i} (aggregate_type, aggregate_id, event_type, payload) values ('Order{i}', ({n} % 5)::text, 'Placed', "
       "jsonb_build_object('n', {n}))")
OUTBOX = ("create table outbox{i} (id bigserial primary key, aggregate_type text, aggregate_id text, event_type text, payload jsonb, "
          "created_at timestamptz not null default now(), published_at timestamptz)")


class Kinds:
    """A group with connectors of each kind, and what arrives of each: {name: [(n, key, seconds)]} in the order of arrival."""

    def __init__(self, directory, bootstrap, db, redis, workers):
        self.db, self.bootstrap, self.redis = db, bootstrap, redis
        self.receiver = Receiver(judge=lambda number, request: request.update(at=time.time()) or 200)
        db.script(";".join(f"create table items{i} (id int primary key, k int);" + OUTBOX.format(i=i) for i in range(2 * EACH)))
        self.group = Group(directory, bootstrap, db, workers, EACH * len(KINDS))
        self.names = [f"{kind}-{i}" for kind in KINDS for i in range(EACH)]

    def table(self, name):
        """http and redis read tables of their own."""
        kind, number = name.split("-")
        return int(number) + (EACH if kind == "redis" else 0)

    def create(self):
        for name in self.names:
            kind, i = name.split("-")[0], self.table(name)
            config = {"connector.class": CLASS, **database_properties(self.db), "topic.prefix": f"{self.db.name}-{name}",
                      "key.converter.schemas.enable": "false", "value.converter.schemas.enable": "false"}
            if kind == "polled":
                more = polled(self.db, **{"walduct.outbox.tables": f"public.outbox{i}"})
            else:
                target = {"http": {"sink.http.url": f"{self.receiver.url}/{name}"}, "redis": {"sink.redis.address": self.redis}}[kind]
                more = {"plugin.name": "pgoutput", "slot.name": f"{self.db.name}_{i}", "publication.name": f"{self.db.name}_{i}",
                        "publication.autocreate.mode": "filtered", "table.include.list": f"public.items{i}", "sink": kind,
                        "key.converter": JSON, "value.converter": JSON, **target}
            self.group.workers[0].create(name, {key: value for key, value in {**config, **more}.items() if value is not None})

    def on(self, worker, told_by):
        return {name for name, status in self.group.statuses(told_by).items()
                if status["connector"]["worker_id"] == f"127.0.0.1:{worker.port}"}

    def arrived(self):
        return {**self.of_kafka(), **self.of_http(), **self.of_redis()}

    def of_http(self):
        found = defaultdict(list)
        for request in self.receiver.taken:
            row = json.loads(request["body"])["after"]
            found[request["path"].strip("/")].append((row["id"], row["k"], request["at"]))
        return found

    def of_redis(self):
        found = {}
        with Redis(self.redis) as client:
            for name in self.names:
                if name.startswith("redis"):
                    found[name] = []
                    for entry, fields in client.entries(f"{self.db.name}-{name}.public.items{self.table(name)}"):
                        row = json.loads(fields[0][1])["after"]
                        found[name].append((row["id"], row["k"], int(entry.split("-")[0]) / 1000))
        return found

    def of_kafka(self):
        names = {f"{self.db.name}.event.Order{self.table(name)}": name for name in self.names if name.startswith("polled")}
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": "none", "enable.partition.eof": True,
                             "auto.offset.reset": "earliest", **QUIET})
        found, open_ = defaultdict(list), len(names)
        consumer.assign([TopicPartition(topic, 0, 0) for topic in names])
        try:
            while open_:
                message = consumer.poll(20)
                assert message is not None, "records in time"
                if message.error():
                    open_ -= 1
                else:
                    found[names[message.topic()]].append((json.loads(message.value())["n"], message.key(), message.timestamp()[1] / 1000))
        finally:
            consumer.close()
        return found

    def wait_flowing(self, timeout_s=60):
        """Until something of each connector has come that was written after now."""
        begin = time.time()

        def silent():
            seen = self.arrived()
            return [name for name in self.names if not seen.get(name) or seen[name][-1][2] <= begin]
        try:
            wait_until(lambda: not silent(), timeout_s, "rows of all", interval_s=0.5)
        except AssertionError:
            raise AssertionError(f"nothing comes of {silent()}") from None


def longest_gaps(seen, since):
    return {name: max((b[2] - a[2] for a, b in zip(rows, rows[1:]) if b[2] >= since), default=0) for name, rows in seen.items()}


def check(seen, last):
    """Nothing lost, in the order of each key; how many were repeated."""
    repeated = {}
    for name, rows in seen.items():
        numbers = [n for n, _, _ in rows]
        assert set(numbers) == set(range(1, last + 1)), f"{name}: lost {sorted(set(range(1, last + 1)) - set(numbers))[:20]}"
        keys = defaultdict(list)
        for n, key, _ in rows:
            keys[key].append(n)
        for key, told in keys.items():
            first = list(dict.fromkeys(told))
            assert first == sorted(first), f"{name}: key {key} is not in order"
        repeated[name] = len(numbers) - len(set(numbers))
    return repeated


@pytest.fixture
def kinds(private_servers, databases, tmp_path):
    own = private_servers(postgres=17, kafka=True, pg_set={"max_connections": "200"})
    made = Kinds(tmp_path, own.bootstrap, databases(own.postgres), servers.shared("redis", redis=True).redis, 2)
    yield made
    for worker in made.group.workers:
        if worker.process is not None and worker.process.poll() is None:
            worker.process.send_signal(signal.SIGCONT)
        worker.kill()
    made.receiver.close()


@pytest.mark.parametrize("faults", [("SIGTERM", "SIGKILL"), ("SIGSTOP",)], ids=["ends", "stands still"])
def test_connectors_of_every_kind_move(kinds, faults):
    group = kinds.group
    for worker in group.workers:
        worker.start()
    kinds.create()
    group.wait_spread(group.workers)
    writer = Writer(kinds.db, 2 * EACH, ROW, 0.05)
    writer.start()
    try:
        for fault in [fault for fault in faults for _ in range(ROUNDS)]:
            for victim, other in (group.workers, group.workers[::-1]):
                fail(kinds, fault, victim, other)
    finally:
        writer.stop()
    wait_until(lambda: all(writer.last in {n for n, _, _ in rows} for rows in kinds.arrived().values()), 60, "all rows", interval_s=1)
    print("repeated", check(kinds.arrived(), writer.last), "of", writer.last, "each")
    for worker in group.workers:
        worker.stop()


def fail(kinds, fault, victim, other):
    kinds.wait_flowing()
    moved = kinds.on(victim, other)
    assert moved
    begin = time.time()
    victim.process.send_signal(getattr(signal, fault))
    kinds.group.wait_spread([other])
    kinds.wait_flowing()
    gaps = longest_gaps(kinds.arrived(), begin)
    print(fault, "moved", {name: round(gaps[name], 2) for name in sorted(moved)}, "others at most",
          round(max(gap for name, gap in gaps.items() if name not in moved), 2), flush=True)
    if fault == "SIGSTOP":
        victim.process.send_signal(signal.SIGCONT)
    else:
        assert victim.process.wait(60) == (0 if fault == "SIGTERM" else -signal.SIGKILL), victim.log_text()[-3000:]
        victim.start()
    kinds.group.wait_spread(kinds.group.workers)
    assert max(gaps[name] for name in moved) <= LONGEST_S[fault]


def holder(db):
    """Whose session has the locks of polled tables."""
    return db.value("select min(pid) from pg_locks where locktype = 'advisory' and granted and"
                    " database = (select oid from pg_database where datname = %s)", db.name)


@pytest.mark.parametrize("pooled", [False, True], ids=["direct", "pooled"])
def test_who_polls_and_is_silent_has_its_tables_no_more(workers, databases, pg17, pools, pooled):  # noqa: F811
    """And who is idle keeps them, for it is not silent."""
    db = databases(pg17)
    db.execute(OUTBOX.format(i=""))
    worker = workers()
    worker.properties["walduct.group.share"] = "true"
    worker.start()
    address = pools(pg17, "transaction").properties if pooled else {}
    config = {"connector.class": CLASS, **database_properties(db), "topic.prefix": db.name, **polled(db, **address),
              "walduct.outbox.poll.interval.ms": "60000"}
    worker.create("polled", {key: value for key, value in config.items() if value is not None})
    wait_until(lambda: holder(db) is not None, 40, "the tables are polled")
    first, begin = holder(db), time.time()

    def kept():
        assert holder(db) == first, worker.log_text()[-3000:]
        return time.time() - begin > 12
    wait_until(kept, 20, "twelve seconds without a row", interval_s=0.5)
    worker.process.send_signal(signal.SIGSTOP)
    try:
        stopped = time.time()
        wait_until(lambda: holder(db) is None, 14, "the server ends the session", interval_s=0.1)
        print("free after", round(time.time() - stopped, 1), "s")
    finally:
        worker.process.send_signal(signal.SIGCONT)
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type, payload) values ('Order', '1', 'Placed', '{}')")
    wait_until(lambda: db.value("select count(*) from outbox where published_at is null") == 0, 60, "it goes on")
    worker.stop()
