"""Brokers and servers that go away under load: memory stays bounded, nothing is lost, walduct resumes by itself."""
import os
import time

import pytest

from support import workload
from support.wait import wait_until
from test_kill9 import check_nothing_lost

OUTAGE_S = int(os.environ.get("E2E_OUTAGE_S", "60"))
RSS_LIMIT_KB = 48 << 10  # with a full buffer of the default size


def test_FAIL_09_10_SNK_02_broker_stopped(private_servers, databases, connectors):
    """FAIL-09, FAIL-10: 60 s without a broker (E2E_OUTAGE_S), longer than wal_sender_timeout, with rows for several times the
    buffer: no more memory, next to no CPU, and said again and again."""
    servers = private_servers(postgres=15, kafka=True, pg_set={"wal_sender_timeout": "20s"})
    db = databases(servers.postgres)
    workload.setup(db, f"{db.name}_oracle")
    db.execute("create table ballast (id serial primary key, v text)")
    connector = connectors(db, worker={"bootstrap.servers": servers.bootstrap}).start().wait_streaming()
    writer = workload.Writer(db, seed=7, pause_s=0.1)
    writer.start()
    try:
        db.execute("insert into ballast (v) values ('before')")
        # Of all topics: one that is new to a broker that comes back is begun anew for, which repeats what was on its way.
        wait_until(lambda: {event.table for event in connector.events()} >= {"ballast", *workload.TABLES}, 60, "events before the outage")
        session = db.slot(connector.slot)["active_pid"]
        servers.do("stop-kafka")
        watch_memory(db, connector, OUTAGE_S / 2)  # the buffer is full then
        begin, cpu = time.monotonic(), connector.cpu_seconds()
        most = watch_memory(db, connector, OUTAGE_S / 2)
        share = (connector.cpu_seconds() - cpu) / (time.monotonic() - begin)
        said = connector.log_text().count("no progress for ")
        assert db.slot(connector.slot)["active_pid"] == session, "the stream was lost while Kafka was down"
        servers.do("start-kafka")
        wait_until(lambda: any(e.table == "ballast" for e in connector.events()), 60, "events again")
    finally:
        writer.stop()
    rows = db.value("select count(*) from ballast")
    seen = wait_while_it_grows(connector, rows)
    if connector.logged("reason=producer_stuck"):  # what was on its way is sent again
        seen = list(dict.fromkeys(seen))
    assert out_of_step(seen, rows) == [], "lost, repeated or out of order"
    check_rest(db, connector)
    print(f"{rows} rows of ballast, {writer.transactions} transactions, RSS at most {most >> 10} MB, now {connector.rss_kb() >> 10} MB; "
          f"away for {OUTAGE_S} s: {share:.2%} of a core in the second half, {said} lines about it")
    assert share <= 0.01
    assert said >= max(1, OUTAGE_S // 60), "at least a line each minute"
    assert connector.peak_rss_kb() <= RSS_LIMIT_KB, "more than that after the outage"
    connector.stop()


def out_of_step(ids, last):
    """The first places where ids do not count from 1 to last: a whole list would drown the report."""
    return [(at, b) for at, (a, b) in enumerate(zip([0, *ids], [*ids, last + 1])) if b != a + 1][:10]


def wait_while_it_grows(connector, rows, stalled_s=150):
    """All rows of ballast, however slow the machine is: an error only when none came for a while."""
    most, at = 0, time.monotonic()
    while True:
        ids = ballast(connector.events())
        if len(set(ids)) >= rows:
            return ids
        assert connector.running(), connector.log_text()[-3000:]
        if len(ids) > most:
            most, at = len(ids), time.monotonic()
        assert time.monotonic() - at < stalled_s, f"{most} of {rows} rows, and no more\n{connector.log_text()[-3000:]}"
        time.sleep(1)


def ballast(events):
    return [e.id for e in events if e.table == "ballast"]


def watch_memory(db, connector, seconds):
    """Writes about 1 MB a second; the highest RSS so far."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        db.execute("insert into ballast (v) select repeat('y', 1000) from generate_series(1, 1000)")
        assert connector.running(), connector.log_text()[-3000:]
        time.sleep(1)
    most = connector.peak_rss_kb()
    assert most <= RSS_LIMIT_KB, f"RSS {most} kB, limit {RSS_LIMIT_KB} kB"
    return most


def check_rest(db, connector):
    events = connector.events
    connector.events = lambda: [e for e in events() if e.table in workload.TABLES]
    try:
        # A broker that has just started may not know a topic yet; what was not acknowledged then is sent once more.
        check_nothing_lost(db, connector, [(0, 0)] * connector.log_text().count("reason=topic_gone"))
    finally:
        connector.events = events


@pytest.mark.parametrize("how", ["restart-postgres", "kill-postgres"])
def test_FAIL_03_postgres_restarted(how, private_servers, databases, connectors):
    """FAIL-02, FAIL-03: fast shutdowns and crashes under load; a fast shutdown is not held up by us."""
    servers = private_servers(postgres=15)
    db = databases(servers.postgres)
    workload.setup(db, f"{db.name}_oracle")
    connector = connectors(db, {"retriable.restart.connector.wait.ms": "1000"}).start().wait_streaming()
    writer = workload.Writer(db, seed=11, pause_s=0.01)
    writer.start()
    moments = []
    try:
        for _ in range(3):
            time.sleep(3)
            begin = time.monotonic()
            stored = (connector.offset() or {}).get("lsn_commit", 0)
            servers.do(how)
            if how == "kill-postgres":
                servers.do("start-postgres")
            moments.append((time.time() - (time.monotonic() - begin), stored))
            assert time.monotonic() - begin < 15, "the shutdown was held up"
            connector.wait_streaming()
            wait_until(lambda: (db.slot(connector.slot) or {}).get("active"), 30, "reconnected")
    finally:
        writer.stop()
        db.close_session()
    check_nothing_lost(db, connector, moments)
    print(f"{writer.transactions} transactions")
    assert connector.peak_rss_kb() <= RSS_LIMIT_KB
    connector.stop()
