"""The topics of `walduct serve` are deleted while it serves: it says so, and brings back what they held."""
import re
import shlex
import subprocess

from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource
from test_serve import config_of, workers  # noqa: F401
from test_typed_hints import kafka_tool

from support.kafka import QUIET, delete_topics
from support.paths import BINARY
from support.wait import wait_until


def cleanup_policy(bootstrap, topic):
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    admin = AdminClient({"bootstrap.servers": bootstrap, **QUIET})
    return admin.describe_configs([resource])[resource].result(20)["cleanup.policy"].value


def test_deleted_topics_are_brought_back(workers, databases, pg17):  # noqa: F811
    db = databases(pg17)
    db.execute("create table items (id int primary key)")
    worker = workers().start()
    for name in ("shop", "rests"):
        worker.create(name, {**config_of(db), "slot.name": f"{db.name}_{name}", "publication.name": f"{db.name}_{name}",
                             "topic.prefix": f"{db.name}-{name}"})
        worker.wait_state(name, "RUNNING/RUNNING")
    assert worker.ask("PUT", "/connectors/rests/pause")[0] == 202
    worker.wait_state("rests", "PAUSED/PAUSED")
    bootstrap, topics = worker.properties["bootstrap.servers"], [worker.properties[f"{one}.storage.topic"] for one in ("config", "status")]
    for topic in topics:
        delete_topics(bootstrap, topic)
    wait_until(lambda: "the worker's topics were read again" in worker.log_text(), 40, "the topics are back")
    log = worker.log_text()
    assert "reason=worker_topic_gone" in log or "reason=worker_topic_empty" in log, log[-3000:]
    assert worker.state("shop") == "RUNNING/RUNNING"
    assert [cleanup_policy(bootstrap, topic) for topic in topics] == ["compact", "compact"]
    worker.stop()
    worker.start()
    assert sorted(worker.get("/connectors")) == ["rests", "shop"]
    worker.wait_state("shop", "RUNNING/RUNNING")
    worker.wait_state("rests", "PAUSED/PAUSED")


def test_a_topic_that_is_not_compacted_any_more(workers):  # noqa: F811
    """The next start would refuse it: told while it serves, with what to type, and over when that is typed."""
    worker = workers().start()
    topic = worker.properties["offset.storage.topic"]
    admin = AdminClient({"bootstrap.servers": worker.properties["bootstrap.servers"], **QUIET})
    change = ConfigResource(ConfigResource.Type.TOPIC, topic)
    change.add_incremental_config(ConfigEntry("cleanup.policy", "delete", incremental_operation=AlterConfigOpType.SET))
    admin.incremental_alter_configs([change])[change].result(20)

    def status():
        return subprocess.run([str(BINARY), "status", "--url", worker.base], capture_output=True, text=True, timeout=30)
    told = wait_until(lambda: (done := status()).returncode == 8 and done, 20, "it is told", interval_s=0.5).stdout
    assert f"the topic {topic} has cleanup.policy=delete" in told, told
    kafka_tool(shlex.split(re.search(r"kafka-configs\.sh .*", told).group(0)))
    wait_until(lambda: "for the worker's topics" not in status().stdout, 20, "it is over", interval_s=0.5)
    worker.stop()


def test_a_misspelt_topic_of_configurations(workers, databases, pg17):  # noqa: F811
    """It is created empty, and nothing runs: the positions in the offset topic tell, until a connector is there."""
    db = databases(pg17)
    db.execute("create table items (id int primary key)")
    worker = workers().start()

    def status():
        return subprocess.run([str(BINARY), "status", "--url", worker.base], capture_output=True, text=True, timeout=30)
    assert "connectors_missing" not in status().stdout, "nothing has a position yet"
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: worker.get("/connectors/shop/offsets")["offsets"], 30, "its position is stored", interval_s=0.5)
    worker.stop()
    right = worker.properties["config.storage.topic"]
    worker.properties["config.storage.topic"] = right + "x"
    worker.start()
    told = wait_until(lambda: "connectors_missing" in (done := status()).stdout and done, 30, "it is told", interval_s=0.5)
    assert told.returncode == 0 and "has positions of shop:" in told.stdout and f"there is {right}" in told.stdout, told
    assert "reason=connectors_missing" in worker.log_text()
    worker.stop()
    worker.properties["config.storage.topic"] = right
    worker.start()
    worker.wait_state("shop", "RUNNING/RUNNING")
    assert "connectors_missing" not in status().stdout
