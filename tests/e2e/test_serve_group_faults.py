"""Workers of a group that share many connectors, under faults one after the other, of processes, of the network and of the broker.

By name: E2E_GROUP_MANY_FAULTS=200 says how many, E2E_GROUP_SEED which, E2E_GROUP_CONNECTORS=60 of how many connectors, E2E_GROUP_LONGEST_S=90
how long a worker stands still or is cut off at the most."""
import os
import random
import re
import signal
import statistics
import time
from collections import defaultdict

import pytest

from chaos.proxy import Proxy
from support.group import Group, Writer, proxied
from support.wait import wait_until

FAULTS, CONNECTORS, WORKERS = int(os.environ.get("E2E_GROUP_MANY_FAULTS", "7")), int(os.environ.get("E2E_GROUP_CONNECTORS", "60")), 3
SEED, LONGEST_S = int(os.environ.get("E2E_GROUP_SEED", "1")), float(os.environ.get("E2E_GROUP_LONGEST_S", "20"))
KINDS = ("SIGKILL", "SIGTERM", "SIGSTOP", "no Kafka", "no PostgreSQL", "neither", "broker restarts")
PROVIDER = "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
# Each key is written again and again; its rows tell the order.
UPSERT = "insert into items{i} values ({n} % 5, {n}) on conflict (id) do update set n = excluded.n"


class Faults:
    def __init__(self, servers, group, kafka, postgres):
        self.servers, self.group, self.kafka, self.postgres = servers, group, kafka, postgres
        self.told, self.random = [], random.Random(SEED)
        self.kinds = []

    def one(self):
        """Each kind once before any comes again."""
        if not self.kinds:
            self.kinds = self.random.sample(KINDS, len(KINDS))
        kind, at = self.kinds.pop(), self.random.randrange(WORKERS)
        victim, lasts = self.group.workers[at], self.random.uniform(5, LONGEST_S)
        had = set(range(CONNECTORS)) if kind == "broker restarts" else self.group.on(victim, self.group.workers[at - 1])
        begin = time.time()
        if kind in ("SIGKILL", "SIGTERM"):
            victim.process.send_signal(getattr(signal, kind))
            code = victim.process.wait(60)
            assert kind == "SIGKILL" or code == 0, f"exit code {code}:\n{victim.log_text()[-3000:]}"
            time.sleep(lasts)
            victim.start()
        elif kind == "SIGSTOP":
            victim.process.send_signal(signal.SIGSTOP)
            time.sleep(lasts)
            victim.process.send_signal(signal.SIGCONT)
        elif kind == "broker restarts":
            self.servers.do(self.random.choice(["stop-kafka", "kill-kafka"]))
            time.sleep(lasts / 2)
            self.servers.do("start-kafka")
        else:
            cut = [proxy for proxy, who in ((self.kafka[at], "no Kafka"), (self.postgres[at], "no PostgreSQL")) if kind in (who, "neither")]
            for proxy in cut:
                proxy.stall()  # what was under way arrives late
            time.sleep(lasts)
            for proxy in cut:
                proxy.go_on()
        self.group.wait_spread(self.group.workers, 150)
        self.wait_read()
        for worker in self.group.workers:
            assert worker.process.poll() is None, f"it ended:\n{worker.log_text()[-3000:]}"
        self.told.append((kind, begin, time.time(), lasts, had))
        print(f"{len(self.told)}: {kind} of worker {at} for {lasts:.0f} s, all run after {time.time() - begin:.0f} s", flush=True)

    def wait_read(self):
        """Until what there is now is read by all, published and stored."""
        db = self.group.db
        now = db.execute("select pg_current_wal_lsn()")[0][0]
        done = "select count(*) from pg_replication_slots where active and database = current_database() and confirmed_flush_lsn >= %s"
        wait_until(lambda: db.execute(done, now)[0][0] == CONNECTORS, 150, f"all have read to {now}", interval_s=0.5)

    def tell(self, records):
        """Without a reader, by kind: of connectors that the worker had, in seconds."""
        longest = defaultdict(list)
        for kind, begin, end, lasts, had in self.told:
            for number in had:
                times = [at for _, at in records[number]]
                inside = [b - a for a, b in zip(times, times[1:]) if b >= begin and a <= end]
                longest[kind].append(max(inside, default=0))
        for kind, all_ in sorted(longest.items()):
            print(f"{kind}: {sum(1 for one in self.told if one[0] == kind)} times, a connector without a record "
                  f"{statistics.median(all_):.1f} s (median), {max(all_):.1f} s at the most")


