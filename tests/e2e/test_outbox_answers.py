"""What commands answer about a connector that polls."""
import time

from support.polling import polled

OWN = "create table outbox (id bigserial primary key, {} text, aggregate_id text, {} text, payload jsonb, published_at timestamptz)"


def test_doctor_sees_what_stops_the_first_row(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(OWN.format("aggregate_type", "kind"))
    connector = connectors(db, polled(db), superuser=True, sink="file")
    examined = connector.call("doctor")
    assert examined.returncode == 2 and "has no column 'event_type'" in examined.stdout, examined.stdout
    assert "transforms.outbox.table.fields.additional.placement" in examined.stdout and "aggregate_id, kind, payload" in examined.stdout
    assert f"PostgreSQL at {pg17.host}" in examined.stdout
    db.execute("alter table outbox rename kind to event_type")
    assert connector.call("doctor").returncode == 0
    db.execute("alter table outbox rename aggregate_type to about")
    examined = connector.call("doctor")
    assert examined.returncode == 2 and "no column 'aggregate_type'" in examined.stdout, examined.stdout
    assert "take it out of walduct.outbox.tables" in examined.stdout  # which binds the router to the table


def test_doctor_by_the_slot_sees_it_too(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(OWN.format("aggregate_type", "kind"))
    own = {"walduct.outbox.source": "slot", "slot.name": db.name, "publication.name": db.name, "table.include.list": "public.outbox"}
    examined = connectors(db, {**polled(db), **own}, superuser=True, sink="file").call("doctor")
    assert "has no column 'event_type'" in examined.stdout, examined.stdout


def test_a_row_that_stops_the_connector_says_how_it_is_left_out(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(OWN.format("aggregate_type", "event_type"))
    db.execute("insert into outbox (aggregate_type, aggregate_id, event_type) values ('Bad Topic!', '1', 't'), ('Order', '2', 't')")
    connector = connectors(db, polled(db), superuser=True, sink="file").start()
    assert connector.wait_exit() == 1
    log = connector.log.read_text()
    assert "0/0" not in log, log
    leave_out = """UPDATE "public"."outbox" SET "published_at" = now() WHERE "id" = '1'"""
    told = log.replace('\\"', '"').replace('""', '"')
    assert leave_out in told or leave_out.replace('"', "") in told.replace('"', ""), log
    db.execute(leave_out)
    connector.start().wait_streaming()
    assert len(connector.wait_events(1)) == 1
    connector.stop()


def test_what_needs_a_slot_is_refused_at_once(databases, pg17, connectors):
    db = databases(pg17)
    db.execute(OWN.format("aggregate_type", "event_type"))
    connector = connectors(db, polled(db), superuser=True, sink="file")
    for command, says in ((("outbox", "clean"), "walduct.outbox.done=delete"), (("run", "--until-lsn", "0/1"), "--until-caught-up"),
                          (("skip", "--lsn", "0/0:1", "--yes"), "correct the row"), (("recover", "plan"), "start the connector")):
        begun = time.monotonic()
        ended = connector.call(*command)
        assert ended.returncode == 2 and says in ended.stderr, (command, ended.stderr)
        assert "walduct.outbox.source=poll" in ended.stderr and time.monotonic() - begun < 5
