"""`walduct doctor`: each fault that is planted is found, with its hint; nothing is said of a healthy pair; nothing is changed."""
import json
import os
import re
import subprocess
import time
import uuid

import pytest
from confluent_kafka.admin import AclOperation
from test_security import certificates  # noqa: F401

from support.http import Surface
from support.kafka import create_topic, delete_topics, set_topic, topics_with_prefix
from support.paths import BINARY
from support.secure_broker import SecureBroker, acl, sasl
from support.wait import wait_until
from support.writer import Writer

TABLES = "create table orders (id int primary key, note text); insert into orders values (1, 'one');"
QUIET_NOTICES = {"wal_keep_unlimited", "slot_inactive", "offset_topic_missing"}


def examine(connector, *arguments):
    """(exit code, {reason: finding})"""
    done = connector.call("doctor", "--json", *arguments, timeout_s=120)
    assert done.returncode in (0, 1, 2) and done.stdout, done.stderr
    findings = json.loads(done.stdout)["connectors"][0]["findings"]
    return done.returncode, {finding["reason"]: finding for finding in findings}


def reasons(connector):
    """{reason: all its findings}"""
    done = connector.call("doctor", "--json", timeout_s=120)
    found = {}
    for finding in json.loads(done.stdout)["connectors"][0]["findings"]:
        found.setdefault(finding["reason"], []).append(finding)
    return found


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
    assert code == 0 and set(findings) <= QUIET_NOTICES, findings
    text = connector.call("doctor")
    assert text.returncode == 0 and "0 errors, 0 warnings" in text.stdout and "PostgreSQL 15" in text.stdout
    connector.stop()
    code, findings = examine(connector)
    assert code == 0 and set(findings) <= QUIET_NOTICES and "slot_inactive" in findings, findings


class Inserts(Writer):
    def change(self, session, choose):
        session.execute("insert into orders values ((select max(id) + 1 from orders), 'w')")
        time.sleep(0.005)
        return 1


def test_a_connector_that_is_busy(db, connectors):
    """What is stored goes on while servers are asked: nothing that was read before and after is compared the wrong way round."""
    db.script(TABLES)
    connector = connectors(db).start().wait_streaming()
    writer = Inserts(db, 1)
    writer.start()
    try:
        connector.wait_events(lambda events: len(events) > 50)
        for _ in range(6):
            code, findings = examine(connector)
            assert code == 0 and set(findings) <= QUIET_NOTICES, findings
    finally:
        writer.stop()
    connector.stop()


def test_a_position_that_only_the_connector_knows(db, connectors, broker):
    """Its topic is deleted while it runs: nothing that is said would stop it, or begin anew."""
    db.script(TABLES)
    topic = f"{db.name}-offsets"
    connector = connectors(db, worker={"offset.storage.file.filename": None, "offset.storage.topic": topic}).start().wait_streaming()
    db.execute("insert into orders values (2, 'two')")
    connector.wait_events(2)
    wait_until(lambda: json.loads(connector.call("offsets", "show").stdout)["offsets"], 30, "a position is stored")
    delete_topics(broker, topic)
    done = connector.call("doctor", "--json", timeout_s=120)
    first = json.loads(done.stdout)["connectors"][0]["findings"][0]
    assert done.returncode == 2 and first["reason"] == "offset_topic_gone", done
    assert f"--create --topic {topic}" in first["hint"] and "do not stop the connector" in first["hint"], first
    assert "offset_missing" not in done.stdout and "pg_drop_replication_slot" not in done.stdout, done
    create_topic(broker, topic, 25, **{"cleanup.policy": "compact"})
    said = examine(connector)[1].get("offset_missing", {})
    assert not said or "do not stop it" in said["hint"] and "pg_drop_replication_slot" not in said["hint"], said
    db.execute("insert into orders values (3, 'three')")
    wait_until(lambda: json.loads(connector.call("offsets", "show").stdout)["offsets"], 30, "it is stored again")
    connector.stop()


