"""Transactions received while they are in progress (walduct.transaction.streaming): the same bytes as without, for other
transactions do not wait, and nothing stays behind."""
import os
import random
import re
import threading
import time

import pytest

from support.wait import wait_until

ITEMS = "create table items (id int primary key, v text)"
METADATA = {"provide.transaction.metadata": "true"}
SMALL = "alter database {} set logical_decoding_work_mem = '64kB'"
AT_ONCE = "alter database {} set debug_logical_replication_streaming = 'immediate'"
BIG_ROWS = int(os.environ.get("E2E_BIG_ROWS", "200000"))
BIG = "insert into items select g, repeat('x', 200) from generate_series({}, {}) g"


@pytest.fixture
def streaming(connectors, tmp_path):
    """Makes connectors that receive transactions in progress, one spill directory for all."""
    directory = tmp_path / "spill"
    directory.mkdir()

    def make(db, config=None, *arguments, **named):
        return connectors(db, {"walduct.transaction.streaming": "true", "walduct.transaction.spill.directory": str(directory),
                               **(config or {})}, *arguments, **named)
    make.directory = directory
    return make


def pair(db, connectors, streaming, config=None):
    """Two connectors that differ in how they receive, and in nothing that a record shows."""
    config = {**METADATA, **(config or {})}
    plain = connectors(db, config, sink="file", name="plain")
    streamed = streaming(db, {**config, "slot.name": db.name + "_s"}, sink="file", name="streamed")
    return plain.start().wait_streaming(), streamed.start().wait_streaming()


def normal(event):
    """A record without what differs from run to run: when it was made, the connector's run."""
    value = event.value and re.sub(r'("op":"[a-z]"|"id":"[^"]*"),"ts_ms":\d+(,"ts_us":\d+,"ts_ns":\d+)?', r"\1", str(event.value))
    return event.topic, event.key, value


def tail(path):
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - 5000))
        return file.read()


def ids(events, table="items"):
    return [e.id for e in events if e.table == table]


def until_id(wanted, table="items"):
    return lambda events: any(e.table == table and e.id == wanted for e in events)


def assert_same(plain, streamed, last):
    """The last record of both is the insert of this id."""
    sign = b'{\\"id\\":%d}' % last
    for one in (plain, streamed):
        wait_until(lambda one=one: one.running() and sign in tail(one.dir / "records.jsonl"), 60, f"the last record of {one.name}")
    expected, got = ([normal(e) for e in one.events()] for one in (plain, streamed))
    for number, (a, b) in enumerate(zip(expected, got)):
        assert a == b, f"record {number}"
    assert len(expected) == len(got)
    return expected


def streamed_transactions(db, connector):
    return db.value("select stream_txns from pg_stat_replication_slots where slot_name = %s", connector.slot)


def kept_bytes(connector, directory):
    """What the process keeps in files of the directory that have no name."""
    total = 0
    for fd in os.listdir(f"/proc/{connector.process.pid}/fd"):
        path = f"/proc/{connector.process.pid}/fd/{fd}"
        try:
            if os.readlink(path).startswith(str(directory)):
                total += os.stat(path).st_size
        except FileNotFoundError:
            pass
    return total


# --- the same bytes ---

