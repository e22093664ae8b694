"""/metrics: the numbers are those of the workload, and a real parser reads them."""
import time

import pytest

from support.http import Surface
from support.postgres import CDC_ROLE
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")

# The workload of the recordings of the real Debezium (JMX exporter, the rules of its monitoring example), and what it
# exported afterwards. Left out: MaxQueueSizeInBytes, which is our limit where Debezium has none.
TABLES = """
create table orders (id int primary key, note text);
create table items (id int primary key);
create table empty_one (id int primary key);
create table not_captured (id int primary key);
insert into orders select i, 'x' from generate_series(1, 50) i;
insert into items select generate_series(1, 20);
"""
CAPTURED = {"table.include.list": "public.orders,public.items,public.empty_one"}
SNAPSHOT = {
    "TotalNumberOfEventsSeen": 70, "TotalNumberOfCreateEventsSeen": 0, "TotalNumberOfUpdateEventsSeen": 0,
    "TotalNumberOfDeleteEventsSeen": 0, "NumberOfEventsFiltered": 0, "NumberOfErroneousEvents": 0,
    "QueueTotalCapacity": 8192, "TotalTableCount": 3, "RemainingTableCount": 0, "SnapshotRunning": 0, "SnapshotPaused": 0,
    "SnapshotCompleted": 1, "SnapshotAborted": 0, "SnapshotSkipped": 0,
}
BEFORE = {
    "TotalNumberOfEventsSeen": 0, "TotalNumberOfCreateEventsSeen": 0, "NumberOfEventsFiltered": 0,
    "NumberOfCommittedTransactions": 0, "NumberOfUnchangedEventsSkipped": -1, "Connected": 1, "MilliSecondsBehindSource": -1,
    "MilliSecondsSinceLastEvent": -1,
}
AFTER = {
    "TotalNumberOfEventsSeen": 6, "TotalNumberOfCreateEventsSeen": 4, "TotalNumberOfUpdateEventsSeen": 1,
    "TotalNumberOfDeleteEventsSeen": 1, "NumberOfEventsFiltered": 1, "NumberOfErroneousEvents": 0,
    "NumberOfCommittedTransactions": 3, "NumberOfUnchangedEventsSkipped": -1, "QueueTotalCapacity": 8192, "Connected": 1,
}


def debezium(surface, context):
    """{attribute: value} of the samples without further labels."""
    prefix = "debezium_metrics_"
    return {name[len(prefix):]: value for (name, labels), value in surface.samples().items()
            if name.startswith(prefix) and dict(labels)["context"] == context and "table" not in dict(labels)}


def part(values, expected):
    return {name: values.get(name) for name in expected}


def stream_of_the_recordings(db):
    db.script("insert into orders values (101, 'a'); insert into orders values (102, 'b');"
              "update orders set note = 'c' where id = 101;")
    with db.transaction() as connection:
        connection.execute("delete from orders where id = 102")
        connection.execute("insert into items values (100)")
        connection.execute("insert into not_captured values (1)")
        connection.commit()
    db.execute("truncate empty_one")


def test_debezium_series_as_recorded(db, connectors):
    db.script(TABLES)
    # Debezium's default publication, which lets the table that is not captured through.
    connector = connectors(db, {**CAPTURED, "publication.autocreate.mode": "all_tables"}).start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    assert part(debezium(surface, "snapshot"), SNAPSHOT) == SNAPSHOT
    assert part(debezium(surface, "streaming"), BEFORE) == BEFORE
    rows = {dict(labels)["table"]: value for (name, labels), value in surface.samples().items()
            if name == "debezium_metrics_RowsScanned"}
    assert rows == {"public.orders": 50, "public.items": 20, "public.empty_one": 0}
    stream_of_the_recordings(db)
    wait_until(lambda: part(debezium(surface, "streaming"), AFTER) == AFTER, 20, "the recorded values")
    after = debezium(surface, "streaming")
    assert 0 <= after["MilliSecondsBehindSourceMinValue"] <= after["MilliSecondsBehindSourceP50"] \
        <= after["MilliSecondsBehindSourceP99"] <= after["MilliSecondsBehindSourceMaxValue"] < 20_000
    assert 0 <= after["MilliSecondsSinceLastEvent"] < 20_000
    assert part(debezium(surface, "snapshot"), SNAPSHOT) == SNAPSHOT
    connector.stop()


def test_own_series_of_a_workload(db, connectors):
    db.script(TABLES)
    connector = connectors(db, CAPTURED).start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    stream_of_the_recordings(db)
    surface.wait_value(lambda v: v == 5 + 1, "walduct_delivery_seconds_count", timeout_s=20)  # and one tombstone
    assert surface.value("walduct_table_rows_total", table="orders", operation="read") == 50
    assert surface.value("walduct_table_rows_total", table="orders", operation="create") == 2
    assert surface.value("walduct_table_rows_total", table="orders", operation="delete") == 1
    assert surface.value("walduct_table_rows_total", table="items", operation="create") == 1
    assert surface.value("walduct_table_bytes_total", table="orders", operation="update") > 100
    assert surface.value("walduct_connector_state", state="running") == 1
    assert surface.value("walduct_connector_state", state="failed") == 0
    assert surface.value("walduct_connector_activity", activity="streaming") == 1
    assert surface.value("walduct_in_flight_records") == 0
    assert surface.value("walduct_in_flight_limit_bytes") > 0
    surface.wait_value(lambda v: v == 0, "walduct_lag_bytes")
    surface.wait_value(lambda v: v < 2, "walduct_lag_seconds")
    assert surface.value("walduct_slot_wal_status", status="reserved") == 1
    assert surface.value("walduct_snapshot_table_rows", table="orders") == 50
    written = surface.value("walduct_records_written_total")
    assert surface.value("walduct_records_acknowledged_total") == written == 70 + 6
    assert surface.value("walduct_last_source_time_us") > 1.7e15
    by_destination = {dict(labels)["destination"]: value for (name, labels), value in surface.samples().items() if name == "walduct_sink_records_total"}
    assert by_destination[f"{db.name}.public.items"] == 21 and sum(by_destination.values()) == written
    orders = f"{db.name}.public.orders"
    assert surface.value("walduct_sink_bytes_total", destination=orders) > 100
    assert surface.value("walduct_sink_refused_total", destination=orders) == surface.value("walduct_sink_in_flight_records", destination=orders) == 0
    assert abs(surface.value("walduct_sink_last_acknowledged_timestamp_seconds", destination=orders) - time.time()) < 60
    connector.stop()


