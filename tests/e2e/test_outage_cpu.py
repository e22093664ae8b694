"""An outage costs no processor time, whatever is away and wherever the position is stored."""
import time

import pytest

from support.wait import wait_until

SECONDS = 20
SHARE = 0.01  # of a core
STORES = {"file": {}, "topic": {"offset.storage.file.filename": None, "offset.storage.partitions": "1",
                                "offset.storage.replication.factor": "1"}}


def worker_of(store, servers, db):
    topic = {"offset.storage.topic": f"offsets-{db.name}"} if store == "topic" else {}
    return {**STORES[store], **topic, "bootstrap.servers": servers.bootstrap}


def cpu_share(connector, meanwhile=lambda: None):
    begin, cpu = time.monotonic(), connector.cpu_seconds()
    while time.monotonic() < begin + SECONDS:
        meanwhile()
        time.sleep(0.5)
    assert connector.running(), connector.log_text()[-3000:]
    return (connector.cpu_seconds() - cpu) / (time.monotonic() - begin)


@pytest.mark.parametrize("store", list(STORES))
@pytest.mark.parametrize("outage", [True, False], ids=["broker-away", "control"])
def test_cpu_without_a_broker(outage, store, private_servers, databases, connectors):
    """Rows go on coming while Kafka is away, before them the first one of a topic, which has to be asked for: they are read, they wait,
    and that is all. The control has its broker."""
    servers = private_servers(postgres=15, kafka=True)
    db = databases(servers.postgres)
    db.script("create table items (id serial primary key, v text); create table fresh (id serial primary key)")
    connector = connectors(db, worker=worker_of(store, servers, db)).start().wait_streaming()
    db.execute("insert into items (v) values ('before')")
    connector.wait_events(1)
    if outage:
        servers.do("stop-kafka")
    db.execute("insert into fresh default values")
    rows = 10  # few: what is measured is waiting
    db.execute("insert into items (v) select 'during' from generate_series(1, %s)", rows)
    written = db.value("select pg_current_wal_lsn()")
    share = cpu_share(connector)
    print(f"{store}: {share:.2%} of a core")
    assert share <= SHARE
    if outage:
        servers.do("start-kafka")
    connector.wait_events(2 + rows, timeout_s=60)
    confirmed = "select confirmed_flush_lsn >= %s from pg_replication_slots where slot_name = %s"
    wait_until(lambda: db.value(confirmed, written, connector.slot), 60, "stored: its client connects in its own time")
    connector.stop()


def test_cpu_without_a_database(private_servers, databases, connectors, broker):
    servers = private_servers(postgres=15)
    db = databases(servers.postgres)
    db.script("create table items (id serial primary key, v text)")
    worker = {**STORES["topic"], "offset.storage.topic": f"offsets-{db.name}"}
    connector = connectors(db, worker=worker).start().wait_streaming()
    db.execute("insert into items (v) values ('before')")
    connector.wait_events(1)
    db.close_session()
    servers.do("stop-postgres")
    share = cpu_share(connector)
    print(f"{share:.2%} of a core")
    assert share <= 2 * SHARE, "attempts to connect cost a little"
    servers.do("start-postgres")
    connector.wait_streaming(60)
    db.execute("insert into items (v) values ('after')")
    connector.wait_events(2)
    connector.stop()
