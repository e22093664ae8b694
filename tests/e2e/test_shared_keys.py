"""Keys that rows can share: a unique index in place of a primary key that leaves rows out. The bytes are Debezium's; it is told."""
from test_doctor import examine, reasons

# Each table's key is what the real Debezium 3.6.1 takes.
WEAK = """
create table memberships (org int not null, email text not null, note text, deleted_at timestamptz);
create unique index memberships_live on memberships (org, email) where deleted_at is null;
insert into memberships values (1, 'a@x', 'old', now()), (1, 'a@x', 'older', now()), (1, 'a@x', 'live', null);
create table devices (serial text unique, model text); insert into devices values (null, 'm1'), (null, 'm2');
create table pairs (a int not null, b int, c int not null); create unique index pairs_a on pairs (a, b); create unique index pairs_z on pairs (c);
create table swaps (id int not null, v int, constraint swaps_id unique (id) deferrable initially deferred);
create table late (id int primary key deferrable, v int);
"""
SOUND = """
create table plain (id int primary key); create unique index a_part on plain (id) where id > 5;
create table uniq (id int not null unique, v int, constraint uniq_v unique (v));
create table none (v int); create unique index none_v on none ((v + 1));
create table covered (id int not null, v int); create unique index covered_id on covered (id) include (v);
"""
WHY = {"memberships": "memberships_live (its WHERE leaves rows out)", "devices": "devices_serial_key (NULL is allowed in serial)",
       "pairs": "pairs_a (NULL is allowed in b)", "swaps": "swaps_id (it is checked at the end of a transaction)",
       "late": "primary key late_pkey (it is checked at the end of a transaction)"}


def told(connector, table):
    return [line for line in connector.log_text().splitlines() if f"rows of table public.{table} can share the key" in line]


def test_are_told_at_the_start_and_found(db, connectors):
    db.script(WEAK + SOUND + "create table twice (v int not null); insert into twice values (1), (1)")
    db.execute("alter table memberships replica identity full")
    try:
        db.execute("create unique index concurrently twice_v on twice (v)")
    except Exception as error:  # noqa: BLE001: it leaves the index behind, not valid
        assert "twice_v" in str(error)
    connector = connectors(db, {"message.key.columns": "public.devices:model"}, sink="file")
    before = reasons(connector)
    connector.start().wait_streaming()
    keys = [e.key_json for e in connector.wait_events(7) if e.table == "memberships"]
    assert keys == [{"org": 1, "email": "a@x"}] * 3
    assert {e.key_json["model"] for e in connector.events() if e.table == "devices"} == {"m1", "m2"}
    for table, why in WHY.items():
        lines = told(connector, table)
        if table == "devices":
            assert not lines, "message.key.columns chooses another key"
            continue
        assert len(lines) == 1 and why in lines[0] and f"message.key.columns=public.{table}:" in lines[0], (table, lines)
    assert "message.key.columns=public.pairs:c" in told(connector, "pairs")[0]
    assert connector.logged("records of table public.twice have no key.*twice_v is not valid.*REINDEX INDEX CONCURRENTLY twice_v")
    found = before["key_not_unique"]
    assert {t for t in WHY if any(f"public.{t} " in f["message"] for f in found)} == set(WHY) - {"devices"} and len(found) == 4, found
    assert all(f["severity"] == "warning" for f in found) and before["key_index_not_valid"][0]["severity"] == "warning"


def test_are_told_when_a_table_changes(databases, pg18, connectors):
    """Once a change, not once a row; the index of PostgreSQL 15 under which NULLs are alike is sound."""
    db = databases(pg18)
    db.script(SOUND + """create table orders (id int not null, v int); create unique index orders_id on orders (id);
              create table alike (a int, b int, unique nulls not distinct (a, b)); create table late_nn (a int); create unique index late_a on late_nn (a);
              alter table late_nn add constraint late_c not null a not valid""")
    connector = connectors(db, sink="file").start().wait_streaming()
    for table in ("plain", "uniq", "orders", "alike", "covered"):
        assert not told(connector, table)
    assert "NULL is allowed in a" in told(connector, "late_nn")[0]
    db.script("""insert into orders values (1, 1); create unique index orders_a on orders (id) where v is null; drop index orders_id;
              insert into orders values (1, 2), (1, 3); insert into orders values (1, 4)""")
    connector.wait_events(4)
    (line,) = told(connector, "orders")
    assert "orders_a (its WHERE leaves rows out)" in line
    db.script(f'create table born (v text unique); alter publication "{connector.publication}" add table born; insert into born values (null)')
    connector.wait_log("rows of table public.born can share the key")
    assert "key_not_unique" in examine(connector)[1]
