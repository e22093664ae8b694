"""The session and the heartbeat of workers that share connectors: what a worker file may say, and what brokers may refuse."""
import subprocess

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, AdminClient, ConfigResource, ResourcePatternType, ResourceType

from support.connector import properties_text
from support.kafka import QUIET
from support.paths import BINARY
from support.serve import Worker, worker_properties
from support.wait import wait_until
from test_serve import config_of

SHARE = {"walduct.group.share": "true"}


@pytest.mark.parametrize("timing, says", [
    ({"session.timeout.ms": "10000", "heartbeat.interval.ms": "2000"},
     "property 'session.timeout.ms': value '10000' ends with a heartbeat of 2000 ms, or less than half a second beside one"),
    ({"session.timeout.ms": "9000"}, "property 'session.timeout.ms': value '9000' ends with a heartbeat of 1000 ms"),
    ({"heartbeat.interval.ms": "3000"}, "property 'heartbeat.interval.ms': value '3000' does not go with walduct.group.share=true: the session of "
                                        "8500 ms is less than three heartbeats of 3000 ms"),
    ({"session.timeout.ms": "45500"}, "property 'session.timeout.ms': value '45500' is more than 25 s"),
    ({"session.timeout.ms": "soon"}, "property 'session.timeout.ms': value 'soon' must be a number of milliseconds")])
def test_a_timing_that_leaves_no_margin_is_refused(tmp_path, timing, says):
    file = tmp_path / "worker.properties"
    file.write_text(properties_text({**worker_properties("127.0.0.1:1", "x", 1), **SHARE, **timing}))
    done = subprocess.run([str(BINARY), "serve", "-w", str(file)], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and says in done.stderr, done
    assert "remove" in done.stderr, done


def ended(worker, wanted=3):
    worker.begin()
    code = worker.process.wait(60)
    assert code == wanted, f"exit code {code}:\n{worker.log_text()[-3000:]}"
    told = worker.log_text()
    worker.log.unlink()
    return told


def rules(*each):
    return [AclBinding(ResourceType.BROKER, "kafka-cluster", ResourcePatternType.LITERAL, "User:ANONYMOUS", "*", operation, permission)
            for operation, permission in each]


def refused(admin):
    broker = next(iter(admin.list_topics(timeout=20).brokers))
    try:
        [future.result() for future in admin.describe_configs([ConfigResource(ConfigResource.Type.BROKER, str(broker))]).values()]
    except KafkaException as error:
        return error.args[0].code() == KafkaError.CLUSTER_AUTHORIZATION_FAILED
    return False


@pytest.fixture
def worker(tmp_path):
    one = Worker(tmp_path / "worker", "", "timing")
    yield one
    one.kill()


def test_a_session_that_brokers_do_not_take_ends_the_start(private_servers, databases, pg17, worker):
    """With the limits where they tell them, by the refusal of the join where they do not."""
    servers = private_servers(kafka=True, kafka_set={
        "group.min.session.timeout.ms": "10000", "allow.everyone.if.no.acl.found": "true",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"})
    worker.properties.update({**SHARE, "bootstrap.servers": servers.bootstrap})
    told = ended(worker)
    for part in ("in the group timing-group, 8500 ms: they allow 10000 ms (group.min.session.timeout.ms) to 1800000 ms",
                 "set session.timeout.ms=10500 and heartbeat.interval.ms=1000 in the file of each worker"):
        assert part in told, told
    admin = AdminClient({"bootstrap.servers": servers.bootstrap, **QUIET})
    for future in admin.create_acls(rules((AclOperation.ALL, AclPermissionType.ALLOW),
                                          (AclOperation.DESCRIBE_CONFIGS, AclPermissionType.DENY))).values():
        future.result()
    wait_until(lambda: refused(admin), 30, "the brokers do not tell it any more", interval_s=0.5)
    told = ended(worker)
    for part in ("which they do not tell this user", "session.timeout.ms=10500"):
        assert part in told, told
    # What the hint says is typed.
    worker.properties.update({"session.timeout.ms": "10500", "heartbeat.interval.ms": "1000"})
    worker.start()
    assert "session_ms=10500 heartbeat_ms=1000 margin_ms=500" in worker.log_text()
    # The heartbeat is the worker's, as in Connect, and none of its connectors'.
    db = databases(pg17)
    db.script("create table items (id int primary key); insert into items values (1)")
    worker.create("shop", config_of(db))
    worker.wait_state("shop", "RUNNING/RUNNING")
    wait_until(lambda: "streaming" in worker.log_text(), 30, "it streams")
    topics = AdminClient({"bootstrap.servers": servers.bootstrap, **QUIET}).list_topics(timeout=20).topics
    assert not [topic for topic in topics if "heartbeat" in topic], topics
    worker.stop()
