#!/usr/bin/env python3
"""What the broker takes from librdkafka alone:  bench/e2e/producer.py BOOTSTRAP TOPIC RECORDS BYTES

Writes that many records of so many bytes each, made beforehand, to a topic of one partition with settings like those of
walduct's producer, and ends when all are acknowledged. snapshot.py runs it beside walduct: what is faster than this, no reader of a database
can be on that machine."""
import sys

from confluent_kafka import Producer

BUFFER_BYTES = 8 << 20  # of walduct: producer.buffer.memory
SETTINGS = {"enable.idempotence": True, "acks": "all", "linger.ms": 1, "queue.buffering.max.kbytes": BUFFER_BYTES // 1024,
            "queue.buffering.max.messages": 1_000_000, "partitioner": "murmur2_random"}


def main(bootstrap, topic, records, size):
    failed = []
    def reported(error, _):  # of those that failed: on_delivery of all would cost more than the rest
        failed.append(error)
    producer = Producer({"bootstrap.servers": bootstrap, "delivery.report.only.error": True, "on_delivery": reported, **SETTINGS})
    payload = b"x" * int(size)
    for number in range(int(records)):
        while True:
            try:
                producer.produce(topic, payload, b"%d" % number)
                break
            except BufferError:
                producer.poll(0.01)
        if number % 1000 == 0:
            producer.poll(0)
    left = producer.flush(120)
    return f"{left} left, {failed[:1]}" if left or failed else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
