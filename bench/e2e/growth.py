#!/usr/bin/env python3
"""How the cost of a row grows with the columns of its table, with its width and with the number of tables.

  bench/e2e/growth.py [--curve columns|width|tables ...] [--most N] [--rows N] [--postgres 15|17|18] [--json FILE] [--svg FILE]

A private PostgreSQL; for each point a database, a slot, a backlog in transactions of 1,000 rows, and walduct, which drains it to
/dev/null. CPU time a row is that of the drain less that of a start that finds nothing to do, so that it holds on busy cores, too;
beside it the highest resident set. --most leaves out points beyond it; --rows bounds the rows of a point, which are fewer where
rows are large. Nothing is asserted but that all rows have been published.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import os
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import backlog, servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties, peak_rss_kb  # noqa: E402
from support.paths import BINARY  # noqa: E402

BACKLOG_BYTES = 100 << 20  # of one point, at most
TRANSACTION = 1000
POINTS = {
    "columns": (1, 4, 16, 64, 256, 1024, 1600),
    "width": (100, 1000, 10_000, 100_000, 1_000_000),
    "tables": (1, 10, 100, 1000, 10_000),
}


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


SERIES = "generate_series({first}::bigint, {last}::bigint) g"
MAKE = {"columns": columns, "width": width, "tables": tables}


def drain(connector, *arguments):
    """CPU seconds and peak MB of one run."""
    connector.start(*arguments)
    process, peak, ended = connector.process, [0], threading.Event()

    def watch():
        while not ended.wait(0.02):
            try:
                peak[0] = max(peak[0], peak_rss_kb(process.pid))
            except (OSError, StopIteration):
                return
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    if process.returncode != 0:
        raise SystemExit(f"bench: walduct ended with exit code {process.returncode}:\n{connector.log_text()[-2000:]}")
    return usage.ru_utime + usage.ru_stime, peak[0] / 1024


def measure(own, directory, curve, count, most_rows):
    ddl, statement, row_bytes = MAKE[curve](count)
    rows = max(100, min(most_rows, BACKLOG_BYTES // row_bytes))
    rows = max(rows, 2 * count) if curve == "tables" else rows
    database = own.postgres.database(f"growth_{curve}_{count}").create()
    for first in range(0, len(ddl), 500):  # a lock each
        database.script("; ".join(ddl[first:first + 500]))
    database.execute("create publication growth for all tables")
    name = f"{curve}_{count}"
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
              **database_properties(database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name,
              "publication.name": "growth", "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data"}
    worker = {"offset.storage.file.filename": str(directory / name / "offsets.dat"), "sink": "file", "sink.file.path": "/dev/null"}
    connector = Connector(directory / name, config, worker, name=name, binary=BINARY)
    drain(connector, "--until-caught-up")
    end = backlog.fill(database, rows, TRANSACTION, statement)
    drained, rss = drain(connector, "--until-lsn", end)
    idle, _ = drain(connector, "--until-lsn", end)
    us = max(0.0, drained - idle) * 1e6 / rows
    return {"at": count, "rows": rows, "cpu_us_per_row": round(us, 2), "start_cpu_ms": round(idle * 1e3), "rss_mb": round(rss, 1)}


def svg(curves):
    """One panel a curve: CPU time a row and memory, both from zero, the points side by side."""
    panels, wide, high = [], 330, 200
    for number, (name, points) in enumerate(curves.items()):
        left = 50 + number * (wide + 60)
        parts = [f'<text x="{left}" y="20">{name}</text>']
        for key, color in (("cpu_us_per_row", "#06c"), ("rss_mb", "#c60")):
            top = max(p[key] for p in points) or 1
            spots = [(left + wide * i / max(1, len(points) - 1), 40 + high * (1 - p[key] / top), p[key]) for i, p in enumerate(points)]
            line = " ".join(f"{x:.0f},{y:.0f}" for x, y, _ in spots)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{color}"/>')
            parts += [f'<text x="{x:.0f}" y="{y - 4:.0f}" fill="{color}" text-anchor="middle">{value:g}</text>' for x, y, value in spots]
        parts += [f'<text x="{left + wide * i / max(1, len(points) - 1):.0f}" y="{60 + high}" text-anchor="middle">{p["at"]}</text>'
                  for i, p in enumerate(points)]
        panels.append("".join(parts))
    legend = f'<text x="50" y="{90 + high}" fill="#06c">CPU µs a row</text><text x="170" y="{90 + high}" fill="#c60">MB resident</text>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{50 + len(curves) * (wide + 60)}" height="{110 + high}" '
            f'font-family="sans-serif" font-size="11">{"".join(panels)}{legend}</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curve", action="append", choices=list(POINTS))
    parser.add_argument("--most", type=int, default=10**9)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    args = parser.parse_args()
    own = servers.private(postgres=args.postgres, kafka=False,
                          pg_set={**backlog.SETTINGS, "max_replication_slots": "50", "max_locks_per_transaction": "1024"})
    curves = {}
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-growth-") as directory:
            for curve in args.curve or POINTS:
                curves[curve] = []
                for count in (point for point in POINTS[curve] if point <= args.most):
                    curves[curve].append(measure(own, Path(directory), curve, count, args.rows))
                    p = curves[curve][-1]
                    print(f"{curve:<8} {count:>8} {p['cpu_us_per_row']:10.2f} us/row {p['rss_mb']:8.1f} MB RSS "
                          f"{p['start_cpu_ms']:6} ms CPU of a start ({p['rows']} rows)", flush=True)
    finally:
        own.remove()
    if args.json:
        args.json.write_text(json.dumps({"postgres": args.postgres, "curves": curves}, indent=1) + "\n")
    if args.svg:
        args.svg.write_text(svg(curves))


if __name__ == "__main__":
    main()
