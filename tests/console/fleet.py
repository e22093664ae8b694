"""A worker with as many connectors as are wanted, on one database: some stream, one has failed, some are paused, the others stopped."""
import uuid

from support.connector import database_properties
from support.serve import CLASS, JSON
from support.wait import wait_until

TEAMS = ("orders", "billing", "customers", "inventory", "shipping", "search", "fraud", "loyalty")


def fleet_config(database, name, **more):
    return {"connector.class": CLASS, **database_properties(database), "topic.prefix": name, "slot.name": name.replace("-", "_"),
            "publication.name": "fleet", "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data",
            "table.include.list": "public.items", "key.converter": JSON, "value.converter": JSON,
            "key.converter.schemas.enable": "false", "value.converter.schemas.enable": "false", **more}


class Fleet:
    """count connectors; 1: it streams; more: 1 failed, 1 in 12 paused, at most `running` stream, the others are stopped."""

    def __init__(self, worker, database, count, running=4):
        self.worker, self.database, self.mark = worker, database, uuid.uuid4().hex[:4]
        self.names = [f"{TEAMS[i % len(TEAMS)]}-{self.mark}-{i // len(TEAMS) + 1}" for i in range(count)]
        self.failed = self.names[-1] if count > 1 else None
        self.paused = self.names[-1 - count // 12:-1] if count > 1 else []
        rest = self.names[:count - len(self.paused) - (1 if self.failed else 0)]
        self.running, self.stopped = rest[:running], rest[running:]
        database.script("create table items (id int primary key, note text); create publication fleet for table items")

    def start(self):
        for name in self.names:
            more, state = {}, "RUNNING"
            if name == self.failed:
                more = {"publication.name": "nobody_made_this", "slot.name": "failing" + self.mark}
            elif name in self.paused:
                state = "PAUSED"
            elif name in self.stopped:
                state = "STOPPED"
            self.worker.create(name, fleet_config(self.database, name, **more), initial_state=state)
        for name in self.running:
            self.worker.wait_state(name, "RUNNING/RUNNING")
        if self.failed:
            self.worker.wait_state(self.failed, "RUNNING/FAILED")
        wait_until(lambda: all(self.activity(name) == "streaming" for name in self.running), 60, "they stream", interval_s=0.2)
        return self

    def activity(self, name):
        connectors = self.worker.get(f"/status?connector={name}")["connectors"]
        return connectors[0]["activity"] if connectors else None

    def write(self, first, rows):
        self.database.execute("insert into items select i, repeat('x', 100) from generate_series(%s::int, %s) i", first, first + rows - 1)
