"""`walduct shadow` and `walduct diff` beside a live connector of the real Debezium. By name: scripts/test beside."""
import pytest
from test_diff import counts, diff

from support.debezium import Debezium, free_port
from support.kafka import read_topics
from support.wait import wait_until

TABLES = """
create table orders (id int primary key, price numeric(10, 2), at timestamptz, tags text[], about jsonb);
alter table orders replica identity full;
create table plain (note text);
insert into orders select i, i * 1.1, '2026-01-01', array['a', 'b'], '{"n": 1}' from generate_series(1, 20) i;
"""
CHANGES = ["insert into orders values (100, 0.1, null, '{}', null)", "update orders set price = price + 1 where id <= 10",
           "update orders set id = 200 where id = 100", "delete from orders where id = 5", "insert into plain values ('x'), ('x')",
           "alter table orders add column more double precision default 1.5", "insert into orders (id, more) values (300, 1e-7)",
           "truncate plain"]


def last_note(bootstrap, topic):
    told = [event.after["note"] for event in read_topics(bootstrap, topic) if event.after]
    return told[-1] if told else None


@pytest.mark.parametrize("schemas", ["false", "true"])
def test_a_shadow_of_the_real_debezium(schemas, db, connectors, tmp_path):
    db.script(TABLES)
    live = connectors(db, {"key.converter.schemas.enable": schemas, "value.converter.schemas.enable": schemas,
                           "table.include.list": "public.orders,public.plain", "skipped.operations": "none"})
    real = Debezium(live, db, free_port())
    bootstrap, left = live.worker["bootstrap.servers"], f"{live.prefix}."
    try:
        real.start().wait_streaming()
        db.execute("insert into orders (id) values (50)")  # told by the live one alone
        wait_until(lambda: len(read_topics(bootstrap, f"{left}public.orders")) == 21, 60, "the first change")
        shadow = connectors(db, name="other")
        shadow.config, shadow.worker = dict(live.config), dict(live.worker)
        shadow.start("--directory", tmp_path / "shadow", "--topics", "try.", command="shadow").wait_streaming()
        for change in CHANGES:
            db.execute(change)
        db.execute("insert into plain values ('last')")

        wait_until(lambda: all(last_note(bootstrap, f"{side}public.plain") == "last" for side in (left, f"try.{left}")), 60,
                   "the last change on both sides", interval_s=0.5)
        shadow.stop()
        done = diff(live, left, f"try.{left}")
        print(done.stdout)
        assert done.returncode == 0, done
        assert counts(done)["equal"] >= 20 and not counts(done)["different"], done.stdout
    finally:
        real.close()
