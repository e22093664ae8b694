#!/usr/bin/env python3
"""How fast a backlog drains over a far path: a round trip of 40 ms, and one of 0.1 ms, over a wire of so many Mbit/s.

  bench/e2e/far.py [--rtt-ms MS]... [--mbit N]... [--workload NAME]... [--rows N] [--rounds N] [--congestion NAME] [--json FILE]
  bench/e2e/far.py --kafka ...     the broker is far and the server near, with one partition: what walduct writes into it

PostgreSQL is at one end of the wire, and at the other in turn a program that reads bytes from a socket (bulk: what the wire gives),
pg_recvlogical and walduct, both to /dev/null. Mbit/s are those of the messages of the WAL, a fifth of the way into the backlog until 95 %:
TCP, IP and what libpq adds are about 5 % more. (With --kafka, too: what the records took is in wire_bytes.)
The window is the largest one that the sender's TCP has seen. How the wire is made: far_path.py. It needs root (network namespaces, /dev/net/tun) and touches no network of the machine.

Run it with .deps/venv/bin/python, after scripts/build release walduct walduct_wire.
"""
import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from drains import PG_RECVLOGICAL, WORKLOADS, Bench, private_servers
from far_path import NEAR, FarPath, Flow, enter_near_end
from measure import median

from support.servers import free_ports

BULK_SECONDS = 6
RECEIVE = """
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
while s.recv(1 << 20): pass
"""
# A message of the WAL in the protocol of a copy: its length and kind, then kind, positions and time.
FRAME_BYTES = 5 + 25
MESSAGES = "select count(*), sum(length(data)) from pg_logical_slot_peek_binary_changes(%s, null, null, 'proto_version', '1', 'publication_names', 'bench')"


class FarBench(Bench):
    """Of which the readers are at the far end once it is prepared."""

    def __init__(self, args, workload, own, directory, path):
        super().__init__(args, workload, own, directory)
        self.path = path

    def _host(self):
        return str(self.directory.parent) if self.args.unix else NEAR

    def prepare(self):
        super().prepare()
        self.recvlogical_program = self.path.wrapped(PG_RECVLOGICAL, self.directory / "pg_recvlogical")
        for connector in (self.warm_up, *self.connectors, *self.others):
            connector.binary = self.path.wrapped(connector.binary, connector.dir / "walduct")
        self.messages, self.bytes = map(int, self.own.postgres.query(MESSAGES, self.connectors[0].slot, database=self.database.name)[0])

    def watched(self, reader, number):
        payload = self.bytes + self.messages * FRAME_BYTES
        flow = Flow(self.path, towards_far=self.args.no_kafka)
        flow.start()
        used = reader(number)
        return {**flow.end(payload), **used}


def bulk(path, mbit):
    """What a program gets that does nothing but read."""
    size = int(mbit * 125000 * BULK_SECONDS)
    with socket.create_server((NEAR, 0)) as server:
        flow = Flow(path)
        flow.start()
        reader = subprocess.Popen(path.command(sys.executable, "-c", RECEIVE, *server.getsockname()))
        connection, _ = server.accept()
        with connection:
            for _ in range(0, size, 1 << 18):
                connection.sendall(bytes(1 << 18))
        reader.wait()
    return flow.end(size)


def line(name, measured):
    rows = ""
    if "rows_per_s" in measured:
        rows = f"{measured['cpu_us_per_row']:6.2f} us/row {measured['walsender_cpu_us_per_row']:6.2f} us/row walsender "
    beside = ("seconds", "window_kb", "min_rtt_ms", "cwnd", "retransmitted", "dropped", "busy_ms", "rwnd_limited_ms", "sndbuf_limited_ms", "wire_cpu_s")
    return (f"{name:<24} {measured['mbit_s']:7.1f} Mbit/s {measured['share']:6.3f} of the wire {rows}"
            f"[{' '.join(f'{key} {measured[key]:g}' for key in beside if key in measured)}]")


