"""Another session holds the slot, or the server is a standby that is about to take over: the connector waits, says for whom,
and goes on by itself."""
import signal

import pytest

from support.cluster import Standby
from support.connector import database_properties
from support.postgres import Database
from support.servers import free_ports
from support.wait import wait_until
from test_failover import failover, ids  # noqa: F401 (a fixture)

TABLE = "create table items (id int primary key, v text)"


@pytest.mark.parametrize("end", ["paused", "stopped"])
def test_SLT_02_slot_in_use_outlasts_wal_sender_timeout(end, private_servers, databases, connectors):
    """E-49: the holder of the slot hangs: the server gives it up after wal_sender_timeout, and so long the successor tries, by
    default; it says who the holder is. The control: a holder that stops."""
    db = databases(private_servers(postgres=15, pg_set={"wal_sender_timeout": "45s"}).postgres)
    db.script(TABLE)
    old = connectors(db, name="old", sink="file").start().wait_streaming()
    pid = db.slot(old.slot)["active_pid"]
    new = connectors(db, name="new", sink="file")
    try:
        if end == "paused":
            old.process.send_signal(signal.SIGSTOP)
        new.config["snapshot.mode"] = "no_data"
        new.start()
        new.wait_log(rf"retrying: .*slot.* is (in use|read) by another process \(backend pid {pid}, application .*walduct old stream.*, "
                     r"client 127\.0\.0\.1")
        if end == "stopped":
            old.stop()
        new.wait_streaming(90)
    finally:
        old.process.send_signal(signal.SIGCONT)
    db.execute("insert into items values (1)")
    assert ids(new.wait_events(1)) == [1]
    new.stop()


@pytest.mark.parametrize("version", [17, 18])
def test_SLT_18_standby_is_waited_for(version, failover, connectors):  # noqa: F811
    """The configuration follows a failover before the standby is promoted: its copy of the slot cannot be read yet. The
    connector waits, says so each time, and nothing is created on the standby."""
    servers, db, standby, connector = failover(version)
    connector.stop()
    standby.sync_slots()
    db.execute("insert into items values (4)")
    standby.wait_replayed()
    before = connector.offset()
    connector.config.update(database_properties(Database(standby.postgres, db.name)))
    connector.config["snapshot.mode"] = "when_needed"
    connector.start()
    for times in (1, 2, 3):
        connector.wait_log("(?s)" + "waiting for promotion.* for=.*" * times, 40)
    assert not connector.logged("Specify another replication slot")
    servers.do("kill-postgres")
    db.close_session()
    standby.promote()
    connector.wait_streaming(40)
    after = Database(standby.postgres, db.name)
    after.execute("insert into items values (5)")
    assert ids(connector.wait_events(5)) == [1, 2, 3, 4, 5]
    assert before["walduct_timeline"] == 1
    connector.stop()
    after.close_session()


@pytest.mark.parametrize("attribute", ["primary", "read-write"])
def test_SLT_18_hosts_in_turn(attribute, failover, connectors):  # noqa: F811
    """database.hostname=a,b with target_session_attrs: the standby comes first and is passed over; after the failover the
    connector finds the new primary by itself."""
    servers, db, standby, connector = failover(17)
    connector.stop()
    connector.config.update({"database.hostname": "127.0.0.1,localhost",
                             "database.port": f"{standby.postgres.port},{db.server.port}",
                             "database.target_session_attrs": attribute, "retriable.restart.connector.wait.ms": "1000"})
    connector.start().wait_streaming()
    db.execute("insert into items values (4)")
    connector.wait_events(4)
    standby.sync_slots()
    standby.wait_replayed()
    servers.do("kill-postgres")
    db.close_session()
    connector.wait_log("waiting_for_promotion")
    standby.promote()
    after = Database(standby.postgres, db.name)
    wait_until(lambda: after.slot(connector.slot)["active"], 40, "the slot of the new primary is read")
    after.execute("insert into items values (5)")
    events = connector.wait_events(lambda events: 5 in ids(events), 40)
    assert sorted(set(ids(events))) == [1, 2, 3, 4, 5]
    connector.stop()
    after.close_session()


def test_standby_before_16_as_a_first_source(private_servers, databases, connectors):
    """The control: an old standby that no connector came to before is a mistake, not a failover."""
    servers = private_servers(postgres=15)
    db = databases(servers.postgres)
    db.script(TABLE)
    standby = Standby(servers, free_ports(1)[0])
    try:
        connector = connectors(db, sink="file")
        standby.wait_replayed()
        connector.config.update(database_properties(Database(standby.postgres, db.name)))
        assert connector.run_to_end() == 3
        assert connector.logged("reason=standby_not_supported")
    finally:
        standby.stop("immediate")
