#!/usr/bin/env python3
"""What linger.ms, batch.size and compression.type do: rate, latency, and CPU time of walduct and of the broker.

  bench/e2e/settings.py [--workload NAME] [--rows N] [--rounds N] [--seconds N] [--postgres 15|17|18] [--json FILE]

One of them is another than by default, the others are as they come. Each drains the same backlog into a real Kafka, in turns; then each
linger.ms is asked for the latency of 100 transactions a second (latency.py), since only that waits for company. Private servers, TCP
loopback. Nothing is asserted but that all rows have come.

Needs a release build and the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from drains import Bench, in_turns, private_servers
from measure import cores_used, line, median
from workloads import WORKLOADS

LINGERS = (0, 5, 20, 100)
TRIED = {
    "by default": {},
    **{f"linger.ms={ms}": {"producer.override.linger.ms": str(ms)} for ms in LINGERS},
    **{f"batch.size={kb} KB": {"producer.override.batch.size": str(kb << 10)} for kb in (16, 64, 256)},
    **{f"compression.type={name}": {"producer.override.compression.type": name} for name in ("lz4", "snappy", "zstd")},
}


class SettingsBench(Bench):
    def __init__(self, args, workload, own, directory):
        super().__init__(args, workload, own, directory)
        self.tried = {what: self._connectors(f"set{number}_", True) for number, what in enumerate(TRIED)}
        for what, connectors in self.tried.items():
            for connector in connectors:
                connector.config.update(TRIED[what])
        self.connectors = []
        self.others = [connector for connectors in self.tried.values() for connector in connectors]  # which prepare() knows

    def readers(self):
        return {what: lambda n, connectors=connectors: self.drain(connectors[n]) for what, connectors in self.tried.items()}


def drained(args):
    with private_servers(args, [args.workload]) as (own, directory):
        bench = SettingsBench(args, WORKLOADS[args.workload], own, directory)
        return {what: median(rounds) for what, rounds in in_turns(bench).items()}


def latency_of(args, properties):
    with tempfile.NamedTemporaryFile(suffix=".json") as answer:
        chosen = [word for name, value in properties.items() for word in ("--set", f"{name}={value}")]
        subprocess.run([sys.executable, Path(__file__).with_name("latency.py"), "--rate", "100", "--seconds", str(args.seconds), *chosen,
                        "--postgres", str(args.postgres), "--json", answer.name], check=True, stdout=subprocess.DEVNULL)
        return json.loads(Path(answer.name).read_text())["added_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workload", default="typical", choices=list(WORKLOADS))
    parser.add_argument("--rows", type=int, default=600_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--json", type=Path)
    parser.set_defaults(transaction=1000, unix=False, recvlogical=False, no_kafka=False, null=False, exactly_once=False, against=None, scrape=False)
    args = parser.parse_args()
    measured = drained(args)
    for what, figures in measured.items():
        print(f"{line(what, figures)} {cores_used(figures):6.2f} cores")
    late = {what: latency_of(args, properties) for what, properties in TRIED.items() if "linger" in what or not properties}
    for what, added in late.items():
        print(f"{what:<22} beyond the broker's: " + ", ".join(f"{name} {ms:.2f} ms" for name, ms in added.items()))
    if args.json:
        args.json.write_text(json.dumps({"rows": args.rows, "rounds": args.rounds, "drained": measured, "added_ms": late}, indent=1) + "\n")


if __name__ == "__main__":
    main()
