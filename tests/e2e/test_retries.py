"""errors.max.retries: what is done again and again is no progress."""
import pytest

from support.wait import wait_until

LIMITED = {"errors.max.retries": "3", "retriable.restart.connector.wait.ms": "1000", "snapshot.lock.timeout.ms": "500"}


@pytest.mark.parametrize("locked", [True, False], ids=["locked", "control"])
def test_FAIL_07_snapshot_that_begins_again(locked, private_servers, databases, connectors):
    """On a server of its own: no slot can be created while the lock is held."""
    db = databases(private_servers(postgres=15).postgres)
    db.script("create table a (id int primary key); insert into a select generate_series(1, 10);"
              "create table b (id int primary key); insert into b values (1)")
    connector = connectors(db, LIMITED, sink="file")
    if not locked:
        connector.start().wait_log(r"snapshot completed .*rows=11\b")
        connector.stop()
        return
    with db.connect(autocommit=False) as holder:
        holder.execute("lock table b in access exclusive mode")
        assert connector.run_to_end(timeout_s=60) == 1
        assert connector.log_text().count("retrying:") == 3
        holder.commit()
    assert connector.start().wait_log(r"snapshot completed .*rows=11\b")
    connector.stop()


@pytest.mark.parametrize("retries", [0, 2])
def test_FAIL_08_database_that_is_down(retries, db, connectors):
    config = {"database.port": "1", "errors.max.retries": str(retries), "retriable.restart.connector.wait.ms": "200"}
    connector = connectors(db, config, sink="file")
    assert connector.run_to_end(timeout_s=30) == 1
    assert connector.log_text().count("retrying:") == retries
    assert connector.logged(r"error .*stopped: .*reason=server_unreachable|error .*stopped: .*refused")


def test_what_is_stored_is_progress(db, connectors):
    """The control: a stream that is cut again and again, but gets on, goes on for ever."""
    db.script("create table a (id int primary key)")
    connector = connectors(db, {**LIMITED, "errors.max.retries": "1"}, sink="file").start().wait_streaming()
    for i in range(4):
        db.execute("insert into a values (%s)", i)
        connector.wait_events(i + 1)
        before = connector.log_text().count("streaming slot=")
        db.execute("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", connector.slot)
        wait_until(lambda: connector.log_text().count("streaming slot=") > before, 20, "reconnected")
    connector.stop()
