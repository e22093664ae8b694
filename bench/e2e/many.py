#!/usr/bin/env python3
"""Many connectors in one `walduct serve`: memory of each, how fast the REST interface answers, and that one which fails harms none.

  bench/e2e/many.py [--connectors N] [--points N,N,...] [--rows N] [--json FILE]

Private PostgreSQL and Kafka, a slot and a topic for each connector, one small table. At each of --points (1,10,50,100,200, up to
--connectors) rows are written, which each connector there is has to publish (--rows, and more where there are few): resident memory,
threads, CPU time of the process for each row that was published, all it did meanwhile included, and CPU time of a second without work, of the process and of
the server (all of its processes, for a turn of looks). At
last two more that cannot run: one finds no broker and tries again for ever, one lacks its publication and is restarted over REST again and
again. Printed beside: answers of the REST interface; the process's CPU time for a scrape of /metrics, with one and with all. Exit status 1:
rows are missing, or a connector takes more than 6 MB.
The points in --json are a curve that growth.py --from draws.

Run it with .deps/venv/bin/python, after a release build.
"""
import argparse
import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import servers  # noqa: E402
from support.connector import PLAIN_JSON, database_properties, status_of  # noqa: E402
from support.debezium import free_port  # noqa: E402
from support.kafka import TopicReader  # noqa: E402
from support.serve import CLASS, Worker  # noqa: E402
from support.wait import wait_until  # noqa: E402

LIMIT_MB = 6
IDLE_SECONDS = 10  # in which each connector looks at its server once
FEW = 50  # of fewer connectors each is given more rows, so that there is enough to measure
TICK = os.sysconf("SC_CLK_TCK")
PATHS = ("/connectors", "/connectors/c0/status", "/connectors?expand=status&expand=info", "/status", "/metrics")


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def server_seconds(own):
    """Of the server's processes, those that have ended included."""
    main = (own.dir / "postgres" / "postmaster.pid").read_text().split()[0]
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        own_ticks = int(fields[11]) + int(fields[12])
        if stat.parent.name == main:
            ticks += own_ticks + int(fields[13]) + int(fields[14])
        elif fields[1] == main:
            ticks += own_ticks
    return ticks / TICK


class Many:
    def __init__(self, args, own, directory):
        self.args, self.own = args, own
        self.database = own.postgres.database("many").create()
        self.database.script("create table items (id int primary key, note text); create publication many for table items")
        self.worker = Worker(directory, own.bootstrap, "many")
        self.port = self.worker.port

    def create(self, name, **more):
        self.worker.create(name, {
            "connector.class": CLASS, "tasks.max": "1", "plugin.name": "pgoutput", **database_properties(self.database),
            **PLAIN_JSON, "topic.prefix": name, "slot.name": name, "publication.name": "many",
            "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data", "table.include.list": "public.items",
            "topic.creation.default.partitions": "1", "topic.creation.default.replication.factor": "1", **more})

    def wait_running(self, names):
        def all_run():
            states = self.worker.get("/connectors?expand=status")
            return all([task["state"] for task in states[name]["status"]["tasks"]] == ["RUNNING"] for name in names)
        wait_until(all_run, 600, "all run", interval_s=0.5)
        wait_until(lambda: self.database.server.query(
            "select count(*) from pg_replication_slots where active and slot_name like 'c%%'")[0][0] == len(names), 300,
            "all stream", interval_s=0.5)

    def stream(self, first, rows):
        self.database.execute("insert into items select i, repeat('x', 100) from generate_series(%s::int, %s) i", first, first + rows - 1)

    def wait_published(self, names, first, rows):
        """Connectors that do not have the rows from `first` on, each once and in order."""
        wanted, found = list(range(first, first + rows)), {name: [] for name in names}
        reader = TopicReader(self.own.bootstrap, "c")

        def read():
            reader.read(timeout_s=600)
            self.check_failures(names)
            for event in reader.events:
                after = json.loads(event.value)["after"] if event.value else None
                if after and after["id"] >= first:
                    found[event.topic.partition(".")[0]].append(after["id"])
            reader.events.clear()
            return all(len(ids) >= rows for ids in found.values())
        try:
            wait_until(read, 600, "all rows of all connectors", interval_s=0.5)
        finally:
            reader.close()
        return [name for name, ids in found.items() if ids != wanted]

    def check_failures(self, names):
        states = self.worker.get("/connectors?expand=status")
        failed = {name: task["trace"] for name in names for task in states[name]["status"]["tasks"] if task["state"] == "FAILED"}
        assert not failed, f"{len(failed)} have failed: {next(iter(failed.items()))}"

    def rss_mb(self):
        return status_of(self.worker.process.pid, "VmRSS") / 1024

    def answers(self, path, times):
        """Milliseconds of each answer, over one connection."""
        connection, taken = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60), []
        for _ in range(times):
            begin = time.monotonic()
            connection.request("GET", path)
            body = connection.getresponse().read()
            taken.append((time.monotonic() - begin) * 1000)
        connection.close()
        taken.sort()
        return {"median_ms": round(statistics.median(taken), 2), "p99_ms": round(taken[int(times * 0.99) - 1], 2),
                "bytes": len(body)}

    def scrape_cpu_ms(self, times=2000):
        """CPU time of one scrape: that of many, less what the process uses by itself in as long a time."""
        pid, begin, used = self.worker.process.pid, time.monotonic(), cpu_seconds(self.worker.process.pid)
        self.answers("/metrics", times)
        lasted, used = time.monotonic() - begin, cpu_seconds(pid) - used
        idle = cpu_seconds(pid)
        time.sleep(max(lasted, 2))
        idle = (cpu_seconds(pid) - idle) * lasted / max(lasted, 2)
        return round(max(used - idle, 0) / times * 1000, 3)


