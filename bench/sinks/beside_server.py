#!/usr/bin/env python3
"""One backlog drained into each sink by walduct, by the real Debezium Server, and what a plain client in a loop makes of that sink, in turns.

  bench/sinks/beside_server.py [--sink redis,nats,rabbitmq,http] [--rows N] [--rounds N] [--server-rounds N] [--only walduct,debezium,limit]
                               [--server DIR] [--jvm "-Xmx512m …"] [--json FILE]

A private PostgreSQL 17, Redis (its file of commands on), NATS JetStream (a stream in a file), RabbitMQ (a durable queue, persistent messages) and nginx
(answers 200), on loopback. Typical rows whose records are 1.6 KB, all written before the first engine starts; each engine of each round has a slot of its own, and
both have the same application.properties. The clock runs from the first record that the sink is seen to hold to the last one, and so does CPU time: the
start of a JVM says nothing about a stream, and is told apart (start_s, of which a backlog's first batch is a part). Memory is the most
the process ever had. Each drain's number of records is asserted; no rate is.

Run it with .deps/venv/bin/python, after a release build and scripts/deps debezium-server redis nats rabbitmq; Debezium Server asks for Java 21 or later.
"""
import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

import common
from engines import SERVER, Engine, properties
from measure import TICK, cpu_ticks
from support.connector import peak_rss_kb
from turns import rounds

LOOK_S = 0.01
# of what, how much: of Debezium Server's rate, or of the plain client's
WANTED = {"redis": ("debezium", 8), "nats": ("debezium", 8), "rabbitmq": ("limit", 0.9), "http": ("debezium", 4.5), "http 16": ("debezium", 20)}
CPU_SHARE, RSS_MB = 0.1, 32


class Drain:
    """One engine's backlog of one slot into one sink."""

    def __init__(self, bench, sink, variant, name, number):
        self.bench, self.sink, self.name = bench, sink, name
        self.slot = self.prefix = f"{sink.name}{variant}_{name}{number}"
        bench.database.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", self.slot)
        self.engine = Engine(name, bench.args, bench.directory / self.slot, properties(sink, variant, bench.database, self.prefix, self.slot))

    def used(self):
        walsender = self.bench.database.slot(self.slot)["active_pid"]
        return [cpu_ticks(self.engine.process.pid), cpu_ticks(walsender) if walsender else 0, cpu_ticks(self.sink.pid())]

    def run(self):
        self.sink.begin(self.prefix)
        started = time.monotonic()
        self.engine.start()
        try:
            measured = self.measure(started)
        finally:
            self.engine.stop()
        self.bench.database.execute("select pg_drop_replication_slot(%s)", self.slot)
        return measured

    def measure(self, started):
        rows = self.bench.args.rows
        while not (there := self.sink.count(self.prefix)):
            self.engine.check()
            time.sleep(LOOK_S)
        first, before = time.monotonic(), self.used()
        while (now := self.sink.count(self.prefix)) < rows:
            self.engine.check()
            time.sleep(LOOK_S)
        seconds, after, rss = time.monotonic() - first, self.used(), peak_rss_kb(self.engine.process.pid)
        if now != rows:
            raise SystemExit(f"bench: {self.slot} wrote {now} records of {rows} rows")
        engine, walsender, sink = ((b - a) / TICK * 1e6 / (rows - there) for a, b in zip(before, after))
        return {"rows_per_s": (rows - there) / seconds, "cpu_us_per_row": engine, "walsender_cpu_us_per_row": walsender, "sink_cpu_us_per_row": sink,
                "rss_mb": rss / 1024, "start_s": first - started}


def line(name, measured):
    if len(measured) == 1:
        return f"{name:<22} {measured['rows_per_s'] / 1e3:8.1f} krow/s"
    return (f"{name:<22} {measured['rows_per_s'] / 1e3:8.1f} krow/s {measured['cpu_us_per_row']:8.1f} us/row {measured['rss_mb']:8.1f} MB RSS "
            f"{measured['walsender_cpu_us_per_row']:6.1f} us/row walsender {measured['sink_cpu_us_per_row']:6.1f} us/row sink {measured['start_s']:6.2f} s start")


