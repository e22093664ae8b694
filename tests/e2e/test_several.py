"""Several connectors in one process: each fails alone, the exit code is the worst."""
from support.offsets import read_offset
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text)"
POSITION_LOST = 4


def two(connectors, databases, server, **config):
    """Two connectors, of which the first one's process runs both; nothing is started."""
    dbs = [databases(server) for _ in range(2)]
    for db in dbs:
        db.script(TABLE)
    first, second = (connectors(db, config, sink="file", name=name) for db, name in zip(dbs, ("first", "second")))
    second.write_files()
    own = first.files()
    first.files = lambda: [*own, "-f", second.dir / "connector.json"]
    return dbs, first, second


def streaming(name):
    return rf"\[{name}\] streaming\b"


def lose_position(db, slot):
    """What the connector has not read is gone for good."""
    db.execute("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s", slot)

    wait_until(lambda: not db.slot(slot)["active"], 20, "the slot is free", interval_s=0.01)
    db.execute("select pg_drop_replication_slot(%s)", slot)


def rows(connector):
    return [e.id for e in connector.events()]


def test_CON_05_two_on_one_database(db, connectors):
    """Each with its own slot and publication: one sees all whatever becomes of the other."""
    db.script(TABLE)
    both = [connectors(db, {"slot.name": f"{db.name}_{n}", "publication.name": f"{db.name}_{n}", "topic.prefix": f"{db.name}_{n}"},
                       sink="file", name=f"c{n}").start().wait_streaming() for n in (1, 2)]
    db.execute("insert into items values (1)")
    for connector in both:
        connector.wait_events(1)
    both[0].kill()
    db.execute("insert into items values (2)")
    assert [e.id for e in both[1].wait_events(2)] == [1, 2]
    both[1].stop()
    both[0].start().wait_streaming()
    both[0].wait_events(lambda events: {e.id for e in events} == {1, 2})
    both[0].stop()


def test_one_fails_for_good_and_the_other_goes_on(databases, pg15, connectors):
    dbs, first, second = two(connectors, databases, pg15)
    first.start()
    for name in ("first", "second"):
        first.wait_log(streaming(name))
    for db in dbs:
        db.execute("insert into items values (1)")
    wait_until(lambda: rows(first) == [1] and rows(second) == [1], 20, "a row of each")
    offsets = first.dir / "offsets.dat"
    wait_until(lambda: (read_offset(offsets, "second", second.prefix) or {}).get("lsn_commit"), 20, "stored")
    lose_position(dbs[1], second.slot)
    first.wait_log(r"error +\[second\] stopped: .* exit=4")
    first.wait_log(r"a connector has failed; the others keep running failed=second running=1")
    for row in range(2, 6):
        dbs[0].execute("insert into items values (%s)", row)
        wait_until(lambda: rows(first)[-1] == row, 20, f"row {row} of the one that goes on")
        assert first.running()
    assert rows(second) == [1]
    assert first.terminate() == POSITION_LOST
    assert first.logged(r"\[first\] stopped position=")
    assert dbs[0].slot(first.slot)["active"] is False


def test_all_end_by_themselves_with_the_worst_exit_code(databases, pg15, connectors):
    dbs, first, second = two(connectors, databases, pg15)
    second.config["database.password"] = "wrong"
    second.write_files()
    dbs[0].execute("insert into items values (1)")
    assert first.run_to_end("--until-caught-up") == 3
    assert rows(first) == [1], "the other one reached its goal"
    assert first.logged(r"\[first\] goal reached")


def test_a_signal_stops_all_cleanly(databases, pg15, connectors):
    dbs, first, second = two(connectors, databases, pg15)
    first.start()
    for name in ("first", "second"):
        first.wait_log(streaming(name))
    for db in dbs:
        db.execute("insert into items values (1)")
    wait_until(lambda: rows(first) == [1] and rows(second) == [1], 20, "a row of each")
    first.stop()
    for db, connector in zip(dbs, (first, second)):
        assert read_offset(first.dir / "offsets.dat", connector.name, connector.prefix)["lsn_commit"]
        assert db.slot(connector.slot)["active"] is False
