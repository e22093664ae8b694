"""SEC, PRM: encrypted and authenticated connections, roles with no more rights than docs/security.md gives them."""
import json
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from confluent_kafka.admin import (AclBinding, AclBindingFilter, AclOperation, AclPermissionType, AdminClient,
                                   ResourcePatternType, ResourceType, ScramCredentialInfo, ScramMechanism,
                                   UserScramCredentialUpsertion)

from support.documented_roles import DocumentedRoles
from support.http import Surface
from support.kafka import QUIET, read_topics
from support.paths import ROOT
from support.postgres import CDC_ROLE
from support.servers import free_ports
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


# --- Kafka ---

class SecureBroker:
    """One broker with TLS (client certificates asked for), SASL over TLS and ACLs; its plain listener is the superuser's."""

    def __init__(self, private_servers, directory):
        self.authority = Authority(directory / "kafka-ca")
        certificate, key = self.authority.issue("broker", ["localhost", "127.0.0.1"])
        store = directory / "broker.pem"
        pkcs8 = subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", key], check=True, capture_output=True, text=True).stdout
        store.write_text(pkcs8 + certificate.read_text())
        ports = dict(zip(("PLAINTEXT", "SSL", "SASL_SSL", "CONTROLLER"), free_ports(4)))
        listeners = ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items())
        plain = "org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=\"alice-secret\";"
        scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        unsecured = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"  # takes unsigned tokens
        self.servers = private_servers(kafka=True, kafka_set={
            "listeners": listeners,
            "advertised.listeners": listeners.rpartition(",")[0],
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT",
            "controller.quorum.voters": f"1@127.0.0.1:{ports['CONTROLLER']}",
            "ssl.keystore.type": "PEM", "ssl.keystore.location": store,
            "ssl.truststore.type": "PEM", "ssl.truststore.location": self.authority.certificate,
            "ssl.client.auth": "requested",
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512,OAUTHBEARER",
            "listener.name.sasl_ssl.oauthbearer.sasl.jaas.config": unsecured,
            "listener.name.sasl_ssl.plain.sasl.jaas.config": plain,
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": scram,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
        })
        self.plain, self.ssl, self.sasl_ssl = (f"127.0.0.1:{ports[name]}" for name in ("PLAINTEXT", "SSL", "SASL_SSL"))
        self.admin = AdminClient({"bootstrap.servers": self.plain, **QUIET})

    def trust(self):
        return {"ssl.truststore.location": str(self.authority.certificate)}

    def grant(self, user, topic):
        self.admin.create_acls([acl(user, topic, operation) for operation in
                                (AclOperation.DESCRIBE, AclOperation.WRITE, AclOperation.CREATE)])
        for future in self.admin.create_acls([acl(user, topic, AclOperation.READ)]).values():
            future.result()

    def allow_reading_configs(self, user, topic):
        for future in self.admin.create_acls([acl(user, topic, AclOperation.DESCRIBE_CONFIGS)]).values():
            future.result()

    def revoke(self, user):
        filter_all = AclBindingFilter(ResourceType.ANY, None, ResourcePatternType.ANY, f"User:{user}", None, AclOperation.ANY,
                                      AclPermissionType.ANY)
        for future in self.admin.delete_acls([filter_all]).values():
            future.result()

    def add_scram_user(self, user, password):
        change = UserScramCredentialUpsertion(user, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), password.encode())
        for future in self.admin.alter_user_scram_credentials([change]).values():
            future.result()


def acl(user, topic, operation):
    return AclBinding(ResourceType.TOPIC, topic, ResourcePatternType.PREFIXED, f"User:{user}", "*", operation,
                      AclPermissionType.ALLOW)


@pytest.fixture
def secure_broker(private_servers, certificates):
    return SecureBroker(private_servers, certificates)


def sasl(mechanism, user, password):
    module = "plain.PlainLoginModule" if mechanism == "PLAIN" else "scram.ScramLoginModule"
    return {"security.protocol": "SASL_SSL", "sasl.mechanism": mechanism, "sasl.jaas.config":
            f'org.apache.kafka.common.security.{module} required username="{user}" password="{password}";'}


def one_line(path):
    return " ".join(path.read_text().split("\n"))


