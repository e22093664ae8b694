#!/usr/bin/env python3
"""How long a connector has no reader when its worker ends, is lost, or another one joins; beside Kafka Connect.

  bench/e2e/takeovers.py [--times N] [--connectors N] [--connect N] [--named] [--keep DIR] [--json FILE]

Private PostgreSQL and Kafka, three `walduct serve` that share their connectors, a row every 50 ms in the table of each. In each of
--times rounds (30) a worker is told to end, killed (`kill -9`) and stopped with its sockets open (SIGSTOP, as a lost host is), one after
the other; after the first two it is started again, which is a join. A connector's time without a reader is the longest one between
two of its rows in the topic, by the times that their producers gave them, so it has the 50 ms in it.

--connect N (0): beside it N kills of the leader of two workers of Kafka Connect with Debezium, and N of the other one, `scripts/deps
debezium` first; its connectors read the same tables at the same time. A kill of the other one takes five minutes there.

--named: instead, workers with names of their own (walduct.group.instance.id), and --times rolling restarts: each of the three in turn is
told to end and started again. Nothing may move; what a restarted worker has is without a reader while it is away, what others have is not.

Printed: median and worst of the connectors that moved, and the worst of those that did not. Exit status 1: a figure is above its bound.
Run it with .deps/venv/bin/python, after a release build, with nothing beside it.
"""
import argparse
import json
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from confluent_kafka import Consumer, TopicPartition  # noqa: E402

from support import servers  # noqa: E402
from support.connect_worker import ConnectWorker  # noqa: E402
from support.connector import database_properties  # noqa: E402
from support.group import Group, Writer  # noqa: E402
from support.kafka import QUIET  # noqa: E402
from support.serve import CLASS, JSON, Worker  # noqa: E402
from support.wait import wait_until  # noqa: E402

WORKERS = 3
CONNECT = 4  # connectors of Connect
# Seconds: median and worst.
BOUNDS = {"kill -9": (10, 12), "lost host": (12, 15), "SIGTERM": (1.5, 3), "joining": (2, 2)}
ROWS_AGAIN_S = 1  # what moved has had rows for so long
LONGEST_S, LONGEST_CONNECT_S = 60, 400


class Arrivals(threading.Thread):
    """The times of the rows of each topic, as they come."""

    def __init__(self, bootstrap, topics):
        super().__init__(daemon=True)
        self.topics, self.times, self.ends = topics, defaultdict(list), threading.Event()
        self.consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "auto.offset.reset": "earliest", **QUIET})
        self.consumer.assign([TopicPartition(topic, 0, 0) for topic in topics])

    def run(self):
        while not self.ends.is_set():
            for message in self.consumer.consume(1000, 0.1):
                if not message.error():
                    self.times[message.topic()].append(message.timestamp()[1] / 1000)
        self.consumer.close()

    def stop(self):
        self.ends.set()
        self.join()

    def wait_rows(self, topics, since, timeout_s):
        wait_until(lambda: all(self.times[topic] and self.times[topic][-1] >= since for topic in topics), timeout_s, "rows again", interval_s=0.1)

    def gap(self, topic, since):
        """The longest time without a row, of those that end after `since`."""
        times = self.times[topic]
        first = next((i for i in range(len(times) - 1, -1, -1) if times[i] < since), 0)
        last = times[first:]
        return max((b - a for a, b in zip(last, last[1:])), default=0)


def topic_of(group, number):
    return f"{group.db.name}-{number}.public.items{number}"


