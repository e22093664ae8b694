#!/usr/bin/env python3
"""The ledger of incremental snapshots: tables are snapshotted under a writer at full speed while the process is killed; replaying the
topics by key gives exactly the tables.

  tests/ledger/run.py [--rows N] [--tables N] [--strategy insert_insert|insert_delete|read_only|all] [--kill-seconds S] [--chunk N]
                      [--seed N] [--postgres 15|17|18] [--deadline-minutes M]

--rows: of all tables together. Each table is asked for by a signal of its own, all at once; the queue is read table by table, by one
session. While changes are streamed a chunk is stored before the next is published: a kill -9 repeats at most one chunk. read_only:
read.only=true, signals by the Kafka topic, nothing is written to the database. One JSON line for each strategy. Exit status: 0 nothing
lost, nothing wrong, nothing that the tables have not, and no more was read again than that; 1 not.
"""
import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

from confluent_kafka import Producer  # noqa: E402

from ledger.account import compare, replay  # noqa: E402
from ledger.churn import Churn, create  # noqa: E402
from support import servers as all_servers  # noqa: E402
from support.connector import PLAIN_JSON, STREAMING, Connector, database_properties  # noqa: E402
from support.kafka import TopicReader, create_topic, delete_topics  # noqa: E402
from support.wait import wait_until  # noqa: E402

STRATEGIES = ("insert_insert", "insert_delete", "read_only")
UNSTORED = 1  # chunks on their way to Kafka while changes are streamed
SIGNALS = "signals"
OVER_FOR_S = 2  # that long nothing of a snapshot is stored any more


def properties(strategy, chunk):
    by_strategy = {"read.only": "true", "signal.enabled.channels": "kafka", "signal.poll.interval.ms": "200"} if strategy == "read_only" else \
        {"signal.data.collection": f"public.{SIGNALS}", "incremental.snapshot.watermarking.strategy": strategy}
    return {"snapshot.mode": "no_data", "incremental.snapshot.chunk.size": str(chunk), **by_strategy}