class Play:
    """Random statements of several sessions, from a seed."""

    def __init__(self, db, seed, sizes):
        self.db, self.random, self.next_id, self.sizes = db, random.Random(seed), 1, sizes
        db.script("""create table items (id int primary key, v text); create table notes (id int primary key, body text, mood text);
                     create type mood as enum ('sad', 'ok'); create table other (id bigserial primary key, m mood, n numeric(10,2));
                     alter table notes replica identity full; alter table notes alter body set storage external""")

    def rows(self):
        count = self.random.choice(self.sizes)
        first, self.next_id = self.next_id, self.next_id + count
        return first, first + count - 1

    def statement(self, session):
        roll = self.random.randrange(12)
        if roll < 5:
            session.execute(BIG.format(*self.rows()))
        elif roll == 5:
            first, last = self.rows()
            session.execute(f"insert into notes select g, repeat(g::text, {self.random.choice((1, 900))}), 'm' from generate_series({first}, {last}) g")
        elif roll == 6:
            session.execute("insert into other (m, n) select 'ok', g from generate_series(1, 60) g")
        elif roll == 7:
            session.execute("select pg_logical_emit_message(false, 'p', %s)", (f"at {self.next_id}",))
        elif roll == 8:
            self.next_id += 1
            session.execute("create temp table if not exists mine (id int); create table extra_%s (id int); drop table extra_%s"
                            % ((self.next_id,) * 2))
        elif roll == 9:
            session.execute("update items set v = 'u' where id in (select id from items where xmin = pg_current_xact_id()::xid "
                            "order by id limit 50)")
        elif roll == 10:
            session.execute("insert into items values (%s, 'gone'); delete from items where id = %s" % ((-self.next_id,) * 2))
            self.next_id += 1
        else:
            session.execute("update notes set mood = 'n' where id in (select id from notes where xmin = pg_current_xact_id()::xid limit 20)")

    def savepoints(self, session, depth=0):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(session)
            if depth < 3 and self.random.random() < 0.5:
                name = f"s{depth}"
                session.execute(f"savepoint {name}")
                self.savepoints(session, depth + 1)
                session.execute(f"{'rollback to' if self.random.random() < 0.4 else 'release'} {name}")

    def run(self, transactions):
        open_ = []
        for _ in range(transactions):
            session = self.db.connect(autocommit=False)
            session.execute("set lock_timeout = '20s'")
            open_.append(session)
            for one in self.random.sample(open_, len(open_)):
                self.savepoints(one)
            while len(open_) > self.random.randrange(4):
                self.end(open_.pop(self.random.randrange(len(open_))))
        for one in open_:
            self.end(one)

    def end(self, session):
        session.commit() if self.random.random() < 0.7 else session.rollback()
        session.close()


@pytest.mark.parametrize("at_once", [False, True], ids=["small", "at_once"])
def test_str02_same_bytes(at_once, databases, each_pg, connectors, streaming):
    """STR-02, STR-03, STR-04, STR-05, STR-06: whatever commits or is rolled back, in whatever order."""
    db = databases(each_pg)
    if at_once and int(db.value("show server_version_num")) < 160000:
        pytest.skip("needs debug_logical_replication_streaming")
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (E2E_SEED={seed} repeats it)")
    db.execute((AT_ONCE if at_once else SMALL).format(db.name))
    play = Play(db, seed, (1, 3, 40) if at_once else (1, 3, 400, 1200))
    plain, streamed = pair(db, connectors, streaming)
    db.execute("insert into items values (0, 'begin')")  # the time of messages before it would be that of the start
    play.run(8 if at_once else 20)
    end = int(db.value("select pg_current_wal_lsn() - '0/0'::pg_lsn"))
    db.execute("insert into items values (1000000000, 'end')")
    assert_same(plain, streamed, 1000000000)
    assert streamed_transactions(db, streamed) > 5 and streamed_transactions(db, plain) == 0
    plain.stop()
    streamed.stop()
    assert min(connector.offset()["lsn"] for connector in (plain, streamed)) >= end, "at the end; other databases move it on"
    assert os.listdir(streaming.directory) == []


def test_str03_rollbacks_inside(db, connectors, streaming):
    """STR-03, STR-04: savepoints rolled back before and after they were sent, nested, in a row; a whole transaction."""
    db.script(ITEMS + "; create table u (id int primary key)")
    db.execute(SMALL.format(db.name))
    plain, streamed = pair(db, connectors, streaming)
    with db.transaction() as a:
        a.execute(BIG.format(1, 900))
        a.execute("savepoint one")
        a.execute(BIG.format(1001, 1900))
        a.execute("insert into u values (1)")  # the first mention of u is rolled back
        a.execute("savepoint two")
        a.execute(BIG.format(2001, 2900))
        a.execute("release two")
        a.execute("rollback to one")
        a.execute("insert into u values (2)")
        a.execute("savepoint three")
        a.execute(BIG.format(3001, 3900))
        a.execute("release three")
        a.commit()
    with db.transaction() as b:
        b.execute(BIG.format(5001, 6900))
        b.rollback()
    with db.transaction() as c:  # nothing of it is left: no BEGIN, no END
        c.execute("savepoint all_of_it")
        c.execute(BIG.format(7001, 7900))
        c.execute("rollback to all_of_it")
        c.commit()
    db.execute("insert into u values (3)")
    db.execute("insert into items values (10000, 'end')")
    assert_same(plain, streamed, 10000)
    assert ids(streamed.events()) == [*range(1, 901), *range(3001, 3901), 10000]
    assert ids(streamed.events(), "u") == [2, 3]
    assert streamed_transactions(db, streamed) == 3 and kept_bytes(streamed, streaming.directory) == 0


