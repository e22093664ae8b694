#!/usr/bin/env python3
"""How fast a backlog drains into a real Kafka, beside pg_recvlogical draining the same backlog to /dev/null.

  bench/e2e/run.py [--workload NAME ...] [--rows N] [--rounds N] [--transaction ROWS] [--postgres 15|17|18] [--unix]
                   [--null] [--exactly-once] [--against BINARY] [--scrape] [--json FILE]
                   [--debezium] [--tuned] [--peer-rounds N] [--peers-of NAME ...]

One run on one machine: private PostgreSQL and Kafka, TCP loopback, one slot and one topic for each round. Workloads: typical
(15 mixed columns, about 400 bytes a row), narrow (3 columns, twice as many rows), wide (50), big (10 KB a row), update (of typical rows, replica
identity FULL), single (typical, each row in its own transaction), huge (typical, twice as many rows in one transaction), outbox
(events through EventRouter), avro (typical, with a registry). Printed for each reader: rows/s, CPU microseconds a row of
the reader, of its walsender and of the broker, the highest RSS; then the ratios. Absolute rates hold for the machine only:
compare ratios. Nothing is asserted but that all rows have come.
--unix lets both connect by a unix socket. --null drains the backlog once more to /dev/null, --exactly-once with
exactly.once.support=required, --against with another build of walduct, --scrape while somebody asks for /metrics each second.
Other engines (peers.py): --debezium in Kafka Connect as it comes, --tuned with the settings of one who wants throughput
(scripts/deps debezium for both). They are slow: --peer-rounds says how many of the rounds they take part in, --peers-of (repeated) in which workloads.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import os
import platform
from pathlib import Path

from drains import PG_RECVLOGICAL, Bench, in_turns, private_servers
from measure import cores_used, line, median, ratios
from peers import chosen as chosen_peers
from workloads import WORKLOADS


def run(bench):
    """One workload: what was measured, its medians, and how they compare."""
    args, workload = bench.args, bench.workload
    results = in_turns(bench)
    medians = {name: median(r) for name, r in results.items()}
    print(f"{workload.name}: median of {args.rounds}, PostgreSQL {bench.own.postgres.version}, {os.cpu_count()} cores, real Kafka, "
          f"{'unix socket' if args.unix else 'TCP loopback'}, schemas off")
    for name, measured in medians.items():
        print(f"{line(name, measured)} {cores_used(measured):6.2f} cores, rounds: {len(results[name])}")
    for name, ratio in ratios(medians).items():
        print(f"walduct / {name:<16} rate {ratio['rows_per_s']:.3f}, CPU a row {ratio['cpu_us_per_row']:.3f}, RSS {ratio['rss_mb']:.3f}")
    return {"rows": bench.rows, "wal_bytes": bench.wal_bytes, "transaction_rows": workload.transaction or args.transaction,
            "rounds": results, "median": medians, "ratio": ratios(medians)}


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workload", action="append", choices=[*WORKLOADS, "all"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--transaction", type=int, default=1000)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--unix", action="store_true")
    parser.add_argument("--null", action="store_true")
    parser.add_argument("--exactly-once", action="store_true")
    parser.add_argument("--debezium", action="store_true")
    parser.add_argument("--tuned", action="store_true")
    parser.add_argument("--peer-rounds", type=int, metavar="N")
    parser.add_argument("--peers-of", action="append", choices=list(WORKLOADS), metavar="NAME")
    parser.add_argument("--against", type=Path, metavar="BINARY")
    parser.add_argument("--scrape", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.set_defaults(recvlogical=True, no_kafka=False)
    return parser.parse_args()


def main():
    args = parse_args()
    if not Path(PG_RECVLOGICAL).exists():
        raise SystemExit("bench: pg_recvlogical is missing; run scripts/deps postgres 15")
    names = args.workload or ["typical"]
    chosen = list(WORKLOADS) if "all" in names else names
    peers, about = chosen_peers(args)
    peer_rounds = args.rounds if args.peer_rounds is None else args.peer_rounds
    with private_servers(args, chosen) as (own, directory):
        reports = {name: run(Bench(args, WORKLOADS[name], own, directory, peers if name in (args.peers_of or WORKLOADS) else (), peer_rounds))
                   for name in chosen}
    if args.json:
        report = {"postgres": args.postgres, "connection": "unix" if args.unix else "tcp", "cores": os.cpu_count(),
                  "machine": platform.platform(), "peers": about, "workloads": reports}
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
