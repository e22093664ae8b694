#!/usr/bin/env python3
"""How the cost of a row grows with the columns of its table, its width, the number of tables and of topics, and with its transaction.

  bench/e2e/growth.py [--curve columns|width|tables|bursts|topics|transaction ...] [--kafka] [--most N] [--rows N] [--postgres 15|17|18]
                      [--json FILE] [--svg FILE]
  bench/e2e/growth.py --from FILE [--from FILE ...] --svg FILE   draws what was measured before, by many.py, too

A private PostgreSQL; for each point a database, a slot, a backlog in transactions of 1,000 rows (but for the curve of transactions), and
walduct, which drains it to /dev/null, or with --kafka into a private Kafka. topics are those that EventRouter routes one outbox table to.
CPU time a row is that of the drain less that of a start that finds nothing to do, so that it holds on busy cores, too; beside it the
highest resident set. What is new costs once, when its first row comes: for tables, bursts and topics the process goes on, and what rows cost then
is "settled". --most leaves out points beyond it; --rows bounds the rows of a point, which are fewer where rows are large and more
where a transaction is, or the tables are many. Nothing is asserted but that all rows have been published.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import signal
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from charts import curves  # noqa: E402
from measure import await_end  # noqa: E402
from support import backlog, servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties  # noqa: E402
from support.paths import BINARY  # noqa: E402
from support.postgres import lsn  # noqa: E402
from support.wait import wait_until  # noqa: E402

BACKLOG_BYTES = 100 << 20  # of one point, at most
TRANSACTION = 1000
BURST = 100
POINTS = {
    "columns": (1, 4, 16, 64, 256, 1024, 1600),
    "width": (100, 1000, 10_000, 100_000, 1_000_000),
    "tables": (1, 10, 100, 1000, 10_000),
    "bursts": (1, 10, 100, 1000, 10_000),
    "topics": (1, 10, 100, 1000),
    "transaction": (1, 10, 100, 1000, 10_000, 100_000, 2_000_000),
}
DRAWN = {"cpu_us_per_row": ("CPU µs a row", "#06c"), "rss_mb": ("MB resident", "#c60")}
TITLES = {"columns": "columns of a table", "width": "bytes of a row", "tables": "tables, one row after the other",
          "bursts": f"tables, {BURST} rows each by turns", "topics": "topics of one outbox table",
          "transaction": "rows of a transaction", "connectors": "connectors of a process"}


def columns(count):
    """Tables, a statement that writes the rows {first} to {last}, bytes of a row."""
    names = ["id bigint primary key", *(f"c{i} int" for i in range(1, count))]
    values = ", ".join(["g", *(f"{i} + mod(g, 1000)::int" for i in range(1, count))])
    return [f"create table t0 ({', '.join(names)})"], f"insert into t0 select {values} from {SERIES}", 10 * count + 50


def width(count):
    text = f"(select string_agg(md5(g::text || i), '') from generate_series(1, {max(1, count // 32)}) i)"
    return ["create table t0 (id bigint primary key, body text)"], f"insert into t0 select g, {text} from {SERIES}", count


def tables(count):
    """One row after the other, each in the next table."""
    return ([f"create table t{i} (id bigint primary key, note text)" for i in range(count)],
            "for g in {first}..{last} loop execute format('insert into t%s values ($1, $2)', mod(g, " + str(count) +
            ")) using g, 'note ' || g; end loop", 60)


def bursts(count):
    """So many rows in a table, as many in the next one."""
    ddl, statement, row_bytes = tables(count)
    return ddl, statement.replace(f"mod(g, {count})", f"mod(g / {BURST}, {count})"), row_bytes


def topics(count):
    """One outbox table, whose events go to so many topics by turns."""
    return (["create table t0 (id uuid primary key, aggregatetype text not null, aggregateid text not null, type text not null, payload jsonb)"],
            f"insert into t0 select md5(g::text)::uuid, 'kind' || mod(g, {count}), mod(g, 10000), 'changed', "
            f"jsonb_build_object('id', g, 'note', repeat('lorem ipsum ', 8)) from {SERIES}", 300)


def transaction(_):
    return ["create table t0 (id bigint primary key, note text)"], f"insert into t0 select g, 'note ' || g from {SERIES}", 60


SERIES = "generate_series({first}::bigint, {last}::bigint) g"
MAKE = {"columns": columns, "width": width, "tables": tables, "bursts": bursts, "topics": topics, "transaction": transaction}
# Curves whose points have what costs something when it is new: rows for each, so that all have come again.
SHOWN = {"tables": 2, "bursts": 2 * BURST, "topics": 2}
SETTLED = 5  # times --rows
ROUTES = {"transforms": "o", "transforms.o.type": "io.debezium.transforms.outbox.EventRouter"}


def drain(connector, *arguments):
    """CPU seconds and peak MB of one run."""
    connector.start(*arguments)
    process = connector.process
    usage, rss_mb = await_end(process)
    if process.returncode != 0:
        raise SystemExit(f"bench: walduct ended with exit code {process.returncode}:\n{connector.log_text()[-2000:]}")
    return usage.ru_utime + usage.ru_stime, rss_mb


def measure(own, directory, curve, count, most_rows, kafka):
    ddl, statement, row_bytes = MAKE[curve](count)
    rows = max(100, min(most_rows, BACKLOG_BYTES // row_bytes))
    rows = max(rows, {**SHOWN, "transaction": 1}.get(curve, 0) * count)
    database = own.postgres.database(f"growth_{curve}_{count}").create()
    for first in range(0, len(ddl), 500):  # a lock each
        database.script("; ".join(ddl[first:first + 500]))
    database.execute("create publication growth for all tables")
    name = f"{curve}_{count}"
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
              **database_properties(database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name,
              "publication.name": "growth", "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data",
              "status.update.interval.ms": "200", **(ROUTES if curve == "topics" else {})}
    worker = {"offset.storage.file.filename": str(directory / name / "offsets.dat"), "offset.flush.interval.ms": "200",
              **({"bootstrap.servers": own.bootstrap} if kafka else {"sink": "file", "sink.file.path": "/dev/null"})}
    connector = Connector(directory / name, config, worker, name=name, binary=BINARY)
    drain(connector, "--until-caught-up")
    end = backlog.fill(database, rows, count if curve == "transaction" else TRANSACTION, statement)
    drained, rss = drain(connector, "--until-lsn", end)
    idle, _ = drain(connector, "--until-lsn", end)
    us = max(0.0, drained - idle) * 1e6 / rows
    more = {}
    if curve in SHOWN:
        more["settled_us_per_row"] = round(settled(connector, database, statement, rows, SHOWN[curve] * count, SETTLED * most_rows), 2)
    return {"at": count, "rows": rows, "cpu_us_per_row": round(us, 2), "start_cpu_ms": round(idle * 1e3), "rss_mb": round(rss, 1), **more}


def settled(connector, database, statement, first, known, rows):
    """CPU microseconds a row, once `known` rows have shown the process all that there is. It is stopped while rows are written, so that
    they are a backlog for it."""
    connector.start().wait_streaming()
    used = []
    for count in (known, rows):
        connector.process.send_signal(signal.SIGSTOP)
        write = statement.format(first=f"{first} + lowest", last=f"{first} + least(lowest + {TRANSACTION - 1}, {count})")
        database.execute(backlog.IN_TRANSACTIONS.format(rows=count, step=TRANSACTION, statement=write))
        end = lsn(database.value("select pg_current_wal_lsn()::text"))
        first += count
        connector.process.send_signal(signal.SIGCONT)
        begin = connector.cpu_seconds()
        wait_until(lambda: lsn(database.slot(connector.slot)["confirmed_flush_lsn"]) >= end, 300, "all rows", interval_s=0.2)
        used.append(connector.cpu_seconds() - begin)
    connector.terminate(60)
    return used[-1] * 1e6 / rows


def svg(measured):
    return curves({TITLES[name]: points for name, points in measured.items()}, DRAWN)


def measure_all(args):
    own = servers.private(postgres=args.postgres, kafka=args.kafka,
                          pg_set={**backlog.SETTINGS, "max_replication_slots": "50", "max_locks_per_transaction": "1024",
                                  "wal_sender_timeout": "0"})  # walduct stands still while rows are written
    measured = {}
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-growth-") as directory:
            for curve in args.curve or POINTS:
                measured[curve] = []
                for count in (point for point in POINTS[curve] if point <= args.most):
                    p = measure(own, Path(directory), curve, count, args.rows, args.kafka)
                    measured[curve].append(p)
                    print(f"{curve:<11} {count:>9} {p['cpu_us_per_row']:10.2f} us/row {p['rss_mb']:8.1f} MB RSS "
                          f"{p['start_cpu_ms']:6} ms CPU of a start ({p['rows']} rows)"
                          f"{', settled ' + str(p['settled_us_per_row']) + ' us/row' if 'settled_us_per_row' in p else ''}", flush=True)
    finally:
        own.remove()
    return measured


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curve", action="append", choices=list(POINTS))
    parser.add_argument("--from", action="append", type=Path, dest="kept", metavar="FILE")
    parser.add_argument("--kafka", action="store_true")
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    args = parser.parse_args()
    if args.kept:
        measured = {name: points for path in args.kept for name, points in json.loads(path.read_text())["curves"].items()}
    else:
        measured = measure_all(args)
    if args.json:
        args.json.write_text(json.dumps({"postgres": args.postgres, "kafka": args.kafka, "curves": measured}, indent=1) + "\n")
    if args.svg:
        args.svg.write_text(svg(measured))


if __name__ == "__main__":
    main()
