#!/usr/bin/env python3
"""Replays what the real Debezium wrote through converters with a schema registry, and compares: subjects, texts of schemas,
every byte of every record.

  tests/formats/run.py [--postgres 15|17|18] [--keep DIR] [-v] [NAME...]

Without names: the scenarios that must be equal (MUST below). Each gets a fresh database `shop` and an empty registry, both of the
runner's own servers. Exit status: 0 all equal, 1 differences, 2 usage.
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

from formats.numbering import Numbering  # noqa: E402
from golden import lsn_order  # noqa: E402
from golden.scenario_files import description, statements  # noqa: E402
from recorded import formats  # noqa: E402
from support import servers  # noqa: E402
from support.connector import Connector, database_properties  # noqa: E402
from support.registry import RegistryView  # noqa: E402

CORPUS = HERE / "corpus"
SERVER = {"pg_set": {"autovacuum": "off"}}
MUST = ["avro_*", "apicurio_*", "ce_*", "protobuf_*"]
PAUSE_S = 1.5


def scenario_names(patterns=MUST):
    return [path.parent.name for path in sorted(CORPUS.glob("*/scenario.json"))
            if any(fnmatch.fnmatch(path.parent.name, pattern) for pattern in patterns)]


class Replay:
    """One scenario on one server, with one registry, which is emptied first."""

    def __init__(self, name, server, registry_url, directory):
        self.name, self.folder, self.actual = name, CORPUS / name, directory / name
        self.scenario = description(self.folder)
        self.database = server.database("shop")
        self.registry = RegistryView(registry_url)
        self.connector = Connector(self.actual, self._config(), {"offset.storage.file.filename": str(self.actual / "offsets.dat")},
                                   name="formats")

    def _config(self):
        props = {name: value.replace("${confluent}", self.registry.url).replace("${apicurio}", self.registry.own) for name, value in self.scenario["props"].items()}
        return {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            **database_properties(self.database),
            "slot.name": "golden",
            "publication.name": "golden",
            **props,
            "sink": "file",
            "sink.file.path": str(self.actual / "records.jsonl"),
        }

    def run(self):
        self.registry.clear()
        for method, path, body in self.scenario.get("registry", []):
            self.registry.ask(method, path, body)
        self.database.create()
        try:
            self.database.script(statements(self.folder, "setup.sql"))
            self.connector.start()
            if self.scenario["finished"]:
                self._play()
                self.connector.stop()
            else:
                self._play_to_an_error()
            self._write()
        finally:
            self.connector.close()
            self.database.drop()

    def _parts(self):
        return statements(self.folder, "steps.sql").split("--pause--")

    def _play(self):
        self.connector.wait_streaming()
        self.database.wait_slot_active("golden")
        parts = self._parts()
        for part in parts:
            self.database.script(part)
            time.sleep(PAUSE_S if len(parts) > 1 else 0)
        self.database.execute(self.scenario.get("marker", "insert into zz_done values (1)"))
        self.connector.wait_events(lambda events: any("done" in e.topic for e in events), 30, "the record of the marker")
        before, count = -1, 0
        while before != count:
            time.sleep(0.1)
            before, count = count, len(self.connector.events())

    def _play_to_an_error(self):
        """The statements until it has stopped, which may be at the first row of the snapshot."""
        try:
            self.connector.wait_streaming()
            for part in self._parts():
                self.database.script(part)
                time.sleep(PAUSE_S)
        except AssertionError:
            assert not self.connector.running()
        code = self.connector.wait_exit()
        assert code == 1, f"exit code {code}; log:\n{self.connector.log_text()[-3000:]}"

    def _write(self):
        entries = self.registry.entries()
        scenario = {**self.scenario, "error": [] if self.scenario["finished"] else ["stopped"]}
        (self.actual / "scenario.json").write_text(json.dumps(scenario))
        (self.actual / "registry.json").write_text(json.dumps(entries))
        events = sorted(self.connector.events(), key=lambda e: (e.topic, e.partition, e.offset))
        numbering = Numbering(self.scenario["props"], self.registry)
        lines = [{"topic": e.topic, "partition": e.partition, "key": numbering.part("key", e.key, e.headers),
                  "value": numbering.part("value", e.value, e.headers),
                  "headers": [[name, numbering.header(name, value)] for name, value in e.headers]} for e in events]
        (self.actual / "records.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))

    def differences(self):
        return [f"{mode}: {difference}" for mode, strict in (("plain", False), ("strict", True))
                for difference in formats.compare(self.folder, self.actual, strict)]


def replay(name, server, registry_url, directory):
    """Runs one scenario; the differences, plain and strict."""
    def play(directory):
        one = Replay(name, server, registry_url, directory)
        one.run()
        return one.differences()
    return lsn_order.twice(play, directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", type=int, default=15, choices=[15, 17, 18])
    parser.add_argument("--keep", metavar="DIR", type=Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    names = scenario_names(args.names) if args.names else scenario_names()
    if not names:
        parser.error("no such scenario")
    directory = args.keep or Path(tempfile.mkdtemp(prefix="formats-"))
    membership = servers.join_run()
    own = servers.private(postgres=args.postgres, registry=True, **SERVER)
    failed = []
    try:
        for name in names:
            try:
                differences = replay(name, own.postgres, own.registry, directory)
            except AssertionError as error:
                differences = [str(error)]
            if differences:
                failed.append(name)
                print(f"DIFF {name}: {len(differences)}")
                print("".join(f"    {d}\n" for d in differences[: None if args.verbose else 4]), end="", flush=True)
    finally:
        own.remove()
        servers.leave_run(membership)
    print(f"formats, PostgreSQL {args.postgres}: {len(names) - len(failed)} passed, {len(failed)} failed {' '.join(failed)}".rstrip())
    if args.keep is None:
        shutil.rmtree(directory)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
