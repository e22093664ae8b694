#!/usr/bin/env python3
"""Applies each event of an outbox to a database exactly once; the events come from a queue of RabbitMQ.

RabbitMQ hands a message out again when it was not acknowledged, and walduct sends one again that was not confirmed. The effect and
the fact that it has been applied are written in one transaction; the second time the inbox says no.

    BEGIN
      INSERT INTO inbox … ON CONFLICT DO NOTHING     no row: handled before, skip the effect
      the effect
    COMMIT
    then, and only then, the acknowledgement

    DATABASE_URL=postgres://billing@localhost/billing RABBITMQ_HOST=localhost RABBITMQ_PORT=5672 consumer.py
"""
import json
import os
import signal

import pika
import psycopg

EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"


class QueueConsumer:
    def __init__(self, setting=os.environ.get):
        self.broker = pika.ConnectionParameters(setting("RABBITMQ_HOST", "localhost"), int(setting("RABBITMQ_PORT", "5672")))
        self.database = psycopg.connect(setting("DATABASE_URL", "postgres://localhost/billing"))
        self.queue, self.group = setting("QUEUE", "outbox.event.Order"), setting("GROUP", "billing")
        self.stopping = False

    def stop(self, *_):
        self.stopping = True

    def run(self):
        with pika.BlockingConnection(self.broker) as connection:
            channel = connection.channel()
            # As walduct declares it: whoever comes first makes it.
            channel.queue_declare(self.queue, durable=True, arguments={"x-queue-type": "quorum"})
            channel.basic_qos(prefetch_count=100)
            for method, properties, body in channel.consume(self.queue, inactivity_timeout=0.5):
                if method is not None:
                    self.handle(properties.headers, body)
                    channel.basic_ack(method.delivery_tag)
                if self.stopping:
                    channel.cancel()
                    return

    def handle(self, headers, body):
        message_id, kind = json.loads(headers["id"]), json.loads(headers.get("eventType", "null"))
        with self.database.transaction():
            new = self.database.execute(INBOX, (self.group, message_id)).fetchone()
            if new and kind == "OrderPlaced":
                self.database.execute(EFFECT, json.loads(body))
        print(f"{'applied' if new else 'seen before'} {message_id}", flush=True)


def main():
    consumer = QueueConsumer()
    signal.signal(signal.SIGTERM, consumer.stop)
    signal.signal(signal.SIGINT, consumer.stop)
    consumer.run()


if __name__ == "__main__":
    main()
