"""The same worker file, first in the real Kafka Connect with Debezium, then in `walduct serve`, then in Connect again."""
import json

import pytest

from support import debezium
from support.serve import CLASS, Worker
from support.wait import wait_until
from test_serve import config_of, published

pytestmark = pytest.mark.skipif(not debezium.installed(), reason="scripts/deps debezium")


class ConnectCluster(Worker):
    """Kafka Connect distributed on the worker file of another Worker."""

    def __init__(self, worker):
        self.__dict__.update(worker.__dict__)
        self.log = self.dir / "connect.log"

    def start(self):
        self.process = debezium.start_distributed(self.dir, self.properties, self.log)
        wait_until(self.healthy, 120, f"Connect serves (see {self.log})", interval_s=0.2)
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def test_a_cluster_of_connect_is_continued_and_given_back(databases, pg17, broker, tmp_path):
    dbs = [databases(pg17), databases(pg17)]
    for db in dbs:
        db.script("create table items (id int primary key); insert into items values (1), (2)")
    worker = Worker(tmp_path / "worker", broker, dbs[0].name)
    connect = ConnectCluster(worker)
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
