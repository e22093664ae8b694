"""Plays what was recorded of the real Debezium Server at Kinesis, SQS and SNS (server_replay.py), into moto, through a door that does what
the scenario says and checks signatures."""
import json
import re

from golden.redis_records import as_header
from golden.server_replay import MARKER, Replay
from support.aws import ENVIRONMENT, Aws, Door
from support.wait import wait_until


class AwsReplay(Replay):
    """What a queue gave is gone from it: it is kept here."""
    ADDRESSES = ("AWS",)

    def __init__(self, name, postgres, address, directory):
        self.client, self.got = Aws(address), []
        self.door = Door(address)
        super().__init__(name, postgres, self.door.url, directory)
        self.door.faults = list(self.sink.get("faults", ()))
        # Faults are for what sends records, not for what a start asks.
        self.door.judge = lambda _, action: self.door.faults.pop(0) if self.door.faults and action in SENDS else "ok"
        self.environment = ENVIRONMENT

    def prepare(self):
        self.client.reset()
        for name, shards in self.sink.get("streams", ()):
            self.client.create_stream(name, shards)
        self.queues = {name: self.client.create_queue(name, **attributes) for name, attributes in self.sink.get("queues", ())}
        self.topics = {name: self.client.create_topic(name, **attributes) for name, attributes in self.sink.get("topics", ())}

    def run(self):
        try:
            super().run()
        finally:
            self.door.close()
        assert not self.door.unsigned, self.door.unsigned

    def _steps(self):
        if not self.scenario["finished"]:
            # It is one of the steps that ends it.
            self.server.wait_streaming()
            self.database.script((self.golden / "steps.sql").read_text())
            return super()._steps()
        if not self.scenario.get("loses"):
            return super()._steps()
        # What has no destination stops it; once that is there nothing is missing.
        parts = (self.golden / "steps.sql").read_text().partition("--wait-exit--")
        self.server.wait_streaming()
        self.database.script(parts[0])
        assert self.server.wait_exit() == 1 and self.server.logged("topic_missing"), self.server.log_text()
        self.client.create_stream("srv.public.t")
        self.server.start(environment=self.environment).wait_streaming()
        self.database.execute("insert into zz_done values (1, %s)", MARKER)
        wait_until(lambda: MARKER in json.dumps(self._records()), 30, "the marker")
        self.server.stop()
        return True

    def _records(self):
        if "streams" in self.sink:
            return [{"stream": stream, "shard": shard, "partition_key": key, "data": data} for stream in self.client.streams()
                    for shard, key, data in self.client.records(stream)]
        for name, url in self.queues.items():
            self.got += [{"queue": name, "body": body, "attributes": attributes, "message_attributes": more} for body, attributes, more in self.client.take(url)]
        for name, url in self.topics.items():
            for body, attributes, _ in self.client.take(url):
                message = json.loads(body)
                self.got.append({"topic": name, "message": message["Message"], "subject": message.get("Subject"), "attributes": attributes,
                                 "message_attributes": message.get("MessageAttributes", {})})
        return self.got

    def _as_recorded(self):
        yield from self._records()

    def differences(self, strict):
        if not self.scenario.get("loses"):
            return super().differences(strict)
        got = json.dumps(self.records)
        return [f"{text} is missing" for text in self.scenario["expect"] if text not in got]

    def as_topics(self, records):
        made = [as_topic(record) for record in records]
        if self.scenario.get("compare", {}).get("unordered"):
            made.sort(key=lambda record: json.dumps([record["topic"], record["key"]]))
        return made


# What a queue makes of the content, and what walduct makes of a change's position, are alike: 64 digits.
HASH = re.compile("[0-9a-f]{64}")


def as_topic(record):
    if "stream" in record:
        return {"topic": record["stream"], "partition": record["shard"], "key": record["partition_key"], "value": record["data"], "headers": []}
    ids = {name: "a hash" if HASH.fullmatch(text) else text for name, text in record["attributes"].items()}
    headers = sorted(as_header(name, text["Value"]) + [text["Type"]] for name, text in record["message_attributes"].items())
    lines = [record.get("body", record.get("message")), json.dumps([record.get("subject"), ids], sort_keys=True), *map(json.dumps, headers)]
    return {"topic": record.get("topic", ""), "partition": record.get("queue", 0), "key": None, "value": "\n".join(lines), "headers": []}


SENDS = ("PutRecords", "SendMessageBatch", "PublishBatch")
