"""Gaps that were closed again: a table left the publication and came back, was made anew, or the publication sent less for a while. They are
told of, also by the next process, until a snapshot has read the table."""
import json
import shlex
import subprocess

import pytest

from support.http import Surface
from support.paths import BINARY
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")
TABLES = ("create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));"
          "create table cust (id int primary key, v text); insert into cust values (1, 'snapshot')")
OPTIONS = {"walduct.allow.empty": "true", "publication.autocreate.mode": "disabled", "schema.include.list": None, "table.include.list": "public.cust,public.more",
           "signal.data.collection": "public.signals", "walduct.stall.warn.ms": "1000"}
REASON = "table_was_not_published"
GAPS = {
    "left": ('alter publication "{0}" drop table cust; insert into cust values (2); alter publication "{0}" add table cust', [1, 2]),
    "anew": ('drop table cust; create table cust (id int primary key, v text); insert into cust values (3);'
             'alter publication "{0}" add table cust', [3]),
    "less": ("""alter publication "{0}" set (publish = 'insert'); update cust set v = 'new';
             alter publication "{0}" set (publish = 'insert, update, delete, truncate')""", [1]),
}


def problems(connector):
    return {one["reason"]: one for one in Surface(connector).status().get("capture", {}).get("problems", ()) if one["severity"] == "warning"}


def examined(connector):
    found = json.loads(connector.call("doctor", "--json", timeout_s=120).stdout)["connectors"][0]["findings"]
    return [f for f in found if f["reason"] in (REASON, "captured_tables_changed")]


def known(connector):
    return json.loads((connector.offset() or {}).get("walduct_tables", "{}"))


def started(connector):
    connector.start(*LISTEN).wait_streaming()
    wait_until(lambda: "capture" in Surface(connector).status(), 30, "the catalog was looked at")


def running(db, connectors, config=None):
    db.script(TABLES + f'; create publication "{db.name}" for table cust, signals')
    connector = connectors(db, {**OPTIONS, **(config or {})}, sink="file", worker={"offset.flush.interval.ms": "50"})
    started(connector)
    wait_until(lambda: known(connector).get("seen"), 30, "what was running is stored")
    return connector


@pytest.mark.parametrize("gap,stopped", [("left", False), ("left", True), ("anew", False), ("less", True)],
                         ids=["left", "left while stopped", "anew", "less while stopped"])
def test_a_closed_gap_is_told_of_until_it_is_read(gap, stopped, db, connectors):
    connector = running(db, connectors)
    if stopped:
        connector.stop()
    done, rows = GAPS[gap]
    db.script(done.format(db.name))
    if stopped:
        assert [f["severity"] for f in examined(connector)] == ["warning"], examined(connector)
        started(connector)
    wait_until(lambda: set(problems(connector)) == {REASON}, 30, "it is told")
    assert problems(connector)[REASON]["count"] == 1 and Surface(connector).value("walduct_capture_problems", reason=REASON) == 1
    wait_until(lambda: "lacks" in known(connector), 30, "it is remembered")
    connector.stop()
    assert [f["reason"] for f in examined(connector)] == [REASON]
    started(connector)
    wait_until(lambda: set(problems(connector)) == {REASON}, 30, "by another process, too")
    hint = problems(connector)[REASON]["hint"]
    typed, _, note = hint.partition("; ")
    assert typed.startswith("walduct signal execute-snapshot ") and typed.endswith("--table public.cust"), hint
    # What a file has cannot be compared.
    assert note.startswith("a snapshot tells no deletes") and "recover read" not in note, hint
    reads = subprocess.run([str(BINARY), *shlex.split(typed)[1:]], capture_output=True, text=True, timeout=60)
    assert reads.returncode == 0, reads.stderr
    wait_until(lambda: problems(connector) == {}, 60, "it is read")
    assert [e.id for e in connector.events() if e.table == "cust" and e.op == "r"] == [1, *rows]
    wait_until(lambda: "lacks" not in known(connector), 30, "it is over")
    connector.stop()
    assert examined(connector) == []


