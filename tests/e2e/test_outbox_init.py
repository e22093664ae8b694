"""`walduct outbox init`: what it prints runs as it is, with the privileges it grants and no others."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import psycopg
import pytest

from support.connector import database_properties
from support.paths import BINARY, ROOT
from support.wait import wait_until

FLAVOURS = ["table", "partitioned", "message"]


def outbox_init(*arguments, code=0):
    done = subprocess.run([BINARY, "outbox", "init", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture
def roles():
    """Makes names for roles, which belong to the whole server; drops them after their databases."""
    made = []

    def make(db, *kinds):
        made.append((db, [f"{db.name}_{kind}" for kind in kinds]))
        return made[-1][1]
    yield make
    for db, names in made:
        for name in names:
            if db.server.query("select 1 from pg_roles where rolname = %s", name):
                db.execute(f'drop owned by "{name}" cascade')
                db.execute(f'drop role "{name}"')
        db.close_session()


@pytest.fixture(params=["pg15", "pg17", "pg18"])
def db(request, databases, roles):
    return databases(request.getfixturevalue(request.param))


def as_role(db, role):
    db.execute(f"alter role \"{role}\" with login password 'secret'")
    return db.connect(user=role, password="secret")


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_script_runs_and_grants_what_is_needed(db, roles, flavour):
    role, application = roles(db, "Reader o'r %s", "writer")
    db.execute(f'create role "{application}" login')
    names = ["--flavour", flavour, "--schema", "My schema", "--table", 'out"box', "--role", role, "--application-role", application,
             "--publication", "My pub", "--cleanup"]
    db.execute('create schema "My schema"')
    db.script(outbox_init(*names))
    example = outbox_init(*names, "--print", "example")
    with as_role(db, application) as session:
        session.execute(example)  # with no other right than INSERT
    assert db.publications() == ["My pub"]
    assert db.value("select pubinsert from pg_publication")
    if flavour == "message":
        return
    assert db.value("select not (pubupdate or pubdelete or pubtruncate) from pg_publication")
    assert db.published_tables("My pub") == ['My schema.out"box']
    with as_role(db, role) as session:
        assert session.execute('select count(*) from "My schema"."out""box"').fetchone()[0] == 1
        session.execute('delete from "My schema"."out""box" where id in (select id from "My schema"."out""box" for update skip locked)')
        if flavour == "partitioned":
            assert session.execute("""select count(*) from pg_partition_tree('"My schema"."out""box"') where isleaf""").fetchone()[0] == 16
            session.execute("""select "My schema"."out""box_add_partitions"(20)""")
            session.execute('drop table "My schema"."out""box_default"')


def test_partitions_are_made_after_a_pause(db, roles):
    """Nobody called the function for weeks: today's rows are in the default partition, and the days ahead are made all the same."""
    role, = roles(db, "reader")
    db.script(outbox_init("--flavour", "partitioned", "--role", role))
    today = db.value("select to_char(now() at time zone 'UTC', 'outbox_YYYYMMDD')")
    db.script("do $$ declare p text; begin for p in select relname from pg_class where relname ~ '^outbox_2[0-9]{7}$' loop execute 'drop table ' || p; end loop; end $$")
    db.execute("insert into outbox (aggregatetype, aggregateid, type) values ('a', '1', 't')")
    db.execute("select outbox_add_partitions(3)")
    made = db.value("select count(*) from pg_partition_tree('outbox') where isleaf")
    assert made in (4, 5) and db.value("select to_regclass(%s)", today) is None  # 5: the day ended meanwhile
    db.execute("insert into outbox (aggregatetype, aggregateid, type) values ('a', '1', 't')")
    assert db.value("select count(*) from outbox") == 2


def test_without_cleanup_nothing_can_be_deleted(db, roles):
    role, = roles(db, "reader")
    db.script(outbox_init("--role", role))
    with as_role(db, role) as session:
        assert session.execute("select count(*) from outbox").fetchone()[0] == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute("delete from outbox")


