#!/usr/bin/env python3
"""How fast a backlog drains into a real Kafka, beside pg_recvlogical draining the same backlog to /dev/null.

  bench/e2e/run.py [--rows N] [--rounds N] [--transaction ROWS] [--postgres 15|17|18] [--exactly-once] [--debezium]
                   [--against BINARY] [--json FILE]

One run on one machine: private PostgreSQL and Kafka, TCP loopback, a table of 15 mixed columns (about 400 bytes a row),
one slot and one topic for each round. Printed for each reader: rows/s, CPU microseconds a row of the reader, of its
walsender and of the broker, the highest RSS; then the ratios. Absolute rates hold for the machine only: compare ratios. Nothing is asserted.
--exactly-once drains the backlog once more with exactly.once.support=required, --debezium with Debezium in Kafka Connect
(scripts/deps debezium), --against with another build of walduct.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from differential.connect import Worker  # noqa: E402
from support import backlog, servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties, peak_rss_kb  # noqa: E402
from support.debezium import free_port  # noqa: E402
from support.kafka import TopicReader, topics_with_prefix  # noqa: E402
from support.paths import BINARY  # noqa: E402

PG_RECVLOGICAL = "/usr/lib/postgresql/15/bin/pg_recvlogical"
TICK = os.sysconf("SC_CLK_TCK")
JVM = ["-Xms256m", "-Xmx2g", "-XX:+UseG1GC"]  # what Kafka's scripts start Connect with


def cpu_ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


class Sampler(threading.Thread):
    """Watches the reader's memory and the CPU time of its walsender: both are gone when the reader is. (The memory that
    wait4 reports includes that of the Python process before it became the reader.)"""

    def __init__(self, reader_pid, database, slot, broker_pid):
        super().__init__(daemon=True)
        self.reader_pid, self.database, self.slot, self.broker_pid = reader_pid, database, slot, broker_pid
        self.walsender_ticks = self.rss_kb = 0
        self.broker_begin = cpu_ticks(broker_pid)
        self.ended = threading.Event()

    def run(self):
        walsender = None
        while not self.ended.wait(0.05):
            walsender = walsender or self.database.slot(self.slot)["active_pid"]
            try:
                self.rss_kb = max(self.rss_kb, peak_rss_kb(self.reader_pid))
                self.walsender_ticks = max(self.walsender_ticks, cpu_ticks(walsender) if walsender else 0)
            except (OSError, StopIteration):
                continue  # one of them has just ended

    def end(self):
        self.ended.set()
        self.join()
        self.broker_ticks = cpu_ticks(self.broker_pid) - self.broker_begin


def measure(process, database, slot, rows, broker_pid):
    """Waits for the process' end; what it and its walsender used."""
    sampler = Sampler(process.pid, database, slot, broker_pid)
    sampler.start()
    begin = time.monotonic()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    sampler.end()
    return result(rows, seconds, usage.ru_utime + usage.ru_stime, sampler)


def result(rows, seconds, cpu_seconds, sampler):
    return {"seconds": round(seconds, 3), "rows_per_s": round(rows / seconds), "cpu_us_per_row": round(cpu_seconds * 1e6 / rows, 2),
            "walsender_cpu_us_per_row": round(sampler.walsender_ticks / TICK * 1e6 / rows, 2),
            "broker_cpu_us_per_row": round(sampler.broker_ticks / TICK * 1e6 / rows, 2), "rss_mb": round(sampler.rss_kb / 1024, 1)}


