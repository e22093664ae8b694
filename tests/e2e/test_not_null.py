"""NULL of a column that is NOT NULL: Debezium's bytes, told once, counted; null with walduct.lost.values=keep; found by the doctor."""
import json

import pytest
from test_doctor import reasons

from support.http import Surface

LISTEN = ("--listen", "127.0.0.1:0")
KEEP = {"walduct.lost.values": "keep", "key.converter.schemas.enable": "true", "value.converter.schemas.enable": "true"}
# On any version: a domain, rows older than the constraint, children by INHERITS, a SELECT of the user's own.
ANY = """
create domain filled as text not null check (value <> ''); create domain more as filled;
create table by_domain (id int primary key, a filled, b more default 'x', c filled not null);
insert into by_domain values (1, (select a from by_domain where false), (select b from by_domain where false), 'c');
create table hist (id int primary key, price numeric(8,2));
create table chosen (id int primary key, v int not null default 7);
insert into chosen values (1, 5);
"""
CHOSEN = {"snapshot.select.statement.overrides": "public.chosen",
          "snapshot.select.statement.overrides.public.chosen": "select id, null::int as v from public.chosen"}
# Only PostgreSQL 18 has constraints that are not valid; a unique index over such a column is a key.
OF_18 = """
create table nn (id int primary key, email text, n int, ts timestamptz, tags text[]);
insert into nn values (1, null, null, null, null), (2, 'a', 2, '2020-01-01Z', '{t}');
alter table nn add constraint nn_e not null email not valid; alter table nn add constraint nn_n not null n not valid;
alter table nn add constraint nn_t not null ts not valid; alter table nn add constraint nn_g not null tags not valid;
create table keyed (code text, v int); insert into keyed values (null, 1); create unique index keyed_u on keyed (code);
alter table keyed add constraint keyed_c not null code not valid; alter table keyed replica identity full;
create table parent (id int primary key, v text constraint pv not null no inherit); create table child () inherits (parent);
insert into child values (9, null);
"""


def after(events, table):
    return [e.after for e in events if e.table == table and e.op in ("r", "c")]


def optional(event, field):
    """Of the row's schema."""
    schema = json.loads(event.value)["schema"]
    row = next(f for f in schema["fields"] if f["field"] == "after")
    return next(f["optional"] for f in row["fields"] if f["field"] == field)


# A row that was written before SET NOT NULL, and is read after it.
OLDER = "insert into hist values (2, null); begin; delete from hist; alter table hist alter price set not null; commit"


@pytest.mark.parametrize("keep", [False, True], ids=["debezium", "keep"])
def test_of_constraints_that_are_not_valid(keep, databases, pg18, connectors):
    db = databases(pg18)
    db.script(ANY + OF_18)
    connector = connectors(db, {**CHOSEN, **(KEEP if keep else {}), "table.include.list": "public\\..*"}, sink="file")
    connector.start(*LISTEN).wait_streaming()
    surface = Surface(connector)
    db.script(OLDER)
    db.execute("update nn set email = 'b', n = 3, ts = '2021-01-01Z', tags = '{}' where id = 1")
    db.execute("delete from keyed")
    events = connector.wait_events(lambda all: any(e.table == "keyed" and e.op == "d" for e in all) and len(after(all, "hist")) == 1)
    rows = {t: after(events, t) for t in ("by_domain", "hist", "nn", "keyed", "parent", "chosen")}
    key = next(e for e in events if e.table == "keyed" and e.op == "r").key_json
    if keep:
        assert rows["by_domain"] == [{"id": 1, "a": None, "b": None, "c": "c"}]
        assert rows["hist"] == [{"id": 2, "price": None}]
        assert rows["nn"][0] == {"id": 1, "email": None, "n": None, "ts": None, "tags": None}
        assert key == {"code": None} and rows["keyed"] == [{"code": None, "v": 1}]
        assert rows["parent"] == [{"id": 9, "v": None}] and rows["chosen"] == [{"id": 1, "v": None}]
        first = next(e for e in events if e.table == "by_domain")
        assert [optional(first, f) for f in "abc"] == [True, True, False]  # of b the domain is over one that is NOT NULL
        assert connector.logged("its field is optional from here on.*hist")
    else:
        # As the real Debezium 3.6.1 writes them.
        assert rows["by_domain"] == [{"id": 1, "a": "", "b": None, "c": "c"}]
        assert rows["hist"] == [{"id": 2, "price": "AA=="}]
        assert rows["nn"][0] == {"id": 1, "email": "", "n": 0, "ts": "1970-01-01T00:00:00Z", "tags": []}
        assert key == {"code": ""} and rows["keyed"] == [{"code": "", "v": 1}]
        assert rows["parent"] == [{"id": 9, "v": ""}] and rows["chosen"] == [{"id": 1, "v": 7}]
        lines = [line for line in connector.log_text().splitlines() if "NULL of a NOT NULL column" in line]
        for table, column in (("by_domain", "a"), ("hist", "price"), ("nn", "email"), ("nn", "tags"), ("keyed", "code"),
                              ("parent", "v"), ("chosen", "v")):
            told = [line for line in lines if f"public.{table}" in line and f"column={column}" in line]
            assert len(told) == 1 and "walduct.lost.values=keep" in told[0], (table, column, lines)
    assert rows["nn"][1] == {"id": 2, "email": "a", "n": 2, "ts": "2020-01-01T00:00:00.000000Z", "tags": ["t"]}
    count = surface.value("walduct_values_replaced_total", by="filler")
    assert count == 0 if keep else count >= 10
    findings = reasons(connector)
    expected = "notice" if keep else "warning"
    (not_valid,) = [f for f in findings["not_null_not_valid"] if "table public.nn" in f["message"]]
    assert not_valid["severity"] == expected and "email, n, ts, tags" in not_valid["message"]
    assert "ALTER TABLE public.nn VALIDATE CONSTRAINT nn_e" in not_valid["hint"] and ("keep" in not_valid["hint"]) != keep
    (domain,) = findings["not_null_by_domain"]
    assert domain["severity"] == "notice" and "of a is" in domain["message"] and "ALTER TABLE public.by_domain ALTER COLUMN a SET NOT NULL" in domain["hint"]
    (inherited,) = findings["not_null_not_inherited"]
    assert "table public.parent" in inherited["message"] and "ALTER TABLE public.child ALTER COLUMN v SET NOT NULL" in inherited["hint"]


