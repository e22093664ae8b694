#!/usr/bin/env python3
"""Replays recorded scenarios through walduct and compares what it writes with what the real Debezium wrote.

  tests/golden/run.py [--postgres 15|17|18]... [--all] [--kafka] [--keep DIR] [NAME...]

Without names: the scenarios that must be equal (MUST below); --all: every one of the corpus. Each scenario gets a fresh
database `shop` (the name is part of the bytes) in a PostgreSQL of the runner's own. Records go to the file sink, which
writes what Kafka would get, or with --kafka through a broker. Exit status: 0 all equal, 1 differences, 2 usage.

Needs the packages of tests/requirements.txt: run it with .deps/venv/bin/python.
"""
import argparse
import fnmatch
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from golden import lsn_order  # noqa: E402
from golden.scenario_files import description, statements  # noqa: E402
from recorded import records  # noqa: E402
from support import servers  # noqa: E402
from support.connector import Connector, database_properties  # noqa: E402
from support.events import to_line  # noqa: E402
from support.kafka import delete_topics  # noqa: E402

CORPUS = HERE / "corpus"
# autovacuum off: its transactions would come between ours, and with --strict the equality of LSNs counts.
SERVER = {"pg_set": {"autovacuum": "off"}}

MUST = [
    "snapshot_*", "identity_*", "ops_schemas_on", "tombstones_off", "no_primary_key", "composite_key", "same_lsn_rows",
    "savepoints", "empty_transactions", "partitions_*", "topic_delimiter", "transaction_metadata", "heartbeat",
    "logical_messages*", "schema_evolution*", "skipped_u", "truncate",
    "arrays*", "binary_*", "defaults_*", "enum_added_value", "geometric*", "hstore_map", "interval_string", "numeric_*", "ranges",
    "text_types*", "time_*", "toast_*", "unknown_types*",
    "unwrap_*", "regex_router", "outbox_*",
    "column_*", "propagate_types", "message_key_columns", "names_*", "skip_messages_without_change",
]

# Recorded by the project itself (tests/differential/scenario.py --record); the patterns above take more of them.
ALSO = [
    "converter_*", "domains", "generated_columns", "header_*", "hstore_json", "inheritance", "key_odd_indexes", "key_types", "logical_router_key", "ltree", "message_key_rules",
    "message_key_schemas_on", "money_string", "naming_*", "pgvector_*", "postgis_*", "propagate_arrays", "propagate_types_more", "skip_unchanged_values", "text_modes_mixed", "timescaledb_chunks",
    "transaction_metadata_schemas_on", "truncate_cascade",
]


def scenario_names(patterns=("*",)):
    """Scenarios matching any of the patterns whose recording came to its end."""
    found = []
    for path in sorted(CORPUS.glob("*/scenario.json")):
        if any(fnmatch.fnmatch(path.parent.name, p) for p in patterns) and description(path.parent)["finished"]:
            found.append(path.parent.name)
    return found


class Replay:
    """One scenario on one server. `bootstrap`: write to that Kafka, None: to a file."""

    def __init__(self, name, server, directory, bootstrap=None):
        self.name, self.folder, self.bootstrap = name, CORPUS / name, bootstrap
        self.scenario = description(self.folder)
        self.database = server.database("shop")
        self.actual = directory / name
        self.connector = Connector(self.actual, self._config(), self._worker(), name="golden")

    def _config(self):
        sink = {} if self.bootstrap else {"sink": "file", "sink.file.path": str(self.actual / "records.jsonl")}
        return {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            **database_properties(self.database),
            "slot.name": "golden",
            "publication.name": "golden",
            **self.scenario["props"],
            **sink,
        }

    def _worker(self):
        worker = {"offset.storage.file.filename": str(self.actual / "offsets.dat")}
        return {**worker, "bootstrap.servers": self.bootstrap} if self.bootstrap else worker

    def _only_snapshot(self):
        return self.scenario["props"].get("snapshot.mode") == "initial_only"

    def _wait_for_end(self):
        """Until the marker's record is out and nothing has followed it for a moment."""
        self.connector.wait_events(lambda events: any("zz_done" in e.topic for e in events), 30, "the record of zz_done")
        before, count = -1, 0
        while before != count:
            time.sleep(0.1)
            before, count = count, len(self.connector.events())

    def run(self):
        """Writes records.jsonl; raises AssertionError when walduct does not get through."""
        self.database.create()
        try:
            self.database.script(statements(self.folder, "setup.sql"))
            self.connector.start()
            if self._only_snapshot():
                self.connector.wait_log(r"\bsnapshot completed\b")
            else:
                self.connector.wait_streaming()
                self.database.wait_slot_active("golden")
                self.database.script(statements(self.folder, "steps.sql"))
                self.database.execute("insert into zz_done values (1)")
                self._wait_for_end()
            if self.connector.running():
                self.connector.stop()
            self._write()
        finally:
            self.connector.close()
            self.database.drop()

    def _write(self):
        events = self.connector.events()
        events.sort(key=lambda e: (e.topic, e.partition, e.offset))
        text = "".join(json.dumps(to_line(e), ensure_ascii=False) + "\n" for e in events)
        (self.actual / "records.jsonl").write_text(text)

    def differences(self, strict):
        """As recorded/records.py finds them; empty when equal."""
        wanted, got = (records.load(folder / "records.jsonl") for folder in (self.folder, self.actual))
        return records.compare(wanted, got, strict, self.scenario.get("ignore_topics", ()))


def replay(name, server, directory, bootstrap=None):
    """Runs one scenario; the differences, plain and strict."""
    def play(directory):
        if bootstrap:
            delete_topics(bootstrap, "srv")
        one = Replay(name, server, directory, bootstrap)
        one.run()
        return [f"{mode}: {d}" for mode, strict in (("plain", False), ("strict", True)) for d in one.differences(strict)]
    return lsn_order.twice(play, directory)


def run_version(version, names, args, directory):
    own = servers.private(postgres=version, kafka=args.kafka, **SERVER)
    failed = []
    try:
        for name in names:
            try:
                differences = replay(name, own.postgres, directory, own.bootstrap if args.kafka else None)
            except AssertionError as error:
                differences = [str(error)]
            if differences:
                failed.append(name)
                print(f"DIFF {name} (PostgreSQL {version}): {len(differences)}")
                print("".join(f"    {d}\n" for d in differences[: None if args.verbose else 4]), end="", flush=True)
    finally:
        own.remove()
    print(f"golden, PostgreSQL {version}: {len(names) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}".rstrip())
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", type=int, action="append", choices=[15, 17, 18])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--kafka", action="store_true")
    parser.add_argument("--keep", metavar="DIR", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    names = scenario_names(args.names or (["*"] if args.all else MUST))
    if not names:
        parser.error("no such scenario")
    directory = args.keep or Path(tempfile.mkdtemp(prefix="golden-"))
    failed = []
    for version in args.postgres or [15]:
        failed += run_version(version, names, args, directory / str(version))
    if args.keep is None:
        shutil.rmtree(directory)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
