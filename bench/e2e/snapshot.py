#!/usr/bin/env python3
"""How fast a table is read by the initial snapshot, beside a COPY of one connection to /dev/null.

  bench/e2e/snapshot.py [--rows N] [--rounds N] [--postgres 15|17|18] [--workload NAME] [--kafka [--compression TYPE]]
                        [--json FILE]

One run on one machine: a private PostgreSQL, a table that is filled and vacuumed once, and then in alternating rounds psql's
`COPY table TO STDOUT`, walduct with one session and walduct with two (snapshot.max.threads=2), both to /dev/null; with --kafka
also into a private Kafka, beside a plain producer (producer.py) of as many records of that size, and with --compression once more,
compressed. From the start of the process to its end. Beside the rate: the CPU time a row of the reader, of the server (all of its
processes) and of the broker; where their sum times the rate comes near the number of cores, the machine is the limit and not the
reader. Absolute rates hold for the machine only: compare ratios. Nothing is asserted but that all rows have come.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from measure import TICK, cpu_ticks, server_ticks  # noqa: E402
from support import servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties, peak_rss_kb  # noqa: E402
from support.paths import BINARY  # noqa: E402
from workloads import WORKLOADS  # noqa: E402


class Bench:
    def __init__(self, args, own, directory):
        self.args, self.own, self.directory = args, own, directory
        workload = WORKLOADS[args.workload]
        self.table, self.rows = workload.table_name, workload.count(args.rows)
        self.postmaster = own.postmaster
        self.broker = own.broker if args.kafka else None
        self.database = own.postgres.database("bench_snapshot").create()
        workload.prepare(self.database, args.rows)
        workload.fill(self.database, args.rows, 100_000)
        self.database.execute(f"vacuum (analyze, freeze) {self.table}")
        self.database.execute("checkpoint")

    def copy(self, _):
        postgres = self.own.postgres
        command = ["psql", "-h", postgres.host, "-p", str(postgres.port), "-U", postgres.user, "-d", self.database.name, "-X", "-q",
                   "-o", "/dev/null", "-c", f"copy {self.table} to stdout"]
        return self._measure(subprocess.Popen(command, env={**os.environ, "PGPASSWORD": postgres.password}))

    def walduct(self, threads, kafka, compression=None):
        def read(number):
            name = f"walduct{threads}{'k' if kafka else ''}{compression or ''}{number}"
            config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
                      **database_properties(self.database), **PLAIN_JSON, "topic.prefix": name, "snapshot.mode": "initial_only",
                      "table.include.list": f"public.{self.table}", "snapshot.max.threads": str(threads)}
            worker = {"offset.storage.file.filename": str(self.directory / name / "offsets.dat")}
            if compression:
                config["producer.override.compression.type"] = compression
            worker |= {"bootstrap.servers": self.own.bootstrap} if kafka else {"sink": "file", "sink.file.path": "/dev/null"}
            connector = Connector(self.directory / name, config, worker, name=name, binary=BINARY)
            connector.start()
            measured = self._measure(connector.process)
            if "snapshot completed" not in connector.log_text() or f"rows={self.rows}" not in connector.log_text():
                raise SystemExit(f"bench: not all rows have come:\n{connector.log_text()[-2000:]}")
            return measured
        return read

    def producer(self, number):
        """As many records, of as many bytes as walduct's have in the topic's files, by librdkafka alone."""
        files = self.own.dir.glob(f"**/walduct1k0.public.{self.table}-0/*.log")
        size = sum(path.stat().st_size for path in files) // self.rows
        return self._measure(subprocess.Popen([sys.executable, HERE / "producer.py", self.own.bootstrap, f"plain{number}", str(self.rows), str(size)]))

    def _measure(self, process):
        server, broker = server_ticks(self.postmaster), self._broker_ticks()
        begin, rss = time.monotonic(), 0
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            with contextlib.suppress(OSError, StopIteration):  # it has just ended
                rss = max(rss, peak_rss_kb(process.pid))
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        if process.returncode != 0:
            raise SystemExit(f"bench: exit code {process.returncode}")
        time.sleep(0.2)  # until the server's process has ended, too
        usage = {"cpu": ended[2].ru_utime + ended[2].ru_stime, "server_cpu": (server_ticks(self.postmaster) - server) / TICK,
                 "broker_cpu": (self._broker_ticks() - broker) / TICK}
        return {"rows_per_s": round(self.rows / seconds), "rss_mb": round(rss / 1024, 1), "cores": round(sum(usage.values()) / seconds, 2),
                **{f"{name}_us_per_row": round(used * 1e6 / self.rows, 2) for name, used in usage.items()}}

    def _broker_ticks(self):
        return cpu_ticks(self.broker) if self.broker else 0


def line(name, measured):
    return (f"{name:<14} {measured['rows_per_s'] / 1000:8.1f} krow/s {measured['rss_mb']:6.1f} MB RSS; us/row: {measured['cpu_us_per_row']:6.2f}, "
            f"server {measured['server_cpu_us_per_row']:6.2f}, broker {measured['broker_cpu_us_per_row']:6.2f}; {measured['cores']:.2f} cores")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--postgres", type=int, default=17, choices=(15, 17, 18))
    parser.add_argument("--workload", default="typical", choices=("typical", "narrow", "wide", "big"))
    parser.add_argument("--kafka", action="store_true")
    parser.add_argument("--compression", choices=("gzip", "snappy", "lz4", "zstd"))
    parser.add_argument("--json")
    args = parser.parse_args()
    if args.compression and not args.kafka:
        parser.error("--compression is of records in Kafka: add --kafka")
    own = servers.private(postgres=args.postgres, kafka=args.kafka)
    try:
        with tempfile.TemporaryDirectory() as directory:
            bench = Bench(args, own, Path(directory))
            readers = {"COPY": bench.copy, "one session": bench.walduct(1, False), "two sessions": bench.walduct(2, False)}
            if args.kafka:
                readers |= {"one to Kafka": bench.walduct(1, True), "two to Kafka": bench.walduct(2, True), "plain producer": bench.producer}
            if args.compression:
                readers |= {f"one, {args.compression}": bench.walduct(1, True, args.compression),
                            f"two, {args.compression}": bench.walduct(2, True, args.compression)}
            measured = {name: [] for name in readers}
            for number in range(args.rounds):
                for name, read in list(readers.items())[::-1 if number % 2 else 1]:
                    measured[name].append(read(number))
                    print(line(name, measured[name][-1]), flush=True)
    finally:
        own.remove()
    rates = {name: statistics.median(m["rows_per_s"] for m in all_of) for name, all_of in measured.items()}
    ratios = {name: round(rate / rates["COPY"], 2) for name, rate in rates.items()}
    print("of COPY's rate: " + ", ".join(f"{name} {ratio}" for name, ratio in ratios.items() if name != "COPY"))
    if args.json:
        Path(args.json).write_text(json.dumps({"measured": measured, "of_copy": ratios}, indent=1))


if __name__ == "__main__":
    main()
