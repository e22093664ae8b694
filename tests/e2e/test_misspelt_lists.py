"""One of the names in table.include.list is misspelt: told before a start and while it runs; and what was passed over meanwhile stands as
missing once the list is right again."""
import json
import re
import subprocess

from test_lag import Series, screen
from test_serve import published, shop, workers  # noqa: F401

from support.http import Surface
from support.kafka import TopicReader
from support.paths import BINARY
from support.wait import wait_until

SCRIPT = "create table orders (id int primary key); create table items (id int primary key); create publication \"{db}\" for table orders, items"
CONFIG = {"publication.autocreate.mode": "disabled", "table.include.list": "public.orders,public.items", "walduct.stall.warn.ms": "1000"}


def problems(worker, severity="warning"):
    """Empty while the connector begins anew."""
    found = [p for one in Series(worker.base).json("/status")["connectors"] for p in one.get("capture", {}).get("problems", [])]
    return {p["reason"]: p for p in found if p["severity"] == severity}


def list_of(worker, names):
    status, body = worker.ask("PATCH", "/connectors/shop/config", {"table.include.list": names})
    assert status == 200, body
    worker.wait_state("shop", "RUNNING/RUNNING")


def test_a_misspelt_entry_is_told_and_its_gap_stands(shop, broker):  # noqa: F811
    worker, db = shop(SCRIPT, CONFIG)
    db.script("insert into items values (1)")
    wait_until(lambda: 1 in published(broker, db), 30, "published")
    list_of(worker, "public.orders,public.itmes")
    one = wait_until(lambda: problems(worker).get("list_matches_nothing"), 30, "told")
    assert one["tables"] == ["public.itmes (table.include.list: did you mean public.items?)"], one
    assert '{"table.include.list":"public.orders,public.items"}' in one["hint"] and "--table public.items" in one["hint"], one
    db.script("insert into items values (2); insert into orders values (3)")
    wait_until(lambda: TopicReader(broker, f"{db.name}.public.orders").read(), 30, "the stream goes on")
    answer = screen(worker.base)
    assert answer.returncode == 7 and "did you mean public.items?" in answer.stdout, answer
    more = problems(worker, "notice")["publication_sends_more"]
    assert re.match("correct the lists first.*ALTER PUBLICATION", more["hint"]), more
    told = subprocess.run([BINARY, "doctor", "shop", "--url", worker.base], capture_output=True, text=True, timeout=60).stdout
    assert "list_matches_nothing" in told and "did you mean public.items?" in told and "correct the lists first" in told, told
    list_of(worker, "public.orders,public.items")
    gap = wait_until(lambda: problems(worker).get("table_was_not_published"), 30, "the gap")
    assert gap["tables"] == ["public.items (the lists left it out for a while)"], gap
    assert "list_matches_nothing" not in problems(worker)
    assert 2 not in published(broker, db)


def test_what_was_captured_comes_before_what_is_like_it(shop, broker):  # noqa: F811
    """public.notes is nearer to the entry, and not in the publication."""
    worker, db = shop('create table items (id int primary key); create table notes (id int primary key); create publication "{db}" for table items',
                      {"publication.autocreate.mode": "disabled", "table.include.list": "public.items"})
    db.script("insert into items values (1)")
    wait_until(lambda: 1 in published(broker, db), 30, "published")
    list_of(worker, "public.nosuch")
    one = wait_until(lambda: problems(worker).get("list_matches_nothing"), 30, "told")
    assert one["tables"] == ["public.nosuch (table.include.list: what was captured before is public.items)"], one
    assert '{"table.include.list":"public.items"}' in one["hint"] and "notes" not in one["hint"], one
    told = subprocess.run([BINARY, "doctor", "shop", "--url", worker.base], capture_output=True, text=True, timeout=60).stdout
    assert "list_matches_nothing" in told and "public.notes" not in told, told


