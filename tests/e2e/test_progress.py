"""How far snapshots are, as the log, status and metrics tell it: by blocks where they are read by ranges, else by estimated rows."""
import json
import subprocess

from support.http import Surface
from support.paths import BINARY
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")
NEVER_ANALYZED = """
create table big (id int primary key, v text) with (autovacuum_enabled = off);
alter table big alter v set storage plain;
insert into big select g, repeat('x', 2000) from generate_series(1, 10000) g;
create table small (id int primary key) with (autovacuum_enabled = off); insert into small values (1)
"""


def screen(surface):
    return subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, timeout=30).stdout


def test_an_initial_snapshot_by_blocks(db, connectors):
    """20 MB of which the server has no statistics, by two sessions: how much of it is read is known nevertheless."""
    db.script(NEVER_ANALYZED)
    connector = connectors(db, {"snapshot.max.threads": "2"}, sink="file").start(*LISTEN).wait_streaming()
    assert connector.logged(r'snapshot of table complete .*table=public\.big rows=10000 percent="100\.0 by blocks" chunks="4 of 4" rows_per_s=\d+')
    surface = Surface(connector)
    snapshot = surface.status()["snapshot"]
    big = next(table for table in snapshot["tables"] if table["table"] == "big")
    assert (big["percent"], big["percent_by"], big["chunks"], big["chunks_read"]) == (100, "blocks", 4, 4), big
    assert big["blocks"] == big["blocks_read"] == db.value("select pg_relation_size('big') / 8192")
    assert big["rows_per_second"] > 0 and snapshot["rows_per_second"] > 0
    assert surface.value("walduct_snapshot_table_read_ratio", table="big", by="blocks") == 1
    assert surface.value("walduct_snapshot_rows_per_second") > 0
    assert surface.value("debezium_metrics_TableChunkCounts", table="public.big") == 4
    assert surface.value("debezium_metrics_TableChunksCompletedCounts", table="public.big") == 4
    connector.stop()


def test_an_incremental_snapshot_by_blocks_and_by_rows(db, connectors):
    """Each from where the process before was killed; Debezium's bean tells of it, too."""
    db.execute("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))")
    db.script("create table keyless (v int); insert into keyless select generate_series(1, 20000);"
              "create table keyed (id int primary key); insert into keyed select generate_series(1, 2000); analyze keyed")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "100",
                                "walduct.snapshot.keyless": "ctid", "walduct.snapshot.rows.per.second": "1000", "walduct.snapshot.pause.kept": "true"},
                           worker={"offset.flush.interval.ms": "50"})
    surface = Surface(connector.start(*LISTEN).wait_streaming())

    def signal(kind, data="{}"):
        db.execute("insert into signals values (gen_random_uuid()::text, %s, %s)", kind, data)

    def shown():
        return surface.status()["incremental_snapshot"]

    def restart_paused():
        nonlocal surface
        signal("pause-snapshot")
        wait_until(lambda: '"paused":true' in (connector.offset() or {}).get("walduct_incremental_snapshot", ""), 30, "the pause is stored")
        before = shown()
        connector.kill()
        surface = Surface(connector.start(*LISTEN).wait_streaming())
        wait_until(lambda: "incremental_snapshot" in surface.status(), 30, "it goes on")
        return before, shown()

    for table, by in (("keyless", "blocks"), ("keyed", "rows")):
        signal("execute-snapshot", json.dumps({"data-collections": [f"public.{table}"]}))
        wait_until(lambda: (surface.value("walduct_incremental_read_ratio", table=table, by=by) or 0) > 0.05, 60, f"some of {table}")
        assert surface.value("debezium_metrics_SnapshotRunning", context="snapshot") == 1
        assert surface.value("debezium_metrics_RowsScanned", table=f"public.{table}") > 0
        before, after = restart_paused()
        assert before["percent_by"] == by and before["percent"] > 5, before
        assert before["rows"] > 100 and (by == "blocks" or abs(after["rows"] - before["rows"]) <= 100), (before, after)
        if by == "blocks":  # the estimate of its rows comes with the first chunk
            assert after["percent"] > before["percent"] - 3 and f"% by {by}" in screen(surface), (before, after)
        assert surface.value("debezium_metrics_SnapshotPaused", context="snapshot") == 1
        assert "paused, for" in screen(surface)
        signal("stop-snapshot")
        signal("resume-snapshot")
        wait_until(lambda: surface.value("debezium_metrics_SnapshotAborted", context="snapshot") == 1, 30, "the stop")
        assert surface.value("debezium_metrics_SnapshotRunning", context="snapshot") == 0
    connector.stop()