def arrived(broker, connector, count):
    wait_until(lambda: len(read_topics(broker.plain, connector.prefix)) >= count, 40, f"{count} records")


def test_SEC_07_kafka_with_tls_and_sasl(secure_broker, db, connectors, certificates):
    """PLAIN with a PEM truststore, SCRAM with a JKS one, and a client certificate as PEM on one line."""
    db.script(TABLE)
    broker = secure_broker
    broker.add_scram_user("bob", "bob-secret")
    certificate, key = broker.authority.issue("carol")
    for user in ("alice", "bob", "CN=carol"):
        broker.grant(user, db.name)
    jks = certificates / "trust.jks"
    subprocess.run(["keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", broker.authority.certificate, "-keystore", jks,
                    "-storetype", "JKS", "-storepass", "changeit"], check=True, capture_output=True)
    java = {"ssl.truststore.location": str(jks), "ssl.truststore.password": "changeit", "ssl.truststore.type": "JKS",
            "ssl.cipher.suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_AES_256_GCM_SHA384", "ssl.enabled.protocols": "TLSv1.2,TLSv1.3"}
    pkcs8 = subprocess.run(["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", key], check=True, capture_output=True, text=True).stdout
    own = {"security.protocol": "SSL", "ssl.keystore.type": "PEM", "ssl.keystore.certificate.chain": one_line(certificate),
           "ssl.keystore.key": pkcs8.replace("\n", "\\n"), "ssl.truststore.type": "PEM",
           "ssl.truststore.certificates": one_line(broker.authority.certificate)}
    ways = [(broker.sasl_ssl, {**sasl("PLAIN", "alice", "alice-secret"), **broker.trust()}),
            (broker.sasl_ssl, {**sasl("SCRAM-SHA-512", "bob", "bob-secret"), **java}),
            (broker.ssl, own)]
    for number, (address, security) in enumerate(ways):
        connector = connectors(db, {**security_of("producer.override.", security), "bootstrap.servers": address,
                                    "snapshot.mode": "no_data" if number else "initial"}, name=f"way{number}")
        connector.start().wait_streaming()
        db.execute("insert into public.orders values (%s, 'x')", 100 + number)
        arrived(broker, connector, number + 2)
        connector.stop()
    wrong = connectors(db, {**security_of("producer.override.", {**sasl("PLAIN", "alice", "wrong"), **broker.trust()}),
                            "bootstrap.servers": broker.sasl_ssl, "snapshot.mode": "no_data"}, name="wrong")
    refused(wrong, "kafka_authentication_failed")
    untrusted = connectors(db, {**security_of("producer.override.", {"security.protocol": "SSL", "ssl.truststore.location":
                                str(Authority(certificates / "other").certificate)}), "bootstrap.servers": broker.ssl,
                                "snapshot.mode": "no_data"}, name="untrusted")
    refused(untrusted, "kafka_tls_failed")


def security_of(prefix, properties):
    return {prefix + name: value for name, value in properties.items()}


def test_SEC_07_rights_taken_away_and_given_back(secure_broker, db, connectors):
    """A missing right is waited for, named, and nothing is lost."""
    db.script(TABLE)
    broker = secure_broker
    security = {**sasl("PLAIN", "alice", "alice-secret"), **broker.trust()}
    config = {**security_of("producer.override.", security), "bootstrap.servers": broker.sasl_ssl}
    connector = connectors(db, config).start()
    connector.wait_log("retrying: .*_authorization_failed hint=.grant the user", 60)
    broker.grant("alice", db.name)
    arrived(broker, connector, 1)
    before = len(re.findall("_authorization_failed", connector.log_text()))
    broker.revoke("alice")
    db.execute("insert into public.orders values (2, 'denied')")
    wait_until(lambda: len(re.findall("_authorization_failed", connector.log_text())) > before, 60, "another refusal")
    broker.grant("alice", db.name)
    db.execute("insert into public.orders values (3, 'granted')")
    arrived(broker, connector, 3)
    assert connector.running()
    connector.stop()


