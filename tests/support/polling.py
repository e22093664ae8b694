"""Connectors that poll outbox tables."""
STRING = "org.apache.kafka.connect.storage.StringConverter"


def polled(db, **more):
    return {"walduct.outbox.source": "poll", "walduct.outbox.publish.locally": "true", "walduct.outbox.tables": "public.outbox", "schema.include.list": None,
            "slot.name": None, "publication.name": None, "publication.autocreate.mode": None, "transforms": "outbox",
            "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
            "transforms.outbox.route.by.field": "aggregate_type", "transforms.outbox.table.field.event.key": "aggregate_id",
            "transforms.outbox.table.fields.additional.placement": "event_type:header:eventType",
            "transforms.outbox.route.topic.replacement": f"{db.name}.event.$" + "{routedByValue}",
            "key.converter": STRING, "value.converter": STRING, **more}


def numbers(events, key):
    return [int(e.value.split(b":")[1].strip(b" }")) for e in events if e.key == key]
