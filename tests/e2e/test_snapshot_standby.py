"""walduct.snapshot.standby.hostname: rows are read from a standby, slot and stream are the primary's; topics folded by key are the tables."""
import signal

import pytest
from test_doctor import found
from test_snapshot_resume import CONFIG, TABLES, folded, kill_in_the_middle, read_of_wide, state, writing

from support.cluster import Standby
from support.servers import free_ports
from support.wait import wait_until


@pytest.fixture
def pair(private_servers, databases, connectors):
    """make(version): a primary with tables, its standby, a connector that reads the rows there."""
    made = []

    def make(version=17, settings=None, config=None):
        servers = private_servers(postgres=version)
        db = databases(servers.postgres)
        db.script(TABLES)
        standby = Standby(servers, free_ports(1)[0], settings=settings)
        made.append(standby)
        standby.wait_replayed()
        connector = connectors(db, {**CONFIG, "walduct.snapshot.standby.hostname": standby.postgres.host,
                                    "walduct.snapshot.standby.port": standby.postgres.port, **(config or {})}, sink="file")
        return db, standby, connector
    yield make
    for standby in made:
        standby.stop("immediate")


def whole(db, connector):
    """Waits until the topics are the tables; the events."""
    events = connector.wait_events(lambda events: folded(events, "wide") == state(db, "wide"), 90)
    assert folded(events, "small") == state(db, "small")
    return events


def rows_read(db):
    """From the primary, by whoever looked through the whole table."""
    return db.execute("select seq_tup_read from pg_stat_user_tables where relname = 'wide'")[0][0]


def views_held(db):
    """Of ours on the primary: VACUUM keeps what they see."""
    return db.sessions("application_name like 'walduct%%' and backend_xmin is not null")


@pytest.mark.parametrize("version", [15, 17, 18])
def test_rows_of_a_standby_under_load(version, pair):
    db, standby, connector = pair(version)
    if version == 18:  # of several hosts the one that is a standby
        connector.config["walduct.snapshot.standby.hostname"] = f"{db.server.host},{standby.postgres.host}"
        connector.config["walduct.snapshot.standby.port"] = f"{db.server.port},{standby.postgres.port}"
    before = rows_read(db)
    with writing(db):
        connector.start().wait_log(f"the rows are read from a standby standby={standby.postgres.host}:{standby.postgres.port}")
        connector.wait_log("snapshot started")
        assert not views_held(db)
        connector.wait_streaming(60)
    assert rows_read(db) == before
    events = whole(db, connector)
    rows = [e for e in events if e.op == "r"]
    assert len({e.source["lsn"] for e in rows}) == 1 and rows[0].source["txId"] is None
    assert [e.source["snapshot"] for e in rows].count("last") == 1
    connector.stop()
    assert "snapshot started" not in connector.start().wait_streaming().log_text()
    connector.stop()


def test_killed_while_it_reads_a_standby(pair):
    db, standby, connector = pair()
    there = standby.postgres.database()
    there.name = db.name
    with writing(db):
        assert kill_in_the_middle(there, connector, 8)
        connector.start().wait_streaming(90)
    assert "the snapshot goes on" in connector.log.read_text()
    whole(db, connector)
    connector.stop()


def test_a_standby_that_does_not_replay_is_waited_for(pair):
    db, standby, connector = pair(config={"walduct.stall.warn.ms": "1000"})
    standby.postgres.query("select pg_wal_replay_pause()")
    db.execute("update wide set v = 'late' where id < 100")
    connector.start().wait_log("the snapshot waits for the standby")
    connector.wait_log("no progress for .*: waiting for the standby .* to replay .*its replay is paused")
    assert not views_held(db)
    connector.stop()
    connector.start().wait_log("the snapshot waits for the standby")
    db.execute("delete from wide where id < 50")
    standby.postgres.query("select pg_wal_replay_resume()")
    connector.wait_log("the standby has replayed what the snapshot needs")
    connector.wait_streaming(60)
    whole(db, connector)
    connector.stop()