def test_a_misspelt_entry_is_told_before_a_start(db, connectors):
    db.script(SCRIPT.replace("{db}", db.name))
    lists = {"publication.autocreate.mode": "disabled", "schema.include.list": None, "table.include.list": r"public\.orders,itmes,public.ev_.*"}
    connector = connectors(db, lists, sink="file")
    for command in (("validate", "--database"), ("doctor",)):
        shown = connector.call(*command).stdout
        assert "list_matches_nothing" in shown and "itmes (table.include.list" in shown and "public.ev_.* (table.include.list)" in shown, shown
    connector.config["table.include.list"] = "public.orders,items"
    assert "did you mean public.items?" in connector.call("validate", "--database").stdout
    connector.config["table.include.list"] = "PUBLIC.orders,public.item[s]"
    assert "list_matches_nothing" not in connector.call("validate", "--database").stdout


def test_a_misspelt_mask_is_told(db, connectors):
    """Names would go out as they are, and nobody said so. It ends no start: the column may be still to come."""
    db.script("create table customers (id int primary key, name text, email text)")
    mask = "column.mask.with.4.chars"
    connector = connectors(db, {mask: "public.customers.naem,public.customers.email", "walduct.stall.warn.ms": "1000"}, sink="file")
    said = f"public.customers.naem ({mask}: did you mean public.customers.name?)"
    for command in (("validate", "--database"), ("doctor",)):
        shown = connector.call(*command).stdout
        assert "column_matches_nothing" in shown and said in shown and "public.customers.email (" not in shown, shown
    connector.start("--listen", "127.0.0.1:0").wait_streaming()
    connector.wait_log("warning .*entries of lists of columns match no column .*" + re.escape(said) + ".*hint=.*public.customers.name is meant: write that beside")

    def found():
        return [one for one in Surface(connector).status().get("capture", {}).get("problems", []) if one["reason"] == "column_matches_nothing"]
    one = wait_until(found, 30, "shown")[0]
    assert one["severity"] == "warning" and one["tables"] == [said], one
    shown = subprocess.run([BINARY, "status", "--url", Surface(connector).base], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 7 and "columns    " + said in shown.stdout, shown
    assert Surface(connector).value("walduct_capture_problems", reason="column_matches_nothing") == 1
    connector.stop()
    for entries, severity in ((mask, "warning"), ("column.propagate.source.type", "notice")):
        connector.config = {**{key: value for key, value in connector.config.items() if key != mask}, entries: "public.customers.naem"}
        findings = json.loads(connector.call("doctor", "--json").stdout)["connectors"][0]["findings"]
        told, = (one for one in findings if one["reason"] == "column_matches_nothing")
        assert told["severity"] == severity, (entries, told)
    connector.config.pop("column.propagate.source.type")
    connector.config[mask] = "public.customers.name,public.customers.email"
    for command in (("validate", "--database"), ("doctor",)):
        assert "column_matches_nothing" not in connector.call(*command).stdout
    connector.start().wait_streaming()
    db.execute("insert into customers values (1, 'Ada Lovelace', 'a@b.c')")
    connector.wait_events(1)
    connector.stop()
    published = (connector.dir / "records.jsonl").read_text()
    assert "****" in published and "Lovelace" not in published
    assert not connector.logged("match no column of a captured table")


def test_a_masked_column_that_was_dropped_is_told_by_doctor(db, connectors):
    db.script("create table customers (id int primary key, name text)")
    connector = connectors(db, {"column.mask.with.4.chars": r"public\.customers\.name"}, sink="file").start().wait_streaming()
    db.script("insert into customers values (1, 'Ada'); alter table customers drop column name; insert into customers values (2)")
    connector.wait_events(2)
    connector.stop()
    entry = r"public\.customers\.name (column.mask.with.4.chars)"
    shown = connector.call("doctor").stdout
    assert "column_matches_nothing" in shown and entry in shown, shown
    findings = json.loads(connector.call("doctor", "--json").stdout)["connectors"][0]["findings"]
    told, = (one for one in findings if one["reason"] == "column_matches_nothing")
    assert told["severity"] == "warning" and "where they are gone, take the entries out" in told["hint"], told
    connector.start().wait_streaming()
    connector.wait_log("warning .*entries of lists of columns match no column .*" + re.escape(entry))
    connector.stop()
