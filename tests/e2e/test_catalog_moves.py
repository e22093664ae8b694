"""The catalog moves while a connector runs: names become other tables, tables leave the publication, partitions appear. What is not
captured any more is told while it runs, with what to type; with walduct.publication.follow it comes."""
import json
import re
import shlex
import subprocess

import pytest

from support.debezium import free_port
from support.http import Surface
from support.paths import BINARY
from support.postgres import CDC_ROLE
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")
# The catalog is looked at as often as the slot.
OFTEN = {"walduct.stall.warn.ms": "1000"}
TABLES = "create table cust (id int primary key, v text); create table other (id int primary key); insert into cust values (1, 'a')"
LISTS = {"schema.include.list": None, "table.include.list": "public.cust,public.other,public.ev_.*", **OFTEN}
ANEW = "drop table cust; create table cust (id int primary key, v text)"
SWAP = ("begin; create table cust_new (id bigint primary key, v text); alter table cust rename to cust_old;"
        "alter table cust_new rename to cust; commit")
GREEN = ("create schema green; create table green.cust (id int primary key, v text); create table green.other (id int primary key);"
         "begin; alter schema public rename to blue; alter schema green rename to public; commit")


def of(connector, table, op="c"):
    return [e.id for e in connector.events() if e.table == table and e.op == op]


def problems(surface, severity="warning"):
    found = surface.status().get("capture", {}).get("problems", ())
    return {one["reason"]: one for one in found if one["severity"] == severity}


def running(db, connectors, config=None, script=TABLES):
    db.script(script)
    connector = connectors(db, {**LISTS, **(config or {})}).start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    wait_until(lambda: "capture" in surface.status(), 30, "the catalog was looked at")
    assert problems(surface) == {}
    return connector, surface


def told(connector, surface, reason, table, statement):
    """In the log, on the page, in the metrics; again and again."""
    wait_until(lambda: reason in problems(surface), 30, reason)
    one = problems(surface)[reason]
    assert table in one["tables"][0] and statement in one["hint"] and one["count"] == 1, one
    line = rf'warning .*tables="?{re.escape(table)}\b.*since=20..-.* reason={reason} hint=.*'
    connector.wait_log(line)
    assert statement.replace('"', '\\"') in connector.logged(line).group(0)
    assert surface.value("walduct_capture_problems", reason=reason) == 1
    assert surface.value("walduct_capture_look_age_seconds") < 30
    return line


CASES = {"dropped and created": (ANEW, "table_created_anew", "public.cust"),
         "swapped": (SWAP, "table_created_anew", "public.cust"),
         "left the publication": ('alter publication "{}" drop table cust', "publication_lacks_tables", "public.cust"),
         "a leaf": ("create table ev_2 partition of ev for values in (2)", "publication_lacks_tables", "public.ev_2")}


@pytest.mark.parametrize("case", CASES)
def test_rows_that_are_lost_are_told_while_it_runs(case, db, connectors):
    moves, reason, table = CASES[case]
    leaves = "; create table ev (id int primary key) partition by list (id); create table ev_1 partition of ev for values in (1)"
    connector, surface = running(db, connectors, script=TABLES + leaves)
    db.script(moves.format(connector.publication))
    name = table.split(".")[1]
    db.script(f"insert into {name} (id) values (2); insert into other values (1)")
    connector.wait_events(lambda events: any(e.table == "other" for e in events))
    line = told(connector, surface, reason, table, f'ALTER PUBLICATION "{connector.publication}" ADD TABLE "public"."{name}"')
    if case == "swapped":
        assert "public.cust_old now" in problems(surface)[reason]["tables"][0]
        wait_until(lambda: len(re.findall(line, connector.log_text())) >= 2, 60, "said again")
        shown = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, timeout=30).stdout
        assert "public.cust" in shown and "ALTER PUBLICATION" in shown
        findings = connector.call("doctor", timeout_s=120).stdout
        assert "publication_lacks_tables" in findings and f'ADD TABLE "public"."{name}"' in findings
    db.execute(f'alter publication "{connector.publication}" add table {name}')
    wait_until(lambda: reason not in problems(surface), 30, "it is mended")
    assert surface.value("walduct_capture_problems", reason=reason) == 0
    connector.wait_log(rf"no longer so: .* tables={table} reason={reason}")
    connector.stop()


