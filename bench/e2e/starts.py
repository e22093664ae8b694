#!/usr/bin/env python3
"""What it costs to start many connectors at once, as after the death of a worker that had them: CPU time of PostgreSQL, of Kafka and of walduct.

  bench/e2e/starts.py [--connectors N] [--rounds N] [--against BINARY] [--json FILE]

Private PostgreSQL and Kafka, a table, a slot, a publication and a topic for each connector (60), all in one `walduct serve` that shares
them with nobody. In each of --rounds (3) it is killed (`kill -9`) and started again; measured is from the start of the process until all
slots are read, and a second more. --against: the same with another build, in turns.

Printed for each round: seconds until all stream, and milliseconds of CPU for each connector.
Run it with .deps/venv/bin/python, after a release build, with nothing beside it.
"""
import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from many import cpu_seconds, server_seconds  # noqa: E402
from support import servers  # noqa: E402
from support.group import Group  # noqa: E402
from support.paths import BINARY  # noqa: E402
from support.wait import wait_until  # noqa: E402

LONGEST_S = 300


def kafka_seconds(own):
    return cpu_seconds(own.broker)


class Starts:
    def __init__(self, own, directory, connectors):
        self.own, self.connectors = own, connectors
        self.database = own.postgres.database("starts").create()
        self.database.script(";".join(f"create table items{i} (id int primary key)" for i in range(connectors)))
        self.group = Group(directory, own.bootstrap, self.database, 1, connectors)
        self.worker = self.group.workers[0]

    def read(self):
        """Slots that a session reads."""
        return self.database.value("select count(*) from pg_replication_slots where active")

    def create(self):
        self.worker.start("--log-level", "warn")
        self.group.create(**{"snapshot.mode": "no_data", "topic.creation.default.partitions": "1",
                             "topic.creation.default.replication.factor": "1"})
        wait_until(lambda: self.read() == self.connectors, LONGEST_S, "all stream", interval_s=0.1)

    def round(self, binary):
        self.worker.kill()
        wait_until(lambda: self.read() == 0, 30, "no slot is read", interval_s=0.1)
        self.worker.binary = binary
        before = server_seconds(self.own), kafka_seconds(self.own)
        begin = time.monotonic()
        self.worker.begin("--log-level", "warn")
        wait_until(lambda: self.read() == self.connectors, LONGEST_S, "all stream", interval_s=0.05)
        lasted = time.monotonic() - begin
        time.sleep(1)
        used = {"postgres": server_seconds(self.own) - before[0], "kafka": kafka_seconds(self.own) - before[1],
                "walduct": cpu_seconds(self.worker.process.pid)}
        return {"seconds": round(lasted, 2), **{who: round(1e3 * seconds / self.connectors, 1) for who, seconds in used.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connectors", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    slots = str(args.connectors + 20)
    own = servers.private(postgres=17, kafka=True, pg_set={
        "max_replication_slots": slots, "max_wal_senders": slots, "max_connections": str(3 * args.connectors + 100)})
    rounds = {"this build": []} | ({"the other one": []} if args.against else {})
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-starts-") as directory:
            starts = Starts(own, Path(directory), args.connectors)
            starts.create()
            for _ in range(args.rounds):
                for build, told in rounds.items():
                    told.append(starts.round(BINARY if build == "this build" else args.against))
                    print(f"starts: {build}: {told[-1]}", flush=True)
            starts.worker.kill()
    finally:
        own.remove()
    report = {build: {key: statistics.median(one[key] for one in told) for key in told[0]} for build, told in rounds.items()}
    print(json.dumps(report, indent=1))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
