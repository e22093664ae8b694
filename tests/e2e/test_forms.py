"""Configurations in the forms of other programs run as they are."""
import subprocess

from support.connector import properties_text
from support.offsets import read_offset
from support.paths import BINARY
from support.wait import wait_until

TABLE = "create table items (id int primary key, v text); insert into items values (0, 'a')"
MANIFEST = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata:
  name: {name}
spec:
  class: {connector_class}
  tasksMax: 1
  config:
"""


def application_properties(connector):
    """Of Debezium Server: the brokers from a variable with a default, the host from the environment alone."""
    source = {k: v for k, v in {**connector.config, **connector.worker}.items()
              if not k.startswith(("bootstrap.", "key.converter", "value.converter"))}
    source["database.hostname"] = "nowhere.invalid"
    return {"debezium.sink.type": "kafka",
            "debezium.sink.kafka.producer.bootstrap.servers": "${FORMS_BROKER:nowhere.invalid:1}",
            "debezium.sink.kafka.producer.key.serializer": "org.apache.kafka.common.serialization.StringSerializer",
            "debezium.format.key.schemas.enable": "false", "debezium.format.value.schemas.enable": "false",
            **{f"debezium.source.{k}": v for k, v in source.items()}, "debezium.source.offset.flush.interval.ms": "0",
            "quarkus.log.console.json": "false"}


def run_as(connector, path):
    connector.files = lambda: ["-f", path]
    return connector


def test_debezium_server(db, connectors):
    """`walduct run -f application.properties`; the position is stored under the sink's name."""
    db.script(TABLE)
    connector = connectors(db, name="kafka")
    path = connector.dir / "application.properties"
    path.write_text(properties_text(application_properties(connector)))
    variables = {"FORMS_BROKER": connector.worker["bootstrap.servers"],
                 "DEBEZIUM_SOURCE_DATABASE_HOSTNAME": connector.config["database.hostname"]}
    run_as(connector, path).start(environment=variables).wait_streaming()
    db.execute("insert into items values (1, 'b')")
    events = connector.wait_events(2)
    assert [(e.id, e.op) for e in events] == [(0, "r"), (1, "c")]
    wait_until(lambda: read_offset(connector.offset_file, "kafka", connector.prefix), 10, "the position of 'kafka'")
    connector.stop()


def test_kafka_connector_of_strimzi(db, connectors):
    db.script(TABLE)
    connector = connectors(db, name="orders")
    path = connector.dir / "connector.yaml"
    config = {**connector.config, **connector.worker}
    text = MANIFEST.format(name="orders", connector_class=config.pop("connector.class"))
    path.write_text(text + "".join(f"    {k}: {v!r}\n" for k, v in config.items()))
    run_as(connector, path).start().wait_streaming()
    assert [(e.id, e.op) for e in connector.wait_events(1)] == [(0, "r")]
    connector.stop()


def test_a_workers_file_from_a_pipe_is_that_of_all_connectors(tmp_path):
    """It gives its text once."""
    files = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.properties"
        path.write_text(properties_text({"name": name, "topic.prefix": name, "slot.name": name, "database.hostname": "db",
                                         "database.user": "cdc", "database.dbname": "shop"}))
        files += ["-f", str(path)]
    done = subprocess.run([str(BINARY), "validate", *files, "-w", "/dev/stdin"], input="bootstrap.servers=kafka:9092\n",
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.count("kafka:9092") >= 2, done
