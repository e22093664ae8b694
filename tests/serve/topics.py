#!/usr/bin/env python3
"""Plays what was recorded of Kafka Connect's internal topics against `walduct serve`, with servers of its own, and compares.

topics.py      Exit status: 0 equal, 1 differences.
"""
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition  # noqa: E402

from recorded import worker_topics  # noqa: E402
from recorded.records import load  # noqa: E402
from support import servers  # noqa: E402
from support.serve import Worker  # noqa: E402

GOLDEN = HERE / "corpus_topics"
TOPICS = {"configs": "replay-configs", "status": "replay-status", "offsets": "replay-offsets"}
QUIET_S = 2.0

# Steps that write positions by request. What a connector stores by itself differs on purpose: it stands at a commit, has
# walduct's own keys beside Debezium's, and is written at each take-over of a slot.
REQUESTED_POSITIONS = {15, 16, 20, 21}


class Tail:
    """All records of the three topics, as they come."""

    def __init__(self, bootstrap):
        self.records, self.step = [], 0
        self.consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "replay-tail", "enable.auto.commit": False,
                                  "fetch.wait.max.ms": 10})
        known = self.consumer.list_topics(timeout=20).topics
        self.consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for topic in TOPICS.values()
                              for partition in known[topic].partitions])

    def settle(self, timeout_s=30):
        """Until nothing has come for a while."""
        names = {topic: kind for kind, topic in TOPICS.items()}
        last, end = time.monotonic(), time.monotonic() + timeout_s
        while time.monotonic() < min(end, last + QUIET_S):
            message = self.consumer.poll(0.1)
            if message is None or message.error():
                continue
            last = time.monotonic()
            value = message.value()
            self.records.append({"step": self.step, "topic": names[message.topic()], "partition": message.partition(),
                                 "key": message.key().decode(), "value": None if value is None else value.decode()})


class Replay:
    def __init__(self, own, directory):
        self.own, self.worker = own, Worker(directory / "worker", own.bootstrap, "replay")
        postgres = own.postgres
        self.names = {"${host}": postgres.host, "${port}": str(postgres.port), "${user}": postgres.user,
                      "${password}": postgres.password, "${db}": "op_topics", "${slot}": "op_topics", "${prefix}": "op_topics"}

    def sql(self, statement, database="op_topics"):
        with self.own.postgres.connect(database) as connection:
            connection.execute(statement)

    def put(self, text):
        for name, value in self.names.items():
            text = text.replace(name, value)
        return text

    def back(self, text):
        """What depends on the place, as the recording has it."""
        if text is None:
            return None
        postgres = self.own.postgres
        text = text.replace(f'"database.port":"{postgres.port}"', '"database.port":"${port}"')
        return text.replace(f'"database.hostname":"{postgres.host}"', '"database.hostname":"${host}"')

    def ask(self, request):
        for statement in request.get("sql", ()):
            self.sql(statement)
        if "request" not in request:
            return
        method, path = request["request"].split(" ", 1)
        body = json.loads(self.put(json.dumps(request["json"]))) if "json" in request else None
        status, answer = self.worker.ask(method, path, body)
        assert status < 300, (request, status, answer)

    def run(self):
        self.sql("create database op_topics", "postgres")
        self.sql("create table orders (id int primary key, name text)")
        self.sql("insert into orders values (1, 'a'), (2, 'b')")
        self.worker.start("--log-level", "warn")
        tail = Tail(self.own.bootstrap)
        for step in json.loads((GOLDEN / "steps.json").read_text()):
            tail.step = step["step"]
            for request in step["requests"]:
                self.ask(request)
            tail.settle()
        self.worker.stop()
        return [{**record, "value": self.back(record["value"])} for record in tail.records]


def differences(records):
    steps = json.loads((GOLDEN / "steps.json").read_text())
    return [text for (step, topic), text in worker_topics.compare(steps, load(GOLDEN / "records.jsonl"), records)
            if topic != "offsets" or step in REQUESTED_POSITIONS]


def main():
    directory = Path(tempfile.mkdtemp(prefix="rest-topics-"))
    own = servers.private(postgres=17, kafka=True)
    replay = Replay(own, directory)
    try:
        records = replay.run()
    finally:
        replay.worker.kill()
        own.remove()
    found = differences(records)
    print("\n".join(found) + f"{len(found)} differences" if found else "topics: equal")
    if not found:
        shutil.rmtree(directory)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