class Takeovers:
    def __init__(self, group, arrivals):
        self.group, self.arrivals = group, arrivals
        self.moved, self.rest = defaultdict(list), defaultdict(list)

    def places(self):
        return {name: status["connector"]["worker_id"] for name, status in self.group.statuses(self.group.workers[2]).items()}

    def measure(self, kind, workers, change, undo=lambda: None):
        """change: what makes connectors move; undo: once they run again, on these workers."""
        before, begin = self.places(), time.time()
        change()
        self.group.wait_spread(workers, LONGEST_S)
        after = self.places()
        topics = [topic_of(self.group, i) for i in range(self.group.connectors)]
        self.wait_rows()
        moved = {name for name in after if after[name] != before[name]}
        gaps = {f"c{i}": round(self.arrivals.gap(topics[i], begin), 2) for i in range(self.group.connectors)}
        self.moved[kind] += [gap for name, gap in gaps.items() if name in moved]
        self.rest[kind] += [gap for name, gap in gaps.items() if name not in moved]
        print(f"takeovers: {kind}: moved {sorted(gaps[name] for name in moved)}, "
              f"others at most {max((gap for name, gap in gaps.items() if name not in moved), default=0)}", flush=True)
        undo()

    def round(self, number):
        victim = self.group.workers[number % 2]  # the third tells
        others = [worker for worker in self.group.workers if worker is not victim]
        for kind, sent in (("SIGTERM", signal.SIGTERM), ("kill -9", signal.SIGKILL)):
            self.measure(kind, others, lambda sent=sent: victim.process.send_signal(sent), lambda: victim.process.wait(60))
            self.measure("joining", self.group.workers, victim.start)
        self.measure("lost host", others, lambda: victim.process.send_signal(signal.SIGSTOP),
                     lambda: victim.process.send_signal(signal.SIGCONT))
        # It comes back as one that joins.
        self.group.wait_spread(self.group.workers, LONGEST_S)
        self.wait_rows()

    def restart(self, worker):
        """Of a worker with a name: it ends and is started again at once."""
        before, begin = self.places(), time.time()
        worker.process.send_signal(signal.SIGTERM)
        worker.process.wait(60)
        worker.start()
        self.group.wait_spread(self.group.workers, LONGEST_S)
        self.wait_rows()
        if self.places() != before:
            sys.exit("takeovers: connectors moved in a restart")
        own = {name for name, at in before.items() if at == f"127.0.0.1:{worker.port}"}
        gaps = {f"c{i}": round(self.arrivals.gap(topic_of(self.group, i), begin), 2) for i in range(self.group.connectors)}
        self.moved["restart"] += [gap for name, gap in gaps.items() if name in own]
        self.rest["restart"] += [gap for name, gap in gaps.items() if name not in own]
        print(f"takeovers: restart: {sorted(gaps[name] for name in own)}, others at most "
              f"{max(gap for name, gap in gaps.items() if name not in own)}", flush=True)

    def wait_rows(self):
        self.arrivals.wait_rows([topic_of(self.group, i) for i in range(self.group.connectors)], time.time() + ROWS_AGAIN_S, LONGEST_S)

    def report(self):
        return {kind: {"moved": len(gaps), "median_s": round(statistics.median(gaps), 2), "worst_s": max(gaps),
                       "others_worst_s": max(self.rest[kind], default=0)} for kind, gaps in self.moved.items()}


