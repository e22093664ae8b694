"""A connector whose slot is a standby's: what a standby says of running transactions and of WAL is not taken at its word."""
import json
import re
import shutil
from pathlib import Path

import pytest

from support.cluster import Standby
from support.connector import database_properties
from support.postgres import Database
from support.servers import free_ports
from support.wait import wait_until

TABLES = """create table items (id int primary key, v text); create table small (id int primary key);
            create table ev (id int primary key, v text) partition by range (id); create table ev_1 (like ev including all);
            insert into ev_1 values (1, 'before')"""
# What is asked of the catalog with a transaction of the stream is in the server's log.
SETTINGS = {"log_statement": "all", "logical_decoding_work_mem": "64kB"}


class Pair:
    def __init__(self, servers, databases, connectors, spill, settings):
        self.db = databases(servers.postgres)
        self.db.script(TABLES)
        self.db.script(f'create publication "{self.db.name}" for all tables with (publish_via_partition_root)')
        self.standby = Standby(servers, free_ports(1)[0], settings={**SETTINGS, **settings})
        self.there = Database(self.standby.postgres, self.db.name)
        self.standby.wait_replayed()
        spill.mkdir()
        self.connector = connectors(self.db, {**database_properties(self.there), "publication.autocreate.mode": "disabled",
                                              "walduct.transaction.streaming": "true", "walduct.stall.warn.ms": "1000",
                                              "walduct.transaction.spill.directory": str(spill)}, sink="file",
                                    worker={"offset.flush.interval.ms": "50"})

    def start(self):
        self.connector.start()

        def streams():  # a standby makes a slot when its primary tells what runs
            self.db.execute("select pg_log_standby_snapshot()")
            return self.connector.logged("streaming slot=")
        wait_until(streams, 40, "the standby's slot is read", interval_s=0.5)
        return self

    def log(self):
        return (self.standby.data / "server.log").read_text(errors="replace")

    def asked(self):
        """The transactions that the catalog was asked about."""
        tables = r"newest >> 32 << 32\) \| '(\d+)'::pg_catalog.int8"
        gone = r"arameters: \$1 = '\{[\d,]+\}', \$2 = '\{([\d,]+)\}'"
        lists = re.findall(tables, self.log()) + re.findall(gone, self.log())
        return {int(xid) for one in lists for xid in one.split(",")}

    def come(self, table, wanted):
        self.connector.wait_events(lambda events: any(e.table == table and e.id == wanted for e in events), 40)

    def close(self):
        self.connector.close()
        self.there.close_session()
        self.standby.stop("immediate")


@pytest.fixture
def pair(private_servers, databases, connectors, tmp_path):
    made = []

    def make(version=17, settings=None):
        servers = private_servers(postgres=version)
        made.append(Pair(servers, databases, connectors, tmp_path / "spill", settings or {}))
        return made[-1].start()
    yield make
    for one in made:
        one.close()


def test_no_transaction_in_progress_is_asked_about(pair):
    """txid_visible_in_snapshot calls those that run on the primary visible there. A large transaction that alters one table and makes
    another is sent while it runs; nothing is asked about it, nor about its sub-transactions, before it has committed."""
    pair = pair()
    with pair.db.connect(autocommit=False) as session:
        xid = int(session.execute("select pg_current_xact_id()::text").fetchone()[0])
        session.execute("insert into items select g, repeat('x', 200) from generate_series(1, 2000) g")
        session.execute("savepoint s")
        session.execute("alter table items add column w int default 7; insert into items select g, 'y' from generate_series(2001, 4000) g")
        session.execute("create table made (id int primary key, v text); insert into made select g, repeat('z', 200) from generate_series(1, 2000) g")
        session.execute("release s; savepoint t; alter table small add column gone int; insert into small select g from generate_series(100, 3000) g;"
                        "rollback to t")
        last = int(pair.db.value("select pg_snapshot_xmax(pg_current_snapshot())::text"))  # of its sub-transactions, and one more
        assert last >= xid + 3
        pair.db.execute("insert into small values (1)")
        pair.come("small", 1)
        streamed = "select stream_txns > 0 from pg_stat_replication_slots where slot_name = %s"
        wait_until(lambda: pair.there.value(streamed, pair.connector.slot), 20, "it is sent while it runs")
        pair.db.execute("insert into small values (2)")
        pair.come("small", 2)
        # As the primary knows, and the standby does not.
        calls = "select pg_visible_in_snapshot(%s::text::xid8, pg_current_snapshot())"
        assert pair.there.value(calls, str(xid)) is True and pair.db.value(calls, str(xid)) is False
        asked = pair.asked()
        assert [one for one in asked if one >= last] and not [one for one in asked if xid <= one < last], (xid, last, asked)
        session.commit()
    pair.come("made", 2000)
    assert xid in pair.asked()
    rows = {e.id: e.after for e in pair.connector.events() if e.table == "items"}
    assert len(rows) == 4000 and rows[4000] == {"id": 4000, "v": "y", "w": 7}
    made = [e for e in pair.connector.events() if e.table == "made"]
    assert len(made) == 2000 and made[0].after["v"] == "z" * 200
    pair.connector.stop()


