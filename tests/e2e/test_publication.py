"""publication.autocreate.mode against publications that are missing, there, or changed by others."""
import pytest

from support.documented_roles import DocumentedRoles
from support.http import Surface
from support.wait import wait_until

TABLES = """create table a (id int primary key); create table b (id int primary key);
            create schema "Oth er"; create table "Oth er"."C d" (id int primary key)"""


@pytest.fixture
def tables(db):
    db.script(TABLES)
    return db


def tables_seen(events):
    return {e.source["table"] for e in events}


def test_PUB_01_all_tables(tables, connectors):
    connector = connectors(tables, {"publication.autocreate.mode": "all_tables"}).start().wait_streaming()
    assert tables.value("select puballtables from pg_publication where pubname = %s", connector.publication) is True
    tables.script('insert into "Oth er"."C d" values (1); insert into a values (1)')
    assert tables_seen(connector.wait_events(1)) == {"a"}, "the filters still say what is captured"


def test_PUB_02_filtered(tables, connectors):
    config = {"schema.include.list": None, "table.include.list": "public.a, Oth er.C d"}
    connector = connectors(tables, config).start().wait_streaming()
    assert tables.published_tables(connector.publication) == ["Oth er.C d", "public.a"]
    tables.script('insert into b values (1); insert into "Oth er"."C d" values (1); insert into a values (1)')
    assert tables_seen(connector.wait_events(2)) == {"a", "C d"}


def test_PUB_03_filtered_list_changed(tables, connectors):
    connector = connectors(tables, {"table.include.list": "public.a", "schema.include.list": None}).start().wait_streaming()
    connector.stop()
    connector.config["table.include.list"] = "public.b"
    connector.start().wait_streaming()
    assert tables.published_tables(connector.publication) == ["public.b"]
    tables.script("insert into a values (1); insert into b values (1)")
    assert tables_seen(connector.wait_events(1)) == {"b"}


def test_PUB_04_unchanged_is_left_alone(tables, connectors):
    connector = connectors(tables).start().wait_streaming()
    connector.stop()
    version = "select xmin::text from pg_publication_rel order by oid"
    before = tables.execute(version)
    connector.start().wait_streaming()
    assert tables.execute(version) == before


def test_PUB_05_nothing_matches(tables, connectors):
    connector = connectors(tables, {"table.include.list": "public.zzz", "schema.include.list": None})
    assert connector.run_to_end() == 3
    assert connector.logged("(?i)error.*no table.* reason=.* hint=")
    assert tables.slots() == [] and tables.publications() == []


def test_PUB_06_disabled_and_missing(tables, connectors):
    connector = connectors(tables, {"publication.autocreate.mode": "disabled"})
    assert connector.run_to_end() == 3
    assert connector.logged("error .*does not exist.*publication.autocreate.mode=disabled.* reason=publication_missing")
    assert connector.logged('hint=.*(?i:create publication)')
    assert tables.slots() == [] and tables.publications() == []


def test_PUB_07_no_tables(tables, connectors):
    """An empty publication is made; tables added to it later are streamed (PUB-12)."""
    connector = connectors(tables, {"publication.autocreate.mode": "no_tables"}).start().wait_streaming()
    assert tables.published_tables(connector.publication) == []
    tables.script(f'insert into a values (1); alter publication "{connector.publication}" add table a; insert into a values (2)')
    assert [e.id for e in connector.wait_events(1)] == [2]


def test_PUB_08_dropped_while_down(tables, connectors):
    """The publication is made again before streaming; what was written while it was missing is not passed over in silence."""
    connector = connectors(tables).start().wait_streaming()
    connector.stop()
    tables.execute(f'drop publication "{connector.publication}"')
    connector.start().wait_streaming()
    tables.execute("insert into a values (1)")
    assert tables_seen(connector.wait_events(1)) == {"a"}


def test_PUB_09_dropped_while_streaming(each_pg, databases, connectors):
    """An error that names the publication and what to do, also on PostgreSQL 18, where the server only warns."""
    db = databases(each_pg)
    db.script(TABLES)
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "errors.max.retries": "1"})
    db.execute(f'create publication "{connector.publication}" for table a, b')
    connector.start().wait_streaming()
    db.script(f'drop publication "{connector.publication}"; insert into a values (1)')
    assert connector.wait_exit(40) in (1, 3, 4)
    assert connector.logged(rf"error .*{connector.publication}"), connector.log_text()


def test_PUB_12_tables_added_and_removed(tables, connectors):
    connector = connectors(tables, {"publication.autocreate.mode": "disabled"})
    tables.execute(f'create publication "{connector.publication}" for table a')
    connector.start().wait_streaming()
    tables.script(f"""insert into b values (1); alter publication "{connector.publication}" add table b; insert into b values (2);
                      alter publication "{connector.publication}" drop table b; insert into b values (3); insert into a values (9)""")
    events = connector.wait_events(lambda events: any(e.table == "a" for e in events))
    assert [e.id for e in events if e.table == "b"] == [2]


