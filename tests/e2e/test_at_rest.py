"""What has happened to the slot and the publication of a connector that rests is told while it rests, also where it has rested since
before the process began."""
import contextlib
import os
import re
import subprocess

import pytest
from test_lag import Series, screen
from test_serve import config_of, published, workers  # noqa: F401

from support import servers
from support.kafka import delete_topics
from support.paths import BINARY
from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text); create table others (id int primary key)"


@pytest.fixture
def resting(workers, databases, pg17, broker):  # noqa: F811
    """Of a worker, a database: `shop` has streamed, and rests; anew: since before the worker was started."""
    def make(anew, lever="pause", **config):
        db, worker = databases(pg17), workers().start()
        db.script(ITEMS)
        db.execute("create publication by_hand for table items, others")
        worker.create("shop", config_of(db, **{"publication.name": "by_hand", "publication.autocreate.mode": "disabled", "table.include.list": "public.items,public.others", **config}))
        worker.wait_state("shop", "RUNNING/RUNNING")
        db.execute("insert into items values (1)")
        wait_until(lambda: 1 in published(broker, db), 30, "published")
        worker.ask("PUT", f"/connectors/shop/{lever}")
        state = {"pause": "PAUSED", "stop": "STOPPED"}[lever]
        wait_until(lambda: worker.state("shop").startswith(state), 30, state)
        if anew:
            worker.stop()
            worker.start()
            wait_until(lambda: worker.state("shop").startswith(state), 30, state)
        return worker, db
    return make


def shown(worker):
    document = Series(worker.base).json("/status")
    return (document["connectors"] + document["resting"] or [{}])[0]  # one that has just stopped is looked at in its turn


def problems(worker):
    return {one["reason"]: one for one in shown(worker).get("capture", {}).get("problems", []) if one["severity"] == "warning"}


@pytest.mark.parametrize("anew", (False, True))
def test_a_publication_that_is_narrowed_is_told(anew, resting):
    worker, db = resting(anew)
    db.execute("alter publication by_hand set (publish = 'insert')")
    db.execute("alter publication by_hand drop table others")
    found = wait_until(lambda: len(problems(worker)) > 1 and problems(worker), 40, "told")
    assert set(found) == {"publication_lacks_operations", "publication_lacks_tables"}, found
    assert found["publication_lacks_tables"]["tables"][0].startswith("public.others"), found
    assert Series(worker.base).value("walduct_capture_problems", reason="publication_lacks_operations") == 1
    answer = screen(worker.base)
    assert answer.returncode == 7 and "publication_lacks_operations" in answer.stdout, answer
    worker.stop()


@pytest.mark.parametrize("anew", (False, True))
def test_a_slot_that_was_moved_on_is_told(anew, resting):
    worker, db = resting(anew, "stop" if anew else "pause")
    metrics = Series(worker.base)
    wait_until(lambda: metrics.value("walduct_slot_position_problem", reason="position_skipped") == 0, 30, "looked at")
    db.execute("insert into items values (2)")
    db.execute("select pg_replication_slot_advance(%s, pg_current_wal_lsn())", db.name)
    wait_until(lambda: metrics.value("walduct_slot_position_problem", reason="position_skipped") == 1, 40, "told")
    slot = shown(worker)["slot"]
    assert slot["wal_status"] == "reserved" and slot["problem"]["reason"] == "position_skipped", slot
    assert "offsets reset" in slot["problem"]["hint"] and "another client" in slot["problem"]["message"], slot
    answer = screen(worker.base)
    assert answer.returncode == 6 and "(position_skipped)" in answer.stdout, answer
    assert "-> walduct resume" not in answer.stdout, "it would fail"
    ready = subprocess.run([str(BINARY), "status", "--ready", "--url", worker.base], capture_output=True, text=True, timeout=30)
    assert ready.returncode == 1 and "(position_skipped)" in ready.stderr, ready
    assert worker.log_text().count("a connector that rests could not go on") == 1
    worker.ask("PUT", "/connectors/shop/resume")
    wait_until(lambda: shown(worker).get("last_error", {}).get("reason") == "position_skipped", 30, "a start says the same")
    worker.stop()


def test_another_process_that_reads_the_slot_is_told(resting):
    """In the place of lag, which is its own, and of a resume, which would meet it."""
    worker, db = resting(False, "stop")
    wait_until(lambda: f"-> walduct resume shop --url {worker.base}" in screen(worker.base).stdout, 30, "it rests")
    with contextlib.closing(db.connect(replication="database", application_name="somebody")) as reader:
        reader.pgconn.exec_(f"START_REPLICATION SLOT {db.name} LOGICAL 0/0 (proto_version '1', publication_names 'by_hand')".encode())
        other = f"pid {db.slot(db.name)['active_pid']}, application somebody"
        wait_until(lambda: shown(worker).get("slot", {}).get("other_reader") == other, 40, "told")
        answer = screen(worker.base)
        assert f"another process ({other})" in answer.stdout and "resume" not in answer.stdout, answer
    wait_until(lambda: "other_reader" not in shown(worker).get("slot", {}), 40, "it has ended")
    worker.stop()


