"""Breaks that come from beside: other clients, other people's rights, topics that were changed, registries, files that are gone."""
import contextlib
import os
import signal
import subprocess

import psycopg
from catalog_breaks import OFTEN, STOPS
from kafka_breaks import registry_of
from postgres_breaks import OWN, as_role
from support import servers
from support.judge import Break, beside, captures, either, lag, record_errors, stalled
from support.kafka import delete_topics, set_topic
from support.wait import wait_until

LAGS = either(stalled, lag, STOPS)
NARROW = {"postgres": 15, "pg_set": {"max_wal_senders": "2", "max_replication_slots": "4"}}


def frozen(patient, does):
    """While its process stands still its sessions end, and this is done."""
    pid = patient.connector.process.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        patient.db.server.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s and application_name ilike '%%walduct%%'", patient.db.name)
        wait_until(lambda: not patient.db.slot(patient.connector.slot)["active"], 10, "the slot is free")
        does()
    finally:
        os.kill(pid, signal.SIGCONT)


def reader_of(patient, slot):
    """pg_recvlogical, which reads it from now on."""
    binaries = servers.shared("pg15", postgres=15).values["PG_BIN"] if patient.servers is None else patient.servers.values["PG_BIN"]
    server = patient.db.server
    command = [f"{binaries}/pg_recvlogical", "-h", server.host, "-p", server.port, "-U", server.user, "-d", patient.db.name, "--slot", slot, "--start",
               "-o", "proto_version=1", "-o", f"publication_names={patient.connector.publication}", "-f", "/dev/null", "--no-loop"]
    patient.readers = [*getattr(patient, "readers", []),
                       subprocess.Popen([str(word) for word in command], env={**os.environ, "PGPASSWORD": server.password}, stderr=subprocess.DEVNULL)]
    wait_until(lambda: (patient.db.slot(slot) or {}).get("active"), 10, "it reads")


def readers_end(patient):
    for reader in getattr(patient, "readers", []):
        reader.terminate()
        reader.wait()


def all_senders_taken(patient):
    patient.senders = []

    def take():
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                patient.senders.append(patient.db.connect(replication="database"))
    frozen(patient, take)


def senders_end(patient):
    for sender in getattr(patient, "senders", []):
        sender.close()


def topic_of(patient):
    wait_until(patient.connector.events, 10, "a record")
    return f"{patient.connector.prefix}.public.items"


def smaller_topic(patient):
    set_topic(patient.connector.worker["bootstrap.servers"], topic_of(patient), **{"max.message.bytes": "1000"})
    patient.db.script("insert into items (id, note) select 500, string_agg(md5(i::text), '') from generate_series(1, 1000) i")


def offset_topic_deleted(patient):
    wait_until(patient.connector.events, 10, "a record")
    delete_topics(patient.connector.worker["bootstrap.servers"], patient.connector.worker["offset.storage.topic"])
    patient.insert()


def offsets_in_a_topic(patient):
    patient.connector.worker.update({"offset.storage.file.filename": None, "offset.storage.topic": f"{patient.db.name}-offsets"})


def file_removed(patient):
    (patient.connector.dir / "records.jsonl").unlink()
    patient.insert()


def full_disk(patient):
    """The folder of the offsets is a disk of 64 kB, which somebody fills."""
    folder = patient.connector.dir / "offsets"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], check=True)


def fill_disk(patient):
    other = os.open(patient.connector.dir / "offsets" / "other", os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(other, b"x" * 4096)
    os.close(other)
    patient.insert()


def unmount(patient):
    subprocess.run(["umount", "-l", str(patient.connector.dir / "offsets")], check=False)


def sql(text):
    return lambda patient: patient.db.script(text.format(pub=patient.connector.publication, db=patient.db.name))


def locked_while_it_is_read(patient):
    patient.lock = patient.db.connect(autocommit=False)
    patient.lock.execute("lock table other in access exclusive mode")
    patient.db.script("insert into signals values ('one', 'execute-snapshot', '{\"data-collections\": [\"public.other\"]}')")


SIGNALS = {"tables": "create table signals (id text primary key, type text, data text);", "config": {"signal.data.collection": "public.signals", **OFTEN}}

MORE = {
    "another client reads the slot": Break(
        lambda p: frozen(p, lambda: reader_of(p, p.connector.slot)), "slot_in_use.*pid|pid.*slot_in_use", STOPS, ready=503, doctor="slot_in_use", mends=readers_end),
    "all walsenders are taken": Break(all_senders_taken, "no_free_wal_sender", STOPS, ready=503, doctor="no_free_wal_sender", servers=NARROW, mends=senders_end, ends=True),
    "the database takes no sessions": Break(
        lambda p: (p.db.server.query(f'alter database "{p.db.name}" allow_connections false'), p.cut_off()),
        "may_not_connect|not currently accepting", STOPS, ready=503, doctor="accepting|connect", config=OWN, ends=True,
        mends=lambda p: p.db.server.query(f'alter database "{p.db.name}" allow_connections true')),
    "a table is renamed": Break(sql("alter table items rename to things"), "captured_table_renamed|things", either(captures, beside), doctor="things|items",
                                config={**OFTEN, "table.include.list": "public.items,public.other", "schema.include.list": None}),
    "the table of signals is dropped": Break(sql("drop table signals"), "signal", either(captures, beside), doctor="signal_table_missing", **SIGNALS),
    "its role is gone": Break(as_role('alter role "{role}" rename to "{role}_x"'), "role_missing|authentication_failed|password", STOPS, ready=503,
                              doctor="role_missing|authentication_failed|password", config=OWN, ends=True,
                              mends=lambda p: p.db.server.query(f'alter role "{p.connector.config["database.user"]}_x" rename to "{p.connector.config["database.user"]}"')),
    "an incremental snapshot waits for a lock": Break(
        locked_while_it_is_read, "held up by pid|waits for a lock|lock", either(beside, stalled, lag), mends=lambda p: p.lock.rollback(), **SIGNALS),
    "a topic takes smaller records now": Break(smaller_topic, "record_too_large", either(STOPS, record_errors), ready=503, sink="kafka", ends=True),
    "a topic is compacted, and rows have no key": Break(
        lambda p: (set_topic(p.connector.worker["bootstrap.servers"], f"{p.connector.prefix}.public.keyless", **{"cleanup.policy": "compact"}),
                   p.db.script("insert into keyless values (2)")),
        "record_refused", either(STOPS, record_errors), ready=503, sink="kafka", ends=True, tables="create table keyless (v int); insert into keyless values (1);"),
    "the offset topic is deleted": Break(
        offset_topic_deleted, "offset_topic_gone.*--create|--create.*offset_topic_gone|offset topic .*gone", either(LAGS, beside), sink="kafka", prepares=offsets_in_a_topic,
        config={**OFTEN, "topic.creation.default.replication.factor": "1", "topic.creation.default.partitions": "1"},
        servers={"postgres": 17, "kafka": True, "kafka_set": {"auto.create.topics.enable": "false"}}),
    "the registry knows the user no more": Break(says="registry_unauthenticated|registry", sign=LAGS, ready=503, ends=True, **registry_of(401)),
    "the registry answers nothing": Break(says="registry", sign=LAGS, **registry_of("slow")),
    "the file of records is removed": Break(file_removed, "output_unwritable|records.jsonl", STOPS, ready=503, ends=True),
    "the disk of the offsets is full": Break(
        fill_disk, "offset|No space", LAGS, ready=503, config=OFTEN, worker={"offset.storage.file.filename": "{dir}/offsets/o.dat"}, prepares=full_disk, mends=unmount),
}
