"""The outbox tables that published libraries make, with rows in each state: what is published, marked, left alone and refused. By name, over
a folder of them beside the checkout, or OUTBOX_TABLES=PATH: NAME/schema.sql and NAME/rows.sql of each."""
import os
from pathlib import Path

import pytest

from support.outbox_tables import BYTES, Table, play
from support.paths import ROOT

FOLDER = Path(os.environ.get("OUTBOX_TABLES", ROOT.parent / "shared/outbox-tables"))
DELETES = {"walduct.outbox.done": "delete"}
EXTERNALIZER = "listener_id like '%DelegatingEventExternalizer.externalize%'"


def uuid(first, last):
    return f"{first}0000000-0000-4000-8000-{last:>012}"


def uuids(*firsts_and_lasts):
    return [uuid(one[0], one[1:]) for one in firsts_and_lasts]


CAP = {"id": "Id", "key": "Id", "route": "Name", "payload": "Content", "values": "Content"}
NAMASTACK = {"key": "record_key", "route": "record_type", "keys": "record_key", "values": "payload", "topic": "t"}
TRAM = {"route": "destination", "values": "payload", "marked": "published = 1", "changed": ("published",)}
FASTSTREAM = {"key": "queue", "route": "queue", "values": "payload"}
MODULITH = {"key": "id", "route": "event_type", "payload": "serialized_event", "values": "serialized_event", "topic": "t"}
RELAY = {"id": "event_id", "key": "partition_key", "route": "event_type", "keys": "partition_key", "values": "payload", "options": BYTES,
         "marked": "status = 'DELIVERED' and delivered_at > now() - interval '1 min' and locked_by is null and locked_at is null"}
