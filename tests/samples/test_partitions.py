"""docs/outbox.md, "Tomorrow's partitions": each way typed as it stands there, and events out of the partitions that it makes."""
import re
import subprocess

import pytest

from samples.languages import call
from support.connector import database_properties
from support.paths import BINARY, ROOT
from support.wait import wait_until

PAGE = (ROOT / "docs" / "outbox.md").read_text()
SECTION = PAGE[PAGE.index("## Tomorrow's partitions"):PAGE.index("## What a snapshot does")]
CRON, PG_CRON, PG_PARTMAN = re.findall(r"^```(?:sql)?\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
AHEAD = "select count(*) from pg_partition_tree('outbox') t join pg_class c on c.oid = relid where isleaf and relname > to_char(now() at time zone 'UTC', '\"outbox_\"YYYYMMDD') and relname <> 'outbox_default'"
DROP_AHEAD = """do $$ declare part regclass; begin
for part in select relid from pg_partition_tree('outbox') t join pg_class c on c.oid = relid
  where isleaf and relname > to_char(now() at time zone 'UTC', '"outbox_"YYYYMMDD') and relname <> 'outbox_default'
loop execute format('drop table %s', part); end loop; end $$"""
TOMORROW = "insert into outbox (aggregatetype, aggregateid, type, payload, created_at) values ('Order', '{0}', 't', '{{}}', now() + interval '{0} days') returning tableoid::regclass::text"


@pytest.fixture
def shop(private_servers, databases):
    """A server of its own, for pg_cron is loaded at its start."""
    made = databases(private_servers(postgres=15, pg_set={"shared_preload_libraries": "pg_cron", "cron.use_background_workers": "on"}).postgres)
    made.execute("drop event trigger handover")  # of the tests: it would own what is made here
    return made


def partitioned(db, connectors, *more):
    """The script, and the connector that publishes from it."""
    db.script(call(BINARY, "outbox", "init", "--flavour", "partitioned", "--publication", db.name, *more))
    config = {**database_properties(db), "table.include.list": r"public\.outbox", "schema.include.list": None, "publication.autocreate.mode": "disabled",
              "transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter"}
    return connectors(db, config, sink="file").start().wait_streaming()


def check_events(db, connector, days):
    """One of each of these days ahead, out of a partition of its own."""
    where = [db.value(TOMORROW.format(day)) for day in days]
    assert len(set(where)) == len(where) and "outbox_default" not in where, where
    events = connector.wait_events(len(days))
    assert [event.key_json for event in events] == [str(day) for day in days] and {event.topic for event in events} == {"outbox.event.Order"}
    connector.stop()


@pytest.mark.parametrize("cleanup", [[], ["--cleanup"]], ids=["plain", "cleanup"])
def test_the_line_of_cron(cleanup, databases, pg15, connectors):
    db = databases(pg15)
    role = f"{db.name}_reader"
    connector = partitioned(db, connectors, "--role", role, *cleanup)
    try:
        db.script(DROP_AHEAD)
        assert db.value(AHEAD) == 0
        command, = re.fullmatch(r"5 0 \* \* \* (.*)\n", CRON).groups()
        user = pg15.user
        if cleanup:  # walduct's own role may, then
            db.execute(f"alter role {role} password 'secret'")
            user, password = role, "secret"
        else:
            password = pg15.password
        address = f"postgres://{user}:{password}@{pg15.host}:{pg15.port}/{db.name}"
        subprocess.run(["sh", "-ec", command], env={"PATH": "/usr/bin:/bin", "ADMIN": address}, check=True, capture_output=True, timeout=30)
        assert db.value(AHEAD) == 14
        check_events(db, connector, [1, 14])
    finally:
        db.execute(f'drop owned by "{role}" cascade')
        db.execute(f'drop role "{role}"')


def test_pg_cron(shop, connectors):
    connector = partitioned(shop, connectors)
    shop.script(DROP_AHEAD)
    # Every minute, not at five past midnight.
    for statement in PG_CRON.replace("5 0 * * *", "* * * * *").replace("'shop'", f"'{shop.name}'").strip().split(";\n"):
        shop.server.query(statement)
    try:
        wait_until(lambda: shop.value(AHEAD) == 14, 90, "the job", interval_s=0.5)
        how = re.search(r"`(SELECT status.*?)`", SECTION, re.DOTALL).group(1)
        wait_until(lambda: shop.server.query(how)[0][0] == "succeeded", 10, "its note")
        check_events(shop, connector, [1, 14])
    finally:
        shop.server.query("select cron.unschedule('outbox partitions')")


@pytest.mark.parametrize("cleanup", [[], ["--cleanup"]], ids=["plain", "cleanup"])
def test_pg_partman(cleanup, shop, connectors):
    connector = partitioned(shop, connectors, *cleanup)
    shop.script(PG_PARTMAN)
    # As after a day: what is ahead has become less.
    last = shop.value("select max(relid::regclass::text) from pg_partition_tree('outbox') where relid::regclass::text like 'outbox\\_p2%'")
    shop.execute(f"drop table {last}")
    shop.script(re.search(r"`(CALL .*?)`", SECTION).group(1))
    assert shop.value(f"select to_regclass('{last}') is not null")
    if cleanup:  # who drops has to own
        assert shop.execute("select distinct relowner::regrole::text from pg_partition_tree('outbox') t join pg_class c on c.oid = relid") == [("walduct",)]
    check_events(shop, connector, [1, 13])
