"""Hundreds of connectors in each of three workers that share them, and one of the workers is killed: by name, as it takes minutes.

E2E_GROUP_EACH=20 has so many in each worker in place of 200."""
import os
import time

import pytest

from support.connector import status_of
from support.group import Group
from support.wait import wait_until

EACH, WORKERS = int(os.environ.get("E2E_GROUP_EACH", "200")), 3
CONNECTORS = EACH * WORKERS
STREAM_AGAIN_S = 15
READY_S = 60 + 2 * CONNECTORS


@pytest.fixture
def group(private_servers, databases, tmp_path):
    slots = str(CONNECTORS + 20)
    servers = private_servers(postgres=17, kafka=True, pg_set={"max_replication_slots": slots, "max_wal_senders": slots,
                                                               "max_connections": str(3 * CONNECTORS + 100)})
    db = databases(servers.postgres)
    db.script(";".join(f"create table items{i} (id int primary key)" for i in range(CONNECTORS)))
    made = Group(tmp_path, servers.bootstrap, db, WORKERS, CONNECTORS)
    yield made
    for worker in made.workers:
        worker.kill()


def streaming(group):
    """Slots that a session reads."""
    return group.db.value("select count(*) from pg_replication_slots where active and database = current_database()")


def write(group, row):
    group.db.execute(";".join(f"insert into items{i} values ({row})" for i in range(CONNECTORS)))


def memory(group):
    return [round(status_of(worker.process.pid, "VmRSS") / 1024) for worker in group.workers if worker.process.poll() is None]


def test_many_connectors_stream_again_after_a_kill(group):
    for worker in group.workers:
        worker.start()
    # Hundreds of topics at once are made by their connectors, not by the broker when the first row comes.
    group.create(**{"snapshot.mode": "no_data", "topic.creation.default.partitions": "1",
                    "topic.creation.default.replication.factor": "1"})
    group.wait_spread(group.workers, READY_S)
    wait_until(lambda: streaming(group) == CONNECTORS, READY_S, "all stream", interval_s=0.5)
    write(group, 1)
    before = memory(group)
    victim, others = group.workers[0], group.workers[1:]
    begin = time.monotonic()
    victim.kill()
    wait_until(lambda: streaming(group) <= CONNECTORS - EACH, 5, "the server knows of the end", interval_s=0.1)
    write(group, 2)
    wait_until(lambda: streaming(group) == CONNECTORS, READY_S, "all stream again", interval_s=0.1)
    lasted = time.monotonic() - begin
    print(f"{CONNECTORS} connectors, {EACH} of them on the killed worker: all stream after {lasted:.1f} s; "
          f"MB of the workers before {before}, after {memory(group)}")
    group.wait_spread(others, READY_S)
    write(group, 3)

    def all_there():
        seen = group.records()
        return all({row["id"] for row, _ in seen[i]} == {1, 2, 3} for i in range(CONNECTORS))
    wait_until(all_there, READY_S, "all rows", interval_s=1)
    for worker in others:
        worker.stop()
    assert lasted <= STREAM_AGAIN_S
