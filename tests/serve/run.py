#!/usr/bin/env python3
"""Plays recordings of Kafka Connect's REST interface against `walduct serve`, with servers of its own, and compares.

run.py [-v] [scenario …]      no name: all. Exit status: 0 equal, 1 differences.
"""
import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import psycopg  # noqa: E402

from recorded import answers  # noqa: E402
from serve.player import Player  # noqa: E402
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


def scenario_names():
    return sorted(folder.name for folder in CORPUS.iterdir() if (folder / "scenario.json").exists())


def replay(name, base, server, player=Player):
    """Plays one scenario with this PostgreSQL; lines about what differs. player: who asks, and of whom (base is his)."""
    folder = CORPUS / name
    scenario, golden = (json.loads((folder / file).read_text()) for file in ("scenario.json", "exchanges.json"))
    # The recording tells a server that checks passwords from the other one by its port; here they are one.
    other_port = 59999 if name == "failed_password" else None
    try:
        actual = player(base, server, name, scenario, other_port).run()
    except (AssertionError, psycopg.Error) as error:
        return [f"{name}: {error}"]
    return list(report(answers.compare(scenario["steps"], golden, actual), DIFFERENT.get(name, {})))


def report(found, different):
    """Lines about the exchanges that differ in more than the members that may."""
    for number, request, places in found:
        may = {f".body.offsets[0].offset.{member}" for member in different.get(number, ())}
        lines = [f"      {path}: {short(want)}  ≠  {short(got)}" for path, want, got in places if path not in may]
        if lines:
            yield f"  #{number} {request}"
            yield from lines


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 300 else text[:300] + "…"


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
            found = replay(name, worker.base, own.postgres)
            print(f"{'DIFF' if found else 'ok  '} {name}", flush=True)
            if found:
                failed.append(name)
                print("\n".join(found[: None if args.verbose else 8]), flush=True)
        worker.stop()
    finally:
        worker.kill()
        own.remove()
    shutil.rmtree(directory)
    print(f"rest: {len(names) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
