"""`walduct outbox init`: what it prints runs as it is, with the privileges it grants and no others."""
import json
import re
import shutil
import subprocess

import psycopg
import pytest

from support.connector import database_properties
from support.kafka import TopicReader
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


@pytest.mark.skipif(shutil.which("psql") is None, reason="no psql")
def test_the_lines_of_the_page_as_they_are_typed(private_servers, tmp_path):
    """In a database with a name, a port and a password of its own: only the addresses are put in."""
    servers = private_servers(postgres=15, kafka=True)
    postgres = servers.postgres
    postgres.query("create database till_7")
    page = (ROOT / "docs" / "outbox.md").read_text()
    worker, lines, event = re.findall(r"```(?:properties)?\n(bootstrap.servers.*?|ADMIN=.*?|walduct outbox init --print example.*?)```", page, re.DOTALL)
    address = f"{postgres.host}:{postgres.port}/till_7"
    lines = lines.replace("postgres:secret@localhost:5433/shop", f"{postgres.user}:{postgres.password}@{address}").replace("localhost:5433/shop", address)
    (tmp_path / "worker.properties").write_text(worker.replace("localhost:9092", servers.bootstrap) + "offset.storage.replication.factor=1\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "walduct").symlink_to(BINARY)
    environment = {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path)}
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen(["sh", "-ec", lines.replace("walduct run", "exec walduct run")], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True)
    try:
        wait_until(lambda: "streaming slot=" in (tmp_path / "log").read_text() or process.poll() is not None, 30, "it streams")
        assert process.poll() is None, (tmp_path / "log").read_text()
        subprocess.run(["sh", "-ec", lines.splitlines()[0] + "\n" + event], cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=30)
        reader = TopicReader(servers.bootstrap, "outbox.event.")
        wait_until(lambda: reader.read(), 20, "the event")
        found = list(reader.events)
        assert [e.topic for e in found] == ["outbox.event.Order"] and b'"orderId"' in found[0].value
        reader.close()
    finally:
        process.terminate()
        process.wait(20)


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
