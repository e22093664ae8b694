"""Breaks by the broker, the registry, and the disk."""
import shutil

from support.judge import Break, either, failed, lag, record_errors, retrying, stalled
from support.kafka import delete_topics
from support.registry_stub import RegistryStub
from support.wait import wait_until

STOPS = either(failed, retrying)
OWN_KAFKA = {"postgres": 17, "kafka": True}
OFTEN = {"walduct.stall.warn.ms": "1000"}


def kafka(command):
    def does(patient):
        patient.servers.do(command)
        patient.insert()
    return does


def topic_deleted(patient):
    topic = f"{patient.connector.prefix}.public.items"
    wait_until(lambda: patient.connector.events(), 10, "a record")
    delete_topics(patient.connector.worker["bootstrap.servers"], topic)
    patient.insert()


def big_row(patient):
    patient.db.script("insert into items (id, note) select 500, string_agg(md5(i::text), '') from generate_series(1, 100000) i")


def folder_gone(patient):
    shutil.rmtree(patient.connector.dir / "offsets")
    patient.insert()


def registry_of(fault):
    """A registry that answers until it is broken."""
    def prepares(patient):
        patient.registry = RegistryStub()
        for part in ("key", "value"):
            patient.connector.config |= {f"{part}.converter": "io.confluent.connect.avro.AvroConverter", f"{part}.converter.schemas.enable": None,
                                         f"{part}.converter.schema.registry.url": patient.registry.url}

    def does(patient):
        if fault == "slow":
            patient.registry.delay_s = 60
        else:
            patient.registry.fault = lambda subject: fault if ".late-" in subject else None
        patient.insert("late")
    return {"prepares": prepares, "does": does, "mends": lambda p: p.registry.close(), "tables": "create table late (id int primary key);", "config": OFTEN}


KAFKA = {
    "a row is too large": Break(big_row, "row_too_large", STOPS, ready=503, config={"walduct.row.max.bytes": "100000"}, ends=True),
    "the registry fails": Break(says="registry", sign=either(stalled, lag, STOPS), **registry_of(500)),
    "the registry refuses a schema": Break(says="registry|schema_incompatible|subject", sign=STOPS, ready=503, ends=True, **registry_of(409)),
    "the broker is away": Break(kafka("stop-kafka"), "Kafka|broker|stalled", either(stalled, lag, STOPS), ready=503, doctor="broker|kafka_unreachable|Kafka",
                                sink="kafka", servers=OWN_KAFKA, config=OFTEN),
    "the broker answers nothing": Break(
        lambda p: (p.servers.pause_kafka(), p.insert()), "Kafka|broker|stalled|acknowledg", either(stalled, lag, STOPS), sink="kafka", servers=OWN_KAFKA, config=OFTEN,
        mends=lambda p: p.servers.resume_kafka()),
    "a topic is deleted and nobody makes it": Break(
        topic_deleted, "topic_missing|topic", either(stalled, lag, STOPS), sink="kafka",
        servers={**OWN_KAFKA, "kafka_set": {"auto.create.topics.enable": "false"}}, ends=True, config={**OFTEN, "topic.creation.default.replication.factor": "1",
                                                                                             "topic.creation.default.partitions": "1"}),
    "a record is too large": Break(big_row, "record_too_large.*items|items.*record_too_large", either(STOPS, record_errors), ready=503, sink="kafka", ends=True),
    "the folder of the offsets is gone": Break(
        folder_gone, "offset|No such file", either(stalled, lag, STOPS), ready=503, config=OFTEN, worker={"offset.storage.file.filename": "{dir}/offsets/o.dat"}),
}
