"""/metrics of `walduct serve` beside what the real Kafka Connect with Debezium exported at the same points of the same
workload (tests/metrics/recorded: JMX exporter, the rules of Debezium's monitoring example, and what Strimzi's say of a
stopped connector). Each series is there with the same labels and value, or is listed here with the reason."""
import re
import urllib.request

import pytest
from test_metrics import CAPTURED, TABLES, stream_of_the_recordings

from support.connector import PLAIN_JSON, database_properties
from support.paths import ROOT
from support.serve import CLASS, Worker
from support.wait import wait_until

RECORDED = ROOT / "tests" / "metrics" / "recorded"
# Nothing is loaded that could fail to start: a configuration that is refused never becomes a connector.
ABSENT = re.compile(r"kafka_connect_worker_metrics_(connector|task)_startup_\w+")
DIFFERENT = {
    "debezium_metrics_MaxQueueSizeInBytes": "8 MB, where Debezium's queue has no limit in bytes by default",
    ("paused", "debezium_metrics_Connected"): "a pause closes the stream, so that it does not hold up the server's shutdown",
}
# Labels that dashboards add when they scrape.
ADDED = {"job", "instance", "namespace", "strimzi_io_kind", "strimzi_io_cluster", "kubernetes_pod_name", "pod", "container"}


def samples(text):
    """{(name, labels): value}"""
    found = {}
    for line in text.splitlines():
        match = re.match(r"([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)", line)
        if match:
            labels = frozenset(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
            found[match[1], labels] = match[3]
    return found


def differences(point, text):
    ours, found = samples(text), []
    for (name, labels), value in samples((RECORDED / f"{point}.txt").read_text()).items():
        shown = f"{name}{dict(labels)}"
        if ABSENT.fullmatch(name):
            assert not any(other == name for other, _ in ours), f"{name} is there now"
            continue
        if any("<connector_version>" in text for _, text in labels):
            if not any(other == name for other, _ in ours):
                found.append(f"{shown} is missing")
        elif (name, labels) not in ours:
            found.append(f"{shown} is missing")
        elif name in DIFFERENT or (point, name) in DIFFERENT or value == "<number>":
            float(ours[name, labels])
        elif float(ours[name, labels]) != float(value):
            found.append(f"{shown}: {value} was recorded, not {ours[name, labels]}")
    return found


def empty_panels(text):
    """The panels, variables and alerts of published dashboards that the real connector fills, and this text does not."""
    found, empty = {}, []
    for name, labels in samples(text):
        found.setdefault(name, []).append(dict(labels))

    def satisfied(have, matchers):
        for label, operator, value in matchers:
            if label in ADDED or "$" in value or "{{" in value:
                continue
            same = (re.fullmatch(value, have.get(label, "")) is not None if operator.endswith("~")
                    else have.get(label, "") == value)
            if same == operator.startswith("!"):
                return False
        return True
    for line in (RECORDED / "panels.tsv").read_text().splitlines()[1:]:
        dashboard, panel, _, series, real, expression = line.split("\t")
        for one in series.split() if real == "yes" else ():
            for body in re.findall(re.escape(one) + r"(?![\w:])(?:\{([^}]*(?:\}\}[^}]*)*)\})?", expression) or [""]:
                matchers = re.findall(r"(\w+)\s*(=~|!~|!=|=)\s*[\"']([^\"']*)[\"']", body)
                if not any(satisfied(have, matchers) for have in found.get(one, [])):
                    empty.append(f"{dashboard}: {panel}: {one}")
    return empty


@pytest.fixture
def worker(broker, tmp_path, databases):
    made = Worker(tmp_path / "worker", broker, f"recorded-{tmp_path.name}-{id(tmp_path)}")
    yield made
    made.kill()


def test_each_series_as_recorded(worker, databases, pg17):
    db = databases(pg17)
    db.script(TABLES)
    worker.start("--log-level", "warn")
    # Debezium's default publication, which lets the table that is not captured through.
    worker.create("op-metrics", {
        "connector.class": CLASS, "plugin.name": "pgoutput", **database_properties(db), "topic.prefix": db.name,
        "slot.name": db.name, "publication.name": db.name, **CAPTURED, **PLAIN_JSON})

    def text():
        with urllib.request.urlopen(f"{worker.base}/metrics", timeout=60) as answer:
            return answer.read().decode().replace(db.name, "<prefix>")

    def as_recorded(point):
        try:
            wait_until(lambda: not differences(point, text()), 60, point, interval_s=0.1)
        except AssertionError:
            raise AssertionError("\n".join([point, *differences(point, text())])) from None
    as_recorded("snapshot")
    stream_of_the_recordings(db)
    as_recorded("streaming")
    assert not empty_panels(text())
    assert worker.ask("PUT", "/connectors/op-metrics/pause")[0] == 202
    as_recorded("paused")
    assert worker.ask("PUT", "/connectors/op-metrics/stop")[0] == 204
    as_recorded("stopped")
    assert not any(name.startswith("debezium_") for name, _ in samples(text()))
    config = worker.get("/connectors/op-metrics/config")
    tags = {"internal.advanced.metrics.enable": "true", "custom.metric.tags": "env=judge,team=cdc"}
    assert worker.ask("PUT", "/connectors/op-metrics/config", {**config, **tags})[0] == 200
    assert worker.ask("PUT", "/connectors/op-metrics/resume")[0] == 202
    worker.wait_state("op-metrics", "RUNNING/RUNNING")
    db.script("insert into orders values (103, 'a'); update orders set note = 'c' where id = 103;")
    with db.transaction() as connection:
        connection.execute("delete from orders where id = 103")
        connection.execute("insert into not_captured values (2)")
        connection.commit()
    as_recorded("advanced")
    worker.stop()
