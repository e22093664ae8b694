#!/usr/bin/env python3
"""Chaos on real servers: walduct under a writer with a ledger, while everything around it fails; at the end each row is accounted for.

  tests/chaos/run.py [--seed N] [--minutes M | --kill-only N] [--rate N] [--postgres 15|17|18]

Faults and pauses come from the seed; the moments are the machine's. --kill-only: so many kill -9, nothing else, and no snapshot but
the first: nothing may be left out, and what each kill repeats is measured. Exit status: 0 all rows are there and in order, 1 not.
"""
import argparse
import contextlib
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)

import psycopg  # noqa: E402

from chaos.faults import FAULTS  # noqa: E402
from chaos.ledger import TABLES, Account, Writer, wait_complete  # noqa: E402
from chaos.proxy import Proxy  # noqa: E402
from support import servers as all_servers  # noqa: E402
from support.connector import PLAIN_JSON, STREAMING, Connector, database_properties  # noqa: E402
from support.kafka import TopicReader  # noqa: E402


class Bench:
    """The servers, the connector, and a supervisor that starts it again whenever it ends."""

    def __init__(self, directory, version):
        self.servers = all_servers.private(postgres=version, kafka=True, pg_set={"wal_sender_timeout": "10s"})
        self.database = self.servers.postgres.database("chaos").create()
        self.database.script(TABLES)
        self.database.script("""create table scratch (id int primary key, v text);
            create publication chaos for table entries, accounts, scratch; create role connector login superuser password 'chaos'""")
        self.proxy = Proxy("127.0.0.1", self.servers.postgres.port)
        config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
                  **database_properties(self.database), "database.port": str(self.proxy.port), "database.user": "connector",
                  "database.password": "chaos", "topic.prefix": "chaos", "slot.name": "chaos", "publication.name": "chaos",
                  "publication.autocreate.mode": "disabled", "schema.include.list": "public", "snapshot.mode": "when_needed",
                  "retriable.restart.connector.wait.ms": "1000", "slot.retry.delay.ms": "500", "slot.max.retries": "100",
                  **PLAIN_JSON}
        self.offset_file = directory / "offsets.dat"
        self.connector = Connector(directory, config, {"bootstrap.servers": self.servers.bootstrap,
                                                       "offset.storage.file.filename": str(self.offset_file)})
        self.reader = TopicReader(self.servers.bootstrap, "chaos.")
        self.ends, self.supervises = Counter(), threading.Event()

    def start(self):
        self.supervises.set()
        self.connector.start()
        threading.Thread(target=self._supervise, daemon=True).start()

    def _supervise(self):
        while self.supervises.is_set():
            if not self.connector.running():
                self.ends[self.connector.process.returncode] += 1
                self.connector.start()
            time.sleep(0.1)

    def signal(self, which):
        if self.connector.running():
            self.connector.process.send_signal(which)

    def sql(self, *statements):
        with self.database.connect(connect_timeout=5) as session:
            for statement in statements:
                session.execute(statement)

    def close(self):
        self.supervises.clear()
        time.sleep(0.3)
        self.reader.close()
        self.connector.close()
        self.servers.remove()


def play(bench, choose, until):
    """Faults one after the other, with pauses; how often each happened, and those that could not be played."""
    happened, failed = Counter(), Counter()
    names = list(FAULTS)
    weights = [FAULTS[name].weight for name in names]
    while time.monotonic() < until:
        time.sleep(choose.choice((0.2, 1, 3, choose.uniform(0, 6))))
        name = choose.choices(names, weights)[0]
        try:
            FAULTS[name](bench, choose)
            happened[name] += 1
        except (psycopg.Error, AssertionError, OSError) as error:  # another fault is not over yet
            failed[name] += 1
            print(f"  {name} could not be played: {str(error).splitlines()[:1]}", flush=True)
    return happened, failed


def play_kills(bench, choose, count):
    """Most while it streams, some while it starts."""
    for kill in range(count):
        if choose.random() < 0.8:
            with contextlib.suppress(AssertionError):
                bench.connector.wait_log(STREAMING, 30)
        time.sleep(choose.uniform(0, 1))
        bench.connector.process.kill()
        bench.connector.process.wait()
        if kill % 50 == 49:
            print(f"  {kill + 1} kills", flush=True)
    return Counter(kill_9=count), Counter()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--kill-only", type=int, default=0, metavar="N")
    parser.add_argument("--rate", type=float, default=50, help="transactions a second, at most")
    parser.add_argument("--postgres", type=int, default=15, choices=(15, 17, 18))
    arguments = parser.parse_args()
    print(f"chaos: seed {arguments.seed}", flush=True)
    choose = random.Random(arguments.seed)
    membership = all_servers.join_run()
    directory = Path(tempfile.mkdtemp(prefix="chaos-", dir=all_servers.RUN))
    bench = Bench(directory, arguments.postgres)
    try:
        bench.start()
        writer = Writer(bench.database, arguments.seed, arguments.rate)
        writer.start()
        begin = time.monotonic()
        if arguments.kill_only:
            happened, failed = play_kills(bench, choose, arguments.kill_only)
        else:
            happened, failed = play(bench, choose, begin + 60 * arguments.minutes)
        seconds = time.monotonic() - begin
        writer.stop()
        bench.database.close_session()
        account = Account(bench.database, wait_complete(bench.database, bench.reader.read))
        print(f"chaos: {sum(happened.values())} faults in {seconds:.0f} s: {dict(happened)}; not played: {dict(failed)}; "
              f"exit codes: {dict(bench.ends)}")
        print(f"chaos: {account.text()}")
        if arguments.kill_only and account.rows:
            print(f"chaos: a kill repeats {account.repeated / arguments.kill_only / (account.rows / seconds):.2f} s of rows")
        for what in [f"lost: {account.lost[:10]}"] * bool(account.lost) + account.wrong[:10]:
            print(f"  {what}")
        if not account.good:
            print(f"chaos: FAILED; --seed {arguments.seed}; log: {bench.connector.log}")
        return 0 if account.good else 1
    finally:
        bench.close()
        all_servers.leave_run(membership)


if __name__ == "__main__":
    sys.exit(main())
