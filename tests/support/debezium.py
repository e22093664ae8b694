"""The real Debezium: Kafka Connect standalone with the PostgreSQL connector, as scripts/deps debezium installs it."""
import signal
import socket
import subprocess

from support.connector import properties_text
from support.paths import DEPS
from support.wait import wait_until

LIBS, PLUGINS = DEPS / "debezium" / "libs", DEPS / "debezium" / "plugins"
CONVERTERS = DEPS / "converters"  # Confluent's

_LOG4J = """\
status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{HH:mm:ss.SSS} %-5p %m (%c{1})%n
rootLogger.level = info
rootLogger.appenderRef.out.ref = out
"""


def free_port():
    """One that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def installed():
    return PLUGINS.is_dir() and LIBS.is_dir()


def scripting():
    """Whether somebody has put Debezium's transforms with scripts, and Groovy, beside the connector."""
    return any(PLUGINS.glob("*/debezium-scripting-*.jar")) and any(PLUGINS.glob("*/groovy-jsr223-*.jar"))


def start_distributed(directory, worker, log, *jvm):
    """Kafka Connect distributed with these worker properties, `jvm`: more options of the JVM; the process."""
    file = directory / "connect-distributed.properties"
    file.write_text(properties_text({**worker, "plugin.path": PLUGINS, "plugin.discovery": "service_load"}))
    (directory / "log4j2.properties").write_text(_LOG4J)
    command = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
               f"-Dlog4j2.configurationFile={directory / 'log4j2.properties'}", *jvm, "-cp", f"{LIBS}/*",
               "org.apache.kafka.connect.cli.ConnectDistributed", file]
    with open(log, "ab") as out:
        return subprocess.Popen([str(a) for a in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out)


class Debezium:
    """Runs a walduct Connector's configuration in Kafka Connect: same names, same offset file."""

    def __init__(self, connector, database, rest_port):
        self.connector, self.database, self.rest_port = connector, database, rest_port
        self.dir = connector.dir / "debezium"
        self.dir.mkdir(exist_ok=True)
        self.log = self.dir / "connect.log"
        self.process = None

    def start(self):
        worker = {**self.connector.worker, "plugin.path": PLUGINS, "plugin.discovery": "service_load",
                  "listeners": f"http://127.0.0.1:{self.rest_port}",
                  "key.converter": "org.apache.kafka.connect.json.JsonConverter",
                  "value.converter": "org.apache.kafka.connect.json.JsonConverter"}
        config = {"name": self.connector.name, "tasks.max": "1", **self.connector.config}
        (self.dir / "worker.properties").write_text(properties_text(worker))
        (self.dir / "connector.properties").write_text(properties_text(config))
        (self.dir / "log4j2.properties").write_text(_LOG4J)
        command = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                   f"-Dlog4j2.configurationFile={self.dir / 'log4j2.properties'}", "-cp", f"{LIBS}/*",
                   "org.apache.kafka.connect.cli.ConnectStandalone",
                   self.dir / "worker.properties", self.dir / "connector.properties"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(a) for a in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def log_text(self):
        return self.log.read_text(errors="replace")

    def check(self):
        assert self.process.poll() is None, f"Kafka Connect ended:\n{self.log_text()[-3000:]}"

    def wait_streaming(self, timeout_s=120):
        def active():
            self.check()
            slot = self.database.slot(self.connector.slot)
            return slot is not None and slot["active"]
        wait_until(active, timeout_s, "Debezium streams", interval_s=0.2)

    def stop(self, timeout_s=60):
        """Stops Kafka Connect, which stores the offsets on its way out."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout_s)

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
