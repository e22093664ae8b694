"""Blocks of docs/sinks.md, pasted into the application.properties that they are of."""
import re
import subprocess

from support.paths import BINARY, ROOT

SERVER = """debezium.sink.type=http
debezium.sink.http.url=http://127.0.0.1:1/
debezium.source.connector.class=io.debezium.connector.postgresql.PostgresConnector
debezium.source.database.hostname=127.0.0.1
debezium.source.database.user=u
debezium.source.database.password=p
debezium.source.database.dbname=d
debezium.source.topic.prefix=p
"""


def test_dead_letters_over_http(tmp_path):
    block, = (one for one in re.findall(r"```properties\n(.*?)```", (ROOT / "docs" / "sinks.md").read_text(), re.S)
              if "walduct.sink.http.deadletter.file" in one)
    file = tmp_path / "application.properties"

    def call(text, command):
        file.write_text(SERVER + text.replace("/var/lib/walduct", str(tmp_path)))
        return subprocess.run([BINARY, command, "-f", file], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    accepted = call(block, "validate")
    assert accepted.returncode == 0 and "has no effect" not in accepted.stdout, accepted.stdout
    refused = call(block.replace("debezium.source.", ""), "run")
    assert refused.returncode == 2 and "'dead.letter' needs a dead letter topic" in refused.stderr, refused.stderr
    assert "debezium.source.errors.deadletterqueue.topic.name" in refused.stderr
    assert "warning: " in refused.stderr and "Debezium Server does not read it" in refused.stderr
