"""What it takes to drain a backlog at full speed, and one that is hard to plan for."""
import time

import pytest

from support import backlog

ROWS = 600_000
RSS_LIMIT_KB = 48 << 10
ANSWERS_LIMIT_KB = 80 << 10


def test_backlog_within_bounds(private_servers, databases, connectors):
    """600,000 rows of 15 columns that were waiting in the slot, into a topic that the broker has yet to create."""
    servers = private_servers(postgres=15, kafka=True, pg_set={"max_wal_size": "8GB"})
    db = databases(servers.postgres)
    db.execute(backlog.TABLE)
    connector = connectors(db, {"snapshot.mode": "no_data"}, worker={"bootstrap.servers": servers.bootstrap})
    assert connector.run_to_end("--until-caught-up") == 0
    end = backlog.fill(db, ROWS, transaction=1000)
    begin = time.monotonic()
    connector.start("--until-lsn", end)
    most = watch(connector)
    seconds = time.monotonic() - begin
    print(f"{ROWS} rows in {seconds:.1f} s, RSS at most {most} kB")
    assert 0 < most <= RSS_LIMIT_KB, f"RSS {most} kB, limit {RSS_LIMIT_KB} kB"
    assert connector.reader.count() == ROWS


def test_answers_without_end_are_forgotten(db, connectors):
    """Events whose topics and whose structure never come again: the plans of a chain are kept for those that do."""
    db.execute("create table outbox (id int primary key, aggregatetype text, aggregateid text, payload jsonb)")
    connector = connectors(db, {"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
                                "transforms.outbox.table.expand.json.payload": "true", "snapshot.mode": "no_data"}, sink="file")
    assert connector.run_to_end("--until-caught-up") == 0
    db.execute("insert into outbox select i, 'type' || i % 3000, i, jsonb_build_object('a' || i, 1, 'b' || i, array[1]) from generate_series(1, 30000) i;"
               "insert into outbox select 30000 + i, 'wide', i, (select jsonb_object_agg('k' || i || 'x' || j, j) from generate_series(1, 300) j)"
               " from generate_series(1, 1000) i")
    connector.start("--until-caught-up")
    most = watch(connector)
    print(f"RSS at most {most} kB")
    assert 0 < most <= ANSWERS_LIMIT_KB, f"RSS {most} kB, limit {ANSWERS_LIMIT_KB} kB"
    assert len(connector.events()) == 31000


@pytest.mark.parametrize("phase", ["stream", "snapshot"])
def test_row_that_is_larger_than_the_memory(phase, db, connectors):
    """It stops the connector and is not published. Without the limit it is."""
    db.execute("create table items (id int primary key, v text)")
    connector = connectors(db, {"walduct.row.max.bytes": str(8 << 20)}, sink="file")
    if phase == "stream":
        assert connector.run_to_end("--until-caught-up") == 0
    db.execute("insert into items values (1, 'small'), (2, repeat('x', 100000000))")
    assert connector.run_to_end() == 3, connector.log_text()
    assert connector.logged("a row is larger than 8.0 MB.*reason=row_too_large hint=.*walduct.row.max.bytes")
    assert 2 not in {e.id for e in connector.events()}
    connector.config["walduct.row.max.bytes"] = "0"
    assert connector.run_to_end("--until-caught-up") == 0, connector.log_text()
    assert {e.id for e in connector.events()} == {1, 2}


def watch(connector):
    """The highest RSS until it ends, which it must do well."""
    most = 0
    while connector.running():
        most = max(most, peak_while_running(connector))
        time.sleep(0.02)
    assert connector.process.returncode == 0, connector.log_text()[-3000:]
    return most


def peak_while_running(connector):
    try:
        return connector.peak_rss_kb()
    except StopIteration:
        return 0  # it has just ended
