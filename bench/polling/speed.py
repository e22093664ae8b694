#!/usr/bin/env python3
"""One outbox table, emptied by walduct and by workers written by hand in Go (worker/), in turns: mark, delete, position.

  bench/polling/speed.py [--rows N] [--rounds N] [--only mark|delete|position]... [--fillfactor N] [--postgres 17|18] [--against OTHER/walduct] [--json FILE]

A private PostgreSQL and Kafka on loopback. Before each reader the table is filled anew; the clock runs from its "ready" (walduct: streaming) to its end, when
all is published and marked. "alone" is the same worker without a broker: what the database takes. Those who mark 100 rows at once have a tenth of the rows,
those who mark each a fiftieth. That all events have come, and each key in its order, is asserted of whoever publishes.
Printed, as medians over the rounds: events a second, CPU time of the reader, of the server and of the broker an event, memory, and walduct beside each.

Run it with .deps/venv/bin/python, after a release build and with Go.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import tables
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
from drains import touched_memory
from measure import TICK, await_end, cpu_ticks, median, server_ticks
from support import backlog
from support.connector import STREAMING
from support.paths import BINARY, DEPS
from turns import rounds

# of whom: the worker's way, whether it publishes, the share of the rows
HANDS = {"mark": {"documents": ("documents", True, 50), "batch 100": ("batch", True, 10), "batch 5000": ("mark", True, 1), "alone": ("mark", False, 1)},
         "delete": {"batch 5000": ("delete", True, 1), "alone": ("delete", False, 1)},
         "position": {"snapshot": ("position", True, 1), "alone": ("position", False, 1)}}
WANTED = {"mark": {"documents": 40, "batch 100": 2.1, "batch 5000": 1.1, "alone": 0.85}, "delete": {"batch 5000": 1.2}, "position": {"snapshot": 1.2, "alone": 0.85}}
GO = {"GOMODCACHE": str(DEPS / "cache" / "go"), "GOFLAGS": "-mod=readonly -modcacherw"}


def build_worker(into):
    """Its modules are those of examples/outbox/go, which scripts/deps samples has downloaded; else Go does."""
    subprocess.run(["go", "build", "-o", into, "."], cwd=tables.HERE / "worker", env={**os.environ, **GO}, check=True)
    return into


def check_events(bootstrap, topic, rows):
    """All are there, and the numbers of each key go up."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": topic, "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    last, seen = {}, 0
    while seen < rows:
        messages = consumer.consume(10000, 10)
        if not messages:
            raise SystemExit(f"bench: {topic} has {seen} of {rows} events")
        for message in messages:
            number = int(message.value().partition(b'"n": ')[2].partition(b",")[0])
            if last.get(message.key(), 0) >= number:
                raise SystemExit(f"bench: {topic}, key {message.key()}: {number} after {last[message.key()]}")
            last[message.key()] = number
        seen += len(messages)
    if consumer.get_watermark_offsets(TopicPartition(topic, 0))[1] != rows:
        raise SystemExit(f"bench: {topic} has repeats")
    consumer.close()


def timed(process, ready, own, rows, broker):
    """From ready() on."""
    while not ready():
        if process.poll() is not None:
            return None
        time.sleep(0.001)
    begin, server, kafka, used = time.monotonic(), server_ticks(own.postmaster), cpu_ticks(own.broker), cpu_ticks(process.pid) / TICK
    usage, rss_mb = await_end(process)
    seconds = time.monotonic() - begin
    return {"rows_per_s": round(rows / seconds), "cpu_us_per_row": round((usage.ru_utime + usage.ru_stime - used) * 1e6 / rows, 2),
            "server_cpu_us_per_row": round((server_ticks(own.postmaster) - server) / TICK * 1e6 / rows, 2),
            "broker_cpu_us_per_row": round((cpu_ticks(own.broker) - kafka) / TICK * 1e6 / rows, 2) if broker else 0.0, "rss_mb": round(rss_mb, 1)}


