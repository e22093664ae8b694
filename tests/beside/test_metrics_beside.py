"""The series of published dashboards beside the real Debezium's, in one run: `walduct serve` and Kafka Connect with its JMX
exporter stream databases alike through the same workload. By name: scripts/test beside."""
import re
import urllib.request

import pytest
from test_metrics import CAPTURED, TABLES, stream_of_the_recordings
from test_metrics_recorded import ABSENT, RECORDED, samples

from support import debezium
from support.connector import PLAIN_JSON, database_properties
from support.paths import DEPS, ROOT
from support.serve import CLASS, Worker
from support.wait import wait_until

EXPORTER = DEPS / "exporter" / "jmx_prometheus_javaagent.jar"
# Of the moment: both are times of about this run.
TIMES = re.compile(r"debezium_metrics_(MilliSeconds\w*|\w*DurationInSeconds)")
MOST_MS = 600_000
# Different on purpose, or of the process: docs/metrics.md says why.
OWN = re.compile(r"debezium_metrics_(MaxQueueSizeInBytes|CurrentQueueSizeInBytes|QueueRemainingCapacity)"
                 r"|kafka_connect_worker_metrics_\w*(attempts|success|percentage)\w*")
# The real connector's own differ by so many from run to run of the same workload: 3 in the recording, 4 here.
UNSTEADY = {"debezium_metrics_NumberOfCommittedTransactions": 1}


class Connect(Worker):
    """Kafka Connect distributed, with the exporter on a port of its own."""

    def start(self):
        self.exporter = debezium.free_port()
        self.process = debezium.start_distributed(
            self.dir, self.properties, self.log, f"-javaagent:{EXPORTER}={self.exporter}:{ROOT / 'tests/beside/exporter.yaml'}")
        wait_until(self.healthy, 180, f"Connect serves (see {self.log})", interval_s=0.2)
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def wanted():
    """The series that panels ask for and the real connector gives."""
    rows = [line.split("\t") for line in (RECORDED / "panels.tsv").read_text().splitlines()[1:]]
    names = {one for row in rows if row[4] == "yes" for one in row[3].split()}
    return {name for name in names if name.startswith(("debezium_metrics_", "kafka_connect_worker_")) and not ABSENT.fullmatch(name)}


def series(url, prefix):
    """{(name, labels): value} of what panels ask for, named alike."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        text = answer.read().decode().replace(prefix, "<prefix>")
    asked = wanted()
    return {(name, labels): float(value) for (name, labels), value in samples(text).items() if name in asked}


def differences(ours, real):
    found = []
    for (name, labels), value in real.items():
        shown = f"{name}{dict(labels)}"
        if (name, labels) not in ours:
            found.append(f"{shown} is missing")
            continue
        own = ours[name, labels]
        if TIMES.fullmatch(name):
            if not -1 <= own <= MOST_MS or not -1 <= value <= MOST_MS or (own < 0) != (value < 0):
                found.append(f"{shown}: {own} beside {value}")
        elif not OWN.fullmatch(name) and abs(own - value) > UNSTEADY.get(name, 0):
            found.append(f"{shown}: {own} beside {value}")
    return found


@pytest.fixture
def pair(broker, tmp_path):
    made = [Connect(tmp_path / "connect", broker, f"beside-c-{tmp_path.name}"), Worker(tmp_path / "walduct", broker, f"beside-w-{tmp_path.name}")]
    yield made
    for one in made:
        one.kill()


def test_each_series_of_a_panel(pair, databases, pg17):
    connect, walduct = pair
    # Each has its own: what one does to a database is not to be counted by the other.
    dbs = {worker: databases(pg17) for worker in pair}
    for db in dbs.values():
        db.script(TABLES)
    connect.start()
    walduct.start("--log-level", "warn")
    prefixes = {worker: db.name for worker, db in dbs.items()}
    for worker, db in dbs.items():
        worker.create("op-metrics", {
            "connector.class": CLASS, "plugin.name": "pgoutput", **database_properties(db), "topic.prefix": db.name,
            "slot.name": db.name, "publication.name": db.name, **CAPTURED, **PLAIN_JSON})
    urls = {connect: f"http://127.0.0.1:{connect.exporter}/metrics", walduct: f"{walduct.base}/metrics"}

    def look():
        return [series(urls[worker], prefixes[worker]) for worker in (walduct, connect)]

    def alike(point, context, counts):
        """Once the real one has come there."""
        key = ("debezium_metrics_TotalNumberOfEventsSeen", frozenset({("context", context), ("name", "<prefix>"), ("plugin", "postgres")}))
        wait_until(lambda: look()[1].get(key) == counts, 180, f"Debezium at {point}", interval_s=0.5)
        try:
            wait_until(lambda: not differences(*look()), 60, point, interval_s=0.5)
        except AssertionError:
            raise AssertionError("\n".join([point, *differences(*look())])) from None
        ours, real = look()
        assert len(real) > 20, sorted(name for name, _ in real)
        print(f"{point}: {len(real)} series of the real connector, all there; "
              f"{sum(1 for name, _ in real if not OWN.fullmatch(name) and not TIMES.fullmatch(name))} with equal values")
    alike("snapshot", "snapshot", 70)
    for db in dbs.values():
        stream_of_the_recordings(db)
    alike("streaming", "streaming", 6)
    for worker in pair:
        assert worker.ask("PUT", "/connectors/op-metrics/pause")[0] == 202
    for worker in pair:
        worker.wait_state("op-metrics", "PAUSED/PAUSED")
        assert worker.ask("DELETE", "/connectors/op-metrics")[0] == 204
    walduct.stop()
    connect.stop()
