"""From one walduct version to the next, and back, while a group runs: worker after worker, under a writer.

By name: WALDUCT_OLD_BINARY=/usr/bin/walduct names the older one; without it the workers are merely restarted."""
import os
from pathlib import Path

import pytest

from support.group import Group, Writer
from support.paths import BINARY
from support.wait import wait_until
from test_serve_group_faults import UPSERT, check

OLD = Path(os.environ.get("WALDUCT_OLD_BINARY", BINARY))
CONNECTORS, WORKERS = 6, 3


@pytest.fixture
def group(private_servers, databases, tmp_path):
    servers = private_servers(postgres=17, kafka=True, pg_set={"max_connections": "200"})
    db = databases(servers.postgres)
    db.script(";".join(f"create table items{i} (id int primary key, n int)" for i in range(CONNECTORS)))
    made = Group(tmp_path, servers.bootstrap, db, WORKERS, CONNECTORS)
    yield made
    for worker in made.workers:
        worker.kill()


def exactly_once(number):
    return number % 2 == 1


def check_rest(group, name):
    """Each worker, asked for what the leader does and for what the owner does, has it done; and all tell the same of it."""
    assert len({str(worker.get("/")["kafka_cluster_id"]) for worker in group.workers}) == 1
    for worker in group.workers:
        assert sorted(worker.get("/connectors")) == [f"c{i}" for i in range(CONNECTORS)]
        assert worker.get(f"/connectors/{name}/tasks")[0]["id"]["connector"] == name
    for asked in group.workers:
        for lever, state in (("pause", "PAUSED/PAUSED"), ("resume", "RUNNING/RUNNING")):
            status, body = asked.ask("PUT", f"/connectors/{name}/{lever}")
            assert status == 202, (status, body)
            for told in group.workers:
                told.wait_state(name, state)
        config = {**asked.get(f"/connectors/{name}/config"), "max.batch.size": str(2000 + asked.port % 1000)}
        status, body = asked.ask("PUT", f"/connectors/{name}/config", config)
        assert (status, body["config"]) == (200, config)
        for told in group.workers:
            wait_until(lambda: told.get(f"/connectors/{name}/config") == config, 20, "the configuration, told by all")
        status, body = asked.ask("GET", f"/connectors/{name}/offsets")
        assert status == 200 and body["offsets"][0]["partition"]["server"] == f"{group.db.name}-{name[1:]}", (status, body)
    group.wait_spread(group.workers)


def test_one_version_to_the_next_and_back_while_it_runs(group):
    for worker in group.workers:
        worker.binary = OLD
        worker.start()
    group.create(exactly_once)
    group.wait_spread(group.workers)
    slots = "select count(*) from pg_replication_slots where active and database = current_database()"
    wait_until(lambda: group.db.execute(slots)[0][0] == CONNECTORS, 60, "all stream")  # a row that is written over before is nobody's
    writer = Writer(group.db, CONNECTORS, UPSERT, 0.1)
    writer.start()
    try:
        check_rest(group, "c0")
        for binary, order in ((BINARY, group.workers), (OLD, group.workers[::-1])):
            for number, worker in enumerate(order):
                worker.stop()
                worker.binary = binary
                worker.start()
                group.wait_spread(group.workers)
                check_rest(group, f"c{number}")
    finally:
        writer.stop()
    wait_until(lambda: all(max(row["n"] for row, _ in seen) >= writer.last for seen in group.records().values()), 60, "all rows",
               interval_s=1)
    repeated = check(group, group.records(), writer.last, exactly_once)
    print("repeated", repeated, "of", writer.last * CONNECTORS)
    for worker in group.workers:
        worker.stop()