def test_a_publication_that_was_dropped(db, connectors):
    """The statement and what comes behind it, in an order that works."""
    db.script(TABLES + f'create publication "{db.name}" for table orders')
    connector = connectors(db, {"publication.autocreate.mode": "disabled"}, sink="file").start().wait_streaming()
    db.execute("insert into orders values (2, 'two')")
    connector.wait_events(2)
    connector.stop()
    db.script(f'drop publication "{db.name}"; insert into orders values (3)')
    hint = examine(connector)[1]["publication_missing"]["hint"]
    assert re.match(rf'CREATE PUBLICATION "{db.name}" [^;]+; then walduct offsets reset [^;]*--drop-slot --accept-loss', hint), hint
    assert "start again" not in hint, hint
    script = connector.call("doctor", "--fix", timeout_s=120).stdout
    assert "psql -X -c 'CREATE PUBLICATION" in script and re.search("# by hand, afterwards: .*--drop-slot --accept-loss", script), script
    db.execute(hint.partition(";")[0])
    assert connector.call("offsets", "reset", "--drop-slot", "--accept-loss").returncode == 0
    connector.start().wait_streaming()
    connector.wait_events(lambda events: {e.id for e in events if e.value} == {1, 2, 3})
    connector.stop()


def test_a_slot_that_is_read(db, connectors):
    """By the connector itself, whatever its name: nothing to find. By somebody else: a start would fail."""
    db.script(TABLES)
    connector, other = connectors(db), connectors(db)
    connector.name = "größe " + "n" * 60  # the server shows neither all of it nor all its letters
    connector.start().wait_streaming()
    code, findings = examine(connector)
    assert code == 0 and set(findings) <= QUIET_NOTICES, findings
    other.name = "other"
    # It lacks a position as well, which is an error once the slot has moved.
    finding = examine(other)[1]["slot_in_use"]
    assert finding["severity"] == "warning" and "application" in finding["message"] and "slot.name" in finding["hint"], finding
    connector.stop()


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
    db.script('create schema "My shop"; create table "My shop"."o\'rders" (id int primary key); create schema "ops"; grant usage on schema ops to public;'
              "create table ops.beat (id int primary key, at timestamptz)")
    role = f"Doctor's {uuid.uuid4().hex[:8]}"
    db.script(f"create role \"{role}\" login password 'x'")
    try:
        connector = connectors(db, {"database.user": role, "database.password": "x", "schema.include.list": "My shop",
                                    "publication.name": db.name, "heartbeat.interval.ms": "1000",
                                    "heartbeat.action.query": "update ops.beat set at = now() where id = 1"})
        assert {"permission_denied", "role_may_not_replicate", "table_not_readable", "publication_not_permitted"} <= set(examine(connector)[1])
        done = connector.call("doctor", "--fix", timeout_s=120)
        script = tmp_path / "fix.sh"
        script.write_text(done.stdout)
        assert f'GRANT SELECT, UPDATE ON "ops"."beat" TO "{role}"'.replace("'", "'\\''") in done.stdout, done.stdout
        environment = {**os.environ, "PGUSER": pg17.user, "PGPASSWORD": pg17.password}
        run = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and run.returncode == 0, (done.stdout, run.stderr)
        code, findings = examine(connector)
        assert code == 0, (findings, done.stdout)
        connector.start().wait_streaming()
        connector.stop()
    finally:
        db.script(f'drop owned by "{role}"; drop role "{role}"')


