#!/usr/bin/env python3
"""What one claim of walduct takes, beside ever more rows that are published.

  bench/polling/claims.py [--published N,N] [--unpublished N] [--kept N] [--batch N] [--times N] [--postgres 17|18] [--json FILE]

No Kafka. walduct (to a file) publishes a few rows, so that the server knows its statements; then they are run by themselves, in transactions that are rolled
back, --times times (median of EXPLAIN ANALYZE, planning included), with --batch rows to be had. The claim begins where the low-water mark is: at the first open
row, as walduct's look at it says; behind it what the claim takes that begins at the table's beginning (a hundredth of the time), and the look:
beside each number of published rows; the last of them with so many unpublished; with so many that were published while an old snapshot keeps their
former versions from being vacuumed; when that snapshot is gone; after VACUUM.
Wanted: within 20 % of the first.

Run it with .deps/venv/bin/python, after a release build. 50,000,000 rows need 25 GB of disk.
"""
import argparse
import contextlib
import re
import statistics
import sys
from pathlib import Path

import tables
from support import backlog
from support.wait import wait_until

STEP = 1_000_000
WHOLE, LOW, LOOK = "SELECT s.%IS NULL ORDER BY%LIMIT $1::bigint) s%", "SELECT s.%>= $2::bigint ORDER BY%", "SELECT (SELECT %pg_locks%"


def statements(database, directory):
    connector = tables.connector(database, directory, "mark", None, **{"walduct.outbox.publish.locally": "true"})
    connector.worker = {"sink": "file", "sink.file.path": "/dev/null", "offset.storage.file.filename": str(directory / "offsets.dat")}
    connector.start().wait_streaming()
    with database.connect() as session:
        tables.put(session, 1, 10)
        session.commit()
        row = 10
        while not (tables.claim_text(database, LOW) and tables.claim_text(database, LOOK)):
            row += 1
            tables.put(session, row, row)
            session.commit()
            wait_until(lambda: database.value("select count(*) from outbox where published_at is null") == 0, 30, "rows are marked")
    connector.stop()
    # pg_stat_statements puts parameters in the place of constants.
    whole, low, look = (tables.claim_text(database, like) for like in (WHOLE, LOW, LOOK))
    return {"low": with_constants(low), "whole": with_constants(whole), "look": literal(look)}, row


def with_constants(claim):
    """In their order, behind the parameters."""
    constants = iter(("true", "false", "'0'"))
    return re.sub(r"(?<=SELECT )\$\d+(?= FROM)|(?<=SKIP LOCKED\), )\$\d+(?=\) FROM)|\$\d+(?=::xid)", lambda _: next(constants), claim)


def literal(look):
    """Its constants, in their order, behind $1."""
    constants = ["1", "' '", "' '", "'relation'", "'RowExclusiveLock'", "'ShareRowExclusiveLock'", "'ExclusiveLock'", "'AccessExclusiveLock'",
                 "'outbox'::regclass", "'outbox'::regclass", "'outbox'::regclass"]
    for number, text in reversed(list(enumerate(constants, 2))):
        look = look.replace(f"${number}", text)
    return look


def time_of(database, args, statement):
    took = []
    with database.connect(autocommit=False) as session:
        session.execute("set enable_bitmapscan = off")
        session.commit()
        for _ in range(args.times):
            (plan,), = session.execute("explain (analyze, buffers, timing off, format json) " + statement).fetchall()
            session.rollback()
            took.append(plan[0]["Planning Time"] + plan[0]["Execution Time"])
    return round(statistics.median(took), 3)


class Claims:
    def __init__(self, args, database, statements, last):
        self.args, self.database, self.statements, self.found, self.last = args, database, statements, {}, last
        self.copied = None  # ids of the first million that were published long ago

    def add(self, count, published):
        # What was published long ago lies packed.
        self.database.execute(f"alter table outbox set (fillfactor = {100 if published else 50})")
        while count > 0:
            step = min(count, STEP)
            if published and step == STEP and self.copied:
                tables.again(self.database, *self.copied)
            elif published:
                tables.published(self.database, self.last + 1, self.last + step)
                self.copied = (self.last + 1, self.last + step) if step == STEP else None
            else:
                tables.put(self.database, self.last + 1, self.last + step)
            self.last, count = self.last + step, count - step

    def time(self, what):
        mark = str(self.database.value("select min(id) from outbox where published_at is null"))
        batch = str(self.args.batch)
        found = {name: time_of(self.database, self.args, text.replace("$2", mark).replace("$1", batch if name != "look" else mark))
                 for name, text in self.statements.items()}
        self.found[what] = found
        first = next(iter(self.found.values()))["low"]
        print(f"{what:<62} {found['low']:8.3f} ms {found['low'] / first:6.2f} x   whole {found['whole']:9.3f} ms   look {found['look']:7.3f} ms", flush=True)

    def vacuum(self):
        self.database.execute("vacuum (analyze) outbox")

    def mark_all(self):
        self.database.execute("update outbox set published_at = now() where published_at is null")

    def run(self):
        args, there = self.args, 0
        for published in args.published:
            self.add(published - there, True)
            there = published
            self.add(args.batch, False)
            self.vacuum()
            self.time(f"{published} published, {args.batch} to be had")
            self.mark_all()
        self.add(args.unpublished, False)
        self.vacuum()
        self.time(f"the same, {args.unpublished} unpublished")
        self.mark_all()
        self.vacuum()
        self.add(args.kept, False)
        self.vacuum()
        with self.database.connect(autocommit=False) as old:
            old.execute("set transaction isolation level repeatable read")
            old.execute("select count(*) from pg_class")
            self.mark_all()
            self.add(args.batch, False)
            self.database.execute("vacuum outbox")
            self.time(f"the same, {args.kept} published that an old snapshot keeps")
        self.time("the same, without the snapshot")
        self.vacuum()
        self.time("the same, after VACUUM")
        return self.found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--published", type=lambda text: [int(n) for n in text.split(",")], default=[10_000, 5_000_000])
    parser.add_argument("--unpublished", type=int, default=1_000_000)
    parser.add_argument("--kept", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--times", type=int, default=21)
    parser.add_argument("--postgres", type=int, default=17, choices=[17, 18])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tables.own_servers(args, pg_set={**backlog.SETTINGS, **tables.STATEMENTS, "max_wal_size": "2GB"}) as (own, directory), contextlib.ExitStack() as left:
        database = tables.opened(own.postgres, "claims", "mark")
        left.callback(database.close_session)
        found = Claims(args, database, *statements(database, directory)).run()
    tables.keep(found, args.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
