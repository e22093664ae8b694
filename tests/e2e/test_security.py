"""SEC, PRM: encrypted and authenticated connections, roles with no more rights than docs/security.md gives them."""
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.documented_roles import DocumentedRoles
from support.http import Surface
from support.paths import ROOT
from support.postgres import CDC_ROLE
from support.sql import split_statements
from support.tls import Authority, give_to_postgres
from support.wait import wait_until

TABLE = "create table public.orders (id int primary key, note text); insert into public.orders values (1, 'one');"


@pytest.fixture
def certificates():
    """A folder that the server's own user can enter, too."""
    directory = Path(tempfile.mkdtemp(prefix="walduct-tls-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


def streams(connector, database, note="two"):
    """A row that is written now arrives."""
    connector.wait_streaming()
    key = int(database.value("select max(id) + 1 from public.orders"))
    database.execute("insert into public.orders values (%s, %s)", key, note)
    connector.wait_events(lambda events: any(e.key and e.key_json["id"] == key for e in events))


def refused(connector, reason, *words):
    code = connector.run_to_end()
    log = connector.log_text()
    assert code == 3 and f"reason={reason}" in log, (code, log)
    for word in words:
        assert word in log, (word, log)


# --- PostgreSQL ---

class SecureServer:
    """A PostgreSQL with TLS; `use` gives it another certificate."""

    def __init__(self, private_servers, directory):
        self.dir = directory
        self.authority = Authority(directory / "ca")
        first = self.authority.issue("server", ["localhost", "127.0.0.1"])
        give_to_postgres(*first)
        self.servers = private_servers(postgres=15, pg_set={
            "ssl": "on", "ssl_cert_file": first[0], "ssl_key_file": first[1], "ssl_ca_file": self.authority.certificate})
        self.server = self.servers.postgres

    def use(self, files):
        give_to_postgres(*files)
        for name, path in zip(("ssl_cert_file", "ssl_key_file"), files):
            self.server.query(f"alter system set {name} = '{path}'")
        self.reload()

    def allow_first(self, line):
        hba = Path(self.servers.values["PG_DATA"]) / "pg_hba.conf"
        hba.write_text(f"{line}\n{hba.read_text()}")
        self.reload()

    def reload(self):
        before = self.server.query("select pg_conf_load_time()")
        self.server.query("select pg_reload_conf()")
        wait_until(lambda: self.server.query("select pg_conf_load_time()") != before, 10, "configuration loaded")


@pytest.fixture
def secure(private_servers, certificates):
    return SecureServer(private_servers, certificates)


def test_SEC_01_server_certificate(secure, databases, connectors, certificates):
    """verify-full accepts the right server and says what is wrong with any other."""
    db = databases(secure.server)
    db.script(TABLE)
    full = {"database.sslmode": "verify-full", "database.sslrootcert": str(secure.authority.certificate)}
    good = connectors(db, full, name="good").start()
    streams(good, db)
    assert db.server.query("select ssl from pg_stat_ssl join pg_stat_replication using (pid)") == [(True,)]
    good.stop()
    other = Authority(certificates / "other", "another authority")
    refused(connectors(db, {**full, "database.sslrootcert": str(other.certificate)}, name="ca"), "tls_untrusted", "openssl s_client")
    refused(connectors(db, {**full, "database.sslrootcert": "/no/such/ca.pem"}, name="none"), "tls_root_missing",
            "database.sslrootcert")
    secure.use(secure.authority.issue("elsewhere", ["db.example.com"]))
    refused(connectors(db, full, name="host"), "tls_host_mismatch", "verify-ca")
    ca_only = connectors(db, {**full, "database.sslmode": "verify-ca", "snapshot.mode": "no_data"}, name="host-unchecked").start()
    ca_only.wait_streaming().stop()
    secure.use(secure.authority.issue("expired", ["localhost", "127.0.0.1"], expired=True))
    refused(connectors(db, full, name="expired"), "tls_untrusted", "expired")


def test_SEC_01_client_certificate(secure, databases, connectors):
    db = databases(secure.server)
    db.script(TABLE)
    role = f"{db.name}_client"
    db.script(f'create role "{role}" superuser login; grant all on database "{db.name}" to "{role}";')
    secure.allow_first(f"hostssl {db.name} {role} all cert")
    certificate, key = secure.authority.issue(role)
    own = {"database.user": role, "database.password": None, "database.sslmode": "verify-full",
           "database.sslrootcert": str(secure.authority.certificate)}
    files = {"database.sslcert": str(certificate), "database.sslkey": str(key)}
    refused(connectors(db, own, name="none"), "client_certificate_required", "database.sslcert")
    stranger = secure.authority.issue("stranger")
    refused(connectors(db, {**own, "database.sslcert": str(stranger[0]), "database.sslkey": str(stranger[1])}, name="stranger"),
            "client_certificate_refused", "CN is the role")
    connector = connectors(db, {**own, **files}, name="good").start()
    streams(connector, db)
    connector.stop()

    encrypted = certificate.with_name("encrypted.key")
    subprocess.run(["openssl", "pkcs8", "-topk8", "-in", key, "-out", encrypted, "-passout", "pass:s3sam"], check=True)
    encrypted.chmod(0o600)
    files["database.sslkey"] = str(encrypted)
    refused(connectors(db, {**own, **files}, name="locked"), "tls_key_unusable", "database.sslpassword")
    assert "pass phrase" not in connectors.all[-1].log_text(), "nobody is asked at a terminal"
    connectors(db, {**own, **files, "database.sslpassword": "s3sam", "snapshot.mode": "no_data"}, name="unlocked").start().wait_streaming().stop()


def test_refused_address(secure, databases, connectors):
    db = databases(secure.server)
    db.script(TABLE)
    secure.allow_first(f"host {db.name} {CDC_ROLE} all reject")
    refused(connectors(db, name="rejected"), "address_not_allowed", "reject")


def test_SEC_03_environment_of_libpq_has_no_say(db, connectors):
    db.script(TABLE)
    nonsense = {"PGHOSTADDR": "192.0.2.1", "PGHOST": "no-such-host.invalid", "PGPORT": "1", "PGSSLMODE": "verify-full",
                "PGSSLROOTCERT": "/no/such/ca.pem", "PGSERVICE": "nowhere", "PGSERVICEFILE": "/no/such/file", "PGPASSFILE": "/dev/null",
                "PGPASSWORD": "wrong", "PGOPTIONS": "-c no_such_setting=1", "PGCHANNELBINDING": "require", "PGREQUIREPEER": "nobody",
                "PGTARGETSESSIONATTRS": "standby", "PGUSER": "nobody", "PGDATABASE": "nowhere"}
    connector = connectors(db).start(environment=nonsense)
    streams(connector, db)
    assert connector.logged("environment variables .* are ignored.*PGHOSTADDR.*PGSERVICE")
    connector.stop()


def test_a_secret_on_the_command_line_is_warned_about(db, connectors):
    connector = connectors(db)
    validated = connector.call("validate", "-o", "database.password=s3sam", "-o", "database.passwort=s3sam")
    assert "(ps)" in validated.stdout and "s3sam" not in validated.stdout + validated.stderr, validated.stdout


def test_SEC_03_password_is_changed_while_it_runs(db, connectors, tmp_path):
    """On the server first, in the file later: the connector waits between the two, and goes on."""
    db.script(TABLE)
    role = f"{db.name}_cdc"
    db.script(f"create role \"{role}\" superuser login password 'first'")
    secrets = tmp_path / "secrets"
    secrets.write_text("pg=first\n")
    connector = connectors(db, {"database.user": role, "database.password": "${file:%s:pg}" % secrets, "retriable.restart.connector.wait.ms": "200"})
    try:
        connector.start("--listen", "127.0.0.1:0")
        streams(connector, db)
        surface = Surface(connector)
        wait_until(lambda: surface.status().get("slot", {}).get("wal_status") == "reserved", 30, "the slot was looked at")
        db.execute(f"alter role \"{role}\" password 'second'")
        db.server.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = %s", role)
        connector.wait_log("password_refused|password authentication failed")
        wait_until(lambda: surface.status()["slot"]["wal_status"] == "unknown", 10, "nobody can say how the slot is")
        status = surface.status()
        assert status["slot"]["last_wal_status"] == "reserved" and status["lag_seconds"] > 0, status
        assert surface.value("walduct_slot_wal_status", status="reserved") == 0
        wait_until(lambda: surface.status()["lag_seconds"] > status["lag_seconds"] + 1, 10, "it grows")
        secrets.write_text("pg=second\n")
        streams(connector, db, "after")
        wait_until(lambda: surface.status()["slot"]["wal_status"] == "reserved", 30, "it is known again")
        connector.stop()
    finally:
        connector.close()
        db.server.query(f'reassign owned by "{role}" to postgres', database=db.name)
        db.server.query(f'drop owned by "{role}"', database=db.name)
        db.server.query(f'drop role "{role}"')


# --- rights in PostgreSQL ---

@pytest.mark.parametrize("mode", ["disabled", "all_tables", "filtered", "no_tables"])
def test_PRM_01_documented_role(db, connectors, mode):
    """The SQL of docs/security.md is enough for each mode."""
    db.script(TABLE)
    documented = DocumentedRoles(db)
    run, roles = documented.run, documented.roles
    connector = connectors(db, {"database.user": roles["walduct_cdc"], "database.password": "change-me",
                                "publication.autocreate.mode": mode})
    try:
        run("role")
        run("disabled" if mode == "all_tables" else mode)
        connector.start()
        connector.wait_streaming()
        if mode == "no_tables":
            db.execute(f'alter publication "{db.name}" add table public.orders')
        streams(connector, db)
        assert not db.server.query("select 1 from pg_roles where rolname = %s and (rolsuper or rolcreatedb or rolcreaterole)",
                                   roles["walduct_cdc"])
        connector.stop()
    finally:
        connector.close()
        documented.drop()


def test_PRM_01_role_of_the_example(db, connectors):
    """docker/example as it is: what the compose file starts runs without a superuser."""
    role = f"{db.name}_cdc"
    for statement in split_statements((ROOT / "docker/example/tables.sql").read_text().replace("walduct_cdc", role)):
        db.execute(statement)
    try:
        example = json.loads((ROOT / "docker/example/connector.json").read_text())["config"]
        compose = re.search(r"DATABASE_PASSWORD: (\w+)", (ROOT / "docker/compose.yaml").read_text())[1]
        mine = {"publication.name": example["publication.name"], "publication.autocreate.mode": example["publication.autocreate.mode"],
                "table.include.list": example["table.include.list"], "schema.include.list": None,
                "database.user": example["database.user"].replace("walduct_cdc", role), "database.password": compose}
        connector = connectors(db, mine, sink="file").start().wait_streaming()
        db.execute("update customers set name = 'Eve' where id = 1")
        events = connector.wait_events(4)
        assert [(e.table, e.op, e.id) for e in events] == [("customers", "r", 1), ("customers", "r", 2), ("orders", "r", 100), ("customers", "u", 1)]
        assert not db.server.query("select 1 from pg_roles where rolname = %s and (rolsuper or rolcreatedb or rolcreaterole)", role)
        connector.stop()
    finally:
        db.server.query(f'drop owned by "{role}"', database=db.name)
        db.server.query(f'drop role "{role}"')


def test_PRM_02_role_without_connect(db, connectors):
    role = f"{db.name}_cdc"
    db.script(f"create role \"{role}\" login replication password 'x'; revoke connect on database \"{db.name}\" from public;")
    try:
        refused(connectors(db, {"database.user": role, "database.password": "x"}), "may_not_connect", "GRANT CONNECT ON DATABASE")
    finally:
        db.server.query(f'drop role "{role}"')


def test_what_run_refuses_validate_finds(db, connectors):
    connector = connectors(db, {"producer.override.security.protocol": "SSL",
                                "producer.override.ssl.truststore.location": "/no/such/store.jks"})
    validated = connector.call("validate")
    assert validated.returncode == 2 and "/no/such/store.jks" in validated.stdout, validated.stdout
    assert connector.run_to_end() == 2
