#!/usr/bin/env python3
"""Chaos on real servers: walduct under a writer with a ledger, while everything around it fails; at the end each row is accounted for.

  tests/chaos/run.py [--seed N] [--minutes M | --kill-only N] [--exactly-once] [--rate N] [--postgres 15|17|18]

Faults and pauses come from the seed: first each fault once, then as often as it weighs. The moments are the machine's. --kill-only: so
many kill -9, nothing else, and no snapshot but the first: what each kill repeats is measured. Exit status: 0 all rows are there and in
order, and with --exactly-once each change came once; 1 not.
"""
import argparse
import contextlib
import os
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

from chaos.bench import FAILOVER_SINCE, Bench, NotPlayed  # noqa: E402
from chaos.faults import FAULTS  # noqa: E402
from chaos.ledger import Account, Writer, wait_complete  # noqa: E402
from support import servers as all_servers  # noqa: E402
from support.connector import STREAMING  # noqa: E402
from support.sanitizers import reports_in  # noqa: E402
from support.wait import wait_until  # noqa: E402


def play(bench, choose, until):
    """Faults one after the other, with pauses; how often each happened, and those that could not be played."""
    happened, failed = Counter(), Counter()
    for name in order(choose):
        time.sleep(choose.choice((0.2, 1, 2, choose.uniform(0, 4))))
        if time.monotonic() > until:
            return happened, failed
        try:
            FAULTS[name](bench, choose)
            happened[name] += 1
        except NotPlayed as why:
            failed[name] += 1
            print(f"  {name} is not played: {why}", flush=True)
        except (psycopg.Error, AssertionError, OSError) as error:  # another fault is not over yet
            failed[name] += 1
            print(f"  {name} could not be played: {str(error).splitlines()[:1]}", flush=True)
    return happened, failed


def order(choose):
    """Of faults, without an end."""
    names = list(FAULTS)
    yield from choose.sample(names, len(names))
    while True:
        yield choose.choices(names, [FAULTS[name].weight for name in names])[0]


def play_kills(bench, choose, count):
    """Most while it streams, some while it starts."""
    for kill in range(count):
        if choose.random() < 0.8:
            with contextlib.suppress(AssertionError):
                bench.connector.wait_log(STREAMING, 30)
        time.sleep(choose.uniform(0, 1))
        wait_until(bench.connector.running, 30, "it runs again")
        bench.connector.process.kill()
        bench.connector.process.wait()
        if kill % 50 == 49:
            print(f"  {kill + 1} kills", flush=True)
    return Counter(kill_9=count), Counter()


def account_for(arguments, choose, directory):
    """Plays, and the exit status."""
    bench = Bench(directory, arguments.postgres, arguments.exactly_once, small_disk=not arguments.kill_only)
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
        account = Account(bench.database, wait_complete(bench.database, bench.reader.read), once=arguments.exactly_once)
        print(f"chaos: {sum(happened.values())} faults in {seconds:.0f} s: {dict(happened)}; not played: {dict(failed)}; "
              f"exit codes: {dict(bench.ends)}; load of the machine: {os.getloadavg()[1]:.0f}")
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--kill-only", type=int, default=0, metavar="N")
    parser.add_argument("--rate", type=float, default=50, help="transactions a second, at most")
    parser.add_argument("--exactly-once", action="store_true")
    parser.add_argument("--postgres", type=int, default=FAILOVER_SINCE, choices=(15, 17, 18))
    arguments = parser.parse_args()
    print(f"chaos: seed {arguments.seed}", flush=True)
    choose = random.Random(arguments.seed)
    membership = all_servers.join_run()
    directory = Path(tempfile.mkdtemp(prefix="chaos-", dir=all_servers.RUN))
    try:
        with reports_in(directory / "sanitizer"):
            return account_for(arguments, choose, directory)
    finally:
        all_servers.leave_run(membership)


if __name__ == "__main__":
    sys.exit(main())
