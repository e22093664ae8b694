"""Rows that no stream brings: of tables that become partitions with rows in them, and of tables that were not in the WAL for a while. They
are told of until a snapshot has read them, or read beside the stream (walduct.snapshot.new.tables)."""
import json
import re
import shlex
import subprocess

import pytest

from support.http import Surface
from support.paths import BINARY
from support.wait import wait_until

LISTEN = ("--listen", "127.0.0.1:0")
SIGNALS = "create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));"
ROOT = SIGNALS + ("create table ev (id int primary key, v text) partition by range (id); create table ev_1 partition of ev for values from (0) to (10);"
                  "insert into ev values (1, 'snapshot')")
OPTIONS = {"publication.autocreate.mode": "disabled", "schema.include.list": None, "table.include.list": "public.ev,public.cust",
           "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "2", "walduct.stall.warn.ms": "1000",
           "walduct.allow.empty": "true"}  # not every test has all the tables of the list
READS = {"walduct.snapshot.new.tables": "incremental"}
ATTACH = "alter table ev attach partition {0} for values from ({1}) to ({2})"
FILLED = "create table {0} (like ev including all); insert into {0} select i, 'before' from generate_series({1}, {2} - 1) i;" + ATTACH


def of(connector, op, table="ev"):
    return sorted(e.id for e in connector.events() if e.table == table and e.op == op)


def problems(surface):
    return {one["reason"]: one for one in surface.status().get("capture", {}).get("problems", ()) if one["severity"] == "warning"}


def known(connector):
    return json.loads((connector.offset() or {}).get("walduct_tables", "{}"))


def running(db, connectors, config=None, script=ROOT, publication="for table ev, signals with (publish_via_partition_root)"):
    db.script(script)
    db.script(f'create publication "{db.name}" {publication}')
    connector = connectors(db, {**OPTIONS, **(config or {})}, sink="file", superuser="all tables" in publication,
                           worker={"offset.flush.interval.ms": "50"})
    started(connector)
    wait_until(lambda: known(connector).get("seen"), 30, "what was running is stored")
    return connector, Surface(connector)


def started(connector):
    connector.start(*LISTEN).wait_streaming()
    wait_until(lambda: "capture" in Surface(connector).status(), 30, "the catalog was looked at")


def settled(connector, surface, db):
    """Whatever the catalog had to tell, a look has told it: one that shows a table made just now, not one that was on its way."""
    db.execute("create table made_last (id int)")
    made = db.value("select xmin::text from pg_class where relname = 'made_last'")
    wait_until(lambda: db.value("select pg_visible_in_snapshot(%s::xid8, %s::pg_snapshot)", made, known(connector)["seen"]), 30, "a look")
    db.execute("drop table made_last")


@pytest.mark.parametrize("when", ["running", "stopped", "one transaction"])
def test_an_attached_table_is_told_of_until_it_is_read(when, db, connectors):
    connector, surface = running(db, connectors)
    if when == "stopped":
        connector.stop()
    move = FILLED.format("ev_2", 10, 20)
    db.script(f"begin; {move}; commit" if when == "one transaction" else move)
    db.execute("update ev set v = 'later' where id = 15")
    if when == "stopped":
        found = json.loads(connector.call("doctor", "--json").stdout)["connectors"][0]["findings"]
        said = [(f["message"], f["hint"]) for f in found if f["reason"] == "partition_attached"]
        assert len(said) == 1 and said[0][0].endswith("not sent (1): public.ev_2 (of public.ev)"), found
        assert re.match(r"walduct signal execute-snapshot -f \S+ -w \S+ --table public.ev --filter ", said[0][1]), said
        started(connector)
        surface = Surface(connector)
    wait_until(lambda: of(connector, "u") == [15], 60, "the stream has what comes later")
    wait_until(lambda: "partition_attached" in problems(surface), 30, "it is told")
    one = problems(surface)["partition_attached"]
    assert one["tables"] == ["public.ev_2 (of public.ev)"] and one["count"] == 1
    line = "warning .*the rows that they had are not sent.*reason=partition_attached hint=\"walduct signal execute-snapshot -f \\S+ -w \\S+ --table public.ev --filter"
    connector.wait_log(line)
    assert surface.value("walduct_capture_problems", reason="partition_attached") == 1
    reads = subprocess.run([str(BINARY), *shlex.split(one["hint"])[1:]], capture_output=True, text=True, timeout=60)
    assert reads.returncode == 0, reads.stderr
    wait_until(lambda: of(connector, "r") == [1, *range(10, 20)], 60, "its rows, and no others")
    wait_until(lambda: problems(surface) == {}, 30, "it is read")
    connector.wait_log("no longer so: .*reason=partition_attached")
    connector.stop()
    started(connector)
    settled(connector, Surface(connector), db)
    assert problems(Surface(connector)) == {} and not connector.logged("partition_attached")
    connector.stop()