def test_both_formats_say_the_same(db, connectors):
    db.script(TABLES)
    connector = connectors(db, CAPTURED).start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    # A look at the server between the two adds series.
    wait_until(lambda: surface.samples().keys() == surface.samples(openmetrics=True).keys(), 30, "the same series")
    assert surface.ask("/metrics", headers={"Accept": "application/openmetrics-text"})[1].endswith("\n# EOF\n")
    connector.stop()


def test_hostile_names_stay_in_their_labels(db, connectors):
    name = 'a"b\\c\nd{} 1 # e\u202e\U0001f600'
    with db.connect() as connection:
        quoted = '"' + name.replace('"', '""') + '"'
        connection.execute(f"create table {quoted} (id int primary key)")
        connection.execute(f"insert into {quoted} values (1)")
    connector = connectors(db).start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    for openmetrics in (False, True):
        tables = {dict(labels)["table"] for (series, labels) in surface.samples(openmetrics)
                  if series == "walduct_table_rows_total"}
        assert tables == {name}
    assert [table["table"] for table in surface.status()["snapshot"]["tables"]] == [name]
    connector.stop()


def test_a_stalled_sink_shows(private_servers, databases, connectors):
    servers = private_servers(postgres=17, kafka=True)
    db = databases(servers.postgres)
    db.script("create table items (id int primary key)")
    connector = connectors(db, worker={"bootstrap.servers": servers.bootstrap, "walduct.stall.warn.ms": "3000"})
    connector.start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    surface.wait_value(lambda v: v < 2, "walduct_lag_seconds")
    db.execute("insert into items values (1)")
    surface.wait_value(lambda v: v == 1, "walduct_records_acknowledged_total")
    servers.pause_kafka()
    db.execute("insert into items values (2)")
    surface.wait_value(lambda v: v == 1, "walduct_stalled", 40)
    surface.wait_value(lambda v: v > 0, "walduct_stall_seconds", waiting_for="sink")
    assert surface.value("walduct_in_flight_records") == 1
    assert surface.value("walduct_in_flight_bytes") > 0
    surface.wait_value(lambda v: v > 3, "walduct_lag_seconds")
    assert surface.ask("/livez?within=5")[0] == 200
    status, body = surface.ask("/readyz")
    assert status == 503 and "stalled: waiting for Kafka" in body
    servers.resume_kafka()
    surface.wait_value(lambda v: v == 0, "walduct_stalled", 90)
    surface.wait_value(lambda v: v < 2, "walduct_lag_seconds", 60)
    assert surface.ask("/readyz")[0] == 200
    connector.stop()


def test_a_slot_that_keeps_wal_shows(private_servers, databases, connectors):
    servers = private_servers(postgres=17, pg_set={"max_slot_wal_keep_size": "1GB"})
    db = databases(servers.postgres)
    db.script("create table items (id int primary key, v text)")
    connector = connectors(db, {"walduct.stall.warn.ms": "1000"}, sink="file").start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    surface.wait_value(lambda v: v > 0, "walduct_slot_safe_wal_bytes")
    assert surface.value("walduct_slot_seconds_until_lost") is None
    connector.stop()


def test_E_03_the_oldest_transaction_shows(db, connectors):
    """The slot is read, and its WAL is kept all the same: whose transaction it is that keeps it."""
    db.script(f"create table items (id int primary key, v text); grant pg_read_all_stats to {CDC_ROLE}")
    connector = connectors(db, {"walduct.stall.warn.ms": "1000"}, sink="file").start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    surface.wait_value(lambda v: v >= 0, "walduct_slot_look_age_seconds")
    with db.connect(application_name="forgotten", autocommit=False) as session:
        session.execute("insert into items values (1, 'open')")
        pid = session.info.backend_pid
        surface.wait_value(lambda v: v > 0, "walduct_oldest_transaction_seconds", 60)

        def slot():
            return surface.json("/status")["connectors"][0]["slot"]
        wait_until(lambda: f"pid {pid} (" in slot().get("oldest_transaction", ""), 60, "this session is named")
        assert 'application "forgotten"' in slot()["oldest_transaction"] and db.name in slot()["oldest_transaction"]
        session.rollback()
    wait_until(lambda: f"pid {pid} (" not in slot().get("oldest_transaction", ""), 60, "it has ended")
    connector.stop()


@pytest.mark.parametrize("address, message", [
    ("8083", "has no port"), ("127.0.0.1:x", "port is not a number"), ("::1:8083", "brackets"),
    ("http://127.0.0.1:1", "is a URL"),
])
def test_addresses_that_are_refused(db, connectors, address, message):
    connector = connectors(db, sink="file")
    assert connector.run_to_end("--listen", address) == 2
    assert message in connector.log_text()
    connector.worker["walduct.listen"] = address
    assert connector.run_to_end() == 2
    assert "property 'walduct.listen'" in connector.log_text() and message in connector.log_text()
