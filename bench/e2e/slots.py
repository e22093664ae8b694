#!/usr/bin/env python3
"""How one backlog drains through one slot and through several (walduct.slots), to /dev/null: no Kafka.

  bench/e2e/slots.py [--slots N] [--tables N] [--rows N] [--rounds N] [--json FILE]

Typical rows in several tables of one database, in transactions that write to one table each, spread evenly: table i is pinned to slot
i modulo the number of slots. Printed for each number of slots: rows a second, CPU time of walduct a row, and of each walsender, by the
rows that its slot sent and by all rows of the WAL, which each of them decodes. A row of a table costs what it costs whatever the number;
wall time falls as far as there are cores.

Run it with .deps/venv/bin/python, after a release build.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from measure import TICK, cpu_ticks  # noqa: E402
from support import backlog, servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties, peak_rss_kb  # noqa: E402


class Watch(threading.Thread):
    """CPU time of the walsenders of a connector's slots, and its memory, which are gone when it is."""

    def __init__(self, pid, database, slots):
        super().__init__(daemon=True)
        self.pid, self.database, self.slots = pid, database, slots
        self.ticks, self.rss_kb, self.pids, self.ended = dict.fromkeys(slots, 0), 0, {}, threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            if len(self.pids) < len(self.slots):
                active = self.database.server.query("select slot_name, active_pid from pg_replication_slots where active_pid is not null")
                self.pids.update({slot: pid for slot, pid in active if slot in self.ticks})
            for slot, pid in self.pids.items():
                self.look(slot, pid)

    def look(self, slot, pid):
        try:
            self.rss_kb = max(self.rss_kb, peak_rss_kb(self.pid))
            self.ticks[slot] = max(self.ticks[slot], cpu_ticks(pid))
        except (OSError, StopIteration):
            pass  # it has just ended

    def end(self):
        self.ended.set()
        self.join()


class Bench:
    def __init__(self, args, own, directory):
        self.args, self.own, self.directory = args, own, directory
        self.database = own.postgres.database("slots").create()
        self.tables = [f"typical{number}" for number in range(args.tables)]
        for table in self.tables:
            self.database.execute(backlog.TABLE.replace("table typical", f"table {table}"))
        self.connectors = {slots: [self.connector(slots, number) for number in range(args.rounds)] for slots in range(1, args.slots + 1)}

    def connector(self, slots, number):
        name = f"s{slots}r{number}"
        pins = ",".join(rf"public\.{table}:{self.slot_of(i, slots)}" for i, table in enumerate(self.tables))
        config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
                  **database_properties(self.database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name, "publication.name": name,
                  "publication.autocreate.mode": "filtered", "snapshot.mode": "no_data", "table.include.list": r"public\.typical.*",
                  "walduct.slots": slots, **({"walduct.slots.tables": pins} if slots > 1 else {})}
        folder = self.directory / name
        worker = {"sink": "file", "sink.file.path": "/dev/null", "offset.storage.file.filename": str(folder / "offsets.dat")}
        return Connector(folder, config, worker, name=name)

    @staticmethod
    def slot_of(table, slots):
        return table % slots + 1

    def run_to_end(self, connector, *arguments):
        if connector.run_to_end(*arguments, timeout_s=600) != 0:
            raise SystemExit(f"slots: {connector.name} failed:\n{connector.log_text()[-3000:]}")

    def prepare(self):
        """Slots first, then the backlog."""
        for connectors in self.connectors.values():
            for connector in connectors:
                self.run_to_end(connector, "--until-caught-up")
        for step in range(0, self.args.rows, self.args.transaction):
            for table in self.tables:
                self.database.execute(backlog.ROWS.replace("into typical", f"into {table}").format(
                    first=step + 1, last=min(step + self.args.transaction, self.args.rows)))
        self.end = self.database.value("select pg_current_wal_lsn()::text")

    def drain(self, slots, connector):
        names = [connector.slot + (f"_{number}" if number > 1 else "") for number in range(1, slots + 1)]
        connector.start("--until-lsn", self.end)
        watch, begin = Watch(connector.process.pid, self.database, names), time.monotonic()
        watch.start()
        _, status, usage = os.wait4(connector.process.pid, 0)
        seconds = time.monotonic() - begin
        connector.process.returncode = os.waitstatus_to_exitcode(status)
        watch.end()
        if connector.process.returncode != 0:
            raise SystemExit(f"slots: {connector.name} failed:\n{connector.log_text()[-3000:]}")
        rows = self.args.rows * len(self.tables)
        sent = [sum(self.slot_of(i, slots) == number for i in range(len(self.tables))) * self.args.rows for number in range(1, slots + 1)]
        walsenders = [watch.ticks[name] / TICK * 1e6 for name in names]
        return {"rows_per_s": round(rows / seconds), "engine_us_per_row": round((usage.ru_utime + usage.ru_stime) * 1e6 / rows, 2),
                "rss_mb": round(watch.rss_kb / 1024, 1),
                "walsender_us_per_sent_row": [round(us / max(count, 1), 2) for us, count in zip(walsenders, sent)],
                "walsender_us_per_row_of_all": [round(us / rows, 2) for us in walsenders]}

    def run(self):
        self.prepare()
        results = {slots: [] for slots in self.connectors}
        for number in range(self.args.rounds):
            for slots, connectors in self.connectors.items():
                results[slots].append(self.drain(slots, connectors[number]))
                print(f"round {number + 1}, {slots} slots: {results[slots][-1]}", flush=True)
        return {slots: self.median(of) for slots, of in results.items()}

    @staticmethod
    def median(results):
        def of(values):
            return [statistics.median(column) for column in zip(*values)] if isinstance(values[0], list) else statistics.median(values)
        return {key: of([result[key] for result in results]) for key in results[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=3, help="from one to so many")
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--rows", type=int, default=50000, help="of each table")
    parser.add_argument("--transaction", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    slots = str(args.rounds * args.slots * (args.slots + 1) // 2 + 5)
    own = servers.private(postgres=17, pg_set={**backlog.SETTINGS, "max_replication_slots": slots, "max_wal_senders": slots})
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-slots-") as directory:
            report = Bench(args, own, Path(directory)).run()
    finally:
        own.remove()
    print(json.dumps(report, indent=1))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