class Report:
    """Path by path and reader by reader."""

    def __init__(self, args, own, directory, path):
        self.args, self.path = args, path
        self.paths = [(rtt, mbit) for mbit in args.mbit for rtt in args.rtt_ms]
        bench_args = argparse.Namespace(**{**vars(args), "rounds": args.rounds * len(self.paths)})
        self.benches = [FarBench(bench_args, WORKLOADS[name], own, directory, path) for name in args.workload]

    def run(self):
        for bench in self.benches:
            bench.prepare()
            print(f"{bench.workload.name}: {bench.rows} rows, {bench.messages} messages of {bench.bytes / bench.messages:.0f} bytes", flush=True)
        return [self.on_path(number, rtt, mbit) for number, (rtt, mbit) in enumerate(self.paths)]

    def on_path(self, number, rtt, mbit):
        print(f"\n{rtt} ms, {mbit} Mbit/s, load {os.getloadavg()[0]:.1f}", flush=True)
        results = {}
        for turn in range(self.args.rounds):
            if self.args.no_kafka:
                self.measured(results, "bulk", rtt, mbit, lambda: bulk(self.path, mbit))
            for bench in self.benches:
                for name, reader in bench.readers().items():
                    self.measured(results, f"{bench.workload.name}, {name}", rtt, mbit,
                                  lambda: bench.watched(reader, number * self.args.rounds + turn))  # noqa: B023
        return {"rtt_ms": rtt, "mbit": mbit, "load": os.getloadavg()[0], "median": {name: median(of) for name, of in results.items()}, "rounds": results}

    def measured(self, results, name, rtt, mbit, measure):
        with self.path.laid(rtt, mbit):
            measured = measure()
        measured |= {"share": round(measured["mbit_s"] / mbit, 3), "dropped": sum(self.path.dropped), "wire_cpu_s": round(self.path.cpu_seconds, 2)}
        results.setdefault(name, []).append(measured)
        print(line(name, measured), flush=True)


@contextlib.contextmanager
def prepared(args):
    enter_near_end()
    path = FarPath(args.set, args.congestion)
    try:
        with private_servers(args, args.workload, pg_set={"listen_addresses": f"127.0.0.1,{NEAR}"}, kafka_set=broker(args)) as (own, directory):
            let_in(own)
            if not args.no_kafka:
                own.values["KAFKA_BOOTSTRAP"] = f"{NEAR}:{args.broker_port}"
            yield own, directory, path
    finally:
        path.close()


def broker(args):
    """Settings of a broker that is spoken to by its address on the wire."""
    if args.no_kafka:
        return None
    args.broker_port, controller = free_ports(2)
    return {"listeners": f"PLAINTEXT://{NEAR}:{args.broker_port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://{NEAR}:{args.broker_port}", "controller.quorum.voters": f"1@127.0.0.1:{controller}"}


def let_in(own):
    with open(Path(own.values["PG_DATA"]) / "pg_hba.conf", "a") as hba:
        hba.write("".join(f"host {what} all {NEAR}/30 scram-sha-256\n" for what in ("all", "replication")))
    own.postgres.query("select pg_reload_conf()")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rtt-ms", type=float, action="append", help="of the wire; may be given several times; 40 and 0.1 unless given")
    parser.add_argument("--mbit", type=float, action="append", help="the same; 100 and 400")
    parser.add_argument("--workload", action="append", choices=list(WORKLOADS), help="the same; typical and big (10 KB a row)")
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--transaction", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="SYSCTL=VALUE", help="at both ends, e.g. net.ipv4.tcp_congestion_control=cubic")
    parser.add_argument("--congestion", help="of TCP: bbr, cubic, …; the machine's unless given")
    parser.add_argument("--postgres", type=int, default=17, choices=[15, 17, 18])
    parser.add_argument("--against", type=lambda path: Path(path).resolve(), metavar="PROGRAM", help="another build of walduct, in turn with this one")
    parser.add_argument("--kafka", action="store_true", help="the broker is far, and the server, by a unix socket, near")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    args.rtt_ms, args.mbit, args.workload = args.rtt_ms or [40, 0.1], args.mbit or [100, 400], args.workload or ["typical", "big"]
    vars(args).update(no_kafka=not args.kafka, unix=args.kafka, recvlogical=not args.kafka, null=False, exactly_once=False, debezium=False,
                      scrape=False)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers and wire are removed then, too
    with prepared(args) as (own, directory, path):
        report = Report(args, own, directory, path).run()
    if args.json:
        args.json.write_text(json.dumps({"rows": args.rows, "cores": os.cpu_count(), "set": args.set, "congestion": args.congestion, "paths": report}, indent=1) + "\n")


if __name__ == "__main__":
    main()