def test_str06_definitions(databases, each_pg, connectors, streaming):
    """STR-06: tables altered inside the transaction."""
    db = databases(each_pg)
    db.script(ITEMS + "; create table later (id int primary key)")
    db.execute(SMALL.format(db.name))
    plain, streamed = pair(db, connectors, streaming)
    with db.transaction() as a:
        a.execute(BIG.format(1, 600))
        a.execute("alter table items add column w int default 7")
        a.execute("insert into items select g, 'x', g from generate_series(1001, 1600) g")
        a.execute("savepoint s")
        a.execute("alter table items add column lost int")
        a.execute("insert into items select g, 'x', g, g from generate_series(7001, 7600) g")
        a.execute("rollback to s")
        a.execute("alter table items drop column v")
        a.execute("insert into items select g, g from generate_series(2001, 2600) g")
        wait_until(lambda: kept_bytes(streamed, streaming.directory) > 0, 20, "the transaction comes")
        db.execute("alter table later add column x int")
        db.execute("insert into later values (1, 1)")
        a.execute("insert into later values (2, 2)")
        a.commit()
    db.execute("insert into later values (3, 3)")
    db.execute("insert into items values (10000, 1)")
    assert_same(plain, streamed, 10000)
    assert streamed_transactions(db, streamed) == 1


def test_str06_what_takes_no_lock(databases, each_pg, streaming):
    """STR-06: the publication's column list and the schema's name change beside an open transaction, whose rows are described
    as they were; later rows as the server described them last, though that came before the commit."""
    db = databases(each_pg)
    db.script(ITEMS + "; create table wide (id int primary key, a text, b text); create schema s; create table s.t (id int primary key)")
    db.execute(SMALL.format(db.name))
    db.execute(f"create publication {db.name} for table items, wide (id, a), s.t")
    connector = streaming(db, {"schema.include.list": None, "publication.autocreate.mode": "disabled"}, sink="file").start().wait_streaming()
    with db.transaction() as a:
        a.execute("insert into wide select g, 'a', 'b' from generate_series(1, 900) g")
        a.execute("insert into s.t values (1)")
        a.execute(BIG.format(1, 900))
        wait_until(lambda: kept_bytes(connector, streaming.directory) > 0, 20, "the transaction comes")
        db.execute(f"alter publication {db.name} set table items, wide, s.t")
        db.execute("alter schema s rename to r")
        db.execute("insert into wide values (9001, 'a', 'b')")
        db.execute("insert into r.t values (2)")
        connector.wait_events(until_id(2, "t"))
        a.commit()
    db.execute("insert into wide values (9002, 'a', 'b')")
    db.execute("insert into r.t values (3)")
    events = connector.wait_events(until_id(3, "t"))
    wide = {e.id: set(e.after) for e in events if e.table == "wide"}
    assert len(wide) == 902 and wide[9001] == wide[9002] == {"id", "a", "b"} and wide[1] == wide[900] == {"id", "a"}
    assert [(e.source["schema"], e.id) for e in events if e.table == "t"] == [("r", 2), ("s", 1), ("r", 3)]
    assert streamed_transactions(db, connector) == 1


def test_str03_unclear_messages(db, connectors, streaming):
    """A server does not say to which savepoint a message belongs: the transaction is received again."""
    db.execute(ITEMS)
    db.execute(SMALL.format(db.name))
    connector = streaming(db, METADATA, sink="file").start().wait_streaming()
    db.execute("insert into items values (0, 'begin')")
    with db.transaction() as a:
        a.execute(BIG.format(1, 900))
        a.execute("select pg_logical_emit_message(true, 'counts', '')")
        a.execute("savepoint s")
        a.execute("select pg_logical_emit_message(true, 'rolled_back', '')")
        a.execute(BIG.format(1001, 1900))
        a.execute("rollback to s")
        a.commit()
    with db.transaction() as b:
        b.execute(BIG.format(2001, 2900))
        b.commit()
    connector.wait_log("received again")
    connector.wait_log("logical_messages_clear")
    events = connector.wait_events(until_id(2900))
    assert ids(events) == [0, *range(1, 901), *range(2001, 2901)]
    assert [e.key_json["prefix"] for e in events if e.table == "message"] == ["counts"]
    before = streamed_transactions(db, connector)
    with db.transaction() as c:
        c.execute(BIG.format(3001, 3900))
        c.commit()
    connector.wait_events(until_id(3900))
    wait_until(lambda: streamed_transactions(db, connector) > before, 20, "transactions in progress are received again")


