"""`walduct skip`: the one change that a connector has failed at is left out for good, and nothing else."""
import json
import re
import shlex
import subprocess

import pytest
from confluent_kafka import Consumer
from test_serve import config_of, published, workers  # noqa: F401

from support.debezium import free_port
from support.http import ask
from support.paths import BINARY
from support.wait import wait_until

HINT = r'reason=record_too_large hint="((?:[^"\\]|\\.)*)"'
TABLE = "create table items (id int primary key, note text)"
LARGE = "select repeat(md5(random()::text), 100000)"  # 3.2 MB; records may have 1 MB
# One transaction with the large row in its middle, and one behind it.
WORK = f"begin; insert into items values (1), (2); insert into items values (3, ({LARGE})); insert into items values (4); commit;"


def skip(*arguments, text=None):
    return subprocess.run([str(BINARY), "skip", *map(str, arguments)], capture_output=True, text=True, timeout=90, input=text or "")


def failed_at(worker, name):
    """The change that /status names, and the hint that says what to type."""
    worker.wait_state(name, "RUNNING/FAILED")
    error = json.loads(ask(worker.port, f"/status?connector={name}")[1])["connectors"][0]["last_error"]
    assert error["reason"] == "record_too_large" and f"walduct skip {name} --lsn {error['change']}" in error["hint"], error
    return error["change"]


@pytest.mark.parametrize("killed", [False, True])
def test_the_change_that_failed(killed, workers, databases, pg17, broker):  # noqa: F811
    """Over REST: refused for any other change; the rest of its transaction is published; kept over a kill."""
    db = databases(pg17)
    db.script(TABLE)
    worker = workers().start()
    db.execute("insert into items values (0)")
    worker.create("shop", config_of(db))
    wait_until(lambda: published(broker, db) == [0], 60, "the snapshot")
    early = skip("shop", "--lsn", "0/1:1", "--yes", "--url", worker.base)
    assert early.returncode == 3 and "has not failed" in early.stderr, early
    db.script(WORK)
    db.execute("insert into items values (5)")
    change = failed_at(worker, "shop")
    assert re.fullmatch(r"[0-9A-F]+/[0-9A-F]+:3", change), "the third change of its transaction"

    def refused(code, says, *arguments):
        done = skip(*arguments)
        assert done.returncode == code and says in done.stderr, done
        assert worker.state("shop") == "RUNNING/FAILED"

    url = ("--url", worker.base)
    refused(2, "say --yes", "shop", "--lsn", change, *url)
    refused(2, "write LSN:NUMBER", "shop", "--lsn", change.partition(":")[0], "--yes", *url)
    refused(2, "name the connector", "--lsn", change, "--yes", *url)
    refused(3, f"but at {change}", "shop", "--lsn", change.replace(":3", ":4"), "--yes", *url)
    refused(3, "nobody", "nobody", "--lsn", change, "--yes", *url)
    for body in ({}, {"change": 3}, {"change": "0/0:3"}, []):
        assert worker.ask("POST", "/connectors/shop/skip", body)[0] == 400, body
    if killed:
        status, answer = worker.ask("POST", "/connectors/shop/skip", {"change": change})
        worker.kill()
        assert (status, answer["change"]) == (202, change)
        worker.start()
    else:
        done = skip("shop", "--lsn", change, "--yes", *url)
        assert done.returncode == 0 and "will not be published" in done.stdout, done
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: 5 in published(broker, db), 60, "what comes behind it")
    db.execute("insert into items values (6)")
    wait_until(lambda: 6 in published(broker, db), 60, "the stream")
    ids = published(broker, db)
    assert 3 not in ids and list(dict.fromkeys(ids)) == [0, 1, 2, 4, 5, 6], ids
    assert worker.log_text().count("change skipped, as asked for by walduct skip") == 1
    metrics = ask(worker.port, "/metrics")[1]
    assert re.search(r'walduct_record_errors_total\{connector="shop",outcome="skipped_by_hand"\} 1\n', metrics), metrics
    # Asked for once: the next one fails again.
    db.script(f"insert into items values (7, ({LARGE}))")
    again = failed_at(worker, "shop")
    assert again != change and again.endswith(":1")
    worker.stop()


