"""Debezium's JDBC sink applies what walduct writes: the tables that come out are those that went in."""
from downstream.conftest import rows

from differential.connect import Worker
from support.debezium import free_port
from support.paths import DEPS
from support.wait import wait_until

JSON = "org.apache.kafka.connect.json.JsonConverter"


def sink(connector, database):
    server = database.server
    return {
        "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector", "topics.regex": connector.prefix.replace(".", r"\.") + r"\.public\.t\d+",
        "connection.url": f"jdbc:postgresql://{server.host}:{server.port}/{database.name}",
        "connection.username": server.user, "connection.password": server.password,
        "insert.mode": "upsert", "delete.enabled": "true", "primary.key.mode": "record_key", "schema.evolution": "none",
        "collection.name.format": "${source.table}", "use.time.zone": "UTC",
        "key.converter": JSON, "value.converter": JSON,
        # The worker's own would take __debezium.newkey for a structure without a schema, and the sink fails.
        "header.converter": "org.apache.kafka.connect.storage.StringConverter",
        "consumer.override.auto.offset.reset": "earliest", "consumer.override.metadata.max.age.ms": "2000",
    }


def test_the_same_tables(workload, db, databases, connectors, pg15, broker, tmp_path):
    target = databases(pg15)
    for table in workload.tables:
        db.execute(table.ddl())
        target.execute(table.ddl())
    connector = connectors(db, {"table.include.list": r"public.t\d+", "key.converter": JSON, "value.converter": JSON,
                                "key.converter.schemas.enable": "true", "value.converter.schemas.enable": "true"})
    connector.start().wait_streaming()
    worker = Worker(tmp_path / "connect", broker, free_port(),
                    settings={"plugin.path": DEPS / "downstream" / "plugins", "offset.flush.interval.ms": "1000",
                              "connector.client.config.override.policy": "All"})
    try:
        worker.wait_ready()
        worker.create("sink", sink(connector, target))
        workload.play(db, connector)
        left = {table.name: table for table in workload.tables}

        def equal():
            failure = worker.failure("sink")
            assert failure is None, failure
            for name, table in list(left.items()):
                if rows(db, table) == rows(target, table):
                    del left[name]
            return not left
        wait_until(equal, 300, "the same tables", interval_s=1)
        # Nothing comes behind it that changes them again.
        wait_until(lambda: all(rows(db, table) == rows(target, table) for table in workload.tables), 10, "tables that stay equal")
        assert sum(len(rows(target, table)) for table in workload.tables) > 1000
    finally:
        worker.close()
