"""Plays what was recorded of the real Debezium Server at NATS JetStream (server_replay.py).

What differs on purpose: each message has Nats-Msg-Id, of which all are different; one that a stream may refuse alone names the one before
it. Acknowledgements, which *.*.* takes of the real one, are not stored of ours."""
import re

from golden.redis_records import as_header
from golden.server_replay import Replay
from support.nats import Nats

# CloudEvents have positions and clocks in texts: by the names that recorded/records.py knows.
CLOUD = [(re.compile(r'"id":"name:srv;lsn:(\d+);txId:(\d+);sequence:(\[[^\]]*\])"'), r'"lsn":\1,"txId":\2,"sequence":"\3"'),
         (re.compile(r'"iodebezium(lsn|txId)":"(\d+)"'), r'"\1":\2'), (re.compile(r'"iodebeziumts(ms|us|ns)":"(\d+)"'), r'"ts_\1":\2'),
         (re.compile(r'"iodebeziumsequence":'), '"sequence":'), (re.compile(r'"time":"[^"]*Z"'), '"time":"T"'),
         (re.compile(r'"iodebeziumversion":'), '"version":')]


def plain(body):
    for pattern, known in CLOUD:
        body = pattern.sub(known, body)
    return body


class NatsReplay(Replay):
    ADDRESSES = ("NATS", "NATS_AUTH")

    def _nats(self):
        return Nats(self.address, *(("debezium", "dummy") if self.sink.get("auth") else ()))

    def prepare(self):
        with self._nats() as client:
            for name in client.streams():
                client.delete(name)
            for stream in self.sink.get("streams", ()):
                client.create(stream["name"], stream["subjects"])

    def _records(self):
        with self._nats() as client:
            found = [{"stream": name, "subject": subject, "headers": list(headers.items()), "body": body}
                     for name in client.streams() for subject, headers, body in client.messages(name)]
        ids = [dict(record["headers"])["Nats-Msg-Id"] for record in found]
        assert len(ids) == len(set(ids))
        for record in found:
            record["headers"] = [[name, text] for name, text in record["headers"] if not name.startswith("Nats-")]
        return found

    def _as_recorded(self):
        yield from self._records()

    @staticmethod
    def as_topics(records):
        for record in records:
            headers = "\n".join(f"{name} {text}" for name, text in sorted(as_header(*pair) for pair in record["headers"]))
            yield {"topic": record["subject"], "partition": record["stream"], "key": None, "value": f"{plain(record['body'])}\n{headers}", "headers": []}

    def differences(self, strict):
        return super().differences(strict) + ([] if strict else self._created())

    def _created(self):
        """Of the streams that were to be created, what is not as it was."""
        wrong = []
        for wanted in self.scenario.get("created", ()):
            with self._nats() as client:
                config = client.info(wanted["created_stream"])["config"]
            config = {**config, "duplicate_window": config["duplicate_window"] / 1e9, "max_age": config["max_age"] / 1e9}
            wrong += [f"stream: {name} is {config.get(name)}, not {value}" for name, value in wanted.items()
                      if name != "created_stream" and config.get(name) != value]
        return wrong
