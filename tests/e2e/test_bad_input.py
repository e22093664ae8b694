"""Bad input: each mistake has its own text and exit code, and leaves nothing behind on any server."""
import json
import os
import socket
import subprocess

import pytest

from support.kafka import create_topic, topics_with_prefix
from support.paths import BINARY
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text); insert into items values (1)"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def assert_nothing_written(connector, db=None):
    assert not connector.offset_file.exists()
    assert topics_with_prefix(connector.worker["bootstrap.servers"], connector.prefix) == []
    if db is not None:
        assert db.slots() == [] and db.publications() == []


def refused(connector, code, *texts, db=None, arguments=()):
    """It ends by itself with that code after one line that holds all the texts."""
    refused_with(connector, code, *texts, arguments=arguments)
    assert_nothing_written(connector, db)


def refused_with(connector, code, *texts, arguments=()):
    assert connector.run_to_end(*arguments, timeout_s=40) == code, connector.log_text()
    lines = [line for line in connector.log_text().splitlines() if "error" in line.lower()]
    assert any(all(text.lower() in line.lower() for text in texts) for line in lines), (texts, connector.log_text())
    assert "postgres@" not in connector.log_text() and "password=" not in connector.log_text()


# --- PostgreSQL ---

def test_unknown_host(db, connectors):
    refused(connectors(db, {"database.hostname": "no-such-host.invalid"}), 3, "no-such-host.invalid", "reason=unknown_host")


def test_wrong_password(db, connectors):
    connector = connectors(db, {"database.password": "not-the-password"})
    refused(connector, 3, "password authentication failed", "hint=", db=db)
    assert "not-the-password" not in connector.log_text()


def test_unknown_database(db, connectors):
    refused(connectors(db, {"database.dbname": "no_such_db"}), 3, "no_such_db", "does not exist", db=db)


def test_server_down_is_waited_for(db, connectors):
    """Not a mistake but an outage: retried with a reason until it ends or SIGTERM comes."""
    connector = connectors(db, {"database.port": free_port()}).start()
    connector.wait_log(r"warning .*retrying: .*refused")
    connector.wait_log(r"(?s)retrying: .*retrying: ")
    assert connector.terminate() == 0
    assert_nothing_written(connector, db)


def test_SLT_16_wal_level(private_servers, databases, connectors):
    server = private_servers(postgres=15, pg_set={"wal_level": "replica"}).postgres
    db = databases(server)
    db.script(TABLE)
    refused(connectors(db), 3, "wal_level", "logical", "hint=", db=db)


def test_SLT_16_no_free_slot(private_servers, databases, connectors):
    server = private_servers(postgres=15, pg_set={"max_replication_slots": "1"}).postgres
    db = databases(server)
    db.script(TABLE + "; select pg_create_physical_replication_slot('taken')")
    connector = connectors(db)
    refused(connector, 3, "max_replication_slots", "hint=")
    assert db.slots() == [] and db.publications() == []
    server.query("select pg_drop_replication_slot('taken')")


@pytest.fixture
def role(db):
    """An ordinary role that may replicate."""
    name = f"r_{db.name}"
    db.script(f"create role {name} login replication password 'x'; grant create on database {db.name} to {name}")
    yield name
    db.script(f"reassign owned by {name} to postgres; drop owned by {name}; drop role {name}")


def as_role(connectors, db, role, **config):
    return connectors(db, {"database.user": role, "database.password": "x", **config})


def test_PRM_01_role_without_replication(db, role, connectors):
    db.script(TABLE + f"; alter role {role} noreplication")
    refused(as_role(connectors, db, role), 3, "replication", role, "hint=", db=db)


def test_PRM_02_missing_table_privilege(db, role, connectors):
    """All tables that cannot be read are named, with the statement to type."""
    db.script(TABLE + "; create table secrets (id int primary key); create publication given for table items, secrets")
    connector = as_role(connectors, db, role, **{"publication.name": "given", "publication.autocreate.mode": "disabled"})
    refused(connector, 3, "items", "secrets", "grant select")
    assert db.slots() == [] and db.publications() == ["given"]
    db.script(f"grant select on items, secrets to {role}")
    connector.start().wait_streaming()
    connector.wait_events(1)
    connector.stop()


def test_PRM_04_row_level_security(db, role, connectors):
    """A snapshot under row level security would miss rows that streaming delivers."""
    db.script(TABLE + f"; alter table items enable row level security; grant select on items to {role}; create publication given for table items")
    connector = as_role(connectors, db, role, **{"publication.name": "given", "publication.autocreate.mode": "disabled"})
    refused(connector, 3, "row", "security", "items")
    assert db.slots() == []


