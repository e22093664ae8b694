#!/usr/bin/env python3
"""Plays scenarios written by hand through the real Debezium and walduct at once, and compares every record.

  tests/differential/scenario.py [--postgres 15|17|18] [--keep | --record] FOLDER...

A folder is like those of tests/golden/corpus: scenario.json with `props`, setup.sql, steps.sql. A line "-- settle" in
steps.sql waits until both have written what was committed so far; rows of the table zz_done tell. The first differences are
printed. --keep writes both sides' records beside them, --record what Debezium wrote as records.jsonl, for tests/golden. Exit
status: 0 none differs, 1.
"""
import argparse
import json
import shutil
import sys
from pathlib import Path

import psycopg

HERE = Path(__file__).resolve().parent
sys.path[0] = str(HERE.parent)  # our own folder first would hide modules of Python's

from differential.compare import Comparison  # noqa: E402
from differential.play import Game, open_bench  # noqa: E402
from golden.scenario_files import description, statements  # noqa: E402
from support.connector import database_properties  # noqa: E402
from support.events import to_line  # noqa: E402
from support.kafka import delete_topics, read_topics, topics_with_prefix  # noqa: E402
from support.paths import ROOT  # noqa: E402

SHOWN = 6
DATABASE = "shop"  # as in the corpus


class Scenario(Game):
    """A Game whose statements are in files."""
    marker = "zz_done"

    def __init__(self, bench, folder, name):
        self.folder = folder
        props = description(folder)["props"]
        self.options = {key: value for key, value in props.items() if key != "plugin.name"}
        own = database_properties(bench.postgres.database(DATABASE))
        for key, value in self.options.items():  # a transform with a connection of its own
            self.options[key] = own.get(value[2:-1], value) if value.startswith("${database.") else value
        super().__init__(bench, None, self.options, name, DATABASE)

    def _setup(self):
        self.session.execute(f"create table if not exists {self.marker} (id int primary key)")
        self.database.script(statements(self.folder, "setup.sql").replace("create table zz_done(", "create table if not exists zz_done("))

    def _steps(self):
        for number, part in enumerate(statements(self.folder, "steps.sql").split("-- settle")):
            if number:
                self.settle()
            self.database.script(part)

    def _read(self):
        """Of all topics: scenarios route where they like."""
        super()._read()
        self.outcome.theirs = [e for topic in self._topics() for e in read_topics(self.bench.bootstrap, topic) if e.topic == topic]

    def _clean(self):
        super()._clean()
        for topic in self._topics():
            delete_topics(self.bench.bootstrap, topic)

    def _topics(self):
        return [t for t in topics_with_prefix(self.bench.bootstrap, "") if t != "__consumer_offsets"]


def records_text(events):
    return "".join(f"{e.topic} {e.key} {e.value} {e.headers}\n" for e in events)


def record(folder, events):
    lines = sorted(events, key=lambda e: (e.topic, e.partition, e.offset))
    (folder / "records.jsonl").write_text("".join(json.dumps(to_line(e), ensure_ascii=False) + "\n" for e in lines))


def play(bench, folder, number, arguments):
    """Whether both wrote the same."""
    game = Scenario(bench, folder, f"d{number:04}")
    try:
        outcome = game.play()
    except psycopg.Error as error:
        print(f"{folder.name}: its SQL is refused: {error}", flush=True)
        return False
    found = list(Comparison(outcome, game.options, bench.worker.java).differences())
    verdict = "stopped" if outcome.stopped else "DIFFERENT" if found else "equal"
    print(f"{folder.name}: {len(outcome.theirs)} records, {verdict}", flush=True)
    if outcome.stopped:
        print(f"  {outcome.stopped}")
    for difference in found[:SHOWN]:
        print("  " + difference.text().replace("\n", "\n  "))
    if arguments.record and not outcome.stopped:
        record(folder, outcome.theirs)
    if arguments.keep:
        for name, events in (("debezium", outcome.theirs), ("walduct", outcome.ours)):
            (folder / f"{name}.txt").write_text(records_text(events))
    return not found and not outcome.stopped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--postgres", type=int, default=17, choices=[15, 17, 18])
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    directory = ROOT / ".run" / "differential" / "scenarios"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    with open_bench(directory, arguments.postgres) as bench:
        equal = [play(bench, folder, number, arguments) for number, folder in enumerate(arguments.folders)]
    print(f"{sum(equal)} of {len(equal)} scenarios equal")
    return 0 if all(equal) else 1


if __name__ == "__main__":
    sys.exit(main())
