"""A server whose messages are not English: reason and hint are those of an English one."""
import os
from pathlib import Path

import pytest

from support import servers
from support.wait import wait_until

TABLE = "create table orders (id int primary key, note text); insert into orders values (1, 'one')"


class Abroad:
    def __init__(self):
        self.servers = servers.shared("pg15-ru", postgres=15, language=os.environ.get("SERVERS_PG_LANGUAGE", "ru_RU"))
        self.server = self.servers.postgres

    def allow_first(self, line):
        hba = Path(self.servers.values["PG_DATA"]) / "pg_hba.conf"
        hba.write_text(f"{line}\n{hba.read_text()}")
        before = self.server.query("select pg_conf_load_time()")
        self.server.query("select pg_reload_conf()")
        wait_until(lambda: self.server.query("select pg_conf_load_time()") != before, 10, "configuration loaded")


@pytest.fixture(scope="module")
def abroad():
    return Abroad()


@pytest.fixture
def foreign(abroad, databases):
    db = databases(abroad.server)
    assert any(ord(c) > 127 for c in str(db.execute("select current_setting('lc_messages')")) + _message(db))
    db.script(TABLE)
    return db


def _message(db):
    try:
        db.execute("select 1 / 0")
    except Exception as error:  # noqa: BLE001
        return str(error)


def refused(connector, reason, hint, code=3):
    ended = connector.run_to_end()
    log = connector.log_text()
    assert ended == code and f"reason={reason} " in log and hint in log, (ended, log)
    return log


def test_logins(abroad, foreign, connectors):
    """Whose words come before the session has a language of its own."""
    def tried(reason, hint, **config):
        refused(connectors(foreign, {name.replace("_", "."): value for name, value in config.items()}), reason, hint)

    tried("wrong_password", "database.password", database_password="no")
    tried("database_missing", "check database.dbname", database_dbname="nowhere")
    role = f"{foreign.name}_login"
    foreign.execute(f"create role \"{role}\" nologin replication password 'x'")
    own = {"database_user": role, "database_password": "x"}
    tried("role_may_not_log_in", "LOGIN", **own)
    foreign.execute(f'alter role "{role}" login noreplication')
    tried("role_may_not_replicate", f'ALTER ROLE \\"{role}\\" REPLICATION', **own)
    foreign.execute(f'alter role "{role}" replication')
    foreign.execute(f'revoke connect on database "{foreign.name}" from public')
    tried("may_not_connect", "GRANT CONNECT ON DATABASE", **own)
    foreign.execute(f'grant connect on database "{foreign.name}" to "{role}"')
    # As in English: without encryption that is the first thing to try.
    abroad.allow_first(f"host {foreign.name} {role} all reject")
    tried("tls_required", "database.sslmode=require", **own)
    foreign.execute(f'revoke connect on database "{foreign.name}" from "{role}"')
    foreign.execute(f'drop role "{role}"')


def test_slots_and_publications(foreign, connectors):
    connector = connectors(foreign, {"publication.autocreate.mode": "disabled"}, sink="file")
    refused(connector, "publication_missing", "CREATE PUBLICATION")
    foreign.execute(f'create publication "{foreign.name}" for table orders')
    connector.start().wait_streaming()
    other = connectors(foreign, {"publication.autocreate.mode": "disabled", "slot.max.retries": "0"}, sink="file", name="other")
    refused(other, "slot_in_use", "slot.name")
    # The walsender looks for a publication when a change comes.
    foreign.execute(f'drop publication "{foreign.name}"')
    foreign.execute("insert into orders values (2, 'two')")
    assert connector.wait_exit(60) == 3 and connector.logged("reason=publication_missing hint=.*--drop-slot --accept-loss.*a publication serves what was written after")
    foreign.execute("select pg_drop_replication_slot(%s)", connector.slot)
    foreign.execute(f'create publication "{foreign.name}" for table orders')
    refused(connector, "slot_missing|position_lost".split("|")[1], "snapshot", code=4)


def test_statements(foreign, connectors):
    """What a snapshot reads is missing, or locked; an administrator ends a session; the next finds no place; a value is not told."""
    role = f"{foreign.name}_limited"
    foreign.script(f"""create role "{role}" login replication password 'x'; grant select on orders to "{role}";
                       create publication "{foreign.name}" for table orders""")
    own = {"publication.autocreate.mode": "disabled", "database.user": role, "database.password": "x"}
    statement = "snapshot.select.statement.overrides.public.orders"
    override = {"snapshot.select.statement.overrides": "public.orders", statement: "select id, note from nowhere"}
    refused(connectors(foreign, {**own, **override}, sink="file"), "table_missing", statement)
    assert not foreign.slots()
    beats = {"heartbeat.interval.ms": "100", "heartbeat.action.query": "select note::int from (values ('s3cret')) v(note)"}
    connector = connectors(foreign, {**own, **beats}, sink="file").start().wait_streaming()
    connector.wait_log("heartbeat.action.query failed.*SQLSTATE 22P02")
    assert "s3cret" not in connector.log_text()
    foreign.execute(f'alter role "{role}" connection limit 0')
    foreign.server.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = %s", role)
    connector.wait_log("reason=too_many_connections")
    foreign.execute(f'alter role "{role}" connection limit -1')
    connector.wait_log("SQLSTATE 57P01.*reason=server_shutting_down|reason=server_shutting_down.*SQLSTATE 57P01|57P01")
    connector.stop()
    connector.config.update({"snapshot.mode": "always", "snapshot.lock.timeout.ms": "100", "errors.max.retries": "0"})
    with foreign.transaction() as session:
        session.execute("lock table orders in access exclusive mode")
        assert connector.run_to_end() == 1 and connector.logged("reason=lock_timeout hint=.*pg_locks"), connector.log_text()
    foreign.execute("select pg_drop_replication_slot(%s)", connector.slot)
    foreign.script(f'drop owned by "{role}"; drop role "{role}"')


def test_what_is_in_the_way(abroad, foreign, databases, connectors):
    """Slots of another kind or database, rows that the role must not see, a table that it must not read."""
    role = f"{foreign.name}_narrow"
    foreign.script(f"""create role "{role}" login replication password 'x'; create publication "{foreign.name}" for table orders""")
    own = {"publication.autocreate.mode": "disabled", "database.user": role, "database.password": "x"}
    connector = connectors(foreign, own, sink="file")
    refused(connector, "table_not_readable", "GRANT SELECT ON")
    foreign.script(f'grant select on orders to "{role}"; alter table orders enable row level security')
    refused(connector, "row_security_hides_rows", "BYPASSRLS")
    foreign.execute("alter table orders disable row level security")
    for slot in foreign.slots():
        foreign.execute("select pg_drop_replication_slot(%s)", slot)
    foreign.execute("select pg_create_physical_replication_slot(%s)", connector.slot)
    refused(connector, "slot_wrong_plugin", "slot.name")
    foreign.execute("select pg_drop_replication_slot(%s)", connector.slot)
    other = databases(abroad.server)
    other.execute("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)
    refused(connector, "slot_wrong_database", "slot.name")
    other.execute("select pg_drop_replication_slot(%s)", connector.slot)
    foreign.script(f'drop owned by "{role}"; drop role "{role}"')