def test_a_second_script_finds_the_role(db, roles):
    role, = roles(db, "reader")
    db.script(outbox_init("--role", role))
    db.script(outbox_init("--role", role, "--table", "other", "--publication", "other"))


def test_event_type_must_fit_a_topic(db, roles):
    role, = roles(db, "reader")
    db.script(outbox_init("--role", role))
    for value in ("", "a b", "ä", "x" * 201):
        with pytest.raises(psycopg.errors.CheckViolation):
            db.execute("insert into outbox (aggregatetype, aggregateid, type) values (%s, '1', 't')", value)


def test_inbox(db):
    db.script(outbox_init("--inbox", "--schema", "public", "--inbox-table", "Seen"))
    insert = 'insert into "Seen" (consumer, message_id) values (%s, %s) on conflict do nothing returning 1'
    assert [len(db.execute(insert, c, m)) for c, m in (("a", "1"), ("a", "1"), ("b", "1"))] == [1, 0, 1]


@pytest.mark.parametrize("cleanup", [[], ["--cleanup"]], ids=["plain", "cleanup"])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_connector_validates(flavour, cleanup, tmp_path):
    text = outbox_init("--flavour", flavour, *cleanup, "--database", "shop", "--print", "connector")
    config = json.loads(text)["config"]
    assert config["slot.name"] == config["publication.name"] == "walduct_outbox"
    (tmp_path / "connector.json").write_text(text)
    done = subprocess.run([BINARY, "validate", "-f", tmp_path / "connector.json", "-o", "bootstrap.servers=localhost:9092"],
                          env={"DATABASE_PASSWORD": "x"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


URLS = {"postgres://db.example:6000/shop": ("db.example", "6000", "shop"), "postgresql://u:p@[::1]/a%20b": ("::1", "5432", "a b"),
        "postgres:///shop": ("localhost", "5432", "shop"), "postgres://h": ("h", "5432", "<DATABASE>")}


@pytest.mark.parametrize("url", URLS)
def test_where_the_database_is(url):
    config = json.loads(outbox_init("--url", url, "--print", "connector"))["config"]
    assert (config["database.hostname"], config["database.port"], config["database.dbname"]) == URLS[url]


@pytest.mark.parametrize("options,words", [(("--url", "http://x/y"), "--url"), (("--url", "postgres://h:port/x"), "port"), (("--port", "five"), "--port"),
                                           (("--url", "postgres://h/x", "--host", "h"), "--host")])
def test_an_address_that_is_none_is_refused(options, words):
    assert words in outbox_init(*options, "--print", "connector", code=2)


@pytest.mark.parametrize("command", ["validate", "run", "doctor"])
def test_placeholders_are_refused(command, tmp_path):
    (tmp_path / "connector.json").write_text(outbox_init("--print", "connector"))
    done = subprocess.run([BINARY, command, "-f", tmp_path / "connector.json", "-o", "bootstrap.servers=localhost:9092"],
                          env={"DATABASE_PASSWORD": "x"}, capture_output=True, text=True, timeout=30)
    said = done.stdout + done.stderr
    assert done.returncode == 2 and all(f"'{p}'" in said for p in ("database.hostname", "database.port", "database.dbname")), said
    assert "is a placeholder; write the value of your own database" in said


# Kafka's own is in a jar that the tests do not have: one that takes and prints the same.
CONSOLE_CONSUMER = f"""#!{sys.executable}
import argparse, confluent_kafka, uuid
parser = argparse.ArgumentParser()
for name in ("--bootstrap-server", "--topic"):
    parser.add_argument(name, required=True)
parser.add_argument("--from-beginning", action="store_true", required=True)
parser.add_argument("--formatter-property", action="append", choices=["print.key=true", "print.headers=true"])
given = parser.parse_args()
consumer = confluent_kafka.Consumer({{"bootstrap.servers": given.bootstrap_server, "group.id": str(uuid.uuid4()), "auto.offset.reset": "earliest"}})
consumer.subscribe([given.topic])
while True:
    if (record := consumer.poll(1)) and not record.error():
        headers = ",".join(f"{{name}}:{{value.decode()}}" for name, value in record.headers())
        print(headers, record.key().decode(), record.value().decode(), sep="\\t", flush=True)
"""


class Terminal:
    """A shell in the reader's folder: each block of the page is typed, in full."""

    def __init__(self, folder, exports):
        self.folder, self.exports, self.started = folder, exports, []
        (folder / "bin").mkdir(exist_ok=True)
        for name, text in (("walduct", f'#!/bin/sh\nexec {BINARY} "$@"\n'), ("kafka-console-consumer.sh", CONSOLE_CONSUMER)):
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)
        self.environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(folder)}

    def type(self, block, until=None):
        """Its output; with `until` it goes on when that is in it."""
        log = self.folder / f"log{len(self.started)}"
        with open(log, "wb") as out:
            process = subprocess.Popen(["sh", "-c", f"{self.exports}\n{block}"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=out, start_new_session=True)
        self.started.append(process)
        if until is None:
            assert process.wait(60) == 0, log.read_text()
        else:
            wait_until(lambda: re.search(until, log.read_text()) or process.poll() is not None, 60, until)
            assert process.poll() is None, log.read_text()
        return log.read_text()

    def close(self):
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            process.wait(30)


def blocks_of(page, heading):
    """The indented blocks of a section, as they are typed."""
    section = page[page.index(f"## {heading}\n"):]
    section = section[:section.index("\n## ", 3)]
    return [re.sub("(?m)^   ", "", block) for block in re.findall(r"^   ```\n(.*?)^   ```\n", section, re.DOTALL | re.MULTILINE)]


def set_up_by_slot(page):
    _, files, start, event, consumer = blocks_of(page, "Set up")
    return files, start, event, consumer


def set_up_by_polling(page):
    """Two blocks: the first ends with the process that goes on, the second with the consumer."""
    first, second = blocks_of(page, "Without a slot: walduct polls")[:2]
    assert page.index("## Set up\n") < page.index("**From nothing to the first event.**")
    files, _, start = first.partition("walduct doctor")
    event, consumer = second.splitlines()
    return files, "walduct doctor" + start, event, consumer


@pytest.mark.skipif(shutil.which("psql") is None, reason="no psql")
@pytest.mark.parametrize("set_up, ready", [(set_up_by_slot, "streaming slot="), (set_up_by_polling, "streaming source=poll")], ids=["slot", "poll"])
def test_the_lines_of_the_page_as_they_are_typed(private_servers, tmp_path, set_up, ready):
    """In a database with a name, a port and a password of its own. What the page calls yours is filled in, and nothing else."""
    servers = private_servers(postgres=15, kafka=True)
    postgres = servers.postgres
    postgres.query("create database till_7")
    page = (ROOT / "docs" / "outbox.md").read_text()
    address = f"{postgres.host}:{postgres.port}/till_7"
    mine = {"ADMIN": f"postgres://{postgres.user}:{postgres.password}@{address}", "DATABASE": f"postgres://{address}",
            "DATABASE_PASSWORD": "another-secret", "KAFKA": servers.bootstrap}
    assert re.findall("(?m)^export ([A-Z_]+)=", blocks_of(page, "Set up")[0]) == list(mine)
    terminal = Terminal(tmp_path, "\n".join(f"export {name}={value}" for name, value in mine.items()))
    files, start, event, consumer = set_up(page)
    try:
        terminal.type(files)
        assert postgres.query("select rolname from pg_roles where rolname = 'walduct'")
        said = terminal.type(start, until=ready)
        assert "0 errors" in said, said  # the doctor, before
        terminal.type(event)
        seen = terminal.type(consumer, until="orderId")
        assert re.search('id:[0-9a-f-]{36},eventType:OrderPlaced\t10\t{.*"customer": "c7"', seen), seen
    finally:
        terminal.close()


def test_the_test_step_as_it_is_typed(databases, pg17, roles, tmp_path):
    """docs/testing.md: the line and its file, before and after what the code under test does."""
    line, properties = re.findall(r"^```(?:properties)?\n(.*?)^```$", (ROOT / "docs" / "testing.md").read_text(), re.DOTALL | re.MULTILINE)[:2]
    db = databases(pg17)
    role, = roles(db, "reader")
    names = ["--role", role, "--slot", db.name, "--publication", db.name]
    db.script(outbox_init(*names) + f"alter role \"{role}\" password 'secret';")
    where = f"postgres://{pg17.host}:{pg17.port}/{db.name}"
    (tmp_path / "outbox.json").write_text(outbox_init(*names, "--print", "connector", "--url", where))
    (tmp_path / "testing.properties").write_text(properties)
    terminal = Terminal(tmp_path, "export DATABASE_PASSWORD=secret")

    def lines():
        return [json.loads(one) for one in terminal.type(line.rstrip() + " 2>log").splitlines()]
    assert lines() == []
    db.script(outbox_init(*names, "--print", "example") + "delete from outbox;")
    event, = lines()
    assert (event["topic"], event["key"]) == ("outbox.event.Order", "10") and ["eventType", "OrderPlaced"] in event["headers"]
    assert json.loads(event["value"])["total"] == "99.90" and lines() == []
    (tmp_path / "offsets.dat").unlink()
    with pytest.raises(AssertionError):
        lines()
    assert "slot_of_another_sink" in (tmp_path / "log").read_text()


def test_the_wrong_database_is_named(databases, pg17, connectors, roles):
    """The script went to another one: no empty publication is advised."""
    db = databases(pg17)
    connector = connectors(db, {"publication.autocreate.mode": "disabled", "table.include.list": r"public\.outbox"}, sink="file")
    found = json.loads(connector.call("doctor", "--json").stdout)["connectors"][0]["findings"]
    found = {one["reason"]: one for one in found}
    assert found["no_tables_captured"]["severity"] == "error" and db.name in found["no_tables_captured"]["message"]
    assert db.name in found["publication_missing"]["message"] and "CREATE PUBLICATION" not in found["publication_missing"]["hint"]
    assert connector.run_to_end() == 3
    line = connector.logged(".*reason=no_tables_captured.*").group(0)
    assert db.name in line and "database.dbname" in line and "walduct.allow.empty" in line and not db.slots()
    db.execute(f'create publication "{db.name}" for all tables')
    connector.start().wait_streaming()
    connector.stop()  # tables may come
    db.drop_slot(connector.slot)
    (connector.dir / "offsets.dat").unlink()
    db.script(f'drop publication "{db.name}"; create publication "{db.name}"')
    assert connector.run_to_end() == 3
    connector.config["walduct.allow.empty"] = "true"
    connector.start().wait_streaming()
    connector.stop()


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_what_is_printed_publishes_events(flavour, databases, pg17, roles, connectors):
    """Script, example and connector together, with the role that the script makes."""
    db = databases(pg17)
    role, = roles(db, "reader")
    names = ["--flavour", flavour, "--role", role, "--publication", db.name, "--slot", db.name, "--connector", db.name, "--cleanup"]
    db.script(outbox_init(*names))
    db.execute(f"alter role \"{role}\" with login replication password 'secret'")
    printed = json.loads(outbox_init(*names, "--print", "connector"))["config"]
    own = {**database_properties(db), "database.user": role, "database.password": "secret", "schema.include.list": None}
    connector = connectors(db, {**printed, **own}, sink="file").start().wait_streaming()
    db.script(outbox_init(*names, "--print", "example"))
    event, = connector.wait_events(1)
    connector.stop()
    assert event.topic.startswith("outbox.event.") and json.loads(event.value)
    assert not connector.logged(r"\bwarning\b.*no table is captured")
    assert {"id", "eventType"} <= dict(event.headers).keys()


@pytest.mark.parametrize("arguments, flag", [(["--slot", "A-B"], "--slot"), (["--table", ""], "--table"), (["--flavour", "odd"], "--flavour")])
def test_bad_names_are_refused(arguments, flag):
    assert flag in outbox_init(*arguments, code=2)
