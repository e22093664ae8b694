"""The two engines, each with the same application.properties: walduct, and the real Debezium Server as its distribution starts it."""
import os
import re
import subprocess
from pathlib import Path

from support.connector import properties_text
from support.debezium import free_port
from support.paths import BINARY, DEPS

SERVER = DEPS / "debezium-server"  # scripts/deps debezium-server
ENDS_S = 60


def walduct(_):
    return [BINARY, "run"]


def java():
    """It asks for 21 or later, which Debian 12 has none of."""
    homes = [Path(os.environ["JAVA_HOME"])] if "JAVA_HOME" in os.environ else sorted(Path("/usr/lib/jvm").glob("*"))
    for home in homes:
        release = home / "release"
        version = re.search(r'JAVA_VERSION="(\d+)', release.read_text()) if release.exists() else None
        if version and int(version[1]) >= 21:
            return home / "bin" / "java"
    raise SystemExit("bench: Debezium Server runs on Java 21 or later; set JAVA_HOME to one")


def debezium_server(args):
    jars = sorted(args.server.glob("debezium-server-dist-*-runner.jar"))
    if not jars:
        raise SystemExit("bench: Debezium Server is missing; run scripts/deps debezium-server")
    return [java(), *args.jvm.split(), "-cp", f"{jars[0]}:{args.server}/lib/*", "io.debezium.server.Main"]


COMMANDS = {"walduct": walduct, "debezium": debezium_server}


class Engine:
    """One process of one of them, in a folder of its own."""

    def __init__(self, name, args, folder, properties):
        self.name, self.folder, self.log = name, folder, folder / "log"
        (folder / "config").mkdir(parents=True, exist_ok=True)
        (folder / "config" / "application.properties").write_text(properties_text({
            **properties, "debezium.source.offset.storage.file.filename": folder / "offsets.dat", "quarkus.http.host": "127.0.0.1",
            "quarkus.http.port": free_port(), "quarkus.log.console.json.enabled": "false"}))
        self.command = [str(word) for word in COMMANDS[name](args)]

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self.process.pid

    def check(self):
        if self.process.poll() is not None:
            raise SystemExit(f"bench: {self.name} ended with exit code {self.process.returncode}:\n{self.log.read_text()[-3000:]}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def properties(sink, variant, database, prefix, slot):
    """What both are given: Debezium's defaults but for the formats, which are JSON without schemas, and the place to begin."""
    server = database.server
    source = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "database.hostname": server.host, "database.port": server.port,
              "database.user": server.user, "database.password": server.password, "database.dbname": database.name, "plugin.name": "pgoutput",
              "topic.prefix": prefix, "slot.name": slot, "publication.name": "bench", "publication.autocreate.mode": "disabled",
              "table.include.list": "public.typical", "snapshot.mode": "no_data"}
    return {"debezium.sink.type": sink.kind, **sink.properties(variant), "debezium.format.key": "json", "debezium.format.value": "json",
            "debezium.format.header": "json", "debezium.format.schemas.enable": "false", **{f"debezium.source.{name}": value for name, value in source.items()}}
