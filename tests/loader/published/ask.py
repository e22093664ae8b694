#!/usr/bin/env python3
"""Asks Kafka Connect with the real connector for its verdict on the published connectors, and compares with verdicts.tsv.

  tests/loader/published/ask.py

Configurations of Debezium Server and of a standalone worker are not asked for: Connect has no way to take them; nor those with
classes of jars that are installed apart, such as Debezium's scripting: the worker has none of these. That there is no
database behind them does not count. Needs scripts/deps kafka debezium converters python. Exit status: 0 all verdicts are as in the table.
"""
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import yaml  # noqa: E402

from differential.connect import Worker  # noqa: E402
from support import servers  # noqa: E402
from support.debezium import free_port  # noqa: E402

CLASS = "io.debezium.connector.postgresql.PostgresConnector"
# What a server that is not there makes of a configuration, once all else is right.
AWAY = ("Unable to connect", "setting up the SSL connection", "The connection attempt failed", "refused", "resolve")

APART = ("io.debezium.transforms.Filter", "io.debezium.transforms.ContentBasedRouter", "io.confluent.connect.transforms.", "com.acme.")


def configuration(path):
    """The connector's properties; None: a form that Connect does not take."""
    if path.suffix == ".json":
        read = json.loads(path.read_text(encoding="utf-8-sig"))
        return read.get("config", read)
    if path.suffix == ".yaml":
        read = yaml.safe_load(path.read_text())
        spec = read.get("spec", {})
        return {**spec["config"], "connector.class": spec["class"], "tasks.max": spec.get("tasksMax", 1)} if "config" in spec else None
    return None


def verdict(worker, name, config):
    """(accepted or refused, why)"""
    named = {"name": name, **{k: v if v is None or isinstance(v, str) else json.dumps(v) for k, v in config.items()}}
    plugin = named.get("connector.class", CLASS)
    if plugin not in {one["class"] for one in worker.request("GET", "/connector-plugins")}:
        return "refused", "no such class"
    try:
        answer = worker.request("PUT", f"/connector-plugins/{plugin.rpartition('.')[2]}/config/validate", named)
    except AssertionError as error:
        return "refused", str(error)[:300]
    values = [one["value"] for one in answer["configs"] if one["value"]]  # a definition alone has none
    errors = {value["name"]: value["errors"] for value in values if value["errors"]}
    counted = {name: said for name, said in errors.items() if not any(word in text for text in said for word in AWAY)}
    return ("refused", json.dumps(counted)[:400]) if counted else ("accepted", "")


def main():
    rows = [line.split("\t") for line in (HERE / "verdicts.tsv").read_text().splitlines() if line and not line.startswith("#")]
    asked = differ = 0
    with tempfile.TemporaryDirectory() as directory:
        membership = servers.join_run()
        own = servers.private(kafka=True)
        worker = Worker(Path(directory), own.bootstrap, free_port(), converters=True)
        try:
            worker.wait_ready()
            for file, known, *_ in rows:
                config = configuration(HERE / file)
                if config is None or any(isinstance(value, str) and value.startswith(APART) for value in config.values()):
                    continue
                asked += 1
                said, why = verdict(worker, file.partition(".")[0], config)
                if said != known:
                    differ += 1
                    print(f"{file}: {said}, and {known} in the table {why}")
        finally:
            worker.close()
            own.remove()
            servers.leave_run(membership)
    print(f"published: {asked} of {len(rows)} asked, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
