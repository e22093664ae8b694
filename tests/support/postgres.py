"""A PostgreSQL server and the databases that tests make in it."""
import contextlib
import select
import time
import uuid

import psycopg

from support.sql import split_statements
from support.wait import wait_until


# The role of docs/security.md for publication.autocreate.mode=filtered: it may replicate and create in the database, and is a
# member of the group that owns the tables. Tables are made by a superuser here, so they are handed over as they come.
CDC_ROLE, CDC_PASSWORD = "walduct_cdc", "change-me"
LEAST_PRIVILEGE = f"""
do $$ begin create role {CDC_ROLE} login replication password '{CDC_PASSWORD}'; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role shop_owners nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin grant shop_owners to {CDC_ROLE}; exception when others then null; end $$;
do $$ begin execute format('grant create on database %I to {CDC_ROLE}', current_database()); end $$;
grant usage, create on schema public to {CDC_ROLE}, shop_owners;
create schema handover;
create function handover.give() returns event_trigger language plpgsql as $$
declare made record;
begin
  if not (select rolsuper from pg_roles where rolname = current_user) then return; end if;
  for made in select * from pg_event_trigger_ddl_commands() loop
    if made.object_type = 'schema' then
      execute format('grant usage, create on schema %s to {CDC_ROLE}, shop_owners', made.object_identity);
    elsif made.object_type = 'table' and made.schema_name <> 'pg_temp' then
      execute format('alter table %s owner to shop_owners', made.object_identity);
    end if;
  end loop;
end $$;
create event trigger handover on ddl_command_end when tag in ('CREATE SCHEMA', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO')
  execute function handover.give();
"""


def lsn(text):
    """'0/16B3748' as a number."""
    high, low = text.split("/")
    return (int(high, 16) << 32) | int(low, 16)


class PostgresServer:
    """keeps_sessions: questions to the database `postgres` share a few sessions that stay open, on a server that no test stops: what is
    waited for is asked again and again, and each login costs both sides more than the question."""

    def __init__(self, values, keeps_sessions=False):
        self._idle = [] if keeps_sessions else None
        self.host, self.port = values["PG_HOST"], int(values["PG_PORT"])
        self.user, self.password = values["PG_USER"], values["PG_PASSWORD"]
        self.version = int(values["PG_VERSION"])

    def connect(self, database="postgres", **options):
        given = {"host": self.host, "port": self.port, "user": self.user, "password": self.password,
                 "dbname": database, "autocommit": True, **options}
        return psycopg.connect(**given)

    @contextlib.contextmanager
    def session(self, database="postgres"):
        """For questions, each a transaction of its own."""
        if self._idle is None or database != "postgres":
            with self.connect(database) as connection:
                yield connection
            return
        connection = self._idle_session() or self.connect(prepare_threshold=None)
        try:
            yield connection
        finally:
            if connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def _idle_session(self):
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            says = select.poll()
            says.register(connection, select.POLLIN)
            if not says.poll(0):  # the server says nothing to who asks nothing, but that it has ended
                return connection
            connection.close()

    def query(self, sql, *parameters, database="postgres"):
        with self.session(database) as connection:
            cursor = connection.execute(sql, parameters or None)
            return cursor.fetchall() if cursor.description else []

    def database(self, name=None):
        return Database(self, name or f"t_{uuid.uuid4().hex[:12]}")


class Database:
    """One database with whatever slots it has; `create` before, `drop` after."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self._connection = None
        self.has_cdc_role = False  # not of a database that somebody else made

    def create(self, options=""):
        self.server.query(f'drop database if exists "{self.name}" with (force)')
        # Copied file by file: otherwise its seven megabytes go through the log, which every stream of this server reads.
        self.server.query(f'create database "{self.name}" {options} strategy file_copy')
        return self

    def hand_over(self):
        """From now on the role of docs/security.md has the rights that it says, and its group owns new tables."""
        with self.connect() as connection:
            connection.execute(LEAST_PRIVILEGE)
        self.has_cdc_role = True
        return self

    def connect(self, **options):
        return self.server.connect(self.name, **options)

    def execute(self, sql, *parameters):
        """One statement on a session that stays open; its rows, if it has any."""
        if self._connection is None or self._connection.closed:
            self._connection = self.connect()
        cursor = self._connection.execute(sql, parameters or None)
        return cursor.fetchall() if cursor.description else []

    def close_session(self):
        """Ends the session of `execute`; the next call opens another. For after a restart of the server."""
        if self._connection is not None:
            self._connection.close()

    def script(self, text):
        """Statement by statement, each its own transaction unless the script says begin … commit."""
        with self.connect() as connection:
            for statement in split_statements(text):
                connection.execute(statement)

    def value(self, sql, *parameters):
        return self.execute(sql, *parameters)[0][0]

    @contextlib.contextmanager
    def transaction(self):
        """A session with a transaction open: commit() and rollback() are the test's."""
        with self.connect(autocommit=False) as connection:
            yield connection

    # --- what walduct leaves on the server ---

    def slot(self, name):
        """The row of pg_replication_slots as a dict, None when there is no such slot."""
        with self.server.session() as connection:
            cursor = connection.execute("select * from pg_replication_slots where slot_name = %s", [name])
            row = cursor.fetchone()
            return dict(zip([c.name for c in cursor.description], row)) if row else None

    def slots(self):
        return [r[0] for r in self.server.query("select slot_name from pg_replication_slots where database = %s", self.name)]

    def publications(self):
        return [r[0] for r in self.execute("select pubname from pg_publication order by 1")]

    def published_tables(self, publication):
        rows = self.execute("select schemaname, tablename from pg_publication_tables where pubname = %s order by 1, 2", publication)
        return [f"{schema}.{table}" for schema, table in rows]

    def sessions(self, condition="true"):
        sql = f"select application_name, state, query from pg_stat_activity where datname = %s and pid <> pg_backend_pid() and ({condition})"
        return self.server.query(sql, self.name)

    def wait_slot_active(self, name, timeout_s=30):
        wait_until(lambda: (self.slot(name) or {}).get("active"), timeout_s, f"slot {name} active")

    def drop(self):
        """Ends what still streams, drops the slots, then the database."""
        self.close_session()
        for slot in self.slots():
            self.drop_slot(slot)
        self.server.query(f'drop database if exists "{self.name}" with (force)')

    def _end_stream(self, slot):
        self.server.query("select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = %s and active", slot)

    def free_slot(self, name):
        """Takes it from whoever streams. Again and again: a walsender can be caught while it tells a client that does not
        read that it was terminated."""
        def freed():
            self._end_stream(name)
            time.sleep(0.1)
            return not self.slot(name)["active"]
        wait_until(freed, 20, f"slot {name} free", interval_s=0.5)

    def drop_slot(self, name):
        def drop():
            self._end_stream(name)
            with contextlib.suppress(psycopg.errors.ObjectInUse):
                self.server.query("select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = %s", name)
            return self.slot(name) is None
        wait_until(drop, 10, f"slot {name} dropped")
