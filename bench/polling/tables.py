"""The outbox tables that are polled here, their rows, and the connector that polls one."""
import contextlib
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "tests"), str(HERE.parent / "e2e")]

from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402
from support import servers  # noqa: E402
from support.connector import Connector, database_properties  # noqa: E402
from support.paths import BINARY  # noqa: E402
from support.polling import polled  # noqa: E402

COLUMNS = """create table outbox (id bigint generated always as identity primary key, aggregate_type text not null, aggregate_id text not null,
  event_type text not null, payload jsonb not null, created_at timestamptz not null default now() {more})"""
MARKED = (COLUMNS.format(more=", published_at timestamptz") + " with (fillfactor = {fillfactor}); "
          "create index on outbox (id) where published_at is null")
TABLES = {"mark": MARKED, "delete": COLUMNS.format(more=""),
          "position": COLUMNS.format(more=", xact xid8 not null default pg_current_xact_id()") + "; create index on outbox (xact)"}
# With its header about 350 bytes in the table, of 10,000 keys; the number comes first.
ROW = """insert into outbox (aggregate_type, aggregate_id, event_type, payload) select 'order', 'customer-' || mod(g, 10000), 'OrderPlaced',
  jsonb_build_object('n', g, 'orderId', g, 'status', 'placed', 'total', mod(g, 100000) / 100.0, 'note', repeat('lorem ipsum ', 11), 'items', array[1, 2, 3])
  from generate_series({first}::bigint, {last}::bigint) g"""
TRANSACTION = 1000
AGGREGATE = "order"


@contextlib.contextmanager
def own_servers(args, **wanted):
    """(servers, folder): nobody else's; both go at the end."""
    membership = servers.join_run()  # else another run that ends takes the servers for those of a broken one
    own = servers.private(postgres=args.postgres, **wanted)
    try:
        with tempfile.TemporaryDirectory(prefix="walduct-polling-") as directory:
            yield own, Path(directory)
    finally:
        own.remove()
        servers.leave_run(membership)


def keep(found, path):
    """As JSON, where a file is named."""
    if path:
        path.write_text(json.dumps(found, indent=1) + "\n")


def opened(postgres, name, done):
    """A database with the table, which counts its statements."""
    database = postgres.database(name).create()
    database.execute("create extension pg_stat_statements")
    make(database, done)
    return database


def polling(own, database, folder, done):
    """Its connector, which streams."""
    made = connector(database, folder, done, own.bootstrap)
    make_topic(own.bootstrap, topic_of(database))
    return made.start().wait_streaming()


def make(database, done, fillfactor=50):
    database.script("drop table if exists outbox; " + TABLES[done].format(fillfactor=fillfactor))


def fill(database, rows, published=0):
    """`rows` that are open, in transactions, behind so many that are published."""
    database.execute("truncate outbox restart identity")
    step = ROW.format(first="lowest", last=f"least(lowest + {TRANSACTION - 1}, {rows + published})")
    database.execute("set synchronous_commit = off")
    database.execute(f"do $$ begin for lowest in 1..{rows + published} by {TRANSACTION} loop {step}; "
                     + (f"if lowest <= {published} then update outbox set published_at = now() where id between lowest and lowest + {TRANSACTION - 1}; end if; "
                        if published else "") + "commit; end loop; end $$")
    database.execute("set synchronous_commit = on")
    database.execute("vacuum (analyze, freeze) outbox")
    database.execute("checkpoint")


def row_bytes(database):
    return round(database.value("select avg(pg_column_size(outbox.*)) from (select * from outbox limit 1000) outbox"))


def connector(database, folder, done, bootstrap, binary=BINARY, **more):
    config = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", **database_properties(database), "topic.prefix": database.name,
              "table.include.list": "public.outbox", **polled(database, **{"walduct.outbox.publish.locally": None, "walduct.outbox.done": done, **more})}
    worker = {"bootstrap.servers": bootstrap, "offset.storage.file.filename": str(folder / "offsets.dat")}
    return Connector(folder, config, worker, name=database.name, binary=binary)


def make_topic(bootstrap, topic):
    """Of one partition."""
    broker = AdminClient({"bootstrap.servers": bootstrap})
    broker.create_topics([NewTopic(topic, 1, 1)])[topic].result(60)


def topic_of(database):
    return f"{database.name}.event.{AGGREGATE}"


def published(database, first, last):
    """Rows that were published long ago."""
    database.execute(ROW.format(first=first, last=last).replace("payload)", "payload, published_at)").replace("array[1, 2, 3])", "array[1, 2, 3]), now()"))


def again(database, first, last):
    """The same rows once more: they are copied several times as fast as they are made."""
    names = "aggregate_type, aggregate_id, event_type, payload, published_at"
    database.execute(f"insert into outbox ({names}) select {names} from outbox where id between {first} and {last}")


def put(session, first, last):
    session.execute(ROW.format(first=first, last=last))


def wake(database):
    """As walduct outbox init --flavour poll says it."""
    database.execute("create or replace function wake() returns trigger language plpgsql as 'begin perform pg_notify(''walduct_outbox'', ''''); return null; end'")
    database.execute("create trigger wake after insert on outbox for each statement execute function wake()")


# Statements are timed by the server. The claim is known by how it begins.
STATEMENTS = {"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track_planning": "on"}
CLAIM = {"mark": "SELECT s.%", "delete": "SELECT s.%", "position": "SELECT o.%"}


def claims(database, done):
    """Of the claims since the last call: how many, and their mean time in milliseconds."""
    (calls, mean), = database.execute("select sum(calls)::bigint, round((sum(total_exec_time) / sum(calls))::numeric, 3)::float8 from pg_stat_statements s "
                                      "join pg_database d on d.oid = dbid and datname = current_database() where query like %s", CLAIM[done])
    database.execute("select pg_stat_statements_reset()")
    return calls or 0, mean or 0.0


def claim_text(database, like):
    """A statement that was asked, the shortest of them; None: there was none."""
    return database.value("select (select query from pg_stat_statements s join pg_database d on d.oid = dbid and datname = current_database() where query like %s "
                          "order by length(query) limit 1)", like)