@pytest.mark.parametrize("version", [15, 17, 18])
def test_tpc01_tpc02_prepared(version, private_servers, databases, connectors, streaming):
    """TPC-01, TPC-02: prepared transactions come at COMMIT PREPARED, in its place. TPC-04: a slot for two-phase decoding is refused."""
    db = databases(private_servers(postgres=version, pg_set={"max_prepared_transactions": "4"}).postgres)
    db.execute(ITEMS)
    db.execute(SMALL.format(db.name))
    plain, streamed = pair(db, connectors, streaming)
    db.execute("select pg_create_logical_replication_slot(%s, 'pgoutput', false, true)", db.name + "_t")
    db.execute("insert into items values (0, 'begin')")
    for first, gid in ((1, "kept"), (1001, "dropped")):
        with db.transaction() as session:
            session.execute(BIG.format(first, first + 899))
            session.execute("savepoint s")
            session.execute(BIG.format(first + 50000, first + 50899))
            session.execute("rollback to s")
            session.execute(f"prepare transaction '{gid}'")
    db.execute("insert into items values (5000, 'between')")
    db.execute("rollback prepared 'dropped'")
    db.execute("commit prepared 'kept'")
    db.execute("insert into items values (10000, 'end')")
    assert_same(plain, streamed, 10000)
    assert ids(streamed.events()) == [0, 5000, *range(1, 901), 10000]
    assert streamed_transactions(db, streamed) > 0
    two_phase = streaming(db, {"slot.name": db.name + "_t", "snapshot.mode": "no_data", "offset.mismatch.strategy": "trust_slot"},
                          sink="file", name="two_phase")
    assert two_phase.run_to_end() == 3
    assert two_phase.logged("reason=two_phase"), two_phase.log_text()


# --- what goes on meanwhile, and what is left behind ---

def test_str05_others_flow_and_kills_cost_nothing(databases, each_pg, connectors, streaming):
    """Rows of others arrive while a transaction is open; kill -9 in its middle: it comes whole, once, and no file is left."""
    db = databases(each_pg)
    db.execute(ITEMS)
    db.execute(SMALL.format(db.name))
    connector = streaming(db, METADATA, sink="file").start().wait_streaming()
    with db.transaction() as big:
        big.execute(BIG.format(1, 20000))
        wait_until(lambda: kept_bytes(connector, streaming.directory) > 30_000, 20, "the transaction comes")
        db.execute("insert into items values (100001, 'other')")
        assert ids(connector.wait_events(until_id(100001))) == [100001]
        wait_until(lambda: db.value("select confirmed_flush_lsn > pg_current_wal_lsn() - 10000 from pg_replication_slots where slot_name = %s",
                                    connector.slot), 20, "the confirmed position passes what is kept")
        connector.kill()
        assert os.listdir(streaming.directory) == []
        connector.start()
        big.execute(BIG.format(20001, 30000))
        wait_until(lambda: connector.running() and kept_bytes(connector, streaming.directory) > 50_000, 20, "it comes again, from its beginning")
        big.commit()
    db.execute("insert into items values (100002, 'end')")
    assert ids(connector.wait_events(until_id(100002))) == [100001, *range(1, 30001), 100002]
    assert kept_bytes(connector, streaming.directory) == 0
    connector.stop()


def test_str05_kill_while_it_is_handed_over(db, connectors, streaming):
    """As TXN-03 for a transaction from disk: each row keeps its number, the end counts all."""
    db.execute(ITEMS)
    db.execute(SMALL.format(db.name))
    connector = streaming(db, METADATA, {"offset.flush.interval.ms": "20"}, sink="file").start().wait_streaming()
    db.execute("insert into items select g, repeat('x', 300) from generate_series(1, 60000) g")
    wait_until(lambda: connector.offset() and connector.offset().get("walduct_ordinal", 0) > 0, 30, "a position inside", interval_s=0.002)
    connector.kill()
    db.execute("insert into items values (100000, 'end')")
    connector.start()
    events = connector.wait_events(until_id(100000), 60)
    numbers = {(e.id, e.envelope["transaction"]["total_order"]) for e in events if e.table == "items" and e.id <= 60000}
    assert numbers == {(i, i) for i in range(1, 60001)}
    ends = [e.envelope for e in events if e.topic.endswith(".transaction") and e.envelope["status"] == "END"]
    assert ends[0]["event_count"] == 60000
    assert streamed_transactions(db, connector) > 0


