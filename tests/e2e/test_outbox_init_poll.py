"""`walduct outbox init --flavour poll|position`: the script runs as it is, and its connector publishes with the rights it grants."""
import json
import subprocess

import pytest

from support.connector import database_properties
from support.kafka import delete_topics, read_topics
from support.paths import BINARY
from support.polling import polled
from support.wait import wait_until

FLAVOURS = ["poll", "position"]
# The columns of its table are the EventRouter's own.
ROUTED = {"transforms.outbox.route.by.field": None, "transforms.outbox.table.field.event.key": None,
          "transforms.outbox.table.fields.additional.placement": None, "transforms.outbox.route.topic.replacement": None}


def outbox_init(*arguments, code=0):
    done = subprocess.run([BINARY, "outbox", "init", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture
def roles(databases):
    made = []

    def make(db, *kinds):
        made.append((db, [f"{db.name}_{kind}" for kind in kinds]))
        for name in made[-1][1]:
            db.execute(f"create role \"{name}\" login password 'secret'")
        return made[-1][1]
    yield make
    for db, names in made:
        for name in names:
            db.execute(f'drop owned by "{name}" cascade')
            db.execute(f'drop role "{name}"')
        db.close_session()


def uncommented(script):
    """The trigger that the script has as a comment."""
    lines = script.split("-- To be woken at once")[1].split("How an application writes")[0].splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith("--   "))


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_script_and_connector_work_together(databases, each_pg, connectors, roles, flavour):
    db = databases(each_pg)
    role, application = roles(db, "reader", "writer")
    names = ["--flavour", flavour, "--role", role, "--application-role", application, "--connector", db.name]
    script = outbox_init(*names)
    db.script(script)
    assert not db.publications()
    config = json.loads(outbox_init(*names, "--database", db.name, "--print", "connector"))["config"]
    assert "slot.name" not in config and config["database.user"] == role
    place = {key: value for key, value in database_properties(db).items() if key in ("database.hostname", "database.port")}
    worker = {"offset.storage.file.filename": None, "offset.storage.topic": f"offsets-{db.name}", "offset.storage.partitions": "1",
              "offset.storage.replication.factor": "1"}
    connector = connectors(db, worker=worker)
    connector.config = {**config, **place, "database.password": "secret"}
    connector.start().wait_streaming()
    with db.connect(user=application, password="secret") as session:
        session.execute(outbox_init(*names, "--print", "example").replace("'Order'", f"'{db.name}'"))
    own = f"outbox.event.{db.name}"
    wait_until(lambda: [(e.topic, e.key) for e in read_topics(connector.worker["bootstrap.servers"], own)] == [(own, b"10")], 30, "its event")
    connector.stop()
    delete_topics(connector.worker["bootstrap.servers"], own)


@pytest.mark.parametrize("made", ["by the script", "of its comment"])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_trigger_wakes_it(databases, pg17, connectors, roles, flavour, made):
    db = databases(pg17)
    role, = roles(db, "reader")
    script = outbox_init("--flavour", flavour, "--role", role, *(["--wake"] if made == "by the script" else []))
    db.script(script)
    if made == "of its comment":
        with db.connect() as session:
            session.execute(uncommented(script))
    config = {"walduct.outbox.source": "poll", "walduct.outbox.publish.locally": "true", "walduct.outbox.tables": "public.outbox", "slot.name": None, "publication.name": None,
              "publication.autocreate.mode": None, "walduct.outbox.poll.interval.ms": "600000",
              **({"walduct.outbox.done": "position"} if flavour == "position" else {})}
    connector = connectors(db, config, superuser=True, sink="file").start()
    connector.wait_log("wakes=notify")
    asked = "select 1 from pg_stat_activity where application_name like '%% poll' and state = 'idle' and state_change < now() - interval '3 s'"
    wait_until(lambda: db.execute(asked), 30, "a pause of three seconds between two statements")
    db.execute("insert into outbox (aggregatetype, aggregateid, type) values ('a', '1', 't')")
    connector.wait_events(1, timeout_s=2)
    connector.stop()


def test_no_trigger_where_transactions_can_be_prepared(private_servers, databases, connectors, roles):
    """The script leaves it out and says so; doctor tells of one that stands there; a transaction that notifies cannot be prepared."""
    db = databases(private_servers(postgres=17, pg_set={"max_prepared_transactions": "4"}).postgres)
    role, = roles(db, "reader")
    script = outbox_init("--flavour", "poll", "--role", role, "--wake")
    with db.connect() as session:
        told = []
        session.add_notice_handler(lambda notice: told.append(notice.message_primary))
        session.execute(script)
    assert any("max_prepared_transactions is 4" in one for one in told), told
    assert not db.execute("select from pg_trigger where tgname = 'walduct_wake'")
    write = "begin; insert into outbox (aggregatetype, aggregateid, type) values ('a', '1', 't'); prepare transaction 'xa'"
    db.script(write)
    db.execute("commit prepared 'xa'")
    config = {"walduct.outbox.source": "poll", "walduct.outbox.publish.locally": "true", "walduct.outbox.tables": "public.outbox", "slot.name": None,
              "publication.name": None, "publication.autocreate.mode": None}
    connector = connectors(db, config, superuser=True, sink="file")
    assert "outbox_notify_prepared" not in connector.call("doctor").stdout
    with db.connect() as session:
        session.execute(uncommented(outbox_init("--flavour", "poll", "--role", role)))
    told = connector.call("doctor").stdout
    assert "outbox_notify_prepared" in told and 'DROP TRIGGER walduct_wake ON "public"."outbox"' in told, told
    with pytest.raises(Exception, match="NOTIFY"):
        db.script(write)


def test_a_trigger_is_for_who_polls():
    assert "--wake" in outbox_init("--wake", code=2)


def test_what_is_claimed_is_found_by_the_indexes(databases, pg17, connectors, roles):
    """With a hundred thousand rows that are published, a hundred that are not, and statistics from before there were any."""
    db = databases(pg17)
    role, = roles(db, "reader")
    db.script(outbox_init("--flavour", "poll", "--role", role))
    db.execute("insert into outbox (aggregatetype, aggregateid, type, published_at) select 'a', (g % 1000)::text, 't', now() from generate_series(1, 100000) g")
    db.execute("insert into outbox (aggregatetype, aggregateid, type) select 'a', (g % 10)::text, 't' from generate_series(1, 100) g")
    read = "select (select seq_scan from pg_stat_user_tables where relname = 'outbox'), (select sum(idx_tup_read)::bigint from pg_stat_user_indexes where relname = 'outbox')"
    scans, entries = db.execute(read)[0]
    connector = connectors(db, {**polled(db), **ROUTED}, superuser=True, sink="file").start().wait_streaming()
    connector.wait_events(100)
    wait_until(lambda: db.value("select published_at is not null from outbox where id = 100100"), 20, "marked")
    connector.stop()
    after, read_since = db.execute(read)[0]
    assert after == scans, "the table was read"
    assert read_since - entries < 2_000


def test_housekeeping_is_refused():
    for flavour in FLAVOURS:
        assert "--cleanup" in outbox_init("--flavour", flavour, "--cleanup", code=2)
