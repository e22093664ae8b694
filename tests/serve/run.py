#!/usr/bin/env python3
"""Plays recordings of Kafka Connect's REST interface against `walduct serve`, with servers of its own, and compares.

run.py [-v] [scenario …]      no name: all. Exit status: 0 equal, 1 differences.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support import servers  # noqa: E402
from support.serve import Worker  # noqa: E402

CORPUS = HERE / "corpus"

# What walduct answers otherwise on purpose, by scenario and number of the exchange: these members, and no other, may differ.
# Positions: its own always stands at a commit, where Debezium's of its first transaction stands at a change: `lsn_commit` is there, and
# `messageType` says so, where Debezium's names the kind of its last change. Just after a snapshot it may have moved on with
# the server, where nothing is left to publish, as Debezium with a heartbeat. See "What is different" in docs/serve.md.
AT_A_COMMIT = {"lsn_commit", "messageType"}
MOVED_ON = AT_A_COMMIT | {"lsn_proc", "snapshot", "snapshot_completed", "last_snapshot_record", "txId"}
DIFFERENT = {"offsets": {1: MOVED_ON, 4: AT_A_COMMIT, 6: AT_A_COMMIT, 10: AT_A_COMMIT, 40: MOVED_ON}}
MEMBER = re.compile(r"      \.body\.offsets\[0\]\.offset\.(\w+): ")


def scenario_names():
    return sorted(folder.name for folder in CORPUS.iterdir() if (folder / "scenario.json").exists())


def replay(name, base, own, directory):
    """Plays one scenario with the PostgreSQL of these servers; lines about what differs."""
    postgres = own.postgres
    # The recording tells a server that checks passwords from the other one by its port; here they are one.
    port = "59999" if name == "failed_password" else str(postgres.port)
    environment = {**os.environ, "PGHOST": postgres.host, "PGPORT": port, "PGUSER": postgres.user,
                   "PGPASSWORD": postgres.password, "AUTH_PORT": str(postgres.port),
                   "PATH": f"{own.values['PG_BIN']}:{os.environ['PATH']}"}
    played = subprocess.run([sys.executable, str(HERE / "record.py"), base, str(directory), "--from", str(CORPUS), name],
                            env=environment, capture_output=True, text=True)
    if played.returncode != 0:
        return [f"{name}: {played.stdout}{played.stderr}"]
    from serve import compare
    _, _, report = compare.scenario(str(CORPUS), str(directory), False, True, name)
    return unexpected(report, DIFFERENT.get(name, {}))


def unexpected(report, expected):
    """The lines of a report without the members that may differ, and without exchanges of which nothing is left."""
    kept, number = [], None
    for line in report:
        if line.startswith("  #"):
            number = int(line[3:].split()[0])
        member = MEMBER.match(line)
        if not (member and member[1] in expected.get(number, ())):
            kept.append(line)
    return [line for line, after in zip(kept, kept[1:] + ["  #"])
            if not (line.startswith("  #") and after.startswith("  #") and int(line[3:].split()[0]) in expected)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    names = args.names or scenario_names()
    directory = Path(tempfile.mkdtemp(prefix="rest-"))
    own = servers.private(postgres=17, kafka=True)
    worker = Worker(directory / "worker", own.bootstrap, "replay")
    failed = []
    try:
        worker.start()
        for name in names:
            report = replay(name, worker.base, own, directory / "out")
            print(f"{'DIFF' if report else 'ok  '} {name}", flush=True)
            if report:
                failed.append(name)
                print("\n".join(report[: None if args.verbose else 8]), flush=True)
        worker.stop()
    finally:
        worker.kill()
        own.remove()
    shutil.rmtree(directory)
    print(f"rest: {len(names) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
