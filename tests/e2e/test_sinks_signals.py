"""Snapshots by signal with each sink, beside three writers."""
import json
import uuid

import pytest

from support import servers
from support.destinations import OfHttp, OfKinesis, OfNats, OfRabbitMq, OfRedis, OfSns, OfSqs
from support.wait import wait_until
from support.writer import ThreeWriters, updates_in

ROWS, LONG = 300, 4000


def read_in(bodies, table, op="r"):
    """(id, v) of the table's rows that a snapshot has read."""
    values = [value for value in map(json.loads, filter(None, bodies)) if value["source"]["table"] == table and value["op"] == op]
    return [(value["after"]["id"], value["after"]["v"]) for value in values]


@pytest.mark.parametrize("kind", [OfRedis, OfNats, OfRabbitMq, OfHttp, OfKinesis, OfSqs, OfSns], ids=lambda kind: kind.sink)
def test_snapshots_by_signal_under_writers(db, connectors, kind):
    """An incremental one, one that blocks, and one that is stopped. Rows are right, none is behind a change that is newer, no change is lost."""
    writers = ThreeWriters(db, pause_s=0.2)
    db.script("create table signals (id varchar(64) primary key, type varchar(64), data varchar(2048)); create table b (id int primary key, v int);"
              f"create table long (id int primary key, v int); insert into b select n, n from generate_series(1, {ROWS}) n;"
              f"insert into long select n, n from generate_series(1, {LONG}) n")
    target = kind(None if kind is OfHttp else servers.shared(kind.name, **{kind.name: True}), db, ("signals", "t", "b", "long"))
    config = {**target.config(), "snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "50"}
    connector = connectors(db, config, sink=kind.sink).start(environment=target.environment).wait_streaming()

    def bodies():
        return [body for body in target.bodies() if body]

    def signal(kind_of_signal, type_of_snapshot, *tables):
        data = {"data-collections": [f"public.{table}" for table in tables], "type": type_of_snapshot}
        db.execute("insert into signals values (%s, %s, %s)", uuid.uuid4().hex, kind_of_signal, json.dumps(data))

    def snapshots():
        signal("execute-snapshot", "incremental", "b", "t")
        wait_until(lambda: len(read_in(bodies(), "b")) >= ROWS, 60, "the rows of an incremental snapshot")
        wait_until(lambda: connector.logged("incremental snapshot completed"), 30, "its end")
        signal("execute-snapshot", "blocking", "b")
        wait_until(lambda: len(read_in(bodies(), "b")) >= 2 * ROWS, 60, "the rows of one that blocks")
        signal("execute-snapshot", "incremental", "long")
        signal("stop-snapshot", "incremental", "long")
        wait_until(lambda: any("stop-snapshot" in body for body in map(as_text, bodies())), 60, "the signal that stops it")
    writers.disturb(snapshots, 1, 5)
    db.execute("update long set v = 0 where id = %s", LONG)
    wait_until(lambda: read_in(bodies(), "long", "u"), 60, "what comes last")
    connector.stop()
    rows = read_in(bodies(), "b")
    assert rows == [(n, n) for n in range(1, ROWS + 1)] * 2
    stopped = read_in(bodies(), "long")
    assert stopped == [(n, n) for n in range(1, len(stopped) + 1)] and len(stopped) < LONG
    writers.check([row for row in updates_in(bodies()) if row != (LONG, 0)], once=True)
    seen = [(value["after"]["id"], value["after"]["v"]) for value in map(json.loads, bodies()) if value["source"]["table"] == "t"]
    for key in range(3 * writers.writers[0].OWN + 1):
        values = [v for id_, v in seen if id_ == key]
        assert values == sorted(values), f"row {key}: what was read is not older than what came before it"
    target.close()


def as_text(body):
    return body.decode() if isinstance(body, bytes) else body
