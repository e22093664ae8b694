"""The part of scripts/quickstart after installing and building: servers, tables, walduct, changes, events."""
import argparse
import fcntl
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from event_printer import EventReader, operation, paint, print_event

ROOT = Path(__file__).resolve().parent.parent
DIR = ROOT / ".run" / "quickstart"
WALDUCT = ROOT / "build" / "release" / "walduct"
TOPICS = ["demo.public.customers", "demo.public.orders"]
EVENT_TIMEOUT_S = 60
STOP_TIMEOUT_S = 15

TABLES = """
create table customers (id integer primary key, name text not null, email text, created timestamptz default now());
create table orders (id integer primary key, customer_id integer references customers, item text, quantity integer);
insert into customers values (1, 'Ada', 'ada@example.com'), (2, 'Linus', null);
insert into orders values (100, 1, 'pump', 2), (101, 2, 'valve', 5);
"""

# What happens, and exactly what must be read back: (topic, key, op), op None being a tombstone.
CUSTOMERS, ORDERS = TOPICS
SNAPSHOT = [(CUSTOMERS, 1, "r"), (CUSTOMERS, 2, "r"), (ORDERS, 100, "r"), (ORDERS, 101, "r")]
STEPS = [
    ("insert into customers values (3, 'Grace', 'grace@example.com')", [(CUSTOMERS, 3, "c")]),
    ("insert into orders values (102, 3, 'pipe', 40)", [(ORDERS, 102, "c")]),
    ("update customers set email = 'linus@example.com' where id = 2", [(CUSTOMERS, 2, "u")]),
    ("delete from orders where id = 100", [(ORDERS, 100, "d"), (ORDERS, 100, None)]),
    ("update orders set id = 201 where id = 101", [(ORDERS, 101, "d"), (ORDERS, 101, None), (ORDERS, 201, "c")]),
]


class TourError(Exception):
    """A failure that one line explains."""


def step(text):
    print(paint(f"\n==> {text}", 1), flush=True)


def servers(*arguments):
    command = [sys.executable, ROOT / "scripts/servers", *arguments, "--dir", DIR]
    if subprocess.run([str(c) for c in command]).returncode != 0:
        sys.exit(1)  # scripts/servers said why


