"""The topics of `walduct serve` are deleted while it serves: it says so, and brings back what they held."""
from confluent_kafka.admin import AdminClient, ConfigResource
from test_serve import config_of, workers  # noqa: F401

from support.kafka import QUIET, delete_topics
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