def test_a_table_that_is_new_has_to_be_granted_again(databases, pg17, connectors):
    """What is told is typed as it stands: the publication, the right, the snapshot; and then it is over at once."""
    db = databases(pg17)
    db.script(TABLES + f'; create publication "{db.name}" for table cust, other')
    connector = connectors(db, {**LISTS, "publication.autocreate.mode": "disabled", "snapshot.mode": "no_data", "walduct.stall.warn.ms": "4000"},
                           superuser=False)
    connector.start("--listen", f"127.0.0.1:{free_port()}").wait_streaming()
    surface = Surface(connector)
    wait_until(lambda: "capture" in surface.status(), 30, "the catalog was looked at")
    db.script(f"drop table cust; create table cust (id int primary key); alter table cust owner to {db.server.user}; insert into cust values (7)")
    wait_until(lambda: "table_created_anew" in problems(surface), 30, "it is told")
    hint = problems(surface)["table_created_anew"]["hint"]
    add, grant = (re.search(verb + r" [^;]+", hint).group(0) for verb in ("ALTER PUBLICATION", "GRANT"))
    assert grant == f'GRANT SELECT ON "public"."cust" TO "{CDC_ROLE}"', hint
    db.script(f"{add}; {grant}")
    wait_until(lambda: "table_was_not_published" in problems(surface), 30, "what it lacks is told")
    lacking = problems(surface)["table_was_not_published"]["hint"]
    assert "GRANT" not in lacking, lacking
    done = subprocess.run([str(BINARY), *shlex.split(re.search(r"walduct signal [^;,]*", lacking).group(0))[1:]],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (lacking, done)
    connector.wait_log("incremental snapshot completed", 30)
    wait_until(lambda: "table_was_not_published" not in problems(surface), 2, "it is over when it is mended, not some looks later", interval_s=0.1)
    connector.wait_log("no longer so: .* reason=table_was_not_published", 2)
    connector.stop()


@pytest.mark.parametrize("mode", ["disabled", "filtered"])
def test_a_table_that_was_renamed_while_nothing_ran_is_missed(mode, db, connectors):
    """The stored position knows it by its OID. A view, or nothing, has its name. The control: what has another table in its place is retired."""
    db.script(TABLES)
    if mode == "disabled":
        db.execute(f'create publication "{db.name}" for table cust, other')
    connector = connectors(db, {**LISTS, "publication.autocreate.mode": mode}, worker={"offset.flush.interval.ms": "50"})
    connector.start(*LISTEN).wait_streaming()
    wait_until(lambda: "walduct_tables" in (connector.offset() or {}), 30, "it is stored which tables there are")
    connector.stop()
    db.script("""begin; alter table cust rename to cust_v2; create view cust as select * from cust_v2; commit;
                 begin; alter table other rename to other_old; create table other (id int primary key); commit; insert into cust values (2)""")
    surface = Surface(connector.start(*LISTEN).wait_streaming())
    told(connector, surface, "captured_table_renamed", "public.cust", "set table.include.list=public.other,public.ev_.*,public.cust_v2 and restart the process")
    assert problems(surface)["captured_table_renamed"]["tables"] == ["public.cust (public.cust_v2 now)"]
    if mode == "filtered":  # A restart puts the table that has the name into the publication.
        assert set(problems(surface)) == {"captured_table_renamed"}
    db.script("begin; drop view cust; alter table cust_v2 rename to cust; commit")
    wait_until(lambda: "captured_table_renamed" not in problems(surface), 30, "it has its name again")
    connector.stop()


@pytest.mark.parametrize("mode", ["disabled", "filtered"])
def test_what_came_under_a_name_that_the_lists_lacked_is_missed(mode, db, connectors):
    """Renamed, written to, then the lists have the new name, as the hint says: that row comes with the snapshot that is the hint's other half."""
    db.script(TABLES)
    if mode == "disabled":
        db.execute(f'create publication "{db.name}" for table cust, other')
    connector = connectors(db, {**LISTS, "publication.autocreate.mode": mode}, worker={"offset.flush.interval.ms": "50"})
    surface = Surface(connector.start(*LISTEN).wait_streaming())
    db.script("alter table cust rename to cust_v2; insert into cust_v2 values (2, 'passed over'); insert into other values (1)")
    told(connector, surface, "captured_table_renamed", "public.cust", "set table.include.list=public.other,public.ev_.*,public.cust_v2 and restart the process")
    db.execute("insert into other values (2)")
    connector.wait_events(lambda events: any(e.table == "other" and e.id == 2 for e in events))
    connector.stop()
    connector.config["table.include.list"] = "public.other,public.ev_.*,public.cust_v2"
    surface = Surface(connector.start(*LISTEN).wait_streaming())
    wait_until(lambda: "table_was_not_published" in problems(surface), 30, "what it lacks is told")
    one = problems(surface)["table_was_not_published"]
    assert one["tables"][0].startswith("public.cust_v2"), one
    typed = re.search(r"walduct signal .* --table public.cust_v2", one["hint"]).group(0)
    done = subprocess.run([str(BINARY), *shlex.split(typed)[1:], "--url", surface.base], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (one, done)
    connector.wait_log("incremental snapshot completed", 30)
    wait_until(lambda: 2 in of(connector, "cust_v2", "r"), 30, "the row that was passed over comes")
    wait_until(lambda: problems(surface) == {}, 30, "nothing is missed any more")
    connector.stop()


# A partitioned table takes the place of another one, as a migration that brings partitions in does it.
PARTED = ("create table {0} (id int, v text, primary key (id)) partition by range (id); create table {0}_p partition of {0} for values from (0) to (1000);"
          "insert into {0} values ({1}, 'first')")
TAKES_PLACE = "begin; alter table ev rename to ev_old; alter table ev_new rename to ev; commit"


def comes_by_its_name(connector, db, table, was, before, missed):
    """Rows of a table that the stream has under the name `was`. A server that was busy may have told its new one all the same; else the
    stream begins anew, once."""
    ids = iter(range(100, 1000))

    def has_come():
        db.execute(f"insert into {table} values ({next(ids)}, 'later')")
        return any(one >= 100 for one in of(connector, table))
    wait_until(has_come, 60, "rows under its name", interval_s=0.5)
    connector.wait_log(f"table has had another name.* not sent table=public.{table} .*hint=.*walduct signal execute-snapshot .* --table public.{table}")
    stale = connector.logged(f"why=.*rows of public.{table} come as those of {was}")
    assert stale or missed in of(connector, table)
    assert of(connector, table)[:len(before)] == before and connector.running()
    connector.stop()
    assert len(re.findall("streaming slot=", connector.log_text())) == (2 if stale else 1)
    return stale


@pytest.mark.parametrize("when", ["running", "stopped"])
def test_a_root_that_takes_anothers_name_comes_under_it(when, each_pg, databases, connectors):
    """The server goes on sending the old name of a root: the stream begins anew, and until then the rows are told of."""
    db = databases(each_pg)
    db.script("create table ev (id int primary key, v text); create table marks (id int primary key); insert into ev values (1, 'a')")
    connector = connectors(db, {**OFTEN, "schema.include.list": None, "table.include.list": "public.ev,public.marks",
                                "publication.autocreate.mode": "all_tables", "publish.via.partition.root": "true"},
                           worker={"offset.flush.interval.ms": "50"}, superuser=True)
    connector.start(*LISTEN).wait_streaming()
    db.script(PARTED.format("ev_new", 2) + "; insert into ev values (3, 'old'); insert into marks values (1)")
    connector.wait_events(lambda events: any(e.table == "marks" for e in events))
    assert of(connector, "ev") == [3]
    if when == "stopped":
        connector.stop()
        db.execute("insert into ev_new values (4, 'before the swap')")
    db.script(TAKES_PLACE + "; insert into ev values (5, 'lost')")
    if when == "stopped":
        connector.start(*LISTEN)
    comes_by_its_name(connector, db, "ev", "public.ev_new", [3], 5)


def test_rows_of_a_schema_that_takes_anothers_name_come_under_it(each_pg, databases, connectors):
    """Before PostgreSQL 16 the server goes on sending its old name. From then on it tells, and nothing begins anew."""
    db = databases(each_pg)
    db.script(TABLES + "; create schema green; create table green.cust (id int primary key, v text); create table green.other (id int primary key)")
    connector = connectors(db, {**LISTS, "publication.autocreate.mode": "all_tables"}, superuser=True).start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    wait_until(lambda: "capture" in surface.status(), 30, "the catalog was looked at")
    db.script("insert into green.cust values (2, 'nobody wants it'); insert into cust values (3, 'b')")
    wait_until(lambda: of(connector, "cust") == [3], 60, "the stream has come so far")
    db.script("begin; alter schema public rename to blue; alter schema green rename to public; commit; insert into cust values (4, 'x')")
    tells = db.value("select current_setting('server_version_num')::int") >= 160000
    stale = comes_by_its_name(connector, db, "cust", "green.cust", [3], 4)
    assert not (stale and tells)


def test_a_table_is_dropped(db, connectors):
    """Told until it comes back; one that is not captured is nobody's, nor one that came and went while the connector ran."""
    connector, surface = running(db, connectors, {"publication.autocreate.mode": "all_tables"},
                                 TABLES + "; create table unasked (id int primary key)")
    looked = surface.status()["capture"]["age_seconds"]
    db.script("create table ev_1 (id int primary key); insert into ev_1 values (1)")
    connector.wait_events(lambda events: any(e.table == "ev_1" for e in events))
    wait_until(lambda: surface.status()["capture"]["age_seconds"] < looked, 30, "another look")
    db.script("drop table unasked; drop table ev_1; drop table cust")
    line = told(connector, surface, "captured_table_dropped", "public.cust", "walduct signal execute-snapshot")
    assert problems(surface).keys() == {"captured_table_dropped"} and "unasked" not in connector.logged(line).group(0)
    shown = subprocess.run([BINARY, "status", "--url", surface.base], capture_output=True, text=True, timeout=30)
    assert shown.returncode == 7 and "public.cust: captured tables were dropped" in shown.stdout, shown
    asked = subprocess.run([BINARY, "doctor", connector.name, "--url", surface.base], capture_output=True, text=True, timeout=60)
    assert "captured_table_dropped" in asked.stdout and "public.cust" in asked.stdout, asked
    db.script("create table cust (id int primary key, v text); insert into cust values (7, 'x')")
    wait_until(lambda: problems(surface) == {}, 30, "it has come back")
    connector.wait_log(r"no longer so: captured tables were dropped.* tables=public\.cust reason=captured_table_dropped")
    wait_until(lambda: 7 in of(connector, "cust"), 30, "its row")
    connector.stop()


def test_schemas_change_their_names(db, connectors):
    connector, surface = running(db, connectors)
    db.script(GREEN)
    wait_until(lambda: problems(surface).get("table_created_anew", {}).get("count") == 2, 30, "both")
    assert "blue.cust now" in problems(surface)["table_created_anew"]["tables"][0]
    connector.stop()


def test_all_tables_bring_what_is_made_anew(db, connectors):
    """The control: nothing is missing, and nothing is said."""
    connector, surface = running(db, connectors, {"publication.autocreate.mode": "all_tables"})
    looked = surface.value("walduct_capture_look_age_seconds")
    db.script(ANEW + "; insert into cust values (2, 'x')")
    wait_until(lambda: of(connector, "cust") == [2], 60, "its row")
    db.script(SWAP + "; insert into cust values (3, 'y')")
    wait_until(lambda: of(connector, "cust") == [2, 3], 60, "its row")
    db.script("create temp table cust_temp (id int); alter table other replica identity full")
    wait_until(lambda: surface.status()["capture"]["age_seconds"] < 1, 30, "another look")
    db.execute("insert into other values (1)")
    connector.wait_events(lambda events: any(e.table == "other" for e in events))
    assert looked is not None and problems(surface) == {}
    assert not connector.logged("warning .*captured")
    connector.stop()


def test_less_comes_than_before(db, connectors):
    """Before-images, kinds of changes, rows, columns, the name: each was whole when the stream began."""
    connector, surface = running(db, connectors, {"publication.autocreate.mode": "disabled", "table.include.list": "public.*"}, script=(
        TABLES + "; create table full_one (id int primary key, v int); alter table full_one replica identity full;"
        "create table filtered (id int primary key); create table listed (id int primary key, v int); create table named (id int primary key)"
        '; create publication "{0}" for all tables; drop publication "{0}"; create publication "{0}" for table cust, other, full_one, '
        "filtered, listed, named").format(db.name))
    db.script(f"""alter table full_one replica identity default; alter publication "{db.name}" drop table filtered, listed;
                  alter publication "{db.name}" add table filtered where (id > 10), listed (id);
                  alter publication "{db.name}" set (publish = 'insert, update'); create schema elsewhere;
                  alter table named set schema elsewhere""")
    expected = {"replica_identity_weaker": "public.full_one", "publication_row_filter": "public.filtered",
                "publication_column_list": "public.listed", "publication_lacks_operations": "deletes",
                "captured_table_renamed": "public.named (elsewhere.named now)", "table_was_not_published": "public.filtered"}
    wait_until(lambda: set(problems(surface)) == set(expected), 30, "all of them")
    assert {reason: one["tables"][0] for reason, one in problems(surface).items()} == expected
    asked = subprocess.run([BINARY, "doctor", connector.name, "--url", surface.base, "--json"], capture_output=True, text=True, timeout=60)
    severity = {one["reason"]: one["severity"] for one in json.loads(asked.stdout)["connectors"][0]["findings"]}
    assert {severity.get(reason) for reason in expected} == {"warning"} and asked.returncode == 1, asked
    db.execute(f'drop publication "{db.name}"')
    wait_until(lambda: set(problems(surface)) == {"publication_missing", "table_was_not_published"}, 30,
               "the publication is gone, and nothing has been written; nobody has read what was out of it")
    assert 'CREATE PUBLICATION' in problems(surface)["publication_missing"]["hint"]
    connector.stop()


def test_the_signal_table_is_no_signal_table_any_more(db, connectors):
    signals = "create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))"
    connector, surface = running(db, connectors, {"signal.data.collection": "public.signals"}, TABLES + ";" + signals)
    db.script("drop table signals; " + signals)
    told(connector, surface, "signal_table_not_published", "public.signals", f'"{connector.publication}" ADD TABLE "public"."signals"')
    db.script("drop table signals; " + signals.replace("id varchar(64) primary key", "id varchar(64)") + " partition by list (type);"
              f'create table s1 partition of signals default; alter publication "{connector.publication}" add table signals')
    wait_until(lambda: set(problems(surface)) == {"signal_table_partitioned"}, 30, "its rows come under another name")
    db.execute("drop table signals")
    wait_until(lambda: set(problems(surface)) == {"signal_table_missing"}, 30, "gone")
    connector.stop()


def test_follow(each_pg, databases, connectors):
    """New tables and partitions, and a new table under an old name, come while it runs; never one whose writers would be refused."""
    db = databases(each_pg)
    connector, surface = running(db, connectors, {"walduct.publication.follow": "true"}, script=(
        TABLES + "; create table ev (id int primary key) partition by list (id)"))
    db.script(ANEW + "; create table ev_1 partition of ev for values in (1); create table ev_bare (id int); create table unasked (id int primary key)")
    with db.transaction() as locked:
        locked.execute("create table ev_locked (id int primary key)")
        locked.commit()
        locked.execute("lock table ev_locked in share update exclusive mode")
        wait_until(lambda: {"public.cust", "public.ev_1"} <= set(db.published_tables(connector.publication)), 40, "they are published")
        assert "public.ev_locked" not in db.published_tables(connector.publication), "who holds the lock is not waited for for long"
        locked.rollback()
    wait_until(lambda: "public.ev_locked" in db.published_tables(connector.publication), 40, "and later it is")
    db.script("insert into cust values (2, 'x'); insert into ev values (1); insert into ev_locked values (3)")
    wait_until(lambda: (of(connector, "cust"), of(connector, "ev_1"), of(connector, "ev_locked")) == ([2], [1], [3]), 60, "rows of all")
    wait_until(lambda: set(problems(surface)) == {"publication_lacks_tables"}, 30, "the one that is left")
    one = problems(surface)["publication_lacks_tables"]
    assert one["tables"][0].startswith("public.ev_bare (not added") and "REPLICA IDENTITY FULL" in one["hint"]
    db.script("insert into ev_bare values (1); update ev_bare set id = 2")
    assert not {"public.ev_bare", "public.unasked"} & set(db.published_tables(connector.publication))
    db.execute("alter table ev_bare replica identity full")
    wait_until(lambda: "publication_lacks_tables" not in problems(surface), 40, "now it is added")
    connector.stop()


@pytest.mark.parametrize("read_only", ["false", "true"])
def test_follow_reads_what_was_written_before(read_only, db, connectors):
    """Also a row of a transaction that began before the table was published and ends after it, and though no change follows."""
    signals = "create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096))"
    connector, surface = running(db, connectors, {"walduct.publication.follow": "true", "walduct.snapshot.new.tables": "incremental",
                                                  "signal.data.collection": "public.signals", "read.only": read_only}, TABLES + ";" + signals)
    with db.transaction() as writer:
        db.script("begin; create table ev_1 (id int primary key); insert into ev_1 select generate_series(1, 100); commit")
        writer.execute("insert into ev_1 values (101)")
        wait_until(lambda: "public.ev_1" in db.published_tables(connector.publication), 40, "it is published")
        db.execute("insert into other values (1)")
        wait_until(lambda: of(connector, "other") == [1], 60, "the stream goes on")
        assert of(connector, "ev_1", "r") == [], "nobody could see its last row"
        writer.commit()
    wait_until(lambda: sorted(of(connector, "ev_1", "r")) == list(range(1, 102)), 90, "all that was there")
    db.script(ANEW + "; insert into cust values (7)")
    wait_until(lambda: 7 in of(connector, "cust", "r") + of(connector, "cust"), 90, "the row of the table that was made anew")
    wait_until(lambda: problems(surface) == {}, 30, "nothing is missing")
    connector.stop()


def test_a_start_reads_what_open_transactions_have_written(db, connectors):
    """filtered adds the table at a start, in the middle of a transaction of its writer."""
    connector, _ = running(db, connectors, {"walduct.snapshot.new.tables": "incremental", "read.only": "true"})
    wait_until(lambda: "walduct_tables" in (connector.offset() or {}), 30, "what is captured is stored")
    connector.stop()
    db.execute("create table ev_1 (id int primary key)")
    with db.transaction() as writer:
        writer.execute("insert into ev_1 values (1)")
        connector.start(*LISTEN).wait_streaming()
        db.script("insert into ev_1 values (2); insert into other values (1)")
        wait_until(lambda: (of(connector, "ev_1"), of(connector, "other")) == ([2], [1]), 60, "the stream")
        assert of(connector, "ev_1", "r") == []
        writer.commit()
    wait_until(lambda: 1 in of(connector, "ev_1", "r"), 60, "the row that was not sent")
    connector.stop()


def test_follow_without_the_right(db, connectors):
    """The table is another owner's: the statement is for whoever has it."""
    connector, surface = running(db, connectors, {"walduct.publication.follow": "true"})
    db.script("create table ev_1 (id int primary key); alter table ev_1 owner to postgres")
    told(connector, surface, "publication_lacks_tables", "public.ev_1", f'"{connector.publication}" ADD TABLE "public"."ev_1"')
    assert "owner" in problems(surface)["publication_lacks_tables"]["hint"]
    db.execute("alter table ev_1 owner to shop_owners")
    wait_until(lambda: "public.ev_1" in db.published_tables(connector.publication), 40, "with the right")
    connector.stop()


def test_a_partition_of_a_root_of_another_slot(db, connectors):
    """It is published twice, as its own table and as its root: said at the start and as long as it is so."""
    db.script("create table root (id int primary key) partition by list (id); create table leaf (id int primary key)")
    connector = connectors(db, {"walduct.slots": "2", "walduct.slots.tables": "public.root:1,public.leaf:2", "schema.include.list": None,
                                "table.include.list": "public.root,public.leaf", "publish.via.partition.root": "true", **OFTEN})
    connector.start(*LISTEN)
    wait_until(lambda: connector.log_text().count(" streaming ") >= 2, 60, "both lanes stream")
    db.execute("alter table root attach partition leaf for values in (1)")
    line = rf'warning .*published twice.*public\.leaf.*reason=partition_apart.*"{db.name}_2\\" DROP TABLE'
    connector.wait_log(line, 40)
    connector.stop()
    connector.start(*LISTEN)
    connector.wait_log(line, 40)
    surface = Surface(connector)
    lanes = wait_until(lambda: (found := surface.json("/status")["connectors"]) and all("capture" in lane for lane in found) and found,
                       30, "both lanes have looked")
    assert [p["reason"] for lane in lanes for p in lane["capture"]["problems"]] == ["partition_apart"]
    connector.stop()


@pytest.mark.parametrize("more, idle", [({"publication.autocreate.mode": "disabled"}, True), ({}, False)])
def test_follow_needs_filtered(more, idle, db, connectors):
    connector = connectors(db, {"walduct.publication.follow": "true", **more})
    connector.write_files()
    said = connector.call("validate").stdout + connector.call("validate").stderr
    assert ("walduct.publication.follow" in said and "publication.autocreate.mode=filtered" in said) == idle, said
    connector.config["walduct.publication.follow"] = "sometimes"
    connector.write_files()
    done = connector.call("validate")
    assert done.returncode == 2 and "walduct.publication.follow" in done.stdout + done.stderr


def test_names_with_dots_are_not_one(db, connectors):
    """A schema "a.b" with a table c beside a schema a with a table "b.c": one topic, two tables."""
    tables = 'create schema "a.b"; create schema a; create table "a.b".c (id int primary key); create table a."b.c" (id int primary key)'
    connector, surface = running(db, connectors, {"table.include.list": r"a\.b\.c"}, script=tables + ';insert into "a.b".c values (1); insert into a."b.c" values (2)')
    wait_until(lambda: r'\"a.b\".c' in (connector.offset() or {}).get("walduct_tables", ""), 30, "both are known")
    db.script('insert into a."b.c" values (3); insert into "a.b".c values (4); create table other (id int)')
    wait_until(lambda: sorted(e.id for e in connector.events()) == [1, 2, 3, 4], 30, "all rows")
    wait_until(lambda: surface.status()["capture"]["age_seconds"] < 1, 30, "another look")
    assert problems(surface) == {}
    connector.stop()
    connector.start(*LISTEN).wait_streaming()
    assert not connector.logged("created anew|new to the connector")
    db.execute(f'alter publication "{connector.publication}" drop table "a.b".c')
    wait_until(lambda: problems(Surface(connector)).get("publication_lacks_tables", {}).get("tables") == ['"a.b".c'], 30, "the one that left")
    connector.stop()


def test_a_name_that_was_away_for_a_moment(db, connectors):
    """No look has seen it: what was written under the other name is told as missing, until it is read."""
    connector, surface = running(db, connectors)
    db.script("insert into cust values (2, 'b')")
    connector.wait_events(lambda events: any(e.table == "cust" and e.id == 2 for e in events))
    db.script("alter table cust rename to away; insert into away values (3, 'c'); alter table away rename to cust; insert into cust values (4, 'd')")
    connector.wait_events(lambda events: any(e.table == "cust" and e.id == 4 for e in events))
    wait_until(lambda: "table_was_not_published" in problems(surface), 20, "told")
    found = problems(surface)["table_was_not_published"]
    assert found["tables"] == ["public.cust (it had another name for a while)"] and "execute-snapshot" in found["hint"], found
    assert 3 not in of(connector, "cust")
    connector.stop()
