"""Each way in which a start can stop is played: `walduct doctor` says the same reason before it, as an error, and `walduct run` stops
with it. Before the way is broken, doctor finds no error of the same connector."""
import uuid
from dataclasses import dataclass, field

import pytest
from confluent_kafka.admin import AdminClient
from test_doctor import examine

from support.kafka import create_topic
from support.offsets import read_map, write_map, write_offset

TABLES = "create table items (id int primary key, note text); insert into items values (1, 'one');"
OUTBOX = ("create table outbox (id uuid primary key, aggregatetype text not null, aggregateid text not null, type text, payload text, "
          "created_at timestamptz default now());")
CLEANED = {"walduct.outbox.tables": "public.outbox", "walduct.outbox.cleanup": "delete", "transforms": "o",
           "transforms.o.type": "io.debezium.transforms.outbox.EventRouter", "table.include.list": "public.outbox"}
MASK = {"column.mask.with.4.chars": "public.people.ssn"}
PEOPLE = "create table people (id int primary key, ssn text); insert into people values (1, '555-1');"
EXACTLY_ONCE = {"exactly.once.support": "required", "producer.override.enable.idempotence": "true"}


@dataclass
class Way:
    """What is made, whether the connector has run before (`ran`), and what is then broken: by SQL as a superuser, by properties of the
    connector or the worker, or by a function of (database, connector)."""
    sql: str = ""
    config: dict = field(default_factory=dict)
    worker: dict = field(default_factory=dict)
    does: object = None
    tables: str = TABLES
    begins: dict = field(default_factory=dict)  # properties of before
    ran: bool = False
    sink: str = "file"
    control: bool = True  # doctor has no error before
    code: int = 2         # of doctor; 1: what passes by itself is a warning
    retries: bool = False  # the start waits, and says so


def of_role(db, connector):
    """A role of this connector alone, as the roles of docs/security.md are."""
    role = f"start_{uuid.uuid4().hex[:10]}"
    db.server.query(f"create role {role} login replication password 'x' in role walduct_cdc")
    db.script(f'grant create, connect on database "{db.name}" to {role}')
    connector.config.update({"database.user": role, "database.password": "x"})
    return role


def stored(change):
    """The stored offset, changed by a function."""
    def does(db, connector):
        offset = connector.offset()
        change(offset)
        write_offset(connector.offset_file, connector.name, connector.prefix, offset)
    return does


def malformed(db, connector):
    entries = read_map(connector.offset_file)
    write_map(connector.offset_file, {key: b"{]" for key in entries})


def advance_slot(db, connector):
    db.script("insert into items values (50); select pg_switch_wal()")
    db.execute("select pg_replication_slot_advance(%s, pg_current_wal_lsn())", connector.slot)


def no_tables_of_schema(db, connector):
    connector.config["schema.include.list"] = "nowhere"


def offset_folder_gone(db, connector):
    connector.worker["offset.storage.file.filename"] = str(connector.dir / "none" / "offsets.dat")


def topic_for_offsets(db, connector):
    topic = f"{db.name}-offsets"
    create_topic(connector.worker["bootstrap.servers"], topic, **{"cleanup.policy": "delete"})
    connector.worker.update({"offset.storage.file.filename": None, "offset.storage.topic": topic})


def slot_of_another_database(db, connector):
    db.server.query("select pg_create_logical_replication_slot(%s, 'pgoutput')", connector.slot)


def ahead(offset):
    offset["lsn"] = offset["lsn_proc"] = offset["lsn_commit"] = 1 << 50


def running(offset):
    offset.update({"snapshot": "INITIAL", "last_snapshot_record": False, "snapshot_completed": False})


SLOT = "select pg_create_logical_replication_slot('{db}', "
DISABLED = {"publication.autocreate.mode": "disabled"}
HIDDEN = "alter table items owner to postgres; revoke all on items from public, walduct_cdc, shop_owners, {role}"

