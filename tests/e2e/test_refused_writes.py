"""Tables whose UPDATE and DELETE the server refuses because a publication does not send all of their replica identity: what is told is what
the server does."""
import re

import psycopg
import pytest
from support.http import Surface
from support.wait import wait_until
from test_doctor import reasons

VERSIONS = {15: False, 18: True}
ORDINARY = """
create table keyed (id int primary key, a int); create table keyless (a int);
create table whole (id int primary key, a int); alter table whole replica identity full;
create table listed (id int primary key, a int, b int); create table listed_full (id int primary key, a int, b int);
alter table listed_full replica identity full; create table covered (id int primary key, a int, b int);
create table filtered (id int primary key, a int, b int); create table filtered_key (id int primary key, a int);
create table filtered_full (id int primary key, a int); alter table filtered_full replica identity full;
create table keyless_listed (a int, b int);
create table nothing (id int primary key, a int); alter table nothing replica identity nothing;
create table nothing_listed (id int primary key, a int, b int); alter table nothing_listed replica identity nothing;
"""
GENERATED = """
create table stored (id int primary key, a int, v int generated always as (a * 3) stored); alter table stored replica identity full;
create table by_key (id int primary key, a int, v int generated always as (a * 3) stored);
create table in_key (a int, v int generated always as (a * 3) stored primary key);
create table in_index (id int primary key, a int, v int generated always as (a * 3) stored not null);
create unique index in_index_v on in_index (v); alter table in_index replica identity using index in_index_v;
create table keyless_generated (a int, v int generated always as (a * 3) stored);
"""
VIRTUAL = """
create table virtual (id int primary key, a int, v int generated always as (a * 3) virtual); alter table virtual replica identity full;
create table virtual_key (id int primary key, a int, v int generated always as (a * 3) virtual);
"""
TABLES = re.compile(r"create table (\w+)")
# Tables of which all columns are meant come by the schema of their own publication: for tables, with lists and filters.
MEMBERS = """keyed, keyless, whole, listed (a, b), listed_full (id, a), covered (id, a), filtered where (a > 0), filtered_key where (id > 0),
filtered_full where (a > 0), keyless_listed (a), nothing, nothing_listed (id, a)"""


def refused(db, tables):
    """What the server does."""
    found = set()
    for table in tables:
        db.execute(f"insert into {table} (a) values (1)" if "id int" not in DEFINITION[table] else f"insert into {table} (id, a) values (1, 1)")
        try:
            db.execute(f"update {table} set a = 2")
        except psycopg.errors.Error as error:
            assert "replica identity" in str(error).lower(), error
            found.add(table)
    return found


DEFINITION = {TABLES.search(line).group(1): line for line in re.split(r";\s*", ORDINARY + GENERATED + VIRTUAL) if TABLES.search(line)}


def named(findings, reason):
    return {name for finding in findings.get(reason, []) for name in re.findall(r"public\.(\w+)", finding["message"])}


