"""`walduct doctor`: each fault that is planted is found, with its hint; nothing is said of a healthy pair; nothing is changed."""
import json
import os
import subprocess
import uuid

import pytest
from confluent_kafka.admin import AclOperation
from test_security import SecureBroker, acl, certificates, sasl  # noqa: F401

from support.kafka import create_topic, set_topic, topics_with_prefix
from support.wait import wait_until

TABLES = "create table orders (id int primary key, note text); insert into orders values (1, 'one');"
QUIET_NOTICES = {"wal_keep_unlimited", "slot_in_use", "slot_inactive", "offset_topic_missing"}


def examine(connector, *arguments):
    """(exit code, {reason: finding})"""
    done = connector.call("doctor", "--json", *arguments, timeout_s=120)
    assert done.returncode in (0, 1, 2) and done.stdout, done.stderr
    findings = json.loads(done.stdout)["connectors"][0]["findings"]
    return done.returncode, {finding["reason"]: finding for finding in findings}


def found(connector, severity, reason, *words):
    """This fault is found, said with these words, and counts."""
    code, findings = examine(connector)
    assert reason in findings, (code, findings)
    finding = findings[reason]
    assert finding["severity"] == severity and code == {"error": 2, "warning": 1}.get(severity, code), (code, findings)
    for word in words:
        assert word in finding["message"] + " -> " + finding["hint"], finding
    return findings


def test_a_healthy_pair(db, connectors):
    db.script(TABLES)
    connector = connectors(db).start().wait_streaming()
    code, findings = examine(connector)
    assert code == 0 and set(findings) <= QUIET_NOTICES and "slot_in_use" in findings, findings
    text = connector.call("doctor")
    assert text.returncode == 0 and "0 errors, 0 warnings" in text.stdout and "PostgreSQL 15" in text.stdout
    connector.stop()
    code, findings = examine(connector)
    assert code == 0 and set(findings) <= QUIET_NOTICES and "slot_inactive" in findings, findings


def test_before_the_first_start_nothing_is_made(db, connectors, broker):
    db.script(TABLES)
    topic = f"{db.name}-offsets"
    connector = connectors(db, worker={"offset.storage.file.filename": None, "offset.storage.topic": topic})
    code, findings = examine(connector)
    assert code == 0 and "offset_topic_missing" in findings and set(findings) <= QUIET_NOTICES, findings
    assert not topics_with_prefix(broker, db.name) and not db.publications() and not db.slots()


def test_publications_and_tables(db, connectors):
    db.script(TABLES + "create table lines (id int); create table unpublished (id int primary key);"
              f'create publication "{db.name}" for table lines;')
    connector = connectors(db, {"publication.autocreate.mode": "disabled"})
    findings = found(connector, "warning", "publication_refuses_writes", "public.lines", "REPLICA IDENTITY FULL")
    assert "public.unpublished" in findings["publication_lacks_tables"]["message"]
    db.script(f'drop publication "{db.name}"')
    found(connector, "error", "publication_missing", "CREATE PUBLICATION", db.name)
    connector.config["publication.autocreate.mode"] = "filtered"
    found(connector, "warning", "publication_would_refuse_writes", "public.lines")
    connector.config["table.include.list"] = "public.order"
    found(connector, "error", "publication_without_tables", "table.include.list")
    assert "no_tables_captured" in examine(connector)[1]
    assert not db.publications()


def test_rights(databases, pg17, connectors):
    """A role without any of the rights of docs/security.md."""
    db = databases(pg17)
    db.script(TABLES)
    role = f"doctor_{uuid.uuid4().hex[:8]}"
    db.script(f"create role {role} login password 'x' valid until '{in_days(3)}'")
    try:
        connector = connectors(db, {"database.user": role, "database.password": "x"})
        findings = found(connector, "error", "role_may_not_replicate", f'ALTER ROLE "{role}" REPLICATION')
        assert f'GRANT SELECT ON "public"."orders" TO "{role}"' in findings["table_not_readable"]["hint"]
        assert "publication_not_permitted" in findings and findings["password_expires"]["severity"] == "warning"
        db.script(f"alter role {role} replication; grant usage on schema public to {role}; grant select on orders to {role};"
                  "alter table orders enable row level security")
        found(connector, "error", "row_security_hides_rows", '"public"."orders"', f'ALTER ROLE "{role}" BYPASSRLS')
    finally:
        db.script(f"drop owned by {role}; drop role {role}")


def test_the_script_of_fix_is_run(databases, pg17, connectors, tmp_path):
    """As it is printed; afterwards nothing of it is found any more, and the connector starts."""
    db = databases(pg17)
    db.script('create schema "My shop"; create table "My shop"."o\'rders" (id int primary key)')
    role = f"Doctor's {uuid.uuid4().hex[:8]}"
    db.script(f"create role \"{role}\" login password 'x'")
    try:
        connector = connectors(db, {"database.user": role, "database.password": "x", "schema.include.list": "My shop",
                                    "publication.name": db.name})
        assert {"role_may_not_replicate", "table_not_readable", "publication_not_permitted"} <= set(examine(connector)[1])
        done = connector.call("doctor", "--fix", timeout_s=120)
        script = tmp_path / "fix.sh"
        script.write_text(done.stdout)
        environment = {**os.environ, "PGUSER": pg17.user, "PGPASSWORD": pg17.password}
        run = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and run.returncode == 0, (done.stdout, run.stderr)
        code, findings = examine(connector)
        assert code == 0, (findings, done.stdout)
        connector.start().wait_streaming()
        connector.stop()
    finally:
        db.script(f'drop owned by "{role}"; drop role "{role}"')


