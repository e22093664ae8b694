"""Flink's debezium-json reads what walduct writes: the tables that it arrives at are those of the database."""
import contextlib
import datetime
import json
import os
import subprocess

from support.debezium import _LOG4J
from support.kafka import TopicReader
from support.paths import DEPS
from support.wait import wait_until

LIBS = DEPS / "downstream" / "libs"
# How the column is declared in Flink, and what Python makes of the database's value and of Flink's.
DECLARED = {"int": "INT", "bigint": "BIGINT", "text": "STRING", "varchar(40)": "STRING", "numeric(12,2)": "STRING", "boolean": "BOOLEAN",
            "double precision": "DOUBLE", "date": "INT", "timestamp": "BIGINT", "timestamptz": "STRING", "uuid": "STRING", "smallint": "SMALLINT"}
ASKED = {"date": "{0} - date '1970-01-01'", "timestamp": "(extract(epoch from {0}) * 1000000)::bigint", "numeric(12,2)": "{0}::text", "uuid": "{0}::text"}
# The client ends with its last statement, and what it began with it.
STAY = "SET 'sql-client.execution.result-mode' = 'tableau';\nCREATE TABLE forever (id INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1');\nSELECT * FROM forever;\n"
OPENS = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.lang", "java.util", "java.net", "java.time", "java.util.concurrent")]


def ddl(table, connector, broker):
    columns = [(name, DECLARED[kind[0]]) for name, kind in [*table.keys, *table.columns]]
    key = ", ".join(name for name, _ in table.keys)
    declared = ", ".join(f"{name} {kind}" for name, kind in columns) + f", PRIMARY KEY ({key}) NOT ENFORCED"
    return f"""
CREATE TABLE {table.name} ({declared}) WITH ('connector' = 'kafka', 'topic' = '{connector.prefix}.public.{table.name}',
  'properties.bootstrap.servers' = '{broker}', 'properties.group.id' = '{connector.prefix}', 'scan.startup.mode' = 'earliest-offset',
  'format' = 'debezium-json');
CREATE TABLE out_{table.name} ({declared}) WITH ('connector' = 'upsert-kafka', 'topic' = 'flink.{connector.prefix}.{table.name}',
  'properties.bootstrap.servers' = '{broker}', 'key.format' = 'json', 'value.format' = 'json');
"""


@contextlib.contextmanager
def flink(script, directory):
    """Runs the statements, and jobs that they begin until the end."""
    (directory / "config.yaml").write_text("parallelism.default: 1\nrestart-strategy.type: none\ntaskmanager.numberOfTaskSlots: 32\n")
    (directory / "log4j2.properties").write_text(_LOG4J.replace("level = info", "level = warn"))
    (directory / "script.sql").write_text(script + STAY)
    said = directory / "flink.log"
    with open(said, "wb") as out:
        process = subprocess.Popen(["java", "-Xmx1500m", *OPENS, f"-Dlog4j2.configurationFile={directory / 'log4j2.properties'}", "-cp", f"{LIBS}/*",
                                    "org.apache.flink.table.client.SqlClient", "-f", directory / "script.sql"], cwd=directory,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**os.environ, "FLINK_CONF_DIR": str(directory)})

    def check():
        text = said.read_text(errors="replace")
        assert process.poll() is None and "[ERROR]" not in text and "to FAILED" not in text, text[-5000:]
    try:
        yield check
    finally:
        process.kill()
        process.wait()


def of_flink(table, reader):
    """The rows that its upserts leave, by key."""
    kept = {}
    for event in reader.read():
        if event.topic == f"{reader.prefix}.{table.name}":
            key = tuple(json.loads(event.key).values())
            kept.pop(key, None)
            if event.value is not None:
                kept[key] = json.loads(event.value)
    return {key: {name: parsed(table, name, value) for name, value in row.items()} for key, row in kept.items()}


def parsed(table, name, value):
    kind = dict([*table.keys, *table.columns])[name][0]
    return datetime.datetime.fromisoformat(value.replace("Z", "+00:00")) if kind == "timestamptz" and value is not None else value


def of_database(database, table):
    columns = [*table.keys, *table.columns]
    asked = ", ".join(ASKED.get(kind[0], "{0}").format(name) for name, kind in columns)
    return {row[:len(table.keys)]: dict(zip([name for name, _ in columns], row)) for row in database.execute(f"select {asked} from {table.name}")}


def test_the_same_tables(workload, db, connectors, broker, tmp_path):
    for table in workload.tables:
        db.execute(table.ddl())
        db.execute(f"alter table {table.name} replica identity full")  # debezium-json needs the old row
    db.execute("create table t999 (id int primary key)")
    connector = connectors(db, {"table.include.list": r"public.t\d+", "decimal.handling.mode": "string"}).start().wait_streaming()
    workload.play(db, connector)
    db.execute("insert into t999 values (1)")
    connector.wait_events(lambda events: any(event.table == "t999" for event in events), 120, "the last row")
    inserts = "".join(f"INSERT INTO out_{table.name} SELECT * FROM {table.name};\n" for table in workload.tables)
    script = ("SET 'execution.target' = 'local';\n"
              # Rows come again after a kill.
              "SET 'table.exec.source.cdc-events-duplicate' = 'true';\n"
              + "".join(ddl(table, connector, broker) for table in workload.tables)
              + f"EXECUTE STATEMENT SET BEGIN\n{inserts}END;\n")
    reader = TopicReader(broker, f"flink.{connector.prefix}")
    wanted = {table.name: of_database(db, table) for table in workload.tables}
    assert sum(len(rows) for rows in wanted.values()) > 1000

    def different():
        """Per table one row that Flink has otherwise, if any."""
        found = {}
        for table in workload.tables:
            there, here = of_flink(table, reader), wanted[table.name]
            if there != here:
                key = next(key for key in [*here, *there] if there.get(key) != here.get(key))
                found[table.name] = (len(there), len(here), there.get(key), here.get(key))
        return found
    try:
        with flink(script, tmp_path) as check:
            wait_until(lambda: check() or not different(), 400, "the same tables", interval_s=1)
    except AssertionError as error:
        raise AssertionError(f"{different()}: {error}") from None
    finally:
        reader.close()