def test_str10_limit(db, connectors, streaming):
    """The limit stops it, with what to type; with more room it goes on, and nothing is lost."""
    db.execute(ITEMS)
    db.execute(SMALL.format(db.name))
    connector = streaming(db, {"walduct.transaction.spill.max.bytes": "100000"}, sink="file").start().wait_streaming()
    db.execute("insert into items select g, md5(g::text) || md5((g + 1)::text) from generate_series(1, 20000) g")
    assert connector.wait_exit(30) == 3
    assert re.search(r"stopped: 1 transactions in progress take \d+ bytes on disk, and the limit is 100000 reason=spill_full .*"
                     r"raise walduct.transaction.spill.max.bytes, or set walduct.transaction.streaming=false", connector.log_text())
    assert os.listdir(streaming.directory) == []
    connector.config["walduct.transaction.spill.max.bytes"] = "100000000"
    connector.start()
    assert ids(connector.wait_events(until_id(20000))) == list(range(1, 20001))
    connector.stop()


def test_bad_directories(db, connectors, tmp_path):
    db.execute(ITEMS)
    connector = connectors(db, {"walduct.transaction.streaming": "true"}, sink="file")
    assert connector.run_to_end() == 2
    assert "walduct.transaction.spill.directory" in connector.log_text()
    connector.config["walduct.transaction.spill.directory"] = str(tmp_path / "none")
    assert connector.run_to_end() == 3
    assert connector.logged(r"reason=spill_unwritable") and str(tmp_path / "none") in connector.log_text()
    assert db.slots() == [] and db.publications() == [], "found before anything is created"


@pytest.mark.parametrize("kept", ["here", "by_the_server"])
def test_str05_large_transaction_in_time(kept, databases, each_pg, connectors, streaming):
    """LRG-01: memory bounded, and others arrive while it is open. E2E_BIG_ROWS=10000000 makes it large; -s prints the figures."""
    if (BIG_ROWS < 1_000_000) and (kept, each_pg.version) != ("here", 17):
        pytest.skip("measured with E2E_BIG_ROWS")
    db = databases(each_pg)
    db.script(ITEMS + "; create table small (id int primary key)")
    if BIG_ROWS < 1_000_000:
        db.execute(f"alter database {db.name} set logical_decoding_work_mem = '4MB'")
    connector = (streaming if kept == "here" else connectors)(db, {}, sink="file").start().wait_streaming()
    records = connector.dir / "records.jsonl"

    def rows_of_others(stop):
        number = 0
        while not stop():
            number += 1
            db.execute("insert into small values (%s)", number)
            time.sleep(0.05)
        return number
    with db.transaction() as big:
        done = []
        writer = threading.Thread(target=lambda: (big.execute(BIG.format(1, BIG_ROWS)), done.append(time.time())))
        began = time.time()
        writer.start()
        small = rows_of_others(lambda: done)
        written = time.time()
        if kept == "here":
            wait_until(lambda: kept_bytes(connector, streaming.directory) > BIG_ROWS / 10, 60, "what was written is kept")
        on_disk = kept_bytes(connector, streaming.directory)
        wait_until(lambda: b'{\\"id\\":%d}' % small in tail(records), 60, "the others")
        cpu = connector.cpu_seconds()
        committed = time.time()
        big.commit()
    db.execute("insert into small values (%s)", small + 1)
    wait_until(lambda: b'{\\"id\\":%d}' % (small + 1) in tail(records), 1200, "the row after it", interval_s=0.02)
    ended = time.time()
    late = []
    with open(records) as lines:
        for line in lines:
            if '"table\\":\\"small' in line:
                made, at = (int(re.search(p, line)[1]) for p in (r'\\"op\\":\\"c\\",\\"ts_ms\\":(\d+)', r'\\"source\\":.*?\\"ts_ms\\":(\d+)'))
                late.append(made - at)
    spilled = db.value("select pg_size_pretty(spill_bytes) from pg_stat_replication_slots where slot_name = %s", connector.slot)
    print(f"\npg{each_pg.version} kept {kept}: {BIG_ROWS} rows written in {written - began:.1f} s beside {small} others, late by at most "
          f"{max(late[:-1])} ms (median {sorted(late[:-1])[len(late) // 2]}); kept here {on_disk / 1e6:.0f} MB, spilled by the server {spilled}; "
          f"from the commit to the row after it {ended - committed:.1f} s; CPU before the commit {cpu:.1f} s, all {connector.cpu_seconds():.1f} s; "
          f"peak RSS {connector.peak_rss_kb() / 1024:.0f} MB")
    assert len(late) == small + 1
    assert connector.peak_rss_kb() < 64 << 10
    assert (on_disk > 0) == (kept == "here")
    connector.stop()
