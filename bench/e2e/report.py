#!/usr/bin/env python3
"""docs/benchmarks.md and its charts, from measurements of one machine.

  bench/e2e/report.py [--rows N] [--rounds N] [--peer-rounds N] [--no-debezium] [--keep DIR]   measures, and writes the page
  bench/e2e/report.py --from DIR                                                    writes the page from what was kept there

What is measured: run.py over TCP with --null, a piece a workload, for some of them beside Debezium, stock and tuned;
run.py with --null over a unix socket; latency.py at a steady 100 transactions a second; snapshot.py. Each piece leaves a JSON
file in DIR when it is done, and is not measured again while that is there: the same command goes on with a run that was interrupted.
DIR also names machine, build and rows; pieces of others are not mixed with these. All ratios are of one run.

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

from page import SNAPSHOT_SHARE, WORKLOADS, page, write_charts

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs/benchmarks.md"
STEADY = ("--rate", "100", "--seconds", "15")
OVER_UNIX = ("typical", "narrow")
WITH_PEERS = ("typical", "narrow", "single")
IN_PIECES = ("tcp", "unix")  # tcp-typical.json and so on


def pieces(args):
    """{name: command}, the longest comparison first."""
    sized = ["--rows", str(args.rows), "--rounds", str(args.rounds)]
    peers = ["--peer-rounds", str(args.peer_rounds), *([] if args.no_debezium else ["--debezium", "--tuned"])]
    return {**{f"tcp-{name}": ["run.py", "--workload", name, "--null", *sized, *(peers if name in WITH_PEERS else [])] for name in WORKLOADS},
            **{f"unix-{name}": ["run.py", "--workload", name, "--unix", "--null", *sized] for name in OVER_UNIX},
            "latency": ["latency.py", *STEADY], "snapshot": ["snapshot.py", "--rows", str(args.rows * SNAPSHOT_SHARE), "--rounds", str(args.rounds)]}


def measure(args, directory):
    remember(about(args), directory / "machine.json")
    for name, (script, *options) in pieces(args).items():
        piece, unfinished = directory / f"{name}.json", directory / f"{name}.part"
        if piece.exists():
            print(f"report: {piece} is there", flush=True)
            continue
        subprocess.run([sys.executable, HERE / script, *options, "--json", unfinished], check=True)
        unfinished.rename(piece)


def about(args):
    version = subprocess.run([ROOT / "build/release/walduct", "version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    return {"cores": os.cpu_count(), "kernel": platform.release(), "processor": processor(), "memory_gb": memory_gb(), "walduct": version,
            "rows": args.rows, "rounds": args.rounds}


def remember(now, file):
    """What the pieces in a folder are of. Refused: to go on with those of something else."""
    before = json.loads(file.read_text()) if file.exists() else now
    if differing := [key for key in now if before.get(key) != now[key]]:
        told = "; ".join(f"{key} was {before.get(key)!r}, is {now[key]!r}" for key in differing)
        raise SystemExit(f"report: --keep '{file.parent}' has pieces of another run ({told}); name another folder, or remove this one")
    file.write_text(json.dumps(now, indent=1) + "\n")


def processor():
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return lines[0].split(":", 1)[1].strip() if lines else platform.machine()


def memory_gb():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def load(directory):
    """{file's name: content}; pieces of a run.py are one report."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(directory.glob("*.json"))}
    for whole in IN_PIECES:
        parts = [found.pop(name) for name in list(found) if name.startswith(f"{whole}-")]
        if parts:
            found[whole] = merged(parts)
    return found


def merged(parts):
    """Workloads and peers of all."""
    peers = {name: told for part in parts for name, told in part.get("peers", {}).items()}
    return {**parts[0], "peers": peers, "workloads": {name: report for part in parts for name, report in part["workloads"].items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer-rounds", type=int, default=2)
    parser.add_argument("--no-debezium", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--from", type=Path, dest="kept")
    parser.add_argument("--to", type=Path, default=PAGE, help="the page; its charts are in a folder of its name")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="walduct-report-") as temporary:
        directory = args.kept or args.keep or Path(temporary)
        if not args.kept:
            directory.mkdir(parents=True, exist_ok=True)
            measure(args, directory)
        measured = load(directory)
    write_charts(measured, args.to.with_suffix(""))
    args.to.write_text(page(measured, args.to.stem))


if __name__ == "__main__":
    main()
