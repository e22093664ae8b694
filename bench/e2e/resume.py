#!/usr/bin/env python3
"""What it costs that an initial snapshot into Kafka is killed on the way.

  bench/e2e/resume.py [--rows N] [--kills N] [--threads N] [--postgres 15|17|18] [--json FILE]

A private PostgreSQL with a table of narrow rows, a private Kafka, walduct with walduct.snapshot.resume=true. It is killed with
SIGKILL when 1/(kills + 1), 2/(kills + 1) … of the rows are in the topic, and started again, while one session updates rows of another
table. Then the topic is read: which keys are missing, how many rows were read twice. Beside that the largest resident set of any of
the processes, and how much WAL the slot kept when the last row was read, as the server and as the log tell it. Exit status 1 when a
row is missing or more than a twentieth was read twice.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from confluent_kafka import Consumer, TopicPartition  # noqa: E402

from support import servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties, peak_rss_kb  # noqa: E402
from support.wait import wait_until  # noqa: E402
from support.writer import Writer  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

MOST_TWICE = 0.05
NAME = "resumed"
TOPIC = f"{NAME}.public.narrow"
WATCH_S = 0.02
BATCH = 10_000
KEY = re.compile(rb'"id":(\d+)')


class Elsewhere(Writer):
    def change(self, session, choose):
        session.execute("update elsewhere set n = n + 1 where id = %s", [choose.randrange(1000)])
        time.sleep(0.001)
        return 1


def connector_of(own, database, directory, threads):
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
              **database_properties(database), **PLAIN_JSON, "topic.prefix": NAME, "slot.name": NAME, "snapshot.mode": "initial",
              "publication.autocreate.mode": "filtered", "table.include.list": "public.narrow,public.elsewhere",
              "walduct.snapshot.resume": "true", "snapshot.max.threads": str(threads)}
    worker = {"bootstrap.servers": own.bootstrap, "offset.storage.file.filename": str(directory / "offsets.dat")}
    return Connector(directory / NAME, config, worker, name=NAME)


class Run:
    def __init__(self, own, connector):
        self.connector, self.rss_kb = connector, 0
        self.consumer = Consumer({"bootstrap.servers": own.bootstrap, "group.id": "bench", "enable.auto.commit": False,
                                  "enable.partition.eof": True, "allow.auto.create.topics": False})

    def written(self):
        try:
            return self.consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=5)[1]
        except Exception:  # noqa: BLE001  (there is no topic yet)
            return 0

    def until(self, condition):
        while not condition():
            if not self.connector.running():
                raise SystemExit(f"bench: it has ended:\n{self.connector.log_text()[-2000:]}")
            self.rss_kb = max(self.rss_kb, peak_rss_kb(self.connector.process.pid))
            time.sleep(WATCH_S)

    def keys(self):
        """Those of the rows that were read, each time they were."""
        self.consumer.assign([TopicPartition(TOPIC, 0, 0)])
        while True:
            for message in self.consumer.consume(BATCH, 10):
                if message.error():
                    return
                if b'"op":"r"' in message.value():
                    yield int(KEY.search(message.key()).group(1))


def killed(run, rows, kills):
    for kill in range(1, kills + 1):
        run.connector.start()
        run.until(lambda kill=kill: run.written() >= rows * kill / (kills + 1))
        run.connector.kill()


def account(run, rows):
    times = bytearray(rows + 1)
    read = 0
    for key in run.keys():
        read += 1
        times[key] = min(times[key] + 1, 255)
    return {"read": read, "missing": times[1:].count(0), "read_twice": read - rows, "share_read_twice": round((read - rows) / rows, 4)}


def measure(own, args, directory):
    database = own.postgres.database("bench_resume").create()
    workload = WORKLOADS["narrow"]
    workload.prepare(database, args.rows)
    workload.fill(database, args.rows, 100_000)
    database.script("create table elsewhere (id int primary key, n int not null); "
                    "insert into elsewhere select i, 0 from generate_series(0, 999) i; vacuum (analyze) narrow; checkpoint")
    connector = connector_of(own, database, directory, args.threads)
    run, writer = Run(own, connector), Elsewhere(database, 1)
    writer.start()
    began = time.monotonic()
    try:
        killed(run, args.rows, args.kills)
        connector.start()
        run.until(lambda: "snapshot completed" in connector.log_text())
        seconds = time.monotonic() - began
        kept = database.value("select pg_current_wal_lsn() - restart_lsn from pg_replication_slots where slot_name = %s", NAME)
        told = re.findall(r"snapshot of table complete table=public.narrow .*retained_wal_bytes=(\d+)", connector.log_text())
        wait_until(lambda: database.slot(NAME)["active"], 30, "streams")
    finally:
        writer.stop()
        connector.close()
    return {"rows": args.rows, "threads": args.threads, "kills": args.kills, **account(run, args.rows), "seconds": round(seconds, 1),
            "rss_mb": round(run.rss_kb / 1024, 1), "retained_wal_mb": round(int(kept) / 2**20, 1),
            "told_retained_wal_mb": round(int(told[-1]) / 2**20, 1) if told else None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--postgres", type=int, default=17, choices=(15, 17, 18))
    parser.add_argument("--json")
    args = parser.parse_args()
    own = servers.private(postgres=args.postgres, kafka=True)
    try:
        with tempfile.TemporaryDirectory() as directory:
            result = measure(own, args, Path(directory))
    finally:
        own.remove()
    print(json.dumps(result))
    if args.json:
        Path(args.json).write_text(json.dumps(result, indent=1))
    return 1 if result["missing"] or result["share_read_twice"] > MOST_TWICE else 0


if __name__ == "__main__":
    sys.exit(main())
