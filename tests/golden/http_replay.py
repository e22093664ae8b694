"""Plays what was recorded of the real Debezium Server at an HTTP server (server_replay.py), into a receiver of its own."""
import json
import re

from golden import http_records
from golden.server_replay import CORPUS, Replay
from support.receiver import Receiver


class HttpReplay(Replay):
    ADDRESSES = ("HTTP",)

    def __init__(self, name, postgres, address, directory):
        scenario = json.loads((CORPUS / name / "scenario.json").read_text())
        self.receiver = Receiver(scenario.get("sink", {}).get("responses", ()), secret=scenario.get("sink", {}).get("secret"))
        super().__init__(name, postgres, self.receiver.url, directory)
        self.environment = {name: re.sub(r"^http://[^/]*", self.receiver.url, value) for name, value in self.scenario.get("env", {}).items()}

    def prepare(self):
        pass

    def run(self):
        try:
            super().run()
        finally:
            self.receiver.close()

    def _records(self):
        return list(self.receiver.requests)

    _as_recorded = _records

    def _has_heartbeat(self):
        return any(http_records.HEARTBEAT.match(request["body"]) for request in self._records())

    def as_topics(self, records):
        return http_records.as_topics(records, **({"flatten": True} if self.scenario.get("compare", {}).get("flatten") else {}))

    def differences(self, strict):
        timed = http_records.pauses_that_differ(self.wanted, self.records) if self.sink.get("timing") else []
        return super().differences(strict) + timed
