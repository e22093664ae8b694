"""TRUNCATE."""

TWO = "create table a (id int primary key); create table b (id int primary key)"
NONE_SKIPPED = {"skipped.operations": "none"}


def ops(events):
    return [(e.table, e.op) for e in events]


def test_trc01_left_out_by_default(db, connectors):
    db.execute(TWO)
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script("insert into a values (1); truncate a; insert into a values (2)")
    assert ops(connector.wait_events(2)) == [("a", "c"), ("a", "c")]


def test_trc02_record(db, connectors):
    """TRC-02: before and after null, null key."""
    db.script("create table a (id serial primary key)")
    connector = connectors(db, {"skipped.operations": "u"}, sink="file").start().wait_streaming()
    db.script("insert into a default values; truncate a restart identity cascade; insert into a default values")
    created, gone, again = connector.wait_events(3)
    assert (gone.op, gone.key, gone.before, gone.after) == ("t", None, None, None)
    assert created.id == again.id == 1


def test_trc03_several_tables(each_pg, databases, connectors):
    """TRC-03: one record a table, all of one LSN and one transaction."""
    db = databases(each_pg)
    db.execute(TWO)
    connector = connectors(db, NONE_SKIPPED, sink="file").start().wait_streaming()
    db.execute("truncate a, b")
    events = connector.wait_events(2)
    assert sorted(ops(events)) == [("a", "t"), ("b", "t")]
    assert len({(e.source["lsn"], e.source["txId"]) for e in events}) == 1


def test_trc04_cascade(db, connectors):
    db.script("create table a (id int primary key); create table child (id int primary key, a int references a)")
    connector = connectors(db, NONE_SKIPPED, sink="file").start().wait_streaming()
    db.execute("truncate a cascade")
    assert sorted(ops(connector.wait_events(2))) == [("a", "t"), ("child", "t")]


def test_trc05_of_published_tables_only(db, connectors):
    db.execute(TWO)
    db.execute("create publication mine for table a")
    connector = connectors(db, {**NONE_SKIPPED, "publication.name": "mine", "publication.autocreate.mode": "disabled"},
                           sink="file").start().wait_streaming()
    db.script("truncate a, b; insert into a values (1)")
    assert ops(connector.wait_events(2)) == [("a", "t"), ("a", "c")]


def test_trc06_publication_without_truncate(db, connectors):
    db.execute(TWO)
    db.execute("create publication mine for table a, b with (publish = 'insert, update, delete')")
    connector = connectors(db, {**NONE_SKIPPED, "publication.name": "mine", "publication.autocreate.mode": "disabled"},
                           sink="file").start().wait_streaming()
    db.script("truncate a; insert into a values (1)")
    assert ops(connector.wait_events(1)) == [("a", "c")]


def test_trc07_order_inside_a_transaction(db, connectors):
    db.execute(TWO)
    connector = connectors(db, NONE_SKIPPED, sink="file").start().wait_streaming()
    db.script("begin; insert into a values (1); truncate a; insert into a values (2); truncate b; commit")
    assert ops(connector.wait_events(4)) == [("a", "c"), ("a", "t"), ("a", "c"), ("b", "t")]
