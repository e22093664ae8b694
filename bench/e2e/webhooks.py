#!/usr/bin/env python3
"""How one backlog drains into nginx answering 200, a request a record (sink=http): no Kafka.

  bench/e2e/webhooks.py [--rows N] [--rounds N] [--in-flight N,N] [--json FILE]

Typical rows of one table, JSON without schemas, in rounds of one run, in turns: walduct with each number of requests at once, and beside
it ab (apache2-utils, where it is installed) posting a body of the same size as often, which is what the receiver takes on this machine.
Printed: rows a second from the first request to the last, CPU time of walduct a row, its memory.

Run it with .deps/venv/bin/python, after a release build; it needs nginx (Debian: nginx-light).
"""
import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from measure import TICK, cpu_ticks  # noqa: E402
from support import backlog, servers  # noqa: E402
from support.connector import PLAIN_JSON, Connector, database_properties, peak_rss_kb  # noqa: E402

CONF = """worker_processes 1; daemon off; pid {dir}/pid; error_log {dir}/error.log;
events {{ worker_connections 1024; }}
http {{ log_format n '1'; access_log {dir}/access.log n buffer=64k flush=100ms; keepalive_requests 1000000000; client_body_buffer_size 64k;
client_body_temp_path {dir}/body; fastcgi_temp_path {dir}/f; proxy_temp_path {dir}/p; scgi_temp_path {dir}/s; uwsgi_temp_path {dir}/u;
server {{ listen 127.0.0.1:{port}; location / {{ return 200; }} }} }}
"""


class Nginx:
    def __init__(self, directory):
        self.dir, (self.port,) = directory, servers.free_ports(1)
        directory.mkdir()
        (directory / "conf").write_text(CONF.format(dir=directory, port=self.port))
        self.process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", directory / "conf"], stderr=subprocess.DEVNULL)

    def taken(self):
        log = self.dir / "access.log"
        return log.stat().st_size // 2 if log.exists() else 0

    def close(self):
        self.process.terminate()
        self.process.wait()


class Bench:
    def __init__(self, args, own, directory):
        self.args, self.own, self.directory = args, own, directory
        self.nginx = Nginx(directory / "nginx")
        self.database = own.postgres.database("webhooks").create()
        self.database.execute(backlog.TABLE)
        self.connectors = [(n, self.connector(n, round_)) for round_ in range(args.rounds) for n in args.in_flight]
        for _, connector in self.connectors:  # makes slot and publication, then waits for the backlog
            connector.start().wait_streaming()
            connector.stop()

    def connector(self, in_flight, round_):
        name = f"n{in_flight}r{round_}"
        config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
                  **database_properties(self.database), **PLAIN_JSON, "topic.prefix": name, "slot.name": name, "publication.name": "all_of_it",
                  "publication.autocreate.mode": "filtered", "snapshot.mode": "no_data", "table.include.list": "public.typical"}
        folder = self.directory / name
        worker = {"sink": "http", "sink.http.url": f"http://127.0.0.1:{self.nginx.port}/events", "walduct.sink.http.max.in.flight": in_flight,
                  "offset.storage.file.filename": str(folder / "offsets.dat"), "header.converter": PLAIN_JSON["value.converter"]}
        return Connector(folder, config, worker, name=name)

    def fill(self):
        backlog.fill(self.database, self.args.rows, 100)

    def drain(self, connector):
        begin, pid = self.nginx.taken(), connector.start().process.pid
        while self.nginx.taken() == begin:
            time.sleep(0.01)
        first, spent = time.monotonic(), cpu_ticks(pid)
        while self.nginx.taken() - begin < self.args.rows:
            time.sleep(0.01)
        seconds, ticks, rss = time.monotonic() - first, cpu_ticks(pid) - spent, peak_rss_kb(pid)
        connector.stop()
        return {"rows_per_s": self.args.rows / seconds, "us_per_row": ticks / TICK * 1e6 / self.args.rows, "rss_mb": rss / 1024}

    def limit(self, in_flight):
        if not shutil.which("ab"):
            return None
        body = self.directory / "body"
        body.write_bytes(b"x" * 1600)
        done = subprocess.run(["ab", "-q", "-k", "-n", str(self.args.rows), "-c", str(in_flight), "-T", "application/json", "-p", body,
                               f"http://127.0.0.1:{self.nginx.port}/events"], capture_output=True, text=True, check=True)
        return next(float(line.split()[3]) for line in done.stdout.splitlines() if line.startswith("Requests per second"))

    def run(self):
        self.fill()
        results = {n: [] for n in self.args.in_flight}
        limits = {n: [] for n in self.args.in_flight}
        for n, connector in self.connectors:
            limits[n].append(self.limit(n))
            results[n].append(self.drain(connector))
        return [{"in_flight": n, "receiver_rows_per_s": limits[n][0] and statistics.median(limits[n]),
                 **{name: statistics.median(r[name] for r in results[n]) for name in results[n][0]}} for n in self.args.in_flight]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--in-flight", type=lambda text: [int(n) for n in text.split(",")], default=[1, 16])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="webhooks-") as directory:
        directory = Path(directory)
        own = servers.private(postgres=17, pg_set=backlog.SETTINGS)
        try:
            bench = Bench(args, own, directory)
            found = bench.run()
            bench.nginx.close()
        finally:
            own.remove()
    print(f"{'at once':>8} {'krow/s':>8} {'us/row':>8} {'RSS MB':>8} {'ab krow/s':>10}")
    for row in found:
        limit = f"{row['receiver_rows_per_s'] / 1e3:.1f}" if row["receiver_rows_per_s"] else "-"
        print(f"{row['in_flight']:>8} {row['rows_per_s'] / 1e3:>8.1f} {row['us_per_row']:>8.1f} {row['rss_mb']:>8.1f} {limit:>10}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