def check(group, records, last, exactly_once):
    """How many rows were repeated. Two readers at once would show: who goes back in the topic is a session that begins."""
    logs = "".join(worker.log_text() for worker in group.workers)
    repeated = 0
    for number, seen in sorted(records.items()):
        rows = [row["n"] for row, _ in seen]
        assert set(rows) == set(range(1, last + 1)), f"c{number}: lost {sorted(set(range(1, last + 1)) - set(rows))[:20]}"
        keys = defaultdict(list)
        for row, _ in seen:
            keys[row["id"]].append(row["n"])
        for key, told in keys.items():
            first = list(dict.fromkeys(told))
            assert first == sorted(first), f"c{number}: key {key} is not in order"
        back = sum(1 for a, b in zip(rows, rows[1:]) if b <= a)
        sessions = len(re.findall(rf"info +\[c{number}\] streaming\b", logs))
        assert back < sessions, f"c{number}: {back} times back, in {sessions} sessions"
        assert not (exactly_once(number) and back), f"c{number}: repeated in spite of exactly once"
        repeated += len(rows) - len(set(rows))
    return repeated


@pytest.fixture
def faults(private_servers, databases, tmp_path):
    room = str(CONNECTORS + 20)
    # When a record came to the broker, not when it was made.
    servers = private_servers(postgres=17, kafka=True, kafka_set={"log.message.timestamp.type": "LogAppendTime"},
                              pg_set={"max_replication_slots": room, "max_wal_senders": room,
                                      "max_connections": str(6 * CONNECTORS + 40)})
    kafka = proxied(servers, WORKERS)
    postgres = [Proxy(servers.postgres.host, servers.postgres.port) for _ in range(WORKERS)]
    db = databases(servers.postgres)
    db.script(";".join(f"create table items{i} (id int primary key, n int)" for i in range(CONNECTORS)))
    group = Group(tmp_path, [f"127.0.0.1:{proxy.port}" for proxy in kafka], db, WORKERS, CONNECTORS)
    for worker, proxy in zip(group.workers, postgres):
        worker.environment["PLACE_PORT"] = str(proxy.port)
        worker.properties.update({"config.providers": "env", "config.providers.env.class": PROVIDER})
    yield Faults(servers, group, kafka, postgres)
    for worker in group.workers:
        if worker.process is not None and worker.process.poll() is None:
            worker.process.send_signal(signal.SIGCONT)
        worker.kill()


def test_many_connectors_under_faults_of_every_kind(faults):
    """Every other connector with exactly once."""
    group = faults.group

    def exactly_once(number):
        return number % 2 == 1
    for worker in group.workers:
        worker.start()
    group.create(exactly_once, **{"database.hostname": "127.0.0.1", "database.port": "${env:PLACE_PORT}", "snapshot.mode": "no_data"})
    group.wait_spread(group.workers, 180)
    faults.wait_read()  # a row that is written over before its connector has a slot is nobody's
    writer = Writer(group.db, CONNECTORS, UPSERT, 0.25)
    writer.start()
    try:
        wait_until(lambda: writer.last > 0, 10, "rows")
        faults.wait_read()
        for _ in range(FAULTS):
            faults.one()
    finally:
        writer.stop()
    bootstrap = faults.servers.bootstrap
    wait_until(lambda: all(max(row["n"] for row, _ in seen) >= writer.last for seen in group.records(bootstrap).values()), 120, "all rows",
               interval_s=2)
    records = group.records(bootstrap)
    repeated = check(group, records, writer.last, exactly_once)
    faults.tell(records)
    print(f"seed {SEED}, {FAULTS} faults, {CONNECTORS} connectors: {writer.last * CONNECTORS} rows, none lost, {repeated} repeated, "
          "none of them with exactly once")
    for worker in group.workers:
        worker.stop()
