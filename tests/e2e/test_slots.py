"""walduct.slots: the tables of one connector over several slots and publications."""
import json
import random
import threading

import pytest

from support.events import fold
from support.offsets import read_offset
from support.serve import Worker
from support.wait import wait_until

TABLES = ["t1", "t2", "t3", "t4", "t5", "t6"]
ROWS = 40


def create_tables(db, rows=3):
    for table in TABLES:
        db.script(f"create table {table} (id int primary key, v int not null); "
                  f"insert into {table} select i, 0 from generate_series(1, {rows}) i")


def spread(connectors, db, slots, **more):
    return connectors(db, {"walduct.slots": slots, "table.include.list": r"public\.t.*", **more})


def published_in(db, connector, slots):
    """The names of the tables of each publication."""
    return [{name for (name,) in db.execute("select c.relname from pg_publication_rel r join pg_publication p on p.oid = r.prpubid "
                                            "join pg_class c on c.oid = r.prrelid where p.pubname = %s", connector.publication + suffix)}
            for suffix in suffixes(slots)]


def suffixes(slots):
    return [""] + [f"_{number}" for number in range(2, slots + 1)]


def slots_of(db):
    return [name for (name,) in db.execute("select slot_name from pg_replication_slots where database = %s order by 1", db.name)]


def wait_all_stream(connector, slots):
    for suffix in suffixes(slots):
        connector.wait_log(rf"streaming slot={connector.slot}{suffix} ")
    return connector


def topics_equal_tables(db, connector, tables=TABLES):
    wanted = {table: dict(db.execute(f"select id, v from {table}")) for table in tables}

    def equal(events):
        return all(fold(events, f"{connector.prefix}.public.{table}") == wanted[table] for table in tables)
    return connector.wait_events(equal, 60, "topics that are as the tables")


def assert_order_per_key(events):
    """A row's `v` only grows; what a kill repeats begins at an earlier one and comes whole again."""
    last = {}
    for event in events:
        if event.value is None or event.op == "d":
            continue
        place, v = (event.topic, event.id), event.after["v"]
        assert place not in last or v <= last[place] + 1, f"{place}: {v} after {last[place]}"
        last[place] = v


class Writer(threading.Thread):
    """Updates of all tables in one transaction each, so that every slot sees parts of the same ones."""

    def __init__(self, db, seed):
        super().__init__(daemon=True)
        self.db, self.random, self.ended = db, random.Random(seed), threading.Event()
        self.transactions = 0

    def run(self):
        while not self.ended.wait(0.01):
            chosen = self.random.sample(TABLES, 3)
            key = self.random.randrange(1, 4)
            self.db.script("begin; " + "; ".join(f"update {table} set v = v + 1 where id = {key}" for table in sorted(chosen)) + "; commit")
            self.transactions += 1

    def stop(self):
        self.ended.set()
        self.join()


@pytest.mark.parametrize("slots", [2, 3])
def test_topics_are_the_tables_after_kills(databases, pg17, connectors, slots):
    db = databases(pg17)
    create_tables(db)
    connector = wait_all_stream(spread(connectors, db, slots).start(), slots)
    assert slots_of(db) == [db.name + suffix for suffix in suffixes(slots)]
    tables = published_in(db, connector, slots)
    assert all(tables) and sorted(sum(map(sorted, tables), [])) == TABLES, "each table in one publication"
    writer = Writer(db, slots)
    writer.start()
    choose = random.Random(slots)
    for _ in range(5):
        wait_until(lambda done=writer.transactions: writer.transactions > done + choose.randrange(5, 30), 30, "transactions")
        connector.kill()
        connector.start()
    writer.stop()
    wait_all_stream(connector, slots)
    events = topics_equal_tables(db, connector)
    assert_order_per_key(events)
    assert published_in(db, connector, slots) == tables, "tables stay where they are"
    for number in range(1, slots + 1):
        stored = read_offset(connector.offset_file, connector.name, db.name, number)
        assert stored["walduct_slots"] == slots, number
    connector.stop()


def test_a_clean_restart_repeats_nothing(each_pg, databases, connectors):
    db = databases(each_pg)
    create_tables(db, 1)
    # Each slot of a new offset topic finds it, or makes it.
    topic = {"offset.storage.file.filename": None, "offset.storage.topic": f"offsets-{db.name}", "offset.storage.replication.factor": "1"}
    connector = spread(connectors, db, 2)
    connector.worker.update(topic)
    wait_all_stream(connector.start(), 2)
    connector.wait_events(len(TABLES))
    for round_ in range(3):
        for table in TABLES:
            db.execute(f"insert into {table} values (%s, 0)", 10 + round_)
        connector.wait_events((round_ + 2) * len(TABLES))
        connector.stop()
        wait_all_stream(connector.start(), 2)
    events = topics_equal_tables(db, connector)
    assert len(events) == 4 * len(TABLES)
    connector.stop()


