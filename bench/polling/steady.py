#!/usr/bin/env python3
"""A polled outbox table with few rows: from commit to consumer at a steady rate with NOTIFY, and what it takes while nothing happens.

  bench/polling/steady.py [--rate N] [--seconds N] [--idle-seconds N] [--only mark|delete|position]... [--postgres 17|18] [--json FILE]

A private PostgreSQL and Kafka on loopback, defaults. One session commits a row --rate times a second; a consumer notes when it sees each; p50 and p99.
Beside it a producer of its own, as often, seen by the same consumer: what of it is the broker's. Then, without a row: CPU time of walduct and of
its session with the database, statements that it asks. Nothing is asserted but that all have come.

Run it with .deps/venv/bin/python, after a release build.
"""
import argparse
import threading
import time
import uuid
from pathlib import Path

import tables
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from latency import spread
from measure import TICK, cpu_ticks
from support.kafka import QUIET
from support.wait import wait_until

SETTLE_S = 12


def arrivals(bootstrap, topic, probes, wanted, into):
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": str(uuid.uuid4()), "enable.auto.commit": False, **QUIET})
    consumer.assign([TopicPartition(name, 0, OFFSET_BEGINNING) for name in (probes, topic)])
    deadline = time.monotonic() + 600
    while len(into) < wanted and time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is None or message.error():
            continue
        number = message.key() if message.topic() == probes else message.value().partition(b'"n": ')[2].partition(b",")[0]
        into[message.topic(), int(number)] = time.monotonic()
    consumer.close()


def latencies(args, own, database, connector):
    topic, probes, count, sent, seen = tables.topic_of(database), f"probes.{database.name}", args.rate * args.seconds, {}, {}
    tables.make_topic(own.bootstrap, probes)
    producer = Producer({"bootstrap.servers": own.bootstrap, "enable.idempotence": True, "linger.ms": 0, **QUIET})
    with database.connect() as session:
        tables.put(session, 0, 0)
        producer.produce(probes, b"first", b"0")
        producer.flush(30)
        consumer = threading.Thread(target=arrivals, args=(own.bootstrap, topic, probes, 2 * count + 2, seen))
        consumer.start()
        wait_until(lambda: len(seen) == 2, 60, f"the consumer reads: {seen}; {connector.log_text()[-600:]}")
        used, begin = connector.cpu_seconds(), time.monotonic()
        for number in range(1, count + 1):
            time.sleep(max(0, begin + number / args.rate - time.monotonic()))
            tables.put(session, number, number)
            sent[topic, number] = time.monotonic()
            time.sleep(max(0, begin + (number + 0.5) / args.rate - time.monotonic()))
            sent[probes, number] = time.monotonic()
            producer.produce(probes, b"note", str(number).encode())
            producer.poll(0)
        cpu = connector.cpu_seconds() - used
    consumer.join(60)
    lost = [key for key in sent if key not in seen]
    if lost:
        raise SystemExit(f"bench: {len(lost)} of {len(sent)} have not come, such as {lost[0]}")
    took = {name: spread([seen[key] - sent[key] for key in sent if key[0] == name]) for name in (topic, probes)}
    return {"commit_to_consumer_ms": took[topic], "broker_alone_ms": took[probes], "cpu_us_per_row": round(cpu * 1e6 / count, 1)}


def idle(args, database, connector):
    time.sleep(SETTLE_S)
    pids = [pid for pid, in database.execute("select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() "
                                             "and backend_type = 'client backend'")]
    database.execute("select pg_stat_statements_reset()")
    before, server, begin = connector.cpu_seconds(), sum(map(cpu_ticks, pids)), time.monotonic()
    time.sleep(args.idle_seconds)
    seconds = time.monotonic() - begin
    calls = database.value("select sum(calls)::bigint from pg_stat_statements s join pg_database d on d.oid = dbid and datname = current_database() "
                           "where query not like '%%pg_stat_statements%%'")
    return {"idle_percent_of_a_core": round(100 * (connector.cpu_seconds() - before) / seconds, 3),
            "idle_percent_of_its_sessions": round(100 * (sum(map(cpu_ticks, pids)) - server) / TICK / seconds, 3),
            "statements_a_5_s": round(5 * (calls or 0) / seconds, 2), "rss_mb": round(connector.rss_kb() / 1024, 1)}


def measure(args, own, directory, done):
    database = tables.opened(own.postgres, f"steady_{done}", done)
    tables.wake(database)
    connector = tables.polling(own, database, directory / done, done)
    try:
        return {**latencies(args, own, database, connector), **idle(args, database, connector)}
    finally:
        connector.close()
        database.close_session()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--idle-seconds", type=int, default=60)
    parser.add_argument("--only", action="append", choices=list(tables.TABLES), default=[])
    parser.add_argument("--postgres", type=int, default=17, choices=[17, 18])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tables.own_servers(args, kafka=True, pg_set=tables.STATEMENTS) as (own, directory):
        found = {done: measure(args, own, directory, done) for done in args.only or tables.TABLES}
    for done, measured in found.items():
        print(f"{done}: " + ", ".join(f"{name} {value}" for name, value in measured.items()))
    print("wanted: p50 3 ms, p99 10 ms, 0.1 % of a core and of the database, one statement a 5 s")
    tables.keep(found, args.json)


if __name__ == "__main__":
    main()
