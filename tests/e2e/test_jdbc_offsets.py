"""The position in a table of PostgreSQL, as Debezium's JdbcOffsetBackingStore keeps it."""
import json
import signal

import pytest

from support.wait import wait_until

TABLE = "create table t (id int primary key)"
DEBEZIUMS = ("create table debezium_offset_storage (id varchar(36) not null, offset_key varchar(1255), offset_val varchar(1255), "
             "record_insert_ts timestamp not null, record_insert_seq integer not null, primary key (id))")


@pytest.fixture
def store(databases, pg15):
    """A database that no connector reads."""
    return databases(pg15)


def config_of(store, **more):
    return {"offset.storage": "io.debezium.storage.jdbc.offset.JdbcOffsetBackingStore",
            "offset.storage.jdbc.connection.url": f"jdbc:postgresql://{store.server.host}:{store.server.port}/{store.name}",
            "offset.storage.jdbc.connection.user": store.server.user, "offset.storage.jdbc.connection.password": store.server.password,
            **{f"offset.storage.jdbc.{name.replace('_', '.')}": value for name, value in more.items()}}


def with_store(db, store, connectors, **more):
    db.script(TABLE)
    return connectors(db, config_of(store, **more), {"offset.storage.file.filename": None})


def held(store, table="debezium_offset_storage"):
    return store.execute(f"select offset_key, offset_val from {table} order by record_insert_ts, record_insert_seq")


def ids(connector):
    return [e.id for e in connector.events() if e.op in ("r", "c")]


def test_a_restart_goes_on_from_the_row(db, store, connectors):
    """The table is made, another connector's row is let alone, the keys are Debezium's, and nothing comes twice."""
    connector = with_store(db, store, connectors)
    for n in (1, 2, 3):
        connector.start().wait_streaming()
        db.execute("insert into t values (%s)", n)
        connector.wait_events(n)
        if n == 1:
            store.execute("insert into debezium_offset_storage values ('other', '[\"kafka\",{\"server\":\"other\"}]', '{\"lsn\":1}', now(), 1)")
        connector.stop()
    assert ids(connector) == [1, 2, 3]
    rows = dict(held(store))
    assert rows.pop('["kafka",{"server":"other"}]') == '{"lsn":1}'
    (key, value), = rows.items()
    assert json.loads(key) == [connector.name, {"server": connector.prefix}]
    assert {"lsn", "lsn_proc", "txId", "ts_usec"} <= set(json.loads(value))


def test_what_debezium_left_is_taken_and_of_two_rows_the_later(db, store, connectors):
    """In its own table, with its own way to write the key."""
    connector = with_store(db, store, connectors)
    connector.start().wait_streaming()
    db.execute("insert into t values (1)")
    connector.wait_events(1)
    connector.stop()
    value = held(store)[0][1]
    db.execute("insert into t values (2)")
    store.script(f"drop table debezium_offset_storage; {DEBEZIUMS}")
    key = json.dumps([connector.name, {"server": connector.prefix}])
    for name, offset, at in (("new", value, "2030-01-02"), ("old", '{"lsn":1,"lsn_proc":1,"txId":1,"ts_usec":1}', "2030-01-01")):
        store.execute("insert into debezium_offset_storage values (%s, %s, %s, %s, 7)", name, key, offset, at)
    connector.start().wait_streaming()
    connector.wait_events(2)
    db.execute("insert into t values (3)")
    connector.wait_events(3)
    connector.stop()
    assert ids(connector) == [1, 2, 3]
    assert len(held(store)) == 1


def test_a_second_instance_ends_the_first(db, store, connectors):
    connector = with_store(db, store, connectors).start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_until(lambda: held(store), 20, "a position")
    store.execute("update debezium_offset_storage set offset_val = '{\"lsn\":7}'")
    db.execute("insert into t values (2)")
    assert connector.wait_exit() == 3
    assert connector.logged("offset_superseded|another process has stored a position")


def test_a_position_too_long_for_debeziums_column(db, store, connectors):
    """Nothing begins before it can be stored; with room it does."""
    store.script(DEBEZIUMS.replace("offset_val varchar(1255)", "offset_val varchar(20)"))
    connector = with_store(db, store, connectors)
    assert connector.run_to_end() == 3
    assert connector.logged("reason=offset_too_long hint=\"ALTER TABLE debezium_offset_storage ALTER COLUMN offset_val TYPE text")
    assert not held(store)
    store.execute("alter table debezium_offset_storage alter column offset_val type text")
    connector.start().wait_streaming()
    db.execute("insert into t values (1)")
    connector.wait_events(1)
    connector.stop()
    assert held(store)


@pytest.mark.parametrize("name", ['ops.positions', '"Positions of ours"'])
def test_the_tables_name_is_sql(db, store, connectors, name):
    store.execute("create schema ops")
    connector = with_store(db, store, connectors, table_name=name).start().wait_streaming()
    db.execute("insert into t values (1)")
    wait_until(lambda: store.value(f"select to_regclass('{name}') is not null") and held(store, name), 20, "a position")
    connector.stop()


def test_sessions_that_end_and_a_kill_lose_nothing(db, store, connectors):
    connector = with_store(db, store, connectors).start().wait_streaming()
    for n in range(1, 41):
        db.execute("insert into t values (%s)", n)
        if n % 10 == 5:
            store.server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'walduct offsets%'")
        if n % 20 == 0:
            connector.wait_events(n)
            wait_until(lambda: held(store), 20, "a position")
            connector.terminate(how=signal.SIGKILL)
            connector.start().wait_streaming()
    wait_until(lambda: set(ids(connector)) == set(range(1, 41)), 20, "all rows")
    connector.stop()


def test_a_database_that_is_away_at_the_start_is_named(db, store, connectors):
    connector = with_store(db, store, connectors)
    connector.config["offset.storage.jdbc.connection.url"] = "jdbc:postgresql://127.0.0.1:1/nowhere"
    connector.start()
    connector.wait_log("the position in table debezium_offset_storage of 127.0.0.1:1/nowhere")
    connector.terminate()


@pytest.mark.parametrize("name,value,said", [
    ("connection.url", "jdbc:mysql://h/x", "is not of PostgreSQL"),
    ("connection.url", "postgresql://h/x", "jdbc:postgresql://HOST:PORT/DATABASE"),
    ("connection.url", None, "A value is required with JdbcOffsetBackingStore"),
    ("connection.user", None, "add the role that may write to the table"),
    ("table.name", "a b; drop", "NAME or SCHEMA.NAME"),
    ("table.ddl", "create table other (id int)", "write %s where it has the table's name")])
def test_bad_values_are_refused(db, store, connectors, name, value, said):
    connector = with_store(db, store, connectors)
    connector.config[f"offset.storage.jdbc.{name}"] = value
    if value is None:
        del connector.config[f"offset.storage.jdbc.{name}"]
    assert connector.run_to_end() == 2
    assert f"offset.storage.jdbc.{name}" in connector.log_text() and said in connector.log_text()
    assert not store.value("select to_regclass('debezium_offset_storage') is not null")