def test_each_statement_of_the_script_is_printed_once(db, connectors, tmp_path):
    """A signaling table that the lists name, too, is found twice; the second statement would end the script."""
    db.script("create table orders (id int primary key); create table invoices (id int primary key);"
              "create table signals (id varchar(42) primary key, type varchar(32), data varchar(2048));"
              f'create publication "{db.name}" for table orders')
    lists = {"publication.autocreate.mode": "disabled", "schema.include.list": None, "signal.data.collection": "public.signals",
             "table.include.list": "public.orders,public.invoices,public.signals"}
    done = connectors(db, lists).call("doctor", "--fix", timeout_s=120)
    commands = [line for line in done.stdout.splitlines() if line.startswith("psql ")]
    assert sum(line.count("invoices") for line in commands) == sum(line.count("signals") for line in commands) == 1, done.stdout
    script = tmp_path / "fix.sh"
    script.write_text(done.stdout)
    environment = {**os.environ, "PGUSER": db.server.user, "PGPASSWORD": db.server.password}
    run = subprocess.run(["sh", script], env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, (done.stdout, run.stderr)
    assert db.published_tables(db.name) == ["public.invoices", "public.orders", "public.signals"]


def in_days(days):
    import datetime
    return (datetime.datetime.now() + datetime.timedelta(days=days)).isoformat()


def test_slots_and_positions(db, connectors):
    db.script(TABLES)
    connector = connectors(db)
    db.execute("select pg_create_logical_replication_slot(%s, 'test_decoding')", db.name)
    findings = found(connector, "error", "slot_wrong_plugin", "test_decoding")
    assert "start the connector" not in findings["slot_inactive"]["hint"], "it would be refused"
    db.drop_slot(db.name)
    connector.start().wait_streaming()
    db.execute("insert into orders values (2, 'two')")
    connector.wait_events(lambda events: len(events) >= 2)
    connector.stop()
    offsets = connector.dir / "offsets.dat"
    kept = offsets.read_bytes()
    offsets.unlink()
    findings = found(connector, "error", "offset_missing", db.name)
    assert re.match("before a move from a file or .* is the normal case.*offset.storage.file.filename.*offsets import", findings["offset_missing"]["hint"])
    assert "start the connector" not in findings["slot_inactive"]["hint"] and "drop" in findings["slot_inactive"]["hint"]
    assert not offsets.exists()
    offsets.write_bytes(kept)
    assert examine(connector)[1]["slot_inactive"]["hint"].startswith("start the connector")
    db.drop_slot(db.name)
    findings = examine(connector)[1]
    assert any(finding["severity"] == "error" for finding in findings.values()), findings


def test_a_snapshot_under_way(db, connectors):
    """Nobody reads the slot yet, and the connector's own session works on it: it is neither to be begun again nor dropped."""
    db.script(TABLES)
    held = "select o.* from public.orders o, (select pg_advisory_lock(4711)) held"
    connector = connectors(db, {"snapshot.select.statement.overrides": "public.orders", "snapshot.select.statement.overrides.public.orders": held})
    with db.connect(autocommit=False) as holder:
        holder.execute("select pg_advisory_lock(4711)")
        url = Surface(connector.start("--listen", "127.0.0.1:0")).base
        connector.wait_log("snapshot started")
        wait_until(lambda: db.slot(connector.slot), 30, "there is a slot")
        code, by_files = examine(connector)
        assert "slot_inactive" not in by_files and "slot_held" not in by_files and code in (0, 1), by_files
        asked = subprocess.run([BINARY, "doctor", connector.name, "--url", url, "--json"], capture_output=True, text=True, timeout=120)
        by_name = [finding["reason"] for finding in json.loads(asked.stdout)["connectors"][0]["findings"]]
        assert "slot_inactive" not in by_name and "pg_drop_replication_slot" not in asked.stdout, asked
        holder.execute("select pg_advisory_unlock(4711)")
        connector.wait_streaming()
    connector.stop()
    assert "slot_inactive" in examine(connector)[1], "the control: nobody works on it"


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
    assert "slot_inactive" not in found(connector, "error", "slot_lost", db.name)

    # One that is lost because nobody read it for too long still has a position.
    db.script("alter system set idle_replication_slot_timeout = '1s'; select pg_reload_conf()")
    db.execute("select pg_create_logical_replication_slot('idle_one', 'pgoutput')")

    def idle_for_too_long():
        db.execute("checkpoint")
        return db.slot("idle_one")["wal_status"] == "lost" and db.slot("idle_one")["restart_lsn"]
    wait_until(idle_for_too_long, 60, "the slot is lost", interval_s=0.1)
    findings = found(connectors(db, {"slot.name": "idle_one"}), "error", "slot_lost", "idle_one")
    assert "slot_inactive" not in findings, findings


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
    prefix = connector.config["topic.prefix"]
    connector.config.update({"topic.prefix": "p" * 245, "provide.transaction.metadata": "true"})
    found(connector, "error", "topic_name_invalid", "p" * 245 + ".transaction", "249")
    connector.config.update({"topic.prefix": prefix, "provide.transaction.metadata": "false"})
    create_topic(strict_broker, topic, **{"max.message.bytes": "5000"})
    found(connector, "warning", "message_limit_small", topic, "5000", "kafka-configs.sh")
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


def test_traps_of_tables_and_publications(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLES + "create unlogged table scratch (id int primary key);"
              "create table sums (id int primary key, a int, b int generated always as (a * 2) stored);"
              "create table big (id int primary key, v text); alter table big alter v set storage external;"
              "insert into big values (1, repeat('x', 100000));"
              f'create publication "{db.name}" for table orders where (id > 10), sums (id, a), big with (publish = \'insert, update\')')
    db.script("create table signals (id text primary key, type text, data text); vacuum big")
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "signal.data.collection": "public.signals"})
    findings = found(connector, "warning", "unlogged_table", "public.scratch", "ALTER TABLE public.scratch SET LOGGED")
    signals = findings["signal_table_not_published"]
    assert signals["severity"] == "warning" and f"ALTER PUBLICATION {db.name} ADD TABLE public.signals" in signals["hint"], signals
    for reason, words in (("generated_column_not_sent", ("public.sums", "column b")),
                          ("large_values_not_sent", ("public.big", "ALTER TABLE public.big REPLICA IDENTITY FULL")),
                          ("publication_lacks_operations", ("deletes", f"ALTER PUBLICATION {db.name} SET (publish =")),
                          ("publication_row_filter", ("public.orders", "id > 10", "DROP TABLE public.orders")),
                          ("publication_column_list", ("public.sums", "id, a"))):
        text = findings[reason]["message"] + findings[reason]["hint"]
        assert findings[reason]["severity"] == "notice" and all(word in text for word in words), findings[reason]
    db.execute(f'alter publication "{db.name}" add table signals')
    assert "signal_table_not_published" not in examine(connector)[1]
    assert "insert" not in findings["publication_lacks_operations"]["message"]


