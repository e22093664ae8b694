"""A broker that comes back with empty logs, as from a lost volume: offsets of partitions fall, which the connector that wrote there tells.
Runs by name: scripts/test e2e -- tests/e2e/test_lost_logs.py::test_a_broker_comes_back_with_empty_logs"""
import re
import shlex
import shutil
import subprocess

import pytest

from support.connector import STREAMING
from support.http import Surface
from support.kafka import create_topic, read_topics
from support.paths import BINARY
from support.wait import wait_until

REASON = "topic_deleted"
ROWS = 5000


def problems(connector):
    return {one["reason"]: one for one in Surface(connector).status().get("capture", {}).get("problems", ())}


def empty_logs(servers):
    """All partitions, and what the broker remembers of them: the volume is new. The controller's log stays."""
    gone = 0
    for meta in servers.dir.glob("kafka/**/meta.properties"):
        for entry in meta.parent.iterdir():
            if entry.name.startswith("__cluster_metadata"):
                continue
            if entry.is_dir():
                shutil.rmtree(entry)
                gone += 1
            elif "checkpoint" in entry.name:
                entry.unlink()
    assert gone > 0


@pytest.mark.parametrize("case", ["idle", "busy", "another producer"])
def test_a_broker_comes_back_with_empty_logs(case, db, private_servers, connectors):
    servers = private_servers(kafka=True)
    db.script("create table items (id int primary key, pad text); create table still (id int primary key);"
              "create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    connector = connectors(db, {"table.include.list": "public.items,public.still", "signal.data.collection": "public.signals"},
                           worker={"bootstrap.servers": servers.bootstrap})
    topic = f"{connector.prefix}.public.items"
    create_topic(servers.bootstrap, topic, partitions=3)
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    insert = "insert into items select g, repeat('x', 200) from generate_series(%s::int, %s::int) g"

    def stored_beyond(lsn):
        wait_until(lambda: db.value("select confirmed_flush_lsn >= %s::pg_lsn from pg_replication_slots where slot_name = %s", lsn,
                                    connector.slot), 90, "all is acknowledged and stored")

    def add(first, last):
        db.execute(insert, first, last)
        return db.value("select pg_current_wal_lsn()::text")

    stored_beyond(add(1, ROWS))
    servers.do("kill-kafka")
    waits = add(ROWS + 1, 2 * ROWS)
    servers.do("start-kafka")
    stored_beyond(waits)
    assert REASON not in problems(connector), "a restart loses nothing"

    if case == "another producer":
        db.execute("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", connector.slot)
        wait_until(lambda: len(re.findall(STREAMING, connector.log_text())) >= 2, 60, "it has begun again")
    servers.do("kill-kafka")
    empty_logs(servers)
    if case == "busy":
        # More than was ever in the topic waits by the time it is empty.
        add(2 * ROWS + 1, 6 * ROWS)
    servers.do("start-kafka")
    if case != "busy":
        add(2 * ROWS + 1, 2 * ROWS + 1)
    connector.wait_log(rf"topic {topic} has lost records that it had acknowledged.*reason={REASON}", 90)
    wait_until(lambda: REASON in problems(connector), 60, "it goes on, and the warning stands")
    problem = problems(connector)[REASON]
    assert "public.items" in str(problem) and "public.still" not in str(problem), problem
    last = 6 * ROWS if case == "busy" else 2 * ROWS + 1
    stored_beyond(db.value("select pg_current_wal_lsn()::text"))
    wait_until(lambda: "lacks" in (connector.offset() or {}).get("walduct_tables", ""), 60, "it goes with the position")
    assert len(re.findall("has lost records", connector.log_text())) == 1, "once is enough"
    connector.stop()
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    wait_until(lambda: REASON in problems(connector), 30, "by the next process, too")
    typed = re.search(r"walduct signal execute-snapshot [^;]* --table public.items[^;]*", problems(connector)[REASON]["hint"]).group(0)
    reads = subprocess.run([str(BINARY), *shlex.split(typed)[1:]], capture_output=True, text=True, timeout=60)
    assert reads.returncode == 0, (typed, reads)
    wait_until(lambda: REASON not in problems(connector), 120, "its table was read")
    connector.stop()
    assert {event.id for event in read_topics(servers.bootstrap, topic)} == set(range(1, last + 1))
