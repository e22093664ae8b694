"""Other engines that drain the same backlog into the same Kafka: Debezium as it comes, and tuned.

Each is one process for one round. The clock stops when its last row is in the topic; then it is ended. What it takes until its
first rows are there is told apart ("start_s"): a JVM that has just begun to compile says little about a long stream."""
import contextlib
import dataclasses
import re
import time
from pathlib import Path

from differential.connect import Worker
from measure import TICK, Sampler, cpu_ticks, result
from support.debezium import PLUGINS, free_port, installed
from support.kafka import TopicReader

LOOK_S = 0.2

# What Kafka's scripts start Connect with, and nothing else.
STOCK_JVM = ("-Xms256m", "-Xmx2g", "-XX:+UseG1GC")
# What an operator sets who wants throughput from it. acks=all stays; Connect's own producer is not idempotent and has one request
# on its way, so that both are asked for here. Compression stays off, as for all readers.
TUNED_JVM = ("-Xms1g", "-Xmx3g", "-XX:+UseParallelGC")
TUNED = {
    "max.batch.size": "20000",
    "max.queue.size": "100000",
    "max.queue.size.in.bytes": str(256 * 2**20),
    "poll.interval.ms": "10",
    "producer.override.enable.idempotence": "true",
    "producer.override.max.in.flight.requests.per.connection": "5",
    "producer.override.linger.ms": "20",
    "producer.override.batch.size": str(2**20),
    "producer.override.max.request.size": str(4 * 2**20),
    "producer.override.buffer.memory": str(128 * 2**20),
}


def watch(topic, rows, failure, started):
    """Waits until all rows are there: (seconds from the start, rows) when the first ones were seen."""
    first = None
    while (there := topic.count()) < rows:
        if there and not first:
            first = time.monotonic() - started, there
        if why := failure():
            raise SystemExit(f"bench: {why[:2000]}")
        time.sleep(LOOK_S)
    return first


def flowing(rows, seconds, first):
    """Start-up apart: rows a second from the first ones that were seen to the last one. All of it where that is too short to tell."""
    start, there = first or (0, 0)
    if seconds - start < 10 * LOOK_S:
        start, there = 0, 0
    return {"start_s": round(start, 2), "flowing_rows_per_s": round((rows - there) / (seconds - start))}


def measured(bench, slot, pid, begin, failure):
    """What a process that runs used, from when `begin` has set it going until its last row is in the topic."""
    with contextlib.closing(TopicReader(bench.own.bootstrap, bench.workload.topic(slot))) as topic:
        before = cpu_ticks(pid)
        started = time.monotonic()
        begin()
        sampler = Sampler(pid, bench.database, slot, bench.broker_pid)
        sampler.start()
        first = watch(topic, bench.rows, failure, started)
        seconds, ticks = time.monotonic() - started, cpu_ticks(pid) - before
        sampler.end()
    return {**result(bench.rows, seconds, ticks / TICK, sampler), **flowing(bench.rows, seconds, first)}


@dataclasses.dataclass(frozen=True)
class Debezium:
    """A worker to itself, which is up when the clock starts."""
    name: str
    slot: str
    jvm: tuple
    settings: dict

    def takes(self, workload):
        return not workload.registry

    def run(self, bench, slot):
        with contextlib.closing(Worker(bench.directory / slot, bench.own.bootstrap, free_port(), list(self.jvm), {})) as worker:
            worker.wait_ready()
            config = {**bench.config(slot), "database.hostname": bench.own.postgres.host, **self.settings}
            return measured(bench, slot, worker.process.pid, lambda: worker.create(slot, config), lambda: worker.failure(slot))

    def described(self):
        return {"version": debezium_version(), "jvm": " ".join(self.jvm), "settings": self.settings}


def debezium_version():
    found = [re.search(r"debezium-connector-postgres-(\d[\w.]*)\.jar", jar.name) for jar in PLUGINS.rglob("debezium-connector-postgres-*.jar")]
    return next((f[1] for f in found if f), "")


def chosen(args):
    """The peers that were asked for, and {name: what there is to say of it}."""
    found = [*([Debezium("debezium", "debezium", STOCK_JVM, {})] if args.debezium else []),
             *([Debezium("debezium tuned", "tuned", TUNED_JVM, TUNED)] if args.tuned else [])]
    if found and not installed():
        raise SystemExit("bench: --debezium and --tuned: Debezium is missing; run scripts/deps debezium")
    return found, {peer.name: peer.described() for peer in found}
