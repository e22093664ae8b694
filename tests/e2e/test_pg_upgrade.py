"""A server that pg_upgrade has made of the one that the stored position is of: nothing is lost, and no row is read again. Others
with another system identifier go on being refused."""
import pytest

from support.cluster import Upgrade
from support.connector import database_properties
from support.serve import Worker
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text); insert into items values (1, 'a'), (2, 'b')"
TRUST = ("-o", "offset.mismatch.strategy=trust_slot")


def ids(events):
    return [(e.op, e.id) for e in events if e.op in ("r", "c", "u", "d")]


def confirmed(db):
    return db.value("select confirmed_flush_lsn::text from pg_replication_slots where slot_name = %s", db.name)


def wait_confirmed(*databases):
    """All that was written is confirmed: pg_upgrade takes no other slot. Nobody writes any more."""
    for db in databases:
        end = db.value("select pg_current_wal_lsn()::text")
        wait_until(lambda: db.value("select %s::pg_lsn <= confirmed_flush_lsn from pg_replication_slots where slot_name = %s",
                                    end, db.name), 30, f"{db.name} has confirmed everything")


def refused(connector, reason, *arguments):
    assert connector.run_to_end(*arguments) == 4, connector.log_text()[-2000:]
    assert reason in connector.log_text(), connector.log_text()[-2000:]
    return connector.log_text()


@pytest.fixture
def old(private_servers):
    return private_servers(postgres=17)


def test_an_upgraded_server_goes_on_from_where_the_old_one_ended(old, databases, connectors, broker, tmp_path):
    """Position in a file, in a topic, and of a connector of `walduct serve`."""
    in_file, in_topic, served = (databases(old.postgres) for _ in range(3))
    for db in (in_file, in_topic, served):
        db.script(TABLE)
    by_file = connectors(in_file).start()
    by_topic = connectors(in_topic, worker={"offset.storage.file.filename": None, "offset.storage.topic": f"{in_topic.name}-o"}).start()
    worker = Worker(tmp_path / "worker", broker, f"serve-{served.name}").start()
    by_serve = connectors(served)
    worker.create("orders", {k: v for k, v in by_serve.config.items() if v is not None})
    for one, db in ((by_file, in_file), (by_topic, in_topic), (by_serve, served)):
        wait_until(lambda: len(ids(one.events())) == 2, 60, "the snapshot")
        db.script("insert into items values (3, 'c'); delete from items where id = 1")
        wait_until(lambda: len(ids(one.events())) == 4, 60, "the stream")
    wait_confirmed(in_file, in_topic, served)
    by_file.stop()
    by_topic.stop()
    worker.stop()
    for db in (in_file, in_topic, served):
        db.close_session()
    old.do("stop-postgres")
    upgrade = Upgrade(old).initdb().run()
    upgrade.start()
    for db in (in_file, in_topic, served):
        db.script("insert into items values (4, 'd')")

    # Said by itself, and by doctor; no mode and no other strategy goes on or reads anything.
    for arguments in ((), ("-o", "snapshot.mode=when_needed"), ("-o", "offset.mismatch.strategy=trust_offset")):
        said = refused(by_file, "server_upgraded", *arguments)
    assert confirmed(in_file) in said and "trust_slot" in said, said
    doctor = by_topic.call("doctor", "--json")
    assert "server_upgraded" in doctor.stdout, doctor.stdout
    # One start with it; the next ones need it no more.
    for one, db in ((by_file, in_file), (by_topic, in_topic)):
        one.start(*TRUST).wait_events(lambda events: len(ids(events)) == 5)
        one.stop()
        db.script("insert into items values (5, 'e')")
        one.start().wait_events(lambda events: len(ids(events)) == 6)
        one.stop()
        assert ids(one.events()) == [("r", 1), ("r", 2), ("c", 3), ("d", 1), ("c", 4), ("c", 5)]
    worker.start()
    worker.wait_state("orders", "RUNNING/FAILED")
    trusting = {k: v for k, v in by_serve.config.items() if v is not None} | {"offset.mismatch.strategy": "trust_slot"}
    assert worker.ask("PUT", "/connectors/orders/config", trusting)[0] == 200
    wait_until(lambda: len(ids(by_serve.events())) == 5, 60, "the stream goes on")
    del trusting["offset.mismatch.strategy"]
    assert worker.ask("PUT", "/connectors/orders/config", trusting)[0] == 200
    served.script("insert into items values (5, 'e')")
    wait_until(lambda: len(ids(by_serve.events())) == 6, 60, "without it, too")
    assert ids(by_serve.events()) == [("r", 1), ("r", 2), ("c", 3), ("d", 1), ("c", 4), ("c", 5)]
    worker.stop()


def test_servers_that_are_not_the_upgraded_one_are_refused(old, private_servers, databases, connectors):
    """Refused by word of somebody, too: a slot made anew on the upgraded server, one that somebody has read or moved, and
    another server with a slot of that name. Control: the untouched slot of the same server, by `offsets set`."""
    db, other = databases(old.postgres), databases(private_servers(postgres=17).postgres)
    db.script(TABLE)
    made, read, moved, kept = (connectors(db, {"slot.name": f"{db.name}_{what}", "publication.name": db.name}, sink="file")
                               for what in ("made", "read", "moved", "kept"))
    for one in (made, read, moved, kept):
        one.start().wait_events(2)
    db.execute("insert into items values (3, 'x')")
    end = db.value("select pg_current_wal_lsn()::text")
    wait_until(lambda: db.value("select bool_and(confirmed_flush_lsn >= %s::pg_lsn) from pg_replication_slots", end), 30, "all")
    for one in (made, read, moved, kept):
        one.stop()

    # Another server, which has come further, and has a slot of that name.
    other.script(TABLE + "; create table filler (v text)")
    other.execute("insert into filler select repeat('x', 1000) from generate_series(1, 60000)")
    other.execute(f"create publication \"{db.name}\" for all tables")
    other.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", kept.slot)
    elsewhere = {**database_properties(other), "database.dbname": other.name}
    own, kept.config = kept.config, {**kept.config, **elsewhere}
    refused(kept, "system_mismatch")
    assert "not what pg_upgrade makes of that one" in refused(kept, "system_mismatch", *TRUST)
    kept.config = own
    other.execute("select pg_drop_replication_slot(%s)", kept.slot)

    db.close_session()
    old.do("stop-postgres")
    Upgrade(old).initdb().run().start()
    db.script("insert into items values (100, 'after')")
    wait_until(lambda: db.value("select now() > pg_postmaster_start_time() + interval '6 s'"), 30, "the server runs for a while")
    db.execute("select pg_drop_replication_slot(%s)", made.slot)
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", made.slot)
    db.execute("select count(*) from pg_logical_slot_get_binary_changes(%s, null, null, 'proto_version', '1', "
               "'publication_names', %s)", read.slot, db.name)
    db.execute("select pg_switch_wal()")
    db.script("insert into items values (101, 'after')")
    db.execute("select pg_replication_slot_advance(%s, pg_current_wal_lsn())", moved.slot)
    for one in (made, read, moved):
        refused(one, "system_mismatch")
        refused(one, "system_mismatch", *TRUST)
    slot = db.value("select confirmed_flush_lsn::text from pg_replication_slots where slot_name = %s", kept.slot)
    done = kept.call("offsets", "set", slot)
    assert done.returncode == 0 and "nothing is published again or left out" in done.stdout, (done.stdout, done.stderr)
    kept.start().wait_events(lambda events: {100, 101} <= {e.id for e in events if e.op == "c"})
    kept.stop()