@pytest.mark.parametrize("version, sends", [(15, None), (17, None), (18, "none"), (18, "stored")])
def test_doctor_names_what_the_server_refuses(version, sends, request, databases, connectors):
    db = databases(request.getfixturevalue(f"pg{version}"))
    setup = ORDINARY + GENERATED + (VIRTUAL if version >= 18 else "")
    tables = TABLES.findall(setup)
    generated = ", ".join(t for t in TABLES.findall(GENERATED + (VIRTUAL if version >= 18 else "")))
    option = f" with (publish_generated_columns = {sends})" if sends else ""
    db.script(setup + f'create publication "{db.name}" for table {MEMBERS}, {generated}{option}')
    connector = connectors(db, {"publication.autocreate.mode": "disabled"}, sink="file")
    findings = reasons(connector)
    told, actual = named(findings, "publication_refuses_writes"), refused(db, tables)
    assert told == actual, findings["publication_refuses_writes"]
    assert {"keyless", "listed", "listed_full", "filtered", "keyless_generated"} <= actual and not {"keyed", "whole", "covered", "by_key"} & actual
    assert ("stored" in actual) == (sends == "none") and ("virtual" in actual) == (version >= 18)
    by_hint = {f["message"]: f["hint"] for f in findings["publication_refuses_writes"]}
    for message, hint in by_hint.items():
        full = "REPLICA IDENTITY FULL" in hint
        # Where FULL is advised it helps.
        assert not full or not ({"listed", "listed_full", "keyless_listed", "stored", "virtual"} & set(re.findall(r"public\.(\w+)", message)))
        if "virtual" in message:
            assert "REPLICA IDENTITY DEFAULT" in hint
    # One that has a key needs no other: what is to be typed stands there.
    keyed = [f for f in findings["publication_refuses_writes"] if "though they have a primary key" in f["message"]]
    assert len(keyed) == 1 and named({"": keyed}, "") == {"nothing", "nothing_listed"} and "FULL" not in keyed[0]["hint"], keyed
    for statement in keyed[0]["hint"].split("; ")[:-1]:
        db.execute(statement)
    db.script("update nothing set a = 3; update nothing_listed set a = 3")
    connector.start().wait_streaming()
    if sends == "none":
        assert connector.logged("replica identity has generated columns that the publication does not send.*public.stored")
        columns = {f["message"] for f in findings["generated_column_not_sent"]}
        assert any("public.by_key" in c or "by_key" in c for c in columns) and any("virtual ones are never sent" in c for c in columns), columns
    elif sends == "stored":
        columns = [f["message"] for f in findings["generated_column_not_sent"]]
        assert len(columns) == 2 and all("virtual" in c for c in columns), columns
    else:
        assert all("this version" in f["message"] for f in findings["generated_column_not_sent"])


def test_before_the_publication_is_made(databases, pg18, connectors):
    """And replica.identity.autoset.values sets no identity that would stop the application."""
    db = databases(pg18)
    db.script(GENERATED + VIRTUAL + "create table plain (id int primary key, a int); create table keyless (a int)")
    autoset = {"replica.identity.autoset.values": "public.by_key:FULL,public.virtual_key:FULL,public.plain:FULL"}
    connector = connectors(db, autoset, sink="file")
    findings = reasons(connector)
    assert named(findings, "publication_would_refuse_writes") == {"stored", "in_key", "in_index", "virtual", "keyless_generated", "keyless"}
    connector.start().wait_streaming()
    log = connector.log_text()
    assert "about to publish tables whose replica identity has generated columns" in log
    kept = [line for line in log.splitlines() if "replica identity not changed: the server would refuse" in line]
    assert len(kept) == 2 and "by_key" in kept[0] and "virtual_key" in kept[1] and all("columns=v" in line for line in kept), kept
    identities = dict(db.execute("select relname, relreplident::text from pg_class where relname in ('by_key', 'virtual_key', 'plain')"))
    assert identities == {"by_key": "d", "virtual_key": "d", "plain": "f"}
    db.script("insert into by_key (id, a) values (1, 1); update by_key set a = 2; insert into plain values (1, 1); update plain set a = 2")
    connector.wait_events(4)
    connector.stop()
    # What sends them, the publication may be told; then FULL does no harm, and is set.
    db.execute(f'alter publication "{connector.publication}" set (publish_generated_columns = stored)')
    connector.start().wait_streaming()
    assert db.value("select relreplident::text from pg_class where relname = 'by_key'") == "f"
    db.execute("update by_key set a = 3")


ROOTS = """
create table listed (id int, a int, b int, primary key (id, a)) partition by list (a);
create table listed_1 (b int, a int not null, id int not null, primary key (id, a)); alter table listed attach partition listed_1 for values in (1);
create table covered (id int, a int, b int, primary key (id, a)) partition by list (a); create table covered_1 partition of covered for values in (1);
create table filtered (id int primary key, a int, b int) partition by range (id);
create table filtered_mid partition of filtered for values from (0) to (9) partition by range (id);
create table filtered_1 partition of filtered_mid for values from (0) to (9);
create table whole (id int primary key, a int, b int) partition by range (id); create table whole_1 partition of whole for values from (0) to (9);
alter table whole_1 replica identity full;
"""
OF_ROOTS = "listed (id, b), covered (a, id), filtered where (b > 0), whole where (b > 0)"


