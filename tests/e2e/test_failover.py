"""A server that was promoted or restored to an older state: where its history left the stored position's behind, nothing goes
on in silence."""
import pytest

from support.cluster import Standby, go_back, save_state
from support.connector import database_properties
from support.postgres import Database, lsn
from support.servers import free_ports
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"


def ids(events, op="c"):
    return [e.id for e in events if e.op == op]


@pytest.fixture
def failover(private_servers, connectors, databases):
    """make(version): a primary, a standby that follows it, a connector with a failover slot that streams."""
    made = []

    def make(version, standby_settings=None, config=None, sink="file"):
        servers = private_servers(postgres=version)
        db = databases(servers.postgres)
        db.script(TABLE)
        standby = Standby(servers, free_ports(1)[0], settings=standby_settings)
        made.append((servers, standby))
        connector = connectors(db, {"slot.failover": "true", **(config or {})}, sink=sink).start().wait_streaming()
        db.execute("insert into items select generate_series(1, 3)")
        connector.wait_events(3)
        standby.sync_slots()
        return servers, db, standby, connector
    yield make
    for servers, standby in made:
        standby.stop("immediate")
        servers.do("start-postgres")  # what follows looks at the database of the test


def promoted(standby, db, connector):
    """The standby takes over; the connector's configuration follows it."""
    standby.promote()
    after = Database(standby.postgres, db.name)
    connector.config.update(database_properties(after))
    return after


def grow_past(db, position):
    """Writes until the server's WAL has grown past the position."""
    db.execute("create table if not exists filler (v text)")

    def grown():
        db.execute("insert into filler select repeat('x', 1000) from generate_series(1, 1000)")
        return lsn(db.value("select pg_current_wal_lsn()::text")) > position
    wait_until(grown, 30, "the WAL has grown past the position")


def lose_the_end(servers, db, standby, connector):
    """Rows are published that the standby never received; then the primary is gone."""
    standby.stop()
    db.execute("insert into items select generate_series(4, 9)")
    connector.wait_events(9)
    wait_until(lambda: (connector.offset() or {}).get("lsn_commit", 0) > 0, 10, "stored")
    connector.stop()
    servers.do("kill-postgres")
    db.close_session()
    standby.start()


@pytest.mark.parametrize("version", [17, 18])
def test_FAIL_18_promoted_behind_the_position(version, failover, connectors):
    """E-14: the fork lies before the stored position: exit code 4 with both positions, however often it is tried and however
    far the new primary has come; when_needed takes a snapshot, and every row of the new history arrives."""
    servers, db, standby, connector = failover(version)
    lose_the_end(servers, db, standby, connector)
    after = promoted(standby, db, connector)
    stored = connector.offset()["lsn_commit"]
    after.execute("insert into items select generate_series(101, 110)")
    for _ in range(2):
        assert connector.run_to_end() == 4, connector.log_text()[-2000:]
        assert connector.logged(r"error .*reason=position_diverged hint=.*when_needed.*synchronized_standby_slots")
        grow_past(after, stored)
    planned = connector.call("recover", "plan")
    assert planned.returncode == 4 and "is not in the history of this server" in planned.stderr and "Have I lost data" not in planned.stdout, planned
    fork = after.value("select pg_walfile_name(%s::pg_lsn)", "0/0")[:8]
    assert connector.logged(rf"timeline 1 .*timeline {int(fork, 16)}, which left timeline 1 at [0-9A-F]+/[0-9A-F]+")
    assert not set(range(101, 111)) & set(ids(connector.events()))
    connector.config["snapshot.mode"] = "when_needed"
    connector.start().wait_streaming()
    assert connector.logged("warning .*taking a new snapshot"), connector.log_text()
    after.execute("insert into items values (111)")
    events = connector.wait_events(lambda events: 111 in ids(events))
    assert set(range(101, 111)) <= set(ids(events, "r") + ids(events))
    connector.stop()
    after.close_session()


@pytest.mark.parametrize("version", [17, 18])
def test_FAIL_18_promoted_after_the_position(version, failover, connectors):
    """SLT-18, the control: the standby had received all that was published; the stream goes on without a gap."""
    servers, db, standby, connector = failover(version)
    connector.stop()
    standby.sync_slots()
    standby.wait_replayed()
    db.execute("insert into items values (4)")
    standby.wait_replayed()
    servers.do("kill-postgres")
    db.close_session()
    after = promoted(standby, db, connector)
    after.execute("insert into items values (5)")
    connector.start().wait_streaming()
    assert ids(connector.wait_events(5)) == [1, 2, 3, 4, 5]
    connector.stop()
    after.close_session()


def test_the_tables_are_read_where_a_failover_has_lost_the_slot(failover):
    """`recover read` goes from the position of one timeline to a slot of the next."""
    servers, db, standby, connector = failover(17, sink="kafka")
    connector.stop()
    db.execute("insert into items values (4)")
    standby.wait_replayed()
    servers.do("kill-postgres")
    db.close_session()
    after = promoted(standby, db, connector)
    after.drop_slot(connector.slot)
    after.execute("delete from items where id = 1")
    assert connector.start(command="recover read").wait_exit(60) == 0, connector.log_text()
    events = connector.wait_events(lambda events: 4 in ids(events, "r"))
    assert ids(events, "d") == [1] and ids(events, "r")[-1] == 4, events
    connector.start().wait_streaming()
    after.execute("insert into items values (5)")
    connector.wait_events(lambda events: 5 in ids(events))
    connector.stop()
    after.close_session()


@pytest.mark.parametrize("restored", [False, True], ids=["control", "restored"])
def test_RST_16_restored_server_is_not_waited_out(restored, private_servers, databases, connectors):
    """A server goes back to a copy of its disk, on the same timeline. A supervisor starts the connector again and again while
    the server is written to: it is refused also when the WAL has grown past the position."""
    servers = private_servers(postgres=15)
    db = databases(servers.postgres)
    db.script(TABLE)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.stop()
    db.close_session()
    save_state(servers)
    db.execute("create table filler (v text); insert into filler select repeat('x', 1000) from generate_series(1, 2000)")
    connector.start().wait_streaming()
    db.execute("insert into items values (2)")
    connector.wait_events(2)
    connector.stop()
    db.close_session()
    if restored:
        go_back(servers)
        assert connector.run_to_end() == 4, connector.log_text()[-2000:]
        assert connector.logged("reason=position_ahead")
    db.execute("insert into items values (3)")
    grow_past(db, connector.offset()["lsn_commit"])
    if restored:
        for _ in range(2):
            assert connector.run_to_end() == 4, connector.log_text()[-2000:]
            assert connector.logged("reason=position_ahead"), connector.log_text()[-2000:]
        connector.config["snapshot.mode"] = "when_needed"
    connector.start().wait_streaming()
    connector.wait_events(lambda events: 3 in ids(events) + ids(events, "r"))
    connector.stop()