def test_PUB_14_publish_option(tables, connectors):
    connector = connectors(tables, {"publication.autocreate.mode": "disabled"})
    tables.execute(f"create publication \"{connector.publication}\" for table a with (publish = 'insert')")
    connector.start().wait_streaming()
    tables.script("insert into a values (1); update a set id = 2; delete from a; insert into a values (3)")
    assert [(e.op, e.id) for e in connector.wait_events(2)] == [("c", 1), ("c", 3)]


def test_PUB_15_skipped_operations_reach_the_publication(tables, connectors):
    """PUB-15: also when the table list changes, where the real Debezium stops on a syntax error."""
    config = {"skipped.operations": "u,t", "table.include.list": "public.a", "schema.include.list": None}
    connector = connectors(tables, config).start().wait_streaming()
    connector.stop()
    connector.config["table.include.list"] = "public.a,public.b"
    connector.start().wait_streaming()
    flags = "select pubinsert, pubupdate, pubdelete, pubtruncate from pg_publication where pubname = %s"
    assert tables.execute(flags, connector.publication) == [(True, False, True, False)]
    assert tables.published_tables(connector.publication) == ["public.a", "public.b"]


def test_PUB_29_via_partition_root(db, connectors):
    db.script("""create table p (id int, r text, primary key (id, r)) partition by list (r);
                 create table p_x partition of p for values in ('x'); insert into p values (1, 'x')""")
    config = {"publish.via.partition.root": "true", "table.include.list": "public.p", "schema.include.list": None}
    connector = connectors(db, config).start().wait_streaming()
    db.execute("insert into p values (2, 'x')")
    assert [(e.op, e.source["table"]) for e in connector.wait_events(2)] == [("r", "p"), ("c", "p")]
    assert db.value("select pubviaroot from pg_publication where pubname = %s", connector.publication) is True


def test_all_tables_publication_given_for_filtered(tables, connectors):
    """A publication for all tables cannot be narrowed: refused and left alone."""
    connector = connectors(tables)
    tables.execute(f'create publication "{connector.publication}" for all tables')
    assert connector.run_to_end() == 3
    assert connector.logged("(?i)error.*all tables")
    assert tables.slots() == []


def test_mixed_case_publication_name(tables, connectors):
    connector = connectors(tables, {"publication.name": 'My "Pub", 1'}).start().wait_streaming()
    tables.execute("insert into a values (1)")
    connector.wait_events(1)
    connector.stop()
    assert tables.publications() == ['My "Pub", 1']
    connector.start().wait_streaming()


@pytest.mark.parametrize("heard", ["notice", "error"])
def test_a_publication_that_was_away_ends_the_stream(heard, each_pg, databases, connectors):
    """Dropped, written to, made again. PostgreSQL 18 says so by a warning alone, which a database or a role may be set not to hear."""
    db = databases(each_pg)
    db.script(TABLES)
    db.execute(f'alter database "{db.name}" set client_min_messages = {heard}')
    connector = connectors(db, {"table.include.list": "public.a", "schema.include.list": None}, sink="file").start().wait_streaming()
    db.script(f"""drop publication "{db.name}"; insert into a values (1); create publication "{db.name}" for table a; insert into a values (2)""")
    assert connector.wait_exit() == 3 and connector.logged("reason=publication_missing hint=")
    assert connector.events() == []


def test_a_publication_that_was_dropped_while_it_ran_has_no_other_name(db, connectors):
    """The position that was stored meanwhile knows which one was read, and nothing has it."""
    db.script(f'create table a (id int primary key); create publication "{db.name}" for table a')
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "walduct.stall.warn.ms": "1000"}, sink="file",
                           worker={"offset.flush.interval.ms": "50"})
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    db.execute("insert into a values (1)")
    wait_until(lambda: "walduct_tables" in (connector.offset() or {}), 30, "it is stored which one was read")
    connector.wait_events(1)
    db.script(f'create publication "{db.name}_new" for table a; drop publication "{db.name}"')
    connector.wait_log("warning .*the publication does not exist")
    db.execute("insert into a values (2)")
    assert connector.wait_exit(30) == 3
    connector.start()
    assert connector.wait_exit(30) == 3 and connector.logged("stopped: .*does not exist.*reason=publication_missing hint=.*CREATE PUBLICATION")
    # It is among those that are there, and none that was read.
    assert "set publication.name to its name (" in connector.log_text() and "publication_other_name" not in connector.log_text()
    assert "nothing is read anew" not in connector.log_text()