def test_PRM_05_publication_may_not_be_created(db, role, connectors):
    db.script(TABLE + f"; grant select on items to {role}")
    refused(as_role(connectors, db, role), 3, "publication", "hint=", db=db)


def test_an_address_to_listen_on_that_is_none(db, connectors, tmp_path):
    """Said once, of where it was typed: the files have no such property."""
    connector = connectors(db)
    for how, name in ((("--listen", "99"), "--listen"), ((), "WALDUCT_LISTEN")):
        environment = {**os.environ, "WALDUCT_LISTEN": "" if how else "99"}
        commands = [("run",)] + ([("shadow", "--directory", str(tmp_path / "shadow"))] if how else [])
        for command in commands:
            connector.write_files()
            done = subprocess.run([str(a) for a in (BINARY, *command, *connector.files(), *how)], capture_output=True, text=True, timeout=60,
                                  env=environment)
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            assert done.returncode == 2 and errors == [f"error: {name} '99': has no port; write HOST:PORT, such as 127.0.0.1:8083"], done
    assert_nothing_written(connector, db)


def test_SLT_02_slot_in_use(db, connectors):
    """SLT-02: the second instance says who holds the slot, after slot.max.retries attempts."""
    db.script(TABLE)
    first = connectors(db).start().wait_streaming()
    second = connectors(db, {"slot.max.retries": "1", "slot.retry.delay.ms": "300", "topic.prefix": f"second{db.name}"})
    assert second.run_to_end() == 3
    pid = db.slot(first.slot)["active_pid"]
    assert second.logged(rf"error .*{first.slot}.*\b{pid}\b.* reason=slot_in_use hint="), second.log_text()
    assert len([line for line in second.log_text().splitlines() if "retrying: " in line]) == 1
    assert_nothing_written(second)
    assert first.running()


# --- Kafka ---

def test_broker_down_at_start(db, connectors):
    """It waits and says so; SIGTERM ends it in time; nothing was made on the server."""
    db.script(TABLE)
    connector = connectors(db, worker={"bootstrap.servers": f"127.0.0.1:{free_port()}"}).start()
    connector.wait_log(r"warning .*(broker|bootstrap|Kafka)", 40)
    assert connector.running()
    connector.terminate(12)
    assert not connector.offset_file.exists()
    assert db.slots() == []


def test_topic_may_not_be_created(db, strict_broker, connectors):
    """A broker that creates no topics, and a topic.creation.* that it refuses: named topic, exit code; the offset says that
    no row was read yet: that is durable before the slot exists."""
    db.script(TABLE)
    worker = {"bootstrap.servers": strict_broker}
    topic = f"{db.name}.public.items"
    absent = connectors(db, worker=worker, name="absent")
    refused_with(absent, 3, topic, "hint=")
    assert absent.offset()["snapshot"] == "INITIAL" and not absent.offset()["snapshot_completed"]
    assert topics_with_prefix(strict_broker, absent.prefix) == []
    too_many = {"topic.creation.default.replication.factor": "3", "topic.creation.default.partitions": "1"}
    db.script(f"select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = '{db.name}'")
    refused(connectors(db, too_many, worker=worker, name="refused"), 3, topic, "replication")