def test_beside_a_connector_of_serve_commands_go_to_its_worker(db, connectors):
    """Of commands that are given the files of a connector that walduct serve runs: its worker file says where that listens."""
    db.script(ROOT)
    db.script(f'create publication "{db.name}" for table ev with (publish_via_partition_root)')
    offsets = {"offset.storage.file.filename": None, "offset.storage.topic": f"{db.name}-o", "offset.storage.partitions": "1",
               "offset.storage.replication.factor": "1", "offset.flush.interval.ms": "50"}
    connector = connectors(db, {**OPTIONS, "signal.data.collection": None}, sink="kafka", worker=offsets)
    started(connector)
    db.execute("insert into ev values (2, 'stream')")
    wait_until(lambda: of(connector, "c") == [2], 30, "it streams")
    connector.stop()
    db.script(FILLED.format("ev_2", 10, 20))

    def hint():
        found = json.loads(connector.call("doctor", "--json").stdout)["connectors"][0]["findings"]
        return next(f["hint"] for f in found if f["reason"] == "partition_attached")
    assert hint().startswith("start it with walduct.listen=127.0.0.1:8083, and type walduct signal execute-snapshot "), hint()
    connector.worker.update({"group.id": "g", "config.storage.topic": "c", "status.storage.topic": "s",
                             "listeners": "http://127.0.0.1:18083"})
    assert re.match(rf"walduct signal execute-snapshot {connector.name} .*--url http://127.0.0.1:18083", hint()), hint()


def test_what_partitions_bring_themselves_is_not_told(db, connectors):
    """The control: made as a partition, or empty when it became one; also where rows came at once, and while nobody looked."""
    connector, surface = running(db, connectors)
    empty = "create table {0} (like ev including all);" + ATTACH + ";insert into ev values ({1}, 'new')"
    made = "create table {0} partition of ev for values from ({1}) to ({2}); insert into ev values ({1}, 'new')"
    db.script(made.format("ev_2", 10, 20) + ";" + empty.format("ev_3", 20, 30))
    settled(connector, surface, db)
    connector.stop()
    db.script(made.format("ev_4", 30, 40) + ";" + empty.format("ev_5", 40, 50))
    started(connector)
    settled(connector, Surface(connector), db)
    wait_until(lambda: of(connector, "c") == [10, 20, 30, 40], 60, "their rows")
    assert not connector.logged("attached") and problems(Surface(connector)) == {}
    connector.stop()


def done_at_once(connector, db, script, stopped):
    """In one transaction; what a look has then told."""
    if stopped:
        connector.stop()
    db.script(f"begin; {script}; commit")
    if stopped:
        started(connector)
    settled(connector, Surface(connector), db)
    return problems(Surface(connector))


MADE = "create table ev_6 (like ev including all);"


@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_a_table_made_attached_and_filled_at_once_is_not_told(stopped, db, connectors):
    connector, _ = running(db, connectors)
    told = done_at_once(connector, db, MADE + ATTACH.format("ev_6", 50, 60) + "; insert into ev values (50, 'new'); insert into ev_6 values (51, 'new')",
                        stopped)
    wait_until(lambda: of(connector, "c") == [50, 51], 60, "its rows")
    assert not connector.logged("attached") and told == {}
    connector.stop()


SAVED = "savepoint s; {} release s;"
EXCEPTION = "do $$begin {} exception when others then raise; end$$;"