class Play:
    """connector: not started, of an empty database, with the properties of the strategy."""

    def __init__(self, database, connector, rows, tables, seed):
        self.database, self.connector, self.seed = database, connector, seed
        self.choose = random.Random(seed)
        self.tables = [f"t{number}" for number in range(tables)]
        self.rows = rows // tables  # of each
        self.kills = 0

    @property
    def bootstrap(self):
        return self.connector.worker["bootstrap.servers"]

    def prepare(self):
        self.database.execute(f"create table {SIGNALS} (id varchar(64) primary key, type varchar(64), data varchar(4096))")
        self.database.execute("create table marks (id bigint primary key)")
        for table in self.tables:
            create(self.database, table, self.rows)
        if self.by_topic:
            create_topic(self.bootstrap, f"{self.connector.prefix}-signal")

    @property
    def by_topic(self):
        return self.connector.config.get("read.only") == "true"

    def ask(self):
        """For each table by itself."""
        signals = [(f"ask-{table}", json.dumps({"type": "incremental", "data-collections": [f"public.{table}"]})) for table in self.tables]
        if not self.by_topic:
            with self.database.connect(autocommit=False) as session:
                for name, data in signals:
                    session.execute(f"insert into {SIGNALS} values (%s, 'execute-snapshot', %s)", (name, data))
                session.commit()
            return
        producer = Producer({"bootstrap.servers": self.bootstrap})
        for name, data in signals:
            text = json.dumps({"id": name, "type": "execute-snapshot", "data": json.loads(data)})
            producer.produce(f"{self.connector.prefix}-signal", key=self.connector.prefix, value=text)
        assert producer.flush(20) == 0

    def taken(self):
        log = self.connector.log.read_text(errors="replace")
        return all(f"id=ask-{table}" in log for table in self.tables)

    def over(self):
        return self.taken() and "incremental_snapshot_collections" not in (self.connector.offset() or {"incremental_snapshot_collections": ""})

    def kill_until_over(self, kill_seconds, most_kills, deadline):
        """Seconds from the signals to the end."""
        begun = time.monotonic()
        next_kill, over_since = begun + kill_seconds, None
        while over_since is None or time.monotonic() - over_since < OVER_FOR_S:
            assert time.monotonic() < deadline, \
                f"not over after {time.monotonic() - begun:.0f} s and {self.kills} kills: {self.connector.log_text()[-3000:]}"
            assert self.connector.running(), f"it ended by itself: {self.connector.log_text()[-3000:]}"
            time.sleep(0.2)
            over_since = (over_since or time.monotonic()) if self.over() else None
            if over_since is None and self.kills < most_kills and time.monotonic() >= next_kill:
                self.connector.kill()
                self.kills += 1
                self.connector.start()
                self.connector.wait_log(STREAMING, 60)
                next_kill = time.monotonic() + kill_seconds * self.choose.uniform(0.5, 1.5)
        return over_since - begun

    def account(self, chunk):
        sums = {"lost": 0, "wrong": 0, "invented": 0, "records": 0, "rows_published": 0, "read_again": 0}
        for table in self.tables:
            result = replay(self.bootstrap, f"{self.connector.prefix}.public.{table}", 2 * self.rows)
            for name, value in compare(self.database, table, result).items():
                sums[name] += value
            sums["records"] += result.records
            sums["rows_published"] += result.reads
            sums["read_again"] += result.read_again
        good = not (sums["lost"] or sums["wrong"] or sums["invented"]) and sums["read_again"] <= self.kills * UNSTORED * chunk
        return {**sums, "good": good}

    def run(self, kill_seconds, chunk, deadline, most_kills=sys.maxsize):
        self.prepare()
        self.connector.start().wait_streaming(60)
        writer = Churn(self.database, self.seed, self.tables)
        writer.start()
        began = time.monotonic()
        try:
            self.ask()
            seconds = self.kill_until_over(kill_seconds, most_kills, deadline)
        finally:
            writer.stop()
        wrote_for = time.monotonic() - began
        self.wait_for_the_end(deadline)
        self.connector.stop()
        account = self.account(chunk)
        return {"rows": self.rows * len(self.tables), "tables": len(self.tables), "chunk": chunk, "seed": self.seed,
                "seconds": round(seconds, 1), "rows_per_second": round(self.rows * len(self.tables) / seconds),
                "changes": writer.changes, "changes_per_second": round(writer.changes / wrote_for), "kills": self.kills,
                "chunks_again_per_kill": round(account["read_again"] / chunk / max(1, self.kills), 2), **account}

    def wait_for_the_end(self, deadline):
        """A row behind all others is in its topic."""
        self.database.execute("insert into marks values (1)")
        reader = TopicReader(self.bootstrap, f"{self.connector.prefix}.public.marks")
        try:
            wait_until(lambda: reader.count() > 0, max(1, deadline - time.monotonic()), "the stream has come to its end", interval_s=0.5)
        finally:
            reader.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--strategy", choices=(*STRATEGIES, "all"), default="all")
    parser.add_argument("--kill-seconds", type=float, default=3)
    parser.add_argument("--chunk", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--postgres", type=int, default=17, choices=[15, 17, 18])
    parser.add_argument("--deadline-minutes", type=float, default=20)
    arguments = parser.parse_args()
    good = True
    membership = all_servers.join_run()
    own = all_servers.private(postgres=arguments.postgres, kafka=True, pg_set={"max_wal_size": "4GB"})
    try:
        for strategy in STRATEGIES if arguments.strategy == "all" else (arguments.strategy,):
            with tempfile.TemporaryDirectory(prefix="walduct-ledger-") as directory:
                result = {"strategy": strategy, **of_strategy(own, strategy, arguments, Path(directory))}
            print(json.dumps(result), flush=True)
            good = good and result["good"]
    finally:
        own.remove()
        all_servers.leave_run(membership)
    return 0 if good else 1


def of_strategy(own, strategy, arguments, directory):
    name = f"ledger_{strategy}"
    database = own.postgres.database(name).create()
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
              **database_properties(database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name, "publication.name": name,
              "publication.autocreate.mode": "filtered", "schema.include.list": "public", **properties(strategy, arguments.chunk)}
    worker = {"bootstrap.servers": own.bootstrap, "offset.storage.file.filename": str(directory / "walduct" / "offsets.dat"), "offset.flush.interval.ms": "1000"}
    connector = Connector(directory / "walduct", config, worker, name=name)
    play = Play(database, connector, arguments.rows, arguments.tables, arguments.seed)
    try:
        return play.run(arguments.kill_seconds, arguments.chunk, time.monotonic() + 60 * arguments.deadline_minutes)
    finally:
        connector.close()
        database.drop()
        delete_topics(own.bootstrap, name)


if __name__ == "__main__":
    sys.exit(main())
