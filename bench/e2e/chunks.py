#!/usr/bin/env python3
"""Whether a chunk of an incremental snapshot costs the same at the end of a large table as at its beginning.

  bench/e2e/chunks.py [--rows N] [--chunks N] [--chunk N] [--postgres 15|17|18] [--json FILE]

A private PostgreSQL, a table of narrow rows (bigint key, int), and a snapshot of it by walduct, whose statements the server logs. The
statement of its chunks is taken from there, and run as walduct runs it (a cursor in a transaction, read to its limit) at the beginning,
in the middle and at the end of the table: --chunks consecutive chunks each, in turns, after one round that warms the cache. Exit
status 1 when a chunk at the end takes more than one and a half times as long as at the beginning (median of all).

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties  # noqa: E402
from support.wait import wait_until  # noqa: E402

MOST_RATIO = 1.5
SERVER = {"log_min_duration_statement": "0", "logging_collector": "on", "autovacuum": "off", "max_wal_size": "4GB"}
SEEN = re.compile(r"duration: [\d.]+ ms  [^\n]*?(DECLARE walduct_chunk [^\n]*\$2[^\n]*)\n[^\n]*?DETAIL:  [Pp]arameters: ([^\n]*)")


def statement_of(own, database, chunk, directory):
    """The text of a chunk that is not the first, and its parameters."""
    name = "chunks"
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
              **database_properties(database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name, "snapshot.mode": "no_data",
              "publication.autocreate.mode": "filtered", "table.include.list": "public.narrow,public.signals",
              "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": str(chunk)}
    worker = {"sink": "file", "sink.file.path": "/dev/null", "offset.storage.file.filename": str(directory / "offsets.dat")}
    connector = Connector(directory / "walduct", config, worker, name=name)
    connector.start().wait_streaming()
    data = {"type": "incremental", "data-collections": ["public.narrow"]}
    database.execute("insert into signals values ('a', 'execute-snapshot', %s)", json.dumps(data))

    def seen():
        return SEEN.findall(own.postgres.query("select pg_read_file(pg_current_logfile())")[0][0])

    found = wait_until(lambda: found if len(found := seen()) > 20 else None, 120, "some chunks")
    connector.stop()
    text, parameters = found[-1]
    return re.sub(r"\$(\d+)", r"%(p\1)s", text.replace("%", "%%")), dict(re.findall(r"\$(\d+) = '(-?\d+)'", parameters))


def run_chunk(session, statement, names, after, chunk):
    """Milliseconds, and the last key."""
    values = {f"p{number}": str(after) if which == "after" else which for number, which in names.items()}
    begin = time.perf_counter()
    with session.transaction():
        session.execute(statement, values)
        rows = session.execute(f"fetch {chunk} from walduct_chunk").fetchall()
        session.execute("close walduct_chunk")
    took = 1e3 * (time.perf_counter() - begin)
    if len(rows) != chunk:
        raise SystemExit(f"bench: {len(rows)} rows behind {after}")
    return took, int(rows[-1][0])


def measure(args, own, directory):
    database = own.postgres.database("chunks").create()
    database.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    database.execute("create table narrow (id bigint not null, v int not null)")
    for first in range(1, args.rows + 1, 5_000_000):
        last = min(first + 4_999_999, args.rows)
        database.execute(f"insert into narrow select g, g % 1000 from generate_series({first}, {last}) g")
    database.execute("alter table narrow add primary key (id)")
    database.execute("vacuum (analyze, freeze) narrow")
    statement, parameters = statement_of(own, database, args.chunk, directory)
    maximum = max(parameters.values(), key=int)
    names = {number: value if value in (maximum, str(args.chunk)) else "after" for number, value in parameters.items()}
    span = args.chunks * args.chunk
    starts = {"beginning": 0, "middle": args.rows // 2, "end": args.rows - span - 1}
    took = {place: [] for place in starts}
    own.postgres.query("alter system set log_min_duration_statement = -1")
    own.postgres.query("select pg_reload_conf()")
    with database.connect() as session:
        for round_number in range(args.rounds + 1):
            for place, after in starts.items():
                for _ in range(args.chunks):
                    ms, after = run_chunk(session, statement, names, after, args.chunk)
                    if round_number:
                        took[place].append(ms)
    medians = {place: round(statistics.median(values), 3) for place, values in took.items()}
    p99 = {place: round(sorted(values)[int(len(values) * 0.99)], 3) for place, values in took.items()}
    return {"rows": args.rows, "chunk": args.chunk, "chunks": args.chunks * args.rounds, "median_ms": medians, "p99_ms": p99,
            "end_to_beginning": round(medians["end"] / medians["beginning"], 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--chunks", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--chunk", type=int, default=1024)
    parser.add_argument("--postgres", type=int, default=17, choices=(15, 17, 18))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    membership = servers.join_run()  # else another run that ends takes the server for that of a broken one
    own = servers.private(postgres=args.postgres, pg_set=SERVER)
    try:
        with tempfile.TemporaryDirectory() as directory:
            measured = measure(args, own, Path(directory))
    finally:
        own.remove()
        servers.leave_run(membership)
    print(json.dumps(measured))
    if args.json:
        args.json.write_text(json.dumps(measured, indent=1) + "\n")
    return 0 if measured["end_to_beginning"] <= MOST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