@pytest.mark.parametrize("mode", ["disabled", "filtered"])
def test_a_publication_that_was_renamed_is_read_on(mode, db, connectors):
    """Its new name serves what is written from then on: nothing is to be read anew."""
    db.script("create table a (id int primary key)")
    if mode == "disabled":
        db.execute(f'create publication "{db.name}" for table a')
    connector = connectors(db, {"publication.autocreate.mode": mode, "walduct.stall.warn.ms": "1000"}, sink="file",
                           worker={"offset.flush.interval.ms": "50"})
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    db.execute("insert into a values (1)")
    wait_until(lambda: "walduct_tables" in (connector.offset() or {}), 30, "it is stored which one was read")
    connector.wait_events(1)
    db.execute(f'alter publication "{connector.publication}" rename to "{db.name}_new"')
    hint = f"hint=.*set publication.name={db.name}_new, .*nothing is read anew"
    connector.wait_log("warning .*the publication does not exist.*reason=publication_missing " + hint)
    db.execute("insert into a values (2)")
    assert connector.wait_exit(30) == 3 and connector.logged("stopped: .*reason=publication_other_name " + hint)
    connector.start()
    assert connector.wait_exit(30) == 3 and connector.logged(f'stopped: .*was read is "{db.name}_new": it was renamed.*reason=publication_other_name ' + hint)
    # One that is made meanwhile under the configured name serves nothing of what was written before.
    db.execute(f'create publication "{connector.publication}" for ' + ("all tables" if mode == "disabled" else "table a"))
    connector.start()
    assert connector.wait_exit(30) == 3 and connector.logged("stopped: .*does not exist.*reason=publication_other_name " + hint)
    said = connector.call("doctor").stdout
    assert "publication_other_name" in said and "publication_missing" not in said and f"set publication.name={db.name}_new, " in said and "--accept-loss" not in said, said
    connector.config["publication.name"] = f"{db.name}_new"
    connector.start().wait_streaming()
    connector.wait_events(2)
    wait_until(lambda: f"{db.name}_new" in connector.offset()["walduct_tables"], 30, "it is known by its new name")
    assert not connector.logged("reason=table_was_not_published|its settings are as they were"), "nothing is missing"
    connector.stop()
    assert [e.id for e in connector.events()] == [1, 2]


def test_a_rename_alone_leaves_nothing_to_be_read_again(db, connectors):
    """One that was altered under its name, and altered back, is told of, as before."""
    db.script(f'create table a (id int primary key); create publication "{db.name}" for table a')
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "walduct.stall.warn.ms": "1000"}, sink="file",
                           worker={"offset.flush.interval.ms": "50"})
    connector.start().wait_streaming()
    db.execute("insert into a values (1)")
    connector.wait_events(1)
    wait_until(lambda: db.name in (connector.offset() or {}).get("walduct_tables", ""), 30, "it is stored how it is called")
    connector.stop()
    db.execute(f'alter publication "{db.name}" rename to "{db.name}_new"')
    db.execute("insert into a values (2)")
    connector.config["publication.name"] = f"{db.name}_new"
    said = connector.call("doctor").stdout
    assert "captured_tables_changed" not in said and "table_was_not_published" not in said, said
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    connector.wait_events(2)
    connector.wait_log(f"the publication has another name: .*was={db.name} is={db.name}_new")
    wait_until(lambda: f"{db.name}_new" in connector.offset()["walduct_tables"], 30, "it is known by its new name")
    capture = wait_until(lambda: Surface(connector).status().get("capture"), 30, "the catalog was looked at")
    assert "table_was_not_published" not in [one["reason"] for one in capture.get("problems", [])], capture
    assert not connector.logged("reason=table_was_not_published|its settings are as they were")
    db.script(f"""alter publication "{db.name}_new" set (publish = 'insert');
                  alter publication "{db.name}_new" set (publish = 'insert, update, delete, truncate')""")
    connector.wait_log("warning .*captured tables were not in the publication .*reason=table_was_not_published")
    connector.stop()


def test_a_publication_of_disabled_is_handed_to_the_role(db, connectors):
    """A publication that somebody else has made is handed to the role, as the page and the hint have it."""
    db.script(f'create table public.orders (id int primary key); create publication "{db.name}"')
    documented = DocumentedRoles(db)
    role = documented.roles["walduct_cdc"]
    connector = connectors(db, {"database.user": role, "database.password": "change-me", "publication.autocreate.mode": "filtered"})
    try:
        documented.run("role")
        documented.run("filtered")
        assert connector.run_to_end() == 3
        assert connector.logged(f"reason=publication_not_permitted hint=.*ALTER PUBLICATION {db.name} OWNER TO {role}; or its present owner")
        said = connector.call("doctor").stdout
        assert f"ALTER PUBLICATION {db.name} OWNER TO {role}" in said, said
        documented.run("filtered-owner")
        connector.start().wait_streaming()
        db.execute("insert into public.orders values (1)")
        connector.wait_events(1)
        connector.stop()
    finally:
        connector.close()
        documented.drop()