def committed(broker, topic):
    """The ids that a reader of committed records sees."""
    consumer = Consumer({"bootstrap.servers": broker, "group.id": f"read-{topic}", "isolation.level": "read_committed",
                         "auto.offset.reset": "earliest", "enable.auto.commit": False})
    consumer.subscribe([topic])
    ids, silent = [], 0
    while silent < 5:
        message = consumer.poll(1)
        silent = silent + 1 if message is None else 0
        if message is not None and not message.error():
            ids.append(json.loads(message.value())["after"]["id"])
    consumer.close()
    return ids


@pytest.mark.parametrize("exactly_once", [False, True])
def test_a_process_of_run(exactly_once, db, connectors, broker):
    """-f: in the store of a connector that does not run; its next start leaves the change out."""
    db.script(TABLE)
    more = {"exactly.once.support": "required"} if exactly_once else {}
    worker = {"offset.storage.file.filename": None, "offset.storage.topic": f"{db.name}-offsets",
              "offset.storage.partitions": "1", "offset.storage.replication.factor": "1"} if exactly_once else None
    connector = connectors(db, {"snapshot.mode": "no_data", **more}, worker=worker).start().wait_streaming()
    db.execute("insert into items values (0)")
    connector.wait_events(1, 60)
    running = connector.call("skip", "--lsn", "FF/1:1", "--yes")
    assert running.returncode == 3 and "stop the connector first" in running.stderr, running
    db.script(WORK)
    assert connector.wait_exit(60) == 1
    typed, change = re.findall(r"walduct (skip -f \S+ -w \S+ --lsn ([0-9A-F]+/[0-9A-F]+:[0-9]+)) leaves", connector.log_text())[-1]
    behind = connector.call("skip", "--lsn", "0/1:1", "--yes")
    assert behind.returncode == 3 and "is behind the stored position" in behind.stderr, behind
    done = subprocess.run([str(BINARY), *shlex.split(typed), "--yes"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and change in done.stdout, done
    connector.start().wait_streaming()
    db.execute("insert into items values (5)")
    connector.wait_log("change skipped, as asked for by walduct skip", 60)
    if exactly_once:
        wait_until(lambda: 5 in committed(broker, f"{connector.prefix}.public.items"), 60, "what comes behind it")
        assert committed(broker, f"{connector.prefix}.public.items") == [0, 1, 2, 4, 5]
    else:
        connector.wait_events(lambda events: any(e.id == 5 for e in events), 60, "what comes behind it")
        assert list(dict.fromkeys(e.id for e in connector.events())) == [0, 1, 2, 4, 5]
    connector.stop()


@pytest.mark.parametrize("by_hint", [True, False])
def test_a_row_of_a_snapshot_of_run(by_hint, db, connectors):
    """`walduct run` is started with the property: as its own hint has it, --listen and all, or as `walduct skip` hands it over."""
    db.script(f"{TABLE}; insert into items values (1), (2), (3); update items set note = ({LARGE}) where id = 2")
    listen = f"127.0.0.1:{free_port()}"
    connector = connectors(db, {"snapshot.mode": "initial_only"}, superuser=True)
    assert connector.run_to_end("--listen", listen) != 0
    hint = re.search(HINT, connector.log_text()).group(1).replace('\\"', '"').replace("\\\\", "\\")
    if by_hint:
        command = re.search(r"walduct run .*?(?= leaves this one row out of snapshots)", hint).group(0)
        assert f"--listen {listen}" in command, command
    else:
        told = connector.call("skip", "--table", "public.items", "--row-key", '{"id":2}')
        assert told.returncode == 2 and "a property of the connector's file" in told.stderr, told
        command = re.search(r"hint: (walduct run .*)", told.stderr).group(1)
    done = subprocess.run([str(BINARY), *shlex.split(command)[1:]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (command, done)
    assert re.search(r"snapshot completed, without all rows.*rows=\d+ rows_left_out=1", done.stderr), done
    assert [event.id for event in connector.events()][-2:] == [1, 3]  # what was before the row may have come with the first snapshot, too