def test_a_table_without_a_key_is_read_as_the_hint_says(db, connectors):
    """An incremental snapshot leaves it out, and ends nothing."""
    connector = running(db, connectors, {"table.include.list": "public.plain"})
    db.script(f"""create table plain (id int); alter table plain replica identity full; insert into plain values (1);
                  alter publication "{db.name}" add table plain; insert into plain values (2)""")
    wait_until(lambda: set(problems(connector)) == {REASON}, 30, "it is told")

    def hinted():
        typed = problems(connector)[REASON]["hint"].partition("; ")[0]
        return typed if "--blocking" in typed else None
    typed = wait_until(hinted, 30, "a snapshot that reads it")
    incremental = subprocess.run([str(BINARY), *(word for word in shlex.split(typed)[1:] if word != "--blocking")], capture_output=True, text=True, timeout=60)
    assert incremental.returncode == 0, incremental.stderr
    assert "leaves out: public.plain -> walduct signal execute-snapshot" in incremental.stdout and "--blocking" in incremental.stdout, incremental.stdout
    connector.wait_log("the table is left out, it has no key.*execute-snapshot.*--blocking")
    assert set(problems(connector)) == {REASON}, "it was not read"
    reads = subprocess.run([str(BINARY), *shlex.split(typed)[1:]], capture_output=True, text=True, timeout=60)
    assert reads.returncode == 0, reads.stderr
    wait_until(lambda: problems(connector) == {}, 60, "it is read")
    assert sorted(e.after["id"] for e in connector.events() if e.table == "plain" and e.op == "r") == [1, 2]
    connector.stop()


def test_what_another_publication_left_out_is_told_of_with_the_former_one(db, connectors):
    """publication.name is set to another one's and set back: rows of the time between are missing, by two commands where a table has no key."""
    db.script(TABLES + f"""; create table plain (id int); alter table plain replica identity full; create table theirs (id int primary key);
                  create publication "{db.name}" for table cust, plain, signals; create publication "{db.name}_theirs" for table theirs, signals""")
    connector = connectors(db, {**OPTIONS, "table.include.list": "public.cust,public.plain", "publication.name": db.name}, sink="file",
                           worker={"offset.flush.interval.ms": "50"})
    started(connector)
    wait_until(lambda: "public.plain" in json.dumps(known(connector)), 30, "both are known")
    connector.stop()
    connector.config["publication.name"] = f"{db.name}_theirs"
    started(connector)
    db.script("insert into cust values (2); insert into plain values (2)")
    told = wait_until(lambda: problems(connector).get("publication_lacks_tables"), 30, "both are missing")
    assert f"publication.name={db.name}" in told["hint"], told
    before = told["hint"].partition("; only where the other name is meant")[0]
    assert "--blocking --table public.plain" in before and "--table public.cust --table" not in before, told
    wait_until(lambda: f"{db.name}_theirs" in json.dumps(known(connector)), 30, "the other one is stored")
    connector.stop()
    connector.config["publication.name"] = db.name
    started(connector)
    told = wait_until(lambda: problems(connector).get(REASON), 30, "what it left out is told")
    assert told["count"] == 2, told
    connector.stop()
    # As what stands, or, where no position was stored since, as what the next start will find.
    assert {f["reason"] for f in examined(connector)} in ({REASON}, {"captured_tables_changed"})


def test_a_gap_that_closes_is_never_green(db, connectors):
    """From the moment that it is told on there is a warning: first that the table is not sent, then that it was not."""
    connector = running(db, connectors)
    db.script(f'alter publication "{db.name}" drop table cust; insert into cust values (2)')
    wait_until(lambda: set(problems(connector)) == {"publication_lacks_tables"}, 30, "it is told")
    db.script(f'alter publication "{db.name}" add table cust')
    seen = []

    def told():
        seen.append(set(problems(connector)))
        return REASON in seen[-1]
    wait_until(told, 30, "what it has cost", interval_s=0.05)
    assert all(seen), "green in between"
    wait_until(lambda: set(problems(connector)) == {REASON}, 30, "the first is over")
    connector.stop()


def test_what_lacks_nothing_is_not_told(db, connectors):
    """The control: a table that is empty when it comes, another owner, a table that nobody captures, while it runs and while it does not."""
    connector = running(db, connectors)
    script = """create table {0} (id int primary key); alter publication "{1}" add table {0}; insert into {0} values (1);
                alter publication "{1}" owner to current_user; create table other (id int); alter publication "{1}" add table other;
                alter publication "{1}" drop table other; drop table other"""
    db.script(script.format("more", db.name))
    wait_until(lambda: "public.more" in known(connector).get("tables", ()), 30, "it is captured")
    assert problems(connector) == {}
    connector.stop()
    db.script("drop table more;" + script.format("more", db.name))
    started(connector)
    wait_until(lambda: [e.id for e in connector.events() if e.table == "more"] == [1, 1], 30, "its rows come")
    assert problems(connector) == {} and examined(connector) == []
    connector.stop()
    assert not connector.logged(REASON)


