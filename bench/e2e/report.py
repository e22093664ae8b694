#!/usr/bin/env python3
"""docs/benchmarks.md and its charts, from measurements of one machine.

  bench/e2e/report.py [--rows N] [--rounds N] [--no-debezium] [--keep DIR]   measures everything, and writes the page
  bench/e2e/report.py --from DIR                                           writes the page from what was kept there

What is measured: run.py over TCP with --null and, unless told not to, --debezium; run.py over a unix socket; latency.py at a steady
100 transactions a second; snapshot.py. Each leaves a JSON file in DIR, which also names the build; --keep says which DIR. All
ratios are of one run; the page says of what machine the absolute figures are.

Needs a release build, the packages of tests/requirements.txt and scripts/deps debezium: run it with .deps/venv/bin/python.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from charts import bars

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE, CHARTS = ROOT / "docs/benchmarks.md", ROOT / "docs/benchmarks"
STEADY = ("--rate", "100", "--seconds", "15")
READERS = {"pg_recvlogical": "pg_recvlogical to /dev/null", "walduct": "walduct to Kafka", "to /dev/null": "walduct to /dev/null",
           "debezium": "Debezium to Kafka"}
WORKLOADS = {
    "typical": "15 mixed columns, 400 bytes, transactions of 1,000",
    "narrow": "3 columns",
    "wide": "50 columns",
    "big": "10 KB a row",
    "update": "updates of typical rows, replica identity FULL",
    "single": "typical rows, each in a transaction of its own",
    "huge": "typical rows in one transaction",
    "outbox": "events through EventRouter",
    "avro": "typical rows in Avro, with a registry",
}


def measure(args, directory):
    what = {"tcp": ["run.py", "--workload", "all", "--null", *([] if args.no_debezium else ["--debezium"])],
            "unix": ["run.py", "--workload", "typical", "--workload", "narrow", "--unix"],
            "latency": ["latency.py", *STEADY],
            "snapshot": ["snapshot.py"]}
    for name, (script, *options) in what.items():
        sized = [] if script == "latency.py" else ["--rows", str(args.rows), "--rounds", str(args.rounds)]
        subprocess.run([sys.executable, HERE / script, *options, *sized, "--json", directory / f"{name}.json"], check=True)
    version = subprocess.run([ROOT / "build/release/walduct", "version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    machine = {"cores": os.cpu_count(), "kernel": platform.release(), "processor": processor(), "memory_gb": memory_gb(), "walduct": version,
               "rows": args.rows, "rounds": args.rounds}
    (directory / "machine.json").write_text(json.dumps(machine, indent=1) + "\n")


def processor():
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return lines[0].split(":", 1)[1].strip() if lines else platform.machine()


def memory_gb():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def load(directory):
    return {path.stem: json.loads(path.read_text()) for path in directory.glob("*.json")}


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def drains(report):
    """A row a workload and reader, in the order of WORKLOADS."""
    rows = []
    for name in (n for n in WORKLOADS if n in report["workloads"]):
        medians = report["workloads"][name]["median"]
        base = medians["pg_recvlogical"]["rows_per_s"]
        for reader in (r for r in READERS if r in medians):
            m = medians[reader]
            rows.append((name if reader == "pg_recvlogical" else "", READERS[reader], f"{m['rows_per_s'] / base:.2f}",
                         f"{m['rows_per_s'] / 1000:.0f}", m["cpu_us_per_row"], m["walsender_cpu_us_per_row"], m["broker_cpu_us_per_row"],
                         m["rss_mb"]))
    return table(("workload", "reader", "of pg_recvlogical's rate", "krow/s", "its CPU, µs a row", "walsender's", "broker's", "MB RSS"), rows)


def chart(report, key, scale=1):
    """{workload: {reader: value}} of the medians."""
    return {name: {READERS[r]: report["workloads"][name]["median"][r][key] / scale for r in READERS
                   if r in report["workloads"][name]["median"]} for name in WORKLOADS if name in report["workloads"]}


def write_charts(measured):
    CHARTS.mkdir(exist_ok=True)
    tcp, series = measured["tcp"], list(READERS.values())
    for name, title, key, scale in (("rate", "thousand rows a second, TCP", "rows_per_s", 1000),
                                    ("cpu", "CPU time of the reader, µs a row", "cpu_us_per_row", 1),
                                    ("memory", "highest resident set, MB", "rss_mb", 1)):
        (CHARTS / f"{name}.svg").write_text(bars(title, chart(tcp, key, scale), series))


def latency(report):
    named = {"a row, from commit": "walduct_ms", "a plain producer's message": "broker_ms", "the difference": "added_ms"}
    rows = [(name, *(f"{value:.1f}" for value in report[key].values())) for name, key in named.items()]
    return table(("", *(f"{p.replace('999', '99.9')}, ms" for p in report["walduct_ms"])), rows)


def snapshots(report):
    rows = [(name, f"{ratio:.2f}", f"{max(m['rss_mb'] for m in report['measured'][name]):.0f}") for name, ratio in report["of_copy"].items()]
    return table(("reader", "of COPY's rate", "MB RSS"), rows)


def page(measured):
    machine = measured["machine"]
    return f"""# Benchmarks

Written by `bench/e2e/report.py`; measured with {machine['walduct']} on {machine['cores']} cores ({machine['processor']}, {machine['memory_gb']} GB), PostgreSQL
{measured['tcp']['postgres']} and Kafka on the same cores. {machine['rows']:,} rows, medians of {machine['rounds']} rounds, schemas off, no compression, `acks=all`, idempotent. Readers of one
workload drain the same backlog in turns. Ratios within a table are of one run; absolute figures hold for this machine. Where
walsender, reader and broker together ask for more than the cores, the rate is theirs, and the columns of CPU time tell the readers apart.

## A backlog over TCP

{drains(measured['tcp'])}

{chr(10).join(f"- *{name}*: {text}" for name, text in WORKLOADS.items() if name in measured['tcp']['workloads'])}

![rows a second](benchmarks/rate.svg)

![CPU time a row](benchmarks/cpu.svg)

![memory](benchmarks/memory.svg)

## A backlog over a unix socket

{drains(measured['unix'])}

## Latency at a steady 100 transactions a second

From commit to a consumer's hands, and a plain producer's messages on the same broker meanwhile (`bench/e2e/latency.py`).

{latency(measured['latency'])}

## The initial snapshot

Beside psql's COPY of the same table to `/dev/null` (`bench/e2e/snapshot.py`).

{snapshots(measured['snapshot'])}

What else there is: how cost grows with columns, width and tables, and what was tried: [performance.md](performance.md).
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-debezium", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--from", type=Path, dest="kept")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="walduct-report-") as temporary:
        directory = args.kept or args.keep or Path(temporary)
        if not args.kept:
            directory.mkdir(parents=True, exist_ok=True)
            measure(args, directory)
        measured = load(directory)
    write_charts(measured)
    PAGE.write_text(page(measured))


if __name__ == "__main__":
    main()