def test_one_slot_is_named_and_stored_as_ever(databases, pg17, connectors):
    db = databases(pg17)
    create_tables(db, 1)
    connector = spread(connectors, db, 1).start().wait_streaming()
    connector.wait_events(len(TABLES))
    connector.stop()
    assert slots_of(db) == [db.name] and "walduct_slots" not in connector.offset()


def test_tables_stay_renamed_or_pinned_otherwise_and_new_ones_come(databases, pg17, connectors):
    db = databases(pg17)
    create_tables(db, 1)
    connector = wait_all_stream(spread(connectors, db, 2, **{"walduct.slots.tables": r"public\.t[1-3]:1,public\.t[4-6]:2"}).start(), 2)
    connector.wait_events(len(TABLES))
    assert published_in(db, connector, 2) == [{"t1", "t2", "t3"}, {"t4", "t5", "t6"}]
    connector.stop()
    db.script("alter table t1 rename to t1b; create table t7 (id int primary key, v int not null); "
              "create table t8 (id int primary key, v int not null)")
    connector.config["walduct.slots.tables"] = r"public\.t[1-7].*:2,public\.t8:1"
    wait_all_stream(connector.start(), 2)
    assert published_in(db, connector, 2) == [{"t1b", "t2", "t3", "t8"}, {"t4", "t5", "t6", "t7"}]
    for table in ("t1b", "t7", "t8"):
        db.execute(f"insert into {table} values (5, 5)")
    connector.wait_events(len(TABLES) + 3)
    connector.stop()


def test_names_that_are_exchanged_lose_nothing(databases, pg17, connectors):
    """As a migration does that fills a new table beside the old one."""
    db = databases(pg17)
    db.script("create table t1 (id int primary key, v int not null); create table t2 (id int primary key, v int not null)")
    connector = wait_all_stream(spread(connectors, db, 2, **{"walduct.slots.tables": r"public\.t1:1,public\.t2:2"}).start(), 2)
    db.script("insert into t1 values (1, 1); insert into t2 values (1, 2)")
    connector.wait_events(2)
    db.script("begin; alter table t1 rename to t3; alter table t2 rename to t1; alter table t3 rename to t2; commit;"
              "insert into t1 values (2, 2); insert into t2 values (2, 1)")
    events = connector.wait_events(4)
    assert sorted((e.table, e.id, e.after["v"]) for e in events) == [("t1", 1, 1), ("t1", 2, 2), ("t2", 1, 2), ("t2", 2, 1)]
    connector.stop()
    wait_all_stream(connector.start(), 2)
    db.script("insert into t1 values (3, 2); insert into t2 values (3, 1)")
    assert sorted(e.table for e in connector.wait_events(6)) == ["t1"] * 3 + ["t2"] * 3
    connector.stop()


def test_a_slot_without_tables_waits_for_one(databases, pg17, connectors):
    db = databases(pg17)
    db.script("create table t1 (id int primary key, v int not null); insert into t1 values (1, 0)")
    connector = wait_all_stream(spread(connectors, db, 3, **{"walduct.slots.tables": r"public\.t1:1,public\.t2:2"}).start(), 3)
    connector.wait_events(1)
    doctor = connector.call("doctor")
    assert "error  " not in doctor.stdout and "no_tables_captured" not in doctor.stdout, doctor.stdout
    connector.stop()
    db.script("create table t2 (id int primary key, v int not null)")
    wait_all_stream(connector.start(), 3)
    assert published_in(db, connector, 3) == [{"t1"}, {"t2"}, set()]
    db.script("insert into t2 values (1, 0); update t1 set v = 1")
    topics_equal_tables(db, connector, ["t1", "t2"])
    connector.stop()


@pytest.mark.parametrize("via_root", [False, True])
def test_partitions_come_with_their_root(databases, pg17, connectors, via_root):
    db = databases(pg17)
    create_tables(db, 1)
    db.script("create table troot (id int primary key, v int not null) partition by range (id); "
              "create table tp1 partition of troot for values from (0) to (10); insert into troot values (1, 0)")
    connector = spread(connectors, db, 2, **{"publish.via.partition.root": via_root, "walduct.slots.tables": r"public\.troot:2,public\.tp.*:1"})
    wait_all_stream(connector.start(), 2)
    before = len(connector.wait_events(lambda events: any(e.id == 1 and "t" in e.table for e in events)))
    db.script("create table tp2 partition of troot for values from (10) to (20); insert into troot values (2, 0), (12, 0)")
    connector.wait_events(lambda events: len(events) >= before + 2)
    assert not published_in(db, connector, 2)[0] & {"troot", "tp1", "tp2"}
    connector.stop()
    wait_all_stream(connector.start(), 2)
    db.script("update troot set v = 1")
    events = connector.wait_events(lambda events: sum(e.op == "u" for e in events) >= 3)
    updated = sorted((e.table, e.id) for e in events if e.op == "u")
    assert updated == ([("troot", 1), ("troot", 2), ("troot", 12)] if via_root else [("tp1", 1), ("tp1", 2), ("tp2", 12)])
    connector.stop()


