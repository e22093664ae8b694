"""The same worker file, first in the real Kafka Connect with Debezium, then in `walduct serve`, then in Connect again."""
import json

import pytest

from support import debezium
from support.connect_worker import ConnectWorker
from support.serve import CLASS, Worker
from support.wait import wait_until
from test_serve import config_of, published

pytestmark = pytest.mark.skipif(not debezium.installed(), reason="scripts/deps debezium")


def test_a_cluster_of_connect_is_continued_and_given_back(databases, pg17, broker, tmp_path):
    dbs = [databases(pg17), databases(pg17)]
    for db in dbs:
        db.script("create table items (id int primary key); insert into items values (1), (2)")
    worker = Worker(tmp_path / "worker", broker, dbs[0].name)
    connect = ConnectWorker(worker)
    try:
        connect.start()
        for number, db in enumerate(dbs):
            connect.create(f"c{number}", config_of(db))
        for number, db in enumerate(dbs):
            connect.wait_state(f"c{number}", "RUNNING/RUNNING", 120)
            wait_until(lambda db=db: published(broker, db) == [1, 2], 60, "Debezium's snapshot", interval_s=0.2)
        connect.ask("PUT", "/connectors/c1/pause")
        connect.wait_state("c1", "PAUSED/PAUSED")
        # While Connect serves, walduct refuses.
        elsewhere = ("-o", f"listeners=http://127.0.0.1:{debezium.free_port()}")
        assert worker.begin(*elsewhere).process.wait(60) == 3, worker.log_text()
        assert "members of another kind" in worker.log_text()
        connect.stop()
        for db in dbs:
            db.script("insert into items values (3)")
        worker.start()
        assert sorted(worker.get("/connectors")) == ["c0", "c1"]
        worker.wait_state("c0", "RUNNING/RUNNING")
        wait_until(lambda: published(broker, dbs[0])[2:] == [3], 60, "c0 goes on, without a second snapshot", interval_s=0.2)
        assert worker.state("c1") == "PAUSED/PAUSED" and published(broker, dbs[1]) == [1, 2]
        assert worker.ask("PUT", "/connectors/c1/resume")[0] == 202
        wait_until(lambda: published(broker, dbs[1])[2:] == [3], 60, "c1 goes on", interval_s=0.2)
        stored = [json.dumps(worker.get(f"/connectors/c{number}/offsets")) for number in (0, 1)]
        assert all("lsn" in one for one in stored)
        worker.stop()
        for db in dbs:
            db.script("insert into items values (4)")
        connect.start()
        for number, db in enumerate(dbs):
            connect.wait_state(f"c{number}", "RUNNING/RUNNING", 120)
            wait_until(lambda db=db: set(published(broker, db)) == {1, 2, 3, 4}, 60, "Connect goes on", interval_s=0.2)
            assert published(broker, db).count(1) == 1, "no second snapshot"
            assert connect.get(f"/connectors/c{number}/config")["connector.class"] == CLASS
        connect.stop()
    finally:
        worker.kill()
        connect.kill()


def test_workers_that_share_go_over_to_connect_and_back(databases, pg17, broker, tmp_path):
    """By name. Two of ours, one of Connect's, the two again, with who runs what of before in the topic of configurations."""
    dbs = [databases(pg17), databases(pg17)]
    for db in dbs:
        db.script("create table items (id int primary key); insert into items values (1)")
    group = [Worker(tmp_path / f"worker{i}", broker, dbs[0].name) for i in range(2)]
    connect = ConnectWorker(group[0])
    for worker in group:
        worker.properties = {**worker.properties, "walduct.group.share": "true"}

    def write(row):
        for db in dbs:
            db.execute("insert into items values (%s)", row)

    def all_come(rows):
        for db in dbs:
            wait_until(lambda db=db: set(published(broker, db)) == set(range(1, rows + 1)), 60, f"{rows} rows", interval_s=0.2)
            assert published(broker, db).count(1) == 1, "no second snapshot"

    def each_has_one():
        told = [worker.ask("GET", f"/connectors/c{number}/status")[1] for worker in group for number in (0, 1)]
        return all(one["tasks"] and one["tasks"][0]["state"] == "RUNNING" for one in told) and \
            {one["connector"]["worker_id"] for one in told} == {f"127.0.0.1:{worker.port}" for worker in group}
    try:
        for worker in group:
            worker.start()
        for number, db in enumerate(dbs):
            group[1].create(f"c{number}", config_of(db))
        wait_until(each_has_one, 60, "one each", interval_s=0.2)
        write(2)
        all_come(2)
        for worker in group:
            worker.stop()
        write(3)
        connect.start()
        for number in (0, 1):
            connect.wait_state(f"c{number}", "RUNNING/RUNNING", 120)
        all_come(3)
        # While Connect serves, ours do not start.
        elsewhere = ("-o", f"listeners=http://127.0.0.1:{debezium.free_port()}")
        assert group[1].begin(*elsewhere).process.wait(60) == 3, group[1].log_text()
        connect.stop()
        write(4)
        for worker in group:
            worker.start()
        wait_until(each_has_one, 60, "one each again", interval_s=0.2)
        all_come(4)
        for worker in group:
            worker.stop()
    finally:
        for one in (*group, connect):
            one.kill()
