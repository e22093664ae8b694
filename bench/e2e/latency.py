#!/usr/bin/env python3
"""How long after its commit a change is in its topic, at a steady rate of small transactions.

  bench/e2e/latency.py [--rate N] [--seconds N] [--postgres 15|17|18] [--unix] [--snapshot-rows N [--snapshot-rate N]]
                       [--set NAME=VALUE]... [--json FILE]

A private PostgreSQL and Kafka on loopback. One session commits a row --rate times a second; walduct streams; a consumer notes when
it sees each row. Between them a producer of its own sends a record as often, and the same consumer sees that: the broker's own
round trip, its wake-ups and the consumer's included. Printed: p50, p99 and p99.9 of both and of CPU time, and the difference of
the first two: what walduct and the walsender add between commit and acknowledgement. Nothing is asserted but that all have come.
--snapshot-rows: then the same once more, while an incremental snapshot of a table of so many rows runs from the first to the last;
--snapshot-rate: its walduct.snapshot.rows.per.second. --set: a property of the connector.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import os
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from measure import TICK, cpu_ticks  # noqa: E402
from support import servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties  # noqa: E402
from support.kafka import QUIET, TopicReader  # noqa: E402
from support.paths import BINARY  # noqa: E402
from support.wait import wait_until  # noqa: E402

PROBES, PREFIX = "probes", "latency"
TOPIC = f"{PREFIX}.public.beats"


def arrivals(bootstrap, wanted, into):
    """When each record of the two topics was seen, by topic and number."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": str(uuid.uuid4()), "enable.auto.commit": False, **QUIET})
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING) for topic in (PROBES, TOPIC)])
    deadline = time.monotonic() + 600
    while len(into) < wanted and time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is None or message.error():
            continue
        now = time.monotonic()
        number = int(message.key()) if message.topic() == PROBES else json.loads(message.key())["id"]
        into[message.topic(), number] = now
    consumer.close()


def spread(seconds):
    ordered = sorted(seconds)
    return {name: round(1e3 * ordered[min(len(ordered) - 1, int(len(ordered) * share))], 3)
            for name, share in (("p50", .5), ("p99", .99), ("p999", .999))}


def measure(args, own, directory):
    database = own.postgres.database("latency").create()
    database.execute("create table beats (id bigint primary key, note text)")
    database.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    database.execute(f"create table big as select g::bigint as id, repeat('x', 60) as note from generate_series(1, {args.snapshot_rows}) g")
    database.execute("alter table big add primary key (id)")
    database.execute("vacuum analyze big")
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
              **database_properties(database), **PLAIN_JSON, "topic.prefix": PREFIX, "slot.name": PREFIX, "snapshot.mode": "no_data",
              "publication.autocreate.mode": "filtered", "table.include.list": "public.beats,public.big,public.signals",
              "signal.data.collection": "public.signals", "walduct.snapshot.rows.per.second": str(args.snapshot_rate),
              "database.hostname": str(directory) if args.unix else own.postgres.host,
              **dict(chosen.split("=", 1) for chosen in args.set)}
    worker = {"bootstrap.servers": own.bootstrap, "offset.storage.file.filename": str(directory / "offsets.dat")}
    connector = Connector(directory / "walduct", config, worker, name=PREFIX, binary=BINARY)
    connector.start()
    wait_until(lambda: database.slot(PREFIX) and database.slot(PREFIX)["active_pid"], 30, "walduct streams")
    producer = Producer({"bootstrap.servers": own.bootstrap, "enable.idempotence": True, "linger.ms": 0, **QUIET})
    database.execute("insert into beats values (0, 'first')")  # makes the topic
    producer.produce(PROBES, b"first", b"0")
    producer.flush(30)
    reader = TopicReader(own.bootstrap, TOPIC)
    wait_until(lambda: reader.count() == 1, 30, "the first row is there")
    reader.close()
    count, sent, seen = args.rate * args.seconds, {}, {}
    phases = 2 if args.snapshot_rows else 1
    wanted = 2 * (phases * count + 1)
    consumer = threading.Thread(target=arrivals, args=(own.bootstrap, wanted, seen))
    consumer.start()
    wait_until(lambda: len(seen) == 2, 30, "the consumer reads")
    cpu = []
    for phase in range(phases):
        if phase:
            data = {"type": "incremental", "data-collections": ["public.big"]}
            database.execute("insert into signals values ('a', 'execute-snapshot', %s)", json.dumps(data))
            connector.wait_log("signal .*id=a")
        ticks = cpu_ticks(connector.process.pid)
        beat(args, database, producer, phase * count, sent)
        cpu.append((cpu_ticks(connector.process.pid) - ticks) / TICK)
        if phase and connector.logged("incremental snapshot completed"):
            raise SystemExit("bench: the snapshot was over before the last row; give it more --snapshot-rows")
    consumer.join()
    progress = connector.log_text().splitlines()[-1] if phases > 1 else ""
    connector.stop()
    if len(seen) < wanted:
        raise SystemExit(f"bench: {len(seen)} of {wanted} records have come")
    results = [of_phase(args, sent, seen, range(phase * count + 1, (phase + 1) * count + 1), cpu[phase]) for phase in range(phases)]
    return {**results[0], **({"beside_a_snapshot": results[1], "snapshot": progress} if phases > 1 else {})}


def beat(args, database, producer, behind, sent):
    begin = time.monotonic()
    with database.connect() as session:
        for number in range(1, args.rate * args.seconds + 1):
            for half, topic in enumerate((TOPIC, PROBES)):
                time.sleep(max(0, begin + (number + half / 2) / args.rate - time.monotonic()))
                if topic == TOPIC:
                    session.execute("insert into beats values (%s, %s)", (behind + number, "note"))
                    sent[topic, behind + number] = time.monotonic()
                else:
                    sent[topic, behind + number] = time.monotonic()
                    producer.produce(PROBES, b"note", str(behind + number).encode())
                    producer.poll(0)


def of_phase(args, sent, seen, numbers, cpu):
    took = {topic: [seen[topic, number] - sent[topic, number] for number in numbers] for topic in (TOPIC, PROBES)}
    ours, broker = spread(took[TOPIC]), spread(took[PROBES])
    return {"rate": args.rate, "rows": len(numbers), "connection": "unix" if args.unix else "tcp", "walduct_ms": ours, "broker_ms": broker,
            "added_ms": {key: round(ours[key] - broker[key], 3) for key in ours}, "cpu_us_per_row": round(cpu * 1e6 / len(numbers), 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--unix", action="store_true")
    parser.add_argument("--snapshot-rows", type=int, default=0)
    parser.add_argument("--snapshot-rate", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="walduct-latency-") as directory:
        os.chmod(directory, 0o777)  # the server runs as another user, and puts its socket there
        membership = servers.join_run()  # else another run that ends takes the servers for those of a broken one
        own = servers.private(postgres=args.postgres, kafka=True, pg_set={"unix_socket_directories": directory if args.unix else ""})
        try:
            measured = measure(args, own, Path(directory))
        finally:
            own.remove()
            servers.leave_run(membership)
    for result in (measured, measured.get("beside_a_snapshot")):
        if result is None:
            continue
        print("" if result is measured else f"beside an incremental snapshot ({measured['snapshot']}):")
        for name in ("walduct", "broker", "added"):
            print(f"{name:<8} " + ", ".join(f"{key} {value:.2f} ms" for key, value in result[f"{name}_ms"].items()))
        print(f"CPU of walduct {result['cpu_us_per_row']} us a row")
    if args.json:
        args.json.write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
