"""Rows that a poller could not publish, by the name of a running process's connector and over REST."""
import json
import subprocess

from test_outbox_rows import BAD, TABLE, opened, parked, put
from test_serve import workers  # noqa: F401

from support.connector import database_properties
from support.http import Surface
from support.kafka import TopicReader
from support.paths import BINARY
from support.polling import numbers, polled
from support.serve import CLASS
from support.wait import wait_until


def walduct(*arguments, code=0):
    done = subprocess.run([str(BINARY), "outbox", *arguments], capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def test_of_a_worker_rows_are_listed_and_changed_by_its_name(workers, databases, pg17, broker):  # noqa: F811
    db = databases(pg17)
    db.execute(TABLE)
    put(db, "Order", "1", 1)
    put(db, BAD, "1", 2)
    put(db, "Order", "1", 3)
    worker = workers().start()
    config = {"connector.class": CLASS, "topic.prefix": db.name, **database_properties(db),
              **polled(db, **{"walduct.outbox.max.attempts": "2", "walduct.outbox.attempts.backoff.ms": "100"})}
    worker.create("a b", {name: value for name, value in config.items() if value is not None and name != "walduct.outbox.publish.locally"})
    worker.wait_state("a%20b", "RUNNING/RUNNING")
    wait_until(lambda: db.value("select attempts from outbox where id = 2") == 2, 60, "row 2 parked")
    by = ["--url", worker.base]
    assert "  2  parked  2 attempts  key 1  Placed" in walduct("list", "a b", *by)
    status, answer = worker.ask("GET", "/connectors/a%20b/outbox")
    assert status == 200 and [row["row"] for row in answer["tables"][0]["rows"]] == ["2"]
    assert "open rows of its key: 1" in walduct("show", "a b", "2", *by)
    for body in ({"do": "drop", "rows": ["2"]}, {"do": "skip"}, {"do": "retry", "rows": ["x"]}):
        assert worker.ask("POST", "/connectors/a%20b/outbox", body)[0] == 400, body
    assert worker.ask("GET", "/connectors/a%20b/outbox?rows=2")[0] == 400
    assert worker.ask("POST", "/connectors/nobody/outbox", {"do": "retry", "all": True})[0] == 404
    assert "no connector is named 'nobody'; there are: a b" in walduct("list", "nobody", *by, code=3)
    assert "row 'x' is none that public.outbox could have" in walduct("retry", "a b", "x", *by, code=2)
    with db.transaction() as other:
        other.execute("select from outbox where id = 2 for update")
        assert "2 is locked by another session" in walduct("retry", "a b", "--all", *by, code=3)
        other.rollback()
    db.execute("update outbox set aggregate_type = 'Order' where id = 2")
    assert "public.outbox 2 is tried again" in walduct("retry", "a b", "2", *by)
    assert "row of an outbox table was changed by hand" in worker.log_text()
    wait_until(lambda: opened(db) == [], 30, "published")
    put(db, BAD, "1", 4)
    wait_until(lambda: db.value("select attempts from outbox where id = 4") == 2, 60, "row 4 parked")
    status, answer = worker.ask("POST", "/connectors/a%20b/outbox", {"do": "skip", "rows": ["4"]})
    assert status == 200 and answer["tables"][0]["rows"][0]["outcome"] == "skipped"
    assert opened(db) == []
    worker.stop()
    assert numbers(TopicReader(broker, f"{db.name}.event.Order").read(), b"1") == [1, 2, 3]


def test_a_process_of_walduct_run_shows_them_and_changes_nothing(databases, pg17, connectors):
    db = databases(pg17)
    connector = parked(db, connectors, **{"walduct.listen": "127.0.0.1:0"})
    base = Surface(connector).base
    assert "  2  parked  2 attempts  key 1" in walduct("list", connector.name, "--url", base)
    row, = json.loads(walduct("show", connector.name, "2", "--url", base, "--json"))["tables"][0]["rows"]
    assert row["held_back"] == 1
    told = walduct("retry", connector.name, "2", "--url", base, code=3)
    assert "runs its connectors by walduct run, and changes no rows" in told and "also while it runs: -f CONNECTOR" in told
    assert db.value("select attempts from outbox where id = 2") == 2
    assert "has no row 99" in walduct("show", connector.name, "99", "--url", base, code=2)
    connector.stop()
    assert "nobody answers" in walduct("list", connector.name, "--url", base, code=1)
