"""walduct.slots set to another number: tables go to other slots, without a snapshot, nothing is lost and keys keep their order."""
import random
import re
import threading
import time

import pytest

from support.offsets import read_map, read_offset
from support.postgres import CDC_ROLE
from support.serve import Worker
from support.wait import wait_until
from test_slots import assert_order_per_key, published_in, slots_of, spread, suffixes, topics_equal_tables, wait_all_stream

TABLES = [f"t{number}" for number in range(1, 9)]
UPDATED, CHURNED = range(1, 5), range(10, 30)
GROWING = [r"handing tables over to other slots ", r"creating replication slot ", r"replication slot created .*slot=\S*_2", r"replication slot created .*slot=\S*_3",
           r"table goes to another slot ", r"(table goes to another slot [^\n]*\n.*){3}", r"a slot reads what was written ", r"tables are handed over "]
SHRINKING = [r"handing tables over to other slots ", r"table goes to another slot ", r"(table goes to another slot [^\n]*\n.*){2}",
             r"a slot reads what was written ", r"goal reached", r"dropping a replication slot ", r"tables are handed over "]


def create_tables(db, tables=TABLES):
    for table in tables:
        db.script(f"create table {table} (id int primary key, v int not null); insert into {table} select i, 0 from generate_series(1, 4) i")


def ran_with(connectors, db, slots, **more):
    """A connector that has read the tables through so many slots, and was stopped."""
    create_tables(db)
    connector = wait_all_stream(spread(connectors, db, slots, **more).start(), slots)
    connector.wait_events(len(TABLES) * len(UPDATED))
    connector.stop()
    return connector


