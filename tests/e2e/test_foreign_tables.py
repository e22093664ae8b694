"""A partition on another server (postgres_fdw) that is away, or refuses, while the tables are read: the other server's errors are not taken
for this one's, in no language, and say what to do."""
import json
import os

import pytest

from support import servers
from support.servers import free_ports
from support.wait import wait_until

SETUP = """
create extension postgres_fdw;
create server away foreign data wrapper postgres_fdw options (host '127.0.0.1', port '{port}', dbname '{name}', connect_timeout '2');
create user mapping for public server away options (user 'postgres', password 'postgres');
create table ev (id int not null, v text) partition by range (id); create table ev_1 partition of ev for values from (0) to (10);
create table other (id int primary key); create table signals (id varchar(64) primary key, type varchar(64), data varchar(4096));
create foreign table ev_2 partition of ev for values from (10) to (20) server away options (schema_name 'public', table_name 'ev_far');
insert into other values (1); insert into ev values (1, 'here');
"""
OPTIONS = {"publication.autocreate.mode": "disabled", "table.include.list": "public.ev,public.other", "schema.include.list": None,
           "message.key.columns": "public.ev:id", "signal.data.collection": "public.signals", "errors.max.retries": "0"}


@pytest.fixture(params=[15, 18])
def abroad(request, databases):
    if request.param == 15:
        own = servers.shared("pg15-ru", postgres=15, language=os.environ.get("SERVERS_PG_LANGUAGE", "ru_RU")).postgres
        return databases(own)
    return databases(request.getfixturevalue("pg18"))


def prepared(db, connectors, port=None, config=None):
    db.script(SETUP.format(port=port or db.server.port, name=db.name))
    db.script(f'create publication "{db.name}" for table ev, other, signals with (publish_via_partition_root)')
    return connectors(db, {**OPTIONS, **(config or {})}, sink="file", superuser=True)


def test_the_other_server_is_away(abroad, connectors):
    connector = prepared(abroad, connectors, port=free_ports(1)[0])
    assert connector.run_to_end() == 1
    assert connector.logged("stopped: snapshot of table public.ev: .*away.*SQLSTATE 08.*reason=foreign_server_unreachable hint=.*postgres_fdw.*CREATE SERVER")


def test_the_other_server_refuses(abroad, connectors):
    connector = prepared(abroad, connectors)
    assert connector.run_to_end() == 3
    assert connector.logged("stopped: snapshot of table public.ev: .*ev_far.*SQLSTATE 42P01.*reason=foreign_table_failed hint=.*mend it there")
    abroad.script("create table ev_far (id int, v text); insert into ev_far values (11, 'far')")
    connector.start().wait_streaming()
    connector.stop()
    assert sorted(e.id for e in connector.events() if e.table == "ev") == [1, 11]


def test_an_incremental_snapshot_leaves_the_table_out_and_goes_on(db, connectors):
    connector = prepared(db, connectors, config={"snapshot.mode": "no_data"})
    connector.start().wait_streaming()
    data = {"type": "incremental", "data-collections": ["public.ev", "public.other"]}
    db.execute("insert into signals values ('1', 'execute-snapshot', %s)", json.dumps(data))
    wait_until(lambda: connector.logged("incremental snapshot completed"), 30, "its end")
    assert connector.logged("the table is left out: .*table=public.ev reason=foreign_table_failed hint=.*mend it there")
    assert connector.logged("ended table=public.ev .*status=SQL_EXCEPTION") and [e.id for e in connector.events() if e.op == "r"] == [1]
    connector.stop()
