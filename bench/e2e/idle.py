#!/usr/bin/env python3
"""From the start of walduct to the first streamed event, and what it takes while nothing happens.

  bench/e2e/idle.py [--rounds N] [--seconds N] [--null] [--postgres 15|17|18] [--json FILE]

A private PostgreSQL and Kafka, a connector with a slot and a topic, defaults. Round by round a row is inserted while walduct is down; the clock runs
from the start of the process until a consumer that waits has the row. Then, streaming, without a change: CPU time and memory, of which
what belongs to files (the program and its libraries) is shared with whoever else runs them. --null: to /dev/null, without a broker, idle only.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests"))

from confluent_kafka import Consumer, TopicPartition  # noqa: E402
from support import backlog, servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties, status_of  # noqa: E402
from support.paths import BINARY  # noqa: E402

SETTLE_S = 12  # beyond the first position that is stored and confirmed
PATIENCE_S = 60


def connector_of(args, own, directory):
    database = own.postgres.database("idle").create()
    database.execute("create table t0 (id bigint primary key, note text)")
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
              **database_properties(database), **PLAIN_JSON, "topic.prefix": "idle", "slot.name": "idle", "snapshot.mode": "no_data",
              "publication.autocreate.mode": "filtered", "table.include.list": "public.t0",
              "status.update.interval.ms": None}
    sink = {"sink": "file", "sink.file.path": "/dev/null"} if args.null else {"bootstrap.servers": own.bootstrap}
    worker = {"offset.storage.file.filename": str(directory / "offsets.dat"), "offset.flush.interval.ms": None, **sink}
    return database, Connector(directory, config, worker, name="idle", binary=BINARY)


def first_events(args, own, database, connector):
    """Milliseconds of each round."""
    insert = "insert into t0 values (%s, 'a row')"
    connector.start().wait_streaming()  # there is a slot
    database.execute(insert, 0)
    connector.wait_events(1)  # and a topic
    connector.terminate(PATIENCE_S)
    consumer = Consumer({"bootstrap.servers": own.bootstrap, "group.id": "idle", "fetch.wait.max.ms": 5})
    took = []
    for number in range(1, args.rounds + 1):
        database.execute(insert, number)
        consumer.assign([TopicPartition("idle.public.t0", 0, number)])
        consumer.poll(1)  # it waits at the end
        begin = time.monotonic()
        connector.start()
        record = consumer.poll(PATIENCE_S)
        if record is None or record.error():
            raise SystemExit(f"bench: no event came:\n{connector.log_text()[-2000:]}")
        took.append((time.monotonic() - begin) * 1e3)
        connector.terminate(PATIENCE_S)
    consumer.close()
    return took


def memory_mb(pid):
    return {name: round(status_of(pid, key) / 1024, 1) for name, key in
            (("rss_mb", "VmRSS"), ("own_mb", "RssAnon"), ("of_files_mb", "RssFile"))}


def idle(args, connector):
    connector.start().wait_streaming()
    time.sleep(SETTLE_S)
    before, begin = connector.cpu_seconds(), time.monotonic()
    time.sleep(args.seconds)
    used = (connector.cpu_seconds() - before) / (time.monotonic() - begin)
    found = {"percent_of_a_core": round(100 * used, 3), **memory_mb(connector.process.pid)}
    connector.terminate(PATIENCE_S)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--null", action="store_true")
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    own = servers.private(postgres=args.postgres, kafka=not args.null, pg_set=backlog.SETTINGS)
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-idle-") as directory:
            database, connector = connector_of(args, own, Path(directory))
            took = [] if args.null else first_events(args, own, database, connector)
            found = idle(args, connector)
    finally:
        own.remove()
    if took:
        found = {"first_event_ms": round(statistics.median(took), 1), "slowest_ms": round(max(took), 1), **found}
    print(", ".join(f"{name} {value}" for name, value in found.items()))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
