#!/usr/bin/env python3
"""Applies each event of an outbox to a database exactly once; the events come from a stream of Kinesis.

A stream deletes nothing that was read: where a reader is, it has to keep itself. Effects, the fact that an event has been applied and the
place in the shard are written in one transaction, so that a crash forgets all of them or none. What the producer's side sends twice
has the same id, and the inbox says no.

    BEGIN
      INSERT INTO inbox … ON CONFLICT DO NOTHING     no row: handled before, skip the effect
      the effect                                     both for each record of a batch
      the place behind the last record
    COMMIT

One process reads all shards. Where shards are split or merged, or shared out among processes, a library of Kinesis (KCL) keeps the places.

    DATABASE_URL=postgres://billing@localhost/billing STREAM=outbox.event.Order consumer.py
"""
import json
import os
import signal
import time

import boto3
import psycopg

PLACES = "CREATE TABLE IF NOT EXISTS shard_places (consumer text, shard text, sequence_number text NOT NULL, PRIMARY KEY (consumer, shard))"
PLACE = "SELECT sequence_number FROM shard_places WHERE consumer = %s AND shard = %s"
MOVE = """
INSERT INTO shard_places VALUES (%s, %s, %s) ON CONFLICT (consumer, shard) DO UPDATE SET sequence_number = excluded.sequence_number
"""
EFFECT = """
INSERT INTO customer_totals (customer, orders, total) VALUES (%(customer)s, 1, %(total)s)
ON CONFLICT (customer) DO UPDATE SET orders = customer_totals.orders + 1, total = customer_totals.total + excluded.total
"""
INBOX = "INSERT INTO inbox (consumer, message_id) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING 1"
PAUSE_S = 0.2  # a shard may be asked five times a second


class StreamConsumer:
    def __init__(self, setting=os.environ.get):
        self.kinesis = boto3.client("kinesis", region_name=setting("AWS_REGION", "eu-central-1"), endpoint_url=setting("AWS_ENDPOINT_URL"))
        self.database = psycopg.connect(setting("DATABASE_URL", "postgres://localhost/billing"), autocommit=True)
        self.stream, self.group = setting("STREAM", "outbox.event.Order"), setting("GROUP", "billing")
        self.database.execute(PLACES)
        self.stopping = False

    def run(self):
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self.stop)
        shards = [shard["ShardId"] for shard in self.kinesis.list_shards(StreamName=self.stream)["Shards"]]
        iterators = {shard: self.iterator(shard) for shard in shards}
        while not self.stopping:
            for shard, iterator in iterators.items():
                answer = self.kinesis.get_records(ShardIterator=iterator, Limit=1000)
                self.handle(shard, answer["Records"])
                iterators[shard] = answer["NextShardIterator"]
            time.sleep(PAUSE_S)

    def stop(self, *_):
        self.stopping = True

    def iterator(self, shard):
        place = self.database.execute(PLACE, (self.group, shard)).fetchone()
        where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "StartingSequenceNumber": place[0]} if place else {"ShardIteratorType": "TRIM_HORIZON"}
        return self.kinesis.get_shard_iterator(StreamName=self.stream, ShardId=shard, **where)["ShardIterator"]

    def handle(self, shard, records):
        if not records:
            return
        said = []
        with self.database.transaction():
            for record in records:
                event = json.loads(record["Data"])
                new = self.database.execute(INBOX, (self.group, event["eventId"])).fetchone()
                if new and event["eventType"] == "OrderPlaced":
                    self.database.execute(EFFECT, json.loads(event["payload"]))
                said.append(f"{'applied' if new else 'seen before'} {event['eventId']}")
            self.database.execute(MOVE, (self.group, shard, records[-1]["SequenceNumber"]))
        print("\n".join(said), flush=True)


if __name__ == "__main__":
    StreamConsumer().run()