def test_SEC_07_offset_topic_is_the_worker_s(secure_broker, db, connectors):
    """The worker's user may write positions and no records, the connector's records and no positions: each does its own."""
    db.script(TABLE)
    broker = secure_broker
    broker.add_scram_user("worker", "worker-secret")
    broker.grant("alice", db.name)
    broker.grant("worker", f"offsets-{db.name}")
    broker.allow_reading_configs("worker", f"offsets-{db.name}")
    worker = {**sasl("SCRAM-SHA-512", "worker", "worker-secret"), **broker.trust(), "bootstrap.servers": broker.sasl_ssl,
              "offset.storage.topic": f"offsets-{db.name}", "offset.storage.replication.factor": "1", "offset.storage.partitions": "1",
              "offset.storage.file.filename": None}
    mine = security_of("producer.override.", {**sasl("PLAIN", "alice", "alice-secret"), **broker.trust()})
    connector = connectors(db, mine, worker=worker).start().wait_streaming(60)
    db.execute("insert into public.orders values (2, 'x')")
    arrived(broker, connector, 2)
    wait_until(lambda: read_topics(broker.plain, f"offsets-{db.name}"), 30, "a position is stored")
    connector.stop()
    assert not connector.logged("authorization_failed")


def test_SEC_07_kafka_password_is_changed_while_it_runs(secure_broker, db, connectors, tmp_path):
    """On the broker first, in the file later: records and positions wait between the two, and both go on with the new password."""
    db.script(TABLE)
    broker = secure_broker
    broker.add_scram_user("bob", "first")
    broker.grant("bob", db.name)
    broker.grant("bob", f"offsets-{db.name}")
    broker.allow_reading_configs("bob", f"offsets-{db.name}")
    secrets = tmp_path / "secrets"
    secrets.write_text("bob=first\n")
    security = {**sasl("SCRAM-SHA-512", "bob", "${file:%s:bob}" % secrets), **broker.trust()}
    worker = {**security, **security_of("producer.", security), "bootstrap.servers": broker.sasl_ssl, "offset.storage.topic": f"offsets-{db.name}",
              "offset.storage.replication.factor": "1", "offset.storage.partitions": "1", "offset.storage.file.filename": None}
    connector = connectors(db, {"retriable.restart.connector.wait.ms": "500"}, worker=worker).start().wait_streaming(60)
    arrived(broker, connector, 1)
    broker.add_scram_user("bob", "second")
    broker.servers.do("stop-kafka")
    broker.servers.do("start-kafka")
    db.execute("insert into public.orders values (2, 'while')")
    time.sleep(5)
    assert connector.running()
    secrets.write_text("bob=second\n")
    arrived(broker, connector, 2)
    assert connector.logged("reason=kafka_secrets_changed")
    flushed = db.value("select pg_current_wal_lsn()")
    db.execute("insert into public.orders values (3, 'after')")
    arrived(broker, connector, 3)
    wait_until(lambda: db.value("select confirmed_flush_lsn > %s from pg_replication_slots where slot_name = %s", flushed, connector.slot), 60,
               "the position is stored")
    connector.stop()


def test_SEC_07_a_topic_that_is_denied_can_cost_its_records_only(secure_broker, db, connectors):
    """walduct.errors.topic.denied=skip: counted and logged, the other topics flow on."""
    db.script(TABLE + "; create table public.open (id int primary key)")
    broker = secure_broker
    broker.grant("alice", f"{db.name}.public.open")
    security = {**sasl("PLAIN", "alice", "alice-secret"), **broker.trust()}
    connector = connectors(db, {**security_of("producer.override.", security), "bootstrap.servers": broker.sasl_ssl,
                                "walduct.errors.topic.denied": "skip"}).start().wait_streaming()
    db.execute("insert into public.orders values (2, 'denied')")
    db.execute("insert into public.open values (1)")
    arrived(broker, connector, 1)
    assert {record.topic for record in read_topics(broker.plain, connector.prefix)} == {f"{db.name}.public.open"}
    assert connector.logged(r"warning .*record not published: .*record=\"?table public\.orders.*reason=topic_authorization_failed")
    connector.stop()


def test_what_run_refuses_validate_finds(db, connectors):
    connector = connectors(db, {"producer.override.security.protocol": "SSL",
                                "producer.override.ssl.truststore.location": "/no/such/store.jks"})
    validated = connector.call("validate")
    assert validated.returncode == 2 and "/no/such/store.jks" in validated.stdout, validated.stdout
    assert connector.run_to_end() == 2
