"""Outbox tables of each family (tests/e2e/outbox_tables): what of each row is published, marked, left alone, or refused by which reason."""
from pathlib import Path

import pytest

from support.outbox_tables import BYTES, Table, play

FOLDER = Path(__file__).parent / "outbox_tables"
EVENTS = {"key": "aggregate_id", "route": "aggregate_type", "keys": "aggregate_id", "values": "payload"}
LETTERS = {"key": "id", "route": "destination", "values": "payload"}
NOTICES = {"key": "id", "route": "event_type", "payload": "serialized_event", "values": "serialized_event", "topic": "t"}
TEMPLATE = {"key": "id", "route": "type", "payload": "content", "values": "content", "topic": "t"}
BUS = {"key": "id", "route": "path", "payload": "message_payload", "values": "message_payload", "topic": "t"}
NOW = "> now() - interval '1 min'"
PLAYED = {
    "time_null": Table("public.events", ["2", "3", "4"], f"published_at {NOW}", ("published_at",), **EVENTS),
    "status_text": Table("public.events", ["2", "4"], f"status = 'PUBLISHED' and published_at {NOW}", ("status", "published_at"), **EVENTS),
    "status_unknown": Table("public.events", refused=("outbox_unknown_layout", "NEW, PUBLISHED, FAILED", "walduct.outbox.source=slot")),
    "status_number": Table("public.events", refused=("outbox_unknown_layout", "status of type smallint", "walduct.outbox.source=slot")),
    "number_of_a_library": Table("mail.letters", ["a2", "a3"], "published = 1", ("published",), **LETTERS),
    "attempts": Table("public.events", ["1", "6"], f"processed_at {NOW}", ("processed_at",), **EVENTS),
    "lease_until": Table("public.events", ["3", "4"], f"sent_at {NOW}", ("sent_at",), **EVENTS),
    "lease_without_end": Table("public.events", refused=("outbox_unknown_layout", "locked_by", "locked_until")),
    "word_of_the_opposite": Table("public.notices", ["00000000-0000-0000-0000-0000000000a1"], f"status = 'COMPLETED' and completion_date {NOW}",
                                  ("status", "completion_date"), options={"walduct.outbox.where": "listener_id = 'to broker'"}, **NOTICES),
    "two_marks": Table("public.events", refused=("outbox_unknown_layout", "sent")),
    "time_of_utc": Table("public.outbox_messages", [f"00000000-0000-0000-0000-0000000000b{n}" for n in (2, 1)], f"processed_on_utc {NOW}", ("processed_on_utc",),
                         **TEMPLATE),
    "lease_beside_attempts": Table("public.events", ["00000000-0000-0000-0000-0000000000c3"], f"processed_at {NOW}", ("processed_at",), key="partition_key",
                                   route="id", topic="t", keys="partition_key", values="payload"),
    "mark_of_another_word": Table("public.events", ["2", "3"], options={"walduct.outbox.done": "delete", "walduct.outbox.where": "enqueued_at IS NULL"},
                                  **{**EVENTS, "keys": None, "topic": "t"}),
    "bus_of_leases": Table("public.smb_outbox", [f"00000000-0000-0000-0000-0000000000d{n}" for n in (4, 0)], "delivery_complete", ("delivery_complete",),
                           options=BYTES, **BUS),
    "status_of_another_word": Table("public.events", refused=("outbox_unknown_layout", "PENDING", "walduct.outbox.source=slot")),
    "rows_that_are_there": Table("public.events", ["1", "2", "3"], options={"walduct.outbox.done": "delete"}, **EVENTS),
}
# What is asked for where the option above is not given.
ASKED = {
    "mark_of_another_word": Table("public.events", options={"walduct.outbox.done": "delete"},
                                  refused=("outbox_unknown_layout", "enqueued_at, which could say", "walduct.outbox.where")),
    "word_of_the_opposite": Table("public.notices", refused=("outbox_needs_where", "walduct.outbox.where=listener_id")),
    "rows_that_are_there": Table("public.events", refused=("outbox_needs_delete", "walduct.outbox.done=delete")),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.sql")))
def test_a_table_of_each_family(databases, pg17, connectors, name):
    db = databases(pg17)
    db.script((FOLDER / f"{name}.sql").read_text())
    if name in ASKED:
        play(ASKED[name], db, connectors, name="asks")
    play(PLAYED[name], db, connectors)
