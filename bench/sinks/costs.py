#!/usr/bin/env python3
"""What each sink adds to the program, and to its start.

  bench/sinks/costs.py [--sink file,redis,nats,rabbitmq,http] [--rounds N] [--json FILE]

Size: code and data of the program (build/release/walduct, which has its debug information) by the folder whose lines they come from, and of the archives
that are linked in; of a library that is loaded, its file. Templates of others and texts belong to no folder: the sums are a little small.
Start: a row is inserted while walduct is down; the clock runs from the start of the process until the sink holds its record, and so does its CPU time, which
a busy machine leaves as it is. Memory: a second later. `file` is the start without a library.

Run it with .deps/venv/bin/python, after a release build.
"""
import argparse
import collections
import contextlib
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import common
from engines import Engine, properties
from support.connector import PLAIN_JSON, Connector, database_properties, status_of
from support.paths import BINARY

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
OURS = {"redis": ("redis", "sink/redis"), "nats": ("nats", "sink/nats"), "rabbitmq": ("rabbitmq", "sink/rabbitmq"), "http": ("http", "sink/http"),
        "kinesis, sqs, sns": ("aws", "sink/aws", "sink/kinesis", "sink/sqs", "sink/sns")}
LINKED = {"redis": "libhiredis.a", "rabbitmq": "librabbitmq.a"}
LOADED = {"nats": "libnats.so.3.4", "http": "libcurl.so.4", "kinesis, sqs, sns": "libcurl.so.4"}


class OfFile:
    """What a start costs anyway."""
    name = "file"

    def __init__(self, own, directory):
        self.path = directory / "records"

    def begin(self, prefix):
        self.path.write_bytes(b"")

    def count(self, prefix):
        return self.path.read_bytes().count(b"\n")

    def close(self):
        pass

    def engine(self, database, folder, prefix):
        """With files of its own: Debezium Server has no such sink."""
        config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", **database_properties(database), **PLAIN_JSON, "plugin.name": "pgoutput",
                  "topic.prefix": prefix, "slot.name": prefix, "publication.name": "bench", "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data"}
        return Connector(folder, config, {"sink": "file", "sink.file.path": self.path, "offset.storage.file.filename": folder / "offsets.dat"}, binary=BINARY)


def symbols(path, *options):
    """(name, bytes, source file) of each."""
    listed = subprocess.run(["nm", "-S", "--defined-only", *options, path], check=True, capture_output=True, text=True).stdout
    places = set()
    for line in listed.splitlines():
        found = re.match(r"([0-9a-f]{16}) ([0-9a-f]{16}) . ([^\t]+)(?:\t(.*):\d+)?$", line)
        if found and (place := found.group(1, 2) if options else line) not in places:  # names of one place
            places.add(place)
            yield found[3], int(found[2], 16), found[4] or ""


def sizes():
    folders, names = collections.Counter(), collections.Counter()
    for name, size, source in symbols(BINARY, "-l"):
        names[name] += size
        if found := re.search(r"/src/(.*)/[^/]*$", source):
            folders[found[1]] += size
    for sink, ours in OURS.items():
        archive = {name for name, _, _ in symbols(LIBRARIES / LINKED[sink])} if sink in LINKED else ()
        loaded = os.stat(LIBRARIES / LOADED[sink]).st_size if sink in LOADED else 0
        yield sink, {"ours_kb": sum(folders[folder] for folder in ours) / 1024, "linked_kb": sum(names[name] for name in archive) / 1024, "loaded_kb": loaded / 1024}


def cpu_ms(pid):
    """Finer than /proc/PID/stat: of all its threads that run yet."""
    return sum(int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0]) for thread in os.listdir(f"/proc/{pid}/task")) / 1e6


def starts(args, own, directory):
    database = common.table(own)
    for name, kind in {"file": OfFile, **common.SINKS}.items():
        if name in args.sink:
            with contextlib.closing(kind(own, directory)) as sink:
                yield name, start(args, database, directory, sink)


def start(args, database, directory, sink):
    took, used, memory, prefix = [], [], [], f"start_{sink.name}"
    database.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", prefix)
    sink.begin(prefix)
    engine = (sink.engine(database, directory / prefix, prefix) if isinstance(sink, OfFile) else
              Engine("walduct", args, directory / prefix, properties(sink, "", database, prefix, prefix)))
    for number in range(args.rounds):
        database.execute("truncate typical")
        database.execute(common.ROWS.format(first=number, last=number))
        before, begin = sink.count(prefix), time.monotonic()
        engine.start()
        try:
            while sink.count(prefix) == before:
                if engine.process.poll() is not None:
                    raise SystemExit(f"bench: walduct ended:\n{engine.log.read_text()[-2000:]}")
                time.sleep(0.001)
            took.append((time.monotonic() - begin) * 1e3)
            used.append(cpu_ms(engine.process.pid))
            time.sleep(1)
            memory.append(status_of(engine.process.pid, "VmRSS") / 1024)
        finally:
            engine.stop()
    return {"first_record_ms": statistics.median(took), "slowest_ms": max(took), "cpu_ms": statistics.median(used), "rss_mb": statistics.median(memory)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sink", type=lambda text: text.split(","), default=["file", *common.SINKS])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found = {"sizes": {}, "starts": {}}
    with tempfile.TemporaryDirectory(prefix="walduct-sinks-") as directory, common.servers_of(set(args.sink) & set(common.SINKS)) as own:
        for name, figures in starts(args, own, Path(directory)):
            found["starts"][name] = figures
            print(f"{name:<18} " + ", ".join(f"{what} {value:.1f}" for what, value in figures.items()), flush=True)
    for name, figures in sizes():
        found["sizes"][name] = figures
        print(f"{name:<18} " + ", ".join(f"{what} {value:.0f}" for what, value in figures.items()), flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
