"""SEC-07: TLS, SASL and ACLs of Kafka."""
import re
import subprocess
import time

import pytest

from support.connector import properties_text
from support.kafka import read_topics
from support.secure_broker import CONNECTION_STRING, EVENT_HUBS_USER, SecureBroker, sasl, security_of
from support.tls import Authority
from support.wait import wait_until
from test_security import TABLE, certificates, refused  # noqa: F401


@pytest.fixture
def secure_broker(private_servers, certificates):
    return SecureBroker(private_servers, certificates)


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


@pytest.mark.parametrize("form", ["connector", "Debezium Server"])
def test_the_login_of_event_hubs(secure_broker, db, connectors, form):
    """User and password are no expressions, though one begins with a dollar and the other has semicolons and equals signs."""
    db.script(TABLE)
    secure_broker.grant(EVENT_HUBS_USER, db.name)
    security = {**sasl("PLAIN", EVENT_HUBS_USER, CONNECTION_STRING), **secure_broker.trust()}
    connector = connectors(db, {**security_of("producer.override.", security), "bootstrap.servers": secure_broker.sasl_ssl}, name="kafka")
    if form == "Debezium Server":
        path = connector.dir / "application.properties"
        path.write_text(properties_text({
            "debezium.sink.type": "kafka", **security_of("debezium.sink.kafka.producer.", security),
            "debezium.sink.kafka.producer.bootstrap.servers": secure_broker.sasl_ssl,
            "debezium.format.key.schemas.enable": "false", "debezium.format.value.schemas.enable": "false",
            **security_of("debezium.source.", {name: value for name, value in {**connector.config, **connector.worker}.items()
                                               if not name.startswith(("producer.", "bootstrap.", "key.", "value."))})}))
        connector.files = lambda: ["-f", path]
    connector.start().wait_streaming()
    db.execute("insert into public.orders values (100, 'x')")
    arrived(secure_broker, connector, 2)
    connector.stop()
    told = connector.log_text()
    assert "SharedAccessKey=" not in told and "c2hhcmVk" not in told


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