def test_incremental_snapshots_read_rows_with_such_keys(databases, pg18, connectors):
    """In Debezium, which asks for keys beyond the last one, rows whose key is NULL are not read at all."""
    db = databases(pg18)
    db.script("""create table signals (id text primary key, type text, data text);
              create table keyed (code text, v int); insert into keyed select nullif(i, 7)::text, i from generate_series(1, 7) i;
              create unique index keyed_u on keyed (code); alter table keyed add constraint keyed_c not null code not valid;
              create domain filled as text not null; create table by_domain (code filled unique, v int);
              insert into by_domain select i::text, i from generate_series(1, 6) i;
              insert into by_domain values ((select code from by_domain where false), 7)""")
    connector = connectors(db, {"snapshot.mode": "no_data", "signal.data.collection": "public.signals", "incremental.snapshot.chunk.size": "2",
                                **KEEP}, sink="file").start().wait_streaming()
    db.execute("""insert into signals values ('a', 'execute-snapshot', '{"data-collections": ["public.keyed", "public.by_domain"]}')""")
    for table in ("keyed", "by_domain"):
        rows = [e.after for e in connector.wait_events(lambda all, t=table: len([e for e in all if e.table == t]) >= 7) if e.table == table]
        assert sorted(r["v"] for r in rows) == [1, 2, 3, 4, 5, 6, 7] and {"code": None, "v": 7} in rows


def test_on_older_servers(db, connectors):
    """Without constraints that are not valid; and the control: a NOT NULL that holds is never told of."""
    db.script(ANY + """create table parent (id int primary key, v text not null); create table child () inherits (parent);
              alter table child alter v drop not null; insert into child values (9, null);
              create table sound (id int primary key, v text not null default 'x'); insert into sound values (1, '')""")
    connector = connectors(db, sink="file").start().wait_streaming()
    db.script(OLDER)
    db.script("update sound set id = 2; delete from sound")
    events = connector.wait_events(lambda all: any(e.table == "sound" and e.op == "d" and e.key_json == {"id": 2} for e in all))
    assert after(events, "by_domain") == [{"id": 1, "a": "", "b": None, "c": "c"}] and after(events, "parent") == [{"id": 9, "v": ""}]
    assert after(events, "hist") == [{"id": 2, "price": "AA=="}]
    assert connector.logged("NULL of a NOT NULL column.*hist") and not connector.logged("NULL of a NOT NULL column.*sound")
    findings = reasons(connector)
    assert "not_null_not_valid" not in findings and "table public.by_domain" in findings["not_null_by_domain"][0]["message"]
    assert "table public.parent" in findings["not_null_not_inherited"][0]["message"]