def test_a_conflict_with_recovery_is_told_and_gone_on_from(pair):
    db, standby, connector = pair(settings={"hot_standby_feedback": "off", "max_standby_streaming_delay": "0"})
    found(connector, "warning", "standby_ends_queries", "hot_standby_feedback = on")
    connector.start()
    wait_until(lambda: read_of_wide(connector), 30, "a part is read", interval_s=0.01)
    connector.process.send_signal(signal.SIGSTOP)
    db.execute("delete from wide where id > 50000")
    with db.connect(autocommit=True) as session:
        session.execute("vacuum wide")
    standby.wait_replayed()
    connector.process.send_signal(signal.SIGCONT)
    # A session that waits for its reader is ended without a word.
    connector.wait_log("retrying: .* reason=(recovery_conflict|connection_lost) .*hot_standby_feedback=on")
    connector.wait_log("the snapshot goes on")
    connector.wait_streaming(60)
    whole(db, connector)
    connector.stop()


def test_a_standby_that_is_promoted_in_the_middle_is_not_gone_on_with(pair):
    """Nor is it in silence that the primary is read: that is the operator's to say."""
    db, standby, connector = pair()
    there = standby.postgres.database()
    there.name = db.name
    assert kill_in_the_middle(there, connector, 1)
    standby.promote()
    db.execute("update wide set v = 'of the primary' where id < 100")
    assert connector.run_to_end() == 3
    assert connector.logged("reason=standby_is_primary")
    connector.config["walduct.snapshot.standby.hostname"] = connector.config["walduct.snapshot.standby.port"] = None
    connector.start().wait_log("the snapshot goes on")
    connector.wait_streaming(60)
    whole(db, connector)
    connector.stop()


def test_a_standby_of_another_primary_is_refused(pair):
    """Of one that was promoted while the server of the slot went on: what it has was never there."""
    db, promoted, connector = pair()
    promoted.promote()
    promoted.postgres.query("create table only_here (id int)")

    class Promoted:
        postgres, values = promoted.postgres, promoted.all_values
    follower = Standby(Promoted, free_ports(1)[0])
    try:
        connector.config["walduct.snapshot.standby.port"] = follower.postgres.port
        assert connector.run_to_end() == 3
        assert connector.logged("reason=standby_diverged")
        assert not db.slot(connector.slot)
    finally:
        follower.stop("immediate")


def test_a_standby_that_is_gone_is_tried_again(pair):
    db, standby, connector = pair()
    standby.stop("immediate")
    connector.start().wait_log("retrying: the standby of walduct.snapshot.standby.hostname: .*postgres_unreachable")
    assert not db.slot(connector.slot)
    standby.start()
    connector.wait_streaming(60)
    whole(db, connector)
    connector.stop()


def test_a_primary_is_refused(db, connectors):
    db.script("create table small (id int primary key)")
    connector = connectors(db, {"walduct.snapshot.standby.hostname": db.server.host, "walduct.snapshot.standby.port": db.server.port})
    found(connector, "error", "standby_is_primary", "or remove it")
    assert connector.run_to_end() == 3
    assert connector.logged(f"walduct.snapshot.standby.hostname: the server {db.server.host}:{db.server.port} is no standby")
    assert not db.slot(connector.slot)


def test_another_cluster_is_refused(db, databases, pg17, connectors):
    databases(pg17)  # so that the role is there
    db.script("create table small (id int primary key)")
    pg17.query(f'create database "{db.name}"')
    try:
        connector = connectors(db, {"walduct.snapshot.standby.hostname": pg17.host, "walduct.snapshot.standby.port": pg17.port})
        assert connector.run_to_end() == 3
        assert connector.logged("reason=standby_of_another_cluster")
    finally:
        pg17.query(f'drop database "{db.name}" with (force)')