def in_days(days):
    import datetime
    return (datetime.datetime.now() + datetime.timedelta(days=days)).isoformat()


def test_slots_and_positions(db, connectors):
    db.script(TABLES)
    connector = connectors(db)
    db.execute("select pg_create_logical_replication_slot(%s, 'test_decoding')", db.name)
    found(connector, "error", "slot_wrong_plugin", "test_decoding")
    db.drop_slot(db.name)
    connector.start().wait_streaming()
    db.execute("insert into orders values (2, 'two')")
    connector.wait_events(lambda events: len(events) >= 2)
    connector.stop()
    offsets = connector.dir / "offsets.dat"
    kept = offsets.read_bytes()
    offsets.unlink()
    found(connector, "error", "offset_missing", db.name)
    assert not offsets.exists()
    offsets.write_bytes(kept)
    db.drop_slot(db.name)
    findings = examine(connector)[1]
    assert any(finding["severity"] == "error" for finding in findings.values()), findings


def test_settings_of_a_server(private_servers, databases, connectors):
    servers = private_servers(postgres=18, pg_set={"max_slot_wal_keep_size": "32MB", "wal_sender_timeout": "2s",
                                                   "idle_replication_slot_timeout": "1d"})
    db = databases(servers.postgres)
    db.script(TABLES)
    connector = connectors(db)
    findings = found(connector, "warning", "wal_keep_small", "32 MB", "max_slot_wal_keep_size")
    assert {"wal_sender_timeout_short", "idle_slot_timeout_set"} <= set(findings), findings
    connector.start().wait_streaming()
    connector.stop()

    def lost():
        db.execute("select pg_logical_emit_message(false, 'x', repeat('y', 1000000))")
        db.execute("select pg_switch_wal()")
        db.execute("checkpoint")
        return db.slot(db.name)["wal_status"] == "lost"
    wait_until(lost, 60, "the slot is lost", interval_s=0.01)
    found(connector, "error", "slot_lost", db.name)


def test_a_server_without_logical_decoding(private_servers, databases, connectors):
    db = databases(private_servers(postgres=17, pg_set={"wal_level": "replica"}).postgres)
    db.script(TABLES)
    found(connectors(db), "error", "wal_level_not_logical", "ALTER SYSTEM SET wal_level = logical")


def test_topics(db, connectors, strict_broker):
    db.script(TABLES)
    offsets, topic = f"{db.name}-offsets", f"{db.name}.public.orders"
    connector = connectors(db, worker={"bootstrap.servers": strict_broker, "offset.storage.file.filename": None,
                                       "offset.storage.topic": offsets})
    found(connector, "error", "topic_missing", f"--create --topic {topic}", "auto.create.topics.enable=false")
    connector.config["topic.creation.default.partitions"] = "1"
    connector.config["topic.creation.default.replication.factor"] = "1"
    assert examine(connector)[0] == 0, "the connector creates it"
    create_topic(strict_broker, topic, **{"max.message.bytes": "5000"})
    found(connector, "warning", "message_limit_small", topic, "5000", "kafka-configs")
    set_topic(strict_broker, topic, max_message_bytes="2000000")
    create_topic(strict_broker, offsets, **{"cleanup.policy": "delete"})
    found(connector, "error", "offset_topic_not_compacted", offsets, "cleanup.policy=compact")


def test_servers_that_are_away(db, connectors):
    db.script(TABLES)
    connector = connectors(db, {"value.converter": "io.confluent.connect.avro.AvroConverter",
                                "value.converter.schema.registry.url": "http://127.0.0.1:1"},
                           worker={"bootstrap.servers": "127.0.0.1:1"})
    code, findings = examine(connector)
    assert code == 2 and {"broker_unavailable", "registry_unreachable"} <= set(findings), findings
    connector.config["database.password"] = "wrong"
    connector.config["value.converter"] = connector.config["key.converter"]
    code, findings = examine(connector)
    assert code == 2 and {"broker_unavailable", "authentication_failed", "password_refused"} & set(findings), findings


def test_rights_in_kafka(private_servers, db, connectors, certificates):  # noqa: F811
    db.script(TABLES)
    broker, topic = SecureBroker(private_servers, certificates), f"{db.name}.public.orders"
    create_topic(broker.plain, topic)
    for future in broker.admin.create_acls([acl("alice", topic, AclOperation.DESCRIBE)]).values():
        future.result()
    security = {**sasl("PLAIN", "alice", "alice-secret"), **broker.trust()}
    connector = connectors(db, worker={"bootstrap.servers": broker.sasl_ssl, **{f"producer.{k}": v for k, v in security.items()},
                                       **security})
    found(connector, "error", "topic_authorization_failed", topic, "--allow-principal User:alice")


@pytest.mark.parametrize("change", [{"snapshot.mode": "sometimes"}])
def test_a_configuration_that_is_refused(db, connectors, change):
    done = connectors(db, change).call("doctor")
    assert done.returncode == 2 and "snapshot.mode" in done.stderr and not done.stdout
