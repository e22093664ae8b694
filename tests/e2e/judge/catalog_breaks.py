"""Breaks by what others do to tables, publications and columns: migrations, mostly."""
from support.judge import Break, beside, captures, either, failed, retrying

OFTEN = {"walduct.stall.warn.ms": "1000"}  # the catalog is looked at as often as the slot


def sql(text):
    return lambda patient: patient.db.script(text.format(pub=patient.connector.publication, items="items"))


def then_a_row(text, row="insert into items (id) values (99)"):
    def does(patient):
        patient.db.script(text.format(pub=patient.connector.publication))
        patient.db.script(row)
    return does


SECRET = "create table people (id int primary key, ssn text); insert into people values (1, '555-1')"
MASK = {"column.mask.with.4.chars": "public.people.ssn"}
LEAVES = "create table ev (id int primary key) partition by list (id); create table ev_1 partition of ev for values in (1)"
OF_LEAVES = {"schema.include.list": None, "table.include.list": "public.items,public.ev_.*", **OFTEN}
STOPS = either(failed, retrying)
MASK_LOST = {"says": "people.*ssn|ssn.*people", "sign": either(failed, retrying), "ready": 503, "ends": True}


def row_of_people(patient):
    patient.db.script("insert into people (id) values (7)")


CATALOG = {
    "a table leaves the publication": Break(
        sql('alter publication "{pub}" drop table items'), r"publication_lacks_tables", captures, doctor="publication_lacks_tables.*items", config=OFTEN),
    "the publication sends inserts only": Break(
        sql('alter publication "{pub}" set (publish = \'insert\')'), r"publication_\w+", captures, doctor=r"publication_\w+.*(update|publish)", config=OFTEN),
    "the publication is emptied": Break(
        sql('alter publication "{pub}" drop table items, other'), "publication_lacks_tables", captures, doctor="publication_lacks_tables", config=OFTEN),
    "a row filter appears": Break(
        sql('alter publication "{pub}" drop table items; alter publication "{pub}" add table items where (id > 1000)'), r"publication_\w+|table_\w+", captures,
        doctor="filter", config=OFTEN),
    "a column list appears": Break(
        sql('alter publication "{pub}" drop table items; alter publication "{pub}" add table items (id)'), r"publication_\w+|table_\w+", captures,
        doctor="column|list", config=OFTEN),
    "the publication is dropped": Break(
        then_a_row('drop publication "{pub}"'), r"publication_missing", either(captures, STOPS), doctor="publication_missing", config=OFTEN, ends=True),
    "a table is made anew": Break(
        sql("drop table items; create table items (id int primary key, note text)"), "table_created_anew", captures, doctor="publication_lacks_tables.*items", config=OFTEN),
    "two tables are swapped": Break(
        sql("begin; alter table items rename to items_old; create table items (id int primary key, note text); commit"), "table_created_anew", captures,
        doctor="publication_lacks_tables.*items", config=OFTEN),
    "a partition appears": Break(
        sql("create table ev_2 partition of ev for values in (2)"), "publication_lacks_tables", captures, doctor="publication_lacks_tables.*ev_2", tables=LEAVES, config=OF_LEAVES),
    "a table appears": Break(
        sql("create table late (id int primary key)"), "publication_lacks_tables.*late|late.*publication_lacks_tables", captures, doctor="publication_lacks_tables.*late", config=OFTEN),
    "another schema takes the name": Break(
        sql("create schema green; create table green.items (id int primary key, note text); create table green.other (id int primary key);"
            "begin; alter schema public rename to blue; alter schema green rename to public; commit"),
        "table_created_anew", captures, doctor="publication_lacks_tables.*items", config=OFTEN),
    "updates are refused by the server": Break(
        sql("alter table items replica identity nothing"), r"publication_refuses_writes|replica identity", captures, doctor="publication_refuses_writes.*items", config=OFTEN),
    "a masked column is renamed": Break(
        lambda p: (p.db.script("alter table people rename ssn to ssn_no"), row_of_people(p)), config=MASK, tables=SECRET, **MASK_LOST),
    "a masked table is renamed": Break(
        lambda p: (p.db.script("alter table people rename to persons"), p.db.script("insert into persons (id) values (7)")),
        r"people|persons", STOPS, ready=503, config={**MASK, **OFTEN}, tables=SECRET, ends=True),
    "an excluded column is renamed": Break(
        lambda p: (p.db.script("alter table people rename ssn to ssn_no"), row_of_people(p)), config={"column.exclude.list": "public.people.ssn"}, tables=SECRET, **MASK_LOST),
    "a hashed column is renamed before its table's first change": Break(
        lambda p: (p.db.script("alter table people rename ssn to ssn_no"), row_of_people(p)),
        config={"column.mask.hash.v2.SHA-256.with.salt.x": "public.people.ssn", "snapshot.mode": "no_data"}, tables=SECRET, **MASK_LOST),
    "an event of the outbox is none": Break(
        then_a_row("insert into outbox (id, aggregatetype, aggregateid) values (1, 'Order', '1')", "update outbox set aggregateid = '2'"),
        "outbox|EventRouter|event_router|update", STOPS, ready=503, ends=True,
        tables="create table outbox (id int primary key, aggregatetype text, aggregateid text, payload text); alter table outbox replica identity full;",
        config={"transforms": "o", "transforms.o.type": "io.debezium.transforms.outbox.EventRouter", "transforms.o.table.op.invalid.behavior": "fatal",
                "transforms.o.predicate": "p", "predicates": "p", "predicates.p.type": "org.apache.kafka.connect.transforms.predicates.TopicNameMatches",
                "predicates.p.pattern": r".*\.outbox"}),
    "the table of heartbeats is dropped": Break(
        sql("drop table beats"), "heartbeat", beside, doctor="heartbeat",
        tables="create table beats (at timestamptz)", config={"heartbeat.interval.ms": "500", "heartbeat.action.query": "insert into public.beats values (now())", **OFTEN}),
}
