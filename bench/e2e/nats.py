#!/usr/bin/env python3
"""One backlog of typical rows into NATS JetStream, and beside it what a plain client in a loop makes of the same server.

  bench/e2e/nats.py [--rows N] [--rounds N] [--memory]

Printed for each round: rows a second, CPU time of walduct a row, its highest resident set, CPU time of the server (broker); then messages a second of `nats_limit.c`, with as
many bytes each as the rows had. --memory: a stream in memory, else in a file.

Run it with .deps/venv/bin/python, after a release build and scripts/deps nats.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from drains import Bench  # noqa: E402
from measure import line  # noqa: E402
from support import servers  # noqa: E402
from support.connector import Connector  # noqa: E402
from support.nats import Nats  # noqa: E402
from support.paths import BINARY  # noqa: E402
from workloads import WORKLOADS  # noqa: E402


class NatsBench(Bench):
    def _connector(self, name, exactly_once=False, null=False, binary=BINARY):
        folder = self.directory / name
        worker = {"offset.storage.file.filename": str(folder / "offsets.dat"), "sink": "nats-jetstream", "sink.nats-jetstream.url": self.own.nats}
        return Connector(folder, self.config(name), worker, name=name, binary=binary)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--memory", action="store_true")
    asked = parser.parse_args()
    storage = "memory" if asked.memory else "file"
    args = SimpleNamespace(rows=asked.rows, rounds=asked.rounds, transaction=100, no_kafka=True, null=False, exactly_once=False, against=None, scrape=False,
                           unix=False, recvlogical=False)
    with tempfile.TemporaryDirectory(prefix="walduct-bench-", dir=BINARY.parent) as scratch:
        own = servers.private(postgres=17, nats=True)
        try:
            subprocess.run(["cc", "-O2", "-o", f"{scratch}/limit", ROOT / "bench/e2e/nats_limit.c", "-lnats"], check=True)
            bench = NatsBench(args, WORKLOADS["typical"], own, Path(scratch))
            bench.prepare()
            bench.broker_pid = int((own.dir / "nats.pid").read_text())
            for number, connector in enumerate(bench.connectors):
                with Nats(own.nats) as client:
                    client.create("bench", [f"{connector.prefix}.>"], storage=storage)
                print(f"round {number + 1}: {line('walduct', bench.drain(connector))}", flush=True)
                with Nats(own.nats) as client:
                    state = client.info("bench")["state"]
                    assert state["messages"] >= asked.rows, state
                    size = state["bytes"] // state["messages"]
                    client.delete("bench")
                    client.create("bench", ["limit.>"], storage=storage)
                limit = subprocess.run([f"{scratch}/limit", own.nats, "limit.a.b", str(asked.rows), str(size)], check=True, capture_output=True, text=True)
                print(f"round {number + 1}: a plain client, {size} bytes each: {float(limit.stdout) / 1000:.1f} krow/s", flush=True)
                with Nats(own.nats) as client:
                    client.delete("bench")
        finally:
            own.remove()


if __name__ == "__main__":
    main()