@pytest.mark.parametrize("written", ["{}", SAVED, EXCEPTION], ids=["plain", "savepoint", "exception"])
@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_what_came_before_it_was_attached_in_one_transaction_is_told(stopped, written, db, connectors):
    """The other side: the stream brings what its transaction has written since, and nothing from before, though the id is the same, or a later one."""
    connector, _ = running(db, connectors)
    done_at_once(connector, db, MADE + written.format("insert into ev_6 values (50, 'before');") + ATTACH.format("ev_6", 50, 60) +
                 "; insert into ev values (51, 'new')", stopped)
    wait_until(lambda: of(connector, "c") == [51], 60, "the later one alone")
    wait_until(lambda: "partition_attached" in problems(Surface(connector)), 30, "it is told")
    assert problems(Surface(connector))["partition_attached"]["tables"] == ["public.ev_6 (of public.ev)"]
    connector.stop()


@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_a_table_made_published_and_filled_at_once_is_not_told(stopped, db, connectors):
    """The publication names it by hand: the same of what names a table there."""
    connector, _ = running(db, connectors)
    publish = f'alter publication "{db.name}" add table cust;'
    told = done_at_once(connector, db, f"create table cust (id int primary key); {publish} insert into cust values (1)", stopped)
    wait_until(lambda: of(connector, "c", "cust") == [1], 60, "its row")
    assert told == {} and not connector.logged("public.cust")
    done_at_once(connector, db, f"drop table cust; create table cust (id int primary key); insert into cust values (2); {publish}"
                        "insert into cust values (3)", stopped)
    wait_until(lambda: of(connector, "c", "cust") == [1, 3], 60, "the later one alone")
    connector.wait_log(r"warning .*were not in the publication.*public\.cust \(created anew, or another one has taken its name\)")
    connector.stop()


@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_a_table_made_named_and_filled_at_once_is_not_told(stopped, db, connectors):
    """It gets the name that is captured before it has a row, or after."""
    connector, _ = running(db, connectors, {"publication.autocreate.mode": "all_tables", "table.include.list": "public.cust.*"}, SIGNALS, "for all tables")
    told = done_at_once(connector, db, "create table made (id int primary key); alter table made rename to cust_1; insert into cust_1 values (1)", stopped)
    wait_until(lambda: of(connector, "c", "cust_1") == [1], 60, "its row")
    assert told == {} and not connector.logged("public.cust_1")
    done_at_once(connector, db, "create table made (id int primary key); insert into made values (2); alter table made rename to cust_2;"
                 "insert into cust_2 values (3)", stopped)
    connector.wait_log("warning .*another name, schema or parent.*public.cust_2")
    wait_until(lambda: of(connector, "c", "cust_2") == [3], 60, "the later one alone")
    connector.stop()


@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_an_attached_table_is_read(stopped, db, connectors):
    connector, surface = running(db, connectors, READS)
    if stopped:
        connector.stop()
    db.script(FILLED.format("ev_2", 10, 20))
    if stopped:
        started(connector)
    wait_until(lambda: of(connector, "r") == [1, *range(10, 20)], 60, "its rows, and no others")
    connector.stop()
    started(connector)
    settled(connector, Surface(connector), db)
    connector.stop()
    assert of(connector, "r") == [1, *range(10, 20)]


def test_partitions_under_their_own_names(db, connectors):
    """Of which CREATE, COPY and ATTACH in one transaction leave no trace but the commands' numbers."""
    config = {"table.include.list": "public.ev_.*"}
    connector, surface = running(db, connectors, config, publication="for table ev, signals")
    db.script("begin;" + FILLED.format("ev_2", 10, 20) + "; commit; create table ev_3 partition of ev for values from (20) to (30)")
    db.script("insert into ev values (25, 'new')")
    connector.wait_log("warning .*table has had another name, schema or parent: rows from before are not sent table=public.ev_2")
    assert not connector.logged("ev_3")
    connector.stop()


CUST = SIGNALS + "create table cust (id int primary key); insert into cust values (1)"