class Bench:
    def __init__(self, args, own, directory, worker):
        self.args, self.own, self.directory, self.worker = args, own, directory, worker
        self.runs = 0

    def readers(self, done):
        others = {"other build": lambda: self.walduct(done, self.args.against)} if self.args.against else {}
        return {"walduct": lambda: self.walduct(done, BINARY), **others,
                **{name: lambda chosen=chosen: self.by_hand(done, *chosen) for name, chosen in HANDS[done].items()}}

    def _new(self, done, rows):
        """A database and an empty topic for each run."""
        self.runs += 1
        database = self.own.postgres.database(f"run{self.runs}").create()
        tables.make(database, done, self.args.fillfactor)
        tables.fill(database, rows)
        topic = tables.topic_of(database)
        tables.make_topic(self.own.bootstrap, topic)
        return database, topic

    def _end(self, database, name, process, measured, log, rows, topic):
        if measured is None or process.returncode != 0:
            raise SystemExit(f"bench: {name} ended with exit code {process.returncode}:\n{log[-2000:]}")
        if topic:
            check_events(self.own.bootstrap, topic, rows)
        database.close_session()
        self.own.postgres.query(f"drop database {database.name}")
        return measured

    def walduct(self, done, binary):
        rows = self.args.rows
        database, topic = self._new(done, rows)
        connector = tables.connector(database, self.directory / database.name, done, self.own.bootstrap, binary)
        process = connector.start("--until-caught-up").process
        measured = timed(process, lambda: connector.logged(STREAMING), self.own, rows, True)
        return self._end(database, "walduct", process, measured, connector.log_text(), rows, topic)

    def by_hand(self, done, how, publishes, share):
        rows = max(1, self.args.rows // share)
        database, topic = self._new(done, rows)
        server, log = self.own.postgres, self.directory / f"{database.name}.log"
        url = f"postgres://{server.user}:{quote(server.password, safe='')}@{server.host}:{server.port}/{database.name}"
        environment = {**os.environ, "DATABASE_URL": url, "POSITION": str(self.directory / f"{database.name}.position")}
        with open(log, "wb") as out:
            process = subprocess.Popen([self.worker, how, *([self.own.bootstrap, topic] if publishes else [])], env=environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=subprocess.STDOUT)
        measured = timed(process, lambda: b"ready\n" in log.read_bytes(), self.own, rows, publishes)
        return self._end(database, how, process, measured, log.read_text(), rows, topic if publishes else None)


def line(name, measured):
    return (f"{name:<14} {measured['rows_per_s'] / 1000:8.1f} k events/s {measured['cpu_us_per_row']:8.2f} us {measured['rss_mb']:8.1f} MB RSS "
            f"{measured['server_cpu_us_per_row']:8.2f} us server {measured['broker_cpu_us_per_row']:8.2f} us broker")


def of_policy(bench, done):
    """Medians by reader; a run before the rounds warms broker and server up, and does not count."""
    readers = bench.readers(done)
    print(f"\n{done}:", flush=True)
    bench.walduct(done, BINARY)
    results = {name: [] for name in readers}
    for number, names in enumerate(rounds(dict.fromkeys(readers, bench.args.rounds), bench.args.rounds)):
        for name in names:
            results[name].append(readers[name]())
            print(f"round {number + 1}: {line(name, results[name][-1])}", flush=True)
    medians = {name: median(measured) for name, measured in results.items()}
    for name, measured in medians.items():
        print(f"median:  {line(name, measured)}")
    ratios = {name: round(medians["walduct"]["rows_per_s"] / measured["rows_per_s"], 2) for name, measured in medians.items() if name != "walduct"}
    for name, ratio in ratios.items():
        wanted = WANTED[done].get(name)
        print(f"walduct beside {name}: {ratio} x" + (f" (wanted: {wanted}, {'holds' if ratio >= wanted else 'MISSES'})" if wanted else ""), flush=True)
    return {"medians": medians, "ratios": ratios, "rounds": results}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", choices=list(HANDS), default=[])
    parser.add_argument("--fillfactor", type=int, default=50)
    parser.add_argument("--postgres", type=int, default=17, choices=[17, 18])
    parser.add_argument("--against", type=Path)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tables.own_servers(args, kafka=True, pg_set=backlog.SETTINGS) as (own, directory), touched_memory():
        bench = Bench(args, own, directory, build_worker(directory / "worker"))
        found = {done: of_policy(bench, done) for done in args.only or HANDS}
    tables.keep(found, args.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
