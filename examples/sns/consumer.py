#!/usr/bin/env python3
"""Applies each event of an outbox to a database exactly once; the events come from a topic of SNS, through a queue that is subscribed to it.

SNS keeps nothing: a message goes to those who are subscribed when it comes, so the queue is there before walduct starts, and each consumer
has one of its own. Subscribed with raw delivery, the body is the event as walduct sent it.

    BEGIN
      INSERT INTO inbox … ON CONFLICT DO NOTHING     no row: handled before, skip the effect
      the effect
    COMMIT
    then, and only then, the message is deleted

    DATABASE_URL=postgres://billing@localhost/billing QUEUE_URL=https://sqs.eu-central-1.amazonaws.com/…/billing.fifo consumer.py
"""
import json
import os
import signal

import boto3
import psycopg

EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"


class SubscribedQueue:
    def __init__(self, setting=os.environ.get):
        self.sqs = boto3.client("sqs", region_name=setting("AWS_REGION", "eu-central-1"), endpoint_url=setting("AWS_ENDPOINT_URL"))
        self.database = psycopg.connect(setting("DATABASE_URL", "postgres://localhost/billing"))
        self.queue, self.group = setting("QUEUE_URL", "http://localhost:5000/123456789012/billing.fifo"), setting("GROUP", "billing")
        self.stopping = False

    def run(self):
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self.stop)
        while not self.stopping:
            taken = self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10, WaitTimeSeconds=1, VisibilityTimeout=10)
            for message in taken.get("Messages", []):
                self.handle(json.loads(message["Body"]))
                self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])

    def stop(self, *_):
        self.stopping = True

    def handle(self, event):
        with self.database.transaction():
            new = self.database.execute(INBOX, (self.group, event["eventId"])).fetchone()
            if new and event["eventType"] == "OrderPlaced":
                self.database.execute(EFFECT, json.loads(event["payload"]))
        print(f"{'applied' if new else 'seen before'} {event['eventId']}", flush=True)


if __name__ == "__main__":
    SubscribedQueue().run()