class Connect:
    """Two workers of Kafka Connect with Debezium on the same tables."""

    def __init__(self, directory, group):
        self.group = group
        made = [Worker(directory / f"connect{i}", group.bootstrap, f"{group.db.name}-connect") for i in range(2)]
        self.workers = [ConnectWorker(worker) for worker in made]
        self.topics = [f"{group.db.name}-connect-{i}.public.items{i}" for i in range(CONNECT)]

    def start(self):
        for worker in self.workers:
            worker.start()
        db = self.group.db
        for i in range(CONNECT):
            self.workers[0].create(f"d{i}", {
                "connector.class": CLASS, "plugin.name": "pgoutput", **database_properties(db), "topic.prefix": f"{db.name}-connect-{i}",
                "slot.name": f"{db.name}_connect_{i}", "publication.name": f"{db.name}_connect_{i}", "snapshot.mode": "no_data",
                "publication.autocreate.mode": "filtered", "table.include.list": f"public.items{i}", "key.converter": JSON,
                "key.converter.schemas.enable": "false", "value.converter": JSON, "value.converter.schemas.enable": "false"})
        self.wait_spread()

    def wait_spread(self):
        def even():
            told = self.workers[0].get("/connectors?expand=status").values()
            on = [task["worker_id"] for one in told for task in one["status"]["tasks"] if task["state"] == "RUNNING"]
            return len(on) == CONNECT and {on.count(worker) for worker in set(on)} == {CONNECT // 2}
        wait_until(even, LONGEST_CONNECT_S, "Connect's connectors are spread", interval_s=0.5)

    def kill(self, victim, arrivals, leads):
        at = f"127.0.0.1:{victim.port}"
        told = self.workers[0].get("/connectors?expand=status")
        topics = [self.topics[int(name[1:])] for name, one in told.items() if one["status"]["tasks"][0]["worker_id"] == at]
        begin = time.time()
        victim.process.kill()
        victim.process.wait()
        arrivals.wait_rows(topics, begin + ROWS_AGAIN_S, LONGEST_CONNECT_S)
        gaps = [round(arrivals.gap(topic, begin), 2) for topic in topics]
        print(f"takeovers: Connect, kill -9 of {'the leader' if leads else 'the other one'}: {gaps}", flush=True)
        victim.start()
        self.wait_spread()
        return gaps


def connect_kills(connect, arrivals, times, out):
    connect.start()
    arrivals.wait_rows(connect.topics, time.time(), LONGEST_S)
    # Who was started first leads, and the other one after its end.
    for number in range(times):
        for leads in (True, False):
            out[leads] += connect.kill(connect.workers[number % 2], arrivals, leads)


def run(args, own, directory):
    db = own.postgres.database("takeovers").create()
    db.script(";".join(f"create table items{i} (id int primary key)" for i in range(args.connectors)))
    group = Group(directory, own.bootstrap, db, WORKERS, args.connectors)
    for number, worker in enumerate(group.workers if args.named else []):
        worker.properties["walduct.group.instance.id"] = f"walduct-{number}"
    connect = Connect(directory, group) if args.connect else None
    topics = [topic_of(group, i) for i in range(args.connectors)]
    writer = Writer(db, args.connectors, "insert into items{i} values ({n})", 0.05)
    arrivals, beside, gaps_of_connect = None, None, {True: [], False: []}
    try:
        for worker in group.workers:
            worker.start()
        group.create()
        group.wait_spread(group.workers)
        writer.start()
        arrivals = Arrivals(own.bootstrap, topics + (connect.topics if connect else []))
        arrivals.start()
        if connect:
            beside = threading.Thread(target=connect_kills, args=(connect, arrivals, args.connect, gaps_of_connect), daemon=True)
            beside.start()
        arrivals.wait_rows(topics, time.time(), LONGEST_S)
        takeovers = Takeovers(group, arrivals)
        for number in range(args.times):
            if args.named:
                for worker in group.workers:
                    takeovers.restart(worker)
            else:
                takeovers.round(number)
        report = takeovers.report()
        if beside:
            beside.join()
            report["Connect, kill -9"] = {"leader_s": sorted(gaps_of_connect[True]), "other_s": sorted(gaps_of_connect[False])}
        return report
    finally:
        writer.ends.set()
        for worker in [*group.workers, *(connect.workers if connect else [])]:
            if worker.process is not None and worker.process.poll() is None:
                worker.process.send_signal(signal.SIGCONT)
            worker.kill()
        if arrivals:
            arrivals.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--connectors", type=int, default=12)
    parser.add_argument("--connect", type=int, default=0)
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--keep", type=Path, help="logs of the workers")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    own = servers.private(postgres=17, kafka=True,
                          pg_set={"max_replication_slots": "60", "max_wal_senders": "60", "max_connections": "250"})
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-takeovers-") as directory:
            report = run(args, own, args.keep or Path(directory))
    finally:
        own.remove()
    print(json.dumps(report, indent=1))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    over = [kind for kind, (median, worst) in BOUNDS.items()
            if kind in report and (report[kind]["median_s"] > median or report[kind]["worst_s"] > worst)]
    if over:
        sys.exit(f"takeovers: above their bounds: {', '.join(over)}")


if __name__ == "__main__":
    main()