WAYS = {
    # logging in
    "wrong_password": Way(config={"database.password": "no"}),
    "database_missing": Way(config={"database.dbname": "nowhere_at_all"}),
    "role_may_not_log_in": Way("alter role {role} nologin"),
    "role_may_not_replicate": Way("alter role {role} noreplication"),
    "may_not_connect": Way('revoke connect on database "{db}" from public, walduct_cdc, {role}'),
    "too_many_connections": Way("alter role {role} connection limit 0", retries=True),
    "unknown_host": Way(config={"database.hostname": "nowhere.invalid"}),
    "postgres_unreachable": Way(config={"database.port": "1"}, retries=True),
    "tls_failed": Way(config={"database.sslmode": "require"}),
    "table_missing": Way(config={"database.initial.statements": "select count(*) from nowhere_at_all"}),
    # tables
    "no_tables_captured": Way(config={**DISABLED, "table.include.list": "public.itmes"}, does=lambda db, c: db.script(
        f'create publication "{db.name}" for table items')),
    "table_not_readable": Way(HIDDEN + '; create publication "{db}" for table items', config=DISABLED),
    "row_security_hides_rows": Way('alter table items enable row level security; create publication "{db}" for table items;'
                                   "alter table items owner to postgres; grant select on items to {role}", config=DISABLED),
    "override_without_columns": Way(config={"snapshot.select.statement.overrides": "public.items",
                                            "snapshot.select.statement.overrides.public.items": "select 1 as one"}),
    "mask_lost": Way("alter table people rename ssn to ssn_no", begins=MASK, tables=PEOPLE, ran=True),
    # publications
    "publication_missing": Way(config=DISABLED),
    "publication_without_tables": Way(does=no_tables_of_schema),
    "publication_for_all_tables": Way('create publication "{db}" for all tables'),
    "publication_not_permitted": Way('revoke create on database "{db}" from public, walduct_cdc, {role}'),
    # slots
    "slot_wrong_plugin": Way(SLOT + "'test_decoding')"),
    "slot_wrong_database": Way(does=slot_of_another_database),
    "offset_missing": Way(does=lambda db, c: c.offset_file.unlink(), ran=True),
    "position_lost": Way(does=lambda db, c: db.drop_slot(c.slot), ran=True),
    "position_skipped": Way(does=advance_slot, ran=True),
    "position_ahead": Way(does=stored(ahead), ran=True),
    "system_mismatch": Way(does=stored(lambda offset: offset.update({"walduct_system_id": "7000000000000000001"})), ran=True),
    "snapshot_interrupted": Way(does=stored(running), config={"snapshot.mode": "no_data"}, ran=True),
    "slot_of_another_sink": Way(config={"sink": "stdout", "sink.file.path": None}, ran=True),
    # outbox tables
    "outbox_no_tables": Way(config={**CLEANED, "walduct.outbox.tables": "public.outbx"}, tables=OUTBOX),
    "outbox_not_captured": Way('create publication "{db}" for table items, outbox', config={**CLEANED, **DISABLED, "table.include.list": "public.items"}, tables=TABLES + OUTBOX),
    "outbox_no_time_column": Way("alter table outbox drop created_at", config=CLEANED, tables=OUTBOX),
    "outbox_history": Way("insert into outbox values (gen_random_uuid(), 'Order', '1')", begins={**CLEANED, "snapshot.mode": "no_data"}, tables=OUTBOX),
    # files
    "output_unwritable": Way(config={"sink.file.path": "/nowhere/at/all.jsonl"}),
    "spill_unwritable": Way(config={"walduct.transaction.streaming": "true", "walduct.transaction.spill.directory": "/nowhere/at/all"}),
    "offset_file_unwritable": Way(does=offset_folder_gone),
    "offset_file_malformed": Way(does=lambda db, c: c.offset_file.write_bytes(b"no map")),
    "offset_malformed": Way(does=malformed, ran=True),
    # Kafka
    "broker_unavailable": Way(worker={"bootstrap.servers": "127.0.0.1:1"}, sink="kafka", retries=True),
    "topic_settings_invalid": Way(config={"topic.creation.default.replication.factor": "3", "topic.creation.default.partitions": "1"}, sink="kafka"),
    "offset_topic_not_compacted": Way(does=topic_for_offsets, sink="kafka"),
    "transaction_timeout_refused": Way(config={**EXACTLY_ONCE, "producer.override.transaction.timeout.ms": "7200000"}, sink="kafka",
                                       does=lambda db, c: c.worker.update({"offset.storage.file.filename": None, "offset.storage.topic": f"{db.name}-o"})),
}


