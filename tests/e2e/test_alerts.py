"""The alert rules in deploy/prometheus: a real Prometheus scrapes a real process in which they fire, and raises none while all is well."""
import json
import re
import subprocess

import pytest

from support.http import Surface
from support.prometheus import BIN, RULES, Prometheus

DASHBOARD = RULES.parents[1] / "grafana" / "walduct.json"
LISTEN = ("--listen", "127.0.0.1:0")
ITEMS = "create table items (id int primary key, v text)"
OFTEN = {"offset.flush.interval.ms": "100"}


@pytest.fixture
def prometheus(tmp_path):
    """Makes one that scrapes a connector's process."""
    made = []

    def make(connector):
        made.append(Prometheus(tmp_path / f"prometheus{len(made)}", Surface(connector).base.removeprefix("http://")))
        return made[-1]
    yield make
    for one in made:
        one.close()


def test_rules_by_their_own_tests():
    for arguments in (["check", "rules", RULES], ["test", "rules", RULES.with_suffix(".test.yml")]):
        run = subprocess.run([BIN / "promtool", *arguments], capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr


def expressions_of_the_dashboard():
    return [target["expr"] for panel in json.loads(DASHBOARD.read_text())["panels"] for target in panel.get("targets", ())]


def test_every_series_of_rules_and_dashboard_is_documented():
    """A misspelt one would be an alert that never fires, and an empty panel. docs/metrics.md is compared with the program elsewhere."""
    documented = (RULES.parents[2] / "docs" / "metrics.md").read_text()
    of_rules = [line for line in RULES.read_text().splitlines() if "expr:" in line]
    used = set(re.findall(r"(?:walduct|process)_\w+", " ".join(of_rules + expressions_of_the_dashboard())))
    names = {name.removesuffix("_bucket") for name in used}
    assert len(names) > 25 and [name for name in names if f"`{name}`" not in documented] == []


def test_quiet_then_kafka_is_stuck_then_it_is_gone(private_servers, db, connectors, prometheus):
    """Lag, stall, retained WAL; quiet again when Kafka goes on; down after a kill."""
    kafka = private_servers(kafka=True)
    db.execute(ITEMS)
    connector = connectors(db, {}, {"bootstrap.servers": kafka.bootstrap, **OFTEN}).start(*LISTEN).wait_streaming()
    watcher = prometheus(connector)
    db.execute("insert into items values (1, 'a')")
    connector.wait_events(1)
    watcher.wait_quiet()
    for expression in expressions_of_the_dashboard():
        watcher.query(expression.replace("$connector", ".*"))  # refused when it cannot be read
    assert watcher.query("walduct_records_acknowledged_total")[0][1] == 1
    kafka.pause_kafka()
    try:
        db.execute("insert into items select g, repeat(md5(g::text), 60) from generate_series(2, 20000) g")
        watcher.wait_firing("WalductLag", "WalductStalled", "WalductRetainedWal", timeout_s=120)
    finally:
        kafka.resume_kafka()
    connector.wait_events(20000, 120)
    db.execute("checkpoint")  # the slot moves with what is written, and it is looked at every ten seconds
    watcher.wait_quiet(timeout_s=120)
    connector.kill()
    watcher.wait_firing("WalductDown")


def test_another_session_has_the_slot(db, connectors, prometheus):
    db.execute(ITEMS)
    first = connectors(db).start().wait_streaming()
    second = connectors(db, {"slot.name": first.slot, "slot.retry.delay.ms": "200", "slot.max.retries": "1000"}).start(*LISTEN)
    watcher = prometheus(second)
    watcher.wait_firing("WalductSlotInUse")
    assert "WalductFailed" not in watcher.firing()
    second.terminate()
    first.stop()


def test_one_of_two_connectors_fails(databases, pg15, connectors, prometheus):
    """A record that cannot be published and is let pass, then a slot that is gone."""
    dbs = [databases(pg15) for _ in range(2)]
    for db in dbs:
        db.execute(ITEMS)
    first, second = (connectors(db, {"errors.tolerance": "all", "producer.override.max.request.size": "100000"}, name=name)
                     for db, name in zip(dbs, ("first", "second")))
    second.write_files()
    own = first.files()
    first.files = lambda: [*own, "-f", second.dir / "connector.json"]
    first.start(*LISTEN)
    for name in ("first", "second"):
        first.wait_log(rf"\[{name}\] streaming\b")
    watcher = prometheus(first)
    watcher.wait_quiet()
    dbs[0].execute("insert into items values (1, repeat('x', 200000))")
    watcher.wait_firing("WalductRecordErrors")
    watcher.wait_quiet()
    slot = second.slot
    dbs[1].execute("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", slot)
    dbs[1].drop_slot(slot)
    watcher.wait_firing("WalductFailed")
    first.terminate()