@pytest.mark.parametrize("version", [15, 18])
def test_lists_and_filters_of_a_root_count_for_its_partitions(version, request, databases, connectors):
    """Rows come as the root's, by its list and its filter; the identity is the partition's."""
    db = databases(request.getfixturevalue(f"pg{version}"))
    db.script(ROOTS + f'create publication "{db.name}" for table {OF_ROOTS} with (publish_via_partition_root = true)')
    autoset = {"replica.identity.autoset.values": "public.covered_1:FULL"}
    connector = connectors(db, {"publication.autocreate.mode": "disabled", **autoset}, sink="file")
    told, actual = named(reasons(connector), "publication_refuses_writes"), set()
    for root in ("listed", "covered", "filtered", "whole"):
        db.execute(f"insert into {root} (id, a, b) values (1, 1, 1)")
        try:
            db.execute(f"update {root} set b = 2")
        except psycopg.errors.Error as error:
            actual |= set(re.findall(r'cannot update table "(\w+)"', str(error)))
    assert told == actual == {"listed_1", "filtered_1"}
    connector.start().wait_streaming()
    assert connector.logged("replica identity not changed: the server would refuse.*table=public.covered_1")
    db.execute("update covered set b = 3")
    connector.stop()


def test_writes_that_are_refused_from_now_on_are_told(pg18, databases, connectors):
    """While the stream is read: a generated column beside REPLICA IDENTITY FULL, a column list without the key, a filter beyond it."""
    db = databases(pg18)
    db.script(f"""create table whole (id int, a int); alter table whole replica identity full; create table listed (id int primary key, a int);
                  create table filtered (id int primary key, a int); create table plain (id int primary key, a int);
                  create publication "{db.name}" for table whole, listed, filtered, plain""")
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "walduct.stall.warn.ms": "1000"}, sink="file")
    surface = Surface(connector.start("--listen", "127.0.0.1:0").wait_streaming())
    wait_until(lambda: "capture" in surface.status(), 30, "the catalog was looked at")

    def told():
        found = [p for p in surface.status()["capture"]["problems"] if p["reason"] == "publication_refuses_writes"]
        return {table.split(" ")[0]: p["severity"] for p in found for table in p["tables"]}
    assert told() == {}
    db.script(f"""alter table whole add g int generated always as (a + 1) virtual; alter table plain add g int generated always as (a + 1) stored;
                  alter publication "{db.name}" set table whole, listed (a), filtered where (a > 0), plain""")
    for table in ("whole", "listed", "filtered"):
        db.execute(f"insert into {table} (id, a) values (1, 1)")
        with pytest.raises(psycopg.errors.Error, match="cannot update table"):
            db.execute(f"update {table} set a = 2")
    wait_until(lambda: told() == {f"public.{t}": "warning" for t in ("whole", "listed", "filtered")}, 30, "all three")
    connector.wait_log(r"warning .*generated columns that are not sent.*reason=publication_refuses_writes hint=.*REPLICA IDENTITY DEFAULT")
    # That leaves no trace in the mark of the catalog.
    db.script(f"""alter table whole drop g; alter publication "{db.name}" set table whole, listed, filtered, plain""")
    wait_until(lambda: told() == {}, 30, "it is mended")
    db.execute("alter table plain replica identity nothing")
    connector.wait_log(r'warning .*no replica identity.*tables=public.plain.*hint="ALTER TABLE ."public.".."plain." REPLICA IDENTITY DEFAULT')
    connector.stop()


def test_writes_that_are_refused_since_a_start_began_are_told(db, connectors):
    """Between what a start has found right and the first look from beside the stream; another finding stands, which delays nothing."""
    db.script(f"""create table orders (id int primary key, a int); create table other (id int primary key); create table signals (id text primary key, type text, data text);
                  create publication "{db.name}" for table orders, other""")
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "signal.data.collection": "public.signals", "walduct.stall.warn.ms": "1000"}, sink="file")
    # The slot waits for whoever has written.
    with db.transaction() as writer:
        writer.execute("insert into other values (1)")
        surface = Surface(connector.start("--listen", "127.0.0.1:0"))
        connector.wait_log("creating replication slot")
        db.script("truncate orders; alter table orders replica identity nothing")
        writer.commit()
    connector.wait_streaming()
    connector.wait_log(r"warning .*tables=public.orders.*reason=publication_refuses_writes hint=.*REPLICA IDENTITY DEFAULT", timeout_s=15)
    severities = {p["reason"]: p["severity"] for p in surface.status()["capture"]["problems"]}
    assert severities["publication_refuses_writes"] == "warning" and "signal_table_not_published" in severities, severities
    connector.stop()