def test_an_outbox_publishes_inserts_alone(databases, pg17, connectors):
    """As `walduct outbox init` makes it: nobody is to publish more. Beside another table the notice stands."""
    db = databases(pg17)
    db.script("create table outbox (id uuid primary key, aggregatetype text, aggregateid text, type text, payload jsonb); create table orders (id int primary key);"
              f'create publication "{db.name}" for table outbox, orders with (publish = \'insert\')')
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "table.include.list": "public.outbox", "walduct.outbox.tables": "public.outbox",
                                "transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter"}, sink="file")
    assert "publication_lacks_operations" not in examine(connector)[1]
    connector.config["table.include.list"] = "public.outbox,public.orders"
    assert "updates" in examine(connector)[1]["publication_lacks_operations"]["message"]


def test_pg_repack_beside_all_tables(databases, pg17, connectors):
    """By the schema that it makes: the extension is not everywhere to be had."""
    db = databases(pg17)
    db.script(TABLES + "create schema repack")
    connector = connectors(db, {"publication.autocreate.mode": "all_tables"})
    found(connector, "warning", "repack_of_all_tables", "FOR ALL TABLES", "publication.autocreate.mode=filtered", "schema.exclude.list=repack")
    db.script(f'create publication "{db.name}" for table orders')
    assert "repack_of_all_tables" not in examine(connector)[1]
    db.script(f'drop publication "{db.name}"; create publication "{db.name}" for all tables; drop schema repack')
    assert "repack_of_all_tables" not in examine(connector)[1]
    db.script("create schema repack")
    found(connectors(db, {"publication.autocreate.mode": "disabled"}), "warning", "repack_of_all_tables", db.name)


def test_traps_of_roles(databases, pg17, connectors):
    db = databases(pg17)
    db.script(TABLES)
    role = f"doctor_{uuid.uuid4().hex[:8]}"
    db.script(f"create role {role} login replication password 'x' connection limit 3; grant select on orders to {role}")
    try:
        connector = connectors(db, {"database.user": role, "database.password": "x"})
        findings = found(connector, "error", "publication_not_permitted")
        assert f"ALTER ROLE {role} CONNECTION LIMIT -1" in findings["connection_limit_small"]["hint"]
        assert "new_tables_not_readable" not in findings, "nothing reads them: a stream needs no SELECT"
        by_name = connectors(db, {**connector.config, "snapshot.mode": "when_needed", "schema.include.list": None, "table.include.list": "public.orders"})
        assert "new_tables_not_readable" not in examine(by_name)[1], "none is captured that is still to come"
        connector.config["snapshot.mode"] = "when_needed"
        new = examine(connector)[1]["new_tables_not_readable"]
        assert new["severity"] == "notice" and f"IN SCHEMA public GRANT SELECT ON TABLES TO {role}" in new["hint"], new
        db.script(new["hint"] + f"; alter role {role} connection limit -1")
        assert not {"connection_limit_small", "new_tables_not_readable"} & set(examine(connector)[1])
    finally:
        db.script(f"drop owned by {role}; drop role {role}")