class Writers:
    """Several sessions at full speed: each updates a row of its own of some tables at a time, and inserts and deletes others."""

    def __init__(self, db, seed, tables=TABLES, pace_s=0.002):
        self.db, self.tables, self.pace_s, self.ended, self.transactions = db, tables, pace_s, threading.Event(), 0
        self.threads = [threading.Thread(target=self._run, args=(random.Random(seed * 10 + n), n), daemon=True) for n in UPDATED]
        for thread in self.threads:
            thread.start()

    def _run(self, choose, row):
        with self.db.connect() as connection:
            while not self.ended.wait(self.pace_s):
                chosen = sorted(choose.sample(self.tables, 3))
                with connection.transaction():
                    for table in chosen:
                        connection.execute(f"update {table} set v = v + 1 where id = {row}")
                        other = choose.choice(CHURNED) * 10 + row
                        if choose.random() < 0.5:
                            connection.execute(f"insert into {table} values ({other}, {self.transactions}) on conflict do nothing")
                        else:
                            connection.execute(f"delete from {table} where id = {other}")
                self.transactions += 1

    def wait_for(self, more):
        wait_until(lambda done=self.transactions: self.transactions >= done + more, 60, "transactions")

    def stop(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


def wait_log_closely(connector, pattern, timeout_s=60):
    """As soon as it is there; False: it ended, or got through without it."""
    deadline = time.monotonic() + timeout_s
    while connector.running() and time.monotonic() < deadline:
        if connector.logged(pattern):
            return True
        if connector.logged(r"tables are handed over ") or connector.logged(r"\bstreaming slot=\S+_\d "):
            return False
        if connector.config["walduct.slots"] == 1 and connector.logged(rf"\bstreaming slot={connector.slot} "):
            return False
        time.sleep(0.001)
    assert connector.running(), connector.log_text()[-3000:]
    return False


def kill_at_each(connector, patterns, choose, writers):
    """Kills at each step; how many of them were seen."""
    seen = 0
    for pattern in patterns:
        connector.start()
        seen += wait_log_closely(connector, pattern)
        time.sleep(choose.choice([0, 0, 0.003, 0.02, 0.1]))
        connector.kill()
        writers.wait_for(20)
    return seen


def assert_order(events):
    assert_order_per_key([event for event in events if event.id in UPDATED])


def stored_keys(connector):
    return sorted(key for key, value in read_map(connector.offset_file).items() if value is not None)


def assert_is_plain(connector, db, slots):
    """Slots, publications and positions are those of that number, as if there had been no other."""
    assert slots_of(db) == [db.name + suffix for suffix in suffixes(slots)]
    publications = [name for (name,) in db.execute("select pubname from pg_publication order by 1")]
    assert publications == [connector.publication + suffix for suffix in suffixes(slots)]
    tables = published_in(db, connector, slots)
    assert sorted(sum(map(sorted, tables), [])) == TABLES, "each table in one publication"
    for number in range(1, slots + 1):
        stored = read_offset(connector.offset_file, connector.name, db.name, number)
        assert stored.get("walduct_slots", 1) == slots and "walduct_handover" not in stored, (number, stored)
    assert len(stored_keys(connector)) == slots
    return tables


def test_any_number_after_any_other_with_kills_at_each_step(databases, each_pg, connectors):
    db, seed = databases(each_pg), each_pg.version
    create_tables(db)
    choose = random.Random(seed)
    connector = spread(connectors, db, 1).start().wait_streaming()
    connector.wait_events(len(TABLES) * len(UPDATED))
    writers = Writers(db, seed)
    steps = 0
    for slots, patterns in ((3, GROWING), (2, SHRINKING), (1, SHRINKING), (2, GROWING)):
        writers.wait_for(50)
        connector.kill()
        connector.config["walduct.slots"] = slots
        steps += kill_at_each(connector, patterns, choose, writers)
        wait_all_stream(connector.start(), slots)
        assert_is_plain(connector, db, slots)
    writers.wait_for(50)
    writers.stop()
    events = topics_equal_tables(db, connector, TABLES)
    assert_order(events)
    assert all(published_in(db, connector, 2)) and steps >= 4, steps
    connector.stop()


def test_a_clean_hand_over_repeats_and_reads_nothing(databases, each_pg, connectors):
    """Also with positions in a topic."""
    db = databases(each_pg)
    create_tables(db)
    topic = {"offset.storage.file.filename": None, "offset.storage.topic": f"offsets-{db.name}", "offset.storage.replication.factor": "1"}
    connector = spread(connectors, db, 1)
    connector.worker.update(topic)
    connector.start().wait_streaming()
    connector.wait_events(len(TABLES) * len(UPDATED))
    for round_, slots in enumerate((2, 3, 1)):
        connector.stop()
        db.script("; ".join(f"update {table} set v = v + 1" for table in TABLES))
        connector.config["walduct.slots"] = slots
        wait_all_stream(connector.start(), slots)
        db.script("; ".join(f"update {table} set v = v + 1" for table in TABLES))
        connector.wait_events((2 * round_ + 3) * len(TABLES) * len(UPDATED))
    assert sorted(sum(map(sorted, published_in(db, connector, 1)), [])) == TABLES
    connector.stop()
    events = topics_equal_tables_when_stopped(db, connector)
    assert len(events) == 7 * len(TABLES) * len(UPDATED) and not [e for e in events[32:] if e.op != "u"]
    assert_order(events)


def topics_equal_tables_when_stopped(db, connector):
    connector.start().wait_streaming()
    events = topics_equal_tables(db, connector, TABLES)
    connector.stop()
    return events


@pytest.mark.parametrize("before, after", [(1, 2), (3, 1)])
def test_a_transaction_around_the_moves_comes_once(databases, each_pg, connectors, before, after):
    """It writes to a table that stays before the moves, and to all that go after them."""
    db = databases(each_pg)
    create_tables(db)
    db.script("create table tz (id int primary key, v int not null)")
    # tz stays with the first slot, and t1, the first to go, is held until the transaction is open.
    pins = {"walduct.slots.tables": r"public\.tz:1" + (r",public\.t[1-4]:2,public\.t[5-8]:3" if before == 3 else "")}
    connector = wait_all_stream(spread(connectors, db, before, **pins).start(), before)
    connector.wait_events(len(TABLES) * len(UPDATED))
    connector.stop()
    connector.config.update({"walduct.slots": after, "walduct.slots.tables": r"public\.tz:1,public\.t\d:2" if after == 2 else None})
    with db.connect() as holder, db.connect() as writer:
        holder.execute("begin; lock table t1 in row exclusive mode")
        connector.start()
        connector.wait_log(r"waiting to hand a table over: .*t1.* cannot be locked .*: pid \d+ of ")
        writer.execute("begin")
        writer.execute("insert into tz values (1, 1)")
        holder.execute("commit")
        connector.wait_log(r"a slot reads what was written ")
        assert len(published_in(db, connector, max(before, after))[after - 1]) >= len(TABLES)
        for table in TABLES:
            writer.execute(f"update {table} set v = v + 1 where id = 1")
        db.script("; ".join(f"update {table} set v = v + 1 where id = 2" for table in TABLES))
        writer.execute("commit")
    wait_all_stream(connector, after)
    events = topics_equal_tables(db, connector, [*TABLES, "tz"])
    assert len([e for e in events if e.op == "u"]) == 2 * len(TABLES)
    assert len([e for e in events if e.table == "tz" and e.op == "c"]) == 1
    connector.stop()


def test_row_filters_and_partitions_go_with_their_tables(databases, each_pg, connectors):
    db = databases(each_pg)
    db.script("create table t1 (id int primary key, v int not null, w int); create table t2 (id int primary key, v int not null);"
              "create table r (id int primary key, v int not null) partition by range (id);"
              "create table p1 partition of r for values from (0) to (10); create table p2 partition of r for values from (10) to (20)")
    connector = connectors(db, {"walduct.slots": 1}).start().wait_streaming()
    connector.stop()
    db.script(f'alter publication "{connector.publication}" drop table t1; alter publication "{connector.publication}" add table t1 (id, v) where (v > 10)')
    for slots, pins in ((3, r"public\.t.:2,public\.r:3"), (2, r"public\.r:1,public\.t.:2"), (1, None)):
        connector.config.update({"walduct.slots": slots, "walduct.slots.tables": pins})
        wait_all_stream(connector.start(), slots)
        before = len(connector.events())
        key = slots
        db.script(f"insert into t1 values ({key}, 5, 1), ({key + 10}, 15, 1); insert into t2 values ({key}, 1); insert into r values ({key}, 1), ({key + 10}, 1)")
        events = connector.wait_events(before + 4)[before:]
        assert sorted((e.table, e.id) for e in events) == [("p1", key), ("p2", key + 10), ("t1", key + 10), ("t2", key)]
        assert [e.after for e in events if e.table == "t1"] == [{"id": key + 10, "v": 15}]
        connector.stop()
    filters = db.execute("select pg_get_expr(prqual, prrelid), prattrs::text from pg_publication_rel where prqual is not null")
    assert filters == [("(v > 10)", "1 2")]


def test_what_is_under_way_is_shown_and_takes_no_other_number(databases, pg17, connectors):
    db = databases(pg17)
    create_tables(db)
    connector = spread(connectors, db, 1).start().wait_streaming()
    connector.wait_events(len(TABLES) * len(UPDATED))
    connector.stop()
    connector.config["walduct.slots"] = 2
    doctor = connector.call("doctor")
    assert "the next start hands tables over to other slots" in doctor.stdout and "error  " not in doctor.stdout, doctor.stdout
    with db.connect() as holder:
        holder.execute("begin; " + "; ".join(f"lock table {table} in row exclusive mode" for table in TABLES))
        connector.start()
        connector.wait_log(r"waiting to hand a table over: .* cannot be locked .*pid \d+ of .*hint=.*for=0")
        connector.wait_log(r"/2\].* waiting for tables to be handed over")
        connector.kill()
        doctor = connector.call("doctor")
        assert "tables are on their way from 1 to 2 slots (1>2 moving)" in doctor.stdout and "error  " not in doctor.stdout, doctor.stdout
        shown = connector.call("offsets", "show").stdout
        assert '"walduct_handover":"1>2 moving"' in shown and shown.count('"walduct_slot":2}') == 1, shown
        refused = connector.call("offsets", "set", "0/1", "--accept-loss")
        assert refused.returncode != 0 and "tables are on their way" in refused.stderr + refused.stdout, (refused.stdout, refused.stderr)
        for number in (1, 3):
            connector.config["walduct.slots"] = number
            assert connector.run_to_end() == 3
            assert connector.logged(r"on their way from 1 slot to 2, and walduct.slots is now .* reason=slots_changed") and connector.logged("walduct.slots=2")
    connector.config["walduct.slots"] = 2
    wait_all_stream(connector.start(), 2)
    assert_is_plain(connector, db, 2)
    connector.stop()


def test_offsets_reset_forgets_a_hand_over(databases, pg17, connectors):
    """The first slot's position, which says how many there are, last."""
    db = databases(pg17)
    connector = ran_with(connectors, db, 3)
    connector.config["walduct.slots"] = 2
    seen, ended = [], threading.Event()

    def look():
        while not ended.is_set():
            keys = stored_keys(connector)
            if not seen or seen[-1] != keys:
                seen.append(keys)

    looker = threading.Thread(target=look, daemon=True)
    looker.start()
    try:
        reset = connector.call("offsets", "reset", "--accept-loss")
    finally:
        ended.set()
        looker.join()
    assert reset.returncode == 0 and re.findall(r"slot (\d): position was", reset.stdout) == ["1", "2", "3"], (reset.stdout, reset.stderr)
    assert stored_keys(connector) == []
    assert len(seen[0]) == 3 and all(not keys or any(b"walduct_slot" not in key for key in keys) for keys in seen), seen


def test_a_table_that_came_meanwhile_is_told_of(databases, pg17, connectors):
    """Those that only come from another slot are not new."""
    db = databases(pg17)
    connector = ran_with(connectors, db, 1)
    for table, slots, lane in (("t9", 2, "/2"), ("t0", 3, "/3"), ("ta", 1, "")):
        db.script(f"create table {table} (id int primary key, v int not null); insert into {table} values (1, 0)")
        connector.config.update({"walduct.slots": slots, "walduct.slots.tables": rf"public\.(t[5-7]|{table}):{slots}"})
        wait_all_stream(connector.start(), slots)
        connector.wait_log(rf"connector{lane}\] table is new to the connector: .*table=public\.{table}\b")
        assert not connector.logged(rf"table is new to the connector: .*table=public\.(?!{table}\b)"), connector.log_text()
        connector.stop()


def test_missing_rights_are_asked_for_before_anything_is_changed(databases, each_pg, connectors):
    """What the hint says to type is enough."""
    db = databases(each_pg)
    connector = ran_with(connectors, db, 1)
    owner = f"owner_{db.name}"
    db.script(f"create role {owner} nologin; alter table t1 owner to {owner}; alter table t2 owner to {owner}; alter table t3 owner to {each_pg.user};"
              f"alter publication {connector.publication} owner to {each_pg.user}; revoke create on database {db.name} from {CDC_ROLE}")
    connector.config.update({"walduct.slots": 2, "walduct.slots.tables": r"public\.t[1-4]:2,public\.t[5-8]:1"})
    stored = read_map(connector.offset_file)
    assert connector.run_to_end() == 3
    assert connector.logged(rf"nothing has been changed: it has no CREATE on the database; it does not own publication {connector.publication}; "
                            rf"it does not own 2 tables \(public.t1 …\) of {owner}; it does not own table public.t3 of {each_pg.user} "
                            r".*reason=publication_not_permitted hint=.*or set walduct.slots=1"), connector.log_text()
    assert slots_of(db) == [db.name] and db.publications() == [connector.publication] and read_map(connector.offset_file) == stored
    db.script(re.search(r'hint="have a superuser run: (.*?); then start again', connector.log_text()).group(1))
    wait_all_stream(connector.start(), 2)
    assert published_in(db, connector, 2)[1] == {"t1", "t2", "t3", "t4"}
    connector.stop()


def test_an_autovacuum_yields_to_a_hand_over(private_servers, databases, connectors):
    """It yields to nobody who waits shorter than deadlock_timeout, and this one would go on for minutes."""
    db = databases(private_servers(postgres=17, pg_set={"autovacuum_naptime": "1s"}).postgres)
    db.script("create table t1 (id int primary key, v text) with (autovacuum_enabled = off, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1,"
              "autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, toast.autovacuum_enabled = off);"
              "create table t2 (id int primary key, v text); insert into t1 select i, repeat('x', 1000) from generate_series(1, 20000) i")
    connector = spread(connectors, db, 1, **{"snapshot.mode": "no_data"}).start().wait_streaming()
    connector.stop()
    db.script("delete from t1 where id > 100; alter table t1 set (autovacuum_enabled = on)")
    connector.config.update({"walduct.slots": 2, "walduct.slots.tables": r"public\.t1:2,public\.t2:1"})
    holds = "select count(*) from pg_locks l join pg_stat_activity a using (pid) where l.relation = 't1'::regclass and a.backend_type = 'autovacuum worker'"
    wait_until(lambda: db.value(holds) > 0, 60, "an autovacuum of the table")
    connector.start()
    connector.wait_log(r"waiting to hand a table over: .*t1.* cannot be locked .*: pid \d+ \(autovacuum worker")
    connector.wait_log(r"tables are handed over ", 30)
    wait_all_stream(connector, 2)
    connector.stop()


def test_what_cannot_be_handed_over_is_refused_and_harms_nothing(databases, pg17, connectors):
    db = databases(pg17)
    connector = ran_with(connectors, db, 2)
    tables = published_in(db, connector, 2)

    def refused(number, why, **more):
        connector.config.update({"walduct.slots": number, **more})
        assert connector.run_to_end() == 3
        assert connector.logged(rf"spread over 2 slots, and walduct.slots is now {number}; they cannot be handed over: .*{why}.* reason=slots_changed")
        assert connector.logged("walduct.slots=2")
        connector.config.update({key: None for key in more})
    refused(1, "provide.transaction.metadata", **{"provide.transaction.metadata": "true"})
    refused(3, "snapshot.mode streams nothing", **{"snapshot.mode": "initial_only"})
    db.execute(f"select pg_create_logical_replication_slot('{db.name}_3', 'pgoutput')")
    refused(3, "a slot .*_3 is there already")
    db.execute(f"select pg_drop_replication_slot('{db.name}_3')")
    assert published_in(db, connector, 2) == tables and slots_of(db) == [db.name, db.name + "_2"]
    connector.config["walduct.slots"] = 2
    wait_all_stream(connector.start(), 2)
    db.script("; ".join(f"update {table} set v = 7" for table in TABLES))
    events = topics_equal_tables(db, connector, TABLES)
    assert len(events) == 2 * len(TABLES) * len(UPDATED), "nothing was lost, nothing repeated"
    connector.stop()


def test_a_publication_for_all_tables_becomes_one_of_tables_first(databases, each_pg, connectors):
    db = databases(each_pg)
    create_tables(db)
    connector = spread(connectors, db, 1, **{"publication.autocreate.mode": "all_tables"}).start().wait_streaming()
    connector.wait_events(len(TABLES) * len(UPDATED))
    connector.stop()
    connector.config.update({"walduct.slots": 2, "publication.autocreate.mode": "filtered"})
    assert connector.run_to_end() == 3
    assert connector.logged("reason=publication_for_all_tables")
    update = "; ".join(f"update {table} set v = v + 1" for table in TABLES)
    db.script(f"""{update}; begin; drop publication "{connector.publication}";
                  create publication "{connector.publication}" for table {", ".join(TABLES)}; commit; {update}""")
    wait_all_stream(connector.start(), 2)
    db.script(update)
    events = topics_equal_tables(db, connector, TABLES)
    assert len(events) == 4 * len(TABLES) * len(UPDATED), "nothing twice"
    connector.stop()


def test_a_stop_in_the_middle_is_clean(databases, pg17, connectors):
    db = databases(pg17)
    connector = ran_with(connectors, db, 3)
    connector.config["walduct.slots"] = 2
    with db.connect() as holder:
        holder.execute("begin; " + "; ".join(f"lock table {table} in row exclusive mode" for table in TABLES))
        connector.start()
        connector.wait_log("waiting to hand a table over")
        connector.stop()
    wait_all_stream(connector.start(), 2)
    assert_is_plain(connector, db, 2)
    connector.stop()


def test_a_worker_hands_over_when_its_configuration_is_put(databases, pg17, broker, tmp_path):
    from test_serve import config_of
    db = databases(pg17)
    create_tables(db)
    worker = Worker(tmp_path / "worker", broker, f"handover-{db.name}").start()
    try:
        config = config_of(db, **{"walduct.slots": "2", "table.include.list": r"public\.t.*"})
        worker.create("spread", config)
        worker.wait_state("spread", "RUNNING/RUNNING")

        def stored(slots):
            offsets = [one["offset"] for one in worker.get("/connectors/spread/offsets")["offsets"]]
            return len(offsets) == slots and all(offset.get("snapshot_completed", True) for offset in offsets)
        wait_until(lambda: stored(2), 60, "the snapshot of each")
        for slots in (3, 1):
            status, answer = worker.ask("PUT", "/connectors/spread/config", {**config, "walduct.slots": str(slots)})
            assert status == 200, answer
            wait_until(lambda wanted=slots: len(slots_of(db)) == wanted, 60, "slots")
            worker.wait_state("spread", "RUNNING/RUNNING")
            wait_until(lambda wanted=slots: db.execute("select count(*) from pg_replication_slots where database = %s and active", db.name)[0][0] == wanted,
                       60, "all are read")
        offsets = worker.get("/connectors/spread/offsets")["offsets"]
        assert len(offsets) == 1 and "walduct_slots" not in offsets[0]["offset"] and "walduct_handover" not in offsets[0]["offset"], offsets
        assert "all snapshot tables read" not in worker.log_text().partition("handing tables over")[2], "no row is read again"
    finally:
        worker.stop()
