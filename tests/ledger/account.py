"""What a topic gives when it is replayed by key, held to its table. Of millions of records: numbers in arrays, no objects."""
import re
import time
from array import array
from dataclasses import dataclass

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from support.kafka import QUIET

GONE = -(1 << 62)
_ID = re.compile(rb'\{"id":(\d+)\}')
_VALUE = re.compile(rb'"after":\{"id":\d+,"v":(-?\d+)\}')


@dataclass
class Replay:
    """By key, which is a number from 1 up to `keys`."""
    keys: int
    records: int = 0
    reads: int = 0

    def __post_init__(self):
        self.values = array("q", [GONE]) * (self.keys + 1)
        self.times_read = bytearray(self.keys + 1)

    def take(self, key, value):
        number = int(_ID.fullmatch(key).group(1))
        self.records += 1
        if value is None:
            return
        at = value.rfind(b'"op":"') + 6
        operation = value[at:at + 1]
        if operation == b"d":
            self.values[number] = GONE
            return
        self.values[number] = int(_VALUE.search(value).group(1))
        if operation == b"r":
            self.reads += 1
            self.times_read[number] += 1

    @property
    def read_again(self):
        return sum(times - 1 for times in self.times_read if times > 1)


def replay(bootstrap, topic, keys):
    """Of a topic with one partition, up to its present end."""
    result = Replay(keys)
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "ledger", "enable.auto.commit": False,
                         "isolation.level": "read_committed", "check.crcs": False, "fetch.message.max.bytes": 8 << 20, **QUIET})
    partition = TopicPartition(topic, 0, OFFSET_BEGINNING)
    end = consumer.get_watermark_offsets(partition, timeout=20)[1]
    consumer.assign([partition])
    at, deadline = 0, time.monotonic() + 600
    while at < end and time.monotonic() < deadline:
        for message in consumer.consume(20000, 1):
            if not message.error() and at < end:
                result.take(message.key(), message.value())
                at = message.offset() + 1
    consumer.close()
    assert at >= end, f"{topic} is read to {at} of {end}"
    return result


def compare(database, table, result):
    """{lost, wrong, invented}: keys of the table without a row in the topic, with another one, and those that the table has not."""
    found, lost, wrong = 0, 0, 0
    with database.connect() as session, session.cursor().copy(f"copy {table} to stdout") as rows:
        for line in _lines(rows):
            key, value = line.split(b"\t")
            there = result.values[int(key)]
            found += there != GONE
            lost += there == GONE
            wrong += there not in (GONE, int(value))
    alive = sum(1 for value in result.values if value != GONE)
    return {"lost": lost, "wrong": wrong, "invented": alive - found}


def _lines(chunks):
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + bytes(chunk)).split(b"\n")
        yield from lines
    assert not rest
