"""exactly.once.support=required: a reader of committed records sees each change once, whatever dies in between. The tests'
reader reads committed records; in the at-least-once mode the same deaths repeat records (test_kill9.py)."""
import json
import os
import random
import signal
import time

import pytest
from confluent_kafka import Producer

from support import workload
from support.kafka import QUIET, delete_topics, read_topics, written
from support.offsets import offset_key
from support.wait import wait_until

KILLS = int(os.environ.get("E2E_EXACT_KILLS", "12"))


def exactly_once(connectors, db, config=None, worker=None, **more):
    """A connector with its own offset topic of one partition, named after the database."""
    config = {"exactly.once.support": "required", **(config or {})}
    worker = {"offset.storage.file.filename": None, "offset.storage.topic": offsets_of(db), "offset.storage.partitions": "1",
              "offset.storage.replication.factor": "1", **(worker or {})}
    return connectors(db, config, worker=worker, **more)


def offsets_of(db):
    return f"offsets-{db.name}"


def ids(events, op=None):
    return [e.id for e in events if e.value is not None and (op is None or e.op == op)]


def check_each_once(db, connector):
    committed = workload.committed_changes(db, f"{db.name}_oracle")
    wanted = {t: c[-1] for t, c in committed.items()}

    def last_arrived():
        assert connector.running(), connector.log_text()[-3000:]
        seen = workload.seen_changes(connector.events())
        return all(seen[t] and seen[t][-1][0] == wanted[t] for t in wanted)
    wait_until(last_arrived, 60, f"the last changes {wanted}", interval_s=0.2)
    time.sleep(0.5)
    seen = workload.seen_changes(connector.events())
    for table in workload.TABLES:
        assert [change for change, _ in seen[table]] == committed[table], f"{table}: not the committed changes, each once, in order"