def case(sink, variant):
    return f"{sink.name} {variant}".strip()


class Bench:
    def __init__(self, args, own, sinks, directory):
        self.args, self.own, self.directory = args, own, directory
        self.sinks = sinks
        self.database = common.table(own)
        self.drains = {}
        for sink in self.sinks:
            for variant in sink.variants:
                for name in {"walduct", "debezium"} & set(args.only):
                    if name == "walduct" or not variant:
                        self.drains[case(sink, variant), name] = [Drain(self, sink, variant, name, n) for n in range(self.rounds_of(name))]
        print(f"writing {args.rows} rows", flush=True)
        common.fill(self.database, args.rows)

    def rounds_of(self, reader):
        return min(self.args.rounds, self.args.server_rounds or self.args.rounds) if reader == "debezium" else self.args.rounds

    def readers(self, sink, variant):
        """{name: what measures it in round n}."""
        drains = {name: lambda n, d=d: d[n].run() for (of, name), d in self.drains.items() if of == case(sink, variant)}
        limit = {"limit": lambda _: {"rows_per_s": sink.limit(variant, self.args.rows, common.RECORD_BYTES)}} if "limit" in self.args.only else {}
        return {**drains, **limit}

    def run(self):
        """{case: {reader: medians}}."""
        found = {}
        for sink in self.sinks:
            for variant in sink.variants:
                name, readers = case(sink, variant), self.readers(sink, variant)
                measured = {reader: [] for reader in readers}
                for number, names in enumerate(rounds({reader: self.rounds_of(reader) for reader in readers}, self.args.rounds)):
                    for reader in names:
                        measured[reader].append(readers[reader](number))
                        print(f"round {number + 1}: {line(f'{name}: {reader}', measured[reader][-1])}", flush=True)
                found[name] = {reader: {key: statistics.median(r[key] for r in results) for key in results[0]} for reader, results in measured.items()}
        return found


def verdicts(found):
    """Lines: what was wanted of each case, and what it is."""
    for name, readers in found.items():
        debezium = found.get(name.split()[0], {}).get("debezium")
        of, wanted = WANTED[name]
        other = {"debezium": debezium, **readers}.get(of)
        ours = readers.get("walduct")
        if not ours:
            continue
        rate = f"{ours['rows_per_s'] / other['rows_per_s']:.2f} of {of}'s rate (wanted {wanted})" if other else "-"
        cpu = f"CPU a row 1/{debezium['cpu_us_per_row'] / max(ours['cpu_us_per_row'], 0.1):.1f} (wanted 1/{1 / CPU_SHARE:.0f})" if debezium else "-"
        yield f"{name:<10} {rate}, {cpu}, {ours['rss_mb']:.1f} MB (wanted {RSS_MB})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sink", type=common.names, default=list(common.SINKS))
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--server-rounds", type=int, help="Debezium Server takes part in the first so many alone: it is slow")
    parser.add_argument("--only", type=lambda text: text.split(","), default=["walduct", "debezium", "limit"])
    parser.add_argument("--server", type=Path, default=SERVER)
    parser.add_argument("--jvm", default="")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="walduct-sinks-") as directory, common.servers_of(args.sink) as own:
        with common.made(args.sink, own, Path(directory)) as sinks:
            found = Bench(args, own, sinks, Path(directory)).run()
    loads = [round(load, 1), round(os.getloadavg()[0], 1)]
    print(f"\nmedians of {args.rounds} rounds, {args.rows} rows, {os.cpu_count()} cores, load {loads[0]} before, {loads[1]} after")
    for name, readers in found.items():
        for reader, measured in readers.items():
            print(line(f"{name}: {reader}", measured))
    print("\n".join(verdicts(found)))
    if args.json:
        args.json.write_text(json.dumps({"rows": args.rows, "rounds": args.rounds, "load": loads, "machine": platform.platform(), "jvm": args.jvm, "sinks": found},
                                        indent=1) + "\n")


if __name__ == "__main__":
    main()
