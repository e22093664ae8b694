"""The Helm chart as Helm renders it: against the schemas of Kubernetes, and what it gives the program against the program itself."""
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "helm" / "walduct"
HELM = ROOT / ".deps" / "helm" / "helm"
PROGRAM = ROOT / "build" / "release" / "walduct"
SERVE = {"worker": {"bootstrap.servers": "kafka:9092"}}
RUN = {
    "mode": "run",
    "worker": {"bootstrap.servers": "{{ .Release.Name }}-kafka:9092", "offset.flush.interval.ms": 5000000},
    "connectors": {"shop": {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector", "database.hostname": "pg", "database.port": 5432,
        "database.user": "walduct_cdc", "database.password": "${env:DATABASE_PASSWORD}", "database.dbname": "shop", "topic.prefix": "shop",
        "max.queue.size.in.bytes": 134217728}},
    "image": {"repository": "registry.example/walduct", "digest": "sha256:" + "a" * 64},
    "envFrom": [{"secretRef": {"name": "shop-database"}}],
    "persistence": {"enabled": True, "storageClass": "fast"},
    "serviceMonitor": {"enabled": True},
    "prometheusRule": {"enabled": True, "labels": {"release": "prometheus"}},
}


def helm(tmp_path, values, *more):
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values))
    return subprocess.run([HELM, "template", "shop", CHART, "-f", tmp_path / "values.yaml", *more], capture_output=True, text=True)


def rendered(tmp_path, values):
    done = helm(tmp_path, values)
    assert done.returncode == 0, done.stderr
    return {(d["kind"], d["metadata"]["name"]): d for d in yaml.safe_load_all(done.stdout) if d}


def files_of(documents):
    [config] = [d["data"] for (kind, _), d in documents.items() if kind == "ConfigMap"]
    return config


def pod_of(documents):
    return documents["StatefulSet", "shop-walduct"]["spec"]["template"]["spec"]


@pytest.mark.parametrize("values", [SERVE, RUN], ids=["serve", "run"])
def test_kubernetes_takes_all_of_it(tmp_path, values):
    documents = rendered(tmp_path, values)
    own = {kind for kind, _ in documents}
    assert own >= {"ConfigMap", "Service", "StatefulSet", "PodDisruptionBudget", "NetworkPolicy", "Pod"}
    for (kind, _), document in documents.items():
        if not document["apiVersion"].startswith("monitoring.coreos.com/"):
            kubernetes_validate.validate(document, "1.37", strict=True)
    [container] = pod_of(documents)["containers"]
    named = {Path(argument).name for argument in container["args"] if argument.startswith("/etc/walduct/")}
    assert named == set(files_of(documents))
    claims = documents["StatefulSet", "shop-walduct"]["spec"].get("volumeClaimTemplates", [])
    volumes = {v["name"] for v in pod_of(documents).get("volumes", [])} | {c["metadata"]["name"] for c in claims}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes


@pytest.mark.parametrize(("values", "path", "asks"), [(SERVE, "/health", "--alive"), (RUN, "/readyz", "--ready")], ids=["serve", "run"])
def test_a_connector_that_rests_leaves_the_rest_interface_in_the_service(tmp_path, values, path, asks):
    documents = rendered(tmp_path, values)
    [container] = pod_of(documents)["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == path
    assert asks in documents["Pod", "shop-walduct-test"]["spec"]["containers"][0]["args"]


def test_serve_has_what_it_asks_for(tmp_path):
    documents = rendered(tmp_path, SERVE)
    worker = dict(line.split("=", 1) for line in files_of(documents)["worker.properties"].splitlines())
    assert worker["listeners"] == "http://0.0.0.0:8083" and worker["bootstrap.servers"] == "kafka:9092"
    required = {"group.id", "config.storage.topic", "status.storage.topic", "offset.storage.topic", "key.converter", "value.converter"}
    assert required <= worker.keys()
    assert pod_of(documents)["containers"][0]["args"][0] == "serve"


def test_run_gives_the_program_a_configuration_that_it_accepts(tmp_path):
    files = files_of(rendered(tmp_path, RUN))
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run([PROGRAM, "validate", "-f", tmp_path / "shop.json", "-w", tmp_path / "worker.properties"],
                          capture_output=True, text=True, env={"DATABASE_PASSWORD": "x"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bootstrap.servers=shop-kafka:9092\n" in files["worker.properties"]
    assert "offset.flush.interval.ms=5000000\n" in files["worker.properties"], "no power of ten"
    assert '"max.queue.size.in.bytes": "134217728"' in files["shop.json"]
    assert "group.id" not in files["worker.properties"]


def test_rules_are_those_of_the_documents(tmp_path):
    rule = rendered(tmp_path, RUN)["PrometheusRule", "shop-walduct"]
    assert rule["spec"] == yaml.safe_load((ROOT / "deploy/prometheus/walduct.rules.yml").read_text())
    assert rule["metadata"]["labels"]["release"] == "prometheus"


@pytest.mark.parametrize("values, said", [
    ({}, "bootstrap\\.servers is required"),
    ({**SERVE, "mode": "standby"}, "must be one of 'serve', 'run'"),
    ({**SERVE, "mode": "run"}, "mode run needs connectors"),
    ({**SERVE, "connectors": RUN["connectors"]}, "connectors are for mode run"),
    ({**SERVE, "replcas": 2}, "replcas"),
    ({**SERVE, "image": {"repository": "walduct", "digest": "latest"}}, "digest"),
    ({"worker": {"bootstrap.servers": "a\nb"}}, "a value is one line"),
], ids=["nothing", "mode", "no-connector", "connector-of-serve", "misspelt", "digest", "two-lines"])
def test_what_is_wrong_is_refused(tmp_path, values, said):
    done = helm(tmp_path, values)
    assert done.returncode != 0 and said in done.stderr, done.stderr