def test_RST_21_SNK_03_kills_under_load(db, connectors):
    """Kill -9 again and again under a writer; each change comes once and in order."""
    seed = int(os.environ.get("E2E_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (E2E_SEED={seed} repeats the choices)")
    choose = random.Random(seed)
    workload.setup(db, f"{db.name}_oracle")
    connector = exactly_once(connectors, db).start().wait_streaming()
    writer = workload.Writer(db, seed, pause_s=0.02)
    writer.start()
    try:
        for _ in range(KILLS):
            if choose.random() < 0.8:
                connector.wait_streaming()
            time.sleep(choose.random() * 1.2)
            assert connector.running(), connector.log_text()[-3000:]
            connector.kill()
            connector.start()
    finally:
        writer.stop()
    connector.wait_streaming()
    check_each_once(db, connector)
    # The control: kills have interrupted transactions, whose records are in the topics and not seen.
    uncommitted = sum(written(connector.worker["bootstrap.servers"], f"{connector.prefix}.public.{t}") for t in workload.TABLES)
    print(f"{writer.transactions} transactions, {len(connector.events())} records seen, {uncommitted} offsets written")
    connector.stop()


def test_SNK_03_snapshot_killed(db, connectors, broker):
    """A crash in the snapshot leaves none of its rows; changes between the crash and the next start come once."""
    rows = 60_000
    db.script(f"""create table items (id int primary key, v text);
                  insert into items select g, repeat('x', 200) from generate_series(1, {rows}) g""")
    connector = exactly_once(connectors, db)
    topic = f"{connector.prefix}.public.items"
    for attempt in range(2):
        before = written(broker, topic)
        connector.start()
        wait_until(lambda: written(broker, topic) > before + 2000, 40, "rows of the snapshot", interval_s=0.02)
        connector.kill()
        db.execute("insert into items values (%s, 'between')", rows + 1 + attempt)
        db.execute("update items set v = 'between' where id = %s", 1 + attempt)
        db.execute("delete from items where id = %s", 100 + attempt)
    assert connector.events() == [], "rows of a snapshot that did not end are seen"
    connector.start().wait_streaming(60)
    db.execute("insert into items values (0, 'after')")
    events = connector.wait_events(lambda events: 0 in ids(events, "c"), 60)
    assert ids(events, "c") == [0] and [e.op for e in events if e.op in ("u", "d")] == []
    assert sorted(ids(events, "r")) == [i for i in range(1, rows + 3) if i not in (100, 101)]
    connector.stop()


class Held:
    """A connector in the middle of 300,000 rows, whose server then stands still: how fast the machine is plays no part."""
    ROWS = 300_000
    INSERT = f"insert into items select g, repeat('x', 200) from generate_series(1, {ROWS}) g"

    def __init__(self, private_servers, databases, connectors):
        self.servers = private_servers(postgres=15, kafka=True)
        self.db = databases(self.servers.postgres)
        self.db.script("create table items (id int primary key, v text)")
        self.connector = exactly_once(connectors, self.db, {"producer.override.transaction.timeout.ms": "6000"},
                                      {"bootstrap.servers": self.servers.bootstrap})

    def hold(self):
        topic = f"{self.connector.prefix}.public.items"
        wait_until(lambda: written(self.servers.bootstrap, topic) > 500, 30, "the first rows", interval_s=0.002)
        self.servers.pause_postgres()


def test_snapshot_that_outlasts_its_transaction(private_servers, databases, connectors):
    """It stops with what to do, and leaves nothing to be seen."""
    held = Held(private_servers, databases, connectors)
    held.db.execute(held.INSERT)
    held.connector.start()
    held.hold()
    time.sleep(6)  # more than 0.9 of the time of the transaction
    held.servers.resume_postgres()
    assert held.connector.wait_exit(30) == 3
    assert held.connector.logged("reason=snapshot_too_long") and held.connector.logged("transaction.max.timeout.ms")
    assert held.connector.events() == []


def test_transaction_over_the_cap(private_servers, databases, connectors):
    """One that takes longer than half of transaction.timeout.ms is divided, at a place that is stored: no row is repeated by
    a crash in its middle."""
    held = Held(private_servers, databases, connectors)
    connector = held.connector.start().wait_streaming()
    held.db.execute(held.INSERT)
    held.hold()
    seen = len(connector.wait_events(1, 30))
    connector.kill()
    held.servers.resume_postgres()
    assert seen < held.ROWS
    stored = json.loads(read_topics(held.servers.bootstrap, offsets_of(held.db))[-1].value)
    assert stored["walduct_ordinal"] == seen
    connector.start()
    events = connector.wait_events(lambda events: len(events) >= held.ROWS, 120)
    assert ids(events) == list(range(1, held.ROWS + 1))
    connector.stop()


class Pair:
    """Two instances of one connector, of which A streams."""

    def __init__(self, servers, databases, connectors):
        self.servers, self.db = servers, databases(servers.postgres)
        self.db.script("create table items (id int primary key, v text)")
        worker = {"bootstrap.servers": servers.bootstrap}
        self.a, self.b = (exactly_once(connectors, self.db, worker=worker) for _ in range(2))
        self.a.start().wait_streaming()
        self.db.execute("insert into items select g, 'first' from generate_series(1, 40) g")
        self.a.wait_events(40)


def test_paused_instance_is_superseded(private_servers, databases, connectors):
    """A stands still with an open transaction; B takes over; what A still has is never seen."""
    pair = Pair(private_servers(postgres=15, kafka=True), databases, connectors)
    topic = f"{pair.a.prefix}.public.items"
    bootstrap = pair.servers.bootstrap
    # Its transaction of PostgreSQL has not ended, so neither has Kafka's.
    with pair.db.connect(autocommit=False) as session:
        before = written(bootstrap, topic)
        session.execute("insert into items select g, 'big' from generate_series(1000, 120000) g")
        session.commit()
    wait_until(lambda: written(bootstrap, topic) > before + 500, 30, "records of the open transaction", interval_s=0.002)
    pair.a.process.send_signal(signal.SIGSTOP)
    pair.db.free_slot(pair.a.slot)
    pair.b.start().wait_streaming()
    pair.db.execute("insert into items values (500000, 'new')")
    pair.b.wait_events(lambda events: 500000 in ids(events), 60)
    pair.a.process.send_signal(signal.SIGCONT)
    assert pair.a.wait_exit(60) == 3
    assert pair.a.logged("reason=(slot_taken_over|fenced)")
    pair.db.execute("insert into items values (500001, 'newer')")
    events = pair.b.wait_events(lambda events: 500001 in ids(events), 60)
    assert ids(events) == [*range(1, 41), *range(1000, 120001), 500000, 500001]
    pair.b.stop()


def test_two_connectors_of_one_name(db, databases, pg17, connectors):
    """Kafka shuts the first one out, and it says so. Each slot is held by its own, so that nothing else would tell."""
    other = databases(pg17)
    for database in (db, other):
        database.script("create table items (id int primary key)")
    same = {"topic.prefix": db.name, "exactly.once.support": "required"}
    first = exactly_once(connectors, db).start().wait_streaming()
    db.execute("insert into items values (1)")
    first.wait_events(1)
    worker = {"offset.storage.topic": f"offsets-other-{db.name}"}
    second = exactly_once(connectors, other, same, worker).start().wait_streaming()
    db.execute("insert into items values (2)")
    assert first.wait_exit(30) == 3
    assert first.logged("reason=fenced") and first.logged("another instance of this connector has taken over")
    assert ids(second.events()) == [1]
    second.stop()


def test_broker_restarted(private_servers, databases, connectors):
    """Killed and started again under a writer, with transactions open."""
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    workload.setup(db, f"{db.name}_oracle")
    connector = exactly_once(connectors, db, worker={"bootstrap.servers": servers.bootstrap}).start().wait_streaming()
    writer = workload.Writer(db, 7, pause_s=0.02)
    writer.start()
    try:
        time.sleep(2)
        servers.do("kill-kafka")
        time.sleep(1)
        servers.do("start-kafka")
        last = connector.reader.count()
        wait_until(lambda: connector.reader.count() > last, 90, "records after the restart", interval_s=0.2)
    finally:
        writer.stop()
    check_each_once(db, connector)
    connector.stop()


def test_stops_and_starts(db, connectors):
    """A clean stop ends or gives up what is open: readers need not wait, and nothing comes twice."""
    workload.setup(db, f"{db.name}_oracle")
    connector = exactly_once(connectors, db).start().wait_streaming()
    writer = workload.Writer(db, 11, pause_s=0.01, rows_at_most=400)
    writer.start()
    try:
        for _ in range(5):
            time.sleep(1)
            connector.stop()
            connector.start().wait_streaming()
    finally:
        writer.stop()
    check_each_once(db, connector)
    connector.stop()


def test_records_without_a_position(db, connectors, broker):
    """Heartbeats are committed although nothing moves; a message outside of transactions is not repeated."""
    db.script("create table items (id int primary key)")
    connector = exactly_once(connectors, db, {"heartbeat.interval.ms": "300"}).start().wait_streaming()
    wait_until(lambda: len(read_topics(broker, f"__debezium-heartbeat.{connector.prefix}")) >= 3, 20, "heartbeats")
    db.execute("select pg_logical_emit_message(false, 'note', 'once')")
    connector.wait_events(1, 20)
    connector.kill()
    connector.start().wait_streaming()
    db.execute("insert into items values (1)")
    events = connector.wait_events(lambda events: any(e.topic.endswith(".items") for e in events), 20)
    assert [e.topic.rpartition(".")[2] for e in events] == ["message", "items"]
    connector.stop()


def test_position_is_connects(db, connectors, broker):
    """The record of the offset topic is the one that Connect reads and that the at-least-once mode writes: either mode goes
    on from the other's."""
    db.script("create table items (id int primary key)")
    connector = exactly_once(connectors, db, {"exactly.once.support": "requested"})
    wanted, before = [], None
    for row, mode in enumerate(("requested", "required", "requested", "required"), 1):
        connector.config["exactly.once.support"] = mode
        connector.start().wait_streaming()
        db.execute("insert into items values (%s)", row)
        wanted.append(row)
        assert ids(connector.wait_events(lambda events, row=row: row in ids(events))) == wanted
        connector.stop()
        before = before or read_topics(broker, offsets_of(db))
    records = read_topics(broker, offsets_of(db))
    assert {r.key for r in records} == {offset_key(connector.name, connector.prefix)}
    known = {name for r in before for name in json.loads(r.value)}
    assert {"lsn", "lsn_proc", "lsn_commit", "ts_usec"} <= set(json.loads(records[-1].value)) <= known | {"txId"}


def test_open_transaction_of_another_writer(db, connectors, broker):
    """Behind it may be our own position: it is waited for, not read past, and not taken for a first start."""
    db.script("create table items (id int primary key)")
    connector = exactly_once(connectors, db).start().wait_streaming()
    connector.stop()  # a position is stored
    other = Producer({"bootstrap.servers": broker, "transactional.id": f"other-{db.name}", **QUIET})
    other.init_transactions(20)
    other.begin_transaction()
    other.produce(offsets_of(db), b"{}", b'["other",{"server":"x"}]', partition=0)
    other.flush(20)
    stored = json.loads(read_topics(broker, offsets_of(db))[-1].value)
    late = Producer({"bootstrap.servers": broker, **QUIET})
    late.produce(offsets_of(db), json.dumps(stored), offset_key(connector.name, connector.prefix), partition=0)
    assert late.flush(20) == 0
    connector.start()
    time.sleep(3)
    assert not connector.logged("streaming")
    other.commit_transaction(20)
    connector.wait_streaming()
    db.execute("insert into items values (1)")
    assert ids(connector.wait_events(1)) == [1]
    connector.stop()


def test_killed_in_a_commit(db, connectors, broker):
    """Its position is written and not decided: the next start decides it, and does not wait for what only it can end."""
    db.script("create table items (id int primary key)")
    connector = exactly_once(connectors, db).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(1)
    connector.kill()
    dead = Producer({"bootstrap.servers": broker, "transactional.id": f"walduct-{connector.name}-{connector.prefix}", **QUIET})
    dead.init_transactions(20)
    dead.begin_transaction()
    dead.produce(offsets_of(db), b"{}", offset_key(connector.name, connector.prefix), partition=0)
    dead.flush(20)
    db.execute("insert into items values (2)")
    connector.start().wait_streaming(20)
    assert ids(connector.wait_events(2)) == [1, 2]
    connector.stop()


@pytest.mark.parametrize("config,worker,says", [
    ({}, {"offset.storage.topic": None, "offset.storage.file.filename": "/tmp/offsets"}, "offset.storage.file.filename"),
    ({"sink": "stdout"}, {}, "needs sink=kafka"),
    ({"transaction.boundary": "connector"}, {}, "connector-defined transaction boundaries"),
    ({"producer.override.enable.idempotence": "false"}, {}, "enable.idempotence"),
    ({"producer.override.acks": "1"}, {}, "acks"),
    ({"producer.override.partitioner.ignore.keys": "true"}, {}, "partitioner.ignore.keys"),
    ({"producer.override.bootstrap.servers": "elsewhere:9092"}, {}, "offsets.storage.topic"),
])
def test_refused(config, worker, says, db, connectors):
    connector = exactly_once(connectors, db, config, worker)
    assert connector.run_to_end() == 2
    assert says in connector.log_text()
    assert db.slots() == []


def test_time_that_the_brokers_do_not_allow(db, connectors):
    connector = exactly_once(connectors, db, {"producer.override.transaction.timeout.ms": "86400000"})
    assert connector.run_to_end() == 3
    assert connector.logged("reason=transaction_timeout_refused") and connector.logged("transaction.max.timeout.ms")
    assert db.slots() == []


def test_the_offset_topic_is_deleted_while_it_streams(db, broker, connectors):
    """The transaction fails, and nothing is said to be stored; the topic is made again, the process knows the position: no second snapshot."""
    topic = offsets_of(db)
    db.script("create table items (id int primary key); insert into items values (0)")
    connector = exactly_once(connectors, db).start().wait_streaming()
    db.execute("insert into items values (1)")
    connector.wait_events(2)
    delete_topics(broker, topic)
    db.execute("insert into items values (2)")
    connector.wait_events(3, 60)
    connector.wait_log(rf"retrying: the offset topic {topic} is gone: .* reason=offset_topic_gone hint=\"nothing to do: it is created again")
    connector.wait_log("the stored position has vanished under this process, which knows it")
    wait_until(lambda: any(record.value for record in read_topics(broker, topic)), 30, "the position is stored again")
    connector.stop()
    connector.start().wait_streaming()
    db.execute("insert into items values (3)")
    assert [(e.op, e.id) for e in connector.wait_events(4)] == [("r", 0), ("c", 1), ("c", 2), ("c", 3)]
    connector.stop()
