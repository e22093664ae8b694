"""`walduct serve` with walduct.group.share: three workers of one group share twelve connectors, whatever ends one of them.

By name, as it takes minutes: E2E_GROUP_FAULTS=5 repeats each fault."""
import os
import signal
import time

import pytest

from support.group import Group, Writer
from support.wait import wait_until

CONNECTORS, WORKERS = 12, 3
ROUNDS = int(os.environ.get("E2E_GROUP_FAULTS", "1"))
# Of a connector without a reader: where nobody says that its worker is gone, the session's 8.5 s count.
LONGEST_S = {"SIGTERM": 4, "SIGKILL": 13, "SIGSTOP": 16}


@pytest.fixture
def group(private_servers, databases, tmp_path):
    servers = private_servers(postgres=17, kafka=True, pg_set={"max_replication_slots": "40", "max_wal_senders": "40",
                                                               "max_connections": "200"})
    db = databases(servers.postgres)
    db.script(";".join(f"create table items{i} (id int primary key)" for i in range(CONNECTORS)))
    made = Group(tmp_path, servers.bootstrap, db, WORKERS, CONNECTORS)
    yield made
    for worker in made.workers:
        if worker.process is not None and worker.process.poll() is None:
            worker.process.send_signal(signal.SIGCONT)
        worker.kill()


def gaps(records, since):
    """{connector: its longest time without a record, of those that end after `since`, in seconds}"""
    longest = {}
    for number, seen in records.items():
        times = [at for _, at in seen]
        longest[number] = max((b - a for a, b in zip(times, times[1:]) if b >= since), default=0)
    return longest


def check(records, last, exactly_once):
    repeated = 0
    for number, seen in records.items():
        ids = [row["id"] for row, _ in seen]
        assert set(ids) == set(range(1, last + 1)), f"c{number}: {last - len(set(ids))} lost"
        repeated += len(ids) - len(set(ids))
        first = list(dict.fromkeys(ids))
        assert first == sorted(first), f"c{number}: not in order"
    if exactly_once:
        assert repeated == 0
    return repeated


@pytest.mark.parametrize("exactly_once", [False, True], ids=["plain", "exactly_once"])
def test_connectors_are_shared_whatever_ends_a_worker(group, exactly_once):
    first = group.workers[0].start()
    group.create(lambda number: exactly_once)
    group.wait_spread([first])
    writer = Writer(group.db, CONNECTORS, "insert into items{i} values ({n})", 0.05)
    writer.start()
    try:
        begin = time.time()
        for worker in group.workers[1:]:
            worker.start()
        print("spread", dict(group.wait_spread(group.workers)))
        time.sleep(2)
        joined = gaps(group.records(), begin)
        print("joining: longest without a reader", round(max(joined.values()), 2), "of each", sorted(round(v, 1) for v in joined.values()))
        for fault in [fault for fault in ("SIGTERM", "SIGKILL", "SIGSTOP") for _ in range(ROUNDS)]:
            for victim in (group.workers[1], group.workers[0]):
                fail(group, fault, victim)
    finally:
        writer.stop()
    wait_until(lambda: all(max(row["id"] for row, _ in seen) >= writer.last for seen in group.records().values()), 60, "all rows",
               interval_s=1)
    print("repeated", check(group.records(), writer.last, exactly_once), "of", writer.last * CONNECTORS)
    for worker in group.workers:
        worker.stop()


def fail(group, fault, victim):
    others = [worker for worker in group.workers if worker is not victim]
    time.sleep(2)  # what has just moved has its first rows
    begin = time.time()
    victim.process.send_signal(getattr(signal, fault))
    moved = group.on(victim, others[0])
    group.wait_spread(others)
    time.sleep(2)
    longest = gaps(group.records(), begin)
    assert len(longest) == CONNECTORS
    of_moved = [gap for number, gap in longest.items() if number in moved]
    of_rest = [gap for number, gap in longest.items() if number not in moved]
    print(fault, "moved", [round(gap, 2) for gap in sorted(of_moved)], "others at most", round(max(of_rest), 2))
    if fault == "SIGSTOP":
        victim.process.send_signal(signal.SIGCONT)
    else:
        victim.process.wait(60)
        victim.start()
    group.wait_spread(group.workers)
    assert max(of_moved) <= LONGEST_S[fault]