REBUS = {"id": "Id", "key": "Id", "route": "DestinationAddress", "payload": "Body", "values": "Body"}
STREAMING = {"key": "key", "route": "topic", "payload": "value", "keys": "key", "values": "value"}
OAGUDO = {"key": "id", "route": "id", "topic": "t", "values": "payload"}
MILLION = "3595776189596000"
# (folder, table): what its expected.md says. A connector with the options that the verdict asks for, and first without them.
PLAYED = [
    ("cap", Table("cap.published", refused=("outbox_needs_where", "walduct.outbox.where"), **CAP)),
    ("cap", Table("cap.received", refused=("outbox_not_pollable", "published"), **CAP)),
    ("cap", Table("cap.published", [MILLION + "004", MILLION + "002", MILLION + "007"], "\"StatusName\" = 'Succeeded' and \"ExpiresAt\" > localtimestamp + interval '23 hours'",
                  ("StatusName", "ExpiresAt"), options={"walduct.outbox.where": "\"Version\" = 'v1'"}, **CAP)),
    ("debezium-quarkus-outbox", Table("public.outboxevent", refused=("outbox_needs_delete", "walduct.outbox.done=delete"))),
    ("debezium-quarkus-outbox", Table("public.outboxevent", uuids("f1", "a2", "c3"), options=DELETES, keys="aggregateid", values="payload")),
    ("debezium-quarkus-outbox", Table("jsonnode.outboxevent", uuids("f4"), options=DELETES, keys="aggregateid", values="payload")),
    ("django-outbox-pattern", Table("public.published", uuids("b2", "e5"), "status = 2", ("status",), key="id", route="id", payload="body", values="body", topic="t")),
    ("eventuate-tram", Table("eventuate.message", [f"000001a21dd2aa{n}-02fc000000010000" for n in ("0e", "14", "26", "28")], key="id", **TRAM)),
    ("eventuate-tram", Table("eventuate_dbid.message", ["1795796642279", "1795796642280"], id="dbid", key="dbid", **TRAM)),
    ("faststream-outbox", Table("public.outbox", refused=("outbox_needs_delete", "walduct.outbox.done=delete"), **FASTSTREAM)),
    ("faststream-outbox", Table("public.outbox", ["1", "6"], options={**DELETES, **BYTES}, **FASTSTREAM)),
    ("faststream-outbox", Table("public.outbox", ["4", "1", "6"], options={**DELETES, **BYTES, "walduct.outbox.lease.ms": "600000"}, **FASTSTREAM)),
    ("gruelbox-transaction-outbox", Table("public.txno_outbox", refused=("outbox_not_pollable", "method calls"))),
    ("masstransit-ef", Table("public.OutboxMessage", refused=("outbox_not_pollable", "walduct.outbox.source=slot"), row="SequenceNumber")),
    ("namastack-outbox", Table("public.outbox_record", refused=("outbox_needs_where", "walduct.outbox.where=handler_id"), **NAMASTACK)),
    ("namastack-outbox", Table("public.outbox_record", uuids("02", "08", "09"), "status = 'COMPLETED' and completed_at > now() - interval '1 min'", ("status", "completed_at"),
                               options={"walduct.outbox.where": "handler_id not like 'shop.MailHandler%'"}, **NAMASTACK)),
    ("nestjs-inbox-outbox", Table("public.inbox_outbox_transport_event", refused=("outbox_not_pollable", "listeners"))),
    ("nestjs-inbox-outbox", Table("first.inbox_outbox_transport_event", refused=("outbox_not_pollable", "listeners"))),
    ("nservicebus-sql", Table("public.Sales_OutboxData", refused=("outbox_not_pollable", "several messages"), row="MessageId")),
    ("oagudo-outbox", Table("public.outbox", refused=("outbox_needs_delete", "walduct.outbox.done=delete"), **OAGUDO)),
    ("oagudo-outbox", Table("public.outbox", uuids("d1", "c3", "e5"), options={**DELETES, **BYTES}, **OAGUDO)),
    ("open-outbox-relay", Table("public.outbox_events", uuids("02", "08"), changed=("status", "delivered_at", "updated_at"), **RELAY)),
    ("open-outbox-relay", Table("public.outbox_events", uuids("06"), changed=("status", "delivered_at", "updated_at", "locked_by", "locked_at"),
                                prepare="update outbox_events set status = 'DEAD' where status = 'PENDING'", **{**RELAY, "options": {**BYTES, "walduct.outbox.lease.ms": "180000"}})),
    ("outbox-streaming", Table("public.outbox_kafka", refused=("outbox_needs_delete", "walduct.outbox.done=delete"), **STREAMING)),
    ("outbox-streaming", Table("public.outbox_kafka", ["1", "2", "3", "4"], options={**DELETES, **BYTES}, **STREAMING)),
    ("outboxer", Table("public.outboxer_messages", refused=("outbox_not_pollable", "payload"))),
    ("pg-transactional-outbox", Table("public.outbox", uuids("4a", "c2", "a4", "77", "68", "59"), "processed_at > now() - interval '1 min'", ("processed_at", "finished_attempts"),
                                      keys="aggregate_id", values="payload")),
    ("rebus-outbox", Table("public.Outbox", refused=("outbox_needs_delete", "walduct.outbox.done=delete"), **REBUS)),
    ("rebus-outbox", Table("public.Outbox", ["1", "2", "3"], options={**DELETES, **BYTES}, **REBUS)),
    ("spring-modulith", Table("public.event_publication", refused=("outbox_needs_where", "walduct.outbox.where=listener_id"), **MODULITH)),
    ("spring-modulith", Table("public.event_publication", uuids("09", "03"), "status = 'COMPLETED' and completion_date > now() - interval '1 min'", ("status", "completion_date"),
                              options={"walduct.outbox.where": EXTERNALIZER},
                              prepare="update event_publication set publication_date = now() - interval '61 s' where status = 'PUBLISHED'", **MODULITH)),
    ("spring-modulith", Table("public.event_publication", uuids("09"), "status = 'COMPLETED'", ("status", "completion_date"), options={"walduct.outbox.where": EXTERNALIZER}, **MODULITH)),
    ("spring-modulith", Table("public.event_publication", uuids("07", "09"), "status = 'COMPLETED'", ("status", "completion_date"),
                              options={"walduct.outbox.where": EXTERNALIZER, "walduct.outbox.lease.ms": "600000"}, **MODULITH)),
    ("spring-modulith", Table("public.event_publication_archive", options={"walduct.outbox.where": EXTERNALIZER}, **MODULITH)),
    ("spring-modulith", Table("v1.event_publication", [uuid("0", "12")], "completion_date > now() - interval '1 min'", ("completion_date",),
                              options={"walduct.outbox.where": EXTERNALIZER},
                              prepare="update v1.event_publication set publication_date = now() - interval '61 s'", **MODULITH)),
    ("watermill-sql", Table("public.watermill_orders", refused=("outbox_not_pollable", "walduct.outbox.source=slot"), row="uuid")),
    ("watermill-sql", Table("public.watermill_forwarder", refused=("outbox_not_pollable", "walduct.outbox.source=slot"), row="uuid")),
    ("watermill-sql", Table("public.watermill_jobs", [uuid("0", "22"), uuid("0", "23")], "acked", ("acked",), id="uuid", key="uuid", route="uuid", values="payload",
                            topic="t", options=BYTES)),
    ("wolverine", Table("wolverine.wolverine_outgoing_envelopes", refused=("outbox_not_pollable", "binary envelope"))),
]


@pytest.mark.skipif(not FOLDER.exists(), reason=f"needs {FOLDER}, or OUTBOX_TABLES=PATH")
@pytest.mark.parametrize("folder, table", PLAYED, ids=[f"{folder}-{number}" for number, (folder, _) in enumerate(PLAYED)])
def test_a_library_s_table(databases, pg17, connectors, folder, table):
    db = databases(pg17)
    db.execute("drop event trigger handover")  # the owner of a sequence is that of its table
    for file in ("schema.sql", "rows.sql"):
        db.script((FOLDER / folder / file).read_text())
    if table.prepare:
        db.script(table.prepare)
    play(table, db, connectors)


@pytest.mark.skipif(not FOLDER.exists(), reason=f"needs {FOLDER}, or OUTBOX_TABLES=PATH")
def test_each_folder_is_played():
    assert {folder for folder, _ in PLAYED} == {path.name for path in FOLDER.iterdir() if path.is_dir()}