def hold_lock():
    """One quickstart at a time in a checkout; the lock goes with the process."""
    DIR.parent.mkdir(exist_ok=True)
    lock = open(DIR.with_suffix(".lock"), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise TourError("another quickstart is running in this checkout")
    return lock


def start_servers(args):
    servers("remove")
    start = ["start", "--postgres", "15", "--kafka"]
    if args.pg_port:
        start += ["--pg-port", str(args.pg_port)]
    if args.kafka_port:
        start += ["--kafka-port", str(args.kafka_port)]
    try:
        servers(*start)
    except BaseException:
        servers("stop")
        raise
    return json.loads((DIR / "servers.json").read_text())


def write_configuration(env):
    connector = {
        "name": "quickstart",
        "config": {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "plugin.name": "pgoutput",
            "database.hostname": env["PG_HOST"],
            "database.port": str(env["PG_PORT"]),
            "database.user": env["PG_USER"],
            "database.password": env["PG_PASSWORD"],
            "database.dbname": "shop",
            "topic.prefix": "demo",
            "slot.name": "quickstart",
            "publication.name": "quickstart",
            "publication.autocreate.mode": "filtered",
            "table.include.list": "public.customers,public.orders",
        },
    }
    worker = {
        "bootstrap.servers": env["KAFKA_BOOTSTRAP"],
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "key.converter.schemas.enable": "false",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "offset.storage.topic": "connect-offsets",
        "offset.storage.replication.factor": "1",
        "offset.storage.partitions": "1",
        "offset.flush.interval.ms": "1000",
    }
    (DIR / "connector.json").write_text(json.dumps(connector, indent=2) + "\n")
    (DIR / "worker.properties").write_text("".join(f"{k}={v}\n" for k, v in worker.items()))


def connection_string(env, database):
    return f"postgresql://{env['PG_USER']}:{env['PG_PASSWORD']}@{env['PG_HOST']}:{env['PG_PORT']}/{database}"


class Walduct:
    """The process under demonstration."""

    def __init__(self):
        self.log = DIR / "walduct.log"
        command = [WALDUCT, "run", "-f", DIR / "connector.json", "-w", DIR / "worker.properties"]
        with open(self.log, "wb") as log:
            # A session of its own: Ctrl-C reaches this script only, which then stops things in order.
            self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)

    def check(self):
        if self.process.poll() is not None:
            end = "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])
            raise TourError(f"walduct ended with exit code {self.process.returncode}; the end of {self.log}:\n{end}")

    def stop(self):
        """Stops it as an operator would; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise TourError(f"walduct did not stop within {STOP_TIMEOUT_S} s of SIGTERM; log: {self.log}")


def identify(message):
    key = json.loads(message.key()) if message.key() is not None else {}
    return message.topic(), key.get("payload", key).get("id"), operation(message)


def expect(reader, walduct, expected):
    """Prints events until as many came as expected; they must be the expected ones, in order within each topic."""
    got = []
    deadline = time.monotonic() + EVENT_TIMEOUT_S
    while len(got) < len(expected):
        walduct.check()
        message = reader.poll(0.5)
        if message is not None:
            print_event(message)
            got.append(identify(message))
        elif time.monotonic() > deadline:
            raise TourError(f"after {EVENT_TIMEOUT_S} s {len(got)} of {len(expected)} events came; log: {walduct.log}")
    for topic in TOPICS:
        if [e for e in got if e[0] == topic] != [e for e in expected if e[0] == topic]:
            raise TourError(f"expected (topic, key, op) {expected}, read {got}")


def expect_nothing_more(reader):
    message = reader.poll(1.0)
    if message is not None:
        raise TourError(f"unexpected event {identify(message)}")


def tour(env, reader, walduct):
    step("what was there before: the snapshot")
    expect(reader, walduct, SNAPSHOT)
    with psycopg.connect(connection_string(env, "shop"), autocommit=True) as db:
        for sql, events in STEPS:
            step(sql)
            db.execute(sql)
            expect(reader, walduct, events)
    expect_nothing_more(reader)


def follow(env, reader, walduct):
    step("all of it keeps running until Ctrl-C; new events appear here. In another terminal, try:")
    print(f"  psql {connection_string(env, 'shop')} -c \"insert into customers values (4, 'Alan')\"")
    print(f"  scripts/events --bootstrap {env['KAFKA_BOOTSTRAP']} {' '.join(TOPICS)}")
    print(f"  less {DIR.relative_to(ROOT)}/connector.json {DIR.relative_to(ROOT)}/worker.properties")
    print(f"  logs: {DIR.relative_to(ROOT)}/walduct.log, kafka.log, postgres.log\n", flush=True)
    while True:
        walduct.check()
        message = reader.poll(0.5)
        if message is not None:
            print_event(message)


def run(args):
    step("starting PostgreSQL 15 and Kafka under .run/quickstart")
    env = start_servers(args)
    walduct = reader = None
    try:
        with psycopg.connect(connection_string(env, "postgres"), autocommit=True) as db:
            db.execute("create database shop")
        with psycopg.connect(connection_string(env, "shop")) as db:
            db.execute(TABLES)
        write_configuration(env)
        step("starting walduct")
        print("  walduct run -f .run/quickstart/connector.json -w .run/quickstart/worker.properties", flush=True)
        walduct = Walduct()
        reader = EventReader(env["KAFKA_BOOTSTRAP"], TOPICS)
        tour(env, reader, walduct)
        if not args.once:
            follow(env, reader, walduct)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        step("stopping")
        if reader:
            reader.close()
        try:
            code = walduct.stop() if walduct else None
        finally:
            servers("stop")
    if code != 0:
        raise TourError(f"walduct ended with exit code {code} after SIGTERM; log: {walduct.log}")
    print(f"quickstart: all {len(SNAPSHOT) + sum(len(events) for _, events in STEPS)} expected events were read back")


def main():
    parser = argparse.ArgumentParser(prog="quickstart")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--pg-port", type=int)
    parser.add_argument("--kafka-port", type=int)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("quickstart: ended by SIGTERM"))
    try:
        with hold_lock():
            run(args)
    except KeyboardInterrupt:
        return 0
    except (TourError, psycopg.Error, OSError) as error:
        print(f"quickstart: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
