"""Plays what was recorded of the real Debezium Server through walduct, with the recorded application.properties, and compares what
arrives at the sink (redis_records.py, recorded/records.py).

What differs on purpose is the position in Redis: it stands at a commit, and has members of our own. Its hash and field are compared."""
import json
import os
import re
from pathlib import Path

from golden import lsn_order, run
from golden.redis_records import as_topics
from recorded.records import compare, load
from support import servers
from support.connector import Connector
from support.redis import Redis
from support.servers import free_ports
from support.wait import wait_until

CORPUS = Path(__file__).resolve().parent / "corpus_server"
MARKER = "zz_done_marker"
POSTGRES = int(os.environ.get("GOLDEN_POSTGRES", "17"))  # they were recorded with 17; 15 and 18 by name
DIRECTIVE = re.compile(r"^--(\w.*)--$", re.M)


def scenario_names(sink):
    """sink: what their names begin with."""
    return sorted(path.parent.name for path in CORPUS.glob(f"{sink}_*/scenario.json"))


class Server(Connector):
    """walduct in the place of Debezium Server."""

    def __init__(self, directory, text):
        super().__init__(directory, {}, {}, name="server")
        self.text = text

    def write_files(self):
        (self.dir / "application.properties").write_text(self.text)

    def files(self):
        return ["-f", self.dir / "application.properties"]


class Replay:
    ADDRESSES = ("REDIS", "REDIS_USERS")  # tokens that mean the sink

    def __init__(self, name, postgres, address, directory):
        self.golden, self.actual = CORPUS / name, directory / name
        self.scenario = json.loads((self.golden / "scenario.json").read_text())
        self.wanted = load(self.golden / "records.jsonl")
        self.sink = self.scenario.get("sink", {})
        self.address, self.environment = address, {}
        self.database = postgres.database("sinklab")
        tokens = {"PG_HOST": postgres.host, "PG_PORT": postgres.port, "DB": "sinklab", "SLOT": "sinklab", "DIR": self.actual,
                  **dict.fromkeys(self.ADDRESSES, self.written(address)), "HEALTH_PORT": free_ports(1)[0]}
        text = re.sub(r"@(\w+)@", lambda token: str(tokens[token[1]]), (self.golden / "application.properties").read_text())
        self.server = Server(self.actual, text.replace("database.password=dummy", f"database.password={postgres.password}"))

    @staticmethod
    def written(address):
        """As the scenarios' properties have it."""
        return address

    def prepare(self):
        """An empty sink, with what the scenario wants to be there."""
        with Redis(self.address) as client:
            client.do("FLUSHALL")
            for command in self.sink.get("commands", ()):
                client.do(*command)

    def run(self):
        self.prepare()
        self.database.create()
        try:
            self.database.script((self.golden / "setup.sql").read_text())
            self.server.start(environment=self.environment)
            self.finished = self._steps()
            self.records = list(self._as_recorded())
        finally:
            self.server.close()
            self.database.drop()

    def _steps(self):
        """Whether the marker arrived."""
        if self.scenario.get("loses"):
            assert self.server.wait_exit() == 3, self.server.log_text()
            return False
        if not self.scenario["finished"]:
            assert self.server.wait_exit(60) == 1, self.server.log_text()
            return False
        self.server.wait_streaming()
        parts = DIRECTIVE.split((self.golden / "steps.sql").read_text())
        self.database.script(parts[0])
        for directive, statements in zip(parts[1::2], parts[2::2]):
            word, *arguments = directive.split()
            if word == "await":
                wait_until(lambda: len(self._records()) >= int(arguments[0]), 30, f"{arguments[0]} records")
            elif word == "stop":
                self.server.stop()
            elif word == "start":
                self.server.start(environment=self.environment).wait_streaming()
            else:
                assert word == "pause", directive  # for the real one
            self.database.script(statements)
        self.database.execute("insert into zz_done values (1, %s)", MARKER)
        wait_until(lambda: MARKER in json.dumps(self._records()), 30, "the marker")
        if "heartbeat" in self.golden.name:
            wait_until(self._has_heartbeat, 30, "a heartbeat")
        self.server.stop()
        return True

    def _has_heartbeat(self):
        return "debezium-heartbeat" in json.dumps(self._records())

    def _records(self):
        found = []
        for number in self.sink.get("dbs", [0]):
            where = {"db": number} if number else {}
            with Redis(self.address, database=number) as client:
                for key in client.keys():
                    if client.do("TYPE", key) == "stream":
                        found += [{**where, "stream": key, "fields": fields} for _, fields in client.entries(key)]
                    elif client.do("TYPE", key) == "hash":
                        flat = [text.decode() for text in client.do("HGETALL", key)]
                        found.append({**where, "hash": key, "fields": sorted(zip(flat[::2], flat[1::2]))})
        return found

    def _as_recorded(self):
        """Of the position the members that the real server has, too."""
        recorded = {record["hash"]: record for record in self.wanted if "hash" in record}
        for record in self._records():
            wanted = recorded.get(record.get("hash"))
            if wanted:
                (field, ours), = record["fields"]
                theirs, ours = json.loads(wanted["fields"][0][1]), json.loads(ours)
                shared = {name: ours[name] for name in theirs} | {"messageType": theirs["messageType"]}
                record["fields"] = [[field, json.dumps(shared, separators=(",", ":"))]]
            yield record

    @staticmethod
    def as_topics(records):
        return as_topics(records)

    def differences(self, strict):
        if self.scenario.get("loses"):
            return ["it went on beyond what the real server lost"] if self.finished else []
        assert self.finished == self.scenario["finished"]
        found = compare(list(self.as_topics(self.wanted)), list(self.as_topics(self.records)), strict)
        return [difference for difference in found if not (strict and difference.startswith("hash "))]  # at its commit


def check(name, address, directory, kind=Replay):
    """Plays it on the server that is shared, alone; fails with the differences."""
    server = servers.shared(f"golden{POSTGRES}", postgres=POSTGRES, **run.SERVER).postgres
    with servers.file_lock(f"golden{POSTGRES}-in-use"):
        differences = replay(name, server, address, directory, kind)
    assert not differences, "\n".join(differences)


def replay(name, postgres, address, directory, kind):
    """The differences, plain and strict."""
    def play(directory):
        one = kind(name, postgres, address, directory)
        one.run()
        return [f"{mode}: {d}" for mode, strict in (("plain", False), ("strict", True)) for d in one.differences(strict)]
    return lsn_order.twice(play, directory)