def test_a_slot_that_is_soon_lost(private_servers, databases, connectors):
    """How much it keeps and has left, and what to type at once; beside it a Kafka that is away, which comes first."""
    servers = private_servers(postgres=17, pg_set={"max_slot_wal_keep_size": "64MB"})
    db = databases(servers.postgres)
    db.script(TABLES)
    connector = connectors(db, sink="file").start().wait_streaming()
    connector.stop()
    assert "slot_soon_lost" not in examine(connector)[1]
    for _ in range(40):
        db.execute("select pg_logical_emit_message(false, 'x', repeat('x', 1000000))")
    soon = examine(connector)[1]["slot_soon_lost"]
    assert re.search(r'about to be lost: it is (reserved|extended), \d+\.\d MB of WAL kept, \d+\.\d MB until it is lost', soon["message"]), soon
    assert "ALTER SYSTEM SET max_slot_wal_keep_size = '-1'; SELECT pg_reload_conf()" in soon["hint"], soon


def test_traps_of_a_server(private_servers, databases, connectors):
    servers = private_servers(postgres=17, pg_set={"logical_decoding_work_mem": "64kB", "synchronous_commit": "local",
                                                   "synchronous_standby_names": "*", "max_prepared_transactions": "5",
                                                   "max_replication_slots": "1"})
    db = databases(servers.postgres)
    db.script(TABLES)
    db.script("alter system set max_wal_senders = 70; select pg_reload_conf();"
              "begin; insert into orders values (5, 'five'); prepare transaction 'not decided';"
              "select pg_create_physical_replication_slot('other')")
    connector = connectors(db)
    wait_until(lambda: "restart_pending" in examine(connector)[1], 30, "the server has read its settings")
    findings = found(connector, "error", "no_free_slot", "all 1 replication slots")
    for reason, words in (("restart_pending", ("max_wal_senders",)), ("decoding_memory_small", ("64kB", "ALTER SYSTEM")),
                          ("synchronous_standby_any", ("commits wait",)),
                          ("prepared_transaction", ("COMMIT PREPARED 'not decided'", db.name))):
        text = findings[reason]["message"] + findings[reason]["hint"]
        assert findings[reason]["severity"] == "warning" and all(word in text for word in words), findings[reason]
    db.script("rollback prepared 'not decided'")
    assert "prepared_transaction" not in examine(connector)[1]


def test_traps_of_topics(db, connectors, strict_broker):
    db.script(TABLES)
    topic = f"{db.name}.public.orders"
    connector = connectors(db, worker={"bootstrap.servers": strict_broker})
    create_topic(strict_broker, topic, **{"retention.ms": "60000", "compression.type": "gzip"})
    findings = found(connector, "warning", "topic_retention_short", topic, "60000", "--add-config retention.ms=")
    assert findings["topic_recompresses"]["severity"] == "notice" and "gzip" in findings["topic_recompresses"]["message"]
    set_topic(strict_broker, topic, min_insync_replicas="2", cleanup_policy="compact")
    findings = found(connector, "warning", "min_insync_unreachable", topic, "--add-config min.insync.replicas=1")
    assert findings["topic_compacted"]["severity"] == "notice" and "topic_retention_short" not in findings
    set_topic(strict_broker, topic, min_insync_replicas="1", cleanup_policy="delete", retention_ms="604800000",
              compression_type="producer")
    assert examine(connector)[0] == 0 and set(examine(connector)[1]) <= QUIET_NOTICES


@pytest.mark.parametrize("change", [{"snapshot.mode": "sometimes"}])
def test_a_configuration_that_is_refused(db, connectors, change):
    done = connectors(db, change).call("doctor")
    assert done.returncode == 2 and "snapshot.mode" in done.stderr and not done.stdout
