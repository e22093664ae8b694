#!/usr/bin/env python3
"""Where the time of a row goes, stage by stage: nanoseconds of CPU time and instructions, of a drain of typical rows into a real Kafka.

  bench/e2e/stages.py [--rows N] [--counted-rows N] [--workload NAME] [--null] [--postgres 15|17|18] [--json FILE]

Two drains of one backlog each. perf samples one (cpu-clock, 1,999 a second, with stacks; kernel included): a sample belongs to the
innermost function on its stack that a stage begins with, and its time is spread over --rows. callgrind counts the instructions of the other,
of --counted-rows, in user space, less those of a start that finds nothing to do: what a function has cost with all that it called, less
the stages inside of it. perf needs no counters of the processor; the number of samples of a stage is beside it, for 100 samples mean
10 % up or down.

Needs a release build, perf (linux-perf), valgrind and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import collections
import dataclasses
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from drains import BINARY, WORKLOADS, Bench, private_servers


@dataclasses.dataclass(frozen=True)
class Stage:
    name: str
    functions: tuple[str, ...]  # it begins with one of them
    within: tuple["Stage", ...] = ()  # stages that those call


PRODUCE = Stage("produce: copy, queue", ("walduct::kafka::Producer::Produce",))
WRITE = Stage("sink: topic, headers", ("walduct::sink::KafkaSink::Write", "walduct::sink::LineSink::Write"), (PRODUCE,))
ENCODE = Stage("encode", ("walduct::encode::RecordEncoder::Encode",))
ROUTE = Stage("route, positions, counters", tuple(f"walduct::engine::Pipeline::On{what}" for what in ("Begin", "Change", "Commit")), (ENCODE, WRITE))
DECODE = Stage("decode, assemble", ("walduct::pgoutput::Assembler::OnMessage",), (ROUTE,))
RECEIVE = Stage("receive: libpq, frames", ("walduct::replication::ReplicationStream::Next",))
DELIVERED = Stage("delivery reports", ("walduct::sink::KafkaSink::Poll", "walduct::sink::LineSink::Poll"))
LOOP = Stage("loop, clock, duties, waiting", ("walduct::engine::StreamPhase::Run",), (RECEIVE, DECODE, DELIVERED))
CLIENT = Stage("librdkafka: batches, checksums, requests", ("rd_kafka_broker_thread_main", "rd_kafka_thread_main"))
STAGES = (RECEIVE, DECODE, ROUTE, ENCODE, WRITE, PRODUCE, DELIVERED, LOOP, CLIENT)
REST = "start of the program, the rest"
SAMPLES_A_SECOND = 1999


class Profiles:
    """One backlog, drained under each of the two."""

    def __init__(self, args, own, directory, rows):
        self.args, self.directory = args, directory / f"rows{rows}"
        self.directory.mkdir()
        bench_args = argparse.Namespace(**{**vars(args), "rows": rows})
        self.bench = Bench(bench_args, WORKLOADS[args.workload], own, self.directory)
        self.bench.prepare()
        self.rows = self.bench.rows

    def _drain(self, command):
        """With the profiler before it, which sees the threads of walduct alone."""
        connector, program = self.bench.connectors[0], self.directory / "profiled"
        program.write_text(f'#!/bin/sh\nexec {command} {BINARY} "$@"\n')
        program.chmod(0o755)
        connector.binary = program
        return self.bench.drain(connector)

    def sampled(self):
        """{stage: [nanoseconds a row, samples]}."""
        data = self.directory / "perf.data"
        measured = self._drain(f"perf record -q -e cpu-clock -F {SAMPLES_A_SECOND} --call-graph dwarf,16384 -o {data}")
        script = subprocess.run(["perf", "script", "-i", data, "-F", "comm,tid,ip,sym", "--no-inline"], capture_output=True, text=True, check=True)
        samples = collections.Counter(stage_of(sample.splitlines()[1:]) for sample in script.stdout.split("\n\n") if sample.strip())
        each = 1e9 / SAMPLES_A_SECOND / self.rows
        return {name: [round(count * each, 1), count] for name, count in samples.items()}, measured

    def counted(self):
        """{stage: instructions a row}, and all of them under None."""
        runs = []
        for _ in ("the backlog", "nothing to do"):
            for old in self.directory.glob("callgrind*"):
                old.unlink()
            self._drain(f"valgrind -q --tool=callgrind --separate-threads=yes --callgrind-out-file={self.directory}/callgrind")
            runs.append(inclusive(self.directory.glob("callgrind-*")))
        spent = {name: (runs[0][name] - runs[1][name]) / self.rows for name in runs[0]}
        own = {stage.name: spent.get(stage, 0) - sum(spent.get(inner, 0) for inner in stage.within) for stage in STAGES}
        return {**own, REST: spent[None] - sum(own.values()), None: spent[None]}


def stage_of(stack):
    """Of the lines "address function", the innermost first."""
    for frame in stack:
        function = frame.split(None, 1)[-1]
        for stage in STAGES:
            if function.startswith(stage.functions):
                return stage.name
    return REST


def inclusive(files):
    """{stage or None for all: instructions}, of the outputs of all threads."""
    found = collections.Counter()
    for path in files:
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", path], capture_output=True, text=True, check=True).stdout
        most = collections.Counter()  # a function has a line more for each file that was inlined into it
        for number, function in re.findall(r"^ *([\d,]+) \([\d. ]+%\) +\S*?:((?:walduct::|rd_kafka_)[^'\n]*?)(?: \[|$)", text, re.M):
            for stage in STAGES:
                for begins in stage.functions:
                    if re.match(re.escape(begins) + r"(\(|$)", function):
                        most[stage, begins] = max(most[stage, begins], int(number.replace(",", "")))
        for (stage, _), count in most.items():
            found[stage] += count
        total = re.search(r"^ *([\d,]+) .*PROGRAM TOTALS", text, re.M)
        found[None] += int(total[1].replace(",", ""))
    return found


def table(sampled, counted):
    total = sum(ns for ns, _ in sampled.values())
    yield "| stage | ns | share | samples | instructions |"
    yield "|---|---|---|---|---|"
    for name in [*(s.name for s in STAGES), REST]:
        ns, samples = sampled.get(name, (0, 0))
        yield f"| {name} | {ns:,.0f} | {100 * ns / total:.0f} % | {samples:,} | {counted.get(name, 0):,.0f} |"
    yield f"| all | {total:,.0f} | | {sum(n for _, n in sampled.values()):,} | {counted[None]:,.0f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workload", choices=list(WORKLOADS), default="typical")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--counted-rows", type=int, default=20_000)
    parser.add_argument("--transaction", type=int, default=1000)
    parser.add_argument("--null", action="store_true", dest="no_kafka")
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--json", type=Path)
    parser.set_defaults(recvlogical=False, null=False, exactly_once=False, scrape=False, against=None, unix=False, rounds=1)
    args = parser.parse_args()
    for program in ("perf", "valgrind"):
        if not shutil.which(program):
            raise SystemExit(f"stages: {program} is missing: apt-get install {'linux-perf' if program == 'perf' else program}")
    load = os.getloadavg()[0]
    with private_servers(args, [args.workload]) as (own, directory):
        counted = Profiles(args, own, directory, args.counted_rows).counted()
        many = Profiles(args, own, directory, args.rows)
        many.bench.drain(many.bench.warm_up)
        sampled, measured = many.sampled()
    print(f"{args.workload}, {'/dev/null' if args.no_kafka else 'real Kafka'}, {os.cpu_count()} cores, load {load:.1f} before, {os.getloadavg()[0]:.1f} after; "
          f"while it was sampled {measured['rows_per_s']:,} rows a second, {measured['cpu_us_per_row']} us of CPU a row, perf's own included")
    print("\n".join(table(sampled, counted)))
    if args.json:
        report = {"workload": args.workload, "rows": args.rows, "kafka": not args.no_kafka, "cores": os.cpu_count(), "load": load,
                  "ns_and_samples": sampled, "instructions": {name or "all": round(n, 1) for name, n in counted.items()}}
        args.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