def test_SNK_01_topics_are_created_first(db, strict_broker, connectors):
    """The same broker with topic.creation.* that it accepts, and with topics that exist."""
    db.script(TABLE + "; create table two (id int primary key); insert into two values (2)")
    create_topic(strict_broker, f"{db.name}.public.two")
    config = {"topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "2"}
    connector = connectors(db, config, worker={"bootstrap.servers": strict_broker}).start().wait_streaming()
    assert sorted(e.topic for e in connector.wait_events(2)) == [f"{db.name}.public.items", f"{db.name}.public.two"]
    connector.stop()


# --- configuration ---

BAD_VALUES = {
    "CFG-03 slot name": ({"slot.name": "xx-aa"}, "slot.name"),
    "slot name too long": ({"slot.name": "a" * 64}, "slot.name"),
    "plugin": ({"plugin.name": "wal2mongo"}, "plugin.name"),
    "port": ({"database.port": "five"}, "database.port"),
    "boolean": ({"tombstones.on.delete": "yes"}, "tombstones.on.delete"),
    "interval": ({"status.update.interval.ms": "-1"}, "status.update.interval.ms"),
    "snapshot mode": ({"snapshot.mode": "sometimes"}, "snapshot.mode"),
    "publication mode": ({"publication.autocreate.mode": "some"}, "publication.autocreate.mode"),
    "regex": ({"table.include.list": "public.(items"}, "table.include.list"),
    "both lists": ({"table.include.list": "public.a", "table.exclude.list": "public.b"}, "table.exclude.list"),
    "transform class": ({"transforms": "t", "transforms.t.type": "com.example.NoSuchTransform"}, "transforms.t.type"),
    "converter class": ({"value.converter": "com.example.NoSuchConverter"}, "value.converter"),
    "topic prefix": ({"topic.prefix": "a b"}, "topic.prefix"),
    "missing host": ({"database.hostname": None}, "database.hostname"),
    "missing prefix": ({"topic.prefix": None}, "topic.prefix"),
    "sink": ({"sink": "carrier pigeon"}, "sink"),
    "class": ({"connector.class": "io.debezium.connector.mysql.MySqlConnector"}, "connector.class"),
    "data-changing and not supported": ({"snapshot.query.mode": "custom"}, "snapshot.query.mode"),
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_bad_value(name, db, connectors):
    """Exit code 2 before any connection, for `run` and for `validate`, and the property is named."""
    change, prop = BAD_VALUES[name]
    connector = connectors(db, change)
    assert connector.run_to_end(timeout_s=10) == 2
    assert f"'{prop}'" in connector.log_text(), connector.log_text()
    validated = connector.call("validate")
    assert validated.returncode == 2 and prop in validated.stdout + validated.stderr
    assert not connector.offset_file.exists() and db.slots() == [] and db.publications() == []


@pytest.mark.parametrize("prop", ["producer.override.acks", "producer.override.request.required.acks",
                                  "producer.override.rdkafka.acks", "producer.override.rdkafka.request.required.acks"])
@pytest.mark.parametrize("value", ["1", "all"])
def test_producer_that_could_lose_records(value, prop, db, connectors):
    """A setting has several names, and what librdkafka finally has is what counts; `all` is the control."""
    connector = connectors(db, {prop: value})
    validated = connector.call("validate")
    if value == "all":
        assert validated.returncode == 0, validated.stdout + validated.stderr
        db.script(TABLE)
        connector.start().wait_streaming()
        connector.stop()
        return
    assert connector.run_to_end(timeout_s=10) == 2
    for text in (connector.log_text(), validated.stdout + validated.stderr):
        assert f"property '{prop}': value '1' must be all" in text and "remove it" in text
    assert validated.returncode == 2
    assert not connector.offset_file.exists() and db.slots() == [] and db.publications() == []


def test_CFG_01_all_errors_at_once(db, connectors):
    connector = connectors(db, {"database.hostname": None, "database.port": "five", "slot.name": "xx-aa"})
    assert connector.run_to_end(timeout_s=10) == 2
    for prop in ("database.hostname", "database.port", "slot.name"):
        assert f"'{prop}'" in connector.log_text()


def test_CFG_16_unknown_property(db, connectors):
    """Warned about with the nearest name, and the connector runs."""
    db.script(TABLE)
    connector = connectors(db, {"tombstone.on.delete": "false"}).start().wait_streaming()
    assert connector.logged(r"warning .*tombstone\.on\.delete.*tombstones\.on\.delete")
    connector.stop()


def test_CFG_02_plugin_of_debezium(db, connectors):
    """Debezium's default plugin.name in an existing configuration: said, and pgoutput is used."""
    db.script(TABLE)
    connector = connectors(db, {"plugin.name": "decoderbufs"}).start().wait_streaming()
    assert connector.logged(r"warning .*'plugin\.name'.*pgoutput")
    assert db.slot(connector.slot)["plugin"] == "pgoutput"
    connector.stop()


def test_bad_json(db, connectors, tmp_path):
    connector = connectors(db)
    connector.write_files()
    text = (connector.dir / "connector.json").read_text()
    bad = tmp_path / "bad.json"
    for content in (text[:-5], '{"name": "x", "config": []}', '{"name": "x"}{', '{"a": {"b": 1}}', ""):
        bad.write_text(content)
        connector.files = lambda: ["-f", bad, "-w", connector.dir / "worker.properties"]
        done = connector.call("run")
        assert done.returncode == 2 and "bad.json" in done.stderr, (content, done)
    assert db.slots() == []


def test_unreadable_files(db, connectors, tmp_path):
    connector = connectors(db)
    connector.write_files()
    locked = tmp_path / "locked.json"
    locked.write_text("{}")
    locked.chmod(0)
    unreadable = [tmp_path / "absent.json", tmp_path] + ([locked] if os.getuid() else [])
    for path in unreadable:
        for files in (["-f", path], ["-f", connector.dir / "connector.json", "-w", path]):
            connector.files = lambda: files
            done = connector.call("run")
            assert done.returncode == 2 and str(path) in done.stderr, done
    connector.files = lambda: ["-f", connector.dir / "connector.json", "-o", "database.password=${file:%s:password}" % (tmp_path / "absent")]
    done = connector.call("run")
    assert done.returncode == 2 and "database.password" in done.stderr, done


def test_FAIL_15_unwritable_offset_file(db, connectors, tmp_path):
    """Found out before anything is made on the server."""
    db.script(TABLE)
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "offsets.dat", tmp_path / "absent" / "offsets.dat", tmp_path):
        connector = connectors(db, worker={"offset.storage.file.filename": str(path)})
        assert connector.run_to_end() in (2, 3)
        assert connector.logged(rf"(?i)error.*{path}"), connector.log_text()
        assert_nothing_written(connector, db)


def test_corrupt_offset_file(db, connectors):
    """Somebody else's file is neither read as empty nor overwritten."""
    db.script(TABLE)
    connector = connectors(db)
    connector.offset_file.write_bytes(b"these are not offsets")
    assert connector.run_to_end() in (1, 3, 4)
    assert connector.logged(r"(?i)error.*offsets\.dat"), connector.log_text()
    assert connector.offset_file.read_bytes() == b"these are not offsets"
    assert db.slots() == []


def test_usage_errors(db, connectors):
    connector = connectors(db)
    for arguments in (["run", "--no-such-flag"], ["no-such-command"], ["run", "--until-lsn", "xyz"], ["run", "-o", "novalue"]):
        done = connector.call(*arguments)
        assert done.returncode == 2 and done.stderr, (arguments, done)


def test_CFG_10_secrets_are_masked(db, connectors):
    """CFG-10: neither the log at its most talkative nor `validate` shows a secret."""
    db.script(TABLE)
    secret = "s3cr3t-w0rd"
    connector = connectors(db, {"database.sslpassword": secret, "producer.override.sasl.jaas.config": f'x required password="{secret}";'},
                           worker={"producer.ssl.key.password": secret})
    validated = connector.call("validate")
    connector.start("--log-level", "debug")
    wait_until(lambda: not connector.running() or connector.logged("streaming from|retrying|stopped"), 30, "some state")
    connector.kill()
    assert secret not in validated.stdout + validated.stderr + connector.log_text()
    assert db.server.password not in [word for line in validated.stdout.splitlines() if "password" in line for word in line.split()]


def test_validate_touches_no_server(db, connectors):
    """Every property with its status; an unreachable server makes no difference."""
    connector = connectors(db, {"database.hostname": "no-such-host.invalid", "tombstone.on.delete": "false", "slot.max.retries": "2"})
    done = connector.call("validate")
    assert done.returncode == 0, done
    for prop in ("database.hostname", "slot.max.retries", "tombstone.on.delete", "tombstones.on.delete"):
        assert prop in done.stdout
    assert_nothing_written(connector, db)


def test_configuration_as_properties_and_providers(db, connectors, tmp_path):
    """A flat properties file, a secret from ${file:…} and ${env:…}, an override on the command line."""
    db.script(TABLE)
    connector = connectors(db)
    (tmp_path / "secrets").write_text("pg=postgres\n")
    config = {**connector.config, "name": "flat", "database.password": "${file:%s:pg}" % (tmp_path / "secrets"),
              "database.user": "${env:E2E_USER}", "topic.prefix": "overridden"}
    flat = tmp_path / "flat.properties"
    flat.write_text("".join(f"{k}={v}\n" for k, v in config.items()))
    connector.files = lambda: ["-f", flat, "-w", connector.dir / "worker.properties", "-o", f"topic.prefix={db.name}"]
    connector.start(environment={"E2E_USER": "postgres"}).wait_streaming()
    assert [e.topic for e in connector.wait_events(1)] == [f"{db.name}.public.items"]
    connector.stop()


def test_reasons_are_explained():
    def explain(*reason):
        return subprocess.run([BINARY, "explain", *reason], capture_output=True, text=True)
    known = explain("slot_lost")
    assert known.returncode == 0 and "walduct offsets reset NAME --accept-loss" in known.stdout and "may be gone for good" in known.stdout
    unknown = explain("lost_slot")
    assert unknown.returncode == 2 and "slot_lost" in unknown.stderr and unknown.stdout == ""
    assert explain().stdout.count("\n| `") > 200
