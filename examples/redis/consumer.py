#!/usr/bin/env python3
"""Applies each event of an outbox to a database exactly once; the events come from a Redis stream.

A consumer group hands an entry out again until it is acknowledged: to the same consumer after a crash, which asks for what is
pending first. The effect and the fact that it has been applied are written in one transaction; the second time the inbox says no.

    BEGIN
      INSERT INTO inbox … ON CONFLICT DO NOTHING     no row: handled before, skip the effect
      the effect
    COMMIT
    then, and only then, XACK

    DATABASE_URL=postgres://billing@localhost/billing REDIS=localhost:6379 consumer.py
"""
import json
import os
import signal

import psycopg
import redis

EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"


class StreamConsumer:
    def __init__(self, setting=os.environ.get):
        host, _, port = setting("REDIS", "localhost:6379").rpartition(":")
        self.redis = redis.Redis(host=host, port=int(port), decode_responses=True)
        self.database = psycopg.connect(setting("DATABASE_URL", "postgres://localhost/billing"))
        self.stream, self.group = setting("STREAM", "outbox.event.Order"), setting("GROUP", "billing")
        self.stopping = False

    def stop(self, *_):
        self.stopping = True

    def make_group(self):
        """From the first entry on; the stream is there before its first entry."""
        try:
            self.redis.xgroup_create(self.stream, self.group, id="0", mkstream=True)
        except redis.ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise

    def run(self):
        self.make_group()
        after = "0"  # what was handed out and not acknowledged; then ">", what is new
        while not self.stopping:
            answer = self.redis.xreadgroup(self.group, "only", {self.stream: after}, count=100, block=500)
            entries = answer[0][1] if answer else []
            for entry_id, fields in entries:
                self.handle(entry_id, fields)
            if after != ">":
                after = entries[-1][0] if entries else ">"

    def handle(self, entry_id, fields):
        message_id, kind = json.loads(fields["ID"]), json.loads(fields.get("EVENTTYPE", "null"))
        with self.database.transaction():
            new = self.database.execute(INBOX, (self.group, message_id)).fetchone()
            if new and kind == "OrderPlaced":
                self.database.execute(EFFECT, json.loads(fields["value"]))
        self.redis.xack(self.stream, self.group, entry_id)
        print(f"{'applied' if new else 'seen before'} {message_id}", flush=True)


def main():
    consumer = StreamConsumer()
    signal.signal(signal.SIGTERM, consumer.stop)
    signal.signal(signal.SIGINT, consumer.stop)
    consumer.run()


if __name__ == "__main__":
    main()