def recvlogical(db):
    """Reads the slot, and confirms what it has got each second."""
    server = db.server
    return subprocess.Popen(
        [str(word) for word in (f"{servers.shared('pg15', postgres=15).values['PG_BIN']}/pg_recvlogical", "-h", server.host, "-p", server.port,
                                "-U", server.user, "-d", db.name, "--slot", db.name, "--start", "-o", "proto_version=1",
                                "-o", "publication_names=by_hand", "-f", "/dev/null", "--no-loop", "--status-interval=1", "--fsync-interval=1")],
        env={**os.environ, "PGPASSWORD": server.password}, stderr=subprocess.DEVNULL)


def test_a_reader_that_goes_on_from_where_a_connector_was_stopped_is_no_error(resting):
    """As after a way back to whoever read before; once it has ended nobody has what it confirmed."""
    worker, db = resting(False, "stop")
    reader = recvlogical(db)
    metrics = Series(worker.base)
    try:
        wait_until(lambda: db.slot(db.name)["active"], 20, "it reads")
        db.execute("insert into items values (2)")
        told = wait_until(lambda: shown(worker).get("slot", {}).get("gone_on"), 40, "told")
        assert "offsets import shop FILE" in told["hint"] and f"-X DELETE {worker.base}/connectors/shop" in told["hint"], told
        assert "accept-loss" not in told["hint"] and "when_needed" not in told["hint"], told
        assert metrics.value("walduct_slot_position_problem", reason="position_skipped") == 0
        answer = screen(worker.base)
        assert answer.returncode == 7 and "has gone on from here" in answer.stdout and "position_skipped" not in answer.stdout, answer
        assert not re.search("error .*could not go on", worker.log_text()), worker.log_text()
    finally:
        reader.terminate()
        reader.wait()
    wait_until(lambda: metrics.value("walduct_slot_position_problem", reason="position_skipped") == 1, 40, "nobody reads it now")
    worker.stop()


def test_another_reader_that_moves_the_slot_on_is_told_while_it_reads(resting):
    """pg_recvlogical has the slot, so that the connector retries; what it confirms is lost, which the error alone does not say."""
    worker, db = resting(False, **{"slot.max.retries": "1000", "slot.retry.delay.ms": "1000"})
    reader = recvlogical(db)
    try:
        wait_until(lambda: db.slot(db.name)["active"], 20, "it reads")
        worker.ask("PUT", "/connectors/shop/resume")
        wait_until(lambda: shown(worker).get("last_error", {}).get("reason") == "slot_in_use", 30, "it is kept out")
        db.execute("insert into items values (2)")
        metrics = Series(worker.base)
        wait_until(lambda: metrics.value("walduct_slot_position_problem", reason="position_skipped") == 1, 40, "told")
        answer = screen(worker.base)
        assert answer.returncode == 6 and "slot_in_use" in answer.stdout and "(position_skipped)" in answer.stdout, answer
        assert "end the session that reads the slot" in shown(worker)["slot"]["problem"]["hint"], shown(worker)
        ready = subprocess.run([str(BINARY), "status", "--ready", "--url", worker.base], capture_output=True, text=True, timeout=30)
        assert ready.returncode == 1 and "(position_skipped)" in ready.stderr, ready
    finally:
        reader.terminate()
        reader.wait()
    wait_until(lambda: shown(worker).get("last_error", {}).get("reason") == "position_skipped", 60, "its own attempt finds the same")
    worker.stop()


def test_a_position_that_is_gone_is_told(resting, broker):
    """The offset topic was deleted: this process alone knows where the connector stood, and a start of it stores that again."""
    worker, db = resting(False, "stop")
    metrics = Series(worker.base)
    wait_until(lambda: metrics.value("walduct_slot_position_problem", reason="offset_missing") == 0, 30, "looked at")
    delete_topics(broker, worker.properties["offset.storage.topic"])
    wait_until(lambda: metrics.value("walduct_slot_position_problem", reason="offset_missing") == 1, 150, "told", interval_s=1)
    problem = shown(worker)["slot"]["problem"]
    assert f"walduct resume shop --url {worker.base}" in problem["hint"] and "do not stop this process" in problem["hint"], problem
    answer = screen(worker.base)
    assert answer.returncode == 6 and "(offset_missing)" in answer.stdout, answer
    ready = subprocess.run([str(BINARY), "status", "--ready", "--url", worker.base], capture_output=True, text=True, timeout=30)
    assert ready.returncode == 1 and "(offset_missing)" in ready.stderr, ready
    worker.ask("PUT", "/connectors/shop/resume")
    worker.wait_state("shop", "RUNNING/RUNNING")
    db.execute("insert into items values (2)")
    wait_until(lambda: 2 in published(broker, db), 60, "it goes on")
    wait_until(lambda: worker.ask("GET", "/connectors/shop/offsets")[1].get("offsets"), 60, "it is stored again", interval_s=1)
    worker.stop()