def reads(connector, table="cust"):
    """The command of the hints."""
    typed = ["signal", "execute-snapshot", *map(str, connector.files()), "--table", f"public.{table}"]
    done = subprocess.run([str(BINARY), *typed], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_snapshot_typed_together_with_what_brings_the_table_back_leaves_nothing_to_tell(db, connectors):
    """Before a look has found the table."""
    connector = running(db, connectors, {"walduct.stall.warn.ms": "5000"})
    db.script(f'alter publication "{db.name}" drop table cust; insert into cust values (2)')
    wait_until(lambda: set(problems(connector)) == {"publication_lacks_tables"}, 30, "it is told")
    before = known(connector)["oids"]
    wait_until(lambda: Surface(connector).value("walduct_capture_look_age_seconds") < 1, 30, "a look was just now", interval_s=0.05)
    db.script(f'alter publication "{db.name}" add table cust')
    reads(connector)
    wait_until(lambda: known(connector)["oids"] != before, 30, "a look has found it")
    wait_until(lambda: problems(connector) == {}, 30, "nothing is missing")
    assert [e.id for e in connector.events() if e.table == "cust" and e.op == "r"] == [1, 1, 2]
    connector.stop()
    assert not connector.logged(REASON) and "lacks" not in known(connector) and examined(connector) == []


def read_rows(connector):
    return [e.id for e in connector.events() if e.table == "cust" and e.op == "r"]


def test_a_snapshot_that_misses_who_wrote_before_the_table_came_back_leaves_the_gap(db, connectors):
    """What brings it back is over, and younger transactions that wrote before that are not."""
    connector = running(db, connectors)
    db.script(f'alter publication "{db.name}" drop table cust')
    wait_until(lambda: set(problems(connector)) == {"publication_lacks_tables"}, 30, "it is told")
    with db.connect() as admin, db.connect() as writer:
        admin.execute(f'begin; alter publication "{db.name}" add table cust')
        writer.execute("begin; insert into cust values (2)")
        admin.execute("commit")
        reads(connector)
        wait_until(lambda: read_rows(connector) == [1, 1], 30, "the snapshot")
        writer.execute("commit")
    wait_until(lambda: REASON in problems(connector), 30, "the row is missing")
    reads(connector)
    wait_until(lambda: problems(connector) == {}, 30, "it is read")
    assert read_rows(connector) == [1, 1, 1, 2]
    connector.stop()


def test_a_table_that_had_rows_under_another_name_lacks_them(db, connectors):
    """All tables are published, and the lists admit one of the two names."""
    db.script(TABLES + f'; create publication "{db.name}" for all tables')
    connector = connectors(db, OPTIONS, sink="file", superuser=True, worker={"offset.flush.interval.ms": "50"})
    started(connector)
    wait_until(lambda: known(connector).get("seen"), 30, "what was running is stored")
    swap = "begin; alter table cust rename to cust_old; alter table cust_new rename to cust; commit; drop table cust_old;"
    db.script("create table cust_new (like cust including all);" + swap + "insert into cust values (2)")
    connector.wait_log("table was created anew, and all of it is sent")
    assert problems(connector) == {}, "it was empty"
    db.script("create table cust_new (like cust including all); insert into cust_new values (3);" + swap + "insert into cust values (4)")
    wait_until(lambda: set(problems(connector)) == {REASON}, 30, "it is told")
    reads(connector)
    wait_until(lambda: problems(connector) == {}, 60, "it is read")
    assert [e.id for e in connector.events() if e.table == "cust"] == [1, 2, 4, 3, 4]
    connector.stop()


def test_a_root_that_is_judged_when_its_writers_have_ended_is_told_as_what_it_is(db, connectors):
    """A look that comes later must not take the root for one that was there before."""
    connector = running(db, connectors)
    db.script("alter table cust rename to cust_old; create table cust (id int primary key, v text) partition by range (id);"
              "create table cust_1 partition of cust for values from (0) to (100); insert into cust values (5);"
              f"""alter publication "{db.name}" set (publish_via_partition_root)""")
    with db.connect() as writer:
        writer.execute("begin; insert into cust values (6)")
        db.script(f'alter publication "{db.name}" add table cust')
        ages = []
        wait_until(lambda: [ages.append(Surface(connector).value("walduct_capture_look_age_seconds"))] and
                   sum(b < a for a, b in zip(ages, ages[1:])) >= 3, 60, "looks", interval_s=0.05)
        assert REASON not in problems(connector), "its rows cannot be read yet"
        writer.execute("commit")
    wait_until(lambda: REASON in problems(connector), 30, "it is told")
    assert not connector.logged("all of it is sent")
    reads(connector)
    wait_until(lambda: problems(connector) == {}, 60, "it is read")
    assert [e.id for e in connector.events() if e.table == "cust" and e.op == "r"] == [1, 5, 6]
    connector.stop()


def test_where_no_signal_is_taken_the_hint_says_what_to_set(db, connectors):
    connector = running(db, connectors, {"signal.data.collection": None})
    db.script(GAPS["left"][0].format(db.name))
    wait_until(lambda: REASON in problems(connector), 30, "it is told")
    hint = problems(connector)[REASON]["hint"]
    assert hint.startswith("start it with walduct.listen=") and "type walduct signal execute-snapshot" in hint
    connector.stop()