def fail_in_a_loop(many, ended):
    while not ended.wait(0.2):
        many.worker.ask("POST", "/connectors/x_missing/restart?includeTasks=true")


def at_point(many, names, first, rows):
    """One point of the curve: all that there are stream, and rows come."""
    pid, used, begin = many.worker.process.pid, cpu_seconds(many.worker.process.pid), time.monotonic()
    many.stream(first, rows)
    wrong = many.wait_published(names, first, rows)
    seconds, used = time.monotonic() - begin, cpu_seconds(pid) - used
    idle, server = cpu_seconds(pid), server_seconds(many.own)
    time.sleep(IDLE_SECONDS)
    idle, server = (cpu_seconds(pid) - idle) / IDLE_SECONDS, (server_seconds(many.own) - server) / IDLE_SECONDS
    point = {"at": len(names), "rss_mb": round(many.rss_mb(), 1), "threads": status_of(pid, "Threads"), "seconds_to_publish": round(seconds, 1),
             "cpu_us_per_row": round(used * 1e6 / (rows * len(names)), 2), "idle_cpu_ms_per_s": round(1e3 * idle, 1),
             "server_cpu_ms_per_s": round(1e3 * server, 1)}
    print(f"many: {point}", flush=True)
    return point, wrong


def run(args, own, directory):
    many = Many(args, own, directory)
    names = [f"c{number}" for number in range(args.connectors)]
    points, wrong, first, there = [], [], 1, 0
    many.worker.start("--log-level", "error")
    report = {"connectors": args.connectors}
    for count in sorted({1, *(p for p in args.points if p < args.connectors), args.connectors}):
        for name in names[there:count]:
            many.create(name)
        there = count
        many.wait_running(names[:there])
        rows = args.rows * max(1, FEW // count)
        point, lacking = at_point(many, names[:there], first, rows)
        first += rows
        points.append(point)
        wrong += lacking
        if there == 1:
            report["scrape_cpu_ms_one"] = many.scrape_cpu_ms()
    many.create("x_down", **{"producer.override.bootstrap.servers": f"127.0.0.1:{free_port()}"})
    many.create("x_missing", **{"publication.name": "nowhere"})
    ended = threading.Event()
    loop = threading.Thread(target=fail_in_a_loop, args=(many, ended), daemon=True)
    loop.start()
    many.stream(first, args.rows)
    wrong += many.wait_published(names, first, args.rows)
    report["answers"] = {path: many.answers(path, 100) for path in PATHS}
    ended.set()
    loop.join()
    many.wait_running(names)
    report.update(rss_mb_one=points[0]["rss_mb"], rss_mb_all=round(many.rss_mb(), 1), threads=status_of(many.worker.process.pid, "Threads"),
                  scrape_cpu_ms_all=many.scrape_cpu_ms(200), incomplete=wrong, curves={"connectors": points})
    report["mb_each"] = round((report["rss_mb_all"] - report["rss_mb_one"]) / (args.connectors - 1), 2)
    many.worker.stop()
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connectors", type=int, default=200)
    parser.add_argument("--points", type=lambda text: [int(n) for n in text.split(",")], default=[1, 10, 50, 100, 200])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    slots = str(args.connectors + 20)
    own = servers.private(postgres=17, kafka=True, pg_set={
        "max_replication_slots": slots, "max_wal_senders": slots, "max_connections": str(2 * args.connectors + 50)})
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-many-") as directory:
            report = run(args, own, Path(directory))
    finally:
        own.remove()
    print(json.dumps(report, indent=1))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    if report["incomplete"] or report["mb_each"] > LIMIT_MB:
        sys.exit(f"many: {report['incomplete']} lack rows; {report['mb_each']} MB each, of {LIMIT_MB}")


if __name__ == "__main__":
    main()