@pytest.mark.parametrize("reads", [False, True], ids=["told", "read"])
@pytest.mark.parametrize("stopped", [False, True], ids=["running", "stopped"])
def test_a_table_that_was_unlogged(reads, stopped, db, connectors):
    connector, surface = running(db, connectors, {"publication.autocreate.mode": "all_tables", **(READS if reads else {})}, CUST, "for all tables")
    db.script("alter table cust set unlogged; insert into cust values (2)")
    wait_until(lambda: known(connector).get("unlogged") == ["public.cust"], 30, "it is seen, and stored")
    wait_until(lambda: "unlogged_table" in problems(surface), 30, "it is told")
    if stopped:
        connector.stop()
    db.script("alter table cust set logged; insert into cust values (3)")
    if stopped:
        started(connector)
    surface = Surface(connector)
    if reads:
        wait_until(lambda: of(connector, "r", "cust") == [1, 1, 2, 3], 60, "all of it")
        wait_until(lambda: problems(surface) == {}, 30, "nothing is missing")
    else:
        wait_until(lambda: set(problems(surface)) == {"table_was_unlogged"}, 30, "it is told")
        connector.wait_log("warning .*reason=table_was_unlogged hint=\"walduct signal execute-snapshot -f \\S+ -w \\S+ --table public.cust; a snapshot tells no deletes")
        assert connector.call("signal", "execute-snapshot", "--table", "public.cust").returncode == 0
        wait_until(lambda: problems(surface) == {}, 60, "it is read")
    wait_until(lambda: of(connector, "c", "cust") == [3], 30, "the stream goes on")
    connector.stop()


def test_a_table_that_is_filled_before_it_is_logged(db, connectors):
    """New, and written to while it was not in the WAL: nobody may have looked meanwhile."""
    connector, surface = running(db, connectors, {"publication.autocreate.mode": "all_tables", "table.include.list": "public.*"}, CUST,
                                 "for all tables")
    db.script("create unlogged table bulk (id int primary key); insert into bulk values (1); alter table bulk set logged; create table plain (id int)")
    connector.wait_log("warning .*(table was unlogged|table has got other files).*public.bulk|warning .*captured tables were unlogged.*public.bulk")
    wait_until(lambda: "public.bulk" in str(problems(surface).get("table_was_unlogged")), 30, "it is told until it is read")
    assert not connector.logged("public.plain")
    connector.stop()


def test_what_came_under_the_names_of_its_partitions_for_a_while_is_told(db, connectors):
    """No table ev_1 is captured: what was written meanwhile has not come."""
    connector, surface = running(db, connectors)
    for via_root in ("false", "true"):
        db.script(f'alter publication "{db.name}" set (publish_via_partition_root = {via_root})')
        settled(connector, surface, db)
        db.script(f"insert into ev values ({2 if via_root == 'false' else 3})")
    wait_until(lambda: "table_was_not_published" in problems(surface), 30, "it is told")
    assert problems(surface)["table_was_not_published"]["tables"] == ["public.ev"]
    wait_until(lambda: of(connector, "c") == [3], 30, "the other has not come")
    connector.stop()


def test_what_came_under_other_names_from_the_beginning_is_told(db, connectors):
    """As under a publication that was made anew without the setting: ev has never come under its own name when the stream begins."""
    connector, surface = running(db, connectors, publication="for table ev, signals")
    db.script("insert into ev values (2)")
    wait_until(lambda: "publication_without_partitions" in problems(surface), 30, "it is told")
    hint = problems(surface)["publication_without_partitions"]["hint"]
    assert "publish_via_partition_root = true" in hint and "signal execute-snapshot" in hint and "--table public.ev" in hint, hint
    db.script(f'alter publication "{db.name}" set (publish_via_partition_root = true)')
    wait_until(lambda: "table_was_not_published" in problems(surface), 30, "it is told")
    assert problems(surface)["table_was_not_published"]["tables"] == ["public.ev"]
    assert not connector.logged("publish_via_partition_root = false")
    connector.stop()


def test_a_partition_that_was_detached_for_a_while_is_told(db, connectors):
    connector, surface = running(db, connectors, {"table.include.list": "public.ev_.*"}, publication="for table ev, signals")
    db.script("alter table ev detach partition ev_1; insert into ev_1 values (2);" + ATTACH.format("ev_1", 0, 10) + ";insert into ev values (3)")
    wait_until(lambda: "table_was_not_published" in problems(surface), 30, "it is told")
    assert problems(surface)["table_was_not_published"]["tables"] == ["public.ev_1"]
    wait_until(lambda: of(connector, "c", "ev_1") == [3], 30, "the other has not come")
    connector.stop()