@pytest.fixture
def roles():
    made = []
    yield made
    for db, role in made:
        if db.server.query("select 1 from pg_roles where rolname = %s", role):
            db.script(f"reassign owned by {role} to postgres; drop owned by {role}; drop role {role}")


def before(way, db, connectors, roles):
    """A connector as it is before the way goes wrong, with its role."""
    db.script(way.tables)
    connector = connectors(db, way.begins, sink=way.sink)
    role = of_role(db, connector)
    roles.append((db, role))
    if way.ran:
        connector.start().wait_streaming()
        db.script("insert into items values (2, 'two')" if "items" in way.tables else "insert into people values (2, '555-2')")
        connector.wait_events(2)
        connector.stop()
    return connector, role


def break_it(way, db, connector, role):
    connector.config.update(way.config)
    connector.worker.update(way.worker)
    if way.sql:
        db.script(way.sql.format(db=db.name, role=role))
    if way.does is not None:
        way.does(db, connector)


def there(db, connector):
    """What a start makes: publications, slots, topics."""
    topics = AdminClient({"bootstrap.servers": connector.worker["bootstrap.servers"]}).list_topics(timeout=20).topics
    return {*db.publications(), *db.slots(), *(topic for topic in topics if db.name in topic or connector.prefix in topic)}


@pytest.mark.parametrize("reason", WAYS)
def test_a_start_stops_and_doctor_says_so(reason, pg17, databases, connectors, roles):
    way = WAYS[reason]
    db = databases(pg17)
    connector, role = before(way, db, connectors, roles)
    code, findings = examine(connector)
    assert code < 2, ("before", findings)
    break_it(way, db, connector, role)
    code, findings = examine(connector)
    said = findings.get(reason)
    assert said and code == way.code and said["severity"] == {2: "error", 1: "warning"}[way.code], (code, findings)
    assert said["hint"] or reason in ("publication_missing",), said
    connector.start()
    if way.retries:
        connector.wait_log(rf"reason={reason}\b", 15)
        return
    assert connector.wait_exit(20) != 0
    assert connector.logged(rf"stopped: .*reason={reason}\b"), connector.log_text()


@pytest.mark.parametrize("reason", ["no_tables_captured", "table_not_readable", "publication_not_permitted", "slot_wrong_plugin",
                                    "topic_settings_invalid", "transaction_timeout_refused", "database_missing"])
def test_a_start_that_is_refused_leaves_nothing_behind(reason, pg17, databases, connectors, roles):
    way = WAYS[reason]
    db = databases(pg17)
    db.script(way.tables)
    connector = connectors(db, sink="kafka")
    connector.worker.update({"offset.storage.file.filename": None, "offset.storage.topic": f"{db.name}-o", "offset.storage.partitions": "1",
                             "offset.storage.replication.factor": "1"})
    if "topic.creation.default.partitions" not in way.config:
        connector.config.update({"topic.creation.default.partitions": "1", "topic.creation.default.replication.factor": "1"})
    role = of_role(db, connector)
    roles.append((db, role))
    break_it(way, db, connector, role)
    was = there(db, connector)
    connector.start()
    assert connector.wait_exit(20) != 0 and connector.logged(rf"stopped: .*reason={reason}\b"), connector.log_text()
    assert there(db, connector) == was
