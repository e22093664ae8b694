#!/usr/bin/env python3
"""Whether this build has become slower than the last release's, or than another build, in one run on one machine.

  bench/e2e/regression.py [--against REF|BINARY] [--workload NAME ...] [--rows N] [--rounds N] [--null] [--no-drain] [--no-decode]
                          [--postgres 15|17|18] [--json FILE]

Without --against it is compared with the last release's tag (v1.2.3) that this commit comes from; a ref is built in build/against, once, as
this build was built. Both drain the same backlog (see run.py) in turns, who goes first alternates; with --null to /dev/null, without
Kafka, which is what tells CPU time apart best. Then both replay, in turns, a recording of the same rows that `walduct record` makes
(bench/decode), and callgrind counts their instructions, where it is installed and both can --replay.

For each figure: the median of the ratios round by round (this build to the other), the lowest and the highest of them, and a word. It is
another word than "same" only where the rounds agree on a side more than chance would let them (sign test, 5 %: all of six or
seven, eight of nine) and the median differs by at least 3 % (CPU time) or 5 % (rate, walsender, memory); a count of instructions, which has no
noise, by 0.5 %. This is a report: the exit status is 0 whatever it says, as what a clock says must not decide.

Needs a release build with its bench/walduct_decode_bench and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
from pathlib import Path

from drains import WORKLOADS, Bench, Connector, in_turns, private_servers
from other_build import other, this
from support.connector import PLAIN_JSON, database_properties
from verdict import judge, judge_exact, least_rounds

FIGURES = {"rows_per_s": "rate", "cpu_us_per_row": "CPU of walduct, a row", "walsender_cpu_us_per_row": "CPU of the walsender, a row",
           "rss_mb": "highest RSS", "decode_ns": "CPU of decode and encode, a change", "instructions": "instructions of the same"}
RECORDED_ROWS = 20_000


def drain(args, workload, own, directory):
    """{figure: verdict} of one workload."""
    results = in_turns(Bench(args, workload, own, directory))
    pairs = list(zip(results["walduct"], results["other build"]))
    figures = ("rows_per_s", "cpu_us_per_row", "walsender_cpu_us_per_row", "rss_mb")
    found = {f: judge(f, [ours[f] / max(theirs[f], 0.01) for ours, theirs in pairs]) for f in figures}
    for figure, verdict in found.items():
        verdict["this"], verdict["other"] = (round(statistics.median(r[figure] for r in results[name]), 2) for name in ("walduct", "other build"))
    return found


def record(workload, binary, own, directory):
    """A recording of the workload's rows, and how many they are."""
    path, name, rows = directory / f"{workload.name}.rec", f"record_{workload.name}", max(100, workload.count(RECORDED_ROWS))
    database = own.postgres.database(name).create()
    workload.prepare(database, RECORDED_ROWS)
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput", **database_properties(database),
              **PLAIN_JSON, "topic.prefix": name, "publication.autocreate.mode": "filtered", "table.include.list": f"public.{workload.table_name}"}
    worker = {"offset.storage.file.filename": str(directory / name / "offsets.dat")}
    connector = Connector(directory / name, config, worker, name=name, binary=binary)
    connector.start(path, "--changes", rows, command="record").wait_streaming()
    workload.fill(database, RECORDED_ROWS, 1000)
    if connector.wait_exit(300) != 0:
        raise SystemExit(f"regression: no recording:\n{connector.log_text()[-2000:]}")
    return path


def replay_ns(build, recording):
    """CPU time of one change."""
    answered = subprocess.run([build.decode_bench, recording, "--benchmark_filter=decode_assemble_encode$", "--benchmark_format=json"],
                              capture_output=True, text=True, check=True)
    return 1e9 / json.loads(answered.stdout)["benchmarks"][0]["items_per_second"]


