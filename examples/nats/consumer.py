#!/usr/bin/env python3
"""Applies each event of an outbox to a database exactly once; the events come from a stream of NATS JetStream.

A durable consumer hands a message out again until it is acknowledged. The effect and the fact that it has been applied are written
in one transaction; the second time the inbox says no.

    BEGIN
      INSERT INTO inbox … ON CONFLICT DO NOTHING     no row: handled before, skip the effect
      the effect
    COMMIT
    then, and only then, the acknowledgement

    DATABASE_URL=postgres://billing@localhost/billing NATS=nats://localhost:4222 consumer.py
"""
import asyncio
import json
import os
import signal

import nats
import psycopg
from nats.js.errors import NotFoundError

EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"


class StreamConsumer:
    def __init__(self, setting=os.environ.get):
        self.server = setting("NATS", "nats://localhost:4222")
        self.database = psycopg.connect(setting("DATABASE_URL", "postgres://localhost/billing"))
        self.subject, self.group = setting("SUBJECT", "outbox.event.Order"), setting("GROUP", "billing")
        self.stopping = asyncio.Event()

    async def subscribe(self, connection):
        """From the first message on; the stream is walduct's to make."""
        while not self.stopping.is_set():
            try:
                return await connection.jetstream().pull_subscribe(self.subject, durable=self.group)
            except NotFoundError:
                await asyncio.sleep(0.5)
        return None

    async def run(self):
        for one in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(one, self.stopping.set)
        connection = await nats.connect(self.server)
        subscription = await self.subscribe(connection)
        while not self.stopping.is_set():
            try:
                messages = await subscription.fetch(100, timeout=0.5)
            except asyncio.TimeoutError:
                continue
            for message in messages:
                self.handle(message.headers, message.data)
                await message.ack_sync()
        await connection.close()

    def handle(self, headers, body):
        message_id, kind = json.loads(headers["id"]), json.loads(headers.get("eventType", "null"))
        with self.database.transaction():
            new = self.database.execute(INBOX, (self.group, message_id)).fetchone()
            if new and kind == "OrderPlaced":
                self.database.execute(EFFECT, json.loads(body))
        print(f"{'applied' if new else 'seen before'} {message_id}", flush=True)


if __name__ == "__main__":
    asyncio.run(StreamConsumer().run())
