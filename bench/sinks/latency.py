#!/usr/bin/env python3
"""How long after its commit a row's record is at the sink, at a steady rate of small transactions, beside what a plain client's own takes.

  bench/sinks/latency.py [--sink redis,nats,rabbitmq,http] [--rate N] [--seconds N] [--debezium] [--server DIR] [--jvm "…"] [--json FILE]

The servers of beside_server.py (for HTTP a receiver of our own). One session commits a row --rate times a second; the engine streams; a consumer notes when it
sees each. Between them a client of our own sends a record as often, and the same consumer sees that: the sink's own time, the consumer's wake-ups
included. Printed: p50, p99 and p99.9 of both, and their difference. --debezium: Debezium Server, too.

Run it with .deps/venv/bin/python, after a release build.
"""
import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import common
from engines import SERVER, Engine, properties
from sinks import NUMBER
from support.wait import wait_until

START_S = 180
WANTED_MS = 2  # p99 beyond the sink's own, walduct


def spread(seconds):
    ordered = sorted(seconds)
    return {name: 1e3 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in (("p50", .5), ("p99", .99), ("p999", .999))}


class Latency:
    def __init__(self, args, sink, database, directory, name):
        self.args, self.sink, self.database = args, sink, database
        self.slot = f"late_{sink.name}_{name}"
        self.seen, self.sent = {}, {}
        database.execute("truncate typical")
        database.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", self.slot)
        sink.begin(self.slot)
        sink.watch(self.slot, self.note)
        self.engine = Engine(name, args, directory / self.slot, properties(sink, "", database, self.slot, self.slot))

    def note(self, value):
        now, found = time.monotonic(), NUMBER.search(value)
        self.seen[found[1], int(found[2])] = now

    def row(self, session, number):
        session.execute(common.ROWS.format(first=number, last=number))
        self.sent[b"id", number] = time.monotonic()

    def probe(self, number):
        self.sent[b"probe", number] = time.monotonic()
        self.sink.probe(b'{"probe":%d,"note":"%s"}' % (number, b"x" * (common.RECORD_BYTES - 30)))

    def run(self):
        self.engine.start()
        try:
            return self.measure()
        finally:
            self.engine.stop()
            self.database.execute("select pg_drop_replication_slot(%s)", self.slot)

    def measure(self):
        count = self.args.rate * self.args.seconds
        with self.database.connect() as session:
            self.row(session, 0)
            wait_until(lambda: (b"id", 0) in self.seen or self.engine.check(), START_S, f"the first record of {self.slot}")
            begin = time.monotonic()
            for number in range(1, count + 1):
                for half, send in enumerate((lambda: self.row(session, number), lambda: self.probe(number))):
                    time.sleep(max(0, begin + (number + half / 2) / self.args.rate - time.monotonic()))
                    send()
        wait_until(lambda: len(self.seen) == 2 * count + 1, START_S, f"all records of {self.slot}")
        ours, own = (spread([self.seen[kind, n] - self.sent[kind, n] for n in range(1, count + 1)]) for kind in (b"id", b"probe"))
        return {"engine_ms": ours, "sink_ms": own, "added_ms": {key: ours[key] - own[key] for key in ours}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sink", type=common.names, default=list(common.SINKS))
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--debezium", action="store_true")
    parser.add_argument("--server", type=Path, default=SERVER)
    parser.add_argument("--jvm", default="")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory(prefix="walduct-sinks-") as directory, common.servers_of(args.sink) as own:
        database = common.table(own)
        with common.made(args.sink, own, Path(directory)) as sinks:
            for sink, name in ((sink, name) for sink in sinks for name in ("walduct", *(("debezium",) if args.debezium else ()))):
                found[f"{sink.name}: {name}"] = measured = Latency(args, sink, database, Path(directory), name).run()
                for what, figures in measured.items():
                    print(f"{sink.name}: {name:<9} {what:<10} " + ", ".join(f"{key} {ms:.2f}" for key, ms in figures.items()), flush=True)
    print(f"wanted of walduct: p99 of added_ms at most {WANTED_MS}; load {os.getloadavg()[0]:.1f}")
    if args.json:
        args.json.write_text(json.dumps({"rate": args.rate, "seconds": args.seconds, "load": os.getloadavg()[0], "sinks": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