class Bench:
    def __init__(self, args, own, directory):
        self.args, self.own = args, own
        self.database = own.postgres.database("bench").create()
        self.database.execute(backlog.TABLE)
        self.database.execute("create publication bench for table typical")
        self.directory = directory
        self.broker_pid = int((own.dir / "kafka.pid").read_text())
        self.connectors = [self._connector(f"walduct{n}") for n in range(args.rounds)]
        self.exact = [self._connector(f"exact{n}", True) for n in range(args.rounds if args.exactly_once else 0)]
        self.others = [self._connector(f"other{n}", binary=args.against) for n in range(args.rounds if args.against else 0)]
        self.end = None

    def _config(self, name):
        """Its slot and its topic prefix are its own: each reader of each round drains the same backlog anew."""
        return {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
            **database_properties(self.database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name,
            "publication.name": "bench", "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data",
            "table.include.list": "public.typical",
        }

    def _connector(self, name, exactly_once=False, binary=BINARY):
        folder, config = self.directory / name, self._config(name)
        worker = {"bootstrap.servers": self.own.bootstrap}
        if exactly_once:
            config["exactly.once.support"] = "required"
            worker["offset.storage.topic"] = "offsets"
        else:
            worker["offset.storage.file.filename"] = str(folder / "offsets.dat")
        return Connector(folder, config, worker, name=name, binary=binary)

    def prepare(self):
        """Slots first, then the backlog."""
        for connector in (*self.connectors, *self.exact, *self.others):
            if connector.run_to_end("--until-caught-up") != 0:
                raise SystemExit(f"bench: walduct did not start:\n{connector.log_text()[-2000:]}")
        for number in range(self.args.rounds):
            for reader in ("recvlogical", "debezium") if self.args.debezium else ("recvlogical",):
                self.database.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", f"{reader}{number}")
        self.end = backlog.fill(self.database, self.args.rows, self.args.transaction)
        # pg_recvlogical ends at a message behind its end position, so one follows.
        self.database.execute(backlog.ROWS, 0, 0)

    def recvlogical(self, number):
        postgres = self.own.postgres
        command = [PG_RECVLOGICAL, "-h", postgres.host, "-p", str(postgres.port), "-U", postgres.user, "-d", "bench", "--start",
                   "-S", f"recvlogical{number}", "-f", "/dev/null", "-o", "proto_version=1", "-o", "publication_names=bench",
                   "--no-loop", "--endpos", self.end]
        process = subprocess.Popen(command, env={**os.environ, "PGPASSWORD": postgres.password}, stdin=subprocess.DEVNULL)
        measured = measure(process, self.database, f"recvlogical{number}", self.args.rows, self.broker_pid)
        if process.returncode != 0:
            raise SystemExit(f"bench: pg_recvlogical ended with exit code {process.returncode}")
        return measured

    def walduct(self, number):
        return self._drain(self.connectors[number])

    def exactly_once(self, number):
        return self._drain(self.exact[number])

    def other(self, number):
        return self._drain(self.others[number])

    def _drain(self, connector):
        connector.start("--until-lsn", self.end)
        measured = measure(connector.process, self.database, connector.slot, self.args.rows, self.broker_pid)
        if connector.process.returncode != 0:
            raise SystemExit(f"bench: walduct ended with exit code {connector.process.returncode}:\n{connector.log_text()[-2000:]}")
        if not topics_with_prefix(self.own.bootstrap, connector.prefix):
            raise SystemExit("bench: walduct wrote no topic")
        return measured

    def debezium(self, number):
        """A worker of its own, warmed up by nothing; from the moment it is given the connector to the last row in the topic."""
        name = f"debezium{number}"
        worker = Worker(self.directory / name, self.own.bootstrap, free_port(), JVM, {})
        with contextlib.closing(worker):
            worker.wait_ready()
            topic = TopicReader(self.own.bootstrap, f"{name}.public.typical")
            sampler = Sampler(worker.process.pid, self.database, name, self.broker_pid)
            sampler.start()
            begin, ticks = time.monotonic(), cpu_ticks(worker.process.pid)
            worker.create(name, self._config(name))
            while topic.count() < self.args.rows:
                if failure := worker.failure(name):
                    raise SystemExit(f"bench: Debezium stopped:\n{failure[:2000]}")
                time.sleep(0.2)
            seconds, ticks = time.monotonic() - begin, cpu_ticks(worker.process.pid) - ticks
            sampler.end()
        return result(self.args.rows, seconds, ticks / TICK, sampler)


def median(results):
    return {key: statistics.median(r[key] for r in results) for key in results[0]}


def line(name, measured):
    return (f"{name:<16} {measured['rows_per_s'] / 1000:8.1f} krow/s {measured['cpu_us_per_row']:8.2f} us/row "
            f"{measured['rss_mb']:8.1f} MB RSS {measured['walsender_cpu_us_per_row']:8.2f} us/row walsender "
            f"{measured['broker_cpu_us_per_row']:8.2f} us/row broker")


def ratios(medians):
    """walduct beside each of the others."""
    ours = medians["walduct"]
    return {name: {key: round(ours[key] / other[key], 3) for key in ("rows_per_s", "cpu_us_per_row", "rss_mb")}
            for name, other in medians.items() if name != "walduct"}


def run(args, own, directory):
    bench = Bench(args, own, directory)
    print(f"bench: preparing {args.rows} rows in transactions of {args.transaction}", flush=True)
    bench.prepare()
    time.sleep(2)
    readers = {"pg_recvlogical": bench.recvlogical, "walduct": bench.walduct,
               **({"exactly once": bench.exactly_once} if args.exactly_once else {}),
               **({"other build": bench.other} if args.against else {}),
               **({"debezium": bench.debezium} if args.debezium else {})}
    results = {name: [] for name in readers}
    for number in range(args.rounds):
        order = list(readers.items())
        for name, reader in order if number % 2 == 0 else reversed(order):
            results[name].append(reader(number))
            print(f"round {number + 1}: {line(name, results[name][-1])}", flush=True)
    medians = {name: median(r) for name, r in results.items()}
    print(f"\nmedian of {args.rounds}, PostgreSQL {own.postgres.version}, {os.cpu_count()} cores, real Kafka, TCP loopback, schemas off")
    for name, measured in medians.items():
        print(line(name, measured))
    for name, ratio in ratios(medians).items():
        print(f"walduct / {name:<14} rate {ratio['rows_per_s']:.3f}, CPU a row {ratio['cpu_us_per_row']:.3f}, RSS {ratio['rss_mb']:.3f}")
    return {"rows": args.rows, "transaction_rows": args.transaction, "postgres": own.postgres.version, "cores": os.cpu_count(),
            "machine": platform.platform(), "rounds": results, "median": medians, "ratio": ratios(medians)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--transaction", type=int, default=1000)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--exactly-once", action="store_true")
    parser.add_argument("--debezium", action="store_true")
    parser.add_argument("--against", type=Path, metavar="BINARY")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if not Path(PG_RECVLOGICAL).exists():
        raise SystemExit("bench: pg_recvlogical is missing; run scripts/deps postgres 15")
    own = servers.private(postgres=args.postgres, kafka=True, pg_set=backlog.SETTINGS)
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-bench-") as directory:
            report = run(args, own, Path(directory))
    finally:
        own.remove()
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