def test_what_cannot_be_meant_is_refused_at_the_start(databases, pg17, connectors):
    connector = spread(connectors, databases(pg17), 2, **{"provide.transaction.metadata": "true"})
    assert connector.run_to_end() == 2
    assert connector.logged(r"'provide.transaction.metadata': value 'true' cannot be used with walduct.slots=2: .*")


def test_logical_messages_and_heartbeats_come_once(databases, pg17, connectors):
    db = databases(pg17)
    create_tables(db, 1)
    connector = wait_all_stream(spread(connectors, db, 3, **{"heartbeat.interval.ms": "200"}).start(), 3)
    connector.wait_events(len(TABLES))
    db.execute("select pg_logical_emit_message(true, 'prefix', 'once')")
    db.script("; ".join(f"update {table} set v = 1" for table in TABLES))
    events = topics_equal_tables(db, connector)
    assert sum(e.topic.endswith(".message") for e in connector.wait_events(lambda all_: any(e.topic.endswith(".message") for e in all_))) == 1
    assert len([e for e in events if e.op in ("r", "u")]) == 2 * len(TABLES)
    connector.stop()


def test_slots_are_dropped_on_stop_where_that_is_asked_for(databases, pg17, connectors):
    db = databases(pg17)
    create_tables(db, 1)
    connector = wait_all_stream(spread(connectors, db, 3, **{"slot.drop.on.stop": "true"}).start(), 3)
    connector.stop()
    assert slots_of(db) == []


def test_tail_looks_through_all_publications(databases, pg17, connectors):
    db = databases(pg17)
    create_tables(db, 1)
    connector = wait_all_stream(spread(connectors, db, 2).start(), 2)
    connector.wait_events(len(TABLES))
    connector.stop()
    connector.start(command="tail").wait_streaming()
    db.script("; ".join(f"update {table} set v = 1" for table in TABLES))
    wait_until(lambda: all(f"public.{table}" in connector.out.read_text() for table in TABLES), 30, "a change of each table")
    connector.terminate()


def test_doctor_and_offsets_know_each_slot(databases, pg17, connectors):
    db = databases(pg17)
    create_tables(db, 1)
    connector = wait_all_stream(spread(connectors, db, 2).start(), 2)
    connector.wait_events(len(TABLES))
    connector.stop()
    doctor = connector.call("doctor")
    assert "0 errors" in doctor.stdout and f"{connector.name}/2\n" in doctor.stdout and "error  " not in doctor.stdout, doctor.stdout
    shown = connector.call("offsets", "show")
    assert shown.stdout.count('"walduct_slot":2}') == 1 and shown.stdout.count('"walduct_slots":2') == 2, shown.stdout
    at = db.slot(f"{connector.slot}_2")["confirmed_flush_lsn"]
    unnamed = connector.call("offsets", "set", at)
    assert unnamed.returncode == 2 and "--slot NUMBER, from 1 to 2" in unnamed.stderr, unnamed
    moved = connector.call("offsets", "set", at, "--slot", "2", "--accept-loss")
    assert moved.returncode == 0 and "slot 2: position was " in moved.stdout and f"is now {at}" in moved.stdout, moved
    before, after = (json.loads(text)["offsets"] for text in (shown.stdout, connector.call("offsets", "show").stdout))
    assert "walduct_slot" not in before[0]["partition"] and after[0] == before[0] and len(after) == 2, (before, after)
    reset = connector.call("offsets", "reset", "--accept-loss")
    assert reset.returncode == 0 and "slot 2: " in reset.stdout, (reset.stdout, reset.stderr)
    assert connector.call("offsets", "show").stdout == '{"offsets":[]}\n'


def test_rest_shows_and_commands_one_connector(databases, pg17, broker, tmp_path):
    db = databases(pg17)
    create_tables(db, 1)
    worker = Worker(tmp_path / "worker", broker, f"slots-{db.name}").start()
    try:
        from test_serve import config_of
        worker.create("spread", config_of(db, **{"walduct.slots": "2", "table.include.list": r"public\.t.*"}))
        worker.wait_state("spread", "RUNNING/RUNNING")

        def active():
            return db.execute("select count(*) from pg_replication_slots where database = %s and active", db.name)[0][0]
        wait_until(lambda: active() == 2, 30, "both slots are read")
        worker.ask("PUT", "/connectors/spread/pause")
        worker.wait_state("spread", "PAUSED/PAUSED")
        wait_until(lambda: active() == 0, 30, "both are released")
        worker.ask("PUT", "/connectors/spread/resume")
        worker.wait_state("spread", "RUNNING/RUNNING")
        wait_until(lambda: active() == 2, 30, "both are read again")
        worker.ask("PUT", "/connectors/spread/stop")
        worker.wait_state("spread", "STOPPED")
        wait_until(lambda: len(worker.get("/connectors/spread/offsets")["offsets"]) == 2, 30, "an offset of each")
        assert worker.ask("DELETE", "/connectors/spread/offsets")[0] == 200
        assert worker.get("/connectors/spread/offsets")["offsets"] == []
        worker.stop()
    finally:
        worker.kill()
