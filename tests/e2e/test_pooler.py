"""walduct through a connection pooler, as it is set by default: everything works, the values are those of a direct connection, and
other clients of the pool find nothing of ours in their sessions."""
import pytest

from support.connector import database_properties
from support.false_pooler import FalsePooler
from support.pgbouncer import PgBouncer
from support.postgres import PostgresServer

SIGNALS = {"signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "2"}
TABLES = """
create table items (id int primary key, span interval, at timestamptz, day date, raw bytea, f float8, note text);
create table signals (id text primary key, type text, data text);
insert into items values (1, '1 mon 2 days 03:04:05', '2024-02-29 12:34:56.789+02', '2024-02-29', '\\xdeadbeef', 0.1::float8 + 0.2, 'one')
"""
# Nothing that a session begins with is what walduct needs.
ODD = ("IntervalStyle = 'sql_standard'", "DateStyle = 'German'", "TimeZone = 'Asia/Kathmandu'", "bytea_output = 'escape'",
       "extra_float_digits = -15", "search_path = 'elsewhere'", "statement_timeout = '100s'")


@pytest.fixture
def pools():
    made = []

    def make(server, mode, **settings):
        made.append(PgBouncer(server, mode, **settings))
        return made[-1]
    yield make
    for one in made:
        one.close()


def wait_ids(connector, wanted):
    return connector.wait_events(lambda events: {e.id for e in events if e.topic.endswith("items")} >= wanted)


def values(events):
    """Of all rows, the oldest first."""
    return [e.after for e in events if e.topic.endswith("items") and e.op in ("r", "c")]


@pytest.mark.parametrize("mode, ignored", [("transaction", ""), ("session", ""), ("transaction", "extra_float_digits,options")])
def test_snapshot_stream_and_incremental_snapshot(mode, ignored, databases, pg17, connectors, pools):
    """A second session of the pool, in which a transaction is open, has each of ours go from one of the server's to another."""
    db = databases(pg17)
    db.script(TABLES)
    for setting in ODD:
        db.execute(f'alter database "{db.name}" set {setting}')
    direct = connectors(db, {**SIGNALS, "slot.name": f"{db.name}_direct", "topic.prefix": f"{db.name}-direct"}, sink="file")
    pool = pools(pg17, mode, **({"ignore_startup_parameters": ignored} if ignored else {}))
    pooled = connectors(db, {**SIGNALS, **pool.properties, "database.initial.statements": "SET work_mem = '7MB'"}, sink="file")
    for one in (direct, pooled):
        one.start().wait_streaming()
    db.script("set search_path to public; set timezone to 'UTC'; set datestyle to 'ISO'; insert into items "
              "select 2, span, at, day, raw, f, 'two' from items; insert into items select 3, span, at, day, raw, f, 'three' "
              "from items where id = 1; insert into signals values ('go', 'execute-snapshot', "
              "'{\"data-collections\": [\"public.items\"], \"type\": \"incremental\"}')")
    seen = [one.wait_events(lambda events: [e.id for e in events if e.topic.endswith("items") and e.op == "r"][1:] == [1, 2, 3])
            for one in (direct, pooled)]
    assert values(seen[0]) == values(seen[1])
    assert values(seen[0])[0]["f"] == 0.30000000000000004
    # What another client of the same role and database gets from the pool.
    through = PostgresServer({"PG_HOST": pool.host, "PG_PORT": pool.port, "PG_USER": pooled.config["database.user"],
                              "PG_PASSWORD": pooled.config["database.password"], "PG_VERSION": 17})
    with through.connect(db.name) as session:
        names = ("search_path", "row_security", "extra_float_digits", "statement_timeout", "lock_timeout", "work_mem",
                 "synchronous_commit", "client_connection_check_interval", "idle_session_timeout", "transaction_timeout",
                 "lc_monetary", "bytea_output")
        found = {name: session.execute(f"show {name}").fetchone()[0] for name in names}
    with pg17.connect(db.name) as session:
        assert found == {name: session.execute(f"show {name}").fetchone()[0] for name in names}
    doctor = pooled.call("doctor")
    assert doctor.returncode == 0 and "pooler" in doctor.stdout, doctor.stdout
    for one in (direct, pooled):
        one.stop()
    pooled.start().wait_streaming()
    pooled.stop()


OPTIONS_OF_RDS = ("0A000", "Feature not supported: RDS Proxy currently doesn\u2019t support command-line options.")
OPTIONS_OF_OLD = ("08P01", "unsupported startup parameter: options")
NO_REPLICATION = ("08P01", "unsupported startup parameter: replication")


@pytest.mark.parametrize("refuses, drops, words", [
    ({"options": OPTIONS_OF_OLD, "replication": NO_REPLICATION}, (), "unsupported startup parameter: replication"),
    ({"replication": NO_REPLICATION}, ("options",), "unsupported startup parameter: replication"),
    ({"options": OPTIONS_OF_RDS}, ("replication",), "an ordinary session"),
    ({"options": OPTIONS_OF_OLD}, (), None)], ids=["PgBouncer before 1.23", "told to ignore options", "drops replication", "control"])
def test_poolers_that_pass_no_replication_connection_on(refuses, drops, words, databases, pg15, connectors):
    """Doctor opens one, as `run` does; both say what is missing, and nothing was made."""
    db = databases(pg15)
    db.script(TABLES)
    pooler = FalsePooler(pg15, refuses, drops)
    connector = connectors(db, pooler.properties, sink="file")
    said = connector.call("doctor", "--json")
    if words is None:
        assert '"error"' not in said.stdout, said.stdout
        connector.start().wait_streaming()
        connector.stop()
    else:
        assert said.returncode == 2 and words in said.stdout and "1.23" in said.stdout, said.stdout
        assert connector.run_to_end() == 3
        assert words in connector.log_text() and "pooler" in connector.log_text(), connector.log_text()
        assert not db.slots() and not db.publications()
    pooler.close()


def test_walsenders_that_are_all_taken_are_found_by_doctor(private_servers, databases, connectors):
    """Except for the connector that has one."""
    db = databases(private_servers(postgres=17, pg_set={"max_wal_senders": "1"}).postgres)
    db.script(TABLES)
    connector, other = connectors(db, sink="file"), connectors(db, {"slot.name": f"{db.name}_other"}, sink="file")
    connector.start().wait_streaming()
    assert '"error"' not in connector.call("doctor", "--json").stdout
    said = other.call("doctor", "--json")
    assert said.returncode == 2 and "max_wal_senders" in said.stdout, said.stdout
    connector.stop()


def test_tail_through_a_pooler(databases, pg17, connectors, pools):
    """Its locks are held by sessions that the pooler does not share, and its publications go with it."""
    db = databases(pg17)
    db.script(TABLES)
    pool = pools(pg17, "transaction")
    connector = connectors(db, pool.properties, superuser=True)
    connector.start(command="tail").wait_streaming()
    assert db.publications()
    connector.terminate()
    assert not db.publications()