def test_what_runs_on_the_primary_is_not_taken_for_seen(pair):
    """A table becomes a partition in a transaction that runs while the catalog is looked at: what is stored as seen is before it."""
    pair = pair()

    def seen():
        return json.loads((pair.connector.offset() or {}).get("walduct_tables", "{}")).get("seen")
    pair.db.execute("insert into small values (1)")
    wait_until(seen, 20, "what is seen is stored")
    pair.connector.stop()
    first = seen()
    pair.db.execute("insert into small values (2)")
    with pair.db.connect(autocommit=False) as session:
        xid = int(session.execute("select pg_current_xact_id()::text").fetchone()[0])
        session.execute("alter table ev attach partition ev_1 for values from (0) to (10)")
        pair.db.execute("insert into small values (3)")
        pair.standby.wait_replayed()
        pair.start()
        pair.come("small", 3)
        wait_until(lambda: seen() != first, 20, "it is looked at again")
        assert int(seen().split(":")[1]) <= xid, f"it and what follows is not seen: {seen()}"
        pair.connector.stop()
        session.commit()
    pair.standby.wait_replayed()
    pair.start().connector.wait_log(r'tables="public\.ev_1 \(of public\.ev\)".*reason=partition_attached')
    pair.connector.stop()


def test_a_segment_that_is_missing_once_is_no_lost_slot(pair):
    """The server finds a segment gone that its slot has reserved: it is tried again, told of, and goes on when the segment is there."""
    pair = pair()
    pair.db.execute("insert into small values (1)")
    pair.come("small", 1)
    pair.connector.stop()
    at = pair.there.value("select restart_lsn::text from pg_replication_slots where slot_name = %s", pair.connector.slot)
    name = pair.db.value("select pg_walfile_name(%s::pg_lsn)", at)
    pair.db.script("select pg_switch_wal(); insert into small values (2)")
    pair.standby.wait_replayed()
    segment = Path(pair.standby.data) / "pg_wal" / name
    aside = segment.with_suffix(".aside")
    shutil.move(segment, aside)
    pair.connector.start().wait_log(r"retrying: .*has already been removed.*wal_status (reserved|extended).*reason=slot_disputed .*pg_wal")
    shutil.move(aside, segment)
    pair.come("small", 2)
    assert pair.connector.running() and not pair.connector.logged("reason=wal_removed")
    pair.connector.stop()


def test_the_standby_is_promoted_while_it_is_read(pair):
    """What the walsender says of the old timeline's last segment, which is archived as .partial, does not end the connector."""
    pair = pair(settings={"archive_mode": "always", "archive_command": "true"})
    pair.db.execute("insert into small select generate_series(1, 100)")
    pair.come("small", 100)
    pair.standby.wait_replayed()
    pair.db.execute("insert into small values (101)")
    pair.standby.wait_replayed()
    pair.standby.promote()
    pair.there.execute("insert into small values (102)")
    pair.come("small", 102)
    found = [e.id for e in pair.connector.events() if e.table == "small"]
    assert sorted(set(found)) == list(range(1, 103)) and pair.connector.running()
    print("disputed:", bool(pair.connector.logged("slot_disputed")), "retried:", pair.connector.logged("retrying: .*"))
    pair.connector.stop()