def instructions(build, recording, directory):
    """Of one replay: those of three less those of one, halved. None where they cannot be counted."""
    counted = []
    for times in ("1", "3"):
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/callgrind.out", build.decode_bench, recording, "--replay", times]
        answered = subprocess.run(command, capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", answered.stderr)
        if answered.returncode != 0 or not found:
            return None  # an older benchmark knows no --replay
        counted.append(int(found[1]))
    return (counted[1] - counted[0]) / 2


def replay(args, builds, recording, directory):
    """{figure: verdict} of one recording."""
    costs = [[], []]
    for number in range(args.rounds):
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            costs[which].append(replay_ns(builds[which], recording))
    found = {"decode_ns": judge("decode_ns", [ours / theirs for ours, theirs in zip(*costs)])}
    found["decode_ns"]["this"], found["decode_ns"]["other"] = (round(statistics.median(c), 1) for c in costs)
    counts = [instructions(build, recording, directory) for build in builds] if shutil.which("valgrind") else [None]
    if all(counts):
        found["instructions"] = {**judge_exact("instructions", counts[0] / counts[1]), "this": round(counts[0]), "other": round(counts[1])}
    return found


def lines(name, found):
    """A line a figure."""
    for figure, v in found.items():
        chance = f", chance {v['chance']:.2f}" if "chance" in v else ", exact"
        yield (f"{name:<9} {FIGURES[figure]:<36} {v['median']:6.3f} ({v['min']:.3f} to {v['max']:.3f}{chance})  {v['this']:>12,} / {v['other']:>12,}"
               f"  {v['verdict']}")


def measure(args, builds):
    """{workload: {figure: verdict}}."""
    chosen, report = list(WORKLOADS) if "all" in args.workload else args.workload, {}
    decodes = not args.no_decode and all(build.decode_bench for build in builds)
    if not args.no_decode and not decodes:
        print("no walduct_decode_bench beside one of the two: decoding alone is not compared")
    with private_servers(args, chosen) as (own, directory):
        for name in chosen:
            workload = WORKLOADS[name]
            report[name] = {} if args.no_drain else drain(args, workload, own, directory)
            if decodes:
                report[name] |= replay(args, builds, record(workload, builds[0].binary, own, directory), directory)
            print("\n".join(lines(name, report[name])), flush=True)
    return report


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="REF|BINARY")
    parser.add_argument("--workload", action="append", choices=[*WORKLOADS, "all"])
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--transaction", type=int, default=1000)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--unix", action="store_true")
    parser.add_argument("--null", action="store_true", dest="no_kafka")
    parser.add_argument("--no-drain", action="store_true")
    parser.add_argument("--no-decode", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.set_defaults(recvlogical=False, null=False, exactly_once=False, scrape=False)
    args = parser.parse_args()
    args.workload = args.workload or ["typical", "narrow", "update"]
    if args.rounds < least_rounds():
        print(f"{args.rounds} rounds cannot tell builds apart, whatever they say: that takes {least_rounds()}")
    return args


def main():
    args = parse_args()
    own = this()
    if not own.binary.exists():
        raise SystemExit(f"regression: {own.binary} is missing; run scripts/build release")
    builds = (own, other(args.against))
    args.against = builds[1].binary
    load = os.getloadavg()[0]
    print(f"this build beside {builds[1].name}: {args.rounds} rounds, {'/dev/null' if args.no_kafka else 'real Kafka'}, {os.cpu_count()} cores, load {load:.1f}")
    report = measure(args, builds)
    print(f"\nthis / other, the median of {args.rounds} rounds; load {load:.1f} before, {os.getloadavg()[0]:.1f} after")
    for name, found in report.items():
        print("\n".join(lines(name, found)))
    if args.json:
        whole = {"against": builds[1].name, "rounds": args.rounds, "rows": args.rows, "kafka": not args.no_kafka, "cores": os.cpu_count(),
                 "load": [load, os.getloadavg()[0]], "machine": platform.platform(), "workloads": report}
        args.json.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
