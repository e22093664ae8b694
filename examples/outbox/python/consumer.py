#!/usr/bin/env python3
"""Applies each event of an outbox to a database exactly once.

Kafka delivers at least once, so a record may come twice: after a restart of walduct, of this program, or of a broker. The
effect and the fact that it has been applied are written in one transaction; the second time the inbox says no.

    BEGIN
      INSERT INTO inbox … ON CONFLICT DO NOTHING     no row: handled before, skip the effect
      the effect
    COMMIT
    then, and only then, the offset is committed to Kafka

A crash anywhere repeats records and applies nothing twice. The effect here: orders counted and summed per customer.

    DATABASE_URL=postgres://billing@localhost/billing BOOTSTRAP_SERVERS=localhost:9092 consumer.py
"""
import argparse
import json
import os
import signal
import time

import psycopg
from confluent_kafka import Consumer, KafkaError

EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
FORGET = "DELETE FROM inbox WHERE consumer = %s AND handled_at < now() - %s::interval"
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"


def routed(message):
    """(id, type, payload) of a record that the EventRouter made: the id is a header, the value is the payload."""
    headers = {name: (value or b"").decode() for name, value in message.headers() or []}
    return headers["id"], headers.get("eventType"), json.loads(message.value())


def envelope(message):
    """The same from a plain change event of the outbox table; None for what is no insert."""
    change = json.loads(message.value())
    if change.get("op") not in ("c", "r"):
        return None
    row = change["after"]
    return str(row["id"]), row["type"], json.loads(row["payload"])


READERS = {"routed": routed, "envelope": envelope}


class OutboxConsumer:
    def __init__(self, arguments):
        self.name, self.read = arguments.group, READERS[arguments.format]
        self.kafka = Consumer({
            "bootstrap.servers": arguments.brokers,
            "group.id": arguments.group,
            "enable.auto.commit": False,  # an offset is committed after the transaction, never before
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "topic.metadata.refresh.interval.ms": 5000,  # topics of new event types are found soon
        })
        self.kafka.subscribe(arguments.topics)
        self.database = psycopg.connect(arguments.database)
        self.retention, self.forgets = arguments.retention, time.monotonic()
        self.stopping = False

    def stop(self, *_):
        self.stopping = True

    def run(self):
        while not self.stopping:
            if time.monotonic() >= self.forgets:
                self.forget()
            messages = self.kafka.consume(100, timeout=0.5)
            for message in messages:
                if message.error() is None:
                    self.handle(message)
                elif message.error().code() != KafkaError.UNKNOWN_TOPIC_OR_PART:  # until the first event
                    raise SystemExit(f"Kafka: {message.error()}")
            if messages:
                self.commit()
        self.kafka.close()
        self.database.close()

    def handle(self, message):
        event = self.read(message) if message.value() is not None else None
        if event is None:
            return
        message_id, kind, payload = event
        with self.database.transaction():
            new = self.database.execute(INBOX, (self.name, message_id)).fetchone()
            if new and kind == "OrderPlaced":
                self.database.execute(EFFECT, payload)
        print(f"{'applied' if new else 'seen before'} {message_id}", flush=True)

    def forget(self):
        """Once an hour, what no longer comes again: keep it longer than the topic keeps records."""
        with self.database.transaction():
            self.database.execute(FORGET, (self.name, self.retention))
        self.forgets = time.monotonic() + 3600

    def commit(self):
        """Everything handled so far; a failure only means that it comes again."""
        try:
            self.kafka.commit(asynchronous=False)
        except Exception as error:  # noqa: BLE001
            print(f"offsets not committed: {error}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    setting = os.environ.get
    parser.add_argument("--brokers", default=setting("BOOTSTRAP_SERVERS", "localhost:9092"))
    parser.add_argument("--topics", nargs="+", default=[setting("TOPIC", "outbox.event.Order")], help="names, or ^regular expressions")
    parser.add_argument("--group", default=setting("GROUP", "billing"), help="consumer group; also the consumer's name in the inbox")
    parser.add_argument("--database", default=setting("DATABASE_URL", "postgres://localhost/billing"), help="libpq connection string")
    parser.add_argument("--retention", default=setting("INBOX_RETENTION", "30 days"), help="how long an id is remembered")
    parser.add_argument("--format", choices=READERS, default="routed", help="what the topics hold")
    consumer = OutboxConsumer(parser.parse_args())
    signal.signal(signal.SIGTERM, consumer.stop)
    signal.signal(signal.SIGINT, consumer.stop)
    consumer.run()


if __name__ == "__main__":
    main()
