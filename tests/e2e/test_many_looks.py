"""What it costs to look at the slots of many connectors that do not run: by name, E2E_LOOKS=200, two minutes."""
import os
import time

import pytest
from test_serve import config_of, workers  # noqa: F401

from support.wait import wait_until

MANY = int(os.environ.get("E2E_LOOKS", "0"))
SECONDS = 60
BETWEEN_LOOKS = 10


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not MANY, reason="takes two minutes; E2E_LOOKS=200")
def test_the_slots_of_many_are_looked_at_by_one_session(private_servers, databases, workers):  # noqa: F811
    servers = private_servers(postgres=17, pg_set={"max_replication_slots": str(MANY + 20)})
    db = databases(servers.postgres)
    db.script("create table items (id int primary key)")
    worker = workers().start("--log-level", "warn")
    for number in range(MANY):
        slot = f"{db.name}_{number}"
        db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", slot)
        worker.create(f"c{number}", config_of(db, **{"slot.name": slot}), initial_state="PAUSED")
    looked = "walduct_slot_wal_status{"

    def all_are_known():
        status, text = worker.ask_text("/metrics")
        return status == 200 and sum(line.startswith(looked) and 'status="reserved"' in line and line.endswith(" 1") for line in text.splitlines()) >= MANY
    wait_until(all_are_known, 120, "each slot was looked at", interval_s=2)

    def sessions():
        return db.server.query("select sessions from pg_stat_database where datname = %s", db.name)[0][0]
    before, opened, begin = cpu_seconds(worker.process.pid), sessions(), time.monotonic()
    time.sleep(SECONDS)
    seconds = time.monotonic() - begin
    share = (cpu_seconds(worker.process.pid) - before) / seconds
    looks = sessions() - opened
    print(f"{MANY} connectors that rest: {100 * share:.2f} % of a core, {looks} sessions in {seconds:.0f} s")
    assert share <= 0.01
    assert looks <= seconds / BETWEEN_LOOKS + 2
